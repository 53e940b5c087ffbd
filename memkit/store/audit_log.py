"""`_logs/memory-YYYY-MM-DD.log`: one line per event, appended under one lock for all days.

Time, file and predecessor are chosen under the lock. The file is that of the UTC day, and never one older than the
newest: after a clock has jumped back, the newest goes on. `current.log` is a link to the newest, replaced in one step,
so that `tail -F` follows; where links are impossible it is a copy of the newest, appended to beside it. Lines are not
fsynced, except those about removals; when a new day begins, the day before is.

The hash of the line before is remembered together with device, inode and size of the file; only where another process
has written since is the end of the file read. Nothing reads the log to decide anything. A log that cannot be written
never fails an operation: the caller is warned once.
"""

from __future__ import annotations

import errno
import re
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from typing import Any

from memkit import clock as clocks
from memkit.errors import MemkitWarning, StoreError
from memkit.model import jsontext
from memkit.model.event import MAX_TEXT_CHARS, REMOVALS, Event, Trigger, Worker, line_of
from memkit.model.problem import Problem
from memkit.store import audit_chain, audit_compacted, durable, jsonl, look
from memkit.store.audit_run import Run, running
from memkit.store.durable import Before
from memkit.store.lock import Lock
from memkit.store.paths import LOG_PREFIX, LOG_SUFFIX, StorePaths
from memkit.store.scrub import Scrubber

MAX_TOLD = 200  # damaged lines of a day that are told one by one
_TAIL_BYTES = 64 * 1024
_LOG_NAME = re.compile(rf"{LOG_PREFIX}[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{re.escape(LOG_SUFFIX)}", re.ASCII)
_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})


class AuditLog:
    """The log of one project.

    Args:
        paths: Where it lies.
        clock: What time it is.
        scrubber: What is masked in text.
        actor: Who acts.
        wait_seconds: How long to wait for another writer, at most two seconds.
    """

    def __init__(
        self,
        paths: StorePaths,
        clock: clocks.Clock,
        *,
        scrubber: Scrubber,
        actor: str = "python",
        wait_seconds: float,
    ) -> None:
        self._paths = paths
        self._clock = clock
        self._scrubber = scrubber
        self.actor = actor
        self.lock = Lock(paths.audit_lock, wait_seconds=min(wait_seconds, 2.0))
        self._warned = False
        self._seen: tuple[tuple[int, int], int] | None = None
        self._prev, self._n = "", 0
        self._copied: str | None = None

    def record(self, *events: Event) -> bool:
        """Append events, one line each; whether they are in the log.

        A fault is a warning, once per log, and never an error.
        """
        try:
            self._append(events)
        except (StoreError, TypeError, ValueError) as error:
            self._seen = None
            if not self._warned:
                self._warned = True
                warnings.warn(f"the audit log could not be written: {error}", MemkitWarning, stacklevel=3)
            return False
        return True

    def run(self, *, worker: Worker, trigger: Trigger = "unknown", **about: Any) -> AbstractContextManager[Run]:
        """One run of a memory worker: a start event now, exactly one end event when the block is left.

        Args:
            worker: `memory_extract` or `memory_consolidation`.
            trigger: What set it off.
            **about: Further fields of both events, such as `session_id` or `model`.
        """
        return running(self.record, self._clock, worker=worker, trigger=trigger, about=about)

    def _append(self, events: tuple[Event, ...]) -> None:
        parts = [event.parts() for event in events]
        texts = [{name: self._said(value) for name, value in text.items()} for _, text in parts]
        fsync = any(event.op in REMOVALS for event in events)
        durable.make_folder(self._paths.logs)
        with self.lock.held(None):
            now = self._clock.now()
            newest = look.link_target(self._paths.current_log)
            today = now.date().isoformat()
            # Only the link to today's log, there to be seen, spares a look into the folder.
            is_known = newest == name_of(today) and look.exists(self._paths.logs / name_of(today))
            there = [today] if is_known else days(self._paths)
            name = name_of(max([today, *there]))
            if there and name != name_of(there[-1]):
                durable.flush(self._paths.logs / name_of(there[-1]))
            seen, self._seen = self._seen, None
            made: list[bytes] = []
            found: list[tuple[int, int]] = []
            prev, n = "", 0

            def make(before: Before) -> bytes:
                nonlocal prev, n
                found.append(before.identity)
                if before.size and (before.identity, before.size) == seen:
                    tail = audit_chain.Tail(self._prev, self._n)
                else:
                    older = [each for each in map(name_of, days(self._paths)) if each < name]
                    tail = audit_chain.tail_before(self._paths, name, older, before)
                prev, n, healed = tail.prev, tail.n, tail.healed
                for event, (kept, _), text in zip(events, parts, texts, strict=True):
                    n += 1
                    line, prev = line_of(
                        event, text, kept=kept, at=now, actor=self.actor, seq=n, prev=prev, healed=healed
                    )
                    made.append(line + b"\n")
                    healed = ()
                return b"".join(made)

            start = durable.append_made(self._paths.logs / name, make, fsync=fsync)
            self._prev, self._n, self._seen = prev, n, (found[0], start + sum(map(len, made)))
            self._point_at(name, newest, b"".join(made))

    def _said(self, text: str) -> str:
        return self._scrubber.scrub_text(text).text[:MAX_TEXT_CHARS]

    def _point_at(self, name: str, newest: str | None, lines: bytes) -> None:
        """Let `current.log` be the file in use."""
        if newest == name:
            return
        current = self._paths.current_log
        if self._copied == name and look.exists(current):
            durable.append(current, lines, fsync=False)
            return
        if self._copied is None:
            try:
                durable.replace_link(current, name)
            except StoreError as error:
                if not isinstance(error.__cause__, OSError) or error.__cause__.errno not in _NO_LINKS:
                    raise
            else:
                return
        durable.replace(current, look.read_bytes(self._paths.logs / name) or b"")
        self._copied = name


def name_of(day: str) -> str:
    """The name of the log of one UTC day."""
    return f"{LOG_PREFIX}{day}{LOG_SUFFIX}"


def is_log_name(name: str) -> bool:
    """Whether a file of this name is a day's log."""
    return _LOG_NAME.fullmatch(name) is not None


def is_compacted_name(name: str) -> bool:
    """Whether a file of this name is a compacted day."""
    return name.endswith(".parquet") and is_log_name(name.removesuffix(".parquet") + LOG_SUFFIX)


def days(paths: StorePaths) -> list[str]:
    """UTC days that have a log, ascending."""
    return [
        name.removeprefix(LOG_PREFIX).removesuffix(LOG_SUFFIX)
        for name in look.names_in(paths.logs)
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


def chain(paths: StorePaths) -> audit_chain.Walk:
    """The chain of every day, logs checked line by line, compacted days gone over by what is known of them."""
    walk = audit_chain.Walk()
    compacted: dict[str, audit_compacted.CompactedDay] = {}
    with suppress(audit_compacted.DamagedListError):
        compacted = audit_compacted.read(paths)
    for day in sorted({*compacted, *days(paths)}):
        if day in compacted:
            walk.skip(paths.compacted_log(day).name, compacted[day])
        else:
            walk.file(name_of(day), look.read_bytes(paths.log_file(day)) or b"")
    walk.end()
    return walk


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
    """The events of one UTC day in order, with a problem in the place of each damaged line.

    Once there were too many odd ones, lines that lie together and cannot be events are one problem.
    """
    file = paths.log_file(day)
    data = look.read_bytes(file) or b""
    n_odd, passed_over = 0, (0, 0)

    def problem(detail: str, start: int, end: int) -> Problem:
        remedy = "Nothing depends on it; the other lines are read."
        return Problem("damaged-log-line", paths.relative(file), detail, remedy, start=start, end=end)

    def skip(position: int) -> int:
        nonlocal passed_over
        run = audit_chain.JUNK.match(data, position) if n_odd >= MAX_TOLD else None
        passed_over = (position, run.end() if run else position)
        return passed_over[1]

    for line in jsonl.lines(data, skip=skip):
        if passed_over[0] < passed_over[1]:
            yield problem("no events", *passed_over)
        try:
            raw = jsonl.parse_object(line.data)
        except jsontext.JsonDamage as damage:
            n_odd += 1
            yield problem(str(damage), line.start, line.end)
        else:
            n_odd += "id" not in raw
            yield raw
    if passed_over[0] < passed_over[1]:
        yield problem("no events", *passed_over)
