"""Several records change as one: nothing or all of it, whatever fails, and what is cut off is carried on or taken away."""

import datetime as dt
import errno

import pytest

from memkit.errors import (
    ConflictError,
    DiskFullError,
    InvalidInputError,
    OutcomeUnknownError,
    StoreIOError,
)
from memkit.model.ledger import Ledger, LedgerLine
from memkit.model.record import Record, record_hash
from memkit.store import canonical, ledger, pending, record_sets, records
from memkit.store.pending import NewBytes
from memkit.store.verify import verify
from memkit.store.wipe import wipe
from tests.store.conftest import new
from tests.store.test_after_faults import faulty

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
OLD = Record("old-way", "lesson", "# Old way\n\nAs it was.")
NEW = Record("new-way", "lesson", "# New way\n\nAs it is.", supersedes=("old-way",))
GONE_BY = Record("old-way", "lesson", "# Old way\n\nAs it was.", status="superseded", superseded_by="new-way")


@pytest.fixture
def store(make_store):
    """With one record, which another is about to supersede."""
    made = make_store()
    with canonical.writing(made, "test") as held:
        records.put(made, held, OLD, expected_hash=None)
    return made


def supersede(store, expected=None):
    with canonical.writing(store, "test") as held:
        before = expected or records.read(store.paths, "memory", "old-way").sha256
        return record_sets.put_all(store, held, [(NEW, None), (GONE_BY, before)])


def there(store) -> dict[str, str | None]:
    return {record.slug: record.superseded_by for record in records.read_all(store.paths).records}


def carried_on(store) -> dict[str, str | None]:
    """What is there once somebody else has written records."""
    with canonical.writing(store, "somebody else"):
        pass
    assert pending.waiting(store.paths) == []
    return there(store)


BEFORE, AFTER = {"old-way": None}, {"new-way": None, "old-way": "new-way"}


def test_both_are_written_and_the_ledger_names_them(store):
    kept = supersede(store)
    assert [each.record.slug for each in kept] == ["new-way", "old-way"]
    assert there(store) == AFTER
    lines, problems = ledger.read(store.paths)
    assert [(line.event, line.record, [c.path for c in line.files]) for line in lines] == [
        ("written", "memory/new-way.md", ["memory/new-way.md", "memory/old-way.md"])
    ]
    assert problems == []
    assert Ledger.of(lines).lives == {}, "a line about no candidate"


def test_one_record_alone_needs_no_ledger(store):
    with canonical.writing(store, "test") as held:
        (kept,) = record_sets.put_all(store, held, [(NEW, None)])
    assert kept.before_hash is None
    assert ledger.read(store.paths)[0] == []


def test_where_one_of_them_was_changed_meanwhile_none_is_written(store):
    with pytest.raises(ConflictError):
        supersede(store, expected="0" * 64)
    assert there(store) == BEFORE
    assert pending.waiting(store.paths) == []


def test_where_one_of_them_has_a_name_that_is_taken_none_is_written(store):
    twin = Record("old-way", "domain", "# Old way")
    with canonical.writing(store, "test") as held, pytest.raises(InvalidInputError, match="has a record of this name"):
        record_sets.put_all(store, held, [(NEW, None), (twin, None)])
    assert there(store) == BEFORE


@pytest.mark.parametrize(
    ("call", "on"),
    [
        ("write", "pending"),
        ("write", "record_hashes"),
        ("write", "/ledger.jsonl"),
        ("open", "/ledger.jsonl"),
        ("mkdir", "state"),
    ],
)
def test_a_full_disk_leaves_everything_as_it_was(store, monkeypatch, call, on):
    if call == "mkdir":
        store.paths.record_hashes.unlink()
        store.paths.state.rmdir()
    with faulty(monkeypatch, call, errno.ENOSPC, on=on), pytest.raises(DiskFullError):
        supersede(store)
    assert there(store) == BEFORE
    assert pending.waiting(store.paths) == []
    assert carried_on(store) == BEFORE
    supersede(store)
    assert there(store) == AFTER


def test_a_ledger_that_may_or_may_not_have_been_flushed_is_told_and_settled_by_the_next_writer(store, monkeypatch):
    with faulty(monkeypatch, "fsync", errno.EIO, on="/ledger.jsonl"), pytest.raises(OutcomeUnknownError):
        supersede(store)
    assert {problem.code for problem in verify(store)} == {"unfinished-consolidation"}
    assert carried_on(store) == AFTER


@pytest.mark.parametrize(
    ("call", "on", "after"), [("rename", "/memory/", 0), ("rename", "/memory/", 1), ("fsync", "/memory", 3)]
)
def test_what_the_ledger_names_is_carried_on_and_the_caller_told_so(store, monkeypatch, call, on, after):
    """Behind the ledger's line nothing is taken back, whatever stands in the way of the names."""
    with faulty(monkeypatch, call, errno.EIO, on=on, after=after), pytest.raises(OutcomeUnknownError):
        supersede(store)
    assert carried_on(store) == AFTER


def test_a_record_edited_by_hand_before_it_was_carried_on_is_not_written_over_by_older_bytes(store, monkeypatch):
    """The ledger has newer bytes of the same file: only those count."""
    with canonical.writing(store, "test") as held:
        first = NewBytes("memory/a.md", b"---\nkind: lesson\n---\n\n# One\n", None)
        second = NewBytes("memory/a.md", b"---\nkind: lesson\n---\n\n# Two\n", record_hash(first.data))
        lines = [(LedgerLine("written", NOW, ""), [first]), (LedgerLine("written", NOW, ""), [second])]
        with faulty(monkeypatch, "rename", errno.EIO, on="/memory/"), pytest.raises(OutcomeUnknownError):
            pending.commit(store, held, lines, name="both")
    assert len(pending.waiting(store.paths)) == 2
    with canonical.writing(store, "somebody else"):
        pass
    assert (store.paths.memory / "a.md").read_bytes() == second.data
    assert pending.waiting(store.paths) == []


def test_older_bytes_that_were_left_waiting_do_not_replace_newer_ones(store):
    """A crash between two names of one file leaves the older waiting; its turn is over."""
    with canonical.writing(store, "test") as held:
        first = NewBytes("memory/a.md", b"---\nkind: lesson\n---\n\n# One\n", None)
        second = NewBytes("memory/a.md", b"---\nkind: lesson\n---\n\n# Two\n", record_hash(first.data))
        (one, _) = pending.commit(
            store, held, [(LedgerLine("written", NOW, ""), [first]), (LedgerLine("written", NOW, ""), [second])],
            name="both",
        )  # fmt: skip
    left = store.paths.memory / one.files[0].pending
    left.write_bytes(first.data)
    left.chmod(0o600)
    with canonical.writing(store, "somebody else"):
        pass
    assert (store.paths.memory / "a.md").read_bytes() == second.data
    assert not left.exists()


def test_a_line_without_files_is_a_line(store):
    with canonical.writing(store, "test") as held:
        pending.commit(store, held, [(LedgerLine("written", NOW, ""), [])], name="none")
    assert [line.files for line in ledger.read(store.paths)[0]] == [()]


def test_a_store_that_was_wiped_meanwhile_takes_no_records(store, monkeypatch):
    """The wipe was cut off after its point of no return; what was about to be committed belongs to what is gone."""
    store.store_many([new()])
    real = pending.durable.sync_folder

    def meanwhile(folder):
        monkeypatch.undo()
        real(folder)
        store.paths.index.unlink()
        store.paths.results.rename(store.paths.wiped)

    monkeypatch.setattr(pending.durable, "sync_folder", meanwhile)
    with pytest.raises(StoreIOError, match="wiped meanwhile"):
        supersede(store)
    assert there(store) == {}
    assert pending.waiting(store.paths) == []


def test_what_waits_goes_with_a_wipe(store, monkeypatch):
    with faulty(monkeypatch, "rename", errno.EIO, on="/memory/"), pytest.raises(OutcomeUnknownError):
        supersede(store)
    wipe(store, confirm=store.paths.key)
    assert pending.waiting(store.paths) == []
    assert carried_on(store) == {}
