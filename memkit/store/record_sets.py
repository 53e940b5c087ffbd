"""Writing several records as one: a record and those it supersedes change together, or none of them does.

One record alone is replaced in one step (`records.put`). More than one goes the way consolidation commits its own
(`pending`): the ledger names all the files before the first of them is changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from memkit import clock as clocks
from memkit.model.ids import new_ids
from memkit.model.ledger import LedgerLine
from memkit.model.record import Record
from memkit.store import pending, records
from memkit.store.lock import HeldLock
from memkit.store.pending import NewBytes
from memkit.store.records import KeptRecord
from memkit.store.store import Store


def put_all(store: Store, held: HeldLock, changes: Sequence[tuple[Record, str | None]]) -> list[KeptRecord]:
    """Write records, durably, as one; each with the hash of the bytes it replaces (None: there must be nothing).

    Args:
        store: Whose.
        held: The canonical-writer lock.
        changes: Of different records; the first is the one the others follow from.

    Raises:
        ConflictError, DamagedError, InvalidInputError: as `records.prepare`, of any of them; none was written.
        OutcomeUnknownError: the disk failed at a moment after which only it can tell; what is written down as done is
            carried on by whoever writes records next.
        StoreError: the disk or a permission stood in the way; none was written.
    """
    if len(changes) == 1:
        ((record, expected_hash),) = changes
        return [records.put(store, held, record, expected_hash=expected_hash)]
    ready = [records.prepare(store.paths, record, expected_hash=expected_hash) for record, expected_hash in changes]
    now = store.clock.now()
    line = LedgerLine(event="written", at=now, run="", record=ready[0].kept.record.path)
    new = [NewBytes(each.kept.record.path, each.data, each.kept.before_hash) for each in ready]
    (name,) = new_ids(clocks.to_ms(now))
    pending.commit(store, held, [(line, new)], name=name)
    return [each.kept for each in ready]
