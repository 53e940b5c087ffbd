"""Which output of which notebook becomes which picture."""

from __future__ import annotations

import json
import pathlib
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "gallery"
PAGE = ROOT / "docs" / "gallery.md"
THEMES = ("light", "dark")
MOST_BYTES = 100_000


@dataclass(frozen=True)
class Picture:
    """One output.

    Attributes:
        name: Of the picture's files.
        notebook: The notebook's name.
        cell: The cell's source, or what it alone holds.
        height: Pixels at most; a longer output is cut.
    """

    name: str
    notebook: str
    cell: str
    height: int = 620

    def html(self) -> str:
        """The output.

        Raises:
            LookupError: not exactly one cell holds this, or it shows no HTML.
        """
        notebook = json.loads((ROOT / "notebooks" / f"{self.notebook}.ipynb").read_text("utf-8"))
        sources = [("".join(cell["source"]), cell) for cell in notebook["cells"] if cell.get("outputs")]
        cells = [cell for source, cell in sources if source == self.cell]
        cells = cells or [cell for source, cell in sources if self.cell in source]
        shown = [o["data"]["text/html"] for cell in cells for o in cell["outputs"] if "text/html" in o.get("data", {})]
        if len(shown) != 1:
            raise LookupError(f"{len(shown)} outputs of {self.notebook} for {self.cell!r}")
        return "".join(shown[0])

    def file(self, theme: str) -> pathlib.Path:
        """Where it lies."""
        return FOLDER / f"{self.name}-{theme}.png"


PICTURES = (
    Picture("recall", "01_quickstart", 'mem.recall("database", limit=3)', 580),
    Picture("valid", "01_quickstart", "mem.what_we_decided(", 520),
    Picture("miss", "01_quickstart", "kubernetes zeppelin"),
    Picture("explore", "01_quickstart", 'mem.explore("locker", limit=6)', 460),
    Picture("scores", "01_quickstart", 'mem.recall("database shard", limit=6).chart()', 320),
    Picture("sql", "02_sql_over_memory", "getvariable('as_of')::date - 365"),
    Picture("timeline", "03_decision_timeline", 'mem.timeline(since="2026-01-01").chart()', 660),
    Picture("chains", "03_decision_timeline", "mem.chains().chart()", 360),
    Picture("tripwires", "03_decision_timeline", 'mem.tripwires.check(samples / "facts.csv")', 640),
    Picture("retention", "04_retention_audit", "review = mem.retention.review(", 560),
    Picture("calendar", "04_retention_audit", "mem.retention.calendar(", 480),
    Picture("review", "05_consolidation", "review = mem.staging.review()\nreview", 520),
    Picture("consolidation", "05_consolidation", "report = mem.consolidate(session)"),
    Picture("runs", "06_audit_log", "mem.audit.runs().chart()", 420),
    Picture("health", "06_audit_log", "mem.audit.health()"),
)


@dataclass(frozen=True)
class Live:
    """One widget in JupyterLab, after somebody used it.

    Attributes:
        name: Of the picture's files.
        setup: The cell that makes a store; the sample decisions, unless it says otherwise.
        cell: The cell that shows the widget.
        hands: What is done in the output: (label of a control, what to do, with what).
        height: Pixels at most.
    """

    name: str
    cell: str
    hands: tuple[tuple[str, str, str], ...] = ()
    height: int = 700
    setup: str = "from tests.browser import scenes\nmem = scenes.samples()"

    def file(self, theme: str) -> pathlib.Path:
        """Where it lies."""
        return FOLDER / f"{self.name}-{theme}.png"


LIVE = (
    Live("explore-live", "mem.explore()", (("Words", "type", "locker"), ("Hits", "choose", "0"))),
    Live("retention-live", "mem.retention.explore({'max_age_days': 200})", (("Move", "click", ""),), 620),
    Live("timeline-live", "mem.timeline.explore('2026-01-01', '2026-11-30', facts=scenes.SAMPLES / 'facts.csv')"),
)
