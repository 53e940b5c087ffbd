"""The one lock of whoever changes staging, dead letters or records: one writer at a time, and nobody waits for another.

A lock that is held is an error that names its holder: pid, host, command, since when. A holder that dies lets go at
once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memkit.store import leftovers, look, pending
from memkit.store.lock import HeldLock
from memkit.store.store import Store
from memkit.store.writer import WAIT_SECONDS as WAIT_SECONDS  # noqa: PLC0414 - under the names callers know
from memkit.store.writer import canonical_lock as canonical_lock  # noqa: PLC0414
from memkit.store.writer import require_held as require_held  # noqa: PLC0414


@contextmanager
def writing(store: Store, command: str) -> Iterator[HeldLock]:
    """Hold the lock for the block, in a store ready to be written to.

    A wipe, or a change of records, that was cut off is finished first.

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
        pending.roll_forward(store, held)
        yield held


def require_writer(store: Store, held: HeldLock) -> None:
    """Refuse to go on without the lock."""
    require_held(store.paths, held)
