"""What a segment and the tail hold: entries and postings as rows.

`RowBuilder` reads each entry once. A posting is one term in one entry, with the lengths of the fields inside, so that
a query needs no join for them. Postings come out sorted by (word, doc), where `word` is a 64-bit hash of the term:
whole numbers are compared faster than texts, and in Parquet a row group without the word is passed over.
"""

from __future__ import annotations

import hashlib
import itertools
import zlib
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.errors import (
    EntryNotFoundError,
    ForeignStoreError,
    NewerFormatError,
    RecordNotFoundError,
    StoreError,
    StorePermissionError,
)
from memkit.model import tokens
from memkit.model.decision import FIELDS, read_decision, recall_fields, summary_of
from memkit.model.entry import StoredEntry
from memkit.model.index_line import ABSENT, IndexLine
from memkit.snapshot.columns import column, numbers_of, table_of

if TYPE_CHECKING:
    import pyarrow as pa

# Raised whenever the columns below, or how they are read from an entry, change: older snapshots are then made again.
ROWS_VERSION = 2
NEWER_SCHEMA = "newer-schema"


def entry_schema() -> pa.Schema:
    """Columns of one row per entry."""
    import pyarrow as pa

    texts = pa.list_(pa.string())
    columns: dict[str, pa.DataType] = {
        "doc": pa.int32(),
        "entry_id": pa.string(),
        "stored_at": pa.timestamp("us", tz="UTC"),
        "panel_id": pa.string(),
        "question": pa.string(),
        "question_crc": pa.int64(),
        "tags": texts,
        "title": pa.string(),
        "conclusion": pa.string(),
        "summary": pa.string(),
        "status": pa.string(),
        "raw_status": pa.string(),
        "decided_on": pa.date32(),
        "supersedes": texts,
        "superseded_by": texts,
        "amends": texts,
        "partly": texts,
        "read_when": pa.string(),
        "tripwires": texts,
        "source_kind": pa.string(),
        "source_path": pa.string(),
        "source_sha256": pa.string(),
        "number": pa.string(),
        "slug": pa.string(),
        "document_id": pa.string(),
        "final_score": pa.float64(),
        "judge_confidence": pa.float64(),
        "replaces": pa.string(),
        "schema_version": pa.int32(),
        **{f"len_{field}": pa.int32() for field in FIELDS},
        "problem": pa.string(),
        "problem_detail": pa.string(),
    }
    return pa.schema(columns)


def posting_schema() -> pa.Schema:
    """Columns of one row per term and entry; `word` is `word_of(term)`."""
    import pyarrow as pa

    names = ["doc", *(f"tf_{field}" for field in FIELDS), *(f"len_{field}" for field in FIELDS)]
    columns: dict[str, pa.DataType] = {"word": pa.int64(), "term": pa.string()}
    return pa.schema(columns | {name: pa.int32() for name in names})


@dataclass(frozen=True, slots=True)
class Rows:
    """Entries and postings of a run of documents, as Arrow tables in the schemas above."""

    entries: pa.Table
    postings: pa.Table


def question_crc(question: str) -> int:
    """A checksum of a question, to tell whether an entry's file still asks what its row says."""
    return zlib.crc32(question.encode("utf-8", "surrogatepass"))


def word_of(term: str) -> int:
    """A term as a signed 64-bit integer: the first eight bytes of its BLAKE2b hash."""
    return int.from_bytes(hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8).digest(), signed=True)


def problem_code(error: StoreError) -> str:
    """The name under which an entry that cannot be read is listed."""
    if isinstance(error, (EntryNotFoundError, RecordNotFoundError)):
        return "missing-file"
    if isinstance(error, NewerFormatError):
        return NEWER_SCHEMA
    if isinstance(error, ForeignStoreError):
        return "foreign-entry"
    if isinstance(error, StorePermissionError):
        return "unreadable-entry"
    return "damaged-entry"


class _Numbers(dict[str, int]):
    """A number for each term, given out as they come."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


class _Pieces(dict[str, tuple[int, ...]]):
    """The numbers of the terms of each piece of text seen: most pieces are words that come again and again."""

    def __init__(self, numbers: _Numbers) -> None:
        super().__init__()
        self._numbers = numbers

    def __missing__(self, piece: str) -> tuple[int, ...]:
        found = tuple([self._numbers[term] for term in tokens.terms_of(piece)])
        if len(piece) <= tokens.MAX_TERM_CHARS:
            self[piece] = found
        return found


class RowBuilder:
    """Collects entries and gives their rows; documents are added in ascending order."""

    def __init__(self) -> None:
        self._entries: list[dict[str, Any]] = []
        self._terms = _Numbers()
        self._pieces = _Pieces(self._terms)
        self._docs: list[int] = []
        # For each field the numbers of the terms of all entries, one entry after another.
        self._numbers = [array("i") for _ in FIELDS]
        self._lengths: list[list[int]] = [[] for _ in FIELDS]

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, doc: int, entry: StoredEntry) -> None:
        """Add an entry that could be read."""
        read = read_decision(entry)
        texts = recall_fields(entry, read)
        self._docs.append(doc)
        lengths = []
        for field, numbers, all_lengths in zip(FIELDS, self._numbers, self._lengths, strict=True):
            before = len(numbers)
            numbers.extend(itertools.chain.from_iterable(map(self._pieces.__getitem__, tokens.pieces(texts[field]))))
            lengths.append(len(numbers) - before)
            all_lengths.append(lengths[-1])
        self._entries.append(
            {
                "doc": doc,
                "entry_id": entry.id,
                "stored_at": entry.stored_at,
                "panel_id": entry.panel_id,
                "question": entry.question,
                "question_crc": question_crc(entry.question),
                "tags": list(entry.tags),
                "title": read.title,
                "conclusion": read.conclusion,
                "summary": summary_of(read, texts["synthesis"]),
                "status": read.status,
                "raw_status": read.raw_status,
                "decided_on": read.decided_on,
                "supersedes": list(read.supersedes),
                "superseded_by": list(read.superseded_by),
                "amends": list(read.amends),
                "partly": list(read.partly),
                "read_when": read.read_when,
                "tripwires": list(read.tripwires),
                "source_kind": entry.source.kind if entry.source else None,
                "source_path": read.source_path,
                "source_sha256": entry.source.sha256 if entry.source else None,
                "number": read.number,
                "slug": read.slug,
                "document_id": read.document_id,
                "final_score": read.final_score,
                "judge_confidence": read.judge_confidence,
                "replaces": entry.replaces,
                "schema_version": entry.schema_version,
                **{f"len_{field}": length for field, length in zip(FIELDS, lengths, strict=True)},
                "problem": None,
                "problem_detail": None,
            }
        )

    def add_unreadable(self, doc: int, line: IndexLine, error: StoreError) -> None:
        """Add an entry of which only the index line can be read: what the line says, and why there is no more."""
        self._entries.append(
            {
                "doc": doc,
                "entry_id": line.id,
                "stored_at": clock.from_ms(line.stored_at_ms),
                "panel_id": line.panel_id,
                "question": line.question_preview,
                "tags": list(line.tags),
                "title": line.question_preview,
                "status": "unknown",
                "final_score": None if line.final_score == ABSENT else float(line.final_score),
                "judge_confidence": None if line.judge_confidence == ABSENT else float(line.judge_confidence),
                **dict.fromkeys(("supersedes", "superseded_by", "amends", "partly", "tripwires"), ()),
                **dict.fromkeys((f"len_{field}" for field in FIELDS), 0),
                "problem": problem_code(error),
                "problem_detail": error.what,
            }
        )

    def build(self) -> Rows:
        """The rows of what was added."""
        return Rows(table_of(self._entries, entry_schema()), self._posting_table())

    def _posting_table(self) -> pa.Table:
        import numpy as np
        import pyarrow as pa

        hashes = np.array([word_of(term) for term in self._terms], dtype=np.int64)
        order = np.argsort(hashes)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        n_docs = max(1, len(self._docs))
        # One number for a term and a document, ascending by word, then by document.
        keys, counts = [], []
        for numbers, lengths in zip(self._numbers, self._lengths, strict=True):
            docs = np.repeat(np.arange(len(lengths)), lengths)
            found, n = np.unique(rank[np.frombuffer(numbers, dtype=np.int32)] * n_docs + docs, return_counts=True)
            keys.append(found)
            counts.append(n.astype(np.int32))
        every = np.sort(np.concatenate(keys))
        every = every[np.append(True, every[1:] != every[:-1])[: len(every)]]
        terms, docs = np.divmod(every, n_docs)
        columns: list[Any] = [np.array(self._docs, dtype=np.int32)[docs]]
        for found, n in zip(keys, counts, strict=True):
            times = np.zeros(len(every), dtype=np.int32)
            times[np.searchsorted(every, found)] = n
            columns.append(times)
        columns += [np.array(lengths, dtype=np.int32)[docs] for lengths in self._lengths]
        listed = column(self._terms, pa.string()).take(numbers_of(order))
        spelled = pa.DictionaryArray.from_arrays(numbers_of(terms.astype(np.int32)), listed).dictionary_decode()
        made = [numbers_of(each) for each in (hashes[order][terms], *columns)]
        return pa.Table.from_arrays([made[0], spelled, *made[1:]], schema=posting_schema())
