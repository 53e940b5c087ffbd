"""Erasing one entry, beside what it cannot do without: reading every entry's file once, and writing one segment again.

Seconds are those of the processor: others that use the machine's disk at the same time would drown the ratio.
"""

import gc
import random
import time

from memkit.retention.erase import erase
from memkit.snapshot.absorbing import absorb
from memkit.snapshot.reading import open_snapshot
from memkit.snapshot.segments import encode, read_rows
from memkit.testing import temp_memory_root
from tests.bench.corpus import Texts


def _read_once(paths) -> float:
    """Seconds of reading every file of the store's entries, and nothing else."""
    began = time.process_time()
    for path in sorted(paths.results.iterdir()):
        with path.open("rb") as file:
            file.read()
    return time.process_time() - began


def _rewrite(paths, entry_id: str) -> float:
    """Seconds of reading the segment that holds the entry, and writing it again."""
    began = time.process_time()
    for segment in open_snapshot(paths).manifest.segments:
        if segment.first_id <= entry_id <= segment.last_id:
            rows = read_rows(paths, segment)
            for table in (rows.entries, rows.postings):
                (paths.folder.parent / "segment").write_bytes(encode(table))
    return time.process_time() - began


def measure(n: int = 10_000, rounds: int = 3) -> dict:
    """Processor seconds of `erase`, of reading all files once and of writing one segment again, and the ratio of the medians."""
    texts, source = Texts(), random.Random(7)
    found: dict = {"n": n, "erase_s": [], "clock_s": [], "read_s": [], "rewrite_s": []}
    with temp_memory_root() as mem:
        for start in range(0, n, 5_000):
            mem.store_many([texts.request(i) for i in range(start, min(n, start + 5_000))])
            absorb(mem._store, minimum=1)
        ids = sorted(line.id for line in mem.list())
        _read_once(mem.paths)
        for entry_id in source.sample(ids, rounds):
            gc.collect()
            found["read_s"].append(_read_once(mem.paths))
            found["rewrite_s"].append(_rewrite(mem.paths, entry_id))
            began, on_the_clock = time.process_time(), time.perf_counter()
            receipt = erase(mem._store, entry_id, confirm=True)
            found["erase_s"].append(time.process_time() - began)
            found["clock_s"].append(time.perf_counter() - on_the_clock)
            assert receipt.scan.n_found == 0
    middle = {name: sorted(found[name])[rounds // 2] for name in ("erase_s", "clock_s", "read_s", "rewrite_s")}
    return {**found, **middle, "ratio": middle["erase_s"] / (middle["read_s"] + middle["rewrite_s"])}


def growth(small: int = 1_000) -> float:
    """How many times as long erasing takes with ten times the entries."""
    return float(measure(10 * small)["erase_s"] / measure(small)["erase_s"])
