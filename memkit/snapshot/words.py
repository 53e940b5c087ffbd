"""For each word the entries that hold it, by field: what ranking reads, and nothing but that.

A segment's file of words is Arrow IPC with one row; each column is one long list. It is mapped into memory, so that a
question touches the pages of its own words only, whatever the size of the store. Within a field, the entries of word
`i` stand from `starts[i]` to `starts[i + 1]`, ascending, with how often the word stands there. Numbers are as small as
they can be: entries count from the first of the segment.

The rows of the postings say the same to people and to SQL; both are made from one table and written together.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memkit.model.decision import FIELDS
from memkit.snapshot.columns import column as texts
from memkit.snapshot.columns import numbers_of, numpy_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Integers = npt.NDArray[np.integer[Any]]

FIRST = b"first_doc"
_BITS = (8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class Lists:
    """The entries of each word in one field.

    Attributes:
        starts: Where each word's entries begin in the arrays below, and one past the last.
        docs: Entries, less `Words.first`.
        counts: How often the word stands there.
    """

    starts: Integers
    docs: Integers
    counts: Integers


@dataclass(frozen=True, slots=True)
class Words:
    """A run of documents by word.

    Attributes:
        first: The document that counts as 0.
        words: The different words (`rows.word_of`), ascending.
        terms: Their spellings.
        n_docs: In how many documents each stands, whatever the field.
        fields: For each field of `FIELDS`.
    """

    first: int
    words: Integers
    terms: pa.StringArray
    n_docs: Integers
    fields: tuple[Lists, ...]


def words_of(postings: pa.Table, first: int = 0) -> Words:
    """Bring rows of postings, sorted by word and document, into lists."""
    import numpy as np
    import pyarrow as pa

    def column(name: str) -> Integers:
        return cast("Integers", numpy_of(postings.column(name)))

    word, doc = column("word"), column("doc") - first
    begins = np.ones(len(word), dtype=np.bool_)
    begins[1:] = word[1:] != word[:-1]
    places = np.cumsum(begins, dtype=np.int32) - 1
    at = np.flatnonzero(begins)
    fields = []
    for field in FIELDS:
        times = column(f"tf_{field}")
        rows = np.flatnonzero(times)
        starts = np.zeros(len(at) + 1, dtype=np.uint32)
        np.cumsum(np.bincount(places[rows], minlength=len(at)), out=starts[1:])
        fields.append(Lists(starts, _small(doc[rows]), _small(times[rows])))
    terms = postings.column("term").combine_chunks().take(numbers_of(at)) if len(at) else texts([], pa.string())
    n_docs = np.diff(np.append(at, len(word)))
    return Words(first, word[at], cast("pa.StringArray", terms), _small(n_docs), tuple(fields))


def encode_words(words: Words) -> bytes:
    """The bytes of the file."""
    import pyarrow as pa

    named: dict[str, Any] = {"word": words.words, "term": words.terms, "n_docs": words.n_docs}
    for field, lists in zip(FIELDS, words.fields, strict=True):
        named |= {f"starts_{field}": lists.starts, f"docs_{field}": lists.docs, f"counts_{field}": lists.counts}
    arrays = {name: pa.array(values) for name, values in named.items()}
    columns = [pa.LargeListArray.from_arrays(pa.array([0, len(array)], pa.int64()), array) for array in arrays.values()]
    batch = pa.record_batch(columns, names=list(arrays)).replace_schema_metadata({FIRST: str(words.first).encode()})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return sink.getvalue().to_pybytes()


def open_words(file: Path, offset: int = 0) -> Words:
    """Map a file of words into memory; `offset` is added to its document numbers.

    Raises:
        OSError: the file is gone.
    """
    import pyarrow as pa

    batch = pa.ipc.open_file(pa.memory_map(str(file))).get_batch(0)

    def values(name: str) -> Any:
        return batch.column(name).values  # type: ignore[attr-defined]

    def numbers(name: str) -> Integers:
        return cast("Integers", numpy_of(values(name)))

    fields = tuple(Lists(numbers(f"starts_{f}"), numbers(f"docs_{f}"), numbers(f"counts_{f}")) for f in FIELDS)
    first = int((batch.schema.metadata or {})[FIRST]) + offset
    return Words(first, numbers("word"), values("term"), numbers("n_docs"), fields)


def _small(values: Integers) -> Integers:
    """The same numbers in the smallest unsigned kind that holds them."""
    highest = int(values.max(initial=0))
    bits = next(bits for bits in _BITS if highest < 1 << bits)
    return cast("Integers", values.astype(f"uint{bits}"))
