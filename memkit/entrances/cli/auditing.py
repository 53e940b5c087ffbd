"""Verbs about the audit log: audit tail, path, verify, compact, runs, events, history, usage, health."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memkit.entrances.cli import FOUND, output
from memkit.entrances.cli.asking import Rows
from memkit.entrances.cli.call import Call

if TYPE_CHECKING:
    from memkit.memory import Memory

Since = Annotated[
    str | None, typer.Option(metavar="TIME", help="Only since then, ISO 8601.", show_default="the beginning")
]


def tail(
    ctx: typer.Context,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as the log grows; Ctrl-C ends it.")] = False,
    lines: Annotated[int, typer.Option("--lines", "-n", metavar="N", min=1, max=100_000, help="Events to show.")] = 20,
) -> None:
    """Show the newest events, one line each; with -f go on.

    With --json each line is the event as it stands in the log.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        for event in memory.audit.latest(lines):
            _say(call, event)
        if follow:
            for event in memory.audit.follow():
                _say(call, event)


def _say(call: Call, event: Mapping[str, Any]) -> None:
    if call.json:
        sys.stdout.write(json.dumps(event, allow_nan=False) + "\n")
    else:
        from memkit.present.event_line import event_line

        output.text(event_line(event))
    sys.stdout.flush()


def path(ctx: typer.Context) -> None:
    """Say which file `tail -F` should follow."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = str(memory.audit.path)
    if call.json:
        output.document({"path": found})
    else:
        output.text(found)


def verify(ctx: typer.Context) -> None:
    """Check that no line was changed; leaves with 1 if one was.

    Names the first break by file and byte. What a crash tore is told apart, and is no break.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        report = memory.audit.verify()
    output.answer(call, report)
    if not report.is_whole:
        raise typer.Exit(FOUND)


def compact(
    ctx: typer.Context,
    apply: Annotated[bool, typer.Option("--apply", help="Do it. Without this, only say what would be done.")] = False,
) -> None:
    """Turn closed days of the log into Parquet files.

    They stay as they were, line by line, and can be asked and verified as before. Days older than the setting
    audit.keep_days are removed.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        receipt = memory.audit.compact(dry_run=not apply)
    output.answer(call, receipt)
    if not call.json and receipt.dry_run and (receipt.compacted or receipt.removed):
        output.note(call, "nothing was changed; to do it: memkit audit compact --apply")


def runs(
    ctx: typer.Context,
    worker: Annotated[str | None, typer.Option(metavar="NAME", help="Only extract or consolidation.")] = None,
    status: Annotated[str | None, typer.Option(metavar="WORD", help="Only runs that ended so, such as failed.")] = None,
    since: Since = None,
    rows: Rows = 20,
) -> None:
    """List runs of memory workers and how they ended."""
    call: Call = ctx.obj
    with call.memory() as memory:
        _answer(call, memory.audit.runs(worker=worker, status=status, since=since), rows)


def events(
    ctx: typer.Context,
    event: Annotated[str | None, typer.Option(metavar="KIND", help="Only this kind, such as entry_operation.")] = None,
    op: Annotated[str | None, typer.Option("--op", metavar="WORD", help="Only this operation, such as store.")] = None,
    since: Since = None,
    rows: Rows = 20,
) -> None:
    """List events, newest first."""
    call: Call = ctx.obj
    with call.memory() as memory:
        _answer(call, memory.audit.events(event=event, op=op, since=since), rows)


def history(
    ctx: typer.Context,
    slug: Annotated[str | None, typer.Argument(metavar="[SLUG]", help="The record; all of them by default.")] = None,
    rows: Rows = 20,
) -> None:
    """Show what happened to a record; leaves with 1 on a break.

    A break: a change began with other bytes than the one before it had left.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.audit.history(slug)
        _answer(call, found, rows)
    if found.breaks:
        raise typer.Exit(FOUND)


def usage(ctx: typer.Context, since: Since = None, rows: Rows = 20) -> None:
    """Show what was asked and read, most often first."""
    call: Call = ctx.obj
    with call.memory() as memory:
        _answer(call, memory.audit.usage(since=since), rows)


def health(ctx: typer.Context, since: Since = None) -> None:
    """Say how the workers do; leaves with 1 if a run was lost."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.audit.health(since=since)
        _answer(call, found, 20)
    if found.n_lost:
        raise typer.Exit(FOUND)


def _answer(call: Call, found: Any, rows: int) -> None:
    output.answer(call, found, rows=rows)


def watch(call: Call, memory: Memory) -> None:
    """Write the status line whenever it changes, until Ctrl-C."""
    import time

    last = None
    while True:
        line = memory.audit.status_line() or "MEMORY: no worker has run yet"
        if line != last:
            if call.json:
                output.document({"line": line})
            else:
                output.text(line)
            sys.stdout.flush()
            last = line
        time.sleep(0.2)
