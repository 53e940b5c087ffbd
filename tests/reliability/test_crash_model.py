"""Every operation, and every sequence of two, cut at every change, in the states a power cut may leave.

The first operation of a pair has returned when the second begins: what it acknowledged must be in every state from then
on. States are made up by `crash_states`; those that were seen already under the same ledger are not looked at again.
"""

import itertools
import random
import shutil

import pytest

from tests.reliability.account import pick
from tests.reliability.crash_states import Recorder, tree_key, write_tree
from tests.reliability.operations import OPERATIONS, Bench
from tests.reliability.program import main
from tests.reliability.seam import installed
from tests.reliability.stores import quietly

ALLOWED = frozenset({"damaged-log-line"})  # log lines are not flushed, so a power cut may tear the last one
SINGLE = [operation for operation in OPERATIONS if not operation.heavy]
PAIRED = [operation for operation in SINGLE if operation.in_pairs]
PAIRS = list(itertools.product(PAIRED, PAIRED))
# So many states are shared out among the pairs, so that a longer table of operations takes no longer.
STATES = pick(5_000, 200_000)


def crash(scratch, cases, operations, *, most, thorough_each):
    """Do the operations with the recorder in place, and look at the states of every moment."""
    bench = Bench(scratch / "live").fill()
    moments = {}
    rng = random.Random("-".join(map(str, operations)))

    def at_each():
        ledger = bench.ledger.copy()
        about = repr(ledger)
        for tree in recorder.states(rng):
            moments.setdefault((tree_key(tree), about), (tree, ledger))

    recorder = Recorder(bench.root, at_each)
    allowed = set(ALLOWED)
    for operation in operations:
        operation.before(bench)
        allowed |= operation.allowed
        recorder.adopt()
        with quietly(), installed(recorder):
            operation.run(bench)
        at_each()
    states = list(moments.values())
    if len(states) > most:
        states = rng.sample(states, most)
    for i, (tree, ledger) in enumerate(states):
        where = Bench(scratch / "state", ledger, bench.project, bench.made)
        write_tree(tree, where.root)
        last = operations[-1]
        found = where.problems(last, thorough=i % thorough_each == 0, allowed=frozenset(allowed))
        cases.add(found, name=f"{' then '.join(map(str, operations))}, state {i}")
        shutil.rmtree(where.root)
    shutil.rmtree(bench.root)
    return len(moments)


@pytest.mark.promise("P9")
@pytest.mark.parametrize("operation", SINGLE, ids=str)
def test_one_operation_cut_anywhere_leaves_all_or_nothing(scratch, cases, operation):
    n = crash(scratch, cases, [operation], most=pick(250, 5000), thorough_each=1)
    cases.figure(f"{operation}: {n} states")


@pytest.mark.promise("P9")
@pytest.mark.parametrize(("first", "second"), PAIRS, ids=[f"{a}+{b}" for a, b in PAIRS])
def test_two_operations_cut_anywhere_keep_what_was_acknowledged(scratch, cases, first, second):
    crash(scratch, cases, [first, second], most=max(STATES // len(PAIRS), 10), thorough_each=pick(3, 1))


if __name__ == "__main__":
    main(__file__)
