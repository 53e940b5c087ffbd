"""Comparing every file with every line; writes nothing.

`verify` returns problems as data, an empty list meaning sound. It reads the whole store: each entry is parsed, hashed
and compared with its index line. An entry without a line may only be called an orphan while no writer is between its
file and its line, so those few are looked at again under the index lock, where it can be had.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager

from memkit.errors import DamagedError, ForeignStoreError, NewerFormatError, StoreError
from memkit.model.index_line import IndexLine
from memkit.model.problem import Problem
from memkit.store import audit_log, durable, entries, index, quarantine
from memkit.store.lock import HeldLock, Lock
from memkit.store.paths import LOG_PREFIX, LOG_SUFFIX, StorePaths
from memkit.store.store import Store

REPAIR = "Run `memkit repair --apply`."
_TOP = frozenset(
    {"store.json", "results", "index.jsonl", "index.generation", "index.jsonl.lock", "snapshots", "staging"}
    | {"deadletter", "memory", "knowledge", "trash", "state", "firings.jsonl", "quarantine", "_logs"}
)


def verify(store: Store, *, held: HeldLock | None = None) -> list[Problem]:
    """Every spot that is not as it should be, in a stable order; `held` is the index lock, if the caller has it."""
    if not store.exists:
        return []
    paths = store.paths
    problems: list[Problem] = [*_about_store_json(store), *_strays(paths), *_modes(paths)]
    on_disk, stray_names = entries.ids_on_disk(paths)
    problems += [_stray(paths, f"results/{name}") for name in stray_names]
    read = store.read_index()
    lines = {line.id: line for line in read.lines}
    problems += [] if read.rebuilt else _about_index(paths, read, held)
    if read.rebuilt:
        problems.append(
            Problem(
                "index-missing", "index.jsonl", f"{len(lines)} entries have no line", f"Recall still works. {REPAIR}"
            )
        )
    for entry_id in on_disk:
        problems += _about_entry(paths, entry_id, lines.get(entry_id), rebuilt=read.rebuilt)
    for entry_id in sorted(set(lines) - set(on_disk)):
        if not os.path.lexists(paths.entry_file(entry_id)):
            problems.append(
                Problem("line-without-file", f"results/{entry_id}.json", "the index names it, the file is gone",
                        f"Restore the file from a backup, or: {REPAIR}", entry_id)
            )  # fmt: skip
    problems += _orphans(store, [] if read.rebuilt else [i for i in on_disk if i not in lines], problems, held)
    problems += [
        Problem("note-damaged", f"quarantine/{s.name}.json", s.reason, "The bytes beside it are kept.")
        for s in quarantine.spots(paths)
        if s.start < 0
    ]
    problems += audit_log.read_events(paths)[1]
    return sorted(problems)


def _about_store_json(store: Store) -> Iterator[Problem]:
    try:
        store.info()
    except NewerFormatError as error:
        yield Problem("newer-format", "store.json", error.what, "Upgrade memkit.")
    except ForeignStoreError as error:
        yield Problem("foreign-store", "store.json", error.what, error.remedy or "")
    except DamagedError as error:
        yield Problem("store-json-damaged", "store.json", error.what, REPAIR)


def _about_index(paths: StorePaths, read: index.IndexRead, held: HeldLock | None) -> Iterator[Problem]:
    yield from read.damaged
    yield from read.glued
    for placed in read.repeated:
        yield Problem(
            "repeated-line", "index.jsonl", f"{placed.line.id} has a line already", REPAIR, placed.line.id,
            placed.start, placed.end,
        )  # fmt: skip
    if read.pending:
        with _writers_excluded(paths, held) as quiet:
            again = index.read(paths, read.end) if quiet else None
        if again is not None and again.pending:
            yield Problem(
                "torn-tail", "index.jsonl", f"{again.pending} bytes without a newline, left by a crash",
                f"The next store closes it. {REPAIR}", "", again.end, again.end + again.pending,
            )  # fmt: skip


def _about_entry(paths: StorePaths, entry_id: str, line: IndexLine | None, *, rebuilt: bool) -> Iterator[Problem]:
    file = f"results/{entry_id}.json"
    try:
        data = durable.read_bytes(paths.entry_file(entry_id))
        if data is None:
            return
        entry = entries.decode(paths, entry_id, data)
    except NewerFormatError as error:
        yield Problem("newer-entry", file, error.what, "Upgrade memkit to read it.", entry_id)
        return
    except ForeignStoreError as error:
        yield Problem("foreign-entry", file, error.what, error.remedy or "", entry_id)
        return
    except DamagedError as error:
        yield Problem("damaged-entry", file, error.what, f"Restore it from a backup, or: {REPAIR}", entry_id)
        return
    except StoreError as error:
        yield Problem("unreadable-entry", file, error.what, error.remedy or "", entry_id)
        return
    if line is None or rebuilt:
        return
    if line.sha256 is not None and line.sha256 != hashlib.sha256(data).hexdigest():
        yield Problem(
            "hash-mismatch", file, "the file is not the one that was stored (edited, or damaged and still readable)",
            "Restore it from a backup; after `memkit repair --apply` the file as it is counts.", entry_id,
        )  # fmt: skip
    if line.stored_at_ms != entry.stored_at_ms or line.panel_id != entry.panel_id:
        yield Problem("line-differs", file, "time or panel in the index line differ from the entry", REPAIR, entry_id)


def _orphans(store: Store, candidates: list[str], known: list[Problem], held: HeldLock | None) -> Iterator[Problem]:
    explained = {problem.entry_id for problem in known}
    candidates = [entry_id for entry_id in candidates if entry_id not in explained]
    if not candidates:
        return
    with _writers_excluded(store.paths, held) as quiet:
        if not quiet:
            return
        lines = {line.id for line in store.read_index().lines}
        for entry_id in candidates:
            if entry_id not in lines:
                yield Problem(
                    "orphan-entry", f"results/{entry_id}.json", "has no index line; a crash fell between the two",
                    f"It was not acknowledged. {REPAIR}", entry_id,
                )  # fmt: skip


@contextmanager
def _writers_excluded(paths: StorePaths, held_already: HeldLock | None) -> Iterator[bool]:
    """Hold the index lock if it exists; a store without the file has no memkit writer."""
    if held_already is not None or not os.path.lexists(paths.index_lock):
        yield True
        return
    try:
        held = Lock(paths.index_lock, 0).try_acquire(None)
    except StoreError:
        yield True  # a read-only store has no writer either
        return
    if held is None:
        yield False
        return
    try:
        yield True
    finally:
        held.release()


def _strays(paths: StorePaths) -> Iterator[Problem]:
    for name in durable.names_in(paths.folder):
        if name not in _TOP and not (name.startswith(".") and name.endswith(".lock")) and not name.endswith(".lock"):
            yield _stray(paths, name)
    for name in durable.names_in(paths.logs):
        known = name in {"current.log", "audit.lock"} or (name.startswith(LOG_PREFIX) and name.endswith(LOG_SUFFIX))
        if not known:
            yield _stray(paths, f"_logs/{name}")


def _stray(paths: StorePaths, relative: str) -> Problem:
    if relative.endswith(durable.TEMP_SUFFIX):
        return Problem("leftover-temp", relative, "a write that never finished", REPAIR)
    return Problem(
        "stray-file", relative, "not one of memkit's files (a sync tool's copy?); it is never read",
        f"Compare it with its original and remove it by hand. It lies in {paths.folder}.",
    )  # fmt: skip


def _modes(paths: StorePaths) -> Iterator[Problem]:
    for base, folders, files in os.walk(paths.folder):
        folders.sort()
        for name in ("", *sorted(files)):
            path = paths.folder.joinpath(base, name)
            if durable.is_wide(path):
                yield Problem("wide-mode", paths.relative(path), "others may read or enter it", REPAIR)
