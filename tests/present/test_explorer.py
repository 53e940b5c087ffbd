"""The explorer: pure functions first, then the widgets over them, then the still page beside them."""

import datetime as dt
import time

import pytest

from memkit.analytics.explore import Filters
from memkit.clock import UTC
from memkit.display import mimebundle
from memkit.errors import InvalidInputError
from memkit.present.explorer import AGES, Explorer
from memkit.testing import temp_memory_root
from tests.present.markup_check import read

NOW = dt.datetime.now(UTC)


@pytest.fixture(scope="module")
def mem():
    with temp_memory_root() as memory:
        old = memory.store(
            question="Which queue?",
            result={"conclusion": "Keep LISTEN/NOTIFY."},
            tags=["queue", "infra"],
            stored_at=NOW - dt.timedelta(days=60),
        ).id
        memory.store(
            question="Which queue now?",
            result={"conclusion": "Kafka carries events.", "supersedes": [old]},
            tags=["queue"],
        )
        memory.store(question="Who is on call?", result={"conclusion": "Grace."}, panel_id="people")
        memory.store(
            question="<script>alert(1)</script> & \x1b[31m\u202eevil?", result={"conclusion": "<b>no</b>"}, tags=["<i>"]
        )
        yield memory


def titles(found):
    return [row.title for row in found]


def events(memory):
    return sum(len(file.read_bytes()) for file in memory.paths.logs.glob("memory-*.log"))


def test_without_words_the_newest_come_first_and_superseded_ones_are_left_out(mem):
    found = mem.explore().value
    assert titles(found)[1:] == ["Who is on call?", "Which queue now?"]
    assert [row.score for row in found] == [None, None, None]


def test_words_rank_and_filters_narrow(mem):
    explorer = mem.explore("queue")
    assert titles(explorer.value) == ["Which queue now?"]
    assert explorer.value[0].score > 0
    assert titles(explorer.ask(superseded=True)) == ["Which queue now?", "Which queue?"]
    assert titles(explorer.ask(status="superseded", superseded=False)) == ["Which queue?"]
    assert titles(explorer.ask(query="", status=None, panel="people")) == ["Who is on call?"]
    assert titles(explorer.ask(panel=None, tags=("infra",), superseded=True)) == ["Which queue?"]
    assert titles(explorer.ask(since_days=30.0)) == []
    assert explorer.value.causes


def test_a_miss_says_why(mem):
    assert "zeppelin" in " ".join(mem.explore("zeppelin").value.causes)


def test_nothing_is_written_down_however_much_is_typed(mem):
    before = events(mem)
    explorer = mem.explore()
    for word in ("q", "qu", "queue"):
        explorer.ask(query=word)
    assert events(mem) == before


def test_what_can_be_chosen_is_counted(mem):
    facets = mem.explore().facets
    assert dict(facets.panels) == {"consensus": 3, "people": 1}
    assert dict(facets.tags)["queue"] == 2
    assert dict(facets.statuses)["superseded"] == 1


def test_a_hit_can_be_chosen_and_its_card_is_the_entry(mem):
    explorer = mem.explore("call")
    assert explorer.card is None
    card = explorer.select(explorer.value[0].id)
    assert card.question == "Who is on call?"
    explorer.ask(query="queue")
    assert explorer.selected is None
    with pytest.raises(KeyError):
        explorer.select("nothing")


def test_the_value_is_a_data_frame_with_ids(mem):
    frame = mem.explore("queue", superseded=True).to_pandas()
    assert list(frame["title"]) == ["Which queue now?", "Which queue?"]
    assert frame["id"].is_unique


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 201}, {"since_days": -1}, {"scope": "world"}], ids=str)
def test_filters_out_of_range_are_refused(wrong):
    with pytest.raises(InvalidInputError):
        Filters(**wrong)


# -- widgets -----------------------------------------------------------------------------------------------------


def parts(explorer):
    explorer.widget()
    return explorer._parts


def test_every_control_has_a_label(mem):
    labelled = {name: part.description for name, part in parts(mem.explore()).items() if name not in {"count", "card"}}
    assert all(labelled.values()), labelled


def test_the_widgets_ask_and_show_what_the_functions_say(mem):
    explorer = mem.explore()
    controls = parts(explorer)
    controls["panel"].value = "people"
    assert next(label for label, _ in controls["hits"].options).startswith("Who is on call?")
    controls["hits"].value = explorer.value[0].id
    assert "Grace" in controls["card"].value
    controls["panel"].value = ""
    controls["superseded"].value = True
    controls["since_days"].value = dict(AGES)["last 30 days"]
    assert "Which queue?" not in titles(explorer.value)
    controls["since_days"].value = controls["since_days"].options[0][1]
    assert "Which queue?" in titles(explorer.value)
    controls["tags"].value = ("infra",)
    assert titles(explorer.value) == ["Which queue?"]


def test_a_hit_is_chosen_by_its_number_as_well_and_both_say_the_same(mem):
    explorer = mem.explore("queue", superseded=True)
    controls = parts(explorer)
    assert (controls["number"].value, controls["number"].max) == (0, 2)
    controls["number"].value = 2
    assert explorer.selected == controls["hits"].value == explorer.value[1].id
    controls["hits"].value = explorer.value[0].id
    assert controls["number"].value == 1
    controls["number"].value = 0
    assert explorer.selected is controls["hits"].value is explorer.card is None


def test_fewer_hits_choose_no_other_one(mem):
    explorer = mem.explore(superseded=True)
    controls = parts(explorer)
    controls["number"].value = 4
    controls["panel"].value = "people"
    assert (explorer.selected, controls["number"].value, controls["number"].max) == (None, 0, 1)
    controls["number"].value = 1
    controls["panel"].value = ""
    assert explorer.selected == explorer.value[controls["number"].value - 1].id
    assert explorer.card.question == "Who is on call?"


def test_the_controls_begin_with_what_was_asked_for_even_where_nothing_has_it(mem):
    explorer = mem.explore(panel="nobody", status="rejected", tags=["a", "b"], since_days=12)
    controls = parts(explorer)
    said = [controls[name].label for name in ("panel", "status", "tags", "since_days")]
    assert said == ["nobody (0)", "rejected (0)", "a or b", "last 12 days"]
    controls["superseded"].value = True
    assert (explorer.filters.panel, explorer.filters.status, explorer.filters.since_days) == ("nobody", "rejected", 12)
    assert explorer.filters.tags == ("a", "b")


def test_keystrokes_wait_for_each_other(mem):
    explorer = mem.explore()
    asked = []
    look = explorer._look
    explorer._look = lambda filters: asked.append(filters.query) or look(filters)
    for text in ("q", "qu", "que", "queue"):
        parts(explorer)["query"].value = text
    for _ in range(100):
        if asked:
            break
        time.sleep(0.02)
    assert asked == ["queue"]
    for _ in range(100):
        if explorer.filters.query == "queue":
            break
        time.sleep(0.02)
    assert titles(explorer.value) == ["Which queue now?"]


# -- the still page ------------------------------------------------------------------------------------------------


def test_the_bundle_has_the_widget_and_a_still_page_that_says_the_same(mem):
    explorer = mem.explore("queue", superseded=True)
    explorer.select(explorer.value[0].id)
    bundle = mimebundle(explorer)
    assert "application/vnd.jupyter.widget-view+json" in bundle
    for said in ("Which queue now?", "Kafka carries events."):
        assert said in bundle["text/html"]
        assert said in bundle["text/plain"]
    read(bundle["text/html"])


def test_a_terminal_gets_the_still_page_as_text(mem):
    from IPython.core.formatters import DisplayFormatter

    explorer = mem.explore("queue")
    data, _ = DisplayFormatter(active_types=["text/plain"]).format(explorer)
    assert data["text/plain"] == explorer.to_text()
    assert "Which queue now?" in data["text/plain"]
    assert repr(explorer) == "<Explorer: 1 hit for 'queue'>"


def test_hostile_text_stays_text(mem):
    explorer = mem.explore()
    (hostile,) = [row.id for row in explorer.value if "alert" in row.title]
    explorer.select(hostile)
    bundle = mimebundle(explorer)
    assert "<script>" not in bundle["text/html"]
    assert "\x1b" not in bundle["text/plain"]
    assert "<b>no</b>" not in parts(explorer)["card"].value


def test_an_empty_store_greets_the_newcomer():
    with temp_memory_root() as empty:
        explorer = empty.explore()
        assert isinstance(explorer, Explorer)
        assert "Nothing is stored" in explorer.to_text()


def test_the_score_shown_is_the_one_hits_are_ordered_by_also_where_an_older_decision_earned_it():
    """A head with fewer of the words than what it replaced stands in its place, and so does the number beside it."""
    with temp_memory_root() as memory:
        old = memory.store(question="Kafka kafka kafka?", result={"conclusion": "Kafka."}).id
        long = "A broker of which nobody has heard, chosen after weeks of talk. " * 5
        memory.store(question="Which broker?", result={"conclusion": f"{long} No kafka.", "supersedes": [old]})
        memory.store(question="Where is kafka used, and why?", result={"conclusion": "In the depot."})
        hits = memory.recall("kafka").rows
        assert [hit.score for hit in hits] != sorted((hit.score for hit in hits), reverse=True)
        shown = [row.score for row in memory.explore("kafka").value]
        assert shown == sorted(shown, reverse=True) == [hit.rank_score for hit in hits]
