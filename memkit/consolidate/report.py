"""What consolidating did, or would do. Plain data, light to import."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memkit import clock
from memkit.display import Displayable
from memkit.model.frozen import FrozenMapping
from memkit.model.ledger import FATES, Fate
from memkit.model.problem import Problem


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one candidate.

    Attributes:
        key: Names it.
        session_id: Its session.
        category: Its list.
        title: Its title.
        fate: What became of it.
        reason: Why, as a code; "" where the fate says all.
        record: The record concerned; "" where there is none.
        adjudicator: Who decided: `rules`, `person`, `model:<name>`; "" where nobody had to.
        attempts: How often a model or a person has been asked about it.
        alike: How alike it is to the likest record, 0 to 1; None where there is none near.
        why: What the one who decided said.
    """

    key: str
    session_id: str
    category: str
    title: str
    fate: Fate
    reason: str = ""
    record: str = ""
    adjudicator: str = ""
    attempts: int = 0
    alike: float | None = None
    why: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class ConsolidationReport(Displayable):
    """What a run did, or would do.

    Attributes:
        dry_run: Nothing was written.
        rows: What became of each candidate, in the order of the files.
        as_of: When.
        run_id: Of the run, as in the audit log; "" for a dry run.
        n_extracted: Candidates that were staged first.
        n_recovered: Dead letters that came back first.
        n_reinforced: Records that uses confirmed.
        n_used_entries: Entries whose uses were counted.
        n_firings: Uses that were applied.
        written: Records that were added, by path.
        edited: Records that were changed, by path.
        n_trimmed: Merges that shortened a text.
        masked: Secrets that were masked, by kind.
        problems: Files of candidates that were left alone, and records that could not be compared with; and why.
        reason: How the run ended, as the code of the audit log: `records_updated`, `no_record_changes`, `no_staging`,
            `linter_failed`, `model_error`; what it would be for a dry run.
        cause: Why there was no candidate to look at, in words; "" where there was one.
    """

    dry_run: bool
    rows: tuple[Outcome, ...]
    as_of: dt.datetime
    run_id: str = ""
    n_extracted: int = 0
    n_recovered: int = 0
    n_reinforced: int = 0
    n_used_entries: int = 0
    n_firings: int = 0
    written: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    n_trimmed: int = 0
    masked: Mapping[str, int] = field(default_factory=lambda: FrozenMapping({}))
    problems: tuple[Problem, ...] = ()
    reason: str = ""
    cause: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.rows)

    def __repr__(self) -> str:
        said = (
            ", ".join(f"{n} {fate.replace('_', '-')}" for fate, n in self.counts.items() if n)
            or self.cause
            or "nothing to do"
        )
        return f"<ConsolidationReport{' (dry run)' if self.dry_run else ''}: {said}>"

    @property
    def counts(self) -> dict[Fate, int]:
        """Candidates by fate; they add up to the rows."""
        found = Counter(row.fate for row in self.rows)
        return {fate: found[fate] for fate in FATES}

    def reasons(self, fate: Fate) -> dict[str, int]:
        """Candidates of one fate by reason, most first."""
        return dict(Counter(row.reason for row in self.rows if row.fate == fate).most_common())

    @property
    def needs_a_person(self) -> int:
        """Candidates that wait for somebody: restaged, in conflict, dead letters."""
        return sum(row.fate in {"restaged", "conflict", "dead_lettered"} for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "dry_run": self.dry_run,
            "run_id": self.run_id,
            "reason": self.reason,
            "cause": self.cause,
            "as_of": clock.iso(self.as_of),
            "counts": dict(self.counts),
            "restaged": self.reasons("restaged"),
            "dead_lettered": self.reasons("dead_lettered"),
            "extracted": self.n_extracted,
            "recovered": self.n_recovered,
            "reinforced": self.n_reinforced,
            "used_entries": self.n_used_entries,
            "firings": self.n_firings,
            "written": list(self.written),
            "edited": list(self.edited),
            "trimmed": self.n_trimmed,
            "masked": dict(self.masked),
            "rows": [row.to_dict() for row in self.rows],
            "problems": [problem.to_dict() for problem in self.problems],
        }
