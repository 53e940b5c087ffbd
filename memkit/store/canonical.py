"""The one lock of whoever changes staging, dead letters or records: one writer at a time, and nobody waits for another.

A lock that is held is an error that names its holder: pid, host, command, since when. A holder that dies lets go at
once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from memkit.store import leftovers, look
from memkit.store.lock import HeldLock, Lock
from memkit.store.paths import StorePaths
from memkit.store.store import Store

# Short enough to be called "at once"; longer than somebody holds it who only notes an edit by hand, or asks who has it.
WAIT_SECONDS: Final = 0.2


def canonical_lock(paths: StorePaths, wait_seconds: float = WAIT_SECONDS) -> Lock:
    """The lock itself."""
    return Lock(paths.canonical_lock, wait_seconds)


@contextmanager
def writing(store: Store, command: str) -> Iterator[HeldLock]:
    """Hold the lock for the block, in a store ready to be written to; a wipe that was cut off is finished.

    Raises:
        LockedError: somebody else writes; the error names them.
        StoreError: the store is not this project's, or cannot be written to.
    """
    store.info()
    store.make_folders()
    with canonical_lock(store.paths).held(command) as held:
        if leftovers.is_wipe_unfinished(store.paths) or not look.exists(store.paths.store_json):
            with store.index_lock.held(command) as index_held:
                leftovers.finish_wipe(store.paths, index_held)
                store.make_folders()
                store.write_store_json()
        yield held


def require_writer(store: Store, held: HeldLock) -> None:
    """Refuse to go on without the lock."""
    require_held(store.paths, held)


def require_held(paths: StorePaths, held: HeldLock) -> None:
    """The same where only the paths are at hand."""
    if not held.is_held or held.path != paths.canonical_lock:
        raise RuntimeError("the canonical-writer lock must be held")
