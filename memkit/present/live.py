"""What the explorers and the monitor share: one widget made at its first use, and a still page of the same beside it.

Where no widget can be shown (no ipywidgets, a notebook reopened untrusted, an export) the still page stands alone.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from typing import Any

from memkit.display import MimeBundle
from memkit.present import render
from memkit.present.debounce import Debounced, Showing


class Live(ABC):
    """A thin view over functions that need no widget."""

    def __init__(self) -> None:
        self._box: Any = None
        self._parts: dict[str, Any] = {}

    @abstractmethod
    def _build(self) -> Any:
        """Make the controls, keep them in `_parts`, and return the box they lie in."""

    @abstractmethod
    def _show(self) -> None:
        """Set the controls to what is shown; nothing where there are none yet."""

    def widget(self) -> Any:
        """The ipywidgets widget; the same at every call."""
        if self._box is None:
            self._box = self._build()
            self._show()
        return self._box


class Asking(Live):
    """A view whose controls ask again: at once, or once a moving hand rests."""

    def __init__(self) -> None:
        super().__init__()
        self._soon = Debounced(self._ask_parts)
        self._shows = Showing()
        self._lock = threading.RLock()
        self._wanted: dict[str, Any] = {}

    @abstractmethod
    def _ask_parts(self) -> None:
        """Ask for what the controls want by now."""


def live_bundle(view: Live) -> MimeBundle:
    """The widget where it can be shown, and the still page beside it."""
    still = render.bundle(view)
    try:
        live = view.widget()._repr_mimebundle_()
    except ImportError:
        return still
    return {**live, **still}
