"""Every call of every operation fails once, with every error a disk has, for one call and from then on.

For each operation and error: fail the first system call, then the second, and so on until the operation gets through
without meeting the fault. (The CI size lets the errors take turns over the calls and draws the lasting ones; the
release size tries every error at every call.) Whatever it answered, the store is then looked at from outside. An operation either raised a
typed error or did the whole; nothing acknowledged before is touched; when the fault is over, the same call works
without a repair, and trying again leaves one entry, not two.
"""

import errno
import functools
import os
import random
import shutil
import zlib

import pytest

from memkit.errors import MemkitError, OutcomeUnknownError
from tests.reliability.account import RELEASE, pick
from tests.reliability.operations import OPERATIONS, Bench
from tests.reliability.program import main
from tests.reliability.seam import Count, Fault, installed
from tests.reliability.stores import new, quietly

ERRORS = ("EIO", "ENOSPC", "EDQUOT", "EROFS", "EACCES", "EMFILE", "ENOLCK", "ESTALE", "EINTR", "EINVAL")
MOST_CALLS = 1500
TRIED = [operation for operation in OPERATIONS if not operation.heavy]
# In the CI size every call fails once with one error, the errors taking turns; so many lasting faults are shared out
# among the operations, so that a longer table takes little longer; and every so many-th case is also lived on in.
LASTING = pick(1_200, 0)
LIVED_ON = 4


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def attempt(bench, operation, fault) -> list[str]:
    """Do the operation with the fault in place; what is wrong with how it answered."""
    before = descriptors()
    with quietly(), installed(fault):
        try:
            operation.run(bench)
        except MemkitError as error:
            found = [] if fault.fired else [f"raised {type(error).__name__} although nothing failed: {error}"]
        except Exception as error:  # an untyped error is the finding
            found = [f"an untyped error after {fault.fired[:1]}: {type(error).__name__}: {error}"]
        else:
            found = []
    left = descriptors() - before
    return found + ([f"{left} descriptors left open after {fault.fired[:1]}"] if left else [])


def prepared(scratch, operation) -> Bench:
    bench = Bench(scratch / "template", wait_seconds=0.0).fill()
    operation.before(bench)
    return bench


def turn(operation, k) -> int:
    """The error whose turn it is at call k; operations begin with different ones."""
    return getattr(errno, ERRORS[(k + zlib.crc32(str(operation).encode())) % len(ERRORS)])


def some_calls(template, scratch, operation) -> list[int]:
    """The calls a lasting fault begins at: all of them, or this operation's share of `LASTING`, drawn by its name."""
    bench, count = template.copy(scratch / "case"), Count()
    with quietly(), installed(count):
        operation.run(bench)
    _remove(bench)
    calls = range(1, len(count.names) + 1)
    n = max(LASTING // len(TRIED), 8) if LASTING else len(calls)
    return [*sorted(random.Random(str(operation)).sample(calls, min(n, len(calls)))), len(calls) + 1]


def loop(scratch, cases, operation, code_at, *, calls, for_ever=False, short=False, template=None):
    """Fail each of these calls, until the operation gets through without meeting the fault."""
    template = template or prepared(scratch, operation)
    for i, k in enumerate(calls):
        bench = template.copy(scratch / "case")
        code = code_at(k)
        fault = Fault(k, code, for_ever=for_ever, short=short, only="write" if short else "")
        found = attempt(bench, operation, fault)
        if not fault.fired:
            cases.add(found + bench.problems(operation), name="without a fault")
            _remove(bench)
            break
        kind = "short write" if short else errno.errorcode[code]
        name = f"{kind} {'from' if for_ever else 'at'} call {k} ({fault.fired[0]})"
        cases.add(found + bench.problems(operation, thorough=RELEASE or i % LIVED_ON == 0), name=name)
        _remove(bench)
    else:
        cases.add(["the operation never got through"])


def _remove(bench):
    shutil.rmtree(bench.root)


@pytest.mark.promise("P4")
@pytest.mark.parametrize("error", pick(["in-turn"], ERRORS))
@pytest.mark.parametrize("operation", TRIED, ids=str)
def test_a_fault_at_any_call_gives_an_error_or_the_whole(scratch, cases, operation, error):
    loop(scratch, cases, operation, functools.partial(_code, error, operation), calls=range(1, MOST_CALLS))


@pytest.mark.promise("P4")
@pytest.mark.parametrize("error", pick(["in-turn"], ERRORS))
@pytest.mark.parametrize("operation", TRIED, ids=str)
def test_a_fault_that_lasts_gives_an_error_or_the_whole(scratch, cases, operation, error):
    template = prepared(scratch, operation)
    calls = some_calls(template, scratch, operation)
    code_at = functools.partial(_code, error, operation)
    loop(scratch, cases, operation, code_at, calls=calls, for_ever=True, template=template)


def _code(error, operation, k) -> int:
    return turn(operation, k) if error == "in-turn" else getattr(errno, error)


@pytest.mark.promise("P4")
@pytest.mark.parametrize("operation", TRIED, ids=str)
def test_a_short_write_at_any_call_gives_an_error_or_the_whole(scratch, cases, operation):
    loop(scratch, cases, operation, lambda k: errno.ENOSPC, calls=range(1, MOST_CALLS), short=True)


@pytest.mark.promise("P4")
@pytest.mark.parametrize("error", ["EIO", "ENOSPC"])
def test_trying_again_after_any_fault_leaves_one_entry_not_two(scratch, cases, error):
    """MK-029's kind: after an error that says "unknown" the ids are given again, after any other error they are not."""
    template = Bench(scratch / "template", wait_seconds=0.0).fill()
    for k in range(1, MOST_CALLS):
        bench = template.copy(scratch / "case")
        store, fault = bench.store, Fault(k, getattr(errno, error))
        requests, receipts = [new("again-1"), new("again-2")], []
        with quietly(), installed(fault):
            try:
                receipts = store.store_many(requests)
            except OutcomeUnknownError as unknown:
                ids = unknown.entry_ids
                requests = [new("again-1", id=ids[0]), new("again-2", id=ids[1])]
            except MemkitError:
                pass
        with quietly():
            for _ in range(1 if receipts else 3):
                receipts = receipts or store.store_many(requests)
                if requests[0].id:
                    receipts = store.store_many(requests)
        bench.ledger.acknowledge(receipts)
        cases.add(bench.problems(OPERATIONS[0]), name=f"{error} at call {k} ({fault.fired[:1]})")
        _remove(bench)
        if not fault.fired:
            break


if __name__ == "__main__":
    main(__file__)
