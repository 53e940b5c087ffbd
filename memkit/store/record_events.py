"""Each change of a record is in the audit log once, also where a crash came between the change and its line.

`state/record_hashes.jsonl` says what is about to be written, before it is, and what was written, once the log has it:
what is only said to be about to happen is open. The next writer compares it with the file, and with what the log has of
that file last, and says what is missing there. Nothing else depends on that look into the log.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.errors import StoreError
from memkit.model import jsontext
from memkit.model.event import Event
from memkit.model.record import SUFFIX, RecordDamage, read_record, record_hash
from memkit.store import audit_log, jsonl, ledger, look, seen_records
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths
from memkit.store.records import KeptRecord
from memkit.store.seen_records import Change, Seen
from memkit.store.store import Store
from memkit.store.writer import require_held

REASON = "rolled_forward"
_STEP = 1 << 20


def say(store: Store, held: HeldLock, events: Sequence[Event]) -> None:
    """Put changes of records into the log, then write down that they are there; others of the events just go there."""
    require_held(store.paths, held)
    if not events:
        return
    store.audit.record(*events)
    settled = {
        str(event.detail["path"]): event.detail.get("after_hash")
        for event in events
        if event.event == "record_operation" and event.status == "done" and "path" in event.detail
    }
    if settled:
        with suppress(StoreError):  # the log has them, and what was meant stands in the line before
            seen_records.note(store.paths, held, settled)


@dataclass(frozen=True, slots=True)
class _Missed:
    """What became of the open changes of one file.

    Attributes:
        path: The file.
        found: SHA-256 of its bytes; None where it is gone.
        changes: Those that were made, and are not in the log.
    """

    path: str
    found: str | None
    changes: tuple[Change, ...]


def catch_up(store: Store, held: HeldLock) -> None:
    """Say in the log what was done to records and is not there; once, however often this is cut off.

    What had been decided before is a run of its own, set off by `startup_recovery`: the one that was cut off can no
    longer say so.
    """
    paths = store.paths
    require_held(paths, held)
    missed = _missed(paths, store.seen_records.read().open)
    events = [(_event(paths, each.path, change), (each.path, *change)) for each in missed for change in each.changes]
    is_said = True
    if events:
        decided = {
            (change.path, change.before_hash, change.after_hash)
            for line in ledger.read(paths)[0]
            for change in line.files
        }
        mine = [event for event, key in events if key in decided]
        others = [event for event, key in events if key not in decided]
        if mine:
            with store.audit.run(worker="memory_consolidation", trigger="startup_recovery") as run:
                is_said = store.audit.record(*(_of(event, run.run_id) for event in mine))
                n_written = sum(event.op == "write" for event in mine)
                run.count(write=n_written, edit=len(mine) - n_written)
                run.complete("records_updated")
        if others:
            is_said = store.audit.record(*others) and is_said
    if missed and is_said:
        with suppress(StoreError):
            seen_records.note(paths, held, {each.path: each.found for each in missed})


def _missed(paths: StorePaths, waiting: Mapping[str, Seen]) -> list[_Missed]:
    """The files with open changes, as far as those explain what is there; a hand edit on top is left to be noticed."""
    found: list[_Missed] = []
    logged = last_logged(paths, waiting) if waiting else {}
    for path, seen in waiting.items():
        try:
            data = look.read_bytes(paths.folder / path)
        except StoreError:
            continue  # nobody can say what is in it
        there = None if data is None else record_hash(data)
        made = _made(seen.open, there)
        last = logged.get(path)
        if not seen.fits(there):  # somebody edited it since, from what the log says of it last
            made, there = (), last[1] if last in seen.open else seen.open[0][0]
        found.append(_Missed(path, there, made[made.index(last) + 1 :] if last in made else made))
    return found


def _made(changes: Sequence[Change], there: str | None) -> tuple[Change, ...]:
    """Those changes, one after another, that lead to what is there; one that failed leads nowhere."""
    made: list[Change] = []
    for change in reversed(changes):
        if change[1] == there:
            made.insert(0, change)
            there = change[0]
    return tuple(made)


def last_logged(paths: StorePaths, wanted: Collection[str], *, within: int | None = None) -> dict[str, Change]:
    """The last change of each file that the log has, from its newest line on; compacted days are not looked into.

    Args:
        paths: Where the log lies.
        wanted: The files, by path.
        within: Look only at about so many bytes at the end of the log.
    """
    found: dict[str, Change] = {}
    left = {path: jsontext.dumps({"path": path})[1:-1] for path in wanted}
    n = 0
    for day in reversed(audit_log.days(paths)):
        for block in _blocks(paths.log_file(day)):
            for path, needle in list(left.items()):
                change = _last_in(block, needle, path)
                if change is not None:
                    found[path] = change
                    del left[path]
            n += len(block)
            if not left or (within is not None and n >= within):
                return found
    return found


def _blocks(file: Path) -> Iterator[bytes]:
    """The whole lines of a log, the newest block first."""
    info = look.status_of(file)
    end, rest = info.st_size if info else 0, b""
    while end > 0:
        start = max(0, end - _STEP)
        block = (look.read_from(file, start, limit=end - start) or b"") + rest
        cut = block.find(b"\n") + 1 if start else 0
        rest, end = block[:cut] if cut or not start else block, start
        if cut or not start:
            yield block[cut:]


def _last_in(block: bytes, needle: bytes, path: str) -> Change | None:
    at = block.rfind(needle)
    while at >= 0:
        start = block.rfind(b"\n", 0, at) + 1
        end = block.find(b"\n", at)
        with suppress(jsontext.JsonDamage):
            raw = jsonl.parse_object(block[start : end if end >= 0 else len(block)])
            if raw.get("event") == "record_operation" and raw.get("status") == "done" and raw.get("path") == path:
                return _hash(raw.get("before_hash")), _hash(raw.get("after_hash"))
        at = block.rfind(needle, 0, start)
    return None


def _hash(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _event(paths: StorePaths, path: str, change: Change) -> Event:
    before, after = change
    folder, _, name = path.partition("/")
    slug = name.removesuffix(SUFFIX)
    kind = None
    with suppress(StoreError, RecordDamage):
        data = look.read_bytes(paths.folder / path)
        kind = None if data is None else read_record(folder, slug, data).kind
    detail = {"kind": kind, "slug": slug, "path": path, "before_hash": before, "after_hash": after, "reason": REASON}
    op = "delete" if after is None else "write" if before is None else "edit"
    return Event("record_operation", op, detail=_known(detail))


def _of(event: Event, run_id: str) -> Event:
    return Event(event.event, event.op, detail={"run_id": run_id, **event.detail})


def _known(detail: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in detail.items() if value is not None}


def superseded(kept: KeptRecord) -> Event:
    """What the log says of a record that another one replaced."""
    detail = {
        "kind": kept.record.kind,
        "slug": kept.record.slug,
        "path": kept.record.path,
        "before_hash": kept.before_hash,
        "after_hash": kept.after_hash,
        "reason": "superseded",
    }
    return Event("record_operation", "edit", detail=detail)
