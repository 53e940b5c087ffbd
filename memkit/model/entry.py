"""An entry: one stored result in its versioned envelope. Written once, never edited.

On disk it is `results/<id>.json`, camelCase, readable by the tool that first defined it. Two optional fields are
memkit's own: `replaces` (the id of the entry of which this is a newer edition) and `source` (the document it was
imported from). Fields memkit does not know are kept in `extra` and written back.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memkit import clock
from memkit.display import Displayable, count
from memkit.errors import InvalidInputError
from memkit.model import ids, jsontext
from memkit.model.frozen import FrozenMapping

SCHEMA_VERSION = 1
MAX_TAGS = 32
MAX_TAG_CHARS = 64
MAX_PANEL_CHARS = 64
MAX_QUESTION_CHARS = 100_000
MAX_ENTRY_BYTES = 32 * 1024 * 1024
EARLIEST_MS = 0


class EntryDamage(ValueError):  # noqa: N818 - a finding about a file, carried as data
    """The JSON is not an entry; the message says which field is wrong."""


class NewerEntry(EntryDamage):
    """The entry was written with a newer schema; it is shown as such and never dropped."""

    def __init__(self, version: int) -> None:
        self.version = version
        super().__init__(f"schema version {version} is newer than {SCHEMA_VERSION}, which this memkit reads")


@dataclass(frozen=True, slots=True)
class Source:
    """Where an imported entry came from.

    Attributes:
        kind: The importer: `adr`, `consensus`, ...
        path: The document, relative to the project if it lies inside it, else absolute; with `#key` for a row of it.
        sha256: Of the document's bytes as they were read.
    """

    kind: str
    path: str
    sha256: str

    def to_dict(self) -> dict[str, str]:
        """The envelope's `source` object."""
        return {"kind": self.kind, "path": self.path, "sha256": self.sha256}


@dataclass(frozen=True, slots=True)
class StoredEntry(Displayable):
    """One stored result.

    Attributes:
        id: `[a-z0-9]{8,}`, sorts by time.
        stored_at_ms: Epoch milliseconds, UTC.
        project_key: First 12 hex digits of the SHA-256 of the project's real path.
        project_path: That real path, as it was when storing; never resolved again.
        panel_id: The panel that produced the result; imported decision records use `adr`.
        question: What was asked.
        tags: At most 32 of at most 64 characters.
        result: What the panel produced: any JSON object.
        replaces: The entry of which this is a newer edition, if any.
        source: The imported document, if any.
        schema_version: Of the envelope as it was read, after upgrades.
        extra: Fields memkit does not know, kept as they were.
    """

    id: str
    stored_at_ms: int
    project_key: str
    project_path: str
    panel_id: str
    question: str
    tags: tuple[str, ...]
    result: Mapping[str, Any]
    replaces: str | None = None
    source: Source | None = None
    schema_version: int = SCHEMA_VERSION
    extra: Mapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))

    def __repr__(self) -> str:
        return (
            f"<StoredEntry {self.id} {self.question[:50]!r} from {self.panel_id[:30]!r}, "
            f"{count(len(self.tags), 'tag')}>"
        )

    @property
    def stored_at(self) -> dt.datetime:
        """When it was stored, aware, UTC."""
        return clock.from_ms(self.stored_at_ms)

    def to_envelope(self) -> dict[str, Any]:
        """The JSON object of `results/<id>.json`."""
        envelope: dict[str, Any] = {
            "schemaVersion": self.schema_version,
            "id": self.id,
            "storedAt": self.stored_at_ms,
            "projectKey": self.project_key,
            "projectPath": self.project_path,
            "panelId": self.panel_id,
            "question": self.question,
            "tags": list(self.tags),
            "result": dict(self.result),
        }
        if self.replaces is not None:
            envelope["replaces"] = self.replaces
        if self.source is not None:
            envelope["source"] = self.source.to_dict()
        envelope.update({k: v for k, v in self.extra.items() if k not in envelope})
        return envelope

    def to_bytes(self) -> bytes:
        """The file's bytes: one line of JSON and a newline."""
        return jsontext.dumps(self.to_envelope()) + b"\n"


_KNOWN = frozenset(
    {"schemaVersion", "id", "storedAt", "projectKey", "projectPath", "panelId", "question", "tags", "result"}
    | {"replaces", "source"}
)


def entry_from_envelope(envelope: Mapping[str, Any]) -> StoredEntry:
    """Read an envelope of the current schema (older ones go through `upgrades` first).

    Raises:
        NewerEntry: written with a newer schema.
        EntryDamage: a field is missing or of the wrong kind.
    """
    version = envelope.get("schemaVersion")
    if not isinstance(version, int) or isinstance(version, bool):
        raise EntryDamage("schemaVersion is missing or not a whole number")
    if version > SCHEMA_VERSION:
        raise NewerEntry(version)
    if not ids.is_id(envelope.get("id")):
        raise EntryDamage("id is missing or not of a-z and 0-9")
    stored_at = envelope.get("storedAt")
    if isinstance(stored_at, float) and stored_at.is_integer():
        stored_at = int(stored_at)
    if not isinstance(stored_at, int) or isinstance(stored_at, bool) or not 0 <= stored_at <= 253_402_300_799_999:
        raise EntryDamage("storedAt is missing or not epoch milliseconds")
    for name in ("projectKey", "projectPath", "panelId", "question"):
        if not isinstance(envelope.get(name), str):
            raise EntryDamage(f"{name} is missing or not text")
    tags = envelope.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise EntryDamage("tags is not a list of texts")
    result = envelope.get("result")
    if not isinstance(result, dict):
        raise EntryDamage("result is missing or not an object")
    replaces = envelope.get("replaces")
    if replaces is not None and not ids.is_id(replaces):
        raise EntryDamage("replaces is not an id")
    return StoredEntry(
        id=envelope["id"],
        stored_at_ms=stored_at,
        project_key=envelope["projectKey"],
        project_path=envelope["projectPath"],
        panel_id=envelope["panelId"],
        question=envelope["question"],
        tags=tuple(tags),
        result=result,
        replaces=replaces,
        source=_source(envelope.get("source")),
        schema_version=version,
        extra=FrozenMapping({k: v for k, v in envelope.items() if k not in _KNOWN}),
    )


def _source(value: object) -> Source | None:
    if value is None:
        return None
    if not isinstance(value, dict) or not all(isinstance(value.get(k), str) for k in ("kind", "path", "sha256")):
        raise EntryDamage("source is not an object of kind, path and sha256")
    return Source(kind=value["kind"], path=value["path"], sha256=value["sha256"])


def require_question(value: object) -> str:
    """Return the question if it can be stored.

    Raises:
        InvalidInputError: empty, not text, too long, or not valid Unicode.
    """
    text = jsontext.require_text(value, "question")
    if not text.strip():
        raise InvalidInputError("is empty", field="question", remedy="Say in a few words what was asked.")
    if len(text) > MAX_QUESTION_CHARS:
        raise InvalidInputError(
            f"has {len(text):,} characters, at most {MAX_QUESTION_CHARS:,} are kept",
            field="question",
            remedy="Keep the long text in the result and ask a shorter question.",
        )
    return text


def require_tags(value: object) -> tuple[str, ...]:
    """Return the tags without repeats, in their order.

    Raises:
        InvalidInputError: not a list of texts, empty, too many, or too long ones.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InvalidInputError("a list of texts was expected", field="tags", remedy="Pass tags=['a', 'b'].")
    tags = tuple(dict.fromkeys(jsontext.require_text(tag, "tags").strip() for tag in value))
    if len(tags) > MAX_TAGS:
        raise InvalidInputError(
            f"{len(tags)} tags, at most {MAX_TAGS} are kept", field="tags", remedy="Leave some out."
        )
    for tag in tags:
        if not tag or len(tag) > MAX_TAG_CHARS:
            raise InvalidInputError(
                f"the tag {tag!r:.80} has {len(tag)} characters",
                field="tags",
                remedy=f"A tag has 1 to {MAX_TAG_CHARS} characters.",
            )
    return tags


def require_panel(value: object) -> str:
    """Return the panel's id.

    Raises:
        InvalidInputError: empty, too long, with line breaks or control characters, or not text.
    """
    text = jsontext.require_text(value, "panel_id").strip()
    if not text or len(text) > MAX_PANEL_CHARS or not text.isprintable():
        raise InvalidInputError(
            f"{text!r:.80} cannot name a panel",
            field="panel_id",
            remedy=f"A panel's name has 1 to {MAX_PANEL_CHARS} printable characters.",
        )
    return text


def require_stored_at(value: object, now: dt.datetime) -> int:
    """Return epoch milliseconds for an aware instant that is not in the future.

    Raises:
        InvalidInputError: naive, before 1970, ahead of `now` by more than five minutes, or not a datetime.
    """
    if not isinstance(value, dt.datetime):
        raise InvalidInputError(
            f"a datetime was expected, found {type(value).__name__}",
            field="stored_at",
            remedy="Pass datetime.datetime(..., tzinfo=datetime.UTC).",
        )
    if value.utcoffset() is None:
        raise InvalidInputError(
            "has no time zone", field="stored_at", remedy="Add one: value.replace(tzinfo=datetime.UTC)."
        )
    ms = clock.to_ms(value)
    if ms < EARLIEST_MS:
        raise InvalidInputError("lies before 1970", field="stored_at", remedy="Check the year.")
    if ms > clock.to_ms(now) + clock.SKEW_MS:
        raise InvalidInputError(
            f"{value.isoformat()} lies in the future (now is {clock.iso(now)})",
            field="stored_at",
            remedy="Check the clock, or leave stored_at out.",
        )
    return ms
