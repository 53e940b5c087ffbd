"""How decisions came and went over time, and what was in force at any past moment.

A decision begins on its own day (else when it was stored) and ends when what replaced it was decided. A tripwire is
marked the first time it tripped since its decision was made; a day to come back on, when it came. When a decision was
deprecated, or replaced by something that is not known, and which of those holds that replaced each other, the memory
does not know: such decisions are counted apart.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

from memkit import clock
from memkit.analytics.frames import arrow
from memkit.analytics.gaps import gaps
from memkit.catalog.queries import load
from memkit.display import Charted, Displayable, count
from memkit.errors import InvalidInputError
from memkit.model.frozen import FrozenMapping

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.catalog.catalog import Catalog

PACKAGE = "memkit.analytics"
# (months, days, the shortest a stretch can be) of each kind of stretch.
BUCKETS = {"day": (0, 1, 1), "week": (0, 7, 7), "month": (1, 0, 28), "quarter": (3, 0, 90), "year": (12, 0, 365)}
MOST_BUCKETS = 5_000
# The kinds of events and where a stretch counts them.
COUNTED = {
    "decided": "decided",
    "superseded": "superseded",
    "tripped": "tripped",
    "revisit-due": "revisit_due",
    "pruned": "pruned",
}
LOG_KINDS = ("stored", "pruned", "restored", "erased", "acknowledged", "record")


@dataclass(frozen=True, slots=True)
class TimelineBucket:
    """One stretch of time.

    Attributes:
        begins_on: Its first day, in UTC.
        decided: Decisions made in it.
        superseded: Decisions replaced in it.
        tripped: Tripwires that tripped in it for the first time.
        revisit_due: Days to come back on that came in it.
        in_force: Decisions in force at its end (of the last stretch: at the end of the timeline).
        uncertain: Decisions begun by its end of which it is not known when they ended.
        pruned: Entries moved to the trash in it and not brought back since; nothing else counts them any more.
    """

    begins_on: dt.date
    decided: int
    superseded: int
    tripped: int
    revisit_due: int
    in_force: int
    uncertain: int
    pruned: int = 0


@dataclass(frozen=True, slots=True)
class TimelineEvent:
    """One thing that happened.

    Attributes:
        at: When; the start of the day where only a day is known.
        kind: `decided`, `superseded`, `tripped`, `revisit-due` or `pruned`.
        entry_id: The decision.
        title: Its title; "" of one that was pruned.
        detail: What replaced it (an entry id), the condition, or the rules that pruned it.
        project_key: Its project.
    """

    at: dt.datetime
    kind: str
    entry_id: str
    title: str
    detail: str
    project_key: str


@dataclass(frozen=True, slots=True, eq=False)
class Timeline(Charted, Displayable, Sequence[TimelineBucket]):
    """Stretches of time with what happened in each.

    Attributes:
        rows: The stretches, oldest first, without holes.
        since: Where it was asked to begin, or None for the first decision.
        until: Where it ends.
        bucket: day, week, month, quarter or year.
        data: The events, as an Arrow table: happened_at, kind, entry_id, title, detail, project_key.
        checked: Whether facts were at hand; without them nothing is known to have tripped.
        sql: The query that counted.
        log: What the audit log adds, as an Arrow table of the same columns; None where it was not asked.
        log_begins_at: When the audit log begins; None where there is none.
        gaps: What cannot be read and may be missing here, in sentences.
        asked: The ends of the period that were asked for, by name.
    """

    rows: tuple[TimelineBucket, ...]
    since: dt.datetime | None
    until: dt.datetime
    bucket: str
    data: pa.Table
    checked: bool = False
    sql: str = ""
    log: pa.Table | None = None
    log_begins_at: dt.datetime | None = None
    gaps: tuple[str, ...] = ()
    asked: Mapping[str, object] = field(default_factory=lambda: FrozenMapping({}))

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> TimelineBucket: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[TimelineBucket, ...]: ...
    def __getitem__(self, index: int | slice) -> TimelineBucket | tuple[TimelineBucket, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[TimelineBucket]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Timeline of {len(self.rows):,} {self.bucket}s: {self.data.num_rows:,} events>"

    def only(self, kinds: Sequence[str]) -> Timeline:
        """The same of events of these kinds alone: `decided`, `superseded`, `tripped`, `revisit-due`, `pruned`.

        What was in force stays as it was. None named means all.
        """
        if not kinds:
            return self
        made, compute = arrow()
        data = self.data.filter(compute.is_in(self.data["kind"], made.array(list(kinds), made.string())))
        others: dict[str, Any] = {name: 0 for kind, name in COUNTED.items() if kind not in kinds}
        rows = tuple(replace(row, **others) for row in self.rows)
        return replace(self, rows=rows, data=data, asked=FrozenMapping({**self.asked, "events": tuple(kinds)}))

    @property
    def events(self) -> tuple[TimelineEvent, ...]:
        """Everything that happened, oldest first."""
        return self.newest(self.data.num_rows)

    def newest(self, n: int) -> tuple[TimelineEvent, ...]:
        """The newest events, oldest first."""
        return _events(self.data.slice(max(0, self.data.num_rows - n)))

    @property
    def log_events(self) -> tuple[TimelineEvent, ...]:
        """What the audit log adds, oldest first: kinds of `LOG_KINDS`; of a record, `entry_id` is its slug."""
        return () if self.log is None else _events(self.log)

    @property
    def missing_kinds(self) -> tuple[str, ...]:
        """Kinds of events nothing is known of, because there is no audit log."""
        return LOG_KINDS if self.log_begins_at is None else ()

    def to_arrow(self) -> pa.Table:
        """One row per stretch."""
        made, _ = arrow()
        names = ("decided", "superseded", "tripped", "revisit_due", "in_force", "uncertain", "pruned")
        columns = {"begins_on": made.array([row.begins_on for row in self.rows], made.date32())}
        columns |= {name: made.array([getattr(row, name) for row in self.rows], made.int64()) for name in names}
        table: pa.Table = made.table(columns)
        return table

    def to_pandas(self) -> Any:
        """`to_arrow` as a data frame."""
        return self.to_arrow().to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        buckets = [{**row, "begins_on": row["begins_on"].isoformat()} for row in self.to_arrow().to_pylist()]
        events, logged = (
            [
                {"at": clock.iso(e.at), "kind": e.kind, "entry_id": e.entry_id, "title": e.title, "detail": e.detail}
                for e in found
            ]
            for found in (self.events, self.log_events)
        )
        return {
            "since": clock.iso(self.since) if self.since else None,
            "until": clock.iso(self.until),
            "bucket": self.bucket,
            "checked_against_facts": self.checked,
            "buckets": buckets,
            "events": events,
            "log_events": logged,
            "log_begins_at": clock.iso(self.log_begins_at) if self.log_begins_at else None,
            "missing_kinds": list(self.missing_kinds),
            "gaps": list(self.gaps),
        }


def _events(table: pa.Table) -> tuple[TimelineEvent, ...]:
    return tuple(TimelineEvent(row.pop("happened_at").astimezone(clock.UTC), **row) for row in table.to_pylist())


@dataclass(frozen=True, slots=True)
class Pruned:
    """An entry that was moved to the trash and not brought back.

    Attributes:
        entry_id: The entry.
        project_key: Its project.
        at: When it was moved there.
        rules: The rules that made it due.
    """

    entry_id: str
    project_key: str
    at: dt.datetime
    rules: tuple[str, ...] = ()

    def mark(self) -> dict[str, Any]:
        """As a timeline reads it."""
        return {
            "happened_at": self.at,
            "kind": "pruned",
            "entry_id": self.entry_id,
            "project_key": self.project_key,
            "title": "",
            "detail": ", ".join(self.rules),
        }


@dataclass(frozen=True, slots=True)
class Held:
    """A decision that was in force.

    Attributes:
        entry_id: The decision.
        project_key: Its project.
        title: Its title.
        decided_on: Its own day, where known.
        begins_at: From when it held.
        ends_at: Until when; None if it still holds, or if it is not known.
        ended_by: What replaced it, where known.
        is_certain: False where it ended (deprecated, or replaced by nothing known) and nobody knows when, or is one of
            a circle of decisions that replaced each other.
        panel_id: Its panel.
    """

    entry_id: str
    project_key: str
    title: str
    decided_on: dt.date | None
    begins_at: dt.datetime
    ends_at: dt.datetime | None
    ended_by: str | None
    is_certain: bool
    panel_id: str


@dataclass(frozen=True, slots=True)
class InForce(Displayable, Sequence[Held]):
    """What was in force at one moment.

    Attributes:
        rows: The decisions, newest first.
        moment: The moment asked about.
        is_available: False where the memory does not reach back that far: then no row means "not known", not "nothing".
        reason: Why it is not available, or what of it is not certain; "" if nothing is.
    """

    rows: tuple[Held, ...]
    moment: dt.datetime
    is_available: bool = True
    reason: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Held: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Held, ...]: ...
    def __getitem__(self, index: int | slice) -> Held | tuple[Held, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[Held]:
        return iter(self.rows)

    def __repr__(self) -> str:
        known = f"{count(len(self.rows), 'decision')}" if self.is_available else "not available"
        return f"<InForce at {clock.iso(self.moment)}: {known}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; `decisions` is null where the memory does not reach back that far."""
        rows = [
            {
                "entry_id": row.entry_id,
                "title": row.title,
                "decided_on": row.decided_on.isoformat() if row.decided_on else None,
                "begins_at": clock.iso(row.begins_at),
                "ends_at": clock.iso(row.ends_at) if row.ends_at else None,
                "ended_by": row.ended_by,
                "is_certain": row.is_certain,
                "panel_id": row.panel_id,
            }
            for row in self.rows
        ]
        return {
            "moment": clock.iso(self.moment),
            "is_available": self.is_available,
            "reason": self.reason,
            "decisions": rows if self.is_available else None,
        }


def timeline(
    catalog: Catalog,
    marks: pa.Table,
    *,
    as_of: dt.datetime,
    since: dt.datetime | None = None,
    until: dt.datetime | None = None,
    bucket: str = "month",
    checked: bool = False,
    pruned: Sequence[Pruned] = (),
) -> Timeline:
    """How decisions came and went.

    Args:
        catalog: The decisions.
        marks: What happened to tripwires, from `tripwires.marks`.
        as_of: Now.
        since: Where to begin; the first decision by default.
        until: Where to end; now by default.
        bucket: day, week, month, quarter or year, in UTC; weeks begin on Monday.
        checked: Whether the marks were made with facts.
        pruned: What lies in the trash.

    Raises:
        InvalidInputError: an unknown bucket, an end before the beginning, or too many stretches.
    """
    if bucket not in BUCKETS:
        raise InvalidInputError(f"{bucket!r:.40} is no stretch of time", field="bucket", remedy=", ".join(BUCKETS))
    ends = (("since", since), ("until", until))
    asked = FrozenMapping({name: moment for name, moment in ends if moment is not None})
    end = until or as_of
    if since is not None and since > end:
        raise InvalidInputError("lies after the end", field="since", remedy="Give an earlier day, or a later until.")
    months, days, shortest = BUCKETS[bucket]
    (reach,) = catalog.table(load(PACKAGE, "memory_begins"), {"moment": end}, as_of=as_of).rows
    start = since or reach["begins_at"] or end
    if (end - start).days / shortest > MOST_BUCKETS:
        raise InvalidInputError(
            f"would be more than {MOST_BUCKETS:,} {bucket}s", field="bucket", remedy="Choose longer stretches."
        )
    if pruned:
        made, _ = arrow()
        marks = made.concat_tables([marks, made.Table.from_pylist([p.mark() for p in pruned], schema=marks.schema)])
    query = load(PACKAGE, "timeline")
    params = {"since": since, "until": end, "step_months": months, "step_days": days}
    counted = catalog.table(query, params, as_of=as_of, frames={"marks": marks})
    events = catalog.table(
        load(PACKAGE, "timeline_events"), {"since": since, "until": end}, as_of=as_of, frames={"marks": marks}
    )
    rows = tuple(TimelineBucket(row.pop("begins_at").astimezone(clock.UTC).date(), **row) for row in counted.rows)
    span = {"since": since, "until": end}
    log = catalog.table(load(PACKAGE, "timeline_log"), span, as_of=as_of).data
    (first,) = catalog.table(load(PACKAGE, "timeline_log_begins"), as_of=as_of).rows
    begun = first["begins_at"].astimezone(clock.UTC) if first["begins_at"] else None
    shown = rows if reach["n_begun"] else ()
    return Timeline(shown, since, end, bucket, events.data, checked, query.sql, log, begun, gaps(catalog), asked)


def in_force(
    catalog: Catalog, moment: dt.datetime, *, as_of: dt.datetime, n_trashed: int = 0, n_erased: int = 0
) -> InForce:
    """What was in force at a moment.

    Before the first decision the memory knows of, the answer is "not available" rather than empty.

    Args:
        catalog: The decisions.
        moment: The moment.
        as_of: Now.
        n_trashed: Entries in the trash, or erased there: what they were, is not known here.
        n_erased: Erased entries: what they were, nobody can know.
    """
    trashed = f"{n_trashed:,} {'entry is' if n_trashed == 1 else 'entries are'} in the trash and may be missing here."
    erased = f"{n_erased:,} {'entry was' if n_erased == 1 else 'entries were'} erased and may be missing here."
    unread = gaps(catalog)
    gone = " ".join([*([trashed] if n_trashed else []), *([erased] if n_erased else [])])
    (reach,) = catalog.table(load(PACKAGE, "memory_begins"), {"moment": moment}, as_of=as_of).rows
    begins = reach["begins_at"]
    if begins is None:
        nothing = " ".join(["No decision can be read." if unread else "No decision is stored.", *unread, gone])
        return InForce((), moment, is_available=False, reason=nothing.rstrip())
    if moment < begins:
        day = f"{begins.astimezone(clock.UTC):%Y-%m-%d}"
        return InForce(
            (), moment, is_available=False, reason=f"This memory begins on {day}; what held before is not known."
        )
    if moment > as_of + dt.timedelta(milliseconds=clock.SKEW_MS):
        return InForce((), moment, is_available=False, reason="That moment lies ahead.")
    rows = []
    for row in catalog.table(load(PACKAGE, "in_force"), {"moment": moment}, as_of=as_of).rows:
        for name in ("begins_at", "ends_at"):
            row[name] = row[name].astimezone(clock.UTC) if row[name] else None
        rows.append(Held(**row))
    reasons = []
    unsure = sum(not row.is_certain for row in rows)
    if unsure:
        reasons.append(f"Of {unsure:,} it is not known whether they still held.")
    reasons += unread
    if gone:
        reasons.append(gone)
    if gone and not rows:
        return InForce((), moment, is_available=False, reason=" ".join(reasons))
    return InForce(tuple(rows), moment, reason=" ".join(reasons))
