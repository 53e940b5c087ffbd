"""Stores made for the ladder, and the look at them from outside.

An entry of the ladder carries a marker in question and result, and padding of a known length, so that half an entry or
a mixture of two is noticed. A `Ledger` says what was acknowledged; it is kept by whoever caused the writes, never read
from the store.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import stat
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from memkit.clock import SystemClock
from memkit.errors import MemkitError, MemkitWarning
from memkit.model.entry import Source
from memkit.store import leftovers, look
from memkit.store.new_entry import NewEntry
from memkit.store.paths import StorePaths
from memkit.store.repair import repair
from memkit.store.store import Store
from memkit.store.verify import verify

# What a crash may leave and the next write or repair mends; nothing of it costs an entry.
AFTER_A_CRASH = frozenset(
    {"orphan-entry", "leftover-temp", "torn-tail", "damaged-line", "index-missing", "torn-log-line"}
)
# What repair leaves to a person: a log is only appended to, a lost note is lost, another memkit's entry is its own.
FOR_EVER = frozenset({"damaged-log-line", "broken-log-chain", "note-damaged", "newer-entry", "foreign-entry"})
# The harness sets retention to none: what a memory moves to the trash by itself would look lost.
NO_RETENTION = {"MEMKIT_RETENTION__ENABLED": "false"}
AFTER_A_CUT_REPAIR = frozenset({"note-missing"})


@dataclass(frozen=True, slots=True)
class Masked:
    text: str
    counts: dict[str, int] = field(default_factory=dict)


class PlainScrubber:
    """Masks nothing: the ladder's texts hold no secrets, and scrubbing has its own tests."""

    def scrub_text(self, text):
        return Masked(text)

    def scrub_json(self, value):
        return value, {}


def paths_of(root, project: str = "/projects/demo") -> StorePaths:
    return StorePaths.for_project(root, project)


def open_store(root, project: str = "/projects/demo", *, wait_seconds: float = 5.0, clock=None) -> Store:
    return Store(
        paths_of(root, project), clock=clock or SystemClock(), scrubber=PlainScrubber(), wait_seconds=wait_seconds
    )


def new(marker: str, *, padding: int = 60, **more) -> NewEntry:
    result = {"conclusion": f"concluded {marker}", "marker": marker, "padding": "x" * padding, "length": padding}
    return NewEntry(question=f"question {marker}", result=result, **more)


def imported(marker: str, *, replaces: str | None = None) -> NewEntry:
    source = Source(kind="adr", path=f"docs/{marker}.md", sha256=hashlib.sha256(marker.encode()).hexdigest())
    return new(marker, panel_id="adr", source=source, replaces=replaces)


@dataclass
class Ledger:
    """What a store must, may and must not hold.

    Attributes:
        must: Acknowledged: id and marker.
        may: Markers of writes that were under way: wholly there or wholly absent.
        gone: Markers whose erasure was acknowledged.
        wiping: An erasure was under way: all of `must` or none of it.
        lost: Ids whose file was damaged on purpose.
        trashed: Ids in the trash, and their markers.
        moving: Ids that a plan under way moves to the trash or back: all are shown or none, and none is lost.
        envelopes: SHA-256 of envelopes by id, of those that were ever to be moved.
        unlisted: Ids whose index line was damaged on purpose; a repair has to list them again.
        kept: Damaged bytes that have to stay somewhere: where they stood, or in quarantine.
        records: Acknowledged records by slug with their marker; None for one whose deletion was acknowledged.
        forgotten: Text of the audit log was forgotten.
        erasing: Id and marker of what is being erased: wholly there or wholly absent, in every file.
    """

    must: dict[str, str] = field(default_factory=dict)
    may: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    wiping: bool = False
    lost: set[str] = field(default_factory=set)
    trashed: dict[str, str] = field(default_factory=dict)
    moving: dict[str, str] = field(default_factory=dict)
    envelopes: dict[str, str] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    kept: set[bytes] = field(default_factory=set)
    records: dict[str, str | None] = field(default_factory=dict)
    forgotten: bool = False
    erasing: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Ledger:
        return Ledger(
            dict(self.must),
            set(self.may),
            set(self.gone),
            self.wiping,
            set(self.lost),
            dict(self.trashed),
            dict(self.moving),
            dict(self.envelopes),
            set(self.unlisted),
            set(self.kept),
            dict(self.records),
            self.forgotten,
            dict(self.erasing),
        )

    def acknowledge(self, receipts) -> None:
        for receipt in receipts:
            marker = receipt.entry.result["marker"]
            self.must[receipt.id] = marker
            self.may.discard(marker)


def entry_problems(entry) -> Iterator[str]:
    """Whether an entry of the ladder is whole."""
    result = entry.result
    marker = result.get("marker")
    if entry.question != f"question {marker}" or result.get("conclusion") != f"concluded {marker}":
        yield f"{entry.id} mixes two entries"
    if len(result.get("padding", "")) != result.get("length"):
        yield f"{entry.id} is half an entry"


def violations(
    root,
    ledger: Ledger,
    *,
    project: str = "/projects/demo",
    allowed: Iterable[str] = AFTER_A_CRASH,
    thorough: bool = True,
) -> list[str]:
    """What is wrong with a store, by the invariants of the ladder; it is opened anew, as the next user would.

    With `thorough` it is also written to and repaired, and looked at again.
    """
    found: list[str] = []
    with quietly():
        try:
            store = open_store(root, project)
            before = fingerprint(store.paths.folder)
            found += _looked_at(store, ledger, frozenset(allowed))
            if fingerprint(store.paths.folder) != before:
                found.append("I9: looking changed a byte")
            if thorough:
                found += _lived_on(store, ledger, frozenset(allowed))
        except MemkitError as error:
            found.append(f"opening raised {type(error).__name__}: {error}")
        except Exception as error:  # whatever it is, it is a finding about this store
            found.append(f"an untyped error: {type(error).__name__}: {error}")
    return found


def _looked_at(store: Store, ledger: Ledger, allowed: frozenset[str]) -> Iterator[str]:
    if "store-json-damaged" not in allowed:
        store.info()
    read = store.read_index()
    listed = [line.id for line in read.lines]
    hidden = store.trash().hidden
    if read.repeated and "repeated-line" not in allowed:
        yield f"I5: {len(read.repeated)} ids have two lines"
    markers: Counter[str] = Counter()
    there: dict[str, str] = {}
    for name in look.names_in(store.paths.results):
        if not name.endswith(".json") or name.startswith("."):
            continue
        entry_id = name.removesuffix(".json")
        if entry_id in ledger.lost or entry_id in hidden:
            continue
        try:
            entry = store.read_entry(entry_id)
        except MemkitError as error:
            yield f"I2: {entry_id} cannot be read: {type(error).__name__}"
            continue
        yield from (f"I2: {problem}" for problem in entry_problems(entry))
        marker = entry.result.get("marker")
        there[entry_id] = marker
        markers[marker] += 1
        if marker in ledger.gone:
            yield f"{marker} was erased and is back"
        elif entry_id in ledger.moving and ledger.moving[entry_id] == marker:
            continue
        elif ledger.must.get(entry_id) != marker and marker not in ledger.may:
            yield f"{marker} was never asked for"
    yield from (f"I5: {marker} is there {n} times" for marker, n in markers.items() if n > 1)
    missing = [
        entry_id
        for entry_id in ledger.must
        if entry_id not in there and entry_id not in ledger.lost and entry_id not in ledger.moving
    ]
    if not ledger.wiping:
        yield from _about_trash(store, ledger, set(there))
    if ledger.wiping and len(missing) == len(set(ledger.must) - ledger.lost):
        missing = []
        if any(entry_id in ledger.must for entry_id in listed):
            yield "I4: an erased entry is still listed"
    yield from (f"I1: {entry_id} ({ledger.must[entry_id]}) was acknowledged and is gone" for entry_id in missing)
    unlisted = [
        entry_id
        for entry_id in ledger.must
        if entry_id in there and entry_id not in listed and entry_id not in ledger.unlisted
    ]
    yield from (f"I1: {entry_id} ({ledger.must[entry_id]}) was acknowledged and is not listed" for entry_id in unlisted)
    yield from (
        f"I4: the line of {entry_id} has no file"
        for entry_id in listed
        if entry_id not in there and entry_id not in ledger.lost
    )
    places = (store.paths.results, store.paths.quarantine, store.paths.trash)
    bytes_there = {path.read_bytes() for place in places if ledger.kept for path in place.glob("*") if path.is_file()}
    yield from (f"damaged bytes were lost: {data[:30]!r}" for data in ledger.kept - bytes_there)
    for problem in verify(store):
        if problem.code not in allowed:
            yield f"I3: verify says {problem.code} {problem.file}: {problem.detail}"
    for path, info in look.tree(store.paths.folder):
        if look.is_wide(info) and "wide-mode" not in allowed:
            yield f"I8: {path.name} has mode {stat.S_IMODE(info.st_mode):04o}"


def _about_trash(store: Store, ledger: Ledger, there: set[str]) -> Iterator[str]:
    """What a plan moves is shown whole or not at all, and every envelope has the bytes it had."""
    shown = set(ledger.moving) & there
    if shown and shown != set(ledger.moving):
        yield f"half a plan: {len(shown)} of {len(ledger.moving)} are shown"
    yield from (f"{entry_id} is in the trash and shown" for entry_id in ledger.trashed if entry_id in there)
    trash = store.trash()
    for entry_id in {**ledger.moving, **ledger.trashed}:
        if entry_id not in there and entry_id not in trash.entries:
            yield f"I1: {entry_id} is neither shown nor in the trash"
        places = (store.paths.entry_file(entry_id), store.paths.trash_file(entry_id))
        found = {hashlib.sha256(path.read_bytes()).hexdigest() for path in places if path.exists()}
        if found != {ledger.envelopes[entry_id]}:
            yield f"I1: the envelope of {entry_id} is {'changed' if found else 'gone'}"


def _lived_on(store: Store, ledger: Ledger, allowed: frozenset[str]) -> Iterator[str]:
    """Write once more, repair, and look again: nothing acknowledged may be missing then either."""
    if "store-json-damaged" in allowed:
        repair(store, dry_run=False)  # nothing is written beside a store.json that cannot be read
    (after,) = store.store_many([new("afterwards")])
    later = ledger.copy()
    later.must[after.id] = "afterwards"
    if ledger.wiping:
        survivors = {entry_id for entry_id in ledger.must if look.exists(store.paths.entry_file(entry_id))}
        later.must = {k: v for k, v in later.must.items() if k in survivors or k == after.id}
        later.gone |= {marker for entry_id, marker in ledger.must.items() if entry_id not in survivors}
        later.wiping = False
        later.trashed.clear()
        later.moving.clear()
    yield from (f"after the next store: {problem}" for problem in _looked_at(store, later, allowed))
    leftovers.sweep(store.paths)
    repair(store, dry_run=False)
    later.unlisted.clear()
    yield from (f"after repair: {problem}" for problem in _looked_at(store, later, allowed & FOR_EVER))
    if repair(store, dry_run=False).actions:
        yield "I9: a second repair found something to do"


def fingerprint(folder: pathlib.Path) -> str:
    """A hash of every name, mode and byte in a folder, lock files aside (they hold notes for people)."""
    total = hashlib.sha256()
    for path, info in look.tree(folder):
        total.update(os.fsencode(path))
        total.update(f"{info.st_mode} {info.st_size}".encode())
        if stat.S_ISREG(info.st_mode) and not path.name.endswith(".lock"):
            total.update(path.read_bytes())
    return total.hexdigest()


@contextmanager
def quietly() -> Iterator[None]:
    """Let memkit warn without stopping the test; what it warns about is looked at by other means."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MemkitWarning)
        yield
