"""A process killed before each system call of each operation, by strace; every such point is tried, none is sampled.

One run is recorded to learn which calls the operation makes; then it is run again for each of them and killed just
before. The store is opened by another process, without a repair, and looked at with the ledger of what was printed.
"""

import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.reliability.operations import OPERATIONS, Bench
from tests.reliability.program import main
from tests.reliability.tracing import command, is_change, kill_before, needs_strace, record, warm

WORKERS = 2
TRIES = 3


def acknowledged(bench: Bench, lines: list[str], *, wiped: bool) -> None:
    """Put into the ledger what the worker printed before it died."""
    for line in lines:
        entry_id, _, marker = line.partition(" ")
        if marker:
            bench.ledger.must[entry_id] = marker
    bench.ledger.wiping = wiped


@pytest.mark.promise("P1")
@pytest.mark.parametrize("operation", [o for o in OPERATIONS if not o.heavy], ids=str)
def test_killed_before_any_system_call_nothing_acknowledged_is_lost(scratch, cases, operation):
    needs_strace()
    template = Bench(scratch / "template").fill()
    operation.before(template)
    trial = template.copy(scratch / "warm")
    warm(command(operation.name, trial.root, trial.ledger.must, trial.made, trial.ledger.trashed))
    trial = template.copy(scratch / "trial")
    words = (trial.ledger.must, trial.made, trial.ledger.trashed)
    _, calls, _ = record(command(operation.name, trial.root, *words), scratch / "log")
    points = [call for call in calls if is_change(call)]

    def point(i_call):
        i, call = i_call
        for _ in range(TRIES):  # a start that opened one file more or less than the recorded one dies elsewhere
            bench = template.copy(scratch / f"case-{i}")
            operation.begin(bench)
            killed, lines = kill_before(command(operation.name, bench.root, *words), call)
            if killed:
                break
            shutil.rmtree(bench.root)
        bench.fresh(4)
        acknowledged(bench, lines, wiped=operation.name == "wipe")
        name = f"before {call.name} #{call.nth} ({call.arguments[:80]})"
        if not killed:
            return name, ["the process was not killed there"]
        found = bench.problems(operation)
        shutil.rmtree(bench.root)
        return name, found

    with ThreadPoolExecutor(WORKERS) as pool:
        for name, found in pool.map(point, enumerate(points)):
            cases.add(found, name=name)
    cases.figure(f"{operation}: {len(points)} crash points")


if __name__ == "__main__":
    main(__file__)
