"""Why something is not among the hits: causes with counts and ids, never silence.

The cheap causes are always looked for: words that stand nowhere, a capped or empty question, files that were skipped or
could never be read, older members of the chains shown. The others need one more query (`lost_and_found.sql`) and are
looked for only where the page is not full and something can be hidden: a filter, a threshold, a replaced edition. A
full page misses nothing else but lower ranks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from memkit.analytics.asking import MAX_TERMS, Question, nearby
from memkit.analytics.gaps import UNREADABLE, WHY, cause_of, damaged_index
from memkit.analytics.recall_options import RecallOptions
from memkit.analytics.recall_result import Missed, RecallResult
from memkit.catalog import queries
from memkit.errors import StoreError
from memkit.model.decision import recall_fields
from memkit.model.tokens import terms
from memkit.store import entries, trash

if TYPE_CHECKING:
    from memkit.catalog.sight import Sight

MOST_IDS = 20
MOST_IN_TRASH = 200
_SUGGESTIONS = 3
# Of fewer entries a word may well stand in most of them and still be what was meant.
LEAST_FOR_COMMON = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with its options and the parameters it was ranked with."""

    question: Question
    options: RecallOptions
    params: Mapping[str, Any]


@dataclass(slots=True)
class Hidden:
    """What ranking left out by itself.

    Attributes:
        skipped: (code, entry id) of ranks whose file is not what was indexed.
        superseded: Numbers of older members that matched while their head is shown.
    """

    skipped: list[tuple[str, str]] = field(default_factory=list)
    superseded: tuple[int, ...] = ()


def explain(sight: Sight, asked: Asked, hidden: Hidden, *, n_hits: int) -> tuple[Missed, ...]:
    """Every cause that applies, most general first."""
    found: list[Missed] = []
    question = asked.question
    if not question.terms:
        found.append(Missed("empty-query", "The question holds no word to look for."))
    if question.capped:
        detail = f"Only the first {MAX_TERMS} different words are looked for; {question.capped:,} more were left out."
        found.append(Missed("terms-capped", detail, count=question.capped))
    n_damaged = sight.n_damaged_lines
    found += [Missed("damaged-index", detail, count=n_damaged) for detail in damaged_index(sight)]
    if sight.scope.n_entries == 0 and not n_damaged:
        found.append(Missed("empty-store", "Nothing is stored for this project yet."))
    elif question.absent:
        found.append(_absent(sight, question, suggest=n_hits == 0))
    if _is_common(sight, question):
        words = f"in more than half of the {sight.scope.n_live:,} live entries"
        found.append(Missed("common-words", f"Every word found stands {words}: the order says little."))
    found += _skipped(hidden.skipped)
    if hidden.superseded:
        cards = sight.cards(hidden.superseded)
        ids = [cards[doc].entry_id for doc in hidden.superseded]
        found.append(_listed("superseded", ids, "replaced by a hit"))
    if n_hits < asked.options.limit:
        found += _judged(sight, asked)
        found += _in_trash(sight, question)
    return (*found, *unsearchable(sight))


def _is_common(sight: Sight, question: Question) -> bool:
    """Whether each word that was found stands in so many entries that it tells none of them from the others."""
    found = [term for term in question.terms if term not in question.absent]
    # The idf falls below ln 2 where a word stands in more than half of the entries.
    return sight.scope.n_live >= LEAST_FOR_COMMON and bool(found) and all(question.idf[t] < math.log(2) for t in found)


def other_projects(result: RecallResult) -> tuple[Missed, ...]:
    """What another catalog holds for the same question."""
    keys = sorted({hit.project_key for hit in result})
    if not keys:
        return ()
    plural = "project" if len(keys) == 1 else "projects"
    ids = [hit.id for hit in result]
    return (_listed("other-project", ids, f"in the {plural} {', '.join(keys)}"),)


def _absent(sight: Sight, question: Question, *, suggest: bool) -> Missed:
    words = ", ".join(repr(term) for term in question.absent[:MOST_IDS])
    detail = f"In no entry: {words}."
    if suggest:
        near = dict.fromkeys(found for _, found in nearby(sight, question.absent, _SUGGESTIONS))
        near.pop("", None)
        if near:
            detail += f" Near it: {', '.join(list(near)[:MOST_IDS])}."
    return Missed("token-not-in-corpus", detail, count=len(question.absent))


def _skipped(skipped: Iterable[tuple[str, str]]) -> list[Missed]:
    by_cause: dict[str, list[str]] = {}
    for code, entry_id in skipped:
        by_cause.setdefault(cause_of(code), []).append(entry_id)
    return [_listed(cause, ids, "skipped; `memkit verify` says more") for cause, ids in by_cause.items()]


def _judged(sight: Sight, asked: Asked) -> list[Missed]:
    options = asked.options
    something = bool(asked.question.spellings) and (options.filters or options.min_score > 0)
    if not something and not (asked.question.terms and sight.derived.replaced):
        return []
    query = queries.load("memkit.analytics", "lost_and_found")
    params = {**asked.params, **asked.question.params(absent=True), "most": MOST_IDS}
    rows = sight.fetch(query, {name: params[name] for name in query.params})
    words = {
        "below-threshold": f"below min_score={options.min_score:g}",
        "filtered-out": "kept out by the filters",
        "replaced": "older editions; the newer one counts",
    }
    found: list[Missed] = []
    for cause, reason in words.items():
        ids = [entry_id for its, entry_id, _ in rows if its == cause]
        n = next((n for its, _, n in rows if its == cause), 0)
        if n:
            found.append(_listed(cause, ids, reason, n))
    return found


def _in_trash(sight: Sight, question: Question) -> list[Missed]:
    """Entries in the trash that hold a word of the question; the latest ones are looked into."""
    wanted = set(question.terms)
    ids: list[str] = []
    for source in sight.sources if wanted else ():
        store = source.store
        for trashed in list(store.trash().entries.values())[-MOST_IN_TRASH:]:
            with suppress(StoreError):
                entry = entries.decode(store.paths, trashed.id, trash.require_sound(store.paths, trashed))
                if any(wanted.intersection(terms(text)) for text in recall_fields(entry).values()):
                    ids.append(trashed.id)
    return [_listed("trash", ids, "in the trash; `memkit restore ID` brings one back")] if ids else []


def unsearchable(sight: Sight) -> list[Missed]:
    """Entries known by their index line only: whether they would have matched, nobody can say."""
    by_cause: dict[str, list[str]] = {}
    for gap in sight.unreadable:
        by_cause.setdefault(cause_of(gap.code), []).append(gap.entry_id)
    return [
        _listed(cause, ids, f"could not be searched: {WHY.get(cause, UNREADABLE)}")
        for cause, ids in sorted(by_cause.items())
    ]


def _listed(cause: str, ids: Sequence[str], reason: str, count: int | None = None) -> Missed:
    n = len(ids) if count is None else count
    return Missed(cause, f"{n:,} {'entry' if n == 1 else 'entries'} {reason}.", tuple(ids[:MOST_IDS]), n)
