"""Rare states of the log: days known only from the list of compacted ones, long damage, files that come and go."""

import datetime as dt
import errno
import os
import warnings
from dataclasses import replace

import pytest

from memkit.errors import MemkitWarning, StoreIOError
from memkit.model.event import GENESIS, Event
from memkit.store import audit_chain, audit_compacted, audit_forget, audit_log, audit_tail, durable
from memkit.store.audit_compacted import CompactedDay, DamagedListError
from memkit.store.durable import Before

DAY = CompactedDay("a" * 64, 10, "b" * 64, 20, n_events=2, begins_with=GENESIS, last="c" * 64, n=2)
EARLY = "2026-11-01"


@pytest.fixture
def store(make_store):
    made = make_store(sound=False)
    made.make_folders()
    durable.make_folder(made.paths.logs)
    return made


def say(store, word="word"):
    assert store.audit.record(Event("record_usage", "recall", detail={"query": word}))


def log_of(store, day="2026-11-30"):
    return store.paths.log_file(day)


def nothing_before():
    return Before((0, 0), 0, torn=False, read=lambda start, n: b"")


# -- days known from the list ------------------------------------------------------------------------------------


def test_the_list_comes_back_as_it_was_written(store):
    days = {EARLY: DAY, "2026-11-02": replace(DAY, vouches=["d" * 64])}
    audit_compacted.write(store.paths, days)
    assert audit_compacted.read(store.paths) == days


@pytest.mark.parametrize(
    "change",
    [
        (b'"formatVersion":1', b'"formatVersion":2'),
        (b'"n_events":2', b'"n_events":"2"'),
        (b'"last":"', b'"more":1,"last":"'),
        (b'"vouches":[]', b'"vouches":[1]'),
        (b'"vouches":[]', b'"vouches":1'),
        (EARLY.encode(), b"yesterday"),
        (b'{"2026-11-01":{', b'{"2026-11-01":[{'),
        (b'"days"', b'"weeks"'),
    ],
    ids=["newer", "type", "more", "vouches of another type", "no vouches", "no day", "no JSON", "no days"],
)
def test_a_list_that_is_not_what_memkit_wrote_is_damage_and_the_chain_goes_on_without_it(store, change):
    audit_compacted.write(store.paths, {EARLY: DAY})
    file = store.paths.compacted
    data = file.read_bytes()
    assert change[0] in data
    file.write_bytes(data.replace(*change, 1))
    with pytest.raises(DamagedListError):
        audit_compacted.read(store.paths)
    say(store)
    assert audit_log.chain(store.paths).first_break is None


def test_the_first_line_after_all_logs_were_compacted_follows_the_last_day_that_is_chained(store):
    days = {EARLY: DAY, "2026-11-02": replace(DAY, begins_with="", last="", n=0)}
    audit_compacted.write(store.paths, days)
    say(store)
    (event,) = audit_tail.latest(store.paths, 5)
    assert (event["prev"], event["seq"]) == (DAY.last, 3)
    walk = audit_log.chain(store.paths)
    assert (walk.first_break, walk.n_events, walk.n_files) == (None, 5, 3)


def test_a_compacted_day_of_a_later_date_is_not_what_a_line_follows(store):
    audit_compacted.write(store.paths, {"2026-12-24": DAY})
    say(store)
    assert audit_tail.latest(store.paths, 5)[0]["prev"] == GENESIS


def test_a_compacted_day_that_does_not_fit_is_a_break(store):
    audit_compacted.write(store.paths, {EARLY: DAY, "2026-11-02": replace(DAY, begins_with="e" * 64)})
    spot = audit_log.chain(store.paths).first_break
    assert spot.to_dict() == {"file": f"memory-{EARLY}.parquet", "start": 0, "end": 0, "why": spot.why}
    assert "2026-11-02" in spot.why


# -- what a line follows -----------------------------------------------------------------------------------------


def test_a_day_that_went_meanwhile_is_passed_over(store):
    say(store)
    (event,) = audit_tail.latest(store.paths, 1)
    older = ["memory-2026-11-30.log", "memory-2026-11-31.log"]
    tail = audit_chain.tail_before(store.paths, "memory-2026-12-01.log", older, nothing_before())
    assert tail.n == event["seq"]
    assert tail.healed == ()


@pytest.mark.parametrize("damage", [b"x" * 200_000, b"no JSON\n" * 300], ids=["one long line", "many lines"])
def test_however_much_damage_stands_behind_the_last_line_it_is_found(store, damage):
    say(store)
    with log_of(store).open("ab") as file:
        file.write(damage)
    say(store)
    first, second = audit_tail.latest(store.paths, 5)
    assert (first["seq"], second["seq"]) == (1, 2)
    walk = audit_log.chain(store.paths)
    assert walk.first_break is None
    assert [place.file for place in walk.torn] == ["memory-2026-11-30.log"]


def test_damage_in_two_days_at_the_end_is_torn_only_in_the_last(store, clock):
    say(store)
    with log_of(store).open("ab") as file:
        file.write(b"torn")
    log_of(store, "2026-12-01").write_bytes(b"\n\ntorn")
    walk = audit_log.chain(store.paths)
    assert [place.file for place in walk.torn] == ["memory-2026-12-01.log"]
    assert walk.first_break.file == "memory-2026-11-30.log"


def test_a_log_that_begins_in_the_middle_after_an_earlier_break_names_the_earlier_one(store, clock):
    for _ in range(3):
        say(store)
        say(store)
        clock.advance(dt.timedelta(days=1))
    log_of(store).unlink()
    began = audit_log.chain(store.paths).first_break
    assert (began.file, began.start) == ("memory-2026-12-01.log", 0)
    log_of(store).write_bytes(b"damaged\n")
    log_of(store, "2026-11-29").write_bytes(b"damaged\n")
    assert audit_log.chain(store.paths).first_break.file == "memory-2026-11-29.log"


# -- files that come and go --------------------------------------------------------------------------------------


def test_a_link_that_fails_for_another_reason_is_the_one_warning(store, monkeypatch):
    def full(link, target):
        raise StoreIOError("no space", file=link) from OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(durable, "replace_link", full)
    with pytest.warns(MemkitWarning, match="no space"):
        assert not store.audit.record(Event("entry_operation", "store"))
    monkeypatch.undo()
    say(store)
    assert store.paths.current_log.is_symlink()
    assert audit_log.chain(store.paths).first_break is None


def test_a_day_that_goes_while_text_is_forgotten_or_a_reader_follows_is_passed_over(store, monkeypatch):
    say(store)
    follower = audit_tail.Follower(store.paths)
    log_of(store, "2026-12-01").symlink_to("gone")
    assert [event["seq"] for event in follower.new()] == [1]
    with store.audit.lock.held(None) as held:
        done = audit_forget.forget_text(store.paths, held, lambda event: True)
    assert (done.n_events, done.files) == (1, ("memory-2026-11-30.log",))


def test_a_line_without_a_number_is_followed_too(store):
    say(store)
    follower = audit_tail.Follower(store.paths)
    follower.skip()
    with log_of(store).open("ab") as file:
        file.write(b'{"event":"of another tool"}\n{"event":"x","seq":true}\n')
    assert [event["event"] for event in follower.new()] == ["of another tool", "x"]


def test_a_reader_passes_over_a_day_that_was_there_when_it_looked(store, monkeypatch):
    say(store)
    monkeypatch.setattr(audit_log, "days", lambda paths: ["2026-11-29", "2026-11-30", "2026-12-01"])
    assert [event["seq"] for event in audit_tail.Follower(store.paths).new()] == [1]


def test_damage_in_which_the_text_does_not_stand_is_left_where_it_is(store):
    say(store)
    with log_of(store).open("ab") as file:
        file.write(b"torn one\ntorn two\n")
    with store.audit.lock.held(None) as held:
        done = audit_forget.forget_text(store.paths, held, lambda event: False, in_damage=lambda spot: b"one" in spot)
    assert done.n_damaged == 1
    assert log_of(store).read_bytes().endswith(b"}\ntorn two\n")


# -- runs --------------------------------------------------------------------------------------------------------


def test_a_run_says_what_it_was_told_and_one_that_says_nothing_has_no_reason(store):
    with store.audit.run(worker="memory_extract") as run:
        run.note(session_id="s")
    started, ended = audit_tail.latest(store.paths, 5)
    assert (ended["status"], ended["session_id"]) == ("completed", "s")
    assert "reason" not in ended
    assert started["run_id"] == ended["run_id"]


def test_the_end_is_not_told_by_another_process_than_the_one_that_began(store, monkeypatch):
    with store.audit.run(worker="memory_extract"):
        monkeypatch.setattr(os, "getpid", lambda: -1)
    monkeypatch.undo()
    assert [event["status"] for event in audit_tail.latest(store.paths, 5)] == ["started"]


# -- a folder that cannot be written -----------------------------------------------------------------------------


def test_a_real_file_where_the_folder_should_be_is_one_warning_and_everything_else_works(make_store):
    store = make_store(sound=False)
    store.make_folders()
    store.paths.logs.write_text("in the way")
    with pytest.warns(MemkitWarning, match="audit log could not be written"):
        assert not store.audit.record(Event("entry_operation", "store"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not store.audit.record(Event("entry_operation", "store"))
        with store.audit.run(worker="memory_extract") as run:
            run.skip("no_staging")
