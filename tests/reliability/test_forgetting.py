"""Retention switched on: what the trash holds counts as present, and what was erased is nowhere.

The operations that need the analytic libraries are slow to try at every call; here they are tried at calls and states
drawn by their names (the release size tries every call). Then writers whose every store prunes are killed at random: each
entry that was acknowledged is shown, or in the trash with the bytes it had, and can be restored.
"""

import functools
import os
import random
import shutil
import signal
import time

import pytest

from memkit.store import leftovers, prune
from memkit.store.repair import repair
from memkit.store.verify import verify
from tests.reliability.account import Clock, pick
from tests.reliability.operations import OPERATIONS, Bench
from tests.reliability.program import main
from tests.reliability.seam import Count, installed
from tests.reliability.stores import AFTER_A_CRASH, new, open_store, quietly, violations
from tests.reliability.test_crash_model import crash
from tests.reliability.test_faults import _code, loop, prepared
from tests.reliability.test_kill_rounds import drain, fork, listen, on_disk

NAMES = ("retention-apply", "retention-expire", "store-and-prune", "carry-on-erasing", "erase-with-snapshot")
HEAVY = [operation for operation in OPERATIONS if operation.name in NAMES]
CALLS = pick(25, 10_000)
STATES = pick(60, 5_000)
ROUNDS = pick(4, 200)
WRITERS = 3
KEPT = 5


def drawn(operation, template, scratch) -> list[int]:
    """Calls at which it is to fail, and one behind the last."""
    bench, count = template.copy(scratch / "case"), Count()
    with quietly(), installed(count):
        operation.run(bench)
    shutil.rmtree(bench.root)
    calls = range(1, len(count.names) + 1)
    return [*sorted(random.Random(operation.name).sample(calls, min(CALLS, len(calls)))), len(calls) + 100]


@pytest.mark.promise("P4")
@pytest.mark.parametrize("for_ever", [False, True], ids=["once", "for-ever"])
@pytest.mark.parametrize("operation", HEAVY, ids=str)
def test_a_fault_while_forgetting_gives_an_error_or_the_whole(scratch, cases, operation, for_ever):
    template = prepared(scratch, operation)
    calls = drawn(operation, template, scratch)
    code_at = functools.partial(_code, "in-turn", operation)
    loop(scratch, cases, operation, code_at, calls=calls, for_ever=for_ever, template=template)


@pytest.mark.promise("P9")
@pytest.mark.parametrize("operation", HEAVY, ids=str)
def test_forgetting_cut_anywhere_leaves_all_or_nothing(scratch, cases, operation):
    n = crash(scratch, cases, [operation], most=STATES, thorough_each=pick(3, 1))
    cases.figure(f"{operation}: {n} states")


def store_for_ever(folder, who: str):
    """Store without end, by a Memory that keeps a few; tells each acknowledged id with its marker."""

    def work(tell):
        from memkit.opening import open_memory
        from memkit.settings import Environment

        env = {"MEMKIT_RETENTION__MAX_RESULTS": str(KEPT)}
        environment = Environment(home=folder, config_file=folder / "config.toml", env=env)
        with open_memory(folder / "project", root=folder / "root", enabled=True, environment=environment) as memory:
            n = 0
            while True:
                n += 1
                entry = new(f"{who}-{n}")
                receipt = memory.store(question=entry.question, result=entry.result)
                tell(f"{receipt.id} {receipt.entry.result['marker']}")

    return work


@pytest.mark.promise("P2")
def test_writers_whose_every_store_prunes_lose_nothing_they_acknowledged(disk, cases):
    rng, clock, acknowledged, pruned = random.Random(6), Clock(), 0, 0
    (disk / "project").mkdir()
    project = os.path.realpath(disk / "project")
    told: dict[str, str] = {}
    for i in range(ROUNDS):
        if clock.is_over:
            break
        children = [fork(store_for_ever(disk, f"r{i}w{k}")) for k in range(WRITERS)]
        heard = listen([reading for _, reading in children], rng.randrange(8, 40), seconds=60)
        time.sleep(rng.uniform(0, 0.03))
        for child, _ in children:
            os.kill(child, signal.SIGKILL)
        for child, reading in children:
            told |= dict(line.split(" ", 1) for line in drain(reading, heard[reading]))
            os.waitpid(child, 0)
        store = open_store(disk / "root", project)
        leftovers.sweep(store.paths)
        trashed = store.trash().entries
        bench = Bench(disk, project=project)
        ledger = bench.ledger
        ledger.must = {entry_id: marker for entry_id, marker in told.items() if entry_id not in trashed}
        ledger.trashed = {entry_id: marker for entry_id, marker in told.items() if entry_id in trashed}
        ledger.envelopes = {entry_id: trashed[entry_id].sha256 for entry_id in ledger.trashed}
        ledger.may = on_disk(disk / "root", project) - set(told.values())
        found = violations(disk / "root", ledger, project=project, allowed=AFTER_A_CRASH, thorough=False)
        cases.add(found, name=f"round {i}")
        acknowledged, pruned = len(told), len(ledger.trashed)
    with quietly():
        store = open_store(disk / "root", project)
        back = sorted(set(told) & set(store.trash().entries))[:50]
        prune.restore(store, back)
        cases.add(
            [f"{each} did not come back" for each in back if store.read_entry(each).result["marker"] != told[each]]
        )
        repair(store, dry_run=False)
        cases.add([f"verify says {problem.code}" for problem in verify(store)])
    cases.add([] if pruned else ["nothing was ever pruned"])
    cases.figure(f"{ROUNDS} rounds, {acknowledged} entries acknowledged, {pruned} of them in the trash")


if __name__ == "__main__":
    main(__file__)
