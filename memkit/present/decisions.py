"""What is seen of decisions: an overview as a table, each decision as a card."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Protocol

from memkit import clock
from memkit.model.tripwire import Tripwire
from memkit.present.blocks import (
    Block,
    Card,
    Chip,
    Column,
    Fact,
    Facts,
    Fold,
    Grid,
    Inline,
    Line,
    Section,
    Sheet,
    joined,
)
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import (
    count,
    fact,
    first_steps,
    gap_lines,
    ids,
    moment,
    n_tripped,
    narrowed,
    origin,
    scores,
    status_chip,
    tripwires,
    unwrapped,
)

MOST_AS_CARDS = 3


class Row(Protocol):
    """One row of the view `decisions`."""

    @property
    def entry_id(self) -> str: ...  # noqa: D102
    @property
    def source_path(self) -> str | None: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def question(self) -> str: ...  # noqa: D102
    @property
    def conclusion(self) -> str | None: ...  # noqa: D102
    @property
    def status(self) -> str: ...  # noqa: D102
    @property
    def raw_status(self) -> str | None: ...  # noqa: D102
    @property
    def decided_on(self) -> dt.date | None: ...  # noqa: D102
    @property
    def stored_at(self) -> dt.datetime: ...  # noqa: D102
    @property
    def age_days(self) -> float: ...  # noqa: D102
    @property
    def supersedes(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def superseded_by(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def amends(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def read_when(self) -> str | None: ...  # noqa: D102
    @property
    def tripwires(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def judged(self) -> Sequence[Tripwire]: ...  # noqa: D102
    @property
    def panel_id(self) -> str: ...  # noqa: D102
    @property
    def final_score(self) -> float | None: ...  # noqa: D102
    @property
    def judge_confidence(self) -> float | None: ...  # noqa: D102


class Answer(Protocol):
    """All decisions, and the moment ages are counted to."""

    @property
    def rows(self) -> Sequence[Row]:
        """One per decision."""
        ...

    @property
    def as_of(self) -> dt.datetime:
        """Now, for this answer."""
        ...

    @property
    def gaps(self) -> Sequence[str]:
        """What cannot be read."""
        ...

    @property
    def asked(self) -> Mapping[str, object]:
        """The filters asked with."""
        ...


def decisions_sheet(decisions: Answer, rows: int = MAX_ROWS) -> Sheet:
    """A few decisions as cards; more as a table with a card behind each."""
    total = len(decisions.rows)
    shown = decisions.rows[:rows]
    gaps, asked = gap_lines(decisions.gaps), narrowed(decisions.asked)
    if not total and (gaps or asked):
        return Sheet(("No decisions",), (*gaps, *asked), ())
    if not total:
        lead: Line = ("Nothing stored is a decision yet. Decisions come from decision panels and imported records.",)
        return Sheet(("No decisions",), (lead, *first_steps()), ())
    lead = (f"Ages counted to {moment(decisions.as_of)}.",)
    if total <= MOST_AS_CARDS:
        cards = tuple(decision_card(row) for row in shown)
        return Sheet((count(total, "decision").capitalize(),), (lead, *gaps), cards)
    title = f"{len(shown):,} of {total:,} decisions" if len(shown) < total else f"{total:,} decisions"
    places = {row.entry_id: f"{number}" for number, row in enumerate(shown, start=1)}
    columns = (
        Column("No", right=True),
        Column("Decision", least=24),
        Column("Status", least=14),
        Column("Decided", fixed=True),
        Column("Stored", fixed=True),
        Column("Tripwires", right=True),
        Column("Chain", least=14),
    )
    titles = {row.entry_id: row.title for row in decisions.rows}
    grid = Grid(lead, columns, tuple(_cells(row, places, titles) for row in shown))
    folds: list[Block] = [
        Fold((f"{places[row.entry_id]}. ", say(row.title, 120, "strong")), (decision_card(row, places=places),))
        for row in shown
    ]
    return Sheet((title,), tuple(gaps), (grid, Section(("Each in full",), tuple(folds))))


def _cells(row: Row, places: Mapping[str, str], titles: Mapping[str, str]) -> tuple[Line, ...]:
    title: list[Inline] = [say(row.title, 120, "strong")]
    if row.conclusion:
        title += ["\n", say(row.conclusion, 140, "dim")]
    chain: list[Line] = [
        _chain("replaced by", row.superseded_by[::-1], places, titles),
        _chain("replaces", row.supersedes, places, titles),
    ]
    return (
        (places[row.entry_id],),
        tuple(title),
        (status_chip(row.status),),
        (row.decided_on.isoformat() if row.decided_on else "–",),
        (clock.age_words(row.age_days),),
        _conditions(row),
        joined(chain, "\n") or ("–",),
    )


def _conditions(row: Row) -> Line:
    """How many conditions, and how many of them have tripped."""
    if not row.tripwires:
        return ("–",)
    tripped = n_tripped(row.judged)
    return (
        (f"{len(row.tripwires)}", "\n", Chip(f"{tripped} tripped", "▲", "bad"))
        if tripped
        else (f"{len(row.tripwires)}",)
    )


def _chain(verb: str, others: Sequence[str], places: Mapping[str, str], titles: Mapping[str, str]) -> Line:
    """`replaces 3`, by the number in this view; by title where it is not in view, by id where nothing else is known."""
    if not others:
        return ()
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    first = others[0]
    if first in places:
        return (f"{verb} {places[first]}{more}",)
    return (f"{verb} ", say(titles[first], 60) if first in titles else say(first, 64, "code"), more)


def row_sheet(row: Row, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """One decision by itself."""
    return Sheet(("Decision",), (), (decision_card(row),))


def decision_card(row: Row, *, places: Mapping[str, str] | None = None) -> Card:
    """Title (unless the view already numbers it), status, ages, question, conclusion, chain, tripwires, where from."""
    named = {key: f"no {number}" for key, number in (places or {}).items()}
    facts: list[Fact] = []
    if row.question != row.title:
        facts += fact("Question", (say(row.question, 300),))
    if row.conclusion:
        facts += fact("Conclusion", (say(unwrapped(row.conclusion), 600, breaks="keep"),))
    facts += fact("Superseded by", ids(row.superseded_by[::-1], places=named))
    facts += fact("Supersedes", ids(row.supersedes, places=named))
    facts += fact("Amends", ids(row.amends, places=named))
    if row.tripwires:
        facts.append(Fact("Tripwires", tripwires(row.judged or row.tripwires)))
    facts += fact("Read when", (say(row.read_when, 300),) if row.read_when else ())
    written: Line = ()
    if row.raw_status and row.raw_status.casefold() != row.status:
        written = ("written as “", say(row.raw_status, 80), "”")
    decided: Line = ()
    if row.decided_on:
        # The age of a day is counted in days from the day of the question, which is storage plus age.
        asked = row.stored_at + dt.timedelta(days=row.age_days)
        decided = (f"{clock.decided_label(row.decided_on, asked)} ({row.decided_on.isoformat()})",)
    stored: Line = (f"Stored {clock.age_words(row.age_days)} ({row.stored_at:%Y-%m-%d})",)
    foot = origin(
        row.entry_id, row.panel_id, numbers=scores(row.final_score, row.judge_confidence), path=row.source_path
    )
    badges = joined([joined([(status_chip(row.status),), written], " "), stored, decided])
    return Card(
        (say(row.title, 300),) if places is None else (),
        badges,
        (Facts(tuple(facts)),),
        foot,
        "warn" if row.superseded_by else "calm",
    )
