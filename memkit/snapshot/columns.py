"""Arrow columns from Python values and numpy arrays, and back, without pandas.

`pyarrow.array` imports pandas to see whether what it was given is one of its objects, and so does `to_numpy`: a quarter
of what the first hit of a new process took. What is built here is built from buffers instead and holds the same; a
test compares the two.
"""

from __future__ import annotations

import datetime as dt
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.integer[Any]]

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_DAY_ZERO = dt.date(1970, 1, 1)
_UNITS = {"ms": dt.timedelta(milliseconds=1), "us": dt.timedelta(microseconds=1)}
_MOST_BYTES = 2**31 - 1


def column(values: Iterable[Any], kind: pa.DataType) -> pa.Array[Any]:
    """`values`, None among them, as an Arrow array of `kind`: text, lists of it, numbers, days, moments, truth values.

    Raises:
        TypeError, OverflowError, UnicodeEncodeError: a value is none of the kind.
    """
    import pyarrow as pa

    listed = list(values)
    valid = _bits([value is not None for value in listed]) if None in listed else None
    if pa.types.is_list(kind):
        ends = array("i", accumulate((len(value or ()) for value in listed), initial=0))
        inner = column((item for value in listed for item in value or ()), kind.value_type)
        return pa.Array.from_buffers(kind, len(listed), [valid, pa.py_buffer(ends)], children=[inner])
    if pa.types.is_string(kind):
        encoded = [b"" if value is None else value.encode() for value in listed]
        text = b"".join(encoded)
        if len(text) > _MOST_BYTES:
            raise OverflowError(f"{len(text):,} bytes of text in one column")
        ends = array("i", accumulate(map(len, encoded), initial=0))
        return pa.Array.from_buffers(kind, len(listed), [valid, pa.py_buffer(ends), pa.py_buffer(text)])
    if pa.types.is_boolean(kind):
        return pa.Array.from_buffers(kind, len(listed), [valid, _bits([bool(value) for value in listed])])
    code, number = _number(kind)
    data = array(code, (0 if value is None else number(value) for value in listed))
    return pa.Array.from_buffers(kind, len(listed), [valid, pa.py_buffer(data)])


def _number(kind: pa.DataType) -> tuple[str, Any]:
    """The code of `array.array` for a kind's numbers, and what makes one of a value."""
    import pyarrow as pa

    if pa.types.is_timestamp(kind):
        unit = _UNITS[kind.unit]
        return "q", lambda value: (value - _EPOCH) // unit
    if pa.types.is_date32(kind):
        return "i", lambda value: (value - _DAY_ZERO).days
    codes = {pa.int32(): "i", pa.int64(): "q", pa.float32(): "f", pa.float64(): "d"}
    return codes[kind], lambda value: value


def _bits(flags: Sequence[bool]) -> pa.Buffer:
    import numpy as np
    import pyarrow as pa

    return pa.py_buffer(np.packbits(np.array(flags, dtype=np.bool_), bitorder="little").data)


def table_of(rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """`rows` as a table; what a row does not name is None."""
    import pyarrow as pa

    if not rows:
        return pa.Table.from_batches([], schema)
    columns = [column((row.get(field.name) for row in rows), field.type) for field in schema]
    return pa.Table.from_arrays(columns, schema=schema)


def numbers_of(values: npt.NDArray[Any]) -> pa.Array[Any]:
    """An array of numpy's as one of Arrow's, over the same memory."""
    import numpy as np
    import pyarrow as pa

    kind: pa.DataType = getattr(pa, str(values.dtype))()
    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(np.ascontiguousarray(values).data)])


def numpy_of(values: pa.Array[Any] | pa.ChunkedArray[Any]) -> Any:
    """A column of numbers without None as an array of numpy's; a single piece over the same memory."""
    import numpy as np
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray):
        pieces = [numpy_of(chunk) for chunk in values.chunks]
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate(pieces) if pieces else np.zeros(0, dtype=str(values.type))
    data = memoryview(values.buffers()[1] or b"")
    return np.frombuffer(data, dtype=str(values.type))[values.offset : values.offset + len(values)]
