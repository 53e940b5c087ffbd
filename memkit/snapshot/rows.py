"""What a segment and the tail hold: entries and postings as rows.

`RowBuilder` reads each entry once. A posting is one term in one entry, with the lengths of the fields inside, so that
a query needs no join for them. Postings come out sorted by (word, doc), where `word` is a 64-bit hash of the term:
whole numbers are compared faster than texts, and in Parquet a row group without the word is passed over.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
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
from memkit.snapshot.pieces import numbered

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from memkit.snapshot.pieces import Integers

# Raised whenever the columns below, or how they are read from an entry, change: older snapshots are then made again.
ROWS_VERSION = 3
NEWER_SCHEMA = "newer-schema"
# In a segment's file a text that is the same as another column's, as most are, stands only there.
SAME_AS = {"title": "question", "summary": "conclusion"}
# Texts are taken apart whenever so many characters wait.
BLOCK_CHARS = 2_000_000


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


class RowBuilder:
    """Collects entries and gives their rows; documents are added in ascending order.

    Attributes:
        n_chars: Characters of the texts collected.
    """

    def __init__(self) -> None:
        self.n_chars = 0
        self._entries: list[dict[str, Any]] = []
        self._docs: list[int] = []
        self._at: list[int] = []  # the places of `_docs` in `_entries`
        self._words = _Words()

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, doc: int, entry: StoredEntry) -> None:
        """Add an entry that could be read."""
        read = read_decision(entry)
        texts = recall_fields(entry, read)
        self.n_chars += self._words.add([texts[field] for field in FIELDS])
        self._docs.append(doc)
        self._at.append(len(self._entries))
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
                "problem": problem_code(error),
                "problem_detail": error.what,
            }
        )

    def build(self) -> Rows:
        """The rows of what was added."""
        import numpy as np

        terms, keys, lengths = self._words.taken()
        schema = entry_schema()
        every = np.zeros((len(self._entries), len(FIELDS)), dtype=np.int32)
        every[self._at] = lengths
        entries = table_of(self._entries, schema)
        for i, field in enumerate(FIELDS):
            name = f"len_{field}"
            entries = entries.set_column(schema.get_field_index(name), schema.field(name), numbers_of(every[:, i]))
        return Rows(entries, self._posting_table(terms, keys, lengths))

    def _posting_table(self, terms: list[str], keys: Integers, lengths: Integers) -> pa.Table:
        """One row per term and document; `keys` are (term * documents + document) * fields + field, unordered."""
        import numpy as np
        import pyarrow as pa

        n_docs = max(1, len(self._docs))
        hashes = np.array([word_of(term) for term in terms], dtype=np.int64)
        order = np.argsort(hashes)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        # By word, then by document, then by field.
        keys += (rank - np.arange(len(rank)))[keys // (n_docs * len(FIELDS))] * (n_docs * len(FIELDS))
        keys.sort()
        begins = np.flatnonzero(_new(keys))
        times = np.diff(np.append(begins, len(keys)))
        pairs, fields = np.divmod(keys[begins], len(FIELDS))
        del keys, begins
        new = _new(pairs)
        ranks, places = np.divmod(pairs[new], n_docs)
        counts = np.zeros((len(FIELDS), len(ranks)), dtype=np.int32)
        counts[fields, np.cumsum(new, dtype=np.int32) - 1] = times
        del pairs, fields, times, new
        listed = column(terms, pa.string()).take(numbers_of(order))
        spelled = pa.DictionaryArray.from_arrays(numbers_of(ranks.astype(np.int32)), listed).dictionary_decode()
        docs = np.array(self._docs, dtype=np.int32)[places]
        columns = [docs, *counts, *lengths.astype(np.int32)[places].T]
        made = [numbers_of(each) for each in (hashes[order][ranks], *columns)]
        return pa.Table.from_arrays([made[0], spelled, *made[1:]], schema=posting_schema())


class _Words:
    """The terms of the texts of documents, taken apart many at a time."""

    def __init__(self) -> None:
        self._n_docs = 0
        # Texts not yet taken apart, those of ASCII characters and others, each with the document and field it is.
        self._texts: tuple[list[str], list[str]] = ([], [])
        self._of: tuple[list[int], list[int]] = ([], [])
        self._waiting = 0
        self._pieces: dict[str, int] = {}
        self._terms: dict[str, int] = {}
        # By piece: how many terms it has, and all of those, one piece after another.
        self._n_terms: list[int] = []
        self._terms_of: list[int] = []
        self._found: list[tuple[Integers, Integers]] = []

    def add(self, texts: Sequence[str]) -> int:
        """Take the texts of one further document; how many characters they have."""
        at = self._n_docs * len(FIELDS)
        n_chars = 0
        for i, text in enumerate(texts):
            if text:
                kind = 0 if text.isascii() else 1
                self._texts[kind].append(text)
                self._of[kind].append(at + i)
                n_chars += len(text)
        self._n_docs += 1
        self._waiting += n_chars
        if self._waiting > BLOCK_CHARS:
            self._take_apart()
        return n_chars

    def taken(self) -> tuple[list[str], Integers, Integers]:
        """The different terms; a key for each term of each text (`_posting_table`); lengths by document and field."""
        import numpy as np

        self._take_apart()
        none = [np.zeros(0, dtype=np.int32)]
        places = np.concatenate([place for place, _ in self._found] or none)
        pieces = np.concatenate([piece for _, piece in self._found] or none)
        self._found = []
        n_terms = np.array(self._n_terms, dtype=np.int64)
        of_piece = n_terms[pieces]
        first = (np.cumsum(n_terms) - n_terms)[pieces]
        del pieces
        if (of_piece != 1).any():
            # A compound has several: from the first on, as many as it has.
            first = np.repeat(first, of_piece) + _steps(of_piece)
            places = np.repeat(places, of_piece)
        n_places = self._n_docs * len(FIELDS)
        lengths = np.bincount(places, minlength=n_places).reshape(self._n_docs, len(FIELDS))
        keys = np.array(self._terms_of, dtype=np.int64)[first]
        keys *= max(n_places, 1)
        keys += places
        return list(self._terms), keys, lengths

    def _take_apart(self) -> None:
        import numpy as np

        for texts, of in zip(self._texts, self._of, strict=True):
            if texts:
                spelled, pieces, counts = numbered(texts)
                known = np.array([self._number(piece) for piece in spelled], dtype=np.int32)
                self._found.append((np.repeat(np.array(of, dtype=np.int32), counts), known[pieces]))
                texts.clear()
                of.clear()
        self._waiting = 0

    def _number(self, piece: str) -> int:
        known = self._pieces.get(piece)
        if known is None:
            known = self._pieces[piece] = len(self._pieces)
            terms = tokens.terms_of(piece)
            self._n_terms.append(len(terms))
            self._terms_of += [self._terms.setdefault(term, len(self._terms)) for term in terms]
        return known


def _new(values: Integers) -> npt.NDArray[np.bool_]:
    """Where an ascending array has another value than before."""
    import numpy as np

    new = np.ones(len(values), dtype=np.bool_)
    new[1:] = values[1:] != values[:-1]
    return new


def _steps(counts: Integers) -> Integers:
    """0, 1, ... up to each of `counts`, one after another."""
    import numpy as np

    return np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
