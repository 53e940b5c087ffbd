"""Verbs that ask: recall, list, show, sql."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from memkit.entrances.cli import output
from memkit.entrances.cli.call import Call
from memkit.entrances.cli.parameters import read_parameters

Rows = Annotated[int, typer.Option(metavar="N", min=0, help="Rows shown; 0 for all. JSON has all.")]


def recall(  # noqa: PLR0917 - a command line has as many options as it has
    ctx: typer.Context,
    query: Annotated[list[str], typer.Argument(metavar="WORDS", help="What you want to know.")],
    limit: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Hits at most.", show_default="recall.limit")
    ] = None,
    min_score: Annotated[float | None, typer.Option(metavar="SCORE", help="Leave out hits below this score.")] = None,
    panel: Annotated[str | None, typer.Option(metavar="NAME", help="Only entries of this panel.")] = None,
    any_tag: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only with one of these; repeatable.")
    ] = None,
    all_tags: Annotated[
        list[str] | None, typer.Option(metavar="TAG", help="Only with all of these; repeatable.")
    ] = None,
    since_days: Annotated[
        float | None, typer.Option(metavar="DAYS", min=0, help="Only entries stored in the last days.")
    ] = None,
    across_projects: Annotated[
        bool | None,
        typer.Option(
            "--across-projects/--this-project",
            help="Search your other enabled projects too.",
            show_default="memory.across_projects",
        ),
    ] = None,
    include_superseded: Annotated[bool, typer.Option("--include-superseded", help="Also what was replaced.")] = False,
    fuzzy: Annotated[bool, typer.Option("--fuzzy", help="Also words that begin alike or differ by a letter.")] = False,
    stemming: Annotated[
        str | None,
        typer.Option(
            metavar="LANGUAGE", help="Also other forms of a word, by its stem.", show_default="recall.stemming"
        ),
    ] = None,
    recency_half_life_days: Annotated[
        float | None,
        typer.Option("--half-life-days", metavar="DAYS", min=0.001, help="Halve the score of a hit for each such age."),
    ] = None,
    reinforcement: Annotated[
        float | None,
        typer.Option(metavar="SHARE", min=0, max=1, help="Raise what is read and confirmed, by this share at most."),
    ] = None,
) -> None:
    """Recall what was decided, with reasons and ages.

    Every hit says why it matched, how old it is, and what would make it wrong. No hit is an answer too:
    the causes are named, with the entries concerned.
    """
    call: Call = ctx.obj
    options: dict[str, Any] = {
        "limit": limit,
        "min_score": min_score,
        "panel": panel,
        "any_tag": any_tag,
        "all_tags": all_tags,
        "since_days": since_days,
        "across_projects": across_projects,
        "include_superseded": include_superseded or None,
        "fuzzy": fuzzy or None,
        "stemming": stemming,
        "recency_half_life_days": recency_half_life_days,
        "reinforcement": reinforcement,
    }
    with call.memory() as memory:
        found = memory.recall(" ".join(query), **{name: value for name, value in options.items() if value is not None})
    output.answer(call, found)


def list_entries(ctx: typer.Context, rows: Rows = 20) -> None:
    """List what is stored for this project, newest first.

    Works while memory is off.
    """
    call: Call = ctx.obj
    with call.memory(while_disabled=True) as memory:
        listing = memory.list()
    output.answer(call, listing, rows=rows)


def show(
    ctx: typer.Context,
    entry_id: Annotated[str, typer.Argument(metavar="ID", help="The entry, as recall and list name it.")],
) -> None:
    """Show one entry, whole.

    Works while memory is off.
    """
    call: Call = ctx.obj
    with call.memory(while_disabled=True) as memory:
        entry = memory.read(entry_id)
    if call.json:
        output.document({"entry": entry.to_envelope()})
    else:
        output.result(entry)


def sql(
    ctx: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="One SELECT; - reads it from stdin.")],
    param: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="A value for $NAME; may be given again.")
    ] = None,
    rows: Rows = 20,
) -> None:
    """Ask in SQL: one SELECT over the views of the memory.

    The views are entries, decisions, tripwires and others; docs/reference/views.md lists their columns.
    """
    call: Call = ctx.obj
    parameters = read_parameters(param or [])
    with call.memory() as memory:
        table = memory.sql(sys.stdin.read() if query == "-" else query, parameters or None)
    if call.json:
        for gap in table.gaps:
            output.warn(call, gap)
        output.document({"columns": list(table.columns), "rows": table.to_arrow().to_pylist()})
    else:
        output.result(table, rows=rows)
