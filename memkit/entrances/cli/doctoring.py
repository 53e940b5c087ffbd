"""The verb that looks at everything: doctor."""

from __future__ import annotations

import typer

from memkit.entrances.cli import FOUND, output
from memkit.entrances.cli.call import Call


def doctor(ctx: typer.Context) -> None:
    """Look for what could stand in the way, and say what to do.

    Settings, consent, store, locks, disk, versions and extras: each line is ok, warn or bad. Writes nothing, and works
    while memory is off. Leaves with 1 if something is bad.
    """
    from memkit import opening

    call: Call = ctx.obj
    found = opening.check_up(call.project, root=call.root)
    if call.json:
        output.document({"doctor": found.to_dict()})
    else:
        output.result(found, rows=0)
    if not found.is_sound:
        raise typer.Exit(FOUND)
