"""A glance at one project's store: what is there, without reading any entry."""

from __future__ import annotations

import os
from collections.abc import Sequence

from memkit import clock
from memkit.display import count
from memkit.errors import StoreError
from memkit.model.index_line import IndexLine
from memkit.model.status import Status
from memkit.store import audit_log, look, records
from memkit.store.paths import StorePaths, path_text, project_key
from memkit.store.store import Store


def status_of(store: Store, *, enabled: bool, enabled_by: str, notes: Sequence[str] = ()) -> Status:
    """Look at a store; never raises for what is wrong with it, but says so in the notes."""
    paths = store.paths
    lines: tuple[IndexLine, ...] = ()
    damaged = 0
    said = list(notes)
    try:
        store.info()
        read = store.read_index()
        lines, damaged = read.lines, len(read.damaged)
        if read.rebuilt:
            said.append("The index is missing; recall still works. `memkit repair --apply` writes it again.")
        if damaged:
            said.append(f"{count(damaged, 'index line')} cannot be read; `memkit verify` lists them.")
    except StoreError as error:
        said.append(f"The store cannot be read: {error}")
    exists, n_bytes, n_records = False, 0, 0
    try:
        exists = store.exists
        n_records = records.n_files(paths)
        n_bytes = _size(paths)
        above = None if lines else _parent_store(paths)
        if above:
            said.append(f"Nothing is stored for this folder, but {above} has a store: give it with --project.")
        event = audit_log.last_event(paths)
        if event:
            what = event.get("op") or event.get("worker") or "?"
            said.append(f"Last event: {what} {event.get('status', '?')} at {event.get('occurred_at', '?')}.")
    except StoreError as error:
        said.append(f"Not everything can be looked at: {error}")
    last = max((line.stored_at_ms for line in lines), default=None)
    return Status(
        project_path=paths.project_path,
        project_key=paths.key,
        enabled=enabled,
        enabled_by=enabled_by,
        root=str(paths.root),
        folder=str(paths.folder),
        exists=exists,
        as_of=store.clock.now(),
        n_entries=len(lines),
        n_records=n_records,
        n_damaged=damaged,
        n_bytes=n_bytes,
        last_stored_at=None if last is None else clock.from_ms(last),
        notes=tuple(said),
    )


def _size(paths: StorePaths) -> int:
    total = 0
    for folder in (paths.folder, paths.results):
        for name in look.names_in(folder):
            info = look.status_of(folder / name)
            if info is not None and name.endswith((".json", ".jsonl")):
                total += info.st_size
    return total


def _parent_store(paths: StorePaths) -> str | None:
    """The nearest folder above the project whose key has entries in this root."""
    above = os.path.dirname(paths.project_path)
    while above and above != os.path.dirname(above):
        if look.names_in(paths.root / project_key(above) / "results"):
            return path_text(above)
        above = os.path.dirname(above)
    return None
