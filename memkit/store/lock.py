"""Locks: flock on files that are never removed.

The kernel's flock is the truth; the note inside a lock file is for people. A holder that dies lets go at once, a live
one is never robbed. Waiting polls with short, growing pauses up to a bound, then says who holds the lock. There is no
fall-back to another kind of lock: a file system without flock is refused.

flock belongs to the open file, so two Memory objects in one process exclude each other as two processes do. A forked
child drops what it inherited at once; no thread is between opening and holding while another one forks.

Order, outermost first: canonical-writer, index, snapshot, firings, audit. A function that needs a lock to be held takes
the `HeldLock` as an argument and never opens it again.
"""

from __future__ import annotations

import enum
import errno
import json
import os
import random
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memkit.errors import LockedError, StoreError, StoreIOError
from memkit.store import durable, look

DEFAULT_WAIT_SECONDS = 10.0
_FIRST_PAUSE = 0.0002
_LONGEST_PAUSE = 0.005
_NOTE_BYTES = 240
_STALE_TRIES = 3
_held: set[HeldLock] = set()
_taking = threading.RLock()


class _Refused(enum.Enum):
    BUSY = enum.auto()
    GONE = enum.auto()


class HeldLock:
    """Proof that a lock is held; released by `Lock.held` or `release`."""

    __slots__ = ("_descriptor", "path", "pid")

    def __init__(self, path: Path, descriptor: int) -> None:
        self.path = path
        self.pid = os.getpid()
        self._descriptor: int | None = descriptor
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

    def write_note(self, note: bytes) -> None:
        """Say in the lock file who holds it; for people only."""
        if self._descriptor is not None:
            durable.overwrite_note(self._descriptor, note)

    def _drop(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            durable.close(descriptor)


@cache
def _mind_forks() -> None:
    os.register_at_fork(before=_taking.acquire, after_in_parent=_taking.release, after_in_child=_drop_in_child)


def _drop_in_child() -> None:
    for lock in list(_held):
        lock._drop()  # noqa: SLF001
    _held.clear()
    _taking.release()


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

    def try_acquire(self, command: str | None, *, create: bool = True) -> HeldLock | None:
        """Take the lock if it is free, else None; with `command` None no note is written.

        A stale handle of a network file system, and a lock file removed meanwhile, are tried again a few times.
        Without `create` nothing on disk is changed, and a missing lock file is not taken.
        """
        for attempt in range(_STALE_TRIES):
            try:
                taken = self._take(create=create)
            except StoreIOError as error:
                if not _is_stale(error) or attempt + 1 == _STALE_TRIES:
                    raise
                continue
            if isinstance(taken, HeldLock):
                if command is not None:
                    taken.write_note(_note(command))
                return taken
            if taken is _Refused.BUSY or not create:
                return None
        return None

    def _take(self, *, create: bool) -> HeldLock | _Refused:
        _mind_forks()
        with _taking:
            descriptor = durable.open_lock(self.path, create=create)
            if descriptor is None:
                return _Refused.GONE
            refused = _Refused.BUSY
            try:
                if durable.try_flock(descriptor, self.path):
                    if look.same_file(descriptor, self.path):
                        return HeldLock(self.path, descriptor)
                    refused = _Refused.GONE
            except BaseException:
                durable.close(descriptor)
                raise
            durable.close(descriptor)
            return refused

    def holder(self) -> dict[str, str]:
        """What the last holder wrote about itself: pid, host, command, since. Information, not truth."""
        try:
            raw = look.read_bytes(self.path, limit=_NOTE_BYTES) or b""
            note = json.loads(raw.strip(b"\0 \n") or b"{}")
        except (StoreError, ValueError, RecursionError):
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


def _is_stale(error: StoreIOError) -> bool:
    return isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.ESTALE


def _note(command: str) -> bytes:
    since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    note = f'{_about(os.getpid())}, "command": {json.dumps(command[:40])}, "since": "{since}"}}'
    return note.encode("ascii", "replace")[:_NOTE_BYTES].ljust(_NOTE_BYTES) + b"\n"


@cache
def _about(pid: int) -> str:
    program = os.path.basename(sys.argv[0] if sys.argv else "")[:40]
    return json.dumps({"pid": pid, "host": socket.gethostname()[:60], "program": program})[:-1]
