"""The sum of `recall.sql`, added up from postings in memory: the same rows, without planning a query.

The formula stands in `recall.sql`; a test compares the two. Scores are whole 1e-12ths here as there, so that equal
texts have equal scores whatever the order of addition.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit.model.decision import FIELDS

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memkit.catalog.postings import Found, Integers, Postings

    Floats = npt.NDArray[np.float64]

_SCALE = 1e12


@dataclass(frozen=True, slots=True)
class _Weighed:
    """One word in the documents that hold it: its weight by field, their sum, and what one unit of weight earns."""

    word: int
    docs: Integers
    fields: Sequence[Floats]
    total: Floats
    unit: Floats


def rank_in_memory(postings: Postings, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """The rows `recall.sql` gives for these parameters, in no particular order."""
    import numpy as np

    norms = [params[f"base_{field}"] + params[f"slope_{field}"] * postings.lengths[i] for i, field in enumerate(FIELDS)]
    scores = np.zeros(len(postings.lengths[0]), dtype=np.int64)
    weighed: list[_Weighed] = []
    for word, idf in zip(params["words"], params["idf"], strict=True):
        for found in postings.find(word):
            here = _weigh(word, found, norms, idf, params["k1"])
            scores[here.docs] += np.rint(here.unit * here.total * _SCALE).astype(np.int64)
            weighed.append(here)
    best = _best(scores[postings.shown], params["limit"])
    docs = postings.shown[best]
    pairs = list(zip(docs.tolist(), postings.heads[best].tolist(), (best + 1).tolist(), strict=True))
    earned = (scores[docs] / _SCALE).tolist()
    return [
        (*pairs[row], earned[row], 1.0, here.word, here.word, *shares)
        for here in weighed
        for row, shares in _shares(here, docs)
    ]


def _weigh(word: int, found: Found, norms: Sequence[Floats], idf: float, k1: float) -> _Weighed:
    docs = found.docs
    fields = [count / norm[docs] for count, norm in zip(found.counts, norms, strict=True)]
    total = fields[0] + fields[1] + fields[2] + fields[3]
    counting = total > 0  # not where a word stands only in fields of weight 0
    if not counting.all():
        docs, total, fields = docs[counting], total[counting], [field[counting] for field in fields]
    return _Weighed(word, docs, fields, total, idf / (k1 + total))


def _best(scores: Integers, limit: int) -> Integers:
    """Indices of the highest scores above 0, highest first; of equal ones, the first."""
    import numpy as np

    above = np.flatnonzero(scores > 0)
    if len(above) > limit:
        least = np.partition(scores[above], len(above) - limit)[len(above) - limit]
        above = above[scores[above] >= least]
    order = np.argsort(-scores[above], kind="stable")
    best: Integers = above[order[:limit]]
    return best


def _shares(here: _Weighed, docs: Integers) -> list[tuple[int, list[float]]]:
    """For each of `docs` that holds the word: its place among them, and what each field earned."""
    import numpy as np

    if not len(here.docs):
        return []
    places = np.minimum(np.searchsorted(here.docs, docs), len(here.docs) - 1)
    rows = np.flatnonzero(here.docs[places] == docs)
    places = places[rows]
    values = np.stack([here.unit[places] * field[places] for field in here.fields], axis=1)
    return list(zip(rows.tolist(), values.tolist(), strict=True))
