"""Verbs that keep: store, one import for each kind of files, export."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from memkit.entrances.cli import FOUND, output, stored_input
from memkit.entrances.cli.call import Call
from memkit.entrances.cli.grammar import answering

if TYPE_CHECKING:
    from memkit.importers.kinds.table import Kind

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be imported and store nothing.")]
Source = Annotated[str, typer.Argument(metavar="PATH", help="A file, or a folder of such files.")]
Limit = Annotated[int | None, typer.Option("--limit", metavar="N", min=1, help="Store at most N entries.")]

Prune = Annotated[
    bool, typer.Option("--prune", help="Store even if that pushes entries over the policy; they go to the trash.")
]


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
    prune: Prune = False,
) -> None:
    """Store a result; when this returns, it is on disk.

    The JSON is an object with "question" and "result" (and "panel_id", "tags", "stored_at" if wanted), or a bare result
    with its own "question", or a list of either.
    """
    call: Call = ctx.obj
    given = {"question": question, "panel_id": panel, "tags": tag, "stored_at": stored_at}
    entries = stored_input.read_new_entries(file, given)
    with call.memory() as memory:
        moving = list(memory.about_to_prune(entries))
        if moving and not call.json:
            shown = ", ".join(moving[:5]) + (f" and {len(moving) - 5:,} more" if len(moving) > 5 else "")
            output.note(call, f"storing this moves {len(moving):,} to the trash by the policy: {shown}")
        receipts = memory.store_many(entries, prune=prune)
    if call.json:
        output.document({"about_to_prune": moving, "stored": [receipt.to_dict() for receipt in receipts]})
        return
    for receipt in receipts:
        output.result(receipt)


def importer(kind: Kind) -> Callable[..., None]:
    """The verb that imports one kind."""

    def take_in(
        ctx: typer.Context,
        path: Source,
        dry_run: DryRun = False,
        limit: Limit = None,
        prune: Prune = False,
    ) -> None:
        call: Call = ctx.obj
        with call.memory() as memory, output.progress(call, f"import {kind.name}") as progress:
            report = memory.import_from(kind.name, path, dry_run=dry_run, limit=limit, progress=progress, prune=prune)
        if call.json:
            output.document({"import": report.to_dict()})
        else:
            output.result(report)

    take_in.__doc__ = f"Take in {kind.reads}.\n\nEach item is accounted for; a second run adds nothing."
    return take_in


def detect(
    ctx: typer.Context,
    path: Annotated[
        str | None,
        typer.Option("--detect", metavar="PATH", help="Say which kind of files PATH holds, and by what signs."),
    ] = None,
) -> None:
    """Take in decisions that exist elsewhere."""
    if path is None:
        if ctx.invoked_subcommand is None:
            ctx.fail("name a kind of files, or give --detect PATH")
        return
    if ctx.invoked_subcommand is not None:
        ctx.fail("leave out the kind, or leave out --detect")
    call: Call = ctx.obj
    with answering(call):
        with call.memory(while_disabled=True) as memory:
            found = memory.detect(path)
        if call.json:
            output.document({"detected": found.to_dict()})
        else:
            output.result(found)
        if found.kind is None:
            raise typer.Exit(FOUND)


def export(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    to: Annotated[str, typer.Argument(metavar="FOLDER", help="A new folder; it must not exist, or be empty.")],
    format: Annotated[
        str, typer.Option(metavar="FORMAT", help="jsonl, parquet, markdown or consensus.", show_default="jsonl")
    ] = "jsonl",
    query: Annotated[str | None, typer.Option(metavar="WORDS", help="Only what recall finds for these words.")] = None,
    panel: Annotated[str | None, typer.Option(metavar="NAME", help="Only entries of this panel.")] = None,
    any_tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only entries with one of these tags; repeatable.")
    ] = None,
    all_tags: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only entries with all of these tags; repeatable.")
    ] = None,
    since_days: Annotated[
        float | None, typer.Option(metavar="DAYS", min=0, help="Only entries stored in the last days.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1000, help="Hits of --query at most.")] = 1000,
    across_projects: Annotated[
        bool, typer.Option("--across-projects", help="Also your other enabled projects, a folder each.")
    ] = False,
) -> None:
    """Write what is stored into a new folder, with a manifest.

    Works while memory is off, and changes nothing in the store. Secrets are masked. JSON lines come back with
    `memkit import memkit FOLDER`.
    """
    call: Call = ctx.obj
    with call.memory(while_disabled=True) as memory, output.progress(call, "export") as progress:
        receipt = memory.export(
            to,
            format=format,  # type: ignore[arg-type]  # checked there
            query=query,
            panel=panel,
            any_tag=any_tag or (),
            all_tags=all_tags or (),
            since_days=since_days,
            limit=limit,
            across_projects=across_projects,
            progress=progress,
        )
    output.answer(call, receipt, key="exported")
