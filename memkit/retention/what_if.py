"""Looking ahead without touching anything: two policies side by side, a calendar, and what recall would lose."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.analytics.retention_review import RetentionReview, ReviewRow, TrashRow
from memkit.display import Charted, Displayable, count
from memkit.model.policy import RetentionPolicy
from memkit.store.store import Store
from memkit.store.trash_plans import TrashState

if TYPE_CHECKING:
    from memkit.analytics.recall_options import RecallOptions
    from memkit.catalog.catalog import Catalog


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """One entry on which two policies differ.

    Attributes:
        before: What the first policy says.
        after: What the second says.
    """

    before: ReviewRow
    after: ReviewRow

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "entry_id": self.before.entry_id,
            "title": self.before.title,
            "n_bytes": self.before.n_bytes,
            "before": {"verdict": self.before.verdict, "why": self.before.why, "due_at": _iso(self.before.due_at)},
            "after": {"verdict": self.after.verdict, "why": self.after.why, "due_at": _iso(self.after.due_at)},
        }


@dataclass(frozen=True, slots=True)
class PolicyComparison(Displayable):
    """Two policies side by side.

    Attributes:
        before: The review by the first.
        after: The review by the second.
        rows: Entries whose verdict differs, oldest first.
        moved: How many entries get due at another moment although their verdict is the same.
    """

    before: RetentionReview
    after: RetentionReview
    rows: tuple[VerdictChange, ...]
    moved: int

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<PolicyComparison: {len(self.rows):,} verdicts differ, {self.moved:,} moments>"

    @property
    def n_bytes(self) -> int:
        """Bytes of the entries whose verdict differs."""
        return sum(row.before.n_bytes for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clock.iso(self.before.as_of),
            "before": self.before.policy.to_dict(),
            "after": self.after.policy.to_dict(),
            "n_bytes": self.n_bytes,
            "n_other_moments": self.moved,
            "changes": [row.to_dict() for row in self.rows],
        }


@dataclass(frozen=True, slots=True)
class CalendarDay:
    """What gets due, or may be erased, on one day (UTC).

    Attributes:
        day: The day; the review's own for what is due already.
        due: Entries that move to the trash.
        expired: Entries in the trash that may then be erased.
        n_bytes: Of the entries that get due.
    """

    day: dt.date
    due: tuple[ReviewRow, ...]
    expired: tuple[TrashRow, ...]
    n_bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "day": self.day.isoformat(),
            "n_bytes": self.n_bytes,
            "due": [{"entry_id": row.entry_id, "title": row.title} for row in self.due],
            "expired": [row.entry_id for row in self.expired],
        }


@dataclass(frozen=True, slots=True)
class RetentionCalendar(Charted, Displayable):
    """When what is stored now gets due, if nothing else is stored.

    Attributes:
        rows: Days on which something happens, in order.
        as_of: The moment it was made for.
        until: The last moment looked at.
        policy: The policy.
    """

    rows: tuple[CalendarDay, ...]
    as_of: dt.datetime
    until: dt.datetime
    policy: RetentionPolicy

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<RetentionCalendar: {sum(len(row.due) for row in self.rows):,} due on {count(len(self.rows), 'day')}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clock.iso(self.as_of),
            "until": clock.iso(self.until),
            "policy": self.policy.to_dict(),
            "days": [row.to_dict() for row in self.rows],
        }


@dataclass(frozen=True, slots=True)
class QueryImpact:
    """What one saved query would answer differently.

    Attributes:
        query: The query.
        lost: (rank now, id, title, why it goes) of hits that would be gone.
        gained: (rank then, id, title) of hits that would take their places.
        moved: (rank now, rank then, id) of hits that would stand elsewhere.
    """

    query: str
    lost: tuple[tuple[int, str, str, str], ...]
    gained: tuple[tuple[int, str, str], ...]
    moved: tuple[tuple[int, int, str], ...]

    @property
    def is_changed(self) -> bool:
        """Whether anything would be different."""
        return bool(self.lost or self.gained or self.moved)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "query": self.query,
            "lost": [{"rank": r, "entry_id": i, "title": t, "why": w} for r, i, t, w in self.lost],
            "gained": [{"rank": r, "entry_id": i, "title": t} for r, i, t in self.gained],
            "moved": [{"rank": r, "rank_then": n, "entry_id": i} for r, n, i in self.moved],
        }


@dataclass(frozen=True, slots=True)
class RecallImpact(Displayable):
    """What saved queries would answer differently if a plan were applied.

    Attributes:
        rows: One per saved query, in the order they were saved.
        limit: Hits looked at per query.
        as_of: The moment it was made for.
        n_due: Entries the plan would move.
    """

    rows: tuple[QueryImpact, ...]
    limit: int
    as_of: dt.datetime
    n_due: int

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return (
            f"<RecallImpact: {sum(row.is_changed for row in self.rows)} of "
            f"{count(len(self.rows), 'query', 'queries')} change>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clock.iso(self.as_of),
            "limit": self.limit,
            "n_due": self.n_due,
            "queries": [row.to_dict() for row in self.rows],
        }


def _iso(at: dt.datetime | None) -> str | None:
    return None if at is None else clock.iso(at)


def compare(before: RetentionReview, after: RetentionReview) -> PolicyComparison:
    """Two reviews of the same store and moment, side by side."""
    other = {row.entry_id: row for row in after.rows}
    pairs = [(row, other[row.entry_id]) for row in before.rows if row.entry_id in other]
    changed = tuple(VerdictChange(one, two) for one, two in pairs if one.verdict != two.verdict)
    moved = sum(one.verdict == two.verdict and one.due_at != two.due_at for one, two in pairs)
    return PolicyComparison(before, after, changed, moved)


def calendar(review: RetentionReview, trash: Sequence[TrashRow], until: dt.datetime) -> RetentionCalendar:
    """The days on which entries of a review get due, up to `until`; `review` looks that far ahead.

    Places of the number rule only become free while nothing is stored, so age alone tells the future.
    """
    days: dict[dt.date, tuple[list[ReviewRow], list[TrashRow]]] = {}
    today = review.as_of.astimezone(clock.UTC).date()
    for row in review.due:
        days.setdefault(today, ([], []))[0].append(row)
    for row in review.due_soon:
        if row.due_at is not None:
            days.setdefault(row.due_at.astimezone(clock.UTC).date(), ([], []))[0].append(row)
    for trashed in trash:
        if not trashed.is_held and trashed.expires_at <= until:
            day = max(trashed.expires_at.astimezone(clock.UTC).date(), today)
            days.setdefault(day, ([], []))[1].append(trashed)
    rows = tuple(
        CalendarDay(day, tuple(due), tuple(expired), sum(row.n_bytes for row in due))
        for day, (due, expired) in sorted(days.items())
    )
    return RetentionCalendar(rows, review.as_of, until, review.policy)


class _ImaginedStore(Store):
    """A store as it would be with some entries in the trash; for looking only."""

    def __init__(self, store: Store, gone: frozenset[str]) -> None:
        super().__init__(store.paths, clock=store.clock, scrubber=store.scrubber, wait_seconds=store.wait_seconds)
        self._gone = gone

    def trash(self) -> TrashState:
        """What the plans say, and this one."""
        from dataclasses import replace

        state = super().trash()
        return replace(state, hidden=state.hidden | self._gone)


def impact(  # noqa: PLR0917
    store: Store,
    catalog: Catalog,
    review: RetentionReview,
    queries: Sequence[str],
    options: RecallOptions,
    temp_directory: Path | None,
) -> RecallImpact:
    """What saved queries would answer differently once a review is applied.

    Args:
        store: The store.
        catalog: Over it.
        review: What would be applied.
        queries: The saved queries.
        options: Of recall; `limit` hits are looked at.
        temp_directory: A private folder, or None.
    """
    from memkit.analytics.recall import recall
    from memkit.catalog.catalog import Catalog

    due = {row.entry_id: row for row in review.due}
    rows = []
    with Catalog([_ImaginedStore(store, frozenset(due))], temp_directory=temp_directory) as then:
        for query in queries:
            now_hits = recall(catalog, query, options, as_of=review.as_of)
            then_hits = recall(then, query, options, as_of=review.as_of)
            rows.append(_impact_of(query, _ranked(now_hits), _ranked(then_hits), due))
    return RecallImpact(tuple(rows), options.limit, review.as_of, len(due))


def _ranked(hits: Any) -> dict[str, tuple[int, str]]:
    return {hit.id: (rank, hit.question) for rank, hit in enumerate(hits, start=1)}


def _impact_of(
    query: str, now: Mapping[str, tuple[int, str]], then: Mapping[str, tuple[int, str]], due: Mapping[str, ReviewRow]
) -> QueryImpact:
    lost = tuple(
        (rank, entry_id, title, due[entry_id].why if entry_id in due else "ranked lower than the hits shown")
        for entry_id, (rank, title) in now.items()
        if entry_id not in then
    )
    gained = tuple((rank, entry_id, title) for entry_id, (rank, title) in then.items() if entry_id not in now)
    moved = tuple(
        (rank, then[entry_id][0], entry_id)
        for entry_id, (rank, _) in now.items()
        if entry_id in then and then[entry_id][0] != rank
    )
    return QueryImpact(query, lost, gained, moved)
