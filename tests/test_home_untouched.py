"""The suite and the core write nothing into the real home."""

import os
import subprocess
import sys

from tests.conftest import REAL_HOME

CORE = """
import memkit, os, sys, pathlib
project, root = sys.argv[1:]
with memkit.open(project, root=root, enabled=True) as mem:
    mem.store(question="Which queue?", result={"conclusion": "Keep it."})
    assert mem.recall("queue")[0].summary == "Keep it."
    assert mem.sql("select count(*) as n from entries").to_arrow()["n"].to_pylist() == [1]
    assert mem.verify() == []
from memkit.testing import temp_memory_root
with temp_memory_root() as other:
    other.store(question="Another?", result={"conclusion": "Yes."})
"""


def test_the_core_leaves_home_untouched(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    project = tmp_path / "project"
    project.mkdir()
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.getcwd(),
    }
    done = subprocess.run(
        [sys.executable, "-c", CORE, str(project), str(tmp_path / "root")],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list(home.rglob("*")) == []
    assert list(project.rglob("*")) == []


def test_tests_see_a_temporary_home_with_nothing_in_it():
    assert os.path.expanduser("~") != REAL_HOME
    assert os.listdir(os.path.expanduser("~")) == []
