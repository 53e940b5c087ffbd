"""`_logs/memory-YYYY-MM-DD.log`: one line per event, appended under one lock for all days.

The file is chosen under the lock, by the UTC day. A clock that jumps back over midnight goes on with the newest file,
so that a day is not split; a file of a day further ahead (a clock that was wrong once) is left alone. `current.log` is
a link to the file in use, replaced in one step, so that `tail -F` follows. Lines are not fsynced. Nothing reads the log
to decide anything; a log that cannot be written never fails an operation: the caller is warned once.
"""

from __future__ import annotations

import datetime as dt
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from memkit import clock as clocks
from memkit.errors import MemkitWarning, StoreError
from memkit.model import jsontext
from memkit.model.event import Event
from memkit.model.problem import Problem
from memkit.store import durable, jsonl, look
from memkit.store.lock import Lock
from memkit.store.paths import LOG_PREFIX, LOG_SUFFIX, StorePaths

MAX_TOLD = 200  # damaged lines of a day that are told one by one
_GIVEN_UP = "too many damaged lines; the rest of this day was not looked at"
_TAIL_BYTES = 64 * 1024
_LOG_NAME = re.compile(rf"{LOG_PREFIX}[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{re.escape(LOG_SUFFIX)}", re.ASCII)


class AuditLog:
    """The log of one project."""

    def __init__(self, paths: StorePaths, clock: clocks.Clock, *, actor: str = "python", wait_seconds: float) -> None:
        self._paths = paths
        self._clock = clock
        self.actor = actor
        self._lock = Lock(paths.audit_lock, wait_seconds=min(wait_seconds, 2.0))
        self._warned = False

    def record(self, *events: Event) -> None:
        """Append events, one line each; a fault is a warning, once per log, and never an error."""
        try:
            self._append(events)
        except StoreError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(f"the audit log could not be written: {error}", MemkitWarning, stacklevel=3)

    def _append(self, events: tuple[Event, ...]) -> None:
        durable.make_folder(self._paths.logs)
        with self._lock.held(None):
            now = self._clock.now()
            newest = look.link_target(self._paths.current_log)
            name = f"{LOG_PREFIX}{_day(now, days(self._paths, newest))}{LOG_SUFFIX}"
            lines = [jsontext.dumps({**event.to_dict(now), "actor": self.actor}) + b"\n" for event in events]
            durable.append(self._paths.logs / name, b"".join(lines), fsync=False)
            if newest != name:
                durable.replace_link(self._paths.current_log, name)


def _day(now: dt.datetime, there: list[str]) -> str:
    today = now.date().isoformat()
    if there == [today]:
        return today
    tomorrow = (now + dt.timedelta(days=1)).date().isoformat()
    return max([today, *(day for day in there if day <= tomorrow)])


def is_log_name(name: str) -> bool:
    """Whether a file of this name is a day's log."""
    return _LOG_NAME.fullmatch(name) is not None


def days(paths: StorePaths, known: str | None = None) -> list[str]:
    """UTC days that have a log, ascending; `known` is the newest log's name where the link already tells it."""
    return [
        name.removeprefix(LOG_PREFIX).removesuffix(LOG_SUFFIX)
        for name in ([known] if known and is_log_name(known) else look.names_in(paths.logs))
        if is_log_name(name)
    ]


def read_events(paths: StorePaths) -> tuple[list[dict[str, jsontext.Json]], list[Problem]]:
    """All events in order, and the damaged lines among them."""
    events: list[dict[str, jsontext.Json]] = []
    problems: list[Problem] = []
    for day in days(paths):
        for item in day_events(paths, day):
            (problems if isinstance(item, Problem) else events).append(item)  # type: ignore[arg-type]
    return events, problems


def damaged_lines(paths: StorePaths) -> list[Problem]:
    """The damaged lines of every day; a day full of them is given up after the first ones."""
    found: list[Problem] = []
    for day in days(paths):
        damaged = (item for item in day_events(paths, day) if isinstance(item, Problem))
        told = list(islice(damaged, MAX_TOLD))
        if len(told) == MAX_TOLD:
            told.append(replace(told[-1], detail=_GIVEN_UP, end=-1))
        found += told
    return found


def last_event(paths: StorePaths) -> dict[str, jsontext.Json] | None:
    """The newest event, read from the end of the newest log; None where that says nothing."""
    for day in reversed(days(paths)):
        file = paths.log_file(day)
        info = look.status_of(file)
        tail = look.read_from(file, max(0, (info.st_size if info else 0) - _TAIL_BYTES)) or b""
        for line in reversed(list(jsonl.lines(tail))[-MAX_TOLD:]):
            with suppress(jsontext.JsonDamage):
                return jsonl.parse_object(line.data)
    return None


def day_events(paths: StorePaths, day: str) -> Iterator[dict[str, jsontext.Json] | Problem]:
    """The events of one UTC day in order, with a problem in the place of each damaged line."""
    file = paths.log_file(day)
    for line in jsonl.lines(look.read_bytes(file) or b""):
        try:
            yield jsonl.parse_object(line.data)
        except jsontext.JsonDamage as damage:
            yield Problem(
                code="damaged-log-line",
                file=paths.relative(file),
                detail=str(damage),
                remedy="Nothing depends on it; the other lines are read.",
                start=line.start,
                end=line.end,
            )
