"""What becomes of one item of an import, given what the store holds.

`imported` is new; `unchanged` has the bytes it had; `updated` has other bytes, or another path for the same bytes while
the old path is gone, and becomes a new entry that replaces the old one; `skipped` is no record, `rejected` could not be
read, each with its reason.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from memkit.importers.draft import Draft, shortened
from memkit.importers.intake import Place
from memkit.importers.report import FileAccount
from memkit.model.entry import Source
from memkit.model.result import document_of, synthesis_text
from memkit.store.new_entry import NewEntry

# `source.path` -> (entry id, sha256) of the newest entry of each document imported before.
Known = Mapping[str, tuple[str, str]]
# New path -> (old path, what is known of it).
Moves = Mapping[str, tuple[str, tuple[str, str]]]
# The result of an entry; None for an entry that is not there.
Previous = Callable[[str], Mapping[str, Any] | None]
# Of a document, and whether the place alone tells it: why it is left out, or "".
Erased = Callable[[Source, bool], str]
_COMPARED: Final = ("title", "status", "decidedOn", "conclusion", "supersedes", "supersededBy", "amends", "tripwires")


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
