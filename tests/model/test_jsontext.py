"""JSON that every reader of a store can read, and findings about the rest."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import InvalidInputError
from memkit.model import jsontext
from memkit.model.jsontext import (
    MAX_NESTING,
    JsonDamage,
    dumps,
    loads,
    loads_object,
    nesting,
    require_json,
    require_text,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20)


def nested(depth: int, value=0):
    for _ in range(depth):
        value = [value]
    return value


@given(VALUES)
def test_what_is_written_reads_back_the_same(value):
    data = dumps(value)
    assert loads(data) == value
    assert b"\n" not in data
    assert json.loads(data) == value


@given(VALUES)
def test_a_value_that_may_be_stored_comes_back_as_it_was(value):
    assert require_json(value, "result") == value


def test_text_beyond_ascii_is_written_as_itself():
    assert dumps({"é": "字\u2028"}) == '{"é":"字\u2028"}'.encode()


def test_whole_numbers_stay_exact():
    big = 9_007_199_254_740_993
    assert loads(dumps([big])) == [big]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "not JSON", id="empty"),
        pytest.param(b"{", "not JSON", id="cut-off"),
        pytest.param(b"{}{}", "not JSON", id="glued"),
        pytest.param(b"\x00" * 8, "not JSON", id="nul"),
        pytest.param(b'{"a":"\xff"}', "not UTF-8 at byte 6", id="bad-utf-8"),
        pytest.param(b'"\xed\xa0\x80"', "not UTF-8 at byte 1", id="encoded-surrogate"),
        pytest.param(b"NaN", "NaN is not a JSON number", id="nan"),
        pytest.param(b"[-Infinity]", "-Infinity is not a JSON number", id="infinity"),
        pytest.param(b"1e400", "out of range", id="too-large"),
        pytest.param(b"9" * 5000, "too many digits", id="more-digits-than-python-reads"),
        pytest.param(b"[" * 65 + b"]" * 65, "nested deeper than 64", id="deep"),
        pytest.param(b"[" * 100_000, "nested deeper than 64", id="very-deep"),
        pytest.param(b"{'a': 1}", "not JSON", id="python"),
    ],
)
def test_bytes_that_are_no_json_say_why(data, says):
    with pytest.raises(JsonDamage, match=says):
        loads(data)


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf{}", b" {} \r\n", b'{"a":1,"a":2}'], ids=["bom", "blanks", "repeated-key"]
)
def test_harmless_oddities_are_read(data):
    assert isinstance(loads_object(data), dict)


@pytest.mark.parametrize("data", [b"[]", b"1", b'"x"', b"null"])
def test_an_object_is_asked_for(data):
    with pytest.raises(JsonDamage, match="a JSON object was expected"):
        loads_object(data)


@pytest.mark.parametrize(
    ("value", "depth"),
    [(1, 0), ("x", 0), ([], 1), ({}, 1), ([[], [[1]]], 3), ({"a": {"b": [1]}}, 3), ((1, (2,)), 2)],
)
def test_nesting_counts_lists_and_objects(value, depth):
    assert nesting(value) == depth


def test_nesting_stops_counting_beyond_the_limit():
    assert nesting(nested(1000)) == MAX_NESTING + 1


def test_the_deepest_value_that_is_stored_is_also_read():
    value = nested(MAX_NESTING)
    assert loads(dumps(require_json(value, "result"))) == value


@pytest.mark.parametrize(
    ("value", "plain"),
    [((1, (2,)), [1, [2]]), ({"a": (None,)}, {"a": [None]}), (True, True), (1.0, 1.0)],
)
def test_a_value_becomes_plain_json(value, plain):
    found = require_json(value, "result")
    assert found == plain
    assert type(found) is type(plain)


@pytest.mark.parametrize(
    ("value", "field", "says"),
    [
        pytest.param(
            {"rounds": [0, {"score": math.nan}]}, "result.rounds[1].score", "nan has no form in JSON", id="nan"
        ),
        pytest.param([math.inf], "result[0]", "inf has no form", id="infinity"),
        pytest.param({"a": "\ud800"}, "result.a", r"U\+D800\) at position 0", id="surrogate"),
        pytest.param({"x\udfff": 1}, r"result (a key)", r"U\+DFFF", id="surrogate-in-a-key"),
        pytest.param({1: 2}, "result", "the key 1 is int", id="a-number-as-key"),
        pytest.param({"a": {1, 2}}, "result.a", "set has no form in JSON", id="a-set"),
        pytest.param({"a": b"x"}, "result.a", "bytes has no form", id="bytes"),
        pytest.param(object(), "result", "object has no form", id="an-object"),
        pytest.param(nested(65), "result", "nested deeper than 64", id="deep"),
    ],
)
def test_a_value_that_cannot_be_stored_names_the_place(value, field, says):
    with pytest.raises(InvalidInputError, match=says) as caught:
        require_json(value, "result")
    assert caught.value.field == field


def test_a_value_that_contains_itself_is_refused():
    value: list = []
    value.append(value)
    with pytest.raises(InvalidInputError, match="nested deeper"):
        require_json(value, "result")


def test_text_is_asked_for():
    with pytest.raises(InvalidInputError, match="text was expected, found int") as caught:
        require_text(5, "question")
    assert caught.value.field == "question"


@given(TEXT)
def test_text_that_is_valid_unicode_passes(text):
    assert require_text(text, "question") == text


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": object()}])
def test_writing_refuses_what_json_has_no_form_for(value):
    with pytest.raises((ValueError, TypeError)):
        jsontext.dumps(value)
