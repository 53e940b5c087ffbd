"""The reference pages of recall, the views and the Python surface say what the code says, in both directions."""

import ast
import dataclasses
import inspect
import pathlib
import re

import pytest

import memkit
from memkit import errors
from memkit.analytics import lost_and_found
from memkit.analytics.recall_options import MAX_LIMIT
from memkit.analytics.recall_result import Contribution, Fragment, Missed, RecallHit, RecallResult
from memkit.deciding.timelines import Timelines
from memkit.errors import InvalidInputError
from memkit.memory import Memory
from memkit.model.tripwire import Tripwire
from memkit.snapshot.rows import problem_code
from memkit.testing import temp_memory_root
from tests.docs.reading import ROOT, blocks, rows, section

REFERENCE = ROOT / "docs" / "reference"
RECALL, VIEWS, PYTHON = (REFERENCE / f"{name}.md" for name in ("recall", "views", "python"))


def _named(cell: str) -> str:
    return cell.strip("`")


def _subclasses(kind):
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


ERRORS = [errors.MemkitError, *_subclasses(errors.MemkitError)]

# -- recall ------------------------------------------------------------------------------------------------------


def _options():
    return {_named(row[0]): row[1:] for row in rows(section(RECALL, "## Options"))}


def test_the_options_of_recall_are_those_of_the_method_with_their_defaults():
    parameters = list(inspect.signature(Memory.recall).parameters.values())[2:]
    assert {p.name: f"`{p.default!r}`" for p in parameters} == {name: cells[1] for name, cells in _options().items()}


def test_the_options_of_the_command_line_are_all_named_and_no_other():
    import typer.main

    from memkit.entrances.cli.app import app
    from memkit.entrances.cli.grammar import GLOBAL_NAMES

    program = typer.main.get_command(app).commands["recall"]
    real = {
        name
        for param in program.params
        if param.param_type_name == "option" and param.name not in GLOBAL_NAMES
        for name in (*param.opts, *param.secondary_opts)
    }
    assert {name for cells in _options().values() for name in re.findall(r"`(--[\w-]+)`", cells[0])} == real


ACCEPTED = {
    "limit": [1, MAX_LIMIT, None],
    "min_score": [0, 3.5],
    "panel": ["adr", None],
    "any_tag": [["a"], ()],
    "all_tags": [["a", "b"], ()],
    "since_days": [0, 0.5, None],
    "across_projects": [True, False, None],
    "include_superseded": [True, False],
    "fuzzy": [True, False],
    "stemming": ["english", "none", None],
    "recency_half_life_days": [0.001, 365, None],
    "reinforcement": [0, 0.2, 1],
    "semantic": [type("Flat", (), {"encode": lambda _, texts: [[1.0, 2.0]] * len(texts)})(), None],
    "rerank": [lambda query, hits: [0.0] * len(hits), None],
}
REFUSED = {
    "limit": [0, MAX_LIMIT + 1, 1.5],
    "min_score": [-0.1, float("nan")],
    "panel": [3],
    "since_days": [-1],
    "stemming": [3, "klingon"],
    "recency_half_life_days": [0, -1, float("inf")],
    "reinforcement": [-0.1, 1.1, float("nan")],
    "semantic": ["MiniLM"],
    "rerank": ["newest"],
}


def test_the_ranges_on_the_page_are_those_that_are_tried_here():
    """The two tables above and the page move together."""
    assert set(ACCEPTED) == set(_options())
    assert _options()["limit"][2] == f"1 to {MAX_LIMIT}, or None"
    for name in REFUSED:
        assert any(word in _options()[name][2] for word in ("up", "above", "to", "name", "function")), name


@pytest.mark.parametrize("name", ACCEPTED)
def test_every_value_inside_the_range_is_taken_and_every_other_refused_by_name(name):
    with temp_memory_root() as mem:
        mem.store(question="Which queue?", result={"conclusion": "Keep it."})
        for value in ACCEPTED[name]:
            mem.recall("queue", **{name: value})
        for value in REFUSED.get(name, ()):
            with pytest.raises(InvalidInputError) as refused:
                mem.recall("queue", **{name: value})
            assert refused.value.field == name


@pytest.mark.parametrize("kind", [RecallResult, RecallHit, Contribution, Fragment, Tripwire, Missed])
def test_every_field_of_the_answer_is_explained_with_its_type(kind):
    shown = [(_named(row[0]), _named(row[1]), bool(row[2])) for row in rows(section(RECALL, f"## {kind.__name__}"))]
    short = {
        "dt.datetime": "datetime",
        "dt.date | None": "date | None",
        "dt.datetime | None": "datetime | None",
        "Verdict": "str",
    }
    assert shown == [(f.name, short.get(f.type, f.type), True) for f in dataclasses.fields(kind)]


def _causes_in_the_code() -> set[str]:
    """What `lost_and_found` calls a cause: the first argument of Missed or _listed, the keys of its tables of reasons,
    and the name of each kind of file that cannot be read."""
    tree = ast.parse(pathlib.Path(lost_and_found.__file__).read_text("utf-8"))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {"Missed", "_listed"}:
            found |= {a.value for a in node.args[:1] if isinstance(a, ast.Constant)}
        if isinstance(node, ast.Dict) and None not in node.keys:  # a None is a `**`
            found |= {k.value for k in node.keys if isinstance(k, ast.Constant)}
    faults = [kind for kind in ERRORS if issubclass(kind, errors.StoreError)]
    return found | {lost_and_found.cause_of(problem_code(kind("x"))) for kind in faults}


def test_the_causes_on_the_page_are_those_of_the_code():
    table = list(rows(section(RECALL, "## Causes")))
    assert sorted(_named(row[0]) for row in table) == sorted(_causes_in_the_code())
    assert all(row[1] for row in table)


def test_a_filter_is_named_in_plain_words_where_a_result_is_shown():
    with temp_memory_root() as mem:
        mem.store(question="Which queue?", result={"conclusion": "Keep it."})
        assert "Left out by a filter" in mem.recall("queue", panel="adr").to_text()


# -- views -------------------------------------------------------------------------------------------------------


def _views_on_the_page():
    return re.findall(r"^## (\w+)$", VIEWS.read_text("utf-8"), re.MULTILINE)


def test_every_view_is_on_the_page_and_no_other():
    with temp_memory_root() as mem:
        found = mem.sql(
            "select view_name from duckdb_views() where not internal and database_name = current_database()"
        )
        assert sorted(row["view_name"] for row in found) == sorted(_views_on_the_page())


@pytest.mark.parametrize("view", _views_on_the_page())
def test_the_page_has_every_column_with_its_type_and_a_meaning(view):
    with temp_memory_root() as mem:
        described = mem.sql(f"select column_name, column_type from (describe {view})").rows
    table = list(rows(section(VIEWS, f"## {view}")))
    assert [(_named(row[0]), row[1]) for row in table] == [tuple(row.values()) for row in described]
    assert all(row[2] for row in table)


@pytest.mark.parametrize("view", _views_on_the_page())
def test_every_view_has_two_or_three_example_questions_about_it(view):
    text = section(VIEWS, f"## {view}")
    questions = [b for b in blocks(VIEWS) if b.language == "sql" and b.text in text]
    assert 2 <= len(questions) <= 3
    assert all(re.search(rf"\b{view}\b", b.text) for b in questions)


# -- the Python surface --------------------------------------------------------------------------------------------

ALIASES = {
    "Receipts": "list[StoreReceipt]",
    "Problems": "list[Problem]",
    "Self": "Memory",
    "consent.ConsentReceipt": "ConsentReceipt",
}


def _signature(name: str, function) -> str:
    signature = inspect.signature(function)
    bare = [p.replace(annotation=p.empty) for n, p in signature.parameters.items() if n != "self"]
    answer = signature.return_annotation
    return f"{name}{signature.replace(parameters=bare, return_annotation=signature.empty)} -> {ALIASES.get(answer, answer)}"


def _signatures_on_the_page(heading: str) -> list[str]:
    return [line for line in section(PYTHON, heading).split("\n") if re.match(r"[\w.]+\(.*\) -> ", line)]


def test_every_name_of_the_front_door_is_on_the_page_and_no_other():
    head = PYTHON.read_text("utf-8").split("\n## ", 1)[0]
    assert sorted(_named(row[0]) for row in rows(head)) == sorted(f"memkit.{name}" for name in memkit.__all__)


def test_the_signatures_for_opening_are_those_of_the_code():
    names = [name for name in memkit.__all__ if inspect.isfunction(getattr(memkit, name))]
    real = [_signature(f"memkit.{name}", getattr(memkit, name)) for name in names]
    assert sorted(_signatures_on_the_page("## Opening")) == sorted(real)


def test_every_method_of_memory_is_on_the_page_with_its_signature_and_no_other():
    own = {name: each for kind in reversed(Memory.__mro__[:-1]) for name, each in vars(kind).items()}
    methods = {name: each for name, each in own.items() if not name.startswith("_") and inspect.isfunction(each)}
    real = [_signature(name, each) for name, each in methods.items()]
    real.append(_signature("timeline", Timelines.__call__))
    assert sorted(_signatures_on_the_page("## Memory")) == sorted(real)


def test_every_attribute_of_memory_is_named():
    with temp_memory_root() as mem:
        public = {name for name in vars(mem) if not name.startswith("_")}
    text = section(PYTHON, "## Memory").split("Its attributes are ", 1)[1].split("\n\n", 1)[0]
    assert set(re.findall(r"`(\w+)`", text)) == public


def test_what_comes_back_has_the_attributes_the_page_names():
    for row in rows(section(PYTHON, "## What comes back")):
        kind = getattr(memkit, _named(row[0]))
        real = {f.name for f in dataclasses.fields(kind)}
        real |= {name for name, each in vars(kind).items() if isinstance(each, property)}
        assert set(re.findall(r"`(\w+)`", row[1])) == real, kind.__name__
        for method in re.findall(r"`(\w+)\(\)`", row[2]):
            assert method == "len" or callable(getattr(kind, method))


def test_every_error_is_on_the_page_with_its_code_and_exit_code():
    table = list(rows(section(PYTHON, "## Errors")))
    assert [(_named(r[0]), _named(r[1]), int(r[2])) for r in table] == [
        (e.__name__, e.code, e.exit_code) for e in ERRORS
    ]
    for row in table:
        kind = getattr(errors, _named(row[0]))
        other = re.search(r"Also an? `(\w+)`", row[3])
        builtin = [each.__name__ for each in kind.__mro__ if each.__module__ == "builtins"]
        assert (other.group(1) if other else "Exception") == builtin[0]


def test_a_sentence_that_ends_in_a_question_gets_no_second_stop():
    said = str(errors.QueryError('no table of that name\nDid you mean "entries"?', remedy="See the views."))
    assert said == 'no table of that name\nDid you mean "entries"? See the views.'
