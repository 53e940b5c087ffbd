"""`index.jsonl`: one slim line per entry, appended under a lock, made again from the entries when it is gone.

A line follows its entry's file, never the other way round. Whoever rewrites the index raises `index.generation` first,
so that a snapshot built from the old bytes is recognised as old. While it appends, memkit also holds the sentinel file
that the TypeScript tool locks with: it waits for a foreign one, and takes over one older than 30 seconds, saying so.
"""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from memkit.errors import LockedError, MemkitWarning, StoreError
from memkit.model.index_line import IndexLine, LineDamage, line_for, parse_line
from memkit.model.problem import Problem
from memkit.store import durable, entries, jsonl
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths

SENTINEL_STALE_SECONDS = 30.0
_MARK = b'{"by": "memkit"}\n'
_PAUSE = 0.005
_READ_TRIES = 3


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """One line and its bytes' place in the file."""

    line: IndexLine
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class IndexRead:
    """What the index held when it was read.

    Attributes:
        lines: One per id, in file order; the first of several wins.
        damaged: Lines that are not index lines, each with its bytes' place and the reason.
        repeated: Further lines of an id already seen.
        glued: Lines that held several objects; each was read.
        generation: Of the index as it was read.
        start: First byte read.
        end: The byte after the last newline; what follows is pending.
        pending: Bytes after `end`.
        rebuilt: The file was missing and the lines were made from the entries.
    """

    lines: tuple[IndexLine, ...]
    damaged: tuple[Problem, ...] = ()
    repeated: tuple[PlacedLine, ...] = ()
    glued: tuple[Problem, ...] = ()
    generation: int = 0
    start: int = 0
    end: int = 0
    pending: int = 0
    rebuilt: bool = False


def generation(paths: StorePaths) -> int:
    """The index's generation; 0 where it was never rewritten."""
    data = durable.read_bytes(paths.generation)
    text = (data or b"").strip()
    return int(text) if text.isdigit() and len(text) < 19 else 0


def read(paths: StorePaths, start: int = 0) -> IndexRead:
    """Read the index from byte `start`; a missing index is made in memory from the entries.

    A rewrite that happens meanwhile is noticed by its generation and the read is done again.
    """
    for _ in range(_READ_TRIES):
        before = generation(paths)
        data = durable.read_from(paths.index, start)
        if generation(paths) == before:
            break
    if data is None:
        return _from_entries(paths, before)
    return parse(paths, data, start=start, generation=before)


def parse(paths: StorePaths, data: bytes, *, start: int, generation: int) -> IndexRead:  # noqa: A002, RUF100
    """Read the bytes of an index that begin at offset `start`."""
    raw_lines, end = jsonl.split_lines(data, start)
    found: dict[str, IndexLine] = {}
    damaged: list[Problem] = []
    repeated: list[PlacedLine] = []
    glued: list[Problem] = []
    for raw in raw_lines:
        pieces = list(jsonl.glued_objects(raw.data))
        if len(pieces) > 1:
            glued.append(
                Problem(
                    code="glued-line",
                    file=paths.relative(paths.index),
                    detail=f"{len(pieces)} objects stand on one line; each was read by itself",
                    remedy="Run `memkit repair --apply`.",
                    start=raw.start,
                    end=raw.end,
                )
            )
        for piece in pieces:
            try:
                if len(piece) > jsonl.MAX_LINE_BYTES:
                    raise LineDamage(f"the line has {len(piece):,} bytes")
                line = parse_line(piece)
                if line.project_key != paths.key:
                    raise LineDamage(f"belongs to the project {line.project_key[:40]!r}")
            except LineDamage as damage:
                damaged.append(
                    Problem(
                        code="damaged-line",
                        file=paths.relative(paths.index),
                        detail=f"{damage} ({len(piece):,} bytes, begins {_shown(piece)})",
                        remedy="Run `memkit repair --apply`; it moves the bytes to quarantine.",
                        start=raw.start,
                        end=raw.end,
                    )
                )
                continue
            if line.id in found:
                repeated.append(PlacedLine(line, raw.start, raw.end))
            else:
                found[line.id] = line
    return IndexRead(
        lines=tuple(found.values()),
        damaged=tuple(damaged),
        repeated=tuple(repeated),
        glued=tuple(glued),
        generation=generation,
        start=start,
        end=end,
        pending=start + len(data) - end,
    )


def _shown(piece: bytes) -> str:
    return ascii(piece[:24].decode("utf-8", "backslashreplace"))


def _from_entries(paths: StorePaths, at_generation: int) -> IndexRead:
    lines = tuple(parse_line(line) for line in lines_of_entries(paths, entries.ids_on_disk(paths)[0]))
    return IndexRead(lines=lines, generation=at_generation, rebuilt=bool(lines))


def lines_of_entries(paths: StorePaths, wanted: Iterable[str]) -> Iterator[bytes]:
    """The index lines of entries on disk, made from their files; unreadable ones are left to `verify`."""
    for entry_id in wanted:
        try:
            data = durable.read_bytes(paths.entry_file(entry_id))
            if data is None:
                continue
            entry = entries.decode(paths, entry_id, data)
        except StoreError:
            continue
        yield line_for(entry, n_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def append(paths: StorePaths, held: HeldLock, lines: bytes, *, wait_seconds: float) -> None:
    """Append whole lines durably; the index lock is held."""
    _require(paths, held)
    with _sentinel(paths, wait_seconds):
        if not os.path.lexists(paths.index):
            known = {parse_line(line).id for line in lines.split(b"\n") if line}
            others = [entry_id for entry_id in entries.ids_on_disk(paths)[0] if entry_id not in known]
            lines = b"".join(lines_of_entries(paths, others)) + lines
        durable.append(paths.index, lines, fsync=True)


def rewrite(paths: StorePaths, held: HeldLock, lines: Iterable[bytes], *, wait_seconds: float) -> None:
    """Replace the whole index; the generation is raised first. The index lock is held."""
    _require(paths, held)
    with _sentinel(paths, wait_seconds):
        raise_generation(paths, held)
        durable.replace(paths.index, b"".join(lines))


def raise_generation(paths: StorePaths, held: HeldLock) -> None:
    """Make every snapshot of the index as it is now recognisably old."""
    _require(paths, held)
    durable.replace(paths.generation, b"%d\n" % (generation(paths) + 1))


def _require(paths: StorePaths, held: HeldLock) -> None:
    if not held.is_held or held.path != paths.index_lock:
        raise RuntimeError("the index lock must be held")


@contextmanager
def _sentinel(paths: StorePaths, wait_seconds: float) -> Iterator[None]:
    """Hold the TypeScript tool's lock file for the block."""
    deadline = time.monotonic() + wait_seconds
    while not _create_sentinel(paths):
        _take_over_or_wait(paths, deadline)
    try:
        yield
    finally:
        durable.unlink(paths.sentinel)


def _create_sentinel(paths: StorePaths) -> bool:
    try:
        return durable.link_exclusive(paths.sentinel_source, paths.sentinel)
    except StoreError:  # the file to link is not there yet, or this file system has no hard links
        durable.create_exclusive(paths.sentinel_source, _MARK)
        return durable.create_exclusive(paths.sentinel, _MARK)


def _take_over_or_wait(paths: StorePaths, deadline: float) -> None:
    try:
        content = durable.read_bytes(paths.sentinel)
        age = time.time() - os.stat(paths.sentinel).st_mtime
    except FileNotFoundError:
        return
    if content is None:
        return
    # Ours can only be left over from a memkit that died: the flock we hold proves that none is at work.
    if content == _MARK:
        durable.unlink(paths.sentinel)
        return
    if age > SENTINEL_STALE_SECONDS:
        warnings.warn(
            f"{paths.sentinel}: taken over after {age:.0f} s; the tool that left it there has probably died",
            MemkitWarning,
            stacklevel=2,
        )
        durable.unlink(paths.sentinel)
        return
    if time.monotonic() >= deadline:
        raise LockedError(
            f"another tool has been writing to the index for {age:.0f} s",
            file=paths.sentinel,
            remedy=f"Wait for it; memkit takes over after {SENTINEL_STALE_SECONDS:.0f} s.",
        )
    time.sleep(_PAUSE)
