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

    from memkit.catalog.postings import Floats, Integers, Postings

    Places = npt.NDArray[np.bool_] | None

_SCALE = 1e12
_TINY = 1e-300
MEANING = 0
"""Stands for the word in rows that say what meaning earned; no word is expected to have the hash 0."""
MEANING_WEIGHT = 0.5
STANDS_OUT = 0.5
"""An entry without any word of the question is a hit from here up."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """One spelling in one field: its documents and what it weighs in each."""

    found: int
    field: int
    docs: Integers
    weights: Floats


@dataclass(frozen=True, slots=True)
class _Weighed:
    """One word of the question, with all its spellings: in each document its weight, and what a unit of that earns."""

    asked: int
    docs: Integers
    total: Floats
    unit: Floats
    lists: Sequence[_Listed]


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
    weighed = _weigh(postings, params)
    for word in weighed:
        # Documents of a word stand once in its list, so plain indexing adds all of them up.
        scores[word.docs] += np.rint(word.unit * word.total * _SCALE).astype(np.int64)
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
        for word in weighed
        for found, row, shares in _shares(word, docs, factor)
    ]
    return parts, n_matched


def _weigh(postings: Postings, params: Mapping[str, Any]) -> list[_Weighed]:
    bases, slopes = ([params[f"{name}_{field}"] for field in FIELDS] for name in ("base", "slope"))
    norms = postings.norms(bases, slopes)
    words: dict[int, list[int]] = {}
    idf: dict[int, float] = {}
    for asked, word, value in zip(params["asked"], params["words"], params["idf"], strict=True):
        words.setdefault(asked, []).append(word)
        idf[asked] = value
    weighed = []
    for asked, spellings in words.items():
        lists = [
            _Listed(word, found.field, found.docs, found.counts / norms[found.field][found.docs])
            for word in spellings
            for found in postings.find(word)
            if bases[found.field] != float("inf")  # a field of weight 0 counts for nothing
        ]
        if lists:
            docs = united([each.docs for each in lists], postings.size)
            total = _total(lists, docs, postings.size)
            weighed.append(_Weighed(asked, docs, total, idf[asked] / (params["k1"] + total), lists))
    return weighed


def _total(lists: Sequence[_Listed], docs: Integers, size: int) -> Floats:
    """What a word weighs in each of its documents, all fields and spellings together."""
    import numpy as np

    if len(lists) == 1:
        return lists[0].weights
    if len(docs) * 16 < size:
        total = np.zeros(len(docs))
        for each in lists:
            total[np.searchsorted(docs, each.docs)] += each.weights
        return total
    spread = np.zeros(size)
    for each in lists:
        spread[each.docs] += each.weights
    return spread[docs]


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


def _shares(word: _Weighed, docs: Integers, factor: Floats) -> list[tuple[int, int, list[float]]]:
    """For each spelling and each of `docs` that holds it: its row among them, and what each field earned."""
    import numpy as np

    rows, units = _held(word.docs, docs)
    unit = np.zeros(len(docs))
    unit[rows] = word.unit[units] * factor[rows]
    shares: dict[int, dict[int, list[float]]] = {}
    for each in word.lists:
        rows, places = _held(each.docs, docs)
        by_row = shares.setdefault(each.found, {})
        for row, value in zip(rows.tolist(), (each.weights[places] * unit[rows]).tolist(), strict=True):
            by_row.setdefault(row, [0.0] * len(FIELDS))[each.field] = value
    return [(found, row, values) for found, by_row in shares.items() for row, values in by_row.items()]


def _held(listed: Integers, docs: Integers) -> tuple[Integers, Integers]:
    """Which of `docs` an ascending list holds, and where in it they stand."""
    import numpy as np

    places = np.minimum(np.searchsorted(listed, docs), len(listed) - 1)
    rows = np.flatnonzero(listed[places] == docs)
    return rows, places[rows]
