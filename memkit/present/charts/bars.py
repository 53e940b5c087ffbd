"""The rows and tables of the charts of ages, of a retention calendar, of score parts and of use."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from typing import Any

from memkit import clock
from memkit.analytics.audit_result import Activity
from memkit.analytics.recall_result import RecallResult
from memkit.analytics.retention_review import RetentionReview
from memkit.model.policy import NONE
from memkit.present.blocks import Column, Grid, Line
from memkit.present.charts.chart import Chart
from memkit.present.safe import say, shown
from memkit.present.wording import count, moment, points
from memkit.retention.what_if import RetentionCalendar

MAX_HITS = 15
MAX_TITLE = 46
MAX_BARS = 62
WEEKS = 53
FIELDS = ("question", "conclusion", "synthesis", "tags")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_VERDICTS = {"keep": "kept", "protected": "protected", "due": "due", "held": "held"}
_NOTHING: Line = ("–",)


def ages_chart(review: RetentionReview) -> Chart:
    """How old the entries of each verdict are, and the limit of days where it lies among them."""
    bins = review.ages()
    said = tuple(_VERDICTS)
    numbers: dict[tuple[int, str], int] = {(each.from_days, each.verdict): each.n for each in bins}
    spans = dict.fromkeys((each.from_days, each.to_days) for each in bins)
    ages = [
        {"from": begin, "to": end, "verdict": _VERDICTS[verdict], "low": low, "high": high}
        for begin, end in spans
        for verdict, low, high in _stacked((name, numbers.get((begin, name), 0)) for name in said)
    ]
    limit = review.policy.max_age_days
    oldest = max((end for _, end in spans), default=0)
    limits = []
    if limit != NONE and 0 < limit <= oldest and review.policy.can_prune:
        limits.append({"days": limit, "label": f"kept {count(limit, 'day')}"})
    words = f"{count(len(review), 'entry', 'entries')} by the days since each was stored, as of {moment(review.as_of)}."
    if limits:
        words += f" The dashed line is the limit, {count(int(limit), 'day')}."
    seen = [name for name in said if any(each.verdict == name for each in bins)]
    columns = (Column("Days", fixed=True), *(Column(_VERDICTS[name].capitalize(), right=True) for name in seen))
    cells = tuple(
        ((_span(begin, end),), *(_number(numbers.get((begin, name), 0)) for name in seen)) for begin, end in spans
    )
    table = (Grid((), columns, cells, head=True),) if cells else ()
    title = "How old the entries are, and what becomes of them"
    return Chart("ages", title, words, {"ages": ages, "limits": limits}, table)


def calendar_chart(calendar: RetentionCalendar) -> Chart:
    """How many entries move to the trash, or may be erased there, by day, week or month."""
    bucket, begins = _calendar_steps(calendar)
    counted: Counter[tuple[dt.date, str]] = Counter()
    kinds = ("moves to the trash", "may be erased")
    for row in calendar.rows:
        begin = begins(row.day)
        counted[begin, kinds[0]] += len(row.due)
        counted[begin, kinds[1]] += len(row.expired)
    days = sorted({begin for begin, _ in counted})
    bars: list[dict[str, object]] = []
    for begin in days:
        span = {"from": begin.isoformat(), "to": _after(begin, bucket).isoformat()}
        bars += [
            {**span, "what": what, "low": low, "high": high}
            for what, low, high in _stacked((kind, counted[begin, kind]) for kind in kinds)
        ]
    words = f"By {bucket}, from {moment(calendar.as_of)} to {moment(calendar.until)}, as if nothing else were stored."
    columns = (
        Column("From", fixed=True), Column("Move to the trash", right=True), Column("May be erased", right=True),
    )  # fmt: skip
    cells = tuple(((day.isoformat(),), *(_number(counted[day, kind]) for kind in kinds)) for day in days)
    table = (Grid((), columns, cells, head=True),) if bars else ()
    return Chart("calendar", "When entries are forgotten", words, {"days": bars}, table)


def scores_chart(result: RecallResult) -> Chart:
    """Where each hit's score comes from: the best `MAX_HITS`, by the field its words stand in."""
    parts: list[dict[str, object]] = []
    cells: list[tuple[Line, ...]] = []
    hits = result.rows[:MAX_HITS]
    for place, hit in enumerate(hits):
        sums = {name: sum(c.value for c in hit.contributions if c.field == name) for name in FIELDS}
        label = f"{place + 1}. {shown(hit.question, MAX_TITLE)}"
        parts += [
            {"place": place, "hit": label, "where": name, "low": round(low, 6), "high": round(high, 6)}
            for name, low, high in _stacked((name, sums[name]) for name in FIELDS)
        ]
        each: list[Line] = [(points(sums[name]),) if sums[name] else _NOTHING for name in FIELDS]
        cells.append(((f"{place + 1}. ", say(hit.question, 120)), *each, (points(sum(sums.values())),)))
    of = f"{len(hits):,} of {count(len(result.rows), 'hit')}, the best" if len(hits) < len(result) else ""
    words = (
        f"{of or count(len(hits), 'hit')}, as of {moment(result.as_of)}: the points that words earned in each field."
    )
    columns = (
        Column("Hit", least=24), *(Column(name.capitalize(), right=True) for name in FIELDS), Column("Sum", right=True),
    )  # fmt: skip
    table = (Grid((), columns, tuple(cells), head=True),) if cells else ()
    return Chart("scores", f"Where the scores come from: {shown(result.query, 80)}", words, {"parts": parts}, table)


def activity_chart(activity: Activity) -> Chart:
    """How often memory was asked or read on each day of the last `WEEKS` weeks."""
    last = activity.as_of.astimezone(clock.UTC).date()
    first = _monday(last) - dt.timedelta(weeks=WEEKS - 1)
    counted: Counter[dt.date] = Counter()
    for row in activity:
        if first <= row.used_on <= last:
            counted[row.used_on] += row.n_times
    days = [
        {
            "week": (day - dt.timedelta(days=day.weekday())).isoformat(),
            "weekday": WEEKDAYS[day.weekday()],
            "n": counted[day],
        }
        for day in (first + dt.timedelta(days=n) for n in range((last - first).days + 1))
    ]
    n = sum(counted.values())
    words = (
        f"{count(n, 'use')} on {count(len(counted), 'day')} of the last {WEEKS} weeks, up to {moment(activity.as_of)}."
    )
    weeks = sorted({_monday(day) for day in counted})
    columns = (
        Column("Week from", fixed=True), *(Column(name, right=True) for name in WEEKDAYS), Column("Sum", right=True),
    )  # fmt: skip
    cells = []
    for week in weeks:
        numbers = [counted[week + dt.timedelta(days=at)] for at in range(7)]
        cells.append(((week.isoformat(),), *map(_number, numbers), _number(sum(numbers))))
    table = (Grid((), columns, tuple(cells), head=True),) if cells else ()
    return Chart("activity", "When memory was asked or read", words, {"days": days if n else []}, table)


def _stacked(numbers: Iterable[tuple[str, Any]]) -> list[tuple[str, Any, Any]]:
    """Each name that has a number, with where its part of the bar begins and ends."""
    low: Any = 0
    found = []
    for name, n in numbers:
        if n:
            found.append((name, low, low + n))
            low += n
    return found


def _number(n: int) -> Line:
    return (f"{n:,}",) if n else _NOTHING


def _span(begin: int, end: int) -> str:
    return f"{begin:,}" if end - begin == 1 else f"{begin:,} to {end - 1:,}"


def _monday(day: dt.date) -> dt.date:
    return day - dt.timedelta(days=day.weekday())


def _calendar_steps(calendar: RetentionCalendar) -> tuple[str, Any]:
    days = max(1, (calendar.until.date() - calendar.as_of.date()).days)
    if days <= MAX_BARS:
        return "day", lambda day: day
    if days <= 7 * MAX_BARS:
        return "week", _monday
    return "month", lambda day: day.replace(day=1)


def _after(begin: dt.date, bucket: str) -> dt.date:
    if bucket == "month":
        return (begin + dt.timedelta(days=32)).replace(day=1)
    return begin + dt.timedelta(days=1 if bucket == "day" else 7)
