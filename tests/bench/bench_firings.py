"""Counting uses: one answer's firings beside a bare locked append, and what applying them costs as they grow."""

import statistics
import tempfile
import time

from memkit.consolidate.reinforce import reinforce
from memkit.store import canonical, durable
from memkit.store.lock import Lock
from memkit.testing import temp_memory_root
from tests.bench.corpus import Texts

HITS = 20


def note(rounds: int = 500) -> dict:
    """Microseconds of a bare locked append and of the firings of an answer with `HITS` hits (medians, interleaved)."""
    with temp_memory_root() as mem, tempfile.TemporaryDirectory(prefix="memkit-bench-"):
        texts = Texts()
        ids = [mem.store(**texts.request(i)).id for i in range(HITS)]
        store = mem._store
        bare = Lock(store.paths.folder / "bare.lock", 5)
        line = b"x" * 130 * HITS + b"\n"

        def plain() -> None:
            with bare.held(None):
                durable.append(store.paths.folder / "bare.log", line, fsync=False)

        works = {"bare": plain, "note": lambda: store.firings.note("recall", ids)}
        times: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(rounds):
            for name, work in works.items():
                began = time.perf_counter()
                work()
                times[name].append(time.perf_counter() - began)
    return {f"{name}_us": statistics.median(each) * 1e6 for name, each in times.items()}


def applying(n: int, entries: int = 50) -> float:
    """Processor seconds to count `n` firings of some entries."""
    with temp_memory_root() as mem:
        texts = Texts()
        ids = [mem.store(**texts.request(i)).id for i in range(entries)]
        store = mem._store
        for _ in range(n // entries):
            store.firings.note("recall", ids)
        with canonical.writing(store, "bench") as held:
            began = time.process_time()
            done = reinforce(store, held, run_id="bench")
            took = time.process_time() - began
    if done.n_firings != n // entries * entries:
        raise AssertionError(f"{done.n_firings} firings of {n}")
    return took


def growth(small: int = 5_000) -> float:
    """How many times as long ten times the firings take."""
    return applying(10 * small) / applying(small)
