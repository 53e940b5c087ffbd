"""What is seen of tripwires: those that speak as cards with evidence, the others as a table, and their history."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence

from memkit import clock
from memkit.analytics.tripwire_result import Backtest, Firing, TripwireHistory, TripwireReport, TripwireRow
from memkit.analytics.tripwire_words import moment as brief
from memkit.model.acknowledgement import Acknowledgement
from memkit.model.tripwire import Reading
from memkit.present.blocks import (
    Block,
    Bullets,
    Card,
    Chip,
    Column,
    Fact,
    Facts,
    Grid,
    Line,
    Para,
    Section,
    Sheet,
    joined,
)
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import count, fact, gap_lines, moment, step, verdict_chip

MAX_EVIDENCE = 6


def tripwires_sheet(report: TripwireReport, rows: int = MAX_ROWS) -> Sheet:
    """Tripped ones that nobody acknowledged as cards; the others as a table; what is odd about the facts."""
    n, speaking = len(report.rows), report.speaking
    if not n:
        nothing: Line = ("No decision in force names a condition that would invalidate it.",)
        return Sheet(("No tripwires",), (nothing, *gap_lines(report.gaps), *_left_out(report)), ())
    silent = sum(row.acknowledged is not None for row in report.rows)
    if speaking:
        title: Line = (f"{len(speaking):,} of {count(n, 'tripwire')} tripped",)
    elif silent:
        title = (f"None of {count(n, 'tripwire')} tripped that is not acknowledged",)
    else:
        title = (f"None of {count(n, 'tripwire')} tripped",)
    lead: list[Line] = [_counts(report, silent)]
    judged = f"Judged at {moment(report.as_of)} "
    lead.append((f"{judged}by ", say(report.facts, 200), ".") if report.facts else (f"{judged}without facts.",))
    lead += [*gap_lines(report.gaps), *_left_out(report)]
    body: list[Block] = [tripwire_card(row, report.as_of) for row in speaking[:rows]]
    if len(speaking) > rows:
        body.append(Para((f"and {len(speaking) - rows:,} more that tripped",), "dim"))
    others = [row for row in report.rows if not row.speaks]
    if others:
        shown = others[:rows]
        of = f"{len(shown):,} of {len(others):,}" if len(shown) < len(others) else f"{len(others):,}"
        heading = "The others" if speaking else "All"
        body.append(Section((f"{heading} ({of})",), (_table(shown),)))
    if report.notes:
        notes = tuple((say(note, 300),) for note in report.notes[:rows])
        body.append(Section(("About the facts",), (Bullets(notes),)))
    return Sheet(title, tuple(lead), tuple(body))


def _left_out(report: TripwireReport) -> list[Line]:
    if not report.n_left_out:
        return []
    n = f"{count(report.n_left_out, 'tripwire')} of decisions not in force left out"
    return [
        step(
            f"{n}; to see them",
            "memkit tripwires check --include-superseded",
            "mem.tripwires.check(include_superseded=True)",
        )
    ]


def _counts(report: TripwireReport, silent: int) -> Line:
    parts: list[Line] = [(verdict_chip(verdict), f" {n:,}") for verdict, n in report.counts.items()]
    if silent:
        parts.append((f"{silent:,} of the tripped acknowledged",))
    return joined(parts, "   ")


def tripwire_card(row: TripwireRow, as_of: dt.datetime) -> Card:
    """One tripwire: condition, verdict and since when, its decision, why, the readings."""
    since: Line = ()
    if row.since:
        age = clock.age_words(clock.age_days(row.since, as_of))
        since = (f"since {moment(row.since)} ({age})",)
    facts: list[Fact] = fact("Decision", (say(row.title, 200, "strong"), ", id ", say(row.entry_id, 64, "code")))
    facts += fact("Why", (say(row.reason, 300),))
    if row.evidence:
        facts.append(Fact("Readings", (Bullets(tuple(map(_reading, row.evidence[:MAX_EVIDENCE]))),)))
    if row.acknowledged:
        facts += fact("Acknowledged", _said(row.acknowledged))
    badges = joined([(verdict_chip(row.verdict),), since], " · ")
    return Card((say(row.text, 240),), badges, (Facts(tuple(facts)),), ("tripwire ", say(row.id, 20, "code")), "bad")


def _reading(reading: Reading) -> Line:
    number = reading.text or f"{reading.value:,.10g}"
    unit = reading.unit if reading.unit != "version" else ""
    between = " " if unit and not unit.startswith("/") else ""
    return (say(f"{number}{between}{unit}", 60, "strong"), f" at {moment(reading.at)}")


def _said(ack: Acknowledgement) -> Line:
    return (f"{moment(ack.at)}: ", say(ack.reason, 300))


def _table(rows: Sequence[TripwireRow]) -> Grid:
    columns = (
        Column("Verdict", least=9),
        Column("Condition", least=20),
        Column("Decision", least=16),
        Column("Why", least=20),
        Column("Tripwire", fixed=True),
    )
    cells = []
    for row in rows:
        verdict: list[Line] = [(verdict_chip(row.verdict),)]
        if row.acknowledged:
            verdict.append((Chip("acknowledged", "✓", "calm"),))
        why: list[Line] = [(say(row.reason, 200),)]
        if row.acknowledged:
            why.append(("acknowledged ", *_said(row.acknowledged)))
        cells.append(
            (
                joined(verdict, "\n"),
                (say(row.text, 160),),
                (say(row.title, 100),),
                joined(why, "\n"),
                (say(row.id, 20, "code"),),
            )
        )
    return Grid((), columns, tuple(cells))


def backtest_sheet(backtest: Backtest, rows: int = MAX_ROWS) -> Sheet:
    """What would have fired and when; what never did is counted."""
    fired = [history for history in backtest.rows if history.firings]
    n = len(backtest.rows)
    title: Line = (f"{len(fired):,} of {count(n, 'tripwire')} would have fired",)
    span = f" from {moment(backtest.first_at)}" if backtest.first_at else ""
    lead: list[Line] = [(f"Replayed{span} to {moment(backtest.as_of)}",)]
    lead[0] = (*lead[0], " over ", say(backtest.facts, 200), ".") if backtest.facts else (*lead[0], " without facts.")
    lead += gap_lines(backtest.gaps)
    body: list[Block] = []
    if fired:
        columns = (
            Column("Condition", least=16), Column("Decision", least=14), Column("Fired", fixed=True),
            Column("Times", right=True), Column("Last", least=14), Column("Now", least=9),
        )  # fmt: skip
        note: Line = (f"and {len(fired) - rows:,} more",) if len(fired) > rows else ()
        cells = tuple(map(_history, fired[:rows]))
        body.append(Grid(("First fired first",), columns, cells, note=note))
    quiet = Counter(history.row.verdict for history in backtest.rows if not history.firings)
    if quiet["armed"]:
        body.append(Para((f"{count(quiet['armed'], 'tripwire')} never fired and would be armed now.",), "dim"))
    if quiet["unknown"]:
        body.append(Para((f"{count(quiet['unknown'], 'tripwire')} could not be judged; check says why.",), "dim"))
    if backtest.notes:
        notes = tuple((say(note, 300),) for note in backtest.notes[:rows])
        body.append(Section(("About the facts",), (Bullets(notes),)))
    return Sheet(title, tuple(lead), tuple(body))


def _history(history: TripwireHistory) -> tuple[Line, ...]:
    row, first, last = history.row, history.firings[0], history.firings[-1]
    n, n_since = len(history.firings), len(history.since_decided)
    times = f"{n:,}" if n == n_since else f"{n:,}\n{n_since:,} since decided"
    return (
        (say(row.text, 160),),
        (say(row.title, 100),),
        (brief(first.fired_at),),
        (times,),
        _firing(last),
        (verdict_chip(row.verdict),),
    )


def _firing(firing: Firing) -> Line:
    end = brief(firing.ended_at) if firing.ended_at else "now"
    lines: list[Line] = [(f"{brief(firing.fired_at)} to {end}",)]
    if firing.n_readings and firing.lowest is not None and firing.highest is not None:
        span = (
            f"{firing.lowest:,.6g} to {firing.highest:,.6g}"
            if firing.lowest < firing.highest
            else f"{firing.lowest:,.6g}"
        )
        lines.append((f"{count(firing.n_readings, 'reading')}, {span}",))
    return joined(lines, "\n")


def acknowledgement_sheet(ack: Acknowledgement, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """What is silent now, and why."""
    lead: Line = ("Silent until its evidence changes: ", say(ack.reason, 300))
    return Sheet(("Acknowledged tripwire ", say(ack.tripwire_id, 20, "code")), (lead,), ())
