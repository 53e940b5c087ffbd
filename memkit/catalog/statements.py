"""Judging a caller's SQL, handing in a caller's frames, and saying what went wrong with the query beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit.errors import QueryError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_ONE = "mem.sql runs exactly one SELECT; anything that changes data is refused."


def query_error(error: Exception, sql: str) -> QueryError:
    """The error of a query that DuckDB refused, with its message and the query."""
    message = str(error).strip()
    remedy = None
    if "Referenced table" in message or "does not exist" in message:
        remedy = "The views are listed in docs/reference/views.md; frames are handed in by name: mem.sql(..., df=df)."
    return QueryError(message.removesuffix("."), sql=sql, remedy=remedy)


def require_one_select(cursor: duckdb.DuckDBPyConnection, sql: object) -> str:
    """Return the text if it is exactly one SELECT.

    Raises:
        QueryError: not text, not SQL, none, several, or another kind of statement.
    """
    import duckdb

    if not isinstance(sql, str):
        raise QueryError(f"text was expected, found {type(sql).__name__}", field="query", remedy=_ONE)
    try:
        statements = cursor.extract_statements(sql)
    except duckdb.Error as error:
        raise query_error(error, sql) from error
    if len(statements) != 1:
        raise QueryError(f"{len(statements)} statements were found", field="query", sql=sql, remedy=_ONE)
    kind = statements[0].type
    if kind != duckdb.StatementType.SELECT:
        remedy = _ONE
        if kind == duckdb.StatementType.MULTI:
            remedy = "A pivot needs its values listed: PIVOT t ON c IN ('a', 'b') USING sum(x)."
        raise QueryError(f"this is {kind.name}, not SELECT", field="query", sql=sql, remedy=remedy)
    return sql


def require_frames(frames: Mapping[str, object], taken: Collection[str]) -> dict[str, pa.Table]:
    """The caller's frames as Arrow tables by name.

    Raises:
        QueryError: a name that is taken or is no name, a value that is no frame.
    """
    folded = {name.casefold() for name in taken}
    ready: dict[str, pa.Table] = {}
    for name, frame in frames.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise QueryError(f"{name!r} cannot name a frame", field="frames", remedy="Use a plain name such as df.")
        if name.casefold() in folded:
            raise QueryError(
                f"{name!r} is a view of memkit; a frame of that name would hide it",
                field=name,
                remedy="Give the frame another name.",
            )
        if name.casefold() in {other.casefold() for other in ready}:
            raise QueryError(f"{name!r} is given twice", field=name, remedy="SQL does not tell capitals apart.")
        ready[name] = _arrow(name, frame)
    return ready


def _arrow(name: str, frame: object) -> pa.Table:
    import pyarrow as pa

    if not hasattr(frame, "__arrow_c_stream__"):
        raise QueryError(
            f"{type(frame).__name__} is not a frame",
            field=name,
            remedy="Hand in a pandas, polars or Arrow table, or anything with __arrow_c_stream__; a list of dicts as "
            "pyarrow.Table.from_pylist(rows).",
        )
    try:
        return pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise QueryError(f"the frame cannot be read: {error}", field=name) from error


def run(cursor: duckdb.DuckDBPyConnection, sql: str, params: Any, frames: Mapping[str, pa.Table]) -> pa.Table:
    """Run one select in a transaction that cannot write, and fetch all of it.

    Raises:
        duckdb.Error: as DuckDB gave it.
    """
    for name, frame in frames.items():
        cursor.register(name, frame)
    # Data-changing expressions can hide inside a SELECT (`with x as (insert ... returning *)`); here they fail.
    cursor.execute("begin transaction read only").fetchall()
    rows: pa.Table = cursor.sql(sql, params=params).to_arrow_table()
    return rows.rename_columns(_distinct(rows.column_names))


def _distinct(names: Sequence[str]) -> list[str]:
    """Column names with a number behind each that stood before: a row is a mapping, and nothing may get lost in it."""
    taken: dict[str, None] = {}
    for name in names:
        free, n = name, 1
        while free in taken:
            n += 1
            free = f"{name}_{n}"
        taken[free] = None
    return list(taken)
