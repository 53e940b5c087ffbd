"""A durable `store` beside the bare system calls it cannot do without, interleaved in one run."""

import contextlib
import fcntl
import os
import pathlib
import statistics
import tempfile
import time

from memkit.testing import temp_memory_root
from tests.bench.corpus import Texts


class Bare:
    """Temp open, write, fsync, rename, folder fsync, append, fsync under a flock: nothing else."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.results = folder / "results"
        self.results.mkdir(parents=True)

    def store(self, i: int, data: bytes, line: bytes) -> None:
        results = str(self.results)
        temp = f"{results}/.{i}.tmp"
        fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(fd, data)
        os.fsync(fd)
        os.close(fd)
        lock = os.open(f"{self.folder}/lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
        os.rename(temp, f"{results}/{i}.json")
        fd = os.open(results, os.O_RDONLY)
        os.fsync(fd)
        os.close(fd)
        fd = os.open(f"{self.folder}/index", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(fd, line)
        os.fsync(fd)
        os.close(fd)
        fcntl.flock(lock, fcntl.LOCK_UN)
        os.close(lock)


def measure(sizes=(100, 10_000), rounds: int = 400) -> dict:
    """Milliseconds of bare calls and of `store` at each size (medians), and their ratios."""
    texts = Texts()
    folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("BENCH_DIR")))
    found: dict = {"rounds": rounds, "sizes": {}}
    with contextlib.ExitStack() as stack:
        stores = {}
        for size in sizes:
            mem = stack.enter_context(temp_memory_root())
            mem.store_many([texts.request(i) for i in range(size)])
            bare = Bare(folder / str(size))
            stores[size] = (mem, bare, [], [])
        requests = [texts.request(i) for i in range(rounds)]
        data, line = b"x" * 1500, b"x" * 400 + b"\n"
        for i, request in enumerate(requests):
            for mem, bare, ours, theirs in stores.values():
                pair = [
                    (ours, lambda mem=mem: mem.store(**request)),
                    (theirs, lambda bare=bare: bare.store(i, data, line)),
                ]
                for times, call in pair if i % 2 else reversed(pair):
                    began = time.perf_counter()
                    call()
                    times.append(time.perf_counter() - began)
        for size, (_, _, ours, theirs) in stores.items():
            found["sizes"][size] = {
                "store_ms": statistics.median(ours) * 1e3,
                "bare_ms": statistics.median(theirs) * 1e3,
                "ratio": statistics.median(ours) / statistics.median(theirs),
            }
    found["growth"] = found["sizes"][sizes[-1]]["store_ms"] / found["sizes"][sizes[0]]["store_ms"]
    return found
