"""How text is said."""

import pytest

from memkit.present import wording
from memkit.present.wording import gap_lines, narrowed, some_of


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


@pytest.mark.parametrize(
    ("shown", "held", "matched", "said"),
    [
        (1, 1, 0, "1 hit"),
        (1, 1, 1, "1 hit"),
        (1, 1, 73, "1 of 73 hits"),
        (20, 30, 0, "20 of 30 hits"),
        (20, 30, 73, "20 of 73 hits"),
        (20, 20, None, "20 hits (there are more)"),
    ],
)
def test_what_was_cut_says_of_how_many(shown, held, matched, said):
    assert some_of(shown, held, matched, "hit") == said


def test_what_was_asked_for_is_named_where_nothing_is_left():
    (line, step) = narrowed({"due_within": 3, "status": ["failed", "lost"]})
    assert "".join(part if isinstance(part, str) else part.text for part in line) == (
        "Asked for only: due within 3, status failed or lost."
    )
    assert step
    assert narrowed({}) == []


def test_what_cannot_be_read_is_one_line_with_the_command_as_code():
    (line,) = gap_lines(["1 entry is gone (`memkit verify` says more)."])
    assert [part.text for part in line if getattr(part, "role", "") == "code"] == ["memkit verify"]
    assert gap_lines([]) == []
    said = "".join(part if isinstance(part, str) else getattr(part, "text", "") for part in line)
    assert said.endswith(" 1 entry is gone (memkit verify says more).")
    (line,) = gap_lines(["Some are gone. `memkit repair` brings them back.", "A record is gone."])
    said = "".join(part if isinstance(part, str) else getattr(part, "text", "") for part in line)
    assert said.endswith(" Some are gone. memkit repair brings them back. A record is gone.")
