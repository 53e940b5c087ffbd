"""The one line about the memory workers, the line per event, and the monitor that shows both."""

import time

import pytest

from memkit.display import mimebundle
from memkit.present import render
from memkit.present.monitor import NOTHING, Monitor, seen_runs
from memkit.present.status_line import MAX_CHARS, event_line, status_line
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
    ],
)  # fmt: skip
def test_each_kind_of_event_has_its_line(event, line):
    assert event_line(event) == line


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
