"""A real `tail -F` on `current.log`: each line appears as it happens, over midnight too."""

import datetime as dt
import json
import queue
import shutil
import subprocess
import threading

import pytest

from memkit.clock import FixedClock
from memkit.errors import MemkitError
from memkit.opening import open_memory
from memkit.settings import Environment
from tests.stores import NOW


def is_gnu_tail():
    tail = shutil.which("tail")
    said = subprocess.run([tail, "--version"], capture_output=True, check=False, text=True).stdout if tail else ""
    return "GNU coreutils" in said


pytestmark = pytest.mark.skipif(not is_gnu_tail(), reason="needs tail of the GNU coreutils")


class Following:
    """`tail -F` in a process of its own, its lines as they come."""

    def __init__(self, path):
        command = ["tail", "-n", "0", "-s", "0.05", "-F", str(path)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._lines.put(line)

    def next(self):
        return json.loads(self._lines.get(timeout=30))

    def is_quiet(self):
        return self._lines.empty()

    def end(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stdout.close()


@pytest.fixture
def clock():
    return FixedClock(NOW)


@pytest.fixture
def mem(tmp_path, project, clock):
    environment = Environment(home=tmp_path, config_file=tmp_path / "config.toml")
    with open_memory(project, root=tmp_path / "root", enabled=True, clock=clock, environment=environment) as memory:
        memory.store(question="First?", result={"conclusion": "Yes."})
        yield memory


@pytest.fixture
def tail(mem):
    following = Following(mem.audit.path)
    wait_until_it_follows(mem, following)
    yield following
    following.end()


def wait_until_it_follows(mem, following):
    """Until tail has opened the file, its lines go by unseen."""
    for _ in range(100):
        mem.audit.used("ready")
        try:
            json.loads(following._lines.get(timeout=0.3))
        except queue.Empty:
            continue
        break
    while True:
        try:
            following._lines.get(timeout=0.3)
        except queue.Empty:
            return


def refused(mem):
    with pytest.raises(MemkitError):
        mem.records.write("lesson", "Not A Slug", body="Refused by the linter.")


STEPS = {
    "store": (
        lambda mem: mem.store(question="Which queue?", result={"conclusion": "LISTEN/NOTIFY."}),
        ("entry_operation", "store", "done"),
    ),
    "recall": (lambda mem: mem.recall("queue"), ("record_usage", "recall", "done")),
    "record write": (
        lambda mem: mem.records.write("lesson", "retry", body="Six attempts.", sources=["a review"]),
        ("record_operation", "write", "done"),
    ),
    "lint failure": (refused, ("record_operation", "write", "failed")),
    "edit": (
        lambda mem: mem.records.edit("lesson", "retry", body="Five attempts.", reason="The fifth helps."),
        ("record_operation", "edit", "done"),
    ),
    "delete": (
        lambda mem: mem.records.delete("lesson", "retry", reason="Replaced."),
        ("record_operation", "delete", "done"),
    ),
}


def test_each_step_of_a_full_cycle_appears_before_the_next_one_is_taken(mem, tail):
    for step, (act, wanted) in STEPS.items():
        act(mem)
        seen = tail.next()
        assert (seen["event"], seen["op"], seen["status"]) == wanted, step
        assert tail.is_quiet(), step


def test_tail_goes_on_over_midnight(mem, tail, clock):
    mem.recall("late")
    assert tail.next()["text"]["query"] == "late"
    for n in range(3):
        clock.advance(dt.timedelta(days=1))
        mem.recall(f"day {n}")
        assert tail.next()["text"]["query"] == f"day {n}"
    assert len(list(mem.paths.logs.glob("memory-*.log"))) == 4


def test_a_run_that_is_under_way_is_seen_before_it_ends(mem, tail):
    with mem.audit.run(worker="memory_extract", trigger="idle") as run:
        assert tail.next()["status"] == "started"
        run.skip("no_new_session_range")
    assert (tail.next()["status"]) == "skipped"
