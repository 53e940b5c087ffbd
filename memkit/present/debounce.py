"""Waiting for the last of several quick changes before the work they ask for is done."""

from __future__ import annotations

import threading
from collections.abc import Callable

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

    def soon(self) -> None:
        """Do it after the pause, counted anew from here."""
        self.cancel()
        self._timer = threading.Timer(self._seconds, self._act)
        self._timer.daemon = True
        self._timer.start()

    def now(self) -> None:
        """Do it at once, instead of later."""
        self.cancel()
        self._act()

    def cancel(self) -> None:
        """Do not do what was asked for and has not begun."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
