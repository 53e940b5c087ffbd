"""What is seen of candidates: what an extraction found, what waits in staging, what became a dead letter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from memkit.consolidate.extract import PASSED_OVER, ExtractionReport
from memkit.consolidate.recover import RecoverReport
from memkit.consolidate.remind import Reminder
from memkit.consolidate.staged import StagedCandidate, StagedList
from memkit.model.candidate import Candidate, Evidence
from memkit.model.session import SKIPPED
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
from memkit.present.wording import count, fact, kinds, moment, narrowed, step, tags

MAX_TRIPWIRES: Final = 8
_TO_RECONCILE: Final = "mem.staging.list() shows them; memkit staging list does the same."
_KINDS = {
    "lesson": Chip("lesson", "◆", "plain"),
    "preference": Chip("preference", "♥", "plain"),
    "decision": Chip("decision", "✓", "plain"),
    "domain": Chip("domain", "■", "plain"),
}


def extraction_sheet(report: ExtractionReport, rows: int = MAX_ROWS) -> Sheet:
    """How many candidates of how many turns, each as a card, then what was passed over and left out."""
    n = len(report.candidates)
    verb = "Extraction (dry run)" if report.dry_run else "Extraction"
    title: Line = (f"{verb}: ", count(n, "candidate"), " from ", say(report.session.id, 80, "code"))
    lead: list[Line] = [
        (
            f"{count(report.n_read, 'new turn')} of {report.n_turns:,} read by ",
            say(report.extractor, 60), " from ", say(report.session.path, 160, "code"),
        )
    ]  # fmt: skip
    if report.why_nothing:
        lead.append((f"No candidate: {report.why_nothing}.",))
    if report.session.branches and len(report.session.branches) > 1:
        lead.append((f"1 of {len(report.session.branches):,} branches, up to ", say(report.session.branch, 64, "code")))
    if report.dry_run:
        lead.append(("Nothing was written.",))
    elif report.file:
        lead.append(("They wait in ", say(report.file, 160, "code")))
    if report.quarantined:
        lead.append((Chip("damaged bytes of that file are kept in quarantine", "▲", "warn"),))
    body: list[Block] = [candidate_card(each) for each in report.candidates[:rows]]
    if n > rows:
        body.append(Para((f"and {count(n - rows, 'more candidate', 'more candidates')}",), "dim"))
    facts: list[Fact] = []
    known = [(f"{report.n_staged_before:,} staged from this session before",)] if report.n_staged_before else []
    known += [(f"{report.n_stored:,} in the words of what is stored",)] if report.n_stored else []
    facts += fact("Known already", joined(list(known)))
    facts += fact("Looked like one", _counts(report.passed_over, PASSED_OVER))
    facts += fact("Left out", _counts(report.session.skipped, SKIPPED))
    facts += fact("Masked", kinds(report.masked.items()))
    if facts:
        body.append(Facts(tuple(facts)))
    return Sheet(title, tuple(lead), tuple(body))


def _counts(counts: Mapping[str, int], order: Sequence[str]) -> Line:
    names = [name for name in (*order, *sorted(set(counts) - set(order))) if counts.get(name)]
    return (say(", ".join(f"{name.replace('-', ' ')} {counts[name]:,}" for name in names), 400),) if names else ()


def candidate_card(candidate: Candidate, foot: Line = (), reason: str = "") -> Card:
    """One candidate: what it says, what would bring it to mind, where it was said."""
    badges: list[Line] = [(_KINDS[candidate.kind],)]
    if candidate.reconcile_attempts:
        badges.append((f"{count(candidate.reconcile_attempts, 'attempt')}",))
    if candidate.scope != "project":
        badges.append(("scope ", say(candidate.scope, 40)))
    facts: list[Fact] = fact("Dead letter", (say(reason, 300, "strong"),) if reason else ())
    if candidate.text.strip() != candidate.title.strip():
        facts += fact("Says", (say(candidate.text, 1_200, breaks="keep"),))
    if candidate.tripwires:
        wires = tuple((say(text, 200),) for text in candidate.tripwires[:MAX_TRIPWIRES])
        facts.append(Fact("Tripwires", (Bullets(wires),)))
    facts += fact("Triggers", (say(", ".join(candidate.triggers), 300),) if candidate.triggers else ())
    facts += fact("Tags", tags(candidate.tags))
    facts += fact("Supersedes", (say(", ".join(candidate.supersedes), 300),) if candidate.supersedes else ())
    said = [_evidence(each) for each in candidate.evidence[:MAX_TRIPWIRES]]
    if said:
        facts.append(Fact("Said", (Bullets(tuple(said)),)))
    title: Line = (say(candidate.title or candidate.text, 200),)
    return Card(title, joined(badges), (Facts(tuple(facts)),), foot, "bad" if reason else "calm")


def _evidence(evidence: Evidence) -> Line:
    where = []
    if evidence.first_turn:
        where.append(_range("turn", evidence.first_turn, evidence.last_turn))
    if evidence.first_line:
        where.append(_range("line", evidence.first_line, evidence.last_line))
    role = evidence.extra.get("role")
    parts: list[Line] = [(", ".join(where),)] if where else []
    if isinstance(role, str):
        parts.append((say(role, 20),))
    parts.append((say(evidence.excerpt, 200),))
    return joined(parts, ": ")


def _range(noun: str, first: int, last: int) -> str:
    return f"{noun} {first:,}" if first == last else f"{noun}s {first:,} to {last:,}"


def candidate_sheet(candidate: Candidate, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001 - one thing has no rows
    """One candidate by itself."""
    return Sheet(("Candidate",), (), (candidate_card(candidate),))


def staged_sheet(found: StagedList, rows: int = MAX_ROWS) -> Sheet:
    """What waits, by file; what cannot be read is counted and named."""
    n = len(found.rows)
    noun = "dead letter" if found.dead else "candidate"
    title: Line = (count(n, noun).capitalize() if n else f"No {noun}s",)
    lead: list[Line] = []
    if n:
        parts: list[Line] = [(f"{name} {number:,}",) for name, number in found.counts.items() if number]
        lead.append((*joined(parts), f"; as of {moment(found.as_of)}"))
    elif found.session_id is not None:
        lead += narrowed({"session": found.session_id})
    elif not found.dead:
        lead.append(step("Candidates come from sessions", "memkit extract", "mem.staging.extract()"))
    body: list[Block] = []
    if found.rows:
        columns = [
            Column("Key", least=16), Column("Kind", least=10), Column("Title", least=24),
            Column("Why here" if found.dead else "Tries", least=16 if found.dead else 5, right=not found.dead),
            Column("Session", least=12), Column("Since", fixed=True),
        ]  # fmt: skip
        shown = found.rows[:rows]
        caption: Line = (f"{len(shown)} of {n:,} shown",) if len(shown) < n else ()
        body.append(Grid(caption, tuple(columns), tuple(_row(row, dead=found.dead) for row in shown)))
    if found.problems:
        items = tuple((say(each.file, 160, "code"), ": ", say(each.detail, 200)) for each in found.problems[:MAX_ROWS])
        body.append(Section((f"Cannot be read ({len(found.problems):,})",), (Bullets(items),)))
    return Sheet(title, tuple(lead), tuple(body))


def _row(row: StagedCandidate, *, dead: bool) -> tuple[Line, ...]:
    return (
        (say(row.key, 16, "code"),),
        (_KINDS[row.candidate.kind],),
        (say(row.candidate.title or row.candidate.text, 120),),
        (say(row.reason, 80),) if dead else (f"{row.attempts:,}",),
        (say(row.session_id, 40, "code"),),
        (moment(row.since),) if row.since else ("–",),
    )


def recover_sheet(report: RecoverReport, rows: int = MAX_ROWS) -> Sheet:
    """How many are in staging again, by class; what stays, and why."""
    n = len(report.recovered)
    verb = "Recovery (dry run)" if report.dry_run else "Recovery"
    lead: list[Line] = [(kinds(report.classes.items()))] if report.classes else []
    if report.n_known:
        lead.append((f"{count(report.n_known, 'dead letter')} staged already",))
    if report.n_filtered:
        lead.append((f"{count(report.n_filtered, 'dead letter')} not asked for",))
    if report.dry_run:
        lead.append(("Nothing was written.",))
    body: list[Block] = []
    if report.left:
        items = tuple((say(each.file, 160, "code"), ": ", say(each.why, 200)) for each in report.left[:rows])
        body.append(Section((f"Left as they are ({len(report.left):,})",), (Bullets(items),)))
    return Sheet((f"{verb}: ", count(n, "dead letter"), " back in staging"), tuple(lead), tuple(body))


def staged_candidate_sheet(row: StagedCandidate, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001 - one thing has no rows
    """One candidate, and where it waits."""
    since: Line = (" since ", moment(row.since)) if row.since else ()
    foot: Line = ("key ", say(row.key, 16, "code"), " · ", say(row.file, 160, "code"), *since)
    title: Line = ("Dead letter",) if row.is_dead else ("Candidate",)
    lead: Line = ("Of session ", say(row.session_id, 80, "code"))
    return Sheet(title, (lead,), (candidate_card(row.candidate, foot, row.reason),))


def reminder_sheet(reminder: Reminder, rows: int = MAX_ROWS) -> Sheet:
    """What waits to become a record, in a few lines."""
    said = [count(n, word) for n, word in ((reminder.n_decisions, "decision"), (reminder.n_lessons, "lesson")) if n]
    lead: Line = (Chip("waiting", "○", "warn"), f" {' and '.join(said)} not yet in memory.")
    items = tuple((say(title, 120),) for title in reminder.titles[:rows])
    n, n_all = reminder.n_unextracted, reminder.n_decisions + reminder.n_lessons
    part = "" if not n else "All of it stands" if n == n_all else f"{n:,} of {n_all:,} stand"
    hint = f"{part} in the last session: memkit consolidate --session latest." if part else _TO_RECONCILE
    return Sheet(("Before you go on",), (lead,), (Bullets(items), Para((hint,), "dim")))
