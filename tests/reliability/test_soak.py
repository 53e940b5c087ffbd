"""A long mixed load: descriptors and memory stay level, and no temporary file is left."""

import os
import random
import threading
import time

import pytest

from memkit.store import leftovers
from memkit.store.repair import repair
from memkit.store.verify import verify
from tests.reliability import account
from tests.reliability.account import pick
from tests.reliability.bug_kit import Kit
from tests.reliability.fuzzing import memory
from tests.reliability.program import main
from tests.reliability.stores import quietly

SECONDS = min(pick(20, 30 * 60), account.SECONDS)
SLOPE_MB_PER_MINUTE = 0.1 if SECONDS >= 600 else None  # too short a run says nothing about the slope


@pytest.mark.promise("P18")
def test_a_long_mixed_load_leaves_nothing_behind(scratch, cases):
    kit = Kit(scratch)
    rng = random.Random(1)
    with kit.memory() as mem:
        mem.store(question="first", result={"conclusion": "x"})
        mem.recall("first")
        descriptors, threads = len(os.listdir("/proc/self/fd")), threading.active_count()
        samples: list[tuple[float, int]] = []
        began = time.monotonic()
        n = 0
        while time.monotonic() - began < SECONDS:
            n += 1
            kind = rng.random()
            if kind < 0.5:
                mem.store(question=f"which queue {n}", result={"conclusion": "x" * rng.randrange(500)})
            elif kind < 0.8:
                mem.recall(f"queue {rng.randrange(n)}", limit=5)
            elif kind < 0.86:
                mem.list()
            elif kind < 0.92:
                mem.sql("select count(*) from entries")
            elif kind < 0.97:
                mem.refresh()
            elif kind < 0.985:
                with quietly():
                    repair(mem._store, dry_run=False)
            elif n > 1500:
                mem.wipe(confirm=mem.paths.key)
            if n % 200 == 0:
                samples.append((time.monotonic() - began, memory("VmRSS")))
        open_now = len(os.listdir("/proc/self/fd"))
        cases.add([] if open_now <= descriptors + 2 else [f"{open_now} descriptors, {descriptors} at the beginning"])
        cases.add(
            [] if threading.active_count() <= threads + 1 else [f"{threading.active_count()} threads, {threads} before"]
        )
        cases.add(
            [path.name for path in leftovers.left_over(mem.paths)] + [p.name for p in mem.paths.results.glob(".*.tmp")]
        )
        cases.add([f"{problem.code} {problem.file}" for problem in verify(mem._store)])
    later = samples[len(samples) // 3 :]
    slope = 0.0
    if len(later) > 5:
        mean_t = sum(t for t, _ in later) / len(later)
        mean_m = sum(m for _, m in later) / len(later)
        slope = 60 * sum((t - mean_t) * (m - mean_m) for t, m in later) / sum((t - mean_t) ** 2 for t, _ in later)
    if SLOPE_MB_PER_MINUTE is not None:
        cases.add([] if slope < SLOPE_MB_PER_MINUTE else [f"memory grows by {slope:.2f} MB a minute"])
    cases.figure(f"{n:,} calls in {SECONDS} s, {open_now} descriptors, memory {slope:+.2f} MB a minute")


if __name__ == "__main__":
    main(__file__)
