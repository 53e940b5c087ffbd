"""What a newcomer sees before anything is stored, while memory is off, and after damage: what to do next."""

import pytest

from tests.browser.desk import Desk

pytestmark = pytest.mark.browser


def test_a_project_that_is_off_says_how_to_switch_it_on(desk: Desk):
    desk.write(
        "off",
        "%load_ext memkit\nfrom tests.browser import scenes\nfolder = scenes.new_folder()",
        "%memkit $folder",
        "%recall queue",
        "import memkit\nmemkit.open(folder)",
    )
    desk.open("off")
    desk.run_cell(0)
    for number in (1, 2, 3):
        desk.run_cell(number)
        assert "memkit enable" in desk.output(number).inner_text()
    assert "Traceback" not in desk.output(2).inner_text()
    assert desk.overflows() == []
    assert desk.both("off-status", "off-recall", "off-open") == []


EMPTY = {
    "status": "mem.status()",
    "recall": "mem.recall('queue')",
    "decided": "mem.what_we_decided('queue')",
    "explore": "mem.explore()",
    "decisions": "mem.decisions()",
    "timeline": "mem.timeline()",
    "chart": "mem.timeline().chart()",
    "chains": "mem.chains()",
    "calibration": "mem.calibration()",
    "in-force": "mem.in_force()",
    "tripwires": "mem.tripwires.check([])",
    "summary": "mem.project_summary()",
    "review": "mem.retention.review()",
    "list": "mem.list()",
    "sql": "mem.sql('select * from decisions')",
    "records": "mem.records.list()",
    "staged": "mem.staging.list()",
    "staging-review": "mem.staging.review()",
    "reconcile": "mem.reconcile()",
    "trash": "mem.trash.list()",
    "runs": "mem.audit.runs()",
    "monitor": "mem.audit.monitor()",
}


def test_an_empty_memory_greets_the_newcomer(desk: Desk):
    desk.run("empty", "from tests.browser import scenes\nmem = scenes.empty()", *EMPTY.values())
    for number, name in enumerate(EMPTY, start=1):
        assert desk.output(number).inner_text().strip(), name
    assert desk.overflows() == []
    assert desk.both(*(f"empty-{name}" for name in EMPTY)) == []


DAMAGED = {
    "status": "mem.status()",
    "recall": "mem.recall('database')",
    "explore": "explorer = mem.explore('database')\nexplorer",
    "list": "mem.list()",
    "problems": "from memkit.present.reports import problems_table\nproblems_table(mem.verify())",
    "repair": "mem.repair()",
}


def test_a_damaged_memory_answers_and_says_what_to_do(desk: Desk):
    desk.run(
        "damaged",
        "import warnings\nwarnings.simplefilter('ignore')\nfrom tests.browser import scenes\nmem = scenes.damaged()",
        *DAMAGED.values(),
    )
    assert "memkit verify" in desk.output(1).inner_text()
    assert "Shard the database by depot" in desk.output(2).inner_text()
    assert "memkit repair" in desk.output(5).inner_text()
    assert desk.overflows() == []
    assert desk.both(*(f"damaged-{name}" for name in DAMAGED)) == []


def test_one_row_and_a_hundred_thousand_read_well(desk: Desk):
    desk.run(
        "sizes",
        "from tests.browser import scenes\nmem = scenes.one()",
        "mem.recall('queue')",
        "mem.decisions()",
        "mem.sql('select title, status from decisions')",
        "mem.sql('select title from decisions where false')",
        "mem.sql(\"select i as n, 'row ' || i as name, i * 1.5 as half, repeat('long ', 60) as words, "
        "i % 2 = 0 as even, null as nothing, [i, i] as pair, timestamptz '2026-11-30 12:00:00+00' as at, 9 as ninth "
        'from range(100000) t(i)")',
    )
    assert "20 of 100,000 rows" in desk.said()
    assert desk.overflows() == []
    assert desk.both("one-recall", "one-decisions", "one-sql", "none-sql", "many-sql") == []
