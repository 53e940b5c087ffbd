"""The columns of a table of facts as Arrow arrays of known types, whatever kind of table it is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.analytics.frames import arrow
from memkit.errors import FactsError

# An Arrow array, table or type; see `frames.arrow` for why they have no narrower names here.
Array = Any
NEEDED = ("metric", "at", "value")
_REMEDY = "Facts are a table with the columns metric, at, value and, if you like, unit."
_EMPTY = ("", "nan", "null", "none", "na", "n/a", "-")
_MOST_BYTES = 2_000_000_000
# The first year that facts may be of, and the first that they may not.
_YEARS = (1900, 2400)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The columns, row by row the same.

    Attributes:
        metric: Names as written, dictionary-encoded.
        at: Moments in UTC.
        value: As they came: numbers, or texts.
        unit: Texts, dictionary-encoded, or None.
        is_naive: Whether the moments had no zone.
        source: Where the table came from, in words.
    """

    metric: Array
    at: Array
    value: Array
    unit: Array | None
    is_naive: bool
    source: str

    def numbers(self, ignore: Any = None) -> Array:
        """Values as DOUBLE; what is no number at all (NaN, infinity, empty) is null.

        Args:
            ignore: Rows, as a boolean array, that are not looked at and come out as null.

        Raises:
            FactsError: a text that is no number.
        """
        pa, pc = arrow()
        values = self.value
        if ignore is not None:
            values = pc.if_else(pa.array(ignore), pa.scalar(None, values.type), values)
        if pa.types.is_string(values.type):
            values = self._parsed(values)
        values = pc.cast(values, pa.float64(), safe=False)
        return pc.if_else(pc.is_finite(values), values, pa.scalar(None, pa.float64()))

    def _parsed(self, texts: Array) -> Array:
        pa, pc = arrow()
        try:
            return pc.cast(texts, pa.float64())
        except pa.ArrowInvalid:
            pass
        trimmed = pc.utf8_trim_whitespace(texts)
        empty = pc.is_in(pc.utf8_lower(trimmed), pa.array(_EMPTY))
        trimmed = pc.if_else(empty, pa.scalar(None, pa.string()), trimmed)
        try:
            return pc.cast(trimmed, pa.float64())
        except pa.ArrowInvalid as error:
            row, text = next((row, text) for row, text in enumerate(trimmed.to_pylist()) if not _is_number(text))
            raise FactsError(
                f"{text!r:.60} is no number",
                file=self.source,
                field=f"value in row {row + 1:,}",
                remedy="Write numbers with a point and without separators: 1234.5.",
            ) from error

    def texts(self, chosen: Any) -> list[str]:
        """The values of some rows as texts: `2.8`, `3.10`."""
        pa, _ = arrow()
        values = self.value.filter(pa.array(chosen)).to_pylist()
        return ["" if value is None else repr(value) if isinstance(value, float) else str(value) for value in values]


def _is_number(text: str | None) -> bool:
    if text is None:
        return True
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def read_columns(source: object) -> Columns:
    """Read a table of facts into columns.

    Raises:
        FactsError: it is no such table, or holds times or values that cannot be read.
    """
    table, words = _table(source)
    found = {str(name).strip().casefold(): name for name in table.column_names}
    missing = [name for name in NEEDED if name not in found]
    if missing:
        raise FactsError(
            f"has no column {missing[0]!r}; found {', '.join(map(repr, table.column_names[:12]))}",
            file=words,
            field=missing[0],
            remedy=_REMEDY,
        )
    if (
        len(found) < table.num_columns
        and len({n for n in table.column_names if str(n).strip().casefold() in NEEDED}) > 3
    ):
        raise FactsError("has two columns of one name", file=words, remedy=_REMEDY)
    if not table.num_rows:
        table = _no_facts().empty_table()
        found = {name: name for name in table.column_names}
    metric = _texts(_column(table, found["metric"]), "metric", words)
    if metric.null_count:
        raise FactsError("is missing", file=words, field=f"metric in row {_first_null(metric):,}", remedy=_REMEDY)
    naive_objects = _naive_objects(source, found["at"], words)
    at, is_naive = _moments(_column(table, found["at"]), words, is_naive=naive_objects)
    _refuse_beyond_calendar(at, words)
    unit = _texts(_column(table, found["unit"]), "unit", words) if "unit" in found else None
    return Columns(metric, at, _values(_column(table, found["value"]), words), unit, is_naive, words)


# -- where it comes from ---------------------------------------------------------------------------------------------


def _table(source: object) -> tuple[Array, str]:
    pa, _ = arrow()
    if isinstance(source, (str, Path)):
        return _file(Path(source)), str(source)
    words = f"a {type(source).__name__}"
    try:
        if hasattr(source, "__arrow_c_stream__"):
            return pa.table(source), words
        if isinstance(source, Sequence) and all(isinstance(row, Mapping) for row in source):
            return (pa.Table.from_pylist(list(source)) if source else _no_facts().empty_table()), words
    except OverflowError as error:
        raise FactsError(
            f"holds a number that is too large: {error}", file=words, field="value", remedy="Write it as a float."
        ) from error
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise FactsError(f"cannot be read: {error}", file=words, remedy=_REMEDY) from error
    raise FactsError(
        f"{type(source).__name__} is no table",
        field="facts",
        remedy="Hand in a pandas, polars or Arrow table, a list of mappings, or the path of a CSV or Parquet file.",
    )


def _no_facts() -> Array:
    pa, _ = arrow()
    return pa.schema([("metric", pa.string()), ("at", pa.timestamp("us", "UTC")), ("value", pa.float64())])


def _file(path: Path) -> Array:
    import pyarrow as pa
    from pyarrow import csv, parquet

    try:
        if path.stat().st_size > _MOST_BYTES:
            raise FactsError(f"is larger than {_MOST_BYTES:,} bytes", file=path, remedy="Keep what is asked for.")
        with path.open("rb") as file:
            head = file.read(65_536)
        if head.startswith(b"PAR1"):
            return parquet.read_table(path)
        first = head.split(b"\n", 1)[0].removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").strip()
        between = max(",;\t", key=first.count)
        names = [name.strip().strip('"') for name in first.split(between)]
        return csv.read_csv(
            path,
            parse_options=csv.ParseOptions(delimiter=between),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()),
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
    except OSError as error:
        raise FactsError(
            f"cannot be read: {error.strerror or error}", file=path, field="facts", remedy="Check the path."
        ) from error
    except pa.ArrowException as error:
        raise FactsError(
            f"cannot be read as CSV or Parquet: {error}", file=path, field="facts", remedy=_REMEDY
        ) from error


# -- columns ---------------------------------------------------------------------------------------------------------


def _column(table: Array, name: str) -> Array:
    pa, _ = arrow()
    column = table.column(name)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _is_text(kind: Array) -> bool:
    import pyarrow.types as is_

    return bool(is_.is_string(kind) or is_.is_large_string(kind) or is_.is_string_view(kind))


def _texts(column: Array, name: str, words: str) -> Array:
    pa, _ = arrow()
    if not _is_text(column.type) and not pa.types.is_null(column.type):
        raise FactsError(f"holds {column.type}, texts were expected", file=words, field=name, remedy=_REMEDY)
    return column.cast(pa.string()).dictionary_encode()


def _values(column: Array, words: str) -> Array:
    import pyarrow as pa
    import pyarrow.types as is_

    kind = column.type
    if _is_text(kind):
        return column.cast(pa.string())
    if is_.is_integer(kind) or is_.is_floating(kind) or is_.is_decimal(kind) or is_.is_null(kind):
        return column.cast(pa.float64(), safe=False)
    raise FactsError(f"holds {kind}, numbers were expected", file=words, field="value", remedy=_REMEDY)


def _first_null(column: Array) -> int:
    return next(row for row, valid in enumerate(column.is_valid().to_pylist(), start=1) if not valid)


def _naive_objects(source: object, name: str, words: str) -> bool:
    """Whether Python's own datetimes in a column have no zone; Arrow would call them UTC without a word."""
    held: Sequence[object] = ()
    dtypes = getattr(source, "dtypes", None)
    if isinstance(source, Sequence) and not isinstance(source, str):
        held = [row.get(name) for row in source if isinstance(row, Mapping)]
    elif isinstance(dtypes, object) and hasattr(source, "columns") and hasattr(dtypes, "get"):
        held = source[name].tolist() if str(dtypes.get(name)) == "object" else ()  # type: ignore[index]
    kinds = {moment.tzinfo is None for moment in held if isinstance(moment, dt.datetime)}
    if len(kinds) > 1:
        raise _mixed(words)
    return kinds == {True}


def _mixed(words: str) -> FactsError:
    return FactsError(
        "has moments with and without a time zone",
        file=words,
        field="at",
        remedy="Give all of them one (2026-11-27T17:00:00Z), or none of them, which means UTC.",
    )


def _moments(column: Array, words: str, *, is_naive: bool) -> tuple[Array, bool]:
    """Moments in UTC, and whether they had no zone."""
    import pyarrow as pa
    import pyarrow.types as is_

    kind = column.type
    utc = pa.timestamp("us", "UTC")
    if column.null_count:
        raise FactsError("is missing", file=words, field=f"at in row {_first_null(column):,}", remedy=_REMEDY)
    try:
        if is_.is_timestamp(kind):
            return column.cast(pa.timestamp("us", kind.tz), safe=False).cast(utc), is_naive or kind.tz is None
        if is_.is_date(kind):
            return column.cast(pa.timestamp("us")).cast(utc), True
        if _is_text(kind):
            return _written_moments(column.cast(pa.string()), words)
    except pa.ArrowException as error:
        raise FactsError(f"cannot be read as moments: {error}", file=words, field="at", remedy=_REMEDY) from error
    if is_.is_null(kind):
        return pa.array([], utc), False
    raise FactsError(
        f"holds {kind}, moments were expected",
        file=words,
        field="at",
        remedy="Convert epoch numbers first, they could be seconds or milliseconds: pandas.to_datetime(.., unit='s').",
    )


def _refuse_beyond_calendar(moments: Array, words: str) -> None:
    """Windows are added to readings, and zones to moments: both must stay within the years that Python knows."""
    pa, pc = arrow()
    first, last = (pa.scalar(dt.datetime(year, 1, 1, tzinfo=dt.UTC), moments.type) for year in _YEARS)
    beyond = pc.or_(pc.less(moments, first), pc.greater_equal(moments, last))
    if pc.any(beyond).as_py():
        row = pc.index(beyond, True).as_py() + 1
        raise FactsError(
            f"lies outside the years {_YEARS[0]} to {_YEARS[1] - 1}",
            file=words,
            field=f"at in row {row:,}",
            remedy="Leave out rows without a real moment.",
        )


def _written_moments(texts: Array, words: str) -> tuple[Array, bool]:
    pa, pc = arrow()
    utc = pa.timestamp("us", "UTC")
    for kind in (utc, pa.timestamp("us")):
        try:
            return pc.cast(texts, kind).cast(utc), kind != utc
        except pa.ArrowInvalid:
            continue
    # Neither all with a zone nor all without, or spelt in a way Arrow does not read: one by one.
    moments: list[dt.datetime] = []
    for row, text in enumerate(texts.to_pylist(), start=1):
        try:
            moments.append(dt.datetime.fromisoformat(text.strip()))
        except ValueError as error:
            raise FactsError(
                f"{text!r:.60} is no moment",
                file=words,
                field=f"at in row {row:,}",
                remedy="Write 2026-11-27T17:00:00Z or 2026-11-27.",
            ) from error
    kinds = {moment.tzinfo is None for moment in moments}
    if len(kinds) > 1:
        raise _mixed(words)
    known = [moment.replace(tzinfo=moment.tzinfo or dt.UTC) for moment in moments]
    return pa.array(known, utc), kinds == {True}
