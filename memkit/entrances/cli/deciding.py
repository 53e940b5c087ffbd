"""Verbs about decisions: decided, summary, chains, timeline, in-force, calibration, tripwires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from memkit.entrances.cli import FOUND, output
from memkit.entrances.cli.asking import Rows
from memkit.entrances.cli.call import Call
from memkit.errors import UsageError

FactsFile = Annotated[
    str | None,
    typer.Option(
        "--facts", metavar="FILE", help="CSV or Parquet of metric, at, value.", show_default="tripwires.facts"
    ),
]
AsOf = Annotated[
    str | None, typer.Option("--as-of", metavar="TIME", help="The moment to judge at, ISO 8601.", show_default="now")
]
Names = Annotated[
    list[str] | None,
    typer.Option("--name", metavar="CONDITION=FACTS", help="What the facts call a metric; repeatable."),
]


def read_names(pairs: Sequence[str] | None) -> dict[str, str] | None:
    """`--name "write QPS=db_writes"` as a mapping.

    Raises:
        UsageError: no name on one side.
    """
    if not pairs:
        return None
    names: dict[str, str] = {}
    for pair in pairs:
        ours, _, theirs = pair.rpartition("=")
        if not ours.strip() or not theirs.strip():
            raise UsageError(
                f"{pair!r:.80} is not CONDITION=FACTS", field="--name", remedy='Write --name "write QPS=db_writes".'
            )
        names[ours] = theirs
    return names


def decided(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    topic: Annotated[list[str], typer.Argument(metavar="TOPIC", help="What the decision is about.")],
    limit: Annotated[int, typer.Option(metavar="N", min=1, help="Decisions at most.")] = 10,
    since_days: Annotated[
        float | None, typer.Option(metavar="DAYS", min=0, help="Only decisions made in the last days.")
    ] = None,
    facts: FactsFile = None,
    as_of: AsOf = None,
) -> None:
    """Say what was decided, what replaced it, what would undo it.

    Decisions only: conclusion, days, confidence, dissent, tripwires with today's verdict. A superseded decision stands
    behind what replaced it.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.what_we_decided(" ".join(topic), since_days=since_days, limit=limit, facts=facts, as_of=as_of)
    if call.json:
        output.document(found.to_dict())
    else:
        output.result(found, rows=limit)


def summary(ctx: typer.Context, facts: FactsFile = None, as_of: AsOf = None) -> None:
    """Sum up what this project's memory holds."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.project_summary(facts=facts, as_of=as_of)
    output.answer(call, found)


def check(  # noqa: PLR0917
    ctx: typer.Context,
    facts: FactsFile = None,
    as_of: AsOf = None,
    name: Names = None,
    include_superseded: Annotated[
        bool, typer.Option("--include-superseded", help="Also of decisions that are not in force.")
    ] = False,
    rows: Rows = 20,
) -> None:
    """Judge every tripwire; leaves with 1 if one tripped.

    A day to come back on that has passed counts as tripped. What was acknowledged does not count.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        report = memory.tripwires.check(
            facts, as_of=as_of, mapping=read_names(name), include_superseded=include_superseded
        )
    output.answer(call, report, rows=rows)
    if report.speaking:
        raise typer.Exit(FOUND)


def backtest(
    ctx: typer.Context,
    facts: FactsFile = None,
    as_of: AsOf = None,
    name: Names = None,
    rows: Rows = 20,
) -> None:
    """Replay the facts: when would each tripwire have fired?"""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.tripwires.backtest(facts, as_of=as_of, mapping=read_names(name))
    output.answer(call, found, rows=rows)


def acknowledge(  # noqa: PLR0917
    ctx: typer.Context,
    tripwire: Annotated[str, typer.Argument(metavar="ID", help="The tripwire, as check names it.")],
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why it may be silent.")],
    facts: FactsFile = None,
    as_of: AsOf = None,
    name: Names = None,
) -> None:
    """Silence a tripped tripwire until its evidence changes.

    It is written down, with the reason, in the store and in the audit log.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        said = memory.tripwires.acknowledge(tripwire, reason, facts=facts, as_of=as_of, mapping=read_names(name))
    output.answer(call, said, key="acknowledged")


def chains(ctx: typer.Context, rows: Rows = 20) -> None:
    """Show which decisions replaced which, and what holds now.

    Links that could mean several decisions, or none, are not followed; they are listed with their candidates.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.chains()
    output.answer(call, found, rows=rows)


def timeline(  # noqa: PLR0917
    ctx: typer.Context,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Where to begin, ISO 8601.", show_default="the first decision")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="TIME", help="Where to end, ISO 8601.", show_default="now")
    ] = None,
    bucket: Annotated[
        str, typer.Option(metavar="LENGTH", help="Of a stretch: day, week, month, quarter, year.")
    ] = "month",
    facts: FactsFile = None,
    rows: Rows = 20,
) -> None:
    """Tell how decisions came and went over time."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.timeline(since, until, bucket, facts=facts)
    output.answer(call, found, rows=rows)


def in_force(ctx: typer.Context, as_of: AsOf = None, rows: Rows = 20) -> None:
    """Show what was in force at a moment; leaves with 1 if not known.

    Before the first decision this memory knows of, the answer is "not available" rather than empty.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.in_force(as_of)
    output.answer(call, found, rows=rows)
    if not found.is_available:
        raise typer.Exit(FOUND)


def calibration(
    ctx: typer.Context,
    width: Annotated[float, typer.Option(metavar="N", min=5, max=100, help="The width of a bin of scores.")] = 20,
    facts: FactsFile = None,
) -> None:
    """Compare how sure panels were with what came of it."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.calibration(width=width, facts=facts)
    output.answer(call, found)
