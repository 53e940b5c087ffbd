"""Verbs about forgetting: retention, trash, restore, pins and holds, saved queries, the audit report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from memkit.entrances.cli import FOUND, output
from memkit.entrances.cli.asking import Rows
from memkit.entrances.cli.call import Call
from memkit.entrances.cli.deciding import AsOf
from memkit.entrances.cli.files_out import require_place, write_page
from memkit.errors import InvalidInputError, UsageError

Reason = Annotated[str, typer.Option(metavar="TEXT", help="Why.")]
EntryId = Annotated[str, typer.Argument(metavar="ID", help="The entry; 8 characters are enough where only one fits.")]
Within = Annotated[
    str | None, typer.Option("--due-within", metavar="DAYS", help="Look so far ahead: 30d, 4w, or a number of days.")
]
PolicyFile = Annotated[
    str | None,
    typer.Option("--policy", metavar="FILE", help="A JSON file with another policy.", show_default="the settings"),
]
_LENGTHS = {"d": 1, "w": 7, "y": 365}


def read_days(text: str | None) -> float:
    """`30d`, `4w`, `1y` or `30` as days.

    Raises:
        UsageError: it is none of these.
    """
    if text is None:
        return 0.0
    number, unit = (text[:-1], text[-1]) if text[-1:] in _LENGTHS else (text, "d")
    if not number.isascii() or not number.isdigit() or len(number) > 6:
        raise UsageError(f"{text!r:.40} is no number of days", field="--due-within", remedy="Write 30d, 4w or 30.")
    return float(int(number) * _LENGTHS[unit])


def read_policy(file: str | None) -> dict[str, Any] | None:
    """A policy from a JSON file, or None.

    Raises:
        InvalidInputError: it cannot be read, or is no JSON object.
    """
    if file is None:
        return None
    try:
        values = json.loads(Path(file).read_bytes())
    except FileNotFoundError as error:
        raise InvalidInputError(
            "there is no such file", file=file, field="--policy", remedy='Write one: {"max_age_days": 90}.'
        ) from error
    except (OSError, ValueError, RecursionError) as error:
        raise InvalidInputError(f"cannot be read as JSON: {error}", file=file, field="--policy") from error
    if not isinstance(values, dict):
        raise InvalidInputError("is no JSON object", file=file, field="--policy", remedy='Write {"max_age_days": 90}.')
    return values


def review(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    due_within: Within = None,
    as_of: AsOf = None,
    policy: PolicyFile = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write the plan, for retention apply.")
    ] = None,
    rows: Rows = 20,
) -> None:
    """Show what the policy would forget, and why.

    Changes nothing. Leaves with 1 if something is due, within the days asked for, or may be erased in the trash.
    """
    call: Call = ctx.obj
    place = None if out is None else require_place(out)
    days = read_days(due_within)
    with call.memory() as memory:
        found = memory.retention.review(read_policy(policy), as_of, due_within=days)
        written = None if place is None else memory.retention.write_plan(found, place)
    if call.json:
        output.document({"review": found.to_dict(), "plan": None if written is None else str(written)})
    else:
        output.result(found, rows=rows)
        if rows < max(len(found.due), len(found.expired), len(found.kept_back), len(found.due_soon) if days else 0):
            output.note(
                call, f"at most {rows:,} of each list are shown; --rows N shows more, --json and --out have all"
            )
        if written is not None:
            output.note(call, f"the plan is in {written}; carry it out with: memkit retention apply {written}")
    if found.finds_something:
        raise typer.Exit(FOUND)


def apply(
    ctx: typer.Context,
    plan: Annotated[str, typer.Argument(metavar="PLAN.json", help="What retention review --out wrote.")],
    everything: Annotated[bool, typer.Option("--all", help="Also if no entry would be left.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything and change no byte.")] = False,
) -> None:
    """Carry out a reviewed plan: all of it or nothing.

    Refused, with a list of what changed, if the store, a pin, a hold or the policy is not what it was.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        receipt = memory.retention.apply(plan, everything=everything, dry_run=dry_run)
    output.answer(call, receipt, key="applied")


def compare(
    ctx: typer.Context,
    before: Annotated[str, typer.Argument(metavar="POLICY.json", help="A JSON file with a policy.")],
    after: Annotated[str, typer.Argument(metavar="OTHER.json", help="Another.")],
    as_of: AsOf = None,
    rows: Rows = 20,
) -> None:
    """Show which entries two policies judge differently."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.retention.compare(read_policy(before) or {}, read_policy(after) or {}, as_of=as_of)
    output.answer(call, found, key="comparison", rows=rows)


def calendar(
    ctx: typer.Context,
    until: Annotated[str, typer.Option(metavar="TIME", help="The last day, ISO 8601.")],
    policy: PolicyFile = None,
    rows: Rows = 20,
) -> None:
    """Show on which days entries get due, if nothing else is stored."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.retention.calendar(until, read_policy(policy))
    output.answer(call, found, key="calendar", rows=rows)


def impact(ctx: typer.Context, rows: Rows = 20) -> None:
    """Show which saved queries would answer differently, and why."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.retention.impact()
    output.answer(call, found, key="impact", rows=rows)


def list_trash(ctx: typer.Context, rows: Rows = 20) -> None:
    """Show which entries are in the trash, why, and until when.

    Records that a person deleted are listed by records deleted.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.trash.list()
    output.answer(call, found, key="trash", rows=rows)


def restore(
    ctx: typer.Context,
    entry_id: Annotated[list[str], typer.Argument(metavar="ID...", help="What to bring back, as trash list names it.")],
) -> None:
    """Bring entries back from the trash, byte for byte."""
    call: Call = ctx.obj
    with call.memory() as memory:
        receipt = memory.trash.restore(*entry_id)
    output.answer(call, receipt, key="restored")


def pin(ctx: typer.Context, entry_id: EntryId, reason: Reason) -> None:
    """Keep an entry whatever the policy says."""
    _mark(ctx, "pin", entry_id, reason)


def unpin(ctx: typer.Context, entry_id: EntryId, reason: Reason) -> None:
    """Take a pin off."""
    _mark(ctx, "unpin", entry_id, reason)


def hold(ctx: typer.Context, entry_id: EntryId, reason: Reason) -> None:
    """Put an entry under legal hold: nothing removes it.

    What is in the trash can be held too; its days then never end.
    """
    _mark(ctx, "hold", entry_id, reason)


def release(ctx: typer.Context, entry_id: EntryId, reason: Reason) -> None:
    """Take a legal hold off."""
    _mark(ctx, "release", entry_id, reason)


def _mark(ctx: typer.Context, what: str, entry_id: str, reason: str) -> None:
    call: Call = ctx.obj
    with call.memory() as memory:
        mark = getattr(memory.retention, what)(entry_id, reason)
    output.answer(call, mark, key="mark")


def pins(ctx: typer.Context, rows: Rows = 20) -> None:
    """Show what is pinned or held, since when and why."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.retention.pins()
    if call.json:
        output.document({"pins": found.rows})
    else:
        output.result(found, rows=rows)


def add_query(ctx: typer.Context, query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words.")]) -> None:
    """Save a query, to be told what forgetting would change."""
    call: Call = ctx.obj
    with call.memory() as memory:
        _queries(call, saved=memory.queries.add(" ".join(query)))


def drop_query(ctx: typer.Context, query: Annotated[list[str], typer.Argument(metavar="QUERY", help="Words.")]) -> None:
    """Drop a saved query."""
    call: Call = ctx.obj
    with call.memory() as memory:
        _queries(call, dropped=memory.queries.drop(" ".join(query)))


def list_queries(ctx: typer.Context) -> None:
    """Show the saved queries."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.queries.list()
    if call.json:
        output.document({"queries": list(found)})
        return
    for query in found:
        output.text(query)


def _queries(call: Call, **said: str) -> None:
    if call.json:
        output.document(said)
    else:
        ((verb, query),) = said.items()
        output.text(f"{verb}: {query}")


def report(
    ctx: typer.Context,
    out: Annotated[str, typer.Option("--out", metavar="FILE.html", help="Where to write the page.")],
    due_within: Within = "30d",
    as_of: AsOf = None,
    policy: PolicyFile = None,
) -> None:
    """Write the retention audit as one self-contained HTML page.

    It says what will be forgotten, when and why. Leaves with 1 if something is due, soon due, or may be erased.
    """
    import datetime as dt

    from memkit.present.retention_page import audit_page

    call: Call = ctx.obj
    place = require_place(out)
    days = read_days(due_within)
    with call.memory() as memory:
        values = read_policy(policy)
        found = memory.retention.review(values, as_of, due_within=days)
        until = memory.retention.review(values).as_of + dt.timedelta(days=max(days, 90))
        text = audit_page(
            Path(memory.paths.project_path).name or memory.paths.project_path,
            found,
            calendar=memory.retention.calendar(until, values) if as_of is None else None,
            trash=memory.trash.list(values),
            impact=memory.retention.impact(found),
        )
    write_page(place, text)
    if call.json:
        output.document({"report": out, "review": found.to_dict()})
    else:
        n_due, n_soon, n_expired = len(found.due), len(found.due_soon), len(found.expired)
        words = f"{n_due:,} due, {n_soon:,} within {days:g} days, {n_expired:,} to erase; {out}"
        output.headline(words, good=not found.finds_something)
    if found.finds_something:
        raise typer.Exit(FOUND)
