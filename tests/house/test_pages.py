"""Pages that promise something are checked against the code."""

import ast
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
PREMORTEM = ROOT / "docs" / "concepts" / "premortem.md"


def _tests_named_on_the_page():
    return re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PREMORTEM.read_text("utf-8"))


@pytest.mark.parametrize(("path", "name"), _tests_named_on_the_page())
def test_every_test_of_the_premortem_exists(path, name):
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    assert name in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_the_premortem_lists_ten_failures_each_with_a_mitigation_and_a_test():
    rows = [line for line in PREMORTEM.read_text("utf-8").split("\n") if re.match(r"\| F\d+ \|", line)]
    assert [row.split("|")[1].strip() for row in rows] == [f"F{i}" for i in range(1, 11)]
    for row in rows:
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert len(cells) == 4
        assert all(cells)
        assert "::test_" in cells[3]


def test_every_problem_code_is_explained_and_every_explained_code_exists():
    codes, constants = set(), set()
    for path in (ROOT / "memkit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                constants.add(node.value)
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Name)
                and node.func.id in {"Problem", "DamagedSpots"}
            ):
                first = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "code")]
                codes |= {a.value for a in first if isinstance(a, ast.Constant)}
    page = (ROOT / "docs" / "reference" / "problems.md").read_text("utf-8")
    explained = set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE))
    assert codes <= explained
    assert explained <= constants
