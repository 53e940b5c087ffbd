"""`firings.jsonl`: who recalled or read what since the last consolidation. Telemetry, and truth while it waits.

Appended under its own lock, not fsynced: a power cut may cost the last second of it. A write that fails is one warning,
and whoever asked gets the answer all the same. Only consolidating shortens the file: first what it used stands in the
ledger, with its length and hash, then exactly those bytes are cut off. Whoever finds them still there cuts them off and
counts nothing again. Erasing takes an entry's lines out under the same lock.

A firing is written only for what has a file at that moment and is not being erased, so none outlives its entry.
"""

from __future__ import annotations

import hashlib
import secrets
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from memkit import clock as clocks
from memkit.errors import MemkitWarning, StoreError
from memkit.model import jsontext
from memkit.model.firing import Firing, FiringOp, read_firing
from memkit.model.ids import is_id
from memkit.model.ledger import LedgerLine
from memkit.model.problem import Problem
from memkit.store import durable, erasures, look, quarantine
from memkit.store.lock import HeldLock, Lock
from memkit.store.paths import StorePaths
from memkit.store.state_lines import parse_lines

# A recall waits for nobody longer than this; a firing less is no loss.
_WAIT_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True)
class FiringsRead:
    """The beginning of the file, as far as whole lines go.

    Attributes:
        firings: In order.
        problems: Damaged lines.
        n_bytes: The length of what was read, up to a line's end.
        sha256: Of these bytes.
    """

    firings: tuple[Firing, ...]
    problems: tuple[Problem, ...]
    n_bytes: int
    sha256: str


class FiringLog:
    """What a Memory writes its firings with.

    Args:
        paths: Of the store.
        clock: What time it is.
        actor: Who asks.

    Attributes:
        enabled: Whether anything is written.
    """

    def __init__(self, paths: StorePaths, clock: clocks.Clock, *, actor: str) -> None:
        self._paths = paths
        self._clock = clock
        self._actor = actor
        self._warned = False
        self.enabled = True

    def note(self, op: FiringOp, ids: Sequence[str]) -> bool:
        """Write down what was just shown, best first; whether something was written.

        A fault is a warning, once, and never an error.

        Args:
            op: How it came to be shown.
            ids: Ids of entries, paths of records, of this store.
        """
        if not self.enabled or not ids:
            return False
        try:
            return self._append(op, ids)
        except StoreError as error:
            if not self._warned:
                self._warned = True
                warnings.warn(f"what is recalled cannot be counted: {error}", MemkitWarning, stacklevel=3)
            return False

    def _append(self, op: FiringOp, ids: Sequence[str]) -> bool:
        at, call = self._clock.now(), secrets.token_hex(6)
        with firings_lock(self._paths, _WAIT_SECONDS).held(None):
            if look.exists(self._paths.wiped):
                return False
            # What is being erased is asked for before the files are: an erasure begun later waits for this lock.
            gone = {erasure.id for erasure in erasures.under_way(self._paths)}
            there = [
                Firing(each, at, op, rank, self._actor, call)
                for rank, each in enumerate(ids, start=1)
                if each not in gone and self._is_there(each)
            ]
            if not there:
                return False
            data = b"".join(jsontext.dumps(firing.to_dict()) + b"\n" for firing in there)
            durable.append(self._paths.firings, data, fsync=False)
        return True

    def _is_there(self, name: str) -> bool:
        return look.exists(self._paths.entry_file(name) if is_id(name) else self._paths.folder / name)


def firings_lock(paths: StorePaths, wait_seconds: float) -> Lock:
    """The lock of whoever changes the file; after index and snapshot, before audit."""
    return Lock(paths.firings_lock, wait_seconds)


def read(paths: StorePaths) -> FiringsRead:
    """Every firing in order, and the damaged lines among them.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    return read_from(paths, look.read_bytes(paths.firings) or b"")


def read_from(paths: StorePaths, data: bytes) -> FiringsRead:
    """The same of bytes that were read before, or of a beginning of them that ends with a line."""
    found, problems = parse_lines(
        paths,
        paths.firings,
        data,
        read_firing,
        code="damaged-firing",
        remedy="The other lines count; the next `memkit consolidate` moves the bytes to quarantine.",
    )
    whole = data[: data.rfind(b"\n") + 1]
    return FiringsRead(tuple(found), tuple(problems), len(whole), hashlib.sha256(whole).hexdigest())


def cut_used(paths: StorePaths, held: HeldLock, used: LedgerLine | None, *, clock: clocks.Clock | None) -> bool:
    """Cut off what the last `reinforced` line of the ledger names, if the file still begins with it; whether it did.

    Args:
        paths: Of the store.
        held: The firings lock.
        used: That line.
        clock: Dates the notes of damaged lines, which go to quarantine; None leaves them where they are.

    Raises:
        StoreError: nothing was cut.
    """
    _require(paths, held)
    data = None if used is None else look.read_bytes(paths.firings)
    if used is None or data is None or not begins_with(data, used):
        return False
    rest, left = data[used.used_bytes :], b""
    for problem in read_from(paths, data[: used.used_bytes]).problems:
        damaged = data[problem.start : problem.end]
        if clock is None:
            left += damaged
        else:
            file, why = paths.relative(paths.firings), problem.detail
            quarantine.put(paths, damaged, file=file, start=problem.start, reason=why, moved_at=clock.now())
    rest = left + rest
    if rest:
        durable.replace(paths.firings, rest)
    else:
        durable.unlink(paths.firings, durable=True)
    return True


def begins_with(data: bytes, used: LedgerLine) -> bool:
    """Whether the file still begins with the firings a `reinforced` line of the ledger names."""
    n = used.used_bytes
    return 0 < n <= len(data) and hashlib.sha256(data[:n]).hexdigest() == used.used_sha256


def _require(paths: StorePaths, held: HeldLock) -> None:
    if not held.is_held or held.path != paths.firings_lock:
        raise RuntimeError("the firings lock must be held")
