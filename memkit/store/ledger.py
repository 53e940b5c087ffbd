"""`state/ledger.jsonl`: what became of each candidate. Truth: appended and fsynced by the canonical writer alone.

A damaged line is a problem of `verify`; it may cost that a candidate is looked at again, which adds nothing twice: the
same words are recognised as a duplicate of the record they made.
"""

from __future__ import annotations

from collections.abc import Sequence

from memkit.errors import NewerFormatError
from memkit.model import jsontext
from memkit.model.ledger import LedgerLine, read_line
from memkit.model.problem import Problem
from memkit.store import durable, leftovers
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths
from memkit.store.state_lines import NEWER, read_lines
from memkit.store.store import Store
from memkit.store.writer import require_held


def read(paths: StorePaths) -> tuple[list[LedgerLine], list[Problem]]:
    """Every line in order, and the damaged ones among them.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    return read_lines(
        paths,
        paths.ledger,
        read_line,
        code="damaged-ledger",
        remedy="Its candidate may be looked at once more; what it made is found again and not made twice.",
    )


def known(paths: StorePaths) -> list[LedgerLine]:
    """Every line in order, for whoever decides by them: what a newer memkit wrote may have settled anything.

    Raises:
        NewerFormatError: a newer memkit wrote one of them.
        StoreError: the operating system refuses to show the file.
    """
    lines, problems = read(paths)
    for problem in problems:
        if problem.code == NEWER:
            raise NewerFormatError(problem.detail, file=paths.ledger, remedy=problem.remedy)
    return lines


def append(store: Store, held: HeldLock, lines: Sequence[LedgerLine]) -> None:
    """Write lines down, durably.

    Raises:
        StoreError: nothing was acknowledged.
    """
    require_held(store.paths, held)
    if lines:
        with store.index_lock.held("reconcile") as index_held:
            leftovers.finish_wipe(store.paths, index_held)
            store.write_store_json()
            append_held(store.paths, lines)


def append_held(paths: StorePaths, lines: Sequence[LedgerLine]) -> None:
    """The same for one who holds the index lock, too."""
    durable.make_folder(paths.state)
    durable.append(paths.ledger, b"".join(jsontext.dumps(line.to_dict()) + b"\n" for line in lines), fsync=True)
