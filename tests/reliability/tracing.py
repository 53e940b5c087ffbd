"""strace: the order of system calls as they happened, and a process killed before the n-th of a kind."""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass

import pytest

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
CHANGING = (
    "openat write pwrite64 fsync fdatasync rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat "
    "ftruncate mkdir mkdirat rmdir fchmod chmod fchmodat utimensat flock"
).split()
# Where compiled modules lie for as long as this process runs.
COMPILED = tempfile.TemporaryDirectory(prefix="memkit-ladder-compiled-")
_LINE = re.compile(r"^(?:\d+ +)?(?P<name>\w+)\((?P<arguments>.*)\) += (?P<result>-?\d+|\?)")


def needs_strace() -> None:
    """Skip the test where processes cannot be traced."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    done = subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("this machine does not let processes be traced")


@dataclass(frozen=True)
class Call:
    """One system call as strace wrote it; `nth` counts calls of this name from the start of the process."""

    name: str
    arguments: str
    result: int
    nth: int


def command(
    operation: str, folder: pathlib.Path, must: dict[str, str], made: int, trashed: dict[str, str] | None = None
) -> list[str]:
    """The worker's command line; the interpreter by its real path, for a wrapper would be what is killed."""
    python = os.path.realpath(sys.executable)
    return [
        python,
        "-S",
        "-E",
        "-B",
        "-X",
        f"pycache_prefix={COMPILED.name}",
        str(HERE / "worker.py"),
        "once",
        operation,
        str(folder),
        json.dumps({"must": must, "made": made, "trashed": trashed or {}}),
    ]


def environment() -> dict[str, str]:
    """Where the worker finds memkit, the ladder and their dependencies."""
    site = [path for path in sys.path if path.endswith("-packages")]
    return {
        "MEMKIT_WORKER_PATH": os.pathsep.join([str(ROOT), *site]),
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
    }


def warm(words: list[str]) -> None:
    """Run a worker once for the modules it imports: compiled ones are most of a start, and no call of the operation."""
    own = [word for word in words if word != "-B"]
    subprocess.run(own, env=environment(), capture_output=True, check=True)


def record(words: list[str], log: pathlib.Path, *, preload: str = "") -> tuple[list[Call], list[Call], str]:
    """Run a worker under strace: its calls before and after it said "go", and what it printed."""
    extra = ["-E", f"LD_PRELOAD={preload}"] if preload else []
    done = subprocess.run(
        ["strace", "-f", "-qq", "-s", "256", "-y", *extra, "-e", f"trace={','.join(CHANGING)}", "-o", str(log), *words],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not done.stdout.endswith("done\n"):
        raise AssertionError(f"the worker failed: {done.stdout}{done.stderr[-2000:]}")
    calls = parse(log.read_text("utf-8", "backslashreplace"))
    begin = next(i for i, call in enumerate(calls) if call.name == "write" and '"go\\n"' in call.arguments)
    return calls[:begin], calls[begin + 1 :], done.stdout


def parse(text: str) -> list[Call]:
    """The calls of a log, in order."""
    seen: dict[str, int] = {}
    calls = []
    for line in text.split("\n"):
        match = _LINE.match(line)
        if match is None:
            continue
        name = match["name"]
        seen[name] = seen.get(name, 0) + 1
        result = -1 if match["result"] == "?" else int(match["result"])
        calls.append(Call(name, match["arguments"], result, seen[name]))
    return calls


def kill_before(words: list[str], call: Call) -> tuple[bool, list[str]]:
    """Run a worker that is killed before one call; whether it was killed after "go", and the lines it printed."""
    inject = f"inject={call.name}:signal=SIGKILL:when={call.nth}"
    done = subprocess.run(
        ["strace", "-f", "-qq", "-e", f"trace={call.name}", "-e", inject, "-o", "/dev/null", *words],
        env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    lines = done.stdout.split("\n")
    return "go" in lines and "done" not in lines, lines


def is_change(call: Call) -> bool:
    """Whether the call changes files: looking at them is no crash point."""
    return call.name != "openat" or "O_CREAT" in call.arguments
