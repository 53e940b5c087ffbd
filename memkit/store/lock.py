"""Locks: flock on files that are never removed.

The kernel's flock is the truth; the note inside a lock file is for people. A holder that dies lets go at once, a live
one is never robbed. Waiting polls with short, growing pauses up to a bound, then says who holds the lock. There is no
fall-back to another kind of lock: a file system without flock is refused.

flock belongs to the open file, so two Memory objects in one process exclude each other like two processes do. A forked
flock belongs to the open file, so two Memory objects in one process exclude each other as two processes do. A forked

Order, outermost first: canonical-writer, index, snapshot, firings, audit. A function that needs a lock to be held takes
the `HeldLock` as an argument and never opens it again.
"""

from __future__ import annotations

import json
import os
import random
import socket
import sys
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memkit.errors import LockedError, StoreIOError
from memkit.store import durable

DEFAULT_WAIT_SECONDS = 10.0
_FIRST_PAUSE = 0.0002
_LONGEST_PAUSE = 0.005
_NOTE_BYTES = 240
_STALE_TRIES = 3
_held: weakref.WeakSet[HeldLock] = weakref.WeakSet()
_fork_hook: list[bool] = []


class HeldLock:
    """Proof that a lock is held; released by `Lock.held` or `release`."""

    __slots__ = ("__weakref__", "_descriptor", "path", "pid")

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.pid = os.getpid()
        self._descriptor: int | None = descriptor
        if not _fork_hook:
            os.register_at_fork(after_in_child=_drop_in_child)
            _fork_hook.append(True)
        _held.add(self)

    @property
    def is_held(self) -> bool:
        """Whether this process still holds it."""
        return self._descriptor is not None and self.pid == os.getpid()

    def release(self) -> None:
        """Let go; calling it twice does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        _held.discard(self)
        if descriptor is not None and self.pid == os.getpid():
            durable.unlock(descriptor)

    def _drop(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with suppress(OSError):
                os.close(descriptor)


def _drop_in_child() -> None:
    for lock in list(_held):
        lock._drop()  # noqa: SLF001
    _held.clear()


@dataclass(frozen=True, slots=True)
class Lock:
    """One lock file.

    Attributes:
        path: The file; its folder must exist.
        wait_seconds: How long to wait for another holder; 0 fails at once.
    """

    path: Path
    wait_seconds: float = DEFAULT_WAIT_SECONDS

    @contextmanager
    def held(self, command: str | None) -> Iterator[HeldLock]:
        """Hold the lock for the block; `command` says in the note what for (None: no note is written).

        Raises:
            LockedError: another holder did not let go in time.
            LocksUnsupportedError: the file system has no flock.
        """
        lock = self.acquire(command)
        try:
            yield lock
        finally:
            lock.release()

    def acquire(self, command: str | None) -> HeldLock:
        """Take the lock and return the proof; the caller releases it."""
        deadline = time.monotonic() + self.wait_seconds
        pause = _FIRST_PAUSE
        while True:
            lock = self.try_acquire(command)
            if lock is not None:
                return lock
            if time.monotonic() >= deadline:
                raise self._refusal()
            time.sleep(pause * (0.5 + random.random()))  # noqa: S311
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    def try_acquire(self, command: str | None) -> HeldLock | None:
        """Take the lock if it is free, else None; with `command` None nothing is written into the file."""
        for attempt in range(_STALE_TRIES):
            descriptor = durable.open_lock(self.path)
            try:
                if not durable.try_flock(descriptor, self.path):
                    os.close(descriptor)
                    return None
                if durable.same_file(descriptor, self.path):
                    if command is not None:
                        durable.overwrite_note(descriptor, _note(command))
                    return HeldLock(self.path, descriptor)
                durable.unlock(descriptor)
            except StoreIOError:
                with suppress(OSError):
                    os.close(descriptor)
                if attempt + 1 == _STALE_TRIES:
                    raise
        return None

    def holder(self) -> dict[str, str]:
        """What the last holder wrote about itself: pid, host, command, since. Information, not truth."""
        raw = durable.read_bytes(self.path) or b""
        try:
            note = json.loads(raw.strip(b"\0 \n") or b"{}")
        except ValueError:
            return {}
        return {str(k): str(v) for k, v in note.items()} if isinstance(note, dict) else {}

    def _refusal(self) -> LockedError:
        holder = self.holder()
        who = ", ".join(f"{k} {v}" for k, v in holder.items()) or "an unknown process"
        return LockedError(
            f"the lock is held by {who}; gave up after {self.wait_seconds:g} s",
            file=self.path,
            remedy="Wait for it to finish, or stop that process; the lock goes with it. Do not delete the file.",
            holder=holder,
        )


def _note(command: str) -> bytes:
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    note = f'{_about(os.getpid())}, "command": {json.dumps(command[:40])}, "since": "{since}"}}'
    return note.encode("ascii", "replace")[:_NOTE_BYTES].ljust(_NOTE_BYTES) + b"\n"


@cache
def _about(pid: int) -> str:
    program = os.path.basename(sys.argv[0] if sys.argv else "")[:40]
    return json.dumps({"pid": pid, "host": socket.gethostname()[:60], "program": program})[:-1]
