"""`_logs/memory-YYYY-MM-DD.log`: one line per event, appended under one lock for all days.

The file is chosen under the lock, by the UTC day, and never older than the newest one there: a clock that jumps back
over midnight does not split a day. `current.log` is a link to it, replaced in one step, so that `tail -F` follows.
Lines are not fsynced. Nothing reads the log to decide anything; a log that cannot be written never fails an operation:
the caller is warned once.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

from memkit import clock as clocks
from memkit.errors import MemkitWarning, StoreError
from memkit.model import jsontext
from memkit.model.event import Event
from memkit.model.problem import Problem
from memkit.store import durable, jsonl
from memkit.store.lock import Lock
from memkit.store.paths import LOG_PREFIX, LOG_SUFFIX, StorePaths


class AuditLog:
    """The log of one project."""

    def __init__(self, paths: StorePaths, clock: clocks.Clock, *, actor: str = "python", wait_seconds: float) -> None:
        self._paths = paths
        self._clock = clock
        self._actor = actor
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
            newest = _link_target(self._paths)
            name = f"{LOG_PREFIX}{max([now.strftime('%Y-%m-%d'), *days(self._paths, newest)[-1:]])}{LOG_SUFFIX}"
            lines = [jsontext.dumps({**event.to_dict(now), "actor": self._actor}) + b"\n" for event in events]
            durable.append(self._paths.logs / name, b"".join(lines), fsync=False)
            if newest != name:
                durable.replace_link(self._paths.current_log, name)


def _link_target(paths: StorePaths) -> str | None:
    try:
        return os.readlink(paths.current_log)
    except OSError:
        return None


def days(paths: StorePaths, known: str | None = None) -> list[str]:
    """UTC days that have a log, ascending; `known` is the newest log's name where the link already tells it."""
    return [
        name.removeprefix(LOG_PREFIX).removesuffix(LOG_SUFFIX)
        for name in ([known] if known else durable.names_in(paths.logs))
        if name.startswith(LOG_PREFIX) and name.endswith(LOG_SUFFIX)
    ]


def read_events(paths: StorePaths) -> tuple[list[dict[str, jsontext.Json]], list[Problem]]:
    """All events in order, and the damaged lines among them."""
    events: list[dict[str, jsontext.Json]] = []
    problems: list[Problem] = []
    for day in days(paths):
        for item in day_events(paths, day):
            (problems if isinstance(item, Problem) else events).append(item)  # type: ignore[arg-type]
    return events, problems


def day_events(paths: StorePaths, day: str) -> Iterator[dict[str, jsontext.Json] | Problem]:
    """The events of one UTC day in order, with a problem in the place of each damaged line."""
    file = paths.log_file(day)
    lines, _ = jsonl.split_lines(durable.read_bytes(file) or b"")
    for line in lines:
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
