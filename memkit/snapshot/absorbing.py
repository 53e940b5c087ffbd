"""Turning the tail into a segment.

The snapshot lock is only ever tried, never waited for: one process absorbs, the others go on with their tails. The
index lock is taken at the very end, for as long as replacing the manifest takes. It comes after the snapshot lock here,
against the common order; because neither holder of the index lock waits for the snapshot lock, no circle can form.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from memkit.errors import StoreError
from memkit.model.index_line import IndexLine
from memkit.snapshot.manifest import SEGMENT_NAME, Manifest, ManifestDamage, OtherVersion, Segment, parse_manifest
from memkit.snapshot.reading import index_fingerprint, open_snapshot, read_file
from memkit.snapshot.rows import RowBuilder, Rows, entry_schema
from memkit.snapshot.segments import decode, is_due, merge_rows, read_rows, remove, write_segment
from memkit.store import durable, look
from memkit.store.lock import HeldLock, Lock
from memkit.store.paths import StorePaths
from memkit.store.store import Store

MINIMUM = 256
CHUNK = 16_384
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


def absorb(store: Store, *, minimum: int = MINIMUM) -> Absorbed:
    """Make a segment of the tail if it has `minimum` entries or more; never waits, never stands in the way.

    Args:
        store: The store.
        minimum: Entries the tail must have.

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
            return _absorb(store, held, minimum)
        finally:
            held.release()
    except StoreError as error:
        return Absorbed(reason=str(error))


def _absorb(store: Store, held: HeldLock, minimum: int) -> Absorbed:
    paths = store.paths
    opened = open_snapshot(paths, store.segments_seen)
    manifest = opened.manifest
    if manifest is None and _is_from_a_newer_memkit(paths):
        return Absorbed(reason="the snapshot was made by another version of memkit")
    start = manifest or Manifest(paths.key, store.generation(), 0, "")
    read = store.read_index(start.covered)
    lines = read.lines
    if len(lines) < minimum or read.rebuilt or read.generation != start.generation:
        if manifest is None:
            _clear(paths, held)
        return Absorbed(segments=len(start.segments), reason=f"{len(lines)} entries are not yet a segment")
    known = _known_ids(paths, start.segments, lines)
    lines = tuple(line for line in lines if line.id not in known)
    durable.make_folder(paths.snapshots)
    fresh: list[str] = []
    try:
        segments, live = _write(store, start, lines, fresh)
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
    except BaseException as error:
        with suppress(StoreError):  # what cannot be removed now is swept next time
            remove(paths, fresh)
        if isinstance(error, _ChangedMeanwhileError):
            return Absorbed(segments=len(start.segments), reason="the index was rewritten meanwhile")
        raise
    sweep(paths, held, published)
    return Absorbed(len(lines), len(published.segments))


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
    store: Store, start: Manifest, lines: Sequence[IndexLine], fresh: list[str]
) -> tuple[tuple[Segment, ...], int]:
    """Write new segments for `lines`, merged with their neighbours; `fresh` collects the names of files made."""
    stack: list[Segment] = list(start.segments)
    doc, live = start.n_docs, 0
    for at in range(0, len(lines), CHUNK):
        builder = RowBuilder()
        for line in lines[at : at + CHUNK]:
            live += add_line(store, builder, doc, line)
            doc += 1
        _push(store.paths, stack, builder.build(), fresh)
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
    while stack and is_due(stack[-1].n_docs, end - first):
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
