"""What reconciling costs: candidates against records, beside its bare system calls. `python -m tests.bench.bench_consolidate`.

The bare system calls are those of the commit and no more: for each batch a new file per record, written and fsynced, an
fsync of the folder, an append to the ledger with its fsync, the renames, and one more fsync of the folder.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import pathlib
import random
import resource
import tempfile
import time
from collections.abc import Iterator

from memkit.clock import SystemClock
from memkit.consolidate.adjudicate import RuleAdjudicator
from memkit.consolidate.balance import balance
from memkit.consolidate.consolidating import consolidate
from memkit.consolidate.reconcile import BATCH
from memkit.model.candidate import CATEGORIES, Candidate, Evidence, repaired
from memkit.model.record import Record, write_record
from memkit.store import canonical, staging
from memkit.store.paths import StorePaths
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.store import Store

MS = 1e3
KINDS = ("lesson", "preference", "decision", "domain")
PER_SESSION = 500
WORDS = [f"w{n:05d}" for n in range(20_000)]
WEIGHTS = list(itertools.accumulate(1 / (n + 2.7) for n in range(len(WORDS))))
SHARE_SAME = 0.1  # candidates that say what a record says
SHARE_NEAR = 0.1  # candidates that rules cannot tell


def _text(choose: random.Random, n: int) -> str:
    """So many words, few of them common and most of them rare, as in a text (Zipf's law with exponent 1)."""
    return " ".join(choose.choices(WORDS, cum_weights=WEIGHTS, k=n))


def write_records(store: Store, n: int, choose: random.Random) -> list[Record]:
    """So many records on disk."""
    made = []
    for i in range(n):
        kind = KINDS[i % 4]
        title = f"Topic {i:05d} {_text(choose, 4)}"
        record = Record(f"topic-{i:05d}", kind, f"# {title}\n\n{_text(choose, 40)}.", sources=("bench",),
                        triggers=(_text(choose, 3),))  # fmt: skip
        path = store.paths.folder / record.path
        path.parent.mkdir(mode=0o700, exist_ok=True)
        path.write_bytes(write_record(record))
        path.chmod(0o600)
        made.append(record)
    return made


def stage_candidates(store: Store, n: int, records: list[Record], choose: random.Random) -> None:
    """So many candidates, some of them about one of the records; the same words in one session are staged once."""
    candidates = []
    for i in range(n):
        lot = choose.random()
        about = choose.choice(records) if records and lot < SHARE_SAME + SHARE_NEAR else None
        category = CATEGORIES[KINDS.index(about.kind) if about else i % 4]
        title, body = f"New {i:05d} {_text(choose, 4)}", f"{_text(choose, 40)}."
        if about is not None:
            title, _, body = about.body.removeprefix("# ").partition("\n\n")
            body = body if lot < SHARE_SAME else f"{body} But not {_text(choose, 8)}."
        evidence = Evidence(i + 1, i + 1, body[:80])
        candidates.append(repaired(Candidate(category, title, body=body, triggers=(title,), evidence=(evidence,))))
    with canonical.writing(store, "bench") as held:
        for at in range(0, n, PER_SESSION):
            staging.stage(store, held, f"session-{at:06d}", candidates[at : at + PER_SESSION])


@contextlib.contextmanager
def made(n_candidates: int, n_records: int) -> Iterator[Store]:
    """A store with so many candidates and records."""
    with tempfile.TemporaryDirectory(prefix="memkit-bench-") as name:
        folder = pathlib.Path(name)
        (folder / "project").mkdir()
        paths = StorePaths.for_project(folder / "root", str(folder / "project"))
        store = Store(paths, clock=SystemClock(), scrubber=Scrubber(shipped_patterns()))
        store.make_folders()
        store.write_store_json()
        choose = random.Random(7)
        records = write_records(store, n_records, choose)
        stage_candidates(store, n_candidates, records, choose)
        yield store


def bare_seconds(folder: pathlib.Path, n_records: int, n_lines: int, record_bytes: int, line_bytes: int) -> float:
    """The system calls of the commits alone."""
    target = folder / "bare"
    target.mkdir()
    holder = os.open(target, os.O_RDONLY)
    log = os.open(folder / "bare.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    n_batches = -(-n_lines // BATCH)
    each = n_records / n_batches
    began = time.perf_counter()
    written = 0
    for batch in range(n_batches):
        names = []
        while written < round(each * (batch + 1)):
            names.append(target / f".r{written}.pending")
            file = os.open(names[-1], os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(file, b"x" * record_bytes)
            os.fsync(file)
            os.close(file)
            written += 1
        os.fsync(holder)
        os.write(log, b"x" * line_bytes * min(BATCH, n_lines - batch * BATCH))
        os.fsync(log)
        for name in names:
            os.rename(name, target / f"{name.name[1:]}.md")
        os.fsync(holder)
    took = time.perf_counter() - began
    os.close(holder)
    os.close(log)
    return took


def measure(n_candidates: int = 10_000, n_records: int = 10_000) -> dict:
    """Seconds of a run by rules and of its bare system calls, and milliseconds of a candidate beyond twice those."""
    with made(n_candidates, n_records) as store:
        began, cpu = time.perf_counter(), time.process_time()
        report = consolidate(store, [RuleAdjudicator()])
        took, cpu = time.perf_counter() - began, time.process_time() - cpu
        account = balance(store.paths)
        if not account.is_even or len(report) != account.n_in or account.n_in < 0.99 * n_candidates:
            raise AssertionError(f"{account!r} of {len(report)}")
        n_files = len(report.written) + len(report.edited)
        line_bytes = store.paths.ledger.stat().st_size // n_candidates
        bare = bare_seconds(pathlib.Path(store.paths.root), n_files, n_candidates, 600, line_bytes)
    return {
        "candidates": n_candidates,
        "records": n_records,
        "counts": {fate: n for fate, n in report.counts.items() if n},
        "seconds": took,
        "cpu_ms": cpu / n_candidates * MS,
        "bare_s": bare,
        "beyond_ms": (took - 2 * bare) / n_candidates * MS,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3,
    }


def growth(small: int = 200) -> float:
    """CPU time of a candidate at ten times the candidates and records, as a multiple."""
    return measure(10 * small, 10 * small)["cpu_ms"] / measure(small, small)["cpu_ms"]


def main() -> None:
    """Print it."""
    found = measure()
    print(f"{found['candidates']:,} candidates against {found['records']:,} records: {found['counts']}")
    print(f"reconcile            {found['seconds']:8.2f} s, {found['cpu_ms']:.2f} ms of CPU per candidate")
    print(f"bare system calls    {found['bare_s']:8.2f} s")
    print(f"beyond twice those   {found['beyond_ms']:8.2f} ms per candidate")
    print(f"peak of the process  {found['peak_mb']:8.0f} MB")
    print(f"ten times as many take {growth():.1f} times as long each")


if __name__ == "__main__":
    main()
