"""`quarantine/`: damaged bytes moved aside, each with a note that says where they stood and why they were moved.

A spot is two files: `<name>.bin` holds the bytes exactly, `<name>.json` the note. The bytes are on disk before anything
is removed from where they stood.
"""

from __future__ import annotations

import datetime as dt
import secrets
from dataclasses import asdict, dataclass
from typing import Any

from memkit import clock
from memkit.model import jsontext
from memkit.store import durable, jsonl, look
from memkit.store.paths import StorePaths

NOTE_MISSING = "it has no note"


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One spot of damaged bytes.

    Attributes:
        name: Of its two files, without ending.
        file: Where it stood, relative to the project's folder in the store.
        start: First byte there.
        end: One past the last byte there.
        reason: Why it could not be read.
        moved_at: When it was moved, ISO 8601.
        n_bytes: Its length.
    """

    name: str
    file: str
    start: int
    end: int
    reason: str
    moved_at: str
    n_bytes: int

    def to_dict(self) -> dict[str, Any]:
        """The note's JSON object."""
        return asdict(self)


def put(paths: StorePaths, data: bytes, *, file: str, start: int, reason: str, moved_at: dt.datetime) -> Quarantined:
    """Keep `data`, which stood in `file` from byte `start`, durably."""
    durable.make_folder(paths.quarantine)
    name = f"{moved_at.strftime('%Y%m%dt%H%M%S')}-{secrets.token_hex(6)}"
    spot = Quarantined(name, file, start, start + len(data), reason, clock.iso(moved_at), len(data))
    durable.replace(paths.quarantine / f"{name}.bin", data)
    durable.replace(paths.quarantine / f"{name}.json", jsontext.dumps(spot.to_dict()) + b"\n")
    return spot


def spots(paths: StorePaths) -> list[Quarantined]:
    """What is in quarantine, oldest first; bytes without a readable note are listed with what is known."""
    names = look.names_in(paths.quarantine)
    return [_spot(paths, n) for n in sorted({n.rpartition(".")[0] for n in names if n.endswith((".bin", ".json"))})]


def add_missing_note(paths: StorePaths, name: str, *, moved_at: dt.datetime) -> None:
    """Give bytes whose note was never written (a crash fell between) a note that says so."""
    size = _size(paths, name)
    spot = Quarantined(name, "", 0, size, "kept by a repair that was cut off", clock.iso(moved_at), size)
    durable.replace(paths.quarantine / f"{name}.json", jsontext.dumps(spot.to_dict()) + b"\n")


def _spot(paths: StorePaths, name: str) -> Quarantined:
    raw = look.read_bytes(paths.quarantine / f"{name}.json", limit=jsonl.MAX_LINE_BYTES)
    if raw is None:
        return Quarantined(name, "", -1, -1, NOTE_MISSING, "", _size(paths, name))
    try:
        note = jsontext.loads_object(raw)
        return Quarantined(
            name=name,
            file=str(note["file"]),
            start=int(note["start"]),
            end=int(note["end"]),
            reason=str(note["reason"]),
            moved_at=str(note["moved_at"]),
            n_bytes=int(note["n_bytes"]),
        )
    except (jsontext.JsonDamage, KeyError, TypeError, ValueError) as damage:
        return Quarantined(name, "", -1, -1, f"its note cannot be read: {damage}", "", _size(paths, name))


def _size(paths: StorePaths, name: str) -> int:
    info = look.status_of(paths.quarantine / f"{name}.bin")
    return 0 if info is None else info.st_size
