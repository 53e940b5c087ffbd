"""`revisit by 2027-03-01` and its near spellings: a day on which a decision has to be looked at again."""

from __future__ import annotations

import datetime as dt
import re
from functools import cache

from memkit.model import condition_words as words


class DayUnreadError(ValueError):
    """A day that could be two, or none; the message says why."""


_MONTH = "|".join(sorted(words.MONTHS, key=len)[::-1])
_DATE = (
    r"(?P<date>"
    r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"
    r"|(?P<cy>\d{4})\s?年\s?(?P<cm>\d{1,2})\s?月\s?(?P<cd>\d{1,2})\s?[日号號]"
    r"|(?P<a>\d{1,2})(?P<sep>[./])(?P<b>\d{1,2})[./](?P<ly>\d{4})"
    rf"|(?P<dd>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)? (?:of |de )?(?P<dm>{_MONTH})\.?,? (?:de )?(?P<dy>\d{{4}})"
    rf"|(?P<em>{_MONTH})\.? (?P<ed>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<ey>\d{{4}})"
    rf"|(?P<vague>\d{{4}}-\d{{2}}|(?:{_MONTH})\.? (?:de )?\d{{4}}|Q[1-4][ /-]?\d{{4}}|\d{{4}}[ -]?Q[1-4]|\d{{4}}"
    r"|\d{4}\s?年(?:\s?\d{1,2}\s?月)?)"
    r")"
)


_year = re.compile(r"\d{4}")


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], int], ...]:
    made = []
    for language, before, after, later in words.REVISITS:
        gap = r"\s?" if language in ("ja", "zh") else r"[ :]+" if before else ""
        made.append(
            (re.compile(rf"{before}:?{gap}(?:the |dem |den |le |el |o )?{_DATE}{after}$", re.IGNORECASE), later)
        )
    return tuple(made)


def read_revisit(flat: str) -> dt.date | None:
    """The day from which a decision is due to be looked at again, or None if the text is no such condition.

    Args:
        flat: The condition on one line.

    Raises:
        DayUnreadError: it is one, and its day could be two days, or is none.
    """
    if not _year.search(flat):
        return None
    for pattern, later in _patterns():
        match = pattern.match(flat)
        if match:
            return _day(match) + dt.timedelta(days=later)
    return None


def _day(match: re.Match[str]) -> dt.date:
    text = match["date"]
    if match["vague"]:
        raise DayUnreadError(f"“{text}” names no day")
    if match["a"]:
        first, second, year = int(match["a"]), int(match["b"]), int(match["ly"])
        if match["sep"] == "/" and first != second and max(first, second) <= 12:
            raise DayUnreadError(f"“{text}” can be two days: day or month first")
        month_first = match["sep"] == "/" and second > 12
        day, month = (second, first) if month_first else (first, second)
    else:
        year = int(match["y"] or match["cy"] or match["dy"] or match["ey"])
        name = match["dm"] or match["em"]
        month = words.MONTHS[name.casefold()] if name else int(match["m"] or match["cm"])
        day = int(match["d"] or match["cd"] or match["dd"] or match["ed"])
    try:
        return dt.date(year, month, day)
    except ValueError as error:
        raise DayUnreadError(f"“{text}” is no day of the calendar") from error
