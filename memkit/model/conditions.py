"""Reading a tripwire's text into parts, where it can be read; never guessing where it cannot.

    write QPS sustains >5k for 24h    metric write_qps, operator >, value 5000, window 24 h
    team grows past 12 engineers      metric team, operator >, value 12, unit engineers
    revisit by 2027-03-01             due on that day
    once library X reaches 3.0        metric library_x, version 3.0

A condition is read whole or left unread: if a word would be lost ("on one locker"), if a number could be two
("1.000"), if there are two comparisons, the parts that are certain are kept and `unread` says what stood in the way. An
unread condition is never judged. The words of each language are data, in `condition_words`.

Time is bounded: texts longer than `MAX_CHARS` are not looked at, and no pattern repeats inside a repetition.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal

from memkit.model import condition_words as words
from memkit.model.metrics import UNREADABLE, bare_metric, metric_name, problem_of_metric
from memkit.model.numerals import DIGITS, MULTIPLIER, MULTIPLIERS, NUMBER_WORDS, NumberUnreadError, read_number
from memkit.model.revisits import DayUnreadError, read_revisit
from memkit.model.unit_table import AMBIGUOUS, PERIOD_MONTHS, PERIOD_SECONDS
from memkit.model.units import NO_UNIT, VERSION, Unit, UnitUnreadError, read_unit
from memkit.model.versions import read_version, version_parts
from memkit.model.windows import Window, window_at_end

Kind = Literal["threshold", "sustained", "date", "version", "unreadable"]
Operator = Literal[">", ">=", "<", "<=", "=="]
_OPERATORS: Final[dict[str, Operator]] = {">": ">", ">=": ">=", "<": "<", "<=": "<=", "==": "=="}
MAX_CHARS = 500


@dataclass(frozen=True, slots=True)
class Condition:
    """What could be read of a condition.

    Attributes:
        text: As it was written.
        kind: `threshold`, `sustained` (a threshold with a window), `date`, `version`, or `unreadable`.
        metric: The normalised name of what is measured, or None.
        operator: `>`, `>=`, `<`, `<=`, `==`, or None.
        value: The threshold, multiplier applied, or None.
        unit: Its unit; a bare number has the empty one.
        window: How long it has to hold, or None.
        revisit_on: The day from which it is due, or None.
        version: The version's parts without trailing zeros (`3.0` is (3,)), or None. A threshold such as "reaches 3.0"
            has both a value and a version; which is meant, the unit of the facts says.
        language: The language its words are in, or None.
        unread: What stood in the way, in words; empty for a condition that was read.
    """

    text: str
    kind: Kind
    metric: str | None = None
    operator: Operator | None = None
    value: float | None = None
    unit: Unit = NO_UNIT
    window: Window | None = None
    revisit_on: dt.date | None = None
    version: tuple[int, ...] | None = None
    language: str | None = None
    unread: tuple[str, ...] = ()

    @property
    def is_read(self) -> bool:
        """Whether it can be judged."""
        return not self.unread

    @property
    def periods(self) -> tuple[int, str] | None:
        """How many periods in a row the window asks for, and of which length: (4, "week").

        Said so ("two weeks in a row"), or meant by a rate whose own period divides the window ("6/week for 4 weeks"): a
        reading of such a rate speaks for a whole period.
        """
        window, per = self.window, self.unit.per
        if window is None:
            return None
        if window.periods is not None:
            return window.periods, window.period
        if per not in ("day", "week", *PERIOD_MONTHS):
            return None
        length = window.months if per in PERIOD_MONTHS else window.seconds
        n, rest = divmod(length, PERIOD_MONTHS.get(per) or PERIOD_SECONDS[per])
        return (n, per) if n > 1 and not rest else None

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "kind": self.kind,
            "metric": self.metric,
            "operator": self.operator,
            "value": self.value,
            "unit": str(self.unit),
            "window_seconds": self.window.seconds or None if self.window else None,
            "window_months": self.window.months or None if self.window else None,
            "revisit_on": self.revisit_on.isoformat() if self.revisit_on else None,
            "version": ".".join(map(str, self.version)) if self.version else None,
            "unread": list(self.unread),
        }


def read_condition(text: str) -> Condition:
    """Read one condition; total, never raises, bounded in time."""
    if len(text) > MAX_CHARS:
        return _unread(text, f"has {len(text):,} characters; conditions of more than {MAX_CHARS} are not read")
    flat = _flat(text)
    if len(flat) > MAX_CHARS:
        return _unread(text, "is too long to be read")
    try:
        due = read_revisit(flat)
    except DayUnreadError as error:
        return _unread(text, str(error))
    if due:
        return Condition(text, "date", revisit_on=due)
    lead, language, body = _without_lead(flat)
    version = read_version(lead, body)
    if version:
        return _of_version(text, *version)
    body, window = window_at_end(body)
    language = language or (window.language if window else None)
    found = _comparison(body, language)
    if isinstance(found, str):
        return _unread(text, found, window=window)
    return _assemble(text, found, window)


@dataclass(frozen=True, slots=True)
class _Parts:
    """A comparison taken apart, not yet judged."""

    metric: str
    operator: Operator
    sign: str
    currency: str
    digits: str
    multiplier: str
    rest: str
    language: str | None
    window: Window | None = None


_markup = re.compile(r"\*\*|__|`|[“”„\"]|(?<=\d)_(?=\d{3})")
_arrow = re.compile(r"\s(?:→|->|⇒)\s")
_word_end = re.compile(r"[ ,-]")


def _flat(text: str) -> str:
    """One line, one kind of space, no markup, no final stop."""
    flat = _markup.sub("", " ".join(unicodedata.normalize("NFKC", text).split()))
    arrow = _arrow.search(flat)
    return (flat[: arrow.start()] if arrow else flat).strip(" .;,。、!*")


def _unread(text: str, reason: str, **parts: Any) -> Condition:
    return Condition(text, "unreadable", unread=(reason,), **parts)


@cache
def _leads() -> tuple[tuple[str, frozenset[str], re.Pattern[str]], ...]:
    return tuple(
        (language, words.spoken_in(pattern), re.compile(rf"({pattern})(?:,? |(?<=[^\x00-\x7f]))", re.IGNORECASE))
        for language, pattern in words.LEADS
    )


@cache
def _first_words() -> frozenset[str]:
    return frozenset().union(*(hints for _, hints, _ in _leads()))


def _without_lead(flat: str) -> tuple[str, str | None, str]:
    first = _word_end.split(flat, 1)[0].casefold()
    if first.isascii() and first not in _first_words():
        return "", None, flat
    for language, hints, pattern in _leads():
        if first not in hints and first.isascii():
            continue
        match = pattern.match(flat)
        if match:
            tail = words.TAILS.get(language)
            body = flat[match.end() :]
            if tail:
                body = re.sub(rf"{tail},?$", "", body).rstrip(" ,、")
            return match.group(1).casefold(), language, body
    return "", None, flat


# -- comparisons ---------------------------------------------------------------------------------------------------

_CURRENCY = r"(?:US\$|R\$|[$€£¥₹]|\b(?:USD|EUR|GBP|JPY|CNY|CHF|BRL)\b)"
_VALUE = rf"(?P<sign>[-−+]?)(?P<currency>{_CURRENCY}?) ?(?P<digits>{DIGITS}) ?(?P<multiplier>{MULTIPLIER})"
_BEFORE_NUMBER = rf" ?(?=[-−+]?{_CURRENCY}? ?(?:\d|(?:{NUMBER_WORDS})\b))"


@cache
def _infix(language: str | None) -> re.Pattern[str]:
    """The comparisons of one language, or the symbols, each directly before a number."""
    if language is None:
        symbols = "|".join(map(re.escape, words.SYMBOLS))
        return re.compile(
            rf"(?:(?<=\s)|(?<=\w)|^){words.BEFORE_SYMBOL}(?P<o0>{symbols}){_BEFORE_NUMBER}", re.IGNORECASE
        )
    rows = [pattern for name, _, pattern in words.INFIX if name == language]
    edge = "" if language == "zh" else r"(?<!\S)"
    return re.compile(
        rf"{edge}(?:{'|'.join(f'(?P<o{i}>{pattern})' for i, pattern in enumerate(rows))}){_BEFORE_NUMBER}",
        re.IGNORECASE,
    )


@cache
def _postfix() -> re.Pattern[str]:
    rows = "|".join(f"(?P<o{i}>{pattern})" for i, (_, _, pattern) in enumerate(words.POSTFIX))
    return re.compile(rf"\s?(?:{rows})(?:{words.TAILS['ja']})?$", re.IGNORECASE)


@cache
def _last_comparisons() -> frozenset[str]:
    return frozenset(word for name, _, pattern in words.POSTFIX if name != "ja" for word in words.spoken_in(pattern))


def _may_end_with_comparison(body: str) -> bool:
    return body[-1:] > "\u2e7f" or body.rpartition(" ")[2].casefold() in _last_comparisons()


@cache
def _hints(language: str) -> frozenset[str]:
    """Words of which one stands in every comparison of a language."""
    return frozenset().union(*(words.spoken_in(pattern) for name, _, pattern in words.INFIX if name == language))


@cache
def _operators(language: str | None) -> tuple[str, ...]:
    return tuple(operator for name, operator, _ in words.INFIX if name == language)


_value = re.compile(_VALUE, re.IGNORECASE)
_LANGUAGES = ("en", "de", "fr", "es", "pt", "zh")


def _candidates(body: str) -> Iterator[tuple[re.Match[str], str, str | None]]:
    """Every comparison with a number behind it: the match, the operator, the language."""
    if any(symbol in body for symbol in "<>=≥≤⩾⩽"):
        for match in _infix(None).finditer(body):
            yield match, words.SYMBOLS[match["o0"]], None
    spoken = set(body.casefold().split())
    plain = body.isascii()
    for language in _LANGUAGES:
        found = False
        if plain if language == "zh" else not spoken & _hints(language):
            continue
        for match in _infix(language).finditer(body):
            found = True
            number = int(str(match.lastgroup)[1:])
            yield match, _operators(language)[number], language
        if found:
            return


def _comparison(body: str, language: str | None) -> _Parts | str:
    """The one comparison of a condition, or why there is none."""
    last = _postfix().search(body, max(0, len(body) - 30)) if _may_end_with_comparison(body) else None
    if last:
        return _number_before(body[: last.start()].rstrip(), last)
    found = list(_candidates(body))
    if not found:
        return UNREADABLE
    if len(found) > 1:
        return "holds more than one comparison"
    match, operator, spoken = found[0]
    value = _value.match(body, match.end())
    if value is None:
        return UNREADABLE
    return _Parts(
        body[: match.start()].strip(" ,:"), _OPERATORS[operator], value["sign"], value["currency"], value["digits"],
        value["multiplier"], body[value.end() :].strip(" ,"), spoken or language,
    )  # fmt: skip


def _number_before(left: str, last: re.Match[str]) -> _Parts | str:
    """The number in front of a comparison that stands last."""
    language, operator, _ = words.POSTFIX[int(str(last.lastgroup)[1:])]
    left, window = window_at_end(left)
    numbers = list(_value.finditer(left))
    if not numbers:
        return UNREADABLE
    value = numbers[-1]
    metric = left[: value.start()].rstrip(" ,、")
    return _Parts(
        metric, _OPERATORS[operator], value["sign"], value["currency"], value["digits"], value["multiplier"],
        left[value.end() :].strip(), language, window,
    )  # fmt: skip


def _assemble(text: str, parts: _Parts, window: Window | None) -> Condition:
    unread: list[str] = []
    metric = parts.metric
    window = window or parts.window
    if window is None and parts.language in ("ja", "zh", "de"):
        metric, window = window_at_end(metric, bare=parts.language == "ja")
    metric = bare_metric(metric, parts.language)
    problem = problem_of_metric(metric)
    if problem:
        unread.append(problem)
    value, unit = None, NO_UNIT
    try:
        value = read_number(parts.digits, parts.language) * MULTIPLIERS.get(
            parts.multiplier.rstrip("."), MULTIPLIERS.get(parts.multiplier.rstrip(".").casefold(), 1.0)
        )
        value = -value if parts.sign in ("-", "−") else value
    except NumberUnreadError as error:
        unread.append(f"the value {error}")
    try:
        unit = _unit(parts)
    except UnitUnreadError as error:
        unread.append(str(error))
    known: dict[str, Any] = {
        "metric": None if problem else metric_name(metric),
        "operator": parts.operator,
        "value": value,
        "unit": unit,
        "window": window,
        "language": parts.language,
    }
    if unread:
        return Condition(text, "unreadable", unread=tuple(unread), **known)
    version = version_parts(parts.digits)
    if version and metric.casefold().endswith(" version") and unit == NO_UNIT and not (parts.multiplier or window):
        name = metric_name(metric[: -len(" version")])
        return Condition(text, "version", name, parts.operator, None, VERSION, version=version, language=parts.language)
    if parts.operator in (">", ">=") and unit == NO_UNIT and not (parts.multiplier or parts.sign or window):
        known["version"] = version if "." in parts.digits else None
    return Condition(text, "sustained" if window else "threshold", **known)


def _of_version(text: str, name: str, version: tuple[int, ...], language: str) -> Condition:
    problem = problem_of_metric(name)
    if problem:
        return _unread(text, problem)
    return Condition(text, "version", metric_name(name), ">=", None, VERSION, version=version, language=language)


def _unit(parts: _Parts) -> Unit:
    rest = parts.rest
    if rest.endswith("m") and re.search(r"\bfor \d+ ?m$", rest):
        raise UnitUnreadError(AMBIGUOUS["m"])
    if rest == "B" and not parts.multiplier:
        raise UnitUnreadError(f"“{parts.digits}B” can be bytes or billions")
    unit = read_unit(rest)
    if unit is None:
        raise UnitUnreadError(f"the words “{rest[:60]}” would be lost")
    if not parts.currency:
        return unit
    money = read_unit(parts.currency)
    if money is None or unit.symbol:
        raise UnitUnreadError(f"the words “{rest[:60]}” would be lost")
    return replace(money, per=unit.per)
