"""Verbs that keep: store, import adr, import consensus."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from memkit.entrances.cli import output, stored_input
from memkit.entrances.cli.call import Call

if TYPE_CHECKING:
    from memkit.importers.report import ImportReport

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be imported and store nothing.")]


def store(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="A JSON file; - or nothing for stdin.")] = "-",
    question: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What was asked, if the JSON does not say.")
    ] = None,
    panel: Annotated[
        str | None, typer.Option(metavar="NAME", help="The panel that answered.", show_default="consensus")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(metavar="TAG", help="A tag; may be given again.")] = None,
    stored_at: Annotated[
        str | None, typer.Option("--stored-at", metavar="TIME", help="ISO 8601.", show_default="now")
    ] = None,
) -> None:
    """Store a result; when this returns, it is on disk.

    The JSON is an object with "question" and "result" (and "panel_id", "tags", "stored_at" if wanted), or a bare result
    with its own "question", or a list of either.
    """
    call: Call = ctx.obj
    given = {"question": question, "panel_id": panel, "tags": tag, "stored_at": stored_at}
    entries = stored_input.read_new_entries(file, given)
    with call.memory() as memory:
        receipts = memory.store_many(entries)
    if call.json:
        output.document({"stored": [receipt.to_dict() for receipt in receipts]})
        return
    for receipt in receipts:
        output.result(receipt)


def import_adr(
    ctx: typer.Context,
    path: Annotated[str, typer.Argument(metavar="PATH", help="A decision record, or a folder of them.")],
    dry_run: DryRun = False,
) -> None:
    """Take in decision records written in Markdown.

    Each file is accounted for; a second run adds nothing.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        _report(call, memory.import_adr(path, dry_run=dry_run))


def import_consensus(
    ctx: typer.Context,
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A ConsensusResult as JSON, a JSONL file, or a folder of them.")
    ],
    dry_run: DryRun = False,
) -> None:
    """Take in results of panel runs.

    Each file is accounted for; a second run adds nothing.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        _report(call, memory.import_consensus(path, dry_run=dry_run))


def _report(call: Call, report: ImportReport) -> None:
    if call.json:
        output.document({"import": report.to_dict()})
    else:
        output.result(report)
