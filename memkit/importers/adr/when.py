"""The day of a decision: found in one of the places people put it; a day on which the text was changed is not one."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memkit.importers.adr.dates import Order, find_days, is_month_only, is_only_a_day, is_placeholder
from memkit.importers.adr.front_matter import flat
from memkit.importers.adr.reading import Reading
from memkit.importers.adr.status import StatusFound
from memkit.model.date_words import DATE_LABELS
from memkit.model.headings import open_lines
from memkit.model.status_words import read_status

_UPDATED = re.compile(r"\b(?:updated?|revised|modified|edited|changed|review)\b|更新|改訂|修订", re.IGNORECASE)
HEAD_LINES = 12


@dataclass(frozen=True, slots=True)
class DateFound:
    """A day, or what stands in its place.

    Attributes:
        day: The day, or None.
        raw: As written, or None where nothing was found.
        origin: Where.
        why: Why there is no day though something stands there: `month only`, `order of day and month open`,
            `not a date`, `placeholder`; "" otherwise.
    """

    day: dt.date | None
    raw: str | None = None
    origin: str = ""
    why: Literal["", "month only", "order of day and month open", "not a date", "placeholder"] = ""


def find_date(reading: Reading, status: StatusFound, order: Order | None) -> DateFound:
    """The first place that gives a day; else the first that gives anything."""
    first: DateFound | None = None
    for raw, origin in _places(reading, status):
        found = _read(raw, origin, order)
        if found.day is not None:
            return found
        if first is None or (first.why == "placeholder" and found.why != "placeholder"):
            first = found
    return first or DateFound(None)


def _read(raw: str, origin: str, order: Order | None) -> DateFound:
    days = find_days(raw)
    for found in days:
        day = found.settled(order)
        if day is not None:
            return DateFound(day, raw, origin)
    if days:
        return DateFound(None, raw, origin, "order of day and month open")
    if is_placeholder(raw) or not raw.strip("{}[]<> \t"):
        return DateFound(None, raw, origin, "placeholder")
    return DateFound(None, raw, origin, "month only" if is_month_only(raw) else "not a date")


def _places(reading: Reading, status: StatusFound) -> Iterator[tuple[str, str]]:
    """(raw, origin) of every place, best first."""
    labels = [item for item in reading.labels if item.zone != "body"]
    for group in DATE_LABELS:
        for key, value in reading.front.find(*group):
            yield flat(value) or reading.front.raw.get(key, ""), f"front matter: {key}"
        for item in labels:
            if item.key in group:
                yield item.value, item.origin
    for _, section in reading.of_kind("date"):
        text = " ".join([section.value, *(line.strip() for _, line, ok in open_lines(section.body) if ok)]).strip()
        if text:
            yield text[:200], f'section "{section.title}"'
    for line in _head_lines(reading):
        if is_only_a_day(line):
            yield line.strip(), "date line under the title"
    yield from _in_status(status)
    yield from _in_changelog(reading)
    for item in reading.labels:
        if item.zone == "body" and item.key in DATE_LABELS[1] and is_only_a_day(item.value):
            yield item.value, item.origin


def _head_lines(reading: Reading) -> Iterator[str]:
    for placed in reading.placed:
        if placed.zone == "head":
            told = [line for _, line, ok in open_lines(placed.section.body) if ok and line.strip()]
            yield from told[:HEAD_LINES]
    # A date underlined as if it were a heading, or a heading of its own under the title.
    for section in reading.sections[:3]:
        if section.level > 1 and is_only_a_day(section.title):
            yield section.title


def _in_status(status: StatusFound) -> Iterator[tuple[str, str]]:
    """The dated line of the status that says the present state."""
    for line in status.text.split("\n")[:20]:
        if find_days(line) and read_status(line).status == status.status != "unknown":
            yield line.strip()[:200], f"{status.origin}, beside the status"
    lines = [line for line in status.text.split("\n") if line.strip()]
    if len(lines) > 1 and is_only_a_day(lines[1]):
        yield lines[1].strip(), f"{status.origin}, below the status"


def _in_changelog(reading: Reading) -> Iterator[tuple[str, str]]:
    """The entry of a changelog that accepts, else the earliest."""
    entries: list[tuple[dt.date, int, str, str]] = []
    for _, section in reading.of_kind("changelog"):
        for at, (_, line, is_open) in enumerate(open_lines(section.body)):
            days = [found.day for found in find_days(line) if found.day] if is_open else []
            if days:
                entries.append((min(days), at, line.strip()[:200], f'section "{section.title}"'))
    accepting = [e for e in entries if read_status(e[2]).status == "accepted" and not _UPDATED.search(e[2])]
    for _, _, line, origin in sorted(accepting) or sorted(entries)[:1]:
        yield line, origin
