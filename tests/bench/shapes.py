"""Shapes that a busy neighbour cannot bend: how costs grow with the store, counts of flushes, bytes and modules.

Times are of the processor and in one process, the sizes in turn. Stores have entries of 40 words.
"""

from __future__ import annotations

import itertools
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from memkit.memory import Memory
from memkit.snapshot.absorbing import absorb
from tests.bench.stores import Corpus, open_at, write

SIZES = (1_000, 10_000, 100_000)
WORDS = 40
# What an answer must not load: no notebook, no command line, nothing that draws.
HEAVY = ("IPython", "ipywidgets", "altair", "typer", "rich", "jinja2", "mcp", "polars")


class Stores:
    """Memories of growing size in a folder that goes when they are closed."""

    def __init__(self) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="memkit-shapes-"))
        self.corpora = {size: Corpus(size, WORDS) for size in SIZES}
        for size, corpus in self.corpora.items():
            write(self.folder / str(size), corpus)
        self.memories: dict[int, Memory] = {size: open_at(self.folder / str(size)) for size in SIZES}
        for size, mem in self.memories.items():
            for _ in range(3):
                mem.recall(self.corpora[size].mixed(4))

    def close(self) -> None:
        for mem in self.memories.values():
            mem.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def growth(self, step: Callable[[Memory, int], object], rounds: int) -> float:
        """How many times as long a step takes with ten times the entries: the worse of the two steps."""
        spent: dict[int, list[float]] = {size: [] for size in SIZES}
        for turn in range(rounds):
            for size in SIZES if turn % 2 else reversed(SIZES):
                began = time.process_time()
                step(self.memories[size], size)
                spent[size].append(time.process_time() - began)
        medians = [statistics.median(spent[size]) for size in SIZES]
        return max(after / before for before, after in itertools.pairwise(medians))

    def recall(self) -> float:
        """Growth of a warm question of four words, rare and common."""
        return self.growth(lambda mem, size: mem.recall(self.corpora[size].mixed(4)), 25)

    def store(self) -> float:
        """Growth of one durable store."""
        return self.growth(
            lambda mem, _: mem.store(question="Which queue, and how long?", result={"conclusion": "Short."}), 60
        )

    def absorbing(self) -> float:
        """Growth of taking 100 new entries into the snapshot."""
        more = [{"question": f"Which {i}?", "result": {"conclusion": f"That {i}."}} for i in range(100)]

        def step(mem: Memory, _: int) -> None:
            absorb(mem._store, minimum=1)

        spent = []
        for _ in range(3):
            for mem in self.memories.values():
                mem.store_many(more)
            spent.append(self.growth(step, 1))
        return statistics.median(spent)

    def bytes_read(self) -> float:
        """Bytes that a new question reads at the largest size, times those at the smallest."""
        read = {}
        for size in (SIZES[0], SIZES[-1]):
            taken = []
            for _ in range(9):
                query = self.corpora[size].mixed(4)
                before = _read_so_far()
                self.memories[size].recall(query)
                taken.append(_read_so_far() - before)
            read[size] = statistics.median(taken)
        return read[SIZES[-1]] / read[SIZES[0]]

    def flushes(self) -> dict[int, int]:
        """Calls of fsync and fdatasync for one store, by size; empty where strace is not there."""
        if shutil.which("strace") is None:
            return {}
        return {size: _flushes(self.folder / str(size)) for size in SIZES}


def loaded() -> set[str]:
    """Modules of `HEAVY` that a process has loaded after storing, recalling and asking in SQL."""
    code = (
        "import sys, memkit.testing\n"
        "with memkit.testing.temp_memory_root() as mem:\n"
        "    mem.store(question='Which queue?', result={'conclusion': 'x'})\n"
        "    assert len(mem.recall('queue')) == 1\n"
        "    assert len(mem.sql('select * from entries').rows) == 1\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split()) & set(HEAVY)


def _read_so_far() -> int:
    """Bytes this process has read by system calls; pages of mapped files are not among them."""
    said = pathlib.Path("/proc/self/io").read_text()
    return int(re.search(r"rchar: (\d+)", said)[1])  # type: ignore[index]


def _flushes(base: pathlib.Path) -> int:
    code = (
        "import pathlib, sys\nfrom tests.bench.stores import open_at\n"
        f"mem = open_at(pathlib.Path({str(base)!r}))\n"
        "def one(): mem.store(question='Which queue?', result={'conclusion': 'x'})\n"
        "one()\nsys.stderr.write('BEGIN\\n'); sys.stderr.flush()\none()\nsys.stderr.write('END\\n'); sys.stderr.flush()\n"
    )
    traced = ["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,write", "-e", "write=2", sys.executable, "-c", code]
    done = subprocess.run(traced, capture_output=True, text=True, check=True)
    between = done.stderr.split('"BEGIN\\n"', 1)[1].split('"END\\n"', 1)[0]
    return len(re.findall(r"\b(?:fsync|fdatasync)\(", between))
