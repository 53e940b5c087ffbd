"""Candidates: tolerant reading, named faults, repairs that need no person."""

import pytest

from memkit.model.candidate import (
    CATEGORIES,
    KIND_OF,
    MAX_BODY_CHARS,
    MAX_TITLE_CHARS,
    REASONS,
    Candidate,
    CandidateDamage,
    Evidence,
    as_category,
    derived_triggers,
    faults,
    read_candidate,
    repaired,
    said_digest,
    title_of,
)

WHOLE = {
    "title": "Retries stop at three",
    "summary": "Three tries, then a person is told.",
    "body": "Three tries, then a person is told. More hides the fault.",
    "triggers": ["retry", "timeout"],
    "tags": ["payments"],
    "tripwires": ["error rate exceeds 2%"],
    "evidence": [{"turns": [3, 3], "lines": [7, 7], "excerpt": "Lesson: ..."}],
    "reconcile_attempts": 2,
    "supersedes": ["retry-five-times"],
    "scope": "project",
    "confidence": 0.9,
}


@pytest.mark.parametrize("category", CATEGORIES)
def test_a_candidate_written_and_read_again_is_the_same_with_what_memkit_does_not_know(category):
    read = read_candidate(category, WHOLE)
    assert read.extra == {"confidence": 0.9}
    assert read.kind == KIND_OF[category]
    assert read.evidence == (Evidence(3, 3, "Lesson: ...", 7, 7),)
    assert read_candidate(category, read.to_dict()) == read
    assert faults(read) == ()


def test_evidence_of_another_shape_is_kept():
    of_text = read_candidate("lessons", {"title": "t", "evidence": "somebody said so"})
    assert of_text.evidence == (Evidence(0, 0, "somebody said so"),)
    foreign = {"turns": "3-4", "message": "m1", "excerpt": "e"}
    (evidence,) = read_candidate("lessons", {"title": "t", "evidence": [foreign]}).evidence
    assert evidence.extra == {"turns": "3-4", "message": "m1"}
    assert evidence.to_dict()["excerpt"] == "e"
    assert evidence.to_dict()["message"] == "m1"


DAMAGE = {
    "a text": ("just a text", "not-an-object"),
    "null": (None, "not-an-object"),
    "empty": ({}, "no-text"),
    "blank": ({"title": " ", "body": "\n"}, "no-text"),
    "title of a number": ({"title": 7}, "wrong-type"),
    "triggers of numbers": ({"title": "t", "triggers": [1]}, "wrong-type"),
    "evidence of a number": ({"title": "t", "evidence": [4]}, "wrong-type"),
    "negative attempts": ({"title": "t", "reconcile_attempts": -1}, "bad-attempts"),
    "attempts of yes": ({"title": "t", "reconcile_attempts": True}, "bad-attempts"),
    "half a character": ({"title": "\ud800"}, "half-character"),
}


@pytest.mark.parametrize(("raw", "reason"), DAMAGE.values(), ids=DAMAGE.keys())
def test_what_is_no_candidate_says_why_in_a_word(raw, reason):
    with pytest.raises(CandidateDamage) as caught:
        read_candidate("lessons", raw)
    assert caught.value.reason == reason
    assert reason in REASONS


FAULTS = {
    "no title": ({"title": ""}, "no-title"),
    "no summary": ({"summary": " "}, "no-summary"),
    "no body": ({"body": ""}, "no-body"),
    "long title": ({"title": "x" * (MAX_TITLE_CHARS + 1)}, "long-title"),
    "long body": ({"body": "x" * (MAX_BODY_CHARS + 1)}, "long-body"),
    "lines in the title": ({"title": "a\nb"}, "title-of-lines"),
    "no triggers": ({"triggers": []}, "no-triggers"),
    "many triggers": ({"triggers": [f"t{n}" for n in range(17)]}, "many-triggers"),
    "an empty trigger": ({"triggers": ["a", " "]}, "bad-trigger"),
    "many tags": ({"tags": [f"t{n}" for n in range(33)]}, "many-tags"),
    "a long tag": ({"tags": ["x" * 65]}, "bad-tag"),
}


@pytest.mark.parametrize(("change", "reason"), FAULTS.values(), ids=FAULTS.keys())
def test_each_fault_has_a_name_and_all_but_a_long_body_are_repaired(change, reason):
    candidate = read_candidate("lessons", {**WHOLE, **change})
    assert [fault.reason for fault in faults(candidate)] == [reason]
    assert [fault.reason for fault in faults(repaired(candidate))] == (["long-body"] if reason == "long-body" else [])


def test_only_a_lesson_needs_triggers():
    for category in CATEGORIES[1:]:
        assert faults(read_candidate(category, {**WHOLE, "triggers": []})) == ()


@pytest.mark.parametrize(
    ("text", "triggers"),
    [
        ("A lease that is renewed by the worker's own clock is a rumour.", {"lease", "renewed", "clock", "rumour"}),
        ("見直し", {"見直", "直し"}),
        ("a b", {"a", "b"}),
        ("!!!", set()),
    ],
    ids=["English", "Japanese", "only short words", "no words"],
)
def test_triggers_are_words_of_the_text(text, triggers):
    derived = derived_triggers(text)
    assert set(derived) & triggers or not triggers
    assert len(derived) <= 5


def test_a_lesson_without_a_word_still_gets_a_trigger():
    assert faults(repaired(Candidate("lessons", "!!!"))) == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Keep it short. And more.", "Keep it short"),
        ("No. Simple first.", "No. Simple first"),
        ("**Bold** and `code`\nover lines", "Bold and code over lines"),
        ("x" * 300, "x" * 119 + "…"),
        ("一つ目の文を長めに書いておく。二つ目。", "一つ目の文を長めに書いておく"),
    ],
    ids=["sentence", "short first sentence", "marks", "long", "Japanese"],
)
def test_a_title_is_the_first_sentence_on_one_line(text, title):
    assert title_of(text) == title


def test_the_digest_is_of_the_words_and_the_key_also_of_the_session():
    one = Candidate("lessons", "t", body="Retries, at most: three!")
    assert one.digest == said_digest("lessons", "retries at most THREE")
    assert one.digest != said_digest("decisions", "retries at most three")
    assert one.key("s1") == one.key("s1") != one.key("s2")
    assert said_digest("lessons", "!!!") != said_digest("lessons", "???")


def test_kinds_and_categories_are_both_understood():
    assert [as_category(kind) for kind in KIND_OF.values()] == list(CATEGORIES)
    assert [as_category(name) for name in CATEGORIES] == list(CATEGORIES)
    with pytest.raises(CandidateDamage):
        as_category("rumours")


def test_words_that_stand_in_any_text_bring_nothing_to_mind_unless_there_are_no_others():
    text = "A query plan from staging says nothing about production, because the statistics differ"
    assert set(derived_triggers(text)) == {"query", "staging", "production", "statistics", "differ"}
    assert derived_triggers("because nothing") == ("because", "nothing")
