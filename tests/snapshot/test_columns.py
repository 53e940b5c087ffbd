"""Columns made without pandas hold what `pyarrow.array` makes of the same values."""

import datetime as dt
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from memkit.snapshot.columns import column, numbers_of, numpy_of, table_of

UTC = dt.UTC
PARIS = dt.timezone(dt.timedelta(hours=1))
CASES = {
    "text": (pa.string(), ["a", None, "", "ünï\0 \U0001f600", "b" * 300]),
    "texts": (pa.list_(pa.string()), [["a", "b"], [], None, ("c",), [None, "d"]]),
    "small": (pa.int32(), [1, None, -(2**31), 2**31 - 1]),
    "large": (pa.int64(), [1, None, -(2**63), 2**63 - 1]),
    "float": (pa.float64(), [0.1, None, -1e300, 3]),
    "single": (pa.float32(), [0.5, None]),
    "truth": (pa.bool_(), [True, False, None] * 7),
    "day": (pa.date32(), [dt.date(2026, 11, 30), None, dt.date(1, 1, 1), dt.date(1969, 12, 31)]),
    "micros": (
        pa.timestamp("us", tz="UTC"),
        [dt.datetime(2026, 11, 30, 1, 2, 3, 456789, tzinfo=UTC), None, dt.datetime(1900, 1, 1, tzinfo=PARIS)],
    ),
    "millis": (pa.timestamp("ms", tz="UTC"), [dt.datetime(2026, 11, 30, 1, 2, 3, 456000, tzinfo=UTC), None]),
}


@pytest.mark.parametrize(("kind", "values"), CASES.values(), ids=CASES)
@pytest.mark.parametrize("take", [slice(None), slice(0), slice(0, 1)], ids=["all", "none", "one"])
def test_a_column_holds_what_pyarrow_would_make_of_it(kind, values, take):
    made = column(values[take], kind)
    made.validate(full=True)
    assert made.type == kind
    assert made.to_pylist() == pa.array(values[take], kind).to_pylist()
    assert made.null_count == pa.array(values[take], kind).null_count


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (pa.string(), 3),
        (pa.string(), "\ud800"),
        (pa.int32(), 2**31),
        (pa.int32(), 1.5),
        (pa.int64(), "1"),
        (pa.date32(), "2026-11-30"),
        (pa.timestamp("us", tz="UTC"), dt.datetime(2026, 11, 30)),
    ],
    ids=str,
)
def test_a_value_of_another_kind_is_refused(kind, value):
    with pytest.raises((TypeError, OverflowError, ValueError, AttributeError)):
        column([value], kind)


def test_a_table_has_none_where_a_row_says_nothing():
    schema = pa.schema([("a", pa.int32()), ("b", pa.string())])
    assert table_of([{"a": 1}, {"b": "x"}], schema).to_pylist() == [{"a": 1, "b": None}, {"a": None, "b": "x"}]
    assert table_of([], schema).equals(schema.empty_table())


@pytest.mark.parametrize("kind", ["uint8", "uint16", "uint32", "int32", "int64", "float64"])
def test_numbers_go_to_arrow_and_back(kind):
    values = np.arange(12, dtype=kind)[::2]
    made = numbers_of(values)
    assert made.to_pylist() == values.tolist()
    assert numpy_of(made.slice(2, 3)).tolist() == values[2:5].tolist()
    assert numpy_of(pa.chunked_array([made, made])).tolist() == [*values.tolist(), *values.tolist()]
    assert numpy_of(pa.chunked_array([], made.type)).dtype == kind


def test_nothing_of_it_loads_pandas():
    code = (
        "import sys, numpy as np, pyarrow as pa\n"
        "from memkit.snapshot.columns import column, numbers_of, numpy_of, table_of\n"
        "table_of([{'a': 1}], pa.schema([('a', pa.int32())]))\n"
        "numpy_of(numbers_of(np.arange(3)))\n"
        "assert 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
