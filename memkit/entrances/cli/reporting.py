"""Verbs that write a page: decisions, the audit log, consolidation. The one about retention is in `retaining`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from memkit.display import count
from memkit.entrances.cli import FOUND, output
from memkit.entrances.cli.call import Call
from memkit.entrances.cli.deciding import FactsFile
from memkit.entrances.cli.files_out import require_place, write_page

if TYPE_CHECKING:
    from memkit.memory import Memory

Made = TypeVar("Made")
PageFile = Annotated[str, typer.Option("--out", metavar="FILE.html", help="Where to write the page.")]
Since = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only what happened since then, ISO 8601.", show_default="ever"),
]
LEDGER = """
select category, fate, reason, record, adjudicator, decided_at, session_id, candidate_key
from consolidation_ledger
where fate is not null
order by decided_at desc, candidate_key
limit 1000
"""
RECORDS = """
select kind, title, status, reinforcement_count, last_seen_at, path
from records
order by kind, title, path
"""


def decisions(ctx: typer.Context, out: PageFile, facts: FactsFile = None) -> None:
    """Write what was decided as one self-contained HTML page.

    What holds, what replaced what, which conditions have come true. Leaves with 1 if one has.
    """
    from memkit.present.report_pages import decisions_page

    call: Call = ctx.obj
    place = require_place(out)
    with call.memory() as memory, output.progress(call, "report") as progress:
        made = _counting(progress)
        report = made(memory.tripwires.check(facts))
        summary = made(memory.project_summary(facts=facts))
        text = decisions_page(
            _name(memory),
            summary,
            decisions=made(memory.decisions()),
            tripwires=report,
            timeline=made(memory.timeline(facts=facts)),
            chains=made(memory.chains()),
            calibration=made(memory.calibration(facts=facts)),
        )
    write_page(place, text)
    if call.json:
        output.document({"report": out, "summary": summary.to_dict()})
    else:
        n = len(report.speaking)
        said = (
            f"{count(summary.n_decisions, 'decision')}, {summary.n_in_force:,} in force, "
            f"{count(n, 'condition')} came true"
        )
        output.headline(f"{said}; {out}", good=not n)
    if report.speaking:
        raise typer.Exit(FOUND)


def audit(ctx: typer.Context, out: PageFile, since: Since = None) -> None:
    """Write the audit log as one self-contained HTML page.

    What the memory workers did and how it ended, who asked what, whether the log is whole. Leaves with 1 if a run
    failed or got lost, or the log or the history of a record is broken.
    """
    from memkit.present.report_pages import bad_runs, log_page

    call: Call = ctx.obj
    place = require_place(out)
    with call.memory() as memory, output.progress(call, "report") as progress:
        made = _counting(progress)
        runs, health = made(memory.audit.runs(since=since)), made(memory.audit.health(since=since))
        chain, history = made(memory.audit.verify()), made(memory.audit.history())
        text = log_page(
            _name(memory),
            health=health,
            runs=runs,
            chain=chain,
            activity=made(memory.audit.activity(since=since)),
            usage=made(memory.audit.usage(since=since)),
            history=history,
        )
    write_page(place, text)
    n_bad, n_breaks = len(bad_runs(runs)), len(history.breaks)
    found = bool(n_bad or n_breaks or not chain.is_whole)
    if call.json:
        said = {"n_runs": len(runs), "n_failed": n_bad, "n_breaks": n_breaks, "is_whole": chain.is_whole}
        output.document({"report": out, **said, "health": health.to_dict()})
    else:
        whole = "the log is whole" if chain.is_whole else "the log is not whole"
        output.headline(f"{count(len(runs), 'run')}, {n_bad:,} failed or lost, {whole}; {out}", good=not found)
    if found:
        raise typer.Exit(FOUND)


def consolidation(ctx: typer.Context, out: PageFile) -> None:
    """Write what became of all candidates as one HTML page.

    Why the last consolidation did what it did, what waits, what was given up. Leaves with 1 if something waits, was
    given up, or is not accounted for.
    """
    from memkit.present.report_pages import consolidation_page

    call: Call = ctx.obj
    place = require_place(out)
    with call.memory() as memory, output.progress(call, "report") as progress:
        made = _counting(progress)
        balance, runs = made(memory.staging.balance()), made(memory.audit.runs(worker="memory_consolidation"))
        staged, dead = made(memory.staging.list()), made(memory.staging.dead_letters())
        text = consolidation_page(
            _name(memory),
            runs=runs,
            balance=balance,
            staged=staged,
            dead=dead,
            ledger=made(memory.sql(LEDGER)),
            records=made(memory.sql(RECORDS)),
        )
    write_page(place, text)
    found = bool(staged.rows or dead.rows or not balance.is_even)
    last = runs[0].to_dict() if len(runs) else None
    if call.json:
        document = {"report": out, "last_run": last, "balance": balance.to_dict()}
        output.document({**document, "n_waiting": len(staged.rows), "n_dead_letters": len(dead.rows)})
    else:
        said = f"{count(balance.n_in, 'candidate')}, {len(staged.rows):,} wait, {len(dead.rows):,} given up"
        output.headline(f"{said}; {out}", good=not found)
    if found:
        raise typer.Exit(FOUND)


def _counting(progress: Callable[[int], None] | None) -> Callable[[Made], Made]:
    """Passes on what was made, and counts it."""

    def made(value: Made) -> Made:
        if progress is not None:
            progress(1)
        return value

    return made


def _name(memory: Memory) -> str:
    return Path(memory.paths.project_path).name or memory.paths.project_path
