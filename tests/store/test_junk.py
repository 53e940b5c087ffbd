"""Junk in files of lines: passed over in bulk, and not a line that can be read is passed over with it."""

import random
import time

import pytest

from memkit.model import jsontext
from memkit.model.event import Event
from memkit.model.problem import Problem
from memkit.store import audit_log, jsonl
from memkit.store.damage import MAX_SPOTS, DamagedSpots, junk_of

JUNK = (
    b"x",
    b"{",
    b"}",
    b"{}",
    b"[]",
    b' {"a"',
    b'{"a',
    b'"id":1',
    b"\xff\xfe",
    b"\0" * 9,
    b"{'id': 1}",
    b"\xef\xbb\xbf{}",
)
BLANK = (b"", b" ", b"\t\r", b"\x0b\x0c")
WHOLE = (b'{"id":1}', b' {"id": 2} ', b'{"a":{"b":"}{"},"id":3}\r', b'{"x":"\\"id\\"","id":4}')


@pytest.fixture
def store(make_store):
    return make_store(sound=False)


def mixed(rng: random.Random, n: int) -> bytes:
    """Lines of every kind in runs of every length, the last without its newline."""
    lines: list[bytes] = []
    while len(lines) < n:
        kind = rng.choice((JUNK, JUNK, JUNK, BLANK, WHOLE))
        lines += rng.choices(kind, k=rng.choice((1, 2, 50)))
    return b"\n".join(lines)


def taken(line: bytes):
    try:
        found = jsonl.parse_object(line)
    except jsontext.JsonDamage:
        return None
    return found.get("id")


@pytest.mark.parametrize("key", [b"id", b""], ids=["a key every line has", "any key"])
@pytest.mark.parametrize("seed", range(20))
def test_every_line_that_can_be_read_is_read_and_the_rest_is_in_a_damaged_spot(seed, key):
    data = mixed(random.Random(seed), 2_000)
    spots = DamagedSpots(data, code="c", file="f", remedy="", junk=junk_of(key))
    read = []
    for line in jsonl.lines(data, skip=spots.skip_junk):
        if taken(line.data) is None:
            spots.add(line, "no object")
        else:
            read.append((line.start, taken(line.data)))
    place, expected, damaged = 0, [], []
    for raw in data.split(b"\n")[:-1]:
        naive = taken(raw.removesuffix(b"\r"))
        if naive is not None:
            expected.append((place, naive))
        elif raw.strip():
            damaged.append((place, place + len(raw) + 1))
        place += len(raw) + 1
    assert read == expected
    problems = spots.problems()
    assert len(problems) >= MAX_SPOTS
    assert all(any(p.start <= start and end <= p.end for p in problems) for start, end in damaged)
    whole = [start for start, _ in expected]
    assert not any(p.start <= start < p.end for p in problems for start in whole)


def test_blank_lines_alone_are_no_damage():
    assert list(jsonl.lines(b"\n \n\r\n\x0b\n\n" * 1_000)) == []


@pytest.mark.parametrize("unit", [b"x\n", b"{\n", b"{}\n", b" \n", b"\n", b'{"a\n'], ids=ascii)
def test_a_day_of_junk_costs_little_and_the_next_event_finds_its_predecessor(store, unit):
    store.audit.record(Event("record_usage", "recall", detail={"result_count": 1}))
    (day,) = audit_log.days(store.paths)
    with store.paths.log_file(day).open("ab") as file:
        file.write(unit * 200_000)
    began = time.process_time()
    store.audit.record(Event("record_usage", "recall", detail={"result_count": 2}))
    items = list(audit_log.day_events(store.paths, day))
    walk = audit_log.chain(store.paths)
    assert time.process_time() - began < 2
    events = [item for item in items if not isinstance(item, Problem) and "event" in item]
    if unit == b"{}\n":  # an object without a hash: the chain begins anew behind it, and that is told as a break
        assert [event["seq"] for event in events] == [1, 1]
        assert walk.first_break is not None
    else:
        assert [event["seq"] for event in events] == [1, 2]
        assert events[1]["prev"] == walk_of_first(store, day)
    assert walk.n_events >= 2


def walk_of_first(store, day) -> str:
    """The hash of the first line, worked out from its bytes."""
    from memkit.model.event import seal_of

    return seal_of(store.paths.log_file(day).read_bytes().partition(b"\n")[0]).digest


def test_damaged_lines_that_might_have_been_objects_are_told_together_once_there_were_too_many():
    data = b'{"id":torn\n' * (MAX_SPOTS + 50)
    spots = DamagedSpots(data, code="c", file="f", remedy="", junk=junk_of(b"id"))
    for line in jsonl.lines(data, skip=spots.skip_junk):
        spots.add(line, "no object")
    problems = spots.problems()
    assert len(problems) == MAX_SPOTS
    assert (problems[-1].start, problems[-1].end) == (11 * (MAX_SPOTS - 1), len(data))
    assert problems[-1].detail.startswith("51 lines")


@pytest.mark.parametrize("after", [b"", b'{"id":"x","event":"record_usage"}\n'], ids=["at the end", "before an event"])
def test_junk_of_a_day_is_one_problem_once_there_was_too_much_of_it(store, after):
    store.audit.record(Event("record_usage", "recall", detail={"result_count": 1}))
    (day,) = audit_log.days(store.paths)
    file = store.paths.log_file(day)
    size = file.stat().st_size
    file.write_bytes(file.read_bytes() + b"x\n" * 1_000 + after)
    items = list(audit_log.day_events(store.paths, day))
    problems = [item for item in items if isinstance(item, Problem)]
    assert len(problems) == audit_log.MAX_TOLD + 1
    assert (problems[-1].detail, problems[-1].end) == ("no events", size + 2_000)
    assert len(items) - len(problems) == 1 + bool(after)
