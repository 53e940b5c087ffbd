"""Warm recall, end to end with fragments, beside scanning the index lines in Python, interleaved in one run."""

import json
import re
import statistics
import sys
import time

from memkit.snapshot.absorbing import absorb
from memkit.testing import temp_memory_root
from tests.bench.corpus import Texts

WORDS_ASKED = 4


def scan(lines: list[bytes], words: list[str], limit: int = 20) -> list[str]:
    """What recall would cost without an index: parse every line, look for every word, keep the best."""
    patterns = [re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE) for word in words]
    found = []
    for line in lines:
        entry = json.loads(line)
        text = entry["questionPreview"]
        hits = sum(1 for pattern in patterns if pattern.search(text))
        if hits:
            found.append((hits, entry["storedAt"], entry["id"]))
    found.sort(reverse=True)
    return [entry_id for *_, entry_id in found[:limit]]


def _spread(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {
        "min_ms": ordered[0] * 1e3,
        "median_ms": statistics.median(ordered) * 1e3,
        "p95_ms": ordered[int(len(ordered) * 0.95)] * 1e3,
    }


def measure(n_entries: int = 10_000, rounds: int = 60) -> dict:
    """Seconds of recall and of scanning at `n_entries`, by kind of question, with their ratio; and of absorbing."""
    texts = Texts()
    found: dict = {"n_entries": n_entries, "rounds": rounds, "questions": {}}
    with temp_memory_root() as mem:
        for start in range(0, n_entries, 1000):
            mem.store_many([texts.request(i) for i in range(start, min(start + 1000, n_entries))])
        began = time.perf_counter()
        mem.refresh()
        found["absorb_all_s"] = time.perf_counter() - began
        mem.store_many([texts.request(i) for i in range(256)])
        began = time.perf_counter()
        absorb(mem._store)
        found["absorb_256_s"] = time.perf_counter() - began
        mem.refresh()
        lines = [line for line in mem.paths.index.read_bytes().split(b"\n") if line]
        questions = {
            "common words": [texts.query(WORDS_ASKED, common=True) for _ in range(rounds)],
            "rarer words": [texts.query(WORDS_ASKED, common=False) for _ in range(rounds)],
        }
        for query in questions["common words"][:5]:
            assert len(mem.recall(query)) == 20
        for kind, queries in questions.items():
            ours, theirs, fragments = [], [], 0
            for query in queries:
                began = time.perf_counter()
                hits = mem.recall(query)
                ours.append(time.perf_counter() - began)
                fragments += sum(len(hit.fragments) for hit in hits)
                began = time.perf_counter()
                scan(lines, query.split())
                theirs.append(time.perf_counter() - began)
            assert fragments
            found["questions"][kind] = {
                "recall": _spread(ours),
                "scan": _spread(theirs),
                "ratio": statistics.median(theirs) / statistics.median(ours),
            }
    found["ratio"] = min(kind["ratio"] for kind in found["questions"].values())
    return found


def main() -> None:
    """Print one measurement."""
    found = measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
    print(
        f"recall at {found['n_entries']:,} entries; {WORDS_ASKED} words a question, {found['rounds']} questions of a kind"
    )
    for kind, numbers in found["questions"].items():
        for what in ("recall", "scan"):
            spread = numbers[what]
            print(
                f"  {kind:13} {what:7} min {spread['min_ms']:7.2f} ms  median {spread['median_ms']:7.2f} ms  "
                f"p95 {spread['p95_ms']:7.2f} ms"
            )
        print(f"  {kind:13} ratio   {numbers['ratio']:.1f}x")
    print(f"  absorbing all {found['absorb_all_s']:.2f} s, 256 more {found['absorb_256_s']:.3f} s")


if __name__ == "__main__":
    main()
