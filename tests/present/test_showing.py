"""Every kind of result, everyday and hostile, in both representations."""

import re
import unicodedata

import pyarrow as pa
import pytest

from memkit.consolidate.staged import StagedList
from memkit.display import mimebundle, plain
from memkit.model.problem import Problem
from memkit.present import render, reports, terminal
from memkit.present.page import page
from tests.present import deciding_samples, samples, staging_samples
from tests.present.markup_check import ATTRIBUTES, TAGS, read, without_style, words

EVERYDAY = samples.everyday()
KINDS = tuple(EVERYDAY)
HOSTILE = [
    pytest.param(kind, text, id=f"{kind}-{name}")
    for name, text in samples.HOSTILE.items()
    for kind in samples.hostile("x")
]


def _check(source):
    """The HTML holds nothing but known, closed tags and attributes, and no formula."""
    reader = read(without_style(source))
    assert set(reader.tags) <= TAGS
    assert {name for _, name, _ in reader.attributes} <= ATTRIBUTES
    for _, name, value in reader.attributes:
        assert name != "src" or re.fullmatch(r"data:image/svg\+xml;base64,[A-Za-z0-9+/]+=*", value)
        assert name != "style" or re.fullmatch(r"[a-z-]+:[a-z0-9 #%-]+(;[a-z-]+:[a-z0-9 #%-]+)*", value)
    for stretch in reader.stretches:
        assert stretch in {"$", "\\"} or not set(stretch) & {"$", "\\"}
    return reader


@pytest.mark.parametrize("kind", KINDS)
def test_the_essential_facts_are_in_the_text_of_the_html_without_style(kind):
    value, facts = EVERYDAY[kind]
    seen = words(_check(render.html(value)).text)
    assert [fact for fact in facts if fact not in seen] == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_plain_text_says_the_same(kind):
    value, facts = EVERYDAY[kind]
    seen = words(render.text(value).replace("[payment]", "payment"))
    # A long fact may be broken over two lines of a narrow column.
    assert [fact for fact in facts if fact not in seen and fact.replace(" ", "") not in seen.replace(" ", "")] == []


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in {"text", "anything"}])
def test_a_value_shows_itself_in_both_ways(kind):
    value = EVERYDAY[kind][0]
    bundle = mimebundle(value)
    assert set(bundle) == {"text/plain", "text/html"}
    assert bundle["text/html"].startswith('<div class="memkit ')
    assert plain(value) == bundle["text/plain"]
    if hasattr(value, "_repr_mimebundle_"):
        assert value._repr_mimebundle_(include={"text/plain"}) == {"text/plain": bundle["text/plain"]}
        assert value.to_html() == bundle["text/html"]
        assert value.to_text() == bundle["text/plain"]


@pytest.mark.parametrize(("kind", "text"), HOSTILE)
def test_hostile_text_stays_text_in_html(kind, text):
    source = render.html(samples.hostile(text)[kind])
    reader = _check(source)
    assert len(source.encode()) < render.MAX_HTML_BYTES
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in source if char != "\n")
    assert not set(source) & set("\u202e\u202c\u2066\u200b\ufeff\u00ad\U000e0041")
    if text == samples.HOSTILE["markup"] and kind != "wipe":
        assert "<script>alert(1)</script>" in reader.text.replace("\n", "")


@pytest.mark.parametrize(("kind", "text"), HOSTILE)
def test_hostile_text_stays_text_in_a_terminal(kind, text):
    out = render.text(samples.hostile(text)[kind])
    assert not any(unicodedata.category(char) in {"Cc", "Cs"} for char in out if char != "\n")
    assert not set(out) & set("\u202e\u202c\u2066\u200b\ufeff\u00ad\U000e0041")
    assert [line for line in out.split("\n") if terminal.cells(line) > terminal.WIDTH] == []
    assert len(out) < 60_000


@pytest.mark.parametrize(
    "text", [pytest.param("$" * 5_000, id="dollars"), pytest.param("\U000e0041" * 5_000, id="escapes")]
)
@pytest.mark.parametrize("kind", list(samples.hostile("x")))
def test_the_html_is_bounded_whatever_it_shows(kind, text):
    value = samples.hostile(text)[kind]
    if kind == "recall":
        value = samples.recall(rows=value.rows[:1] * 1000, missed=value.missed * 100, warnings=value.warnings * 100)
    if kind == "decisions":
        value = samples.DecisionRows(value.rows * 100, samples.NOW)
    source = render.html(value)
    assert len(source.encode()) < render.MAX_HTML_BYTES
    _check(source)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param(samples.recall(rows=(samples.hit(),) * 137), "20 of 137 hits", id="hits"),
        pytest.param(samples.decision_rows(1234), "20 of 1,234 decisions", id="decisions"),
        pytest.param(samples.listing(27), "20 of 27 entries", id="entries"),
        pytest.param(samples.reports.problems_table(samples.PROBLEMS * 20), "20 of 40 problems", id="problems"),
    ],
)
def test_at_most_twenty_rows_are_shown_and_the_rest_is_counted(value, said):
    assert said in words(read(without_style(render.html(value))).text)
    assert said in words(render.text(value))
    assert render.html(value).count('<section class="mk-card') in {0, 20}


def test_the_page_needs_nothing_else():
    values = [value for value, _ in EVERYDAY.values()]
    source = page("A <page> of $ results", [*values, samples.hostile(samples.HOSTILE["markup"])["recall"]])
    assert source.startswith('<!DOCTYPE html>\n<html lang="en">')
    assert source.count("<style>") == 1
    assert not re.search(r"https?:|url\(|@import", source)
    reader = read(without_style(source))
    assert {name for _, name, _ in reader.attributes} <= ATTRIBUTES | {"lang", "charset", "name", "content"}
    assert set(reader.tags) - TAGS == {"html", "head", "meta", "title", "body", "main"}
    assert "A &lt;page&gt; of <span>$</span> results" in source


def test_headings_of_a_page_descend_without_a_gap():
    from memkit.present.page import Part

    value = samples.recall()
    reader = read(without_style(page("T", [value, Part("Chapter", value, "A note.")])))
    levels = [int(tag[1]) for tag in reader.tags if re.fullmatch(r"h\d", tag)]
    assert levels == [1, 2, 3, 3, 3, 3, 2, 3, 4, 4, 4, 4]


N_MANY = 100_000
WORDY = "many words in every cell, and <markup> & more " * 40
MANY = {
    "table": lambda: samples.ArrowTable(pa.table({f"c{i}": [WORDY] * 20 + [""] * (N_MANY - 20) for i in range(12)})),
    "listing": lambda: samples.listing(N_MANY),
    "decisions": lambda: samples.DecisionRows(
        (samples.decision_row(title=WORDY, conclusion=WORDY),) * N_MANY, samples.NOW
    ),
    "recall": lambda: samples.recall(rows=(samples.hit(summary=WORDY),) * N_MANY),
    "tripwires": lambda: deciding_samples.report(rows=(deciding_samples.row(text=WORDY),) * N_MANY),
    "staged": lambda: StagedList((staging_samples.row(),) * N_MANY, (), samples.NOW),
    "problems": lambda: reports.problems_table([Problem("damaged-line", "index.jsonl", WORDY)] * N_MANY),
}


@pytest.mark.parametrize("kind", MANY)
def test_a_hundred_thousand_rows_are_a_small_page(kind):
    value = MANY[kind]()
    assert len(render.html(value).encode()) < 200_000
    assert len(render.text(value)) < 60_000
