"""Turning the tail into a segment.

The snapshot lock is only ever tried, never waited for: one process absorbs, the others go on with their tails. The
index lock is taken at the very end, for as long as replacing the manifest takes. It comes after the snapshot lock here,
against the common order; because neither holder of the index lock waits for the snapshot lock, no circle can form.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from memkit.errors import StoreError
from memkit.model.index_line import IndexLine
from memkit.snapshot.manifest import SEGMENT_NAME, Manifest, ManifestDamage, OtherVersion, Segment, parse_manifest
from memkit.snapshot.reading import index_fingerprint, open_snapshot, read_file
from memkit.snapshot.rows import RowBuilder, Rows, entry_schema
from memkit.snapshot.segments import (
    MAX_SEGMENT_DOCS,
    decode,
    is_due,
    merge_rows,
    read_rows,
    remove,
    write_segment,
)
from memkit.store import durable, look
from memkit.store.index_lines import IndexRead
from memkit.store.lock import HeldLock, Lock
from memkit.store.paths import StorePaths
from memkit.store.store import Store

MINIMUM = 256
# What is held in memory at once: so many bytes of the index, and entries of so many characters for one segment.
PIECE_BYTES = 12 << 20
CHUNK_CHARS = 16_000_000
_PROGRESS_STEP = 1_024
_PUBLISH_WAIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Absorbed:
    """What became of an attempt to absorb the tail.

    Attributes:
        entries: Entries absorbed; 0 where nothing was done.
        segments: Segments the snapshot has now, as far as known.
        reason: Why nothing was done, or "".
    """

    entries: int = 0
    segments: int = 0
    reason: str = ""


class _ChangedMeanwhileError(Exception):
    """The store was rewritten while its rows were being made."""


def absorb(store: Store, *, minimum: int = MINIMUM, progress: Callable[[int], None] | None = None) -> Absorbed:
    """Make a segment of the tail if it has `minimum` entries or more; never waits, never stands in the way.

    A long tail is taken piece by piece, each published by itself: memory stays bounded, and what is interrupted goes on
    where it was.

    Args:
        store: The store.
        minimum: Entries the tail must have.
        progress: Called with the number of entries taken since the last call.

    Returns:
        What was done, or the reason why not: too few entries, another process at it, a read-only or full disk.
    """
    if not os.path.lexists(store.paths.index):
        return Absorbed(reason="there is no index")
    try:
        held = Lock(store.paths.snapshot_lock, 0).try_acquire("absorb")
        if held is None:
            return Absorbed(reason="another process is making the snapshot")
        try:
            return _absorb(store, held, minimum, progress)
        finally:
            held.release()
    except StoreError as error:
        return Absorbed(reason=str(error))


def _absorb(store: Store, held: HeldLock, minimum: int, progress: Callable[[int], None] | None) -> Absorbed:
    paths = store.paths
    manifest = open_snapshot(paths, store.segments_seen).manifest
    if manifest is None and _is_from_a_newer_memkit(paths):
        return Absorbed(reason="the snapshot was made by another version of memkit")
    start = manifest or Manifest(paths.key, store.generation(), 0, "")
    n_taken = 0
    while True:
        read = store.read_index(start.covered, PIECE_BYTES)
        is_last = read.end + read.pending < read.start + PIECE_BYTES
        if (len(read.lines) < minimum and is_last) or read.rebuilt or read.generation != start.generation:
            if manifest is None and not n_taken:
                _clear(paths, held)
            reason = "" if n_taken else f"{len(read.lines)} entries are not yet a segment"
            return Absorbed(n_taken, len(start.segments), reason)
        known = _known_ids(paths, start.segments, read.lines)
        lines = [line for line in read.lines if line.id not in known]
        try:
            start = _publish(store, held, start, read, partial(_write, store, start, lines, progress=progress))
        except _ChangedMeanwhileError:
            return Absorbed(n_taken, len(start.segments), "the index was rewritten meanwhile")
        n_taken += len(lines)
        if is_last:
            return Absorbed(n_taken, len(start.segments))


def _publish(
    store: Store,
    held: HeldLock,
    start: Manifest,
    read: IndexRead,
    write: Callable[[list[str]], tuple[tuple[Segment, ...], int]],
) -> Manifest:
    """Write segments of what was read, and the manifest that names them."""
    paths = store.paths
    durable.make_folder(paths.snapshots)
    fresh: list[str] = []
    try:
        segments, live = write(fresh)
        durable.sync_folder(paths.snapshots)
        published = replace(
            start,
            covered=read.end,
            fingerprint=index_fingerprint(paths, read.end),
            live=start.live + live,
            segments=segments,
            damaged=(*start.damaged, *read.damaged),
        )
        with Lock(paths.index_lock, _PUBLISH_WAIT_SECONDS).held("publish the snapshot"):
            if store.generation() != published.generation or not published.fingerprint:
                raise _ChangedMeanwhileError
            durable.replace(paths.manifest, published.to_bytes())
    except BaseException:
        with suppress(StoreError):  # what cannot be removed now is swept next time
            remove(paths, fresh)
        raise
    sweep(paths, held, published)
    return published


def _is_from_a_newer_memkit(paths: StorePaths) -> bool:
    data = look.read_bytes(paths.manifest)
    if data is None:
        return False
    try:
        parse_manifest(data, paths.key)
    except OtherVersion as other:
        return other.is_newer
    except ManifestDamage:
        return False
    return False


def _known_ids(paths: StorePaths, segments: Sequence[Segment], lines: Sequence[IndexLine]) -> set[str]:
    """Ids of these lines that a segment holds already; only segments whose range of ids reaches here are read."""
    ids = {line.id for line in lines}
    if not ids:
        return set()
    lowest, highest = min(ids), max(ids)
    known: set[str] = set()
    for segment in segments:
        if segment.last_id < lowest or segment.first_id > highest:
            continue
        data = read_file(paths, segment.entries)
        if data is not None:
            known |= ids.intersection(decode(data, entry_schema(), ["entry_id"]).column("entry_id").to_pylist())
    return known


def _write(
    store: Store,
    start: Manifest,
    lines: Sequence[IndexLine],
    fresh: list[str],
    *,
    progress: Callable[[int], None] | None,
) -> tuple[tuple[Segment, ...], int]:
    """Write new segments for `lines`, merged with their neighbours; `fresh` collects the names of files made."""
    stack: list[Segment] = list(start.segments)
    doc, live = start.n_docs, 0
    builder = RowBuilder()
    for n, line in enumerate(lines, 1):
        live += add_line(store, builder, doc, line)
        doc += 1
        if builder.n_chars >= CHUNK_CHARS or len(builder) == MAX_SEGMENT_DOCS or n == len(lines):
            _push(store.paths, stack, builder.build(), fresh)
            builder = RowBuilder()
        if progress is not None and (n % _PROGRESS_STEP == 0 or n == len(lines)):
            progress((n - 1) % _PROGRESS_STEP + 1)
    return tuple(stack), live


def add_line(store: Store, builder: RowBuilder, doc: int, line: IndexLine) -> bool:
    """Add the entry of an index line to `builder`; whether it could be read."""
    try:
        entry = store.read_entry(line.id)
    except StoreError as error:
        builder.add_unreadable(doc, line, error)
        return False
    builder.add(doc, entry)
    return True


def _push(paths: StorePaths, stack: list[Segment], rows: Rows, fresh: list[str]) -> None:
    first = stack[-1].end_doc if stack else 0
    end = first + rows.entries.num_rows
    while stack and is_due((stack[-1].n_docs, stack[-1].postings.rows), (end - first, rows.postings.num_rows)):
        first = stack[-1].first_doc
        older = read_rows(paths, stack.pop())
        if older is None:
            raise _ChangedMeanwhileError
        rows = merge_rows(older, rows)
    stack.append(write_segment(paths, rows, fresh, docs=(first, end)))


def sweep(paths: StorePaths, held: HeldLock, manifest: Manifest) -> None:
    """Remove segments the manifest does not name and temporary files; foreign files stay. The snapshot lock is held."""
    if not held.is_held or held.path != paths.snapshot_lock:
        raise RuntimeError("the snapshot lock must be held")
    named = {file.name for file in manifest.files}
    remove(
        paths,
        [
            name
            for name in look.names_in(paths.snapshots)
            if name not in named and (SEGMENT_NAME.fullmatch(name) or name.endswith(durable.TEMP_SUFFIX))
        ],
    )


def _clear(paths: StorePaths, held: HeldLock) -> None:
    """Remove a snapshot that no longer counts: it may hold the text of entries that have left the store."""
    if durable.unlink(paths.manifest):
        durable.sync_folder(paths.snapshots)
    sweep(paths, held, Manifest(paths.key, 0, 0, ""))
