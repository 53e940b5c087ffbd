"""The verbs that write a page: what stands on it, that it needs nothing else, what they leave with."""

import json
import re

import pytest

from memkit.entrances.cli import output
from memkit.model.event import Event
from memkit.opening import open_memory
from memkit.present.report_pages import MOST_ROWS
from memkit.store import staging
from tests.present import samples
from tests.present.markup_check import read, without_style, words

REPORTS = ("decisions", "audit", "consolidation", "retention")
EVIL = "".join(samples.HOSTILE.values())


@pytest.fixture
def opened(tmp_path, project):
    with open_memory(project, root=tmp_path / "root", enabled=True) as mem:
        yield mem


@pytest.fixture
def report(memkit_cli, tmp_path, project, monkeypatch):
    """Write a report; the answer, and the page's text."""
    monkeypatch.setenv("MEMKIT_MEMORY__ENABLED", "true")

    def write(kind, *arguments):
        out = tmp_path / f"{kind}.html"
        answer = memkit_cli(
            "report", kind, "--out", str(out), *arguments, "--project", str(project), "--root", str(tmp_path / "root")
        )
        return answer, out.read_text("utf-8") if out.exists() else ""

    return write


def text_of(page):
    return words(read(without_style(page)).text)


def decided(question, **more):
    return {"question": question, "result": {"conclusion": f"About {question}", **more}, "panel_id": "consensus"}


@pytest.mark.parametrize("kind", REPORTS)
def test_a_page_needs_nothing_else_and_runs_nothing(opened, report, kind):
    opened.store(**decided("Which queue?", tripwires=["revisit by 2020-01-01"]))
    opened.recall("queue")
    _, page = report(kind)
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"<(script|link|iframe|object|embed)\b|\bon\w+=|@import|url\(", page)
    assert re.findall(r'(?:src|href)="(?!data:image/svg)[^"]*"', page) == []
    assert "color-scheme: light dark" in page
    assert "@media print" in page
    assert "What the words mean" in page or kind == "retention"


@pytest.mark.parametrize("kind", REPORTS)
def test_an_empty_memory_gives_a_page_and_nothing_to_do(opened, report, kind):
    opened.store(**decided("x"))
    opened.wipe(confirm=opened.paths.key)
    answer, page = report(kind)
    assert answer.code == 0, answer.err
    assert "<h1>" in page


@pytest.mark.parametrize("kind", REPORTS)
def test_whatever_was_stored_stays_text(opened, report, kind):
    opened.store(question=EVIL[:3_000], result={"conclusion": EVIL, "tripwires": [EVIL[:500]]}, tags=["<i>"])
    opened.recall("<b>evil</b>")
    _, page = report(kind)
    reader = read(without_style(page))
    assert not {"script", "b", "i", "iframe"} & set(reader.tags)


def test_decisions_say_what_holds_and_what_has_come_true(opened, report):
    old = opened.store(**decided("Which queue?")).id
    opened.store(**decided("Which queue now?", supersedes=[old]))
    answer, page = report("decisions")
    assert answer.code == 0
    assert "2 decisions, 1 in force, 0 conditions came true" in answer.out
    assert "Which queue now?" in text_of(page)
    assert "What replaced what" in text_of(page)
    opened.store(**decided("Which cache?", tripwires=["revisit by 2020-01-01"]))
    answer, page = report("decisions", "--json")
    assert answer.code == 1
    assert answer.json()["summary"]["decisions"]["all"] == 3
    assert "1 condition that was written down has come true" in text_of(page)


def test_facts_are_judged_by(opened, report, tmp_path):
    opened.store(**decided("Which store?", tripwires=["queue depth exceeds 50"]))
    facts = tmp_path / "facts.csv"
    facts.write_text("metric,at,value\nqueue_depth,2026-01-01T00:00:00Z,70\nqueue_depth,2099-01-01T00:00:00Z,70\n")
    assert report("decisions")[0].code == 0
    assert report("decisions", "--facts", str(facts))[0].code == 1


def test_all_decisions_stand_on_the_page(opened, report):
    opened.store_many([decided(f"Question number {n}?") for n in range(60)])
    _, page = report("decisions")
    assert MOST_ROWS >= 60
    assert len(set(re.findall(r"Question number \d+\?", text_of(page)))) == 60


def test_the_log_says_which_runs_failed_and_leaves_with_1(opened, report):
    opened.store(**decided("Which queue?"))
    with opened.audit.run(worker="memory_extract") as run:
        run.complete("candidates_found")
    answer, page = report("audit")
    assert answer.code == 0
    assert "The log is whole." in text_of(page)
    with opened.audit.run(worker="memory_consolidation") as run:
        run.fail("model_error")
    answer, page = report("audit", "--json")
    assert answer.code == 1
    assert (answer.json()["n_runs"], answer.json()["n_failed"]) == (2, 1)
    assert "Consolidation: the newest run is failed: the model failed (model_error)" in text_of(page)
    assert report("audit", "--since", "2099-01-01")[0].code == 0


def test_a_broken_log_is_found(opened, report):
    for n in range(3):
        opened.store(**decided(f"Which {n}?"))
    (log,) = opened.paths.logs.glob("memory-*.log")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join([lines[0], *lines[2:]]))
    answer, page = report("audit")
    assert answer.code == 1
    assert "The log is not whole" in text_of(page)


def test_a_change_by_hand_is_found(opened, report):
    for before, after in ((None, "a" * 64), ("b" * 64, "c" * 64)):
        detail = {"slug": "retry", "before_hash": before, "after_hash": after}
        opened._store.audit.record(Event("record_operation", "edit" if before else "write", detail=detail))
    answer, _ = report("audit", "--json")
    assert answer.code == 1
    assert answer.json()["n_breaks"] == 1


def test_consolidation_says_why_the_last_one_skipped(opened, report):
    opened.store(**decided("Which queue?"))
    opened.consolidate()
    answer, page = report("consolidation")
    assert answer.code == 0
    assert re.search(
        r"The last consolidation was skipped on \d{4}-\d\d-\d\d \d\d:\d\d UTC: nothing waited to be reconciled "
        r"\(no_staging\), because no session was looked through for it\.",
        text_of(page),
    )
    assert report("consolidation", "--json")[0].json()["last_run"]["reason"] == "no_staging"


def test_what_waits_for_somebody_leaves_with_1(opened, report, tmp_path):
    session = tmp_path / "notes.md"
    session.write_text("# Notes\n\n- Lesson: never renew a lease by the worker's own clock.\n")
    opened.staging.extract(session)
    answer, page = report("consolidation", "--json")
    assert staging.read_all(opened.paths)[0]
    assert answer.code == 1
    assert answer.json()["n_waiting"] == 1
    assert "never renew a lease" in text_of(page).lower()
    opened.consolidate()
    answer, page = report("consolidation")
    assert answer.code == 0
    assert "What became of the newest" in text_of(page)


def test_a_page_that_cannot_be_written_is_said(opened, memkit_cli, tmp_path, project, monkeypatch):
    monkeypatch.setenv("MEMKIT_MEMORY__ENABLED", "true")
    opened.store(**decided("Which queue?"))
    out = tmp_path / "nowhere" / "page.html"
    at = ("--project", str(project), "--root", str(tmp_path / "root"))
    for kind in REPORTS:
        done = memkit_cli("report", kind, "--out", str(out), "--json", *at)
        assert done.code == 3
        assert json.loads(done.out)["error"]["code"]


def test_progress_is_counted_where_somebody_watches(opened, report, monkeypatch):
    counted = []

    class Watched:
        def __enter__(self):
            return counted.append

        def __exit__(self, *_):
            return None

    monkeypatch.setattr(output, "progress", lambda call, words: Watched())
    for kind, n in (("decisions", 6), ("audit", 6), ("consolidation", 6)):
        counted.clear()
        report(kind)
        assert sum(counted) == n
