"""memkit and what people would use instead, on the same entries and questions, at growing sizes.

Everything is asked in one process, one system after another, the order turned with each question, so that what disturbs
one disturbs all. Filling, first hits and memory are measured in processes of their own. A rival stops at the size where
one of its steps passes `LONGEST` seconds.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping

from memkit.memory import Memory
from memkit.snapshot.absorbing import absorb
from tests.bench import cold, rivals
from tests.bench.bench_store import Bare
from tests.bench.rivals import Rival
from tests.bench.stores import Corpus, Item, open_at, write

SIZES = (1_000, 10_000, 100_000)
LONGEST = 60.0
MEMKIT = "memkit"
QUESTIONS = 12
# The scan takes seconds for each question among a million entries: it is asked fewer.
SCANNED = {1_000_000: 2}
MIXES: dict[str, Callable[[Corpus], str]] = {
    "2 rare words": lambda corpus: corpus.query(2, common=False),
    "4 rare words": lambda corpus: corpus.query(4, common=False),
    "4 mixed words": lambda corpus: corpus.mixed(4),
    "8 mixed words": lambda corpus: corpus.mixed(8),
    "4 common words": lambda corpus: corpus.query(4, common=True),
    "8 common words": lambda corpus: corpus.query(8, common=True),
    "a word nobody wrote": lambda corpus: corpus.query(1, common=False) + "qx",
}


def words_at(size: int) -> int:
    """Words of an entry: fewer at a million, so that the files stay under a few gigabytes."""
    return 150 if size < 1_000_000 else 40


class Ours(Rival):
    """memkit through its front door: hits with reasons, fragments, ages and checks, an event in the audit log."""

    name = MEMKIT
    memory: Memory

    def open(self) -> None:
        self.memory = open_at(self.folder)

    def fill(self, items: Iterator[Item]) -> None:
        """The files were written before: what takes time is making the snapshot."""
        self.open()

    def store(self, item: Item) -> None:
        self.memory.store(question=item.question, result=item.result, panel_id=item.panel, tags=list(item.tags))

    def search(self, query: str) -> list[str]:
        return [hit.id for hit in self.memory.recall(query)]

    def close(self) -> None:
        self.memory.close()


def measure(size: int, folder: pathlib.Path, *, stopped: set[str]) -> dict:
    """Everything at one size; `stopped` names rivals that took too long at a smaller one and learns of further ones.

    Entries that an earlier run left in `folder` are taken as they are.
    """
    corpus = Corpus(size, words_at(size))
    base = folder / MEMKIT
    began = time.perf_counter()
    if base.exists():
        _say(f"{size:,} entries are there from an earlier run")
        for snapshot in (base / "root").glob("*/snapshots"):
            shutil.rmtree(snapshot)
    else:
        _say(f"writing {size:,} entries")
        write(base, corpus)
    found: dict = {"size": size, "words": corpus.words, "written_s": time.perf_counter() - began, "systems": {}}
    kinds, missing = rivals.installed()
    found["missing"] = missing
    names = [MEMKIT, *(kind.name for kind in kinds)]
    for name in names:
        if name not in stopped:
            _say(f"filling {name}")
            if name != MEMKIT:
                shutil.rmtree(folder / name, ignore_errors=True)
            filled = _child("fill", name, folder, size)
            if filled is None or (filled["seconds"] > LONGEST and not _is_patient(name)):
                stopped.add(name)
                found["systems"][name] = {"stopped": f"filling took more than {LONGEST:.0f} s"}
            else:
                found["systems"][name] = {"fill": filled}
    asked: list[Rival] = [_system(name, folder) for name in names if name in found["systems"] and name not in stopped]
    if "index scan" not in stopped:
        asked.append(rivals.Scan(folder / "index scan", open_at(base).paths.index))
        found["systems"]["index scan"] = {}
    for each in asked:
        row = found["systems"][each.name]
        if each.name != "index scan":
            _say(f"asking {each.name}")
            taken = cold.first_hits(each.name, folder, [corpus.mixed(4) for _ in range(3)])
            row["cold"] = _summary(taken, "seconds") | {"cpu": _summary(taken, "cpu_all")}
            row["memory"] = _child("asks", each.name, folder, size)
        each.open()
    for name, draw in MIXES.items():
        _say(f"recall, {name}")
        for each, times in _interleaved(asked, [draw(corpus) for _ in range(QUESTIONS)], stopped, size).items():
            found["systems"][each.name].setdefault("recall", {})[name] = times
    ours = asked[0]
    assert isinstance(ours, Ours)
    found["systems"][MEMKIT]["more"] = _more(ours, corpus)
    found["store"] = _stores(asked, corpus, folder)
    for each in asked:
        found["systems"][each.name] |= {"disk_mb": each.disk / 2**20, "cannot": each.cannot}
        each.close()
    snapshots = sum(path.stat().st_size for path in ours.memory.paths.snapshots.iterdir())
    truth = sum(path.stat().st_size for path in ours.memory.paths.results.iterdir())
    found["snapshot_share"] = snapshots / truth
    return found


def _system(name: str, folder: pathlib.Path) -> Rival:
    kinds, _ = rivals.installed()
    kind = next((kind for kind in kinds if kind.name == name), Ours)
    return kind(folder / name)


def _is_patient(name: str) -> bool:
    return name == MEMKIT or any(kind.name == name and kind.is_patient for kind in rivals.ALL)


def _say(words: str) -> None:
    """How far it is, for who waits."""
    print(f"{time.strftime('%H:%M:%S')} {words}", file=sys.stderr, flush=True)


def _interleaved(asked: list[Rival], queries: list[str], stopped: set[str], size: int) -> dict[Rival, dict]:
    """Times of every system for every question, the order turned with each."""
    times: dict[Rival, list[dict]] = {each: [] for each in asked if each.name not in stopped}
    for turn, query in enumerate(queries):
        order = [each for each in asked if each.name not in stopped]
        for each in order[turn % len(order) :] + order[: turn % len(order)]:
            if isinstance(each, rivals.Scan) and turn >= SCANNED.get(size, QUESTIONS):
                continue
            taken = _clocked(lambda each=each: each.search(query), each.pid)
            times[each].append(taken)
            if taken["seconds"] > LONGEST:
                stopped.add(each.name)
    return {each: _summary(taken, "seconds") | {"cpu": _summary(taken, "cpu")} for each, taken in times.items()}


def _more(ours: Ours, corpus: Corpus) -> dict:
    """What only memkit does, in seconds of the processor and by the clock."""
    mem = ours.memory
    steps: dict[str, Callable[[], object]] = {
        "recall, a panel and a tag": lambda: mem.recall(corpus.mixed(4), panel="adr", any_tag="t3"),
        "recall, fuzzy": lambda: mem.recall(corpus.mixed(4), fuzzy=True),
        "recall, half-life": lambda: mem.recall(corpus.mixed(4), recency_half_life_days=90),
        "what was decided": lambda: mem.what_we_decided(corpus.query(2, common=False)),
        "SQL aggregate": lambda: mem.sql(
            "select panel_id, count(*) as n, avg(age_days) as age from entries group by all"
        ),
        "retention review": mem.retention.review,
    }
    return {
        name: _summary(taken := [_clocked(step) for _ in range(3)], "seconds") | {"cpu": _summary(taken, "cpu")}
        for name, step in steps.items()
    }


def _stores(asked: list[Rival], corpus: Corpus, folder: pathlib.Path, rounds: int = 40) -> dict:
    """Durable stores one by one beside the bare system calls, in batch, and what new entries cost afterwards."""
    mem = asked[0].memory  # type: ignore[attr-defined]
    items = list(Corpus(rounds, corpus.words, seed=99))
    shutil.rmtree(folder / "bare", ignore_errors=True)  # of a run that left its folder
    bare = Bare(folder / "bare")
    times: dict[str, list[dict]] = {"bare system calls": []}
    for i, item in enumerate(items):
        times["bare system calls"].append(_clocked(lambda i=i: bare.store(i, b"x" * 1500, b"x" * 400 + b"\n")))
        for each in asked:
            if type(each).store is not Rival.store:
                taken = _clocked(lambda each=each, item=item: each.store(item), each.pid)
                times.setdefault(each.name, []).append(taken)
    batch = [{"question": i.question, "result": i.result, "panel_id": i.panel, "tags": list(i.tags)} for i in items]
    batched = _clocked(lambda: mem.store_many(batch))
    mem.recall("warm")
    before = _clocked(lambda: mem.recall(corpus.mixed(4)))
    mem.store(**batch[0])
    after = _clocked(lambda: mem.recall(corpus.mixed(4)))
    mem.refresh()
    absorb(mem._store, minimum=1)
    mem.store_many([{**each, "tags": ["hundred"]} for each in (batch * 3)[:100]])
    absorbed = _clocked(lambda: absorb(mem._store, minimum=1))
    refreshed = _clocked(mem.refresh)
    return {
        "one by one": {name: _summary(taken, "seconds") for name, taken in times.items()},
        "batch, each": batched["seconds"] / rounds,
        "recall before a store of one's own": before,
        "recall after it": after,
        "absorb 100": absorbed,
        "refresh after that": refreshed,
    }


def _clocked(call: Callable[[], object], pid: int | None = None) -> dict[str, float]:
    """Seconds by the clock and of the processor; `pid` is another process that works for the call."""
    cpu, began = time.process_time() + _spent(pid), time.perf_counter()
    call()
    return {"seconds": time.perf_counter() - began, "cpu": time.process_time() + _spent(pid) - cpu}


def _spent(pid: int | None) -> float:
    """Seconds of the processor another process has taken so far."""
    if pid is None:
        return 0.0
    said = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(said[11]) + int(said[12])) / os.sysconf("SC_CLK_TCK")


def _summary(rows: list[dict], key: str) -> dict[str, float]:
    values = sorted(row[key] for row in rows)
    if not values:
        return {}
    return {
        "min": values[0],
        "median": statistics.median(values),
        "p95": values[min(len(values) - 1, int(len(values) * 0.95))],
        "n": len(values),
    }


# -- processes of their own ---------------------------------------------------------------------------------------


def _child(what: str, name: str, folder: pathlib.Path, size: int) -> dict | None:
    """Run one step in a new process; None where it took too long."""
    code = f"from tests.bench.bench_sizes import child; child({what!r}, {name!r}, {str(folder)!r}, {size})"
    patience = None if _is_patient(name) else LONGEST + 15
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, timeout=patience, check=True
        )
    except subprocess.TimeoutExpired:
        return None
    found: dict = json.loads(done.stdout.splitlines()[-1])
    return found


def child(what: str, name: str, folder: str, size: int) -> None:
    """In the new process: fill, or answer forty-one questions; prints times and the peak of memory."""
    corpus = Corpus(size, words_at(size), seed=7)
    system = _system(name, pathlib.Path(folder))
    empty = _peak_mb()
    if what == "fill":
        taken = _clocked(lambda: system.fill(iter(corpus)))
        taken["cpu"] += _spent(system.pid)
    else:
        system.open()
        taken = _clocked(lambda: system.search(corpus.mixed(4)), system.pid)
        for _ in range(40):
            system.search(corpus.mixed(4))
    peak = _peak_mb() + (_peak_mb(system.pid) if system.pid else 0.0)
    cpu = time.process_time() + _spent(system.pid)
    print(json.dumps(taken | {"cpu_all": cpu, "peak_mb": peak, "empty_mb": empty}))
    system.close()


def _peak_mb(pid: int | str = "self") -> float:
    """Of this process alone: what a child inherits in the counters of `getrusage` is its parent's."""
    said = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", said)[1]) / 1024  # type: ignore[index]


# -- showing --------------------------------------------------------------------------------------------------------


def show(found: Mapping, *, cpu: bool = False) -> None:
    """Print one size."""
    systems: Mapping[str, Mapping] = found["systems"]
    shown = [name for name, row in systems.items() if "recall" in row]
    print(
        f"\n{found['size']:,} entries of {found['words']} words; milliseconds, median and p95, {'of the processor' if cpu else 'by the clock'}\n"
    )
    print(f"{'':<30}" + "".join(f"{_short(name):>16}" for name in shown))
    for mix in MIXES:
        cells = [(row["cpu"] if cpu else row) if (row := systems[name]["recall"].get(mix)) else None for name in shown]
        print(f"{'recall, ' + mix:<30}" + "".join(f"{_pair(cell):>16}" for cell in cells))
    cold = [(row["cpu"] if cpu else row) if (row := systems[name].get("cold")) else None for name in shown]
    print(f"{'first hit, new process':<30}" + "".join(f"{_pair(each):>16}" for each in cold))
    one = found["store"]["one by one"]
    print(
        f"{'store, durable':<30}"
        + "".join(f"{_pair(one.get(n)):>16}" for n in shown)
        + f"   bare system calls {_pair(one['bare system calls'])}"
    )
    print(f"{'fill or snapshot (s of CPU)':<30}" + "".join(f"{_of(systems[n], 'fill', 'cpu'):>16}" for n in shown))
    print(f"{'peak memory of filling (MB)':<30}" + "".join(f"{_of(systems[n], 'fill', 'peak_mb'):>16}" for n in shown))
    print(f"{'peak memory of asking (MB)':<30}" + "".join(f"{_of(systems[n], 'memory', 'peak_mb'):>16}" for n in shown))
    print(f"{'on disk (MB)':<30}" + "".join(f"{systems[n].get('disk_mb', 0):>16,.0f}" for n in shown))
    for name, row in systems[MEMKIT]["more"].items():
        print(f"{name:<30}{_pair(row['cpu'] if cpu else row):>16}")
    key = "cpu" if cpu else "seconds"
    for name in ("recall before a store of one's own", "recall after it", "absorb 100", "refresh after that"):
        print(f"{name:<36}{found['store'][name][key] * 1e3:>10.1f}")
    fill = systems[MEMKIT]["fill"]
    single = one[MEMKIT]["median"]
    print(
        f"absorbing 100: {found['store']['absorb 100']['cpu'] / fill['cpu']:.1%} of a rebuild; batch: {single / found['store']['batch, each']:.1f} times one by one; ",
        end="",
    )
    print(
        f"store: {single / one['bare system calls']['median']:.2f} times bare calls; snapshot: {found['snapshot_share']:.0%} of the JSON"
    )
    for name, row in systems.items():
        if row.get("stopped"):
            print(f"{name}: stopped, {row['stopped']}")
        elif row.get("cannot"):
            print(f"{name} cannot: {'; '.join(row['cannot'])}")
    if found["missing"]:
        print(f"left out, not installed: {', '.join(found['missing'])}")


def _short(name: str) -> str:
    return "FTS5, filled" if name == rivals.Fts5Filled.name else name


def _pair(row: Mapping | None) -> str:
    return f"{row['median'] * 1e3:.1f} {row['p95'] * 1e3:.1f}" if row else "cannot"


def _of(row: Mapping, *path: str) -> str:
    value = row
    for step in path:
        value = value.get(step) or {}  # type: ignore[assignment]
    return f"{value:,.1f}" if isinstance(value, float) else "-"


def run(sizes: tuple[int, ...] = SIZES, *, cpu: bool = False, keep: pathlib.Path | None = None) -> Iterator[dict]:
    """Measure and print every size; with `keep`, entries are written to that folder once and found there again."""
    stopped: set[str] = set()
    for size in sizes:
        if keep is None:
            folder = pathlib.Path(tempfile.mkdtemp(prefix="memkit-bench-", dir=os.environ.get("BENCH_DIR")))
        else:
            folder = keep / str(size)
            folder.mkdir(parents=True, exist_ok=True)
        try:
            found = measure(size, folder, stopped=stopped)
        finally:
            if keep is None:
                shutil.rmtree(folder, ignore_errors=True)
        show(found, cpu=cpu)
        yield found
