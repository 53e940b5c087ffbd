"""How recall is asked and how it weighs; plain, checked values, light to import."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

from memkit.analytics.recall_result import RecallHit
from memkit.analytics.stemming import NONE
from memkit.errors import InvalidInputError
from memkit.model.decision import FIELDS
from memkit.model.frozen import FrozenMapping

if TYPE_CHECKING:
    from memkit.catalog.vectors import Embedder

MAX_LIMIT = 1000
WEIGHTS: Mapping[str, float] = FrozenMapping({"question": 2.0, "conclusion": 2.0, "synthesis": 1.0, "tags": 1.5})
Rerank = Callable[[str, Sequence[RecallHit]], Sequence[float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallOptions:
    """Options of one question; the defaults hide nothing and prefer nothing.

    Attributes:
        limit: At most so many hits, 1 to 1,000.
        min_score: Hits below it are left out and listed as `below-threshold`.
        panel: Only entries of this panel.
        any_tag: Only entries with at least one of these tags.
        all_tags: Only entries with all of these tags.
        since_days: Only entries stored within so many days before the moment asked about.
        include_superseded: Older members of a chain follow their head, labelled by `superseded_by`.
        fuzzy: Words of four letters and more also match words they begin, words of five letters and more also words one
            edit away; shown as `asked~found`.
        stemming: A language of Snowball's, `english` for example: all forms of a word with one stem count as that word,
            shown as `asked~found`; `none` for whole words as they are. Needs the extra `stemming`.
        recency_half_life_days: A score halves with so many days of age; None for no such preference.
        reinforcement: The most by which uses raise a score, as a share of it, 0 to 1; 0 for no such preference. A use
            is a reading, or of a record also a confirmation; having been recalled is none.
        semantic: An embedder: anything with `encode(texts)` that gives a row of numbers for each. Entries near the
            question in meaning are found as well; None for words only.
        rerank: Called with the question and the best hits, gives one number for each; higher comes first. The lexical
            rank stays in `lexical_rank`.
        across_projects: Whether the catalog asked is over several projects; said in the result, decided by the caller.
        k1: BM25F: how slowly repeated words saturate.
        b: BM25F: how strongly fields longer than average are discounted, 0 to 1.
        weights: BM25F: what a word counts in each field.
    """

    limit: int = 20
    min_score: float = 0.0
    panel: str | None = None
    any_tag: tuple[str, ...] = ()
    all_tags: tuple[str, ...] = ()
    since_days: float | None = None
    include_superseded: bool = False
    fuzzy: bool = False
    stemming: str = NONE
    recency_half_life_days: float | None = None
    reinforcement: float = 0.0
    semantic: Embedder | None = None
    rerank: Rerank | None = None
    across_projects: bool = False
    k1: float = 1.2
    b: float = 0.75
    weights: Mapping[str, float] = field(default_factory=lambda: WEIGHTS)

    def __post_init__(self) -> None:
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or not 1 <= self.limit <= MAX_LIMIT:
            raise InvalidInputError(
                f"{self.limit!r} is not a number of hits", field="limit", remedy=f"Give 1 to {MAX_LIMIT}."
            )
        _number(self.min_score, "min_score", least=0.0)
        for name in ("since_days", "recency_half_life_days"):
            value = getattr(self, name)
            if value is not None:
                _number(value, name, least=0.0)
        if self.recency_half_life_days == 0:
            raise InvalidInputError("is 0", field="recency_half_life_days", remedy="Give days above 0, or None.")
        if self.panel is not None and not isinstance(self.panel, str):
            raise InvalidInputError("a text was expected", field="panel", remedy="Give one panel's name.")
        for name in ("any_tag", "all_tags"):
            object.__setattr__(self, name, tag_names(getattr(self, name), name))
        _number(self.k1, "k1", least=0.0)
        for name in ("b", "reinforcement"):
            value = getattr(self, name)
            _number(value, name, least=0.0)
            if value > 1:
                raise InvalidInputError(f"{value} is more than 1", field=name, remedy="Give a number from 0 to 1.")
        if not isinstance(self.stemming, str):
            raise InvalidInputError("a text was expected", field="stemming", remedy="Name a language, or 'none'.")
        if isinstance(self.semantic, str) or not (
            self.semantic is None or callable(getattr(self.semantic, "encode", None))
        ):
            raise InvalidInputError("has no encode()", field="semantic", remedy="Pass an embedder, or None.")
        if self.semantic is not None and (self.across_projects or self.reinforcement):
            raise InvalidInputError(
                "looks into one project and does not count uses",
                field="semantic",
                remedy="Leave out across_projects and reinforcement.",
            )
        unknown = set(self.weights) - set(FIELDS)
        if unknown:
            raise InvalidInputError(f"unknown field {min(unknown)!r}", field="weights", remedy=", ".join(FIELDS))
        for name, weight in self.weights.items():
            _number(weight, f"weights.{name}", least=0.0)
        if self.rerank is not None and not callable(self.rerank):
            raise InvalidInputError("a function was expected", field="rerank", remedy="See RecallOptions.rerank.")

    @property
    def filters(self) -> bool:
        """Whether some entries cannot be shown whatever they hold."""
        return self.panel is not None or bool(self.any_tag) or bool(self.all_tags) or self.since_days is not None

    @property
    def plain(self) -> bool:
        """Whether the shortest form of the ranking query will do."""
        asked = (
            self.semantic is not None
            or self.filters
            or self.include_superseded
            or self.fuzzy
            or self.recency_half_life_days is not None
        )
        return not asked and self.stemming == NONE and self.min_score == 0 and self.reinforcement == 0

    def chosen(self) -> dict[str, Any]:
        """The options that differ from the defaults."""
        plain = RecallOptions()
        names = [each.name for each in fields(self)]
        return {name: getattr(self, name) for name in names if getattr(self, name) != getattr(plain, name)}


def _number(value: object, name: str, *, least: float) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value < least:
        raise InvalidInputError(
            f"{value!r} is not a number from {least:g} up", field=name, remedy=f"Give {least:g} or more."
        )


def tag_names(value: object, name: str) -> tuple[str, ...]:
    """One tag or several, as a tuple.

    Raises:
        InvalidInputError: neither a text nor a list of texts.
    """
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Iterable):
        tags = tuple(value)
        if all(isinstance(tag, str) for tag in tags):
            return tags
    raise InvalidInputError("texts were expected", field=name, remedy=f"Pass {name}=['a', 'b'].")
