"""What a crash kept out of the log is said there by the next writer: each change of a record once."""

import datetime as dt
from dataclasses import replace

import pytest

from memkit.errors import StoreError
from memkit.model.event import Event
from memkit.model.ledger import LedgerLine
from memkit.model.record import Record, record_hash, write_record
from memkit.store import audit_log, canonical, external_edits, pending, record_events, records, seen_records
from memkit.store.pending import NewBytes

PATH = "memory/use-utc.md"
FIRST = Record("use-utc", "lesson", "# Use UTC\n\nFirst.")


@pytest.fixture
def store(make_store):
    return make_store(sound=False)


def put(store, record, known=None):
    """Write a record as if the process were killed before the log has its line."""
    store.make_folders()
    with canonical.canonical_lock(store.paths).held("test") as held:
        return records.put(store, held, record, expected_hash=known).after_hash


def catch_up(store):
    with canonical.writing(store, "test"):
        pass


def said(store, path=PATH):
    """What the log has of a record: operation, and the hashes before and after."""
    return [
        (event["op"], event.get("before_hash"), event.get("after_hash"))
        for event in audit_log.read_events(store.paths)[0]
        if event.get("path") == path and event["status"] == "done"
    ]


def test_a_write_an_edit_and_a_deletion_that_were_cut_off_are_said_once(store):
    first = put(store, FIRST)
    second = put(store, replace(FIRST, body="# Use UTC\n\nSecond."), first)
    assert said(store) == []
    catch_up(store)
    catch_up(store)
    assert said(store) == [("write", None, first), ("edit", first, second)]
    with canonical.writing(store, "test") as held:
        seen_records.intend(store.paths, held, PATH, None, was=second)
        (store.paths.folder / PATH).unlink()
    catch_up(store)
    assert said(store)[2:] == [("delete", second, None)]
    events = [event for event in audit_log.read_events(store.paths)[0] if event.get("path") == PATH]
    assert [event.get("kind") for event in events] == ["lesson", "lesson", None]
    assert {event["reason"] for event in events} == {record_events.REASON}
    assert not any("run_id" in event for event in events)
    assert not seen_records.read(store.paths).open


def test_what_the_log_has_is_only_written_down_as_settled(store):
    first = put(store, FIRST)
    detail = {"path": PATH, "slug": "use-utc", "after_hash": first}
    store.audit.record(Event("record_operation", "write", detail=detail))
    catch_up(store)
    assert said(store) == [("write", None, first)]
    second = put(store, replace(FIRST, body="# Use UTC\n\nSecond."), first)
    third = put(store, replace(FIRST, body="# Use UTC\n\nThird."), second)
    store.audit.record(
        Event("record_operation", "edit", detail={"path": PATH, "before_hash": first, "after_hash": second})
    )
    catch_up(store)
    assert said(store)[1:] == [("edit", first, second), ("edit", second, third)]


def test_a_change_that_failed_is_none(store):
    first = put(store, FIRST)
    catch_up(store)
    with canonical.writing(store, "test") as held:
        seen_records.intend(store.paths, held, PATH, "f" * 64, was=first)
    third = put(store, replace(FIRST, body="# Use UTC\n\nThird."), first)
    catch_up(store)
    assert said(store) == [("write", None, first), ("edit", first, third)]
    with canonical.writing(store, "test") as held:
        seen_records.intend(store.paths, held, PATH, "f" * 64, was=third)
    catch_up(store)
    assert len(said(store)) == 2
    assert not seen_records.read(store.paths).open


@pytest.mark.parametrize("is_logged", [False, True])
def test_a_hand_edit_on_top_goes_on_from_what_the_log_says(store, is_logged):
    first = put(store, FIRST)
    if is_logged:
        store.audit.record(Event("record_operation", "write", detail={"path": PATH, "after_hash": first}))
    file = store.paths.folder / PATH
    file.write_bytes(file.read_bytes() + b"\nBy hand.\n")
    by_hand = record_hash(file.read_bytes())
    read, seen = records.read_all(store.paths), store.seen_records.read()
    assert len(external_edits.notice(store, read, seen)) == 1
    before = first if is_logged else None
    assert said(store)[-1] == ("external_edit", before, by_hand)
    assert len(said(store)) == 1 + is_logged


def test_a_look_says_what_a_crash_kept_out_of_the_log_and_a_half_change_waits_for_a_writer(store):
    first = put(store, FIRST)
    waiting = store.paths.memory / ".new.x-0.pending"
    waiting.write_bytes(b"new")
    read = records.read_all(store.paths)
    assert external_edits.notice(store, read, store.seen_records.read()) == ()
    assert said(store) == []
    assert waiting.exists()
    waiting.unlink()
    assert external_edits.notice(store, read, store.seen_records.read()) == ()
    assert said(store) == [("write", None, first)]


def test_a_hand_edit_that_was_said_just_before_a_crash_is_not_said_again(store, monkeypatch):
    put(store, FIRST)
    catch_up(store)
    file = store.paths.folder / PATH
    file.write_bytes(file.read_bytes() + b"\nBy hand.\n")
    with canonical.writing(store, "test") as held:
        with monkeypatch.context() as patch:
            patch.setattr(seen_records, "note", lambda *_: None)
            assert len(external_edits.settle(store, held)) == 1
        assert len(external_edits.settle(store, held)) == 1
        assert external_edits.settle(store, held) == ()
    assert [op for op, *_ in said(store)] == ["write", "external_edit"]


def test_a_log_that_cannot_be_written_is_caught_up_later(store, monkeypatch):
    first = put(store, FIRST)
    with monkeypatch.context() as patch:
        patch.setattr(store.audit, "record", lambda *events: False)
        catch_up(store)
    assert said(store) == []
    catch_up(store)
    assert said(store) == [("write", None, first)]


def test_of_a_file_nobody_can_read_nothing_is_said_yet(store):
    put(store, FIRST)
    file = store.paths.folder / PATH
    kept = file.read_bytes()
    file.unlink()
    file.mkdir()
    catch_up(store)
    assert said(store) == []
    file.rmdir()
    file.write_bytes(kept)
    catch_up(store)
    assert [op for op, *_ in said(store)] == ["write"]


def test_a_record_that_cannot_be_read_as_one_is_named_without_its_kind(store):
    data = b"no record"
    with canonical.writing(store, "test") as held:
        seen_records.intend(store.paths, held, PATH, record_hash(data), was=None)
        store.paths.memory.mkdir(exist_ok=True)
        (store.paths.folder / PATH).write_bytes(data)
    catch_up(store)
    (event,) = [event for event in audit_log.read_events(store.paths)[0] if event.get("path") == PATH]
    assert "kind" not in event


def test_all_that_a_cut_off_run_had_written_is_in_the_run_that_carries_it_on(store, monkeypatch):
    """Two changes of one record and one of another, killed between the names and the log."""
    versions = [write_record(replace(FIRST, body=f"# Use UTC\n\n{n}")) for n in range(2)]
    other = write_record(Record("other", "lesson", "# Other"))
    line = LedgerLine(event="fate", at=store.clock.now(), run="r1", key="k", fate="added", session_id="s")
    changes = [
        NewBytes(PATH, versions[0], None),
        NewBytes(PATH, versions[1], record_hash(versions[0])),
        NewBytes("memory/other.md", other, None),
    ]
    with canonical.writing(store, "test") as held:
        pending.commit(store, held, [(line, changes)], name="r1-0")
    first, second = map(record_hash, versions)
    catch_up(store)
    assert said(store) == [("write", None, first), ("edit", first, second)]
    assert said(store, "memory/other.md") == [("write", None, record_hash(other))]
    events = audit_log.read_events(store.paths)[0]
    runs = [event for event in events if event["event"] == "worker_lifecycle"]
    assert [(event["status"], event["trigger"]) for event in runs] == [
        ("started", "startup_recovery"), ("completed", "startup_recovery"),
    ]  # fmt: skip
    assert runs[1]["counts"] == {"write": 2, "edit": 1}
    assert {event["run_id"] for event in events} == {runs[0]["run_id"]}
    catch_up(store)
    assert len(audit_log.read_events(store.paths)[0]) == len(events)


def test_the_last_line_about_a_file_is_found_from_the_end_whatever_stands_between(store, monkeypatch, clock):
    monkeypatch.setattr(record_events, "_STEP", 300)

    def log(after, path=PATH, status="done", **more):
        store.audit.record(Event("record_operation", "edit", status, {"path": path, "after_hash": after, **more}))

    log("a" * 64)
    log("b" * 64, before_hash=7)
    log("c" * 64, status="failed")
    log("d" * 64, path="memory/other.md", note=PATH)
    clock.advance(dt.timedelta(days=1))
    store.audit.record(Event("record_usage", "query", detail={"query": f'"path":"{PATH}"' + "x" * 400}))
    with store.paths.log_file(clock.now().date().isoformat()).open("ab") as file:
        file.write(b'torn "path":"memory/use-utc.md"' + b"y" * 700)
    find = record_events.last_logged
    assert find(store.paths, [PATH, "memory/none.md"]) == {PATH: (None, "b" * 64)}
    assert find(store.paths, ["memory/other.md"]) == {"memory/other.md": (None, "d" * 64)}
    assert find(store.paths, [PATH], within=1) == {}
    assert find(store.paths, []) == {}


def test_what_cannot_be_noted_is_in_the_log_and_settled_later(store, monkeypatch):
    first = put(store, FIRST)
    event = Event("record_operation", "write", detail={"path": PATH, "after_hash": first})

    def full(*_):
        raise StoreError("full", file=store.paths.record_hashes)

    with canonical.canonical_lock(store.paths).held("test") as held, monkeypatch.context() as patch:
        patch.setattr(seen_records, "note", full)
        record_events.say(store, held, [])
        record_events.say(store, held, [event])
        record_events.catch_up(store, held)
    assert seen_records.read(store.paths).open
    catch_up(store)
    assert said(store) == [("write", None, first)]
    with canonical.canonical_lock(store.paths).held("test") as held:
        n = seen_records.read(store.paths).n_lines
        record_events.say(store, held, [Event("record_operation", "write", "failed", {"path": PATH})])
        assert seen_records.read(store.paths).n_lines == n


def test_a_line_that_lacks_no_more_than_its_newline_counts(store):
    first = put(store, FIRST)
    file = store.paths.record_hashes
    file.write_bytes(file.read_bytes().removesuffix(b"\n"))
    assert PATH in seen_records.read(store.paths).open
    catch_up(store)
    assert said(store) == [("write", None, first)]
    assert not store.seen_records.read().open


def test_the_list_written_anew_keeps_what_is_open(store, monkeypatch):
    first = put(store, FIRST)
    second = put(store, replace(FIRST, body="# Use UTC\n\nSecond."), first)
    monkeypatch.setattr(seen_records, "_SPARE_LINES", -10)
    with canonical.canonical_lock(store.paths).held("test") as held:
        before = seen_records.read(store.paths)
        seen_records.shorten(store.paths, held, before)
    after = seen_records.read(store.paths)
    assert after.open == before.open
    assert after.by_path[PATH].open == ((None, first), (first, second))
