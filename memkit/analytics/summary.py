"""A project's memory at a glance: how much, since when, what is in force, what has tripped."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.analytics.gaps import gaps
from memkit.analytics.retention_review import RetentionReview, ReviewRow
from memkit.analytics.tripwire_result import TripwireReport, TripwireRow
from memkit.display import Displayable, count

if TYPE_CHECKING:
    from memkit.catalog.catalog import Catalog

PACKAGE = "memkit.analytics"
MOST_TAGS = 12
MOST_MOVES = 5


@dataclass(frozen=True, slots=True)
class ProjectSummary(Displayable):
    """See the module.

    Attributes:
        project_path: The project's real path.
        as_of: The moment it was asked.
        n_entries: Entries whose file is readable, or of a newer schema.
        n_live: Those that no newer edition replaced.
        n_unreadable: Those that a newer memkit wrote.
        first_stored_at: The oldest, by storage.
        last_stored_at: The newest, by storage.
        n_decisions: Live entries of decision panels, and decision records.
        n_in_force: Those that are accepted, or say nothing of their standing, and were not superseded.
        n_undated: Those whose own day is not known.
        first_decided_on: The oldest day of a decision.
        last_decided_on: The newest day of a decision.
        panels: (panel, live entries), most first.
        statuses: (status, decisions), most first.
        records: (kind, active records), most first.
        tags: (tag, live entries), most first, at most `MOST_TAGS`.
        n_tags: Different tags in all.
        tripwires: Tripwires of decisions in force by verdict.
        tripped: Those that are tripped by facts and not acknowledged.
        revisit_due: Those whose day has come and that are not acknowledged.
        checked: Whether facts were at hand.
        n_due: Entries that retention would move to the trash at that moment.
        n_ahead: Entries that are kept and get due by their age one day.
        next_moved: What retention moves next, at most `MOST_MOVES`: what is due, then what gets due soonest.
        doubts: Why retention moves nothing although a rule matched.
        n_damaged_lines: Lines of the index that cannot be read: entries they named may be missing from all of this.
        gaps: All that cannot be read and may be missing here, in sentences.
    """

    project_path: str
    as_of: dt.datetime
    n_entries: int
    n_live: int
    n_unreadable: int
    first_stored_at: dt.datetime | None
    last_stored_at: dt.datetime | None
    n_decisions: int
    n_in_force: int
    n_undated: int
    first_decided_on: dt.date | None
    last_decided_on: dt.date | None
    panels: tuple[tuple[str, int], ...] = ()
    statuses: tuple[tuple[str, int], ...] = ()
    records: tuple[tuple[str, int], ...] = ()
    tags: tuple[tuple[str, int], ...] = ()
    n_tags: int = 0
    tripwires: tuple[tuple[str, int], ...] = ()
    tripped: tuple[TripwireRow, ...] = ()
    revisit_due: tuple[TripwireRow, ...] = ()
    checked: bool = False
    n_due: int = 0
    n_ahead: int = 0
    next_moved: tuple[ReviewRow, ...] = ()
    doubts: tuple[str, ...] = ()
    n_damaged_lines: int = 0
    gaps: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return (
            f"<ProjectSummary: {self.n_live:,} entries, {self.n_in_force:,} decisions in force, "
            f"{count(len(self.tripped) + len(self.revisit_due), 'tripwire')} tripped>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; times in ISO 8601."""

        def moment(value: dt.datetime | None) -> str | None:
            return clock.iso(value) if value else None

        return {
            "project_path": self.project_path,
            "as_of": clock.iso(self.as_of),
            "entries": {
                "stored": self.n_entries,
                "live": self.n_live,
                "unreadable": self.n_unreadable,
                "damaged_lines": self.n_damaged_lines,
                "first_stored_at": moment(self.first_stored_at),
                "last_stored_at": moment(self.last_stored_at),
            },
            "decisions": {
                "all": self.n_decisions,
                "in_force": self.n_in_force,
                "undated": self.n_undated,
                "first_decided_on": self.first_decided_on.isoformat() if self.first_decided_on else None,
                "last_decided_on": self.last_decided_on.isoformat() if self.last_decided_on else None,
                "by_status": dict(self.statuses),
            },
            "panels": dict(self.panels),
            "records": dict(self.records),
            "tags": dict(self.tags),
            "n_tags": self.n_tags,
            "tripwires": dict(self.tripwires),
            "tripped": [row.to_dict() for row in self.tripped],
            "revisit_due": [row.to_dict() for row in self.revisit_due],
            "checked_against_facts": self.checked,
            "retention": {
                "due": self.n_due,
                "due_by_age_later": self.n_ahead,
                "next": [_moved(row) for row in self.next_moved],
                "doubts": list(self.doubts),
            },
        }


def _moved(row: ReviewRow) -> dict[str, Any]:
    due_at = None if row.verdict == "due" or row.due_at is None else clock.iso(row.due_at)
    return {"entry_id": row.entry_id, "title": row.title, "verdict": row.verdict, "due_at": due_at, "why": row.why}


def summarise(
    catalog: Catalog,
    report: TripwireReport,
    *,
    project_path: str,
    as_of: dt.datetime,
    review: RetentionReview | None = None,
) -> ProjectSummary:
    """The summary of a catalog over one project.

    Args:
        catalog: Its store.
        report: Its tripwires, judged at `as_of`.
        project_path: Its real path.
        as_of: The moment it is asked.
        review: What retention says of its entries at that moment.
    """
    from memkit.catalog.queries import load

    (totals,) = catalog.table(load(PACKAGE, "summary"), as_of=as_of).rows
    counts = catalog.table(load(PACKAGE, "summary_counts"), as_of=as_of).rows

    def of(kind: str) -> tuple[tuple[str, int], ...]:
        return tuple((row["name"], row["n"]) for row in counts if row["kind"] == kind)

    speaking = report.speaking
    return ProjectSummary(
        project_path=project_path,
        as_of=as_of,
        **totals,
        panels=of("panel"),
        statuses=of("status"),
        records=of("record"),
        tags=of("tag")[:MOST_TAGS],
        n_tags=len(of("tag")),
        tripwires=tuple(report.counts.items()),
        tripped=tuple(row for row in speaking if row.condition.revisit_on is None),
        revisit_due=tuple(row for row in speaking if row.condition.revisit_on is not None),
        checked=bool(report.facts),
        n_due=len(review.due) if review else 0,
        n_ahead=review.n_ahead if review else 0,
        next_moved=review.upcoming(MOST_MOVES) if review else (),
        doubts=review.doubts if review else (),
        n_damaged_lines=catalog.ask(lambda sight: sight.n_damaged_lines),
        gaps=gaps(catalog),
    )
