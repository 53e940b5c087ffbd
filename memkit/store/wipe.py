"""Erasing a project: everything in its folder but the locks, all or nothing.

The index goes first, then the entries' folder is renamed away: a crash before the rename leaves every entry (an index
can be made again), one after it leaves none, and the next writer carries the wipe to its end. One line remains in a
fresh log: that the project was wiped, when, and how much.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from memkit.display import Displayable
from memkit.errors import ConfirmationError, DamagedError, HeldError
from memkit.model.event import Event
from memkit.store import durable, entries, index, leftovers, look, marks
from memkit.store.kinds import kind_of
from memkit.store.paths import StorePaths, path_text
from memkit.store.store import Store


@dataclass(frozen=True, slots=True)
class WipeReceipt(Displayable):
    """What was erased.

    Attributes:
        project_key: Of the project.
        n_entries: Entries that are gone.
        n_files: Files that are gone.
        n_bytes: Their bytes.
        left: Files that are still there and are neither a lock, nor the index's generation, nor the log that says so.
    """

    project_key: str
    n_entries: int
    n_files: int
    n_bytes: int
    left: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether nothing but locks, a number and one log line is left."""
        return not self.left

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {**asdict(self), "left": list(self.left), "is_clean": self.is_clean}


def wipe(store: Store, *, confirm: str) -> WipeReceipt:
    """Erase the project's store; `confirm` is its key or the name of the project's folder.

    Raises:
        ConfirmationError: `confirm` is something else; nothing was removed.
        HeldError: a legal hold stands on an entry; nothing was removed.
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
    standing, _ = marks.current(paths, "hold")
    if standing:
        raise HeldError(
            f"{len(standing):,} {'entry is' if len(standing) == 1 else 'entries are'} under legal hold",
            file=paths.holds,
            remedy="Whoever set the holds has to take them off first: memkit release ID.",
        )
    if not store.exists:
        return WipeReceipt(paths.key, 0, 0, 0)
    with suppress(DamagedError):  # whose store it is, its folder's name and `confirm` say as well
        store.info()
    with store.index_lock.held("wipe") as held:
        leftovers.finish_wipe(paths, held)
        n_entries = len(entries.ids_on_disk(paths))
        n_files, n_bytes = _measure(paths)
        index.remove(paths, held)
        durable.make_folder(paths.results)
        durable.move(paths.results, paths.wiped)
        leftovers.finish_wipe(paths, held)
        left = tuple(_left(paths))
    detail = {"n_entries": n_entries, "n_files": n_files, "n_bytes": n_bytes}
    store.audit.record(Event("entry_operation", "wipe", detail=detail))
    return WipeReceipt(paths.key, n_entries, n_files, n_bytes, left)


def _left(paths: StorePaths) -> Iterator[str]:
    """Files a wipe should have taken; the index lock is held, so that nobody has stored anything since."""
    for path, info in look.tree(paths.folder):
        if stat.S_ISDIR(info.st_mode) or leftovers.is_temp(path) or path == paths.generation:
            continue
        kind = kind_of(paths.relative(path))
        if kind is None or (kind.role != "lock" and path.parent != paths.logs):
            yield path_text(paths.relative(path))


def _measure(paths: StorePaths) -> tuple[int, int]:
    sizes = [
        info.st_size
        for path, info in look.tree(paths.folder)
        if not stat.S_ISDIR(info.st_mode) and not path.name.endswith(".lock") and path != paths.generation
    ]
    return len(sizes), sum(sizes)
