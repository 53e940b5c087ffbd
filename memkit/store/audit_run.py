"""One run of a memory worker: a start event, and exactly one end event whatever happens in between.

A process that is killed writes no end event; the queries then show the run as lost, never as running for ever.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from memkit import clock as clocks
from memkit.errors import LockedError, MemkitError, StoreError, UsageError
from memkit.model.event import Event, Trigger, Worker, event_id, is_code

Record = Callable[[Event], bool]


@dataclass(slots=True)
class Run:
    """A run under way; say how it ended with `complete`, `skip` or `fail`. The last word counts.

    Attributes:
        run_id: UUIDv7; in both of its events.
        worker: Which worker.
        fields: Further fields of the end event, such as `staged_ids`, `consumed_ids`, `usage`; `note` adds to them.
        counts: What it did, in numbers: `staged`, `write`, `edit`, `merge`, `drop` and so on; `count` adds to them.
        reason_of_failure: The reason given if the block raises: set it before a step that can fail in its own way, such
            as `model_error`.
    """

    run_id: str
    worker: Worker
    fields: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    reason_of_failure: str = ""
    _status: str = "completed"
    _reason: str = ""
    _message: str = ""

    def note(self, **fields: Any) -> None:
        """Add fields to the end event."""
        self.fields |= fields

    def count(self, **numbers: int) -> None:
        """Add to the counts."""
        for name, n in numbers.items():
            self.counts[name] = self.counts.get(name, 0) + n

    def complete(self, reason: str, **fields: Any) -> None:
        """It did its work: `candidates_found`, `no_candidates`, `records_updated`, `no_record_changes`."""
        self._end("completed", reason, "", fields)

    def skip(self, reason: str, **fields: Any) -> None:
        """There was nothing to do: `no_new_session_range`, `no_staging`, `lock_held`."""
        self._end("skipped", reason, "", fields)

    def fail(self, reason: str, message: str = "", **fields: Any) -> None:
        """It failed without an exception: `linter_failed`, `model_error`, `scope_error`."""
        self._end("failed", reason, message, fields)

    def _end(self, status: str, reason: str, message: str, fields: Mapping[str, Any]) -> None:
        if not is_code(reason):
            raise UsageError(f"{reason!r:.60} is no reason", remedy="A reason is a short code such as no_staging.")
        self._status, self._reason, self._message = status, reason, message
        self.fields |= fields

    def break_off(self, error: BaseException) -> None:
        """What the block raised is how it ended: failed, or cancelled where somebody interrupted it."""
        if isinstance(error, Exception):
            self._status, self._reason = "failed", self.reason_of_failure or _reason_of(error)
            said = error.what if isinstance(error, MemkitError) else error  # without the path of a file
            self._message = f"{type(error).__name__}: {said}"
        else:
            self._status, self._reason, self._message = "cancelled", "interrupted", ""

    def end_event(self, common: Mapping[str, Any], *, seconds: float) -> Event:
        """The event of its end."""
        detail = {**common, **self.fields, "duration_ms": max(0, round(seconds * 1000))}
        if self._reason:
            detail["reason"] = self._reason
        if self.counts:
            detail["counts"] = dict(self.counts)
        text = {"message": self._message} if self._message else {}
        return Event("worker_lifecycle", status=self._status, detail=detail, text=text)


def _reason_of(error: Exception) -> str:
    if isinstance(error, LockedError):
        return "lock_held"
    return "store_error" if isinstance(error, StoreError) else "error"


@contextmanager
def running(
    record: Record, clock: clocks.Clock, *, worker: Worker, trigger: Trigger, about: Mapping[str, Any]
) -> Iterator[Run]:
    """See `AuditLog.run`."""
    began = clock.now()
    run = Run(event_id(began), worker)
    pid = os.getpid()
    common = {"run_id": run.run_id, "worker": worker, "trigger": trigger, **about}
    record(Event("worker_lifecycle", status="started", detail={**common, "pid": pid, "host": socket.gethostname()}))
    try:
        yield run
    except BaseException as error:
        run.break_off(error)
        raise
    finally:
        if os.getpid() == pid:  # a forked child is not the run
            record(run.end_event(common, seconds=(clock.now() - began).total_seconds()))
