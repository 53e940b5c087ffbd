"""The file of an MCP memory server: entities with observations, and relations between them.

Three dialects are read: lines of `{"type": "entity"}` and `{"type": "relation"}`; the same with a first line that marks
the file (`{"type": "_aim"}`); and one document `{"entities": [...], "relations": [...]}`, which is what the server
answers when asked for everything. The server may leave out the last newline, so two objects can stand on one line.

An entity becomes one entry; its relations, in both directions, stand in it. The file keeps no time at all.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.item import Item, digest, key_of, refused, text_of
from memkit.importers.look import JSON, Look
from memkit.importers.streams import Piece, pieces

KIND: Final = "server-memory"
_LISTS: Final = ("entities", "relations")
_TYPES: Final = {"entities": "entity", "relations": "relation"}
_MAX_SHOWN: Final = 200
_NAMES: Final = {
    "entityType": ("entityType", "entity_type"),
    "relationType": ("relationType", "relation_type"),
    "from": ("from", "source"),
    "to": ("to", "target"),
}


def signs(look: Look) -> str:
    """Entities with observations, or relations, as lines or under their lists."""
    if look.ending not in JSON:
        return ""
    if any(isinstance(row.get("entities"), list) and isinstance(row.get("relations"), list) for row in look.rows):
        return "one document with entities and relations"
    lines = [row for row in look.rows if row.get("type") in ("entity", "relation", "_aim")]
    if lines and any(_named(row) for row in lines):
        return f"{len(lines)} of {len(look.rows)} lines are entities or relations"
    return ""


def _named(row: dict[str, Any]) -> bool:
    return isinstance(row.get("observations"), list) or _first(row, "relationType") is not None


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per entity, and the account of everything else."""

    def read(path: Path, name: str) -> Iterator[Draft]:
        # Relations stand behind the entities they belong to: they are gathered first, on disk if they are many.
        with closing(sqlite3.connect("")) as relations:
            yield from _of_file(path, name, relations)

    return intake.drafts(JSON, "JSON", read)


def _of_file(path: Path, name: str, relations: sqlite3.Connection) -> Iterator[Draft]:
    relations.execute("create table entity (name text primary key) without rowid")
    relations.execute("create table relation (source text, kind text, target text, place text)")
    for piece in pieces(path, lists=_LISTS):
        _gather(piece, relations)
    relations.execute("create index leaving on relation (source)")
    relations.execute("create index arriving on relation (target)")
    n = 0
    for piece in pieces(path, lists=_LISTS):
        n += 1
        draft = _of_piece(piece, name, relations)
        if draft is not None:
            yield draft
    if not n:
        yield refused(name, "the file is empty", fate="skipped")
    yield from _left_over(name, relations)


def _kind_of(piece: Piece) -> str:
    value = piece.value
    if not isinstance(value, dict):
        return ""
    said = value.get("type")
    return said if isinstance(said, str) and said else _TYPES.get(piece.key, "")


def _gather(piece: Piece, relations: sqlite3.Connection) -> None:
    if _kind_of(piece) == "entity" and isinstance(piece.value.get("name"), str):
        relations.execute("insert or ignore into entity values (?)", (_plain(piece.value["name"]),))
    ends = _relation(piece)
    if ends is not None:
        relations.execute("insert into relation values (?, ?, ?, ?)", (*ends, piece.place))


def _relation(piece: Piece) -> tuple[str, str, str] | None:
    if _kind_of(piece) != "relation":
        return None
    said = (_first(piece.value, "from"), _first(piece.value, "relationType"), _first(piece.value, "to"))
    return tuple(map(_plain, said)) if all(isinstance(each, str) and each for each in said) else None  # type: ignore[return-value]


def _of_piece(piece: Piece, name: str, relations: sqlite3.Connection) -> Draft | None:
    place = f"{name}#{piece.place}"
    if piece.damage:
        return refused(place, piece.damage)
    kind = _kind_of(piece)
    if kind == "entity":
        return _entity(piece, name, relations)
    if kind == "relation":
        return refused(place, "a relation without from, to or relationType") if _relation(piece) is None else None
    if kind == "_aim":
        return refused(place, "the mark of the file", fate="skipped")
    what = ", ".join(sorted(map(str, piece.value))[:6]) if isinstance(piece.value, dict) else "no object"
    return refused(place, f"neither an entity nor a relation ({what})"[:200])


def _entity(piece: Piece, name: str, relations: sqlite3.Connection) -> Draft:
    value = piece.value
    own = value.get("name")
    if not isinstance(own, str) or not own.strip():
        return refused(f"{name}#{piece.place}", "an entity without a name")
    title = _plain(own)
    leaving = relations.execute(
        "select distinct kind, target from relation where source = ? order by kind, target", (title,)
    ).fetchmany(_MAX_SHOWN + 1)
    arriving = relations.execute(
        "select distinct source, kind from relation where target = ? order by source, kind", (title,)
    ).fetchmany(_MAX_SHOWN + 1)
    notes = () if max(len(leaving), len(arriving)) <= _MAX_SHOWN else (f"only {_MAX_SHOWN} relations are shown",)
    sort = _first(value, "entityType")
    observations = value.get("observations")
    lines = [f"{title} ({sort})" if sort else title]
    if text_of(observations):
        lines.append(text_of(observations))
    said = [f"- {kind} {target}" for kind, target in leaving[:_MAX_SHOWN]]
    said += [f"- {source} {kind} this" for source, kind in arriving[:_MAX_SHOWN]]
    if said:
        lines.append("Relations:\n\n" + "\n".join(said))
    raw = {**value, "relations": [list(each) for each in (*leaving, *arriving)]} if said else value
    return Item(
        KIND,
        f"{name}#{key_of(title)}",
        raw,
        question=title,
        content="\n\n".join(lines) if text_of(observations) or said else "",
        mapped={"type": "kind", "name": "title", "entityType": "entity_type", "entity_type": "entity_type",
                "observations": "observations", "relations": "relations"},
        document={"id": title[:200], "entityType": sort},
        tags=[sort] if isinstance(sort, str) else [],
        notes=notes,
    ).draft()  # fmt: skip


def _left_over(name: str, relations: sqlite3.Connection) -> Iterator[Draft]:
    """Relations of which neither end is an entity of the file."""
    rows = relations.execute(
        "select place, source, kind, target from relation "
        "where source not in (select name from entity) and target not in (select name from entity) order by rowid"
    )
    for place, source, kind, target in rows:
        raw = [source, kind, target]
        yield Draft(f"{name}#{place}", digest(raw), "rejected", "a relation between two things the file does not name")


def _first(value: dict[str, Any], key: str) -> Any:
    return next((value[name] for name in _NAMES[key] if value.get(name) not in (None, "")), None)


def _plain(text: str) -> str:
    """Text as SQLite can hold it."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")
