"""The audit log is there to be looked at: with a full one, an empty one, or one nobody can write, all else is the same."""

import itertools
import json
import pathlib
import random
import shutil
import warnings
from types import SimpleNamespace

import pytest

from memkit.clock import FixedClock
from memkit.consolidate.adjudicate import RuleAdjudicator
from memkit.consolidate.consolidating import consolidate
from memkit.errors import MemkitWarning
from memkit.model import event, ids
from memkit.opening import open_memory
from memkit.settings import Environment
from tests.stores import NOW

SAMPLES = pathlib.Path(__file__).parents[1] / "data-samples"


def full(logs):
    """A log of another life: events that, read by anybody, would change what they do."""
    lines = [
        {"id": f"e{n}", "event": "entry_operation", "op": "wipe", "status": "done", "entry_id": "0" * 32, "seq": n}
        for n in range(200)
    ]
    logs.mkdir(parents=True, mode=0o700)
    (logs / "memory-2026-11-29.log").write_text("".join(json.dumps(line) + "\n" for line in lines))


def nothing(logs):
    del logs


def unwritable(logs):
    logs.parent.mkdir(parents=True, exist_ok=True)
    logs.write_text("a file stands where the folder should be")


def live(base, project, prepare, monkeypatch):
    """Store, import, extract, write a record, consolidate, recall: the bytes of truth afterwards, and what was answered."""
    source = random.Random(7)
    counter = itertools.count(1)

    def fresh(ms, n=1):
        return sorted(f"{ms:012x}7{next(counter):03x}8{source.getrandbits(60):015x}" for _ in range(n))

    monkeypatch.setattr(ids, "new_ids", fresh)
    monkeypatch.setattr("memkit.store.store.new_ids", fresh)
    monkeypatch.setattr("memkit.store.audit_run.event_id", lambda at: fresh(0)[0])
    calls = itertools.count(1)
    monkeypatch.setattr("memkit.store.firings.secrets", SimpleNamespace(token_hex=lambda n: f"{next(calls):0{2 * n}x}"))
    environment = Environment(home=base, config_file=base / "config.toml")
    with (
        open_memory(project, root=base / "root", enabled=True, clock=FixedClock(NOW), environment=environment) as mem,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", MemkitWarning)
        prepare(mem.paths.logs)
        mem.store(question="Which queue?", result={"conclusion": "Keep LISTEN/NOTIFY."})
        mem.import_adr(project / "decisions")
        mem.staging.extract(SAMPLES / "sessions" / "2026-03-09-zustellversuche.jsonl")
        mem.records.write("lesson", "retry", body="Six attempts with jitter.", sources=["a review"])
        twice = consolidate(mem._store, [RuleAdjudicator()]), consolidate(mem._store, [RuleAdjudicator()])
        assert [row.fate for row in twice[0]].count("added") >= 2
        answers = [mem.recall("queue").to_dict(), mem.recall("locker").to_dict(), mem.decisions().to_dict()]
        answers += [mem.what_we_decided("database").to_dict(), mem.records.query("jitter").to_dict()]
        answers += [[(row.fate, row.reason) for row in report] for report in twice]
        folder = mem.paths.folder
    truth = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "_logs" not in path.parts and not path.name.endswith((".lock", ".parquet"))
        and path.parent.name != "snapshots"
    }  # fmt: skip
    return truth, json.dumps(answers, default=str, sort_keys=True)


@pytest.mark.parametrize("prepare", [full, unwritable], ids=["full", "unwritable"])
def test_whatever_the_log_holds_truth_and_answers_are_byte_for_byte_the_same(tmp_path, project, prepare, monkeypatch):
    shutil.copytree(SAMPLES / "thole" / "docs" / "decisions", project / "decisions")
    without = live(tmp_path / "one", project, nothing, monkeypatch)
    withal = live(tmp_path / "other", project, prepare, monkeypatch)
    assert set(without[0]) == set(withal[0])
    assert [name for name in without[0] if without[0][name] != withal[0][name]] == []
    assert {name.split("/")[0] for name in without[0]} >= {"results", "memory", "state"}
    assert without[1].replace(str(tmp_path / "one"), "") == withal[1].replace(str(tmp_path / "other"), "")


def test_nothing_but_the_questions_about_the_log_reads_it():
    """Modules that read events back; whoever else needs to, has to say so here."""
    package = pathlib.Path(event.__file__).parents[1]
    readers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if any(word in path.read_text("utf-8") for word in ("day_events(", "read_events(", "audit_tail", "last_event("))
    }
    assert readers == {
        "store/audit_log.py", "store/status.py", "snapshot/audit_days.py", "catalog/audit.py",
        "deciding/audit.py", "store/verify_log.py",
    }  # fmt: skip
