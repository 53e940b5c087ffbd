"""Comparing every file with every line; writes nothing.

`verify` returns problems as data, an empty list meaning sound. It reads the whole store: each entry is parsed, hashed
and compared with its index line. An entry without a line may only be called an orphan while no writer is between its
file and its line, so those few are looked at again under the index lock, where it can be had.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from memkit.display import count
from memkit.errors import DamagedError, ForeignStoreError, NewerFormatError, StoreError
from memkit.model.index_line import IndexLine, line_for, parse_line
from memkit.model.mark import MARK_KINDS, MarkKind
from memkit.model.problem import Problem
from memkit.store import (
    acknowledgements,
    audit_log,
    candidate_files,
    deadletters,
    entries,
    erasures,
    extraction,
    firings,
    index,
    ledger,
    leftovers,
    look,
    marks,
    pending,
    quarantine,
    receipts,
    records,
    saved_queries,
    staging,
    trash,
)
from memkit.store.index_lines import IndexRead
from memkit.store.kinds import kind_of
from memkit.store.lock import HeldLock, Lock
from memkit.store.paths import StorePaths, path_text
from memkit.store.store import Store
from memkit.store.verify_log import about_log
from memkit.store.verify_trash import about_trash
from memkit.store.writer import canonical_lock

REPAIR = "Run `memkit repair --apply`."
_TOP = frozenset(
    {"store.json", "results", "index.jsonl", "index.generation", "index.jsonl.lock", "snapshots", "staging"}
    | {"deadletter", "memory", "knowledge", "trash", "state", "firings.jsonl", "quarantine", "_logs"}
)


Progress = Callable[[int], None]


def verify(store: Store, *, held: HeldLock | None = None, progress: Progress | None = None) -> list[Problem]:
    """Every spot that is not as it should be, in a stable order.

    Args:
        store: The store.
        held: The index lock, if the caller has it.
        progress: Called with 1 for each entry that was compared.

    Raises:
        StoreError: the project's folder itself cannot be looked into.
    """
    if not store.exists:
        return []
    paths = store.paths
    problems: list[Problem] = [*_about_store_json(store), *_names_and_modes(paths)]
    problems += _readable(paths, paths.results, lambda: _about_entries(store, held, progress))
    problems += _readable(paths, paths.quarantine, lambda: _about_notes(paths))
    problems += _readable(paths, paths.state, lambda: acknowledgements.read(paths)[1])
    problems += _readable(paths, paths.state, lambda: extraction.read(paths)[1])
    problems += _readable(paths, paths.state, lambda: ledger.read(paths)[1])
    problems += _readable(paths, paths.firings, lambda: firings.read(paths).problems)
    problems += _readable(paths, paths.memory, lambda: _about_pending(paths))
    problems += _readable(paths, paths.staging, lambda: staging.read_all(paths)[1])
    problems += _readable(paths, paths.deadletter, lambda: deadletters.read_letters(paths)[1])
    problems += _readable(paths, paths.memory, lambda: records.problems(paths))
    for kind in MARK_KINDS:
        problems += _readable(paths, paths.state, partial(_about_marks, paths, kind))
    problems += _readable(paths, paths.state, lambda: receipts.read(paths)[1])
    problems += _readable(paths, paths.state, lambda: saved_queries.read(paths)[1])
    problems += _readable(paths, paths.trash, lambda: about_trash(store, held))
    problems += _readable(paths, paths.state, lambda: _about_erasures(paths))
    problems += _readable(paths, paths.logs, lambda: about_log(paths))
    return sorted(set(problems))


def _about_pending(paths: StorePaths) -> Iterator[Problem]:
    """Files of a change of records that was cut off; only while nobody is at it."""
    if not pending.waiting(paths):
        return
    held = canonical_lock(paths, 0).try_acquire(None, create=False)
    if held is None:
        return
    try:
        for name in pending.waiting(paths):
            yield Problem(
                "unfinished-consolidation",
                path_text(name),
                "a change of records was cut off",
                "The next `memkit consolidate` or change of a record carries it to its end.",
            )
    finally:
        held.release()


def _readable(paths: StorePaths, place: Path, look_into: Callable[[], Iterable[Problem]]) -> list[Problem]:
    """What `look_into` finds, or that the operating system refuses to show it."""
    try:
        return list(look_into())
    except StoreError as error:
        return [_unreadable(paths, error, place)]


def _about_entries(store: Store, held: HeldLock | None, progress: Progress | None) -> Iterator[Problem]:
    paths = store.paths
    hidden = store.trash().hidden
    on_disk = [entry_id for entry_id in entries.ids_on_disk(paths) if entry_id not in hidden]
    read = store.read_index()
    lines = {line.id: line for line in read.lines}
    if read.rebuilt:
        yield Problem(
            "index-missing",
            "index.jsonl",
            f"{count(len(lines), 'entry has', 'entries have')} no line",
            f"Recall still works. {REPAIR}",
        )
    else:
        yield from _about_index(paths, read, held)
    if not index.is_generation_readable(paths):
        yield Problem("generation-damaged", "index.generation", "it is not a number", f"Reading takes longer. {REPAIR}")
    found: list[Problem] = []
    for entry_id in on_disk:
        found += _about_entry(paths, entry_id, lines.get(entry_id), rebuilt=read.rebuilt)
        if progress:
            progress(1)
    yield from found
    for entry_id in sorted(set(lines) - set(on_disk)):
        # One that lies in the trash without a plan is told there.
        if not look.exists(paths.entry_file(entry_id)) and not look.exists(paths.trash_file(entry_id)):
            yield Problem("line-without-file", f"results/{entry_id}.json", "the index names it, the file is gone",
                          f"Restore the file from a backup, or: {REPAIR}", entry_id)  # fmt: skip
    explained = {problem.entry_id for problem in found}
    if look.exists(paths.erasing):
        explained |= {problem.entry_id for problem in _about_erasures(paths)}
    candidates = [i for i in on_disk if not read.rebuilt and i not in lines and i not in explained]
    yield from _orphans(store, candidates, held)


def _about_marks(paths: StorePaths, kind: MarkKind) -> list[Problem]:
    return marks.history(paths, kind)[1]


def _about_notes(paths: StorePaths) -> Iterator[Problem]:
    for spot in quarantine.spots(paths):
        if spot.reason == quarantine.NOTE_MISSING:
            yield Problem("note-missing", f"quarantine/{spot.name}.bin", "a repair was cut off between the two", REPAIR)
        elif spot.start < 0:
            yield Problem("note-damaged", f"quarantine/{spot.name}.json", spot.reason, "The bytes beside it are kept.")


def _about_erasures(paths: StorePaths) -> Iterator[Problem]:
    yield from erasures.read(paths)[1]
    for gone in erasures.erased(paths):
        if look.exists(paths.entry_file(gone.id)):
            yield Problem(
                "erased-entry", paths.relative(paths.entry_file(gone.id)),
                f"was erased on {gone.erased_at:%Y-%m-%d} and has come back, from a backup perhaps; nobody reads it",
                f"`memkit erase {gone.id} --yes` erases it once more.", gone.id,
            )  # fmt: skip
    file = paths.relative(paths.erasing)
    try:
        begun = erasures.under_way(paths)
    except DamagedError as error:
        yield Problem("erasing-damaged", file, error.what, error.remedy or "")
        return
    if begun:
        what = "the entry" if len(begun) == 1 else f"{len(begun):,} entries"
        yield Problem(
            "unfinished-erasure", file, f"an erasure was cut off; parts of {what} may still be there",
            f"The next store carries it on. {REPAIR}", begun[0].id,
        )  # fmt: skip


def _about_store_json(store: Store) -> Iterator[Problem]:
    try:
        store.info()
    except NewerFormatError as error:
        yield Problem("newer-format", "store.json", error.what, "Upgrade memkit.")
    except ForeignStoreError as error:
        yield Problem("foreign-store", "store.json", error.what, error.remedy or "")
    except DamagedError as error:
        yield Problem("store-json-damaged", "store.json", error.what, REPAIR)


def _about_index(paths: StorePaths, read: IndexRead, held: HeldLock | None) -> Iterator[Problem]:
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
    info = look.status_of(paths.entry_file(entry_id))
    if info is not None and not stat.S_ISREG(info.st_mode):
        yield Problem(
            "not-a-file", file, "a link or something else stands where an entry's own file should",
            "memkit never makes one; look where it leads, then remove it by hand.", entry_id,
        )  # fmt: skip
        return
    try:
        data = entries.read_file(paths, entry_id)
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
    sha256 = hashlib.sha256(data).hexdigest()
    if line.sha256 is not None and line.sha256 != sha256:
        yield Problem(
            "hash-mismatch", file, "the file is not the one that was stored (edited, or damaged and still readable)",
            "Restore it from a backup; after `memkit repair --apply` the file as it is counts.", entry_id,
        )  # fmt: skip
        return
    different = _difference(line, parse_line(line_for(entry, n_bytes=len(data), sha256=sha256)))
    if different:
        yield Problem("line-differs", file, f"{different} of the index line is not the entry's", REPAIR, entry_id)


def _difference(line: IndexLine, made: IndexLine) -> str:
    """The first field in which a line is not what memkit makes of its entry; two count in another tool's line."""
    is_ours = line.bytes is not None or line.sha256 is not None
    names = (
        "stored_at_ms",
        "panel_id",
        "question_preview",
        "tags",
        "final_score",
        "judge_confidence",
        "bytes",
        "sha256",
    )
    return next((name for name in names[: None if is_ours else 2] if getattr(line, name) != getattr(made, name)), "")


def _orphans(store: Store, candidates: list[str], held: HeldLock | None) -> Iterator[Problem]:
    if not candidates:
        return
    with _writers_excluded(store.paths, held) as quiet:
        if not quiet:
            return
        lines = {line.id for line in store.read_index().lines}
        for entry_id in candidates:
            if entry_id not in lines and look.exists(store.paths.entry_file(entry_id)):
                yield Problem(
                    "orphan-entry", f"results/{entry_id}.json",
                    "has no index line: a crash fell between the two, or its line was lost",
                    f"{REPAIR}", entry_id,
                )  # fmt: skip


@contextmanager
def _writers_excluded(paths: StorePaths, held_already: HeldLock | None) -> Iterator[bool]:
    """Hold the index lock if it exists, changing nothing; a store without the file has no memkit writer."""
    if held_already is not None or not look.exists(paths.index_lock):
        yield True
        return
    try:
        held = Lock(paths.index_lock, 0).try_acquire(None, create=False)
    except StoreError:
        yield True  # a store whose lock nobody may open has no writer either
        return
    if held is None:
        yield False
        return
    try:
        yield True
    finally:
        held.release()


def _names_and_modes(paths: StorePaths) -> Iterator[Problem]:
    try:
        for path, info in look.tree(paths.folder):
            relative = paths.relative(path)
            if look.is_wide(info):
                yield Problem("wide-mode", path_text(relative), "others may read or enter it", REPAIR)
            if path == paths.wiped:
                yield Problem("unfinished-wipe", relative, "a wipe was cut off; entries it took away are in it", REPAIR)
            elif leftovers.is_left_over(path, info):
                yield Problem("leftover-temp", path_text(relative), "a write that never finished", REPAIR)
            elif _is_stray(paths, path):
                yield _stray(paths, relative)
    except StoreError as error:
        yield _unreadable(paths, error, paths.folder)


def _is_stray(paths: StorePaths, path: Path) -> bool:
    """Whether memkit writes no such name here; temporary files of writers at work are no strays."""
    if leftovers.is_temp(path):
        return False
    if path.parent == paths.folder:
        return path.name not in _TOP and not path.name.endswith(".lock")
    if path.parent == paths.logs:
        known = {paths.current_log.name, paths.audit_lock.name, paths.compacted.name}
        is_day = audit_log.is_log_name(path.name) or audit_log.is_compacted_name(path.name)
        return path.name not in known and not is_day
    if path.parent in {paths.staging, paths.deadletter}:
        return not candidate_files.is_name(path.name)
    if path.parent in {paths.memory, paths.knowledge}:
        return not records.is_record_name(path.name) and not pending.is_pending(path.name)
    if path.parent == paths.trash:
        return path != paths.deleted_records and (
            kind_of(paths.relative(path)) is None or path.suffix == trash.KEPT_SUFFIX
        )
    return path.parent == paths.results and not entries.is_entry_name(path.name)


def _unreadable(paths: StorePaths, error: StoreError, place: Path) -> Problem:
    file = Path(error.file) if error.file else place
    relative = paths.relative(file) if file.is_relative_to(paths.folder) else paths.relative(place)
    return Problem("unreadable", path_text(relative), error.what, error.remedy or "")


def _stray(paths: StorePaths, relative: str) -> Problem:
    return Problem(
        "stray-file", path_text(relative), "not one of memkit's files (a sync tool's copy?); it is never read",
        f"Compare it with its original and remove it by hand. It lies in {paths.folder}.",
    )  # fmt: skip
