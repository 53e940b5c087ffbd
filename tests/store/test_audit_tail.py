"""The end of the log: the newest events, and following it over midnight and over text that is forgotten."""

import datetime as dt
import itertools

import pytest

from memkit.model.event import Event
from memkit.store import audit_tail
from memkit.store.audit_forget import forget_text


@pytest.fixture
def log(store):
    store.make_folders()
    return store.audit


def say(log, *words):
    for word in words:
        log.record(Event("record_usage", "recall", detail={"query": word}))


def seqs(events):
    return [event["seq"] for event in events]


def test_the_newest_events_come_from_as_many_days_as_it_takes(store, log, clock, monkeypatch):
    monkeypatch.setattr(audit_tail, "TAIL_BYTES", 300)
    assert audit_tail.latest(store.paths, 5) == []
    for _ in range(3):
        say(log, "a", "b", "c")
        clock.advance(dt.timedelta(days=1))
    assert seqs(audit_tail.latest(store.paths, 1)) == [9]
    assert seqs(audit_tail.latest(store.paths, 5)) == [5, 6, 7, 8, 9]
    assert seqs(audit_tail.latest(store.paths, 100)) == list(range(1, 10))


def test_following_shows_each_event_once_over_midnight_and_over_a_replaced_file(make_store, clock):
    store = make_store(sound=False)
    store.make_folders()
    log = store.audit
    say(log, "before")
    follower = audit_tail.Follower(store.paths)
    follower.skip()
    assert list(follower.new()) == []
    say(log, "one", "two")
    assert seqs(follower.new()) == [2, 3]
    with log.lock.held(None) as held:
        forget_text(store.paths, held, lambda event: True)
    say(log, "three")
    clock.advance(dt.timedelta(days=1))
    say(log, "four")
    assert seqs(follower.new()) == [4, 5]
    with store.paths.log_file("2026-12-01").open("ab") as torn:
        torn.write(b'{"half')
    assert list(follower.new()) == []
    say(log, "five")
    assert seqs(follower.new()) == [6]


def test_follow_waits_between_two_looks(store, log):
    waited = []

    def sleep(seconds):
        waited.append(seconds)
        say(log, f"after {len(waited)}")

    events = audit_tail.follow(store.paths, seconds=0.5, sleep=sleep)
    assert seqs(itertools.islice(events, 3)) == [1, 2, 3]
    assert waited == [0.5] * 3
