"""An export of mem0: each memory becomes one entry.

Read are the answer of `get_all` (`{"results": [...]}`), a list of memories, and lines of them. A score that a search
put beside a memory says how well it fitted that search, so it is left out.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any, Final

from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.item import Item, key_of, refused, text_of
from memkit.importers.look import JSON, Look
from memkit.importers.streams import Piece, pieces

KIND: Final = "mem0"
_LISTS: Final = ("results", "memories")
_MAPPED: Final = {
    "id": "id", "memory": "content", "created_at": "decided_on", "updated_at": "updated_at", "categories": "tags",
    "user_id": "owner", "agent_id": "owner", "run_id": "owner",
}  # fmt: skip
_LEFT: Final = {
    "hash": "a digest of the text, which is kept",
    "score": "how well it fitted one search",
    "embedding": "numbers of one model, which cannot be read without it",
    "vector": "numbers of one model, which cannot be read without it",
}


def signs(look: Look) -> str:
    """Objects with an id and a text under `memory`."""
    if look.ending not in JSON:
        return ""
    rows = [item for row in look.rows for item in _inside(row)]
    fitting = [row for row in rows if _is_memory(row)]
    if fitting:
        return f"{len(fitting)} of {len(rows)} objects have an id and a memory"
    return "objects with an id, a memory and created_at" if look.mentions("id", "memory", "created_at") else ""


def _inside(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    lists = [row[key] for key in _LISTS if isinstance(row.get(key), list)]
    return [item for found in lists for item in found if isinstance(item, Mapping)] if lists else [row]


def _is_memory(row: Mapping[str, Any]) -> bool:
    return isinstance(row.get("memory"), str) and row.get("id") not in (None, "")


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per memory."""
    return intake.drafts(JSON, "JSON", lambda path, name: _of_file(pieces(path, lists=_LISTS), name))


def _of_file(found: Iterator[Piece], name: str) -> Iterator[Draft]:
    n = 0
    for piece in found:
        n += 1
        place, value = f"{name}#{piece.place}", piece.value
        if piece.damage:
            yield refused(place, piece.damage)
        elif not isinstance(value, dict) or not _is_memory(value):
            what = ", ".join(sorted(map(str, value))[:6]) if isinstance(value, dict) else "no object"
            yield refused(place, f"not a memory: no id, or no text under memory ({what})"[:200])
        else:
            yield _draft(value, name)
    if not n:
        yield refused(name, "the file is empty", fate="skipped")


def _draft(value: Mapping[str, Any], name: str) -> Draft:
    text = text_of(value["memory"])
    owners = {key: value[key] for key in ("user_id", "agent_id", "run_id") if value.get(key)}
    raw_metadata = value.get("metadata")
    metadata = raw_metadata if isinstance(raw_metadata, Mapping) else {}
    tags = value.get("categories") or metadata.get("categories") or metadata.get("category") or ()
    return Item(
        KIND,
        f"{name}#{key_of(value['id'])}",
        value,
        question=text_of(metadata.get("title")) or text.split("\n", 1)[0],
        content=text,
        mapped=_MAPPED,
        left_out=_LEFT,
        when=("created_at", value.get("created_at")),
        times={"updatedAt": value.get("updated_at")},
        document={"id": str(value["id"]), "owner": owners},
        tags=tags if isinstance(tags, list) else [tags] if tags else (),
    ).draft()
