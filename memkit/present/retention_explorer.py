"""`RetentionExplorer`: other limits tried out, what falls by them, and the plan on the screen carried out in two steps.

Looking is `retention.review`, doing is `retention.apply`; the widgets only ask again and show anew. What is applied is
the very review that is seen: `prepare` checks it and says what it would do, `apply` does it, and both are refused where
the store changed since. The value of the explorer is what is on the screen: `.value`, `.policy`, `.to_pandas()`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.analytics.retention_review import RetentionReceipt, RetentionReview
from memkit.display import Displayable
from memkit.errors import MemkitError, UsageError
from memkit.model.policy import NONE, Limit, RetentionPolicy
from memkit.present import render
from memkit.present.blocks import Block, Fold, Line, Para, Picture, Section, Sheet
from memkit.present.charts.bars import ages_chart
from memkit.present.explorer import Note
from memkit.present.live import Asking
from memkit.present.render import MAX_ROWS
from memkit.present.retention import review_sheet
from memkit.present.safe import say
from memkit.present.wording import count, first_steps, moment, size
from memkit.retention.facade import Retention

if TYPE_CHECKING:
    import pandas as pd

MOST_STOPS = 1_000
# What each control asks for.
_ASKED = {"days": "max_age_days", "number": "max_results", "ahead": "due_within", "enabled": "enabled"}
AHEAD: tuple[tuple[str, float], ...] = (
    ("not at all", 0.0), ("30 days", 30.0), ("90 days", 90.0), ("a year", 365.0),
)  # fmt: skip


class RetentionExplorer(Asking, Displayable):
    """See the module; made by `mem.retention.explore()`.

    Args:
        retention: What is asked.
        policy: What to begin with; the policy of the settings by default.
        due_within: Days to look ahead for what is soon due.
    """

    def __init__(
        self, retention: Retention, policy: RetentionPolicy | None = None, *, due_within: float = 30.0
    ) -> None:
        super().__init__()
        self._retention = retention
        self._ahead = due_within
        self.value: RetentionReview = self._look(policy or retention.policy, due_within)
        self._own_due = self._due_by_settings()
        self.prepared: RetentionReceipt | None = None
        self.receipt: RetentionReceipt | None = None
        self.refusal = ""

    def __repr__(self) -> str:
        return f"<RetentionExplorer: {self.value.n_due:,} of {count(len(self.value), 'entry', 'entries')} due>"

    @property
    def policy(self) -> RetentionPolicy:
        """The policy that is tried."""
        return self.value.policy

    @property
    def own_due(self) -> int:
        """How many entries are due by the policy of the settings."""
        return self._own_due

    def ask(
        self,
        *,
        max_age_days: Limit | None = None,
        max_results: Limit | None = None,
        enabled: bool | None = None,
        due_within: float | None = None,
    ) -> RetentionReview:
        """Try other limits; what they would do. What is left out stays; limits of single panels and tags stay too.

        Args:
            max_age_days: Days an entry is kept, or "none".
            max_results: Entries kept, or "none".
            enabled: Whether anything is forgotten at all.
            due_within: Days to look ahead.

        Raises:
            PolicyError, InvalidInputError: a limit or number that cannot be used.
            StoreError: the store cannot be read.
        """
        now = self.policy
        policy = replace(
            now,
            max_age_days=now.max_age_days if max_age_days is None else max_age_days,
            max_results=now.max_results if max_results is None else max_results,
            enabled=now.enabled if enabled is None else enabled,
        )
        return self._try_out(policy, self._ahead if due_within is None else due_within)

    def reset(self) -> RetentionReview:
        """Back to the policy of the settings."""
        return self._try_out(self._retention.policy, self._ahead)

    def prepare(self) -> RetentionReceipt:
        """The first step: check the plan on the screen and say what it would do; changes no byte.

        Raises:
            StalePlanError: the store, a pin, a hold or the policy changed since it was shown; it is shown anew.
            PolicyError: nothing would be left, or a doubt stands in the way.
        """
        return self._carried_out(dry_run=True)

    def apply(self) -> RetentionReceipt:
        """The second step: do what `prepare` said, all of it or nothing.

        Raises:
            UsageError: this plan was not prepared.
            StalePlanError: the store, a pin, a hold or the policy changed since it was shown; it is shown anew.
            PolicyError, StoreError: as `RetentionReview.apply`; nothing was moved.
        """
        if self.prepared is None:
            raise UsageError("this plan was not looked at", field="apply", remedy="Call prepare() first.")
        return self._carried_out(dry_run=False)

    def cancel(self) -> None:
        """Take the first step back."""
        with self._lock:
            self.prepared = None
            self._show()

    def to_pandas(self) -> pd.DataFrame:
        """What is due, one row per entry, oldest first: id, title, panel, when stored, age, bytes, why."""
        import pandas as pd

        columns = ["entry_id", "title", "panel_id", "stored_at", "age_days", "n_bytes", "verdict", "why"]
        return pd.DataFrame([{name: getattr(row, name) for name in columns} for row in self.value.due], columns=columns)

    def _try_out(self, policy: RetentionPolicy, ahead: float) -> RetentionReview:
        with self._lock:
            self.value = self._look(policy, ahead)
            self._ahead, self.prepared, self.refusal = ahead, None, ""
            self._show()
            return self.value

    def _look(self, policy: RetentionPolicy, ahead: float) -> RetentionReview:
        own = policy == self._retention.policy
        return self._retention.review(None if own else policy, due_within=ahead)

    def _due_by_settings(self) -> int:
        return (self.value if self.value.is_own else self._retention.review()).n_due

    def _carried_out(self, *, dry_run: bool) -> RetentionReceipt:
        with self._lock:
            try:
                receipt = self.value.apply(dry_run=dry_run)
            except MemkitError as error:
                self._look_again()
                self.refusal = str(error)
                self._show()
                raise
            if dry_run:
                self.prepared, self.refusal = receipt, ""
            else:
                self.receipt = receipt
                self._look_again()
            self._show()
            return receipt

    def _look_again(self) -> None:
        self.prepared, self.refusal = None, ""
        self.value = self._look(self.policy, self._ahead)
        self._own_due = self._due_by_settings()

    # -- widgets -------------------------------------------------------------------------------------------------

    def _build(self) -> Any:
        import ipywidgets as w

        wide = w.Layout(width="auto", flex="1 1 24rem", max_width="38rem")
        style, short = {"description_width": "8.5em"}, w.Layout(width="190px")
        days, number = self.stops()
        aheads = list(dict.fromkeys((*AHEAD, (f"{self._ahead:g} days", self._ahead))))
        aheads = aheads if self._ahead not in dict(AHEAD).values() else list(AHEAD)
        self._parts = parts = {
            "days": w.SelectionSlider(options=days, description="Days kept", layout=wide, style=style),
            "number": w.SelectionSlider(options=number, description="Entries kept", layout=wide, style=style),
            # The same as the sliders, for who cannot drag or see them.
            "days_typed": w.Text(description="Days", placeholder="or none", continuous_update=False, layout=short),
            "number_typed": w.Text(description="Entries", placeholder="or none", continuous_update=False, layout=short),
            "ahead": w.Dropdown(options=aheads, value=self._ahead, description="Look ahead", style=style),
            "enabled": w.Checkbox(value=self.policy.enabled, description="Retention is on", indent=False),
            "reset": w.Button(description="As in the settings"),
            "page": w.HTML(),
            "apply": w.Button(description="", button_style="warning", layout=w.Layout(width="max-content")),
            "question": w.HTML(),
            "yes": w.Button(description="", button_style="danger", layout=w.Layout(width="auto")),
            "no": w.Button(description="No, keep them", layout=w.Layout(width="auto")),
            "said": w.HTML(),
        }
        for name in _ASKED:
            parts[name].observe(self._changed, names="value")
        for name in ("days", "number"):
            parts[f"{name}_typed"].observe(self._typed, names="value")
        parts["reset"].on_click(lambda _: self._try(self.reset))
        parts["apply"].on_click(lambda _: self._pressed(self.prepare, "no"))
        parts["yes"].on_click(lambda _: self._pressed(self.apply, "reset"))
        parts["no"].on_click(lambda _: self._pressed(self.cancel, "apply"))
        row = w.Layout(flex_flow="row wrap", align_items="center")
        asked = w.HBox([parts["ahead"], parts["enabled"], parts["reset"]], layout=row)
        # A layout of its own: it is hidden until there is something to agree to.
        self._parts["sure"] = w.HBox([parts["yes"], parts["no"]], layout=w.Layout(flex_flow="row wrap"))
        done = [parts["apply"], parts["question"], parts["sure"], parts["said"]]
        limits = [w.HBox([parts[name], parts[f"{name}_typed"]], layout=row) for name in ("days", "number")]
        return w.VBox([*limits, asked, *done, parts["page"]])

    def stops(self) -> tuple[list[tuple[str, Limit]], list[tuple[str, Limit]]]:
        """What the two sliders can stand at, with their words: days kept, entries kept."""
        now = self.value.as_of
        oldest = clock.age_days(clock.from_ms(self.value.data["stored_ms"][0].as_py()), now) if len(self.value) else 0.0
        named = [self._retention.policy, self.policy]
        most_days = max(math.ceil(oldest) + 1, *(p.max_age_days for p in named if p.max_age_days != NONE), 1)
        days = _stops(most_days, (p.max_age_days for p in named))
        number = _stops(len(self.value), (p.max_results for p in named))
        own = self._retention.policy
        return (
            [(_words(limit, "day", own.max_age_days), limit) for limit in days],
            [(_words(limit, "entry", own.max_results), limit) for limit in number],
        )

    def _changed(self, change: Any) -> None:
        """A slider that is dragged waits for the hand to rest."""
        if not self._shows.is_mine:
            name = next(name for name in _ASKED if self._parts[name] is change["owner"])
            self._wanted[_ASKED[name]] = change["new"]
            self._soon.soon()

    def _typed(self, change: Any) -> None:
        """A limit written out: a number, or none."""
        if self._shows.is_mine:
            return
        name = "max_age_days" if change["owner"] is self._parts["days_typed"] else "max_results"
        said = str(change["new"]).strip().replace(",", "")
        limits: dict[str, Any] = {name: int(said) if said.isascii() and said.isdigit() else said}
        if not self._try(lambda: self.ask(**limits)):
            self._show_limits()

    def _ask_parts(self) -> None:
        wanted, self._wanted = self._wanted, {}
        self._try(lambda: self.ask(**wanted))

    def _try(self, act: Callable[[], object]) -> bool:
        try:
            act()
        except MemkitError as error:
            self._parts["said"].value = render.html(Note(f"Nothing was changed: {error}"))
            return False
        return True

    def _pressed(self, act: Callable[[], object], then: str) -> None:
        """Do what a button says; what is hidden by it must not take the focus along."""
        if self._try(act):
            self._parts[then].focus()

    def _show_limits(self) -> None:
        """The limits that hold, on the sliders and written out."""
        parts = self._parts
        if self._soon.is_waiting:
            return  # somebody moved on; what they want comes next
        with self._shows:
            for name, limit, stops in zip(
                ("days", "number"), (self.policy.max_age_days, self.policy.max_results), self.stops(), strict=True
            ):
                if list(parts[name].options) != stops:
                    parts[name].options = stops
                parts[name].value = limit
                parts[f"{name}_typed"].value = str(limit)
            parts["ahead"].value = self._ahead
            parts["enabled"].value = self.policy.enabled

    def _show(self) -> None:
        if self._box is None:
            return
        parts = self._parts
        self._show_limits()
        parts["page"].value = render.html(_Page(self))
        n, gone = self.value.n_due, len(self.value.expired)
        parts["apply"].description = self._doing("Move", "erase") + "…" if n or gone else "Nothing is due"
        parts["apply"].disabled = not (n or gone)
        sure = self.prepared is not None
        parts["question"].value = render.html(Note(question(self))) if sure else ""
        parts["yes"].description = f"Yes, {self._doing('move', 'erase')}"
        parts["sure"].layout.display = "" if sure else "none"
        if self.refusal:
            parts["said"].value = render.html(Note(f"Nothing was changed: {self.refusal}"))
        else:
            parts["said"].value = "" if self.receipt is None else render.html(self.receipt)

    def _doing(self, moving: str, erasing: str) -> str:
        n, gone = self.value.n_due, len(self.value.expired)
        moved = f"{moving} {n:,} to the trash" if n else ""
        erased = f"{erasing if n else erasing.capitalize() if moving[0].isupper() else erasing} {gone:,} there"
        return " and ".join(part for part in (moved, erased if gone else "") if part)


class _Page:
    """What stands between the sliders and the buttons."""

    def __init__(self, explorer: RetentionExplorer) -> None:
        self.explorer = explorer


def _stops(most: int, also: Iterable[Limit]) -> list[Limit]:
    """0 to `most` in even steps of a round width, what else has to be there, and no limit."""
    width = 1
    while most / width > MOST_STOPS:
        width = {1: 2, 2: 5, 5: 10}[int(str(width)[0])] * 10 ** (len(str(width)) - 1)
    found = {*range(0, most + 1, width), most, *(limit for limit in also if isinstance(limit, int))}
    return [*sorted(found), NONE]


def _words(limit: Limit, noun: str, own: Limit) -> str:
    said = "no limit" if limit == NONE else count(int(limit), noun, "entries" if noun == "entry" else None)
    return f"{said} (set)" if limit == own else said


def question(explorer: RetentionExplorer) -> str:
    """What has to be agreed to before anything happens."""
    would = explorer.prepared
    if would is None:
        return ""
    said = []
    if would.moved:
        until = f" They can be restored at least until {moment(would.restore_until)}." if would.restore_until else ""
        said.append(f"Move {count(len(would.moved), 'entry', 'entries')} to the trash?{until}")
    if would.erased:
        said.append(f"{count(len(would.erased), 'entry', 'entries')} in the trash will be erased for good.")
    return f"{' '.join(said)} {size(would.n_bytes)} in all, exactly what is shown here."


def difference(explorer: RetentionExplorer) -> str:
    """How what is tried differs from the settings."""
    if explorer.value.is_own:
        return "This is the policy of the settings."
    more = explorer.value.n_due - explorer.own_due
    by = "as many due as" if not more else f"{abs(more):,} {'more' if more > 0 else 'fewer'} due than"
    return f"Not the policy of the settings: {by} by that. Applying this does not change the settings."


def explorer_sheet(explorer: RetentionExplorer, rows: int = MAX_ROWS) -> Sheet:
    """What is tried, what falls by it, and what was done."""
    page = page_sheet(_Page(explorer), rows)
    body: list[Block] = []
    if explorer.refusal:
        body.append(Para(("Refused: ", say(explorer.refusal, 600)), "warn"))
    if explorer.prepared is not None:
        body.append(Para((question(explorer),), "warn"))
    if explorer.receipt is not None:
        done = render.sheet_of(explorer.receipt)
        body.append(Section(("Done: ", *done.title), done.body))
    return Sheet(page.title, page.lead, (*body, *page.body))


@render.sheet_of.register
def page_sheet(page: _Page, rows: int = MAX_ROWS) -> Sheet:
    """How old the entries are, and the review with how it differs from that of the settings."""
    review = review_sheet(page.explorer.value, rows)
    steps = () if len(page.explorer.value) else first_steps()
    lead: tuple[Line, ...] = ((difference(page.explorer),), *review.lead, *steps)
    chart = ages_chart(page.explorer.value)
    drawn: tuple[Block, ...] = ()
    if find_spec("vl_convert") is not None and any(chart.datasets.values()):
        table = Fold(("The same as a table",), chart.table)
        drawn = (Picture(chart.words, chart.picture, chart.title), table)
    return Sheet(review.title, lead, (*drawn, *review.body))
