"""Results of a panel's run are read whole; what stands for "not given" is not taken for given."""

from __future__ import annotations

import json

import pytest

from tests.importers.imports import Shelf, drafts_of


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
    (draft,) = drafts_of("consensus", path, json.dumps(value).encode())
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
            b'{"question": "Q?", "rounds": [], "x": "' + b"a" * 26_000_000 + b'"}',
            "more than 25,165,824 bytes",
            id="too large",
        ),
    ],
)
def test_what_is_no_result_is_rejected_with_its_reason(data, reason):
    (draft,) = drafts_of("consensus", "a.json", data)
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
    forward = drafts_of("consensus", "runs.jsonl", lines(*rows))
    backward = drafts_of("consensus", "runs.jsonl", lines(*reversed(rows)))
    assert {d.path for d in forward} == {d.path for d in backward}
    assert forward[0].path == "runs.jsonl#r-1"
    assert {d.path: d.sha256 for d in forward} == {d.path: d.sha256 for d in backward}


def test_an_edited_row_keeps_its_key_and_changes_its_digest():
    (before,) = drafts_of("consensus", "runs.jsonl", lines(run()))
    (after,) = drafts_of("consensus", "runs.jsonl", lines(run(finalScore=60)))
    assert before.path == after.path
    assert before.sha256 != after.sha256


def test_rows_that_share_a_key_are_told_apart_and_repeats_skipped():
    rows = [{"id": "x", **run("One?")}, {"id": "x", **run("Two?")}, {"id": "x", **run("One?")}]
    drafts = drafts_of("consensus", "runs.jsonl", lines(*rows))
    assert [d.fate for d in drafts] == ["ready", "ready", "skipped"]
    assert drafts[2].reason == "the same as line-1"
    assert len({d.path for d in drafts}) == 3


def test_damaged_rows_are_rejected_and_the_others_read():
    data = b"\xef\xbb\xbf" + lines(run("One?")).replace(b"\n", b"\r\n") + b"{torn\n\n\xff\n" + lines(run("Two?"))[:-1]
    drafts = drafts_of("consensus", "runs.jsonl", data)
    assert [d.fate for d in drafts] == ["ready", "rejected", "rejected", "ready"]
    assert drafts[1].path == "runs.jsonl#line-2"


def test_a_list_in_one_file_is_read_as_rows():
    drafts = drafts_of("consensus", "runs.json", json.dumps([run("One?"), 5]).encode())
    assert [d.fate for d in drafts] == ["ready", "rejected"]
    assert drafts[1].reason == "a JSON object was expected, found a number"


def test_an_empty_file_of_rows_is_skipped():
    (draft,) = drafts_of("consensus", "runs.jsonl", b"\n\n")
    assert (draft.fate, draft.reason) == ("skipped", "no rows")


def test_a_folder_of_results_is_imported_once(project):
    folder = project / "runs"
    folder.mkdir()
    (folder / "a.json").write_text(json.dumps(run("One?")))
    (folder / "b.jsonl").write_bytes(lines(run("Two?"), run("Three?")))
    (folder / "notes.md").write_text("# Notes")
    shelf = Shelf(project)
    first = shelf.run(folder, "consensus")
    assert first.counts == {"imported": 3, "unchanged": 0, "updated": 0, "skipped": 1, "rejected": 0}
    known = dict(shelf.known)
    (folder / "b.jsonl").write_bytes(lines(run("Three?"), run("Two?", finalScore=1)))
    again = shelf.run(folder, "consensus")
    assert again.counts == {"imported": 0, "unchanged": 2, "updated": 1, "skipped": 1, "rejected": 0}
    (updated,) = [a for a in again.files if a.fate == "updated"]
    assert updated.reason == "finalScore 58 -> 1"
    assert updated.replaces == known[updated.path][0]


def test_rows_stream_so_a_large_file_takes_no_more_memory_than_a_small_one(project):
    """A row at a time is held, besides the keys; 64 MB of rows are far from 64 MB in memory."""
    import tracemalloc

    path = project / "runs.jsonl"
    row = json.dumps(run("Q?", filler="x" * 500_000)).encode()
    with path.open("wb") as file:
        for number in range(120):
            file.write(row.replace(b"Q?", b"Question %d?" % number) + b"\n")
    shelf = Shelf(project)
    tracemalloc.start()
    try:
        report = shelf.run(path, "consensus", dry_run=True)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert report.counts["imported"] == 120
    assert peak < 30 * 1024 * 1024


@pytest.mark.parametrize("name", ["runs.jsonl", "runs.json"])
def test_rows_of_a_file_too_large_for_one_piece_keep_the_names_they_would_have_in_a_small_one(
    project, name, monkeypatch
):
    from memkit.importers.kinds import consensus as kind

    rows = [run("One?", id="x"), run("Two?"), run("Three?", id="x", finalScore=3)]
    data = lines(*rows) if name.endswith("l") else json.dumps(rows).encode()
    whole = [draft.path for draft in drafts_of("consensus", name, data)]
    monkeypatch.setattr(kind, "MAX_ITEM_BYTES", 10)
    assert [draft.path for draft in drafts_of("consensus", name, data)] == whole
