"""A question taken apart: its words, what else they may have meant, and how rare each is."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memkit.analytics.stemming import NONE, Forms, forms
from memkit.catalog import queries
from memkit.model import tokens
from memkit.model.decision import FIELDS
from memkit.model.numbers_of_words import other_number
from memkit.snapshot.rows import word_of

if TYPE_CHECKING:
    from memkit.analytics.recall_options import RecallOptions
    from memkit.catalog.facts import Scope
    from memkit.catalog.sight import Sight

PACKAGE = "memkit.analytics"
MAX_TERMS = 64
MAX_SPELLINGS = 24
PREFIX_CHARS = 4
EDIT_CHARS = 5
_TINY = 1e-300


@dataclass(frozen=True)
class Question:
    """What is looked for.

    Attributes:
        text: As it was asked.
        terms: Its distinct words, in order, at most `MAX_TERMS`.
        capped: How many more there were.
        spellings: (word asked, word looked for); the same twice where nothing else is meant.
        idf: By word asked, ln(1 + (N - df + 0.5) / (df + 0.5)) over the live entries of the scope.
        absent: Words asked that stand in no live entry, in no spelling.
    """

    text: str
    terms: tuple[str, ...]
    capped: int
    spellings: tuple[tuple[str, str], ...]
    idf: dict[str, float]
    absent: tuple[str, ...]

    @property
    def total_idf(self) -> float:
        """The idf of all words together: what full coverage would be."""
        return math.fsum(self.idf.values())

    @cached_property
    def names(self) -> dict[int, str]:
        """The words by their number in the postings."""
        return {word_of(term): term for pair in self.spellings for term in pair}

    def params(self, *, absent: bool = False) -> dict[str, Any]:
        """The words as parameters of a ranking query; `absent` adds those that stand in no live entry."""
        pairs = [*self.spellings, *((term, term) for term in self.absent if absent)]
        return {
            "asked": [word_of(asked) for asked, _ in pairs],
            "words": [word_of(found) for _, found in pairs],
            "idf": [self.idf[asked] for asked, _ in pairs],
        }


def take_apart(sight: Sight, text: str, *, fuzzy: bool = False, stemming: str = NONE) -> Question:
    """Read a question against the words of a catalog; `fuzzy` also looks for other spellings, `stemming` for forms."""
    terms, capped = tokens.query_terms(text, MAX_TERMS)
    stems = None if stemming == NONE else forms(sight, stemming)
    if stems is not None:
        terms = stems.distinct(terms)
    if fuzzy or stems is not None:
        spellings = _spellings(sight, terms, fuzzy=fuzzy, stems=stems)
        counts = _pooled(sight, spellings)
    else:
        counts = sight.frequencies(terms)
        spellings = tuple((term, term) for term in terms if counts[term])
    others = _in_other_number(sight, [term for term in terms if not counts.get(term)])
    if others:
        spellings += others
        counts |= _pooled(sight, others)
    n = sight.scope.n_live
    return Question(
        text=text,
        terms=tuple(terms),
        capped=capped,
        spellings=spellings,
        idf={term: inverse_frequency(n, counts.get(term, 0)) for term in terms},
        absent=tuple(term for term in terms if not counts.get(term)),
    )


def _in_other_number(sight: Sight, absent: list[str]) -> tuple[tuple[str, str], ...]:
    """(word asked, word of the corpus) for words that stand nowhere as asked, but in the singular or plural of them."""
    pairs = [(term, other) for term in absent for other in other_number(term)]
    known = sight.frequencies([other for _, other in pairs]) if pairs else {}
    return tuple((term, other) for term, other in pairs if known[other])


def inverse_frequency(n: int, n_with: int) -> float:
    """ln(1 + (N - df + 0.5) / (df + 0.5)): the Lucene form of BM25's inverse document frequency, never negative."""
    return math.log(1 + (n - n_with + 0.5) / (n_with + 0.5))


def nearby(sight: Sight, terms: Iterable[str], most: int) -> list[tuple[str, str]]:
    """(word, word of the corpus it may have meant), nearest first, at most `most` for each."""
    wanted = list(terms)
    sight.show_vocabulary()
    rows = sight.fetch(
        queries.load(PACKAGE, "recall_spellings"),
        {
            "prefixes": [term for term in wanted if len(term) >= PREFIX_CHARS],
            "near": [term for term in wanted if len(term) >= EDIT_CHARS and term.isalpha()],
            "most": most,
        },
    )
    known = sight.frequencies([found for _, found, _ in rows])  # older editions have words that nobody finds
    return [(asked, found) for asked, found, _ in rows if known[found]]


def _spellings(sight: Sight, terms: list[str], *, fuzzy: bool, stems: Forms | None) -> tuple[tuple[str, str], ...]:
    exact = sight.frequencies(terms)
    found = [(term, term) for term in terms if exact[term]]
    if stems is not None:
        found += [(term, form) for term in terms for form in stems.of(term)]
    if fuzzy:
        found += nearby(sight, terms, MAX_SPELLINGS)
    return tuple(dict.fromkeys(found))


def _pooled(sight: Sight, spellings: tuple[tuple[str, str], ...]) -> dict[str, int]:
    if not spellings:
        return {}
    postings = sight.postings()
    if postings is not None:
        words: dict[str, list[int]] = {}
        for asked, found in spellings:
            words.setdefault(asked, []).append(word_of(found))
        return {asked: postings.frequency(each) for asked, each in words.items()}
    params = {"asked": [asked for asked, _ in spellings], "words": [word_of(found) for _, found in spellings]}
    return dict(sight.fetch(queries.load(PACKAGE, "recall_pooled"), params))


def coefficients(options: RecallOptions, scope: Scope) -> dict[str, float]:
    """k1, and for each field base = (1 - b) / w and slope = b / (w * avg): a word weighs tf / (base + slope * len).

    A field of weight 0 gets an infinite base. A base of 0 (b = 1) is made tiny: an empty field would divide by 0.
    """
    found = {"k1": float(options.k1)}
    for field in FIELDS:
        weight, average = float(options.weights.get(field, 0.0)), scope.averages.get(field, 0.0)
        found[f"base_{field}"] = max((1 - options.b) / weight, _TINY) if weight else math.inf
        found[f"slope_{field}"] = options.b / (weight * average) if weight and average else 0.0
    return found
