"""Mending a store: planned from `verify`, shown first, then done under the index lock, losing no byte.

Damaged bytes go to quarantine before anything takes their place. Entries without a line get one, lines without a file
are kept in quarantine and leave the index, repeated lines are dropped, left-over temporary files are removed, a wipe or
an erasure that was cut off is finished, wide modes are narrowed, a lost or damaged `store.json` is written again. What
another project or a newer memkit wrote is left alone.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from memkit import clock
from memkit.display import Displayable
from memkit.model import jsontext
from memkit.model.event import Event
from memkit.model.problem import Problem
from memkit.store import durable, entries, erasing, index, leftovers, look, pending, quarantine, trash
from memkit.store.index_lines import parse
from memkit.store.lock import HeldLock
from memkit.store.repair_trash import mend_trash, quarantine_lines
from memkit.store.store import Store
from memkit.store.verify import Progress, verify
from memkit.store.writer import canonical_lock

_BY_INDEX = {
    "index-missing": "write the index from the entries",
    "orphan-entry": "write its index line",
    "line-without-file": "move the line to quarantine",
    "damaged-line": "move the bytes to quarantine",
    "repeated-line": "drop the repeated line",
    "glued-line": "write each object on a line of its own",
    "torn-tail": "move the bytes to quarantine",
    "hash-mismatch": "write its index line from the file as it is",
    "line-differs": "write its index line from the file as it is",
    "damaged-entry": "move the file to quarantine",
    "generation-damaged": "write the index and its generation again",
}
_BY_FILE = {
    "leftover-temp": "remove it",
    "unfinished-wipe": "carry the wipe to its end",
    "unfinished-erasure": "carry the erasure to its end",
    "note-missing": "write a note",
    "wide-mode": "narrow the mode to 0600 or 0700",
    "store-json-damaged": "move the bytes to quarantine and write it again",
    "unfinished-plan": "carry the plan to its end",
    "trash-orphan": "write a plan that names it",
    "damaged-plan": "move the bytes to quarantine",
    "damaged-pin": "move the bytes to quarantine",
    "damaged-hold": "move the bytes to quarantine",
    "damaged-receipt": "move the bytes to quarantine",
    "damaged-query": "move the bytes to quarantine",
    "damaged-ledger": "move the bytes to quarantine",
    "unfinished-consolidation": "carry it to its end",
    "torn-log-line": "close the line and say in the log that it was there",
}
_LINES = ("damaged-plan", "damaged-pin", "damaged-hold", "damaged-receipt", "damaged-ledger", "damaged-query")


@dataclass(frozen=True, slots=True)
class RepairAction:
    """One thing repair does, or would do.

    Attributes:
        code: The problem's code.
        file: The file concerned.
        detail: What is done.
        entry_id: The entry concerned, if one is.
    """

    code: str
    file: str
    detail: str
    entry_id: str = ""


@dataclass(frozen=True, slots=True)
class RepairReport(Displayable):
    """What repair did, or would do.

    Attributes:
        dry_run: Nothing was changed.
        actions: In the order of `verify`.
        problems_left: What repair leaves to a person.
        as_of: When.
    """

    dry_run: bool
    actions: tuple[RepairAction, ...]
    problems_left: tuple[Problem, ...]
    as_of: dt.datetime

    def __repr__(self) -> str:
        what = "would do" if self.dry_run else "did"
        return f"<RepairReport: {what} {len(self.actions)}, {len(self.problems_left)} left to a person>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "dry_run": self.dry_run,
            "as_of": clock.iso(self.as_of),
            "actions": [asdict(action) for action in self.actions],
            "problems_left": [problem.to_dict() for problem in self.problems_left],
        }


def repair(store: Store, *, dry_run: bool = True, progress: Progress | None = None) -> RepairReport:
    """Mend what can be mended without a person; by default only say what would be done.

    `progress` is called as `verify` does, which looks at the store before and after.

    Raises:
        StoreError: the disk, a permission or a writer stood in the way; what was done so far is complete in itself.
    """
    found = verify(store, progress=progress)
    actions = _plan(found)
    if dry_run or not actions:
        left = tuple(problem for problem in found if problem.code not in _BY_INDEX and problem.code not in _BY_FILE)
        return RepairReport(dry_run, actions, left, store.clock.now())
    finished: set[str] = set()
    if any(action.code == "unfinished-consolidation" for action in actions):
        with canonical_lock(store.paths).held("repair") as writer:
            pending.roll_forward(store, writer)
        finished.add("unfinished-consolidation")
    with store.index_lock.held("repair") as held:
        if leftovers.finish_wipe(store.paths, held):
            finished.add("unfinished-wipe")
        if erasing.finish(store.paths, held):
            finished.add("unfinished-erasure")
        if any(action.code == "unfinished-plan" for action in actions) and trash.finish(store.paths, held):
            finished.add("unfinished-plan")
        found = verify(store, held=held, progress=progress)
        actions = tuple(a for a in actions if a.code in finished) + _plan(found)
        _mend_files(store, found)
        mend_trash(store, held, found)
        if any(problem.code in _BY_INDEX for problem in found):
            _mend_index(store, held, found)
        store.write_store_json()
    detail = {"n_actions": len(actions), "codes": sorted({action.code for action in actions})}
    store.audit.record(Event("entry_operation", "repair", detail=detail))
    return RepairReport(False, actions, tuple(verify(store, progress=progress)), store.clock.now())


def _plan(found: Sequence[Problem]) -> tuple[RepairAction, ...]:
    words = {**_BY_INDEX, **_BY_FILE}
    return tuple(
        RepairAction(problem.code, problem.file, words[problem.code], problem.entry_id)
        for problem in found
        if problem.code in words
    )


def _mend_files(store: Store, found: Sequence[Problem]) -> None:
    codes = {problem.code for problem in found}
    if "leftover-temp" in codes:
        for path in list(leftovers.left_over(store.paths, everywhere=True)):
            durable.unlink(path)
    if "wide-mode" in codes:
        for path, info in list(look.tree(store.paths.folder)):
            if look.is_wide(info):
                durable.restrict(path)
    for problem in found:
        if problem.code in {"store-json-damaged", "damaged-entry"}:
            _quarantine_file(store, problem)
        elif problem.code == "note-missing":
            name = problem.file.removeprefix("quarantine/").removesuffix(".bin")
            quarantine.add_missing_note(store.paths, name, moved_at=store.clock.now())
    for code in _LINES:
        quarantine_lines(store, [problem for problem in found if problem.code == code])


def _quarantine_file(store: Store, problem: Problem) -> None:
    path = store.paths.folder / problem.file
    data = look.read_bytes(path)
    if data is None:
        return
    now = store.clock.now()
    quarantine.put(store.paths, data, file=problem.file, start=0, reason=problem.detail, moved_at=now)
    durable.unlink(path, durable=True)


def _mend_index(store: Store, held: HeldLock, found: Sequence[Problem]) -> None:
    paths = store.paths
    data = look.read_bytes(paths.index) or b""
    for problem in found:
        if problem.code in {"damaged-line", "torn-tail"}:
            _keep(store, data, problem)
    read = parse(paths, data, start=0, generation=0)
    rewritten = {problem.entry_id for problem in found if problem.code in {"hash-mismatch", "line-differs"}}
    hidden = store.trash().hidden
    on_disk = set(entries.ids_on_disk(paths)) - hidden
    lines: list[bytes] = []
    for line in read.lines:
        if line.id in hidden:
            continue
        if line.id not in on_disk:
            row = jsontext.dumps(line.to_dict())
            reason = "the entry's file is gone"
            now = store.clock.now()
            quarantine.put(paths, row, file="index.jsonl", start=0, reason=reason, moved_at=now)
        elif line.id not in rewritten:
            lines.append(jsontext.dumps(line.to_dict()) + b"\n")
    known = {line.id for line in read.lines} - rewritten
    known |= {problem.entry_id for problem in found if problem.code == "unreadable-entry"}
    lines += index.lines_of_entries(paths, sorted(on_disk - known))
    index.rewrite(paths, held, lines, wait_seconds=store.wait_seconds)


def _keep(store: Store, data: bytes, problem: Problem) -> None:
    quarantine.put(
        store.paths, data[problem.start : problem.end], file="index.jsonl", start=problem.start,
        reason=problem.detail, moved_at=store.clock.now(),
    )  # fmt: skip
