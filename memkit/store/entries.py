"""Entries on disk: `results/<id>.json`, one envelope per file, written once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memkit.errors import (
    DamagedError,
    EntryNotFoundError,
    ForeignStoreError,
    InvalidInputError,
    NewerFormatError,
    StoreError,
)
from memkit.model import ids, jsontext
from memkit.model.entry import MAX_ENTRY_BYTES, EntryDamage, NewerEntry, StoredEntry
from memkit.model.index_line import line_for
from memkit.model.upgrades import read_entry as read_envelope
from memkit.store import durable, look
from memkit.store.paths import StorePaths

ENTRY_SUFFIX = ".json"


@dataclass(frozen=True, slots=True)
class Prepared:
    """An entry written under a temporary name, waiting for the index lock."""

    entry: StoredEntry
    temp: Path
    final: Path
    line: bytes


def prepare(paths: StorePaths, entries: Sequence[StoredEntry]) -> list[Prepared]:
    """Write every entry to a fsynced temporary file; all or none.

    Raises:
        InvalidInputError: an envelope larger than `MAX_ENTRY_BYTES`; nothing was written.
    """
    encoded = [(entry, _encode(entry)) for entry in entries]
    for entry, data in encoded:
        if len(data) > MAX_ENTRY_BYTES:
            raise InvalidInputError(
                f"the result takes {len(data):,} bytes, at most {MAX_ENTRY_BYTES:,} are kept ({entry.question[:60]!r})",
                field="result",
                remedy="Store the synthesis and keep the raw transcript elsewhere.",
            )
    lines = [line_for(entry, n_bytes=len(data), sha256=hashlib.sha256(data).hexdigest()) for entry, data in encoded]
    files = [(paths.entry_file(entry.id), data) for entry, data in encoded]
    temps = durable.write_temps(files)
    return [
        Prepared(entry, temp, final, line)
        for (entry, _), temp, (final, _), line in zip(encoded, temps, files, lines, strict=True)
    ]


def _encode(entry: StoredEntry) -> bytes:
    try:
        data = entry.to_bytes()
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"has no form in JSON: {error}",
            field="result",
            remedy="Pass plain data with finite numbers and valid text.",
        ) from error
    if jsontext.has_too_many_values(data):
        raise InvalidInputError(
            f"holds more than {jsontext.MAX_VALUES:,} values",
            field="result",
            remedy="Store the synthesis and keep the raw data elsewhere, or as one text.",
        )
    return data


def all_there(prepared: Sequence[Prepared]) -> bool:
    """Whether every temporary file still exists: a wipe or a sweep may have come before the lock was had."""
    return all(look.exists(item.temp) for item in prepared)


def discard(prepared: Sequence[Prepared]) -> None:
    """Remove the temporary files that were not published; one that cannot be removed is left to `verify`."""
    for item in prepared:
        with suppress(StoreError):
            if look.exists(item.temp):
                durable.unlink(item.temp)


def read_file(paths: StorePaths, entry_id: str) -> bytes | None:
    """The bytes of one entry's file, or None where there is none; of an overlong one as many as show that it is."""
    return look.read_bytes(paths.entry_file(entry_id), limit=MAX_ENTRY_BYTES + 1)


def decode(paths: StorePaths, entry_id: str, data: bytes) -> StoredEntry:
    """Read the bytes of one entry's file.

    Raises:
        NewerFormatError, DamagedError, ForeignStoreError: each naming the file.
    """
    file = paths.entry_file(entry_id)
    if len(data) > MAX_ENTRY_BYTES:
        raise DamagedError(
            f"more than {MAX_ENTRY_BYTES:,} bytes", file=file, remedy="No entry is that long; see what wrote it."
        )
    if not data:
        raise DamagedError(
            "the file is empty", file=file, remedy="Run `memkit repair --apply`; it moves the file aside."
        )
    try:
        envelope = jsontext.loads_object(data)
        jsontext.require_pairs(envelope, data)
        entry = read_envelope(envelope)
    except NewerEntry as newer:
        raise NewerFormatError(str(newer), file=file, remedy="Upgrade memkit to read it.") from newer
    except (jsontext.JsonDamage, EntryDamage) as damage:
        raise DamagedError(
            str(damage), file=file, remedy="Run `memkit repair --apply`; it moves the bytes aside."
        ) from damage
    if entry.id != entry_id:
        raise DamagedError(f"the envelope inside says id {entry.id}", file=file, remedy="Run `memkit verify`.")
    if entry.project_key != paths.key or entry.project_path != paths.project_path:
        raise ForeignStoreError(
            f"belongs to the project {entry.project_path} ({entry.project_key})",
            file=file,
            remedy="Move the file to that project's store; memkit does not read it here.",
        )
    return entry


def read(paths: StorePaths, entry_id: str) -> StoredEntry:
    """One entry by id.

    Raises:
        EntryNotFoundError: there is no such file.
        NewerFormatError, DamagedError, ForeignStoreError, StorePermissionError: it cannot be read as an entry of this
            project; its bytes are kept.
    """
    data = read_file(paths, entry_id)
    if data is None:
        raise EntryNotFoundError(
            f"no entry {entry_id} in this project", file=paths.folder, field="id", remedy="`memkit list` shows ids."
        )
    return decode(paths, entry_id, data)


def is_entry_name(name: str) -> bool:
    """Whether a file of this name is an entry's."""
    return name.endswith(ENTRY_SUFFIX) and ids.is_id(name.removesuffix(ENTRY_SUFFIX))


def ids_on_disk(paths: StorePaths) -> list[str]:
    """Ids that have a file, ascending."""
    return [name.removesuffix(ENTRY_SUFFIX) for name in look.names_in(paths.results) if is_entry_name(name)]
