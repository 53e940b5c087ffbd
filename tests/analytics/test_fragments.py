"""Fragments are windows of the stored text, around words, never through them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.analytics.fragments import find_fragments
from memkit.model import tokens

TEXTS = st.lists(
    st.sampled_from(
        ["needle", "thread", "hay", "Needle-Thread", "決定事項", "é", "e\u0301", "\n", "—", "x" * 90, "a.b", "  "]
    ),
    max_size=60,
).map(" ".join)


@given(TEXTS, TEXTS)
def test_every_fragment_is_a_slice_whose_matches_are_the_words(one, other):
    texts = {"question": one, "synthesis": other}
    worth = {"needle": 2.0, "thread": 1.0, "決定": 1.0, "needlethread": 0.5}
    found = find_fragments(texts, worth)
    assert len(found) <= 3
    present = any(tokens.locate(text, worth.keys()) for text in texts.values())
    assert bool(found) == present
    for fragment in found:
        whole = texts[fragment.field]
        assert whole[fragment.start : fragment.end] == fragment.text
        assert fragment.matches
        for start, end in fragment.matches:
            assert any(term in worth for term in tokens.terms(fragment.text[start:end]))
        assert list(fragment.matches) == sorted(fragment.matches)
        assert all(a[1] <= b[0] for a, b in zip(fragment.matches, fragment.matches[1:], strict=False))


def test_a_window_of_different_words_beats_one_that_repeats_a_word():
    text = "needle needle needle needle " + "hay " * 100 + "needle with thread " + "hay " * 100
    first = find_fragments({"synthesis": text}, {"needle": 1.0, "thread": 1.0})[0]
    assert "needle with thread" in first.text


def test_the_same_words_are_not_shown_twice():
    conclusion = "keep the needle"
    texts = {"conclusion": conclusion, "synthesis": f"{'hay ' * 50}\n\n{conclusion}\n"}
    assert [f.field for f in find_fragments(texts, {"needle": 1.0})] == ["conclusion"]


def test_a_script_without_spaces_is_cut_between_characters():
    text = "前" * 300 + "決定事項" + "後" * 300
    (fragment,) = find_fragments({"synthesis": text}, {"決定": 1.0})
    assert fragment.text[slice(*fragment.matches[0])] == "決定"
    assert len(fragment.text) <= 170


@pytest.mark.parametrize("word", ["needle", "Needle", "NEEDLE"])
def test_a_match_is_never_cut_however_long_its_neighbours(word):
    text = "x" * 500 + f" {word} " + "y" * 500
    (fragment,) = find_fragments({"synthesis": text}, {"needle": 1.0})
    assert fragment.text == word


def test_a_large_text_is_cut_in_little_time():
    text = "needle and thread " * 50_000
    assert len(find_fragments({"synthesis": text}, {"needle": 1.0, "thread": 1.0})) >= 1
