"""Taking entries out of a snapshot: segments that hold them are written again, all others stay.

Both locks are held all the while, the snapshot's and the index's. The numbers of the documents that leave stay free, so
no other segment changes. `before` looks at the snapshot as it is; then the index is written anew without the entries'
lines, which makes every older manifest void; `publish` writes the segments and a manifest of the new generation, and
removes the old files. Where anything is not as it should be, the whole snapshot goes: it can be made again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memkit.snapshot import vectors
from memkit.snapshot.absorbing import sweep
from memkit.snapshot.manifest import Manifest, Segment
from memkit.snapshot.reading import index_fingerprint, open_snapshot, read_file
from memkit.snapshot.rows import Rows, entry_schema
from memkit.snapshot.segments import decode, read_rows, write_segment
from memkit.store import durable, index, look
from memkit.store.erasers import Removed
from memkit.store.erasing import drop_snapshot
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Before:
    """A snapshot before the index is written anew.

    Attributes:
        manifest: Its manifest, or None where there is nothing to keep.
        covered: The byte up to which it will cover the new index.
    """

    manifest: Manifest | None = None
    covered: int = 0


def before(paths: StorePaths, without: Callable[[bytes], bytes]) -> Before:
    """Look at the snapshot; `without` gives the bytes of the index's beginning as they will be."""
    manifest = open_snapshot(paths).manifest
    covered = look.read_bytes(paths.index, limit=manifest.covered) if manifest else None
    if manifest is None or covered is None or manifest.damaged:
        return Before()
    return Before(manifest, len(without(covered)))


def planned(paths: StorePaths, ids: Collection[str]) -> list[Removed]:
    """What `publish` would write again; nothing is changed."""
    return [*_planned_segments(paths, ids), *vectors.planned(paths, ids)]


def _planned_segments(paths: StorePaths, ids: Collection[str]) -> list[Removed]:
    manifest = open_snapshot(paths).manifest
    return [
        Removed(f"snapshots/{name}", "segments", "rows", len(there))
        for segment in (manifest.segments if manifest else ())
        if (there := _ids_in(paths, segment, ids))
        for name in (file.name for file in segment.files)
    ]


def publish(paths: StorePaths, was: Before, ids: Collection[str], *, held: HeldLock) -> list[Removed]:
    """Write the snapshot without these entries. The snapshot lock (`held`) and the index lock are held.

    Raises:
        StoreError: the disk stood in the way; nothing of the old snapshot counts any more.
    """
    if not held.is_held or held.path != paths.snapshot_lock:
        raise RuntimeError("the snapshot lock must be held")
    fingerprint = index_fingerprint(paths, was.covered)
    generation = index.generation(paths)
    if was.manifest is None or (was.covered and not fingerprint) or generation < 0:  # nobody knows which index this is
        return list(drop_snapshot(paths))
    segments: list[Segment] = []
    fresh: list[str] = []
    removed = vectors.leave_out(paths, ids)
    gone = 0
    for segment in was.manifest.segments:
        wanted = _within(segment, ids)
        rows = read_rows(paths, segment) if wanted else None
        if wanted and rows is None:
            return list(drop_snapshot(paths))
        held_ids = wanted.intersection(rows.entries.column("entry_id").to_pylist()) if rows else set()
        if rows is None or not held_ids:
            segments.append(segment)
            continue
        left, live = _without(rows, held_ids)
        gone += live
        names = [file.name for file in segment.files]
        removed += [Removed(f"snapshots/{name}", "segments", "rows", len(held_ids)) for name in names]
        if left.entries.num_rows:
            segments.append(write_segment(paths, left, fresh, docs=(segment.first_doc, segment.end_doc)))
    made = replace(
        was.manifest,
        generation=generation,
        covered=was.covered,
        fingerprint=fingerprint,
        live=was.manifest.live - gone,
        segments=_joined(segments),
    )
    durable.make_folder(paths.snapshots)
    durable.sync_folder(paths.snapshots)
    durable.replace(paths.manifest, made.to_bytes())
    sweep(paths, held, made)
    durable.sync_folder(paths.snapshots)
    return removed


def _ids_in(paths: StorePaths, segment: Segment, ids: Collection[str]) -> set[str]:
    wanted = _within(segment, ids)
    data = read_file(paths, segment.entries) if wanted else None
    if data is None:
        return set()
    return wanted.intersection(decode(data, entry_schema(), ["entry_id"]).column("entry_id").to_pylist())


def _within(segment: Segment, ids: Collection[str]) -> set[str]:
    return {each for each in ids if segment.first_id <= each <= segment.last_id}


def _without(rows: Rows, ids: Collection[str]) -> tuple[Rows, int]:
    """The rows without these entries, and how many of those could be read."""
    import pyarrow as pa
    import pyarrow.compute as pc

    leaves = pc.is_in(rows.entries.column("entry_id"), pa.array(sorted(ids), pa.string()))
    leaving = rows.entries.filter(leaves)
    docs = leaving.column("doc").combine_chunks()
    gone = [int(row) for row in pc.indices_nonzero(pc.is_in(rows.postings.column("doc"), docs)).to_numpy()]
    postings = pa.concat_tables(_between(rows.postings, gone))
    return Rows(rows.entries.filter(pc.invert(leaves)), postings), leaving.column("problem").null_count


def _between(table: pa.Table, gone: Sequence[int]) -> list[pa.Table]:
    """The stretches of a table between some of its rows: none of them is copied."""
    starts = [0, *(row + 1 for row in gone)]
    return [table.slice(start, end - start) for start, end in zip(starts, [*gone, table.num_rows], strict=True)]


def _joined(segments: list[Segment]) -> tuple[Segment, ...]:
    """The segments with ranges that join: where one has gone, its neighbour's reaches over the numbers it had."""
    joined: list[Segment] = []
    for segment in segments:
        joined.append(replace(segment, first_doc=joined[-1].end_doc if joined else 0))
    return tuple(joined)
