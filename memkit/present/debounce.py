"""Work asked for by a hand that moves: done once it rests, in another thread, without mistaking itself for the hand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType

SECONDS = 0.08


class Debounced:
    """Calls `act` once nobody asked for a moment.

    Args:
        act: What to do; called in a thread of its own, or at once by `now`.
        seconds: How long nobody may ask.
    """

    def __init__(self, act: Callable[[], None], *, seconds: float = SECONDS) -> None:
        self._act = act
        self._seconds = seconds
        self._timer: threading.Timer | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether something was asked for that has not begun."""
        return self._timer is not None

    def soon(self) -> None:
        """Do it after the pause, counted anew from here."""
        self.cancel()
        timer = threading.Timer(self._seconds, self._run)
        timer.daemon = True
        self._timer = timer
        timer.start()

    def now(self) -> None:
        """Do it at once, instead of later."""
        self.cancel()
        self._act()

    def cancel(self) -> None:
        """Do not do what was asked for and has not begun."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _run(self) -> None:
        self._timer = None
        self._act()


class Showing:
    """Which thread sets controls to what is shown: that is no wish of a person; what another sets meanwhile is."""

    def __init__(self) -> None:
        self._threads: list[int] = []

    def __enter__(self) -> None:
        self._threads.append(threading.get_ident())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._threads.remove(threading.get_ident())

    @property
    def is_mine(self) -> bool:
        """Whether this thread sets them."""
        return threading.get_ident() in self._threads
