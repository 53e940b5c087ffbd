"""What was decided, with each decision's day, standing and conditions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, overload

from memkit import clock
from memkit.display import Displayable
from memkit.errors import InvalidInputError
from memkit.model.decision import STATUSES
from memkit.model.frozen import FrozenMapping
from memkit.model.tripwire import Tripwire

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from memkit.catalog.catalog import Catalog


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One row of the view `decisions`.

    Attributes:
        entry_id: The entry.
        project_key: Its project.
        source_path: The imported document, if there is one.
        title: The document's title, or the question.
        question: What was asked.
        conclusion: What was decided, or None.
        status: proposed, accepted, rejected, deprecated, superseded or unknown. A decision that another one in force
            replaced is superseded, whatever its own text says.
        raw_status: As its author wrote it.
        decided_on: The decision's own day, or None; never the day of storage.
        stored_at: When it was stored.
        age_days: Days since storage, at `Decisions.as_of`.
        supersedes: Entry ids of what it replaced.
        superseded_by: Entry ids of what replaced it.
        amends: Entry ids of what it changes without replacing it.
        read_when: When its author wants it read again, as written.
        tripwires: Conditions that would invalidate it, as written.
        panel_id: Its panel.
        tags: Its tags.
        final_score: The panel's score, or None.
        judge_confidence: The judge's confidence, or None.
        judged: The same conditions with their verdicts; empty before they were judged.
    """

    entry_id: str
    project_key: str
    source_path: str | None
    title: str
    question: str
    conclusion: str | None
    status: str
    raw_status: str | None
    decided_on: dt.date | None
    stored_at: dt.datetime
    age_days: float
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    amends: tuple[str, ...]
    read_when: str | None
    tripwires: tuple[str, ...]
    panel_id: str
    tags: tuple[str, ...]
    final_score: float | None
    judge_confidence: float | None
    judged: tuple[Tripwire, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; times in ISO 8601."""
        data = asdict(self)
        data["stored_at"] = clock.iso(self.stored_at)
        data["decided_on"] = self.decided_on.isoformat() if self.decided_on else None
        data["judged"] = [wire.to_dict() for wire in self.judged]
        return data


@dataclass(frozen=True, slots=True, eq=False)
class Decisions(Displayable, Sequence[DecisionRow]):
    """Decisions, newest first.

    Attributes:
        rows: One per decision.
        as_of: The moment ages are counted to.
        data: The same rows as an Arrow table.
        sql: The query that gave them.
        gaps: What cannot be read and may be missing here, in sentences.
        asked: The filters asked with, by name.
    """

    rows: tuple[DecisionRow, ...]
    as_of: dt.datetime
    data: pa.Table
    sql: str = ""
    gaps: tuple[str, ...] = ()
    asked: Mapping[str, object] = field(default_factory=lambda: FrozenMapping({}))

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> DecisionRow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[DecisionRow, ...]: ...
    def __getitem__(self, index: int | slice) -> DecisionRow | tuple[DecisionRow, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[DecisionRow]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Decisions: {len(self.rows)} as of {clock.iso(self.as_of)}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"as_of": clock.iso(self.as_of), "rows": [row.to_dict() for row in self.rows], "gaps": list(self.gaps)}

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table."""
        return self.data

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas data frame."""
        frame: pd.DataFrame = self.data.to_pandas()
        return frame


def decisions(
    catalog: Catalog, *, as_of: dt.datetime, status: str | Sequence[str] | None = None, panel: str | None = None
) -> Decisions:
    """The decisions of a catalog.

    Args:
        catalog: The stores.
        as_of: The moment ages are counted to.
        status: Only decisions of this status, or of one of these; `memkit.model.decision.STATUSES` names them.
        panel: Only decisions of this panel.

    Raises:
        InvalidInputError: a status that does not exist.
    """
    from memkit.analytics.gaps import gaps
    from memkit.catalog import queries

    wanted = [status] if isinstance(status, str) else None if status is None else list(status)
    unknown = sorted(set(wanted or ()) - set(STATUSES))
    if unknown:
        raise InvalidInputError(
            f"{unknown[0]!r} is not a status", field="status", remedy=f"Known: {', '.join(STATUSES)}."
        )
    query = queries.load("memkit.analytics", "decisions")
    table = catalog.table(query, {"status": wanted, "panel": panel}, as_of=as_of)
    asked = FrozenMapping({name: value for name, value in (("status", wanted), ("panel", panel)) if value})
    return Decisions(tuple(map(_row, table.rows)), as_of, table.data, query.sql, gaps(catalog), asked)


def _row(values: dict[str, Any]) -> DecisionRow:
    frozen: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in values.items()
    }
    return DecisionRow(**frozen)
