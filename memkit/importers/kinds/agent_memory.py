"""Folders in which agents keep their memory as Markdown.

They hold notes with a name, a description and a type in their front matter, an index `MEMORY.md`, and the files people
write for agents: `CLAUDE.md`, `AGENTS.md`, `GEMINI.md` and the like.

A note becomes one entry. An index only lists notes and is passed over where it does. A file of rules becomes one entry
per section, so that recall finds the rule and not the file. None of them says when something was decided; the time of
the file is when it was written last, and is not taken for it.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from typing import Any, Final

from memkit.importers.adr.front_matter import flat
from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.item import DECISION, Item, key_of, refused
from memkit.importers.look import MARKDOWN, Look
from memkit.importers.note import MAX_BYTES, Note, read_note
from memkit.model import headings

KIND: Final = "agent-memory"
RULES: Final = frozenset(
    {"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "memory_summary.md"}
)
INDEX: Final = "memory.md"
_LINK: Final = re.compile(r"^\s*[-*+]?\s*\[[^\]]*\]\([^)\s]+\.md\)")
_WHEN: Final = ("created", "created_at", "date", "decided_on")


def signs(look: Look) -> str:
    """The name of a file of rules, or front matter with a description and a name or a type."""
    name = look.path.name.casefold()
    if name in RULES or name == INDEX:
        return f"a file called {look.path.name}" if look.text.strip() else ""
    if look.ending not in MARKDOWN:
        return ""
    keys = {str(key) for key in look.front.values}
    if "description" in keys and keys & {"name", "type", "metadata"} and "permalink" not in keys:
        return f"front matter with {', '.join(sorted(keys & {'name', 'description', 'type', 'metadata'}))}"
    return ""


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per note, or per section of a file of rules."""
    for found in intake.files(MARKDOWN, "Markdown"):
        name = intake.name(found.path)
        if found.problem:
            yield intake.passed_over(found)
            continue
        data = intake.read(found.path, MAX_BYTES)
        note = data if isinstance(data, Draft) else read_note(name, data)
        if isinstance(note, Draft):
            yield note
        elif found.path.name.casefold() in RULES:
            yield from _rules(note)
        elif found.path.name.casefold() == INDEX:
            yield from _index(note)
        else:
            yield _note(note, found.path.stem)


def _front(note: Note) -> dict[str, Any]:
    return {str(key): value for key, value in note.front.values.items()}


def _note(note: Note, stem: str) -> Draft:
    front = _front(note)
    inner = front.get("metadata")
    sort = flat(front.get("type") or (inner.get("type") if isinstance(inner, Mapping) else "")).casefold()
    description = flat(front.get("description", ""))
    if not (description or front.get("name")):
        return refused(note.name, "no note of an agent: no name or description in front matter", fate="skipped")
    key = next((key for key in _WHEN if flat(front.get(key, ""))), "")
    is_decision = sort == DECISION
    title = flat(front.get("title", "")) or description or flat(front.get("name", "")) or note.heading or stem
    mapped = {
        "name": "name",
        "title": "title",
        "description": "title",
        "type": "kind",
        "metadata": "kind",
        "tags": "tags",
    }
    return Item(
        KIND,
        note.name,
        {**front, "body": note.body},
        question=title,
        content=note.body or description,
        mapped={**mapped, "body": "content", **({key: "decided_on"} if key else {})},
        when=(key, flat(front[key])) if key else None,
        document={
            "id": flat(front.get("name", "")) or stem,
            "slug": stem,
            "kind": sort,
            "description": description,
            "status": "accepted" if is_decision else None,
            "conclusion": note.body if is_decision else None,
        },
        panel_id=DECISION if is_decision else KIND,
        tags=[sort, *_tags(front.get("tags"))],
        notes=note.notes,
    ).draft()


def _tags(value: object) -> list[str]:
    return [part.strip() for part in flat(value).split(",") if part.strip()] if value else []


def _index(note: Note) -> Iterator[Draft]:
    lines = [line for line in note.body.split("\n") if line.strip() and not line.startswith("#")]
    if lines and sum(bool(_LINK.match(line)) for line in lines) * 2 >= len(lines):
        yield refused(note.name, "an index: it lists the notes beside it", fate="skipped")
        return
    yield from _rules(note)


def _rules(note: Note) -> Iterator[Draft]:
    """One draft per section that says something; a heading alone only leads to the ones below it."""
    n = 0
    for section in headings.sections(note.body):
        text = section.body.strip()
        if not text:
            continue
        n += 1
        title = section.title or note.heading or note.name.rpartition("/")[2]
        raw = {"heading": section.title, "body": text}
        yield Item(
            KIND,
            f"{note.name}#{key_of(section.title or 'beginning')}",
            raw,
            question=title,
            content=text,
            mapped={"heading": "title", "body": "content"},
            document={"kind": "rules", "file": note.name},
            tags=["rules"],
            notes=note.notes,
        ).draft()
    if not n:
        yield refused(note.name, "nothing is said in it", fate="skipped")
