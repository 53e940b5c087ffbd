"""Warm recall, end to end with fragments, beside a scan of the index in Python, interleaved in one run.

The scan is what a first implementation does: parse each line as JSON, look for each word of the question with a regular
expression in the preview and the tags, count, sort. It finds less (only what the line holds) and explains nothing.
"""

import json
import re
import statistics
import time

from memkit.snapshot.absorbing import absorb
from memkit.testing import temp_memory_root
from tests.bench.corpus import Texts

MIXES = ((2, True), (2, False), (4, True), (4, False), (8, True), (8, False))


def scan(index, query: str, limit: int = 20) -> list:
    """The ids of the lines that hold most words of the question."""
    patterns = [re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE) for word in query.split()]
    found = []
    for line in index.read_bytes().split(b"\n"):
        if line:
            row = json.loads(line)
            text = f"{row['questionPreview']} {' '.join(row['tags'])}"
            n = sum(1 for pattern in patterns if pattern.search(text))
            if n:
                found.append((n, row["storedAt"], row["id"]))
    found.sort(reverse=True)
    return found[:limit]


def _clock(call) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def measure(size: int = 10_000, queries: int = 5, rounds: int = 5) -> dict:
    """Medians in milliseconds at `size` entries, by mix of questions, for questions asked before and for new ones."""
    texts = Texts()
    found: dict = {"size": size, "mixes": {}}
    with temp_memory_root() as mem:
        began = time.perf_counter()
        for start in range(0, size, 2000):
            mem.store_many([texts.request(i) for i in range(start, min(size, start + 2000))])
        found["store_many_s"] = time.perf_counter() - began
        found["absorb_s"] = _clock(mem.refresh)
        mem.store_many([texts.request(i) for i in range(256)])
        found["absorb_256_s"] = _clock(lambda: absorb(mem._store))
        found["first_ms"] = _clock(lambda: mem.recall(texts.query(4, common=True))) * 1e3
        for _ in range(5):
            mem.recall(texts.query(4, common=True))
        for n, common in MIXES:
            asked = [texts.query(n, common=common) for _ in range(queries)]
            new = [_clock(lambda q=q: mem.recall(q)) for q in asked]
            warm, scans = [], []
            for _ in range(rounds):
                for query in asked:
                    warm.append(_clock(lambda q=query: mem.recall(q)))
                    scans.append(_clock(lambda q=query: scan(mem.paths.index, q)))
            found["mixes"][f"{n} {'common' if common else 'rare'} words"] = {
                "new_ms": statistics.median(new) * 1e3,
                "warm_ms": statistics.median(warm) * 1e3,
                "p95_ms": sorted(warm)[int(len(warm) * 0.95)] * 1e3,
                "scan_ms": statistics.median(scans) * 1e3,
                "ratio": statistics.median(scans) / statistics.median(warm),
            }
    mixes = found["mixes"].values()
    found["ratio"] = statistics.fmean(m["scan_ms"] for m in mixes) / statistics.fmean(m["warm_ms"] for m in mixes)
    return found
