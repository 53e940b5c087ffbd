"""Where what does not fit into memory goes: one folder only its user may enter, or nowhere."""

import os
import stat
import subprocess
import sys
import tempfile

import pytest

from memkit.catalog.database import Database
from memkit.errors import MemkitWarning
from memkit.opening import open_memory
from memkit.store.spill import spill_folder

HOARD = "create table much as select i, hash(i)::varchar || repeat('x', 50) as t from range(400000) as r(i) order by t"
LEAVE = """
import os, signal, sys, memkit
memory = memkit.open(sys.argv[1], root=sys.argv[2], enabled=True)
memory.store(question="Which queue?", result={"conclusion": "The table."})
assert len(memory.recall("queue")) == 1
if sys.argv[3] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
elif sys.argv[3] == "dropped":
    del memory
"""


def test_the_folder_is_made_for_its_user_alone(tmp_path):
    folder = spill_folder(tmp_path / "memkit-0")
    assert stat.S_IMODE(folder.stat().st_mode) == stat.S_IMODE(folder.parent.stat().st_mode) == 0o700
    assert spill_folder(tmp_path / "memkit-0") == folder


def others_may_enter(base):
    base.mkdir(mode=0o755)


def link(base):
    base.with_name("elsewhere").mkdir(mode=0o700)
    base.symlink_to(base.with_name("elsewhere"))


def file(base):
    base.touch()


def strange(base):
    base.mkdir(mode=0o700)
    (base / "spill").symlink_to(base)


def no_parent(base):
    base.parent.rmdir()


@pytest.mark.parametrize("made", [others_may_enter, link, file, strange, no_parent], ids=lambda f: f.__name__)
def test_a_folder_somebody_else_could_look_into_is_not_used(made, tmp_path):
    base = tmp_path / "temporary" / "memkit-0"
    base.parent.mkdir()
    made(base)
    with pytest.warns(MemkitWarning, match="not a folder only you may enter"):
        assert spill_folder(base) is None


def test_what_does_not_fit_goes_into_the_folder_and_leaves_it(tmp_path):
    folder = spill_folder(tmp_path / "memkit-0")
    database = Database(folder, 1)
    database.run("set memory_limit = '24MB'")
    database.run(HOARD)
    assert os.listdir(folder)
    database.close()
    assert os.listdir(folder) == []


@pytest.mark.parametrize("how", ["killed", "dropped", "kept until the end"])
def test_a_memory_nobody_closes_leaves_no_folder_of_its_own_and_no_warning(how, project, root, tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", LEAVE, str(project), str(root), how],
        env={**os.environ, "TMPDIR": str(temporary)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (-9 if how == "killed" else 0, "")
    assert os.listdir(temporary) == [f"memkit-{os.geteuid()}"]
    assert os.listdir(temporary / f"memkit-{os.geteuid()}" / "spill") == []


def test_a_process_without_any_temporary_folder_still_remembers(project, root, clock, monkeypatch):
    def nowhere():
        raise FileNotFoundError("no usable temporary directory")

    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    with open_memory(project, root=root, enabled=True, clock=clock) as memory:
        memory.store(question="Which queue?", result={"conclusion": "The table."})
        assert len(memory.recall("queue")) == 1
