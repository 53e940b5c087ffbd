"""A glance at one project's store: what is there, without reading any entry."""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import asdict, dataclass
from typing import Any

from memkit import clock
from memkit.display import Displayable
from memkit.errors import StoreError
from memkit.model.problem import Problem
from memkit.store import audit_log, durable
from memkit.store.paths import StorePaths, path_text, project_key
from memkit.store.store import Store


@dataclass(frozen=True, slots=True)
class Status(Displayable):
    """What `memkit status` says.

    Attributes:
        enabled: Whether memory is on for this project.
        enabled_by: The source that says so.
        root: Folder of all projects' stores.
        project_path: The project's real path.
        project_key: Its key.
        folder: Its folder in the root.
        exists: Whether there is one.
        n_entries: Lines in the index.
        n_damaged: Lines that cannot be read.
        n_bytes: Size of the entries and the index.
        last_stored_at: When the newest entry was stored.
        last_event: The newest line of the audit log, shortened to op, status and time.
        snapshot_covers: Entries covered by the Parquet snapshot; -1 where there is none.
        parent_store: The nearest folder above that has a store, when this one has none.
        trouble: Why the store cannot be read, if it cannot.
        as_of: When this was asked.
    """

    enabled: bool
    enabled_by: str
    root: str
    project_path: str
    project_key: str
    folder: str
    exists: bool
    n_entries: int
    n_damaged: int
    n_bytes: int
    last_stored_at: dt.datetime | None
    last_event: str
    snapshot_covers: int
    parent_store: str | None
    trouble: str
    as_of: dt.datetime

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; times in ISO 8601."""
        data = asdict(self)
        data["last_stored_at"] = clock.iso(self.last_stored_at) if self.last_stored_at else None
        data["as_of"] = clock.iso(self.as_of)
        return data


def status_of(store: Store, *, enabled: bool, enabled_by: str, snapshot_covers: int) -> Status:
    """Look at a store; never raises for what is wrong with it, but says so in `trouble`."""
    paths = store.paths
    trouble, lines, damaged = "", (), 0
    try:
        store.info()
        read = store.read_index()
        lines, damaged = read.lines, len(read.damaged)
    except StoreError as error:
        trouble = str(error)
    last = max((line.stored_at_ms for line in lines), default=None)
    return Status(
        enabled=enabled,
        enabled_by=enabled_by,
        root=str(paths.root),
        project_path=paths.project_path,
        project_key=paths.key,
        folder=str(paths.folder),
        exists=store.exists,
        n_entries=len(lines),
        n_damaged=damaged,
        n_bytes=_size(paths),
        last_stored_at=None if last is None else clock.from_ms(last),
        last_event=_last_event(paths),
        snapshot_covers=snapshot_covers,
        parent_store=None if lines else _parent_store(paths),
        trouble=trouble,
        as_of=store.clock.now(),
    )


def _size(paths: StorePaths) -> int:
    total = 0
    for folder in (paths.folder, paths.results):
        for name in durable.names_in(folder):
            info = os.lstat(folder / name)
            total += info.st_size if name.endswith((".json", ".jsonl")) else 0
    return total


def _last_event(paths: StorePaths) -> str:
    for day in reversed(audit_log.days(paths)):
        events = [e for e in audit_log.day_events(paths, day) if not isinstance(e, Problem)]
        if events:
            last = events[-1]
            return f"{last.get('op', '?')} {last.get('status', '?')} at {last.get('occurred_at', '?')}"
    return ""


def _parent_store(paths: StorePaths) -> str | None:
    """The nearest folder above the project whose key has entries in this root."""
    above = os.path.dirname(paths.project_path)
    while above and above != os.path.dirname(above):
        if durable.names_in(paths.root / project_key(above) / "results"):
            return path_text(above)
        above = os.path.dirname(above)
    return None
