"""The sum of `recall_filtered.sql`, added up from lists of words: the same rows, without planning a query.

The formula stands in the query; a test compares the two. Scores are whole 1e-12ths here as there, so that equal texts
have equal scores whatever the order of addition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit.catalog.postings import united
from memkit.model.decision import FIELDS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memkit.catalog.postings import Floats, Found, Integers, Postings

    Places = npt.NDArray[np.bool_] | None

_SCALE = 1e12
_TINY = 1e-300
MEANING = 0
"""Stands for the word in rows that say what meaning earned; no word is expected to have the hash 0."""
MEANING_WEIGHT = 0.5
STANDS_OUT = 0.5
"""An entry without any word of the question is a hit from here up."""


@dataclass(frozen=True, slots=True)
class _Word:
    """One word of the question: what a unit of it is worth, and its spellings, each in each field it stands in."""

    asked: int
    idf: float
    lists: Sequence[tuple[int, Found]]


@dataclass(frozen=True, slots=True)
class _Weights:
    """What words weigh: how often they stand there, over base + slope * length; of that, idf / (k1 + weight) counts."""

    lengths: Sequence[Integers]
    bases: Sequence[float]
    slopes: Sequence[float]
    k1: float

    def of(self, found: Found, places: Integers | None = None) -> Floats:
        """The weights of a word in the documents of a list, or in those at some places of it."""
        import numpy as np

        docs, counts = (found.docs, found.counts) if places is None else (found.docs[places], found.counts[places])
        lengths = self.lengths[found.field][docs]
        norms: Floats = np.add(self.bases[found.field], self.slopes[found.field] * lengths, dtype=np.float64)
        return counts / norms


def rank_in_memory(
    postings: Postings, params: Mapping[str, Any], places: Places = None, meaning: Floats | None = None
) -> tuple[list[tuple[Any, ...]], int]:
    """The rows `recall_filtered.sql` gives for these parameters, reinforcement aside, in no particular order.

    Beside them how many hits there would be without a limit.

    Args:
        postings: Of one store.
        params: Its parameters; those of its filters are not looked at.
        places: Which of the places of `postings.shown` pass the filters; None for all.
        meaning: By document, how near it is in meaning, 0 to 1; None where only words count. Then a score is the sum of
            both, each with half the weight, words as a share of the best; a document's part for meaning comes as a row
            of its own with `MEANING` as the word.
    """
    import numpy as np

    scores = np.zeros(postings.size, dtype=np.int64)
    words, weights = _words(postings, params)
    for word in words:
        docs, total = _total(word, weights, postings.size)
        # Documents of a word stand once in its list, so plain indexing adds all of them up.
        scores[docs] += np.rint(word.idf / (weights.k1 + total) * total * _SCALE).astype(np.int64)
    only = params.get("only")
    if only is not None:
        passing = np.isin(postings.shown, np.asarray(only))
        places = passing if places is None else places & passing
    best, earned, recency, unit, n_matched = _best(postings, scores, params, places, meaning)
    docs = postings.shown[best]
    rows = list(zip(docs.tolist(), postings.heads[best].tolist(), (best + 1).tolist(), earned, recency, strict=True))
    factor = np.asarray(recency) * unit
    near = [] if meaning is None else (MEANING_WEIGHT * meaning[docs] * recency).tolist()
    parts = [
        (*rows[row], 1.0, 0, MEANING, MEANING, value, 0.0, 0.0, 0.0) for row, value in enumerate(near) if value > 0
    ]
    parts += [
        (*rows[row], 1.0, 0, word.asked, found, *shares)
        for word in words
        for found, row, shares in _shares(word, weights, docs, factor)
    ]
    return parts, n_matched


def _words(postings: Postings, params: Mapping[str, Any]) -> tuple[list[_Word], _Weights]:
    bases, slopes = ([params[f"{name}_{field}"] for field in FIELDS] for name in ("base", "slope"))
    spellings: dict[int, list[int]] = {}
    idf: dict[int, float] = {}
    for asked, word, value in zip(params["asked"], params["words"], params["idf"], strict=True):
        spellings.setdefault(asked, []).append(word)
        idf[asked] = value
    words = []
    for asked, found in spellings.items():
        lists = [(word, each) for word in found for each in postings.find(word)]
        lists = [(word, each) for word, each in lists if bases[each.field] != float("inf")]  # weight 0 counts nothing
        if lists:
            words.append(_Word(asked, idf[asked], lists))
    return words, _Weights(postings.lengths, bases, slopes, params["k1"])


def _total(word: _Word, weights: _Weights, size: int) -> tuple[Integers, Floats]:
    """The documents of a word, and what it weighs in each, all fields and spellings together."""
    import numpy as np

    found = [each for _, each in word.lists]
    docs = united([each.docs for each in found], size)
    if len(found) == 1:
        return docs, weights.of(found[0])
    if len(docs) * 16 < size:
        total = np.zeros(len(docs))
        for each in found:
            total[np.searchsorted(docs, each.docs)] += weights.of(each)
        return docs, total
    spread = np.zeros(size)
    for each in found:
        spread[each.docs] += weights.of(each)
    return docs, spread[docs]


def _best(
    postings: Postings, scores: Integers, params: Mapping[str, Any], places: Places, meaning: Floats | None
) -> tuple[Integers, list[float], list[float], float, int]:
    """Indices of the places that score highest, best first, of equal ones the first.

    Also their scores, their recency, what a point of the words' score counts, and how many hits all places make.
    """
    import numpy as np

    shown = scores[postings.shown]
    passing = shown > 0
    if meaning is not None:
        passing |= meaning[postings.shown] >= STANDS_OUT
    if places is not None:
        passing &= places
    above = np.flatnonzero(passing)
    earned, unit = shown[above] / _SCALE, 1.0
    if meaning is not None:
        unit = (1 - MEANING_WEIGHT) / max(float(shown.max(initial=0)) / _SCALE, _TINY)
        earned = earned * unit + MEANING_WEIGHT * meaning[postings.shown[above]]
    recency = np.ones(len(above))
    if params.get("half_life_ms") is not None:
        ages = np.maximum(params["as_of_ms"] - postings.stored_ms[above], 0)
        recency = 0.5 ** (ages / params["half_life_ms"])
        earned = earned * recency
    if params.get("min_score"):
        kept = earned >= params["min_score"]
        above, earned, recency = above[kept], earned[kept], recency[kept]
    n_matched = _n_hits(postings, above, members=bool(params.get("include_superseded")))
    limit = params["limit"]
    if len(above) > limit:
        kept = earned >= np.partition(earned, len(above) - limit)[len(above) - limit]
        above, earned, recency = above[kept], earned[kept], recency[kept]
    order = np.argsort(-earned, kind="stable")[:limit]
    best: Integers = above[order]
    return best, earned[order].tolist(), recency[order].tolist(), unit, n_matched


def _n_hits(postings: Postings, places: Integers, *, members: bool) -> int:
    """How many hits some places make: their heads, and the entries themselves where older members are shown too."""
    import numpy as np

    marked = np.zeros(postings.size, dtype=bool)
    marked[postings.heads[places]] = True
    if members:
        marked[postings.shown[places]] = True
    return int(np.count_nonzero(marked))


def _shares(word: _Word, weights: _Weights, docs: Integers, factor: Floats) -> list[tuple[int, int, list[float]]]:
    """For each spelling and each of `docs` that holds it: its row among them, and what each field earned."""
    import numpy as np

    total = np.zeros(len(docs))
    held = []
    for found, each in word.lists:
        rows, places = _held(each.docs, docs)
        weight = weights.of(each, places)
        total[rows] += weight
        held.append((found, each.field, rows, weight))
    unit = factor * np.divide(word.idf, weights.k1 + total, out=np.zeros(len(docs)), where=total > 0)
    shares: dict[int, dict[int, list[float]]] = {}
    for found, field, rows, weight in held:
        by_row = shares.setdefault(found, {})
        for row, value in zip(rows.tolist(), (weight * unit[rows]).tolist(), strict=True):
            by_row.setdefault(row, [0.0] * len(FIELDS))[field] = value
    return [(found, row, values) for found, by_row in shares.items() for row, values in by_row.items()]


def _held(listed: Integers, docs: Integers) -> tuple[Integers, Integers]:
    """Which of `docs` an ascending list holds, and where in it they stand."""
    import numpy as np

    places = np.minimum(np.searchsorted(listed, docs), len(listed) - 1)
    rows = np.flatnonzero(listed[places] == docs)
    return rows, places[rows]
