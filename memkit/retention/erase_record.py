"""Erasing a record: the file, what is kept of it where deleted records lie, and what quotes it elsewhere.

A record that a person deletes goes to `trash/records/` and stays there. Erasing takes it from there as well, and what
quotes it out of staging, dead letters, telemetry, quarantine and log text, in that order; its own files go last, so
that whoever erases again after a crash still finds the rest by them. Ledger, hashes and events keep its name: a slug is
a name, not a text. Entries and other records are not touched; what they say too is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from memkit.errors import RecordNotFoundError
from memkit.model import jsontext
from memkit.model.event import Event
from memkit.model.record import KNOWLEDGE, MEMORY, SUFFIX, RecordDamage, read_record
from memkit.model.slugs import require_slug
from memkit.retention.erase import EraseReceipt, clean_reason, require_yes
from memkit.retention.scanning import scan_for_traces
from memkit.snapshot import audit_days
from memkit.store import canonical, erasers, erasures, external_edits, look, record_events, records, seen_records
from memkit.store.erasers import Hand, Removed
from memkit.store.paths import StorePaths
from memkit.store.store import Store
from memkit.store.traces import Sifting, Traces, texts_in, words_in

_FOLDERS = (MEMORY, KNOWLEDGE)


def erase_record(store: Store, slug: str, *, confirm: bool | str = False, reason: str = "") -> EraseReceipt:
    """Erase a record, living or deleted, and look for what is left of it.

    Without `confirm` it is only said what would go.

    Args:
        store: The store.
        slug: The record's name.
        confirm: True or "yes" to do it.
        reason: Why; for the audit log.

    Raises:
        RecordNotFoundError: there is no record of this name, and none where deleted ones lie.
        ConfirmationError: `confirm` is something else than True, False or "yes".
        LockedError: somebody else writes records.
        StoreError: the disk or a permission stood in the way; erase again.
    """
    require_yes(confirm)
    require_slug(slug)
    said = clean_reason(store, reason)
    paths = store.paths
    if not copies(paths, slug):
        raise RecordNotFoundError(
            f"matched: 0; no record {slug}, and none among the deleted ones", file=paths.folder, field="slug"
        )
    traces = _sift(paths, slug)
    if confirm is False:
        dry = Hand(dry=True)
        planned = [*_elsewhere(store, traces, dry), *_files(paths, slug, dry)]
        return EraseReceipt(slug, store.clock.now(), True, tuple(planned), (), len(traces), None)
    why = "" if traces.are_in(said) else said
    with canonical.writing(store, "erase") as held, store.index_lock.held("erase"):
        removed = list(_elsewhere(store, traces, Hand()))
        erased: list[Event] = []
        for folder in _FOLDERS:
            file = records.read(paths, folder, slug)
            external_edits.settle_one(store, held, file)
            path, before_hash = file.path, file.sha256
            if before_hash is not None:
                seen_records.intend(paths, held, path, None, was=before_hash)
                erased.append(_event(slug, why, path=path, before_hash=before_hash))
        removed += _files(paths, slug, Hand())
        record_events.say(store, held, erased or [_event(slug, why)])
    scan = scan_for_traces(store, traces)
    return EraseReceipt(slug, store.clock.now(), False, tuple(removed), (), len(traces), scan)


def _event(slug: str, why: str, **living: str) -> Event:
    return Event("record_operation", "erase", detail={"slug": slug, **living, "reason": why or None})


def copies(paths: StorePaths, slug: str) -> list[Path]:
    """The files that are this record: living, deleted, and the notes beside deleted ones, which come last."""
    living = [paths.folder / folder / f"{slug}{SUFFIX}" for folder in _FOLDERS]
    kept = re.compile(rf"(?:{'|'.join(_FOLDERS)})-{re.escape(slug)}-[0-9a-f]{{12}}\.(?:md|json)")
    deleted = [paths.deleted_records / name for name in look.names_in(paths.deleted_records) if kept.fullmatch(name)]
    found = [path for path in (*living, *deleted) if look.exists(path)]
    return sorted(found, key=lambda path: (path.suffix == ".json", path))


def _sift(paths: StorePaths, slug: str) -> Traces:
    """What only this record says: compared with every living entry and every other record."""
    mine = copies(paths, slug)
    texts = [text for path in mine for text in _texts(slug, path)]
    own = words_in(f"{paths.project_path} {paths.key} {paths.root} {slug}".encode("utf-8", "surrogatepass"))
    others = (name.removesuffix(".json").encode() for name in look.names_in(paths.results))
    gone = (erasure.id.encode() for erasure in erasures.erased(paths))
    sifting = Sifting(slug, texts, own=(*own, *others, *gone))
    folders = (paths.results, paths.trash, *(paths.folder / folder for folder in _FOLDERS))
    for path in _others(folders, mine):
        data = look.read_bytes(path)
        if data is not None:
            sifting.compare(data)
    return sifting.traces()


def _texts(slug: str, path: Path) -> Iterator[str]:
    """What a copy says: not its times, names and hashes, which stand in ledger and log too; damaged, all its bytes."""
    data = look.read_bytes(path) or b""
    try:
        if path.suffix == SUFFIX:
            folder = path.parent.name if path.parent.name in _FOLDERS else path.name.partition("-")[0]
            record = read_record(folder, slug, data)
            yield from texts_in([record.body, list(record.triggers), list(record.tags), dict(record.extra)])
        else:
            yield from texts_in(jsontext.loads_object(data).get("reason"))
    except (RecordDamage, jsontext.JsonDamage):
        yield data.decode("utf-8", "replace")


def _others(folders: Iterable[Path], mine: Iterable[Path]) -> Iterator[Path]:
    own = set(mine)
    for folder in folders:
        for relative, _ in look.files(folder, wanted=lambda name: name.endswith((".json", SUFFIX))):
            if folder / relative not in own:
                yield folder / relative


def _elsewhere(store: Store, traces: Traces, hand: Hand) -> Iterator[Removed]:
    paths = store.paths
    yield from erasers.log_text(paths, traces, hand, wait_seconds=store.wait_seconds, forget=audit_days.forget_text)
    yield from erasers.lines(paths, traces, hand)
    yield from erasers.candidates(paths, traces, hand, at=store.clock.now())
    yield from erasers.quarantine(paths, traces, hand)


def _files(paths: StorePaths, slug: str, hand: Hand) -> Iterator[Removed]:
    for path in copies(paths, slug):
        if hand.unlink(path):
            yield Removed(paths.relative(path), "a person", "file")
