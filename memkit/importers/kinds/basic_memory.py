"""Notes of basic-memory: Markdown with a title and a permalink.

Observations are written `- [category] text #tag (context)`, relations `- rel_type [[Target]] (context)`.

A note becomes one entry; its observations and relations are listed in it as well as in its text. Observations of the
category `decision` make the note a decision, and are its conclusion.
"""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any, Final

from memkit.importers.adr.front_matter import flat
from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.item import DECISION, Item, refused
from memkit.importers.look import MARKDOWN, Look
from memkit.importers.note import MAX_BYTES, Note, read_note
from memkit.model import headings

KIND: Final = "basic-memory"
_OBSERVATION: Final = re.compile(r"\s*[-*]\s+\[(?P<category>[^\[\]()]{1,60})\]\s+(?P<text>\S.*)")
_RELATION: Final = re.compile(
    r"\s*[-*]\s+(?P<kind>[^\[\]]{0,80}?)\s*\[\[(?P<target>[^\[\]]+)\]\]\s*(?:\((?P<context>.*)\))?\s*"
)
_TAG: Final = re.compile(r"(?<!\S)#([^\s#()]+)")
_BOXES: Final = frozenset({" ", "x", "X", "-", "/", ">", "~"})  # tasks, not categories
_REPLACES: Final = frozenset({"supersedes", "replaces"})
_WHEN: Final = ("created", "created_at", "date")


def signs(look: Look) -> str:
    """A permalink in front matter, or observations or relations beside a title."""
    if look.ending not in MARKDOWN or not look.front.values:
        return ""
    keys = {str(key) for key in look.front.values}
    lines = look.text.split("\n")
    n = sum(bool(_observation(line)) or bool(_RELATION.fullmatch(line)) for line in lines)
    if "permalink" in keys:
        return f"a permalink in front matter, {n} observations and relations"
    return f"a title in front matter, {n} observations and relations" if "title" in keys and n else ""


def _observation(line: str) -> re.Match[str] | None:
    match = _OBSERVATION.fullmatch(line)
    return match if match and match["category"] not in _BOXES else None


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per note."""
    for found in intake.files(MARKDOWN, "Markdown"):
        name = intake.name(found.path)
        if found.problem:
            yield intake.passed_over(found)
            continue
        data = intake.read(found.path, MAX_BYTES)
        note = data if isinstance(data, Draft) else read_note(name, data)
        yield note if isinstance(note, Draft) else _note(note, found.path.stem)


def _note(note: Note, stem: str) -> Draft:
    front = {str(key): value for key, value in note.front.values.items()}
    observations, relations = _lists(note.body)
    if "permalink" not in front and not (front.get("title") and (observations or relations)):
        reason = "no note of basic-memory: no permalink, and no title with observations or relations"
        return refused(note.name, reason, fate="skipped")
    key = next((key for key in _WHEN if flat(front.get(key, ""))), "")
    decided = [each["text"] for each in observations if each["category"].casefold() == DECISION]
    sort = flat(front.get("type", "")).casefold()
    is_decision = bool(decided) or sort == DECISION
    tags = [part.strip() for part in flat(front.get("tags", "")).split(",")]
    tags += [tag for each in observations for tag in each["tags"]]
    mapped = {"title": "title", "type": "kind", "tags": "tags", "permalink": "id", "body": "content"}
    return Item(
        KIND,
        note.name,
        {**front, "body": note.body},
        question=flat(front.get("title", "")) or note.heading or stem,
        content=note.body,
        mapped={**mapped, **({key: "decided_on"} if key else {})},
        when=(key, flat(front[key])) if key else None,
        document={
            "id": flat(front.get("permalink", "")) or stem,
            "slug": stem,
            "kind": sort,
            "status": "accepted" if is_decision else None,
            "conclusion": "\n".join(decided) or (note.body if is_decision else None),
            "supersedes": [each["target"] for each in relations if each["kind"].casefold() in _REPLACES],
            "observations": observations,
            "relations": relations,
        },
        panel_id=DECISION if is_decision else KIND,
        tags=tags,
        notes=note.notes,
    ).draft()


def _lists(body: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    observations: list[dict[str, Any]] = []
    relations: list[dict[str, Any]] = []
    for _, line, is_open in headings.open_lines(body):
        if not is_open:
            continue
        related, observed = _RELATION.fullmatch(line), _observation(line)
        if observed:
            text = observed["text"].strip()
            observations.append({"category": observed["category"].strip(), "text": text, "tags": _TAG.findall(text)})
        elif related:
            said = {"kind": related["kind"].strip() or "relates_to", "target": related["target"].strip()}
            relations.append({**said, **({"context": related["context"]} if related["context"] else {})})
    return observations, relations
