"""Slugs are file names everywhere, and come from titles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import InvalidInputError
from memkit.model.slugs import MAX_SLUG_CHARS, free_slug, is_slug, require_slug, slug_of

TITLES = {
    "Retry *only* idempotent calls!": "retry-only-idempotent-calls",
    "Don't block the event loop": "dont-block-the-event-loop",
    "Zustellversuche zählen": "zustellversuche-zahlen",
    "Straße, Ærø, Łódź": "strasse-aero-lodz",
    "PostgreSQL 17 -- or 18?": "postgresql-17-or-18",
    "con": "con-record",
    "NUL": "nul-record",
}


@pytest.mark.parametrize(("title", "slug"), TITLES.items(), ids=TITLES.values())
def test_a_title_gives_a_readable_slug(title, slug):
    assert slug_of(title) == slug


def test_a_title_of_another_script_gives_a_name_that_stays_the_same():
    assert slug_of("住所の正規化", fallback="lesson") == slug_of(" 住所の正規化 ", fallback="lesson")
    assert slug_of("住所の正規化", fallback="lesson").startswith("lesson-")
    assert slug_of("住所の正規化") != slug_of("住所")


@given(st.text(max_size=200))
def test_whatever_the_title_its_slug_is_a_slug(title):
    assert is_slug(slug_of(title))


@given(st.text(max_size=120), st.integers(0, 12))
def test_a_taken_slug_gets_a_number_and_stays_a_slug(title, n):
    taken = set()
    for _ in range(n):
        taken.add(free_slug(title, taken))
    assert len(taken) == n
    assert all(map(is_slug, taken))


NO_SLUGS = [
    "",
    "-a",
    "a-",
    "a--b",
    "A",
    "Use-UTC",
    "a_b",
    "a.b",
    "a/b",
    "..",
    "ä",
    "a b",
    "a\n",
    "x" * 81,
    "aux",
    None,
    5,
]


@pytest.mark.parametrize("text", NO_SLUGS, ids=repr)
def test_anything_else_is_refused(text):
    assert not is_slug(text)
    with pytest.raises(InvalidInputError) as refused:
        require_slug(text)
    assert refused.value.field == "slug"


def test_the_refusal_suggests_one():
    with pytest.raises(InvalidInputError, match="'use-utc'"):
        require_slug("Use UTC")


def test_a_long_title_is_cut_between_words():
    slug = slug_of("never " * 40)
    assert len(slug) <= MAX_SLUG_CHARS
    assert slug.endswith("never")
