"""The verdict of one wire in words: why, since when, on which readings."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from memkit import clock
from memkit.analytics.facts import Facts
from memkit.analytics.tripwire_result import Judgement
from memkit.analytics.tripwire_wires import Wire
from memkit.model.tripwire import Reading

_DAY_US = 86_400e6
_COMPARED = {">": "above", ">=": "at least", "<": "below", "<=": "at most", "==": "equal to"}


def moment(at: dt.datetime) -> str:
    """`2026-11-30` for the start of a day in UTC, else `2026-11-30 17:00Z`."""
    at = at.astimezone(clock.UTC)
    return f"{at:%Y-%m-%d}" if at.time() == dt.time() else f"{at:%Y-%m-%d %H:%M}Z"


def shown(value: float) -> str:
    """`5,012`, `99.5`, `0.125`: at most ten digits, thousands in groups."""
    return f"{value:,.10g}"


def reading_of(wire: Wire, facts: Facts, at: dt.datetime | None, value: float | None) -> Reading | None:
    """A reading as evidence."""
    if at is None or value is None:
        return None
    unit = str(wire.metric.unit) if wire.metric.unit is not None else ""
    text = ".".join(map(str, facts.versions[int(value)])) if wire.by_version else ""
    return Reading(wire.metric.name, at.astimezone(clock.UTC), value, unit, text)


def said(reading: Reading) -> str:
    """`204 ms on 2026-11-28`."""
    number = reading.text or shown(reading.value)
    unit = "" if not reading.unit or reading.unit == "version" else reading.unit
    between = "" if unit.startswith("/") or not unit else " "
    return f"{number}{between}{unit} on {moment(reading.at)}"


def compared(wire: Wire) -> str:
    """`above 5,000`, `at least version 3.0`: the comparison in the words of the condition."""
    condition = wire.condition
    words = _COMPARED[condition.operator or ">"]
    if wire.by_version and condition.version:
        return f"{words} version {'.'.join(map(str, condition.version))}"
    unit = str(condition.unit)
    between = "" if unit.startswith("/") or not unit else " "
    return f"{words} {shown(condition.value or 0.0)}{between}{unit}"


def judgement_of(wire: Wire, row: Mapping[str, Any], facts: Facts, as_of: dt.datetime) -> Judgement:
    """A row of `tripwires.sql` as a judgement."""
    last = reading_of(wire, facts, row["last_at"], row["last_value"])
    begin = reading_of(wire, facts, row["begin_at"], row["begin_value"])
    unmet = reading_of(wire, facts, row["unmet_at"], row["unmet_value"])
    reason = _reason(wire, row, as_of, last=last, begin=begin, unmet=unmet)
    found: tuple[Reading | None, ...]
    if row["verdict"] == "tripped":
        weakest = reading_of(wire, facts, row["weakest_at"], row["weakest_value"])
        found = (begin, weakest, last)
    elif row["cause"] == "unmet":
        found = (last,)
    else:
        found = (unmet, begin, last)
    distinct = {reading.at: reading for reading in found if reading is not None}
    evidence = tuple(distinct[at] for at in sorted(distinct))
    since = row["since"].astimezone(clock.UTC) if row["since"] else None
    return Judgement(row["verdict"], row["cause"], reason, since, evidence)


def _reason(
    wire: Wire,
    row: Mapping[str, Any],
    as_of: dt.datetime,
    *,
    last: Reading | None,
    begin: Reading | None,
    unmet: Reading | None,
) -> str:
    cause, window = row["cause"], wire.condition.window
    if last is None:
        return f"no readings of {wire.metric.name} up to {moment(as_of)}"
    length = window.text if window else ""
    held = f"{compared(wire)} since {moment(begin.at)}" if begin else ""
    match cause:
        case "met" if window is None and begin is not None and begin.at == last.at:
            return f"{said(last)}, {compared(wire)}"
        case "met" if window is None:
            return f"{said(last)}; {held}"
        case "met" if row["is_counted"]:
            return f"{compared(wire)} in {row['n_met']:,} readings in a row; {said(last)}"
        case "met":
            full = f"so {length} since {moment(row['since'])}"
            return f"{compared(wire)} in all {row['n_met']:,} readings since {moment(row['begin_at'])}, {full}"
        case "unmet":
            return said(last)
        case "unmet-inside" | "not-long-enough" if begin and unmet and unmet.at < begin.at:
            return f"{held}, not {length}; {said(unmet)}"
        case "unmet-inside" | "not-long-enough":
            return said(last)
        case "silent":
            return f"no readings since {moment(last.at)}"
        case "void":
            return f"no number since {moment(last.at)}"
        case "one-reading":
            return f"one reading only, {said(last)}"
        case "too-sparse":
            return f"{held}, but readings come too seldom to tell {length}"
        case "gap":
            return f"no readings between {moment(row['gap_from'])} and {moment(row['gap_to'])}"
        case _:
            return f"readings begin on {moment(row['begin_at'])}, too late for {length}"
