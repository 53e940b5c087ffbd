"""Writing segments: built in memory, checked, written under fresh names, merged when neighbours are of similar size."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memkit.errors import DamagedError
from memkit.snapshot.manifest import Segment, SegmentFile
from memkit.snapshot.reading import read_file
from memkit.snapshot.rows import SAME_AS, Rows, entry_schema, posting_schema
from memkit.snapshot.words import encode_words, words_of
from memkit.store import durable
from memkit.store.paths import StorePaths

if TYPE_CHECKING:
    import pyarrow as pa

ROW_GROUP_ROWS = 32_768
# A segment this large is merged no further: a merge holds its rows in memory, and words count documents in two bytes.
MAX_SEGMENT_DOCS = 65_536
MAX_SEGMENT_POSTINGS = 2_500_000


def write_segment(paths: StorePaths, rows: Rows, fresh: list[str], *, docs: tuple[int, int]) -> Segment:
    """Write the files of a segment; no manifest names them yet. `fresh` collects the names of files made.

    `docs` are its first document number and the one past its last; the rows may leave some of them out.
    """
    ids: list[str] = rows.entries.column("entry_id").to_pylist()  # type: ignore[assignment]
    entries = _write(
        paths,
        "entries-{}.parquet",
        encode(_thinned(rows.entries), ascending=("doc", "stored_at")),
        rows.entries.num_rows,
        fresh,
    )
    postings = _write(
        paths, "postings-{}.parquet", encode(rows.postings, ascending=("doc",)), rows.postings.num_rows, fresh
    )
    lists = words_of(rows.postings, docs[0])
    words = _write(paths, "words-{}.arrow", encode_words(lists), len(lists.words), fresh)
    return Segment(*docs, min(ids), max(ids), entries, postings, words)


def _write(paths: StorePaths, name: str, data: bytes, n_rows: int, fresh: list[str]) -> SegmentFile:
    final = paths.snapshots / name.format(secrets.token_hex(8))
    durable.rename(durable.write_temp(final, data), final)
    fresh.append(final.name)
    return SegmentFile(final.name, n_rows, len(data), hashlib.sha256(data).hexdigest())


def _thinned(entries: pa.Table) -> pa.Table:
    """The rows without the texts that another column has as well; see `SAME_AS`."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name, other in SAME_AS.items():
        column = entries.column(name)
        same = pc.fill_null(pc.equal(column, entries.column(other)), pa.scalar(False))
        field, at = entries.schema.field(name), entries.schema.get_field_index(name)
        entries = entries.set_column(at, field, pc.if_else(same, pa.scalar(None, field.type), column))
    return entries


def encode(table: pa.Table, *, ascending: Sequence[str] = ()) -> bytes:
    """A table as the bytes of a Parquet file, its footer read back and compared.

    `ascending` names columns whose numbers mostly ascend: kept as differences they take half the room, and are read in
    a third of the time.

    Raises:
        DamagedError: the footer does not say what was written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(
        table,
        sink,
        compression="zstd",
        row_group_size=ROW_GROUP_ROWS,
        write_page_checksum=True,
        use_dictionary=[_path(field) for field in table.schema if field.name not in ascending],  # type: ignore[arg-type]
        column_encoding=dict.fromkeys(ascending, "DELTA_BINARY_PACKED") or None,
    )
    buffer = sink.getvalue()
    footer = pq.ParquetFile(pa.BufferReader(buffer))
    if footer.metadata.num_rows != table.num_rows or footer.schema_arrow.names != table.schema.names:
        raise DamagedError("a segment did not read back as it was written", remedy="Run the command again.")
    return buffer.to_pybytes()


def _path(field: pa.Field[Any]) -> str:
    """How Parquet names the column of a field."""
    import pyarrow as pa

    return f"{field.name}.list.element" if pa.types.is_list(field.type) else field.name


def decode(data: bytes, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
    """The rows of a Parquet file's bytes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True).read(columns=columns)
    return table.cast(schema if columns is None else pa.schema([schema.field(name) for name in columns]))


def read_rows(paths: StorePaths, segment: Segment) -> Rows | None:
    """The rows of a segment, or None where its files are no longer what the manifest says."""
    entries = read_file(paths, segment.entries)
    postings = read_file(paths, segment.postings)
    if entries is None or postings is None:
        return None
    return Rows(decode(entries, entry_schema()), decode(postings, posting_schema()))


def is_due(older: tuple[int, int], newer: tuple[int, int]) -> bool:
    """Whether neighbours of so many documents and postings should become one.

    They should if the older is not twice as large and both together are not too large. So sizes at least halve from one
    segment to the next, there are about log N of them, and an entry is rewritten only when the segment around it grows
    by half or more.
    """
    docs, postings = (before + after for before, after in zip(older, newer, strict=True))
    return older[0] < 2 * newer[0] and docs <= MAX_SEGMENT_DOCS and postings <= MAX_SEGMENT_POSTINGS


def merge_rows(older: Rows, newer: Rows) -> Rows:
    """The rows of two neighbouring segments in one order."""
    import numpy as np
    import pyarrow as pa

    postings = pa.concat_tables([older.postings, newer.postings])
    # The older segment's documents come first and both are in order already, so a stable sort by word is enough.
    order = np.argsort(np.asarray(postings.column("word")), kind="stable")
    return Rows(pa.concat_tables([older.entries, newer.entries]), postings.take(order))


def remove(paths: StorePaths, names: Sequence[str]) -> None:
    """Remove files of segments nothing names."""
    for name in names:
        durable.unlink(paths.snapshots / name)
