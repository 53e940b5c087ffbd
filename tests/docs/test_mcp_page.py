"""The page of the tools for agents says what the server itself says to an agent, in both directions."""

import pytest

from memkit.entrances.mcp_server import answers
from memkit.entrances.mcp_server.tools import TOOLS
from tests.docs.reading import ROOT, rows, section

PAGE = ROOT / "docs" / "reference" / "mcp.md"
PARTS = (answers.Hit, answers.Matched, answers.Decision, answers.Wire, answers.Linked, answers.Miss)


def fields(kind):
    """Name and description of each field."""
    return [[f"`{name}`", field.description] for name, field in kind.model_fields.items()]


def arguments(kind):
    return [
        [f"`{name}`", "required" if field.is_required() else f"`{field.default!r}`", field.description]
        for name, field in kind.model_fields.items()
    ]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_arguments_and_the_answer_of_a_tool_are_those_of_the_page(tool):
    text = section(PAGE, f"## {tool.name}")
    expected = arguments(tool.takes) + (fields(tool.gives) if tool.gives else [])
    assert list(rows(text)) == expected


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.__name__)
def test_the_parts_of_answers_are_those_of_the_page(part):
    assert list(rows(section(PAGE, f"### {part.__name__}"))) == fields(part)


def test_every_kind_of_answer_is_on_the_page():
    kinds = set(answers.Answer.__subclasses__())
    assert kinds == {*PARTS, *(tool.gives for tool in TOOLS if tool.gives)}
