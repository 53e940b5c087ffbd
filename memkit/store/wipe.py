"""Erasing a project: everything in its folder but the locks, all or nothing.

The index goes first, then the entries' folder is renamed away: a crash before the rename leaves every entry (an index
can be made again), one after it leaves none. What was renamed away is removed at last; `verify` names it if that was
cut off, and wiping again finishes it. One line remains in a fresh log: that the project was wiped, when, and how much.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memkit.display import Displayable
from memkit.errors import ConfirmationError
from memkit.model.event import Event
from memkit.store import durable, entries, index
from memkit.store.store import Store

WIPED_PREFIX = ".wiped-"


@dataclass(frozen=True, slots=True)
class WipeReceipt(Displayable):
    """What was erased.

    Attributes:
        project_key: Of the project.
        n_entries: Entries that are gone.
        n_files: Files that are gone.
        n_bytes: Their bytes.
    """

    project_key: str
    n_entries: int
    n_files: int
    n_bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return asdict(self)


def wipe(store: Store, *, confirm: str) -> WipeReceipt:
    """Erase the project's store; `confirm` is its key or the name of the project's folder.

    Raises:
        ConfirmationError: `confirm` is something else; nothing was removed.
    """
    paths = store.paths
    names = {paths.key, os.path.basename(paths.project_path)}
    if confirm not in names:
        raise ConfirmationError(
            f"wiping needs the project's key or folder name, got {confirm!r:.80}",
            file=paths.folder,
            field="confirm",
            remedy=f"Pass {paths.key!r} to erase everything stored for {paths.project_path}.",
        )
    if not store.exists:
        return WipeReceipt(paths.key, 0, 0, 0)
    store.info()
    n_entries = len(entries.ids_on_disk(paths)[0])
    with store.index_lock.held("wipe") as held:
        n_files, n_bytes = _measure(paths.folder)
        index.raise_generation(paths, held)
        durable.unlink(paths.index, durable=True)
        gone = paths.folder / f"{WIPED_PREFIX}{paths.key}"
        durable.remove_tree(gone)
        if os.path.lexists(paths.results):
            durable.move(paths.results, gone)
        for name in durable.names_in(paths.folder):
            if not name.endswith(".lock") and name != paths.logs.name:
                durable.remove_tree(paths.folder / name)
        for name in durable.names_in(paths.logs):
            if name != paths.audit_lock.name:
                durable.remove_tree(paths.logs / name)
        durable.sync_folder(paths.folder)
    detail = {"n_entries": n_entries, "n_files": n_files, "n_bytes": n_bytes}
    store.audit.record(Event("entry_operation", "wipe", detail=detail))
    return WipeReceipt(paths.key, n_entries, n_files, n_bytes)


def _measure(folder: Path) -> tuple[int, int]:
    sizes = [
        os.lstat(os.path.join(base, name)).st_size
        for base, _, files in os.walk(folder)
        for name in files
        if not name.endswith(".lock")
    ]
    return len(sizes), sum(sizes)
