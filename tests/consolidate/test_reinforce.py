"""Each use counts once, whatever happens meanwhile: recalled, read, counted, cut off."""

import contextlib
import datetime as dt
import json

import pytest

import memkit
from memkit.consolidate import reinforce as reinforcing
from memkit.consolidate.consolidating import consolidate
from memkit.errors import MemkitWarning
from memkit.model.erasure import Erasure
from memkit.model.ledger import Ledger
from memkit.model.record import Record, write_record
from memkit.store import erasures, firings, ledger, quarantine, records
from memkit.store.firings import FiringLog
from memkit.store.lock import Lock
from memkit.store.verify import verify
from tests.stores import open_store

LEASE = "memory/measure-the-lease.md"


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


@pytest.fixture
def mem(root, project, clock):
    with memkit.open(project, root=root, enabled=True, clock=clock) as memory:
        yield memory


def keep(
    store, slug="measure-the-lease", body="# Measure the lease\n\nbefore you blame the queue", kind="lesson", **fields
):
    record = Record(slug, kind, body, **fields)
    store.make_folders()
    path = store.paths.folder / record.path
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_bytes(write_record(record))
    path.chmod(0o600)
    return record


def asked(question, text="Keep it."):
    return {"question": question, "result": {"synthesis": text}}


def waiting(store):
    return [(each.op, each.rank, each.id) for each in firings.read(store.paths).firings]


def record_of(store, slug="measure-the-lease"):
    return records.require(store.paths, records.find(store.paths, slug))


def counted(store):
    return {use.id: (use.n_recalled, use.n_read) for use in Ledger.of(ledger.read(store.paths)[0]).uses.values()}


# -- what is written ---------------------------------------------------------------------------------------------


def test_recall_decided_and_reads_are_written_down_without_a_word_of_the_question(mem, store):
    receipts = mem.store_many([asked("Which queue?", "Keep the lease of the queue."), asked("Which queue now?")])
    keep(store)
    mem.refresh()
    hits = mem.recall("queue lease", limit=2)
    decided = mem.what_we_decided("queue")
    mem.records.read("lesson", "measure-the-lease")
    mem.records.find("measure-the-lease")
    assert waiting(store) == [
        *(("recall", hit.rank, hit.id) for hit in hits),
        *(("decided", rank, row.id) for rank, row in enumerate(decided, 1)),
        ("read", 1, LEASE),
        ("read", 1, LEASE),
    ]
    lines = store.paths.firings.read_bytes().splitlines()
    assert all(set(json.loads(line)) == {"at", "kind", "id", "op", "rank", "actor", "call"} for line in lines)
    assert len({json.loads(line)["call"] for line in lines}) == 4
    assert receipts
    assert verify(store) == []


def test_nothing_but_an_answer_to_somebody_is_a_use(mem, store):
    mem.store(question="Which queue?", result={"synthesis": "Keep it."})
    keep(store)
    mem.refresh()
    mem.sql("select * from records")
    mem.records.list()
    mem.records.query("lease")
    mem.timeline()
    mem.project_summary()
    mem.recall("nothing of this kind is there")
    assert not store.paths.firings.exists()


def test_the_setting_turns_it_off(root, project, clock, store, monkeypatch):
    monkeypatch.setenv("MEMKIT_CONSOLIDATION__FIRINGS", "false")
    with memkit.open(project, root=root, enabled=True, clock=clock) as mem:
        mem.store(question="Which queue?", result={"synthesis": "Keep it."})
        assert len(mem.recall("queue")) == 1
    assert not store.paths.firings.exists()


def test_a_write_that_fails_is_one_warning_and_recall_answers_all_the_same(mem, store):
    mem.store(question="Which queue?", result={"synthesis": "Keep it."})
    store.paths.firings.mkdir()
    with pytest.warns(MemkitWarning, match="what is recalled cannot be counted") as told:
        assert [len(mem.recall("queue")) for _ in range(2)] == [1, 1]
    assert len(told) == 1


def test_a_recall_does_not_wait_for_who_holds_the_lock(mem, store):
    mem.store(question="Which queue?", result={"synthesis": "Keep it."})
    with Lock(store.paths.firings_lock, 0).held("test"), pytest.warns(MemkitWarning, match="lock is held"):
        assert len(mem.recall("queue")) == 1


def test_what_has_no_file_and_what_is_being_erased_is_not_written_down(mem, store, clock):
    receipts = mem.store_many([asked("Which queue?", "Keep it."), asked("Which other queue?", "Keep it.")])
    first, second = (receipt.id for receipt in receipts)
    log = FiringLog(store.paths, clock, actor="python")
    assert not log.note("recall", ["0" * 32, "memory/gone.md"])
    erasures.begin(store.paths, [Erasure(first, clock.now(), "python", "tried")])
    assert log.note("recall", [first, second])
    assert [name for _, _, name in waiting(store)] == [second]


# -- counting ----------------------------------------------------------------------------------------------------


def test_consolidating_counts_each_use_once_on_records_and_for_entries(mem, store, clock):
    entry = mem.store(question="Which queue?", result={"synthesis": "Keep the queue."}).id
    keep(store, reinforcement_count=2)
    mem.refresh()
    n = len(mem.recall("queue"))
    clock.advance(dt.timedelta(days=1))
    mem.records.read("lesson", "measure-the-lease")
    when = clock.now()
    clock.advance(dt.timedelta(days=1))
    planned = consolidate(store, [], dry_run=True)
    report = consolidate(store, [])
    assert (planned.n_firings, planned.n_reinforced) == (report.n_firings, report.n_reinforced) == (n + 1, 1)
    assert report.edited == (LEASE,)
    assert (record_of(store).reinforcement_count, record_of(store).last_seen_at) == (4, when)
    assert counted(store) == {entry: (1, 0), LEASE: (1, 1)}
    assert not store.paths.firings.exists()
    assert consolidate(store, []).n_firings == 0
    assert record_of(store).reinforcement_count == 4
    assert verify(store) == []


def test_what_is_gone_or_no_record_is_not_confirmed_and_stops_nobody(store, clock):
    keep(store)
    keep(store, "broken")
    log = FiringLog(store.paths, clock, actor="python")
    log.note("read", [LEASE, "memory/broken.md"])
    (store.paths.folder / "memory/broken.md").write_bytes(b"---\nkind: [\n---\n")
    report = consolidate(store, [])
    assert (report.n_firings, report.n_reinforced) == (2, 1)
    assert counted(store) == {LEASE: (0, 1)}


def test_damaged_lines_go_to_quarantine_and_a_torn_one_waits(store, clock):
    keep(store)
    log = FiringLog(store.paths, clock, actor="python")
    log.note("read", [LEASE])
    with store.paths.firings.open("ab") as file:
        file.write(b"{nonsense\n")
    log.note("read", [LEASE])
    with store.paths.firings.open("ab") as file:
        file.write(b'{"at":1')
    assert [problem.code for problem in verify(store)] == ["damaged-firing"]
    assert consolidate(store, []).n_firings == 2
    assert store.paths.firings.read_bytes() == b'{"at":1'
    (spot,) = quarantine.spots(store.paths)
    assert (spot.file, (store.paths.quarantine / f"{spot.name}.bin").read_bytes()) == ("firings.jsonl", b"{nonsense\n")


def test_many_targets_are_counted_in_several_lines(store, clock, monkeypatch):
    monkeypatch.setattr(reinforcing, "MAX_TARGETS", 3)
    paths = [keep(store, f"record-{n}").path for n in range(8)]
    log = FiringLog(store.paths, clock, actor="python")
    for _ in range(3):
        log.note("recall", paths)
    assert consolidate(store, []).n_firings == 24
    assert {path: n for path, (n, _) in counted(store).items()} == dict.fromkeys(paths, 3)
    assert len([line for line in ledger.read(store.paths)[0] if line.event == "reinforced"]) == 8


class CutOff(Exception):
    """Somebody pulled the plug."""


@pytest.mark.parametrize("erases", [False, True], ids=["as-it-was", "an-entry-is-erased-meanwhile"])
def test_a_crash_between_the_ledger_and_the_cut_doubles_nothing(mem, store, clock, monkeypatch, erases):
    first, second = (
        receipt.id
        for receipt in mem.store_many([asked("Which queue?", "zeppelins carry it"), asked("Which other queue?")])
    )
    keep(store)
    mem.refresh()
    mem.recall("queue")
    monkeypatch.setattr(
        firings, "cut_used", lambda *_, **__: (_ for _ in ()).throw(CutOff) if ledger.read(store.paths)[0] else False
    )
    with contextlib.suppress(CutOff):
        consolidate(store, [])
    monkeypatch.undo()
    assert store.paths.firings.exists()
    mem.records.read("lesson", "measure-the-lease")
    if erases:
        assert mem.erase(first, confirm=True).is_clean
    report = consolidate(store, [])
    assert report.n_firings == 1
    assert counted(store)[LEASE] == (1, 1)
    assert counted(store)[second] == (1, 0)
    assert record_of(store).reinforcement_count == 2
