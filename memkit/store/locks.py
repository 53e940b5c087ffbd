"""Who holds which lock of a store: asked of the operating system, file by file, without waiting.

A free lock is held for an instant to find out; whoever fails fast on a lock waits longer than that. Nothing on disk is
changed. What the lock file says of its holder is shown only while somebody holds it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from memkit import clock
from memkit.display import Displayable
from memkit.store import look
from memkit.store.lock import Lock
from memkit.store.store import Store

_PURPOSES: Final[Mapping[str, str]] = {
    "canonical-writer.lock": "records, staging, dead letters",
    ".memkit.lock": "entries and their index",
    ".snapshot.lock": "the snapshot",
    ".import.lock": "imports",
    ".firings.lock": "firings",
    "audit.lock": "the audit log",
}
_SENTINELS = frozenset({"index.jsonl.lock", ".sentinel.lock"})


@dataclass(frozen=True, slots=True)
class LockState:
    """One lock.

    Attributes:
        file: Its file, relative to the project's folder in the store.
        purpose: What it is for.
        is_held: Whether somebody holds it now.
        holder: What the holder says of itself: pid, host, program, command, since. Empty while it is free, and where
            the holder says nothing.
    """

    file: str
    purpose: str
    is_held: bool
    holder: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LockList(Displayable):
    """All locks of a store.

    Attributes:
        rows: The locks, those of people's writes first.
        as_of: When they were looked at.
    """

    rows: tuple[LockState, ...]
    as_of: dt.datetime

    def __repr__(self) -> str:
        return f"<LockList: {sum(row.is_held for row in self.rows)} of {len(self.rows)} held>"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[LockState]:
        return iter(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"as_of": clock.iso(self.as_of), "locks": [asdict(row) for row in self.rows]}


def look_at_locks(store: Store) -> LockList:
    """Every lock that was ever taken, and who holds it.

    Raises:
        StoreError: a lock file cannot be opened.
    """
    order = list(_PURPOSES)
    files = [
        folder / name
        for folder in (store.paths.folder, store.paths.logs)
        for name in look.names_in(folder)
        if name.endswith(".lock") and name not in _SENTINELS
    ]
    rows = []
    for file in sorted(files, key=lambda f: (order.index(f.name) if f.name in order else len(order), f.name)):
        lock = Lock(file, 0)
        taken = lock.try_acquire(None, create=False)
        holder: Mapping[str, str] = {}
        if taken is None:
            holder = lock.holder()
        else:
            taken.release()
        purpose = _PURPOSES.get(file.name, file.name.removesuffix(".lock").lstrip("."))
        rows.append(LockState(store.paths.relative(file), purpose, taken is None, holder))
    return LockList(tuple(rows), store.clock.now())
