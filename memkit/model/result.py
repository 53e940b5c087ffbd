"""What a panel produced, and what memkit reads from it.

A result is any JSON object. memkit knows the shape of a `ConsensusResult` (rounds, final score, synthesis), of an
imported document (an object under `document`), and of a few plain spellings; everything else is kept and searched as
text. The readers below never raise on a strange value: a field of the wrong kind counts as absent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

MAX_LEAF_TEXT = 200_000
_TEXT_KEYS = ("synthesis", "summary", "answer", "content", "text", "rationale", "body")

Result = Mapping[str, Any]


def as_mapping(value: object) -> Mapping[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_text(value: object) -> str | None:
    """`value` stripped if it is a text with something in it, else None."""
    if isinstance(value, str) and value.strip():
        return value.strip()
    return None


def as_number(value: object) -> float | None:
    """`value` if it is a finite number, else None."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    return None


def as_texts(value: object) -> tuple[str, ...]:
    """A text, or a list of texts or of objects with a `text`, `condition`, `position` or `content`, as texts."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, (list, tuple)):
        return ()
    found: list[str] = []
    for item in value:
        if isinstance(item, Mapping):
            item = next((item[k] for k in ("text", "condition", "position", "content") if as_text(item.get(k))), None)  # noqa: PLW2901
        text = as_text(item)
        if text:
            found.append(text)
    return tuple(found)


def document_of(result: Result) -> Mapping[str, Any]:
    """The `document` object of an imported record; empty for anything else."""
    return as_mapping(result.get("document"))


def final_score(result: Result) -> float | None:
    """`finalScore` where given, 0 to 100 by the panel's own convention."""
    return as_number(result.get("finalScore"))


def judge_confidence(result: Result) -> float | None:
    """`synthesis.judgeConfidence` where given, 0 to 100 by the panel's own convention."""
    inner = as_number(as_mapping(result.get("synthesis")).get("judgeConfidence"))
    return as_number(result.get("judgeConfidence")) if inner is None else inner


def synthesis_text(result: Result) -> str:
    """The prose of a result: its synthesis, or another plain spelling, or every longer text found in it.

    This text, exactly, is the field `synthesis` of recall; a fragment's offsets count in it.
    """
    synthesis = result.get("synthesis")
    content = as_mapping(synthesis).get("content")
    if isinstance(content, str) and content.strip():
        return content
    for key in _TEXT_KEYS:
        value = result.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return "\n".join(_prose(result))[:MAX_LEAF_TEXT]


def _prose(value: object) -> Iterator[str]:
    """Texts of more than one word anywhere inside, in order."""
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if len(item.split(None, 2)) > 1:
                yield item
        elif isinstance(item, Mapping):
            stack.extend(reversed(list(item.values())))
        elif isinstance(item, (list, tuple)):
            stack.extend(reversed(item))


def minority_positions(result: Result) -> tuple[str, ...]:
    """What the minority held, where the synthesis says so."""
    return as_texts(as_mapping(result.get("synthesis")).get("minorityPositions"))


def unresolved_disputes(result: Result) -> tuple[str, ...]:
    """What stayed open, where the synthesis says so."""
    return as_texts(as_mapping(result.get("synthesis")).get("unresolvedDisputes"))
