"""Reviewing, applying, erasing what expired, and storing under a retention policy, at a size and at a tenth of it.

Each is told in seconds by the clock and in seconds of the processor: others use the machine at the same time.
"""

import datetime as dt
import pathlib
import statistics
import tempfile
import time

from memkit.clock import UTC, FixedClock
from memkit.opening import open_memory
from memkit.settings import Environment
from tests.bench.corpus import Texts

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GROWING = ("review_cpu_s", "store_ms", "expire_cpu_s")


def _open(base: pathlib.Path, clock: FixedClock, **retention: object):
    project = base / "project"
    project.mkdir(exist_ok=True)
    env = {f"MEMKIT_RETENTION__{name.upper()}": str(value) for name, value in retention.items()}
    environment = Environment(home=base, config_file=base / "config.toml", env=env)
    return open_memory(project, root=base / "root", enabled=True, clock=clock, environment=environment)


def _timed(call) -> tuple[float, object]:
    began = time.perf_counter()
    value = call()
    return time.perf_counter() - began, value


def _told(found: dict, name: str, call):
    """Call, and tell how long it took by the clock and on the processor."""
    began = time.process_time()
    found[f"{name}_s"], value = _timed(call)
    found[f"{name}_cpu_s"] = time.process_time() - began
    return value


def measure(n: int = 100_000, n_due: int = 1_000, rounds: int = 200) -> dict:
    """Seconds of a review, of applying `n_due` and of erasing them in the trash; medians of storing, on and off."""
    texts = Texts()
    clock = FixedClock(NOW)
    with tempfile.TemporaryDirectory(prefix="memkit-bench-") as folder:
        base = pathlib.Path(folder)
        with _open(base, clock, enabled="false") as mem:
            for start in range(0, n, 5_000):
                mem.store_many([texts.request(i) for i in range(start, min(n, start + 5_000))])
        found: dict = {"n": n, "n_due": n_due}
        policies = {"on": {"max_results": 10 * n, "max_age_days": 365}, "off": {"enabled": "false"}}
        open_now = {name: _open(base, clock, **policy) for name, policy in policies.items()}
        times: dict[str, list[float]] = {name: [] for name in policies}
        for mem in open_now.values():
            mem.store(**texts.request(0))  # the first one may look once
        for i in range(rounds):
            for name, mem in open_now.items() if i % 2 else reversed(open_now.items()):
                seconds, _ = _timed(lambda mem=mem, i=i: mem.store(**texts.request(i)))
                times[name].append(seconds)
        for mem in open_now.values():
            mem.close()
        found["store_ms"] = statistics.median(times["on"]) * 1e3
        found["store_off_ms"] = statistics.median(times["off"]) * 1e3
        found["store_ratio"] = found["store_ms"] / found["store_off_ms"]
        with _open(base, clock, max_results=n + 2 * rounds + 2 - n_due, max_age_days=365, trash_days=0) as mem:
            mem.retention.review()
            review = _told(found, "review", mem.retention.review)
            found["moved"] = len(_told(found, "apply", review.apply).moved)
            receipt = _told(found, "expire", mem.retention.review().apply)
            found["erased"] = len(receipt.erased)
            assert receipt.scan.is_clean
            mem.store(**texts.request(1))
            # From now on each store pushes one out.
            pruned = _told(found, "store_and_prune", lambda: mem.store(**texts.request(1)))
            assert len(pruned.pruned) == 1
    return found


def growth(small: int = 2_000, times: int = 10) -> dict[str, float]:
    """How much longer each of `GROWING` takes with `times` as many entries."""
    one, ten = (measure(size, n_due=100, rounds=60) for size in (small, small * times))
    return {name: ten[name] / one[name] for name in GROWING} | {"store_ratio": ten["store_ratio"]}
