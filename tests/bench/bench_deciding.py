"""Decisions with tripwires and chains, and facts to judge them by: check, timeline, what was decided."""

import datetime as dt
import random
import resource
import statistics
import time

import numpy as np
import pandas as pd

from memkit.clock import UTC, FixedClock
from memkit.testing import temp_memory_root
from tests.bench.corpus import Texts

END = dt.datetime(2026, 11, 30, 12, tzinfo=UTC)
N_METRICS = 500
WINDOWS = ("", "", " for 24h", " for 7 days", " for 1h", " two weeks in a row")


def requests(n: int, seed: int = 3):
    """`n` decisions, two tripwires each; one in five replaces an earlier one."""
    texts, source = Texts(seed), random.Random(seed)
    for i in range(n):
        metric = f"metric {source.randrange(N_METRICS)}"
        wire = f"{metric} exceeds {source.randrange(40, 130)}{source.choice(WINDOWS)}"
        other = source.choice(
            (
                f"revisit by {2026 + source.randrange(3)}-0{1 + i % 9}-1{i % 10}",
                f"{metric} drops below {i % 50} for 12h",
            )
        )
        request = texts.request(i)
        day = END.date() - dt.timedelta(days=source.randrange(900))
        result = {**request["result"], "title": f"d{i}", "decidedOn": day.isoformat(), "tripwires": [wire, other]}
        if i and not source.randrange(5):
            result["supersedes"] = [f"d{source.randrange(i)}"]
        yield {**request, "panel_id": "adr", "result": result}


def facts(n: int, seed: int = 5) -> pd.DataFrame:
    """`n` hourly readings of `N_METRICS` metrics, ending at `END`, in no order."""
    source = np.random.default_rng(seed)
    each = n // N_METRICS
    hours = pd.date_range(end=END, periods=each, freq="h")
    frame = pd.DataFrame(
        {
            "metric": np.repeat([f"metric {i}" for i in range(N_METRICS)], each),
            "at": np.tile(hours, N_METRICS),
            "value": source.normal(80, 15, each * N_METRICS).round(2),
        }
    )
    return frame.sample(frac=1.0, random_state=seed)


def measure(n: int = 10_000, n_facts: int = 1_000_000, rounds: int = 5) -> dict:
    """Seconds of each question at `n` decisions and `n_facts` facts; the first check reads the facts."""
    table = facts(n_facts)
    found: dict = {"n": n, "n_facts": n_facts}
    with temp_memory_root() as mem:
        clock = mem._store.clock = FixedClock(END)
        batch = list(requests(n))
        for start in range(0, n, 500):
            mem.store_many(batch[start : start + 500])
        mem.refresh()
        clock.advance(dt.timedelta(minutes=1))
        mem.recall("ka ro")
        mem.recall("ka ro")
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.perf_counter()
        report = mem.tripwires.check(table)
        found["check_s"] = time.perf_counter() - began
        found["check_mb"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        found["counts"] = report.counts | {"left out": report.n_left_out}
        found["check_again_s"] = _median(mem.tripwires.check, rounds)
        texts = Texts(9)
        found["decided_s"] = _median(lambda: mem.what_we_decided(texts.query(3, common=False)), rounds * 4)
        found["decided_common_s"] = _median(lambda: mem.what_we_decided(texts.query(3, common=True)), rounds * 4)
        found["summary_s"] = _median(mem.project_summary, rounds)
        began = time.perf_counter()
        mem.timeline()
        found["timeline_first_s"] = time.perf_counter() - began
        found["timeline_s"] = _median(mem.timeline, rounds)
    return found


SHOWN = {
    "check_s": "tripwires.check, facts read with it",
    "check_again_s": "tripwires.check again",
    "decided_s": "what_we_decided, three rare words",
    "decided_common_s": "what_we_decided, three common words",
    "timeline_first_s": "timeline, the facts replayed",
    "timeline_s": "timeline again",
    "summary_s": "project_summary",
}
GROWING = {
    "tripwires.check": "check_again_s",
    "what_we_decided": "decided_s",
    "timeline": "timeline_s",
}


def growth(n: int = 500, n_facts: int = 50_000) -> dict[str, float]:
    """How many times longer each question takes with ten times the decisions and facts."""
    small, large = measure(n, n_facts, rounds=7), measure(10 * n, 10 * n_facts, rounds=3)
    return {name: large[key] / small[key] for name, key in GROWING.items()}


def _median(call, rounds: int) -> float:
    taken = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)
