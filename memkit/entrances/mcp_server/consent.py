"""The door to one project's memory: consent is asked again at every knock, and settings that changed are read anew."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memkit import opening
from memkit.settings import Environment, Settings

if TYPE_CHECKING:
    from memkit.memory import Memory

ACTOR = "mcp"


@dataclass(slots=True)
class _Opened:
    """A memory in use; it is closed by whoever lets go of it last."""

    memory: Memory
    settings: Settings
    n_users: int = 0
    is_stale: bool = False


@dataclass(slots=True)
class Door:
    """Where a server gets its memory from.

    Attributes:
        project: The project's folder.
        root: The store's root, or None for the one in the settings.
        environment: The surroundings; read anew from the process at each knock where None.
    """

    project: str
    root: str | None = None
    environment: Environment | None = None
    _opened: _Opened | None = None
    _n_calls: int = 0
    _lock: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def memory(self) -> Iterator[Memory]:
        """The project's memory, fresh to the last store of any process, for the length of one call.

        Raises:
            NotEnabledError: memory is off for this project now.
            MemkitError: the project, its settings or its store cannot be opened.
        """
        with self._lock:
            opened = self._current()
            opened.n_users += 1
            self._n_calls += 1
        try:
            yield opened.memory
        finally:
            with self._lock:
                opened.n_users -= 1
                self._close_if_left(opened)
                self._n_calls -= 1
                self._lock.notify_all()

    def close(self, *, wait_seconds: float = 0.0) -> None:
        """Let go; a memory still in use is closed by its last user, for whom this waits so long at most."""
        with self._lock:
            self._retire()
            self._lock.wait_for(lambda: self._n_calls == 0, wait_seconds)

    def _current(self) -> _Opened:
        loaded = opening.settings_of(self.project, root=self.root, environment=self.environment)
        if self._opened is not None and self._opened.settings != loaded.settings:
            self._retire()
        if self._opened is None:
            memory = opening.open_memory(self.project, root=self.root, actor=ACTOR, environment=self.environment)
            self._opened = _Opened(memory, loaded.settings)
        else:
            self._opened.memory.refresh()
        return self._opened

    def _retire(self) -> None:
        opened, self._opened = self._opened, None
        if opened is not None:
            opened.is_stale = True
            self._close_if_left(opened)

    def _close_if_left(self, opened: _Opened) -> None:
        if opened.is_stale and not opened.n_users:
            opened.memory.close()
