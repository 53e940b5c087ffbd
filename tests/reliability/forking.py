"""A worker that has imported everything and forks for each operation, so that a crash point costs no start of Python.

strace is attached to the fork before it begins. What the fork does is what a process of its own would do: the same
system calls, in the same order, killed before the same one.
"""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import time
from typing import Any

from tests.reliability.tracing import CHANGING, HERE, Call, environment, parse


class Forks:
    """One such worker; ended with `close`.

    Args:
        folder: For what the forks print; gone when the caller removes it.
    """

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._out = folder / "out"
        gate, self._gate = os.pipe()
        words = [os.path.realpath(sys.executable), "-S", "-E", "-B", str(HERE / "worker.py"), "forks", str(gate)]
        self._worker = subprocess.Popen(
            words, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[gate], text=True
        )
        os.close(gate)

    def close(self) -> None:
        """End the worker."""
        os.close(self._gate)
        with contextlib.suppress(OSError):
            self._worker.communicate(timeout=20)

    def _say(self, told: dict[str, Any]) -> str:
        stdin, stdout = self._worker.stdin, self._worker.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(told) + "\n")
        stdin.flush()
        answer = stdout.readline()
        assert answer, "the worker died"
        return answer.strip()

    def _run(self, told: dict[str, Any], strace: list[str] | None, settle: float = 0) -> list[str]:
        """Let a fork do it, traced; the lines it printed. `settle` seconds pass before it starts."""
        child = int(self._say({**told, "out": str(self._out)}))
        tracer = None
        try:
            if strace is not None:
                tracer = subprocess.Popen(["strace", "-f", "-qq", *strace, "-p", str(child)], stderr=subprocess.PIPE)
                wait_for_tracer(child, tracer)
                time.sleep(settle)
        finally:
            os.write(self._gate, b"g")
            assert self._worker.stdout is not None
            ended = self._worker.stdout.readline().strip()
        if tracer is not None:
            tracer.communicate(timeout=60)
        assert ended == "ended", ended
        return self._out.read_text("utf-8").split("\n")

    def warm(self, operation: str, folder: pathlib.Path, state: dict[str, Any]) -> None:
        """Do it once, and import in the worker what it needed."""
        lines = self._run({"operation": operation, "folder": str(folder), "state": state, "modules": True}, None)
        assert "done" in lines, lines
        names = json.loads(lines[lines.index("done") + 1])
        self._say({"import": [name for name in names if name != "__main__"]})

    def record(self, operation: str, folder: pathlib.Path, state: dict[str, Any]) -> list[Call]:
        """Every call the operation made that changes something, in order."""
        log = self._folder / "log"
        words = ["-s", "256", "-y", "-e", f"trace={','.join(CHANGING)}", "-o", str(log)]
        # A tracer that is attached may not have stopped the fork yet, and would miss its first calls.
        lines = self._run({"operation": operation, "folder": str(folder), "state": state}, words, settle=0.05)
        assert "done" in lines, lines
        calls = parse(log.read_text("utf-8", "backslashreplace"))
        begin = next(i for i, call in enumerate(calls) if call.name == "write" and '"go\\n"' in call.arguments)
        end = next(i for i, call in enumerate(calls) if call.name == "write" and '"done\\n"' in call.arguments)
        return calls[begin + 1 : end + 1]

    def kill_before(
        self, call: Call, operation: str, folder: pathlib.Path, state: dict[str, Any]
    ) -> tuple[bool, list[str]]:
        """Kill a fork before one call; whether it was killed after "go", and the lines it printed."""
        inject = f"inject={call.name}:signal=SIGKILL:when={call.nth}"
        words = ["-e", f"trace={call.name}", "-e", inject, "-o", "/dev/null"]
        lines = self._run({"operation": operation, "folder": str(folder), "state": state}, words)
        return "go" in lines and "done" not in lines, lines


def wait_for_tracer(child: int, tracer: subprocess.Popen[bytes]) -> None:
    """Until strace is attached."""
    status = pathlib.Path(f"/proc/{child}/status")
    end = time.monotonic() + 30
    while "TracerPid:\t0" in status.read_text():
        if tracer.poll() is not None or time.monotonic() > end:
            said = tracer.stderr.read().decode() if tracer.stderr else ""
            raise AssertionError(f"strace is not attached: {said}")
        time.sleep(0.0005)
