"""One import, planned and accounted for.

`plan_import` finds and reads the files, compares them with what the store holds, and says what to store. Nothing is
stored here: the caller stores `plan.new`, in that order, and hands the receipts to `finish`, which fills in the ids.
For a dry run `finish` is called without receipts.

Every file seen has exactly one fate. `imported` is new; `unchanged` has the bytes it had; `updated` has other bytes, or
another path for the same bytes while the old path is gone, and becomes a new entry that replaces the old one; `skipped`
is no record, `rejected` could not be read, each with its reason.
"""

from __future__ import annotations

import os
import posixpath
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from memkit.errors import UsageError
from memkit.importers import consensus
from memkit.importers.adr import document as adr
from memkit.importers.adr.reading import Reading
from memkit.importers.draft import Draft, shortened
from memkit.importers.files import Found, Unreadable, find_files, read_file
from memkit.importers.identify import account_of_links, identity_of_path
from memkit.importers.intake import Place
from memkit.importers.report import FileAccount, ImportReport
from memkit.model.entry import Source
from memkit.model.links import Identity
from memkit.model.result import document_of, synthesis_text
from memkit.store.new_entry import NewEntry
from memkit.store.paths import path_text
from memkit.store.receipt import StoreReceipt

Kind = Literal["adr", "consensus"]
KINDS: Final[tuple[Kind, ...]] = ("adr", "consensus")
Known = Mapping[str, tuple[str, str]]
# New path -> (old path, what is known of it).
Moves = Mapping[str, tuple[str, tuple[str, str]]]
Previous = Callable[[str], Mapping[str, Any] | None]
Erased = Callable[[Source, bool], str]
_SIBLINGS: Final = 500
_COMPARED: Final = ("title", "status", "decidedOn", "conclusion", "supersedes", "supersededBy", "amends", "tripwires")


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import would do.

    Attributes:
        report: The account as far as it is known before storing; new entries have no id yet.
        new: What to store, in path order.
        slots: For each of `new`, the place of its account in `report.files`.
    """

    report: ImportReport
    new: tuple[NewEntry, ...]
    slots: tuple[int, ...]


def plan_import(
    kind: str,
    path: str | os.PathLike[str],
    *,
    project_path: str | os.PathLike[str],
    known: Known,
    previous: Previous | None = None,
    identities: Iterable[Identity] | None = None,
    limit: int | None = None,
    erased: Erased | None = None,
) -> ImportPlan:
    """Read files and compare them with what the store holds.

    Args:
        kind: `adr` or `consensus`.
        path: A file or a folder.
        project_path: The project's real path; documents inside it are named relative to it.
        known: `source.path` -> (entry id, sha256) of the newest entry of each document imported before.
        previous: The result of an entry, so that an update can say what changed; None for an entry that is not there.
        identities: The decisions stored so far, for links; by default what `known` says of them.
        limit: Store at most so many; the rest is skipped and says so.
        erased: Of a document, and whether the place alone tells it: why it is left out, or "".

    Raises:
        UsageError: an unknown kind.
        ImportSourceError: the path does not exist, or the folder cannot be listed.
    """
    place = Place(os.path.realpath(project_path))
    drafts = list(drafts_of(kind, path, place))
    seen = {draft.path for draft in drafts}
    moves = _moves(drafts, known, seen, place)
    files: list[FileAccount] = []
    new: list[NewEntry] = []
    slots: list[int] = []
    is_cut = False
    for draft in drafts:
        account, entry = compare(kind, draft, known, moves, previous, erased=erased)
        if entry is not None and limit is not None and len(new) >= limit:
            account = FileAccount(draft.path, "skipped", f"left for a later import (limit {limit:,})")
            is_cut = True
        elif entry is not None:
            slots.append(len(files))
            new.append(entry)
        files.append(account)
    others = identities if identities is not None else (identity_of_path(p) for p in known if p not in seen)
    links = account_of_links(drafts, [i for i in others if i.source_path not in {old for old, _ in moves.values()}])
    report = ImportReport(
        kind=kind,
        path=path_text(path),
        files=tuple(files),
        dry_run=True,
        links_ambiguous=links.ambiguous,
        links_dangling=links.dangling,
        links_resolved=links.resolved,
        links_own=links.own,
        gone=gone_from(path, known, seen, moves, place),
        is_cut=is_cut,
    )
    return ImportPlan(report, tuple(new), tuple(slots))


def finish(plan: ImportPlan, stored: Sequence[StoreReceipt] | None = None) -> ImportReport:
    """The account of an import, with the ids of what was stored; without receipts, of a dry run.

    Raises:
        ValueError: not as many receipts as entries were planned.
    """
    if stored is None:
        return plan.report
    files = list(plan.report.files)
    for slot, receipt in zip(plan.slots, stored, strict=True):
        files[slot] = replace(files[slot], entry_id=receipt.id, scrubbed=dict(receipt.scrubbed))
    return replace(plan.report, files=tuple(files), dry_run=False)


def drafts_of(kind: str, path: str | os.PathLike[str], place: Place) -> Iterator[Draft]:
    """The drafts of decision records (`adr`) or panel results (`consensus`).

    Raises:
        UsageError: another kind.
        ImportSourceError: the path does not exist, or the folder cannot be listed.
    """
    if kind not in KINDS:
        raise UsageError(f"unknown kind of import {kind!r}", field="kind", remedy=f"Use one of: {', '.join(KINDS)}.")
    return _adr_drafts(path, place) if kind == "adr" else _consensus_drafts(path, place)


def _adr_drafts(path: str | os.PathLike[str], place: Place) -> Iterator[Draft]:
    found = list(find_files(path, adr.ENDINGS, "Markdown"))
    read: list[Draft | Reading] = [item for file in found for item in _read_adr(file, place)]
    readings = [item for item in read if isinstance(item, Reading)]
    evidence = readings if len(found) > 1 or not found else _with_siblings(found[0].path, readings, place)
    orders = adr.day_orders(evidence)
    for item in read:
        yield item if isinstance(item, Draft) else adr.draft(item, orders.get(posixpath.dirname(item.path)))


def _read_adr(found: Found, place: Place) -> list[Draft | Reading]:
    name = place.name(found.path)
    if found.problem:
        return [Draft(name, fate=found.fate, reason=found.problem)]
    try:
        return adr.read(name, read_file(found.path, adr.MAX_FILE_BYTES))
    except Unreadable as error:
        return [Draft(name, fate="rejected", reason=str(error))]


def _with_siblings(path: Path, readings: list[Reading], place: Place) -> list[Reading]:
    """For a single file the records beside it, as evidence for how days and months are ordered there."""
    if not any(day.day is None for reading in readings for day in reading.open_days()):
        return readings
    beside = sorted(item for item in path.parent.iterdir() if item != path and item.suffix.lower() in adr.ENDINGS)
    more = [part for item in beside[:_SIBLINGS] for part in _read_adr(Found(item), place)]
    return [*readings, *(item for item in more if isinstance(item, Reading))]


def _consensus_drafts(path: str | os.PathLike[str], place: Place) -> Iterator[Draft]:
    endings = frozenset({".json", *consensus.ROW_ENDINGS})
    for found in find_files(path, endings, "JSON"):
        name = place.name(found.path)
        if found.problem:
            yield Draft(name, fate=found.fate, reason=found.problem, panel_id=consensus.KIND)
            continue
        try:
            data = read_file(found.path, consensus.MAX_FILE_BYTES)
        except Unreadable as error:
            yield Draft(name, fate="rejected", reason=str(error), panel_id=consensus.KIND)
            continue
        yield from consensus.read(name, data)


def _moves(drafts: list[Draft], known: Known, seen: set[str], place: Place) -> dict[str, tuple[str, tuple[str, str]]]:
    """New path -> (old path, what is known of it), for bytes known under a path that is gone."""
    by_bytes: dict[str, list[str]] = defaultdict(list)
    for old, (_, sha256) in known.items():
        by_bytes[sha256].append(old)
    moves: dict[str, tuple[str, tuple[str, str]]] = {}
    taken: set[str] = set()
    for draft in drafts:
        if draft.fate != "ready" or draft.path in known or not by_bytes.get(draft.sha256):
            continue
        gone = [o for o in by_bytes[draft.sha256] if o not in seen and o not in taken and not place.exists(o)]
        same_name = [o for o in gone if posixpath.basename(o) == posixpath.basename(draft.path)]
        if gone:
            old = min(same_name or gone)
            taken.add(old)
            moves[draft.path] = (old, known[old])
    return moves


def compare(
    kind: str,
    draft: Draft,
    known: Known,
    moves: Moves,
    previous: Previous | None,
    *,
    erased: Erased | None = None,
) -> tuple[FileAccount, NewEntry | None]:
    """What becomes of a draft, and what to store of it, given what is known and which paths have moved."""
    if draft.fate != "ready":
        return FileAccount(draft.path, draft.fate, draft.reason, notes=draft.notes), None
    account = FileAccount(draft.path, "imported", fields=draft.fields, notes=draft.notes)
    held = known.get(draft.path)
    if held is not None and held[1] == draft.sha256:
        return replace(account, fate="unchanged", entry_id=held[0]), None
    source = Source(kind, draft.path, draft.sha256)
    # An older edition was erased: the document as it is now is another one, unless its bytes are those.
    why = erased(source, held is None) if erased else ""
    if why:
        return replace(account, fate="skipped", reason=why), None
    older: str | None = None
    if held is not None:
        older = held[0]
        reason = _difference(previous(older) if previous else None, draft.result)
        account = replace(account, fate="updated", reason=reason, replaces=older)
    elif draft.path in moves:
        old_path, (older, _) = moves[draft.path]
        account = replace(account, fate="updated", reason=f"moved from {old_path}", replaces=older)
    entry = NewEntry(
        question=draft.question,
        result=draft.result,
        panel_id=draft.panel_id,
        tags=draft.tags,
        replaces=older,
        source=source,
    )
    return account, entry


def _difference(old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> str:
    """What changed between two editions, in one line."""
    if old is None:
        return "its bytes changed"
    was, now = document_of(old), document_of(new)
    changes = []
    for key in _COMPARED if now else sorted({*old, *new} - {"synthesis", "rounds", "document"}):
        before, after = (was.get(key), now.get(key)) if now else (old.get(key), new.get(key))
        if before != after:
            long = len(str(before or "")) + len(str(after or "")) > 120
            told = "changed" if long else f"{shortened(before)} -> {shortened(after)}"
            changes.append(f"{key} {told}")
    gained, lost = _line_counts(synthesis_text(old), synthesis_text(new))
    if gained or lost:
        changes.append(f"{gained} lines more, {lost} lines fewer")
    return "; ".join(changes) or "its bytes changed, what is read from it did not"


def _line_counts(old: str, new: str) -> tuple[int, int]:
    before, after = Counter(old.splitlines()), Counter(new.splitlines())
    return (after - before).total(), (before - after).total()


def gone_from(
    path: str | os.PathLike[str],
    known: Known,
    seen: set[str],
    moves: Moves,
    place: Place,
) -> tuple[str, ...]:
    """Documents imported earlier from below `path` that are no longer there and were not moved."""
    below = place.name(Path(os.path.realpath(path)))
    start = "" if below == "." else f"{below.rstrip('/')}/"
    moved = {old for old, _ in moves.values()}
    candidates = (p for p in known if p.startswith(start) and (start or not p.startswith("/")))
    return tuple(sorted(p for p in candidates if p not in seen and p not in moved and not place.exists(p)))
