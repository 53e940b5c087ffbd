"""Records as recall sees them: each in the shape of an entry, so that one ranking, one chain, one hit serve both.

Its id is its path, which no entry can have; its panel says what kind it is (`record:lesson`); it was stored when it was
written. The title is its question, the text below the title and the triggers are its prose. What it supersedes, and
what superseded it, are links to records of the same store, followed like those of decisions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.errors import StoreError
from memkit.model import headings
from memkit.model.entry import Source, StoredEntry
from memkit.model.record import SUFFIX, Record, panel_of
from memkit.store import look, records
from memkit.store.records import RecordFile

if TYPE_CHECKING:
    from memkit.store.store import Store

SOURCE_KIND = "record"
_HEADING = re.compile(r"\A#{1,6}[ \t]+[^\n]*\n*")
Names = Mapping[str, Sequence[str]]


def is_record(entry_id: str) -> bool:
    """Whether an id is a record's path: ids of entries are of letters and digits only."""
    return "/" in entry_id


def names_of(files: Iterable[RecordFile]) -> dict[str, list[str]]:
    """Slug -> paths of the records of that name; two only where both folders have it."""
    names: dict[str, list[str]] = {}
    for file in files:
        if file.record is not None:
            names.setdefault(file.name, []).append(file.path)
    return names


def entry_of(store: Store, file: RecordFile, record: Record, names: Names) -> StoredEntry:
    """A record in the shape of an entry."""

    def links(slugs: Iterable[str]) -> list[str]:
        return [path for slug in slugs for path in names.get(slug, [f"{record.folder}/{slug}{SUFFIX}"])]

    triggers = "\n".join(record.triggers)
    prose = _HEADING.sub("", record.body, count=1).strip()
    result: dict[str, Any] = {
        "title": record.title,
        "status": "accepted" if record.is_active else "superseded",
        "rawStatus": record.status,
        "supersedes": links(record.supersedes),
        "supersededBy": links([record.superseded_by] if record.superseded_by else []),
        "decidedOn": record.extra.get("decided_on"),
        "tripwires": record.extra.get("tripwires"),
        "conclusion": _conclusion(prose) if record.kind == "decision" else None,
        "synthesis": {"content": f"{prose}\n\n{triggers}".strip()},
    }
    return StoredEntry(
        id=record.path,
        stored_at_ms=_written_ms(store, record),
        project_key=store.paths.key,
        project_path=store.paths.project_path,
        panel_id=panel_of(record.kind),
        question=record.title,
        tags=record.tags,
        result=result,
        source=Source(SOURCE_KIND, record.path, file.sha256 or ""),
    )


def read(store: Store, path: str) -> StoredEntry:
    """The record of this path as its file has it now, links by name only.

    Raises:
        StoreError: it is gone, damaged, or cannot be read.
    """
    folder, _, name = path.partition("/")
    file = records.read(store.paths, folder, name.removesuffix(SUFFIX))
    return entry_of(store, file, records.require(store.paths, file), {})


def row_of(key: str, file: RecordFile, record: Record) -> dict[str, Any]:
    """The row of a record in the table behind the view `records`."""
    return {
        "slug": record.slug,
        "project_key": key,
        "kind": record.kind,
        "path": record.path,
        "title": record.title,
        "status": record.status,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "sources": list(record.sources),
        "supersedes": list(record.supersedes),
        "superseded_by": record.superseded_by,
        "reinforcement_count": record.reinforcement_count,
        "last_seen_at": record.last_seen_at,
        "triggers": list(record.triggers),
        "tags": list(record.tags),
        "body": record.body,
        "sha256": file.sha256,
    }


def _conclusion(prose: str) -> str | None:
    """What a decision record decides, where no heading says which part does: its first paragraph."""
    if headings.section_text(prose, "decision"):
        return None
    return prose.split("\n\n", 1)[0].strip() or None


def _written_ms(store: Store, record: Record) -> int:
    """When a record was written, in epoch milliseconds; of one that does not say, its file's time."""
    at = record.created_at or record.updated_at
    if at is not None:
        return clock.to_ms(at)
    try:
        info = look.status_of(store.paths.folder / record.path)
    except StoreError:
        return 0
    return 0 if info is None else info.st_mtime_ns // 1_000_000
