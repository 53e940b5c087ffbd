"""Results of a panel's run are read whole; what stands for "not given" is not taken for given."""

from __future__ import annotations

import json

import pytest

from memkit.importers import consensus
from memkit.importers.run import plan_import


def answer(who, confidence, content="I think so.\nCONFIDENCE: {c}", **more):
    return {
        "participantId": who, "modelId": "m", "personaId": "p", "round": 4, "phase": "synthesis",
        "content": content.format(c=confidence), "confidence": confidence, **more,
    }  # fmt: skip


def run(question="Queue or stream?", **more):
    return {
        "question": question,
        "participants": [{"id": "a", "modelId": "m", "persona": {"id": "p"}}, {"id": "b", "modelId": "m", "persona": {"id": "p"}}],
        "rounds": [
            {
                "round": 4, "phase": "synthesis", "label": "Last", "blind": False,
                "responses": [answer("a", 80), answer("b", 50, content="No idea.")],
                "averageConfidence": 65, "stddev": 15, "score": 58,
                "disagreements": [{"id": "r4-a-b", "round": 4, "participantAId": "a", "participantBId": "b", "severity": 30, "label": "A vs B"}],
            }
        ],
        "roundsCompleted": 4, "finalScore": 58, "finalAverageConfidence": 65, "finalStddev": 15, "stopReason": "max-rounds",
        "synthesis": {
            "modelId": "j", "content": "## Majority Position\nQueue.\n\nJUDGE_CONFIDENCE: 87", "majorityPosition": "Queue.",
            "minorityPositions": "- b: streams scale\n- c: neither", "unresolvedDisputes": "None.", "judgeConfidence": 87,
        },
        "startedAt": 1_709_600_000_000, "completedAt": 1_709_600_060_000, "durationMs": 60_000, **more,
    }  # fmt: skip


def read_one(value, path="runs/a.json"):
    (draft,) = consensus.read(path, json.dumps(value).encode())
    return draft


def outcomes(draft):
    return {account.name: (account.outcome, account.value) for account in draft.fields}


def test_a_run_is_kept_unchanged_and_accounted_for():
    value = run(extraField={"x": [1]})
    draft = read_one(value)
    assert (draft.fate, draft.question, draft.panel_id) == ("ready", "Queue or stream?", "consensus")
    assert draft.result == value
    assert outcomes(draft) == {
        "question": ("mapped", "Queue or stream?"),
        "participants": ("mapped", "2"),
        "rounds": ("mapped", "1"),
        "confidence": ("mapped", "1 of 2 given"),
        "final_score": ("mapped", "58"),
        "judge_confidence": ("mapped", "87"),
        "synthesis": ("mapped", ""),
        "minority_positions": ("mapped", "2"),
        "disagreements": ("mapped", "1"),
        "decided_on": ("mapped", "1709600060000"),
        "extraField": ("raw", "{'x': [1]}"),
    }


def test_a_judge_that_gave_no_confidence_has_none():
    value = run()
    value["synthesis"] |= {"content": "Queue, I guess.", "judgeConfidence": 50}
    draft = read_one(value)
    assert draft.result["synthesis"]["judgeConfidence"] == 50
    assert outcomes(draft)["judge_confidence"] == ("raw", "50: stands for not given")


def test_a_newer_result_with_unknown_fields_and_shapes_is_read():
    value = {
        "schemaVersion": 9,
        "question": "Q?",
        "synthesis": "Take the queue.",
        "verdicts": [1],
        "finalScore": {"value": 3},
    }
    draft = read_one(value)
    assert draft.fate == "ready"
    assert draft.result == value
    assert outcomes(draft)["final_score"] == ("raw", "{'value': 3}: not a number")


@pytest.mark.parametrize("wrapper", ["result", "structuredContent", "consensusResult"])
def test_a_run_inside_a_wrapper_is_taken_out_and_the_wrapper_kept(wrapper):
    draft = read_one({"id": "r-1", "panelId": "architects", "tags": ["mail"], wrapper: run()})
    assert (draft.question, draft.panel_id, draft.tags) == ("Queue or stream?", "architects", ("mail",))
    assert draft.result["envelope"] == {"id": "r-1", "panelId": "architects", "tags": ["mail"]}
    assert draft.result["finalScore"] == 58


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"{", "not JSON", id="torn"),
        pytest.param(b"\xff\xfe{}", "not UTF-8", id="not UTF-8"),
        pytest.param(b'{"question": "Q?", "finalScore": NaN, "rounds": []}', "NaN is not a JSON number", id="NaN"),
        pytest.param(b'{"question": "Q?", "finalScore": 1e999, "rounds": []}', "out of range", id="infinity"),
        pytest.param(b'{"question":"Q?","rounds":' + b"[" * 80 + b"]" * 80 + b"}", "nested deeper", id="nesting"),
        pytest.param(b'"text"', "a JSON object was expected, found text", id="text"),
        pytest.param(b'{"id": 1, "title": "chat", "messages": []}', "it has no question", id="a conversation"),
        pytest.param(b'{"question": 5, "rounds": []}', "its question is a number", id="question of another kind"),
        pytest.param(b'{"question": "Q?", "answer": "A"}', "none of rounds", id="no run"),
        pytest.param(b'{"question": "  ", "rounds": []}', "is empty", id="empty question"),
        pytest.param(
            b'{"question": "Q?", "rounds": [], "x": "' + b"a" * 26_000_000 + b'"}', "bytes as JSON", id="too large"
        ),
    ],
)
def test_what_is_no_result_is_rejected_with_its_reason(data, reason):
    (draft,) = consensus.read("a.json", data)
    assert draft.fate == "rejected"
    assert reason in draft.reason


def test_unpaired_surrogates_are_replaced_with_a_note():
    draft = read_one(run(question="Queue \ud800 or \udfff?"))
    assert draft.question == "Queue \ufffd or \ufffd?"
    assert draft.notes == ("2 unpaired surrogates replaced by U+FFFD",)
    draft.question.encode()


def lines(*values):
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_rows_have_keys_that_stay_when_they_are_put_in_another_order():
    rows = [{"id": "r-1", **run("One?")}, run("Two?"), {k: v for k, v in run("Three?").items() if k != "startedAt"}]
    forward = consensus.read("runs.jsonl", lines(*rows))
    backward = consensus.read("runs.jsonl", lines(*reversed(rows)))
    assert {d.path for d in forward} == {d.path for d in backward}
    assert forward[0].path == "runs.jsonl#r-1"
    assert {d.path: d.sha256 for d in forward} == {d.path: d.sha256 for d in backward}


def test_an_edited_row_keeps_its_key_and_changes_its_digest():
    (before,) = consensus.read("runs.jsonl", lines(run()))
    (after,) = consensus.read("runs.jsonl", lines(run(finalScore=60)))
    assert before.path == after.path
    assert before.sha256 != after.sha256


def test_rows_that_share_a_key_are_told_apart_and_repeats_skipped():
    rows = [{"id": "x", **run("One?")}, {"id": "x", **run("Two?")}, {"id": "x", **run("One?")}]
    drafts = consensus.read("runs.jsonl", lines(*rows))
    assert [d.fate for d in drafts] == ["ready", "ready", "skipped"]
    assert drafts[2].reason == "the same as line-1"
    assert len({d.path for d in drafts}) == 3


def test_damaged_rows_are_rejected_and_the_others_read():
    data = b"\xef\xbb\xbf" + lines(run("One?")).replace(b"\n", b"\r\n") + b"{torn\n\n\xff\n" + lines(run("Two?"))[:-1]
    drafts = consensus.read("runs.jsonl", data)
    assert [d.fate for d in drafts] == ["ready", "rejected", "rejected", "ready"]
    assert drafts[1].path == "runs.jsonl#line-2"


def test_a_list_in_one_file_is_read_as_rows():
    drafts = consensus.read("runs.json", json.dumps([run("One?"), 5]).encode())
    assert [d.fate for d in drafts] == ["ready", "rejected"]
    assert drafts[1].reason == "a JSON object was expected, found a number"


def test_an_empty_file_of_rows_is_skipped():
    (draft,) = consensus.read("runs.jsonl", b"\n\n")
    assert (draft.fate, draft.reason) == ("skipped", "no rows")


def test_a_folder_of_results_is_imported_once(project):
    folder = project / "runs"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(run("One?")))
    (folder / "b.jsonl").write_bytes(lines(run("Two?"), run("Three?")))
    (folder / "notes.md").write_text("# Notes")
    plan = plan_import("consensus", folder, project_path=project, known={})
    assert plan.report.counts == {"imported": 3, "unchanged": 0, "updated": 0, "skipped": 1, "rejected": 0}
    known = {new.source.path: (f"{n:08d}", new.source.sha256) for n, new in enumerate(plan.new)}
    (folder / "b.jsonl").write_bytes(lines(run("Three?"), run("Two?", finalScore=1)))
    again = plan_import(
        "consensus", folder, project_path=project, known=known, previous=lambda entry: dict(plan.new[int(entry)].result)
    )
    assert again.report.counts == {"imported": 0, "unchanged": 2, "updated": 1, "skipped": 1, "rejected": 0}
    (updated,) = [a for a in again.report.files if a.fate == "updated"]
    assert updated.reason == "finalScore 58 -> 1"
    assert again.new[0].replaces == known[updated.path][0]
