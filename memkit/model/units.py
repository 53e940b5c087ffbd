"""Reading a unit and comparing two: within a dimension or not at all.

`read_unit` reads what stands behind a number or in the unit column of a table of facts: an optional unit and an
optional period (`GB/day`, `$ per month`, `/s`, `engineers`). `factor_between` gives the factor from one to the
other, or says in words why there is none.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from memkit.model.unit_table import (
    ADVERBS,
    AMBIGUOUS,
    CASED,
    NO_NOUNS,
    NOUNS,
    PERIODS,
    RATES,
    UNITS,
)

MAX_UNIT_CHARS = 40


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit.

    Attributes:
        symbol: Its canonical spelling without the period; "" for a bare number.
        per: The period of a rate (`s`, `day`, `month`, ...), or "".
        dimension: What it measures; a noun one counts is a dimension of its own, "" is a bare number.
        factor: To the base of the dimension.
        is_known: Whether `symbol` stands in the table of units or is a noun; else it only equals itself.
    """

    symbol: str = ""
    per: str = ""
    dimension: str = ""
    factor: float = 1.0
    is_known: bool = True

    def __str__(self) -> str:
        return f"{self.symbol}/{self.per}" if self.per else self.symbol


NO_UNIT = Unit()
VERSION = Unit("version", "", "version")


class UnitUnreadError(ValueError):
    """A unit that could be read in two ways; the message says which."""


def _by_spelling() -> dict[str, str]:
    found: dict[str, str] = {}
    for symbol, (_, _, spellings) in UNITS.items():
        for spelling in (symbol, *spellings.split(", ")):
            found.setdefault(spelling if spelling in CASED else spelling.casefold(), symbol)
    found.pop("", None)
    return found


_SPELLINGS = _by_spelling()
_PERIOD_OF = {spelling: symbol for symbol, spellings in PERIODS.items() for spelling in spellings}
_PLURALS = frozenset(NOUNS.values())
_RATE = re.compile(
    r"(?:\s*/\s*|\s*\b(?:per|each|every|a|an|pro|je|im|am|in der|par|por|al|ao|à|cada|chaque)\s+|毎|每)([^\W\d_]+)\.?$"
)


def read_unit(text: str, *, strict: bool = True) -> Unit | None:
    """Read a unit.

    Args:
        text: What stands there; "" is a bare number.
        strict: Whether a word nobody knows is refused (behind a number) or kept as itself (in a table of facts).

    Returns:
        The unit, or None where `strict` and it is none.

    Raises:
        UnitUnreadError: it could be read in two ways.
    """
    text = " ".join(unicodedata.normalize("NFKC", text[: MAX_UNIT_CHARS + 1]).split())
    if len(text) > MAX_UNIT_CHARS:
        return None if strict else _word(text)
    if not text or text == "1":
        return NO_UNIT
    whole = _alone(text)
    if whole:
        return whole
    folded = text.casefold()
    if folded in RATES:
        symbol, per = RATES[folded]
        return _with_period(_alone(symbol) or NO_UNIT, per)
    match = _RATE.search(text)
    head, _, last = text.rpartition(" ")
    per = _PERIOD_OF.get(match.group(1).casefold(), "") if match else ""
    if match and per:
        front = text[: match.start()].rstrip()
    elif last.casefold() in ADVERBS:
        front, per = head, ADVERBS[last.casefold()]
    else:
        return _noun(text) or (None if strict else _word(text))
    if not front:
        return _with_period(NO_UNIT, per)
    inner = _alone(front) or _noun(front) or (None if strict else _word(front))
    return _with_period(inner, per) if inner else None


def _alone(text: str) -> Unit | None:
    if text in AMBIGUOUS:
        raise UnitUnreadError(AMBIGUOUS[text])
    symbol = text if text in UNITS else _SPELLINGS.get(text) or _SPELLINGS.get(text.casefold())
    if symbol is None or (text not in UNITS and text.isupper() and text.casefold() in CASED):
        return None
    dimension, factor, _ = UNITS[symbol]
    return Unit(symbol, "", dimension, factor)


def _noun(text: str) -> Unit | None:
    """A noun one counts: a known one, or a single word that looks like a plural."""
    folded = text.casefold()
    plural = NOUNS.get(folded, folded)
    if plural in _PLURALS:
        return Unit(plural, "", f"count {plural}")
    plain = folded.replace("-", "")
    if plain.isalpha() and len(plain) > 3 and folded[-1] == "s" and folded[-2] != "s" and folded not in NO_NOUNS:
        return Unit(folded, "", f"count {folded}")
    return None


def _word(text: str) -> Unit:
    return Unit(text.casefold(), "", f"word {text.casefold()}", is_known=False)


def _with_period(unit: Unit, per: str) -> Unit:
    return Unit(unit.symbol, per, unit.dimension, unit.factor, unit.is_known)


def factor_between(facts: Unit | None, condition: Unit, metric: str = "") -> float | str:
    """What a reading is multiplied with to compare it with a condition; or why it cannot be compared, in words.

    Args:
        facts: The unit of the reading; None where the table names none: it is then taken as the condition has it.
        condition: The unit of the condition.
        metric: The metric's normalised name; `write_qps` says itself that it is per second.
    """
    if facts is None:
        return 1.0
    if facts.per != condition.per and not _said_by_name(facts, condition, metric):
        return f"facts are {_over(facts)}, the condition is {_over(condition)}"
    if facts.dimension == condition.dimension:
        return facts.factor / condition.factor
    counts = {facts.dimension.partition(" ")[0], condition.dimension.partition(" ")[0]}
    if counts == {"", "count"}:
        return 1.0
    return f"facts are in {str(facts) or 'bare numbers'}, the condition is in {str(condition) or 'bare numbers'}"


def _said_by_name(facts: Unit, condition: Unit, metric: str) -> bool:
    said = {RATES[word] for word in metric.split("_") if word in RATES}
    return "" in {facts.per, condition.per} and ("", facts.per or condition.per) in said


def _over(unit: Unit) -> str:
    return f"in {unit}" if unit.per else f"in {unit} without a period" if unit.symbol else "without a period"
