"""Pruning, restoring, and erasing what has expired in the trash: one plan each, committed under the index lock."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from memkit import clock as clocks
from memkit.errors import EntryNotFoundError, InvalidInputError
from memkit.model.event import Event
from memkit.store import erasing, leftovers, look, trash, trash_plans
from memkit.store.lock import HeldLock
from memkit.store.naming import match_id
from memkit.store.receipts import Receipt, receipt_of
from memkit.store.store import Store
from memkit.store.trash_plans import EXPIRED, Plan, TrashedEntry


def prune(
    store: Store,
    due: Mapping[str, Sequence[str]],
    *,
    expired: Sequence[str] = (),
    cause: str = "apply",
    policy: str = "",
    check: Callable[[HeldLock], None] | None = None,
    erase: Callable[[HeldLock], object] | None = None,
) -> Receipt | None:
    """Move entries to the trash and erase others in it, all or nothing; None where there was nothing to do.

    Args:
        store: The store.
        due: Names of the rules by id of each entry to move.
        expired: Ids of entries in the trash to erase.
        cause: `apply` or `store`.
        policy: Fingerprint of the policy.
        erase: Carries out the erasure of what has expired, the index lock held; by default `erasing.finish`, which
            leaves it to the next writer where it cannot.
        check: Called once the index lock is held, before anything is written; what it raises stops everything.

    Raises:
        StoreError: one of them is not there or cannot be read; the disk, a permission or another writer stood in the
            way. Nothing was moved, or (OutcomeUnknownError) the next writer carries all of it to the end.
    """
    if not due and not expired:
        return None
    at_ms = clocks.to_ms(store.clock.now())
    with store.index_lock.held("prune") as held:
        leftovers.finish(store.paths, held, wait_seconds=store.wait_seconds)
        if check is not None:
            check(held)
        moved = [trash.describe(store.paths, entry_id, rules) for entry_id, rules in due.items()]
        there = store.trash().entries
        erased: list[TrashedEntry] = []
        for entry_id in expired:
            if entry_id not in there:
                raise EntryNotFoundError(f"{entry_id} is not in the trash", file=store.paths.trash, field="id")
            old = there[entry_id]
            erased.append(TrashedEntry(old.id, old.stored_at_ms, old.n_bytes, old.sha256, (EXPIRED,)))
        plan_id = trash_plans.new_plan_id(at_ms)
        plan = Plan("prune", plan_id, at_ms, (*moved, *erased), cause, store.audit.actor, policy)
        trash.commit(store.paths, held, plan, wait_seconds=store.wait_seconds)
        if erased and erase is None:
            erasing.finish(store.paths, held, wait_seconds=store.wait_seconds)
        elif erased and erase is not None:
            erase(held)
    receipt = receipt_of(plan)
    detail = {
        "plan_id": plan.plan_id,
        "cause": cause,
        "policy": policy,
        "pruned": list(receipt.moved),
        "erased": list(receipt.erased),
    }
    store.audit.record(Event("entry_operation", "prune", detail=detail))
    return receipt


def restore(store: Store, ids: Sequence[str]) -> Receipt:
    """Bring entries back from the trash, byte for byte, all or nothing.

    Args:
        store: The store.
        ids: Their ids, or beginnings of ids that fit one each.

    Raises:
        EntryNotFoundError: one is not in the trash, or its file is gone from it.
        AmbiguousIdError: a beginning fits several.
        DamagedError: a file in the trash is not the one that was moved there; nothing was restored.
        StoreError: as in `prune`.
    """
    if not ids:
        raise InvalidInputError("no id was given", field="id", remedy="`memkit trash list` shows ids.")
    at_ms = clocks.to_ms(store.clock.now())
    store.info()
    if not look.exists(store.paths.trash):
        raise EntryNotFoundError(
            f"matched: 0; {ids[0]!r:.80} is not in the trash, which is empty", file=store.paths.trash, field="id",
            remedy="`memkit list` shows what was never forgotten; what was erased does not come back.",
        )  # fmt: skip
    with store.index_lock.held("restore") as held:
        leftovers.finish(store.paths, held, wait_seconds=store.wait_seconds)
        there = store.trash().entries
        wanted = dict.fromkeys(match_id(there, each, lister="memkit trash list") for each in ids)
        for entry_id in wanted:
            trash.require_sound(store.paths, there[entry_id])
            if look.exists(store.paths.entry_file(entry_id)):
                raise InvalidInputError(
                    f"a file {entry_id}.json is in results already",
                    file=store.paths.entry_file(entry_id),
                    field="id",
                    remedy="Somebody put it there by hand; compare it with the one in the trash and move it away.",
                )
        entries = tuple(there[entry_id] for entry_id in wanted)
        plan = Plan("restore", trash_plans.new_plan_id(at_ms), at_ms, entries, "restore", store.audit.actor)
        trash.commit(store.paths, held, plan, wait_seconds=store.wait_seconds)
    detail = {"plan_id": plan.plan_id, "restored": list(plan.moved)}
    store.audit.record(Event("entry_operation", "restore", detail=detail))
    return receipt_of(plan)
