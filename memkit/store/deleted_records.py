"""`trash/records/`: records that a person deleted, with the reason, and their way back.

A record goes there, bytes and reason, before its file is removed, and comes back before they are: a crash between the
two leaves both. Nothing else deletes from there but the expiry of the trash, erase and wipe.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace

from memkit import clock as clocks
from memkit.errors import ConflictError, RecordNotFoundError, StoreError
from memkit.model import jsontext
from memkit.model.record import SUFFIX, record_hash
from memkit.store import durable, jsonl, look, records, seen_records
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths
from memkit.store.store import Store
from memkit.store.writer import require_held

_FOLDERS = "|".join(records.RECORD_FOLDERS)
_NAME = re.compile(rf"(?P<folder>{_FOLDERS})-(?P<slug>.+)-[0-9a-f]{{12}}{re.escape(SUFFIX)}")


@dataclass(frozen=True, slots=True)
class RemovedRecord:
    """What a deletion did; on disk.

    Attributes:
        path: Of the file that is gone.
        before_hash: SHA-256 of its bytes.
        kept_as: Where its bytes are now, relative to the project's folder in the store.
        reason: Why.
    """

    path: str
    before_hash: str
    kept_as: str
    reason: str


@dataclass(frozen=True, slots=True)
class DeletedRecord:
    """A record in the trash.

    Attributes:
        folder: It came from: `memory` or `knowledge`.
        slug: Its name.
        name: Of its file in the trash.
        deleted_at: When it was deleted, ISO 8601; None where the note beside it cannot be read.
        reason: Why; None likewise.
    """

    folder: str
    slug: str
    name: str
    deleted_at: str | None = None
    reason: str | None = None

    @property
    def path(self) -> str:
        """Where it came from, relative to the project's folder in the store."""
        return f"{self.folder}/{self.slug}{SUFFIX}"

    def to_dict(self) -> dict[str, str | None]:
        """Plain JSON data; what the note does not say is null."""
        return {
            "slug": self.slug,
            "path": self.path,
            "name": self.name,
            "deleted_at": self.deleted_at,
            "reason": self.reason,
        }


def remove(
    store: Store, held: HeldLock, folder: str, slug: str, *, expected_hash: str | None = None, reason: str = ""
) -> RemovedRecord:
    """Move a record, readable or not, to `trash/records/`, durably; `expected_hash` None takes any bytes.

    Raises:
        RecordNotFoundError: there is no such file.
        ConflictError: it has other bytes; nothing was moved.
        StoreError: the disk or a permission stood in the way; the file is still there.
    """
    paths = store.paths
    require_held(paths, held)
    before = records.read(paths, folder, slug)
    if before.data is None or before.sha256 is None:
        raise records.refusal(paths, before)
    if expected_hash is not None:
        records.require_unchanged(paths, before, expected_hash)
    name = f"{folder}-{slug}-{before.sha256[:12]}"
    note = {
        "path": before.path,
        "sha256": before.sha256,
        "deleted_at": clocks.iso(store.clock.now()),
        "reason": reason,
        "actor": store.audit.actor,
    }
    durable.make_folder(paths.deleted_records)
    durable.replace(paths.deleted_records / f"{name}.json", jsontext.dumps(note) + b"\n")
    durable.replace(paths.deleted_records / f"{name}{SUFFIX}", before.data)
    seen_records.intend(paths, held, before.path, None, was=before.sha256)
    durable.unlink(paths.folder / before.path, durable=True)
    kept_as = paths.relative(paths.deleted_records / f"{name}{SUFFIX}")
    return RemovedRecord(before.path, before.sha256, kept_as, reason)


def listed(paths: StorePaths) -> list[DeletedRecord]:
    """What lies in the trash, the last deleted first."""
    found = [_noted(paths, match) for name in look.names_in(paths.deleted_records) if (match := _NAME.fullmatch(name))]
    return sorted(found, key=lambda each: (each.deleted_at or "", each.name), reverse=True)


def _noted(paths: StorePaths, match: re.Match[str]) -> DeletedRecord:
    """What the note beside a deleted record says; the name alone where it cannot be read."""
    bare = DeletedRecord(match["folder"], match["slug"], match[0])
    try:
        note = jsonl.parse_object(look.read_bytes(paths.deleted_records / _note_of(bare.name)) or b"")
    except (StoreError, jsontext.JsonDamage):
        return bare
    with suppress(ValueError):  # a person wrote something else there
        at = clocks.iso(clocks.parse_instant(str(note.get("deleted_at"))))
        bare = replace(bare, deleted_at=at)
    return replace(bare, reason=str(note.get("reason", "")))


def _note_of(name: str) -> str:
    return f"{name.removesuffix(SUFFIX)}.json"


def put_back(store: Store, held: HeldLock, deleted: DeletedRecord) -> records.RecordFile:
    """Put a deleted record back where it was, byte by byte, durably; returns it as it can be read there.

    Where the same bytes are there already, only the trash is tidied: an earlier call was cut off.

    Raises:
        RecordNotFoundError: it is in the trash no more.
        ConflictError: another record of its name is there; nothing was moved.
        StoreError: the disk or a permission stood in the way; the bytes are still in the trash.
    """
    paths = store.paths
    require_held(paths, held)
    kept = paths.deleted_records / deleted.name
    data = look.read_bytes(kept)
    if data is None:
        raise RecordNotFoundError("it is no longer in the trash", file=kept, remedy="See `memkit records list`.")
    there = records.read(paths, deleted.folder, deleted.slug)
    if there.state != "missing" and there.sha256 != record_hash(data):
        raise ConflictError(
            "another record of this name is there",
            file=paths.folder / deleted.path,
            remedy="Rename that one in an editor, or delete it; then restore again.",
            found_hash=there.sha256,
        )
    if there.state == "missing":
        file = paths.folder / deleted.path
        durable.make_folder(file.parent)
        seen_records.intend(paths, held, deleted.path, record_hash(data), was=None)
        durable.replace(file, data)
    durable.unlink(paths.deleted_records / _note_of(deleted.name), durable=True)
    durable.unlink(kept, durable=True)
    return records.read(paths, deleted.folder, deleted.slug)
