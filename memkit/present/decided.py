"""What is seen of an answer to "what did we decide": one card per decision, chains head first."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from memkit import clock
from memkit.analytics.decided import Decided, DecidedRow, Related
from memkit.present.blocks import Block, Bullets, Card, Chip, Fact, Facts, Inline, Line, Section, Sheet, Tone, joined
from memkit.present.recall import missed_blocks
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say
from memkit.present.wording import (
    MAX_IDS,
    fact,
    moment,
    n_tripped,
    origin,
    scores,
    some_of,
    status_chip,
    tripped_chip,
    tripwires,
    unwrapped,
)

MAX_DISSENT = 5


def decided_sheet(decided: Decided, rows: int = MAX_ROWS) -> Sheet:
    """The decisions as cards, then what is not there and why."""
    topic, shown = say(decided.topic, 200), decided.rows[:rows]
    places = {row.id: f"no {number}" for number, row in enumerate(shown, start=1)}
    lead: list[Line] = []
    if decided.rows:
        title: Line = ("Decided about “", topic, "”")
        n = some_of(len(shown), len(decided.rows), decided.n_matched, "decision")
        order = ", best first; what replaced another stands before it" if len(shown) > 1 else ""
        lead.append((f"{n}{order}. As of {moment(decided.as_of)}.",))
        skew = dt.timedelta(milliseconds=clock.SKEW_MS)
        if any(row.stored_at > decided.as_of + skew for row in shown):
            lead.append(("Stored since: ages are counted to that moment, so some lie ahead of it.",))
    else:
        title = ("No decision about “", topic, "”")
        lead.append((f"As of {moment(decided.as_of)}.",))
    body: list[Block] = [decided_card(row, number=number, places=places) for number, row in enumerate(shown, start=1)]
    if decided.missed:
        body.append(Section(("Not among them" if decided.rows else "Why",), missed_blocks(decided.missed)))
    if decided.warnings:
        lines = tuple((say(warning, 300),) for warning in decided.warnings[:MAX_ROWS])
        body.append(Section(("Warnings",), (Bullets(lines),)))
    return Sheet(title, tuple(lead), tuple(body))


def decided_row_sheet(row: DecidedRow, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """One decision by itself."""
    return Sheet(("Decision",), (), (decided_card(row),))


def decided_card(row: DecidedRow, *, number: int = 0, places: Mapping[str, str] | None = None) -> Card:
    """Successor, conclusion, days, confidence, dissent, tripwires, predecessor, where from."""
    facts: list[Fact] = []
    facts += fact("Superseded by", _related(row.successors[::-1], places or {}))
    if row.question != row.title:
        facts += fact("Question", (say(row.question, 300),))
    if row.conclusion:
        facts += fact("Conclusion", (say(unwrapped(row.conclusion), 900, breaks="keep"),))
    for label, texts in (("Minority held", row.minority_positions), ("Left open", row.unresolved_disputes)):
        if texts:
            lines: list[Line] = [(say(text, 400),) for text in texts[:MAX_DISSENT]]
            if len(texts) > MAX_DISSENT:
                lines.append((f"and {len(texts) - MAX_DISSENT} more",))
            facts.append(Fact(label, (Bullets(tuple(lines)),)))
    if row.tripwires:
        facts.append(Fact("Tripwires", tripwires(row.tripwires)))
    facts += fact("Replaces", _related(row.predecessors, places or {}))
    status: list[Line] = [(status_chip(row.status),), *tripped_chip(row.tripwires)]
    if {other.id for other in row.successors} & {other.id for other in row.predecessors}:
        status.append((Chip("in a circle: decisions that replaced each other", "▲", "warn"),))
    days = row.label
    if row.decided_on:
        decided, _, stored = row.label.partition(", ")
        days = f"{decided} ({row.decided_on.isoformat()}), {stored}"
    badges = joined([joined(status, "  "), (days,)])
    foot = origin(row.id, row.panel_id, numbers=scores(row.final_score, row.judge_confidence), path=row.source_path)
    tone: Tone = "warn" if row.successors else "bad" if n_tripped(row.tripwires) else "calm"
    title: Line = (f"{number}. ", say(row.title, 300)) if number else (say(row.title, 300),)
    return Card(title, badges, (Facts(tuple(facts)),), foot, tone)


def _related(others: Sequence[Related], places: Mapping[str, str]) -> Line:
    """Titles with ids, and where one is seen in the same view."""
    out: list[Inline] = []
    for other in others[:MAX_IDS]:
        if out:
            out.append("; ")
        if other.title:
            out += [say(other.title, 120, "strong"), " "]
        out.append(say(other.id, 64, "code"))
        if other.id in places:
            out.append(f" ({places[other.id]})")
    if len(others) > MAX_IDS:
        out.append(f" and {len(others) - MAX_IDS:,} more")
    return tuple(out)
