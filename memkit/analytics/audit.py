"""Questions about the audit log: runs of workers, events, the history of records, usage, health, the chain."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit.analytics.audit_result import (
    Activity,
    ActivityRow,
    AuditEvents,
    AuditHealth,
    AuditRun,
    AuditRuns,
    ChainReport,
    EventRow,
    RecordChange,
    RecordHistory,
    UsageReport,
    UsageRow,
    WorkerHealth,
)
from memkit.catalog.queries import load
from memkit.errors import InvalidInputError
from memkit.model.event import OPERATIONS, known_as, worker_of
from memkit.model.frozen import FrozenMapping
from memkit.snapshot import audit_days

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.catalog.catalog import Catalog
    from memkit.store.paths import StorePaths

PACKAGE = "memkit.analytics"
RUN_STATUSES = ("completed", "skipped", "failed", "cancelled", "running", "lost")
MOST = 10_000_000


def _ask(catalog: Catalog, name: str, params: Mapping[str, Any], as_of: dt.datetime) -> tuple[pa.Table, str]:
    query = load(PACKAGE, name)
    return catalog.table(query, params, as_of=as_of).data, query.sql


def _counted(data: pa.Table) -> tuple[pa.Table, int]:
    """The rows, and how many there would be without a limit, which stands beside each of them."""
    n = int(data.column("n_matched")[0].as_py()) if data.num_rows else 0
    return data.drop_columns(["n_matched"]), n


def _asked(params: Mapping[str, Any]) -> Mapping[str, object]:
    return FrozenMapping({name: value for name, value in params.items() if value is not None and name != "limit"})


def _bounded(limit: int | None) -> int | None:
    if limit is not None and not 1 <= limit <= MOST:
        raise InvalidInputError(f"{limit} is out of range", field="limit", remedy=f"1 to {MOST:,}.")
    return limit


def runs(
    catalog: Catalog,
    *,
    as_of: dt.datetime,
    worker: str | None = None,
    status: str | Sequence[str] | None = None,
    since: dt.datetime | None = None,
    limit: int | None = None,
) -> AuditRuns:
    """Runs of memory workers, newest first.

    Raises:
        InvalidInputError: a worker or status that does not exist, or a limit out of its range.
    """
    wanted = [status] if isinstance(status, str) else None if status is None else list(status)
    params = {
        "worker": None if worker is None else worker_of(worker),
        "status": None if wanted is None else [known_as(each, RUN_STATUSES, "status") for each in wanted],
        "since": since,
        "limit": _bounded(limit),
    }
    data, sql = _ask(catalog, "audit_runs", params, as_of)
    rows, n = _counted(data)
    return AuditRuns(AuditRun, rows, as_of, sql, _asked(params), n)


def events(
    catalog: Catalog,
    *,
    as_of: dt.datetime,
    event: str | None = None,
    op: str | None = None,
    since: dt.datetime | None = None,
    until: dt.datetime | None = None,
    limit: int | None = None,
) -> AuditEvents:
    """Events, newest first.

    Raises:
        InvalidInputError: a kind of event or an operation that does not exist, or a limit out of its range.
    """
    params = {
        "event": None if event is None else known_as(event, tuple(OPERATIONS), "event"),
        "op": op,
        "since": since,
        "until": until,
        "limit": _bounded(limit),
    }
    data, sql = _ask(catalog, "audit_events", params, as_of)
    if op is not None and not data.num_rows:
        _require_operation(catalog, event, op, as_of)
    rows, n = _counted(data)
    return AuditEvents(EventRow, rows, as_of, sql, _asked(params), n)


def _require_operation(catalog: Catalog, event: str | None, op: str, as_of: dt.datetime) -> None:
    """Refuse an operation that neither memkit knows nor the log has, of this kind of event."""
    known = [each for kind, ops in OPERATIONS.items() if event in {None, kind} for each in ops]
    if op in known:
        return
    anywhere = {"event": event, "op": op, "since": None, "until": None, "limit": 1}
    if isinstance(op, str) and _ask(catalog, "audit_events", anywhere, as_of)[0].num_rows:
        return  # a tool of somebody's own, or a newer memkit
    if not known:
        raise InvalidInputError(
            f"a {event} has no operation", field="op", remedy="Leave it out; a worker is told by its status and reason."
        )
    known_as(op, tuple(dict.fromkeys(known)), "op")


def history(catalog: Catalog, slug: str | None, *, as_of: dt.datetime) -> RecordHistory:
    """What happened to one record, or to all."""
    data, sql = _ask(catalog, "audit_history", {"slug": slug}, as_of)
    return RecordHistory(RecordChange, data, as_of, sql, _asked({"record": slug}))


def usage(
    catalog: Catalog, *, as_of: dt.datetime, since: dt.datetime | None = None, limit: int | None = None
) -> UsageReport:
    """What was asked and read, most often first.

    Raises:
        InvalidInputError: a limit out of its range.
    """
    data, sql = _ask(catalog, "audit_usage", {"since": since, "limit": _bounded(limit)}, as_of)
    rows, n = _counted(data)
    return UsageReport(UsageRow, rows, as_of, sql, _asked({"since": since}), n)


def activity(catalog: Catalog, *, as_of: dt.datetime, since: dt.datetime | None = None) -> Activity:
    """How often memory was asked or read, day by day."""
    data, sql = _ask(catalog, "audit_activity", {"since": since}, as_of)
    return Activity(ActivityRow, data, as_of, sql, _asked({"since": since}))


def health(
    catalog: Catalog, *, as_of: dt.datetime, since: dt.datetime | None, n_waiting: int, n_sessions_waiting: int
) -> AuditHealth:
    """How each worker does, beside what waits for it."""
    data, sql = _ask(catalog, "audit_health", {"since": since}, as_of)
    asked = _asked({"since": since})
    return AuditHealth(
        WorkerHealth, data, as_of, sql, asked, n_waiting=n_waiting, n_sessions_waiting=n_sessions_waiting
    )


def chain(paths: StorePaths, *, as_of: dt.datetime) -> ChainReport:
    """Whether the chain of the log is whole, compacted days included."""
    walk, problems = audit_days.walk(paths)
    return ChainReport(
        n_days=walk.n_files,
        n_events=walk.n_events,
        n_unchained=walk.n_unchained,
        n_forgotten=walk.n_forgotten,
        torn=tuple(walk.torn),
        first_break=walk.first_break,
        problems=tuple(problems),
        last_hash=walk.last,
        as_of=as_of,
    )
