"""Decisions, the audit log and consolidation, each as one self-contained page for who has never seen memkit."""

from __future__ import annotations

from collections.abc import Sequence

from memkit.analytics.audit_result import (
    Activity,
    AuditHealth,
    AuditRun,
    AuditRuns,
    ChainReport,
    RecordHistory,
    UsageReport,
)
from memkit.analytics.calibration import Calibration
from memkit.analytics.chains import Chains
from memkit.analytics.decisions import Decisions
from memkit.analytics.summary import ProjectSummary
from memkit.analytics.timeline import Timeline
from memkit.analytics.tripwire_result import TripwireReport
from memkit.catalog.table import Table
from memkit.consolidate.balance import Balance
from memkit.consolidate.staged import StagedList
from memkit.display import drawn
from memkit.present.audit import reason_words
from memkit.present.page import Part, page
from memkit.present.table import listing
from memkit.present.wording import count, moment, share

MOST_ROWS = 200
BAD = ("failed", "lost")


def decisions_page(
    project: str,
    summary: ProjectSummary,
    *,
    decisions: Decisions,
    tripwires: TripwireReport,
    timeline: Timeline,
    chains: Chains,
    calibration: Calibration,
) -> str:
    """One HTML document: what was decided, what of it holds, what has changed since, what would make it wrong.

    Args:
        project: The project's name, as a person knows it.
        summary: Its memory at a glance.
        decisions: Its decisions.
        tripwires: Their conditions, judged.
        timeline: How they came and went.
        chains: What replaced what.
        calibration: How sure panels were, and what came of it.
    """
    parts = [Part("In short", _decisions_summary(project, summary, tripwires))]
    if tripwires.speaking:
        parts.append(Part("What to look at again", tripwires, "Conditions that were written down and have come true."))
    parts.append(Part("", drawn(timeline)))
    parts.append(Part("All decisions", decisions, rows=MOST_ROWS))
    if chains.rows:
        parts.append(Part("", drawn(chains)))
    if calibration.rows:
        parts.append(Part("", drawn(calibration)))
    parts.append(Part("What the words mean", _DECISION_WORDS))
    return page(f"What {project} decided", parts)


def _decisions_summary(project: str, summary: ProjectSummary, tripwires: TripwireReport) -> str:
    n_records = sum(n for _, n in summary.records)
    among = f" and {count(n_records, 'record')}, among all these" if n_records else ", among them"
    about = (
        f"memkit keeps decisions that people and AI panels reached for the project {project}: the question, the "
        f"conclusion, the reasons. On {moment(summary.as_of)} it holds {count(summary.n_entries, 'entry', 'entries')}"
        f"{among} {count(summary.n_decisions, 'decision')}, of which {count(summary.n_in_force, 'is', 'are')} in force."
    )
    lines = [about]
    if summary.first_decided_on and summary.last_decided_on:
        lines.append(f"The oldest was made on {summary.first_decided_on}, the newest on {summary.last_decided_on}.")
    n = len(tripwires.speaking)
    if n:
        come = "condition that was written down has" if n == 1 else "conditions that were written down have"
        lines.append(f"{n:,} {come} come true; the decisions concerned should be looked at again.")
    elif tripwires.rows:
        lines.append("No condition that was written down has come true, as far as is known.")
    if not summary.checked:
        lines.append("No table of facts was at hand, so only days to come back on were checked.")
    if summary.n_due:
        lines.append(f"{count(summary.n_due, 'entry', 'entries')} will be moved to the trash by the retention policy.")
    return "\n\n".join(lines)


_DECISION_WORDS = """\
A decision is in force when it was accepted, or says nothing of its standing, and nothing replaced it. Superseded
means that a later decision replaced it.

A tripwire is a condition its authors wrote down that would make the decision wrong, such as "more than 5,000 writes
a second for a day". It has tripped when numbers show it; it is armed when numbers show the opposite; it is unknown
when there are none. Nothing is guessed.

"Stored" counts from the day an entry was stored here, "decided" from the decision's own day.

To ask more: memkit decided TOPIC. To see one whole: memkit show ID. To silence a tripwire that is known: memkit
tripwires ack ID --reason "why"."""


def log_page(
    project: str,
    *,
    health: AuditHealth,
    runs: AuditRuns,
    chain: ChainReport,
    activity: Activity,
    usage: UsageReport,
    history: RecordHistory,
) -> str:
    """One HTML document: what the memory workers did and how it ended, who asked what, whether the log is whole.

    Args:
        project: The project's name, as a person knows it.
        health: How each worker does.
        runs: Their runs.
        chain: Whether the log is whole.
        activity: Use by day.
        usage: What was asked.
        history: What happened to records.
    """
    parts = [
        Part("In short", _log_summary(project, health, runs, chain, history)),
        Part("How the workers do", health),
        Part("", drawn(runs)),
        Part("The newest runs", runs, rows=50),
        Part("", drawn(activity)),
        Part("What was asked and read", usage, "Most often first.", rows=50),
        Part("What happened to records", history, rows=50),
        Part("Whether the log is whole", chain),
        Part("What the words mean", _LOG_WORDS),
    ]
    return page(f"Audit log of {project}", parts)


def bad_runs(runs: Sequence[AuditRun]) -> list[AuditRun]:
    """Those that failed or got lost."""
    return [run for run in runs if run.status in BAD]


def _log_summary(project: str, health: AuditHealth, runs: AuditRuns, chain: ChainReport, history: RecordHistory) -> str:
    bad = bad_runs(runs)
    about = (
        f"memkit keeps a log of everything that happens to the memory of the project {project}: what was stored, "
        f"forgotten, asked, and what its memory workers did. This page was made on {moment(runs.as_of)} and changed "
        "nothing."
    )
    lines = [
        about,
        f"{count(len(runs), 'run')} of memory workers, {len(bad):,} of which failed or got lost"
        + (f" ({share(len(bad) / len(runs))})." if bad else "."),
    ]
    for row in health:
        name = row.worker.removeprefix("memory_")
        last = f"the newest run is {row.last_status}"
        newest = next((run for run in runs if run.worker == row.worker), None)
        because = newest.because if newest and newest.reason == row.last_reason else None
        why = f": {reason_words(row.last_reason, because)}" if row.last_reason else ""
        done = f"; it last did its work on {moment(row.last_success_at)}" if row.last_success_at else ""
        lines.append(f"{name.capitalize()}: {last}{why}{done}.")
    waiting = count(health.n_waiting, "candidate waits", "candidates wait")
    lines.append(f"{waiting} in staging, from {count(health.n_sessions_waiting, 'session')}.")
    breaks = len(history.breaks)
    if breaks:
        lines.append(f"{count(breaks, 'record')} began a change with other bytes than the change before had left.")
    lines.append("The log is whole." if chain.is_whole else "The log is not whole: see below where it breaks.")
    return "\n\n".join(lines)


_LOG_WORDS = """\
A memory worker is a program run by hand or by a tool: extraction looks through a session for what is worth keeping,
consolidation makes records of it. A run is skipped when there was nothing to do; it is lost when its process is
gone without a word.

The log is whole when each line follows from the one before it; a change made by hand shows. The log is there to be
looked at: nothing in it decides anything.

To follow it: memkit audit tail -f. To ask it in SQL: memkit sql "select * from audit_runs"."""


def consolidation_page(
    project: str,
    *,
    runs: AuditRuns,
    balance: Balance,
    staged: StagedList,
    dead: StagedList,
    ledger: Table,
    records: Table,
) -> str:
    """One HTML document: why the last consolidation did what it did, where every candidate is, what waits for whom.

    Args:
        project: The project's name, as a person knows it.
        runs: Runs of the consolidation.
        balance: Where every candidate is.
        staged: What waits.
        dead: What was given up.
        ledger: What became of the newest candidates.
        records: The records.
    """
    parts = [
        Part("In short", _consolidation_summary(project, runs, balance, staged, dead)),
        Part("Where every candidate is", balance),
        Part("What waits", staged, "Candidates that no run has settled yet.", rows=MOST_ROWS),
    ]
    if dead.rows:
        parts.append(Part("What was given up", dead, "memkit recover puts them back.", rows=MOST_ROWS))
    kept = listing(records, _RECORD_HEADS)
    parts += [
        *([Part("What became of the newest", listing(ledger, _LEDGER_HEADS), rows=MOST_ROWS)] if len(ledger) else []),
        Part("The runs", runs, rows=50),
        Part("The records", kept if len(records) else "No record is kept yet.", rows=MOST_ROWS),
        Part("What the words mean", _CONSOLIDATION_WORDS),
    ]
    return page(f"Consolidation of {project}", parts)


def _consolidation_summary(
    project: str, runs: AuditRuns, balance: Balance, staged: StagedList, dead: StagedList
) -> str:
    about = (
        f"memkit keeps what sessions taught the project {project}: candidates are extracted from a session, wait in "
        f"staging, and become records. This page was made on {moment(runs.as_of)} and changed nothing."
    )
    lines = [about]
    if len(runs):
        last = runs[0]
        when = last.started_at or last.ended_at
        on = f" on {moment(when)}" if when else ""
        why = f": {reason_words(last.reason, last.because)}" if last.reason else ""
        lines.append(f"The last consolidation was {last.status}{on}{why}.")
    else:
        lines.append("No consolidation has run yet.")
    even = "Each is accounted for." if balance.is_even else "Some are nowhere: see below."
    lines.append(f"{count(balance.n_in, 'candidate')} were ever seen. {even}")
    lines.append(f"{count(len(staged.rows), 'candidate waits', 'candidates wait')}, {len(dead.rows):,} were given up.")
    return "\n\n".join(lines)


# The columns of the two tables in words.
_LEDGER_HEADS = {
    "category": "Kind", "fate": "What became of it", "reason": "Why", "record": "Record", "adjudicator": "Decided by",
    "decided_at": "When (UTC)", "session_id": "Session", "candidate_key": "Candidate",
}  # fmt: skip
_RECORD_HEADS = {
    "kind": "Kind", "title": "Title", "status": "State", "reinforcement_count": "Confirmed",
    "last_seen_at": "Last seen (UTC)", "path": "File",
}  # fmt: skip


_CONSOLIDATION_WORDS = """\
A candidate is a lesson, preference, decision or piece of knowledge that a session seems to hold. It is added (a
record of its own), a duplicate (a record says it already), superseding (it replaces a record), merged with one,
discarded, a conflict (the record was edited meanwhile; both texts are kept), put back into staging, or given up
after three tries. Nothing is deleted.

To settle what waits: memkit consolidate, or mem.staging.review() in a notebook. To bring back what was given up:
memkit recover."""
