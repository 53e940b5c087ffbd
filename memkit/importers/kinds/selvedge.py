"""The database of selvedge: each recorded change with its reasoning becomes one entry.

Events that say why are decisions. What would make one stale (`expires_when`, `stale_when`, `revisit_after`) becomes its
tripwires; `supersedes` names the event it overrides; a rejected or reverted change is kept with that status.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from memkit.importers import databases
from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.item import DECISION, Item, from_json, instant_of, key_of, refused, sections
from memkit.importers.look import Look

KIND: Final = "selvedge"
_MAPPED: Final = {
    "id": "id", "timestamp": "decided_on", "entity_path": "title", "change_type": "status", "reasoning": "reasoning",
    "diff": "diff", "constraint": "constraint", "supersedes": "supersedes", "expires_when": "tripwires",
    "stale_when": "tripwires", "revisit_after": "tripwires", "entity_type": "tags", "agent": "tags",
}  # fmt: skip
_STATUS: Final = {"reject": "rejected", "revert": "deprecated"}
_LIBRARY: Final = re.compile(r"library:(?P<name>[^<>=!]+?)\s*(?P<sign>[<>=!]=?|==)\s*(?P<version>.+)", re.DOTALL)


def signs(look: Look) -> str:
    """A table of events with reasoning and entity paths."""
    if not look.has_table("events", "entity_path", "change_type", "reasoning"):
        return ""
    return "a database with events that have entity_path, change_type and reasoning"


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per event."""

    def read(path: Path, name: str) -> Iterator[Draft]:
        with databases.open_copy(path, intake.scratch) as connection:
            yield from _of_database(connection, name)

    return intake.drafts(databases.ENDINGS, "a SQLite database", read)


def _of_database(connection: sqlite3.Connection, name: str) -> Iterator[Draft]:
    columns = databases.tables(connection).get("events", frozenset())
    if not {"id", "entity_path", "change_type"} <= columns:
        yield refused(name, "no database of selvedge: it has no events with entity_path and change_type")
        return
    n = 0
    for row in databases.rows(connection, "select * from events order by id"):
        n += 1
        yield _draft(databases.as_item(row), name)
    if not n:
        yield refused(name, "no event is recorded", fate="skipped")


def _draft(item: Mapping[str, Any], name: str) -> Draft:
    change, path = str(item.get("change_type") or ""), str(item.get("entity_path") or "")
    reasoning = str(item.get("reasoning") or "")
    key = item.get("id")
    raw = {name: from_json(value) for name, value in item.items()}
    return Item(
        KIND,
        f"{name}#{key_of(key)}",
        raw,
        question=f"{change} {path}".strip(),
        content=sections(("", reasoning), ("Constraint", item.get("constraint")), ("Change", item.get("diff"))),
        mapped=_MAPPED,
        when=("timestamp", item.get("timestamp")),
        document={
            "id": str(key),
            "title": path,
            "status": _STATUS.get(change, "accepted") if reasoning else "unknown",
            "rawStatus": change,
            "conclusion": reasoning or None,
            "supersedes": [str(item["supersedes"])] if item.get("supersedes") else [],
            "tripwires": _tripwires(item),
        },
        panel_id=DECISION if reasoning else KIND,
        tags=[item.get("entity_type"), item.get("agent"), item.get("project")],
    ).draft()


def _tripwires(item: Mapping[str, Any]) -> list[str]:
    """What would make the event stale, as conditions a person can read."""
    found = []
    expires = str(item.get("expires_when") or "").strip()
    library = _LIBRARY.fullmatch(expires)
    if library:
        found.append(f"{library['name'].strip()} version {library['sign']} {library['version'].strip()}")
    elif expires.startswith("date:"):
        found.append(f"revisit by {_day(expires.removeprefix('date:'))}")
    elif expires.startswith("entity:") and expires.endswith(":changes"):
        found.append(f"{expires.removeprefix('entity:').removesuffix(':changes')} changes")
    elif expires:
        found.append(expires.removeprefix("manual:").strip())
    if item.get("stale_when"):
        found.append(str(item["stale_when"]).strip())
    if item.get("revisit_after"):
        found.append(f"revisit by {_day(item['revisit_after'])}")
    return [text for text in found if text]


def _day(value: object) -> str:
    """The day of an instant, as people write it; anything else as it is."""
    instant = instant_of(value)
    return instant.date().isoformat() if instant else str(value).strip()
