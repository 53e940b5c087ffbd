"""Moving entries to the trash, back from it, and letting go of them in it: all of a plan or none of it.

A plan is committed by its lines in `trash/plans.jsonl` (see `trash_plans`); a crash before leaves everything as it was,
one after is carried on by the next holder of the index lock. An envelope gets its second name first, that name is
flushed, and only then the first name goes: no crash, and no order in which a disk writes names, leaves it without one.
Its bytes are never written again.

What a plan erases is hidden from its commit on; carrying the plan out begins an erasure (see `erasing`), which takes it
away.

Index lines of pruned entries stay until there are many of them: taking them out writes the whole index anew, and
readers skip them anyway. A restored entry gets a fresh line at the end at once, so that whoever has read the index up
to there sees it; the old line goes with the others.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from memkit import clock
from memkit.errors import DamagedError, EntryNotFoundError, StoreIOError
from memkit.model import jsontext
from memkit.model.entry import StoredEntry
from memkit.model.erasure import Erasure
from memkit.store import durable, entries, erasures, index, look, receipts, trash_plans
from memkit.store.index_lines import parse
from memkit.store.lock import DEFAULT_WAIT_SECONDS, HeldLock
from memkit.store.paths import StorePaths
from memkit.store.trash_plans import Plan, TrashedEntry

# Lines are taken out of the index once so many are of no use, or one in so many.
SETTLE_AT = 64
KEPT_SUFFIX = ".kept"
SETTLE_SHARE = 8
_ABOUT_A_LINE = 400


def describe(paths: StorePaths, entry_id: str, rules: Sequence[str] = ()) -> TrashedEntry:
    """An entry as a plan names it, from its file.

    Raises:
        StoreError: it is not there, or cannot be read as an entry of this project: it is not pruned.
    """
    data = entries.read_file(paths, entry_id)
    if data is None:
        raise EntryNotFoundError(f"no entry {entry_id} in this project", file=paths.folder, field="id")
    return trashed(entries.decode(paths, entry_id, data), data, rules)


def trashed(entry: StoredEntry, data: bytes, rules: Sequence[str]) -> TrashedEntry:
    """An entry as a plan names it; `data` are the bytes of its envelope."""
    return TrashedEntry(entry.id, entry.stored_at_ms, len(data), hashlib.sha256(data).hexdigest(), tuple(rules))


def commit(paths: StorePaths, held: HeldLock, plan: Plan, *, wait_seconds: float = DEFAULT_WAIT_SECONDS) -> None:
    """Make a plan durable, then carry it out; the index lock is held.

    Raises:
        OutcomeUnknownError: the plan may be on disk; the next holder of the lock carries it out if it is.
        StoreError: it is not, and nothing was moved.
    """
    _require(paths, held)
    durable.make_folder(paths.trash)
    durable.append(paths.trash_plans, plan.to_lines(), fsync=True)
    roll_forward(paths, held, wait_seconds=wait_seconds)


def roll_forward(paths: StorePaths, held: HeldLock, *, wait_seconds: float = DEFAULT_WAIT_SECONDS) -> int:
    """Carry out what was committed and is not done; how many plans that were. The index lock is held."""
    _require(paths, held)
    if not trash_plans.is_unfinished(paths):
        return 0
    return finish(paths, held, wait_seconds=wait_seconds)


def finish(paths: StorePaths, held: HeldLock, *, wait_seconds: float = DEFAULT_WAIT_SECONDS) -> int:
    """Carry out every unfinished plan, whatever the file ends in; how many. The index lock is held."""
    _require(paths, held)
    if trash_plans.is_torn(paths):  # first of all: a line that lacks its newline only is whole once it is closed
        durable.append(paths.trash_plans, trash_plans.done_line(""), fsync=True)
    unfinished = trash_plans.read(paths).unfinished
    for plan in unfinished:
        if plan.op == "prune":
            _move(plan.moved, paths.results, paths.trash)
            _begin_to_erase(paths, plan)
        else:
            _put_back(paths, held, plan.moved, wait_seconds=wait_seconds)
        receipts.record(paths, held, plan)
        durable.append(paths.trash_plans, trash_plans.done_line(plan.plan_id), fsync=True)
    if trash_plans.is_unfinished(paths):  # the last line is a damaged one
        durable.append(paths.trash_plans, trash_plans.done_line(""), fsync=True)
    if len(trash_plans.read(paths).unsettled) >= max(SETTLE_AT, _n_lines(paths) // SETTLE_SHARE):
        settle(paths, held, wait_seconds=wait_seconds)
    return len(unfinished)


def _n_lines(paths: StorePaths) -> int:
    info = look.status_of(paths.index)
    return (info.st_size if info else 0) // _ABOUT_A_LINE


def _move(ids: Sequence[str], source: Path, target: Path) -> None:
    """Give envelopes their name in the other folder, flush it, take the old one; what was moved already is left."""
    waiting = [f"{entry_id}.json" for entry_id in ids if look.exists(source / f"{entry_id}.json")]
    if not waiting:
        return
    durable.make_folder(target)
    for name in waiting:
        _give_second_name(source / name, target / name)
    durable.sync_folder(target)
    for name in waiting:
        durable.unlink(source / name)
    durable.sync_folder(source)


def _give_second_name(source: Path, target: Path) -> None:
    if look.exists(target):
        if look.read_bytes(target) == look.read_bytes(source):
            return
        # Somebody put another file there: it is kept under another name, which `verify` tells.
        durable.move(target, target.with_name(f"{target.name}.{secrets.token_hex(6)}{KEPT_SUFFIX}"))
    try:
        durable.link(source, target)
    except StoreIOError:  # this file system has no hard links
        durable.publish(durable.write_temp(target, look.read_bytes(source) or b""), target)


def _put_back(paths: StorePaths, held: HeldLock, ids: Sequence[str], *, wait_seconds: float) -> None:
    _move(ids, paths.trash, paths.results)
    lines = b"".join(index.lines_of_entries(paths, ids))
    if lines:
        index.append(paths, held, lines, wait_seconds=wait_seconds)


def _begin_to_erase(paths: StorePaths, plan: Plan) -> None:
    """Write down that an erasure of what has expired begins; `erasing` carries it out, in the plans too."""
    at, said = clock.from_ms(plan.at_ms), "its days in the trash were over"
    begun = [
        Erasure(entry.id, at, plan.actor, said, clock.from_ms(entry.stored_at_ms))
        for entry in plan.entries
        if entry.is_expired
    ]
    if begun:
        erasures.begin(paths, begun)


def settle(paths: StorePaths, held: HeldLock, *, wait_seconds: float = DEFAULT_WAIT_SECONDS) -> None:
    """Write the index without lines of hidden entries, and each other id once; damaged bytes stay in it.

    The old snapshot no longer fits the index afterwards, and is made again.
    """
    _require(paths, held)
    data = look.read_bytes(paths.index)
    if data is not None:
        read = parse(paths, data, start=0, generation=0)
        gone = trash_plans.read(paths).hidden
        if read.repeated or any(line.id in gone for line in read.lines):
            lines = [jsontext.dumps(line.to_dict()) + b"\n" for line in read.lines if line.id not in gone]
            damaged = [data[spot.start : spot.end].rstrip(b"\n") + b"\n" for spot in read.damaged]
            index.rewrite(paths, held, [*lines, *damaged], wait_seconds=wait_seconds)
    if look.exists(paths.trash_plans):
        durable.append(paths.trash_plans, trash_plans.settled_line(), fsync=True)


def forget(paths: StorePaths, held: HeldLock, ids: Iterable[str]) -> None:
    """Take every trace of erased entries out of the plans: their ids, sizes and hashes. The index lock is held.

    Only for ids whose files and index lines are gone; damaged lines are kept.
    """
    _require(paths, held)
    gone = set(ids)
    data = look.read_bytes(paths.trash_plans)
    if data is None or not gone:
        return
    kept: list[bytes] = []
    for raw in data.split(b"\n"):
        if not raw:
            continue
        with suppress(jsontext.JsonDamage):
            line = jsontext.loads_object(raw)
            listed = line.get("entries")
            if isinstance(listed, list):
                line["entries"] = [item for item in listed if not (isinstance(item, dict) and item.get("id") in gone)]
                if not line["entries"] and line.get("parts") == 1:
                    continue
                kept.append(jsontext.dumps(line) + b"\n")
                continue
        kept.append(raw + b"\n")
    durable.replace(paths.trash_plans, b"".join(kept) or trash_plans.settled_line())


def require_sound(paths: StorePaths, trashed: TrashedEntry) -> bytes:
    """The bytes of an envelope in the trash, if they are those that were moved there.

    Raises:
        EntryNotFoundError: the file is gone.
        DamagedError: it was edited or damaged; it is kept as it is.
    """
    file = paths.trash_file(trashed.id)
    data = look.read_bytes(file)
    if data is None:
        raise EntryNotFoundError("its file is gone from the trash", file=file, field="id",
                                 remedy="Restore the file from a backup.")  # fmt: skip
    if hashlib.sha256(data).hexdigest() != trashed.sha256:
        raise DamagedError(
            "is not the file that was moved here (edited, or damaged)",
            file=file,
            remedy="Put the original back from a backup; what lies there is kept.",
        )
    return data


def _require(paths: StorePaths, held: HeldLock) -> None:
    if not held.is_held or held.path != paths.index_lock:
        raise RuntimeError("the index lock must be held")
