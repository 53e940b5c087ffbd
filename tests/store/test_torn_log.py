"""A line of the audit log that a crash cut off: named until the next event vouches for it, and no damage afterwards."""

import pytest

from memkit.model.event import Event
from memkit.store import audit_log
from memkit.store.repair import repair
from memkit.store.verify import verify


@pytest.fixture
def store(make_store):
    return make_store(sound=False)


def say(store) -> None:
    store.audit.record(Event("record_usage", "recall", detail={"result_count": 1}))


def add(store, data: bytes) -> None:
    (day,) = audit_log.days(store.paths)
    with store.paths.log_file(day).open("ab") as file:
        file.write(data)


def codes(store) -> list[str]:
    return [problem.code for problem in verify(store)]


def test_a_line_cut_off_at_the_end_is_named_and_the_next_event_ends_that(store):
    say(store)
    add(store, b'{"id":"torn')
    (problem,) = verify(store)
    assert problem.code == "torn-log-line"
    assert (problem.end - problem.start, problem.detail) == (11, "11 bytes without a newline, left by a crash")
    say(store)
    assert verify(store) == []
    assert [place.why for place in audit_log.chain(store.paths).torn] == [
        "left by a crash: the next event says that it was there"
    ]


def test_repair_closes_it(store):
    say(store)
    add(store, b'{"id":"torn')
    report = repair(store, dry_run=False)
    assert [action.code for action in report.actions] == ["torn-log-line"]
    assert report.problems_left == ()
    assert verify(store) == []


def test_while_somebody_holds_the_lock_of_the_log_nobody_calls_its_last_line_torn(store):
    say(store)
    add(store, b'{"id":"under way')
    with store.audit.lock.held("append"):
        assert verify(store) == []
    assert codes(store) == ["torn-log-line"]


def test_a_log_nobody_ever_locked_is_looked_at_without_making_a_lock(store):
    say(store)
    add(store, b"torn")
    store.paths.audit_lock.unlink()
    assert verify(store) == []
    assert not store.paths.audit_lock.exists()


def test_a_damaged_line_with_its_newline_is_damage_until_an_event_vouches_for_it(store):
    say(store)
    add(store, b"no JSON\n")
    assert codes(store) == ["damaged-log-line"]
    say(store)
    assert verify(store) == []


@pytest.mark.parametrize("change", [b"x", b"torn!"], ids=["shorter", "longer"])
def test_what_was_changed_after_an_event_vouched_for_it_is_damage_and_a_break(store, change):
    say(store)
    add(store, b"torn")
    say(store)
    (day,) = audit_log.days(store.paths)
    file = store.paths.log_file(day)
    file.write_bytes(file.read_bytes().replace(b"torn\n", change + b"\n"))
    assert codes(store) == ["broken-log-chain", "damaged-log-line"]


def test_bytes_that_went_on_growing_are_a_write_under_way(store, monkeypatch):
    """Whoever looked before a writer was done sees a torn line; by the time the lock is free it is whole."""
    from memkit.store import verify_log

    say(store)
    add(store, b"torn")
    walk = audit_log.chain(store.paths)
    add(store, b" and more")
    monkeypatch.setattr(verify_log.audit_log, "chain", lambda paths: walk)
    assert verify(store) == []
