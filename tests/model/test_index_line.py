"""The slim line of an entry fits its limits whatever the entry holds, and reads back."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memkit.model import jsontext
from memkit.model.entry import MAX_PANEL_CHARS, MAX_TAG_CHARS, MAX_TAGS, StoredEntry
from memkit.model.index_line import (
    ABSENT,
    MAX_LINE_BYTES,
    MAX_PREVIEW_UNITS,
    LineDamage,
    cut_utf16,
    line_for,
    parse_line,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
WIDE = st.text(st.sampled_from('a字🙂\u0000é"\\ \n'), max_size=600)
NUMBERS = st.none() | st.booleans() | st.integers() | st.floats() | TEXT | st.lists(st.integers(), max_size=2)
SHA = "0" * 64


def entry(question="Which database?", *, result=None, tags=(), panel_id="consensus", entry_id="a1b2c3d4e5f6"):
    return StoredEntry(
        id=entry_id,
        stored_at_ms=1_790_000_000_000,
        project_key="0123456789ab",
        project_path="/p",
        panel_id=panel_id,
        question=question,
        tags=tuple(tags),
        result=result or {},
    )


def written(made: StoredEntry) -> dict:
    line = line_for(made, n_bytes=123, sha256=SHA)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert len(line) <= MAX_LINE_BYTES
    return json.loads(line)


def units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@given(
    question=st.one_of(TEXT, WIDE),
    tags=st.lists(st.one_of(TEXT, WIDE).map(lambda t: t[:MAX_TAG_CHARS]), max_size=MAX_TAGS),
    panel_id=st.one_of(TEXT, WIDE).map(lambda t: t[:MAX_PANEL_CHARS]),
    score=NUMBERS,
    confidence=NUMBERS,
)
@example(question="\x00" * 240, tags=["\x00" * 64] * 32, panel_id="\x00" * 64, score=1, confidence=1)
@example(question="🙂" * 240, tags=["🙂" * 64] * 32, panel_id="🙂" * 64, score=None, confidence=None)
@example(question=" \n ", tags=[], panel_id="", score=10**400, confidence=1e308)
def test_a_line_keeps_its_limits_and_reads_back(question, tags, panel_id, score, confidence):
    made = entry(
        question,
        tags=tags,
        panel_id=panel_id,
        result={"finalScore": score, "synthesis": {"judgeConfidence": confidence}},
    )
    line = written(made)
    assert 1 <= units(line["questionPreview"]) <= MAX_PREVIEW_UNITS
    assert line["tags"] == list(tags)[: len(line["tags"])]
    for name in ("finalScore", "judgeConfidence"):
        assert type(line[name]) is int
        assert ABSENT <= line[name] < 2**53
    read = parse_line(line_for(made, n_bytes=123, sha256=SHA).rstrip(b"\n"))
    assert read.to_dict() == line
    assert (read.id, read.stored_at_ms, read.bytes, read.sha256) == (made.id, made.stored_at_ms, 123, SHA)


@pytest.mark.parametrize(
    ("question", "preview"),
    [
        pytest.param("Which  database\n\n should we use?", "Which database should we use?", id="blanks become one"),
        pytest.param("   ", "?", id="never empty"),
        pytest.param("x" * 500, "x" * 240, id="cut"),
        pytest.param("🙂" * 200, "🙂" * 120, id="counted as UTF-16"),
        pytest.param("a" + "🙂" * 200, "a" + "🙂" * 119, id="no half of a pair"),
    ],
)
def test_the_preview_is_the_start_of_the_question(question, preview):
    assert written(entry(question))["questionPreview"] == preview


@given(WIDE, st.integers(0, 300))
def test_cutting_takes_the_longest_start_that_fits(text, limit):
    cut = cut_utf16(text, limit)
    assert text.startswith(cut)
    assert units(cut) <= limit
    assert cut == text or units(text[: len(cut) + 1]) > limit


@pytest.mark.parametrize(
    ("score", "stored"),
    [
        (81.4, 81),
        (81.5, 82),
        (0, 0),
        (100, 100),
        (-3, -1),
        (None, -1),
        ("81", -1),
        (True, -1),
        (float("nan"), -1),
        (float("inf"), -1),
        (1e300, -1),
        (10**400, -1),
        (2**53 - 1, 2**53 - 1),
        (2**53, -1),
    ],
)
def test_a_score_becomes_a_whole_number_or_minus_one(score, stored):
    assert written(entry(result={"finalScore": score}))["finalScore"] == stored


def test_tags_that_do_not_fit_are_left_to_the_envelope():
    tags = [f"{i:02d}" + "字" * 62 for i in range(MAX_TAGS)]
    line = written(entry(tags=tags))
    assert 0 < len(line["tags"]) < MAX_TAGS
    assert line["tags"] == tags[: len(line["tags"])]


def test_a_foreign_entry_with_an_overlong_panel_still_has_a_line():
    line = written(entry("\x00" * 500, panel_id="p" * 10_000, tags=["t" * 64] * 5))
    assert line["panelId"] == "p" * MAX_PANEL_CHARS
    assert line["questionPreview"]


def test_a_line_of_the_typescript_tool_is_read():
    line = {
        "id": "a1b2c3d4e5f6",
        "storedAt": 1790000000000,
        "projectKey": "k",
        "panelId": "p",
        "questionPreview": "q",
        "tags": ["t"],
    }
    read = parse_line(json.dumps({**line, "finalScore": 81, "judgeConfidence": -1, "new": {"a": 1}}).encode() + b"\r")
    assert (read.final_score, read.judge_confidence, read.bytes, read.sha256) == (81, ABSENT, None, None)
    assert read.extra == {"new": {"a": 1}}
    assert read.to_dict()["new"] == {"a": 1}


GOOD = {"id": "a1b2c3d4e5f6", "storedAt": 1, "projectKey": "k", "panelId": "p", "questionPreview": "q", "tags": []}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param({"id": None}, "id is missing", id="no-id"),
        pytest.param({"id": "../../x"}, "id is missing", id="a-path-as-id"),
        pytest.param({"storedAt": None}, "storedAt is missing", id="no-time"),
        pytest.param({"storedAt": True}, "storedAt is missing", id="a-truth-as-time"),
        pytest.param({"storedAt": -1}, "storedAt is missing", id="before-1970"),
        pytest.param({"storedAt": 10**18}, "storedAt is missing", id="nanoseconds"),
        pytest.param({"questionPreview": 5}, "questionPreview is missing", id="a-number-as-preview"),
        pytest.param({"panelId": None}, "panelId is missing", id="no-panel"),
        pytest.param({"tags": "a"}, "tags is not a list", id="a-text-as-tags"),
        pytest.param({"tags": [1]}, "tags is not a list", id="a-number-as-tag"),
        pytest.param({"tags": ["\udc9d"]}, "unpaired surrogate", id="half-a-character-in-a-tag"),
        pytest.param({"x": {"\ud83d": 1}}, "unpaired surrogate", id="half-a-character-in-a-field-unknown"),
    ],
)
def test_what_is_no_line_says_why(change, says):
    with pytest.raises(LineDamage, match=says):
        parse_line(json.dumps({**GOOD, **change}).encode())


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\x00\x00", b"\xff", b'{"id":1}{"id":2}', b"NaN"])
def test_what_is_no_object_is_damage(data):
    with pytest.raises(LineDamage):
        parse_line(data)


def test_a_preview_cut_within_a_character_costs_that_character_only():
    read = parse_line(json.dumps({**GOOD, "questionPreview": "which \ud83d"}).encode())
    assert read.question_preview == "which \N{REPLACEMENT CHARACTER}"
    jsontext.dumps(read.to_dict())


@pytest.mark.parametrize("value", [True, -1, 1.5, "123", None])
def test_a_size_that_is_none_counts_as_absent(value):
    assert parse_line(json.dumps({**GOOD, "bytes": value}).encode()).bytes is None


@pytest.mark.parametrize("value", ["81", None, True, [], 10**400, -5])
def test_a_score_that_is_none_counts_as_absent(value):
    assert parse_line(json.dumps({**GOOD, "finalScore": value}).encode()).final_score == ABSENT
