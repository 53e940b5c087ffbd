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
    """A part of an answer. What stands below a field is its description in the schema an agent is given."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class Wire(Answer):
    """A condition that would make the decision wrong, with today's verdict."""

    text: str
    """The condition as it was written."""
    verdict: str
    """`tripped`, `armed` or `unknown`."""
    reason: str
    """What the verdict rests on."""
    since: str | None
    """Since when it is tripped, ISO 8601."""


class Matched(Answer):
    """A place where words of the question stand."""

    field: str
    """The field of the entry."""
    text: str
    """The words around the match."""
    words: list[str]
    """The words that match, as they stand there."""


class Hit(Answer):
    """A stored result or record that matches."""

    id: str
    """Its id; of a record its name."""
    kind: str
    """`entry`, or the kind of a record: `lesson`, `preference`, `decision`, `domain`."""
    rank: int
    """Its place, from 1."""
    stored_at: str
    """When it was stored, ISO 8601 in UTC."""
    age: str
    """The same in words: `Stored 76 days ago`."""
    age_days: float
    """The same in days."""
    decided: str | None
    """When it was decided, in words, where that is known."""
    panel: str
    """The panel it is from."""
    tags: list[str]
    """Its tags."""
    question: str
    """What was asked."""
    summary: str
    """What was concluded, in short."""
    status: str
    """Of a decision: `accepted`, `superseded`, `rejected` and so on; of a record `active` or `superseded`."""
    score: float
    """How well it fits; comparable within one answer only."""
    coverage: float
    """The share of the question's words that it has, by weight, 0 to 1."""
    fragments: list[Matched]
    """Where it matched."""
    tripwires: list[Wire]
    """Its conditions, with verdicts."""
    superseded_by: list[str]
    """Ids of what replaced it."""
    project_key: str
    """The project it belongs to."""
    source_path: str | None
    """The document it was imported from."""


class Miss(Answer):
    """Why something is not among the hits."""

    cause: str
    """The cause, one word: see the reference of recall."""
    detail: str
    """The same as a sentence."""
    count: int
    """How many it concerns."""
    ids: list[str]
    """Which, as far as they can be named."""


class Recalled(Answer):
    """The answer of `consensus_recall`."""

    disclaimer: str
    """That all of it is history, and what to heed."""
    query: str
    """The question as it was understood."""
    n_stored: int
    """How many entries and records were searched."""
    hits: list[Hit]
    """The best first."""
    offset: int
    """How many hits were passed over."""
    next_offset: int | None
    """The `offset` of the next page; null where there is none."""
    missed: list[Miss]
    """What could have been there and is not, with its cause."""
    warnings: list[str]
    """What to know about the answer."""
    cut: str | None
    """What was left out for its bytes, and how to get it."""
    note: str | None
    """What to know where nothing was found."""


class Linked(Answer):
    """Another decision."""

    id: str
    """Its id."""
    title: str
    """Its title."""


class Decision(Answer):
    """One decision about the topic."""

    id: str
    """Its id."""
    title: str
    """Its title."""
    conclusion: str | None
    """What was decided."""
    status: str
    """`accepted`, `superseded`, `rejected` and so on."""
    age: str
    """How long ago, in words."""
    stored_at: str
    """When it was stored, ISO 8601 in UTC."""
    decided_on: str | None
    """The day of the decision, where that is known."""
    final_score: float | None
    """The panel's final score, where it gave one."""
    judge_confidence: float | None
    """The judge's confidence, where it was stated."""
    minority_positions: list[str]
    """Who saw it otherwise, and how."""
    unresolved_disputes: list[str]
    """What stayed open."""
    tripwires: list[Wire]
    """What would make it wrong, with verdicts."""
    supersedes: list[Linked]
    """What it replaced."""
    superseded_by: list[Linked]
    """What replaced it."""
    panel: str
    """The panel it is from."""
    score: float
    """How well it fits the topic."""
    source_path: str | None
    """The document it was imported from."""


class Decisions(Answer):
    """The answer of `consensus_what_we_decided`."""

    disclaimer: str
    """That all of it is history, and what to heed."""
    topic: str
    """The topic as it was understood."""
    decisions: list[Decision]
    """What holds now first."""
    missed: list[Miss]
    """What could have been there and is not, with its cause."""
    warnings: list[str]
    """What to know about the answer."""
    cut: str | None
    """What was left out for its bytes, and how to get it."""
    note: str | None
    """What to know where nothing is stored."""


class Recorded(Answer):
    """The answer of `consensus_record_result`."""

    stored: bool
    """Whether anything was stored."""
    id: str | None
    """The entry's id."""
    stored_at: str | None
    """When, ISO 8601 in UTC."""
    masked: dict[str, int]
    """Secrets that were masked first, by kind."""
    pruned: list[str]
    """Ids that storing this moved to the trash."""
    note: str
    """The same in a sentence."""


def clipped(text: str, most: int = 1200) -> str:
    """`text`, cut at `most` characters; a cut one ends in an ellipsis."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def size(answer: Mapping[str, Any]) -> int:
    """Bytes of an answer as it is sent, in UTF-8: once as data, and once as a text that holds the same."""
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return sum(len(each.encode("utf-8", "surrogatepass")) for each in (text, json.dumps(text, ensure_ascii=False)))


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
