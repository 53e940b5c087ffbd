"""The verbs of the audit log: lines, documents, exit codes."""

import itertools
import json

import pytest

from memkit.deciding.audit import Audit
from memkit.entrances.cli import auditing
from memkit.model.event import Event
from memkit.opening import open_memory


@pytest.fixture
def root(tmp_path):
    return tmp_path / "root"


@pytest.fixture
def run(memkit_cli, root, project, monkeypatch):
    """The command line over a project whose log has a question, a run, and a record with a break."""
    monkeypatch.setenv("MEMKIT_MEMORY__ENABLED", "true")
    with open_memory(project, root=root, enabled=True) as mem:
        mem.store(question="Which queue?", result={"conclusion": "Keep it."})
        mem.recall("queue")
        with mem.audit.run(worker="memory_extract", trigger="idle") as started:
            started.count(staged=2)
            started.complete("candidates_found")
        for before, after in ((None, "a" * 64), ("b" * 64, "c" * 64)):
            detail = {"slug": "retry", "before_hash": before, "after_hash": after}
            mem._store.audit.record(Event("record_operation", "edit" if before else "write", detail=detail))
    return lambda *arguments: memkit_cli("audit", *arguments, "--project", str(project), "--root", str(root))


def test_tail_shows_a_line_per_event_and_with_json_the_event(run):
    lines = run("tail", "-n", "3").out.splitlines()
    assert len(lines) == 3
    assert "MEMORY extract done: staged 2" in lines[0]
    events = [json.loads(line) for line in run("tail", "-n", "2", "--json").out.splitlines()]
    assert [event["op"] for event in events] == ["write", "edit"]


def test_tail_goes_on_as_the_log_grows(run, monkeypatch):
    later = [{"event": "entry_operation", "op": "store", "status": "done", "entry_id": "later"}]
    monkeypatch.setattr(Audit, "follow", lambda self: iter(later))
    assert "entry store later" in run("tail", "-f").out


def test_each_question_answers_in_words_and_as_a_document(run):
    assert run("path").out.strip().endswith("_logs/current.log")
    assert run("path", "--json").json()["path"].endswith("current.log")
    assert "candidates_found" in run("runs").out
    assert [row["status"] for row in run("runs", "--json").json()["rows"]] == ["completed"]
    assert run("runs", "--status", "failed", "--json").json()["rows"] == []
    assert len(run("events", "--op", "store", "--json").json()["rows"]) == 1
    assert "queue" in run("usage").out
    assert run("usage", "--json").json()["rows"][0]["query"] == "queue"
    assert run("health", "--json").json()["rows"][0]["n_completed"] == 1
    assert "extract" in run("health").out
    assert run("compact", "--json").json()["compacted"] == []
    assert "Nothing to compact" in run("compact", "--apply").out


def test_a_break_leaves_with_one(run, root):
    found = run("history", "retry", "--json")
    assert (found.code, [row["is_break"] for row in found.json()["rows"]]) == (1, [False, True])
    assert run("verify").code == 0
    (log,) = root.glob("*/_logs/memory-*.log")
    log.write_bytes(log.read_bytes().replace(b'"result_count":1', b'"result_count":9', 1))
    broken = run("verify", "--json")
    assert (broken.code, broken.json()["is_whole"]) == (1, False)
    assert broken.json()["first_break"]["file"] == log.name
    assert "broken" in run("verify").out


def test_what_does_not_exist_is_refused(run):
    for arguments, said in (
        (("runs", "--worker", "cook"), "worker: 'cook' is no worker. Known: extract (memory_extract)"),
        (("runs", "--status", "tired"), "status: 'tired' is not known. Known: completed, skipped"),
        (("events", "--event", "party"), "event: 'party' is not known. Known: worker_lifecycle"),
        (("events", "--op", "nonsense"), "op: 'nonsense' is not known. Known: write, edit, delete"),
    ):
        refused = run(*arguments)
        assert refused.code in {2, 3}
        assert said in " ".join(refused.err.split())


@pytest.mark.parametrize("name", ["extract", "memory_extract"])
def test_a_worker_is_named_in_full_or_short(run, name):
    assert len(run("runs", "--worker", name, "--json").json()["rows"]) == 1


@pytest.mark.parametrize("verb", ["runs", "events", "usage", "health"])
def test_a_moment_that_is_none_is_blamed_on_the_option_it_was_given_as(run, verb):
    refused = run(verb, "--since", "garbage")
    assert refused.code in {2, 3}
    assert "since: 'garbage' is no moment" in " ".join(refused.err.split())


def test_a_watcher_says_each_line_once(project, root, memkit_cli, monkeypatch, capsys):
    lines = itertools.chain(["", "", "MEMORY extract running…", "MEMORY extract running…"])

    class Over(Exception):
        pass

    def next_line(self):
        try:
            return next(lines)
        except StopIteration:
            raise Over from None

    monkeypatch.setattr(Audit, "status_line", next_line)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with open_memory(project, root=root, enabled=True) as mem, pytest.raises(Over):
        auditing.watch(auditing.Call(), mem)
    assert capsys.readouterr().out.splitlines() == ["MEMORY: no worker has run yet", "MEMORY extract running…"]
