"""What a ranking is worth: recall, reciprocal rank and gain, means over questions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

DEPTH = 10


@dataclass(frozen=True)
class Asked:
    """A question, of what kind it is, and what answers it."""

    kind: str
    question: str
    relevant: frozenset[str]


def score(ranked: Sequence[str], relevant: frozenset[str]) -> dict[str, float]:
    """Recall@5, recall@10, reciprocal rank and nDCG (binary gains), the last two within the first ten."""
    hits = [each in relevant for each in ranked[:DEPTH]]
    gain = sum(1 / math.log2(rank + 2) for rank, hit in enumerate(hits) if hit)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(len(relevant), DEPTH)))
    return {
        "recall@5": sum(hits[:5]) / len(relevant),
        "recall@10": sum(hits) / len(relevant),
        "MRR": next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0),
        "nDCG@10": gain / ideal,
    }


def mean(scores: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Means by measure."""
    rows = list(scores)
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in rows[0]}


def by_kind(search: Callable[[str], Sequence[str]], asked: Sequence[Asked]) -> dict[str, dict[str, float]]:
    """Means over all questions (`all`) and over those of each kind."""
    scored = [(each.kind, score(search(each.question), each.relevant)) for each in asked]
    kinds = dict.fromkeys(kind for kind, _ in scored)
    return {"all": mean(row for _, row in scored)} | {
        kind: mean(row for other, row in scored if other == kind) for kind in kinds
    }
