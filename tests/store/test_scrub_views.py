"""Readings of a text lead back to what was written."""

import itertools
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.store.scrub_views import FOLDABLE, UNSEEN, View, fold, fold_char, lower, views

BREAKS = "\t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85"


def characters(ranges: str) -> set[str]:
    found: set[str] = set()
    i = 0
    while i < len(ranges):
        if ranges[i + 1 : i + 2] == "-" and i + 2 < len(ranges):
            found |= {chr(code) for code in range(ord(ranges[i]), ord(ranges[i + 2]) + 1)}
            i += 3
        else:
            found.add(ranges[i])
            i += 1
    return found


def every_character():
    return (chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)


def test_every_character_that_stands_for_one_of_ascii_is_folded():
    foldable = characters(FOLDABLE)
    missing = [
        f"U+{ord(char):04X}"
        for char in every_character()
        if char > "\x7f"
        and len(folded := unicodedata.normalize("NFKC", char)) == 1
        and folded < "\x80"
        and char not in foldable
    ]
    assert missing == []


def test_every_control_and_format_character_is_unseen_unless_it_breaks_a_line():
    unseen = characters(UNSEEN)
    missing = [
        f"U+{ord(char):04X}"
        for char in every_character()
        if unicodedata.category(char) in {"Cf", "Cc"} and char not in unseen and char not in BREAKS
    ]
    assert missing == []
    assert unseen.isdisjoint(BREAKS)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Ａ", "A"),
        ("𝐳", "z"),
        ("—", "-"),
        ("‑", "-"),
        ("“", '"'),
        ("’", "'"),
        ("\u2028", "\n"),
        ("\x85", "\n"),
        ("\xa0", " "),
        ("ﬁ", "ﬁ"),
        ("é", "é"),
        ("字", "字"),
    ],
)
def test_a_character_is_read_as_the_one_it_stands_for(written, read):
    assert fold_char(written) == read


@pytest.mark.parametrize(
    ("written", "read"),
    [
        pytest.param("a\u200bb", "ab", id="zero-width-space"),
        pytest.param("a\x00b", "ab", id="nul"),
        pytest.param("a\x1b[1;31mb\x1b[0m", "ab", id="colours"),
        pytest.param(r"a\"b", 'a"b', id="escaped-quote"),
        pytest.param(r"a\\\"b", 'a"b', id="twice-escaped-quote"),
        pytest.param(r"a\nb", "a\nb", id="escaped-line-break"),
        pytest.param(r"\u0061\u200b\uff42", "ab", id="escaped-code-points"),
        pytest.param(r"\ud835\udc1a", "a", id="escaped-surrogates"),
        pytest.param(r"a\x2db", "a-b", id="hexadecimal-escape"),
        pytest.param("a%3Db%253d", "a=b=", id="percent-encoded"),
        pytest.param("%C3%A9%0a", "é\n", id="percent-encoded-utf-8"),
        pytest.param("a&amp;b&#61;&#x3d;&quot;", 'a&b=="', id="html"),
    ],
)
def test_what_hides_a_character_is_taken_off(written, read):
    assert [view.text for view in views(written)][-1] == read


@pytest.mark.parametrize("text", ["", "plain text", "line\nline\ttab\r\n", "äöü 漢字 emoji 🙂", "100 % of R&D"])
def test_a_text_without_disguises_is_read_once(text):
    assert views(text) == [View(text)]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_the_first_reading_has_the_length_of_the_text(text):
    assert len(views(text)[0].text) == len(text)


PIECES = [
    *"ab \n\\n\"'%3D41&;#ux0",
    "\u200b",
    "\x1b[1m",
    "Ａ",
    "é",
    "字",
    "\x00",
    "&amp;",
    "%C3%A9",
    r"\u0041",
    "plain words ",
]
LIKELY = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(LIKELY, st.integers(0, 40), st.integers(1, 40))
def test_each_stretch_of_a_reading_leads_back_to_where_it_was_written(text, start, length):
    for view in views(text):
        start_, end = min(start, max(0, len(view.text) - 1)), min(start + length, len(view.text))
        if start_ >= end:
            continue
        first, last = view.span(start_, end)
        assert 0 <= first < last <= len(text)
        if last - first == end - start_:  # nothing was taken off within it
            continue
        assert any(char in text[first:last] for char in "\\%&\x1b\x00\u200b")


@given(LIKELY)
def test_the_stretches_of_a_reading_stand_in_the_order_of_the_text(text):
    for view in views(text):
        spans = [view.span(i, i + 1) for i in range(len(view.text))]
        assert spans == sorted(spans)
        assert all(left[1] <= right[0] for left, right in itertools.pairwise(spans))


def test_lines_far_from_anything_hidden_are_not_read_twice():
    text = "plain line\n" * 10_000 + "a\u200bb\n" + "plain line\n" * 10_000
    _, unwrapped = views(text)
    assert len(unwrapped.text) < 3000
    position = unwrapped.text.index("ab")
    first, last = unwrapped.span(position, position + 2)
    assert text[first:last] == "a\u200bb"


@given(st.text())
def test_lower_case_keeps_offsets(text):
    assert len(lower(text)) == len(text)


def test_lower_case_keeps_offsets_where_python_adds_a_character():
    assert lower("İpassWORD") == "ipassword"


def test_a_name_is_folded_and_freed_of_what_is_not_seen():
    assert fold("ｐａｓｓ\u200b\u00adword") == "password"
