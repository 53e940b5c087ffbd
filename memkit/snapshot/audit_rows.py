"""Events of the audit log as rows: one column per field the views show, tolerant of anything a line may hold."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.model import jsontext

if TYPE_CHECKING:
    import pyarrow as pa

TEXTS = (
    "id", "event", "op", "status", "actor", "run_id", "worker", "trigger", "reason", "model", "session_id", "host",
    "entry_id", "panel_id", "replaces", "kind", "slug", "path", "before_hash", "after_hash", "findings", "staged_ids",
    "consumed_ids", "pruned", "restored", "erased", "query", "tripwire_id", "codes", "days",
)  # fmt: skip
NUMBERS = ("seq", "schema_version", "duration_ms", "pid", "result_count", "n_entries")
COUNTS = ("staged", "consumed", "write", "edit", "delete", "drop", "merge", "trim", "restaged", "dead_lettered")
USAGE = ("calls", "input_tokens", "output_tokens")
WORDS = ("query", "reason", "message", "source_path")
BATCH_ROWS = 32_768
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

    schema, readers, source = audit_schema(), _readers(), iter(events)
    batches: list[pa.RecordBatch] = []
    while chosen := list(islice(source, BATCH_ROWS)):
        columns: dict[str, list[Any]] = {name: [None] * len(chosen) for name in readers}
        for i, event in enumerate(chosen):
            for name, value in event.items():
                if name in readers:
                    columns[name][i] = readers[name](value)
        arrays = [pa.array(columns[field.name], field.type) for field in schema]
        batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
    return pa.Table.from_batches(batches, schema)


def _readers() -> dict[str, Callable[[Any], Any]]:
    """What reads each field."""
    return {
        **dict.fromkeys(TEXTS, _text),
        **dict.fromkeys(NUMBERS, _whole),
        "occurred_at": _instant,
        "counts": partial(_members, COUNTS, _whole),
        "usage": partial(_members, USAGE, _whole),
        "text": partial(_members, WORDS, _text),
    }


def _members(names: Iterable[str], read: Callable[[Any], Any], value: Any) -> dict[str, Any] | None:
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
