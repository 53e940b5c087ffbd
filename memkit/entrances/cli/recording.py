"""Verbs about records and their writers: records list, show, find, write, edit, delete, restore; lint; locks."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from memkit.entrances.cli import FOUND, output
from memkit.entrances.cli.asking import Rows
from memkit.entrances.cli.call import Call
from memkit.errors import ImportSourceError, InvalidInputError, UsageError
from memkit.model.record import MAX_RECORD_BYTES

STDIN = "-"
Slug = Annotated[str, typer.Argument(metavar="SLUG", help="The record's name.")]
Kind = Annotated[str | None, typer.Option(metavar="KIND", help="lesson, preference, decision or domain.")]
File = Annotated[str | None, typer.Option("--file", metavar="FILE", help="Read the text from a file; - is stdin.")]
Body = Annotated[str | None, typer.Option("--body", metavar="TEXT", help="The text itself, Markdown.")]
Sources = Annotated[list[str] | None, typer.Option("--source", metavar="TEXT", help="Where it comes from; repeatable.")]
Triggers = Annotated[
    list[str] | None, typer.Option("--trigger", metavar="TEXT", help="When it should come to mind; repeatable.")
]
Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; repeatable.")]
Expected = Annotated[
    str | None, typer.Option("--expect", metavar="HASH", help="Refuse unless the file has this SHA-256.")
]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept in the audit log.")]


def read_body(body: str | None, file: str | None, *, needed: bool) -> str | None:
    """The text of a record from an option, a file or stdin; None where none is given and none is needed.

    Raises:
        UsageError: two were given, or none.
        ImportSourceError: the file cannot be read.
        InvalidInputError: it is not UTF-8, or too long.
    """
    if body is not None and file is not None:
        raise UsageError("--body and --file exclude each other", field="--file", remedy="Give one of them.")
    if body is not None:
        return body
    if file is None:
        if not needed:
            return None
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError("there is no text", field="--file", remedy="Pipe it in, or give --file or --body.")
        file = STDIN
    try:
        if file == STDIN:
            data = sys.stdin.buffer.read(MAX_RECORD_BYTES + 1)
        else:
            with Path(file).open("rb") as source:
                data = source.read(MAX_RECORD_BYTES + 1)
    except OSError as error:
        raise ImportSourceError(f"cannot be read: {error.strerror}", file=file, field="--file") from error
    if len(data) > MAX_RECORD_BYTES:
        raise InvalidInputError(f"more than {MAX_RECORD_BYTES:,} bytes", file=file, field="--file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"is not UTF-8 (byte {error.start})", file=file, field="--file") from error


def _answer(call: Call, found: Any, *, rows: int | None = None) -> None:
    output.answer(call, found, rows=rows)


def list_records(
    ctx: typer.Context,
    kind: Kind = None,
    status: Annotated[str | None, typer.Option(metavar="STATUS", help="active or superseded.")] = None,
    rows: Rows = 20,
) -> None:
    """List the records, last changed first.

    Files that cannot be read as a record follow, with the reason.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.records.list(kind, status=status)
    _answer(call, found, rows=rows)


def show(ctx: typer.Context, slug: Slug) -> None:
    """Show one record, whole."""
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.records.find(slug)
    output.answer(call, found, key="record")


def find(
    ctx: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="TEXT", help="What it is about.")],
    kind: Kind = None,
    limit: Annotated[int, typer.Option(metavar="N", min=1, max=1_000, help="Records at most.")] = 10,
) -> None:
    """Find active records that share words with a text.

    Entries are not among them; recall finds both.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.records.query(" ".join(words), kind, limit=limit)
    _answer(call, found, rows=limit)


def write(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    kind: Annotated[str, typer.Argument(metavar="KIND", help="lesson, preference, decision or domain.")],
    slug: Annotated[
        str | None, typer.Option(metavar="SLUG", help="Its name.", show_default="made from the title")
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="A heading above the text.")] = None,
    body: Body = None,
    file: File = None,
    source: Sources = None,
    trigger: Triggers = None,
    tag: Tags = None,
    supersedes: Annotated[
        list[str] | None, typer.Option("--supersedes", metavar="SLUG", help="A record it replaces; repeatable.")
    ] = None,
    reason: Reason = "",
) -> None:
    """Write a new record; its text comes from --body, --file or stdin.

    It is linted first; an error refuses it. What it supersedes is marked in the same call.
    """
    call: Call = ctx.obj
    text = read_body(body, file, needed=True)
    with call.memory() as memory:
        receipt = memory.records.write(
            kind,
            slug,
            body=text or "",
            title=title,
            sources=source or (),
            triggers=trigger or (),
            tags=tag or (),
            supersedes=supersedes or (),
            reason=reason,
        )
    _answer(call, receipt)


def edit(  # noqa: PLR0917
    ctx: typer.Context,
    slug: Slug,
    body: Body = None,
    file: File = None,
    source: Sources = None,
    trigger: Triggers = None,
    tag: Tags = None,
    superseded_by: Annotated[
        str | None, typer.Option("--superseded-by", metavar="SLUG", help="The record that replaces it.")
    ] = None,
    expect: Expected = None,
    reason: Reason = "",
) -> None:
    """Change a record; what is not given stays.

    A list that is given replaces the old one. An editor will do as well: memkit notices and keeps what you write.
    """
    call: Call = ctx.obj
    given: dict[str, Any] = {
        "body": read_body(body, file, needed=False),
        "sources": source,
        "triggers": trigger,
        "tags": tag,
        "superseded_by": superseded_by,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise UsageError("there is nothing to change", remedy="Give --body, --file, --tag, and so on.")
    with call.memory() as memory:
        kind = memory.records.kind_of(slug)
        receipt = memory.records.edit(kind, slug, **changes, expected_hash=expect, reason=reason)
    _answer(call, receipt)


def delete(ctx: typer.Context, slug: Slug, reason: Reason, kind: Kind = None, expect: Expected = None) -> None:
    """Move a record to trash/records, with the reason.

    A file that cannot be read needs its --kind.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        known = kind or memory.records.kind_of(slug)
        receipt = memory.records.delete(known, slug, reason=reason, expected_hash=expect)
    _answer(call, receipt)


def deleted(ctx: typer.Context, rows: Rows = 20) -> None:
    """List deleted records that can be put back, and why they went.

    The last deleted comes first.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        found = memory.records.deleted()
    _answer(call, found, rows=rows)


def restore(ctx: typer.Context, slug: Slug, kind: Kind = None, reason: Reason = "") -> None:
    """Put a deleted record back where it was, byte by byte.

    Of several deletions the last is meant. Refused while another record of its name is there.
    """
    call: Call = ctx.obj
    with call.memory() as memory:
        receipt = memory.records.restore(slug, kind=kind, reason=reason)
    _answer(call, receipt)


def lint(
    ctx: typer.Context,
    strict: Annotated[bool, typer.Option("--strict", help="Also leave with 1 for warnings.")] = False,
    rows: Rows = 20,
) -> None:
    """Say what is wrong with the records; leaves with 1 for errors."""
    call: Call = ctx.obj
    with call.memory() as memory:
        report = memory.records.lint()
    _answer(call, report, rows=rows)
    if report.n_errors or (strict and report.rows):
        raise typer.Exit(FOUND)


def locks(ctx: typer.Context) -> None:
    """Show who holds which lock. Works while memory is off."""
    call: Call = ctx.obj
    with call.memory(while_disabled=True) as memory:
        found = memory.locks()
    _answer(call, found)
