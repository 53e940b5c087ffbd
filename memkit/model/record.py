"""A record: one canonical memory, a Markdown file that people read and edit.

Lessons, preferences and decisions are `memory/<slug>.md`, knowledge of the domain is `knowledge/<slug>.md`. Front
matter says what it is, the body says it in words. Reading is tolerant of style and strict about meaning: a key memkit
knows must hold what it should, or the file is damaged as a whole, is shown as such, and keeps every byte. A missing key
has its default. Writing over a file changes only the lines it has to; a record written unchanged has the same bytes.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, get_args

from memkit import clock
from memkit.display import Displayable
from memkit.model import front_matter
from memkit.model.front_matter import FrontMatterDamage
from memkit.model.frozen import FrozenMapping
from memkit.model.slugs import is_slug

RecordKind = Literal["lesson", "preference", "decision", "domain"]
RecordStatus = Literal["active", "superseded"]
KINDS: Final = get_args(RecordKind)
STATUSES: Final = get_args(RecordStatus)
MEMORY, KNOWLEDGE = "memory", "knowledge"
FOLDERS: Final[Mapping[str, str]] = FrozenMapping(
    {"lesson": MEMORY, "preference": MEMORY, "decision": MEMORY, "domain": KNOWLEDGE}
)
SUFFIX: Final = ".md"
MAX_RECORD_BYTES: Final = 1_048_576
MAX_COUNT: Final = 2**31 - 1
_BOM = "\ufeff"
_LINE_END = re.compile(r"\r+\n")  # more than one carriage return: line ends that were converted twice
_HEADING = re.compile(r"^#{1,6}[ \t]+(?P<title>.+?)[ \t]*#*[ \t]*$", re.MULTILINE)


class RecordDamage(ValueError):  # noqa: N818 - a finding about a file, carried as data
    """These bytes are no record; the message says why, `field` which key is meant."""

    def __init__(self, what: str, field: str = "") -> None:
        self.field = field
        super().__init__(f"{field}: {what}" if field else what)


@dataclass(frozen=True, slots=True)
class Record(Displayable):
    """One canonical memory.

    Attributes:
        slug: Its name: the file's, without `.md`.
        kind: `lesson`, `preference`, `decision`, or `domain` for knowledge.
        body: Markdown, without blank lines at its ends; lines end in a newline character only.
        status: `active`, or `superseded` by another.
        created_at: When it was first written.
        updated_at: When it was last changed by memkit.
        sources: Where it comes from: a session with its turns, an entry's id, a path, a person.
        supersedes: Slugs of the records it replaces.
        superseded_by: The slug of the record that replaces it.
        reinforcement_count: How many uses have confirmed it.
        last_seen_at: When it was last used, as far as that was counted.
        triggers: Situations in which it should come to mind.
        tags: Words to find it by.
        extra: Keys memkit does not know, as they were read.
    """

    slug: str
    kind: RecordKind
    body: str
    status: RecordStatus = "active"
    created_at: dt.datetime | None = None
    updated_at: dt.datetime | None = None
    sources: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: str | None = None
    reinforcement_count: int = 0
    last_seen_at: dt.datetime | None = None
    triggers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    extra: Mapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))

    def __repr__(self) -> str:
        return f"<Record {self.path} {self.status} {self.title[:50]!r}>"

    @property
    def folder(self) -> str:
        """`memory` or `knowledge`."""
        return FOLDERS[self.kind]

    @property
    def path(self) -> str:
        """The file, relative to the project's folder in the store."""
        return record_path(self.kind, self.slug)

    @property
    def title(self) -> str:
        """The first heading of the body, else its first line, else the slug in words."""
        return title_of(self.body) or self.slug.replace("-", " ").capitalize()

    @property
    def is_active(self) -> bool:
        """Whether it is in force."""
        return self.status == "active"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "slug": self.slug,
            "kind": self.kind,
            "path": self.path,
            "title": self.title,
            **{name: _plain(value) for name, value in self.front_matter().items() if name != "kind"},
            "extra": dict(self.extra),
            "body": self.body,
        }

    def front_matter(self) -> dict[str, Any]:
        """The keys memkit knows, with their values, in the order of the file."""
        return {
            "kind": self.kind,
            "status": self.status,
            "created_at": self.created_at,
            "updated_at": self.updated_at,
            "sources": list(self.sources),
            "supersedes": list(self.supersedes),
            "superseded_by": self.superseded_by,
            "reinforcement_count": self.reinforcement_count,
            "last_seen_at": self.last_seen_at,
            "triggers": list(self.triggers),
            "tags": list(self.tags),
        }


KEYS: Final = tuple(f.name for f in fields(Record) if f.name not in {"slug", "body", "extra"})
# Keys that a file memkit makes always has; of the others only those that say something.
_ALWAYS = frozenset({"kind", "status", "created_at", "updated_at", "sources", "reinforcement_count"})


def record_path(kind: str, slug: str) -> str:
    """`memory/<slug>.md` or `knowledge/<slug>.md`, relative to the project's folder in the store."""
    return f"{FOLDERS[kind]}/{slug}{SUFFIX}"


def is_record_path(text: str) -> bool:
    """Whether this is the path of a record, such as `memory/use-utc.md`."""
    folder, _, name = text.partition("/")
    return folder in {MEMORY, KNOWLEDGE} and name.endswith(SUFFIX) and is_slug(name.removesuffix(SUFFIX))


def panel_of(kind: str) -> str:
    """The panel a record is recalled under: `record:lesson` and so on; no panel of entries should be called so."""
    return f"record:{kind}"


DECISION_PANEL: Final = panel_of("decision")


def kind_of_panel(panel_id: str) -> str:
    """The kind of record a panel stands for; `entry` for every other panel."""
    kind = panel_of("")
    found = panel_id.removeprefix(kind)
    return found if panel_id.startswith(kind) and found in KINDS else "entry"


def title_of(body: str) -> str:
    """The first heading of a Markdown text, else the beginning of its first line."""
    heading = _HEADING.search(body)
    if heading is not None:
        return heading["title"].strip()
    return body.strip().split("\n", 1)[0][:120].strip()


def record_hash(data: bytes) -> str:
    """What names these bytes in conflicts, events and the list of hashes memkit has seen: SHA-256, hexadecimal."""
    return hashlib.sha256(data).hexdigest()


# -- reading ------------------------------------------------------------------------------------------------------


def read_record(folder: str, slug: str, data: bytes) -> Record:
    """The record in a file's bytes.

    Args:
        folder: `memory` or `knowledge`, where the file lies.
        slug: Its name without `.md`.
        data: Its bytes.

    Raises:
        RecordDamage: they are no record.
    """
    if not is_slug(slug):
        raise RecordDamage("the file's name is no slug (a-z, 0-9, single hyphens)")
    text = _decoded(data)
    try:
        page = front_matter.cut(text)
        values = front_matter.read(page.front)
    except FrontMatterDamage as damage:
        raise RecordDamage(str(damage)) from damage
    kind = _kind(values.get("kind"), folder)
    return Record(
        slug=slug,
        kind=kind,
        body=normal_body(page.body),
        status=_status(values.get("status")),
        created_at=_instant(values, "created_at"),
        updated_at=_instant(values, "updated_at"),
        sources=_texts(values, "sources"),
        supersedes=_slugs(values, "supersedes"),
        superseded_by=_one_slug(values, "superseded_by"),
        reinforcement_count=_count(values, "reinforcement_count"),
        last_seen_at=_instant(values, "last_seen_at"),
        triggers=_texts(values, "triggers"),
        tags=_texts(values, "tags"),
        extra=FrozenMapping({key: value for key, value in values.items() if key not in KEYS}),
    )


def normal_body(text: str) -> str:
    """A body as `Record` has it: newlines only, no blank lines at its ends; of one that is so already, the same."""
    return _LINE_END.sub("\n", text).strip("\n").rstrip()


def _decoded(data: bytes) -> str:
    if len(data) > MAX_RECORD_BYTES:
        raise RecordDamage(f"more than {MAX_RECORD_BYTES:,} bytes; a record is a page, not a book")
    if not data.strip():
        raise RecordDamage("the file is empty")
    try:
        return data.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        raise RecordDamage(f"not UTF-8: byte {error.start} is 0x{data[error.start]:02x}") from error


def _kind(value: Any, folder: str) -> RecordKind:
    if value is None and folder == KNOWLEDGE:
        return "domain"
    if value not in KINDS:
        what = "is missing" if value is None else f"{value!r:.60} is none of {', '.join(KINDS)}"
        raise RecordDamage(what, "kind")
    if FOLDERS[value] != folder:
        raise RecordDamage(f"{value} belongs into {FOLDERS[value]}/, the file lies in {folder}/", "kind")
    kind: RecordKind = value
    return kind


def _status(value: Any) -> RecordStatus:
    if value is None:
        return "active"
    if value not in STATUSES:
        raise RecordDamage(f"{value!r:.60} is none of {', '.join(STATUSES)}", "status")
    status: RecordStatus = value
    return status


def _instant(values: Mapping[str, Any], key: str) -> dt.datetime | None:
    value = values.get(key)
    if value is None:
        return None
    try:
        return clock.parse_instant(str(value))
    except ValueError as error:
        raise RecordDamage(f"{value!r:.60} is no moment (2027-01-31 or 2027-01-31T12:00:00Z)", key) from error


def _count(values: Mapping[str, Any], key: str) -> int:
    value = values.get(key)
    if value is None:
        return 0
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_COUNT:
        raise RecordDamage(f"{value!r:.60} is no whole number from 0", key)
    return value


def _texts(values: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of texts; one text alone is a list of one."""
    value = values.get(key)
    items = value if isinstance(value, list) else [] if value is None else [value]
    return tuple(text for item in items if (text := _as_text(item)))


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, Mapping):
        return ", ".join(f"{_as_text(key)}: {_as_text(item)}".strip() for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_as_text(item) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value).strip()


def _slugs(values: Mapping[str, Any], key: str) -> tuple[str, ...]:
    found = _texts(values, key)
    for slug in found:
        if not is_slug(slug):
            raise RecordDamage(f"{slug!r:.100} is no slug", key)
    return tuple(dict.fromkeys(found))


def _one_slug(values: Mapping[str, Any], key: str) -> str | None:
    found = _slugs(values, key)
    if len(found) > 1:
        raise RecordDamage("names more than one record", key)
    return found[0] if found else None


# -- writing ------------------------------------------------------------------------------------------------------


def write_record(record: Record, base: bytes | None = None) -> bytes:
    """The bytes of a record's file; with `base`, its present bytes, only what differs is changed.

    Raises:
        RecordDamage: `base` cannot be read as the record of this name.
    """
    if base is None:
        known = {k: v for k, v in record.front_matter().items() if v not in (None, []) or k in _ALWAYS}
        head = front_matter.write({**known, **{k: v for k, v in record.extra.items() if k not in known}})
        return f"---\n{head}---\n\n{normal_body(record.body)}\n".encode()
    before = read_record(record.folder, record.slug, base)
    text = base.decode("utf-8")
    bom = _BOM if text.startswith(_BOM) else ""
    page = front_matter.cut(text.removeprefix(_BOM))
    changes = _changes(before, record)
    front = _changed(page, changes, before, record) if changes else page.front
    head, tail = (page.head, page.tail) if page.head or not front else (f"---{page.newline}", f"---{page.newline}")
    body = page.body
    if normal_body(record.body) != before.body:
        body = f"\n{normal_body(record.body)}\n".replace("\n", page.newline)
    if front and tail and not tail.endswith("\n") and body:
        tail += page.newline
    return f"{bom}{head}{front}{tail}{body}".encode()


def _changes(before: Record, after: Record) -> dict[str, Any]:
    """The keys whose values differ, with the new ones; None takes a key away."""
    old, new = before.front_matter(), after.front_matter()
    changes = {
        key: None if value == [] and key not in _ALWAYS else value
        for key, value in new.items()
        if _to_ms(value) != _to_ms(old[key])
    }
    changes |= {
        key: value for key, value in after.extra.items() if key not in before.extra or before.extra[key] != value
    }
    changes |= {key: None for key in before.extra if key not in after.extra}
    return changes


def _changed(page: front_matter.Page, changes: Mapping[str, Any], before: Record, after: Record) -> str:
    """The front matter with its changes; written anew as a whole where its style does not let itself be changed."""
    want = _values(after)
    try:
        front = front_matter.change(page.front, changes, page.newline)
        if _values(read_record(before.folder, before.slug, f"---\n{front}---\n\nx\n".encode())) == want:
            return front
    except (FrontMatterDamage, RecordDamage):
        pass
    known = {k: v for k, v in after.front_matter().items() if v not in (None, []) or k in _ALWAYS}
    return front_matter.write({**known, **after.extra}, page.newline)


def _values(record: Record) -> dict[str, Any]:
    return {key: _to_ms(value) for key, value in {**record.extra, **record.front_matter()}.items()}


def _to_ms(value: Any) -> Any:
    """An instant as precisely as it is written."""
    return clock.to_ms(value) if isinstance(value, dt.datetime) else value


def _plain(value: Any) -> Any:
    return clock.iso(value) if isinstance(value, dt.datetime) else value
