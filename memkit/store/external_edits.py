"""Noticing that a person changed records in an editor, and saying it once in the audit log.

A hand edit is legitimate: nothing is undone and nothing refused. It is noticed when records are next read or written by
the record tools: bytes that memkit neither wrote nor has seen. If somebody else writes records at that moment, or the
store cannot be written to, it is left to the next look.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from memkit.errors import StoreError
from memkit.model.event import Event
from memkit.model.record import SUFFIX
from memkit.store import canonical, pending, record_events, records, seen_records
from memkit.store.lock import HeldLock
from memkit.store.records import RecordFile, RecordsRead
from memkit.store.seen_records import SeenRecords
from memkit.store.store import Store

_NEVER = ("", "")
_NEAR = 1 << 20  # bytes at the end of the log in which a call that was cut off just now left its line


@dataclass(frozen=True, slots=True)
class ExternalEdit:
    """One record that somebody changed without memkit.

    Attributes:
        path: The file, relative to the project's folder in the store.
        before_hash: SHA-256 of the bytes memkit knew; None for a file it did not know.
        after_hash: SHA-256 of the bytes that are there; None for one that is gone.
        kind: Of the record, where it can be read.
        slug: Its name.
    """

    path: str
    before_hash: str | None
    after_hash: str | None
    kind: str | None
    slug: str


def notice(store: Store, read: RecordsRead, seen: SeenRecords) -> tuple[ExternalEdit, ...]:
    """Say what a person changed since memkit last looked, if somebody did; `read` and `seen` tell whether to look.

    Never raises for a store that cannot be written to, or is being written to.
    """
    if read.is_partial or not (seen.open or any(_edits(read.files, seen))):
        return ()
    with suppress(StoreError):
        held = canonical.canonical_lock(store.paths, 0).try_acquire("look for edits by hand")
        if held is not None:
            try:
                return settle(store, held)
            finally:
                held.release()
    return ()


def settle(store: Store, held: HeldLock) -> tuple[ExternalEdit, ...]:
    """Look again under the lock, say what was changed, and remember it as seen.

    What a crash kept out of the log comes first; a change that a crash cut off half-way is left to the next writer.
    """
    if not pending.waiting(store.paths):
        record_events.catch_up(store, held)
    seen = seen_records.read(store.paths)
    read = records.read_all(store.paths)
    edits = () if read.is_partial else tuple(_edits(read.files, seen))
    _say(store, held, edits)
    seen_records.shorten(store.paths, held, seen_records.read(store.paths))
    return edits


def settle_one(store: Store, held: HeldLock, file: RecordFile) -> None:
    """The same for one record that is about to be written, so that its history has no gap."""
    seen = store.seen_records.read().by_path.get(file.path)
    known = {file.path: seen} if seen is not None else {}
    _say(store, held, tuple(_edits([file], SeenRecords(known))))


def _say(store: Store, held: HeldLock, edits: Sequence[ExternalEdit]) -> None:
    """Put edits into the log, those apart that a call which was cut off has put there; then remember what was seen."""
    paths = [edit.path for edit in edits]
    logged = record_events.last_logged(store.paths, paths, within=_NEAR) if edits else {}
    new = [edit for edit in edits if logged.get(edit.path, _NEVER) != (edit.before_hash, edit.after_hash)]
    if edits and (not new or store.audit.record(*map(_event, new))):
        seen_records.note(store.paths, held, {edit.path: edit.after_hash for edit in edits})


def _edits(files: Iterable[RecordFile], seen: SeenRecords) -> Iterable[ExternalEdit]:
    left: dict[str, seen_records.Seen] = dict(seen.by_path)
    for file in files:
        known = left.pop(file.path, None)
        before = known.sha256 if known else None
        if file.state == "unreadable" or (file.data is None and file.state != "missing"):
            continue  # nobody can say what is in it
        if known is None and file.sha256 is not None:
            yield _edit(file.path, None, file)
        elif known is not None and not known.fits(file.sha256):
            yield _edit(file.path, before, file)
    for path, known in left.items():
        if not known.fits(None):
            yield _edit(path, known.sha256, None)


def _edit(path: str, before: str | None, file: RecordFile | None) -> ExternalEdit:
    record = file.record if file else None
    slug = path.rpartition("/")[2].removesuffix(SUFFIX)
    after = file.sha256 if file else None
    return ExternalEdit(path, before, after, record.kind if record else None, slug)


def _event(edit: ExternalEdit) -> Event:
    detail: Mapping[str, object] = {
        "kind": edit.kind,
        "slug": edit.slug,
        "path": edit.path,
        "before_hash": edit.before_hash,
        "after_hash": edit.after_hash,
    }
    return Event("record_operation", "external_edit", detail={k: v for k, v in detail.items() if v is not None})
