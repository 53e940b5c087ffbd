"""What a look into every byte of a store found; what is found is shown masked."""

from __future__ import annotations

import datetime as dt
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memkit import clock
from memkit.display import Displayable, count

What = Literal["traces", "text", "secrets"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One spot where something was found.

    Attributes:
        file: Relative to the project's folder in the store.
        where: `byte 123`, `line 4`, or `row 5 of question`.
        masked: What was found: its first two characters and its length.
        kind: The kind of secret; `text` for a text, `fragment` for a trace of an erased entry.
    """

    file: str
    where: str
    masked: str
    kind: str


@dataclass(frozen=True, slots=True)
class Scan(Displayable):
    """What a look into every file of a store found.

    Attributes:
        what: `secrets`, `text`, or `traces` of an erased entry.
        n_files: Files looked into.
        n_bytes: Their bytes.
        n_rows: Rows of Parquet decoded.
        found: The spots, in the order of files; at most 1,000 are told.
        n_found: How many spots there are.
        unreadable: Files the operating system would not show, or whose Parquet cannot be decoded.
        as_of: When.
    """

    what: What
    n_files: int
    n_bytes: int
    n_rows: int
    found: tuple[Finding, ...]
    n_found: int
    unreadable: tuple[str, ...]
    as_of: dt.datetime

    @property
    def is_clean(self) -> bool:
        """Whether every file could be looked into and nothing was found."""
        return not self.n_found and not self.unreadable

    def __repr__(self) -> str:
        return f"<Scan for {self.what}: {count(self.n_files, 'file')}, {self.n_bytes:,} bytes, {self.n_found:,} found>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {**asdict(self), "as_of": clock.iso(self.as_of), "is_clean": self.is_clean}
