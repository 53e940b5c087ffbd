"""What is seen of a checkup: the verdict in the title, then one line a check, what to do beside it."""

from __future__ import annotations

from collections.abc import Mapping

from memkit.model.checkup import Check, Checkup, Verdict
from memkit.present.blocks import Chip, Column, Grid, Line, Sheet, Tone
from memkit.present.render import MAX_ROWS
from memkit.present.safe import say

_CHIPS: Mapping[Verdict, tuple[str, Tone]] = {"ok": ("✓", "good"), "warn": ("◇", "warn"), "bad": ("✕", "bad")}


def checkup_sheet(checkup: Checkup, rows: int = MAX_ROWS) -> Sheet:
    """Bad first, then what to know, then what is fine."""
    n = checkup.counts
    fine = f"{n['warn']} to know, {n['ok']} fine"
    title = f"{n['bad']} bad, {fine}" if n["bad"] else f"Nothing is bad: {fine}"
    order = list(reversed(list(_CHIPS)))
    ranked = sorted(checkup.rows, key=lambda row: order.index(row.verdict))
    columns = (
        Column("", fixed=True),
        Column("What", fixed=True),
        Column("Found", least=34),
        Column("What to do", least=24),
    )
    cells = tuple(_row(row) for row in ranked[:rows])
    left = len(ranked) - len(cells)
    lead: Line = ("Of ", say(checkup.project_path, 240, "code"), "; nothing was changed.")
    return Sheet((title,), (lead,), (Grid((), columns, cells, note=(f"and {left} more",) if left > 0 else ()),))


def _row(row: Check) -> tuple[Line, ...]:
    shape, tone = _CHIPS[row.verdict]
    return (Chip(row.verdict, shape, tone),), (say(row.topic, 30),), (say(row.detail, 400),), (say(row.remedy, 300),)
