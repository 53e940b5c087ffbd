"""Who decides what a candidate is to the records near it: rules, then a person or a model, if there is one.

An adjudicator sees one question and answers with one verdict, or with None where it cannot tell. It chooses among five
words and, at most, a target and a text; everything else (names, times, sources, pointers) is filled in by code.

The rules are few and never guess: the same words, nearly the same words without a differing number or negation, and a
link that the candidate itself states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol, get_args

from memkit.consolidate.corpus import Near, body_of
from memkit.errors import InvalidInputError
from memkit.model import tokens
from memkit.model.candidate import Candidate

Decision = Literal["distinct", "duplicate", "supersedes", "merge", "discard"]
DECISIONS: Final[tuple[Decision, ...]] = get_args(Decision)
Asks = Literal["rules", "person", "model"]
ABOUT_A_RECORD: Final = frozenset({"duplicate", "supersedes", "merge"})
NEAR_DUPLICATE: Final = 0.9
# Words that turn a sentence around; a text that has one and a text that lacks it are never duplicates.
TURNING: Final = frozenset(
    [
        "no",
        "not",
        "never",
        "none",
        "without",
        "nor",
        "cannot",
        "don",
        "stop",
        "avoid",
        "kein",
        "keine",
        "keinen",
        "keiner",
        "nicht",
        "nie",
        "niemals",
        "ohne",
        "ne",
        "pas",
        "jamais",
        "sans",
        "non",
        "mai",
        "senza",
        "nunca",
        "sin",
        "não",
        "nem",
        "sem",
        "niet",
        "geen",
        "nooit",
        "zonder",
        "ikke",
        "ingen",
        "aldrig",
        "inte",
        "utan",
        "ei",
    ]
)


@dataclass(frozen=True, slots=True)
class Question:
    """What an adjudicator is asked.

    Attributes:
        candidate: The candidate.
        key: Names it.
        session_id: Its session.
        shortlist: The records it may be about, the likest first; empty only where a person decides.
    """

    candidate: Candidate
    key: str
    session_id: str
    shortlist: tuple[Near, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a candidate is.

    Attributes:
        decision: `distinct`: a record of its own. `duplicate`: a record says it already. `supersedes`: it replaces a
            record. `merge`: it and a record become one. `discard`: it is not worth keeping.
        target: The record concerned, relative to the project's folder in the store; "" for distinct and discard.
        body: The text of a merged record; "" for both texts without repeats.
        reason: Why, in a few words.
        seen: SHA-256 of the records by path, as the one who decided saw them; a record that has other bytes by now
            makes a conflict.
    """

    decision: Decision
    target: str = ""
    body: str = ""
    reason: str = ""
    seen: Mapping[str, str] = field(default_factory=dict)


class Adjudicator(Protocol):
    """Whoever decides."""

    @property
    def name(self) -> str:
        """`rules`, `person`, `model:<name>`."""
        ...

    @property
    def asks(self) -> Asks:
        """What it asks: asking a person or a model is counted as an attempt."""
        ...

    def ready(self, question: Question) -> str:
        """Why it cannot be asked now, as a code such as `budget_spent`; "" if it can."""
        ...

    def decide(self, question: Question) -> Verdict | None:
        """The verdict, or None where it cannot tell.

        Raises:
            ModelError: it was asked and failed.
        """
        ...


class RuleAdjudicator:
    """Decides what needs no judgement; see the module."""

    name = "rules"
    asks: Asks = "rules"

    def ready(self, question: Question) -> str:  # noqa: ARG002
        """Always."""
        return ""

    def decide(self, question: Question) -> Verdict | None:
        """The same words, nearly the same, or a stated link to exactly one record; None for all else."""
        candidate = question.candidate
        if not question.shortlist:
            return None
        for near in question.shortlist:
            if near.is_same and near.record.is_active:
                return Verdict("duplicate", near.record.path, reason="the same words")
        if candidate.supersedes:
            return _stated(candidate, question.shortlist)
        best = question.shortlist[0]
        if best.record.is_active and best.alike >= NEAR_DUPLICATE and not _turns(candidate, best):
            return Verdict("duplicate", best.record.path, reason="nearly the same words")
        return None


def _stated(candidate: Candidate, shortlist: tuple[Near, ...]) -> Verdict | None:
    """The record that the candidate says it replaces, if it is exactly one that is in force."""
    named = {
        near.record.path
        for name in candidate.supersedes
        for near in shortlist
        if near.record.is_active and name.strip().casefold() in {near.record.slug, near.record.title.casefold()}
    }
    if len(named) != 1:
        return None
    return Verdict("supersedes", named.pop(), reason="it says so")


def _turns(candidate: Candidate, near: Near) -> bool:
    """Whether two texts differ in a word that changes what is meant: a number, a negation."""
    mine, theirs = set(tokens.terms(body_of(candidate))), set(tokens.terms(near.record.body))
    return any(word in TURNING or any(map(str.isdigit, word)) for word in mine ^ theirs)


class PersonAdjudicator:
    """Verdicts that a person gave beforehand, by the key of the candidate."""

    name = "person"
    asks: Asks = "person"

    def __init__(self, verdicts: Mapping[str, Verdict]) -> None:
        for key, verdict in verdicts.items():
            check(verdict, key)
        self._verdicts = dict(verdicts)

    def ready(self, question: Question) -> str:
        """`needs_verdict` for a candidate that nobody has decided."""
        return "" if question.key in self._verdicts else "needs_verdict"

    def decide(self, question: Question) -> Verdict | None:
        """What the person said."""
        return self._verdicts.get(question.key)


def check(verdict: Verdict, about: str = "") -> Verdict:
    """Return a verdict that has the parts its decision needs.

    Raises:
        InvalidInputError: an unknown decision, or a target where none belongs, or none where one does.
    """
    where = f"{about}: " if about else ""
    if verdict.decision not in DECISIONS:
        raise InvalidInputError(f"{where}{verdict.decision!r:.40} is none of {', '.join(DECISIONS)}", field="decision")
    if (verdict.decision in ABOUT_A_RECORD) != bool(verdict.target):
        need = "needs" if verdict.decision in ABOUT_A_RECORD else "has no"
        raise InvalidInputError(f"{where}{verdict.decision} {need} a target record", field="target")
    if verdict.body and verdict.decision != "merge":
        raise InvalidInputError(f"{where}only a merge has a text of its own", field="body")
    return verdict
