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


WEEK = {
    "runs": "mem.audit.runs()",
    "runs-chart": "mem.audit.runs().chart()",
    "events": "mem.audit.events(limit=20)",
    "health": "mem.audit.health()",
    "usage": "mem.audit.usage(limit=8)",
    "usage-chart": "mem.audit.activity().chart()",
    "history": "mem.audit.history()",
    "chain-report": "mem.audit.verify()",
    "records": "mem.records.list()",
    "record": "first = mem.records.list().rows[0].record\nmem.records.read(first.kind, first.slug)",
    "record-hits": "mem.records.query('device key')",
    "lint": "mem.records.lint()",
    "staged": "mem.staging.list()",
    "dead-letters": "mem.staging.dead_letters()",
    "balance": "mem.staging.balance()",
    "import": "mem.import_adr(scenes.SAMPLES / 'staithe' / 'docs', dry_run=True)",
    "locks": "mem.locks()",
    "store": "receipt = mem.store(question='Which queue?', result={'conclusion': 'Keep it.'}, tags=['queue'])\nreceipt",
    "calendar": "mem.retention.calendar('2027-12-31')",
    "compare": "mem.retention.compare(mem.retention.policy, {'max_age_days': 5})",
    "impact": "mem.queries.add('database')\nmem.retention.impact(mem.retention.review({'max_age_days': 5}))",
    "erase": "mem.erase(receipt.id)",
    "scan": "mem.scan(secrets=True)",
    "scores-chart": "mem.recall('locker heartbeat').chart()",
    "ages-chart": "mem.retention.review().chart()",
    "calendar-chart": "mem.retention.calendar('2027-12-31').chart()",
}


def test_a_week_of_work_reads_well_in_light_and_dark(desk: Desk):
    desk.run("week", "from tests.browser import scenes\nmem = scenes.week()", *WEEK.values(), seconds=240)
    assert desk.overflows() == []
    assert desk.both(*WEEK) == []
