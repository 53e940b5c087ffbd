"""What is known of tripwires: verdicts with their evidence, and when each would have fired. Plain data."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from memkit import clock
from memkit.analytics.frames import arrow
from memkit.display import Displayable, count
from memkit.model.acknowledgement import Acknowledgement
from memkit.model.conditions import Condition
from memkit.model.tripwire import Reading, Tripwire, Verdict

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Cause = Literal[
    "met", "due",  # tripped
    "unmet", "unmet-inside", "not-long-enough", "ahead",  # armed
    "unread", "no-facts", "no-metric", "unit", "no-readings",  # unknown, whatever the readings say
    "silent", "void", "gap", "too-short", "too-sparse", "one-reading",  # unknown for what the readings lack
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one condition at one moment.

    Attributes:
        verdict: `tripped`, `armed` or `unknown`.
        cause: Stable name of why; listed in docs/reference/tripwires.md.
        reason: Why, in one sentence.
        since: Since when it is tripped.
        evidence: The readings that decide it, oldest first; for a window, where the run begins and where it stands.
    """

    verdict: Verdict
    cause: Cause
    reason: str
    since: dt.datetime | None = None
    evidence: tuple[Reading, ...] = ()


@dataclass(frozen=True, slots=True)
class TripwireRow:
    """One condition of one decision, with its verdict.

    Attributes:
        id: Names the tripwire for as long as its decision and its text stay what they are.
        entry_id: The decision.
        project_key: Its project.
        title: The decision's title.
        status: The decision's status.
        ordinal: The condition's place in its decision, from 1.
        condition: What could be read of its text.
        judgement: The verdict.
        acknowledged: What silences it, if it is tripped and somebody said so.
    """

    id: str
    entry_id: str
    project_key: str
    title: str
    status: str
    ordinal: int
    condition: Condition
    judgement: Judgement
    acknowledged: Acknowledgement | None = None

    def __repr__(self) -> str:
        return f"<TripwireRow {self.id} {self.text[:60]!r}: {self.verdict}, {self.reason}>"

    @property
    def text(self) -> str:
        """The condition as it was written."""
        return self.condition.text

    @property
    def verdict(self) -> Verdict:
        """`tripped`, `armed` or `unknown`."""
        return self.judgement.verdict

    @property
    def cause(self) -> str:
        """Why, as one word; docs/reference/tripwires.md lists them."""
        return self.judgement.cause

    @property
    def reason(self) -> str:
        """Why the verdict is what it is."""
        return self.judgement.reason

    @property
    def since(self) -> dt.datetime | None:
        """Since when it is tripped."""
        return self.judgement.since

    @property
    def evidence(self) -> tuple[Reading, ...]:
        """The readings that decide it."""
        return self.judgement.evidence

    @property
    def speaks(self) -> bool:
        """Whether it is tripped and nobody has acknowledged it."""
        return self.verdict == "tripped" and self.acknowledged is None

    def to_tripwire(self) -> Tripwire:
        """The same, as hits and cards carry it."""
        return Tripwire(self.text, self.verdict, self.reason, self.id, self.since, self.evidence, self.acknowledged)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; times in ISO 8601."""
        return {
            "entry_id": self.entry_id,
            "project_key": self.project_key,
            "title": self.title,
            "status": self.status,
            "ordinal": self.ordinal,
            **self.to_tripwire().to_dict(),
            "cause": self.judgement.cause,
            "condition": self.condition.to_dict(),
        }


class _Rows(Sequence[TripwireRow]):
    """A sequence of tripwires."""

    __slots__ = ()
    rows: tuple[TripwireRow, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> TripwireRow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TripwireRow, ...]: ...
    def __getitem__(self, index: int | slice) -> TripwireRow | tuple[TripwireRow, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[TripwireRow]:
        return iter(self.rows)


@dataclass(frozen=True, slots=True)
class TripwireReport(Displayable, _Rows):
    """Every tripwire asked about, what speaks first.

    Attributes:
        rows: One per tripwire: tripped, then armed, then unknown.
        as_of: The moment they were judged at.
        facts: What the facts were, in words; "" without facts.
        notes: What a person should know about the facts.
        gaps: What cannot be read and may be missing here, in sentences.
        n_left_out: Tripwires of decisions that are not in force and were not asked for.
        sql: The query that judged them.
    """

    rows: tuple[TripwireRow, ...]
    as_of: dt.datetime
    facts: str = ""
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    n_left_out: int = 0
    sql: str = ""

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {verdict}" for verdict, n in self.counts.items())
        return f"<TripwireReport {count(len(self.rows), 'tripwire')}: {counts}>"

    @property
    def counts(self) -> dict[str, int]:
        """How many have which verdict."""
        found = {"tripped": 0, "armed": 0, "unknown": 0}
        for row in self.rows:
            found[row.verdict] += 1
        return found

    @property
    def speaking(self) -> tuple[TripwireRow, ...]:
        """Those that are tripped and nobody has acknowledged; the command line leaves with 1 if there are any."""
        return tuple(row for row in self.rows if row.speaks)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clock.iso(self.as_of),
            "facts": self.facts,
            "notes": [*self.gaps, *self.notes],
            "counts": self.counts,
            "n_speaking": len(self.speaking),
            "n_left_out": self.n_left_out,
            "tripwires": [row.to_dict() for row in self.rows],
        }

    def to_arrow(self) -> pa.Table:
        """One row per tripwire, flat columns."""
        import pyarrow as pa

        kinds: dict[str, pa.DataType] = {
            "ordinal": pa.int32(), "value": pa.float64(), "window_seconds": pa.int64(), "window_months": pa.int32(),
            "revisit_on": pa.date32(), "since": pa.timestamp("us", tz="UTC"), "is_acknowledged": pa.bool_(),
            "last_at": pa.timestamp("us", tz="UTC"), "last_value": pa.float64(),
        }  # fmt: skip
        columns: dict[str, list[Any]] = {name: [] for name in _COLUMNS}
        for row in self.rows:
            for name, value in zip(_COLUMNS, _flat(row), strict=True):
                columns[name].append(value)
        return pa.table({name: pa.array(values, kinds.get(name, pa.string())) for name, values in columns.items()})

    def to_pandas(self) -> pd.DataFrame:
        """`to_arrow` as a data frame."""
        return self.to_arrow().to_pandas()


_COLUMNS = (
    "id", "entry_id", "project_key", "title", "status", "ordinal", "text", "kind", "metric", "operator", "value",
    "unit", "window_seconds", "window_months", "revisit_on", "verdict", "cause", "reason", "since", "last_at",
    "last_value", "is_acknowledged",
)  # fmt: skip


def _flat(row: TripwireRow) -> tuple[Any, ...]:
    read, window = row.condition, row.condition.window
    last = row.evidence[-1] if row.evidence else None
    return (
        row.id, row.entry_id, row.project_key, row.title, row.status, row.ordinal, row.text, read.kind, read.metric,
        read.operator, read.value, str(read.unit), window.seconds or None if window else None,
        window.months or None if window else None, read.revisit_on, row.verdict, row.judgement.cause, row.reason,
        row.since, last.at if last else None, last.value if last else None, row.acknowledged is not None,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Firing:
    """One time a condition held.

    Attributes:
        fired_at: When it would have fired.
        ended_at: When it no longer held, or when its readings fell silent; None if it still holds.
        ended_by: `reading` (one that does not meet the condition), `gap` (one after a gap), `silence` (until then it
            was taken to hold), or "" if it still holds.
        begin: The first reading of the run.
        last: The last reading of the run.
        n_readings: How many readings the run has.
        lowest: The lowest of them.
        highest: The highest of them.
    """

    fired_at: dt.datetime
    ended_at: dt.datetime | None = None
    ended_by: Literal["reading", "gap", "silence", ""] = ""
    begin: Reading | None = None
    last: Reading | None = None
    n_readings: int = 0
    lowest: float | None = None
    highest: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "fired_at": clock.iso(self.fired_at),
            "ended_at": clock.iso(self.ended_at) if self.ended_at else None,
            "ended_by": self.ended_by,
            "begin": self.begin.to_dict() if self.begin else None,
            "last": self.last.to_dict() if self.last else None,
            "n_readings": self.n_readings,
            "lowest": self.lowest,
            "highest": self.highest,
        }


@dataclass(frozen=True, slots=True)
class TripwireHistory:
    """When one condition would have fired.

    Attributes:
        row: The tripwire with its verdict at the end of the history.
        decided_at: When its decision was made, as far as known: the start of its day, or its storage.
        firings: Each time, oldest first.
    """

    row: TripwireRow
    decided_at: dt.datetime
    firings: tuple[Firing, ...] = ()

    def __repr__(self) -> str:
        return f"<TripwireHistory {self.row.id} {self.row.text[:60]!r}: fired {len(self.firings):,} times>"

    @property
    def since_decided(self) -> tuple[Firing, ...]:
        """Those that fell into the life of the decision: not over before it was made."""
        return tuple(f for f in self.firings if f.ended_at is None or f.ended_at > self.decided_at)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            **self.row.to_dict(),
            "decided_at": clock.iso(self.decided_at),
            "firings": [firing.to_dict() for firing in self.firings],
        }


@dataclass(frozen=True, slots=True)
class Backtest(Displayable, Sequence[TripwireHistory]):
    """When each tripwire would have fired over the history of the facts.

    Attributes:
        rows: One per tripwire; those that fired first, by their first firing.
        as_of: The end of the history.
        first_at: The first reading of the facts that was looked at.
        facts: What the facts were, in words.
        notes: What a person should know about the facts.
        gaps: What cannot be read and may be missing here, in sentences.
        sql: The query that replayed them.
    """

    rows: tuple[TripwireHistory, ...]
    as_of: dt.datetime
    first_at: dt.datetime | None = None
    facts: str = ""
    notes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    sql: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> TripwireHistory: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TripwireHistory, ...]: ...
    def __getitem__(self, index: int | slice) -> TripwireHistory | tuple[TripwireHistory, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[TripwireHistory]:
        return iter(self.rows)

    def __repr__(self) -> str:
        n = sum(bool(row.firings) for row in self.rows)
        return f"<Backtest of {count(len(self.rows), 'tripwire')}: {n:,} fired>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clock.iso(self.as_of),
            "first_at": clock.iso(self.first_at) if self.first_at else None,
            "facts": self.facts,
            "notes": [*self.gaps, *self.notes],
            "tripwires": [row.to_dict() for row in self.rows],
        }

    def to_arrow(self) -> pa.Table:
        """One row per firing."""
        made, _ = arrow()
        moment, names = made.timestamp("us", tz="UTC"), ("id", "entry_id", "project_key", "title", "text")
        found = [(history.row, firing) for history in self.rows for firing in history.firings]
        columns = {name: made.array([getattr(row, name) for row, _ in found], made.string()) for name in names}
        columns["fired_at"] = made.array([firing.fired_at for _, firing in found], moment)
        columns["ended_at"] = made.array([firing.ended_at for _, firing in found], moment)
        columns["ended_by"] = made.array([firing.ended_by or None for _, firing in found], made.string())
        columns["n_readings"] = made.array([firing.n_readings for _, firing in found], made.int64())
        columns["lowest"] = made.array([firing.lowest for _, firing in found], made.float64())
        columns["highest"] = made.array([firing.highest for _, firing in found], made.float64())
        table: pa.Table = made.table(columns)
        return table

    def to_pandas(self) -> pd.DataFrame:
        """`to_arrow` as a data frame."""
        return self.to_arrow().to_pandas()
