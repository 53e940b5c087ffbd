"""The pages run: what they tell a reader to type works, and what they show is what comes."""

import pytest

from tests.docs.reading import FROM_NOTHING, PAGES, ROOT, Block, blocks, name_of
from tests.docs.running import agree, commands, renewed, settled

RUN = {"python", "console", "sql"}
WITH_BLOCKS = [page for page in PAGES if any(block.language in RUN for block in blocks(page))]


def follow(page, reader):
    for block in blocks(page):
        if block.not_run is None:
            real = reader.follow(block)
            assert (block.output or block.text) == (real.output or real.text), f"{block.place}; `make docs` rewrites it"


@pytest.mark.parametrize("page", [p for p in WITH_BLOCKS if p != FROM_NOTHING], ids=name_of)
def test_every_block_of_the_page_runs_in_the_sample_project(page, reader):
    follow(page, reader)


def test_the_tutorial_runs_from_an_empty_home_and_shows_what_comes(newcomer):
    follow(FROM_NOTHING, newcomer)


def test_hardly_any_block_is_left_out_and_each_says_why():
    left_out = [block for page in PAGES for block in blocks(page) if block.not_run]
    assert len(left_out) <= 4, [block.place for block in left_out]
    assert all(block.language in RUN for block in left_out)


def test_no_block_hides_behind_another_name_of_a_language():
    known = RUN | {"text", "toml", "json", "jsonl", "markdown", "html"}
    assert [b.place for page in PAGES for b in blocks(page) if b.language not in known] == []


@pytest.mark.parametrize(
    ("shown", "real", "equal"),
    [
        pytest.param("a\nb", "a\nb", True, id="the same"),
        pytest.param("a\nb", "a\nc", False, id="another line"),
        pytest.param("a", "a\nb", False, id="a line too few"),
        pytest.param("a [...] c", "a b c", True, id="left out within a line"),
        pytest.param("a [...] c", "a b\nc", False, id="never across lines"),
        pytest.param("a\n[...]\nd", "a\nb\nc\nd", True, id="lines left out"),
        pytest.param("a\n[...]", "a", True, id="nothing left out"),
        pytest.param("a.c", "abc", False, id="no pattern"),
        pytest.param("Stored 3 days ago (2026-01-01)", "Stored today (2026-05-05)", True, id="ages"),
        pytest.param("id 0123456789abcdef0123456789abcdef", "id ffff456789abcdef0123456789abcdef", True, id="ids"),
        pytest.param("n 12", "n 13", False, id="numbers"),
    ],
)
def test_what_is_shown_is_compared_line_by_line(shown, real, equal):
    assert agree(settled(shown), settled(real)) is equal


@pytest.mark.parametrize(
    ("shown", "new"),
    [
        pytest.param("a", "1\n2\n3\n4\n5", id="everything"),
        pytest.param("a\n[...]", "1\n[...]", id="the rest left out"),
        pytest.param("a\n[...]\n4\ny", "1\n[...]\n4\n5", id="the middle left out"),
        pytest.param("[...]\nz", "[...]", id="what followed is gone"),
    ],
)
def test_what_is_left_out_stays_left_out_when_a_page_is_written_anew(shown, new):
    assert renewed(shown, "1\n2\n3\n4\n5\n") == new


def test_a_console_block_is_taken_apart_into_commands_and_their_outputs():
    block = Block(ROOT / "README.md", 1, "console", "$ echo 'a\n> b' | cat\na\n\nb\n$ true\n")
    assert commands(block) == [("echo 'a\nb' | cat", "a\n\nb"), ("true", None)]
