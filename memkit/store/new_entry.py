"""What is to be stored: a checked request, before an id, a time and an envelope are given to it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memkit.errors import InvalidInputError
from memkit.model import jsontext
from memkit.model.entry import Source, require_panel, require_question, require_stored_at, require_tags
from memkit.model.ids import require_id


@dataclass(frozen=True, slots=True)
class NewEntry:
    """One result to store; the fields mean what they mean in `StoredEntry`.

    Attributes:
        stored_at_ms: Epoch milliseconds, or None for "now".
        id: Of an earlier attempt whose outcome is unknown, so that storing again makes no second entry; None for a new
            one.
        extra: Fields of an envelope that memkit does not know, of an entry that comes back from an export.
    """

    question: str
    result: Mapping[str, Any]
    panel_id: str = "consensus"
    tags: tuple[str, ...] = ()
    stored_at_ms: int | None = None
    replaces: str | None = None
    source: Source | None = None
    id: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


_FIELDS = frozenset({"question", "result", "panel_id", "tags", "stored_at", "id"})


def check_new_entry(values: Mapping[str, Any], now: dt.datetime) -> NewEntry:
    """A request from a person's values: question, result, and optionally panel_id, tags, stored_at, id.

    Raises:
        InvalidInputError: naming the field and what to do.
    """
    unknown = sorted(set(values) - _FIELDS)
    if unknown:
        raise InvalidInputError(
            f"unknown field {unknown[0]!r}", field=unknown[0], remedy=f"Known fields: {', '.join(sorted(_FIELDS))}."
        )
    result = values.get("result")
    if not isinstance(result, Mapping):
        raise InvalidInputError(
            f"a JSON object was expected, found {type(result).__name__}",
            field="result",
            remedy="Pass a dict; for a bare text use {'synthesis': {'content': text}}.",
        )
    stored_at, entry_id = values.get("stored_at"), values.get("id")
    return NewEntry(
        question=require_question(values.get("question")),
        result=jsontext.require_json(dict(result), "result"),
        panel_id=require_panel(values.get("panel_id", "consensus")),
        tags=require_tags(values.get("tags", ())),
        stored_at_ms=None if stored_at is None else require_stored_at(stored_at, now),
        id=None if entry_id is None else require_id(entry_id),
    )
