"""What the questions about the audit log answer. Rows are made when they are looked at; the table is there at once."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from memkit import clock
from memkit.display import Charted, Displayable, count
from memkit.model.frozen import FrozenMapping
from memkit.model.problem import Problem
from memkit.store.audit_chain import Place

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Row = TypeVar("Row")


def _plain(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return clock.iso(value)
    return value.isoformat() if isinstance(value, dt.date) else value


class _Said:
    """A row that can be given as plain JSON data."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; times in ISO 8601."""
        return {name: _plain(value) for name, value in asdict(self).items()}  # type: ignore[call-overload]


@dataclass(frozen=True, slots=True)
class AuditRun(_Said):
    """One run of a memory worker.

    Attributes:
        run_id: Of the run.
        project_key: Its project.
        worker: `memory_extract` or `memory_consolidation`.
        trigger: What set it off.
        status: `completed`, `skipped`, `failed`, `cancelled`, `running`, or `lost` (its process is gone).
        reason: Why it ended so, a short code; None for one without an end.
        because: What left a consolidation without a candidate: how the extraction before it ended, or
            `nothing_extracted` where no session was looked through since the consolidation before; else None.
        message: What went wrong, in words, where something did.
        started_at: When; None where only its end is known.
        ended_at: When; None for one without an end.
        duration_seconds: How long it took.
        is_lost: Whether it is lost.
        actor: Who started it.
        model: The model it used, where it used one.
        session_id: The session it read, where it read one.
        n_staged: Candidates it staged; this and the other counts are None where it said nothing about them.
        n_consumed: Candidates it took from staging.
        n_written: Records added.
        n_edited: Records rewritten.
        n_deleted: Records deleted; always 0.
        n_dropped: Duplicates and discarded candidates.
        n_merged: Merges.
        n_trimmed: Merges that shortened a body.
        n_restaged: Candidates put back.
        n_dead_lettered: Candidates given up.
        n_calls: Calls to a model.
        n_input_tokens: Tokens given to it.
        n_output_tokens: Tokens it gave.
    """

    run_id: str
    project_key: str
    worker: str
    trigger: str | None
    status: str
    reason: str | None
    because: str | None
    message: str | None
    started_at: dt.datetime | None
    ended_at: dt.datetime | None
    duration_seconds: float | None
    is_lost: bool
    actor: str | None
    model: str | None
    session_id: str | None
    n_staged: int | None
    n_consumed: int | None
    n_written: int | None
    n_edited: int | None
    n_deleted: int | None
    n_dropped: int | None
    n_merged: int | None
    n_trimmed: int | None
    n_restaged: int | None
    n_dead_lettered: int | None
    n_calls: int | None
    n_input_tokens: int | None
    n_output_tokens: int | None


@dataclass(frozen=True, slots=True)
class EventRow(_Said):
    """One event.

    Attributes:
        event_id: Of the event.
        project_key: Its project.
        seq: Its number in the log; None for one of before the chain.
        occurred_at: When.
        event: Its kind.
        op: What was done; None for a worker.
        status: With which outcome.
        actor: Who acted.
        reason: Why, a short code or a sentence.
        query: What was asked, where something was; None once erased.
        message: What went wrong, in words.
        result_count: How much was found.
        entry_id: The entry concerned.
        entry_ids: The entries concerned, where it is one or many.
        n_entries: How many entries.
        tripwire_id: The tripwire that was acknowledged.
        codes: What was repaired, as a JSON list of codes of problems.
        days: Days of the log that were compacted or removed, as a JSON list.
        kind: The kind of record, or of import.
        slug: The record concerned.
        path: The file concerned.
        worker: The worker concerned.
        run_id: Its run.
    """

    event_id: str
    project_key: str
    seq: int | None
    occurred_at: dt.datetime
    event: str
    op: str | None
    status: str | None
    actor: str | None
    reason: str | None
    query: str | None
    message: str | None
    result_count: int | None
    entry_id: str | None
    entry_ids: Sequence[str]
    n_entries: int
    tripwire_id: str | None
    codes: str | None
    days: str | None
    kind: str | None
    slug: str | None
    path: str | None
    worker: str | None
    run_id: str | None


@dataclass(frozen=True, slots=True)
class RecordChange(_Said):
    """One operation on a record.

    Attributes:
        slug: The record.
        project_key: Its project.
        kind: Its kind.
        path: Its file.
        position: Its place among the record's changes, from 1; None for one that changed nothing.
        occurred_at: When.
        op: `write`, `edit`, `delete`, `external_edit`.
        status: `done`, `failed` or `refused`.
        actor: Who acted.
        reason: Why.
        findings: What the linter found, as JSON text, where it refused.
        before_hash: SHA-256 of the file before.
        after_hash: SHA-256 of the file after.
        is_break: Whether it began with other bytes than the change before it had left.
        event_id: Its event.
    """

    slug: str
    project_key: str
    kind: str | None
    path: str | None
    position: int | None
    occurred_at: dt.datetime
    op: str | None
    status: str | None
    actor: str | None
    reason: str | None
    findings: str | None
    before_hash: str | None
    after_hash: str | None
    is_break: bool
    event_id: str


@dataclass(frozen=True, slots=True)
class ActivityRow(_Said):
    """One day on which memory was asked or read.

    Attributes:
        project_key: Its project.
        used_on: The day, in UTC.
        n_times: How often.
        n_empty: How often nothing was found.
        n_actors: By how many kinds of actor.
    """

    project_key: str
    used_on: dt.date
    n_times: int
    n_empty: int
    n_actors: int


@dataclass(frozen=True, slots=True)
class UsageRow(_Said):
    """One thing that was asked or read.

    Attributes:
        project_key: Its project.
        op: `recall`, `decided`, `read`, `query`.
        kind: The kind of record, where one was read.
        slug: The record.
        entry_id: The entry, where one was read.
        query: What was asked; None for a reading, or once erased.
        n_times: How often.
        n_actors: By how many kinds of actor.
        n_empty: How often nothing was found.
        mean_results: How much was found on average.
        first_at: When first.
        last_at: When last.
    """

    project_key: str
    op: str | None
    kind: str | None
    slug: str | None
    entry_id: str | None
    query: str | None
    n_times: int
    n_actors: int
    n_empty: int
    mean_results: float | None
    first_at: dt.datetime
    last_at: dt.datetime


@dataclass(frozen=True, slots=True)
class WorkerHealth(_Said):
    """How one worker does.

    Attributes:
        worker: Which.
        project_key: Its project.
        n_runs: Runs in all.
        n_completed: Those that did their work.
        n_skipped: Those with nothing to do.
        n_failed: Those that failed.
        n_cancelled: Those that somebody interrupted.
        n_lost: Those whose process is gone without a word.
        n_running: Those under way.
        failure_rate: Failed and lost ones among those and the completed ones, 0 to 1; None without any.
        last_success_at: When one last did its work.
        last_status: How the newest one stands.
        last_reason: Why; empty where it said nothing.
        last_at: When the newest one started.
    """

    worker: str
    project_key: str
    n_runs: int
    n_completed: int
    n_skipped: int
    n_failed: int
    n_cancelled: int
    n_lost: int
    n_running: int
    failure_rate: float | None
    last_success_at: dt.datetime | None
    last_status: str
    last_reason: str
    last_at: dt.datetime | None


@dataclass(frozen=True, slots=True, eq=False)
class AuditAnswer(Displayable, Sequence[Row], Generic[Row]):
    """Rows of one question.

    Attributes:
        kind: The type of a row.
        data: The rows as an Arrow table.
        as_of: The moment of the question.
        sql: The query that gave them.
        asked: The filters asked with, by name.
        n_matched: How many rows there would be without a limit.
    """

    kind: type[Row]
    data: pa.Table
    as_of: dt.datetime
    sql: str
    asked: Mapping[str, object] = field(default_factory=lambda: FrozenMapping({}))
    n_matched: int = 0

    def __len__(self) -> int:
        return int(self.data.num_rows)

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows; with very many of them a slice costs less."""
        return self[:]

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step == 1:
                return tuple(map(self._row, self.data.slice(start, max(0, stop - start)).to_pylist()))
            return tuple(self[place] for place in range(start, stop, step))
        place = index + len(self) if index < 0 else index
        if not 0 <= place < len(self):
            raise IndexError(index)
        return self._row(self.data.slice(place, 1).to_pylist()[0])

    def __iter__(self) -> Iterator[Row]:
        for start in range(0, len(self), 1_000):
            yield from self[start : start + 1_000]

    def _row(self, values: dict[str, Any]) -> Row:
        return self.kind(**{name: _in_utc(value) for name, value in values.items()})

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self):,} as of {clock.iso(self.as_of)}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        rows: list[Any] = list(self)
        return {"as_of": clock.iso(self.as_of), "rows": [row.to_dict() for row in rows]}

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        return self.data

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame."""
        frame: pd.DataFrame = self.data.to_pandas()
        return frame


def _in_utc(value: Any) -> Any:
    return value.astimezone(clock.UTC) if isinstance(value, dt.datetime) else value


class AuditRuns(Charted, AuditAnswer[AuditRun]):
    """Runs of memory workers, newest first."""

    __slots__ = ()


class AuditEvents(AuditAnswer[EventRow]):
    """Events, newest first."""

    __slots__ = ()


class RecordHistory(AuditAnswer[RecordChange]):
    """What happened to records, oldest first."""

    __slots__ = ()

    @property
    def breaks(self) -> tuple[RecordChange, ...]:
        """Changes that began with other bytes than the change before them had left."""
        return tuple(row for row in self if row.is_break)


class UsageReport(AuditAnswer[UsageRow]):
    """What was asked and read, most often first."""

    __slots__ = ()


class Activity(Charted, AuditAnswer[ActivityRow]):
    """How often memory was asked or read, day by day, oldest first; days without use are left out."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AuditHealth(AuditAnswer[WorkerHealth]):
    """How each worker does.

    Attributes:
        n_waiting: Candidates waiting in staging.
        n_sessions_waiting: Sessions they come from.
    """

    n_waiting: int = 0
    n_sessions_waiting: int = 0

    @property
    def n_lost(self) -> int:
        """Runs whose process is gone without a word."""
        return sum(row.n_lost for row in self)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        rows = [row.to_dict() for row in self]
        return {
            "as_of": clock.iso(self.as_of),
            "rows": rows,
            "n_waiting": self.n_waiting,
            "n_sessions_waiting": self.n_sessions_waiting,
        }


@dataclass(frozen=True, slots=True)
class ChainReport(Displayable):
    """Whether the chain of the log is whole.

    Attributes:
        n_days: Days looked at.
        n_events: Events in them.
        n_unchained: Those from before there was a chain; nobody can vouch for them.
        n_forgotten: Those whose text was erased; the chain holds all the same.
        torn: What crashes left, each vouched for by the event after it.
        first_break: The first spot that no crash explains, or None.
        problems: Compacted days whose file is gone or damaged.
        last_hash: The hash the next event will carry; kept elsewhere, it shows later whether the end was cut off.
        as_of: When it was looked at.
    """

    n_days: int
    n_events: int
    n_unchained: int
    n_forgotten: int
    torn: tuple[Place, ...]
    first_break: Place | None
    problems: tuple[Problem, ...]
    last_hash: str
    as_of: dt.datetime

    def __repr__(self) -> str:
        state = "whole" if self.is_whole else "broken"
        return f"<ChainReport: {state}, {count(self.n_events, 'event')} in {count(self.n_days, 'day')}>"

    @property
    def is_whole(self) -> bool:
        """Whether there is neither a break nor a damaged day."""
        return self.first_break is None and not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "is_whole": self.is_whole,
            "n_days": self.n_days,
            "n_events": self.n_events,
            "n_unchained": self.n_unchained,
            "n_forgotten": self.n_forgotten,
            "torn": [place.to_dict() for place in self.torn],
            "first_break": self.first_break.to_dict() if self.first_break else None,
            "problems": [problem.to_dict() for problem in self.problems],
            "last_hash": self.last_hash,
            "as_of": clock.iso(self.as_of),
        }
