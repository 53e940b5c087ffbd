"""What is seen of the audit log: runs, events, the history of records, usage, health, the chain, a live line."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Sequence
from typing import Any

from memkit.analytics.audit_result import (
    Activity,
    AuditAnswer,
    AuditEvents,
    AuditHealth,
    AuditRun,
    AuditRuns,
    ChainReport,
    EventRow,
    RecordChange,
    RecordHistory,
    UsageReport,
    UsageRow,
    WorkerHealth,
)
from memkit.present.blocks import Block, Bullets, Chip, Column, Grid, Line, Para, Section, Sheet, Tone
from memkit.present.event_line import MAX_NAMED, SHORT_ID
from memkit.present.render import MAX_ROWS
from memkit.present.safe import clip, say
from memkit.present.table import table_sheet
from memkit.present.wording import count, ids, moment, narrowed, share, size, some_of, step
from memkit.snapshot.audit_days import CompactReceipt

_STATES: dict[str, tuple[str, Tone]] = {
    "completed": ("✓", "good"),
    "done": ("✓", "good"),
    "skipped": ("○", "calm"),
    "running": ("●", "calm"),
    "started": ("●", "calm"),
    "cancelled": ("✕", "warn"),
    "refused": ("✕", "warn"),
    "failed": ("▲", "bad"),
    "lost": ("▲", "bad"),
}
_KINDS = {
    "worker_lifecycle": "worker",
    "record_operation": "record",
    "record_usage": "asked",
    "entry_operation": "entry",
}
# What the codes of runs mean to who has never met them.
REASONS = {
    "candidates_found": "something worth keeping was found",
    "no_new_session_range": "the session holds nothing that was not read before",
    "no_candidates": "nothing worth keeping was found",
    "no_staging": "nothing waited to be reconciled",
    "no_record_changes": "nothing had to be changed",
    "records_updated": "records were written",
    "linter_failed": "the linter refused a record",
    "model_error": "the model failed",
    "scope_error": "it is of another project",
    "interrupted": "somebody interrupted it",
    "lock_held": "somebody else was at work",
    "store_error": "the disk or a file stood in the way",
    "error": "a defect stood in the way",
}
_NOTHING_EXTRACTED = "no session was looked through for it"
_NOTHING: Line = ("–",)
_BEGIN = step(
    "None has run yet; to look through the newest session",
    "memkit consolidate --session latest",
    'mem.consolidate("latest")',
)
_ASK = step("Nothing was asked or read yet; to ask", "memkit recall WORDS", 'mem.recall("words")')


def reason_words(code: str | None, because: str | None = None) -> str:
    """Why a run ended so, in words with the code behind; the code alone where it is not known here.

    Args:
        code: How it ended.
        because: What led to that: how the run ended that it lived on.
    """
    if not code:
        return ""
    words = f"{REASONS[code]} ({code})" if code in REASONS else code
    if because == "nothing_extracted":
        return f"{words}, because {_NOTHING_EXTRACTED}"
    return f"{words}, because {reason_words(because)}" if because else words


def state_chip(status: str | None) -> Chip:
    """How something ended, as a chip."""
    shape, tone = _STATES.get(status or "", ("○", "calm"))
    return Chip(say(status or "?", 20).text, shape, tone)


def _when(instant: dt.datetime | None) -> Line:
    return (f"{instant:%Y-%m-%d %H:%M:%S}",) if instant else _NOTHING


def _text(value: object, limit: int = 80) -> Line:
    return (say(str(value), limit, breaks="escape"),) if value not in {None, ""} else _NOTHING


def _code(value: object, limit: int = 64) -> Line:
    return (say(str(value), limit, "code"),) if value else _NOTHING


def _number(n: int | None) -> Line:
    return (f"{n:,}",) if n else _NOTHING


def _sheet(
    answer: AuditAnswer[Any],
    rows: int,
    noun: tuple[str, str],
    columns: Sequence[Column],
    cells: Callable[[Any], tuple[Line, ...]],
    *,
    lead: Sequence[Line] = (),
    begin: Line = (),
) -> Sheet:
    shown = answer[:rows]
    title: Line = (some_of(len(shown), len(answer), answer.n_matched, *noun),)
    lines: tuple[Line, ...] = (*lead, (f"As of {moment(answer.as_of)}, times in UTC.",))
    if not shown:
        lines += (begin,) if begin and set(answer.asked) <= {"worker"} else tuple(narrowed(answer.asked))
    body: tuple[Block, ...] = (Grid((), tuple(columns), tuple(map(cells, shown))),) if shown else ()
    return Sheet(title, lines, body)


def answer_sheet(answer: AuditAnswer[Any], rows: int = MAX_ROWS) -> Sheet:
    """Any answer as a plain table."""
    return table_sheet(answer, rows)


def runs_sheet(runs: AuditRuns, rows: int = MAX_ROWS) -> Sheet:
    """Runs as a table: when, which worker, how it ended, why, what it did."""
    columns = (
        Column("Started", fixed=True), Column("Worker", fixed=True), Column("Trigger", least=12), Column("Ended"),
        Column("Why", least=16), Column("Seconds", right=True), Column("Did", least=16),
    )  # fmt: skip
    return _sheet(runs, rows, ("run of a memory worker", "runs of memory workers"), columns, _run, begin=_BEGIN)


def _run(row: AuditRun) -> tuple[Line, ...]:
    did = [
        ("staged", row.n_staged), ("wrote", row.n_written), ("edited", row.n_edited), ("merged", row.n_merged),
        ("dropped", row.n_dropped), ("restaged", row.n_restaged), ("gave up", row.n_dead_lettered),
    ]  # fmt: skip
    seconds: Line = (f"{row.duration_seconds:,.1f}",) if row.duration_seconds is not None else _NOTHING
    why = " — ".join(part for part in (reason_words(row.reason, row.because), row.message) if part)
    return (
        _when(row.started_at or row.ended_at),
        _text(row.worker.removeprefix("memory_")),
        _text(row.trigger),
        (state_chip(row.status),),
        _text(why, 240),
        seconds,
        _text(", ".join(f"{verb} {n:,}" for verb, n in did if n)),
    )


def events_sheet(events: AuditEvents, rows: int = MAX_ROWS) -> Sheet:
    """Events as a table, newest first."""
    columns = (
        Column("At", fixed=True), Column("Event", least=20), Column("Outcome"), Column("About", least=24),
        Column("Why", least=12), Column("Who"),
    )  # fmt: skip
    return _sheet(events, rows, ("event", "events"), columns, _event)


def _event(row: EventRow) -> tuple[Line, ...]:
    what = f"{_KINDS.get(row.event, row.event)} {row.op or (row.worker or '').removeprefix('memory_')}".strip()
    return (
        _when(row.occurred_at),
        _text(what),
        (state_chip(row.status),),
        _about(row),
        _text(row.reason or row.message),
        _text(row.actor),
    )


def _about(row: EventRow) -> Line:
    """What an event did something to: by name where it is one, by number and the first names where it is many."""
    if row.query:
        return _text(row.query, 80)
    if row.slug or row.entry_id:
        wire: Line = ("tripwire ", *_code(row.tripwire_id), " of ") if row.tripwire_id else ()
        return (*wire, *_code(row.slug or row.entry_id))
    listed = row.days or row.codes
    if listed:
        return _text(", ".join(json.loads(listed)) if listed.startswith("[") else listed)
    many: Line = (count(row.n_entries, "entry", "entries"),) if row.n_entries else ()
    if row.entry_ids:
        return (*many, ": ", *ids([clip(each, SHORT_ID) for each in row.entry_ids], most=MAX_NAMED))
    named = _code(row.path or row.run_id or row.kind)
    return (*many, " from ", *named) if many and named != _NOTHING else many or named


def history_sheet(history: RecordHistory, rows: int = MAX_ROWS) -> Sheet:
    """Changes of records, oldest first, breaks marked."""
    columns = (
        Column("At", fixed=True), Column("Record", least=16), Column("Operation"), Column("Outcome"),
        Column("Before", fixed=True), Column("After", fixed=True), Column("Why", least=12),
    )  # fmt: skip
    n = len(history.breaks)
    lead: list[Line] = []
    if n:
        words = f"{count(n, 'change')} began with other bytes than the one before had left"
        lead.append((Chip(words, "▲", "warn"),))
    return _sheet(history, rows, ("operation on records", "operations on records"), columns, _change, lead=lead)


def _change(row: RecordChange) -> tuple[Line, ...]:
    before = _code((row.before_hash or "")[:8])
    why = " ".join(part for part in (row.reason, row.findings) if part)
    return (
        _when(row.occurred_at),
        _code(row.slug),
        _text(row.op),
        (state_chip(row.status),),
        (Chip("break", "▲", "warn"), " ", *before) if row.is_break else before,
        _code((row.after_hash or "")[:8]),
        _text(why, 120),
    )


def usage_sheet(usage: UsageReport, rows: int = MAX_ROWS) -> Sheet:
    """What was asked, most often first."""
    columns = (
        Column("Asked", least=24), Column("How"), Column("Times", right=True), Column("Nothing found", right=True),
        Column("Found on average", right=True), Column("Last", fixed=True),
    )  # fmt: skip
    return _sheet(usage, rows, ("question or reading", "questions and readings"), columns, _usage, begin=_ASK)


def _usage(row: UsageRow) -> tuple[Line, ...]:
    mean: Line = (f"{row.mean_results:,.1f}",) if row.mean_results is not None else _NOTHING
    read = row.slug or row.entry_id
    asked = _text(row.query, 100) if row.query else _code(read) if read else ("(erased)",)
    return (asked, _text(row.op), (f"{row.n_times:,}",), _number(row.n_empty), mean, _when(row.last_at))


def activity_sheet(activity: Activity, rows: int = MAX_ROWS) -> Sheet:
    """Days with use, newest first."""
    n = len(activity)
    shown = activity[max(0, n - rows) :][::-1]
    title: Line = (f"{some_of(len(shown), n, n, 'day')} with use",)
    columns = (
        Column("Day", fixed=True), Column("Asked or read", right=True), Column("Nothing found", right=True),
        Column("Kinds of actors", right=True),
    )  # fmt: skip
    cells = tuple(
        ((row.used_on.isoformat(),), _number(row.n_times), _number(row.n_empty), _number(row.n_actors)) for row in shown
    )
    body: tuple[Block, ...] = (Grid((), columns, cells, head=True),) if cells else ()
    lead: Line = (f"As of {moment(activity.as_of)}, days in UTC, newest first.",)
    return Sheet(title, (lead, *(() if shown else narrowed(activity.asked) or (_ASK,))), body)


def health_sheet(health: AuditHealth, rows: int = MAX_ROWS) -> Sheet:
    """One row per worker, and what waits."""
    columns = (
        Column("Worker", fixed=True), Column("Last success", fixed=True), Column("Newest", least=16),
        Column("Done", right=True), Column("Skipped", right=True), Column("Failed", right=True),
        Column("Lost", right=True), Column("Fails", right=True),
    )  # fmt: skip
    waiting = (
        f"{count(health.n_waiting, 'candidate')} of {count(health.n_sessions_waiting, 'session')} wait in staging."
    )
    return _sheet(health, rows, ("memory worker", "memory workers"), columns, _health, lead=[(waiting,)], begin=_BEGIN)


def _health(row: WorkerHealth) -> tuple[Line, ...]:
    why: Line = (" ", *_text(reason_words(row.last_reason), 120)) if row.last_reason else ()
    newest: Line = (state_chip(row.last_status), *why)
    numbers = (row.n_completed, row.n_skipped, row.n_failed, row.n_lost)
    rate: Line = (share(row.failure_rate),) if row.failure_rate is not None else _NOTHING
    name = _text(row.worker.removeprefix("memory_"))
    return (name, _when(row.last_success_at), newest, *map(_number, numbers), rate)


def chain_sheet(report: ChainReport, rows: int = MAX_ROWS) -> Sheet:
    """Whether the chain is whole, where it breaks, and what crashes left."""
    whole = Chip("whole", "✓", "good") if report.is_whole else Chip("broken", "▲", "bad")
    lead: list[Line] = [
        (f"{count(report.n_events, 'event')} in {count(report.n_days, 'day')}, as of {moment(report.as_of)}.",)
    ]
    if report.n_unchained:
        lead.append((f"{count(report.n_unchained, 'event')} from before the chain; nobody can vouch for them.",))
    if report.n_forgotten:
        lead.append((f"The text of {count(report.n_forgotten, 'event')} was erased.",))
    if report.last_hash:
        lead.append(("Last hash: ", say(report.last_hash, 64, "code")))
    body: list[Block] = []
    if report.first_break:
        spot = report.first_break
        where = f"{spot.file}, bytes {spot.start:,} to {spot.end:,}"
        body.append(Section(("First break",), (Para((say(where, 120, "code"), ": ", say(spot.why, 400))),)))
    if report.problems:
        lines: list[Line] = [(say(p.file, 120, "code"), ": ", say(p.detail, 200)) for p in report.problems[:rows]]
        body.append(Section(("Compacted days",), (Bullets(tuple(lines)),)))
    if report.torn:
        spots: list[Line] = [
            (say(f"{p.file}, bytes {p.start:,} to {p.end:,}", 120, "code"), ": ", say(p.why, 200))
            for p in report.torn[:rows]
        ]
        body.append(Section((f"Left by crashes ({len(report.torn):,})",), (Bullets(tuple(spots)),)))
    return Sheet(("The chain of the audit log is ", whole), tuple(lead), tuple(body))


def compact_sheet(receipt: CompactReceipt, rows: int = MAX_ROWS) -> Sheet:
    """Which days became Parquet files, and which went."""
    would = "Would compact" if receipt.dry_run else "Compacted"
    if not receipt.compacted and not receipt.removed:
        return Sheet(("Nothing to compact",), (("Only days before the newest are compacted.",),), ())
    lead: list[Line] = [(f"As of {moment(receipt.as_of)}.",)]
    if receipt.compacted:
        saved = "" if receipt.dry_run else f", {size(receipt.n_bytes_after)} now"
        lead.append((f"{size(receipt.n_bytes_before)} of log{saved}.",))
    body: list[Block] = []
    for words, days in ((would, receipt.compacted), ("Older than the log is kept", receipt.removed)):
        if days:
            shown = ", ".join(days[:rows]) + (f" and {len(days) - rows:,} more" if len(days) > rows else "")
            body.append(Section((f"{words} ({len(days):,})",), (Para((shown,)),)))
    return Sheet((f"{would} {count(len(receipt.compacted), 'day')}",), tuple(lead), tuple(body))
