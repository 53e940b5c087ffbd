"""Who draws what, and what that costs to import."""

import importlib
import pathlib
import pkgutil
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest

import memkit
from memkit.display import Displayable, mimebundle, plain
from memkit.present.register import NAMED, SHEETS
from memkit.present.render import sheet_of

HEAVY = (
    "duckdb",
    "pyarrow",
    "pandas",
    "pydantic_settings",
    "jinja2",
    "markupsafe",
    "ipywidgets",
    "rich",
    "IPython",
    "altair",
    "vl_convert",
)


def _displayable():
    for module in pkgutil.walk_packages(memkit.__path__, "memkit."):
        if not module.name.startswith(("memkit.entrances", "memkit.testing", "memkit.memory", "memkit.__main__")):
            importlib.import_module(module.name)
    kinds = [Displayable]
    for kind in kinds:
        kinds += kind.__subclasses__()
    # A dataclass with slots leaves its first draft behind, which nobody can name.
    named = [k for k in kinds[1:] if getattr(sys.modules[k.__module__], k.__name__, None) is k]
    return sorted({k for k in named if k.__module__.startswith("memkit.")}, key=lambda k: k.__qualname__)


def test_everything_that_says_it_shows_itself_is_drawn_by_somebody():
    missing = [kind for kind in _displayable() if mimebundle.dispatch(kind) is mimebundle.dispatch(object)]
    assert missing == []
    assert [kind for kind in _displayable() if plain.dispatch(kind) is plain.dispatch(object)] == []
    assert set(SHEETS) <= set(_displayable())


@pytest.mark.parametrize(("module", "name", "sheet"), NAMED, ids=[name for _, name, _ in NAMED])
def test_a_result_named_and_not_imported_is_drawn_once_it_exists(module, name, sheet):
    if find_spec(module) is None:
        pytest.skip(f"{module} is not part of this build")
    kind = getattr(importlib.import_module(module), name)
    assert mimebundle.dispatch(kind) is not mimebundle.dispatch(object)
    assert sheet_of.dispatch(kind) is sheet


def test_a_value_nobody_draws_shows_its_repr():
    assert mimebundle(3) == {"text/plain": "3"}
    assert plain(3) == "3"


def _loaded(code):
    script = f"import sys\n{code}\nprint(*[m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_the_floor_loads_nothing_heavy():
    assert _loaded("import memkit.present") == []


def test_plain_text_needs_no_templates():
    code = "from memkit.present import render\nrender.text('some text')"
    assert _loaded(code) == []


def test_templates_load_with_the_first_html():
    assert "jinja2" in _loaded("from memkit.present import render\nrender.html('some text')")


def test_the_page_about_showing_lists_every_kind_and_no_other():
    page = (pathlib.Path(__file__).parents[2] / "docs" / "reference" / "showing.md").read_text("utf-8")
    listed = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert listed == {kind.__name__ for kind in SHEETS} | {name for _, name, _ in NAMED}
