"""An entry and its envelope: nothing is lost, what is wrong is named."""

import datetime as dt
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.clock import UTC, from_ms
from memkit.errors import InvalidInputError
from memkit.model import entry as entries
from memkit.model.entry import (
    EntryDamage,
    NewerEntry,
    Source,
    StoredEntry,
    entry_from_envelope,
    require_panel,
    require_question,
    require_stored_at,
    require_tags,
)

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
GOOD = {
    "schemaVersion": 1,
    "id": "a1b2c3d4e5f6",
    "storedAt": 1_790_000_000_000,
    "projectKey": "0123456789ab",
    "projectPath": "/p",
    "panelId": "consensus",
    "question": "Which database?",
    "tags": ["db"],
    "result": {"synthesis": {"content": "PostgreSQL"}},
}


@given(
    question=TEXT,
    tags=st.lists(TEXT, max_size=4),
    result=st.dictionaries(TEXT, JSON, max_size=4),
    extra=st.dictionaries(TEXT.filter(lambda key: key not in GOOD), JSON, max_size=3),
    replaces=st.none() | st.just("b1b2c3d4e5f6"),
    source=st.none() | st.builds(Source, kind=TEXT, path=TEXT, sha256=TEXT),
)
def test_an_entry_reads_back_as_it_was_written(*, question, tags, result, extra, replaces, source):
    extra = {key: value for key, value in extra.items() if key not in {"replaces", "source"}}
    made = StoredEntry(
        "a1b2c3d4e5f6",
        1_790_000_000_000,
        "k",
        "/p",
        "panel",
        question,
        tuple(tags),
        result,
        replaces,
        source,
        extra=extra,
    )
    data = made.to_bytes()
    assert data.endswith(b"\n")
    assert data.count(b"\n") == 1
    assert entry_from_envelope(json.loads(data)) == made


def test_fields_memkit_does_not_know_survive():
    read = entry_from_envelope({**GOOD, "sessionId": {"a": 1}})
    assert read.extra == {"sessionId": {"a": 1}}
    assert read.to_envelope()["sessionId"] == {"a": 1}


def test_an_unknown_field_never_takes_the_place_of_a_known_one():
    made = StoredEntry("a1b2c3d4e5f6", 1, "k", "/p", "p", "q", (), {}, extra={"question": "other"})
    assert made.to_envelope()["question"] == "q"


def test_the_time_is_aware():
    assert entry_from_envelope(GOOD).stored_at == from_ms(1_790_000_000_000)
    assert entry_from_envelope(GOOD).stored_at.tzinfo is UTC


def test_a_time_written_as_a_whole_float_is_read():
    assert entry_from_envelope({**GOOD, "storedAt": 1.79e12}).stored_at_ms == 1_790_000_000_000


def test_tags_may_be_missing():
    assert entry_from_envelope({key: value for key, value in GOOD.items() if key != "tags"}).tags == ()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param({"schemaVersion": None}, "schemaVersion is missing", id="no-version"),
        pytest.param({"schemaVersion": True}, "schemaVersion is missing", id="a-truth-as-version"),
        pytest.param({"schemaVersion": "1"}, "schemaVersion is missing", id="a-text-as-version"),
        pytest.param({"id": "../x"}, "id is missing", id="a-path-as-id"),
        pytest.param({"storedAt": 1.5}, "storedAt is missing", id="half-a-millisecond"),
        pytest.param({"storedAt": True}, "storedAt is missing", id="a-truth-as-time"),
        pytest.param({"storedAt": -1}, "storedAt is missing", id="before-1970"),
        pytest.param({"storedAt": 253_402_300_800_000}, "storedAt is missing", id="after-9999"),
        pytest.param({"storedAt": "2026-01-01"}, "storedAt is missing", id="a-date"),
        pytest.param({"projectKey": None}, "projectKey is missing", id="no-key"),
        pytest.param({"projectPath": 5}, "projectPath is missing", id="a-number-as-path"),
        pytest.param({"panelId": None}, "panelId is missing", id="no-panel"),
        pytest.param({"question": ["q"]}, "question is missing", id="a-list-as-question"),
        pytest.param({"tags": "db"}, "tags is not a list", id="a-text-as-tags"),
        pytest.param({"tags": [1]}, "tags is not a list", id="a-number-as-tag"),
        pytest.param({"tags": None}, "tags is not a list", id="null-as-tags"),
        pytest.param({"result": []}, "result is missing", id="a-list-as-result"),
        pytest.param({"replaces": "X"}, "replaces is not an id", id="replaces-nothing"),
        pytest.param({"source": "adr"}, "source is not an object", id="a-text-as-source"),
        pytest.param({"source": {"kind": "adr", "path": "p"}}, "source is not an object", id="a-source-without-digest"),
    ],
)
def test_what_is_no_entry_names_the_field(change, says):
    with pytest.raises(EntryDamage, match=says):
        entry_from_envelope({**GOOD, **change})


@pytest.mark.parametrize("version", [2, 99])
def test_a_newer_entry_is_named_as_such(version):
    with pytest.raises(NewerEntry, match=f"schema version {version} is newer than 1") as caught:
        entry_from_envelope({"schemaVersion": version, "id": "whatever it is then"})
    assert caught.value.version == version


# --- what may be stored ----------------------------------------------------------------------------------------------


def refused(call, *arguments) -> InvalidInputError:
    with pytest.raises(InvalidInputError) as caught:
        call(*arguments)
    return caught.value


@pytest.mark.parametrize("text", ["q", " q ", "日本語?", "x" * entries.MAX_QUESTION_CHARS])
def test_a_question_is_kept_as_it_is(text):
    assert require_question(text) == text


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("", "is empty"),
        (" \n\t", "is empty"),
        (None, "text was expected"),
        (b"q", "text was expected"),
        ("\udc9d", "unpaired surrogate"),
        ("x" * (entries.MAX_QUESTION_CHARS + 1), "at most 100,000 are kept"),
    ],
    ids=["empty", "blank", "none", "bytes", "surrogate", "too-long"],
)
def test_a_question_that_cannot_be_stored_is_refused(value, says):
    error = refused(require_question, value)
    assert says in error.what
    assert error.field == "question"


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        (["a", "b"], ("a", "b")),
        (("b", "a", "b"), ("b", "a")),
        ([" a ", "a"], ("a",)),
        ([], ()),
        ((tag for tag in ("x", "y")), ("x", "y")),
        (["t" * 64], ("t" * 64,)),
        ([str(i) for i in range(32)], tuple(str(i) for i in range(32))),
        (["same"] * 100, ("same",)),
    ],
    ids=[
        "a-list",
        "repeats",
        "blanks-around",
        "none",
        "a-generator",
        "the-longest",
        "as-many-as-may-be",
        "repeats-count-once",
    ],
)
def test_tags_are_kept_in_order_without_repeats(value, tags):
    assert require_tags(value) == tags


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("abc", "a list of texts was expected"),
        (5, "a list of texts was expected"),
        (None, "a list of texts was expected"),
        ([1], "text was expected"),
        ([""], "has 0 characters"),
        (["  "], "has 0 characters"),
        (["t" * 65], "has 65 characters"),
        ([str(i) for i in range(33)], "33 tags, at most 32"),
        (["\ud800"], "unpaired surrogate"),
    ],
    ids=["a-text", "a-number", "none", "number-inside", "empty", "blank", "too-long", "too-many", "surrogate"],
)
def test_tags_that_cannot_be_stored_are_refused(value, says):
    error = refused(require_tags, value)
    assert says in error.what
    assert error.field == "tags"


@pytest.mark.parametrize("text", ["adr", " adr ", "Führungskreis 2", "p" * 64])
def test_a_panel_has_a_printable_name(text):
    assert require_panel(text) == text.strip()


@pytest.mark.parametrize("value", ["", "  ", "p" * 65, "a\nb", "a\x00b", "a\u200bb", 5, None, "\ud800"], ids=ascii)
def test_a_name_that_is_none_is_refused(value):
    assert refused(require_panel, value).field == "panel_id"


@pytest.mark.parametrize(
    "value",
    [
        NOW,
        NOW + dt.timedelta(minutes=5),
        dt.datetime(1970, 1, 1, tzinfo=UTC),
        dt.datetime(2026, 11, 30, 13, 0, tzinfo=dt.timezone(dt.timedelta(hours=1))),
    ],
)
def test_a_time_is_kept_as_milliseconds(value):
    assert require_stored_at(value, NOW) == round(value.timestamp() * 1000)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (dt.datetime(2026, 1, 1), "has no time zone"),
        (dt.date(2026, 1, 1), "a datetime was expected"),
        ("2026-01-01", "a datetime was expected"),
        (1_790_000_000_000, "a datetime was expected"),
        (NOW + dt.timedelta(minutes=5, milliseconds=1), "lies in the future"),
        (dt.datetime(9999, 12, 31, tzinfo=UTC), "lies in the future"),
        (dt.datetime(1969, 12, 31, 23, 59, tzinfo=UTC), "lies before 1970"),
        (dt.datetime(1, 1, 1, tzinfo=UTC), "lies before 1970"),
    ],
)
def test_a_time_that_cannot_be_stored_is_refused(value, says):
    error = refused(require_stored_at, value, NOW)
    assert says in error.what
    assert error.field == "stored_at"
    assert error.remedy


@pytest.mark.parametrize("hours", [-14, 14])
def test_the_edges_of_the_calendar_are_refused_in_any_zone(hours):
    zone = dt.timezone(dt.timedelta(hours=hours))
    for value in (dt.datetime.min.replace(tzinfo=zone), dt.datetime.max.replace(tzinfo=zone)):
        assert refused(require_stored_at, value, NOW).field == "stored_at"
