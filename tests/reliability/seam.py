"""A stand-in for the operating system inside `memkit.store.durable` and `memkit.store.look`.

Those two modules are the only ones of the package that change files or look at them, and they look up `os` and `fcntl`
as their own attributes at every call. `installed(hook)` puts a stand-in there; every system call then goes through the
hook, which may let it pass, record it, fail it, shorten it, or end the process.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

from memkit.store import durable, look

CHANGING = frozenset(
    {
        "write",
        "pwrite",
        "fsync",
        "fchmod",
        "chmod",
        "ftruncate",
        "rename",
        "link",
        "symlink",
        "unlink",
        "mkdir",
        "rmdir",
    }
    | {"utime"}
)
LOOKING = frozenset({"open", "close", "fstat", "lstat", "stat", "pread", "listdir", "scandir", "readlink", "flock"})
CALLS = CHANGING | LOOKING

Hook = Callable[[str, Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]


class StandIn:
    """`os` (or `fcntl`) with every system call led through a hook."""

    def __init__(self, real: Any, hook: Hook) -> None:
        self._real, self._hook = real, hook

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._real, name)
        if name not in CALLS:
            return value

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._hook(name, value, args, kwargs)

        return call


@contextmanager
def installed(hook: Hook) -> Iterator[None]:
    """Lead every system call of the floor of files through `hook`."""
    with ExitStack() as stack:  # over whatever stands there now: a plant may have come first
        for module in (durable, look):
            stack.enter_context(mock.patch.object(module, "os", StandIn(module.os, hook)))
        stack.enter_context(mock.patch.object(durable, "fcntl", StandIn(fcntl, hook)))
        yield


class Fault:
    """Fails the k-th call, once or from then on.

    Attributes:
        fired: The names of the calls that were failed.
    """

    def __init__(self, k: int, errno: int, *, for_ever: bool = False, short: bool = False, only: str = "") -> None:
        self.k, self.errno, self.for_ever, self.short, self.only = k, errno, for_ever, short, only
        self.calls = 0
        self.fired: list[str] = []

    def __call__(self, name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self.only and name != self.only:
            return real(*args, **kwargs)
        self.calls += 1
        if self.calls == self.k or (self.for_ever and self.calls > self.k):
            self.fired.append(name)
            if name == "close":
                real(*args, **kwargs)  # Linux closes the descriptor whatever it answers
            if self.short and name == "write":
                descriptor, data = args
                return real(descriptor, bytes(data)[: len(data) // 2])
            raise OSError(self.errno, os.strerror(self.errno))
        return real(*args, **kwargs)


class Count:
    """Counts the calls by name."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.names.append(name)
        return real(*args, **kwargs)
