"""What a panel gave is told from what stands in its place; states are read, never guessed."""

from __future__ import annotations

import pytest

from memkit.model.decision import read_decision
from memkit.model.entry import StoredEntry
from memkit.model.result import Dissent, dissent, final_score, judge_confidence, response_confidence
from memkit.model.status_words import STATUS_WORDS, read_status
from memkit.model.tripwire import tripwire_texts


def entry(result):
    return StoredEntry("00000000", 0, "0" * 12, "/p", "consensus", "Q?", (), result)


@pytest.mark.parametrize(
    ("response", "given"),
    [
        pytest.param({"content": "Yes.\nCONFIDENCE: 80", "confidence": 80}, 80, id="stated"),
        pytest.param({"content": "Yes.", "confidence": 80}, 80, id="other than the stand-in"),
        pytest.param({"content": "Yes.", "confidence": 50}, None, id="the stand-in"),
        pytest.param({"content": "Half.\nConfidence: 50", "confidence": 50}, 50, id="fifty, stated"),
        pytest.param({"content": "Half.\n**CONFIDENCE:** 50", "confidence": 50}, 50, id="fifty, stated in bold"),
        pytest.param({"content": "My confidence: high", "confidence": 50}, None, id="stated in words"),
        pytest.param({"content": "JUDGE_CONFIDENCE: 50", "confidence": 50}, None, id="another marker"),
        pytest.param({"content": "CONFIDENCE: 500", "confidence": 50}, None, id="another number"),
        pytest.param({"content": "[Error]", "confidence": 0, "error": "timeout"}, None, id="failed"),
        pytest.param({"content": "No.\nCONFIDENCE: 0", "confidence": 0}, 0, id="zero, stated"),
        pytest.param({"content": "x"}, None, id="absent"),
        pytest.param({"confidence": "high"}, None, id="not a number"),
    ],
)
def test_a_response_gives_a_confidence_or_none(response, given):
    assert response_confidence(response) == given


@pytest.mark.parametrize(
    ("synthesis", "given"),
    [
        pytest.param({"content": "JUDGE_CONFIDENCE: 87", "judgeConfidence": 87}, 87, id="stated"),
        pytest.param({"content": "x", "judgeConfidence": 50}, None, id="the stand-in"),
        pytest.param({"judgeConfidence": 50}, None, id="the stand-in without text"),
        pytest.param({"content": "JUDGE_CONFIDENCE: [50]", "judgeConfidence": 50}, 50, id="fifty in brackets"),
        pytest.param({"content": "x", "judgeConfidence": 49}, 49, id="another number"),
        pytest.param({}, None, id="absent"),
    ],
)
def test_a_judge_gives_a_confidence_or_none(synthesis, given):
    assert judge_confidence({"synthesis": synthesis}) == given


def rounds(*responses):
    return [{"round": 1, "responses": list(responses)}]


@pytest.mark.parametrize(
    ("result", "score"),
    [
        pytest.param({"finalScore": 72}, 72, id="without rounds"),
        pytest.param({"finalScore": 50}, 50, id="fifty without rounds"),
        pytest.param(
            {"finalScore": 50, "rounds": rounds({"confidence": 50}, {"confidence": 50})}, None, id="of stand-ins only"
        ),
        pytest.param(
            {"finalScore": 50, "rounds": rounds({"confidence": 50}, {"confidence": 60})}, 50, id="of one given"
        ),
        pytest.param({"finalScore": 0, "rounds": rounds({"confidence": 0, "error": "x"})}, None, id="all failed"),
        pytest.param({"finalScore": 0, "rounds": rounds({"confidence": 0})}, 0, id="zero given"),
        pytest.param({"finalScore": "high"}, None, id="not a number"),
    ],
)
def test_a_final_score_of_stand_ins_is_none(result, score):
    assert final_score(result) == score


def test_dissent_is_typed_and_none_is_no_dissent():
    result = {
        "synthesis": {"minorityPositions": "- b: streams\n  scale\n- c: neither\n", "unresolvedDisputes": "None."},
        "rounds": [
            {"disagreements": [{"label": "old"}]},
            {
                "round": 2,
                "disagreements": [{"participantAId": "a", "participantBId": "b", "severity": 30, "label": "A vs B"}],
            },
        ],
    }
    assert dissent(result) == (
        Dissent("minority position", "b: streams scale"),
        Dissent("minority position", "c: neither"),
        Dissent("disagreement", "A vs B", 2, ("a", "b"), 30.0),
    )
    assert dissent({"synthesis": {"minorityPositions": ["one", {"position": "two"}, ""]}})[1].text == "two"
    assert dissent({"rounds": [5], "synthesis": 3}) == ()


def test_a_run_was_decided_on_the_day_it_ended():
    assert str(read_decision(entry({"completedAt": 1_709_600_060_000})).decided_on) == "2024-03-05"
    assert str(read_decision(entry({"completedAt": "2024-03-05T10:00:00Z"})).decided_on) == "2024-03-05"
    assert read_decision(entry({"completedAt": 12})).decided_on is None
    assert read_decision(entry({"completedAt": True})).decided_on is None


def test_a_status_given_in_other_words_is_read():
    assert read_decision(entry({"status": "Approved"})).status == "accepted"
    assert read_decision(entry({"status": "Approved"})).raw_status == "Approved"
    assert read_decision(entry({"document": {"status": "unknown"}})).raw_status is None
    assert read_decision(entry({})).status == "unknown"


def test_tripwires_are_bullets_else_paragraphs_and_none_is_none():
    assert tripwire_texts({}, "## Tripwire conditions\n\n- a > 1\n- b\n") == ("a > 1", "b")
    assert tripwire_texts({}, "## Stolperdrähte\n\nWenn a > 1.\n") == ("Wenn a > 1.",)
    assert tripwire_texts({}, "## Tripwires\n\nNone.\n") == ()
    assert tripwire_texts({"tripwires": ["x", "x", {"text": "y"}]}, "") == ("x", "y")


STATES = {
    "Accepted": "accepted", "✅ Accepted (documenting an existing thing)": "accepted", "APPROVED": "accepted", "Decided": "accepted",
    "Accepted. Supersedes [3](3-a.md)": "accepted", "Accepted / Partially supersedes [3](3-a.md)": "accepted",
    "Accepted - replaced the old mailer": "accepted", "Aceito": "accepted", "Angenommen (2026-07-23)": "accepted",
    "Acceptée": "accepted", "Aceptado en **v1.0.8** · Vigente": "accepted", "承認済み": "accepted", "已采纳(2026-05-20)": "accepted",
    "Proposed": "proposed", "Pending review": "proposed", "Draft (accepted in principle)": "proposed", "In Review": "proposed",
    "not yet accepted": "proposed", "To be approved": "proposed", "🤔 Incomplete": "proposed", "提案中": "proposed", "Entwurf": "proposed",
    "Rejected": "rejected", "Not accepted": "rejected", "Rejected in favour of [5](5-a.md)": "rejected", "却下": "rejected",
    "Declined": "rejected", "Withdrawn": "rejected", "❌ Rejected (see [19](19-superseded.md))": "rejected",
    "Deprecated": "deprecated", "depreciated": "deprecated", "Obsolète": "deprecated", "已废弃": "deprecated", "Veraltet": "deprecated",
    "Superseded by [9](9-a.md)": "superseded", "Superceded by ADR-9": "superseded", "Partly superseded": "superseded",
    "Accepted\n\nSuperceded by [9](9-a.md)": "superseded", "Replaced by ADR-7": "superseded", "Ersetzt durch ADR-5": "superseded",
    "Remplacé par ADR-5": "superseded", "Substituído por ADR-5": "superseded", "ADR-0005 により置き換え": "superseded",
    "已被 ADR-0005 取代": "superseded", "superseded by [accepted ideas](1-a.md)": "superseded",
    "Ongoing.": "unknown", "Discussed by @ada": "unknown", "RESOLVED": "unknown", "": "unknown", "on hold": "unknown",
}  # fmt: skip


@pytest.mark.parametrize("text", STATES)
def test_a_status_means_what_it_says(text):
    assert read_status(text).status == STATES[text]


@pytest.mark.parametrize(
    "text",
    [
        "proposed | accepted | rejected",
        "{proposed | rejected | accepted | … }",
        "[Vorgeschlagen | Akzeptiert | Veraltet]",
        "- [ ] Proposed\n- [ ] Accepted",
    ],
)
def test_an_unfilled_choice_is_a_placeholder(text):
    assert read_status(text).placeholder
    assert read_status(text).status == "unknown"


def test_every_word_of_the_table_reads_as_its_own_state():
    for status, by_language in STATUS_WORDS.items():
        for words in by_language.values():
            for word in words:
                assert read_status(word).status == status, word
