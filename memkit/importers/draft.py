"""A draft: one document as an importer read it, before anyone decided whether to store it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memkit.importers.report import FieldAccount
from memkit.store.new_entry import NewEntry

DraftFate = Literal["ready", "skipped", "rejected"]


@dataclass(frozen=True, slots=True)
class Draft:
    """One document, or one row of one, as it was read.

    Attributes:
        path: What `source.path` will be.
        sha256: Of the bytes as they were read; "" where none were.
        fate: `ready` to be stored, or `skipped` or `rejected` with a reason.
        reason: Why it is not ready.
        question: What the entry's question will be.
        result: What the entry's result will be: a JSON object.
        panel_id: The panel.
        tags: The entry's tags.
        fields: What became of each field.
        notes: Oddities worth a person's look.
        size: Bytes of its result as JSON, where they were counted.
        stored: The entry as another store held it, id and time included, where an export comes back.
    """

    path: str
    sha256: str = ""
    fate: DraftFate = "ready"
    reason: str = ""
    question: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    panel_id: str = "adr"
    tags: tuple[str, ...] = ()
    fields: tuple[FieldAccount, ...] = ()
    notes: tuple[str, ...] = ()
    size: int = 0
    stored: NewEntry | None = None


def shortened(value: object, limit: int = 160) -> str:
    """A value on one line for an account, cut at `limit` characters."""
    text = " ".join(str(value).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
