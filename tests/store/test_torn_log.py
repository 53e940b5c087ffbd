"""A line of the audit log that a crash cut off: named until the next event vouches for it, and no damage afterwards."""

import datetime as dt

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


def cut(store, where: int, n: int = 1) -> bytes:
    """The beginning of the next event, as an append that was cut off leaves it."""
    from memkit.model.event import line_of

    tail = audit_log.chain(store.paths)
    event = Event("record_usage", "recall", detail={"query": 'who {knows} "this"?', "result_count": n})
    kept, text = event.parts()
    line, _ = line_of(event, text, kept=kept, at=store.clock.now(), actor="python", seq=n, prev=tail.last)
    return line[:where]


CUTS = (1, 5, 7, 60, 200, -3, -1)


@pytest.mark.parametrize("between", [b"", b"\0\0\0"], ids=["cut", "with zeros"])
@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.parametrize("where", CUTS)
def test_any_number_of_torn_appends_in_a_row_is_one_crash_until_an_event_vouches_for_them(store, where, n, between):
    say(store)
    add(store, b"\n".join(cut(store, where) + between for _ in range(n)))
    (problem,) = verify(store)
    assert problem.code == "torn-log-line"
    walk = audit_log.chain(store.paths)
    assert walk.first_break is None
    assert [place.why for place in walk.torn] == ["at the end, as a crash leaves it; the next event will say so"]
    say(store)
    assert verify(store) == []
    assert len(audit_log.chain(store.paths).torn) == 1


@pytest.mark.parametrize("where", CUTS)
def test_a_healing_that_was_cut_off_right_behind_its_newline_is_a_crash(store, where):
    say(store)
    add(store, cut(store, where) + b"\n")
    assert codes(store) == ["torn-log-line"]
    say(store)
    assert verify(store) == []


def test_crashes_on_two_days_in_a_row_are_both_told(store, clock):
    say(store)
    add(store, cut(store, 50))
    clock.advance(dt.timedelta(days=1))
    (day,) = audit_log.days(store.paths)
    newer = store.paths.log_file(clock.now().date().isoformat())
    newer.write_bytes(cut(store, 90) + b"\n" + cut(store, 20))
    newer.chmod(0o600)
    assert codes(store) == ["torn-log-line", "torn-log-line"]
    assert audit_log.chain(store.paths).first_break is None
    say(store)
    assert verify(store) == []
    healed = audit_log.read_events(store.paths)[0][-1]["healed"]
    assert sorted(each["file"] for each in healed) == [audit_log.name_of(day), newer.name]


@pytest.mark.parametrize(
    "edit",
    [
        lambda line: line.replace(b'"result_count":1', b'"result_count":1x'),
        lambda line: line[1:],
        lambda line: b"note to self",
        lambda line: line + b"}",
        lambda line: line + line[:40],
        lambda line: line.replace(b'"', b"", 1),
    ],
)
def test_an_edit_is_named_although_a_crash_stands_behind_it(store, edit):
    say(store)
    say(store)
    (day,) = audit_log.days(store.paths)
    file = store.paths.log_file(day)
    first, last, _ = file.read_bytes().split(b"\n")
    file.write_bytes(first + b"\n" + edit(last) + b"\n" + cut(store, 80))
    assert codes(store) == ["damaged-log-line", "torn-log-line"]


def test_a_line_shortened_by_hand_in_the_middle_is_a_break(store):
    for _ in range(3):
        say(store)
    (day,) = audit_log.days(store.paths)
    file = store.paths.log_file(day)
    first, second, third, _ = file.read_bytes().split(b"\n")
    file.write_bytes(b"\n".join([first, second[:90], third, b""]))
    assert codes(store) == ["broken-log-chain", "damaged-log-line"]
