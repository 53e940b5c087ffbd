"""Verbs that look after a store: verify, repair, wipe."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from memkit.entrances.cli import FOUND, output
from memkit.entrances.cli.call import Call
from memkit.errors import ConfirmationError

if TYPE_CHECKING:
    from memkit.model.problem import Problem
    from memkit.model.status import Status


def verify(ctx: typer.Context) -> None:
    """List each damaged spot of the store; change nothing.

    Compares every file with every index line. Leaves with 1 if it found something. Works while memory is off.
    """
    call: Call = ctx.obj
    with call.memory(while_disabled=True) as memory, output.progress(call, "verify") as progress:
        problems = memory.verify(progress=progress)
    if call.json:
        output.document({"problems": [problem.to_dict() for problem in problems]})
    else:
        output.headline(_count(problems), good=not problems)
        for problem in problems:
            output.text(_line(problem))
    if problems:
        raise typer.Exit(FOUND)


def repair(
    ctx: typer.Context,
    apply: Annotated[bool, typer.Option("--apply", help="Do it. Without this, only say what would be done.")] = False,
) -> None:
    """Mend what verify found; without --apply, only say how.

    No byte is lost: what is damaged goes to quarantine. Leaves with 1 if there is something to do, or something left
    for a person.
    """
    call: Call = ctx.obj
    with call.memory(while_disabled=not apply) as memory, output.progress(call, "repair") as progress:
        report = memory.repair(dry_run=not apply, progress=progress)
    output.answer(call, report, key="repair")
    if not call.json and report.dry_run and report.actions:
        output.note(call, "nothing was changed; to do it: memkit repair --apply")
    if report.problems_left or (report.dry_run and report.actions):
        raise typer.Exit(FOUND)


def wipe(
    ctx: typer.Context,
    yes: Annotated[bool, typer.Option("--yes", help="Do it. Without this, only say what would be removed.")] = False,
    confirm: Annotated[
        str | None, typer.Option(metavar="NAME", help="The project's folder name or key, typed out.")
    ] = None,
) -> None:
    """Remove everything stored for this project, for good.

    Needs --yes and the project's name or key; at a terminal you are asked for the name. Works while memory is off.
    """
    call: Call = ctx.obj
    with call.memory(while_disabled=True) as memory:
        before = memory.status()
        if not yes:
            _preview(call, before)
            return
        receipt = memory.wipe(confirm=_confirmation(before) if confirm is None else confirm)
    output.answer(call, receipt, key="wiped")
    if not receipt.is_clean:
        raise typer.Exit(FOUND)


def _preview(call: Call, before: Status) -> None:
    if call.json:
        output.document({"dry_run": True, "status": before.to_dict()})
        return
    output.headline(f"Would remove {_entries(before)} in {before.folder}", good=not before.n_entries)
    output.text(f"Nothing was removed. To do it: memkit wipe --yes --confirm {before.project_key}")


def _confirmation(before: Status) -> str:
    if not output.is_interactive():
        raise ConfirmationError(
            "wiping needs the project's folder name or key",
            field="--confirm",
            remedy=f"Add --confirm {before.project_key} to remove everything stored for {before.project_path}.",
        )
    return output.ask(
        f"This removes {_entries(before)} in {before.folder} for good.\n"
        "Type the project's folder name or key to go on: "
    )


def _entries(before: Status) -> str:
    return f"{before.n_entries:,} {'entry' if before.n_entries == 1 else 'entries'}"


def _count(problems: Sequence[Problem]) -> str:
    n = len(problems)
    return "No problems found." if n == 0 else f"{n:,} problem{'' if n == 1 else 's'} found."


def _line(problem: Problem) -> str:
    where = f"{problem.file} bytes {problem.start}-{problem.end}" if problem.start >= 0 else problem.file
    remedy = f"\n    {problem.remedy}" if problem.remedy else ""
    return f"  {problem.code}  {where}: {problem.detail}{remedy}"
