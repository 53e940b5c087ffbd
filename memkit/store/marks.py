"""`state/pins.jsonl` and `state/holds.jsonl`: which entries stay, and which must stay, with the reason.

Truth: lines are appended and flushed under the index lock, never rewritten; the last line of an entry counts. A pin
keeps an entry out of the policy's reach; a legal hold keeps it out of everybody's, erasing included. A damaged line may
have spoken for any entry, so while there is one nothing is pruned.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memkit import clock as clocks
from memkit.errors import InvalidInputError
from memkit.model import jsontext
from memkit.model.event import Event
from memkit.model.ids import is_id
from memkit.model.mark import MAX_REASON_CHARS, Mark, MarkKind
from memkit.model.problem import Problem
from memkit.store import durable, leftovers
from memkit.store.naming import find_entry
from memkit.store.paths import StorePaths
from memkit.store.state_lines import read_lines
from memkit.store.store import Store

_OPERATIONS = {("pin", True): "pin", ("pin", False): "unpin", ("hold", True): "hold", ("hold", False): "release"}
_DAMAGED = {"pin": "damaged-pin", "hold": "damaged-hold"}


def file_of(paths: StorePaths, kind: MarkKind) -> Path:
    """Where marks of this kind stand."""
    return paths.pins if kind == "pin" else paths.holds


def history(paths: StorePaths, kind: MarkKind) -> tuple[list[Mark], list[Problem]]:
    """Every mark of this kind in order, and the damaged lines among them.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    return read_lines(
        paths,
        file_of(paths, kind),
        lambda raw: _parsed(raw, kind),
        code=_DAMAGED[kind],
        remedy=f"Nothing is pruned until `memkit repair --apply` moves it aside; see then whether a {kind} is missing.",
    )


def current(paths: StorePaths, kind: MarkKind) -> tuple[dict[str, Mark], list[Problem]]:
    """The marks in force, by entry id, in the order they were set; and damaged lines."""
    found, problems = history(paths, kind)
    marks: dict[str, Mark] = {}
    for mark in found:
        marks.pop(mark.entry_id, None)
        if mark.is_set:
            marks[mark.entry_id] = mark
    return marks, problems


def _parsed(raw: Mapping[str, Any], kind: MarkKind) -> Mark:
    entry_id, is_set, at, reason = (raw.get(name) for name in ("entryId", "isSet", "at", "reason"))
    if raw.get("kind") != kind:
        raise jsontext.JsonDamage(f"kind is not {kind}")
    if not is_id(entry_id):
        raise jsontext.JsonDamage("entryId is missing or not of a-z and 0-9")
    if not isinstance(is_set, bool) or not isinstance(reason, str):
        raise jsontext.JsonDamage("isSet or reason is missing or of another kind")
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= 253_402_300_799_999:
        raise jsontext.JsonDamage("at is missing or not epoch milliseconds")
    return Mark(kind, str(entry_id), is_set, clocks.from_ms(at), reason, str(raw.get("actor", "python")))


def put(store: Store, entry_id: str, *, kind: MarkKind, reason: str) -> Mark:
    """Pin an entry, or hold it; on disk when this returns, and in the audit log.

    Raises:
        EntryNotFoundError: there is no such entry, in the trash neither.
        AmbiguousIdError: the beginning of an id fits several.
        InvalidInputError: the reason is empty, too long, or no text.
        StoreError: the disk, a permission or another writer stood in the way; nothing was written.
    """
    return _write(store, find_entry(store, entry_id, trash=True), kind, reason, is_set=True)


def take_off(store: Store, entry_id: str, *, kind: MarkKind, reason: str) -> Mark:
    """Take a pin or a hold off an entry.

    Raises:
        InvalidInputError: the entry has none; or the reason is empty, too long, or no text.
        EntryNotFoundError, AmbiguousIdError, StoreError: as in `put`.
    """
    marks, _ = current(store.paths, kind)
    wanted = entry_id if entry_id in marks else find_entry(store, entry_id, trash=True)
    if wanted not in marks:
        raise InvalidInputError(f"{wanted} has no {kind}", field="id", remedy="`memkit pins` shows what has one.")
    return _write(store, wanted, kind, reason, is_set=False)


def _write(store: Store, entry_id: str, kind: MarkKind, reason: str, *, is_set: bool) -> Mark:
    text = jsontext.require_text(reason, "reason").strip()
    if not text or len(text) > MAX_REASON_CHARS:
        raise InvalidInputError(
            f"has {len(text):,} characters", field="reason", remedy=f"Say in 1 to {MAX_REASON_CHARS:,} characters why."
        )
    mark = Mark(
        kind=kind,
        entry_id=entry_id,
        is_set=is_set,
        at=store.clock.now(),
        reason=store.scrubber.scrub_text(text).text,
        actor=store.audit.actor,
    )
    store.make_folders()
    with store.index_lock.held(_OPERATIONS[kind, is_set]) as held:
        leftovers.finish(store.paths, held, wait_seconds=store.wait_seconds)
        durable.make_folder(store.paths.state)
        durable.append(file_of(store.paths, kind), jsontext.dumps(mark.to_dict()) + b"\n", fsync=True)
    detail = {"entry_id": entry_id, "reason": mark.reason}
    store.audit.record(Event("entry_operation", _OPERATIONS[kind, is_set], detail=detail))
    return mark
