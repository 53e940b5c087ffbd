"""What is seen of a SQL answer: its first rows, the types of its columns, how much there is."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from memkit import clock
from memkit.present.blocks import Block, Column, Grid, Inline, Line, Para, Piece, Sheet, joined
from memkit.present.render import MAX_ROWS, sheet_of
from memkit.present.safe import ELLIPSIS, clip, say, shown
from memkit.present.wording import gap_lines, some_of

if TYPE_CHECKING:
    import pyarrow as pa

MAX_COLUMNS = 8
MAX_CELL_CHARS = 80
MAX_NESTED = 20
_TYPES = {
    "string": "VARCHAR", "large_string": "VARCHAR", "string_view": "VARCHAR", "bool": "BOOLEAN", "int8": "TINYINT",
    "int16": "SMALLINT", "int32": "INTEGER", "int64": "BIGINT", "uint8": "UTINYINT", "uint16": "USMALLINT",
    "uint32": "UINTEGER", "uint64": "UBIGINT", "float": "FLOAT", "double": "DOUBLE", "binary": "BLOB",
    "large_binary": "BLOB", "date32[day]": "DATE", "null": "NULL",
}  # fmt: skip


class ArrowBacked(Protocol):
    """Anything that hands over an Arrow table."""

    def to_arrow(self) -> pa.Table:
        """The whole table."""
        ...


def table_sheet(table: ArrowBacked, rows: int = MAX_ROWS) -> Sheet:
    """The first rows and columns, saying how many of how many."""
    arrow = table.to_arrow()
    n_columns = min(arrow.num_columns, MAX_COLUMNS)
    n_rows = min(arrow.num_rows, rows)
    fields = [arrow.schema.field(position) for position in range(arrow.num_columns)]
    columns = tuple(
        Column(
            say(field.name, 40, breaks="escape"),
            sql_type(field.type),
            right=_is_number(field.type),
            fixed=not _may_be_cut(field.type),
            least=8,
        )
        for field in fields[:n_columns]
    )
    values = [arrow.column(position).slice(0, n_rows).to_pylist() for position in range(n_columns)]
    cells = tuple(tuple((cell(column[row]),) for column in values) for row in range(n_rows))
    size = some_of(n_rows, arrow.num_rows, getattr(table, "n_matched", 0), "row")
    note: Line = ()
    if n_columns < arrow.num_columns:
        size += f", {n_columns} of {arrow.num_columns} columns"
        hidden: list[Line] = [(say(field.name, 40, "code"), f" {sql_type(field.type)}") for field in fields[n_columns:]]
        left = len(hidden) - MAX_ROWS
        note = ("Not shown: ", *joined(hidden[:MAX_ROWS], ", "), f" and {left} more" if left > 0 else "")
    if not columns:
        return Sheet((), tuple(gap_lines(getattr(table, "gaps", ()))), (Para(("A table without columns.",), "dim"),))
    body: tuple[Block, ...] = (Grid((size,), columns, cells, note=note, wrap=False),)
    if not arrow.num_rows:
        body = (*body, Para(("No row answers the query.",), "dim"))
    return Sheet((), tuple(gap_lines(getattr(table, "gaps", ()))), body)


@dataclass(frozen=True, slots=True)
class Listing:
    """A table for who knows no SQL: headings in words, no types.

    Attributes:
        table: Its rows.
        heads: Headings by the name of a column.
    """

    table: ArrowBacked
    heads: Mapping[str, str]


def listing(table: ArrowBacked, heads: Mapping[str, str]) -> Listing:
    """`table` with these headings."""
    return Listing(table, heads)


@sheet_of.register
def listing_sheet(value: Listing, rows: int = MAX_ROWS) -> Sheet:
    """The first rows, as `table_sheet`."""
    sheet = table_sheet(value.table, rows)
    return replace(sheet, body=tuple(_in_words(block, value.heads) for block in sheet.body))


def _in_words(block: Block, heads: Mapping[str, str]) -> Block:
    if not isinstance(block, Grid):
        return block
    names = [column.name.text if isinstance(column.name, Piece) else "" for column in block.columns]
    columns = tuple(
        replace(column, name=heads.get(name, column.name), type="")
        for name, column in zip(names, block.columns, strict=True)
    )
    return replace(block, columns=columns)


def sql_type(kind: pa.DataType) -> str:
    """The SQL name of an Arrow type: `VARCHAR[]`, `TIMESTAMPTZ`, `DECIMAL(18,3)`, ..."""
    import pyarrow.types as is_

    if is_.is_timestamp(kind):
        return "TIMESTAMPTZ" if kind.tz else "TIMESTAMP"
    if is_.is_list(kind) or is_.is_large_list(kind) or is_.is_fixed_size_list(kind):
        return f"{sql_type(kind.value_type)}[]"
    if is_.is_decimal(kind):
        return f"DECIMAL({kind.precision},{kind.scale})"
    if is_.is_time(kind):
        return "TIME"
    if is_.is_struct(kind):
        return "STRUCT"
    if is_.is_map(kind):
        return "MAP"
    if is_.is_dictionary(kind):
        return sql_type(kind.value_type)
    name = str(kind)
    return _TYPES.get(name, shown(name, 40))


def _is_number(kind: pa.DataType) -> bool:
    import pyarrow.types as is_

    return bool(is_.is_integer(kind) or is_.is_floating(kind) or is_.is_decimal(kind))


def _may_be_cut(kind: pa.DataType) -> bool:
    return sql_type(kind) in {"VARCHAR", "BLOB", "STRUCT", "MAP"} or sql_type(kind).endswith("[]")


def cell(value: object) -> Inline:
    """One value as a piece of at most `MAX_CELL_CHARS` characters; a missing one is not the text "NULL"."""
    if value is None:
        return Piece("NULL", "null")
    if isinstance(value, str) and value in {"", "NULL"}:
        return Piece(f'"{value}"', "dim")
    return Piece(clip(_plain(value, MAX_CELL_CHARS), MAX_CELL_CHARS))


def _plain(value: object, limit: int) -> str:
    match value:
        case None:
            return "NULL"
        case str():
            return shown(value, limit, "escape")
        case bool():
            return "true" if value else "false"
        case float():
            return _number(value)
        case int() | decimal.Decimal():
            return str(value)
        case dt.datetime():
            return _moment(value)
        case bytes():
            return f"{value[:16].hex()}{ELLIPSIS if len(value) > 16 else ''} ({len(value):,} bytes)"
        case Mapping():
            return _nested(
                [f"{_plain(k, limit)}: {_plain(v, limit)}" for k, v in list(value.items())[:MAX_NESTED]], "{}"
            )
        case list() | tuple():
            return _nested([_plain(item, limit) for item in value[:MAX_NESTED]], "[]")
        case _:
            return shown(str(value), limit, "escape")


def _nested(parts: list[str], brackets: str) -> str:
    return f"{brackets[0]}{', '.join(parts)}{ELLIPSIS if len(parts) == MAX_NESTED else ''}{brackets[1]}"


def _number(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return f"{value:.1f}" if value == int(value) and abs(value) < 1e15 else f"{value:.6g}"


def _moment(value: dt.datetime) -> str:
    zone = ""
    if value.tzinfo is not None:
        value, zone = value.astimezone(clock.UTC), "Z"
    text = value.replace(tzinfo=None).isoformat(" ", "microseconds" if value.microsecond else "seconds")
    return (text.rstrip("0") if value.microsecond else text) + zone
