"""Uses confirm: what was recalled and read since the last time is counted, on records and for entries, each use once.

    cut off what the ledger says is counted -> read whole lines -> new bytes of the records, pending -> a `reinforced`
    line in the ledger, with the length and hash of what was read: from here on it is counted -> records into place ->
    cut these bytes off

A crash before the ledger's line leaves everything to be counted by the next run; one after it leaves bytes that the
next run recognises and only cuts off. Uses of entries stand in the ledger's line itself, so that they and the records
change as one. What is gone, or cannot be read as a record, is not confirmed by having been used.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from memkit.model.event import Event
from memkit.model.firing import Firing, read_firing
from memkit.model.ids import is_id
from memkit.model.jsontext import JsonDamage
from memkit.model.ledger import Ledger, LedgerLine, Uses
from memkit.model.record import MAX_COUNT, Record, RecordDamage, is_record_path, read_record, record_hash, write_record
from memkit.store import firings, jsonl, ledger, look, pending, record_events
from memkit.store.firings import FiringsRead, firings_lock
from memkit.store.lock import HeldLock
from memkit.store.pending import NewBytes
from memkit.store.store import Store

# Of one line in the ledger, and of one set of files that change together.
MAX_TARGETS: Final = 500


@dataclass(frozen=True, slots=True)
class Reinforcement:
    """What applying firings did.

    Attributes:
        n_firings: Firings that were applied.
        records: Paths of the records that were confirmed.
        n_entries: Entries whose uses were counted.
    """

    n_firings: int = 0
    records: tuple[str, ...] = ()
    n_entries: int = 0

    def __add__(self, other: Reinforcement) -> Reinforcement:
        paths = tuple(dict.fromkeys((*self.records, *other.records)))
        return Reinforcement(self.n_firings + other.n_firings, paths, self.n_entries + other.n_entries)


def reinforce(store: Store, held: HeldLock, *, run_id: str) -> Reinforcement:
    """Apply the firings that wait, each once.

    Args:
        store: Whose.
        held: The canonical-writer lock.
        run_id: Of the run, as in the audit log.

    Raises:
        StoreError: what was counted is counted, the rest waits for the next run.
    """
    done = Reinforcement()
    known = Ledger.of(ledger.known(store.paths))
    n = 0
    while True:
        _cut(store, known.reinforced)
        read = _next(store)
        if read is None:
            return done
        part, line = _apply(store, held, read, run_id, n)
        known.take(line)
        done, n = done + part, n + 1


def planned(store: Store) -> Reinforcement:
    """What `reinforce` would do now; nothing is changed."""
    used = Ledger.of(ledger.known(store.paths)).reinforced
    data = look.read_bytes(store.paths.firings) or b""
    if used is not None and firings.begins_with(data, used):
        data = data[used.used_bytes :]
    read = firings.read_from(store.paths, data)
    uses, changes = _counted(store, read)
    return Reinforcement(len(read.firings), tuple(each.path for each in changes), sum(is_id(use.id) for use in uses))


def _cut(store: Store, used: LedgerLine | None) -> None:
    if used is None or not look.exists(store.paths.firings):
        return
    with firings_lock(store.paths, store.wait_seconds).held("reinforce") as held:
        firings.cut_used(store.paths, held, used, clock=store.clock)


def _next(store: Store) -> FiringsRead | None:
    """The next lines to apply, few enough for one line of the ledger; None where there are none."""
    data = look.read_bytes(store.paths.firings) or b""
    end = 0
    targets: set[str] = set()
    for line in jsonl.lines(data):
        with suppress(JsonDamage):
            targets.add(read_firing(jsonl.parse_object(line.data)).id)
        if len(targets) > MAX_TARGETS:
            break
        end = line.end
    return firings.read_from(store.paths, data[:end]) if end else None


def _apply(store: Store, held: HeldLock, read: FiringsRead, run_id: str, n: int) -> tuple[Reinforcement, LedgerLine]:
    uses, changes = _counted(store, read)
    line = LedgerLine(
        event="reinforced",
        at=store.clock.now(),
        run=run_id,
        used_bytes=read.n_bytes,
        used_sha256=read.sha256,
        uses=tuple(uses),
    )
    (written,) = pending.commit(store, held, [(line, changes)], name=f"{run_id}-used-{n}")
    record_events.say(store, held, [_event(change, run_id) for change in changes])
    n_entries = sum(is_id(use.id) for use in uses)
    return Reinforcement(len(read.firings), tuple(change.path for change in changes), n_entries), written


def _counted(store: Store, read: FiringsRead) -> tuple[list[Uses], list[NewBytes]]:
    """What the firings come to, for what is there, and the new bytes of the records among it."""
    found: list[Uses] = []
    changes: list[NewBytes] = []
    for use in _sums(read.firings):
        if is_id(use.id):
            if look.exists(store.paths.entry_file(use.id)):
                found.append(use)
            continue
        change = _confirmed(store, use)
        if change is not None:
            found.append(use)
            changes.append(change)
    return found, changes


def _sums(lines: Sequence[Firing]) -> list[Uses]:
    sums: dict[str, Uses] = {}
    for firing in lines:
        is_read = firing.op == "read"
        use = Uses(firing.id, int(not is_read), int(is_read), firing.at)
        sums[firing.id] = sums[firing.id] + use if firing.id in sums else use
    return list(sums.values())


def _confirmed(store: Store, use: Uses) -> NewBytes | None:
    """A record's bytes with its uses counted; None where there is no record that could be read."""
    if not is_record_path(use.id):
        return None
    folder, _, name = use.id.partition("/")
    try:
        data = look.read_bytes(store.paths.folder / use.id)
        if data is None:
            return None
        record = read_record(folder, name.removesuffix(".md"), data)
        return NewBytes(use.id, write_record(_with(record, use), data), record_hash(data))
    except RecordDamage:
        return None  # `verify` says what is wrong with it


def _with(record: Record, use: Uses) -> Record:
    last = use.last_at if record.last_seen_at is None else max(record.last_seen_at, use.last_at)
    return replace(record, reinforcement_count=min(MAX_COUNT, record.reinforcement_count + use.n), last_seen_at=last)


def _event(change: NewBytes, run_id: str) -> Event:
    folder, _, name = change.path.partition("/")
    slug = name.removesuffix(".md")
    detail = {
        "run_id": run_id,
        "kind": read_record(folder, slug, change.data).kind,
        "slug": slug,
        "path": change.path,
        "before_hash": change.before_hash,
        "after_hash": record_hash(change.data),
        "reason": "reinforced",
    }
    return Event("record_operation", "edit", detail=detail)
