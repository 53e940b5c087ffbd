"""Postings of one store in memory, as arrays, for ranking without a query.

DuckDB plans every execution anew, which takes many times longer than adding up a few thousand numbers. So from the
second question on, the postings a catalog shows are fetched once and kept: for each word the documents that hold it,
ascending, with its count in each field; for each document the lengths of its fields. What is stored later comes as a
further part. Which documents are live, and where each is shown, is fetched anew whenever it changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit.model.decision import FIELDS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Integers = npt.NDArray[np.integer[Any]]

_MOST_PARTS = 8


@dataclass(frozen=True, slots=True)
class Part:
    """Postings sorted by word and document.

    Attributes:
        words: The distinct words, ascending.
        starts: Where each word's postings begin in the arrays below, and one past the last.
        docs: The documents.
        counts: For each field of `FIELDS`, how often the word stands in it.
    """

    words: Integers
    starts: Integers
    docs: Integers
    counts: tuple[Integers, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """The postings of one word in one part: documents, ascending, and counts by field."""

    docs: Integers
    counts: tuple[Integers, ...]


class Postings:
    """See the module.

    Attributes:
        lengths: For each field of `FIELDS`, the length of that field by document, in words.
        shown: Places where live documents are shown, best first among equals: the document,
        heads: and the head it is shown at.
    """

    def __init__(self, rows: pa.Table) -> None:
        import numpy as np

        self._parts = [_part(*_columns(rows))]
        self._live: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.lengths: tuple[Integers, ...] = ()
        self.shown: Integers = np.zeros(0, dtype=np.int32)
        self.heads: Integers = self.shown

    def add(self, rows: pa.Table) -> None:
        """Take the postings of further documents."""
        import numpy as np

        self._parts.append(_part(*_columns(rows)))
        if len(self._parts) > _MOST_PARTS:
            # The first part is by far the largest and stays as it is.
            later = self._parts[1:]
            words = np.concatenate([np.repeat(part.words, np.diff(part.starts)) for part in later])
            docs = np.concatenate([part.docs for part in later])
            order = np.lexsort((docs, words))
            counts = [np.concatenate([part.counts[i] for part in later])[order] for i in range(len(FIELDS))]
            self._parts[1:] = [_part(words[order], docs[order], counts)]

    def describe(self, lengths: pa.Table, places: pa.Table) -> None:
        """Take the lengths of all documents, and the places of the live ones, in order."""
        import numpy as np

        docs = lengths.column("doc").to_numpy()
        size = 1 + max([int(docs.max(initial=-1)), *(int(part.docs.max(initial=-1)) for part in self._parts)])
        self.lengths = tuple(_spread(docs, lengths.column(f"len_{field}").to_numpy(), size) for field in FIELDS)
        self.shown, self.heads = places.column("doc").to_numpy(), places.column("head").to_numpy()
        self._live = np.zeros(size, dtype=np.bool_)
        self._live[self.shown] = True

    def find(self, word: int) -> list[Found]:
        """The postings of a word; those of documents that are not live may be among them."""
        found = []
        for part in self._parts:
            place = int(part.words.searchsorted(word))
            if place < len(part.words) and part.words[place] == word:
                here = slice(int(part.starts[place]), int(part.starts[place + 1]))
                found.append(Found(part.docs[here], tuple(count[here] for count in part.counts)))
        return found

    def frequency(self, word: int) -> int:
        """In how many live documents a word stands."""
        return sum(int(self._live[found.docs].sum()) for found in self.find(word))


def _columns(rows: pa.Table) -> tuple[Integers, Integers, list[Integers]]:
    counts = [rows.column(f"tf_{field}").to_numpy() for field in FIELDS]
    return rows.column("word").to_numpy(), rows.column("doc").to_numpy(), counts


def _part(words: Integers, docs: Integers, counts: list[Integers]) -> Part:
    import numpy as np

    first = np.ones(len(words), dtype=np.bool_)
    first[1:] = words[1:] != words[:-1]
    starts = np.append(np.flatnonzero(first), len(words))
    small = tuple(count.astype(np.min_scalar_type(count.max(initial=0))) for count in counts)
    return Part(words[first], starts, docs.astype(np.int32), small)


def _spread(docs: Integers, values: Integers, size: int) -> Integers:
    """`values` by document number."""
    import numpy as np

    spread = np.zeros(size, dtype=np.int32)
    spread[docs] = values
    return spread
