"""Comparing the trash with the plans that filled it; writes nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from memkit.display import count
from memkit.errors import StoreError
from memkit.model.entry import MAX_ENTRY_BYTES
from memkit.model.problem import Problem
from memkit.store import entries, leftovers, look, trash_plans
from memkit.store.lock import HeldLock
from memkit.store.store import Store

REPAIR = "Run `memkit repair --apply`."
_RESTORE = "Nothing is lost: `memkit restore` refuses it until the original is back."


def about_trash(store: Store, held: HeldLock | None = None) -> Iterator[Problem]:
    """Every spot of the trash that is not as its plans say.

    Raises:
        StoreError: the folder cannot be looked into.
    """
    paths = store.paths
    if leftovers.is_wipe_unfinished(paths):
        return  # it goes with the rest
    state = trash_plans.read(paths)
    yield from state.problems
    file = paths.relative(paths.trash_plans)
    under_way = {entry.id for plan in state.unfinished for entry in plan.entries}
    for plan in state.unfinished:
        what = "moves to the trash" if plan.op == "prune" else "comes back from the trash"
        yield Problem(
            "unfinished-plan", file, f"{count(len(plan.entries), 'entry', 'entries')}: a crash fell while this {what}",
            f"Readers skip them already; the next store carries it to its end. {REPAIR}", plan.plan_id,
        )  # fmt: skip
    # A writer may be at work: what is under way, and what vanishes or comes meanwhile, is no finding.
    for entry_id, trashed in state.entries.items():
        if entry_id not in under_way:
            yield from _about_file(store, entry_id, trashed.sha256)
            if look.exists(paths.entry_file(entry_id)) and entry_id in trash_plans.read(paths).hidden:
                yield Problem(
                    "hidden-entry", f"results/{entry_id}.json", "lies in results, and a plan moved it to the trash",
                    "It is skipped. Move the file away, then `memkit restore` brings it back.", entry_id,
                )  # fmt: skip
    named = {*state.entries, *state.erased, *under_way}  # what is being erased goes, and `verify` says so elsewhere
    for name in look.names_in(paths.trash):
        entry_id = name.removesuffix(entries.ENTRY_SUFFIX)
        if entries.is_entry_name(name) and entry_id not in named and not _is_named_now(store, entry_id, held):
            yield Problem(
                "trash-orphan", f"trash/{name}", "no plan names it: put there by hand, or its plan was damaged",
                f"{REPAIR} It is then listed and can be restored.", entry_id,
            )  # fmt: skip


def _is_named_now(store: Store, entry_id: str, held: HeldLock | None) -> bool:
    """Whether a plan that was committed meanwhile names it, or took it away."""
    if held is not None:
        return False
    state = trash_plans.read(store.paths)
    named = entry_id in {*state.entries, *state.erased} or any(
        entry.id == entry_id for plan in state.unfinished for entry in plan.entries
    )
    return named or not look.exists(store.paths.trash_file(entry_id))


def _about_file(store: Store, entry_id: str, sha256: str) -> Iterator[Problem]:
    path = store.paths.trash_file(entry_id)
    file = store.paths.relative(path)
    try:
        data = look.read_bytes(path, limit=MAX_ENTRY_BYTES + 1)
    except StoreError as error:
        yield Problem("unreadable-entry", file, error.what, error.remedy or "", entry_id)
        return
    if data is None:
        if entry_id in trash_plans.read(store.paths).entries:
            yield Problem("trash-missing", file, "the plan names it, the file is gone",
                          "Restore the file from a backup.", entry_id)  # fmt: skip
    elif hashlib.sha256(data).hexdigest() != sha256:
        yield Problem(
            "trash-differs", file, "is not the file that was moved here (edited, or damaged)",
            f"Put the original back from a backup. {_RESTORE}", entry_id,
        )  # fmt: skip
