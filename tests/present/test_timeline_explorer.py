"""A period chosen by hand: functions first, then the slider over them, then the still page beside it."""

import contextlib
import datetime as dt
import threading
import time

import pytest

from memkit.clock import UTC, FixedClock
from memkit.display import mimebundle
from memkit.errors import InvalidInputError
from memkit.present import timeline_explorer
from memkit.present.timeline_explorer import KINDS
from memkit.testing import temp_memory_root
from tests.present.markup_check import read, without_style, words

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=UTC)


def decided(question, day, **more):
    return {
        "question": question,
        "result": {"conclusion": f"About {question}", **more},
        "panel_id": "consensus",
        "stored_at": dt.datetime.fromisoformat(day).replace(tzinfo=UTC),
    }


@contextlib.contextmanager
def filled():
    with temp_memory_root(clock=FixedClock(NOW)) as memory:
        first = memory.store(**decided("Which queue?", "2026-01-10", tripwires=["revisit by 2026-06-01"])).id
        memory.store(**decided("Which database?", "2026-03-31"))
        memory.store(**decided("Which cache?", "2026-04-01"))
        memory.store(**decided("Which queue now?", "2026-08-20", supersedes=[first]))
        yield memory


@pytest.fixture(scope="module")
def mem():
    with filled() as memory:
        yield memory


@pytest.fixture
def explorer(mem):
    return mem.timeline.explore()


def seen(explorer):
    return [(event.kind, event.title) for event in explorer.events]


def parts(explorer):
    explorer.widget()
    return explorer._parts


def wait_for(true):
    for _ in range(150):
        if true():
            return
        time.sleep(0.02)
    raise AssertionError("it did not come")


# -- functions ---------------------------------------------------------------------------------------------------


def test_the_timeline_still_answers_when_it_is_called(mem):
    assert mem.timeline(bucket="quarter").bucket == "quarter"
    assert len(mem.timeline("2026-03-01", "2026-04-30")) == 2


def test_it_begins_with_the_whole_time_or_with_the_period_that_is_asked(mem, explorer):
    assert len(explorer.value) == 11
    assert len(seen(explorer)) == 6
    assert seen(mem.timeline.explore("2026-03-01", "2026-04-30")) == [
        ("decided", "Which database?"),
        ("decided", "Which cache?"),
    ]


def test_a_period_and_kinds_narrow_what_is_seen(explorer):
    explorer.ask(since="2026-05-01")
    assert [kind for kind, _ in seen(explorer)] == ["revisit-due", "decided", "superseded"]
    explorer.ask(kinds=("superseded",))
    assert seen(explorer) == [("superseded", "Which queue?")]
    for shown in (explorer.to_text(), explorer.value.to_text(), explorer.value.chart().to_text()):
        assert "Only events that are superseded." in shown
        assert "Decided" not in shown
        assert "Which database?" not in shown
    assert sum(row.superseded for row in explorer.value) == 1
    explorer.ask(since=None, kinds=())
    assert len(seen(explorer)) == 6


def test_the_value_is_a_data_frame_of_events(explorer):
    frame = explorer.to_pandas()
    assert list(frame.columns) == ["at", "kind", "entry_id", "title", "detail", "project_key"]
    assert len(frame) == 6
    assert explorer.ask(until="2020-01-01") is explorer.value
    assert list(explorer.to_pandas().columns) == list(frame.columns)


@pytest.mark.parametrize(
    "wrong",
    [{"kinds": ("born",)}, {"bucket": "fortnight"}, {"since": "2026-09-01", "until": "2026-01-01"}, {"since": "soon"}],
    ids=str,
)
def test_what_cannot_be_looked_at_is_refused_and_the_last_period_stays(explorer, wrong):
    before = explorer.period
    with pytest.raises(InvalidInputError):
        explorer.ask(**wrong)
    assert explorer.period == before


def test_an_event_can_be_chosen_and_its_card_is_the_entry(explorer):
    assert explorer.card is None
    assert explorer.select(0).question == "Which queue?"
    explorer.ask(since="2026-03-01")
    assert explorer.card is None
    with pytest.raises(IndexError):
        explorer.select(99)


def test_of_what_is_gone_the_card_says_so():
    with filled() as memory:
        explorer = memory.timeline.explore()
        explorer.select(0)
        memory.erase(explorer.selected.entry_id, confirm=True)
        assert "not in this project's memory any more" in repr(explorer.card)


def test_an_empty_memory_has_no_time_to_look_at():
    with temp_memory_root() as memory:
        explorer = memory.timeline.explore()
        assert explorer.events == ()
        assert parts(explorer)["period"].disabled
        assert "no decision" in explorer.to_text()
        assert "memkit import adr" in explorer.to_text()


# -- the slider --------------------------------------------------------------------------------------------------


def test_every_control_has_a_label(explorer):
    named = {"period", "first", "last", "bucket", "kinds", "all", "events", "number"}
    labelled = {name: part.description for name, part in parts(explorer).items() if name in named}
    assert set(labelled) == named
    assert all(labelled.values()), labelled


def test_the_slider_takes_whole_stretches_to_their_last_moment(explorer):
    controls = parts(explorer)
    controls["period"].value = (dt.date(2026, 2, 1), dt.date(2026, 3, 1))
    wait_for(lambda: len(explorer.events) == 1)
    assert seen(explorer) == [("decided", "Which database?")]
    assert len(explorer.value) == 2
    controls["all"].click()
    assert len(explorer.events) == 6
    assert controls["period"].value == (dt.date(2026, 1, 1), dt.date(2026, 11, 1))


def test_dragging_asks_once(explorer, monkeypatch):
    asked = []
    look = explorer._look
    monkeypatch.setattr(explorer, "_look", lambda *period: asked.append(period[0]) or look(*period))
    explorer._soon._seconds = 0.4
    for month in (2, 3, 4):
        parts(explorer)["period"].value = (dt.date(2026, month, 1), dt.date(2026, 11, 1))
    wait_for(lambda: explorer.period.since is not None)
    assert [since.month for since in asked] == [4]


def test_other_stretches_give_the_slider_other_stops(explorer):
    controls = parts(explorer)
    controls["bucket"].value = "quarter"
    assert [name for name, _ in controls["period"].options] == ["2026 Q1", "2026 Q2", "2026 Q3", "2026 Q4"]
    controls["bucket"].value = "year"
    assert [name for name, _ in controls["period"].options] == ["2026"]
    controls["bucket"].value = "day"
    assert len(controls["period"].options) == 325
    assert len(explorer.events) == 6


def test_the_list_chooses_the_card(explorer):
    controls = parts(explorer)
    assert controls["events"].options[0][0].startswith("2026-08-20")
    controls["events"].value = controls["events"].options[-1][1]
    assert "About Which queue?" in controls["card"].value
    controls["kinds"].value = ("superseded",)
    assert controls["card"].value == ""


def test_a_number_chooses_the_card_as_well(explorer):
    controls = parts(explorer)
    controls["number"].value = controls["number"].max
    assert controls["events"].value == controls["events"].options[-1][1]
    assert "About Which queue?" in controls["card"].value
    controls["number"].value = 0
    assert explorer.selected is controls["events"].value is None


def test_the_ends_can_be_chosen_from_lists_and_the_slider_follows(explorer):
    controls = parts(explorer)
    controls["first"].value = dt.date(2026, 2, 1)
    wait_for(lambda: explorer.period.since is not None)
    controls["last"].value = dt.date(2026, 3, 1)
    wait_for(lambda: len(explorer.events) == 1)
    assert controls["period"].value == (controls["first"].value, controls["last"].value)
    explorer.ask(kinds=("decided", "pruned"))
    assert controls["kinds"].label == "decided or pruned"


def test_what_cannot_be_done_is_said(mem, explorer, monkeypatch):
    controls = parts(explorer)
    monkeypatch.setattr("memkit.analytics.timeline.MOST_BUCKETS", 3)
    controls["bucket"].value = "day"
    assert "Choose longer stretches" in controls["said"].value
    assert controls["bucket"].value == "month"


# -- the still page ----------------------------------------------------------------------------------------------


def test_the_bundle_has_the_slider_and_a_still_page_that_says_the_same(explorer):
    explorer.select(0)
    bundle = mimebundle(explorer)
    assert "application/vnd.jupyter.widget-view+json" in bundle
    page = words(read(without_style(bundle["text/html"])).text)
    for said in ("4 decided, 1 superseded, 1 revisit due", "Which queue now?", "About Which queue?"):
        assert said in page
        assert said in words(bundle["text/plain"])
    assert '<img alt="' in bundle["text/html"]


def test_without_the_extra_the_table_stands_alone(explorer, monkeypatch):
    monkeypatch.setattr(timeline_explorer, "find_spec", lambda _: None)
    page = explorer.to_html()
    assert "<img" not in page
    assert "In force at the end" in page


def test_the_kinds_are_those_a_timeline_has(explorer):
    assert {event.kind for event in explorer.value.events} <= set(KINDS)


def test_what_is_wished_while_something_else_is_drawn_is_not_lost(explorer, monkeypatch):
    controls = parts(explorer)
    draw = timeline_explorer.timeline_chart
    begun, go_on = threading.Event(), threading.Event()

    def slowly(timeline):
        begun.set()
        go_on.wait(5)
        return draw(timeline)

    monkeypatch.setattr(timeline_explorer, "timeline_chart", slowly)
    controls["period"].value = (dt.date(2026, 2, 1), dt.date(2026, 11, 1))
    assert begun.wait(5)
    controls["period"].value = (dt.date(2026, 2, 1), dt.date(2026, 3, 1))
    go_on.set()
    wait_for(lambda: len(explorer.value) == 2)
    wait_for(lambda: controls["period"].value == (dt.date(2026, 2, 1), dt.date(2026, 3, 1)))
