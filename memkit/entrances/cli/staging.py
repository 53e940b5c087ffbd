"""Verbs about sessions and candidates: extract, consolidate, reconcile, staging."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from memkit.entrances.cli import FOUND, output
from memkit.entrances.cli.asking import Rows
from memkit.entrances.cli.call import Call
from memkit.entrances.cli.recording import read_body
from memkit.errors import UsageError

if TYPE_CHECKING:
    from memkit.consolidate.extract import Progress
    from memkit.consolidate.reconcile import Progress as CandidateProgress
    from memkit.consolidate.report import ConsolidationReport
    from memkit.model.session import Turn
    from memkit.store.candidate_files import Item
    from memkit.store.staging import StagingFile

SessionId = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="Only of this session.", show_default="all")
]


def extract(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    session: Annotated[
        str, typer.Option(metavar="PATH|ID|latest", help="A session file, a session's id, latest, or entries.")
    ] = "latest",
    branch: Annotated[
        str | None, typer.Option(metavar="REF", help="Where the branch ends.", show_default="the current branch")
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Ask the model of consolidation.model; it is sent what was said.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be staged.")] = False,
    rows: Rows = 20,
) -> None:
    """Find decisions and lessons in a session and stage them.

    Nothing becomes a record by it. What was staged before, or is stored already, is not staged again.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        report = memory.staging.extract(
            session,
            branch=branch,
            extractor="model" if model else "rules",
            dry_run=dry_run,
            progress=shown(call),
        )
    output.answer(call, report, rows=rows)


def shown(call: Call) -> Progress | None:
    """A bar on stderr for whoever watches a terminal, else None."""
    if call.quiet or call.json or not sys.stderr.isatty():
        return None

    def bar(turns: Iterable[Turn]) -> Iterable[Turn]:
        from tqdm import tqdm

        watched: Iterable[Turn] = tqdm(turns, unit=" turns", leave=False, delay=1.0, file=sys.stderr)
        return watched

    return bar


def list_staged(
    ctx: typer.Context,
    session: SessionId = None,
    dead: Annotated[bool, typer.Option("--dead", help="Dead letters instead: what could not be reconciled.")] = False,
    rows: Rows = 20,
) -> None:
    """List candidates that wait to become records, with their keys."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.staging.dead_letters(session) if dead else memory.staging.list(session)
    output.answer(call, found, rows=rows)


Key = Annotated[str, typer.Argument(metavar="KEY", help="Of the candidate, or its first characters.")]


def show(ctx: typer.Context, key: Key) -> None:
    """Show one candidate with its evidence and the records near it.

    The records stand as they are now, the likest first, each with its SHA-256. A dead letter has none beside it.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.staging.show(key)
        if found.is_dead:
            output.answer(call, found)
        else:
            output.answer(call, memory.staging.review(key=found.key)[0])


def decide(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    key: Key,
    decision: Annotated[
        Literal["distinct", "duplicate", "supersedes", "merge", "discard"],
        typer.Argument(metavar="DECISION", help="distinct, duplicate, supersedes, merge or discard."),
    ],
    of: Annotated[
        str, typer.Option("--of", metavar="SLUG", help="The record it repeats, replaces, or is merged with.")
    ] = "",
    body: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The text of a merged record.", show_default="both texts")
    ] = None,
    file: Annotated[
        str | None, typer.Option("--file", metavar="FILE", help="Read that text from a file; - is stdin.")
    ] = None,
    expect: Annotated[
        str | None, typer.Option("--expect", metavar="HASH", help="A conflict unless the record has this SHA-256.")
    ] = None,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; shown in the report.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would happen.")] = False,
) -> None:
    """Say what one candidate is, and carry it out.

    Nothing else that waits is touched. Leaves with 1 if the candidate still waits afterwards, as after a conflict.
    """
    call: Call = ctx.obj
    about_a_record = decision in {"duplicate", "supersedes", "merge"}
    if about_a_record != bool(of):
        says = f"{decision} is about a record" if about_a_record else f"{decision} is about no record"
        remedy = (
            "Name it with --of; memkit staging show KEY lists those near it." if about_a_record else "Leave out --of."
        )
        raise UsageError(says, field="--of", remedy=remedy)
    if decision != "merge" and (body is not None or file is not None):
        raise UsageError("only a merge has a text of its own", field="--body", remedy="Leave it out.")
    text = read_body(body, file, needed=False)
    with call.memory() as memory:
        report = memory.staging.decide(
            key, decision, of, body=text or "", reason=reason, expected_hash=expect, dry_run=dry_run
        )
    output.answer(call, report)
    if report.needs_a_person:
        raise typer.Exit(FOUND)


def recover(
    ctx: typer.Context,
    class_: Annotated[
        list[str] | None, typer.Option("--class", metavar="CLASS", help="Only of this class of reason; repeatable.")
    ] = None,
    session: SessionId = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
) -> None:
    """Put dead letters back into staging, to be tried once more."""
    call: Call = ctx.obj
    with call.memory() as memory:
        report = memory.staging.recover(classes=class_ or (), session_id=session, dry_run=dry_run)
    output.answer(call, report)


AdjudicatorName = Annotated[
    Literal["rules", "model"],
    typer.Option("--adjudicator", help="Whom to ask about what is near a record: rules alone, or then the model, too."),
]
PlanOnly = Annotated[bool, typer.Option("--dry-run", help="Only say what would happen; asks no model.")]


def consolidate(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    session: Annotated[
        str | None,
        typer.Option(metavar="PATH|ID|latest", help="Extract this session first.", show_default="none"),
    ] = None,
    branch: Annotated[
        str | None, typer.Option(metavar="REF", help="Where the branch ends.", show_default="the current branch")
    ] = None,
    adjudicator: AdjudicatorName = "rules",
    recover: Annotated[
        list[str] | None,
        typer.Option("--recover", metavar="CLASS", help="Put dead letters of this class back first; all; repeatable."),
    ] = None,
    dry_run: PlanOnly = False,
    rows: Rows = 20,
) -> None:
    """Make records of what sessions taught.

    Nothing is lost, and no record is deleted. Leaves with 1 if a candidate waits for a person.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        report = memory.consolidate(
            session,
            branch=branch,
            adjudicator=adjudicator,
            recover="all" in (recover or ()) or tuple(recover or ()),
            dry_run=dry_run,
            progress=_watched(call),
        )
    _answer(call, report, rows)


def reconcile(
    ctx: typer.Context, adjudicator: AdjudicatorName = "rules", dry_run: PlanOnly = False, rows: Rows = 20
) -> None:
    """Make records of what is staged, and extract nothing.

    Leaves with 1 if a candidate waits for a person.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        report = memory.reconcile(adjudicator=adjudicator, dry_run=dry_run, progress=_watched(call))
    _answer(call, report, rows)


def _answer(call: Call, report: ConsolidationReport, rows: int) -> None:
    output.answer(call, report, rows=rows)
    if report.needs_a_person:
        raise typer.Exit(FOUND)


def _watched(call: Call) -> CandidateProgress | None:
    """A bar on stderr for whoever watches a terminal, else None."""
    if call.quiet or call.json or not sys.stderr.isatty():
        return None

    def bar(items: Iterable[tuple[StagingFile, Item]]) -> Iterable[tuple[StagingFile, Item]]:
        from tqdm import tqdm

        watched: Iterable[tuple[StagingFile, Item]] = tqdm(
            items, unit=" candidates", leave=False, delay=1.0, file=sys.stderr
        )
        return watched

    return bar


def balance(ctx: typer.Context) -> None:
    """Say whether every candidate that was ever seen is somewhere.

    Leaves with 1 if one is missing.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.staging.balance()
    output.answer(call, found)
    if not found.is_even:
        raise typer.Exit(FOUND)
