"""Events of the audit log as rows: one column per field the views show, tolerant of anything a line may hold."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.model import jsontext

if TYPE_CHECKING:
    import pyarrow as pa

TEXTS = (
    "id", "event", "op", "status", "actor", "run_id", "worker", "trigger", "reason", "model", "session_id", "host",
    "entry_id", "panel_id", "replaces", "kind", "slug", "path", "before_hash", "after_hash", "findings", "staged_ids",
    "consumed_ids", "pruned", "restored", "erased", "query",
)  # fmt: skip
NUMBERS = ("seq", "schema_version", "duration_ms", "pid", "result_count")
COUNTS = ("staged", "consumed", "write", "edit", "delete", "drop", "merge", "trim", "restaged", "dead_lettered")
USAGE = ("calls", "input_tokens", "output_tokens")
WORDS = ("query", "reason", "message", "source_path")
_MOST = 2**63


def audit_schema() -> pa.Schema:
    """The columns of `base.audit_rows`, project and day apart; lists stand as JSON text."""
    import pyarrow as pa

    whole = pa.int64()
    fields: list[pa.Field[Any]] = [
        *(pa.field(name, pa.string()) for name in TEXTS),
        *(pa.field(name, whole) for name in NUMBERS),
        pa.field("occurred_at", pa.timestamp("us", tz="UTC")),
        pa.field("counts", pa.struct([(name, whole) for name in COUNTS])),
        pa.field("usage", pa.struct([(name, whole) for name in USAGE])),
        pa.field("text", pa.struct([(name, pa.string()) for name in WORDS])),
    ]
    return pa.schema(fields)


def json_columns() -> dict[str, str]:
    """The same columns by DuckDB type, for reading JSON with explicit columns."""
    return {
        **dict.fromkeys(TEXTS, "VARCHAR"),
        **dict.fromkeys(NUMBERS, "BIGINT"),
        "occurred_at": "TIMESTAMPTZ",
        "counts": _struct(COUNTS, "BIGINT"),
        "usage": _struct(USAGE, "BIGINT"),
        "text": _struct(WORDS, "VARCHAR"),
    }


def _struct(names: Iterable[str], kind: str) -> str:
    fields = ", ".join(f'"{name}" {kind}' for name in names)
    return f"STRUCT({fields})"


def build(events: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Rows of events, given as the JSON objects of their lines; a field of another type than expected is left out."""
    import pyarrow as pa

    schema = audit_schema()
    return pa.Table.from_pylist([_row(event) for event in events], schema=schema)


def _row(event: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {name: _text(event.get(name)) for name in TEXTS}
    row |= {name: _whole(event.get(name)) for name in NUMBERS}
    row["occurred_at"] = _instant(event.get("occurred_at"))
    row["counts"] = _members(event.get("counts"), COUNTS, _whole)
    row["usage"] = _members(event.get("usage"), USAGE, _whole)
    row["text"] = _members(event.get("text"), WORDS, _text)
    return row


def _members(value: Any, names: Iterable[str], read: Any) -> dict[str, Any] | None:
    return {name: read(value.get(name)) for name in names} if isinstance(value, Mapping) else None


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return jsontext.dumps(value).decode("utf-8")


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and -_MOST <= value < _MOST else None


def _instant(value: Any) -> dt.datetime | None:
    if not isinstance(value, str):
        return None
    try:
        return clock.parse_instant(value)
    except ValueError:
        return None
