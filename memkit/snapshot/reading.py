"""Opening a snapshot: the manifest, and every file compared with it before anything reads them.

A snapshot never stands in the way. One that is missing, from another generation or of another version is passed over;
one whose files are not what the manifest says is passed over too, and said so as a `Problem`. A file can also be gone
because another process has just published a newer manifest and swept: so the manifest is read once more before giving
up.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from memkit.errors import StoreError
from memkit.model.problem import Problem
from memkit.snapshot.manifest import Manifest, ManifestDamage, OtherVersion, SegmentFile, parse_manifest
from memkit.store import index, look
from memkit.store.faults import fault
from memkit.store.paths import StorePaths

REMEDY = "Nothing is lost: rows come from the entries. The next open or refresh makes the snapshot again."
FINGERPRINT_BYTES = 4096
_TRIES = 2


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What can be used of a snapshot.

    Attributes:
        manifest: None where there is nothing to use.
        problems: Why a snapshot that is there cannot be used.
    """

    manifest: Manifest | None = None
    problems: tuple[Problem, ...] = ()


Seen = dict[str, tuple[int, ...]]
"""Files of segments found as they must be, by name, with what tells one state of a file from another."""


def open_snapshot(paths: StorePaths, seen: Seen | None = None) -> Snapshot:
    """Read the manifest and check every file it names against its size and SHA-256.

    Files in `seen` that have not changed since are not read again; those found right are added.
    """
    seen = {} if seen is None else seen
    found = Snapshot()
    for _ in range(_TRIES):
        found = _look(paths, seen)
        if not found.problems:
            break
    return found


def _look(paths: StorePaths, seen: Seen) -> Snapshot:
    try:
        data = look.read_bytes(paths.manifest)
        if data is None:
            return Snapshot()
        manifest = parse_manifest(data, paths.key)
        if manifest.generation != index.generation(paths):
            return Snapshot()
        if manifest.fingerprint != index_fingerprint(paths, manifest.covered):
            return Snapshot()
    except OtherVersion:
        return Snapshot()
    except ManifestDamage as damage:
        return _void("snapshot-manifest-damaged", paths, str(damage))
    except StoreError as error:
        return _void("snapshot-unreadable", paths, error.what)
    problems = tuple(problem for file in manifest.files if (problem := _check(paths, file, seen)) is not None)
    return Snapshot(None, problems) if problems else Snapshot(manifest)


def index_fingerprint(paths: StorePaths, end: int) -> str:
    """What the index holds just before byte `end`: a hash of its last 4 KiB up to there.

    Tells an index that only grew from one that another tool rewrote without raising the generation: after a rewrite
    other bytes stand before `end`, or fewer. "" where the index is gone or shorter, and for `end` 0.
    """
    if end == 0:
        return ""
    start = max(0, end - FINGERPRINT_BYTES)
    try:
        with paths.index.open("rb") as file:
            file.seek(start)
            data = file.read(end - start)
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise fault(error, paths.index, "read") from error
    return hashlib.sha256(data).hexdigest() if len(data) == end - start else ""


def read_file(paths: StorePaths, file: SegmentFile) -> bytes | None:
    """The bytes of one file of a segment if they are what the manifest says, else None."""
    data = look.read_bytes(paths.snapshots / file.name)
    return data if data is not None and file.fits(data) else None


def _check(paths: StorePaths, file: SegmentFile, seen: Seen) -> Problem | None:
    name = f"snapshots/{file.name}"
    try:
        version = look.version_of(paths.snapshots / file.name)
        if version is not None and seen.get(file.name) == version:
            return None
        data = look.read_bytes(paths.snapshots / file.name)
    except StoreError as error:
        return Problem("snapshot-unreadable", name, error.what, REMEDY)
    if data is None:
        return Problem("snapshot-segment-missing", name, "the manifest names it, the file is gone", REMEDY)
    if not file.fits(data):
        return Problem("snapshot-segment-damaged", name, "its bytes are not those the manifest names", REMEDY)
    if version is not None:
        seen[file.name] = version
    return None


def _void(code: str, paths: StorePaths, detail: str) -> Snapshot:
    return Snapshot(None, (Problem(code, paths.relative(paths.manifest), detail, REMEDY),))
