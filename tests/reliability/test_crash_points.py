"""A process killed before each system call of each operation, by strace; every such point is tried, none is sampled.

One run is recorded to learn which calls the operation makes; then it is run again for each of them and killed just
before. The processes are forks of one that has imported everything (see `forking`). The store is opened by another
process, without a repair, and looked at with the ledger of what was printed.
"""

import queue
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.reliability.forking import Forks
from tests.reliability.operations import OPERATIONS, Bench, gaps_in_history
from tests.reliability.program import main
from tests.reliability.tracing import is_change, needs_strace

WORKERS = 2
TRIES = 3


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    needs_strace()
    made = [Forks(tmp_path_factory.mktemp("forks")) for _ in range(WORKERS)]
    yield made
    for each in made:
        each.close()


def acknowledged(bench: Bench, lines: list[str], *, wiped: bool) -> None:
    """Put into the ledger what the worker printed before it died."""
    for line in lines:
        entry_id, _, marker = line.partition(" ")
        if marker:
            bench.ledger.must[entry_id] = marker
    bench.ledger.wiping = wiped


@pytest.mark.promise("P1")
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_killed_before_any_system_call_nothing_acknowledged_is_lost(workers, scratch, cases, operation):
    template = Bench(scratch / "template").fill()
    operation.before(template)
    ledger = template.ledger
    state = {
        "must": dict(ledger.must), "made": template.made, "trashed": dict(ledger.trashed), "erasing": dict(ledger.erasing),
    }  # fmt: skip
    for i, forks in enumerate(workers):
        forks.warm(operation.name, template.copy(scratch / f"warm-{i}").root, state)
    calls = workers[0].record(operation.name, template.copy(scratch / "trial").root, state)
    points = [call for call in calls if is_change(call)]
    free = queue.SimpleQueue()
    for forks in workers:
        free.put(forks)

    def killed_at(i, call):
        forks = free.get()
        try:
            for _ in range(TRIES):  # one that opened one file more or less than the recorded one dies elsewhere
                bench = template.copy(scratch / f"case-{i}")
                operation.begin(bench)
                killed, lines = forks.kill_before(call, operation.name, bench.root, state)
                if killed:
                    break
                shutil.rmtree(bench.root)
            return killed, lines, bench
        finally:
            free.put(forks)

    def point(i_call):
        i, call = i_call
        killed, lines, bench = killed_at(i, call)
        bench.fresh(4)
        acknowledged(bench, lines, wiped=operation.name == "wipe")
        name = f"before {call.name} #{call.nth} ({call.arguments[:80]})"
        if not killed:
            return name, ["the process was not killed there"]
        found = bench.problems(operation)
        found += [] if found or operation.name == "wipe" else gaps_in_history(bench)
        shutil.rmtree(bench.root)
        return name, found

    with ThreadPoolExecutor(WORKERS) as pool:
        for name, found in pool.map(point, enumerate(points)):
            cases.add(found, name=name)
    cases.figure(f"{operation}: {len(points)} crash points")


if __name__ == "__main__":
    main(__file__)
