import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.present.safe import clip, marked, shown, visible


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("\x1b[31mred", "\\x1b[31mred", id="terminal-colours"),
        pytest.param("a\x07b\x00c\x7f\x9b", "a\\x07b\\x00c\\x7f\\x9b", id="control-characters"),
        pytest.param("a\u202eb\u2066c\u200ed", "a\\u202eb\\u2066c\\u200ed", id="direction"),
        pytest.param("a\u200bb\ufeffc\u00add", "a\\u200bb\\ufeffc\\xadd", id="invisible"),
        pytest.param("\U000e0041", "\\U000e0041", id="tag-characters"),
        pytest.param("\ud800", "\\ud800", id="lone-surrogate"),
        pytest.param("  a \t\r\n\n b\u2028c  ", "a b c", id="white-space"),
        pytest.param("👩‍👩‍👧 नमस्ते می‌خواهم", "👩‍👩‍👧 नमस्ते می‌خواهم", id="joiners-stay"),
        pytest.param("مرحبا שלום 日本語", "مرحبا שלום 日本語", id="scripts-stay"),
        pytest.param("\u0601\u06dd", "\u0601\u06dd", id="visible-format-characters-stay"),
        pytest.param("e\u0301" + "\u0321" * 9, "e\u0301\u0321\u0321\u0321\u0321(+5 marks)", id="piled-marks"),
    ],
)
def test_hidden_characters_are_written_out(text, expected):
    assert visible(text) == expected


def test_line_breaks_can_be_kept_without_blank_lines():
    assert visible("a\r\n\r\n  b\u2028c\n", "keep") == "a\n  b\nc"


def test_line_breaks_can_be_escaped():
    assert visible("a\n\tb\r", "escape") == "a\\n\\tb\\r"


def test_a_cut_shows():
    assert clip("abcdef", 6) == "abcdef"
    assert clip("abcdefg", 6) == "abcde…"


def test_a_text_of_megabytes_costs_no_more_than_its_beginning():
    assert shown("x" * 50_000_000, 10) == "xxxxxxxxx…"


def test_a_long_text_of_blanks_still_shows_that_it_goes_on():
    assert shown(" " * 5000 + "end", 10) == "…"


@given(st.text(st.characters(), max_size=300), st.integers(1, 60))
def test_nothing_shown_is_longer_than_its_limit_or_hidden(text, limit):
    out = shown(text, limit)
    assert len(out) <= limit
    assert "\n" not in out
    assert not any(char < " " or char == "\x7f" for char in out)
    out.encode("utf-8")


def _flat(run):
    return "".join(f"[{p.text}]" if p.role == "mark" else p.text for p in run.pieces)


@pytest.mark.parametrize(
    ("matches", "expected"),
    [
        pytest.param(((0, 3), (8, 11)), "[one] two [six] ten", id="two"),
        pytest.param(((8, 11), (0, 3)), "[one] two [six] ten", id="in-any-order"),
        pytest.param(((0, 7), (4, 11)), "[one two] six ten", id="overlap-left-out"),
        pytest.param(((0, 3), (0, 3)), "[one] two six ten", id="twice"),
        pytest.param(((-4, 2), (90, 99), (5, 5), (9, 4)), "one two six ten", id="nonsense-left-out"),
        pytest.param((), "one two six ten", id="none"),
    ],
)
def test_matched_places_are_marked(matches, expected):
    assert _flat(marked("one two six ten", matches, 100)) == expected


def test_a_long_text_is_cut_around_its_first_match():
    text = "before " * 40 + "needle" + " after" * 60
    out = _flat(marked(text, ((280, 286),), 60))
    assert "[needle]" in out
    assert out.startswith("…before")
    assert out.endswith("…")
    assert len(out) < 70


@given(st.text("ab <\n", max_size=60), st.lists(st.tuples(st.integers(-5, 70), st.integers(-5, 70)), max_size=5))
def test_marking_loses_no_letter(text, matches):
    out = "".join(piece.text for piece in marked(text, matches, 100).pieces)
    assert out.replace(" ", "") == text.replace(" ", "").replace("\n", "")
