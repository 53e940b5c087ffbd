"""The audit log: an append beside a bare locked one, a store with and without its event, questions over many events."""

import datetime as dt
import multiprocessing
import pathlib
import resource
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

from memkit.analytics import audit
from memkit.catalog.catalog import Catalog
from memkit.clock import UTC, FixedClock, SystemClock
from memkit.model.event import GENESIS, Event, line_of
from memkit.snapshot import audit_days
from memkit.store import durable
from memkit.store.lock import Lock
from memkit.store.paths import StorePaths
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.store import Store
from memkit.testing import temp_memory_root
from tests.bench.corpus import Texts

NOW = dt.datetime(2031, 5, 5, 12, tzinfo=UTC)
STORED = Event("entry_operation", "store", detail={"entry_id": "a" * 32, "panel_id": "adr"})
ASKED = Event("record_usage", "recall", detail={"query": "which queue do we use for jobs", "result_count": 3})


def _store(folder: str, clock=None) -> Store:
    paths = StorePaths.for_project(folder, "/projects/bench")
    return Store(paths, clock=clock or SystemClock(), scrubber=Scrubber(shipped_patterns()))


def append(rounds: int = 2_000) -> dict:
    """Microseconds of a bare locked append and of an event (medians, interleaved), and their ratio."""
    with tempfile.TemporaryDirectory(prefix="memkit-bench-") as folder:
        store = _store(folder)
        store.make_folders()
        store.audit.record(STORED)
        bare = Lock(store.paths.logs / "bare.lock", 5)
        line = b"x" * 400 + b"\n"

        def plain() -> None:
            with bare.held(None):
                durable.append(store.paths.logs / "bare.log", line, fsync=False)

        works = {
            "bare": plain,
            "stored": lambda: store.audit.record(STORED),
            "asked": lambda: store.audit.record(ASKED),
        }
        times: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(rounds):
            for name, work in works.items():
                began = time.perf_counter()
                work()
                times[name].append(time.perf_counter() - began)
    found = {f"{name}_us": statistics.median(each) * 1e6 for name, each in times.items()}
    return {**found, "ratio": max(found["stored_us"], found["asked_us"]) / found["bare_us"]}


def with_event(rounds: int = 300) -> float:
    """A store with its event over one without, medians, interleaved."""
    texts = Texts()
    with temp_memory_root() as one, temp_memory_root() as other:
        other._store.audit.record = lambda *events: True
        times: dict[str, list[float]] = {"with": [], "without": []}
        for i in range(rounds):
            pair = [("with", one), ("without", other)]
            for name, mem in pair if i % 2 else reversed(pair):
                request = texts.request(i)
                began = time.perf_counter()
                mem.store(**request)
                times[name].append(time.perf_counter() - began)
    return statistics.median(times["with"]) / statistics.median(times["without"])


def events(n: int) -> list[bytes]:
    """`n` lines of a busy day: three tenths are workers' runs."""
    lines: list[bytes] = []
    prev = GENESIS
    while len(lines) < n:
        i = len(lines)
        common = {"run_id": f"{i:032x}", "worker": "memory_extract", "trigger": "idle"}
        end = {**common, "reason": "candidates_found", "counts": {"staged": 3}, "duration_ms": 40}
        batch = (
            Event("worker_lifecycle", status="started", detail={**common, "pid": 1, "host": "h"}),
            Event("worker_lifecycle", status="completed", detail=end),
            *[STORED] * 2,
            *[ASKED] * 3,
        )
        for event in batch:
            kept, text = event.parts()
            at = NOW - dt.timedelta(days=1) + dt.timedelta(milliseconds=40 * len(lines))
            line, prev = line_of(event, text, kept=kept, at=at, actor="cli", seq=len(lines) + 1, prev=prev)
            lines.append(line)
    return lines


def questions(n: int = 1_000_000) -> dict:
    """Processor seconds of `runs()` over `n` events, asked for the first time: from the log, and from the compacted day.

    Compacting runs in a process of its own, whose processor seconds and peak of memory are given.
    """
    found: dict = {"n": n}
    with tempfile.TemporaryDirectory(prefix="memkit-bench-") as folder:
        store = _store(folder, FixedClock(NOW))
        store.make_folders()
        durable.make_folder(store.paths.logs)
        durable.append(store.paths.log_file("2031-05-04"), b"\n".join(events(n)) + b"\n", fsync=False)
        store.audit.record(STORED)
        for name in ("log_s", "compacted_s"):
            if name == "compacted_s":
                with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as other:
                    found |= other.submit(compacting, folder).result()
            with Catalog([store], temp_directory=pathlib.Path(folder)) as catalog:
                began = time.process_time()
                found["n_runs"] = len(audit.runs(catalog, as_of=NOW))
                found[name] = time.process_time() - began
    return found


def compacting(folder: str) -> dict:
    """Compact the log under `folder`: processor seconds and the process's peak in MB."""
    store = _store(folder, FixedClock(NOW))
    began = time.process_time()
    audit_days.compact(store)
    seconds = time.process_time() - began
    return {"compact_s": seconds, "compact_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}


def growth(small: int = 20_000) -> dict[str, float]:
    """How many times as long, and as much memory, ten times the events take."""
    few, many = questions(small), questions(10 * small)
    return {name: many[name] / few[name] for name in ("log_s", "compacted_s", "compact_s", "compact_mb")}
