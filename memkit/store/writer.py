"""The lock of whoever changes staging, dead letters or records, and the check that it is held."""

from __future__ import annotations

from typing import Final

from memkit.store.lock import HeldLock, Lock
from memkit.store.paths import StorePaths

# Short enough to be called "at once"; longer than somebody holds it who only notes an edit by hand, or asks who has it.
WAIT_SECONDS: Final = 0.2


def canonical_lock(paths: StorePaths, wait_seconds: float = WAIT_SECONDS) -> Lock:
    """The lock itself."""
    return Lock(paths.canonical_lock, wait_seconds)


def require_held(paths: StorePaths, held: HeldLock) -> None:
    """Refuse to go on without the lock."""
    if not held.is_held or held.path != paths.canonical_lock:
        raise RuntimeError("the canonical-writer lock must be held")
