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
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, get_args

from memkit.model import tokens
from memkit.model.record import Record, RecordKind

MAX_WORDS: Final = 48
ENOUGH_WORDS: Final = 12
COMMON_SHARE: Final = 8
K1: Final = 1.2
B: Final = 0.75
_LEAST_DEAD: Final = 1_000
MAX_KNOWN = 100_000
LEAST_SCORE: Final = 1e-12
_KINDS: Final[dict[str, int]] = dict(zip(get_args(RecordKind), range(1, 100), strict=False))


@dataclass(frozen=True, slots=True)
class Match:
    """One record that shares words with a text: its path, its score, the words, the most telling first."""

    path: str
    score: float
    words: tuple[str, ...]


class Likeness(NamedTuple):
    """How alike two texts are, and what share of the shorter one the longer one has, each 0 to 1; words in common."""

    alike: float
    inside: float
    n_common: int


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
        self._kinds = array("b")  # by number; 0 for one that was dropped
        self._terms: list[tuple[str, ...]] = []
        self._holders: dict[str, _Holders] = {}
        self._total = 0.0
        self._weights: dict[int, float] = {}  # by how many records hold a word
        self._known: dict[str, list[str]] = {}  # terms of pieces of text: most stand in many records
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
        counts = self._counts(record)
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
        self._kinds.append(_number_of(record.kind))
        self._weights.clear()
        self._terms.append(tuple(counts))
        self._numbers[record.path] = number
        self._records[record.path] = record
        self._total += length

    def _counts(self, record: Record) -> dict[str, float]:
        """How often each word stands in a record: in title and triggers twice, in tags one and a half times."""
        counts: dict[str, float] = {}
        for text, weight in (
            (record.body, 1.0),
            (record.title, 2.0),
            (" | ".join(record.triggers), 2.0),
            (" | ".join(record.tags), 1.5),
        ):
            for piece in tokens.pieces(text):
                found = self._known.get(piece)
                if found is None:
                    if len(self._known) >= MAX_KNOWN:
                        self._known.clear()
                    found = self._known[piece] = tokens.terms_of(piece)
                for term in found:
                    counts[term] = counts.get(term, 0.0) + weight
        return counts

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
        self._kinds[number] = 0
        self._weights.clear()
        self._total -= self._lengths[number]
        self._lengths[number] = 0.0
        n_dead = len(self._paths) - len(self._numbers)
        if n_dead > max(_LEAST_DEAD, len(self._numbers)):
            self.__init__(self._records.values())  # type: ignore[misc]  # numbers anew, without those that are gone

    def find(self, text: str | Collection[str], limit: int, *, kind: str | None = None) -> list[Match]:
        """The best `limit` records for a text, best first; of equal ones, by path.

        Args:
            text: Any text, or its terms, for a caller who has them.
            limit: Records at most.
            kind: Only records of this kind.
        """
        import numpy as np

        asked = dict.fromkeys(tokens.terms(text) if isinstance(text, str) else text)
        held = [(h.live, term, h) for term in asked if (h := self._holders.get(term)) is not None]
        if limit < 1 or not held:
            return []
        n = len(self._numbers)
        rarest = heapq.nsmallest(MAX_WORDS, held, key=lambda entry: entry[:2])
        rarest = [entry for i, entry in enumerate(rarest) if i < ENOUGH_WORDS or entry[0] * COMMON_SHARE <= n]
        idf = [math.log(1 + (n - live + 0.5) / (live + 0.5)) for live, _, _ in rarest]
        numbers = np.concatenate([np.frombuffer(holders.numbers, np.int32) for _, _, holders in rarest])
        counts = np.concatenate([np.frombuffer(holders.counts, np.float32) for _, _, holders in rarest])
        each = np.repeat(np.array(idf), [len(holders.numbers) for _, _, holders in rarest])
        lengths = np.frombuffer(self._lengths, np.float32)[numbers]
        norms = lengths * np.float32(K1 * B * n / self._total) + np.float32(K1 * (1 - B))
        scores = np.bincount(numbers, each * (counts / (counts + norms)), minlength=len(self._paths))
        kinds = np.frombuffer(self._kinds, np.int8)
        scores[kinds == 0 if kind is None else kinds != _number_of(kind)] = 0.0
        ranked = self._best(scores, limit)
        return [Match(self._paths[i] or "", float(scores[i]), self._shared(i, rarest)) for i in ranked]

    def _shared(self, number: int, asked: list[tuple[int, str, _Holders]]) -> tuple[str, ...]:
        held = set(self._terms[number])
        return tuple(term for _, term, _ in asked if term in held)

    def alike(self, text: str | Collection[str], paths: Iterable[str]) -> dict[str, float]:
        """How alike a text and some records are, 0 to 1; see `compare`."""
        return {path: found.alike for path, found in self.compare(text, paths).items()}

    def compare(self, text: str | Collection[str], paths: Iterable[str]) -> dict[str, Likeness]:
        """How alike a text and some records are, and how much of the shorter one the longer one has.

        A word weighs log(1 + (N + 1) / (n + 1)), of N records n have it: smoothed, so that few records judge much as
        many do. The weight of what both texts have, divided by the weight of what either has (weighted Jaccard), is how
        alike they are; 1 means the same words. Divided by the weight of the lighter text it is the share of that one
        which the other has.
        """
        numbers = {path: number for path in paths if (number := self._numbers.get(path)) is not None}
        if not numbers:
            return {}
        mine = {term: self._weight(term) for term in (tokens.terms(text) if isinstance(text, str) else text)}
        total = sum(mine.values())
        found: dict[str, Likeness] = {}
        holders, weights = self._holders, self._weights
        for path, number in numbers.items():
            both = either = 0.0
            n_common = 0
            for term in self._terms[number]:
                weight = mine.get(term)
                if weight is not None:
                    both += weight
                    n_common += 1
                else:
                    either += weights.get(holders[term].live) or self._weight(term)
            least = min(total, both + either)
            alike = both / (total + either) if total + either else 0.0
            found[path] = Likeness(alike, both / least if least else 0.0, n_common)
        return found

    def _weight(self, term: str) -> float:
        holders = self._holders.get(term)
        live = holders.live if holders else 0
        weight = self._weights.get(live)
        if weight is None:
            weight = self._weights[live] = math.log(1 + (len(self._numbers) + 1) / (live + 1))
        return weight

    def _best(self, scores: Any, limit: int) -> list[int]:
        """Numbers of the best records, best first; of equal ones, by path."""
        import numpy as np

        (some,) = np.nonzero(scores > LEAST_SCORE)
        if len(some) > limit:
            # All that are as good as the last: which of them is shown must not depend on the order they came in.
            own = scores[some]
            some = some[own >= np.partition(own, len(own) - limit)[len(own) - limit]]
        return sorted(some.tolist(), key=lambda i: (-scores[i], self._paths[i]))[:limit]


def _number_of(kind: str) -> int:
    return _KINDS.get(kind, -1)
