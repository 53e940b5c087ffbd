"""A record changed in an editor is said once in the audit log by whoever sees it first, be it a reading or a recall."""

import pytest

from memkit.opening import open_memory
from memkit.store import canonical, records
from tests.reliability.stores import fingerprint

LOOKS = {
    "records.read": lambda mem: mem.records.read("lesson", "retry"),
    "records.find": lambda mem: mem.records.find("retry"),
    "records.query": lambda mem: mem.records.query("jitter"),
    "records.list": lambda mem: mem.records.list(),
    "records.lint": lambda mem: mem.records.lint(),
    "recall": lambda mem: mem.recall("jitter"),
    "what_we_decided": lambda mem: mem.what_we_decided("jitter"),
}


@pytest.fixture
def mem(project, root, clock):
    with open_memory(project, root=root, enabled=True, clock=clock) as opened:
        yield opened


@pytest.fixture
def edited(mem):
    """A memory whose record a person changed, and the record's file."""
    mem.records.write("lesson", "retry", body="Six attempts with jitter.", sources=["a review"])
    mem.recall("jitter")
    file = mem.paths.memory / "retry.md"
    file.write_bytes(file.read_bytes() + b"\nBy hand.\n")
    mem.refresh()
    return mem, file


def said(mem):
    return [row for row in mem.audit.history("retry") if row.op == "external_edit"]


@pytest.mark.parametrize("look", LOOKS)
def test_whoever_sees_it_first_says_so_once(edited, look):
    mem, file = edited
    places = [mem.paths.memory, mem.paths.knowledge, mem.paths.staging, mem.paths.deadletter]
    before = [fingerprint(place) for place in places]
    LOOKS[look](mem)
    (event,) = said(mem)
    assert event.after_hash == records.read(mem.paths, "memory", "retry").sha256
    assert not mem.audit.history("retry").breaks
    for again in LOOKS.values():
        again(mem)
    assert len(said(mem)) == 1
    assert [fingerprint(place) for place in places] == before
    file.write_bytes(file.read_bytes() + b"\nOnce more.\n")
    mem.refresh()
    LOOKS[look](mem)
    assert len(said(mem)) == 2


@pytest.mark.parametrize("look", LOOKS)
def test_a_log_or_a_lock_that_cannot_be_had_keeps_nobody_from_reading(edited, look, monkeypatch):
    mem, _ = edited
    with monkeypatch.context() as patch:
        patch.setattr(mem._store.audit, "record", lambda *events: False)
        LOOKS[look](mem)
    assert said(mem) == []
    with canonical.canonical_lock(mem.paths).held("test"):
        LOOKS[look](mem)
    assert said(mem) == []
    mem.records.list()
    assert len(said(mem)) == 1


def test_a_recall_of_what_was_looked_at_looks_at_no_list_of_hashes_again(edited, monkeypatch):
    mem, _ = edited
    mem.recall("jitter")
    with monkeypatch.context() as patch:
        patch.setattr(mem._store, "seen_records", None)
        mem.recall("jitter")
        mem.what_we_decided("jitter")
