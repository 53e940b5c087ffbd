"""What callers give for the fields of a record, as a record holds it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memkit.errors import InvalidInputError
from memkit.model import jsontext
from memkit.model.frozen import FrozenMapping
from memkit.model.record import KEYS, normal_body

Texts = Iterable[str] | str


def status_of(value: object) -> str:
    """`active` or `superseded`.

    Raises:
        InvalidInputError: it is neither.
    """
    if value not in {"active", "superseded"}:
        raise InvalidInputError(f"{value!r:.40} is neither active nor superseded", field="status")
    return str(value)


def body_of(body: str, title: str | None) -> str:
    """The Markdown of a record, with its title above it where it has no heading of its own."""
    text = normal_body(jsontext.require_text(body, "body"))
    heading = "" if title is None else " ".join(jsontext.require_text(title, "title").split())
    return f"# {heading}\n\n{text}" if heading and not text.startswith("#") else text


def texts_of(values: Texts, field: str) -> tuple[str, ...]:
    """Texts without repeats; one text alone is a list of one."""
    items = [values] if isinstance(values, str) else list(values)
    return tuple(dict.fromkeys(jsontext.require_text(item, field).strip() for item in items))


def extra_of(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """Further keys of the front matter.

    Raises:
        InvalidInputError: one has a parameter of its own, or is no JSON.
    """
    plain = jsontext.require_json(dict(values), "extra")
    for key in plain:
        if key in KEYS:
            raise InvalidInputError(f"{key!r} is a key of its own", field="extra", remedy=f"Pass {key}= instead.")
    return FrozenMapping(plain)
