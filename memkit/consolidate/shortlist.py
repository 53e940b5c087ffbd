"""Which active records share the most telling words with a text: what reconciling a candidate begins with.

Words are those of recall (`model.tokens`), weighed as by recall: BM25 in the Lucene form over the active records, with
title and triggers counting double and tags one and a half times. Of a long text the 48 rarest words are asked, and
those that more than one in eight records holds only where there are fewer than 12 rarer ones: they would change no
order worth having. Nothing is written, nobody is told, no use is counted.

One lookup takes less than a millisecond over ten thousand records; they are put and dropped one by one, so that a run
can keep its shortlists true while it writes.
"""

from __future__ import annotations

import heapq
import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from memkit.model import tokens
from memkit.model.record import Record

MAX_WORDS: Final = 48
ENOUGH_WORDS: Final = 12
COMMON_SHARE: Final = 8
K1: Final = 1.2
B: Final = 0.75
_LEAST_DEAD: Final = 1_000


@dataclass(frozen=True, slots=True)
class Match:
    """One record that shares words with a text: its path, its score, the words, the most telling first."""

    path: str
    score: float
    words: tuple[str, ...]


class _Holders:
    """Who holds a word: numbers of records, ascending, how often each does, and how many of them still count."""

    __slots__ = ("counts", "live", "numbers")

    def __init__(self) -> None:
        self.numbers = array("i")
        self.counts = array("f")
        self.live = 0


class Shortlist:
    """Active records by their words; see the module."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._records: dict[str, Record] = {}  # those that count, by path
        self._numbers: dict[str, int] = {}
        self._paths: list[str | None] = []  # by number; None for one that was dropped
        self._lengths = array("f")
        self._terms: list[tuple[str, ...]] = []
        self._holders: dict[str, _Holders] = {}
        self._total = 0.0
        for record in records:
            self.put(record)

    def __len__(self) -> int:
        return len(self._numbers)

    def __contains__(self, path: object) -> bool:
        return path in self._numbers

    def put(self, record: Record) -> None:
        """Take a record as it is now; one that is not active leaves."""
        self.drop(record.path)
        if not record.is_active:
            return
        counts = _counts(record)
        number = len(self._paths)
        length = sum(counts.values())
        for term, count in counts.items():
            holders = self._holders.get(term)
            if holders is None:
                holders = self._holders[term] = _Holders()
            holders.numbers.append(number)
            holders.counts.append(count)
            holders.live += 1
        self._paths.append(record.path)
        self._lengths.append(length)
        self._terms.append(tuple(counts))
        self._numbers[record.path] = number
        self._records[record.path] = record
        self._total += length

    def drop(self, path: str) -> None:
        """Forget a record."""
        number = self._numbers.pop(path, None)
        if number is None:
            return
        del self._records[path]
        self._paths[number] = None
        for term in self._terms[number]:
            holders = self._holders[term]
            holders.live -= 1
            if not holders.live:
                del self._holders[term]
        self._terms[number] = ()
        self._total -= self._lengths[number]
        self._lengths[number] = 0.0
        n_dead = len(self._paths) - len(self._numbers)
        if n_dead > max(_LEAST_DEAD, len(self._numbers)):
            self.__init__(self._records.values())  # type: ignore[misc]  # numbers anew, without those that are gone

    def find(self, text: str, limit: int, *, kind: str | None = None) -> list[Match]:
        """The best `limit` records for a text, best first; of equal ones, by path.

        Args:
            text: Any text.
            limit: Records at most.
            kind: Only records of this kind.
        """
        import numpy as np

        asked = dict.fromkeys(tokens.terms(text))
        held = [(h.live, term, h) for term in asked if (h := self._holders.get(term)) is not None]
        if limit < 1 or not held:
            return []
        n = len(self._numbers)
        rarest = heapq.nsmallest(MAX_WORDS, held, key=lambda entry: entry[:2])
        rarest = [entry for i, entry in enumerate(rarest) if i < ENOUGH_WORDS or entry[0] * COMMON_SHARE <= n]
        lengths = np.frombuffer(self._lengths, np.float32)
        norms = K1 * (1 - B) + lengths * (K1 * B * n / self._total)
        scores = np.zeros(len(self._paths), np.float64)
        for live, _, holders in rarest:
            idf = math.log(1 + (n - live + 0.5) / (live + 0.5))
            numbers = np.frombuffer(holders.numbers, np.int32)
            counts = np.frombuffer(holders.counts, np.float32)
            scores[numbers] += idf * (counts / (counts + norms[numbers]))
        ranked = self._best(scores, limit, kind)
        return [
            Match(self._paths[i] or "", float(scores[i]), tuple(t for _, t, h in rarest if _holds(h, i)))
            for i in ranked
        ]

    def alike(self, text: str, paths: Iterable[str]) -> dict[str, float]:
        """How alike a text and some records are, 0 to 1: weighted Jaccard of their sets of words.

        A word weighs log(1 + (N + 1) / (n + 1)), of N records n have it: smoothed, so that few records judge much as
        many do. The weight of what both texts have is divided by the weight of what either has. 1 means the same words.
        """
        mine = {term: self._weight(term) for term in tokens.terms(text)}
        total = sum(mine.values())
        found: dict[str, float] = {}
        for path in paths:
            number = self._numbers.get(path)
            if number is None:
                continue
            both = either = 0.0
            for term in self._terms[number]:
                if term in mine:
                    both += mine[term]
                else:
                    either += self._weight(term)
            found[path] = both / (total + either) if total + either else 0.0
        return found

    def _weight(self, term: str) -> float:
        holders = self._holders.get(term)
        live = holders.live if holders else 0
        return math.log(1 + (len(self._numbers) + 1) / (live + 1))

    def _best(self, scores: Any, limit: int, kind: str | None) -> list[int]:
        """Numbers of the best records that count, best first; of equal ones, by path."""
        import numpy as np

        depth = limit
        while True:
            depth = min(depth, len(scores))
            top = np.argpartition(-scores, depth - 1)[:depth]
            least = scores[top].min()
            # All that are as good as the last: which of them is shown must not depend on the order they came in.
            chosen = [i for i in np.flatnonzero(scores >= max(least, 1e-12)).tolist() if self._counts_here(i, kind)]
            if len(chosen) >= limit or depth == len(scores) or least <= 0:
                return sorted(chosen, key=lambda i: (-scores[i], self._paths[i]))[:limit]
            depth *= 4

    def _counts_here(self, number: int, kind: str | None) -> bool:
        path = self._paths[number]
        return path is not None and (kind is None or self._records[path].kind == kind)


def _counts(record: Record) -> dict[str, float]:
    """How often each word stands in a record: in title and triggers twice, in tags one and a half times."""
    counts: dict[str, float] = dict(Counter(tokens.terms(record.body)))
    for text, weight in (
        (record.title, 2.0),
        (" | ".join(record.triggers), 2.0),
        (" | ".join(record.tags), 1.5),
    ):
        for term in tokens.terms(text):
            counts[term] = counts.get(term, 0.0) + weight
    return counts


def _holds(holders: _Holders, number: int) -> bool:
    at = bisect_left(holders.numbers, number)
    return at < len(holders.numbers) and holders.numbers[at] == number
