"""Which rows a chart shows of a result, and the table of just these rows."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence

from memkit import clock
from memkit.analytics.audit_result import AuditRuns
from memkit.analytics.calibration import Calibration
from memkit.analytics.chains import ChainMember, Chains
from memkit.analytics.timeline import Timeline
from memkit.present.blocks import Column, Grid, Line, Section
from memkit.present.charts.chart import Chart
from memkit.present.history import bins_grid, kinds_of, said_kinds, stretches_grid
from memkit.present.safe import say, shown
from memkit.present.wording import count, moment

MAX_STRETCHES = 120
MAX_CHAINS = 12
MAX_LIVES = 12
MAX_ROWS = 60
# Readers' fonts differ from those the picture was measured with; so much fits in any of them.
MAX_TITLE = 46
MAX_DAYS = 92
OUTCOMES = ("completed", "skipped", "failed or lost", "cancelled or running")
_OUTCOMES = {
    "failed": OUTCOMES[2],
    "lost": OUTCOMES[2],
    "cancelled": OUTCOMES[3],
    "running": OUTCOMES[3],
}
_KINDS = (
    ("decided", "Decided"), ("superseded", "Superseded"), ("tripped", "Tripped"), ("revisit_due", "Due"),
    ("pruned", "Pruned"),
)  # fmt: skip


def timeline_chart(timeline: Timeline) -> Chart:
    """How many decisions held at the end of each stretch, and what happened in it; the last `MAX_STRETCHES`."""
    rows = timeline.rows[-MAX_STRETCHES:]
    ends = [*(row.begins_on.isoformat() for row in rows[1:]), clock.iso(timeline.until)]
    stretches = []
    happened = []
    for row, end in zip(rows, ends, strict=False):
        span = {"from": row.begins_on.isoformat(), "to": end}
        stretches.append({**span, "in_force": row.in_force, "uncertain": row.uncertain})
        happened += [{**span, "kind": name, "n": n} for field, name in _KINDS if (n := getattr(row, field))]
    n = len(timeline.rows)
    cut = f"the last {len(rows):,} of " if len(rows) < n else ""
    words = f"{cut}{count(n, timeline.bucket)} up to {moment(timeline.until)}."
    if kinds_of(timeline):
        words += f" Only events that are {said_kinds(kinds_of(timeline))}."
    if not timeline.checked:
        words += " No facts at hand, so nothing is known to have tripped."
    return Chart(
        name="timeline",
        title="How decisions came and went",
        words=words[:1].upper() + words[1:],
        datasets={"stretches": stretches, "happened": happened},
        table=(stretches_grid(rows, kinds_of(timeline)),) if rows else (),
    )


def chains_chart(chains: Chains) -> Chart:
    """From when until when each decision of a chain held: the longest chains, the newest `MAX_LIVES` of each."""
    lives: list[dict[str, object]] = []
    cells: list[tuple[Line, ...]] = []
    n_shown = n_cut = 0
    for number, chain in enumerate(chains.rows[:MAX_CHAINS], 1):
        members = chain.members[-MAX_LIVES:]
        if len(lives) + len(members) > MAX_ROWS:
            break
        n_shown += 1
        n_cut += len(chain.members) - len(members)
        for label, member in _labelled(members):
            state, end = _state(member, chains.as_of)
            begin = member.begins_at
            lives.append(
                {
                    "chain": number,
                    "decision": label,
                    "place": len(lives),
                    "from": clock.iso(begin),
                    "to": clock.iso(end) if end else None,
                    "state": state,
                }
            )
            until = "not known" if end is None else "now" if state == "holds" else _day(end)
            step: Line = (f"{member.position:,}",)
            cells.append(((f"{number}",), step, (say(member.title, 160),), (_day(begin),), (until,), (state,)))
    columns = (
        Column("Chain", right=True), Column("Step", right=True), Column("Decision", least=24),
        Column("From", fixed=True), Column("Until", fixed=True), Column("State", fixed=True),
    )  # fmt: skip
    n = len(chains.rows)
    of = f"{n_shown:,} of {n:,}" if n_shown < n else f"{n:,}"
    words = f"{of} {'chain' if n == 1 else 'chains'} of decisions, as of {moment(chains.as_of)}."
    if n_cut:
        words += f" The newest {MAX_LIVES} decisions of each, without {n_cut:,} older ones."
    return Chart(
        name="chains",
        title="What replaced what",
        words=words,
        datasets={"lives": lives},
        table=(Grid((), columns, tuple(cells)),) if cells else (),
    )


def calibration_chart(calibration: Calibration) -> Chart:
    """The share of decisions that still hold, by how sure the panel was, with 95 % intervals."""
    measures = [m for m in ("final score", "judge confidence") if any(r.measure == m for r in calibration.rows)]
    bins = [
        {
            "measure": row.measure,
            "value": round(row.mean_value, 2),
            "share": round(100 * row.held_share, 2),
            "least": round(100 * row.least_share, 2),
            "most": round(100 * row.most_share, 2),
            "label": f"n = {row.n:,}",
            "enough": "too few to say" if row.too_few else "enough to say",
        }
        for row in calibration.rows
    ]
    words = f"{count(calibration.n_panels, 'scored panel')}, as of {moment(calibration.as_of)}."
    if not calibration.checked:
        words += " No facts at hand, so nothing is known to have tripped."
    tables = [
        Section((f"By {name}",), (bins_grid([row for row in calibration.rows if row.measure == name]),))
        for name in measures
    ]
    return Chart("calibration", "How sure panels were, and what came of it", words, {"bins": bins}, tuple(tables))


def runs_chart(runs: AuditRuns) -> Chart:
    """How many runs of each memory worker ended how, day by day; the last `MAX_DAYS` with a run."""
    counted: Counter[tuple[str, str, str]] = Counter()
    for run in runs:
        at = run.started_at or run.ended_at
        if at is not None:
            worker = run.worker.removeprefix("memory_")
            counted[_day(at), worker, _OUTCOMES.get(run.status, run.status)] += 1
    days = sorted({day for day, _, _ in counted})
    shown_days = days[-MAX_DAYS:]
    workers = sorted({worker for _, worker, _ in counted})
    bars: list[dict[str, object]] = []
    cells: list[tuple[Line, ...]] = []
    for day in shown_days:
        ends = (dt.date.fromisoformat(day) + dt.timedelta(days=1)).isoformat()
        for worker in workers:
            low = 0
            numbers = [counted[day, worker, outcome] for outcome in OUTCOMES]
            for outcome, n in zip(OUTCOMES, numbers, strict=True):
                if n:
                    span = {"from": day, "to": ends, "worker": worker, "outcome": outcome}
                    bars.append({**span, "low": low, "high": low + n})
                    low += n
            if low:
                cells.append(((day,), (worker,), *((f"{n:,}",) if n else ("–",) for n in numbers)))
    cut = f"The last {len(shown_days):,} of {len(days):,} days with a run. " if len(shown_days) < len(days) else ""
    words = f"{cut}{count(len(runs), 'run')} as of {moment(runs.as_of)}, by the day of their start in UTC."
    columns = (
        Column("Day", fixed=True),
        Column("Worker", fixed=True),
        *(Column(outcome.capitalize(), right=True) for outcome in OUTCOMES),
    )
    table = (Grid((), columns, tuple(cells)),) if cells else ()
    return Chart("runs", "How the memory workers did", words, {"runs": bars}, table)


def _labelled(members: Sequence[ChainMember]) -> Iterator[tuple[str, ChainMember]]:
    """Members under names that differ."""
    seen: set[str] = set()
    for member in members:
        label = shown(member.title, MAX_TITLE)
        again = 1
        while label in seen:
            again += 1
            label = f"{shown(member.title, MAX_TITLE - 6)} ({again})"
        seen.add(label)
        yield label, member


def _state(member: ChainMember, as_of: dt.datetime) -> tuple[str, dt.datetime | None]:
    """In a word, and until when it held."""
    if member.is_circular:
        return "in a circle", member.ends_at
    if member.status in {"accepted", "unknown"}:
        return "holds", max(as_of, member.begins_at)
    return ("replaced" if member.status == "superseded" else "other"), member.ends_at


def _day(value: dt.datetime) -> str:
    return value.astimezone(clock.UTC).date().isoformat()
