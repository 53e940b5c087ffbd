"""Importing memkit, and asking for help, loads nothing heavy and takes little time."""

import os
import resource
import subprocess
import sys

import pytest

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
