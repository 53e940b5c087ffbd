"""Who draws what, and what that costs to import."""

import importlib
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import memkit
from memkit.display import Displayable, drawn, explored, mimebundle, plain
from memkit.present import register
from memkit.present.register import BUNDLES, CHARTS, EXPLORERS, SHEETS
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
    silent = {register.named(name) for name in SHEETS} - set(_displayable())
    assert {kind.__name__ for kind in silent} == {"DecisionRow"}, "a row is shown within its list, or by `render`"


@pytest.mark.parametrize("name", sorted({**SHEETS, **CHARTS, **BUNDLES, **EXPLORERS}))
def test_a_type_is_named_where_it_is_defined_and_drawn_by_what_is_named(name):
    kind = register.named(name)
    assert f"{kind.__module__}.{kind.__qualname__}" == name
    for table, by_type in ((SHEETS, sheet_of), (CHARTS, drawn), (BUNDLES, mimebundle), (EXPLORERS, explored)):
        if name in table:
            assert by_type.dispatch(kind) is register.named(f"memkit.present.{table[name]}")


def test_a_renderer_is_loaded_with_the_first_value_it_shows():
    code = (
        "from memkit import present\nfrom memkit.store.listing import EntryList\nimport datetime as dt, sys\n"
        "value = EntryList(rows=(), as_of=dt.datetime.now(dt.timezone.utc), n_damaged=0)\n"
        "assert 'memkit.present.entries' not in sys.modules\n"
        "assert 'EntryList(' not in value.to_text()\n"
        "assert 'memkit.present.entries' in sys.modules\n"
        "assert 'memkit.present.retention' not in sys.modules"
    )
    assert _loaded(code) == []


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
    assert listed == {name.rpartition(".")[2] for name in SHEETS}
