"""`Monitor`: the memory workers' line and the newest events, live in a notebook, a still picture everywhere else.

What is seen is made by pure functions from the events at hand. The widget only shows that picture anew; whoever cannot
show widgets (a notebook reopened, a page on the web) shows the picture beside it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memkit.display import Displayable, MimeBundle
from memkit.present import render
from memkit.present.blocks import Block, Bullets, Line, Para, Sheet
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.status_line import event_line, status_line

Look = Callable[[], tuple[Sequence[Mapping[str, Any]], Sequence[str]]]
NOTHING = "MEMORY: no worker has run yet"


class Monitor(Displayable):
    """See the module; made by `mem.audit.monitor()`.

    Args:
        look: Gives the newest events, oldest first, and the ids of lost runs.
        rows: Events shown below the line.
    """

    def __init__(self, look: Look, *, rows: int = 8) -> None:
        self._look = look
        self.n_rows = rows
        self.events: tuple[Mapping[str, Any], ...] = ()
        self.line = ""
        self._widget: Any = None
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.refresh()

    def __repr__(self) -> str:
        return f"<Monitor: {self.line or NOTHING}>"

    def refresh(self) -> bool:
        """Look again; whether there is something new to see."""
        events, lost = self._look()
        seen = (tuple(events), status_line(events, lost=lost))
        is_new = seen != (self.events, self.line)
        self.events, self.line = seen
        if is_new and self._widget is not None:
            self._widget.value = render.html(self)
        return is_new

    def widget(self) -> Any:
        """The ipywidgets widget; the same at every call."""
        if self._widget is None:
            import ipywidgets

            self._widget = ipywidgets.HTML(value=render.html(self), description="")
        return self._widget

    def start(self, seconds: float = 1.0) -> None:
        """Keep the widget up to date in the background until `stop`."""
        if self._thread is None or not self._thread.is_alive():
            self._stop.clear()
            self._thread = threading.Thread(target=self._watch, args=(seconds,), name="memkit-monitor", daemon=True)
            self._thread.start()

    def _watch(self, seconds: float) -> None:
        while not self._stop.wait(seconds):
            self.refresh()

    def stop(self) -> None:
        """End what `start` began."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None


def monitor_sheet(monitor: Monitor, rows: int = MAX_ROWS) -> Sheet:
    """The line, and the newest events below it."""
    shown = monitor.events[-min(rows, monitor.n_rows) :]
    lines: tuple[Line, ...] = tuple((say(event_line(event), 240, "code"),) for event in reversed(shown))
    body: tuple[Block, ...] = (Bullets(lines),) if lines else (Para(("The log is empty.",), "dim"),)
    return Sheet((say(monitor.line or NOTHING, 200),), (), body)


def monitor_bundle(monitor: Monitor) -> MimeBundle:
    """The widget where one can be shown, and the still picture beside it."""
    still = render.bundle(monitor)
    try:
        live = monitor.widget()._repr_mimebundle_()
    except ImportError:
        return still
    monitor.start()
    return {**live, **still}
