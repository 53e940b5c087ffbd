"""Time: where it comes from, how it is written down, how an age is said.

Instants are aware `datetime`s in UTC inside memkit and epoch milliseconds on disk. A naive time is refused where
a person hands one in. Nothing below the entrances asks the operating system for the time: a `Clock` is handed in,
so that a test, a notebook about the past and a what-if question all say "now" themselves.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

UTC = dt.UTC
EPOCH = dt.datetime(1970, 1, 1, tzinfo=UTC)
DAY_MS = 86_400_000
# Clocks of two machines differ by a little; a time this far ahead is not yet called wrong.
SKEW_MS = 5 * 60 * 1000


@runtime_checkable
class Clock(Protocol):
    """Anything that can say what time it is."""

    def now(self) -> dt.datetime:
        """The present instant, aware, in UTC."""
        ...


@dataclass(frozen=True, slots=True)
class SystemClock:
    """The operating system's clock."""

    def now(self) -> dt.datetime:
        """The present instant, aware, in UTC."""
        return dt.datetime.now(UTC)


@dataclass(slots=True)
class FixedClock:
    """A clock that stands still until told otherwise; for tests and for asking as of a past day."""

    at: dt.datetime

    def now(self) -> dt.datetime:
        """The instant it was set to."""
        return self.at.astimezone(UTC)

    def advance(self, delta: dt.timedelta) -> None:
        """Move the clock by `delta`."""
        self.at += delta


def to_ms(instant: dt.datetime) -> int:
    """Epoch milliseconds (UTC) of an aware instant, rounded down."""
    return (instant - EPOCH) // dt.timedelta(milliseconds=1)


def from_ms(ms: int) -> dt.datetime:
    """The aware UTC instant of epoch milliseconds."""
    return EPOCH + dt.timedelta(milliseconds=ms)


def iso(instant: dt.datetime) -> str:
    """ISO 8601 in UTC with milliseconds and a `Z`: `2026-11-30T12:00:00.000Z`."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_instant(text: str) -> dt.datetime:
    """Read an ISO 8601 instant or day; without a zone it means UTC.

    Raises:
        ValueError: `text` is neither.
    """
    value = dt.datetime.fromisoformat(text.strip())
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{text!r:.40} lies beyond the calendar") from error


def age_days(then: dt.datetime | dt.date, now: dt.datetime) -> float:
    """Days from `then` to `now`, fractional for instants, whole for calendar days; negative for the future."""
    if isinstance(then, dt.datetime):
        return (now - then) / dt.timedelta(days=1)
    return float((now.astimezone(UTC).date() - then).days)


def age_words(days: float) -> str:
    """The one place where an age becomes words: `today`, `yesterday`, `76 days ago`, `in 3 days (clock skew?)`."""
    whole = int(days) if days >= 0 else -int(-days)
    if days < 0 and whole == 0:
        return "today"
    if whole < 0:
        ahead = -whole
        return f"in {ahead:,} day{'' if ahead == 1 else 's'} (clock skew?)"
    if whole == 0:
        return "today"
    if whole == 1:
        return "yesterday"
    return f"{whole:,} days ago"


def stored_label(stored_at: dt.datetime, now: dt.datetime) -> str:
    """`Stored 76 days ago`: always counted from the moment of storage."""
    return f"Stored {age_words(age_days(stored_at, now))}"


def decided_label(decided_on: dt.date | None, now: dt.datetime) -> str | None:
    """`Decided 76 days ago`, or None where the day is not known."""
    if decided_on is None:
        return None
    return f"Decided {age_words(age_days(decided_on, now))}"


def decision_label(decided_on: dt.date | None, stored_at: dt.datetime, now: dt.datetime) -> str:
    """`Decided 76 days ago, stored 3 days ago`; where the decision's own day is not known, `Stored 3 days ago`."""
    stored = stored_label(stored_at, now)
    decided = decided_label(decided_on, now)
    return stored if decided is None else f"{decided}, {stored[0].lower()}{stored[1:]}"
