"""What a catalog knows besides its rows: the scope's counts, the entries nobody can read, one card per entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Scope:
    """What ranking counts over: the live entries of all stores of the catalog.

    Attributes:
        n_entries: All entries the indexes name, readable or not.
        n_live: Those that could be read and have no newer edition.
        n_records: Records among those.
        averages: Mean length of each field of the live ones, in words.
    """

    n_entries: int = 0
    n_live: int = 0
    n_records: int = 0
    averages: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An entry of which only the index line can be read.

    Attributes:
        doc: Its number.
        code: `missing-file`, `damaged-entry`, `newer-schema`, ...
        detail: Why, in words.
        question: The preview in the index line.
    """

    doc: int
    entry_id: str
    project_key: str
    code: str
    detail: str
    question: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """What ranking knows of an entry besides its words.

    Attributes:
        question_crc: Of the question as it was indexed.
        stored_ms: Epoch milliseconds.
    """

    entry_id: str
    question_crc: int
    panel_id: str
    tags: tuple[str, ...]
    stored_ms: int
