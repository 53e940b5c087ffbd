"""An English word in its other number, by spelling alone."""

import pytest

from memkit.model.numbers_of_words import other_number

PAIRS = [
    ("invoice", "invoices"), ("policy", "policies"), ("match", "matches"), ("index", "indexes"), ("class", "classes"),
    ("queue", "queues"), ("relay", "relays"), ("bus", "buses"), ("boxes", "box"), ("analysis", "analysises"),
]  # fmt: skip


@pytest.mark.parametrize(("word", "other"), PAIRS, ids=[word for word, _ in PAIRS])
def test_one_number_leads_to_the_other(word, other):
    if len(word) > 3:
        assert other in other_number(word)


@pytest.mark.parametrize(
    ("word", "singular"), [("queues", "queue"), ("retries", "retry"), ("matches", "match"), ("logs", "log")]
)
def test_a_plural_leads_back(word, singular):
    assert singular in other_number(word)


@pytest.mark.parametrize("word", ["", "s", "bus", "aws", "utf8s", "größen", "api2", "auth_tokens"])
def test_short_words_and_those_with_other_characters_have_none(word):
    assert other_number(word) == ()


@pytest.mark.parametrize("word", ["redis", "status", "process", "analysis"])
def test_a_singular_that_ends_in_s_keeps_it(word):
    assert word[:-1] not in other_number(word)


@pytest.mark.parametrize("word", ["auth", "author", "token", "retry"])
def test_a_word_never_leads_to_one_it_only_begins(word):
    assert all(other in {f"{word}s", f"{word}es", f"{word[:-1]}ies"} for other in other_number(word))
