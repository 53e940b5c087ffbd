"""A notebook opened again: what it says when the kernel and the widgets' state are gone, and when nobody trusts it."""

import nbformat
import pytest

from tests.browser.desk import Desk

pytestmark = pytest.mark.browser

CELLS = {
    "recall": "mem.recall('database', limit=2)",
    "explore": "mem.explore('database', superseded=True)",
    "review": "mem.retention.review(due_within=45)",
    "staging-review": "mem.staging.extract(scenes.SAMPLES / 'sessions' / '2026-09-08-tablet-keys.jsonl')\nmem.staging.review()",
    "monitor": "monitor = mem.audit.monitor()\nmonitor",
    "chart": "mem.timeline(since='2026-06-01').chart()",
    "sql": "mem.sql('select title, status, decided_on from decisions order by entry_id')",
}
SAYS = {
    "recall": ("Shard the database by depot", "Stored 76 days ago"),
    "explore": ("Partition the scan event database by day", "3 hits"),
    "review": ("3 of 61 entries due to be forgotten",),
    "staging-review": ("Review: 3 candidates",),
    "monitor": ("MEMORY", "extract"),
    "chart": ("How decisions came and went", "2026-09-01"),
    "sql": ("20 of 61 rows",),
}


def test_a_notebook_nobody_trusts_still_says_what_is_true(desk: Desk):
    desk.run("kept", "from tests.browser import scenes\nmem = scenes.samples()", *CELLS.values())
    saved = desk.save("kept")
    desk.close_kernel()
    desk.open("kept", kernel=False)
    desk.settle(1_000)
    for number in (1, 3, 6, 7):
        assert SAYS[list(CELLS)[number - 1]][0] in desk.output(number).inner_text()
    widget = desk.output(2).inner_text()  # docs/reference/frontends.md says so
    assert "Loading widget" in widget or "model not found" in widget

    saved.metadata.pop("widgets", None)
    saved.cells[0].source = "# another hand's change: the notebook is no longer the one that was trusted"
    saved.metadata.kernelspec = {"name": "gone", "display_name": "gone", "language": "python"}
    nbformat.write(saved, desk.lab.notebooks / "untrusted.ipynb")

    desk.open("untrusted", kernel=False)
    desk.dismiss()
    assert desk.page.locator(".jp-OutputArea style").count() == 0
    for number, (name, words) in enumerate(SAYS.items(), start=1):
        shown = desk.output(number).inner_text()
        assert [each for each in words if each not in shown] == [], name
    assert desk.overflows() == []
    assert desk.both(*(f"untrusted-{name}" for name in CELLS)) == []
