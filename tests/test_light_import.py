"""Importing memkit, and asking for help, loads nothing heavy and takes little time."""

import os
import resource
import subprocess
import sys

import pytest

from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.snapshot.absorbing import absorb

HEAVY = {
    "duckdb", "pyarrow", "pandas", "numpy", "polars", "pydantic_settings", "jinja2", "ipywidgets", "IPython",
    "altair", "mcp", "tomlkit", "rich",
}  # fmt: skip
SAY = "\nimport sys; print(*sorted(set(sys.modules) & set({heavy!r}.split())), sep=' ', file=sys.stderr)"
HELP = """
import sys
from memkit.entrances.cli import run
code = run({line!r}.split())
assert code == 0, code
"""


def loaded_by(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", code + SAY.format(heavy=" ".join(HEAVY))],
        capture_output=True, text=True, check=True, env=os.environ | {"PYTHONPATH": os.getcwd()},
    )  # fmt: skip
    return set(done.stderr.split())


def test_importing_memkit_loads_nothing_heavy():
    assert loaded_by("import memkit") == set()


@pytest.mark.parametrize(
    "line",
    ["--help", "--version", "recall --help", "sql --help", "store --help", "import adr --help", "config show --help"],
)
def test_asking_for_help_loads_nothing_heavy(line):
    assert loaded_by(HELP.format(line=line)) == set()


def test_help_is_there_in_less_than_three_tenths_of_a_second():
    """Processor time, the best of five, so that a busy machine does not decide."""
    spent = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, "-m", "memkit", "--help"],
            capture_output=True, check=True, env=os.environ | {"PYTHONPATH": os.getcwd()},
        )  # fmt: skip
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(spent) < 0.3


VERB = """
import sys
from memkit.entrances.cli import run

code = run({arguments!r})
assert code == 0, code
print(*sorted(sys.modules), file=sys.stderr)
"""
# Not needed by a question: pandas came with pyarrow, numpy.ma with numpy.unique, the rest with what draws others.
NEVER = HEAVY - {"duckdb", "pyarrow", "numpy", "pydantic_settings", "rich"} | {
    "numpy.ma", "pyarrow.parquet", "pyarrow.dataset", "rich.console", "memkit.analytics.audit_result",
    "memkit.analytics.retention_review", "memkit.consolidate.reconcile", "memkit.consolidate.rules",
    "memkit.deciding.doctor", "memkit.present.explorer", "memkit.present.markup", "memkit.present.reports",
    "memkit.present.retention", "memkit.store.repair", "memkit.store.verify", "memkit.store.wipe",
}  # fmt: skip
LOOKING = {"duckdb", "pyarrow", "numpy", "pandas", "memkit.catalog.catalog", "memkit.analytics.recall"}


def loaded_by_verb(tmp_path, *arguments):
    """Modules loaded by a verb in a store with a snapshot and a tail."""
    (tmp_path / "project").mkdir()
    environment = Environment(env={}, home=tmp_path, config_file=tmp_path / ".config" / "memkit" / "config.toml")
    with open_memory(tmp_path / "project", root=tmp_path / "root", enabled=True, environment=environment) as mem:
        result = {"synthesis": {"content": "Keep one queue.\n\n## Recommendation\n\nUse PostgreSQL."}}
        mem.store_many([{"question": f"Which queue for {i}?", "result": result} for i in range(30)])
        absorb(mem._store, minimum=1)
        mem.store(question="Which queue at last?", result=result, tags=["queue"])
    around = {key: value for key, value in os.environ.items() if not key.startswith("MEMKIT_")}
    around |= {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / ".config"), "PYTHONPATH": os.getcwd()}
    at = ["--root", str(tmp_path / "root"), "--project", str(tmp_path / "project")]
    enable = [sys.executable, "-m", "memkit", *at, "enable"]
    subprocess.run(enable, check=True, capture_output=True, env=around)
    done = subprocess.run(
        [sys.executable, "-c", VERB.format(arguments=[*at, *arguments])],
        capture_output=True, text=True, check=True, env=around,
    )  # fmt: skip
    return done.stdout, set(done.stderr.split())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["queue", "last"], "Which queue at last?"),
        (["zeppelin"], "In no entry"),
        (["queu", "--fuzzy"], "queu~queue"),
        (["queueing", "--stemming", "english"], "queueing~queue"),
    ],
    ids=["hit", "miss", "fuzzy", "stemming"],
)
def test_a_question_loads_neither_pandas_nor_what_draws_other_answers(tmp_path, asked, said):
    answer, loaded = loaded_by_verb(tmp_path, "recall", *asked)
    assert said in answer
    assert loaded & NEVER == set()


@pytest.mark.parametrize("verb", ["status", "list"])
def test_looking_at_what_is_there_loads_no_database(verb, tmp_path):
    _, loaded = loaded_by_verb(tmp_path, verb)
    assert loaded & LOOKING == set()
