"""Mending the trash and files of appended lines: nothing is removed that is not kept elsewhere first."""

from __future__ import annotations

from collections.abc import Sequence

from memkit import clock as clocks
from memkit.errors import StoreError
from memkit.model.problem import Problem
from memkit.store import durable, entries, look, quarantine, trash, trash_plans
from memkit.store.lock import HeldLock
from memkit.store.store import Store
from memkit.store.trash_plans import Plan, TrashedEntry


def quarantine_lines(store: Store, spots: Sequence[Problem]) -> None:
    """Move damaged lines of one file to quarantine and write the file without them; the index lock is held."""
    if not spots:
        return
    path = store.paths.folder / spots[0].file
    data = look.read_bytes(path) or b""
    kept, position = [], 0
    for spot in sorted(spots, key=lambda problem: problem.start):
        quarantine.put(
            store.paths, data[spot.start : spot.end], file=spot.file, start=spot.start, reason=spot.detail,
            moved_at=store.clock.now(),
        )  # fmt: skip
        kept.append(data[position : spot.start])
        position = spot.end
    durable.replace(path, b"".join(kept) + data[position:])


def mend_trash(store: Store, held: HeldLock, found: Sequence[Problem]) -> None:
    """Give files in the trash that no plan names a plan of their own; what is no envelope goes to quarantine."""
    orphans = [problem for problem in found if problem.code == "trash-orphan"]
    adopted: list[TrashedEntry] = []
    for problem in orphans:
        path = store.paths.trash_file(problem.entry_id)
        data = look.read_bytes(path)
        if data is None:
            continue
        try:
            entry = entries.decode(store.paths, problem.entry_id, data)
            adopted.append(trash.trashed(entry, data, ("repair",)))
        except StoreError as error:
            quarantine.put(store.paths, data, file=problem.file, start=0, reason=error.what,
                           moved_at=store.clock.now())  # fmt: skip
            durable.unlink(path, durable=True)
    # A copy of an entry that is still there hides nothing.
    doubled = [each for each in adopted if look.exists(store.paths.entry_file(each.id))]
    for each in doubled:
        path = store.paths.trash_file(each.id)
        quarantine.put(store.paths, look.read_bytes(path) or b"", file=store.paths.relative(path), start=0,
                       reason="a second copy of an entry that is in results", moved_at=store.clock.now())  # fmt: skip
        durable.unlink(path, durable=True)
    adopted = [each for each in adopted if each not in doubled]
    if adopted:
        at_ms = clocks.to_ms(store.clock.now())
        plan = Plan("prune", trash_plans.new_plan_id(at_ms), at_ms, tuple(adopted), "repair", store.audit.actor)
        trash.commit(store.paths, held, plan, wait_seconds=store.wait_seconds)
