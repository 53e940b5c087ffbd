"""What comes back to an agent: metadata in named fields, bounded in bytes; the schemas of the tools' answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

DISCLAIMER = (
    "Historical context, not current truth: this is what was stored at the time. Heed each age, each tripwire's "
    "verdict and superseded_by before relying on it."
)
EMPTY = "no stored results yet: runs are stored when invoked with consensus_store: true"


class Answer(BaseModel):
    """A part of an answer."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Wire(Answer):
    """A condition that would make the decision wrong, with today's verdict: tripped, armed or unknown."""

    text: str
    verdict: str
    reason: str
    since: str | None


class Matched(Answer):
    """A place where words of the question stand: the field, and the text around them."""

    field: str
    text: str
    words: list[str]


class Hit(Answer):
    """A stored result (kind entry) or record (lesson, preference, decision, domain) that matches."""

    id: str
    kind: str
    rank: int
    stored_at: str
    age: str
    age_days: float
    decided: str | None
    panel: str
    tags: list[str]
    question: str
    summary: str
    status: str
    score: float
    coverage: float
    fragments: list[Matched]
    tripwires: list[Wire]
    superseded_by: list[str]
    project_key: str
    source_path: str | None


class Miss(Answer):
    """Why something is not among the hits."""

    cause: str
    detail: str
    count: int
    ids: list[str]


class Recalled(Answer):
    """The answer of `consensus_recall`."""

    disclaimer: str
    query: str
    n_stored: int
    hits: list[Hit]
    offset: int
    next_offset: int | None
    missed: list[Miss]
    warnings: list[str]
    cut: str | None
    note: str | None


class Linked(Answer):
    """Another decision, by id and title."""

    id: str
    title: str


class Decision(Answer):
    """One decision about the topic."""

    id: str
    title: str
    conclusion: str | None
    status: str
    age: str
    stored_at: str
    decided_on: str | None
    final_score: float | None
    judge_confidence: float | None
    minority_positions: list[str]
    unresolved_disputes: list[str]
    tripwires: list[Wire]
    supersedes: list[Linked]
    superseded_by: list[Linked]
    panel: str
    score: float
    source_path: str | None


class Decisions(Answer):
    """The answer of `consensus_what_we_decided`."""

    disclaimer: str
    topic: str
    decisions: list[Decision]
    missed: list[Miss]
    warnings: list[str]
    cut: str | None
    note: str | None


class Recorded(Answer):
    """The answer of `consensus_record_result`."""

    stored: bool
    id: str | None
    stored_at: str | None
    masked: dict[str, int]
    pruned: list[str]
    note: str


def clipped(text: str, most: int = 1200) -> str:
    """`text`, cut at `most` characters; a cut one ends in an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def size(answer: Mapping[str, Any]) -> int:
    """Bytes of an answer as JSON in UTF-8."""
    return len(json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Room:
    """How much one row may take: characters of a text, tripwires, fragments."""

    text: int
    tripwires: int
    fragments: int


ROOMS = (Room(1200, 20, 5), Room(300, 5, 2), Room(80, 1, 1))


def fitting(answer: Callable[[int, Room], Mapping[str, Any]], n_rows: int, most: int) -> Mapping[str, Any]:
    """The answer with as many of its rows, from the first on, as `most` bytes allow.

    At least one row stays where there is one; where even that is too long, its texts are cut shorter.

    Args:
        answer: Makes the answer of its first n rows.
        n_rows: How many there are.
        most: Bytes.
    """
    whole = answer(n_rows, ROOMS[0])
    if size(whole) <= most:
        return whole
    for room in ROOMS:
        low, high = 0, n_rows
        while low < high:  # the most rows that fit
            middle = (low + high + 1) // 2
            low, high = (middle, high) if size(answer(middle, room)) <= most else (low, middle - 1)
        if low:
            return answer(low, room)
    return answer(min(n_rows, 1), ROOMS[-1])


def texts(values: Sequence[str], room: Room = ROOMS[0]) -> list[str]:
    """The first texts of a list, each cut."""
    return [clipped(value, room.text) for value in values[: room.tripwires]]
