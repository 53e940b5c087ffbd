"""The one line about the memory workers, the line per event, and the monitor that shows both."""

import ast
import time
from pathlib import Path

import pytest

import memkit
from memkit.display import mimebundle
from memkit.model.event import OPERATIONS
from memkit.present import render
from memkit.present.event_line import MAX_CHARS, event_line
from memkit.present.monitor import NOTHING, Monitor, seen_runs
from memkit.present.status_line import status_line
from tests.present.markup_check import words


def worker(worker, status, reason=None, counts=None, **more):
    event = {"event": "worker_lifecycle", "worker": f"memory_{worker}", "status": status, "run_id": "r1", **more}
    return event | ({"reason": reason} if reason else {}) | ({"counts": counts} if counts else {})


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (worker("extract", "started"), "MEMORY extract running…"),
        (worker("extract", "completed", "candidates_found", {"staged": 3}), "MEMORY extract done: staged 3"),
        (worker("extract", "completed", "no_candidates", {"staged": 0}), "MEMORY extract done: no candidates"),
        (
            worker("consolidation", "completed", "records_updated", {"write": 1, "merge": 2, "drop": 4}),
            "MEMORY consolidation done: wrote 1, merged 2, dropped 4",
        ),
        (worker("consolidation", "completed", "no_record_changes"), "MEMORY consolidation done: no record changes"),
        (worker("consolidation", "skipped", "no_staging"), "MEMORY consolidation skipped: no staging"),
        (worker("extract", "failed", "model_error"), "MEMORY extract failed: model_error"),
        (worker("extract", "cancelled", "interrupted"), "MEMORY extract cancelled: interrupted"),
        (worker("extract", "failed"), "MEMORY extract failed: no reason given"),
        (worker("extract", "completed", "x", "not counts"), "MEMORY extract done: x"),
        (worker("extract", "completed", "x", {"staged": "many"}), "MEMORY extract done: x"),
        (worker("consolidation", "completed", "x", {"write": True}), "MEMORY consolidation done: wrote 1"),
    ],
)
def test_each_state_has_its_line(event, line):
    assert status_line([event]) == line


def done(event, op, **more):
    return {"event": event, "op": op, "status": "done", **more}


def test_the_last_word_counts_and_other_events_say_nothing():
    events = [worker("extract", "started"), worker("extract", "completed", "no_candidates"), {"event": "record_usage"}]
    assert status_line(events) == "MEMORY extract done: no candidates"
    assert status_line([{"event": "entry_operation"}]) == ""
    assert status_line([]) == ""


EXTRACTED = worker("extract", "skipped", "no_new_session_range", run_id="r2")
NOTHING_WAITED = worker("consolidation", "skipped", "no_staging")


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ([EXTRACTED], ", because no new session range"),
        ([worker("extract", "completed", "no_candidates", run_id="r2")], ", because no candidates"),
        ([worker("extract", "completed", "candidates_found", run_id="r2")], ""),
        ([worker("extract", "failed", run_id="r2")], ""),
        ([EXTRACTED, worker("extract", "failed", "lock_held", run_id="r3")], ", because no new session range"),
        ([EXTRACTED, worker("consolidation", "completed", "x", run_id="r3")], ", because nothing extracted"),
        ([worker("consolidation", "started")], ""),
        ([], ""),
    ],
)
def test_a_consolidation_with_nothing_to_do_names_what_left_it_so(before, why):
    events = [*before, {"event": "record_usage"}, NOTHING_WAITED]
    assert status_line(events) == f"MEMORY consolidation skipped: no staging{why}"
    assert seen_runs(events)[0].because.replace("_", " ") == why.removeprefix(", because ")


def test_a_run_without_a_process_is_lost():
    assert status_line([worker("extract", "started")], lost=["r1"]) == "MEMORY extract lost: its process is gone"


def test_a_line_steers_no_terminal_and_stays_short():
    line = status_line([worker("\x1b[31m" + "x" * 500, "failed", "\x07bell")])
    assert line.isprintable()
    assert len(event_line({"event": "record_usage", "text": {"query": "q" * 10_000}})) <= MAX_CHARS
    assert event_line({"event": ["odd"], "text": "odd", "occurred_at": 7, "result_count": True}).isprintable()


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            {"event": "entry_operation", "op": "store", "status": "done", "entry_id": "e1", "actor": "cli"},
            "? entry store e1 (cli)",
        ),
        (
            {"event": "record_usage", "op": "recall", "status": "done", "text": {"query": "queue"}, "result_count": 1234},
            "? asked recall 'queue' found 1,234",
        ),
        (
            {"event": "record_operation", "op": "edit", "status": "done", "slug": "s", "before_hash": "a" * 64, "after_hash": "b" * 64},
            "? record edit s aaaaaaaa → bbbbbbbb",
        ),
        (
            {"event": "record_operation", "op": "write", "status": "failed", "slug": "s", "findings": ["bad-slug"], "reason": "linter_failed"},
            '? record write FAILED s — linter_failed ["bad-slug"]',
        ),
        (worker("extract", "started", trigger="idle"), "? MEMORY extract running [idle]"),
        (
            worker("extract", "completed", "candidates_found", {"staged": 3}, session_id="s1", model="m", usage={"calls": 2}),
            "? MEMORY extract done: staged 3 [candidates_found, session s1, model m, 2 calls]",
        ),
        (
            worker("consolidation", "completed", "records_updated", {"write": 2, "drop": 1}, consumed=3),
            "? MEMORY consolidation done: wrote 2, dropped 1 [records_updated, consumed 3]",
        ),
        (
            worker("extract", "failed", "model_error", text={"message": "ModelError: no answer"}),
            "? MEMORY extract failed: model_error — ModelError: no answer",
        ),
        (worker("consolidation", "skipped", "no_staging", consumed=0), "? MEMORY consolidation skipped: no staging"),
        (done("record_usage", "read", entry_id="e1", result_count=1), "? asked read e1 found 1"),
        (done("record_usage", "recall", text_digest="d", result_count=0), "? asked recall (text erased) found 0"),
        (
            {"event": "record_usage", "op": "call", "status": "refused", "reason": "unknown_tool", "text": {"message": "no"}},
            "? asked call REFUSED — unknown_tool, no",
        ),
        (done("record_operation", "erase", slug="s", before_hash="a" * 64), "? record erase s aaaaaaaa → nothing"),
        (
            done("entry_operation", "store", entry_id="e2", panel_id="decision", replaces="e1", scrubbed={"jwt": 2}),
            "? entry store e2 of decision in place of e1 masked 2 jwt",
        ),
        (
            done("entry_operation", "import", kind="adr", n_entries=2, counts={"imported": 2, "skipped": 0}, text={"source_path": "docs"}),
            "? entry import adr 2 entries, 2 imported from docs",
        ),
        (
            done("entry_operation", "prune", pruned=["a" * 32, "b" * 32, "c" * 32, "d" * 32], erased=[], cause="store"),
            "? entry prune 4 entries (aaaaaaaaaaaaaaa…, bbbbbbbbbbbbbbb…, ccccccccccccccc… and 1 more) to the trash by a store",
        ),
        (
            done("entry_operation", "prune", pruned=[], erased=["a1", "b2"], cause="apply"),
            "? entry prune 2 entries (a1, b2) erased for good out of the trash by a review",
        ),
        (
            done("entry_operation", "prune", pruned=["a1"], erased=["b2"]),
            "? entry prune 1 entry (a1) to the trash; 1 entry (b2) erased for good out of the trash",
        ),
        (done("entry_operation", "restore", restored=["a1"]), "? entry restore 1 entry (a1) back from the trash"),
        (done("entry_operation", "erase", entry_id="a1", n_files=1, n_found=0), "? entry erase a1 out of 1 file"),
        (
            done("entry_operation", "erase", entry_id="a1", n_files=3, n_found=2),
            "? entry erase a1 out of 3 files, 2 traces left",
        ),
        (
            done("entry_operation", "wipe", n_entries=1200, n_files=1300, n_bytes=2048),
            "? entry wipe 1,200 entries, 1,300 files, 2.0 KiB",
        ),
        (
            done("entry_operation", "repair", n_actions=2, codes=["orphan", "torn-index-line"]),
            "? entry repair 2 actions 2 kinds of problems (orphan, torn-index-line)",
        ),
        (
            done("entry_operation", "acknowledge", entry_id="e1", tripwire_id="t1", text={"reason": "We know."}),
            "? entry acknowledge tripwire t1 of e1 — We know.",
        ),
        (done("entry_operation", "hold", entry_id="e1", text={"reason": "A court."}), "? entry hold e1 — A court."),
        (
            done("entry_operation", "forget_days", days=["2026-01-01"], reason="older_than_kept"),
            "? entry forget_days 1 day (2026-01-01) — older_than_kept",
        ),
        (
            done("entry_operation", "compact_log", days=["2026-01-01", "2026-01-02"], n_events=1000),
            "? entry compact_log 1,000 events 2 days (2026-01-01, 2026-01-02)",
        ),
        (done("something_newer", "fly", entry_id="e1"), "? something_newer fly e1"),
    ],
)  # fmt: skip
def test_each_kind_of_event_has_its_line(event, line):
    assert event_line(event) == line


def test_a_long_line_is_cut_before_who_acted():
    line = event_line(done("record_usage", "recall", text={"query": "q" * 500}, actor="notebook"))
    assert len(line) == MAX_CHARS
    assert line.endswith("… (notebook)")


def test_whatever_memkit_writes_into_the_log_has_an_operation_of_the_list():
    found = set()
    for file in Path(memkit.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text())):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Event" and len(call.args) > 1:
                kind, op = (each.value if isinstance(each, ast.Constant) else None for each in call.args[:2])
                if kind in OPERATIONS and op is not None:
                    found.add((kind, op))
    assert len(found) > 12
    assert found <= {(kind, op) for kind, ops in OPERATIONS.items() for op in ops}


class TestMonitor:
    def test_shows_the_same_still_as_live_and_follows(self):
        pytest.importorskip("ipywidgets")
        events = [worker("extract", "started")]
        monitor = Monitor(lambda: (events, ()))
        bundle = mimebundle(monitor)
        try:
            assert "application/vnd.jupyter.widget-view+json" in bundle
            assert "MEMORY extract running…" in words(bundle["text/html"])
            assert bundle["text/plain"].startswith("MEMORY extract running…")
            events.append(worker("extract", "failed", "model_error"))
            monitor.refresh()
            assert "model_error" in monitor._parts["page"].value
            events.append(worker("extract", "started"))
            monitor.stop()
            monitor.start(0.01)
            for _ in range(500):
                if "running…" in monitor.line:
                    break
                time.sleep(0.01)
            assert monitor.line == "MEMORY extract running…"
        finally:
            monitor.stop()
            monitor.widget().close()

    def test_nothing_yet_is_said(self):
        monitor = Monitor(lambda: ((), ()))
        assert render.text(monitor).startswith(NOTHING)
        assert not monitor.refresh()

    def test_without_widgets_the_still_picture_stays(self, monkeypatch):
        monkeypatch.setitem(__import__("sys").modules, "ipywidgets", None)
        bundle = mimebundle(Monitor(lambda: ((), ())))
        assert set(bundle) == {"text/plain", "text/html"}

    def test_runs_are_told_by_their_newest_event(self):
        events = [
            worker("extract", "started", run_id="a"),
            worker("extract", "failed", "model_error", run_id="a"),
            worker("consolidation", "started", run_id="b"),
            worker("consolidation", "started", run_id="c"),
            worker("consolidation", "completed", "records_updated", run_id="c", counts={"write": 2}),
        ]
        runs = seen_runs(events, {"b"})
        assert [(run.run_id, run.status) for run in runs] == [("c", "completed"), ("b", "lost"), ("a", "failed")]
        assert runs[0].did == "wrote 2"
        assert runs[2].reason == "model_error"

    def test_only_what_failed_can_be_shown_and_every_control_has_a_label(self):
        pytest.importorskip("ipywidgets")
        events = [
            worker("extract", "failed", "model_error", run_id="a"),
            worker("extract", "completed", "candidates_found", run_id="b"),
        ]
        monitor = Monitor(lambda: (events, ()))
        monitor.widget()
        assert all(monitor._parts[name].description for name in ("live", "failures"))
        assert "2 runs among the newest events" in words(monitor._parts["page"].value)
        monitor._parts["failures"].value = True
        assert list(monitor.to_pandas()["run_id"]) == ["a"]
        assert "only what failed or got lost" in words(monitor._parts["page"].value)
        assert list(monitor.to_pandas().columns) == [
            "run_id",
            "worker",
            "status",
            "occurred_at",
            "reason",
            "because",
            "did",
        ]

    def test_watching_can_be_paused(self):
        pytest.importorskip("ipywidgets")
        monitor = Monitor(lambda: ((), ()))
        try:
            mimebundle(monitor)
            assert monitor._thread is not None
            monitor._parts["live"].value = False
            assert monitor._thread is None
            mimebundle(monitor)
            assert monitor._thread is None
        finally:
            monitor.stop()
