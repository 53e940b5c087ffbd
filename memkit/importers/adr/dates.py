"""Days as people write them.

A day is read only where the text says which one it is. `03/04/2020` says so only together with others: `DayOrder`
collects what the documents of one folder show (`23/03/2020` can only be day first), and a folder that shows both, or
nothing, leaves such days open. A month without a day ("May 2023") is kept as written and is no day.
"""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from dataclasses import dataclass
from typing import Final, Literal

from memkit.model.date_words import MONTH_OF

Order = Literal["day first", "month first"]
EARLIEST_YEAR: Final = 1970
LATEST_YEAR: Final = 2100

_MONTH = "|".join(sorted(map(re.escape, MONTH_OF), key=lambda name: (-len(name), name)))
_ORDINAL = r"(?:st|nd|rd|th|er|º|ª|o|\.)?"
_NEAR = r"(?<![\w/.-])"  # no digit, letter or date mark directly before ...
_FAR = r"(?![\w/-]|\.\d)"  # ... and none directly after
_TIME = r"(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?"
_OF = r"[\s-]*(?:(?:of|de)\s+)?"
_BETWEEN = r"\.?,?(?:\s+|-|\s+del?\s+)"  # of month and year: a blank, a dash, `de`
_WORDS_BESIDE: Final = frozenset({"on", "the", "of", "am", "den", "le", "em", "el", "dated", "at", "date"})
_WEEKDAY = re.compile(
    r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch"
    r"|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|[月火水木金土日](?:曜日?)?"
)
_PATTERNS: Final = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("ymd", rf"{_NEAR}(?P<y>\d{{4}})(?P<s>[-/.])(?P<m>\d{{1,2}})(?P=s)(?P<d>\d{{1,2}}){_TIME}{_FAR}"),
        ("ymd", rf"{_NEAR}(?P<y>(?:19|20)\d{{2}})(?P<m>0\d|1[0-2])(?P<d>[0-2]\d|3[01]){_FAR}"),
        ("ymd", r"(?P<y>\d{4})\s*年\s*(?P<m>\d{1,2})\s*月\s*(?P<d>\d{1,2})\s*[日号]"),
        ("dmy", rf"{_NEAR}(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?(?P<y>\d{{4}}|\d{{2}}){_FAR}"),
        ("open", rf"{_NEAR}(?P<a>\d{{1,2}})(?P<s>[/-])(?P<b>\d{{1,2}})(?P=s)(?P<y>\d{{4}}|\d{{2}}){_FAR}"),
        ("ymd", rf"{_NEAR}(?P<d>\d{{1,2}}){_ORDINAL}{_OF}(?P<n>{_MONTH}){_BETWEEN}(?P<y>\d{{4}}){_FAR}"),
        ("ymd", rf"{_NEAR}(?P<n>{_MONTH})\.?\s+(?P<d>\d{{1,2}}){_ORDINAL},?\s+(?P<y>\d{{4}}){_FAR}"),
        ("ymd", rf"{_NEAR}(?P<y>\d{{4}})[\s-]+(?P<n>{_MONTH})\.?[\s-]+(?P<d>\d{{1,2}}){_ORDINAL}{_FAR}"),
    )
)  # fmt: skip
_MONTH_ONLY = re.compile(
    rf"{_NEAR}(?:(?:{_MONTH})\.?,?(?:\s+de)?\s+\d{{4}}|\d{{4}}[-/](?:0?[1-9]|1[0-2])|q[1-4]\s*\d{{4}}){_FAR}|\d{{4}}\s*年\s*\d{{1,2}}\s*月",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"y{2,4}[-/. ]?m{1,2}[-/. ]?d{1,2}|d{1,2}[-/. ]m{1,2}[-/. ]y{2,4}|m{1,2}/d{1,2}/y{2,4}|年月日", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Day:
    """One day found in a text.

    Attributes:
        raw: As written.
        start: Where it stands.
        day: The day, or None while its order is open.
        first: The first number of an open one.
        second: The second number of an open one.
        year: Its year.
    """

    raw: str
    start: int
    day: dt.date | None
    first: int = 0
    second: int = 0
    year: int = 0

    def settled(self, order: Order | None) -> dt.date | None:
        """The day, read in `order` where it is open; None where that is not known."""
        if self.day is not None or order is None:
            return self.day
        day, month = (self.first, self.second) if order == "day first" else (self.second, self.first)
        return _date(self.year, month, day)


@dataclass(slots=True)
class DayOrder:
    """What the documents of one folder show about the order of days and months."""

    day_first: int = 0
    month_first: int = 0

    def see(self, days: tuple[Day, ...]) -> None:
        """Count what these days show."""
        for day in days:
            if day.first > 12:
                self.day_first += 1
            elif day.second > 12:
                self.month_first += 1

    @property
    def order(self) -> Order | None:
        """The order all evidence agrees on, or None."""
        if bool(self.day_first) == bool(self.month_first):
            return None
        return "day first" if self.day_first else "month first"


def find_days(text: str) -> tuple[Day, ...]:
    """All days in a text, in order; at most the first 2,000 characters are read."""
    text = unicodedata.normalize("NFKC", text[:2000])
    found: list[Day] = []
    taken: list[tuple[int, int]] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(match.start() < end and start < match.end() for start, end in taken):
                continue
            day = _day(kind, match)
            if day is not None:
                taken.append(match.span())
                found.append(day)
    return tuple(sorted(found, key=lambda day: day.start))


def is_month_only(text: str) -> bool:
    """Whether a text gives a month and no day."""
    return not find_days(text) and _MONTH_ONLY.search(unicodedata.normalize("NFKC", text[:2000])) is not None


def is_placeholder(text: str) -> bool:
    """Whether a text shows how a date is to be written, instead of one: `YYYY-MM-DD`."""
    return _PLACEHOLDER.search(text) is not None


def is_only_a_day(text: str) -> bool:
    """Whether a line holds a date (or a month) and nothing else worth mentioning."""
    plain = unicodedata.normalize("NFKC", text[:200]).strip(" \t*_()[].,:–—-<>#")
    if len(text) > 60 or not plain:
        return False
    days = find_days(plain)
    if len(days) == 1:
        left = re.findall(r"[^\W_]+", plain.replace(days[0].raw, "", 1).casefold())
        return all(word in _WORDS_BESIDE or _WEEKDAY.fullmatch(word) for word in left)
    month = _MONTH_ONLY.fullmatch(plain)
    return month is not None


def _day(kind: str, match: re.Match[str]) -> Day | None:
    parts = match.groupdict()
    year = int(parts["y"])
    if len(parts["y"]) == 2:
        year += 2000
    if kind == "open":
        first, second = int(parts["a"]), int(parts["b"])
        day_first, month_first = _date(year, second, first), _date(year, first, second)
        if day_first is None and month_first is None:
            return None
        only = (
            day_first if month_first is None or day_first == month_first else month_first if day_first is None else None
        )
        return Day(match.group(), match.start(), only, first, second, year)
    month = MONTH_OF[parts["n"].casefold()] if parts.get("n") else int(parts["m"])
    day = _date(year, month, int(parts["d"]))
    if day is None and kind == "ymd" and not parts.get("n") and 12 < month <= 31:
        day = _date(year, int(parts["d"]), month)  # 2023-13-10: only one way round is a day
    return None if day is None else Day(match.group(), match.start(), day, year=year)


def _date(year: int, month: int, day: int) -> dt.date | None:
    if not EARLIEST_YEAR <= year <= LATEST_YEAR:
        return None
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None
