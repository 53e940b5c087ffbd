"""Which live entries answer a question, in what order, and why.

The words are taken apart (`asking`), entries are ranked and checked (`answering`), what is not there is explained
(`lost_and_found`), and a caller's `rerank` may put the hits into another order at last.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memkit.analytics.answering import Answer
from memkit.analytics.asking import take_apart
from memkit.analytics.lost_and_found import Asked, explain, other_projects, unsearchable
from memkit.analytics.recall_options import RecallOptions, Rerank
from memkit.analytics.recall_result import RecallHit, RecallResult
from memkit.errors import InvalidInputError
from memkit.model import jsontext
from memkit.snapshot.rows import NEWER_SCHEMA

if TYPE_CHECKING:
    from memkit.catalog.catalog import Catalog
    from memkit.catalog.sight import Sight

__all__ = ["RecallOptions", "Rerank", "recall"]


def recall(
    catalog: Catalog,
    query: str,
    options: RecallOptions | None = None,
    *,
    as_of: dt.datetime,
    elsewhere: Catalog | None = None,
) -> RecallResult:
    """Rank the live entries of a catalog for a question.

    Args:
        catalog: The stores to search; counts and averages are theirs.
        query: The question, in any words. It never reaches a query language.
        options: See `RecallOptions`.
        as_of: The moment ages are counted to; aware.
        elsewhere: Other projects, to be mentioned under `other-project` where this one has too little.

    Returns:
        The hits, best first, and what was missed with its cause. No hits is an answer, not an error.

    Raises:
        InvalidInputError: the query is not text, or an option is impossible.
    """
    options = options or RecallOptions()
    jsontext.require_text(query, "query")
    if options.reinforcement > 0:
        catalog.count_uses()
    found = catalog.ask(lambda sight: _answer(sight, query, options, as_of))
    if options.rerank is not None:
        found = replace(found, rows=_reranked(query, found.rows, options.rerank)[: options.limit])
    if elsewhere is not None and len(found) < options.limit:
        others = recall(elsewhere, query, replace(options, rerank=None), as_of=as_of)
        found = replace(found, missed=found.missed + other_projects(others))
    return found


def _answer(sight: Sight, query: str, options: RecallOptions, as_of: dt.datetime) -> RecallResult:
    sight.asked()
    question = take_apart(sight, query, fuzzy=options.fuzzy, stemming=options.stemming)
    answer = Answer(sight, question, options, as_of=as_of)
    hits = tuple(answer.hit(rank, line) for rank, line in enumerate(answer.find(), 1))
    gaps = [gap for gap in unsearchable(sight) if gap.cause != NEWER_SCHEMA]
    return RecallResult(
        query=query,
        terms=question.terms,
        rows=hits,
        missed=explain(sight, Asked(question, options, answer.params), answer.hidden, n_hits=len(hits)),
        as_of=as_of,
        warnings=(*answer.warnings, *(f"skipped {', '.join(gap.ids)}: {gap.detail}" for gap in gaps)),
        options=options.chosen(),
        n_entries=sight.scope.n_live,
        n_records=sight.scope.n_records,
        sql=answer.query.sql,
        n_matched=answer.n_matched if answer.question.spellings or options.semantic else 0,
    )


def _reranked(query: str, hits: Sequence[RecallHit], rerank: Rerank) -> tuple[RecallHit, ...]:
    """The hits in the order of a caller's numbers; equal ones keep their lexical order."""
    values = [float(value) for value in rerank(query, hits)]
    if len(values) != len(hits) or any(math.isnan(value) for value in values):
        raise InvalidInputError(
            f"gave {len(values)} numbers for {len(hits)} hits, or one that is none",
            field="rerank",
            remedy="Return one number for each hit, in the order given.",
        )
    order = sorted(range(len(hits)), key=lambda i: (-values[i], i))
    return tuple(replace(hits[i], rank=rank, rerank_score=values[i]) for rank, i in enumerate(order, 1))
