"""A listing of entries, from their index lines."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

from memkit import clock
from memkit.display import Displayable, count
from memkit.model.index_line import ABSENT, IndexLine


@dataclass(frozen=True, slots=True)
class EntryList(Displayable, Sequence[IndexLine]):
    """Index lines, newest first.

    Attributes:
        rows: One per entry.
        as_of: The moment ages are counted to.
        n_damaged: Index lines that could not be read; `memkit verify` lists them.
        n_records: Files of records, which are not listed here.
    """

    rows: tuple[IndexLine, ...]
    as_of: dt.datetime
    n_damaged: int = 0
    n_records: int = 0

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> IndexLine: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[IndexLine, ...]: ...
    def __getitem__(self, index: int | slice) -> IndexLine | tuple[IndexLine, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[IndexLine]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<EntryList: {count(len(self.rows), 'entry', 'entries')}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clock.iso(self.as_of),
            "n_damaged": self.n_damaged,
            "entries": [
                {
                    "id": line.id,
                    "stored_at": clock.iso(clock.from_ms(line.stored_at_ms)),
                    "age_label": clock.stored_label(clock.from_ms(line.stored_at_ms), self.as_of),
                    "panel_id": line.panel_id,
                    "question": line.question_preview,
                    "tags": list(line.tags),
                    "final_score": None if line.final_score == ABSENT else line.final_score,
                    "judge_confidence": None if line.judge_confidence == ABSENT else line.judge_confidence,
                }
                for line in self.rows
            ],
        }
