"""Erasing one entry, beside what it cannot do without: reading every file once, and writing one segment again."""

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
    began = time.perf_counter()
    for path in sorted(paths.results.iterdir()):
        with path.open("rb") as file:
            file.read()
    return time.perf_counter() - began


def _rewrite(paths, entry_id: str) -> float:
    """Seconds of reading the segment that holds the entry, and writing it again."""
    began = time.perf_counter()
    for segment in open_snapshot(paths).manifest.segments:
        if segment.first_id <= entry_id <= segment.last_id:
            rows = read_rows(paths, segment)
            for table in (rows.entries, rows.postings):
                (paths.folder.parent / "segment").write_bytes(encode(table))
    return time.perf_counter() - began


def measure(n: int = 10_000, rounds: int = 3) -> dict:
    """Seconds of `erase`, of reading all files once and of writing one segment again, and the ratio of the medians."""
    texts, source = Texts(), random.Random(7)
    found: dict = {"n": n, "erase_s": [], "read_s": [], "rewrite_s": []}
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
            began = time.perf_counter()
            receipt = erase(mem._store, entry_id, confirm=True)
            found["erase_s"].append(time.perf_counter() - began)
            assert receipt.scan.n_found == 0
    middle = {name: sorted(found[name])[rounds // 2] for name in ("erase_s", "read_s", "rewrite_s")}
    return {**found, **middle, "ratio": middle["erase_s"] / (middle["read_s"] + middle["rewrite_s"])}
