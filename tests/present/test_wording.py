"""How text is said."""

import pytest

from memkit.present import wording


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("one line\nwrapped here\nand here", "one line wrapped here and here", id="wrapped"),
        pytest.param("first\nhalf\n\nsecond", "first half\nsecond", id="paragraphs"),
        pytest.param("Because:\n- a\n  b\n- c\n1. d\n2) e", "Because:\n- a b\n- c\n1. d\n2) e", id="lists"),
        pytest.param("so:\n```\na\n\nb\n```", "so:\n```\na\n\nb\n```", id="code"),
        pytest.param("a\r\nb", "a b", id="crlf"),
        pytest.param("", "", id="empty"),
    ],
)
def test_wrapped_lines_are_joined_and_meant_breaks_stay(text, shown):
    assert wording.unwrapped(text) == shown


def test_front_matter_keeps_its_lines_and_prose_behind_it_is_joined():
    text = "---\nstatus: accepted\ndate: 2026-03-12\n---\n\n# Title\nProse that\nwas wrapped.\n"
    assert wording.unwrapped(text) == "---\nstatus: accepted\ndate: 2026-03-12\n---\n# Title\nProse that was wrapped."
    assert wording.unwrapped("---\nno end\nof it") == "--- no end of it"
