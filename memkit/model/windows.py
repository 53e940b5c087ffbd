"""How long a condition has to hold: `for 24h`, `sustained over 3 days`, `two weeks in a row`, `14 Tage lang`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from memkit.model import condition_words as words
from memkit.model.numerals import WORDS, NumberUnreadError, read_number
from memkit.model.unit_table import PERIODS, UNITS

_LENGTHS = {
    name: (int(factor) if dimension == "time" else 0, int(factor) if dimension == "calendar" else 0)
    for name, (dimension, factor, _) in UNITS.items()
    if dimension == "calendar" or (dimension == "time" and factor >= 1)
}
_NAMES = {spelling.casefold(): symbol for symbol in _LENGTHS for spelling in (symbol, *UNITS[symbol][2].split(", "))}
_PERIOD = {spelling.casefold(): symbol for symbol, spellings in PERIODS.items() for spelling in spellings}
_SINGULAR = {"days": "day", "weeks": "week", "months": "month", "quarters": "quarter", "years": "year"}
MAX_SECONDS = 10 * 366 * 86_400
_TAIL = 80


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time; either `seconds` or `months` is not 0.

    Attributes:
        text: As it was written.
        seconds: Its length, where it has one in seconds.
        months: Its length in calendar months.
        periods: So many periods in a row, where it says so.
        period: Of which length: `day`, `week`, `month`, ...
        language: Of its words.
    """

    text: str
    seconds: int = 0
    months: int = 0
    periods: int | None = None
    period: str = ""
    language: str | None = None

    @property
    def hours(self) -> float | None:
        """Its length in hours, or None for calendar months."""
        return self.seconds / 3600 if self.seconds else None


@cache
def _duration() -> str:
    number = "|".join(sorted((re.escape(word) for word in WORDS), key=len)[::-1])
    unit = "|".join(sorted((re.escape(name) for name in _NAMES), key=len)[::-1])
    return (
        rf"(?P<number>\d+(?:[.,]\d+)?|(?:{number})(?![^\W\d_])|[一二两兩三四五六七八九十])[ -]?"
        rf"{{between}}(?P<unit>{unit})"
    )


@cache
def _patterns() -> tuple[tuple[str, bool, frozenset[str], re.Pattern[str]], ...]:
    """(language, whether it counts periods, words of which it has one, pattern), each anchored at the end."""
    rows = [(language, True, before, between, after) for language, before, between, after in words.IN_A_ROW]
    rows += [(language, False, before, "", after) for language, before, after in words.WINDOWS]
    return tuple(
        (
            language,
            counts,
            words.spoken_in(f"{before} {between} {after}"),
            _compiled(language, before, between, after),
        )
        for language, counts, before, between, after in rows
    )


def _compiled(language: str, before: str, between: str, after: str) -> re.Pattern[str]:
    edge = "" if language in ("ja", "zh") else r"(?<![^\s,(])"
    gap = r"\s?" if language in ("ja", "zh") else ""
    duration = _duration().replace("{between}", between)
    return re.compile(rf"{edge}{before}{gap}{duration}(?:間)?{gap}{after}\)?$", re.IGNORECASE)


@cache
def _bare() -> re.Pattern[str]:
    return re.compile(
        rf"\s?{_duration().replace('{between}', '')}(?:間)?(?:以上)?(?:にわたって|連続で)?$", re.IGNORECASE
    )


@cache
def _last_words() -> frozenset[str]:
    """Words a window can end with; most conditions end otherwise and need not be looked at further."""
    tails = (words.IN_A_ROW, words.WINDOWS)
    ends = {word.casefold() for table in tails for row in table for word in re.findall(r"[^\W\d_]+", row[-1])}
    return frozenset(ends | set(_NAMES))


def _may_end_with_window(text: str) -> bool:
    last = text.rpartition(" ")[2].rstrip(")").lstrip("0123456789.,-").casefold()
    return last.rpartition("-")[2] in _last_words() or (bool(last) and last[-1] > "\u2e7f")


def window_at_end(text: str, *, bare: bool = False) -> tuple[str, Window | None]:
    """Split a window off the end of a condition.

    Args:
        text: The condition on one line.
        bare: Whether a plain length of time without any word around it counts.

    Returns:
        What stands before it, and the window; the text as it is and None where there is none.
    """
    if not _may_end_with_window(text):
        return text, None
    for language, counts, match in _matches(text, bare=bare):
        window = _read(match, language, counts=counts)
        if window:
            return text[: match.start()].rstrip(" ,(、"), window
    return text, None


def _matches(text: str, *, bare: bool) -> Iterator[tuple[str, bool, re.Match[str]]]:
    spoken = set(text[-_TAIL:].casefold().replace(",", " ").split())
    plain = text.isascii()
    for language, counts, hints, pattern in _patterns():
        if plain if language in ("ja", "zh") else not spoken & hints:
            continue
        match = pattern.search(text, max(0, len(text) - _TAIL))
        if match:
            yield language, counts, match
    if bare:
        match = _bare().search(text)
        if match:
            yield "ja", False, match


def _read(match: re.Match[str], language: str, *, counts: bool) -> Window | None:
    try:
        number = read_number(match["number"], language)
    except NumberUnreadError:
        return None
    symbol = _NAMES[match["unit"].casefold()]
    seconds, months = (round(number * factor) for factor in _LENGTHS[symbol])
    if not 0 < seconds + months * 31 * 86_400 <= MAX_SECONDS or (months and months != number * _LENGTHS[symbol][1]):
        return None
    text = match.group().strip(" ,()")
    if counts and number == int(number) and number > 1:
        return Window(text, seconds, months, int(number), _SINGULAR.get(symbol, symbol), language)
    return Window(text, seconds, months, None, "", language)
