"""The state of one project's memory, as `memkit.open` and `memkit status` tell it."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass
from typing import Any

from memkit import clock
from memkit.display import Displayable, count


@dataclass(frozen=True, slots=True)
class Status(Displayable):
    """Whether memory is on, where it lies, how much it holds.

    Attributes:
        project_path: The project's real path.
        project_key: Its key.
        enabled: Whether memory is on for it.
        enabled_by: What said so: a settings source in words.
        root: The folder of all stores.
        folder: This project's folder in it.
        exists: Whether that folder holds a store.
        n_entries: Entries in the index.
        n_records: Files of records.
        n_damaged: Index lines that could not be read.
        n_bytes: Bytes of all its files.
        last_stored_at: When the newest entry was stored, or None.
        as_of: The moment this was asked.
        notes: One line each about what a person should know.
    """

    project_path: str
    project_key: str
    enabled: bool
    enabled_by: str
    root: str
    folder: str
    exists: bool
    as_of: dt.datetime
    n_entries: int = 0
    n_records: int = 0
    n_damaged: int = 0
    n_bytes: int = 0
    last_stored_at: dt.datetime | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        state = "on" if self.enabled else "off"
        return f"<Status {self.project_path}: memory {state}, {count(self.n_entries, 'entry', 'entries')}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        data = asdict(self)
        data["notes"] = list(self.notes)
        data["as_of"] = clock.iso(self.as_of)
        data["last_stored_at"] = clock.iso(self.last_stored_at) if self.last_stored_at else None
        return data
