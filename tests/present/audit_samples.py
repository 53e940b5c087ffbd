"""Answers about the audit log, made by hand, for the tests of showing."""

import datetime as dt

import pyarrow as pa

from memkit.analytics.audit_result import Activity, ActivityRow, AuditRun, AuditRuns
from memkit.clock import UTC

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ENDS = (
    ("memory_extract", "completed", "candidates_found"), ("memory_extract", "failed", "model_error"),
    ("memory_extract", "skipped", "no_new_session_range"), ("memory_extract", "lost", None),
    ("memory_consolidation", "cancelled", "interrupted"), ("memory_consolidation", "completed", "records_updated"),
    ("memory_consolidation", "running", None),
)  # fmt: skip


def run(n=0, worker="memory_extract", status="completed", reason="candidates_found", **more):
    values = dict.fromkeys(AuditRun.__dataclass_fields__)
    started = NOW - dt.timedelta(days=n // 3, minutes=n)
    values |= {
        "run_id": f"run-{n}", "project_key": "0" * 12, "worker": worker, "trigger": "manual", "status": status,
        "reason": reason, "started_at": started, "ended_at": started, "duration_seconds": 1.5,
        "is_lost": status == "lost", "actor": "cli", "n_staged": 2, **more,
    }  # fmt: skip
    return AuditRun(**values)


def runs(*given):
    given = given or tuple(run(n, *end) for n, end in enumerate(ENDS))
    rows = [{name: getattr(each, name) for name in AuditRun.__dataclass_fields__} for each in given]
    return AuditRuns(AuditRun, pa.Table.from_pylist(rows), NOW, "select 1")


def activity(*given):
    """Uses by how many days ago they were."""
    given = given or ((0, 3), (1, 12), (40, 1), (500, 9))
    rows = [
        {
            "project_key": "0" * 12,
            "used_on": (NOW - dt.timedelta(days=ago)).date(),
            "n_times": n,
            "n_empty": n // 3,
            "n_actors": 1,
        }
        for ago, n in sorted(given, reverse=True)
    ]
    names = list(ActivityRow.__dataclass_fields__)
    return Activity(
        ActivityRow, pa.Table.from_pylist(rows, None if rows else pa.schema([(n, pa.int64()) for n in names])), NOW, ""
    )
