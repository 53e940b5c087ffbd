"""Erasing one entry, and proving it.

The entry is compared with every other living one, for what only it says (`memkit.store.traces`); then every file of the
store that may hold it is written anew or removed, in the order of `memkit.store.erasing`; then every file is looked
into for what only it said. The receipt says what was done and what the look found. It cannot speak for what lies
outside the store: another process that has the memory open may hold the text until it refreshes, and backups, copies
and the document an entry was imported from are not memkit's.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memkit import clock
from memkit.display import Displayable, count
from memkit.errors import ConfirmationError, DamagedError, EntryNotFoundError, HeldError, InvalidInputError, StoreError
from memkit.model import jsontext
from memkit.model.entry import EntryDamage, Source
from memkit.model.erasure import ERASED, Erasure, digests
from memkit.model.event import Event
from memkit.model.ids import is_id
from memkit.model.scan import Scan
from memkit.model.upgrades import read_entry
from memkit.retention.scanning import scan_for_traces
from memkit.snapshot import audit_days, removing
from memkit.store import erasers, erasing, erasures, leftovers, look, marks
from memkit.store.erasers import Hand, Removed
from memkit.store.erasing import Sifted
from memkit.store.lock import HeldLock, Lock
from memkit.store.naming import match_id
from memkit.store.paths import StorePaths
from memkit.store.store import Store
from memkit.store.traces import Traces

MAX_REASON_CHARS = 2_000
ELSEWHERE = (
    "Another process that has this memory open may hold the text until it refreshes; backups, and the document an "
    "entry was imported from, are as they were."
)


@dataclass(frozen=True, slots=True)
class Citation:
    """Something that stays and points to the erased entry, for a person to decide about.

    Attributes:
        kind: `entry` or `record`.
        name: The entry's id, or the record's slug.
        file: Relative to the project's folder in the store.
        how: `cites` its id, `quotes` it, or `says much the same`: it holds most of its words.
    """

    kind: Literal["entry", "record"]
    name: str
    file: str
    how: Literal["cites", "quotes", "says much the same"]


@dataclass(frozen=True, slots=True)
class EraseReceipt(Displayable):
    """What was erased, or would be, and what a look into every byte of the store found afterwards.

    Attributes:
        id: The entry, or the name of the record.
        as_of: When.
        dry_run: Nothing was changed; there is no scan.
        removed: What left which file.
        cited_by: What stays and points to it.
        n_fragments: Fragments that no other living entry holds, and that were looked for.
        scan: The look; its `found` names what is left, masked.
        elsewhere: What the receipt cannot speak for.
    """

    id: str
    as_of: dt.datetime
    dry_run: bool
    removed: tuple[Removed, ...]
    cited_by: tuple[Citation, ...]
    n_fragments: int
    scan: Scan | None
    elsewhere: str = ELSEWHERE

    @property
    def is_clean(self) -> bool:
        """Whether it was erased and nothing of it was found."""
        return self.scan is not None and self.scan.is_clean

    def __repr__(self) -> str:
        did = "would erase" if self.dry_run else "erased"
        left = "" if self.scan is None else f", {self.scan.n_found} found afterwards"
        return f"<EraseReceipt: {did} {self.id} from {count(len({r.file for r in self.removed}), 'file')}{left}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; `matched` is 1."""
        return {
            "id": self.id,
            "matched": 1,
            "as_of": clock.iso(self.as_of),
            "dry_run": self.dry_run,
            "removed": [asdict(item) for item in self.removed],
            "cited_by": [asdict(item) for item in self.cited_by],
            "n_fragments": self.n_fragments,
            "scan": None if self.scan is None else self.scan.to_dict(),
            "is_clean": self.is_clean,
            "elsewhere": self.elsewhere,
        }


def find(paths: StorePaths, id: str) -> str:
    """The one entry whose id is `id` or begins with it, wherever there is a copy of it.

    Raises:
        EntryNotFoundError: there is none.
        AmbiguousIdError: there are several; it lists them.
    """
    wanted = str(id).strip().lower()
    if is_id(wanted) and look.exists(paths.entry_file(wanted)):
        return wanted
    known = erasing.ids_with_a_copy(paths)
    known.update(erasure.id for erasure in erasures.under_way(paths))
    try:
        return match_id(known, wanted)
    except EntryNotFoundError as error:
        gone = next((erasure for erasure in erasures.erased(paths) if erasure.id == wanted), None)
        if gone is None:
            raise
        raise EntryNotFoundError(
            f"matched: 0; {wanted} was erased on {gone.erased_at:%Y-%m-%d}", field="id", remedy=error.remedy
        ) from None


def erase(store: Store, id: str, *, confirm: bool | str = False, reason: str = "") -> EraseReceipt:
    """Erase one entry from every file of the store, and look for what is left.

    Without `confirm` it is only said what would go.

    Args:
        store: The store.
        id: The entry's id, or its first characters.
        confirm: True or "yes" to do it.
        reason: Why; kept with the id, scrubbed, and without what the entry said.

    Raises:
        EntryNotFoundError: nothing in the store has this id.
        AmbiguousIdError: several entries begin with it.
        HeldError: a legal hold stands on it.
        ConfirmationError: `confirm` is something else than True, False or "yes".
        StoreError: the disk, a permission or another writer stood in the way. What was begun is carried on by the next
            writer, and `verify` says so.
    """
    require_yes(confirm)
    said = clean_reason(store, reason)
    paths = store.paths
    entry_id = find(paths, id)
    _refuse_if_held(paths, entry_id)
    sifted = erasing.sift(paths, [entry_id])
    cited_by = tuple(_citations(paths, sifted))
    n = len(sifted.traces)
    if confirm is False:
        planned = tuple(_planned(store, sifted.traces))
        return EraseReceipt(entry_id, store.clock.now(), True, planned, cited_by, n, None)
    erasure = _erasure(store, sifted.traces, said)
    removed = _carry_out(store, erasure, sifted.traces)
    try:
        scan = scan_for_traces(store, sifted.traces, sifted.seen)
    except StoreError as error:
        error.add_note("the entry is erased; only the look into every file afterwards failed")
        raise
    detail = {"entry_id": entry_id, "n_files": len({each.file for each in removed}), "n_found": scan.n_found}
    store.audit.record(Event("entry_operation", "erase", detail=detail))
    return EraseReceipt(entry_id, erasure.erased_at, False, tuple(removed), cited_by, n, scan)


def require_yes(confirm: object) -> None:
    """Refuse anything but True, False and "yes".

    Raises:
        ConfirmationError: it is something else.
    """
    if not isinstance(confirm, bool) and confirm != "yes":
        raise ConfirmationError(f"got {confirm!r:.40}", field="confirm", remedy="Pass confirm=True to erase for good.")


def clean_reason(store: Store, reason: str) -> str:
    """A reason as it may be kept: scrubbed.

    Raises:
        InvalidInputError: it is no text, or too long.
    """
    said = jsontext.require_text(reason, "reason").strip()
    if len(said) > MAX_REASON_CHARS:
        raise InvalidInputError(
            f"has {len(said):,} characters", field="reason", remedy=f"Say it in {MAX_REASON_CHARS:,} characters."
        )
    return store.scrubber.scrub_text(said).text


def _refuse_if_held(paths: StorePaths, entry_id: str) -> None:
    held, damaged = marks.current(paths, "hold")
    if entry_id in held:
        raise HeldError(
            f"{entry_id} is held: {held[entry_id].reason:.200}", file=paths.holds, field="id",
            remedy="Whoever set the hold has to take it off first.",
        )  # fmt: skip
    if damaged:
        raise DamagedError(
            "a line cannot be read, so nobody knows whether the entry is held", file=paths.holds,
            remedy="Run `memkit repair --apply`; it moves the line to quarantine. Then see whether a hold is missing.",
        )  # fmt: skip


def _carry_out(store: Store, erasure: Erasure, traces: Traces) -> list[Removed]:
    paths = store.paths
    with others_kept_out(store) as snapshot, store.index_lock.held("erase") as held:
        under_way = {each.id: each for each in erasures.under_way(paths)}
        leftovers.finish(paths, held, wait_seconds=store.wait_seconds)
        erasing.finish_begun(paths, held, snapshot=snapshot, forget=audit_days.forget_text)
        return run(store, [under_way.get(erasure.id, erasure)], traces, held=held, snapshot=snapshot)


@contextmanager
def others_kept_out(store: Store) -> Iterator[HeldLock]:
    """Hold the lock of records and that of the snapshot, which is given: both come before the index's."""
    with (
        Lock(store.paths.canonical_lock, store.wait_seconds).held("erase"),
        Lock(store.paths.snapshot_lock, store.wait_seconds).held("erase") as snapshot,
    ):
        yield snapshot


def run(store: Store, begun: Sequence[Erasure], traces: Traces, *, held: HeldLock, snapshot: HeldLock) -> list[Removed]:
    """Carry out erasures from their intent to their end, the snapshot written anew where it held the entries.

    Raises:
        StoreError: the disk or a permission stood in the way; the next writer carries on.
    """
    paths, ids = store.paths, {erasure.id for erasure in begun}
    was = removing.before(paths, lambda data: erasers.index_without(data, traces)[0])
    try:
        return erasing.run(
            paths, begun, traces, held=held, wait_seconds=store.wait_seconds, forget=audit_days.forget_text,
            snapshot=lambda: removing.publish(paths, was, ids, held=snapshot),
        )  # fmt: skip
    except StoreError as error:
        if look.exists(paths.erasing):
            error.add_note("the erasure was begun; the next writer, or erasing again, carries it on")
        raise


def _planned(store: Store, traces: Traces) -> Iterable[Removed]:
    """What every eraser would take, in the order they work; nothing is changed."""
    paths, dry = store.paths, Hand(dry=True)
    yield from erasers.index_line(paths, traces, None, wait_seconds=0)
    yield from erasers.log_text(paths, traces, dry, wait_seconds=store.wait_seconds)
    if look.exists(paths.compacted):
        concerns, damage = erasers.concerning(traces), erasers.in_damage(traces)
        for name in audit_days.about(paths, concerns, in_damage=damage):
            yield Removed(paths.relative(paths.logs / name), "log text", "file")
    for eraser in (erasers.lines, erasers.reasons, erasers.candidates, erasers.quarantine):
        yield from eraser(paths, traces, dry)
    yield from removing.planned(paths, {traces.id})
    for eraser in (erasers.leftover, erasers.trash_files, erasers.entry_file):
        yield from eraser(paths, traces, dry)


def _erasure(store: Store, traces: Traces, reason: str) -> Erasure:
    """What will be known of the entry."""
    paths = store.paths
    why = ERASED if traces.are_in(reason) else reason
    erasure = Erasure(traces.id, store.clock.now(), store.audit.actor, why)
    for file in erasing.copies(paths, [traces.id])[traces.id]:
        try:
            entry = read_entry(jsontext.loads_object(look.read_bytes(file) or b""))
        except (jsontext.JsonDamage, EntryDamage):
            continue
        salt, place, content = _digests(entry.source)
        return Erasure(
            erasure.id, erasure.erased_at, erasure.actor, erasure.reason, entry.stored_at, salt, place, content
        )
    return erasure


def _digests(source: Source | None) -> tuple[str, str, str]:
    if source is None:
        return "", "", ""
    salt = erasures.fresh_salt()
    return (salt, *digests(salt, source))


def _citations(paths: StorePaths, sifted: Sifted) -> Iterable[Citation]:
    cites = set(sifted.cited_by)
    for entry_id in (*sifted.cited_by, *(each for each in sifted.alike if each not in cites)):
        file = f"results/{entry_id}.json" if is_id(entry_id) else entry_id
        yield Citation("entry", entry_id, file, "cites" if entry_id in cites else "says much the same")
    for folder in (paths.memory, paths.knowledge, paths.deleted_records):
        for path, _ in look.tree(folder):
            data = look.read_bytes(path) if path.suffix == ".md" else None
            if data is None:
                continue
            if sifted.traces.id.encode() in data:
                yield Citation("record", path.stem, paths.relative(path), "cites")
            elif sifted.traces.are_in(data):
                yield Citation("record", path.stem, paths.relative(path), "quotes")
