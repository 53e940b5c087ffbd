"""The shapes of JSON that `memkit store` takes, and the ones it refuses."""

import datetime as dt
import json

import pytest

RESULT = {"synthesis": {"content": "Keep PostgreSQL."}, "finalScore": 81}
ASKED = {"question": "Which database?", "result": RESULT}
BARE = {"question": "Which database?", **RESULT}


def stored(fake):
    return [entry for name, details in fake.calls if name == "store_many" for entry in details["entries"]]


@pytest.mark.parametrize(
    ("given", "options", "taken"),
    [
        pytest.param(ASKED, [], [ASKED], id="question-and-result"),
        pytest.param(BARE, [], [{"question": "Which database?", "result": BARE}], id="bare-result"),
        pytest.param(RESULT, ["--question", "Q?"], [{"question": "Q?", "result": RESULT}], id="question-as-an-option"),
        pytest.param({**BARE, "result": "won"}, [], [{"question": "Which database?", "result": {**BARE, "result": "won"}}], id="bare-with-a-field-called-result"),
        pytest.param([ASKED, BARE], [], [ASKED, {"question": "Which database?", "result": BARE}], id="list"),
        pytest.param({**ASKED, "tags": ["a"], "panel_id": "adr"}, [], [{**ASKED, "tags": ["a"], "panel_id": "adr"}], id="all-fields"),
        pytest.param({**ASKED, "tags": ["a"]}, ["--tag", "b", "--tag", "c", "--panel", "x"], [{**ASKED, "tags": ["b", "c"], "panel_id": "x"}], id="options-win"),
        pytest.param({**ASKED, "stored_at": "2026-05-01T12:00:00Z"}, [], [{**ASKED, "stored_at": dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)}], id="time"),
        pytest.param(ASKED, ["--stored-at", "2026-05-01"], [{**ASKED, "stored_at": dt.datetime(2026, 5, 1, tzinfo=dt.UTC)}], id="day-as-an-option"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("source", ["file", "stdin"])
def test_a_document_becomes_entries(memkit_cli, fake, tmp_path, source, given, options, taken):
    text = json.dumps(given)
    file = tmp_path / "run.json"
    file.write_text(text)

    done = memkit_cli("store", str(file), *options) if source == "file" else memkit_cli("store", *options, input=text)

    assert done.code == 0
    assert stored(fake) == taken


def test_what_was_masked_is_in_the_answer(memkit_cli, fake):
    assert memkit_cli("store", "--json", input=json.dumps(ASKED)).json()["stored"][0]["scrubbed"] == {"jwt": 1}


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        pytest.param("", 2, "nothing to store", id="nothing"),
        pytest.param("{", 3, "not JSON", id="torn"),
        pytest.param('{"question": "q", "result": {"x": NaN}}', 3, "NaN is not a JSON number", id="nan"),
        pytest.param("3", 3, "a JSON object was expected, found int", id="number"),
        pytest.param('[{"question": "q", "result": {}}, "x"]', 3, "stdin[1]: a JSON object", id="text-in-a-list"),
        pytest.param('{"conclusion": "Yes."}', 3, "--question", id="no-question"),
        pytest.param("[]", 2, "The list is empty", id="empty-list"),
        pytest.param("{}", 3, "there is no result", id="nothing-in-it"),
        pytest.param('{"question": "q"}', 3, "there is no result", id="no-result"),
        pytest.param('{"question": "q", "result": "Use Postgres"}', 3, "result: a JSON object", id="result-a-text"),
        pytest.param('{"question": "q", "result": null}', 3, "result: a JSON object", id="result-null"),
        pytest.param(
            '{"question": "q", "result": {"a": 1}, "stored_at": "2020-01-01T00:00:00"}', 3, "no time zone", id="naive"
        ),
        pytest.param('{"question": "q", "result": {}, "stored_at": "soon"}', 3, "'soon' is not a time", id="no-time"),
        pytest.param("[" * 100_000, 3, "nested deeper", id="nested-too-deep"),
    ],
)
def test_a_document_of_another_shape_is_refused_before_anything_is_opened(memkit_cli, fake, text, code, said):
    done = memkit_cli("store", input=text)

    assert done.code == code
    assert said in done.err
    assert fake.calls == []


def test_bytes_that_are_not_utf_8_are_refused(memkit_cli, fake):
    done = memkit_cli("store", input=b'{"question": "\xff"}')

    assert (done.code, fake.calls) == (3, [])
    assert "not UTF-8 at byte 14" in done.err


@pytest.mark.parametrize("name", ["gone.json", "."], ids=["missing", "folder"])
def test_a_file_that_cannot_be_read_is_named(memkit_cli, fake, tmp_path, name):
    done = memkit_cli("store", str(tmp_path / name))

    assert done.code == 3
    assert f"{tmp_path / name}: cannot be read" in done.err.replace("/.:", ":") or str(tmp_path) in done.err
