"""The issues of beads: decisions and memories become entries, other issues are work and are passed over.

A decision's `supersedes` links name what it replaces. A memory is a key and a value; it has no time.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any, Final

from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.item import DECISION, Item, digest, key_of, refused, sections, text_of
from memkit.importers.look import JSON, Look
from memkit.importers.streams import Piece, pieces

KIND: Final = "beads"
_MAPPED: Final = {
    "_type": "kind", "id": "id", "title": "title", "description": "context", "design": "decision",
    "acceptance_criteria": "acceptance_criteria", "notes": "notes", "status": "status", "issue_type": "kind",
    "created_at": "created_at", "closed_at": "decided_on", "updated_at": "updated_at", "close_reason": "decision",
    "labels": "tags", "comments": "comments", "dependencies": "supersedes",
}  # fmt: skip
_STATUS: Final = {"closed": "accepted", "open": "proposed", "in_progress": "proposed", "blocked": "proposed"}
_SIGNS: Final = ("id", "title", "status")


def signs(look: Look) -> str:
    """Lines of issues with an id, a title, a status and a type, or of memories with a key."""
    if look.ending not in JSON:
        return ""
    fitting = [row for row in look.rows if _is_issue(row) or _is_memory(row)]
    if not fitting:
        return ""
    return f"{len(fitting)} of {len(look.rows)} lines are issues or memories"


def _is_issue(row: Mapping[str, Any]) -> bool:
    said = row.get("_type")
    return said == "issue" or (
        said is None and all(isinstance(row.get(key), str) for key in _SIGNS) and "issue_type" in row
    )


def _is_memory(row: Mapping[str, Any]) -> bool:
    return row.get("_type") == "memory" and "key" in row


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per decision or memory, and the account of every other line."""
    return intake.drafts(JSON, "JSON", lambda path, name: _of_file(pieces(path), name))


def _of_file(found: Iterator[Piece], name: str) -> Iterator[Draft]:
    n = 0
    for piece in found:
        n += 1
        place = f"{name}#{piece.place}"
        value = piece.value
        if piece.damage:
            yield refused(place, piece.damage)
        elif isinstance(value, dict) and _is_memory(value):
            yield _memory(value, name)
        elif isinstance(value, dict) and (_is_issue(value) or (value.get("_type") is None and "issue_type" in value)):
            yield _issue(value, name, place)
        else:
            what = ", ".join(sorted(map(str, value))[:6]) if isinstance(value, dict) else "no object"
            yield refused(place, f"neither an issue nor a memory ({what})"[:200])
    if not n:
        yield refused(name, "the file is empty", fate="skipped")


def _memory(value: Mapping[str, Any], name: str) -> Draft:
    key = text_of(value.get("key"))
    said = text_of(value.get("value", value.get("content")))
    path = f"{name}#memory:{key_of(key)}"
    if not said:
        return Draft(path, digest(value), "skipped", "a memory without a value")
    return Item(
        KIND,
        path,
        value,
        question=key,
        content=said,
        mapped={"_type": "kind", "key": "title", "value": "content", "content": "content"},
        document={"id": key},
    ).draft()


def _issue(value: Mapping[str, Any], name: str, place: str) -> Draft:
    key = value.get("id")
    if not isinstance(key, str) or not key.strip():
        return refused(place, "an issue without an id")
    path = f"{name}#{key_of(key)}"
    sort = value.get("issue_type")
    if value.get("status") == "tombstone":
        return Draft(path, digest(value), "skipped", "deleted in the source (a tombstone)")
    if sort != "decision":
        return Draft(path, digest(value), "skipped", f"an issue of type {sort or 'task'}: work, not a decision"[:200])
    status = str(value.get("status") or "")
    closed = value.get("closed_at") if status == "closed" else None
    when = ("closed_at", closed) if closed else ("created_at", value.get("created_at"))
    links = [each for each in value.get("dependencies") or () if isinstance(each, Mapping)]
    replaced = [each.get("depends_on_id") for each in links if each.get("type") == "supersedes"]
    supersedes = [text for each in replaced if (text := text_of(each))]
    labels = value.get("labels")
    comments = [each for each in value.get("comments") or () if isinstance(each, Mapping)]
    said = [f"{each.get('author') or 'somebody'}: {each.get('text') or ''}" for each in comments]
    decision = value.get("design") or value.get("close_reason")
    others = [each for each in links if each.get("type") != "supersedes"]
    return Item(
        KIND,
        path,
        value,
        question=text_of(value.get("title")) or key,
        content=sections(
            ("", value.get("description")),
            ("Decision", decision),
            ("Acceptance criteria", value.get("acceptance_criteria")),
            ("Notes", value.get("notes")),
            ("Comments", said),
        ),
        mapped=_MAPPED,
        when=when,
        times={"createdAt": value.get("created_at"), "updatedAt": value.get("updated_at")},
        document={
            "id": key,
            "status": _STATUS.get(status, "unknown"),
            "rawStatus": status,
            "conclusion": text_of(decision),
            "supersedes": supersedes,
        },
        result={"otherLinks": others} if others else {},
        panel_id=DECISION,
        tags=labels if isinstance(labels, list) else (),
    ).draft()
