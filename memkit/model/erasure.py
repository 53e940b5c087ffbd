"""An erasure: that an entry was erased, when, by whom and why; nothing of what it said.

Where the entry came from a document, two salted digests (of the document's place and of its bytes) let an import notice
that it is about to bring the same document back, without telling anybody which document it was.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memkit import clock
from memkit.model import ids
from memkit.model.entry import Source
from memkit.model.jsontext import JsonDamage

ERASURE_SCHEMA_VERSION = 1
ERASED = "[erased]"
"""What stands in the place of a text that was erased from a line that stays."""


@dataclass(frozen=True, slots=True)
class Erasure:
    """One line of `state/erasures.jsonl`, and the whole of `state/erasing.json` while it is under way.

    Attributes:
        id: The entry.
        erased_at: When.
        actor: Who: `python`, `cli`, `notebook`.
        reason: Why, scrubbed, and without what the entry said.
        stored_at: When the entry had been stored, where that was known.
        salt: Of the digests; "" where there was no source.
        place: Digest of the source's kind and path.
        content: Digest of the source's SHA-256.
    """

    id: str
    erased_at: dt.datetime
    actor: str
    reason: str = ""
    stored_at: dt.datetime | None = None
    salt: str = ""
    place: str = ""
    content: str = ""

    def is_of(self, source: Source, *, by_place: bool = True) -> bool:
        """Whether the erased entry came from this document: with the same bytes, or, `by_place`, from where it lies."""
        if not self.salt:
            return False
        place, content = digests(self.salt, source)
        return content == self.content or (by_place and place == self.place)

    def to_dict(self) -> dict[str, Any]:
        """The line's JSON object."""
        line: dict[str, Any] = {
            "schemaVersion": ERASURE_SCHEMA_VERSION,
            "id": self.id,
            "erasedAt": clock.to_ms(self.erased_at),
            "actor": self.actor,
            "reason": self.reason,
        }
        if self.stored_at is not None:
            line["storedAt"] = clock.to_ms(self.stored_at)
        if self.salt:
            line |= {"salt": self.salt, "place": self.place, "content": self.content}
        return line


def digests(salt: str, source: Source) -> tuple[str, str]:
    """Salted SHA-256 of where a document lies, and of what its bytes were."""
    place = f"{salt}\0{source.kind}\0{source.path}".encode("utf-8", "surrogatepass")
    content = f"{salt}\0{source.sha256}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(place).hexdigest(), hashlib.sha256(content).hexdigest()


def parse_erasure(raw: Mapping[str, Any]) -> Erasure:
    """Read one line.

    Raises:
        JsonDamage: a field is missing or of the wrong kind.
    """
    if not ids.is_id(raw.get("id")):
        raise JsonDamage("id is missing or not of a-z and 0-9")
    erased_at, stored_at = raw.get("erasedAt"), raw.get("storedAt")
    for name, value in (("erasedAt", erased_at), ("storedAt", stored_at)):
        if value is None and name == "storedAt":
            continue
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 253_402_300_799_999:
            raise JsonDamage(f"{name} is missing or not epoch milliseconds")
    texts = {name: raw.get(name, "") for name in ("actor", "reason", "salt", "place", "content")}
    for name, text in texts.items():
        if not isinstance(text, str):
            raise JsonDamage(f"{name} is no text")
    return Erasure(
        id=raw["id"],
        erased_at=clock.from_ms(erased_at),  # type: ignore[arg-type]
        stored_at=None if stored_at is None else clock.from_ms(stored_at),
        **texts,
    )
