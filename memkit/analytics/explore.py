"""Looking around: by words where there are some, else the newest first; narrowed by panel, tag, age and status.

It is asked at every keystroke, so nothing is written down: no use is counted, no event logged.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from memkit import clock
from memkit.analytics.gaps import gaps
from memkit.analytics.recall import recall
from memkit.analytics.recall_options import RecallOptions
from memkit.catalog.queries import load
from memkit.errors import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd

    from memkit.catalog.catalog import Catalog

PACKAGE = "memkit.analytics"
MAX_ROWS = 200
MAX_TAGS = 50
_DEEPER = 4  # hits looked at for each row wanted, where a status is chosen among them


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is looked for.

    Attributes:
        query: Words; "" for the newest.
        panel: Only of this panel.
        tags: Only with one of these.
        since_days: Only stored in the last so many days.
        status: Only decisions of this standing.
        superseded: Also what was superseded.
        scope: `own` for this project, `all` for the user's other enabled ones, too.
        limit: Rows at most, 1 to 200.
    """

    query: str = ""
    panel: str | None = None
    tags: tuple[str, ...] = ()
    since_days: float | None = None
    status: str | None = None
    superseded: bool = False
    scope: Literal["own", "all"] = "own"
    limit: int = 20

    def __post_init__(self) -> None:
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or not 1 <= self.limit <= MAX_ROWS:
            raise InvalidInputError(f"{self.limit!r:.40} is not 1 to {MAX_ROWS}", field="limit")
        if self.since_days is not None and not 0 <= self.since_days < float("inf"):
            raise InvalidInputError(f"{self.since_days!r:.40} is no number of days", field="since_days")
        if self.scope not in {"own", "all"}:
            raise InvalidInputError(f"{self.scope!r:.40} is neither own nor all", field="scope")

    def changed(self, **changes: Any) -> Filters:
        """The same with some of it changed.

        Raises:
            InvalidInputError: a value out of its range.
        """
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class ExploreRow:
    """One entry or record.

    Attributes:
        id: The entry, or a record's path.
        project_key: Its project.
        title: Its title, or the question.
        summary: Its conclusion.
        panel_id: Its panel.
        tags: Its tags.
        status: The decision's standing, or `unknown`.
        stored_at: When it was stored.
        age_label: "Stored 76 days ago".
        decided_on: The decision's own day, where known.
        score: What it ranks by: BM25F, its own or that of an older member of its chain; None where no words were asked.
    """

    id: str
    project_key: str
    title: str
    summary: str
    panel_id: str
    tags: tuple[str, ...]
    status: str
    stored_at: dt.datetime
    age_label: str
    decided_on: dt.date | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Explored(Sequence[ExploreRow]):
    """What was found.

    Attributes:
        filters: What was looked for.
        rows: Best or newest first.
        as_of: The moment ages are counted to.
        causes: Why there is nothing, where there is nothing.
        gaps: What cannot be read and may be missing here, in sentences.
        n_matched: How many rows there would be without a limit; None where nobody has counted.
    """

    filters: Filters
    rows: tuple[ExploreRow, ...]
    as_of: dt.datetime
    causes: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    n_matched: int | None = 0

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, at: Any) -> Any:
        return self.rows[at]

    def __iter__(self) -> Iterator[ExploreRow]:
        return iter(self.rows)

    def to_pandas(self) -> pd.DataFrame:
        """One row per hit, flat columns; `id` is always there."""
        import pandas as pd

        names = ExploreRow.__slots__
        return pd.DataFrame([{name: getattr(row, name) for name in names} for row in self.rows], columns=list(names))


@dataclass(frozen=True, slots=True)
class Facets:
    """What can be chosen, with how many entries each has, most first.

    Attributes:
        panels: Panels.
        statuses: Standings.
        tags: Tags, at most 50.
    """

    panels: tuple[tuple[str, int], ...] = ()
    statuses: tuple[tuple[str, int], ...] = ()
    tags: tuple[tuple[str, int], ...] = ()


def explore(
    catalog: Catalog, filters: Filters, options: Callable[..., RecallOptions], *, as_of: dt.datetime
) -> Explored:
    """What the filters let pass.

    Args:
        catalog: Over the stores of the scope.
        filters: What is looked for.
        options: Makes the options of a recall, with the weights in force.
        as_of: The moment ages are counted to.
    """
    return _by_words(catalog, filters, options, as_of) if filters.query.strip() else _newest(catalog, filters, as_of)


def facets(catalog: Catalog, *, as_of: dt.datetime) -> Facets:
    """What can be chosen among the entries of a catalog."""
    rows = catalog.table(load(PACKAGE, "explore_facets"), as_of=as_of).rows

    def of(kind: str) -> tuple[tuple[str, int], ...]:
        return tuple((row["name"], row["n"]) for row in rows if row["kind"] == kind and row["name"])

    return Facets(of("panel"), of("status"), of("tag")[:MAX_TAGS])


def _newest(catalog: Catalog, filters: Filters, as_of: dt.datetime) -> Explored:
    params = {
        "panel": filters.panel,
        "tags": list(filters.tags),
        "since_days": filters.since_days,
        "status": filters.status,
        "superseded": filters.superseded or filters.status == "superseded",
        "limit": filters.limit,
    }
    found = catalog.table(load(PACKAGE, "explore"), params, as_of=as_of).rows
    rows = tuple(
        ExploreRow(
            id=row["entry_id"],
            project_key=row["project_key"],
            title=row["title"],
            summary=row["summary"],
            panel_id=row["panel_id"],
            tags=tuple(row["tags"]),
            status=row["status"],
            stored_at=row["stored_at"],
            age_label=clock.stored_label(row["stored_at"], as_of),
            decided_on=row["decided_on"],
        )
        for row in found
    )
    causes = () if rows else ("Nothing is stored that fits these filters.",)
    n_matched = found[0]["n_matched"] if found else 0
    return Explored(filters, rows, as_of, causes, gaps(catalog), n_matched)


def _by_words(
    catalog: Catalog, filters: Filters, options: Callable[..., RecallOptions], as_of: dt.datetime
) -> Explored:
    asked = options(
        limit=filters.limit if filters.status is None else min(1000, filters.limit * _DEEPER),
        panel=filters.panel,
        any_tag=filters.tags,
        since_days=filters.since_days,
        include_superseded=filters.superseded or filters.status == "superseded",
    )
    found = recall(catalog, filters.query, asked, as_of=as_of)
    passing = [hit for hit in found if filters.status in {None, hit.status}]
    rows = tuple(
        ExploreRow(
            id=hit.id,
            project_key=hit.project_key,
            title=hit.question,
            summary=hit.summary,
            panel_id=hit.panel_id,
            tags=hit.tags,
            status=hit.status,
            stored_at=hit.stored_at,
            age_label=hit.age_label,
            decided_on=hit.decided_on,
            score=hit.rank_score,
        )
        for hit in passing[: filters.limit]
    )
    causes = tuple(f"{miss.detail}" for miss in found.missed) or ("Nothing fits these filters.",)
    n_matched = found.n_matched if filters.status is None else len(passing) if len(found) < asked.limit else None
    return Explored(filters, rows, as_of, () if rows else causes, gaps(catalog), n_matched)
