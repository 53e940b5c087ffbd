"""A checkup: what `memkit doctor` found, one line a check, as data."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memkit import clock
from memkit.display import Displayable

Verdict = Literal["ok", "warn", "bad"]
VERDICTS: tuple[Verdict, ...] = ("ok", "warn", "bad")


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        topic: What: `settings`, `consent`, `store`, `entries`, `integrity`, `locks`, `flock`, `space`, `inodes`,
            `file system`, `folder`, `temporary`, `sizes`, `copies`, `python`, `package`, `extra`.
        verdict: `ok`; `warn`, which a person should know and may leave; `bad`, which stops something.
        detail: What was found.
        remedy: What to do; empty where nothing is to be done.
    """

    topic: str
    verdict: Verdict
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Checkup(Displayable):
    """Everything that was looked at.

    Attributes:
        project_path: The project's real path.
        folder: Its folder in the store; None where the settings that name it cannot be read.
        rows: The checks, in the order they were made.
        as_of: When.
    """

    project_path: str
    folder: str | None
    rows: tuple[Check, ...]
    as_of: dt.datetime

    def __repr__(self) -> str:
        return f"<Checkup: {', '.join(f'{n} {verdict}' for verdict, n in self.counts.items())}>"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.rows)

    @property
    def counts(self) -> dict[str, int]:
        """How many checks had each verdict."""
        return {verdict: sum(row.verdict == verdict for row in self.rows) for verdict in VERDICTS}

    @property
    def is_sound(self) -> bool:
        """Whether nothing is bad."""
        return not any(row.verdict == "bad" for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "project_path": self.project_path,
            "folder": self.folder,
            "as_of": clock.iso(self.as_of),
            "counts": self.counts,
            "is_sound": self.is_sound,
            "checks": [asdict(row) for row in self.rows],
        }
