"""The program that lives through a week leaves a history that memkit itself wrote."""

import importlib.util
import pathlib

import pytest

from memkit.model.event_models import event_of
from memkit.store import audit_log
from memkit.store.paths import StorePaths, resolve_project

SAMPLES = pathlib.Path(__file__).parents[2] / "data-samples"


def _program():
    spec = importlib.util.spec_from_file_location("make_audit_history", SAMPLES / "make_audit_history.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_week_of_history_has_seven_days_of_imports_stores_questions_and_a_repair(tmp_path):
    logs = _program().live_a_week(tmp_path)
    paths = StorePaths.for_project(tmp_path / "memory", resolve_project(SAMPLES / "wherry"))
    assert logs == paths.logs
    assert len(audit_log.days(paths)) == 7
    events, problems = audit_log.read_events(paths)
    assert problems == []
    counts = {}
    for event in events:
        op = event.get("op", event["event"])
        counts[op] = counts.get(op, 0) + 1
    assert counts["store"] == 22
    assert counts["import"] > 50
    assert counts["recall"] > 10
    assert counts["repair"] == 1
    assert {event["actor"] for event in events} == {"cli", "python", "notebook"}
    assert {(e["worker"], e["status"], e.get("reason")) for e in events if e["event"] == "worker_lifecycle"} == {
        ("memory_extract", "started", None),
        ("memory_extract", "completed", "candidates_found"),
        ("memory_extract", "skipped", "no_new_session_range"),
        ("memory_extract", "failed", "model_error"),
        ("memory_extract", "failed", "lock_held"),
        ("memory_extract", "cancelled", "interrupted"),
        ("memory_consolidation", "started", None),
        ("memory_consolidation", "skipped", "no_staging"),
        ("memory_consolidation", "completed", "records_updated"),
    }
    assert {"write", "edit", "external_edit", "delete"} <= set(counts)
    assert [event_of(event) for event in events]
    assert audit_log.chain(paths).first_break is None
    assert [event["occurred_at"] for event in events] == sorted(event["occurred_at"] for event in events)
