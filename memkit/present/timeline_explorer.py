"""`TimelineExplorer`: a period chosen by hand, what happened in it, and one decision's card.

What is found is `mem.timeline(...)`; the widgets only ask it again and show anew. The value of the explorer is what is
on the screen: `.value`, `.events`, `.selected`, `.to_pandas()`.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from memkit import clock
from memkit.analytics.timeline import BUCKETS, COUNTED, Timeline, TimelineEvent
from memkit.analytics.tripwire_words import moment as brief
from memkit.display import Displayable
from memkit.errors import InvalidInputError, MemkitError
from memkit.model.moments import Moment, moment_of
from memkit.present import render
from memkit.present.blocks import Block, Bullets, Fold, Line, Para, Picture, Section, Sheet
from memkit.present.charts.series import timeline_chart
from memkit.present.explorer import Note
from memkit.present.history import event_line, said_kinds, stretches_grid
from memkit.present.live import Asking
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import count, first_steps, gap_lines, moment, narrowed

if TYPE_CHECKING:
    import pandas as pd

Look = Callable[[dt.datetime | None, dt.datetime | None, str], Timeline]
KINDS = tuple(COUNTED)
MOST_LISTED = 200
_MOMENT = dt.timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True)
class Period:
    """What is looked at.

    Attributes:
        since: Where it begins; None for the first decision.
        until: Where it ends; None for now.
        bucket: The length of a stretch.
        kinds: Only events of these kinds; empty for all.
    """

    since: dt.datetime | None = None
    until: dt.datetime | None = None
    bucket: str = "month"
    kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if kind not in KINDS:
                raise InvalidInputError(f"{kind!r:.40} is no kind of event", field="kinds", remedy=", ".join(KINDS))


class TimelineExplorer(Asking, Displayable):
    """See the module; made by `mem.timeline.explore()`.

    Args:
        look: Gives the timeline of a period.
        card: What stands behind an event, as any result that shows itself; None where nothing is known of it.
        since: Where to begin.
        until: Where to end.
        bucket: The length of a stretch.
    """

    def __init__(
        self,
        look: Look,
        card: Callable[[TimelineEvent], object | None],
        *,
        since: dt.datetime | None = None,
        until: dt.datetime | None = None,
        bucket: str = "month",
    ) -> None:
        super().__init__()
        self._look = look
        self._card = card
        self.period = Period(since, until, bucket)
        self.value: Timeline = look(since, until, bucket)
        self._events = self.value.events
        self.whole: Timeline = look(None, None, bucket)
        self.selected: TimelineEvent | None = None

    def __repr__(self) -> str:
        return f"<TimelineExplorer: {count(len(self.events), 'event')} in {count(len(self.value), self.value.bucket)}>"

    def ask(
        self,
        *,
        since: Moment | Literal["same"] | None = "same",
        until: Moment | Literal["same"] | None = "same",
        bucket: str | None = None,
        kinds: tuple[str, ...] | None = None,
    ) -> Timeline:
        """Look at another period; what is left out stays.

        Args:
            since: Where it begins: a day or an instant; None for the first decision.
            until: Where it ends; None for now.
            bucket: The length of a stretch: day, week, month, quarter or year.
            kinds: Only events of these kinds, of `KINDS`; () for all.

        Raises:
            InvalidInputError: a value that cannot be used, an end before the beginning, too many stretches.
        """
        with self._lock:
            at = self.whole.until
            period = replace(
                self.period,
                since=self.period.since
                if since == "same"
                else None
                if since is None
                else moment_of(since, at, "since"),
                until=self.period.until
                if until == "same"
                else None
                if until is None
                else moment_of(until, at, "until"),
                bucket=bucket or self.period.bucket,
                kinds=self.period.kinds if kinds is None else tuple(kinds),
            )
            found = self._look(period.since, period.until, period.bucket).only(period.kinds)
            if period.bucket != self.whole.bucket:
                self.whole = self._look(None, None, period.bucket)
            self.period, self.value = period, found
            self._events = found.events
            if self.selected not in self.events:
                self.selected = None
            self._show()
            return found

    @property
    def events(self) -> tuple[TimelineEvent, ...]:
        """What happened in the period, of the kinds that were chosen, oldest first."""
        return self._events

    def select(self, at: int | None) -> object | None:
        """Choose one event by its place in `events`; what stands behind it.

        Raises:
            IndexError: there is no such place.
        """
        with self._lock:
            self.selected = None if at is None else self.events[at]
            self._show()
            return self.card

    @property
    def card(self) -> object | None:
        """What stands behind the chosen event; None where none is chosen."""
        if self.selected is None:
            return None
        gone = Note("What it was about is not in this project's memory any more, or cannot be read.")
        return self._card(self.selected) or gone

    def to_pandas(self) -> pd.DataFrame:
        """The events of the period, one row each."""
        import pandas as pd

        columns = ["at", "kind", "entry_id", "title", "detail", "project_key"]
        return pd.DataFrame(
            [{name: getattr(event, name) for name in columns} for event in self.events], columns=columns
        )

    # -- widgets -------------------------------------------------------------------------------------------------

    def _build(self) -> Any:
        import ipywidgets as w

        wide, short = w.Layout(width="98%", max_width="46rem"), w.Layout(width="220px")
        style = {"description_width": "5em"}
        self._parts = parts = {
            "period": w.SelectionRangeSlider(
                options=self.stops(), description="Period", layout=wide, style=style, continuous_update=True
            ),
            # The same as the slider, for who cannot drag or see it.
            "first": w.Dropdown(options=self.stops(), description="From", layout=short, style=style),
            "last": w.Dropdown(options=self.stops(), description="Up to", layout=short, style=style),
            "bucket": w.Dropdown(options=list(BUCKETS), description="By", layout=short, style=style),
            "kinds": w.Dropdown(options=_kinds(()), description="Events", layout=short, style=style),
            "all": w.Button(description="The whole time"),
            "page": w.HTML(),
            "events": w.Select(options=[], description="Card of", rows=6, layout=wide, style=style),
            # JupyterLab keeps the arrow keys of a list for itself, not those of a number.
            "number": w.BoundedIntText(
                0, min=0, max=0, description="Show no", continuous_update=True, layout=short, style=style
            ),
            "card": w.HTML(),
            "said": w.HTML(),
        }
        for name in ("period", "bucket", "kinds"):
            parts[name].observe(self._changed, names="value")
        parts["all"].on_click(lambda _: self._try(lambda: self.ask(since=None, until=None)))
        for name in ("first", "last"):
            parts[name].observe(self._stepped, names="value")
        parts["events"].observe(self._chosen, names="value")
        parts["number"].observe(self._numbered, names="value")
        asked = [parts[name] for name in ("first", "last", "bucket", "kinds", "all")]
        row = w.HBox(asked, layout=w.Layout(flex_flow="row wrap"))
        seen = [parts[name] for name in ("said", "page", "events", "number", "card")]
        return w.VBox([parts["period"], row, *seen])

    def stops(self) -> list[tuple[str, dt.date]]:
        """What the ends of the slider can stand at: the first days of all stretches, with their names."""
        begins = [row.begins_on for row in self.whole.rows] or [self.whole.until.date()]
        return [(_named(day, self.whole.bucket), day) for day in begins]

    def chosen_stops(self) -> tuple[dt.date, dt.date]:
        """Where the ends of the slider stand."""
        days = [day for _, day in self.stops()]

        def of(instant: dt.datetime | None, default: dt.date) -> dt.date:
            if instant is None:
                return default
            on = instant.astimezone(clock.UTC).date()
            return max((day for day in days if day <= on), default=days[0])

        return of(self.period.since, days[0]), of(self.period.until, days[-1])

    def _changed(self, change: Any) -> None:
        """A hand that drags waits until it rests; a choice does not."""
        if self._shows.is_mine:
            return
        name = next(name for name in ("period", "bucket", "kinds") if self._parts[name] is change["owner"])
        self._wanted[name] = change["new"]
        if name == "period":
            self._soon.soon()
        else:
            self._soon.now()

    def _stepped(self, _: Any) -> None:
        """An end was chosen from the list: the slider follows."""
        if not self._shows.is_mine:
            first, last = sorted((self._parts["first"].value, self._parts["last"].value))
            self._parts["period"].value = (first, last)

    def _ask_parts(self) -> None:
        wanted, self._wanted = self._wanted, {}
        days = [day for _, day in self.stops()]
        period = wanted.pop("period", self.chosen_stops())
        changes: dict[str, Any] = dict(wanted)
        if period != self.chosen_stops() and set(period) <= set(days):
            first, last = (days.index(day) for day in period)
            changes["since"] = _instant(days[first]) if first else None
            changes["until"] = _instant(days[last + 1]) - _MOMENT if last + 1 < len(days) else None
        self._try(lambda: self.ask(**changes))

    def _try(self, act: Callable[[], object]) -> None:
        try:
            act()
        except MemkitError as error:
            self._show()
            self._parts["said"].value = render.html(Note(str(error)))

    def _chosen(self, change: Any) -> None:
        if not self._shows.is_mine and change["new"] is not None:
            self.select(change["new"])

    def _numbered(self, change: Any) -> None:
        places = [place for _, place in self._parts["events"].options]
        if not self._shows.is_mine:
            self.select(places[change["new"] - 1] if 0 < change["new"] <= len(places) else None)

    def _show(self) -> None:
        if self._box is None or self._soon.is_waiting:
            return  # where somebody moved on, what they want comes next
        parts = self._parts
        with self._shows:
            stops = self.stops()
            if list(parts["period"].options) != stops:
                for name in ("period", "first", "last"):
                    parts[name].options = stops
            parts["period"].value = self.chosen_stops()
            parts["first"].value, parts["last"].value = self.chosen_stops()
            parts["period"].disabled = len(stops) < 2
            parts["bucket"].value = self.period.bucket
            parts["kinds"].options = _kinds(self.period.kinds)
            parts["kinds"].value = self.period.kinds
            listed = list(enumerate(self.events))[-MOST_LISTED:][::-1]
            wanted = [(_label(event), place) for place, event in listed]
            if list(parts["events"].options) != wanted:
                parts["events"].options = wanted
            chosen = next((place for place, event in listed if event == self.selected), None)
            parts["events"].value = chosen
            parts["number"].max = len(listed)
            places = [place for place, _ in listed]
            parts["number"].value = 0 if chosen is None else places.index(chosen) + 1
        parts["said"].value = ""
        parts["page"].value = render.html(_Page(self))
        card = self.card
        parts["card"].value = "" if card is None else render.html(card)


class _Page:
    """What stands between the slider and the list of events."""

    def __init__(self, explorer: TimelineExplorer) -> None:
        self.explorer = explorer


def _kinds(chosen: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """What can be chosen: all, each, and the several that were asked for."""
    each = [(kind.replace("-", " "), (kind,)) for kind in KINDS]
    several = [(" or ".join(chosen).replace("-", " "), chosen)] if len(chosen) > 1 else []
    return [("all kinds", ()), *each, *several]


def _instant(day: dt.date) -> dt.datetime:
    return dt.datetime.combine(day, dt.time(), clock.UTC)


def _named(day: dt.date, bucket: str) -> str:
    if bucket == "year":
        return f"{day:%Y}"
    if bucket == "quarter":
        return f"{day:%Y} Q{(day.month + 2) // 3}"
    return f"{day:%Y-%m}" if bucket == "month" else day.isoformat()


def _label(event: TimelineEvent) -> str:
    return f"{brief(event.at)} · {event.kind.replace('-', ' ')} · {say(event.title or event.entry_id, 90).text}"


@render.sheet_of.register
def page_sheet(page: _Page, rows: int = MAX_ROWS) -> Sheet:
    """The period in words, its picture, what happened in it, and the stretches as a table."""
    explorer = page.explorer
    value, events = explorer.value, explorer.events
    if not value.rows:
        nothing = f"This memory knows of no decision up to {moment(value.until)}."
        steps = [*gap_lines(value.gaps), *narrowed(value.asked)] if explorer.whole.rows or value.gaps else first_steps()
        return Sheet(("Timeline: nothing in this period",), ((nothing,), *steps), ())
    begins = value.since or _instant(value.rows[0].begins_on)
    counted = Counter(event.kind for event in events)
    said = ", ".join(f"{counted[kind]:,} {kind.replace('-', ' ')}" for kind in KINDS if counted[kind]) or "nothing"
    lead: list[Line] = [(f"In it: {said}. In force at its end: {value.rows[-1].in_force:,}.",)]
    lead += gap_lines(value.gaps)
    if not value.checked:
        lead.append(("No facts at hand, so nothing is known to have tripped.",))
    if explorer.period.kinds:
        lead.append((f"Only events that are {said_kinds(explorer.period.kinds)}.",))
    grid = stretches_grid(value.rows[-rows:], explorer.period.kinds)
    body: list[Block] = []
    if find_spec("vl_convert") is not None:
        chart = timeline_chart(value)
        body.append(Picture(chart.words, chart.picture, chart.title))
        body.append(Fold(("The same as a table",), (grid,)))
    else:
        body.append(grid)
    shown = events[-rows:]
    heading = f"Events ({len(shown):,} of {len(events):,}, newest last)"
    listed: Block = Bullets(tuple(map(event_line, shown))) if shown else Para(("None of these kinds.",), "dim")
    body.append(Section((heading,), (listed,)))
    return Sheet((f"Timeline: {moment(begins)} to {moment(value.until)}",), tuple(lead), tuple(body))


def explorer_sheet(explorer: TimelineExplorer, rows: int = MAX_ROWS) -> Sheet:
    """The period, and the card that was chosen."""
    page = page_sheet(_Page(explorer), rows)
    card = explorer.card
    chosen = () if card is None else (Section(("Chosen",), render.sheet_of(card).body),)
    return Sheet(page.title, page.lead, (*page.body, *chosen))
