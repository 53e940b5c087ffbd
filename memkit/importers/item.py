"""One item of another tool's file becomes a draft, with what became of each of its fields.

A field is mapped (its meaning is known), kept as it was written (under `original` of the result), or left out with a
reason. The item's own day is read, said to be not understood, or said to be not measurable where the tool keeps none;
it is never the day of the import.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from memkit import clock
from memkit.errors import InvalidInputError
from memkit.importers.draft import Draft, shortened
from memkit.importers.report import FieldAccount
from memkit.model import jsontext
from memkit.model.entry import MAX_ENTRY_BYTES, MAX_TAG_CHARS, MAX_TAGS

# A little less than an entry may hold: masking secrets can make a text longer.
MAX_RESULT_BYTES: Final = MAX_ENTRY_BYTES * 3 // 4
MAX_QUESTION_CHARS: Final = 2000
MAX_KEY_CHARS: Final = 96
# 1980 and 9999 as seconds and as milliseconds since 1970; what lies between is no time.
_SECONDS: Final = (315_532_800, 253_402_300_799)
DECISION: Final = "decision"


@dataclass(frozen=True, slots=True)
class Item:
    """What an importer says about one item.

    Attributes:
        kind: The importer.
        path: What `source.path` will be.
        raw: The item as it was read; plain JSON data.
        question: What the entry's question will be.
        content: Its prose.
        mapped: Key of `raw` -> the field it became.
        left_out: Key of `raw` -> why it is not carried over.
        when: Key of the item's own time, and its value; None where the tool keeps no time.
        times: Further times by the name they get in the document.
        document: What else is said of it: `id`, `status`, `conclusion`, `supersedes`, ...
        result: Further keys of the result.
        panel_id: The panel; by default named like the importer.
        tags: Its tags; what cannot be a tag is left out with a note.
        notes: Oddities.
        told: Field accounts that `raw` does not show.
    """

    kind: str
    path: str
    raw: Mapping[str, Any]
    question: str
    content: str
    mapped: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, str] = field(default_factory=dict)
    when: tuple[str, Any] | None = None
    times: Mapping[str, Any] = field(default_factory=dict)
    document: Mapping[str, Any] = field(default_factory=dict)
    result: Mapping[str, Any] = field(default_factory=dict)
    panel_id: str = ""
    tags: Iterable[object] = ()
    notes: tuple[str, ...] = ()
    told: tuple[FieldAccount, ...] = ()

    def draft(self) -> Draft:
        """The draft: ready, skipped where nothing is said in it, rejected where it cannot be stored."""
        sha256 = digest(self.raw)
        replaced = Counter[str]()
        if not (self.content.strip() or self.question.strip()):
            return Draft(self.path, sha256, "skipped", "nothing is said in it", panel_id=self.panel_id or self.kind)
        tags, odd = _tags(self.tags)
        document, told = self._document()
        result: dict[str, Any] = {
            "question": self.question,
            **self.result,
            "synthesis": {**self.result.get("synthesis", {}), "content": self.content},
            "document": document,
        }
        kept = {
            key: value
            for key, value in self.raw.items()
            if key not in self.mapped and key not in self.left_out and value not in (None, "", [], {})
        }
        if kept:
            result["original"] = kept
        notes = [*self.notes, *odd]
        try:
            plain = jsontext.require_json(whole(result, replaced), "result")
            size = len(jsontext.dumps(plain))
        except InvalidInputError as error:
            return Draft(self.path, sha256, "rejected", str(error), panel_id=self.panel_id or self.kind)
        if size > MAX_RESULT_BYTES:
            reason = f"{size:,} bytes as JSON, at most {MAX_RESULT_BYTES:,} are kept"
            return Draft(self.path, sha256, "rejected", reason, panel_id=self.panel_id or self.kind)
        question = " ".join(jsontext.whole_text(self.question).split()) or shortened(self.content, 200)
        if len(question) > MAX_QUESTION_CHARS:
            question = question[: MAX_QUESTION_CHARS - 1] + "…"
            notes.append(f"its question is cut at {MAX_QUESTION_CHARS:,} characters; the whole stands in its result")
        if replaced:
            notes.append(f"{replaced['characters']} unpaired surrogates replaced by U+FFFD")
        return Draft(
            path=self.path,
            sha256=sha256,
            question=question,
            result=plain,
            panel_id=self.panel_id or self.kind,
            tags=tags,
            fields=(*self._fields(kept), *told, *self.told),
            notes=tuple(notes),
            size=size,
        )

    def _document(self) -> tuple[dict[str, Any], list[FieldAccount]]:
        document: dict[str, Any] = {"format": self.kind, "title": self.question[:MAX_QUESTION_CHARS], "path": self.path}
        document.update({key: value for key, value in self.document.items() if value not in (None, "", [], (), {})})
        told: list[FieldAccount] = []
        if self.when is None or self.when[1] in (None, ""):
            told.append(FieldAccount("decided_on", "not measurable", "the source keeps no time of it"))
        else:
            key, value = self.when
            instant = instant_of(value)
            if instant is None:
                document["rawDate"] = str(value)[:200]
                told.append(FieldAccount("decided_on", "not understood", key, shortened(value, 80)))
            else:
                document["decidedOn"] = instant.date().isoformat()
                document["at"] = clock.iso(instant)
                told.append(FieldAccount("decided_on", "mapped", key, document["decidedOn"]))
        for name, value in self.times.items():
            if value not in (None, ""):
                instant = instant_of(value)
                document[name] = clock.iso(instant) if instant else str(value)[:200]
        return document, told

    def _fields(self, kept: Mapping[str, Any]) -> Iterable[FieldAccount]:
        for key, value in self.raw.items():
            if value in (None, "", [], {}) or self.mapped.get(key) == "decided_on":
                continue
            if key in self.mapped:
                yield FieldAccount(self.mapped[key], "mapped", key, shortened(_short(value), 80))
            elif key in self.left_out:
                yield FieldAccount(key, "left out", key, self.left_out[key])
            elif key in kept:
                yield FieldAccount(key, "raw", key, shortened(_short(value), 80))


def refused(path: str, reason: str, data: bytes = b"", *, fate: str = "rejected") -> Draft:
    """The account of something that is no item."""
    sha256 = hashlib.sha256(data).hexdigest() if data else ""
    return Draft(path, sha256, "skipped" if fate == "skipped" else "rejected", reason)


def digest(raw: object) -> str:
    """The SHA-256 of an item, whatever the order of its keys."""
    text = json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def key_of(*parts: object) -> str:
    """A key for `path#key` from what names an item in its own tool; long or strange ones get a digest."""
    text = ":".join(str(part) for part in parts)
    plain = "".join(c if c.isalnum() or c in "-_.:@" else "-" for c in text)
    if plain == text and len(plain) <= MAX_KEY_CHARS:
        return plain
    return f"{plain[:48].strip('-')}-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def instant_of(value: object) -> dt.datetime | None:
    """An instant from ISO 8601 (without a zone: UTC), or from seconds or milliseconds since 1970; else None."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, str):
        text = value.strip()
        if text.isascii() and text.isdigit():
            return instant_of(int(text))
        try:
            moment = dt.datetime.fromisoformat(text)
        except ValueError:
            return None
        try:
            return moment.replace(tzinfo=clock.UTC) if moment.utcoffset() is None else moment.astimezone(clock.UTC)
        except OverflowError:
            return None
    if isinstance(value, (int, float)):
        low, high = _SECONDS
        if low <= value <= high:
            return clock.from_ms(int(value * 1000))
        if low * 1000 <= value <= high * 1000:
            return clock.from_ms(int(value))
    return None


def whole(value: Any, replaced: Counter[str]) -> Any:
    """A value with U+FFFD in the place of unpaired surrogates, and NaN and infinities as null."""
    if isinstance(value, str):
        if value.isascii():
            return value
        text = jsontext.whole_text(value)
        if text != value:
            replaced["characters"] += sum(0xD800 <= ord(character) <= 0xDFFF for character in value)
        return text
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):  # noqa: PLR0124
        return None
    if isinstance(value, (list, tuple)):
        return [whole(item, replaced) for item in value]
    if isinstance(value, Mapping):
        return {whole(str(key), replaced): whole(item, replaced) for key, item in value.items()}
    return value


def text_of(value: object) -> str:
    """A value as prose: texts as they are, lists as bullets, anything else as compact JSON; "" for nothing."""
    if value in (None, "", [], {}):
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, (list, tuple)):
        return "\n".join(f"- {' '.join(text_of(item).split())}" for item in value if text_of(item))
    return json.dumps(value, ensure_ascii=False, default=str)


def sections(*parts: tuple[str, object]) -> str:
    """Prose with a heading for each part that has something to say; a part without a heading comes as it is."""
    found = []
    for heading, value in parts:
        text = text_of(value)
        if text:
            found.append(f"## {heading}\n\n{text}" if heading else text)
    return "\n\n".join(found)


def from_json(value: object) -> object:
    """What a text of JSON holds, as databases keep lists; the text itself where it is none."""
    if isinstance(value, str) and value[:1] in "[{":
        try:
            return jsontext.loads(value.encode("utf-8", "surrogatepass"))
        except jsontext.JsonDamage:
            return value
    return value


def _short(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return f"{len(value)} items"
    if isinstance(value, Mapping):
        return ", ".join(map(str, list(value)[:8]))
    return value[:400] if isinstance(value, str) else value


def _tags(values: Iterable[object]) -> tuple[tuple[str, ...], list[str]]:
    found: list[str] = []
    odd = 0
    for value in values:
        text = " ".join(jsontext.whole_text(str(value)).strip(" #").split()) if value not in (None, "") else ""
        if text and text.isprintable() and len(text) <= MAX_TAG_CHARS:
            found.append(text)
        elif text:
            odd += 1
    unique = tuple(dict.fromkeys(found))
    notes = [f"{odd} tags are too long or not printable and left out"] if odd else []
    if len(unique) > MAX_TAGS:
        notes.append(f"{len(unique) - MAX_TAGS} tags more than an entry holds are left out")
    return unique[:MAX_TAGS], notes
