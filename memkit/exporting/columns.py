"""The columns of an exported Parquet file: what an engine without memkit can ask an entry for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit.model import jsontext
from memkit.model.decision import read_decision, summary_of
from memkit.model.entry import StoredEntry
from memkit.model.result import synthesis_text

if TYPE_CHECKING:
    import pyarrow as pa


def schema() -> pa.Schema:
    """One row per entry; the project's key is the folder the file lies in."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    columns: dict[str, pa.DataType] = {
        "entry_id": pa.string(),
        "stored_at": pa.timestamp("ms", tz="UTC"),
        "project_path": pa.string(),
        "panel_id": pa.string(),
        "question": pa.string(),
        "title": pa.string(),
        "conclusion": pa.string(),
        "summary": pa.string(),
        "synthesis": pa.string(),
        "status": pa.string(),
        "raw_status": pa.string(),
        "decided_on": pa.date32(),
        "tags": texts,
        "tripwires": texts,
        "supersedes": texts,
        "superseded_by": texts,
        "amends": texts,
        "read_when": pa.string(),
        "final_score": pa.float64(),
        "judge_confidence": pa.float64(),
        "source_kind": pa.string(),
        "source_path": pa.string(),
        "source_sha256": pa.string(),
        "replaces": pa.string(),
        "schema_version": pa.int32(),
        "result": pa.string(),
    }
    return pa.schema(columns)


def row(entry: StoredEntry) -> dict[str, Any]:
    """One entry as a row; `result` is its whole result as JSON."""
    read = read_decision(entry)
    prose = synthesis_text(entry.result)
    source = entry.source
    return {
        "entry_id": entry.id,
        "stored_at": entry.stored_at,
        "project_path": entry.project_path,
        "panel_id": entry.panel_id,
        "question": entry.question,
        "title": read.title,
        "conclusion": read.conclusion,
        "summary": summary_of(read, prose),
        "synthesis": prose,
        "status": read.status,
        "raw_status": read.raw_status,
        "decided_on": read.decided_on,
        "tags": list(entry.tags),
        "tripwires": list(read.tripwires),
        "supersedes": list(read.supersedes),
        "superseded_by": list(read.superseded_by),
        "amends": list(read.amends),
        "read_when": read.read_when,
        "final_score": read.final_score,
        "judge_confidence": read.judge_confidence,
        "source_kind": source.kind if source else None,
        "source_path": source.path if source else None,
        "source_sha256": source.sha256 if source else None,
        "replaces": entry.replaces,
        "schema_version": entry.schema_version,
        "result": jsontext.dumps(dict(entry.result)).decode("utf-8"),
    }


def encode(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows as the bytes of a Parquet file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(list(rows), schema()), sink, compression="zstd", write_page_checksum=True)
    return sink.getvalue().to_pybytes()
