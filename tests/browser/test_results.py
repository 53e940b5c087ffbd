"""Every kind of result, as JupyterLab shows it."""

import pytest

from tests.browser.desk import Desk

pytestmark = pytest.mark.browser

SETUP = """
%load_ext memkit
from tests.browser import scenes
mem = scenes.samples()
facts = scenes.SAMPLES / "facts.csv"
"""
QUESTIONS = {
    "recall": "mem.recall('database', limit=3)",
    "miss": "mem.recall('kubernetes zeppelin')",
    "decided": "mem.what_we_decided('database', limit=2)",
    "entry": "mem.get(mem.recall('database', limit=1)[0].id)",
    "decisions": "mem.decisions()",
    "chains": "mem.chains()",
    "timeline": "mem.timeline(since='2026-01-01')",
    "timeline-chart": "mem.timeline(since='2026-01-01').chart()",
    "chains-chart": "mem.chains().chart()",
    "calibration": "mem.calibration()",
    "in-force": "mem.in_force('2025-08-01')",
    "tripwires": "mem.tripwires.check(facts)",
    "summary": "mem.project_summary()",
    "review": "mem.retention.review(due_within=45)",
    "list": "mem.list()",
    "sql": "mem.sql('select title, status, decided_on, age_days, final_score, tripwires from decisions order by entry_id')",
    "problems": "from memkit.present.reports import problems_table\nproblems_table(mem.verify())",
    "status": "mem.status()",
}


def test_results_read_well_in_light_and_dark(desk: Desk):
    desk.run("results", SETUP, *QUESTIONS.values())
    for words in ("Stored 76 days ago", "database", "tripped"):
        assert words in desk.said()
    assert desk.overflows() == []
    assert desk.both(*QUESTIONS) == []
