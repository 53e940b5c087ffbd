"""One decision record becomes a draft: what it says, where each field stood, and what was not understood."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from memkit.importers.adr.conclusion import find_conclusion, find_read_when, find_tripwires
from memkit.importers.adr.dates import DayOrder, Order
from memkit.importers.adr.fields import ID_LABELS, KNOWN_LABELS, RELATION_KINDS, TAG_LABELS
from memkit.importers.adr.front_matter import FrontMatter, flat, fold_key, texts
from memkit.importers.adr.naming import number_in_heading
from memkit.importers.adr.reading import Reading, take_apart
from memkit.importers.adr.relations import (
    Related,
    begins_with_relation,
    distinct,
    said_in_passing,
    said_in_value,
    said_outright,
)
from memkit.importers.adr.several import records_in
from memkit.importers.adr.shape import format_of, why_not_a_record
from memkit.importers.adr.status import StatusFound, find_status
from memkit.importers.adr.text import NotText
from memkit.importers.adr.when import DateFound, find_date
from memkit.importers.draft import Draft, shortened
from memkit.importers.report import FieldAccount, Outcome
from memkit.model import headings
from memkit.model.entry import MAX_TAG_CHARS, MAX_TAGS
from memkit.model.relation_words import RELATION_KEYS, Relation
from memkit.model.status_words import STATUS_WORDS, read_status

KIND: Final = "adr"
ENDINGS: Final = frozenset({".md", ".markdown", ".mdx", ".mdown", ".mkd"})
MAX_FILE_BYTES: Final = 4 * 1024 * 1024
_FIELD_OF: Final[dict[Relation, str]] = {
    "supersedes": "supersedes",
    "superseded_by": "supersededBy",
    "amends": "amends",
    "amended_by": "amendedBy",
    "extends": "extends",
    "extended_by": "extendedBy",
}
MAX_QUESTION_CHARS: Final = 2000
_BRACKETED = re.compile(r"[(\[][^()\[\]]+[)\]]")


def read(path: str, data: bytes) -> list[Reading | Draft]:
    """Take one file apart into its records (one, as a rule), or say why it cannot be read."""
    try:
        reading = take_apart(path, data)
    except NotText as error:
        return [Draft(path, hashlib.sha256(data).hexdigest(), "rejected", str(error))]
    several = records_in(reading.text)
    if not several:
        return [reading]
    note = f"one of {len(several)} records in this file"
    parts = [take_apart(f"{path}#{key}", text.encode()) for key, text in several]
    return [replace(part, notes=(*part.notes, note)) for part in parts]


def day_orders(readings: Iterable[Reading]) -> dict[str, Order | None]:
    """The order of day and month in each folder: what its documents show, else those of the nearest folder around it.

    A folder whose documents show both orders has none.
    """
    seen: dict[str, DayOrder] = {}
    folders: set[str] = set()
    for reading in readings:
        folder = posixpath.dirname(reading.path)
        folders.add(folder)
        days = reading.open_days()
        for around in _around(folder):
            seen.setdefault(around, DayOrder()).see(days)
    shown = {folder: evidence for folder, evidence in seen.items() if evidence.day_first or evidence.month_first}
    return {
        folder: next((shown[around].order for around in _around(folder) if around in shown), None) for folder in folders
    }


def _around(folder: str) -> Iterator[str]:
    """A folder and the folders around it, nearest first."""
    yield folder
    while folder not in ("", "/"):
        folder = posixpath.dirname(folder)
        yield folder


def draft(reading: Reading, order: Order | None = None) -> Draft:
    """Make a draft of one document.

    Args:
        reading: The document taken apart.
        order: How its folder orders day and month, where that is known.
    """
    if order is None and reading.writes_day_first:
        order = "day first"
    status = find_status(reading)
    date = find_date(reading, status, order)
    reason = why_not_a_record(reading, status, date)
    if reason is not None:
        return Draft(reading.path, reading.sha256, "skipped", reason, notes=reading.notes)
    document, fields, notes = _document(reading, status, date)
    title = reading.title.text or reading.name.words
    result = {"question": title, "synthesis": {"content": reading.text}, "document": document}
    return Draft(
        path=reading.path,
        sha256=reading.sha256,
        question=title[:MAX_QUESTION_CHARS],
        result=result,
        panel_id=KIND,
        tags=_tags(reading),
        fields=tuple(fields),
        notes=tuple(notes),
        size=2 * len(reading.text),
    )


def _document(
    reading: Reading, status: StatusFound, date: DateFound
) -> tuple[dict[str, Any], list[FieldAccount], list[str]]:
    document: dict[str, Any] = {"format": format_of(reading), "path": reading.path}
    fields: list[FieldAccount] = []
    notes = list(reading.notes)
    name = reading.name

    def told(key: str, name_: str, value: Any, origin: str) -> None:
        if value:
            document[key] = value
            fields.append(FieldAccount(name_, "mapped", origin, shortened(flat(value))))

    told("title", "title", reading.title.text, reading.title.origin)
    if reading.title.placeholder:
        notes.append("its title is a template's, left unfilled")
    elif reading.title.text is None:
        notes.append("it has no title")
    notes.extend(f"a further first-level heading: {shortened(other, 80)}" for other in reading.title.others[:5])
    in_heading = number_in_heading(reading.title.text or "")
    number = name.number or in_heading
    told("number", "number", number, "file name" if name.number else "heading")
    if name.number and in_heading and name.number.lstrip("0") != in_heading.lstrip("0"):
        notes.append(f"its heading says number {in_heading}, its name {name.number}")
    told("slug", "slug", name.slug, "file name")
    identifier, origin = _identifier(reading)
    told("id", "id", identifier, origin)
    _tell_status(document, fields, notes, status)
    _tell_date(document, fields, notes, date)
    if name.date and name.date.day:
        told("pathDate", "path_date", name.date.day.isoformat(), "path")
    conclusion = find_conclusion(reading)
    if conclusion:
        told("conclusion", "conclusion", *conclusion)
    told("tripwires", "tripwires", *find_tripwires(reading))
    told("readWhen", "read_when", *find_read_when(reading))
    _tell_relations(document, fields, _relations(reading, status, number))
    _tell_rest(document, fields, reading)
    return document, fields, notes


def _tell_status(document: dict[str, Any], fields: list[FieldAccount], notes: list[str], found: StatusFound) -> None:
    document["status"] = found.status
    if found.raw is not None:
        document["rawStatus"] = found.raw
        outcome: Outcome = "raw" if found.status == "unknown" else "mapped"
        fields.append(FieldAccount("status", outcome, found.origin, f"{shortened(found.raw)} -> {found.status}"))
        if found.status == "unknown":
            notes.append(f"its status says none of the known states: {shortened(found.raw, 80)}")
    elif found.placeholder:
        fields.append(FieldAccount("status", "not understood", found.origin, "a template's choices, left unfilled"))
        notes.append("its status is a template's, left unfilled")
    notes.extend(f"another status in {shortened(other, 120)}" for other in found.others[:3])


def _tell_date(document: dict[str, Any], fields: list[FieldAccount], notes: list[str], found: DateFound) -> None:
    if found.raw is None:
        return
    if found.day is not None:
        document["decidedOn"] = found.day.isoformat()
        if found.raw != found.day.isoformat():
            document["rawDate"] = found.raw[:200]
        value = f"{shortened(found.raw, 80)} -> {found.day.isoformat()}"
        fields.append(FieldAccount("decided_on", "mapped", found.origin, value))
        return
    document["rawDate"] = found.raw[:200]
    outcome: Outcome = "raw" if found.why == "month only" else "not understood"
    fields.append(FieldAccount("decided_on", outcome, found.origin, f"{shortened(found.raw, 80)}: {found.why}"))
    notes.append(f"its date gives no day ({found.why}): {shortened(found.raw, 80)}")


def _identifier(reading: Reading) -> tuple[str | None, str]:
    for key, value in reading.front.find(*sorted(ID_LABELS)):
        return flat(value)[:200], f"front matter: {key}"
    for item in reading.labels:
        if item.zone == "head" and item.key in ID_LABELS:
            return item.value[:200], item.origin
    return None, ""


def _relations(reading: Reading, status: StatusFound, number: str | None) -> list[Related]:
    """Everything said outright; and what is said in passing, where nothing of its kind was said outright."""
    found: list[Related] = []
    for key in reading.front.values:
        relation = RELATION_KEYS.get(fold_key(key))
        if relation:
            found.extend(said_in_value(relation, reading.front.values[key], f"front matter: {key}"))
    for item in reading.labels:
        if item.key in RELATION_KEYS and item.zone != "body":
            found.extend(said_in_value(RELATION_KEYS[item.key], item.value, item.origin))
    for at, section in reading.of_kind(*RELATION_KINDS):
        relation = RELATION_KEYS[fold_key(str(section.kind))]
        text = headings.text_below(reading.sections, at)
        found.extend(said_in_value(relation, text, f'section "{section.title}"'))
    found.extend(said_outright(status.text, status.origin or "status"))
    found.extend(said_outright(" ".join(_BRACKETED.findall(reading.title.text or "")), "title"))
    passing: list[str] = []
    for placed in reading.placed:
        if placed.section.kind in RELATION_KINDS or placed.section.kind == "status":
            continue
        for paragraph in paragraphs(placed.section.body):
            if placed.zone != "body" and begins_with_relation(paragraph):
                where = placed.section.title or "the text above the first heading"
                found.extend(said_outright(paragraph, f'paragraph in "{shortened(where, 60)}"'))
            else:
                passing.append(paragraph)
    own = frozenset(text.lstrip("0") for text in (number, number_in_heading(reading.title.text or "")) if text)
    said = {related.relation for related in found}
    for related in said_in_passing(passing, own, "sentence of the text"):
        wanted = related.relation == "supersedes" or status.status == "superseded"
        if wanted and related.relation not in said:
            found.append(related)
    return distinct(found)


def paragraphs(body: str) -> list[str]:
    """Paragraphs and list items of a text, each on one line, code left out."""
    found: list[str] = []
    held: list[str] = []
    for _, line, is_open in headings.open_lines(body):
        text = line.strip()
        starts = text[:2] in ("- ", "* ", "+ ", "> ") or text[:1] in "|•" or text[:3].rstrip(". ").isdigit()
        if (not text or not is_open or starts) and held:
            found.append(" ".join(held))
            held = []
        if text and is_open:
            held.append(text)
    return [*found, " ".join(held)] if held else found


def _tell_relations(document: dict[str, Any], fields: list[FieldAccount], found: list[Related]) -> None:
    for relation, key in _FIELD_OF.items():
        mine = [related for related in found if related.relation == relation]
        if not mine:
            continue
        document[key] = [related.text for related in mine]
        outcome: Outcome = "mapped" if relation in ("supersedes", "superseded_by", "amends") else "raw"
        fields.extend(FieldAccount(relation, outcome, related.origin, shortened(related.text)) for related in mine)
    partly = [related.text for related in found if related.partly]
    if partly:
        document["partly"] = partly


def _tell_rest(document: dict[str, Any], fields: list[FieldAccount], reading: Reading) -> None:
    """Keep what is not understood: front matter whole, and labelled values of the head."""
    if reading.front.values:
        document["frontMatter"] = _plain(reading.front)
        used = KNOWN_LABELS | {"decision", "conclusion"}
        for key, value in reading.front.values.items():
            if fold_key(key) not in used and flat(value) and not any(a.origin.endswith(f": {key}") for a in fields):
                fields.append(FieldAccount(key, "raw", f"front matter: {key}", shortened(flat(value), 80)))
    kept: dict[str, str] = {}
    for item in reading.labels:
        if item.zone == "head" and item.key not in KNOWN_LABELS and len(item.label.split()) < 4 and len(kept) < 40:
            kept.setdefault(item.label, item.value[:1000])
            fields.append(FieldAccount(item.label, "raw", item.origin, shortened(item.value, 80)))
    if kept:
        document["labels"] = kept


def _plain(front: FrontMatter) -> Mapping[str, Any]:
    return {str(key): value for key, value in front.values.items()}


def _tags(reading: Reading) -> tuple[str, ...]:
    """Tags of front matter and head, states left out, as many and as long as an entry holds."""
    found: list[str] = []
    states = {word for words in STATUS_WORDS.values() for row in words.values() for word in row}
    values = [value for _, value in reading.front.find(*sorted(TAG_LABELS))]
    values += [item.value for item in reading.labels if item.zone == "head" and item.key in TAG_LABELS]
    for value in values:
        for text in texts(value):
            parts = text.split(",") if isinstance(value, str) else [text]
            found.extend(part.strip(" #`[]{}") for part in parts)
    kept = [tag for tag in found if tag and tag.isprintable() and len(tag) <= MAX_TAG_CHARS]
    kept = [tag for tag in kept if tag.casefold() not in states or read_status(tag).status == "unknown"]
    return tuple(dict.fromkeys(kept))[:MAX_TAGS]
