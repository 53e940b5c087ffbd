"""The log of the command-line tool `llm`: each prompt with its response becomes one entry.

Two layouts stand side by side in one database. Older versions wrote `responses`; newer ones write `turns`, whose texts
are parts of messages that hang together by the hash of the message before. Both are read; nothing is migrated.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from memkit.importers import databases
from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.item import Item, from_json, key_of, refused
from memkit.importers.look import Look

KIND: Final = "llm"
_MAX_STEPS: Final = 1000
_FRAGMENTS: Final = (
    "select f.content from part_fragments p join fragments f on f.id = p.fragment_id "
    'where p.part_id = ? order by p."order"'
)
_RAW: Final = "the raw answer of the provider; its text is kept"
_MAPPED: Final = {
    "id": "id", "model": "model", "prompt": "question", "response": "answer", "system": "system",
    "conversation_id": "conversation", "thread_id": "conversation", "datetime_utc": "decided_on",
    "resolved_model": "model",
}  # fmt: skip
_LEFT: Final = {
    "prompt_json": "the raw request to the provider; its text is kept",
    "response_json": _RAW,
    "parent_message_hash": "where its texts were found",
    "tip_message_hash": "where its texts were found",
}


def signs(look: Look) -> str:
    """Its tables of responses or of turns and messages."""
    old = look.has_table("responses", "model", "prompt", "response", "conversation_id")
    new = look.has_table("turns", "thread_id", "tip_message_hash") and look.has_table("messages", "hash", "parent_hash")
    if not (old or new):
        return ""
    return f"a database with {' and '.join(n for n, there in (('responses', old), ('turns', new)) if there)}"


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per prompt and response."""

    def read(path: Path, name: str) -> Iterator[Draft]:
        with databases.open_copy(path, intake.scratch) as connection:
            yield from _of_database(connection, name)

    return intake.drafts(databases.ENDINGS, "a SQLite database", read)


def _of_database(connection: sqlite3.Connection, name: str) -> Iterator[Draft]:
    tables = databases.tables(connection)
    n = 0
    if {"id", "prompt", "response"} <= tables.get("responses", frozenset()):
        titles = _titles(connection, tables, "conversations")
        for row in databases.rows(connection, "select * from responses order by id"):
            n += 1
            yield _draft(databases.as_item(row), name, titles)
    if {"id", "tip_message_hash"} <= tables.get("turns", frozenset()) and "messages" in tables and "parts" in tables:
        titles = _titles(connection, tables, "threads")
        for row in databases.rows(connection, "select * from turns order by id"):
            n += 1
            item = databases.as_item(row)
            item.update(_texts(connection, item, has_fragments="part_fragments" in tables))
            yield _draft(item, name, titles)
    elif "responses" not in tables:
        yield refused(name, f"no log of llm: it has {_some(tables)}")
        return
    if not n:
        yield refused(name, "the log is empty", fate="skipped")


def _some(tables: Mapping[str, Any]) -> str:
    return f"the tables {', '.join(sorted(tables)[:8])}" if tables else "no tables"


def _titles(connection: sqlite3.Connection, tables: Mapping[str, frozenset[str]], table: str) -> dict[str, str]:
    if not {"id", "name"} <= tables.get(table, frozenset()):
        return {}
    rows = databases.rows(connection, f'select id, name from "{table}"')
    return {str(row[0]): str(row[1]) for row in rows if row[1]}


def _texts(connection: sqlite3.Connection, turn: Mapping[str, Any], *, has_fragments: bool) -> dict[str, str]:
    """Prompt, response and system text of a turn: the messages back from its tip to the answer before it."""
    found: dict[str, list[str]] = {"prompt": [], "response": [], "system": []}
    here, asked = turn.get("tip_message_hash"), turn.get("parent_message_hash")
    is_answer = True
    for _ in range(_MAX_STEPS):
        if here is None:
            break
        row = connection.execute("select parent_hash, role from messages where hash = ?", (here,)).fetchone()
        if row is None:
            break
        parent, role = row
        is_answer = is_answer and here != asked
        if not is_answer and role == "assistant":
            break
        place = "response" if is_answer else "system" if role == "system" else "prompt"
        found[place].insert(0, _text(connection, here, has_fragments=has_fragments))
        here = parent if parent != here else None
    return {name: "\n\n".join(filter(None, texts)) for name, texts in found.items()}


def _text(connection: sqlite3.Connection, message: str, *, has_fragments: bool) -> str:
    said: list[str] = []
    for row in databases.rows(
        connection, "select id, type, text, tool_name from parts where message_hash = ? order by position", (message,)
    ):
        if row["text"]:
            said.append(str(row["text"]))
        elif has_fragments:
            said += [str(each[0]) for each in databases.rows(connection, _FRAGMENTS, (row["id"],)) if each[0]]
        if row["tool_name"]:
            said.append(f"[{row['type']}: {row['tool_name']}]")
    return "\n\n".join(said)


def _draft(item: Mapping[str, Any], name: str, titles: Mapping[str, str]) -> Draft:
    key = item.get("id")
    prompt, response = str(item.get("prompt") or ""), str(item.get("response") or "")
    conversation = item.get("conversation_id") or item.get("thread_id")
    model = item.get("resolved_model") or item.get("model")
    raw = {key: from_json(value) for key, value in item.items()}
    return Item(
        KIND,
        f"{name}#{key_of(key)}",
        raw,
        question=prompt or titles.get(str(conversation), ""),
        content=response,
        mapped=_MAPPED,
        left_out=_LEFT,
        when=("datetime_utc", item.get("datetime_utc")),
        document={
            "id": str(key),
            "conversation": conversation,
            "conversationTitle": titles.get(str(conversation)),
            "model": model,
        },
        result={"system": item["system"]} if item.get("system") else {},
        tags=[model] if model else [],
        notes=() if response else ("there is no response",),
    ).draft()
