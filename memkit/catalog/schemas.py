"""Columns of the tables of the database `base`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit.snapshot.audit_rows import audit_schema
from memkit.snapshot.rows import entry_schema, posting_schema

if TYPE_CHECKING:
    import pyarrow as pa


def base_schemas() -> dict[str, pa.Schema]:
    """Each table filled from Python; the others are made by a select in `tables/`.

    `healed` numbers rows that no longer count, `chains` leads a superseded document to its heads,
    `chain_members` and `chain_heads` give each linked one its place, `links` holds settled links by entry id, `damage`
    damaged index lines and records, `record_rows` records as they are. `audit_rows`, `candidate_rows`, `ledger_rows`,
    `firing_rows` and `use_rows` stay empty until a question names a view of theirs. `trashed` shows what is in the
    trash, `entry_marks` pins and holds in force.
    """
    import pyarrow as pa

    text, texts, number = pa.string(), pa.list_(pa.string()), pa.int32()
    columns: dict[str, dict[str, pa.DataType]] = {
        "healed": {"doc": number},
        "replaced": {"doc": number, "replaced_by": text},
        "chains": {"doc": number, "head": number},
        "chain_members": {
            "doc": number,
            "chain_id": text,
            "position": number,
            "n_members": number,
            "is_circular": pa.bool_(),
        },
        "chain_heads": {"doc": number, "head_id": text},
        "links": {
            "doc": number,
            "supersedes": texts,
            "superseded_by": texts,
            "amends": texts,
            "is_superseded": pa.bool_(),
        },
        "record_rows": {
            "slug": text,
            "project_key": text,
            "kind": text,
            "path": text,
            "title": text,
            "status": text,
            "created_at": pa.timestamp("ms", tz="UTC"),
            "updated_at": pa.timestamp("ms", tz="UTC"),
            "sources": texts,
            "supersedes": texts,
            "superseded_by": text,
            "reinforcement_count": number,
            "last_seen_at": pa.timestamp("ms", tz="UTC"),
            "triggers": texts,
            "tags": texts,
            "body": text,
            "sha256": text,
        },
        "vocabulary": {"term": text, "n_entries": pa.int64()},
        "vectors": {"doc": number, "vector": pa.list_(pa.float32())},
        "panels": {"panel_id": text},
        "stores": {"project_key": text, "project_path": text, "folder": text},
        "candidate_rows": {
            "project_key": text,
            "file": text,
            "position": number,
            "is_dead": pa.bool_(),
            "session_id": text,
            "category": text,
            "kind": text,
            "candidate_key": text,
            "title": text,
            "summary": text,
            "body": text,
            "triggers": texts,
            "tags": texts,
            "tripwires": texts,
            "supersedes": texts,
            "scope": text,
            "attempts": number,
            "first_turn": number,
            "last_turn": number,
            "excerpt": text,
            "produced_at": pa.timestamp("us", tz="UTC"),
            "reason": text,
            "problem": text,
        },
        "ledger_rows": {
            "candidate_key": text,
            "project_key": text,
            "session_id": text,
            "category": text,
            "first_turn": number,
            "last_turn": number,
            "fate": text,
            "reason": text,
            "record": text,
            "adjudicator": text,
            "run_id": text,
            "decided_at": pa.timestamp("us", tz="UTC"),
            "attempts": number,
        },
        "firing_rows": {
            "project_key": text,
            "position": number,
            "fired_at": pa.timestamp("ms", tz="UTC"),
            "kind": text,
            "id": text,
            "op": text,
            "rank": number,
            "actor": text,
            "call": text,
        },
        "use_rows": {"project_key": text, "id": text, "n_recalled": number, "n_read": number},
        "trashed": {
            "entry_id": text,
            "project_key": text,
            "stored_at": pa.timestamp("us", tz="UTC"),
            "pruned_at": pa.timestamp("us", tz="UTC"),
            "rules": texts,
            "cause": text,
            "actor": text,
            "plan_id": text,
            "n_bytes": pa.int64(),
        },
        "entry_marks": {
            "entry_id": text,
            "project_key": text,
            "kind": text,
            "marked_at": pa.timestamp("us", tz="UTC"),
            "reason": text,
            "actor": text,
        },
        "damage": {
            "project_key": text,
            "code": text,
            "file": text,
            "start_byte": pa.int64(),
            "end_byte": pa.int64(),
            "detail": text,
            "entry_id": text,
        },
    }
    entries = entry_schema()
    audit = audit_schema().append(pa.field("project_key", text)).append(pa.field("day", text))
    return {
        "entry_rows": entries.append(pa.field("project_key", text)),
        "posting_rows": posting_schema(),
        "replaced_postings": posting_schema(),
        "audit_rows": audit,
        "audit_held": audit,
        "audit_alive": pa.schema([("project_key", text), ("run_id", text)]),
        **{name: pa.schema(kinds) for name, kinds in columns.items()},
    }
