import pathlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.present import markup
from memkit.present.blocks import Card, Chip, Meter, Para, Piece, Sheet
from tests.present.markup_check import read


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<b> & \"'", "&lt;b&gt; &amp; &quot;&#x27;", id="markup"),
        pytest.param("$5", "<span>$</span>5", id="dollar"),
        pytest.param("$$", "<span>$</span><span>$</span>", id="two-dollars"),
        pytest.param("\\(x\\)", "<span>\\</span>(x<span>\\</span>)", id="backslash"),
        pytest.param("a\nb", "a<br>b", id="line-break"),
        pytest.param("x" * 40, "x" * 40, id="word-of-a-line"),
        pytest.param(f"{'a' * 15}/{'b' * 10}-{'c' * 16}", f"{'a' * 15}/<wbr>{'b' * 10}-<wbr>{'c' * 16}", id="path"),
        pytest.param("x" * 41, f"{'x' * 20}<wbr>{'x' * 20}<wbr>x", id="longer-word"),
        pytest.param("&" * 41, f"{'&amp;' * 20}<wbr>{'&amp;' * 20}<wbr>&amp;", id="entities-are-not-torn"),
    ],
)
def test_text_is_hardened(text, expected):
    assert markup.harden(text) == expected


@given(st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\x00"), max_size=200))
def test_the_text_of_the_html_is_the_text_given(text):
    source = markup.harden(text)
    assert read(source.replace("<br>", "\n")).text == text
    assert set(re.findall(r"<[^>]*>", source)) <= {"<br>", "<wbr>", "<span>", "</span>"}


@given(st.text(alphabet="$\\([])a {}", max_size=60))
def test_no_stretch_of_text_holds_a_formula(text):
    for stretch in read(markup.harden(text)).stretches:
        assert stretch in {"$", "\\"} or not set(stretch) & {"$", "\\"}


def test_every_value_of_a_template_is_hardened_even_where_the_template_forgot():
    sheet = Sheet(("<title> $1",), (("<lead>",),), (Card(("<card>",), (Chip("<chip>", "<"),), (Para(("$2",)),)),))
    source = markup.fragment(sheet)
    assert "<title>" not in source
    assert "&lt;title&gt; <span>$</span>1" in source
    assert "&lt;lead&gt;" in source
    assert "&lt;card&gt;" in source
    assert "&lt;chip&gt;" in source


def test_attributes_are_escaped_and_hold_no_elements():
    sheet = Sheet((), (), (Para((Meter(1.0, 2.0, '"><script>$\\'),)),))
    meters = [(name, value) for tag, name, value in read(markup.fragment(sheet)).attributes if tag == "meter"]
    assert ("title", '"><script>$\\') in meters
    assert ("value", "1.0") in meters


def test_pieces_keep_their_direction_to_themselves():
    source = markup.fragment(Sheet((Piece("שלום"), " and ", Piece("x", "strong")), (), ()))
    assert "<bdi>שלום</bdi> and <strong><bdi>x</bdi></strong>" in source


def test_the_output_has_no_blank_or_indented_line():
    source = markup.document(Sheet(("t",), (("l",),), (Card(("c",), (), (Para(("p",)),)),)))
    assert all(line and not line.startswith((" ", "\t")) for line in source.split("\n"))


def test_every_rule_of_the_stylesheet_is_scoped():
    source = re.sub(r"@(media|supports)[^{]*\{((?:[^{}]|\{[^{}]*\})*)\}", r"\2", str(markup.style()))
    selectors = [one.strip() for rule in re.findall(r"([^{}]+)\{[^{}]*\}", source) for one in rule.split(",")]
    assert len(selectors) > 30
    assert [one for one in selectors if not one.startswith(".memkit")] == []


def test_the_stylesheet_asks_nobody_for_anything():
    assert not re.search(r"url\(|@import|expression|https?:|</", str(markup.style()))


def test_labels_of_facts_keep_their_width_where_the_surroundings_float_them():
    style = (pathlib.Path(markup.__file__).parent / "templates" / "style.css").read_text("utf-8")
    rule = next(line for line in style.splitlines() if line.startswith(".memkit .mk-facts.mk-facts dt"))
    assert "float: none" in rule
    assert "width: auto" in rule
