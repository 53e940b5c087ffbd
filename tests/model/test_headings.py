"""Headings are recognised in the languages and shapes people write, and nowhere else."""

from __future__ import annotations

import pytest

from memkit.model import headings
from memkit.model.heading_words import HEADINGS


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        pytest.param("## Decision", "decision", id="atx"),
        pytest.param("3. Décision :", "decision", id="numbered French with a colon"),
        pytest.param("**Context**", "context", id="bold"),
        pytest.param("✅ Decision", "decision", id="emoji"),
        pytest.param("Decision Drivers <!-- optional -->", "drivers", id="comment behind it"),
        pytest.param("Decision: two datasets", "decision", id="with a text of its own"),
        pytest.param("Status: Accepted", "status", id="status with its value"),
        pytest.param("Decision (accepted)", "decision", id="brackets behind it"),
        pytest.param("Entscheidung", "decision", id="German"),
        pytest.param("Decisão", "decision", id="Portuguese"),
        pytest.param("Decisión", "decision", id="Spanish"),
        pytest.param("決定", "decision", id="Japanese"),
        pytest.param("决策", "decision", id="Chinese"),
        pytest.param("決定 (Decision)", "decision", id="bilingual"),
        pytest.param("ステータス", "status", id="Japanese status"),
        pytest.param("Tripwire conditions", "tripwires", id="tripwires"),
        pytest.param("À revoir si", "tripwires", id="French tripwires"),
        pytest.param("1.2 Context and Problem Statement", "context", id="two-part number"),
        pytest.param("Decisionmaking", None, id="a longer word"),
        pytest.param("Decision tables in the rule engine", None, id="a word among others"),
        pytest.param("", None, id="nothing"),
        pytest.param("---", None, id="only marks"),
    ],
)
def test_a_heading_announces_its_kind(heading, kind):
    assert headings.kind_of(heading) == kind


def test_the_table_holds_seven_languages_for_the_words_that_matter():
    for kind in ("decision", "tripwires", "status", "date", "context", "consequences", "options", "supersedes"):
        assert set(HEADINGS[kind]) >= {"en", "de", "fr", "pt", "es", "ja", "zh"}, kind


def test_the_table_is_in_lower_case_and_every_word_is_found():
    for kind, by_language in HEADINGS.items():
        for words in by_language.values():
            for word in words:
                assert word == word.casefold(), word
                assert headings.kind_of(word) is not None, (kind, word)


def kinds(text):
    return [(s.level, s.title, s.kind) for s in headings.sections(text)]


def test_headings_inside_fences_comments_and_front_matter_do_not_count():
    text = "---\n# comment\nstatus: x\n---\n# T\n```sh\n# not a heading\n```\n<!--\n## Status\n-->\n~~~\n## Decision\n~~~\n## Context\nc"
    assert kinds(text) == [(1, "T", None), (2, "Context", "context")]


def test_a_fence_is_closed_by_its_own_mark_only():
    assert kinds("````\n```\n# no\n```\n# no\n````\n# yes") == [(0, "", None), (1, "yes", None)]


def test_a_fence_may_open_behind_a_bullet():
    assert kinds("# T\n- ```\n  # no\n  ```\n## Decision\nx") == [(1, "T", None), (2, "Decision", "decision")]


def test_a_fence_that_is_never_closed_hides_nothing():
    assert kinds("# T\n```\n## Decision\nx")[-1] == (2, "Decision", "decision")


def test_underlined_headings_count_and_rules_and_tables_do_not():
    text = "Title\n=====\n\ntext\n\nDecision\n--------\nbody\n\n---\n\n| a | b |\n|---|---|\n\n- item\n---\n"
    assert kinds(text) == [(1, "Title", None), (2, "Decision", "decision")]


def test_a_byte_order_mark_and_windows_line_ends_change_nothing():
    plain = "# T\n\n## Decision\n\nWe do it.\n"
    windows = "\ufeff" + plain.replace("\n", "\r\n")
    assert kinds(windows) == kinds(plain)
    assert headings.section_text(windows, "decision") == "We do it."


def test_a_horizontal_rule_at_the_top_is_no_front_matter():
    front, body, cut = headings.split_front_matter("---\nJust text.\n\n---\n# T\n")
    assert (front, cut) == (None, 0)
    assert body.startswith("---")


def test_front_matter_is_cut_off_also_behind_a_mark_or_an_empty_line():
    assert headings.split_front_matter("\ufeff---\na: 1\n---\nb")[0] == "a: 1"
    assert headings.split_front_matter("\n---\na: 1\n---\nb") == ("a: 1", "b", 4)
    assert headings.split_front_matter("+++\na = 1\n+++\nb")[0] == "a = 1"


def test_a_section_reaches_over_its_sub_sections_and_ends_at_the_next_known_heading():
    text = "## Decision Outcome\nA.\n### Details\nB.\n### Consequences\nC.\n## Other\nD."
    assert headings.section_text(text, "decision") == "A.\n\nDetails\nB."


def test_an_empty_section_gives_way_to_the_next_of_its_kind():
    assert headings.section_text("# Decisions\n\n## Context\nx\n\n## Decision\nyes", "decision") == "yes"


def test_the_value_in_a_heading_belongs_to_its_section():
    found = headings.sections("## Status: Accepted\n\nsince May")[0]
    assert (found.kind, found.value) == ("status", "Accepted")


def test_bare_words_are_headings_where_there_are_no_others():
    text = "# ADR-9: X\n\nKontext\n\nWarum.\n\nEntscheidung\n\n1. Wir tun es.\n"
    assert headings.section_text(text, "decision") == "1. Wir tun es."


def test_bare_words_are_text_where_there_are_headings():
    assert headings.section_text("## Context\n\nDecision\n\nno", "decision") is None


def test_the_language_is_told_by_words_that_are_not_english():
    assert headings.language_of("## Kontext\n## Entscheidung\n") == "de"
    assert headings.language_of("## Contexto\n## Decisão\n## Consequências\n") == "pt"
    assert headings.language_of("## Status\n## Context\n") is None


def test_bullets_keep_their_sub_items_and_end_before_the_next_paragraph():
    text = "Intro\n\n- one\n  more\n  - sub\n- [ ] two\n* * *\n1. three\n\nAfterwards.\n\n- four\n"
    assert list(headings.bullets(text)) == ["one more sub", "two", "three", "four"]


def test_bullets_in_fences_are_no_bullets():
    assert list(headings.bullets("- a\n\n```\n- b\n```\n")) == ["a"]


def test_long_documents_are_split_in_linear_time():
    text = "# T\n" + "## Section\nsome text - with marks * and # signs\n```\n# x\n```\n" * 20_000
    assert len(headings.sections(text)) == 20_001


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("```\n" * 99_999, id="fences"),
        pytest.param("````x\n" * 99_999, id="fences never closed"),
        pytest.param("<!--\n" * 99_999, id="comments never closed"),
        pytest.param("--> " + "<!--" * 99_999, id="comments in one line"),
        pytest.param("`" * 99_999, id="ticks"),
        pytest.param("#" * 99_999, id="marks"),
        pytest.param("# a" + " " * 99_999 + "b", id="blanks in a heading"),
        pytest.param("# " + "(" * 99_999, id="brackets in a heading"),
        pytest.param("* " * 99_999, id="bullets"),
        pytest.param("|" * 99_999 + "\n===", id="bars"),
    ],
)
def test_unbalanced_marks_are_read_in_time(text):
    headings.sections(text)
