"""Running a page as its reader would: in one folder, from top to bottom, and looking at what comes.

What differs from run to run (ids, times, ages, sizes, the reader's home) is made equal before a page is compared with
what came. `[...]` on a page stands for anything within a line, and on a line of its own for any number of lines.
"""

import contextlib
import inspect
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace

import memkit
from memkit.entrances import cli
from tests.docs.reading import ROOT, Block

SAMPLES = ROOT / "data-samples" / "wherry"
# The home of the reader whose outputs the pages show.
HOME = "/home/ada"
LEFT_OUT = "[...]"
_VARYING = [
    (re.compile(r"\b[0-9a-f]{64}\b"), "<hash>"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "<id>"),
    (re.compile(r"\b[0-9a-f]{8} → [0-9a-f]{8}\b"), "<hash> → <hash>"),
    (re.compile(r"(?<= → )[0-9a-f]{8}\b|\b[0-9a-f]{8}(?= → )"), "<hash>"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "<key>"),
    (re.compile(r"\b[0-9a-f]{8,31}…"), "<id>…"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? UTC"), "<time>"),
    (re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\b"), "<moment>"),
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z"), "<time>"),
    (re.compile(r"Stored (?:today|yesterday|[\d,]+ days ago)(?: \(\d{4}-\d\d-\d\d\))?"), "Stored <age>"),
    (re.compile(r"Decided (?:today|yesterday|[\d,]+ days ago)"), "Decided <age>"),
    (re.compile(r"\d[\d.]* [KMG]iB"), "<size>"),
]
# What only a shell understands, outside quotes.
_SHELL = re.compile(r"[|<>;&*$`~]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def make_home(home: pathlib.Path, *, with_samples: bool) -> None:
    """A reader's home: `memkit` and `python` in `bin`, a checkout in `memkit`, and perhaps the samples, imported.

    `HOME` has to name it already, and no other variable may name settings of memkit.
    """
    (home / "bin").mkdir(parents=True)
    (home / "memkit").symlink_to(ROOT)
    for name, command in {"memkit": f"'{sys.executable}' -m memkit", "python": f"'{sys.executable}'"}.items():
        program = home / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        program.chmod(0o755)
    if with_samples:
        project = home / "wherry"
        shutil.copytree(SAMPLES, project)
        memkit.enable(project)
        with memkit.open(project) as mem:
            assert len(mem.import_adr(project / "docs").files) == 52
            assert len(mem.import_consensus(project / "panels").files) == 22
            live_a_little(mem)


def live_a_little(mem: memkit.Memory) -> None:
    """What the audit log needs for there to be something to ask about: a session, a record, a question without answer."""
    session = ROOT / "data-samples" / "sessions" / "2026-03-09-zustellversuche.jsonl"
    assert mem.staging.extract(session).to_dict()
    mem.staging.extract(session)
    body = "Back off exponentially with full jitter, at most six attempts."
    mem.records.write("lesson", "retry-with-jitter", body=body, sources=["docs/decisions"])
    with contextlib.suppress(memkit.MemkitError):
        mem.records.write("lesson", "Not A Slug", body=body)
    mem.recall("zeppelin")


def settled(text: str, home: str = HOME) -> str:
    """A text with everything that differs from run to run made equal."""
    text = text.replace(home, HOME)
    for pattern, word in _VARYING:
        text = pattern.sub(word, text)
    return "\n".join(line.rstrip() for line in text.rstrip().split("\n"))


def agree(shown: str, real: str) -> bool:
    """Whether what a page shows is what came; both settled."""
    lines = [
        r"(?:.*\n)*?" if line.strip() == LEFT_OUT else f"{'.*'.join(map(re.escape, line.split(LEFT_OUT)))}\n"
        for line in shown.split("\n")
    ]
    return re.fullmatch("".join(lines), f"{real}\n") is not None


def renewed(shown: str, real: str) -> str:
    """What a page should show instead of `shown`: all of `real`, or as many lines around what is left out as before."""
    new = [line.rstrip() for line in real.rstrip().split("\n")]
    old = shown.rstrip().split("\n")
    if LEFT_OUT not in old:
        return "\n".join(new)
    head, tail = old[: old.index(LEFT_OUT)], old[old.index(LEFT_OUT) + 1 :]
    rest = new[len(head) :]
    start = next((i for i, line in enumerate(rest) if tail and settled(line) == settled(tail[0])), len(rest))
    return "\n".join([*new[: len(head)], LEFT_OUT, *rest[start : start + len(tail)]])


class Reader:
    """Somebody who follows a page.

    Args:
        home: Their home folder, see `make_home`.
    """

    def __init__(self, home: pathlib.Path) -> None:
        self.home = os.path.realpath(home)
        self.names: dict[str, object] = {"__name__": "__main__"}
        self._asked: memkit.Memory | None = None

    def close(self) -> None:
        """Close every memory the page opened."""
        for value in (self._asked, *self.names.values()):
            if isinstance(value, memkit.Memory):
                value.close()

    def follow(self, block: Block) -> Block:
        """Run a block; returns it as it should read: itself, if it shows what came."""
        if block.language == "python":
            real = self._python(block)
            return block if block.output is None else replace(block, output=self._seen(block.output, real) + "\n")
        if block.language == "sql":
            self._sql(block)
        if block.language == "console":
            return replace(block, text="".join(self._typed(block, *each) for each in commands(block)))
        return block

    def _seen(self, shown: str, real: str) -> str:
        shown = shown.rstrip("\n")
        if agree(settled(shown), settled(real, self.home)):
            return shown
        return renewed(shown, real.replace(self.home, HOME))

    def _typed(self, block: Block, command: str, shown: str | None) -> str:
        real = self._console(block, command)
        seen = "" if shown is None else f"{self._seen(shown, real)}\n"
        return "$ " + command.replace("\n", "\n> ") + "\n" + seen

    def _python(self, block: Block) -> str:
        known = set(self.names)
        out = io.StringIO()
        padded = "\n" * block.line + block.text  # so that a traceback names the line of the page
        with contextlib.redirect_stdout(out):
            exec(compile(padded, str(block.page), "exec"), self.names)
            for name in [n for n in self.names if n.startswith("test_") and n not in known]:
                self._call(self.names.pop(name))
        return out.getvalue()

    @staticmethod
    def _call(test) -> None:
        """Run a test that a page defines, with what it asks for."""
        from memkit.testing import temp_memory_root

        with temp_memory_root() as memory:
            given = {"memory": memory}
            test(**{name: given[name] for name in inspect.signature(test).parameters})

    def _sql(self, block: Block) -> None:
        if re.search(r"\b(?:low_signal_)?records$", block.text, re.MULTILINE):
            table = self._of_records(block.text)
        else:
            self._asked = self._asked or memkit.open(".")
            table = self._asked.sql(block.text)
        assert len(table) or re.search(
            "quarantine|dead_letters|consolidation_ledger|from pins|from trash|from firings", block.text
        ), f"{block.place} finds nothing in the samples"

    @staticmethod
    def _of_records(query: str):
        """Ask a memory that holds the team's records and nothing else."""
        from memkit.testing import temp_memory_root

        with temp_memory_root() as memory:
            for name in ("memory", "knowledge"):
                shutil.copytree(SAMPLES / "records" / name, memory.paths.folder / name)
            return memory.sql(query)

    def _console(self, block: Block, command: str) -> str:
        """Run a command; what it wrote. Its comment may say with which code it leaves: `# exit 1 when ...`."""
        words = shlex.split(command, comments=True)
        comment = _QUOTED.sub("", command).partition(" #")[2]
        allowed = {int(code) for code in re.findall(r"\bexit (\d+)", comment)} or {0}
        if " when " in comment:
            allowed.add(0)
        if words[0] == "cd":
            os.chdir(os.path.expanduser(words[1]))
            return ""
        plain = words[0] == "memkit" and not _SHELL.search(_QUOTED.sub("", command).partition(" #")[0])
        code, out = self._memkit(words[1:]) if plain else self._shell(command)
        assert code in allowed, f"{block.place}: `{command}` left with {code}:\n\n{out}"
        return out

    @staticmethod
    def _memkit(arguments: list[str]) -> tuple[int, str]:
        """The command line in this process: a new one would cost half a second each time."""
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
                code = cli.run(arguments)
        finally:
            sys.stdin = stdin
        return code, out.buffer.getvalue().decode("utf-8")

    def _shell(self, command: str) -> tuple[int, str]:
        env = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PATH": f"{self.home}/bin:{os.environ['PATH']}",
            "LC_ALL": "C.UTF-8",
        }
        done = subprocess.run(
            ["bash", "-c", command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, encoding="utf-8", check=False,
        )  # fmt: skip
        return done.returncode, done.stdout


def commands(block: Block) -> list[tuple[str, str | None]]:
    """The commands of a console block, each with the output shown for it, or None where none is shown."""
    found: list[list[str]] = []
    shown: list[list[str]] = []
    for line in block.text.split("\n")[:-1]:
        if line.startswith("$ "):
            found.append([line[2:]])
            shown.append([])
        elif found and not shown[-1] and line.startswith("> "):
            found[-1].append(line[2:])
        else:
            assert found, f"{block.place}: output without a command"
            shown[-1].append(line)
    return [
        ("\n".join(lines), "\n".join(output) if output else None) for lines, output in zip(found, shown, strict=True)
    ]
