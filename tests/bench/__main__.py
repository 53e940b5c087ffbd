"""`python -m tests.bench` prints timings and ratios; `--smoke` asserts the ratios that noise cannot break.

Absolute figures depend on the machine and on what else it does; only ratios taken in one run are asserted. A ratio that
misses its bound is measured again, twice at most: a busy neighbour disturbs one run, a slow program disturbs all.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import platform
import sqlite3
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version

from tests.bench import (
    bench_audit,
    bench_bad,
    bench_consolidate,
    bench_deciding,
    bench_erase,
    bench_firings,
    bench_import,
    bench_mcp,
    bench_recall,
    bench_retention,
    bench_sessions,
    bench_sizes,
    bench_store,
    shapes,
)

TRIES = 3


def check(name: str, bound: str, good: Callable[[float], bool], measure: Callable[[], float]) -> bool:
    """Measure until it is good, at most `TRIES` times; print what was seen."""
    seen = []
    for _ in range(TRIES):
        seen.append(measure())
        if good(seen[-1]):
            break
    passed = good(seen[-1])
    print(f"{'ok  ' if passed else 'FAIL'} {name}: {', '.join(f'{value:.2f}' for value in seen)} (bound {bound})")
    return passed


def smoke(tolerance: float = 1.0) -> int:
    """Assert the ratios, each bound wider by `tolerance`; the exit code."""
    results = [
        check(
            "warm recall at 10,000 entries, times faster than scanning the index lines",
            f">= {8 / tolerance:.1f}",
            lambda value: value >= 8 / tolerance,
            lambda: bench_recall.measure()["ratio"],
        )
    ]
    results += _shapes()
    seen: dict = {}

    def store_ratio() -> float:
        seen.update(bench_store.measure())
        return max(row["ratio"] for row in seen["sizes"].values())

    results.append(
        check(
            "durable store, times its bare system calls",
            f"<= {1.6 * tolerance:.2f}",
            lambda value: value <= 1.6 * tolerance,
            store_ratio,
        )
    )
    results.append(
        check(
            "durable store at 10,000 entries, times the same at 100",
            f"<= {1.3 * tolerance:.2f}",
            lambda value: value <= 1.3 * tolerance,
            lambda: seen.pop("growth", None) or bench_store.measure()["growth"],
        )
    )
    seen_import: dict = {}

    def import_ratio() -> float:
        seen_import.update(bench_import.measure(rounds=1))
        return seen_import["ratio"]

    results.append(
        check(
            "importing 10,000 entries, times its bare system calls",
            f"<= {1.5 * tolerance:.2f}",
            lambda value: value <= 1.5 * tolerance,
            import_ratio,
        )
    )
    results.append(
        check(
            "an imported entry among 10,000, times one among 1,000",
            f"<= {1.5 * tolerance:.2f}",
            lambda value: value <= 1.5 * tolerance,
            lambda: bench_import.growth(seen_import.pop("import_s", None)),
        )
    )
    grown: dict[str, float] = {}
    for name in bench_deciding.GROWING:

        def growth(name: str = name) -> float:
            if name not in grown:
                grown.update(bench_deciding.growth())
            return grown.pop(name)

        what = f"{name} with ten times the decisions and facts, times as long"
        results.append(check(what, "<= 15", lambda value: value <= 15, growth))
    what = "extracting a session of ten times the bytes, times as long"
    results.append(check(what, "<= 15", lambda value: value <= 15, bench_sessions.growth))
    what = "CPU time of a candidate reconciled at ten times the candidates and records, as a multiple"
    results.append(check(what, "<= 2", lambda value: value <= 2, bench_consolidate.growth))
    results.append(
        check(
            "an event of the audit log over a bare locked append",
            f"<= {2.5 * tolerance:.2f}",
            lambda value: value <= 2.5 * tolerance,
            lambda: bench_audit.append()["ratio"],
        )
    )
    results.append(
        check(
            "a store with its event over one without",
            f"<= {1.1 * tolerance:.2f}",
            lambda value: value <= 1.1 * tolerance,
            bench_audit.with_event,
        )
    )
    what = "CPU time of counting ten times the uses, times as long"
    results.append(check(what, "<= 15", lambda value: value <= 15, bench_firings.growth))
    logged: dict[str, float] = {}
    words = {
        "log_s": "runs of ten times the events, from the log, times as long",
        "compacted_s": "runs of ten times the events, compacted, times as long",
        "compact_s": "compacting a day of ten times the events, times as long",
        "compact_mb": "compacting a day of ten times the events, times the memory",
    }
    for name, what in words.items():

        def logging(name: str = name) -> float:
            if name not in logged:
                logged.update(bench_audit.growth())
            return logged.pop(name)

        bound = 3.0 if name == "compact_mb" else 15.0
        results.append(check(what, f"<= {bound:.0f}", lambda value, bound=bound: value <= bound, logging))
    aging: dict[str, float] = {}
    bounds = {
        "review_cpu_s": 15.0,
        "expire_cpu_s": 15.0,
        "store_ms": 1.5 * tolerance,
        "store_ratio": 1.1 * max(tolerance, 1.2),
    }
    words = {
        "review_cpu_s": "retention review with ten times the entries, times as long",
        "expire_cpu_s": "erasing 100 that expired with ten times the entries, times as long",
        "store_ms": "store with nothing due and ten times the entries, times as long",
        "store_ratio": "store with nothing due, times the same with retention off",
    }
    for name, bound in bounds.items():

        def aged(name: str = name) -> float:
            if name not in aging:
                aging.update(bench_retention.growth())
            return aging.pop(name)

        results.append(check(words[name], f"<= {bound:.2f}", lambda value, bound=bound: value <= bound, aged))
    what = "erasing one with ten times the entries, times as long"
    results.append(check(what, "<= 15", lambda value: value <= 15, bench_erase.growth))
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    return 0 if all(results) else 1


def _shapes() -> list[bool]:
    """How costs grow from 1,000 to 100,000 entries, and what is counted rather than timed."""
    stores = shapes.Stores()
    try:
        flushes = stores.flushes()
        print(f"fsync per store, by entries: {flushes or 'not counted, strace is not there'}")
        heavy = sorted(shapes.loaded())
        return [
            check("recall with ten times the entries, times as long", "<= 1.60", lambda v: v <= 1.6, stores.recall),
            check("store with ten times the entries, times as long", "<= 1.20", lambda v: v <= 1.2, stores.store),
            check("absorbing 100 with ten times the entries", "<= 1.50", lambda v: v <= 1.5, stores.absorbing),
            check(
                "bytes read by a question at 100,000 entries, times those at 1,000",
                "<= 2",
                lambda v: v <= 2,
                stores.bytes_read,
            ),
            check(
                "kinds of counts of fsync per store",
                "== 1",
                lambda v: v == 1,
                lambda: len(set(flushes.values()) or {0}),
            ),
            check(f"modules loaded that an answer does not need {heavy}", "== 0", lambda v: v == 0, lambda: len(heavy)),
        ]
    finally:
        stores.close()


def about() -> dict[str, str]:
    """The machine and the versions of what was measured."""
    found = {"python": platform.python_version(), "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    for name in ("duckdb", "pyarrow", "numpy", "bm25s", "tantivy", "selvedge", "anatid"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found | {"sqlite": sqlite3.sqlite_version}


def rivals(sizes: tuple[int, ...], *, cpu: bool, file: pathlib.Path | None, keep: pathlib.Path | None) -> int:
    """memkit beside what people would use instead, size by size; `file` is written after each."""
    found: dict = {"sizes": [], "about": about()}
    for row in bench_sizes.run(sizes, cpu=cpu, keep=keep):
        found["sizes"].append(row)
        if file is not None:
            file.write_text(json.dumps(found, indent=1), "utf-8")
    print(f"\n{json.dumps(found['about'])}")
    return 0


def bad(size: int, file: pathlib.Path | None) -> int:
    """Input nobody hopes for, at `size` entries."""
    found = {**bench_bad.run(size), "about": about()}
    if file is not None:
        file.write_text(json.dumps(found, indent=1), "utf-8")
    return 0


def full() -> int:
    """Print everything that has no rivals."""
    recall = bench_recall.measure()
    print(f"recall at {recall['size']:,} entries of about 150 words (ms)\n")
    print(f"{'questions':<18}{'new':>8}{'warm':>8}{'p95':>8}{'scan':>8}{'ratio':>8}")
    for name, row in recall["mixes"].items():
        cells = "".join(f"{row[key]:>8.1f}" for key in ("new_ms", "warm_ms", "p95_ms", "scan_ms", "ratio"))
        print(f"{name:<18}{cells}")
    print(
        f"\nstore_many of all: {recall['store_many_s']:.1f} s; absorb: {recall['absorb_s']:.1f} s, 256 more: {recall['absorb_256_s']:.2f} s; ",
        end="",
    )
    print(f"first question: {recall['first_ms']:.0f} ms; ratio over all: {recall['ratio']:.1f}\n")
    store = bench_store.measure()
    print("durable store, one by one (median ms)\n")
    print(f"{'entries':<10}{'store':>8}{'bare':>8}{'ratio':>8}")
    for size, row in store["sizes"].items():
        print(f"{size:<10,}{row['store_ms']:>8.2f}{row['bare_ms']:>8.2f}{row['ratio']:>8.2f}")
    print(f"\ngrowth from 100 to 10,000 entries: {store['growth']:.2f}\n")
    imported = bench_import.measure()
    print(f"import of {imported['n']:,} items in {imported['appends']} batches: {imported['import_s']:.1f} s, ", end="")
    print(
        f"bare system calls {imported['bare_s']:.1f} s, ratio {imported['ratio']:.2f}; again {imported['again_s']:.1f} s"
    )
    large = bench_import.large_file()
    print(
        f"dry run over {large['mib']:,} MiB, {large['items']:,} items: {large['seconds']:.0f} s, at most {large['memory_mib']:.0f} MiB of memory\n"
    )
    agents = bench_mcp.measure()
    print(
        f"recall by an agent at {agents['size']:,} entries: {agents['memory_more_ms']:.1f} ms more than the call in Python in one "
        f"process, {agents['stdio_more_ms']:.1f} ms over stdio (the call itself {agents['python_ms']:.1f} ms)\n"
    )
    deciding = bench_deciding.measure()
    print(
        f"{deciding['n']:,} decisions, {sum(deciding['counts'].values()):,} tripwires, {deciding['n_facts']:,} facts (ms)\n"
    )
    for key, what in bench_deciding.SHOWN.items():
        print(f"{what:<42}{deciding[key] * 1000:>8,.0f}")
    print(f"\nmemory added by the first check: {deciding['check_mb']:.0f} MB\n")
    sessions = bench_sessions.measure()
    print(
        f"extracting a session of {sessions['mb']:.0f} MB with {sessions['candidates']:,} candidates: "
        f"{sessions['first_s']:.1f} s, once more {sessions['again_s']:.1f} s, peak {sessions['peak_mb']:.0f} MB\n"
    )
    kept = bench_consolidate.measure()
    print(
        f"reconciling {kept['candidates']:,} candidates against {kept['records']:,} records: {kept['seconds']:.1f} s, "
        f"bare system calls {kept['bare_s']:.1f} s, beyond twice those {kept['beyond_ms']:.2f} ms per candidate, "
        f"CPU {kept['cpu_ms']:.2f} ms, peak {kept['peak_mb']:.0f} MB\n"
    )
    log = {**bench_audit.append(), "store_ratio": bench_audit.with_event(), **bench_audit.questions()}
    print("audit log\n")
    print(f"{'bare locked append (us)':<42}{log['bare_us']:>8.0f}")
    print(f"{'an event (us)':<42}{max(log['stored_us'], log['asked_us']):>8.0f}{log['ratio']:>8.2f}")
    print(f"{'a store with its event over one without':<42}{log['store_ratio']:>8.2f}")
    print(f"{'runs() of ' + format(log['n'], ',') + ' events, from the log (s)':<42}{log['log_s']:>8.2f}")
    print(f"{'the same, compacted (s)':<42}{log['compacted_s']:>8.2f}")
    print(f"{'compacting them (s, peak MB)':<42}{log['compact_s']:>8.2f}{log['compact_mb']:>8.0f}\n")
    firings = {**bench_firings.note(), "applying_s": bench_firings.applying(50_000)}
    print(f"{'the uses of an answer of 20 hits (us)':<42}{firings['note_us']:>8.0f}")
    print(f"{'counting 50,000 uses (s)':<42}{firings['applying_s']:>8.2f}\n")
    retention = bench_retention.measure()
    print(f"retention at {retention['n']:,} entries\n")
    print(f"{'':<42}{'clock s':>8}{'cpu s':>8}")
    shown = {
        "review": "review (bound 1.5 s)",
        "apply": f"apply of {retention['moved']:,} (bound 10 s)",
        "expire": f"erase of {retention['erased']:,} that expired",
        "store_and_prune": "store that pushes one out",
    }
    for name, what in shown.items():
        print(f"{what:<42}{retention[f'{name}_s']:>8.2f}{retention[f'{name}_cpu_s']:>8.2f}")
    print(f"{'store with nothing due, times off (bound 1.1)':<50}{retention['store_ratio']:>8.2f}\n")
    erasing = bench_erase.measure(retention["n"])
    print(
        f"erase of one among {erasing['n']:,}: {erasing['erase_s']:.2f} s of the processor, {erasing['clock_s']:.2f} s by "
        f"the clock; {erasing['ratio']:.2f} times reading all files once and writing one segment again (bound 3)\n"
    )
    print(
        json.dumps(
            {
                "audit": log,
                "firings": firings,
                "about": about(),
                "recall": recall,
                "store": store,
                "deciding": deciding,
                "sessions": sessions,
                "import": imported,
                "mcp": agents,
                "large_import": large,
                "retention": retention,
                "erasing": erasing,
            }
        )
    )
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--smoke", action="store_true", help="assert the ratios")
    parser.add_argument(
        "--tolerance", type=float, default=1.0, help="widen the bounds by this factor, on shared machines"
    )
    parser.add_argument(
        "--sizes", type=int, nargs="*", help="only memkit beside its rivals, at these numbers of entries"
    )
    parser.add_argument("--cpu", action="store_true", help="show time of the processor, on shared machines")
    parser.add_argument(
        "--keep", type=pathlib.Path, help="write the entries of --sizes to this folder, or take those that are there"
    )
    parser.add_argument("--json", type=pathlib.Path, help="write what was measured with --sizes here")
    parser.add_argument(
        "--bad",
        type=int,
        nargs="?",
        const=100_000,
        help="only input nobody hopes for: so many entries that are all the same",
    )
    options = parser.parse_args()
    if options.sizes is not None:
        return rivals(tuple(options.sizes) or bench_sizes.SIZES, cpu=options.cpu, file=options.json, keep=options.keep)
    if options.bad is not None:
        return bad(options.bad, options.json)
    return smoke(options.tolerance) if options.smoke else full()


if __name__ == "__main__":
    sys.exit(main())
