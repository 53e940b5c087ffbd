"""How sure panels were against what later happened; who dissented and was later proved right.

A decision has turned if it was superseded or one of its tripwires tripped; else it still holds. Neither proves that it
was wrong, and holding does not prove that it was right: they are what the memory can see. Every share comes with its
count and its 95 % interval (Wilson 1927), and a count below `FEW` says so.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.analytics.frames import arrow, frame_schemas
from memkit.analytics.gaps import gaps
from memkit.catalog.queries import load
from memkit.display import Charted, Displayable, count
from memkit.errors import InvalidInputError, StoreError
from memkit.model.dissent import participants

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.catalog.catalog import Catalog

PACKAGE = "memkit.analytics"
FEW = 10


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Decisions of which a panel was about equally sure.

    Attributes:
        measure: `final score` or `judge confidence`.
        low: The least value of the bin, 0..100.
        high: Where the next bin begins.
        n: Decisions in it.
        held: Those that still hold.
        tripped: Those not superseded of which a tripwire tripped.
        superseded: Those that were superseded.
        mean_value: The mean of the measure in it.
        held_share: held / n.
        least_share: The lower end of its 95 % interval.
        most_share: The upper end of its 95 % interval.
    """

    measure: str
    low: float
    high: float
    n: int
    held: int
    tripped: int
    superseded: int
    mean_value: float
    held_share: float
    least_share: float
    most_share: float

    @property
    def too_few(self) -> bool:
        """Whether the count is too small to say anything."""
        return self.n < FEW


@dataclass(frozen=True, slots=True)
class DissentRow:
    """One model or persona.

    Attributes:
        kind: `model` or `persona`.
        name: Its id.
        n_panels: Decisions it took part in.
        n_turned: Those that were superseded or tripped.
        n_dissents: Those in which it held a minority position.
        n_right: Those of its dissents that turned.
        right_share: n_right / n_dissents, or None.
        least_share: The lower end of its 95 % interval, or None.
        most_share: The upper end of its 95 % interval, or None.
    """

    kind: str
    name: str
    n_panels: int
    n_turned: int
    n_dissents: int
    n_right: int
    right_share: float | None
    least_share: float | None
    most_share: float | None

    @property
    def too_few(self) -> bool:
        """Whether the count is too small to say anything."""
        return self.n_dissents < FEW


@dataclass(frozen=True, slots=True)
class Calibration(Charted, Displayable):
    """See the module.

    Attributes:
        rows: Bins of the final score, then of the judge's confidence, ascending.
        dissent: Models, then personas, most dissents first.
        as_of: The moment it was asked.
        checked: Whether facts were at hand; without them nothing is known to have tripped.
        n_panels: Decisions that a panel scored.
        sql: The query that counted.
        gaps: What cannot be read and may be missing here, in sentences.
    """

    rows: tuple[CalibrationBin, ...]
    dissent: tuple[DissentRow, ...]
    as_of: dt.datetime
    checked: bool
    n_panels: int
    sql: str = ""
    gaps: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return (
            f"<Calibration over {count(self.n_panels, 'panel')}: {count(len(self.rows), 'bin')}, "
            f"{count(len(self.dissent), 'voice')}>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clock.iso(self.as_of),
            "checked_against_facts": self.checked,
            "n_panels": self.n_panels,
            "bins": [{**asdict(row), "too_few": row.too_few} for row in self.rows],
            "dissent": [{**asdict(row), "too_few": row.too_few} for row in self.dissent],
            "gaps": list(self.gaps),
        }

    def to_arrow(self) -> pa.Table:
        """One row per bin."""
        made, _ = arrow()
        table: pa.Table = made.Table.from_pylist([{**asdict(row), "too_few": row.too_few} for row in self.rows])
        return table

    def to_pandas(self) -> Any:
        """`to_arrow` as a data frame."""
        return self.to_arrow().to_pandas()


def calibration(
    catalog: Catalog, marks: pa.Table, *, as_of: dt.datetime, width: float = 20, checked: bool = False
) -> Calibration:
    """How sure panels were against what later happened.

    Args:
        catalog: The decisions; panels are read whole for who took part.
        marks: What happened to tripwires, from `tripwires.marks`.
        as_of: Now; what happened later is not looked at.
        width: The width of a bin, 5 to 100.
        checked: Whether the marks were made with facts.

    Raises:
        InvalidInputError: a width out of its range.
    """
    if isinstance(width, bool) or not isinstance(width, (int, float)) or not 5 <= width <= 100:
        raise InvalidInputError(f"{width!r} is no width of a bin", field="width", remedy="Give 5 to 100.")
    _, compute = arrow()
    known = marks.filter(compute.less_equal(marks["happened_at"], as_of))
    query = load(PACKAGE, "calibration")
    bins = catalog.table(query, {"width": float(width)}, as_of=as_of, frames={"marks": known})
    panels = [
        (row["project_key"], row["entry_id"]) for row in catalog.table(load(PACKAGE, "calibration_panels"), as_of=as_of)
    ]
    frames = {"marks": known, "voices": _voices(catalog, panels)}
    dissent = catalog.table(load(PACKAGE, "calibration_dissent"), as_of=as_of, frames=frames)
    return Calibration(
        rows=tuple(CalibrationBin(**row) for row in bins.rows),
        dissent=tuple(DissentRow(**row) for row in dissent.rows),
        as_of=as_of,
        checked=checked,
        n_panels=len(panels),
        sql=query.sql,
        gaps=gaps(catalog),
    )


def _voices(catalog: Catalog, panels: Iterable[tuple[str, str]]) -> pa.Table:
    """Who took part in each panel; one whose file cannot be read is left out."""
    made, _ = arrow()
    rows = []
    for key, entry_id in panels:
        try:
            entry = catalog.stores[key].read_entry(entry_id)
        except StoreError:
            continue
        rows += [
            {"entry_id": entry_id, "project_key": key, "model": p.model, "persona": p.persona, "dissented": p.dissented}
            for p in participants(entry.result)
        ]
    table: pa.Table = made.Table.from_pylist(rows, frame_schemas()["voices"])
    return table
