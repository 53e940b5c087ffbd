"""What a catalog knows besides its rows: the scope's counts, the entries nobody can read, one card per entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memkit.model.record import panel_of


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

    def grown(self, rows: Sequence[Mapping[str, Any]]) -> Scope:
        """The same with further rows of entries, none of which replaces another: what `scope.sql` would count."""
        live = [row for row in rows if row["problem"] is None]
        n_live = self.n_live + len(live)
        averages = {
            name: (round(average * self.n_live) + sum(row[f"len_{name}"] for row in live)) / max(1, n_live)
            for name, average in self.averages.items()
        }
        n_records = self.n_records + sum(row["panel_id"].startswith(panel_of("")) for row in live)
        return Scope(self.n_entries + len(rows), n_live, n_records, averages)


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
