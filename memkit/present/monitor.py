"""`Monitor`: the memory workers' line, their newest runs and the newest events; live in a notebook, still elsewhere.

What is seen is made by pure functions from the events at hand. The widget only shows that picture anew; whoever cannot
show widgets (a notebook reopened, a page on the web) shows the picture beside it.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit.display import Displayable, MimeBundle
from memkit.present import render
from memkit.present.audit import reason_words, state_chip
from memkit.present.blocks import Block, Bullets, Column, Grid, Line, Para, Section, Sheet, joined
from memkit.present.event_line import event_line
from memkit.present.live import Live, live_bundle
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.status_line import because, done, status_line
from memkit.present.wording import count

if TYPE_CHECKING:
    import pandas as pd

Look = Callable[[], tuple[Sequence[Mapping[str, Any]], Sequence[str]]]
NOTHING = "MEMORY: no worker has run yet"
BAD = ("failed", "lost")


@dataclass(frozen=True, slots=True)
class SeenRun:
    """One run of a memory worker, as the newest events tell it.

    Attributes:
        run_id: Its id.
        worker: `memory_extract` or `memory_consolidation`.
        status: `completed`, `skipped`, `failed`, `cancelled`, `running` or `lost`.
        occurred_at: When the newest of its events was written, as it stands in the log.
        reason: Why it ended so, a short code.
        because: What left a consolidation without a candidate, a short code; empty where nothing did or is known.
        did: What it did, in words.
    """

    run_id: str
    worker: str
    status: str
    occurred_at: str
    reason: str
    because: str
    did: str


def seen_runs(events: Sequence[Mapping[str, Any]], lost: Collection[str] = ()) -> tuple[SeenRun, ...]:
    """The runs that events tell of, newest first; one without an end is running, or lost."""
    told = [event for event in events if event.get("event") == "worker_lifecycle"]
    newest: dict[str, int] = {}
    for place, event in enumerate(told):
        newest.pop(str(event.get("run_id")), None)
        newest[str(event.get("run_id"))] = place
    return tuple(
        SeenRun(
            run_id=run_id,
            worker=str(event.get("worker") or "?"),
            status=_status(event, run_id in lost),
            occurred_at=_text(event, "occurred_at"),
            reason=_text(event, "reason"),
            because=because(told, place),
            did=done(event),
        )
        for run_id, place in reversed(newest.items())
        for event in (told[place],)
    )


def _status(event: Mapping[str, Any], is_lost: bool) -> str:
    said = _text(event, "status")
    return said if said != "started" else "lost" if is_lost else "running"


def _text(event: Mapping[str, Any], name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""


class Monitor(Live, Displayable):
    """See the module; made by `mem.audit.monitor()`.

    Args:
        look: Gives the newest events, oldest first, and the ids of lost runs.
        rows: Runs and events shown below the line.
    """

    def __init__(self, look: Look, *, rows: int = 8) -> None:
        super().__init__()
        self._look = look
        self.n_rows = rows
        self.events: tuple[Mapping[str, Any], ...] = ()
        self.value: tuple[SeenRun, ...] = ()
        self.line = ""
        self.only_failures = False
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.refresh()

    def __repr__(self) -> str:
        return f"<Monitor: {self.line or NOTHING}>"

    @property
    def runs(self) -> tuple[SeenRun, ...]:
        """The runs that are shown, newest first: all that were seen, or those that failed or got lost."""
        return tuple(run for run in self.value if run.status in BAD or not self.only_failures)

    def refresh(self) -> bool:
        """Look again; whether there is something new to see."""
        events, lost = self._look()
        seen = (tuple(events), status_line(events, lost=lost))
        is_new = seen != (self.events, self.line)
        self.events, self.line = seen
        self.value = seen_runs(events, set(lost))
        if is_new:
            self._show()
        return is_new

    def show(self, *, only_failures: bool) -> None:
        """Show all runs, or only those that failed or got lost."""
        self.only_failures = only_failures
        self._show()

    def to_pandas(self) -> pd.DataFrame:
        """The runs that are shown, one row each."""
        import pandas as pd

        names = SeenRun.__slots__
        return pd.DataFrame([{name: getattr(run, name) for name in names} for run in self.runs], columns=list(names))

    def _build(self) -> Any:
        import ipywidgets as w

        self._parts = parts = {
            "page": w.HTML(),
            "live": w.Checkbox(value=True, description="Live", indent=False),
            "failures": w.Checkbox(value=self.only_failures, description="Only what failed", indent=False),
        }
        parts["live"].observe(lambda change: self.start() if change["new"] else self.stop(), names="value")
        parts["failures"].observe(lambda change: self.show(only_failures=change["new"]), names="value")
        row = w.HBox([parts["live"], parts["failures"]], layout=w.Layout(flex_flow="row wrap"))
        return w.VBox([row, parts["page"]])

    def _show(self) -> None:
        if self._box is not None:
            self._parts["page"].value = render.html(self)
            self._parts["failures"].value = self.only_failures

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
    """The line, how the newest runs ended, the runs, and the newest events below them."""
    most = min(rows, monitor.n_rows)
    body: list[Block] = []
    if monitor.value:
        counted = Counter(run.status for run in monitor.value)
        ends: Line = joined([(state_chip(status), f" {n:,}") for status, n in counted.most_common()], "   ")
        body.append(Para((f"{count(len(monitor.value), 'run')} among the newest events: ", *ends)))
        runs = monitor.runs[:most]
        columns = (
            Column("At", fixed=True), Column("Worker", fixed=True), Column("Ended", fixed=True),
            Column("Why", least=14), Column("Did", least=14),
        )  # fmt: skip
        caption: Line = (f"{len(runs):,} of {count(len(monitor.runs), 'run')}, newest first",)
        if monitor.only_failures:
            caption = (*caption, ": only what failed or got lost")
        body.append(Grid(caption, columns, tuple(map(_run, runs))))
    shown = monitor.events[-most:]
    lines: tuple[Line, ...] = tuple((say(event_line(event), 240, "code"),) for event in reversed(shown))
    listed: Block = Bullets(lines) if lines else Para(("The log is empty.",), "dim")
    body.append(Section(("Newest events",), (listed,)))
    return Sheet((say(monitor.line or NOTHING, 200),), (), tuple(body))


def _run(run: SeenRun) -> tuple[Line, ...]:
    return (
        (say(run.occurred_at[:19].replace("T", " "), 19),),
        (say(run.worker.removeprefix("memory_"), 30),),
        (state_chip(run.status),),
        (say(reason_words(run.reason, run.because) or "–", 200),),
        (say(run.did or "–", 80),),
    )


def monitor_bundle(monitor: Monitor) -> MimeBundle:
    """The widget, kept up to date from here on where it can be shown, and the still picture beside it."""
    bundle = live_bundle(monitor)
    if monitor._parts and monitor._parts["live"].value:  # noqa: SLF001 - its own module
        monitor.start()
    return bundle
