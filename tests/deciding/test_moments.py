"""A moment that is none is blamed on the argument it was given as, wherever one can be given."""

import datetime as dt

import pytest

from memkit.errors import InvalidInputError
from memkit.model.moments import moment_of
from memkit.testing import temp_memory_root
from tests.stores import NOW

ASKED = {
    "audit.runs since": lambda mem, at: mem.audit.runs(since=at),
    "audit.events since": lambda mem, at: mem.audit.events(since=at),
    "audit.events until": lambda mem, at: mem.audit.events(until=at),
    "audit.usage since": lambda mem, at: mem.audit.usage(since=at),
    "audit.activity since": lambda mem, at: mem.audit.activity(since=at),
    "audit.health since": lambda mem, at: mem.audit.health(since=at),
    "timeline since": lambda mem, at: mem.timeline(since=at),
    "timeline until": lambda mem, at: mem.timeline(until=at),
    "timeline.explore since": lambda mem, at: mem.timeline.explore(since=at),
    "timeline.explore until": lambda mem, at: mem.timeline.explore(until=at),
    "retention.calendar until": lambda mem, at: mem.retention.calendar(at),
    "retention.review as_of": lambda mem, at: mem.retention.review(as_of=at),
    "retention.compare as_of": lambda mem, at: mem.retention.compare({}, {}, as_of=at),
    "in_force as_of": lambda mem, at: mem.in_force(at),
    "what_we_decided as_of": lambda mem, at: mem.what_we_decided("queue", as_of=at),
    "project_summary as_of": lambda mem, at: mem.project_summary(as_of=at),
    "tripwires.check as_of": lambda mem, at: mem.tripwires.check(as_of=at),
    "tripwires.backtest as_of": lambda mem, at: mem.tripwires.backtest(as_of=at),
}


@pytest.fixture(scope="module")
def mem():
    with temp_memory_root() as memory:
        yield memory


@pytest.mark.parametrize("given", ["garbage", "", dt.datetime(2027, 1, 1), 7, True, b"2027"], ids=repr)
@pytest.mark.parametrize("asked", sorted(ASKED))
def test_the_argument_is_named(mem, asked, given):
    with pytest.raises(InvalidInputError) as refused:
        ASKED[asked](mem, given)
    assert refused.value.field == asked.split()[1]
    assert refused.value.remedy


def test_a_day_an_instant_and_a_text_of_either_are_moments():
    noon = dt.datetime(2027, 1, 1, 12, tzinfo=dt.UTC)
    assert moment_of(None, NOW) is NOW
    assert moment_of(noon, NOW) is noon
    assert moment_of("2027-01-01T12:00:00Z", NOW) == noon
    assert moment_of(dt.date(2027, 1, 1), NOW) == moment_of("2027-01-01", NOW) == noon.replace(hour=0)
