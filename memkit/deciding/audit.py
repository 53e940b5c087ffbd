"""`mem.audit`: who did what to this memory, when, and how the memory workers do.

The log is there to be looked at; nothing in it decides anything. Every answer carries the query that gave it (`.sql`).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from memkit.deciding.tripwires import Moment, moment_of
from memkit.errors import InvalidInputError
from memkit.model.event import Event, Trigger, Worker, known_as, worker_of
from memkit.store import audit_tail, look, staging
from memkit.store.audit_run import Run
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.analytics.audit_result import (
        Activity,
        AuditEvents,
        AuditHealth,
        AuditRuns,
        ChainReport,
        RecordHistory,
        UsageReport,
    )
    from memkit.catalog.catalog import Catalog
    from memkit.present.monitor import Monitor
    from memkit.snapshot.audit_days import CompactReceipt

MOST_LATEST = 100_000
Short = Literal["extract", "consolidation"]
_OPEN_RUNS = 50


class Audit:
    """See the module; made by Memory."""

    def __init__(self, store: Store, catalog: Callable[[], Catalog], *, keep_days: int | None = None) -> None:
        self._store = store
        self._catalog = catalog
        self._keep_days = keep_days

    def __repr__(self) -> str:
        return f"<Audit of {self._store.paths.project_path!r}>"

    @property
    def path(self) -> Path:
        """What `tail -F` follows: the log in use, across midnight."""
        return self._store.paths.current_log

    def _now(self) -> dt.datetime:
        return self._store.clock.now()

    def _moment(self, value: Moment | None, field: str = "since") -> dt.datetime | None:
        return None if value is None else moment_of(value, self._now(), field)

    # -- asking --------------------------------------------------------------------------------------------------

    def runs(
        self,
        *,
        worker: str | None = None,
        status: str | Sequence[str] | None = None,
        since: Moment | None = None,
        limit: int | None = None,
    ) -> AuditRuns:
        """Runs of memory workers, newest first: when, why, how long, with which outcome, what they did.

        Args:
            worker: Only `memory_extract` or `memory_consolidation`; `extract` and `consolidation` mean the same.
            status: Only `completed`, `skipped`, `failed`, `cancelled`, `running` or `lost`, or several of these.
            since: Only those started since then.
            limit: Runs at most; all by default.

        Raises:
            InvalidInputError: a worker or status that does not exist, a limit out of its range, no moment.
        """
        from memkit.analytics.audit import runs

        when = self._moment(since)
        return runs(self._catalog(), as_of=self._now(), worker=worker, status=status, since=when, limit=limit)

    def events(
        self,
        *,
        event: str | None = None,
        op: str | None = None,
        since: Moment | None = None,
        until: Moment | None = None,
        limit: int | None = 1_000,
    ) -> AuditEvents:
        """Events, newest first.

        Args:
            event: Only this kind: `worker_lifecycle`, `record_operation`, `record_usage`, `entry_operation`.
            op: Only this operation, such as `store`; docs/reference/events.md lists them.
            since: Only those since then.
            until: Only those until then.
            limit: Events at most; None for all.

        Raises:
            InvalidInputError: a kind or operation that does not exist, a limit out of its range, no moment.
        """
        from memkit.analytics.audit import events

        first, last = self._moment(since), self._moment(until, "until")
        return events(self._catalog(), as_of=self._now(), event=event, op=op, since=first, until=last, limit=limit)

    def history(self, slug: str | None = None) -> RecordHistory:
        """What happened to a record, oldest first, with its hashes; of all records where none is named.

        A change that began with other bytes than the one before it had left is marked as a break.
        """
        from memkit.analytics.audit import history

        return history(self._catalog(), slug, as_of=self._now())

    def usage(self, *, since: Moment | None = None, limit: int | None = None) -> UsageReport:
        """What was asked and read, most often first, and how often nothing was found.

        Raises:
            InvalidInputError: a limit out of its range, no moment.
        """
        from memkit.analytics.audit import usage

        return usage(self._catalog(), as_of=self._now(), since=self._moment(since), limit=limit)

    def activity(self, *, since: Moment | None = None) -> Activity:
        """How often memory was asked or read, day by day in UTC; it has a chart.

        Raises:
            InvalidInputError: no moment.
        """
        from memkit.analytics.audit import activity

        return activity(self._catalog(), as_of=self._now(), since=self._moment(since))

    def health(self, *, since: Moment | None = None) -> AuditHealth:
        """How each memory worker does: last success, failure rate, lost runs; and what waits in staging."""
        from memkit.analytics.audit import health

        files, _ = staging.read_all(self._store.paths)
        waiting = [file for file in files if file.candidates]
        return health(
            self._catalog(),
            as_of=self._now(),
            since=self._moment(since),
            n_waiting=sum(len(file.candidates) for file in waiting),
            n_sessions_waiting=len(waiting),
        )

    def verify(self) -> ChainReport:
        """Whether the chain of the log is whole; else the first break by file and byte. Writes nothing."""
        from memkit.analytics.audit import chain

        return chain(self._store.paths, as_of=self._now())

    # -- watching ------------------------------------------------------------------------------------------------

    def latest(self, n: int = 20) -> list[Mapping[str, Any]]:
        """The newest events as the JSON objects of their lines, oldest first, without reading the whole log.

        Raises:
            InvalidInputError: `n` out of its range.
        """
        if not 1 <= n <= MOST_LATEST:
            raise InvalidInputError(f"{n} is out of range", field="n", remedy=f"1 to {MOST_LATEST:,}.")
        return list(audit_tail.latest(self._store.paths, n))

    def follow(self, *, seconds: float = 0.2) -> Iterator[Mapping[str, Any]]:
        """Every event from now on, as it is appended; never ends by itself."""
        return audit_tail.follow(self._store.paths, seconds=seconds)

    def status_line(self) -> str:
        """What the memory workers last did, in one line; empty where none ever ran."""
        from memkit.present.status_line import status_line

        events, lost = self._seen()
        return status_line(events, lost=lost)

    def monitor(self, *, rows: int = 8) -> Monitor:
        """The status line and the newest events, live in a notebook, a still picture elsewhere."""
        from memkit.present.monitor import Monitor

        return Monitor(self._seen, rows=rows)

    def _seen(self) -> tuple[list[Mapping[str, Any]], list[str]]:
        """The newest events, and which runs among them have no end and no process."""
        events = self.latest(500)
        workers = [event for event in events if event.get("event") == "worker_lifecycle"]
        ended = {event.get("run_id") for event in workers if event.get("status") != "started"}
        lost = [
            str(event["run_id"])
            for event in workers[-_OPEN_RUNS:]
            if event.get("run_id") not in ended and not _is_alive(event)
        ]
        return events, lost

    def run(self, *, worker: Worker | Short, trigger: Trigger = "manual", **about: Any) -> AbstractContextManager[Run]:
        """One run of a memory worker of your own: a start event now, exactly one end event when the block is left.

        Say in the block how it ended: `run.complete("records_updated")`, `run.skip("no_staging")` or
        `run.fail("model_error")`; `run.count(write=1)` counts. An exception is a failure, Ctrl-C a cancellation; a run
        that was killed shows as lost.

        Args:
            worker: `memory_extract` or `memory_consolidation`, or short: `extract`, `consolidation`.
            trigger: What set it off; one of those in docs/reference/events.md.
            **about: Further fields of both events, such as `session_id` or `model`.

        Raises:
            InvalidInputError: a worker or trigger that does not exist; nothing was logged.
        """
        known_as(trigger, get_args(Trigger), "trigger")
        return self._store.audit.run(worker=worker_of(worker), trigger=trigger, **about)

    def used(self, op: str, *, n: int | None = None, status: str = "done", reason: str = "") -> None:
        """Write down that a tool of yours used the memory, where no method of `Memory` does so by itself.

        Nothing is written where no store is. A log that cannot be written is a warning, once.

        Args:
            op: What was done, such as `summary`.
            n: How much was found.
            status: `done`, `refused` or `failed`.
            reason: A short code.
        """
        if not self._store.exists:
            return
        detail = {"result_count": n, "reason": reason or None}
        said = {name: value for name, value in detail.items() if value is not None}
        self._store.audit.record(Event("record_usage", op, status=status, detail=said))

    # -- looking after -------------------------------------------------------------------------------------------

    def compact(self, *, dry_run: bool = True) -> CompactReceipt:
        """Turn closed days into Parquet files and remove days older than `audit.keep_days`; by default only say so.

        Raises:
            StoreError: the disk, a permission or another writer stood in the way; every day is whole.
        """
        from memkit.snapshot.audit_days import compact

        receipt = compact(self._store, keep_days=self._keep_days, dry_run=dry_run)
        if receipt.compacted and not dry_run:
            detail = {"days": list(receipt.compacted), "n_events": receipt.n_events}
            self._store.audit.record(Event("entry_operation", "compact_log", detail=detail))
        return receipt


def _is_alive(event: Mapping[str, Any]) -> bool:
    import socket

    pid = event.get("pid")
    return event.get("host") != socket.gethostname() or (isinstance(pid, int) and look.is_running(pid))
