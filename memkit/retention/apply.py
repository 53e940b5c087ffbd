"""Carrying out a review: everything checked again, first without and then under the index lock, then one plan."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from memkit import clock
from memkit.analytics.retention import envelope_stamps, judge
from memkit.analytics.retention_review import RetentionReceipt, RetentionReview
from memkit.errors import PolicyError
from memkit.retention.expiry import erase_expired
from memkit.retention.plan import PlanFile, changes, marks_of, require_unchanged, stale, state_of
from memkit.store.prune import prune

if TYPE_CHECKING:
    from memkit.catalog.catalog import Catalog
    from memkit.model.policy import RetentionPolicy
    from memkit.store.lock import HeldLock
    from memkit.store.receipts import Receipt
    from memkit.store.store import Store


def apply_plan(
    store: Store,
    catalog: Catalog,
    plan: PlanFile,
    *,
    settings_policy: RetentionPolicy,
    everything: bool = False,
    dry_run: bool = False,
) -> RetentionReceipt:
    """Move what a plan names to the trash and erase what has expired there, all or nothing.

    Raises:
        StalePlanError: it is another store's, the policy of the settings is another by now, or anything changed since;
            says what. Nothing was moved.
        PolicyError: no entry would be left and that was not asked for; or it looks ahead of the clock.
        StoreError: the disk, a permission or another writer stood in the way.
    """
    now = store.clock.now()
    _require_ours(store, plan, settings_policy, now)
    require_unchanged(plan.state, state_of(store, envelope_stamps(store)))
    again = judge(catalog, store, plan.policy, as_of=plan.as_of, titles=False)
    if again.blocked:
        raise PolicyError(again.doubts[0], remedy="Run `memkit verify`.")
    due = {row.entry_id: row.matched for row in again.due}
    expired = tuple(row.entry_id for row in again.expired)
    if due != dict(plan.due) or set(expired) != set(plan.expired):
        raise stale(["what is due is not what the plan names"])
    if again.is_everything and not everything:
        raise PolicyError(
            f"would leave none of the {len(due):,} entries it may forget; nothing was moved",
            field="retention",
            remedy="If that is meant, pass --all (everything=True in Python); else raise the limits.",
        )
    n_bytes = sum(row.n_bytes for row in again.due) + sum(row.n_bytes for row in again.expired)
    until = now + dt.timedelta(days=plan.policy.trash_days)
    if dry_run or not (due or expired):
        return RetentionReceipt("", tuple(due), expired, n_bytes, until, dry_run)

    def check(_: HeldLock) -> None:
        require_unchanged(plan.state, state_of(store, envelope_stamps(store)))

    def commit(erase: Callable[[HeldLock], None] | None = None) -> Receipt:
        policy = plan.policy.fingerprint
        receipt = prune(store, due, expired=expired, policy=policy, check=check, erase=erase)
        if receipt is None:
            raise AssertionError
        return receipt

    if not expired:
        done = commit()
        return RetentionReceipt(done.plan_id, done.moved, (), done.n_bytes, until)
    done, expiry = erase_expired(store, expired, commit)
    return RetentionReceipt(
        done.plan_id, done.moved, done.erased, done.n_bytes, until, erased_from=expiry.removed, scan=expiry.scan
    )


def prune_due(store: Store, review: RetentionReview, before: Mapping[str, str]) -> tuple[str, ...]:
    """Move what a review names right after it was made, as storing does; the ids moved. Erases nothing.

    Args:
        store: The store.
        review: The review, made a moment ago by this process.
        before: `marks_of` the store before it. Who stores meanwhile takes nothing from what is due; who pins, holds,
            prunes or restores meanwhile may.

    Raises:
        StalePlanError: pins, holds or the trash are not what they were. Nothing was moved.
        StoreError: the disk, a permission or another writer stood in the way.
    """

    def check(_: HeldLock) -> None:
        found = changes(before, marks_of(store))
        if found:
            raise stale(found)

    due = {row.entry_id: row.matched for row in review.due}
    receipt = prune(store, due, cause="store", policy=review.policy.fingerprint, check=check)
    return receipt.moved if receipt else ()


def _require_ours(store: Store, plan: PlanFile, settings_policy: RetentionPolicy, now: dt.datetime) -> None:
    if plan.project_key != store.paths.key:
        raise stale([f"it was made for the store {plan.project_key}, this is {store.paths.key}"])
    if plan.is_own and plan.policy != settings_policy:
        raise stale(["the policy in the settings is another one by now"])
    ahead = clock.to_ms(plan.as_of) - clock.to_ms(now)
    if ahead > clock.SKEW_MS:
        raise PolicyError(
            f"was made for {clock.iso(plan.as_of)}, which is later than now; nothing was moved",
            field="as_of",
            remedy="A review of a later day is for looking; review again without as_of. Or the clock is set back.",
        )
