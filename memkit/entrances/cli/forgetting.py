"""Verbs that forget, and that look for what should have been forgotten: erase, scan."""

from __future__ import annotations

from typing import Annotated

import typer

from memkit.entrances.cli import FOUND, output
from memkit.entrances.cli.call import Call


def erase(
    ctx: typer.Context,
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="The entry, or the first characters of its id.")],
    record: Annotated[bool, typer.Option("--record", help="ID is the name of a record, living or deleted.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without this, only say what would go.")] = False,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why; kept with the id.")] = "",
) -> None:
    """Erase one entry from every file of the store, and prove it.

    Afterwards every byte of the store is looked at, Parquet decoded, for what only this entry said. Leaves with 1 if
    something of it is left. Works while memory is off.
    """
    call: Call = ctx.obj
    with call.memory(while_disabled=True) as memory:
        receipt = (memory.erase_record if record else memory.erase)(entry_id, confirm=yes, reason=reason)
    output.answer(call, receipt, key="erased")
    if not call.json and receipt.dry_run:
        named = f"{receipt.id} --record" if record else receipt.id
        output.note(call, f"nothing was changed; to do it: memkit erase {named} --yes")
    if not receipt.dry_run and not receipt.is_clean:
        raise typer.Exit(FOUND)


def scan(
    ctx: typer.Context,
    secrets: Annotated[bool, typer.Option("--secrets", help="Look for what has the shape of a secret.")] = False,
    text: Annotated[str | None, typer.Option(metavar="TEXT", help="Look for this text.")] = None,
    rows: Annotated[int | None, typer.Option(metavar="N", min=0, help="Rows shown; 0 for all.")] = None,
) -> None:
    """Look into every byte of the store for secrets or a text.

    Reads every file, Parquet decoded, and shows what it finds masked. Finds what was stored before scrubbing was
    switched on. Leaves with 1 if it found something. Works while memory is off.
    """
    call: Call = ctx.obj
    with call.memory(while_disabled=True) as memory:
        found = memory.scan(text=text, secrets=secrets)
    output.answer(call, found, key="scan", rows=rows)
    if not found.is_clean:
        raise typer.Exit(FOUND)
