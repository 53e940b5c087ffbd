"""Conditions brought together with the facts: which metric, in which unit, between which bounds."""

from __future__ import annotations

import bisect
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit.analytics.facts import Facts, Metric
from memkit.analytics.frames import frame_schemas
from memkit.analytics.tripwire_result import Cause
from memkit.errors import FactsError, InvalidInputError
from memkit.model.conditions import Condition
from memkit.model.metrics import metric_name
from memkit.model.unit_table import PERIOD_MONTHS, PERIOD_SECONDS
from memkit.model.units import VERSION, factor_between
from memkit.snapshot.columns import column

if TYPE_CHECKING:
    import pyarrow as pa

_MONTH_US = 30.436875 * 86_400e6


@dataclass(frozen=True, slots=True)
class Wire:
    """A condition that its facts can judge.

    Attributes:
        condition: The condition.
        metric: The facts' metric.
        over: A reading meets it if it is greater than this, in the unit of the facts,
        under: and less than this.
        by_version: Whether readings are versions.
    """

    condition: Condition
    metric: Metric
    over: float = -math.inf
    under: float = math.inf
    by_version: bool = False


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why no reading can judge a condition."""

    cause: Cause
    reason: str


def named(mapping: Mapping[str, str] | None, facts: Facts | None) -> dict[str, str]:
    """A caller's mapping from names in conditions to names in facts, both normalised.

    Raises:
        InvalidInputError: it is no mapping of texts.
        FactsError: it leads to a metric the facts do not have.
    """
    found: dict[str, str] = {}
    for name, target in (mapping or {}).items():
        if not isinstance(name, str) or not isinstance(target, str):
            raise InvalidInputError("texts are mapped to texts", field="mapping", remedy="{'write QPS': 'db.writes'}")
        found[metric_name(name)] = metric_name(target)
        if facts is not None and metric_name(target) not in facts.metrics:
            raise FactsError(
                f"no metric is named {target!r}",
                field="mapping",
                remedy=f"The facts have: {', '.join(sorted(facts.metrics)[:12])}.",
            )
    return found


def wire_of(condition: Condition, facts: Facts, mapping: Mapping[str, str]) -> Wire | Obstacle:
    """The wire of a condition over metric, operator and value; or why there is none."""
    name = condition.metric or ""
    metric = facts.find(mapping.get(name, name))
    if metric is None:
        return Obstacle("no-metric", f"no facts named {name}")
    if metric.problem:
        return Obstacle("unit", f"{metric.name}: {metric.problem}")
    if condition.version and metric.unit in (None, VERSION) and (metric.unit or condition.value is None):
        if metric.unit is None:
            return Obstacle("unit", f"the facts of {metric.name} do not say that they are versions (unit “version”)")
        return _by_version(condition, metric, facts)
    factor = factor_between(metric.unit, condition.unit, metric.name)
    if isinstance(factor, str):
        return Obstacle("unit", factor)
    value = condition.value or 0.0
    if factor != 1.0:
        value = float(f"{value / factor:.15g}")
    return Wire(condition, metric, *_bounds(condition.operator or "", value))


def _bounds(operator: str, value: float) -> tuple[float, float]:
    """Exclusive bounds: `>= 5` is `> the greatest number below 5`."""
    below, above = math.nextafter(value, -math.inf), math.nextafter(value, math.inf)
    return {
        ">": (value, math.inf),
        ">=": (below, math.inf),
        "<": (-math.inf, value),
        "<=": (-math.inf, above),
        "==": (below, above),
    }[operator]


def _by_version(condition: Condition, metric: Metric, facts: Facts) -> Wire:
    """Versions are compared by their place among all versions seen."""
    version = condition.version or ()
    first = bisect.bisect_left(facts.versions, version) - 0.5
    after = bisect.bisect_right(facts.versions, version) - 0.5
    over, under = {
        ">": (after, math.inf),
        ">=": (first, math.inf),
        "<": (-math.inf, first),
        "<=": (-math.inf, after),
        "==": (first, after),
    }[condition.operator or ">="]
    return Wire(condition, metric, over, under, by_version=True)


def wires_frame(wires: Sequence[Wire]) -> pa.Table:
    """The wires as the queries read them; a wire's number is its place."""
    import pyarrow as pa

    schema = frame_schemas()["wires"]
    rows = [_row(number, wire) for number, wire in enumerate(wires)]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(schema)
    arrays = [column(values, field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.Table.from_arrays(arrays, schema=schema)


def _row(number: int, wire: Wire) -> tuple[Any, ...]:
    window = wire.condition.window
    n, period = wire.condition.periods or (0, "")
    return (
        number, wire.metric.number, wire.over, wire.under, window is not None, not wire.by_version,
        window.seconds * 1_000_000 if window else 0, window.months if window else 0, n, period_us(period),
        window.seconds * 1e6 + window.months * _MONTH_US if window else 0.0,
    )  # fmt: skip


def period_us(period: str) -> float:
    """The mean length of a period in microseconds; 0 for none."""
    if period in PERIOD_MONTHS:
        return PERIOD_MONTHS[period] * _MONTH_US
    return PERIOD_SECONDS.get(period, 0) * 1e6
