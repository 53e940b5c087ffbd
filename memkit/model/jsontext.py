"""JSON as memkit reads and writes it: UTF-8, finite numbers, bounded nesting, exact integers.

Python's parser accepts `NaN`, unpaired surrogates and thousands of nested lists. None of these survives the other
readers of a store (DuckDB, a TypeScript tool, Parquet), so they are refused going in and reported coming out.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from memkit.errors import InvalidInputError

MAX_NESTING = 64
# Values in one document: each takes 50 to 100 bytes of memory, however short it is in the file.
MAX_VALUES = 2_000_000
_NO_MARKS = bytes(set(range(256)) - set(b'",[{'))
_CHUNK = 1 << 16
Json = Any
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class JsonDamage(ValueError):  # noqa: N818 - a finding about bytes, carried as data
    """These bytes are not JSON memkit can use; the message says why."""


def _no_constant(name: str) -> NoReturn:
    raise JsonDamage(f"{name} is not a JSON number")


def _finite_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise JsonDamage(f"the number {text[:40]} is out of range")
    return value


_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_float=_finite_float)


def nesting(value: Json, limit: int = MAX_NESTING) -> int:
    """How deep lists and objects nest in `value` (a scalar is 0); stops counting at `limit + 1`."""
    depth = 0
    layer = [value] if isinstance(value, (dict, list, tuple)) else []
    while layer and depth <= limit:
        depth += 1
        layer = [
            child
            for item in layer
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, (dict, list, tuple))
        ]
    return depth


def has_too_many_values(data: bytes) -> bool:
    """Whether JSON bytes hold more than `MAX_VALUES` values; what stands inside texts does not count."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") <= MAX_VALUES:
        return False
    marks = data.replace(b"\\\\", b"").replace(b'\\"', b"").translate(None, _NO_MARKS)
    if marks.count(b'"') > 2 * MAX_VALUES:
        return True
    n, inside = 0, 0
    for start in range(0, len(marks), _CHUNK):
        pieces = marks[start : start + _CHUNK].split(b'"')
        n += sum(map(len, pieces[inside::2]))
        inside = (inside + len(pieces) - 1) % 2
    return n > MAX_VALUES


def loads(data: bytes) -> Json:
    """Parse UTF-8 JSON bytes (a leading BOM is allowed).

    Raises:
        JsonDamage: not UTF-8, not JSON, a non-finite number, nested deeper than `MAX_NESTING`, or more than
            `MAX_VALUES` values.
    """
    if has_too_many_values(data):
        raise JsonDamage(f"more than {MAX_VALUES:,} values")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonDamage(f"not UTF-8 at byte {error.start}") from error
    try:
        value = _DECODER.decode(text)
    except RecursionError as error:
        raise JsonDamage(f"nested deeper than {MAX_NESTING}") from error
    except JsonDamage:
        raise
    except json.JSONDecodeError as error:
        raise JsonDamage(f"not JSON: {error}") from error
    except ValueError as error:  # integers of more digits than Python reads
        raise JsonDamage("holds a number of too many digits") from error
    # Nothing nests deeper than it opens brackets.
    if data.count(b"[") + data.count(b"{") > MAX_NESTING and nesting(value) > MAX_NESTING:
        raise JsonDamage(f"nested deeper than {MAX_NESTING}")
    return value


def loads_object(data: bytes) -> dict[str, Json]:
    """Like `loads`, and the value must be an object."""
    value = loads(data)
    if not isinstance(value, dict):
        raise JsonDamage(f"a JSON object was expected, found {type(value).__name__}")
    return value


def require_pairs(value: Json, data: bytes) -> None:
    """Refuse a value in which an escape of `data`, from which it was read, spells half a character.

    Such an escape is valid JSON, and text no other reader of a store accepts.

    Raises:
        JsonDamage: there is one.
    """
    if _HALF.search(data) is None:
        return
    try:
        dumps(value)
    except UnicodeEncodeError as error:
        raise JsonDamage("holds an unpaired surrogate") from error


def whole_text(text: str) -> str:
    """`text` with U+FFFD in the place of each unpaired surrogate, as where a tool cut a pair in two."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def dumps(value: Json) -> bytes:
    """Compact UTF-8 JSON on one line, non-ASCII written as itself.

    Raises:
        ValueError: NaN, infinity, or a type JSON has no form for.
        UnicodeEncodeError: an unpaired surrogate.
    """
    return _ENCODER.encode(value).encode("utf-8")


def require_json(value: Json, field: str) -> Json:
    """Return `value` as plain JSON data (tuples become lists), or say which part cannot be stored.

    Raises:
        InvalidInputError: with `field` extended to the offending place, such as `result.rounds[2].score`.
    """
    if nesting(value) > MAX_NESTING:
        raise InvalidInputError(
            f"nested deeper than {MAX_NESTING} levels", field=field, remedy="Flatten the value before storing it."
        )
    return _plain(value, field)


def require_text(value: object, field: str) -> str:
    """Return `value` if it is text that can be written as UTF-8.

    Raises:
        InvalidInputError: not a string, or one with an unpaired surrogate.
    """
    if not isinstance(value, str):
        raise InvalidInputError(f"text was expected, found {type(value).__name__}", field=field)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInputError(
            f"holds an unpaired surrogate (U+{ord(value[error.start]):04X}) at position {error.start}",
            field=field,
            remedy="Decode the text again from its bytes, or replace the character with U+FFFD.",
        ) from error
    return value


def _plain(value: Json, field: str) -> Json:
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return require_text(value, field)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN differs from itself
            raise InvalidInputError(
                f"{value} has no form in JSON", field=field, remedy="Leave the number out, or store null."
            )
        return float(value)
    if isinstance(value, dict):
        plain: dict[str, Json] = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise InvalidInputError(
                    f"the key {key!r} is {type(key).__name__}", field=field, remedy="Use text keys."
                )
            plain[require_text(key, f"{field} (a key)")] = _plain(item, f"{field}.{key}")
        return plain
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{field}[{i}]") for i, item in enumerate(value)]
    raise InvalidInputError(
        f"{type(value).__name__} has no form in JSON",
        field=field,
        remedy="Pass plain data; a pydantic model gives it with .model_dump(mode='json').",
    )
