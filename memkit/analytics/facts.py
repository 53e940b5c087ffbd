"""Facts: what was measured, as a table of (metric, at, value[, unit]) that the caller hands in.

A table is a data frame (pandas, polars, Arrow, anything with `__arrow_c_stream__`), a list of mappings, or the path of
a CSV or Parquet file. It is read once and put in order; what is odd about it is said in `notes` or refused:

- A time without a zone means UTC, and `notes` says so. Times with and without one in the same column are refused.
- Rows out of order are put in order, repeated rows count once, two different numbers of one moment are refused.
- NaN, infinity and an empty value are no reading: they make a gap, and are counted.
- A row without a unit is taken in the unit of the condition it is compared with. Units that nobody knows compare with
  themselves only. Units of one metric are brought to one; where that is impossible, the metric judges nothing.
- Rows after the moment asked about are not looked at.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.analytics.facts_columns import Array, Columns, read_columns
from memkit.analytics.frames import arrow, frame_schemas
from memkit.errors import FactsError
from memkit.model.metrics import metric_name, without_article
from memkit.model.units import NO_UNIT, Unit, factor_between, read_unit
from memkit.model.units import UnitUnreadError as _Unread
from memkit.model.versions import version_parts

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.catalog.catalog import Catalog

FactSource = object
PACKAGE = "memkit.analytics"


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of a table of facts.

    Attributes:
        number: Its number in `Facts.readings`.
        name: Its normalised name.
        unit: The unit of its readings; None where the table names none.
        problem: Why its readings judge nothing, in words, or "".
    """

    number: int
    name: str
    unit: Unit | None
    problem: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Facts:
    """A table of facts, put in order.

    Attributes:
        readings: One row per metric and moment, as `facts.sql` gives them.
        metrics: Its metrics by normalised name.
        versions: The versions of version metrics in ascending order; such a reading's value is its place here.
        n_rows: Rows of the table as it was handed in.
        n_repeated: Rows that say what another one says.
        n_void: Rows without a number.
        is_naive: Whether its times had no zone.
        source: Where it came from, in words.
    """

    readings: pa.Table
    metrics: Mapping[str, Metric]
    versions: tuple[tuple[int, ...], ...]
    n_rows: int
    n_repeated: int
    n_void: int
    is_naive: bool
    source: str

    def __repr__(self) -> str:
        return f"<Facts: {self.words}>"

    @property
    def words(self) -> str:
        """`6,645 rows of 24 metrics from facts.csv`."""
        n = len(self.metrics)
        return f"{_rows(self.n_rows)} of {n:,} {'metric' if n == 1 else 'metrics'} from {self.source}"

    @property
    def sizes(self) -> Mapping[int, int]:
        """How many readings each metric has, by its number."""
        _, pc = arrow()
        return {pair["values"]: pair["counts"] for pair in pc.value_counts(self.readings["metric"]).to_pylist()}

    @property
    def first_at(self) -> dt.datetime | None:
        """The first reading."""
        _, pc = arrow()
        found: dt.datetime | None = pc.min(self.readings["read_at"]).as_py()
        return found

    @property
    def last_at(self) -> dt.datetime | None:
        """The last reading."""
        _, pc = arrow()
        found: dt.datetime | None = pc.max(self.readings["read_at"]).as_py()
        return found

    def find(self, name: str) -> Metric | None:
        """The metric of a normalised name; an article in front of either does not matter."""
        found = self.metrics.get(name)
        if found is not None:
            return found
        bare = without_article(name)
        same = [metric for other, metric in self.metrics.items() if without_article(other) == bare] if bare else []
        return same[0] if len(same) == 1 else None

    def notes(self, as_of: dt.datetime) -> tuple[str, ...]:
        """What a person should know about the table, one line each."""
        _, pc = arrow()
        found: list[str] = []
        if self.is_naive:
            found.append("Its times have no zone; they are taken as UTC.")
        if self.n_repeated:
            verb = "repeats another one and counts" if self.n_repeated == 1 else "repeat another one and count"
            found.append(f"{_rows(self.n_repeated)} {verb} once.")
        if self.n_void:
            verbs = ("holds", "it counts as a gap") if self.n_void == 1 else ("hold", "they count as gaps")
            found.append(f"{_rows(self.n_void)} {verbs[0]} no number; {verbs[1]}.")
        n_future = int(pc.sum(pc.greater(self.readings["read_at"], as_of)).as_py() or 0)
        if n_future:
            lie = "reading lies" if n_future == 1 else "readings lie"
            found.append(
                f"{n_future:,} {lie} after {clock.iso(as_of)} and {'is' if n_future == 1 else 'are'} not looked at."
            )
        unknown = sorted({str(m.unit) for m in self.metrics.values() if m.unit is not None and not m.unit.is_known})
        if unknown:
            found.append(f"Unknown units, which compare with themselves only: {', '.join(unknown[:10])}.")
        found += sorted(f"{metric.name}: {metric.problem}." for metric in self.metrics.values() if metric.problem)[:10]
        return tuple(found)


def read_facts(catalog: Catalog, source: FactSource) -> Facts:
    """Read a table of facts and put it in order.

    Args:
        catalog: Whose database does the sorting.
        source: A frame, a list of mappings, a path, or `Facts` that were read before.

    Raises:
        FactsError: it cannot be read as facts, or says two different things about one moment.
    """
    from memkit.catalog.queries import load

    if isinstance(source, Facts):
        return source
    pa, _ = arrow()
    columns = read_columns(source)
    metrics, numbers, values, versions = _numbered(columns)
    frame = pa.table([numbers, columns.at, values], schema=frame_schemas()["facts"])
    query = load(PACKAGE, "facts")
    readings = catalog.table(query, as_of=clock.EPOCH, frames={"facts": frame}).data
    _refuse_contradictions(readings, metrics)
    n_void = values.null_count
    return Facts(
        readings=readings.drop_columns(["is_contradicted"]),
        metrics={metric.name: metric for metric in metrics},
        versions=versions,
        n_rows=len(values),
        n_repeated=max(0, len(values) - n_void - readings.num_rows),
        n_void=n_void,
        is_naive=columns.is_naive,
        source=columns.source,
    )


def _numbered(columns: Columns) -> tuple[list[Metric], Array, Array, tuple[tuple[int, ...], ...]]:
    """Metrics with their one unit, each row's metric number, and each row's value in that unit."""
    import numpy as np

    pa, _ = arrow()
    names = [metric_name(text) for text in columns.metric.dictionary.to_pylist()]
    if "" in names:
        text = columns.metric.dictionary[names.index("")].as_py()
        raise FactsError(f"{text!r:.60} cannot name a metric", file=columns.source, field="metric")
    order = {name: number for number, name in enumerate(dict.fromkeys(names))}
    numbers = np.asarray([order[name] for name in names], dtype=np.int32)[np.asarray(columns.metric.indices)]
    unit_codes = np.zeros(len(numbers), np.int64)
    texts: list[str] = [""]
    if columns.unit is not None:
        texts = [*columns.unit.dictionary.to_pylist(), ""]
        unit_codes = np.asarray(columns.unit.indices.fill_null(len(texts) - 1), np.int64)
    pairs, inverse = np.unique(numbers.astype(np.int64) * len(texts) + unit_codes, return_inverse=True)
    written: dict[int, dict[int, Unit | None]] = {}
    problems: dict[int, str] = {}
    for place, pair in enumerate(pairs.tolist()):
        number, code = divmod(pair, len(texts))
        try:
            unit = read_unit(texts[code], strict=False) if texts[code].strip() else None
        except _Unread as error:
            unit, problems[number] = NO_UNIT, str(error)
        written.setdefault(number, {})[place] = unit
    metrics: list[Metric] = []
    factors = np.ones(len(pairs))
    is_version = np.zeros(len(pairs), bool)
    for name, number in order.items():
        metric, mine = _one_unit(number, name, written.get(number, {}), problems.get(number, ""))
        metrics.append(metric)
        for place, factor in mine.items():
            factors[place] = factor
            is_version[place] = metric.unit is not None and metric.unit.dimension == "version"
    versions: tuple[tuple[int, ...], ...] = ()
    values = columns.value
    if is_version.any():
        values, versions = _placed_versions(columns, is_version[inverse])
    else:
        values = columns.numbers()
    if (factors != 1.0).any():
        scaled = np.asarray(values, dtype=float) * factors[inverse]
        rounded = [
            float(f"{value:.15g}") if factor != 1.0 else value
            for value, factor in zip(scaled, factors[inverse], strict=True)
        ]
        values = pa.array(rounded, pa.float64(), mask=np.asarray(values.is_null()))
    return metrics, pa.array(numbers), values, versions


def _one_unit(
    number: int, name: str, units: Mapping[int, Unit | None], problem: str
) -> tuple[Metric, dict[int, float]]:
    """The one unit of a metric's readings, and the factor of each of those it is written in."""
    kinds = sorted(set(units.values()), key=str)
    if problem or len(kinds) == 1:
        return Metric(number, name, kinds[0] if kinds else None, problem), dict.fromkeys(units, 1.0)
    first = kinds[0]
    factors: dict[int, float] = {}
    for place, unit in units.items():
        factor = factor_between(unit, first) if unit is not None and first is not None else "a unit and none"
        if isinstance(factor, str):
            words = ", ".join(str(kind) if kind is not None else "none" for kind in kinds[:5])
            return Metric(number, name, None, f"its readings are in several units: {words}"), {}
        factors[place] = factor
    return Metric(number, name, first), factors


def _placed_versions(columns: Columns, is_version: Any) -> tuple[Array, tuple[tuple[int, ...], ...]]:
    """Values where version readings hold their place among all versions seen."""
    import numpy as np

    pa, _ = arrow()
    texts = columns.texts(is_version)
    parts = {text: version_parts(text) for text in set(texts)}
    bad = sorted(text for text, found in parts.items() if found is None)
    if bad:
        raise FactsError(
            f"{bad[0]!r:.60} is no version of numbers between dots",
            file=columns.source,
            field="value",
            remedy="Leave pre-releases out, or give the release they lead to.",
        )
    versions = tuple(sorted({found for found in parts.values() if found is not None}))
    place = {version: float(number) for number, version in enumerate(versions)}
    plain = columns.numbers(ignore=is_version)
    values = np.asarray(plain, dtype=float).copy()
    values[is_version] = [place[version] for text in texts if (version := parts[text]) is not None]
    mask = np.asarray(plain.is_null()) & ~is_version
    return pa.array(values, pa.float64(), mask=mask), versions


def _refuse_contradictions(readings: pa.Table, metrics: Sequence[Metric]) -> None:
    _, pc = arrow()
    odd = readings.filter(readings["is_contradicted"])
    if not odd.num_rows:
        return
    first = odd.slice(0, 1).to_pylist()[0]
    moment = readings.filter(
        pc.and_(pc.equal(readings["metric"], first["metric"]), pc.equal(readings["read_at"], first["read_at"]))
    )
    numbers = ", ".join(f"{value:.10g}" for value in moment["value"].to_pylist()[:4])
    name = next(metric.name for metric in metrics if metric.number == first["metric"])
    more = f"; {_rows(odd.num_rows - 1)} more of the same kind" if odd.num_rows > 1 else ""
    raise FactsError(
        f"{name} has different values at {clock.iso(first['read_at'])}: {numbers}{more}",
        field="value",
        remedy="Keep one reading per metric and moment, or give the series names of their own.",
    )


def _rows(n: int) -> str:
    return f"{n:,} {'row' if n == 1 else 'rows'}"
