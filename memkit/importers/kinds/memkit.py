"""An export of memkit itself, as JSON lines: each entry comes back with its id, its times and its editions.

What the store has already is unchanged; another entry under the same id is refused. Entries of several projects in one
place are told apart by their keys: those of the project that imports are taken, or, where there are none of it, those
of the only project there is.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from memkit.errors import InvalidInputError
from memkit.importers.draft import Draft, shortened
from memkit.importers.files import Found, Unreadable
from memkit.importers.intake import Intake
from memkit.importers.item import digest, refused
from memkit.importers.look import Look
from memkit.importers.report import FieldAccount
from memkit.importers.streams import Piece, open_stream, pieces
from memkit.model import jsontext
from memkit.model.entry import (
    EntryDamage,
    StoredEntry,
    require_panel,
    require_question,
    require_stored_at,
    require_tags,
)
from memkit.model.upgrades import read_entry
from memkit.store.new_entry import NewEntry

KIND: Final = "memkit"
_ENDINGS: Final = frozenset({".jsonl", ".ndjson"})
_SIGNS: Final = ("id", "storedAt", "projectKey", "result")
_KEY: Final = re.compile(rb'"projectKey":\s*"([^"\\]{1,64})"')


def signs(look: Look) -> str:
    """Lines of envelopes."""
    n = look.has_keys(*_SIGNS) if look.ending in _ENDINGS else 0
    return f"{n} of {len(look.rows)} lines are entries of memkit" if n else ""


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per entry."""
    found = list(intake.files(_ENDINGS, "JSON lines"))
    keys = {key for each in found if not each.problem for key in _keys(each.path)}
    wanted = intake.project_key if intake.project_key in keys or len(keys) != 1 else next(iter(keys))
    for each in found:
        if each.problem:
            yield intake.passed_over(each)
        else:
            yield from _of_file(intake, each, wanted, len(keys))


def _keys(path: Path) -> set[str]:
    """The projects a file has entries of."""
    keys: set[str] = set()
    try:
        with open_stream(path) as stream:
            tail = b""
            for chunk in stream.chunks():
                keys.update(match[1].decode("utf-8", "replace") for match in _KEY.finditer(tail + chunk))
                tail = chunk[-128:]
    except Unreadable:
        return set()
    return keys


def _of_file(intake: Intake, found: Found, wanted: str, n_projects: int) -> Iterator[Draft]:
    name, n = intake.name(found.path), 0
    try:
        for piece in pieces(found.path):
            n += 1
            yield _draft(intake, piece, name, wanted, n_projects)
    except Unreadable as error:
        yield refused(name, str(error))
    if not n:
        yield refused(name, "the file is empty", fate="skipped")


def _draft(intake: Intake, piece: Piece, name: str, wanted: str, n_projects: int) -> Draft:
    place, value = f"{name}#{piece.place}", piece.value
    if piece.damage:
        return refused(place, piece.damage)
    if not isinstance(value, Mapping) or not all(key in value for key in _SIGNS):
        what = ", ".join(sorted(map(str, value))[:6]) if isinstance(value, Mapping) else "no object"
        return refused(place, f"no entry of memkit ({what})"[:200])
    try:
        entry = read_entry(value)
    except EntryDamage as damage:
        return refused(place, str(damage))
    place = f"{name}#{entry.id}"
    if entry.project_key != wanted:
        why = (
            f"of another project, {entry.project_path}" if n_projects < 3 else f"of one of {n_projects} other projects"
        )
        return Draft(place, digest(value), "skipped", shortened(f"{why}; import it there, or its folder alone", 200))
    try:
        new = _new(entry, intake.as_of)
    except InvalidInputError as error:
        return refused(place, str(error))
    notes: tuple[str, ...] = ()
    if entry.project_key != intake.project_key:
        notes = (f"it was stored for {shortened(entry.project_path, 120)}",)
    return Draft(
        place,
        digest(value),
        question=entry.question,
        result=entry.result,
        panel_id=entry.panel_id,
        tags=entry.tags,
        fields=tuple(_accounts(value)),
        notes=notes,
        size=piece.size,
        stored=new,
    )


def _new(entry: StoredEntry, now: dt.datetime | None) -> NewEntry:
    if now is not None:
        require_stored_at(entry.stored_at, now)
    return NewEntry(
        question=require_question(entry.question),
        result=jsontext.require_json(dict(entry.result), "result"),
        panel_id=require_panel(entry.panel_id),
        tags=require_tags(entry.tags),
        stored_at_ms=entry.stored_at_ms,
        replaces=entry.replaces,
        source=entry.source,
        id=entry.id,
        extra=jsontext.require_json(dict(entry.extra), "extra"),
    )


def _accounts(value: Mapping[str, Any]) -> Iterator[FieldAccount]:
    for key, said in value.items():
        if key in ("projectKey", "projectPath"):
            yield FieldAccount(key, "left out", key, "the project it is imported into has its own")
        else:
            yield FieldAccount(key, "mapped", key, shortened(said if isinstance(said, (str, int)) else "", 80))
