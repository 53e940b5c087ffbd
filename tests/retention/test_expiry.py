"""What has expired in the trash goes as thoroughly as what a person erases: together, proved, whatever a crash cuts off."""

import datetime as dt
import warnings
from contextlib import suppress

import pytest

from memkit.clock import FixedClock
from memkit.errors import StoreError
from memkit.model.ids import is_id
from memkit.present import render
from memkit.retention.expiry import carry_on
from memkit.snapshot import audit_days
from memkit.snapshot.absorbing import absorb
from memkit.store import durable, erasers, erasing, erasures
from memkit.store.audit_log import AuditLog
from memkit.store.verify import verify
from memkit.testing import temp_memory_root
from tests.retention.test_erase import holding, plant, random_word

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
LONG = {"max_age_days": "none"}


@pytest.fixture
def clock():
    return FixedClock(NOW)


@pytest.fixture
def mem(clock):
    with temp_memory_root(clock=clock) as memory:
        memory.store_many(
            [{"question": f"Which queue {i}?", "result": {"conclusion": f"Keep number {i}."}} for i in range(30)]
        )
        yield memory


def expired(mem, clock, n=2):
    """So many entries with a random word each, everything derived from them, long enough in the trash; words and ids."""
    words = [random_word() for _ in range(n)]
    mem.retention.pin  # noqa: B018 - the facade is there
    ids = [plant(mem, word) for word in words]
    for entry_id in ids:
        (mem.paths.trash / f"{entry_id}.json").unlink()
    keep = {line.id for line in mem.list()} - set(ids)
    for entry_id in sorted(keep):
        mem.retention.pin(entry_id, "stays")
    clock.advance(dt.timedelta(days=2))
    assert set(mem.retention.review({"max_age_days": 1}).apply(everything=True).moved) == set(ids)
    clock.advance(dt.timedelta(days=31))
    return words, ids


def test_what_has_expired_goes_from_every_file_by_one_erasure_and_the_receipt_says_what_was_looked_at(mem, clock):
    words, ids = expired(mem, clock, 3)
    assert all(holding(mem.paths.folder, word) for word in words)
    receipt = mem.retention.review(LONG).apply()
    assert set(receipt.erased) == set(ids)
    assert [holding(mem.paths.folder, word) for word in words] == [[], [], []]
    assert receipt.scan.is_clean
    assert receipt.scan.n_files > 30
    tops = {item.file.split("/")[0].split(".")[0] for item in receipt.erased_from}
    assert {"trash", "index", "_logs", "state", "firings", "staging", "deadletter", "quarantine", "snapshots"} <= tops
    assert receipt.to_dict()["scan"]["n_found"] == 0
    assert "nothing of it found" in render.text(receipt)
    assert {each.id for each in erasures.erased(mem.paths)} == set(ids)
    assert not any(entry_id in mem.paths.trash_plans.read_text() for entry_id in ids)
    assert mem.verify() == []
    assert len(mem.recall("queue", limit=50)) == 30


def test_a_record_that_quotes_it_stays_and_is_named_masked(mem, clock):
    (word,), _ = expired(mem, clock, 1)
    record = mem.records.write("lesson", "kept", body=f"# Kept\n\nWe learnt {word} from it.")
    receipt = mem.retention.review(LONG).apply()
    assert {found.file for found in receipt.scan.found} == {record.path}
    assert word not in str(receipt.to_dict())
    assert "left" in render.text(receipt)
    assert holding(mem.paths.folder, word) == [record.path]


def test_a_dry_run_changes_no_byte_and_erases_nothing(mem, clock):
    words, ids = expired(mem, clock, 1)
    receipt = mem.retention.review(LONG).apply(dry_run=True)
    assert (receipt.scan, receipt.erased) == (None, tuple(ids))
    assert holding(mem.paths.folder, words[0])


def test_the_store_is_read_once_for_all_of_them(mem, clock, monkeypatch):
    expired(mem, clock, 3)
    read = []
    real = erasing.look.read_with_version
    monkeypatch.setattr(erasing.look, "read_with_version", lambda path: read.append(path) or real(path))
    mem.retention.review(LONG).apply()
    assert len(read) == 30 == len(set(read))


def interrupted(call, monkeypatch, at):
    """Call until the `at`-th change of a file, which fails; whether there was one."""
    seen = []

    def failing(real):
        def change(*arguments, **more):
            seen.append(arguments)
            if len(seen) == at:
                raise StoreError("the power went", file=arguments[0])
            return real(*arguments, **more)

        return change

    with monkeypatch.context() as patch:
        for name in ("replace", "unlink", "append", "link"):
            patch.setattr(durable, name, failing(getattr(durable, name)))
        with suppress(StoreError), warnings.catch_warnings(action="ignore"):  # some faults stop nothing
            call()
    return len(seen) >= at


@pytest.mark.parametrize("compacted", [False, True], ids=["log", "compacted"])
def test_cut_off_at_a_change_of_a_file_it_is_carried_on_by_the_next_store(monkeypatch, compacted):
    at, done = 2 if compacted else 1, False
    while not done:
        with temp_memory_root(clock=FixedClock(NOW)) as mem:
            mem.store_many([{"question": f"Queue {i}?", "result": {"conclusion": f"Number {i}."}} for i in range(3)])
            inner = mem._store.clock
            words, ids = expired(mem, inner, 2)
            if compacted:
                for word in words:
                    old(mem).record(event(word))
                assert audit_days.compact(mem._store).compacted
                assert any(name.endswith(".parquet") for name in holding(mem.paths.logs, words[0]))
            review = mem.retention.review(LONG)
            done = not interrupted(review.apply, monkeypatch, at)
            committed = not set(ids) & set(mem._store.trash().entries)
            assert committed or set(ids) <= set(mem._store.trash().entries), f"half a plan at change {at}"
            mem.store(question="Anything?", result={})
            if committed:
                assert [holding(mem.paths.folder, word) for word in words] == [[], []], f"at change {at}"
                assert {each.id for each in erasures.erased(mem.paths)} == set(ids)
                assert mem.verify() == [], f"at change {at}"
        at += 5
    assert at > 10


def event(word):
    from memkit.model.event import Event

    return Event("record_usage", "recall", detail={"query": f"about {word}", "result_count": 1})


def old(mem):
    earlier = FixedClock(mem._store.clock.now() - dt.timedelta(days=3))
    return AuditLog(mem.paths, earlier, scrubber=mem._store.scrubber, wait_seconds=1)


@pytest.mark.parametrize("by", ["store", "repair", "carry_on"])
def test_an_erasure_cut_off_among_compacted_days_is_carried_on(mem, clock, monkeypatch, by):
    word = random_word()
    stored = mem.store(question=f"Who is {word}?", result={"conclusion": "x"})
    mem.recall(word)
    clock.advance(dt.timedelta(days=2))
    mem.recall("queue")
    assert audit_days.compact(mem._store).compacted
    with monkeypatch.context() as patch:
        patch.setattr(erasers, "lines", lambda *_: (_ for _ in ()).throw(StoreError("the power went")))
        with pytest.raises(StoreError):
            mem.erase(stored.id, confirm=True)
    assert "unfinished-erasure" in {problem.code for problem in verify(mem._store)}
    if by == "store":
        mem.store(question="Anything?", result={})
    elif by == "repair":
        assert mem.repair(dry_run=False).problems_left == ()
    else:
        assert carry_on(mem._store)
        assert not carry_on(mem._store)
    assert holding(mem.paths.folder, word) == []
    assert mem.verify() == []


def test_many_expire_at_once(mem, clock):
    """Each of them loses what only it said, and what they share with nobody else."""
    shared = random_word()
    words = [random_word() for _ in range(70)]
    mem.store_many([{"question": f"{shared} {word}?", "result": {"conclusion": f"for {word}"}} for word in words])
    ids = [line.id for line in mem.list() if shared in line.question_preview]
    assert len(ids) == 70
    assert all(map(is_id, ids))
    absorb(mem._store, minimum=1)
    for line in mem.list():
        if line.id not in ids:
            mem.retention.pin(line.id, "stays")
    clock.advance(dt.timedelta(days=2))
    mem.retention.review({"max_age_days": 1}).apply(everything=True)
    clock.advance(dt.timedelta(days=31))
    assert mem.retention.review(LONG).apply().scan.is_clean
    assert [word for word in (shared, *words) if holding(mem.paths.folder, word)] == []
    assert mem.verify() == []
