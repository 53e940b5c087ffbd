"""The memory of claude-mem: its database, and what it exports as JSON.

An observation becomes one entry, a session's summary another. Prompts and sessions are the frame around them: a session
lends its title, a prompt is passed over. `project` is the name of a folder and not unique, so it is kept and never used
as a key. Counters of the tool (tokens, relevance) say nothing of how sure anybody was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from memkit.importers import databases
from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.item import DECISION, Item, digest, from_json, key_of, refused, sections, text_of
from memkit.importers.look import JSON, Look
from memkit.importers.streams import pieces

KIND: Final = "claude-mem"
_LISTS: Final = ("observations", "summaries", "sessions", "prompts")
_COUNTER: Final = "a counter of the tool"
_OBSERVED: Final = {
    "id": "id", "title": "title", "subtitle": "subtitle", "narrative": "narrative", "text": "text", "facts": "facts",
    "concepts": "tags", "type": "kind", "created_at": "decided_on", "created_at_epoch": "decided_on",
    "project": "project", "memory_session_id": "session",
}  # fmt: skip
_SUMMED: Final = {
    "id": "id", "request": "title", "investigated": "investigated", "learned": "learned", "completed": "completed",
    "next_steps": "next_steps", "notes": "notes", "created_at": "decided_on", "created_at_epoch": "decided_on",
    "project": "project", "memory_session_id": "session",
}  # fmt: skip
_LEFT: Final = {
    "content_hash": "a digest of the text, which is kept",
    "discovery_tokens": _COUNTER,
    "relevance_count": _COUNTER,
    "prompt_number": _COUNTER,
}
_PASSED: Final = {
    "sessions": "a session: the frame of its observations",
    "prompts": "a prompt: what was asked of the tool, not what was decided",
}


def signs(look: Look) -> str:
    """Its tables of observations and summaries, or the lists of its export."""
    if look.has_table("observations", "memory_session_id", "narrative"):
        return "a database with observations that have a narrative"
    if look.ending in JSON and (
        any(isinstance(row.get("observations"), list) and "exportedAt" in row for row in look.rows)
        or look.mentions("exportedAt", "observations")
    ):
        return "an export with observations"
    return ""


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per observation and per summary, and the account of everything else."""

    def read(path: Path, name: str) -> Iterator[Draft]:
        if path.suffix.lower() in JSON:
            yield from _of_export(path, name)
        else:
            with databases.open_copy(path, intake.scratch) as connection:
                yield from _of_database(connection, name)

    return intake.drafts(databases.ENDINGS | JSON, "a SQLite database or JSON", read)


def _of_database(connection: sqlite3.Connection, name: str) -> Iterator[Draft]:
    tables = databases.tables(connection)
    if "memory_session_id" not in tables.get("observations", frozenset()):
        yield refused(name, "no database of claude-mem: it has no observations of sessions")
        return
    n = 0
    for table, make in (("observations", _observation), ("session_summaries", _summary)):
        if "id" in tables.get(table, frozenset()):
            for row in databases.rows(connection, f'select * from "{table}" order by id'):
                n += 1
                yield make(databases.as_item(row), name)
    for table, kind in (("sdk_sessions", "sessions"), ("user_prompts", "prompts")):
        if table in tables:
            for (count,) in databases.rows(connection, f'select count(*) from "{table}"'):
                n += count
                if count:
                    yield refused(f"{name}#{kind}", f"{count:,} times {_PASSED[kind]}", fate="skipped")
    if not n:
        yield refused(name, "nothing was observed yet", fate="skipped")


def _of_export(path: Any, name: str) -> Iterator[Draft]:
    n = 0
    for piece in pieces(path, lists=_LISTS):
        n += 1
        place, value = f"{name}#{piece.place}", piece.value
        if piece.damage:
            yield refused(place, piece.damage)
        elif not isinstance(value, dict) or not piece.key:
            what = ", ".join(sorted(map(str, value))[:6]) if isinstance(value, dict) else "no object"
            yield refused(place, f"no export of claude-mem ({what})"[:200])
        elif piece.key in _PASSED:
            yield Draft(place, digest(value), "skipped", _PASSED[piece.key])
        elif value.get("id") in (None, ""):
            yield refused(place, "an item without an id")
        else:
            yield (_observation if piece.key == "observations" else _summary)(value, name)
    if not n:
        yield refused(name, "the file is empty", fate="skipped")


def _when(value: Mapping[str, Any]) -> tuple[str, Any]:
    key = "created_at" if value.get("created_at") else "created_at_epoch"
    return key, value.get(key)


def _observation(value: Mapping[str, Any], name: str) -> Draft:
    raw = {key: from_json(item) for key, item in value.items()}
    sort = str(value.get("type") or "")
    concepts = raw.get("concepts")
    tags = [sort, *(concepts if isinstance(concepts, list) else [])]
    said = text_of(value.get("narrative")) or text_of(value.get("text"))
    return Item(
        KIND,
        f"{name}#observation:{key_of(value.get('id'))}",
        raw,
        question=text_of(value.get("title")) or text_of(value.get("subtitle")),
        content=sections(("", value.get("subtitle")), ("", said), ("Facts", raw.get("facts"))),
        mapped=_OBSERVED,
        left_out=_LEFT,
        when=_when(value),
        document={
            "id": f"observation-{value.get('id')}",
            "kind": sort,
            "status": "accepted" if sort == DECISION else None,
            "conclusion": said if sort == DECISION else None,
            "project": value.get("project"),
            "session": value.get("memory_session_id"),
        },
        panel_id=DECISION if sort == DECISION else KIND,
        tags=_texts(tags),
    ).draft()


def _summary(value: Mapping[str, Any], name: str) -> Draft:
    raw = {key: from_json(item) for key, item in value.items()}
    return Item(
        KIND,
        f"{name}#summary:{key_of(value.get('id'))}",
        raw,
        question=text_of(value.get("request")),
        content=sections(
            ("Investigated", raw.get("investigated")),
            ("Learned", raw.get("learned")),
            ("Completed", raw.get("completed")),
            ("Next steps", raw.get("next_steps")),
            ("Notes", raw.get("notes")),
        ),
        mapped=_SUMMED,
        left_out=_LEFT,
        when=_when(value),
        document={
            "id": f"summary-{value.get('id')}",
            "kind": "summary",
            "project": value.get("project"),
            "session": value.get("memory_session_id"),
        },
        tags=["summary"],
    ).draft()


def _texts(values: Iterable[object]) -> list[object]:
    return [value for value in values if isinstance(value, str)]
