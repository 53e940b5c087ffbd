"""Four writers killed at a random moment, again and again, with the ledger kept outside the store.

A writer tells its parent over a pipe what was acknowledged, right after it was. The parent kills all of them after 5 to
90 acknowledgements and up to 30 ms, reads the pipes to their end, and looks at the store with that. In some rounds a
fifth process repairs in a loop, in some the store lies on the ordinary disk, in some its index was removed before.
"""

import contextlib
import os
import random
import select
import shutil
import signal
import time

import pytest

from memkit.errors import MemkitError
from memkit.store import leftovers
from memkit.store.repair import repair
from memkit.store.verify import verify
from tests.reliability import account
from tests.reliability.account import Clock, pick
from tests.reliability.operations import PROJECT, Bench
from tests.reliability.program import main
from tests.reliability.stores import AFTER_A_CRASH, imported, new, open_store, quietly, violations

WRITERS = 4
ROUNDS = pick(100, 2_000)
LEAST = pick(5_000, 100_000)
ALLOWED = AFTER_A_CRASH | {"note-missing"}


def fork(work) -> tuple[int, int]:
    """A child that does `work(tell)`; its process id, and the pipe on which it tells."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        return child, reading
    os.close(reading)
    try:
        with quietly():
            work(lambda line: os.write(writing, line.encode() + b"\n"))
    finally:
        os._exit(0)


def drain(reading: int, heard: bytes = b"") -> list[str]:
    """Every whole line a killed child has told, after what was heard of it before; the pipe is closed."""
    parts = [heard]
    while part := os.read(reading, 65536):
        parts.append(part)
    os.close(reading)
    return b"".join(parts).decode().split("\n")[:-1]


def listen(pipes: list[int], n: int, seconds: float = 20) -> dict[int, bytes]:
    """What was told until `n` lines were, or the time is over: so many, however slow the machine is."""
    heard = dict.fromkeys(pipes, b"")
    end = time.monotonic() + seconds
    while sum(data.count(b"\n") for data in heard.values()) < n and time.monotonic() < end:
        for pipe in select.select(pipes, [], [], 0.2)[0]:
            heard[pipe] += os.read(pipe, 65536)
    return heard


def write_for_ever(root, who: str, rng: random.Random):
    """Store, batch and import without end; tells each acknowledged id with its marker."""

    def work(tell):
        store = open_store(root, wait_seconds=30)
        n = 0
        last = None
        while True:
            n += 1
            kind = rng.random()
            markers = [f"{who}-{n}-{i}" for i in range(1 if kind < 0.7 else 3)]
            if kind < 0.9:
                receipts = store.store_many([new(marker, padding=rng.choice((10, 300, 9000))) for marker in markers])
            else:
                receipts = store.store_many([imported(marker, replaces=last) for marker in markers], op="import")
            last = receipts[-1].id
            for receipt in receipts:
                tell(f"{receipt.id} {receipt.entry.result['marker']}")

    return work


def repair_for_ever(root):
    def work(_tell):
        store = open_store(root, wait_seconds=30)
        while True:
            repair(store, dry_run=False)
            time.sleep(0.002)

    return work


def one_round(root, bench, rng, i: int, *, repairing: bool) -> None:
    children = [fork(write_for_ever(root, f"r{i}w{k}", random.Random(f"{i}-{k}"))) for k in range(WRITERS)]
    if repairing:
        children.append(fork(repair_for_ever(root)))
    heard = listen([reading for _, reading in children], rng.randrange(5, 90))
    time.sleep(rng.uniform(0, 0.03))
    for child, _ in children:
        os.kill(child, signal.SIGKILL)
    for child, reading in children:
        for line in drain(reading, heard[reading]):
            entry_id, _, marker = line.partition(" ")
            bench.ledger.must[entry_id] = marker
        os.waitpid(child, 0)


def on_disk(root, project: str = PROJECT) -> set[str]:
    """Markers of every entry that has a file."""
    store = open_store(root, project)
    names = [name for name in os.listdir(store.paths.results) if name.endswith(".json") and not name.startswith(".")]
    found = set()
    for name in names:
        with contextlib.suppress(MemkitError):  # one that cannot be read is found by `violations`
            found.add(store.read_entry(name.removesuffix(".json")).result["marker"])
    return found


@pytest.mark.promise("P2")
def test_writers_killed_at_random_lose_nothing_they_acknowledged(scratch, disk, cases):
    rng = random.Random(4)
    temps, acknowledged, unacknowledged = 0, 0, 0
    began = time.monotonic()
    i = 0
    clock = Clock()
    while (i < ROUNDS or acknowledged < LEAST) and not clock.is_over:
        # a fresh store now and then, so that each look at it stays short; most of them on the ordinary disk
        bench = Bench((disk if i % 20 else scratch) / f"store-{i}").fill(2)
        for i in range(i, i + 5):
            root = bench.root / "root"
            if i % 5 == 4:
                bench.store.paths.index.unlink(missing_ok=True)
            one_round(root, bench, rng, i, repairing=i % 3 == 2)
            left = on_disk(root) - set(bench.ledger.must.values()) - bench.ledger.may
            bench.ledger.may |= left
            unacknowledged += len(left)
            found = [f"{len(left)} entries nobody was told of"] if len(left) > 3 * WRITERS else []
            found += violations(root, bench.ledger, allowed=ALLOWED, thorough=False)
            if i % 5 == 0:
                copy = bench.copy(scratch / "copy")
                found += violations(copy.root / "root", copy.ledger, allowed=ALLOWED)
                shutil.rmtree(copy.root)
            with quietly():
                temps += leftovers.sweep(bench.store.paths)
            remaining = list(leftovers.left_over(bench.store.paths))
            found += [f"{len(remaining)} temporary files left after sweeping"] if remaining else []
            cases.add(found, name=f"round {i}")
        i += 1
        acknowledged += finish(cases, bench, i)
    if i < ROUNDS:
        cases.skip(f"cut after {account.SECONDS / 60:.0f} minutes: {ROUNDS - i} of {ROUNDS} kill rounds", ROUNDS - i)
    cases.figure(
        f"{i} kill rounds of {WRITERS} writers, {acknowledged:,} acknowledged, {temps} temporary files left by the killed"
        f" and swept, {unacknowledged} unacknowledged entries found whole, {time.monotonic() - began:.0f} s"
    )


def finish(cases, bench, i: int) -> int:
    """The last look at a store: repaired, sound, every acknowledged entry exactly once."""
    with quietly():
        repair(bench.store, dry_run=False)
    problems = [f"{problem.code} {problem.file}" for problem in verify(bench.store)]
    read = bench.store.read_index()
    listed = [line.id for line in read.lines]
    missing = [entry_id for entry_id in bench.ledger.must if entry_id not in listed]
    cases.add(problems + [f"{entry_id} is gone" for entry_id in missing], name=f"store before round {i}")
    shutil.rmtree(bench.root)
    return len(bench.ledger.must)


if __name__ == "__main__":
    main(__file__)
