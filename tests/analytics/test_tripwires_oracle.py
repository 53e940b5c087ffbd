"""Verdicts and firings against a second implementation that reads the rules literally, reading by reading."""

import datetime as dt
import itertools
import random
import statistics

import pytest

from memkit.analytics.facts import read_facts
from memkit.analytics.tripwires import judge, replay
from memkit.clock import UTC
from memkit.model.conditions import read_condition

HOUR = dt.timedelta(hours=1)
BEGIN = dt.datetime(2026, 3, 1, tzinfo=UTC)
PERIODS = {"day": dt.timedelta(days=1), "week": dt.timedelta(days=7)}


def is_met(condition, value):
    return {
        ">": value > condition.value,
        ">=": value >= condition.value,
        "<": value < condition.value,
        "<=": value <= condition.value,
        "==": value == condition.value,
    }[condition.operator]


class Series:
    """Readings up to a moment, with everything the rules speak of."""

    def __init__(self, rows, as_of):
        known = {}
        for at, value in rows:
            if at <= as_of and (known.get(at) is None):
                known[at] = value
        moments = sorted(known)
        self.numbers = [(at, known[at]) for at in moments if known[at] is not None]
        voids = [at for at in moments if known[at] is None]
        self.ends_void = bool(voids) and (not self.numbers or voids[-1] > self.numbers[-1][0])
        self.usual = []
        self.after_gap = []
        distances = []
        for i, (at, _) in enumerate(self.numbers):
            broken = False
            if i:
                before = self.numbers[i - 1][0]
                distances.append(at - before)
                broken = any(before < void < at for void in voids)
                if self.usual[i - 1] is not None:
                    broken = broken or at - before > 1.5 * self.usual[i - 1]
            self.after_gap.append(broken)
            self.usual.append(statistics.median(distances[-11:]) if distances else None)


def verdict(condition, rows, as_of):
    """(verdict, since) by the rules as they are written down."""
    series = Series(rows, as_of)
    numbers = series.numbers
    if not numbers:
        return "unknown", None
    met = [is_met(condition, value) for _, value in numbers]
    last = len(numbers) - 1
    usual = series.usual[last]
    silence = as_of - numbers[last][0]
    if condition.window is None:
        if met[last]:
            first = last
            while first and met[first - 1]:
                first -= 1
            return "tripped", numbers[first][0]
        silent = last >= 7 and silence > 3 * usual
        return ("unknown" if silent else "armed"), None
    window = dt.timedelta(seconds=condition.window.seconds)
    n, period = condition.periods or (0, "")
    counted = n > 0 and usual is not None and 0.65 * PERIODS[period] <= usual <= 1.35 * PERIODS[period]
    fresh = not series.ends_void and usual is not None and silence <= (2.5 if counted else 1.5) * usual
    inside = met[-n:] if counted else [ok for (at, _), ok in zip(numbers, met, strict=True) if at + window >= as_of]
    if not all(inside) or (not met[last] and fresh):
        return "armed", None
    if not met[last]:
        return "unknown", None
    first = last
    while first and met[first - 1] and not series.after_gap[first]:
        first -= 1
    full = numbers[first][0] + window
    if counted:
        full = numbers[first + n - 1][0] if last - first + 1 >= n else None
    recent = not series.ends_void and usual is not None and silence <= window
    if full is not None and full <= as_of and (fresh or (recent and full <= numbers[last][0])):
        return ("unknown", None) if usual > 1.5 * window else ("tripped", full)
    if not counted and full > as_of and first and not series.after_gap[first]:
        return "armed", None
    return "unknown", None


CONDITIONS = (
    "{m} exceeds 5", "{m} is at least 5", "{m} drops below 4", "{m} is at most 4", "{m} == 5",
    "{m} exceeds 5 for 3h", "{m} exceeds 4 for 6h", "{m} stays below 6 for 4h", "{m} == 5 for 2h", "{m} exceeds 3 for 1 day",
    "{m} exceeds 3 three days in a row", "{m} is at least 3/day for 4 days", "{m} exceeds 2 two weeks in a row",
)  # fmt: skip


def random_rows(source):
    """A series with changes of pace, gaps, rows without a number, repeats, and few different values."""
    rows, at = [], BEGIN + source.randrange(48) * HOUR
    pace = source.choice([1, 1, 2, 24, 24, 168])
    level = source.randrange(2, 7)
    for _ in range(source.choice([0, 1, 2, 8, 25, 60])):
        if source.random() < 0.04:
            pace = source.choice([1, 2, 24])
        at += pace * HOUR * (source.choice([1, 1, 1, 1, 1, 1, 1, 2, 4]))
        level = min(8, max(1, level + source.choice([-1, 0, 0, 0, 1])))
        rows.append((at, None if source.random() < 0.03 else float(level)))
        if source.random() < 0.05:
            rows.append(rows[-1])
    source.shuffle(rows)
    return rows


def facts_of(catalog, series):
    table = [
        {"metric": name, "at": at, "value": float("nan") if value is None else value}
        for name, rows in series.items()
        for at, value in rows
    ]
    return read_facts(catalog, table)


@pytest.mark.parametrize("seed", range(6))
def test_verdicts_are_those_of_the_rules_read_literally(no_decisions, seed):
    source = random.Random(seed)
    series = {f"metric {n}": random_rows(source) for n in range(40)}
    facts = facts_of(no_decisions, series)
    conditions = {read_condition(text.format(m=name)): name for name in series for text in CONDITIONS}
    assert all(condition.is_read for condition in conditions)
    moments = [BEGIN + source.randrange(24 * 90) * HOUR / 2 for _ in range(6)]
    moments += [max((at for at, _ in rows), default=BEGIN) for rows in list(series.values())[:6]]
    seen = set()
    for as_of in moments:
        for condition, judged in zip(
            conditions, judge(no_decisions, list(conditions), facts, as_of=as_of), strict=True
        ):
            expected = verdict(condition, series[conditions[condition]], as_of)
            assert (judged.verdict, judged.since) == expected, (condition.text, as_of, judged)
            assert judged.reason
            assert all(reading.at <= as_of for reading in judged.evidence)
            seen.add(judged.cause)
    assert {"met", "unmet", "unmet-inside", "no-metric", "silent"} <= seen


@pytest.mark.parametrize("seed", range(4))
def test_a_back_test_fires_exactly_while_a_check_would_have_said_tripped(no_decisions, seed):
    source = random.Random(100 + seed)
    series = {f"metric {n}": random_rows(source) for n in range(25)}
    facts = facts_of(no_decisions, series)
    conditions = {read_condition(text.format(m=name)): name for name in series for text in CONDITIONS}
    end = BEGIN + dt.timedelta(days=80)
    fired = replay(no_decisions, list(conditions), facts, as_of=end)
    n_fired = 0
    for condition, name in conditions.items():
        firings = fired.get(condition, ())
        n_fired += len(firings)
        assert all(a.ended_at is not None and a.ended_at <= b.fired_at for a, b in itertools.pairwise(firings))
        moments = {at + HOUR * k / 2 for at, _ in series[name] for k in (0, 1, 2, 3, 7)} | {end}
        moments |= {firing.fired_at for firing in firings} | {f.fired_at - HOUR / 2 for f in firings}
        for moment in source.sample(sorted(at for at in moments if at <= end), min(25, len(moments))):
            tripped, _ = verdict(condition, series[name], moment)
            holds = any(
                f.fired_at <= moment
                and (f.ended_at is None or moment < f.ended_at or (f.ended_by == "silence" and moment == f.ended_at))
                for f in firings
            )
            assert holds == (tripped == "tripped"), (condition.text, moment, firings)
    assert n_fired > 50
