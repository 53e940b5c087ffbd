import json
import math

import pytest

from memkit.testing import temp_memory_root
from tests.quality import conversations, labelled
from tests.quality.measures import Asked, by_kind, score
from tests.quality.systems import systems

CONVERSATION = {
    "speaker_a": "Ann",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_2": [{"speaker": "Bo", "dia_id": "D2:1", "text": "My sister keeps bees near Uppsala."}],
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I went sailing with my dog."},
        {"speaker": "Bo", "dia_id": "D1:2", "text": "Lovely! I painted the kitchen green."},
        {"speaker": "Ann", "dia_id": "D1:3", "text": " "},
    ],
}
QUESTIONS = [
    {"question": "What colour is the kitchen?", "evidence": ["D1:2"], "category": 4},
    {"question": "Who keeps bees and who sails?", "evidence": ["D1:1; D2:1"], "category": 1},
    {"question": "What is not answered?", "evidence": [], "category": 5},
]


@pytest.mark.parametrize("nested", [True, False], ids=["under conversation", "at the top"])
def test_a_conversation_file_gives_turns_in_order_and_questions_with_evidence(tmp_path, nested):
    sample = {"qa": QUESTIONS} | ({"conversation": CONVERSATION} if nested else CONVERSATION)
    (tmp_path / "locomo.json").write_text(json.dumps([sample]), "utf-8")
    (tmp_path / "other.json").write_text('{"qa": 3}', "utf-8")
    (found,) = conversations.read(tmp_path)
    assert [turn.dia_id for turn in found.turns] == ["D1:1", "D1:2", "D2:1"]
    assert found.asked == (
        Asked("category 4", "What colour is the kitchen?", frozenset({"D1:2"})),
        Asked("category 1", "Who keeps bees and who sails?", frozenset({"D1:1", "D2:1"})),
    )


def test_a_conversation_is_searched_turn_by_turn(tmp_path):
    (tmp_path / "one.json").write_text(json.dumps(CONVERSATION | {"qa": QUESTIONS}), "utf-8")
    (conversation,) = conversations.read(tmp_path)
    with temp_memory_root() as memory:
        for name, search in systems(conversations.fill(memory, conversation)).items():
            assert search("kitchen")[0] == "D1:2", name
            assert search("zeppelin") == [], name


def test_every_label_names_a_decision_of_the_samples_and_questions_are_distinct():
    with temp_memory_root() as memory:
        collection = labelled.fill(memory)
        asked = labelled.questions(collection)
        assert len(asked) == len({each.question for each in asked}) == 150
        assert set().union(*(each.relevant for each in asked)) <= set(collection.names.values())
        # A word of the text finds what it was labelled with; the table of `make quality` has the rest.
        plain = by_kind(systems(collection)["memkit"], asked)
        assert plain["words"]["recall@10"] >= 0.98


def test_measures_are_what_the_formulas_say():
    found = score(list("xaybz"), frozenset("abc"))
    assert found["recall@5"] == found["recall@10"] == 2 / 3
    assert found["MRR"] == 1 / 2
    gain = 1 / math.log2(3) + 1 / math.log2(5)
    assert math.isclose(found["nDCG@10"], gain / (1 + 1 / math.log2(3) + 1 / 2))
    assert score([], frozenset("a")) == {"recall@5": 0, "recall@10": 0, "MRR": 0, "nDCG@10": 0}
