"""An import of many items beside the bare system calls of storing them: one file each, one index append per batch."""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from memkit.importers.batches import BATCH_ENTRIES
from memkit.testing import temp_memory_root
from tests.bench.corpus import Texts

ROUNDS = 3


def bare(folder: pathlib.Path, files: list[bytes], lines: list[bytes]) -> float:
    """Seconds for the system calls alone: each file written, fsynced, renamed; per batch one folder fsync, one append."""
    results = folder / "results"
    results.mkdir(parents=True)
    began = time.perf_counter()
    for start in range(0, len(files), BATCH_ENTRIES):
        batch = range(start, min(start + BATCH_ENTRIES, len(files)))
        for i in batch:
            fd = os.open(f"{results}/.{i}.tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(fd, files[i])
            os.fsync(fd)
            os.close(fd)
        for i in batch:
            os.rename(f"{results}/.{i}.tmp", f"{results}/{i}.json")
        fd = os.open(results, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
        fd = os.open(f"{folder}/index", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(fd, b"".join(lines[i] for i in batch))
        os.fsync(fd)
        os.close(fd)
    return time.perf_counter() - began


def source(folder: pathlib.Path, n: int) -> pathlib.Path:
    """An export of mem0 with `n` memories of about 150 words."""
    texts = Texts()
    path = folder / f"mem0-{n}.jsonl"
    with path.open("w") as file:
        for i in range(n):
            row = {"id": f"m{i:07d}", "memory": texts.text(150), "created_at": "2026-03-04T10:00:00Z", "hash": "0" * 32}
            file.write(json.dumps(row) + "\n")
    return path


def measure(n: int = 10_000, rounds: int = ROUNDS) -> dict:
    """Seconds of an import and of its bare system calls, each the median of some rounds, interleaved."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("BENCH_DIR")))
    path = source(folder, n)
    ours, theirs, again, appends = [], [], [], 0
    for number in range(rounds):
        with temp_memory_root() as mem:
            began = time.perf_counter()
            report = mem.import_from("mem0", path)
            ours.append(time.perf_counter() - began)
            assert report.counts["imported"] == n
            if number == 0:
                began = time.perf_counter()
                assert mem.import_from("mem0", path).counts["unchanged"] == n
                again.append(time.perf_counter() - began)
            files = [(mem.paths.entry_file(line.id)).read_bytes() for line in mem.list()]
            lines = mem.paths.index.read_bytes().splitlines(keepends=True)
            appends = -(-n // BATCH_ENTRIES)
        theirs.append(bare(folder / f"bare-{number}", files, lines))
    mine, bare_s = statistics.median(ours), statistics.median(theirs)
    return {
        "n": n,
        "import_s": mine,
        "bare_s": bare_s,
        "ratio": mine / bare_s,
        "again_s": again[0],
        "appends": appends,
    }


def growth(large_s: float | None = None, small: int = 1_000, large: int = 10_000) -> float:
    """Seconds per entry at ten times the entries, times those at one; `large_s` is what the large import took."""
    large_s = measure(large, 1)["import_s"] if large_s is None else large_s
    return (large_s / large) / (measure(small, 1)["import_s"] / small)


PROGRAM = """
import resource, sys, time
from memkit.testing import temp_memory_root
with temp_memory_root() as mem:
    began = time.perf_counter()
    report = mem.import_from("mem0", sys.argv[1], dry_run=True)
    print(report.n_seen, time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def large_file(megabytes: int = 1024) -> dict:
    """A dry run over a file of so many MiB, in a process of its own: seconds, and the most memory it had, in MiB."""
    folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("BENCH_DIR")))
    path = folder / "large.jsonl"
    text = Texts().text(1500)
    size = n = 0
    with path.open("w") as file:
        while size < megabytes << 20:
            n += 1
            size += file.write(json.dumps({"id": f"m{n:08d}", "memory": f"{n} {text}", "created_at": None}) + "\n")
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True)
    seen, seconds, memory = done.stdout.split()
    path.unlink()
    assert int(seen) == n
    return {"mib": megabytes, "items": n, "seconds": float(seconds), "memory_mib": int(memory) / 1024}
