"""A model says what a candidate is; it chooses among what it was shown, and its failures lose nothing."""

import asyncio
import json
import sys

import pytest

from memkit.consolidate.adjudicate import Question
from memkit.consolidate.balance import balance
from memkit.consolidate.corpus import Corpus
from memkit.consolidate.model_adjudicator import AbsentModel, ModelAdjudicator, model_adjudicator
from memkit.errors import ModelError
from memkit.store import deadletters, records, staging
from tests.consolidate.test_reconcile import LEASE, fates, keep, made, read, run, stage
from tests.stores import open_store

pytest.importorskip("pydantic_ai", reason="the extra llm is not installed")


@pytest.fixture
def store(root, project, clock):
    store = open_store(root, project, clock)
    keep(store, "lease", f"# Lease\n\n{LEASE}\n\nIt takes an hour.")
    stage(store, "s1", made("lessons", f"{LEASE} But look at the network first."))
    return store


def answering(*answers, seen=None):
    """A model that gives these answers, one after the other; a callable is called."""
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    left = list(answers)

    def answer(messages, info):
        if seen is not None:
            seen.append(messages)
        given = left.pop(0)
        return given() if callable(given) else ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, given)])

    return FunctionModel(answer)


def prompt(messages):
    return json.loads(messages[0].parts[-1].content)


VERDICTS = {
    "distinct": ({"decision": "distinct"}, "added"),
    "duplicate": ({"decision": "duplicate", "record": 1}, "duplicate"),
    "supersedes": ({"decision": "supersedes", "record": 1, "reason": "it says more"}, "superseding"),
    "merge": ({"decision": "merge", "record": 1, "text": "# Lease\n\nMeasure it, then the network."}, "merged"),
    "discard": ({"decision": "discard"}, "discarded"),
}


@pytest.mark.parametrize(("answer", "fate"), VERDICTS.values(), ids=VERDICTS)
def test_each_of_the_five_verdicts_is_carried_out(store, answer, fate):
    report = run(store, ModelAdjudicator(answering(answer)))
    assert fates(report) == [(fate, "")]
    assert report.rows[0].adjudicator.startswith("model:function")
    assert report.rows[0].attempts == 1
    assert balance(store.paths).is_even


def test_the_code_fills_in_what_the_model_may_not_choose(store):
    report = run(store, ModelAdjudicator(answering(VERDICTS["merge"][0])))
    new = read(store, report.written[0].partition("/")[2].removesuffix(".md"))
    assert new.body == "# Lease\n\nMeasure it, then the network."
    assert (new.supersedes, new.sources) == (("lease",), ("session s1, turns 3-4",))
    assert read(store, "lease").superseded_by == new.slug


def test_the_model_is_shown_candidate_and_records_as_data(store):
    seen = []
    run(store, ModelAdjudicator(answering(VERDICTS["distinct"][0], seen=seen)))
    shown = prompt(seen[0])
    assert shown["candidate"]["text"].endswith("look at the network first.")
    assert [(row["number"], row["status"]) for row in shown["records"]] == [(1, "active")]


WRONG = {
    "a record it was not shown": {"decision": "duplicate", "record": 7},
    "no record": {"decision": "supersedes"},
    "a needless record": {"decision": "distinct", "record": 1},
    "a merge without a text": {"decision": "merge", "record": 1},
    "an unknown word": {"decision": "eat"},
    "a text too long": {"decision": "merge", "record": 1, "text": "x" * 20_001},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_an_answer_that_cannot_be_carried_out_is_sent_back_once(store, wrong):
    model = ModelAdjudicator(answering(wrong, VERDICTS["duplicate"][0]))
    assert fates(run(store, model)) == [("duplicate", "")]
    assert model.usage["calls"] == 2


def test_a_model_that_answers_nonsense_three_runs_long_makes_a_dead_letter(store):
    before = records.find(store.paths, "lease").sha256
    found = []
    for _ in range(3):
        report = run(store, ModelAdjudicator(answering(*[WRONG["no record"]] * 2)))
        found.append((report.rows[0].attempts, report.rows[0].fate, report.rows[0].reason))
    assert found == [
        (1, "restaged", "model_error"),
        (2, "restaged", "model_error"),
        (3, "dead_lettered", "model_error"),
    ]
    assert records.find(store.paths, "lease").sha256 == before
    assert [each.attempts for each in deadletters.read_letters(store.paths)[0]] == [3]
    assert balance(store.paths).is_even


def test_a_model_that_takes_too_long_counts_as_an_attempt(store):
    from pydantic_ai.models.function import FunctionModel

    async def slow(messages, info):
        await asyncio.sleep(30)

    report = run(store, ModelAdjudicator(FunctionModel(slow), max_seconds=0.05))
    assert fates(report) == [("restaged", "model_error")]
    assert (report.rows[0].attempts, report.rows[0].why) == (1, "no answer within 0.05 s")


def test_a_spent_budget_leaves_the_rest_staged_unattempted(store):
    stage(store, "s2", made("lessons", f"{LEASE} Or at the disk, if it is full."))
    model = ModelAdjudicator(answering({"decision": "discard"}), max_questions=1)
    report = run(store, model)
    assert sorted(fates(report)) == [("discarded", ""), ("restaged", "budget_spent")]
    (file,) = staging.read_all(store.paths)[0]
    assert [each.reconcile_attempts for each in file.candidates] == [0]


def test_a_record_that_is_superseded_cannot_be_chosen(store):
    keep(store, "old", f"# Old\n\n{LEASE} But look at the network first.", status="superseded", superseded_by="lease")
    (file,) = staging.read_all(store.paths)[0]
    (candidate,) = file.candidates
    question = Question(candidate, "k", "s1", Corpus(store.paths).near(candidate))
    (past,) = [n for n, near in enumerate(question.shortlist, 1) if not near.record.is_active]
    with pytest.raises(ModelError):
        ModelAdjudicator(answering(*[{"decision": "duplicate", "record": past}] * 2)).decide(question)


def test_any_answer_of_the_schema_does_no_harm(store):
    from pydantic_ai.models.test import TestModel

    (row,) = run(store, ModelAdjudicator(TestModel())).rows
    assert (row.fate, row.attempts) in {("restaged", 1), ("added", 1), ("duplicate", 1)}
    assert balance(store.paths).is_even


@pytest.mark.parametrize("name", ["", "nobody:knows-it", "no name at all"])
def test_without_a_usable_model_what_collides_is_staged_unattempted(store, name):
    model, why = model_adjudicator(name)
    assert isinstance(model, AbsentModel)
    assert why
    assert fates(run(store, model)) == [("restaged", "model_missing")]
    (file,) = staging.read_all(store.paths)[0]
    assert file.candidates[0].reconcile_attempts == 0


def test_without_the_extra_it_says_how_to_install_it(store, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    model, why = model_adjudicator("test")
    assert "memkit[llm]" in why
    assert fates(run(store, model)) == [("restaged", "model_missing")]
