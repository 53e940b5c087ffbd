"""Secrets out of JSON: texts at any depth, keys, and values whose keys say what they are."""

import json

import pytest

from memkit.errors import InvalidInputError
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns

SCRUBBER = Scrubber(shipped_patterns())
TOKEN = "gh" + "p_" + "A1b2C3d4" * 4
OTHER = "gh" + "p_" + "Z9y8X7w6" * 4
MASK = "[scrubbed:github-token]"


@pytest.mark.parametrize(
    ("value", "clean", "counts"),
    [
        pytest.param(TOKEN, MASK, {"github-token": 1}, id="a-text"),
        pytest.param([1, [TOKEN, None]], [1, [MASK, None]], {"github-token": 1}, id="in-lists"),
        pytest.param({"a": {"b": [f"x {TOKEN}"]}}, {"a": {"b": [f"x {MASK}"]}}, {"github-token": 1}, id="deep"),
        pytest.param({TOKEN: 1}, {MASK: 1}, {"github-token": 1}, id="a-key"),
        pytest.param({TOKEN: TOKEN}, {MASK: MASK}, {"github-token": 2}, id="a-key-and-its-value"),
        pytest.param({"password": "x"}, {"password": "[scrubbed:password]"}, {"password": 1}, id="a-short-password"),
        pytest.param(
            {"password": "two words, really"}, {"password": "[scrubbed:password]"}, {"password": 1}, id="a-sentence"
        ),
        pytest.param({"passwords": {"db": "x"}}, {"passwords": {"db": "x"}}, {}, id="an-object-below-is-walked"),
        pytest.param(
            {"client_secret": ["a", "b"]},
            {"client_secret": ["[scrubbed:secret]"] * 2},
            {"secret": 2},
            id="a-list-below",
        ),
        pytest.param({"apiKey": "abc"}, {"apiKey": "[scrubbed:api-key]"}, {"api-key": 1}, id="camel-case"),
        pytest.param({"X-Api-Key": "abc"}, {"X-Api-Key": "[scrubbed:api-key]"}, {"api-key": 1}, id="a-header"),
        pytest.param({"db.password": "x"}, {"db.password": "[scrubbed:password]"}, {"password": 1}, id="dotted"),
        pytest.param({"Passwort": "x"}, {"Passwort": "[scrubbed:password]"}, {"password": 1}, id="german"),
        pytest.param({"contraseña": "x"}, {"contraseña": "[scrubbed:password]"}, {"password": 1}, id="spanish"),
        pytest.param({"パスワード": "x"}, {"パスワード": "[scrubbed:password]"}, {"password": 1}, id="japanese"),
        pytest.param({"密码": "x"}, {"密码": "[scrubbed:password]"}, {"password": 1}, id="chinese"),
        pytest.param(
            {"ｐａｓｓｗｏｒｄ": "x"}, {"ｐａｓｓｗｏｒｄ": "[scrubbed:password]"}, {"password": 1}, id="fullwidth-key"
        ),
        pytest.param(
            {"pass\u200bword": "x"}, {"pass\u200bword": "[scrubbed:password]"}, {"password": 1}, id="key-with-a-gap"
        ),
        pytest.param(
            [{"name": "DB_PASSWORD", "value": "x"}],
            [{"name": "DB_PASSWORD", "value": "[scrubbed:password]"}],
            {"password": 1},
            id="name-and-value",
        ),
        pytest.param(
            {"NEXT_AUTH_SECRET": "x"}, {"NEXT_AUTH_SECRET": "[scrubbed:secret]"}, {"secret": 1}, id="a-name-with-next"
        ),
        pytest.param({"authToken": TOKEN}, {"authToken": "[scrubbed:secret]"}, {"secret": 1}, id="counted-once"),
        pytest.param((TOKEN, 1), [MASK, 1], {"github-token": 1}, id="a-tuple"),
    ],
)
def test_secrets_in_json_are_masked_and_counted(value, clean, counts):
    assert SCRUBBER.scrub_json(value) == (clean, counts)
    assert SCRUBBER.scrub_json(clean) == (clean, {})


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        0,
        1.5,
        "",
        [],
        {},
        {"password": None, "n": 3},
        {"password": ""},
        {"password": "${DB_PASSWORD}"},
        {"password": "<redacted>"},
        {"password": "********"},
        {"password": "[scrubbed:password]"},
        {"password": 5, "token": {"a": 1}},
        {"password_hash": "none of it", "token_count": "12"},
        {"token": "auth", "field": "question", "value": 0.3},
        {"tokens": ["auth", "token"], "max_tokens": "4096"},
        {"has_password": "yes", "nextPageToken": "CAESB" + "kZoa3dx1", "next_token": "abc"},
        {"secretName": "database", "tokenizer": "cl100k"},
        {"synthesis": {"content": "The token is refreshed hourly.", "judgeConfidence": 81}, "finalScore": 90},
        {"public_key": "abc", "primaryKey": "id", "key": "value"},
    ],
    ids=lambda value: json.dumps(value)[:40],
)
def test_json_without_secrets_is_returned_as_it_was_handed_in(value):
    clean, counts = SCRUBBER.scrub_json(value)
    assert clean is value
    assert counts == {}


def test_two_keys_that_become_the_same_both_keep_their_values():
    clean, counts = SCRUBBER.scrub_json({TOKEN: 1, OTHER: 2, "z": 3})
    assert clean == {MASK: 1, f"{MASK} (2)": 2, "z": 3}
    assert counts == {"github-token": 2}
    assert SCRUBBER.scrub_json(clean) == (clean, {})


def test_a_masked_key_does_not_take_the_place_of_one_that_is_there():
    clean, _ = SCRUBBER.scrub_json({TOKEN: 1, MASK: 2})
    assert sorted(clean.values()) == [1, 2]


def test_the_value_handed_in_is_not_changed():
    value = {"a": [TOKEN, {"password": "x"}]}
    before = json.dumps(value)
    SCRUBBER.scrub_json(value)
    assert json.dumps(value) == before


def test_nesting_deeper_than_memkit_stores_is_refused():
    value = TOKEN
    for _ in range(100_000):
        value = [value]
    with pytest.raises(InvalidInputError, match="nested deeper than 64") as caught:
        SCRUBBER.scrub_json(value)
    assert caught.value.field == "result"
    while isinstance(value, list):  # taken apart by hand: the interpreter would recurse
        value = value.pop()


@pytest.mark.parametrize("kind", ["password", "api-key", "secret"])
def test_an_excluded_kind_leaves_the_values_of_its_names_alone(kind):
    scrubber = Scrubber(shipped_patterns(), exclude=[kind])
    value = {"password": "x", "api_key": "y", "client_secret": "z"}
    clean, counts = scrubber.scrub_json(value)
    assert kind not in counts
    assert sum(counts.values()) == 2
    assert sum(clean[name] == value[name] for name in value) == 1
