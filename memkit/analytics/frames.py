"""Columns of the tables that are handed to queries beside the views: facts as they come, in order, and conditions."""

from __future__ import annotations

from typing import Any


def arrow() -> tuple[Any, Any]:
    """pyarrow and pyarrow.compute, untyped: their published types do not know many of the calls they take."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pa, pc


def frame_schemas() -> dict[str, Any]:
    """Each frame by the name queries use.

    `facts` holds raw rows, a null value where a row has no number. `readings` holds what `facts.sql` makes of them.
    `wires` holds one row per condition that can be judged: a reading meets it where over < value < under. Numbers of
    metrics are those of the table of facts; lengths are in microseconds. `watched` and `firings` hold
    tripwires and when their conditions held, `marks` what that comes to. `voices` holds who took part in a panel.
    `panel_limits` and `tag_limits` are a retention policy's (-1 for no limit, null where nothing is said), `marked` the
    entries that are pinned, held or were restored, `envelopes` the bytes of files, `to_store` what is not yet stored.
    """
    pa, _ = arrow()
    moment = pa.timestamp("us", tz="UTC")
    return {
        "facts": pa.schema([("metric", pa.int32()), ("read_at", moment), ("value", pa.float64())]),
        "readings": pa.schema(
            [
                ("metric", pa.int32()),
                ("seq", pa.int32()),
                ("read_at", moment),
                ("value", pa.float64()),
                ("usual_us", pa.float64()),
                ("void_at", moment),
                ("is_after_gap", pa.bool_()),
            ]
        ),
        "firings": pa.schema([("condition", pa.int32()), ("fired_at", moment), ("ended_at", moment)]),
        "watched": pa.schema(
            [
                ("condition", pa.int32()),
                ("entry_id", pa.string()),
                ("project_key", pa.string()),
                ("title", pa.string()),
                ("detail", pa.string()),
                ("decided_at", moment),
                ("revisit_at", moment),
            ]
        ),
        "voices": pa.schema(
            [
                ("entry_id", pa.string()),
                ("project_key", pa.string()),
                ("model", pa.string()),
                ("persona", pa.string()),
                ("dissented", pa.bool_()),
            ]
        ),
        "panel_limits": pa.schema(
            [("panel_id", pa.string()), ("max_results", pa.int64()), ("max_age_days", pa.int64())]
        ),
        "tag_limits": pa.schema([("tag", pa.string()), ("max_results", pa.int64()), ("max_age_days", pa.int64())]),
        "marked": pa.schema(
            [
                ("entry_id", pa.string()),
                ("is_pinned", pa.bool_()),
                ("is_held", pa.bool_()),
                ("restored_until_ms", pa.int64()),
                ("pin_reason", pa.string()),
                ("hold_reason", pa.string()),
            ]
        ),
        "envelopes": pa.schema([("entry_id", pa.string()), ("n_bytes", pa.int64())]),
        "to_store": pa.schema(
            [
                ("entry_id", pa.string()),
                ("stored_ms", pa.int64()),
                ("panel_id", pa.string()),
                ("tags", pa.list_(pa.string())),
                ("title", pa.string()),
            ]
        ),
        "marks": pa.schema(
            [
                ("happened_at", moment),
                ("kind", pa.string()),
                ("entry_id", pa.string()),
                ("project_key", pa.string()),
                ("title", pa.string()),
                ("detail", pa.string()),
            ]
        ),
        "wires": pa.schema(
            [
                ("wire", pa.int32()),
                ("metric", pa.int32()),
                ("over", pa.float64()),
                ("under", pa.float64()),
                ("is_sustained", pa.bool_()),
                ("is_steady", pa.bool_()),
                ("window_us", pa.int64()),
                ("window_months", pa.int32()),
                ("periods", pa.int32()),
                ("period_us", pa.float64()),
                ("length_us", pa.float64()),
            ]
        ),
    }
