"""Erasing what has expired in the trash, and carrying on an erasure that a crash cut off.

All that has expired goes together, by the erasers and with the look into every byte that `erase` has for one entry: the
store is read once for all of it. The plan that names it is committed first; from then on nobody reads it, and a crash
at any point is carried to the end by the next writer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from memkit.errors import StoreError
from memkit.model.scan import Scan
from memkit.retention.erase import others_kept_out, run
from memkit.retention.scanning import scan_for_traces
from memkit.snapshot import audit_days
from memkit.store import erasing, erasures, leftovers, look
from memkit.store.erasers import Removed
from memkit.store.lock import HeldLock
from memkit.store.store import Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Expiry:
    """What has expired in the trash and is to be erased, or was: all of it together.

    Attributes:
        n_fragments: Fragments that no entry that stays holds.
        removed: What left which file.
        scan: What the look into every byte found afterwards.
    """

    n_fragments: int
    removed: tuple[Removed, ...]
    scan: Scan


def erase_expired(
    store: Store, ids: Sequence[str], commit: Callable[[Callable[[HeldLock], None]], T]
) -> tuple[T, Expiry]:
    """Erase what has expired in the trash from every file of the store, and look for what is left.

    Args:
        store: The store.
        ids: Which.
        commit: Commits the plan that says so, and calls what it is given while it holds the index lock.

    Raises:
        StoreError: the disk, a permission or another writer stood in the way; what was begun is carried on by the next
            writer. Also whatever `commit` raises.
    """
    sifted = erasing.sift(store.paths, ids)
    removed: list[Removed] = []
    with others_kept_out(store) as snapshot:

        def carry_out(held: HeldLock) -> None:
            begun = erasures.under_way(store.paths)
            traces = sifted.traces
            if {each.id for each in begun} != traces.ids:  # what a crash left is carried on with it
                traces = erasing.sift(store.paths, [each.id for each in begun]).traces
            removed.extend(run(store, begun, traces, held=held, snapshot=snapshot))

        done = commit(carry_out)
    try:
        scan = scan_for_traces(store, sifted.traces, sifted.seen)
    except StoreError as error:
        error.add_note("what had expired is erased; only the look into every file afterwards failed")
        raise
    return done, Expiry(len(sifted.traces), tuple(removed), scan)


def carry_on(store: Store) -> bool:
    """Carry an erasure that a crash cut off to its end, compacted days of the log included; whether there was one.

    Raises:
        StoreError: the disk, a permission or another writer stood in the way.
    """
    if not look.exists(store.paths.erasing):
        return False
    with others_kept_out(store) as snapshot, store.index_lock.held("erase") as held:
        leftovers.finish(store.paths, held, wait_seconds=store.wait_seconds)
        return erasing.finish_begun(store.paths, held, snapshot=snapshot, forget=audit_days.forget_text)
