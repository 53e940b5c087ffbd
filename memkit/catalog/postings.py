"""The postings of one store for ranking without a query.

DuckDB plans every execution anew, which takes many times longer than adding up a few thousand numbers; and a table
is read in whole groups of rows where a question needs a few lists. So ranking reads the lists of words that lie
beside each segment, mapped into memory, and those of what was stored since, made from its rows. Which entries are live,
where each is shown, and how long its fields are is fetched anew whenever it changed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from memkit import clock
from memkit.model.decision import FIELDS
from memkit.snapshot.columns import numpy_of
from memkit.snapshot.words import Words, words_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Integers = npt.NDArray[np.integer[Any]]
    Floats = npt.NDArray[np.float64]

_MOST_PARTS = 8
# Lists found are kept until they hold so many entries: a question looks each word up twice.
_KEPT = 2_000_000


@dataclass(frozen=True, slots=True)
class Found:
    """One word in one field, all segments together: documents, ascending, and how often it stands in each."""

    field: int
    docs: Integers
    counts: Integers


class Postings:
    """See the module.

    Attributes:
        lengths: For each field of `FIELDS`, the length of that field by document, in words.
        shown: Places where live documents are shown, best first among equals: the document,
        heads: and the head it is shown at.
        stored_ms: When the document of each place was stored.
    """

    def __init__(self, words: Sequence[Words]) -> None:
        import numpy as np

        self._words = list(words)
        self._later: list[pa.Table] = []
        self._later_words: list[Words] = []
        self._kept: dict[int, list[Found]] = {}
        self._n_kept = 0
        self._live: npt.NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.lengths: tuple[Integers, ...] = ()
        self.shown: Integers = np.zeros(0, dtype=np.int32)
        self.heads: Integers = self.shown
        self.stored_ms: Integers = np.zeros(0, dtype=np.int64)

    @property
    def parts(self) -> list[Words]:
        """Every run of documents, those of the segments first."""
        return [*self._words, *self._later_words]

    @property
    def size(self) -> int:
        """One more than the highest document number."""
        return len(self._live)

    def add(self, rows: pa.Table) -> None:
        """Take the postings of further documents."""
        import pyarrow as pa

        self._later.append(rows)
        if len(self._later) > _MOST_PARTS:
            rows = pa.concat_tables(self._later).sort_by([("word", "ascending"), ("doc", "ascending")])
            self._later, self._later_words = [rows], []
        self._later_words.append(words_of(rows))
        self._forget()

    def describe(self, lengths: pa.Table, places: pa.Table) -> None:
        """Take the lengths of all documents, and the places of the live ones."""
        import numpy as np

        docs = numpy_of(lengths.column("doc"))
        size = 1 + int(docs.max(initial=-1))
        self.lengths = tuple(_spread(docs, numpy_of(lengths.column(f"len_{field}")), size) for field in FIELDS)
        at = numpy_of(places.column("place")) - 1
        self.shown, self.heads, self.stored_ms = (_put(at, places, name) for name in ("doc", "head", "stored_ms"))
        self._live = np.zeros(size, dtype=np.bool_)
        self._live[self.shown] = True
        self._forget()

    def grow(self, rows: Sequence[Mapping[str, Any]]) -> bool:
        """Take rows of entries added behind all others, where nothing replaces or supersedes anything.

        False where the place of one cannot be told from its time: another was stored in the same millisecond.
        """
        import numpy as np

        if min((row["doc"] for row in rows), default=self.size) < self.size:
            return False  # what could not be read at first has its number already
        live = sorted((-clock.to_ms(r["stored_at"]), r["entry_id"], r["doc"]) for r in rows if r["problem"] is None)
        before, times = -self.stored_ms, np.array([time for time, *_ in live], dtype=np.int64)
        places = np.searchsorted(before, times)
        if (np.searchsorted(before, times, side="right") != places).any():
            return False
        size = 1 + max((row["doc"] for row in rows), default=self.size - 1)
        further = size - self.size
        numbers = np.array([row["doc"] for row in rows], dtype=np.int64)
        columns = [np.array([row[f"len_{field}"] for row in rows], dtype=np.int32) for field in FIELDS]
        spread = [_spread(numbers, values, size) for values in columns]
        self.lengths = tuple(
            np.append(known, new[self.size :]) for known, new in zip(self.lengths, spread, strict=True)
        )
        docs = np.array([doc for *_, doc in live], dtype=self.shown.dtype)
        self.shown, self.heads = np.insert(self.shown, places, docs), np.insert(self.heads, places, docs)
        self.stored_ms = np.insert(self.stored_ms, places, -times)
        self._live = np.append(self._live, np.zeros(further, dtype=np.bool_))
        self._live[docs] = True
        self._forget()
        return True

    def _forget(self) -> None:
        self._kept, self._n_kept = {}, 0

    def find(self, word: int) -> list[Found]:
        """Where a word stands, field by field; documents that are not live may be among them."""
        known = self._kept.get(word)
        if known is None:
            known = self._look_up(word)
            self._n_kept += sum(len(found.docs) for found in known)
            if self._n_kept > _KEPT:
                self._forget_words()
            else:
                self._kept[word] = known
        return known

    def _forget_words(self) -> None:
        self._kept, self._n_kept = {}, 0

    def _look_up(self, word: int) -> list[Found]:
        import numpy as np

        docs: list[list[Integers]] = [[] for _ in FIELDS]
        counts: list[list[Integers]] = [[] for _ in FIELDS]
        for part in self.parts:
            place = int(part.words.searchsorted(word))
            if place == len(part.words) or part.words[place] != word:
                continue
            for i, lists in enumerate(part.fields):
                start, end = int(lists.starts[place]), int(lists.starts[place + 1])
                if start < end:
                    docs[i].append(lists.docs[start:end].astype(np.int32) + np.int32(part.first))
                    counts[i].append(lists.counts[start:end])
        found = [_joined(i, docs[i], counts[i]) for i in range(len(FIELDS)) if docs[i]]
        size = self.size  # an entry that left may have had the highest number
        return [each for each in (_within(f, size) for f in found) if len(each.docs)]

    def frequency(self, words: Iterable[int]) -> int:
        """In how many live documents one of these words stands."""
        lists = [found.docs for word in words for found in self.find(word)]
        return int(self._live[united(lists, self.size)].sum()) if lists else 0


def united(lists: Sequence[Integers], size: int) -> Integers:
    """The documents that stand in one of these ascending lists, ascending, each once."""
    import numpy as np

    if len(lists) == 1:
        return lists[0]
    if sum(map(len, lists)) * 16 < size:
        every = np.sort(np.concatenate(lists))
        return cast("Integers", every[np.append(True, every[1:] != every[:-1])[: len(every)]])
    marked = np.zeros(size, dtype=np.bool_)
    for docs in lists:
        marked[docs] = True
    return np.flatnonzero(marked)


def _joined(field: int, docs: Sequence[Integers], counts: Sequence[Integers]) -> Found:
    import numpy as np

    found = Found(field, np.concatenate(docs), np.concatenate(counts))
    if all(before[-1] < after[0] for before, after in itertools.pairwise(docs)):
        return found
    order = np.argsort(found.docs)  # an entry that could not be read at first has rows behind later ones
    return Found(field, found.docs[order], found.counts[order])


def _within(found: Found, size: int) -> Found:
    if int(found.docs[-1]) < size:
        return found
    inside = found.docs < size
    return Found(found.field, found.docs[inside], found.counts[inside])


def _put(at: Integers, places: pa.Table, name: str) -> Integers:
    """A column of the places, each number where its place says."""
    import numpy as np

    values = numpy_of(places.column(name))
    put = np.empty_like(values)
    put[at] = values
    return cast("Integers", put)


def _spread(docs: Integers, values: Integers, size: int) -> Integers:
    """`values` by document number."""
    import numpy as np

    spread = np.zeros(size, dtype=np.int32)
    spread[docs] = values
    return spread
