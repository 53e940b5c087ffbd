"""Trying other limits: functions first, then the sliders over them, then the still page beside them."""

import contextlib
import datetime as dt
import time

import pytest

from memkit.clock import UTC, FixedClock
from memkit.display import explored, mimebundle
from memkit.errors import InvalidInputError, PolicyError, StalePlanError, UsageError
from memkit.present import retention_explorer
from memkit.testing import temp_memory_root
from tests.present import samples
from tests.present.markup_check import read, without_style, words

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=UTC)
AGES = (400, 300, 200, 100, 10, 0)


@contextlib.contextmanager
def filled():
    with temp_memory_root(clock=FixedClock(NOW)) as memory:
        requests = [
            {
                "question": f"Question of {age} days?",
                "result": {"conclusion": f"Answer {age}."},
                "stored_at": NOW - dt.timedelta(days=age),
            }
            for age in AGES
        ]
        memory.store_many(requests)
        yield memory


@pytest.fixture
def mem():
    with filled() as memory:
        yield memory


@pytest.fixture
def explorer(mem):
    """Begins where everything is kept."""
    return mem.retention.explore({"max_age_days": "none"})


@pytest.fixture(scope="module")
def looked_at():
    """A store that nobody changes."""
    with filled() as memory:
        yield memory


@pytest.fixture
def looking(looked_at):
    return looked_at.retention.explore({"max_age_days": "none"})


def titles(review):
    return [row.title for row in review.due]


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


def test_it_begins_with_the_settings_or_with_what_is_asked(looked_at, looking):
    assert looking.policy.max_age_days == "none"
    own = looked_at.retention.explore()
    assert own.policy == looked_at.retention.policy
    assert own.value.is_own
    with pytest.raises(PolicyError):
        looked_at.retention.explore({"max_age_days": -1})


def test_other_limits_show_what_falls_and_change_nothing(looked_at, looking):
    assert titles(looking.value) == []
    assert titles(looking.ask(max_age_days=250)) == ["Question of 400 days?", "Question of 300 days?"]
    assert titles(looking.ask(max_age_days="none", max_results=3)) == [f"Question of {age} days?" for age in AGES[:3]]
    assert len(looked_at.list()) == len(AGES)
    assert list(looking.to_pandas()["title"]) == titles(looking.value)
    assert looking.to_pandas()["entry_id"].is_unique


def test_a_limit_that_is_none_is_refused_and_the_last_one_stays(looking):
    looking.ask(max_age_days=250)
    with pytest.raises(PolicyError):
        looking.ask(max_age_days=-5)
    with pytest.raises(InvalidInputError):
        looking.ask(due_within=-1)
    assert looking.policy.max_age_days == 250
    assert looking.ask().due_within_days == 30


def test_limits_of_single_panels_stay_as_they_are(looked_at):
    looking = looked_at.retention.explore({"panels": {"consensus": {"max_age_days": "none"}}})
    assert titles(looking.ask(max_age_days=1)) == []


def test_where_retention_is_off_nothing_falls_until_it_is_tried_on(looked_at):
    explorer = looked_at.retention.explore({"enabled": False})
    assert titles(explorer.ask(max_age_days=250)) == []
    parts(explorer)["enabled"].value = True
    wait_for(lambda: len(explorer.value.due) == 2)


def test_nothing_is_applied_before_it_was_prepared(mem, explorer):
    explorer.ask(max_age_days=250)
    with pytest.raises(UsageError):
        explorer.apply()
    would = explorer.prepare()
    assert would.dry_run
    assert len(mem.list()) == len(AGES)
    done = explorer.apply()
    assert done.moved == would.moved
    assert len(mem.list()) == len(AGES) - 2
    assert titles(explorer.value) == []
    assert mem.verify() == []


def test_other_limits_take_the_first_step_back(looked_at, looking):
    looking.ask(max_age_days=250)
    looking.prepare()
    looking.ask(max_age_days=150)
    with pytest.raises(UsageError):
        looking.apply()
    looking.prepare()
    looking.cancel()
    with pytest.raises(UsageError):
        looking.apply()
    assert len(looked_at.list()) == len(AGES)


@pytest.mark.parametrize("step", ["prepare", "apply"])
def test_a_store_that_changed_since_is_refused_and_shown_anew(mem, explorer, step):
    explorer.ask(max_age_days=250)
    if step == "apply":
        explorer.prepare()
    mem.retention.pin(explorer.value.due[0].entry_id, "wanted")
    with pytest.raises(StalePlanError):
        getattr(explorer, step)()
    assert len(mem.list()) == len(AGES)
    assert explorer.prepared is None
    assert titles(explorer.value) == ["Question of 300 days?"]
    assert "a pin was set" in explorer.refusal
    explorer.prepare()
    assert len(explorer.apply().moved) == 1


def test_a_plan_that_leaves_nothing_is_refused(looked_at, looking):
    looking.ask(max_results=0)
    with pytest.raises(PolicyError):
        looking.prepare()
    assert len(looked_at.list()) == len(AGES)


def test_an_empty_store_has_nothing_to_forget():
    with temp_memory_root() as memory:
        explorer = memory.retention.explore()
        assert titles(explorer.value) == []
        assert parts(explorer)["apply"].disabled
        assert "Nothing of 0 entries is due" in explorer.to_text()
        assert "memkit import adr" in explorer.to_text()


def test_nobody_looks_around_in_what_was_not_made_for_it():
    with pytest.raises(TypeError):
        explored(3)


# -- sliders -----------------------------------------------------------------------------------------------------


def test_every_control_has_a_label(looking):
    looking.ask(max_age_days=250)
    looking.widget()
    looking.prepare()
    named = {"days", "number", "ahead", "enabled", "reset", "apply", "yes", "no"}
    labelled = {name: part.description for name, part in parts(looking).items() if name in named}
    assert set(labelled) == named
    assert all(labelled.values()), labelled


def test_the_sliders_reach_every_number_and_name_that_of_the_settings(looking):
    days, number = looking.stops()
    assert [limit for _, limit in number] == [*range(len(AGES) + 1), 1000, "none"]
    assert {0, 1, 365, 400, "none"} <= {limit for _, limit in days}
    assert dict(days)["365 days (set)"] == 365
    assert dict(number)["1,000 entries (set)"] == 1000


def test_a_slider_of_many_entries_has_few_stops():
    from memkit.present.retention_explorer import MOST_STOPS, _stops

    stops = _stops(123_456, [1000, "none"])
    assert len(stops) <= MOST_STOPS + 5
    assert {0, 1000, 123_456, "none"} <= set(stops)


def test_dragging_waits_until_the_hand_rests(looking, monkeypatch):
    asked = []
    look = looking._look
    monkeypatch.setattr(
        looking, "_look", lambda policy, ahead: asked.append(policy.max_age_days) or look(policy, ahead)
    )
    looking._soon._seconds = 0.4
    for days in (350, 300, 250):
        parts(looking)["days"].value = days
    wait_for(lambda: "Question of 400 days?" in parts(looking)["page"].value)
    assert asked == [250]


def test_the_buttons_ask_before_they_move(mem, explorer):
    explorer.ask(max_age_days=250)
    controls = parts(explorer)
    assert controls["apply"].description == "Move 2 to the trash…"
    assert controls["sure"].layout.display == "none"
    controls["apply"].click()
    assert controls["sure"].layout.display == ""
    assert "Move 2 entries to the trash?" in controls["question"].value
    controls["no"].click()
    assert controls["sure"].layout.display == "none"
    assert len(mem.list()) == len(AGES)
    controls["apply"].click()
    controls["yes"].click()
    assert len(mem.list()) == len(AGES) - 2
    assert "Moved 2 entries to the trash" in controls["said"].value
    assert controls["sure"].layout.display == "none"
    assert controls["apply"].disabled


def test_a_refusal_is_said_beside_the_buttons(mem, explorer):
    explorer.ask(max_age_days=250)
    controls = parts(explorer)
    controls["apply"].click()
    mem.store(question="One more?", result={"conclusion": "Yes."})
    controls["yes"].click()
    assert "Nothing was changed" in controls["said"].value
    assert controls["sure"].layout.display == "none"
    assert len(mem.list()) == len(AGES) + 1


def test_back_to_the_settings(looked_at, looking):
    looking.ask(max_age_days=5, max_results=3, enabled=True)
    controls = parts(looking)
    controls["reset"].click()
    assert looking.policy == looked_at.retention.policy
    assert (controls["days"].value, controls["number"].value) == (365, 1000)


def test_a_limit_between_two_stops_gets_one_of_its_own(looking):
    controls = parts(looking)
    looking.ask(max_age_days=12_345)
    assert controls["days"].value == 12_345


def test_only_the_question_is_hidden_while_there_is_none(looking):
    def boxes(widget):
        yield widget
        for child in getattr(widget, "children", ()):
            yield from boxes(child)

    hidden = [each for each in boxes(looking.widget()) if each.layout.display == "none"]
    assert hidden == [parts(looking)["sure"]]


def test_limits_can_be_typed_and_what_is_none_is_said(looking):
    controls = parts(looking)
    assert (controls["days_typed"].value, controls["days"].value) == ("none", "none")
    controls["days_typed"].value = "250"
    assert (len(looking.value.due), controls["days"].value) == (2, 250)
    controls["days_typed"].value = "soon"
    assert "Nothing was changed" in controls["said"].value
    assert controls["days_typed"].value == "250"
    controls["number_typed"].value = "1,000"
    assert looking.policy.max_results == 1_000
    controls["days_typed"].value = "none"
    assert looking.value.due == ()


# -- the still page ----------------------------------------------------------------------------------------------


def test_the_bundle_has_the_sliders_and_a_still_page_that_says_the_same(explorer):
    explorer.ask(max_age_days=250)
    bundle = mimebundle(explorer)
    assert "application/vnd.jupyter.widget-view+json" in bundle
    page = words(read(without_style(bundle["text/html"])).text)
    for said in ("2 of 6 entries due to be forgotten", "Question of 300 days?", "2 more due than by that"):
        assert said in page
        assert said in words(bundle["text/plain"]) or said.startswith("Question")
    explorer.prepare()
    assert "Move 2 entries to the trash?" in explorer.to_html()
    explorer.apply()
    assert "Done: Moved 2 entries" in words(read(without_style(explorer.to_html())).text)


def test_many_that_are_due_are_counted_without_being_made(looking):
    review = looking.ask(max_age_days=50)
    assert review.n_due == len(review.due) == 4
    assert [row.entry_id for row in review.first_due(2)] == [row.entry_id for row in review.due[:2]]


def test_the_page_shows_how_old_the_entries_are(looking, monkeypatch):
    looking.ask(max_age_days=250)
    assert "The dashed line is the limit, 250 days." in looking.to_html()
    monkeypatch.setattr(retention_explorer, "find_spec", lambda _: None)
    assert "<img" not in looking.to_html()


@pytest.mark.parametrize("text", [pytest.param(text, id=key) for key, text in samples.HOSTILE.items()])
def test_whatever_was_stored_stays_text(text):
    with temp_memory_root(clock=FixedClock(NOW)) as memory:
        stored = NOW - dt.timedelta(days=400)
        memory.store(question=f"x {text}"[:5_000], result={"conclusion": text}, stored_at=stored, tags=["a"])
        memory.store(question="Kept?", result={"conclusion": "Yes."})
        explorer = memory.retention.explore({"max_age_days": 30})
        assert explorer.value.n_due == 1
        assert not {"script", "iframe", "b", "i", "a"} & set(read(without_style(parts(explorer)["page"].value)).tags)
        assert not set(explorer.to_html()) & set("\u202e\u202c\u2066\u200b\ufeff\x1b\x00")
        time_explorer = memory.timeline.explore()
        time_explorer.widget()
        labels = "".join(label for label, _ in time_explorer._parts["events"].options)
        assert not set(labels) & set("\u202e\u202c\u2066\u200b\ufeff\x1b\x00\n")
        time_explorer.select(0)
        assert not {"script", "iframe", "b", "i", "a"} & set(read(without_style(time_explorer.to_html())).tags)
