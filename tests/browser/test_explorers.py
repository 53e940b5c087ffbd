"""Widgets by mouse and by keyboard: what a person does, and what they see."""

import pytest

from tests.browser.desk import Desk

pytestmark = pytest.mark.browser

SETUP = """
from tests.browser import scenes
mem = scenes.samples()
"""


def test_a_hit_is_found_filtered_chosen_and_read(desk: Desk):
    desk.run(
        "explore", SETUP, "explorer = mem.explore()\nexplorer", "print(explorer.selected, len(explorer.to_pandas()))"
    )
    shown = desk.output(1)
    shown.get_by_label("Words").press_sequentially("database", delay=30)
    hits = shown.get_by_label("Hits")
    hits.locator("option", has_text="Shard the database by depot").wait_for(state="attached")
    assert hits.locator("option").count() == 1
    shown.get_by_label("Also superseded").check()
    hits.locator("option", has_text="Partition the scan event database by day").wait_for(state="attached")
    n_all = hits.locator("option").count()
    shown.get_by_label("Panel").select_option("adr (50)")
    shown.get_by_label("Standing").select_option(label="superseded (9)")
    hits.locator("option", has_text="Shard the database by depot").wait_for(state="detached")
    assert 0 < hits.locator("option").count() < n_all
    hits.select_option(index=0)
    shown.locator(".mk-card").wait_for()
    assert "superseded" in shown.locator(".mk-card").inner_text()
    desk.run_cell(2)
    chosen, _, found = desk.output(2).inner_text().strip().partition(" ")
    assert len(chosen) == 32
    assert int(found) == hits.locator("option").count()
    assert desk.overflows() == []
    assert desk.both("explore", "explore-value") == []


def tab_to(desk: Desk, control) -> None:
    """Press Tab until a control has the focus."""
    for _ in range(20):
        if control.evaluate("each => each === document.activeElement"):
            return
        desk.page.keyboard.press("Tab")
    raise AssertionError("the Tab key does not lead there")


def test_the_explorer_needs_no_mouse(desk: Desk):
    desk.run("keyboard", SETUP, "explorer = mem.explore()\nexplorer")
    shown = desk.output(1)
    cells = desk.page.locator(".jp-Notebook .jp-Cell").count()
    shown.get_by_label("Words").focus()
    desk.page.keyboard.type("ddatabase", delay=30)  # dd would delete the cell in the notebook's command mode
    for _ in range(9):
        desk.page.keyboard.press("ArrowLeft")
    desk.page.keyboard.press("Delete")
    hits = shown.get_by_label("Hits")
    hits.locator("option", has_text="Shard the database by depot").wait_for(state="attached")
    tab_to(desk, shown.get_by_label("Also superseded"))
    desk.page.keyboard.press("Space")
    hits.locator("option", has_text="Partition the scan event database by day").wait_for(state="attached")
    tab_to(desk, shown.get_by_label("Show hit"))
    desk.page.keyboard.press("ArrowUp")
    shown.locator(".mk-card").wait_for()
    assert "Shard the database by depot" in shown.locator(".mk-card").inner_text()
    assert desk.page.locator(".jp-Notebook .jp-Cell").count() == cells
    desk.picture("explore-by-keyboard", shown)


def test_a_candidate_is_decided_and_applied_with_buttons(desk: Desk):
    desk.run(
        "candidates",
        """
from tests.browser import scenes
mem, session = scenes.consolidated()
report = mem.consolidate(session)
later = scenes.said(mem, "later", "Decision: tablets without secure hardware get a device key for their own depot's "
                                  "network until they are replaced.")
report
""",
        "mem.consolidate(later)",
        "review = mem.staging.review()\nreview",
        "print(len(mem.staging.review()))",
    )
    shown = desk.output(2)
    shown.get_by_role("button", name="supersedes").first.click()
    apply = shown.get_by_role("button", name="Apply 1")
    apply.wait_for()
    assert desk.both("consolidation", "consolidation-waiting", "staging-review", "staging-review-left") == []
    apply.click()
    shown.get_by_role("button", name="Apply 0").wait_for()
    desk.run_cell(3)
    assert desk.output(3).inner_text().strip() == "0"
    desk.picture("staging-review-applied", shown)
    assert desk.axe() == []
    assert desk.overflows() == []


def test_the_monitor_follows_what_happens(desk: Desk):
    desk.run(
        "monitor",
        SETUP,
        "monitor = mem.audit.monitor()\nmonitor",
        "with mem.audit.run(worker='memory_consolidation') as run:\n    run.skip('no_staging')",
    )
    shown = desk.output(1)
    shown.get_by_text("no staging").first.wait_for()
    assert desk.both("monitor") == []
    assert desk.overflows() == []


def test_a_retention_plan_is_tried_out_and_carried_out(desk: Desk):
    desk.run(
        "forget",
        SETUP,
        "explorer = mem.retention.explore()\nexplorer",
        "print(len(explorer.value.due), len(mem.trash.list()), len(mem.list()))",
    )
    shown = desk.output(1)
    assert "3 of 61 entries due" in shown.inner_text()
    handle = shown.get_by_role("slider").first
    handle.focus()
    for _ in range(3):
        desk.page.keyboard.press("PageDown")
    shown.get_by_text("Not the policy of the settings").wait_for()
    typed = shown.get_by_label("Days", exact=True)
    typed.fill("200")
    typed.press("Enter")
    shown.get_by_role("button", name="Move 6 to the trash and erase 1 there").wait_for()
    assert desk.both("retention-explorer", "retention-explorer-before") == []
    assert desk.unnamed > 0
    shown.get_by_role("button", name="As in the settings").click()
    move = shown.get_by_role("button", name="Move 3 to the trash and erase 1 there")
    move.wait_for()
    move.press("Space")
    shown.get_by_role("button", name="Yes, move 3 to the trash and erase 1 there").wait_for()
    desk.picture("retention-explorer-asks", shown)
    shown.get_by_role("button", name="Yes, move 3 to the trash and erase 1 there").press("Space")
    shown.get_by_role("button", name="Nothing is due").wait_for()
    desk.run_cell(2)
    assert desk.output(2).inner_text().strip() == "0 3 58"
    desk.picture("retention-explorer-applied", shown)
    assert desk.axe() == []
    assert desk.overflows() == []


def test_a_period_is_chosen_and_its_events_are_read(desk: Desk):
    desk.run("period", SETUP, "explorer = mem.timeline.explore()\nexplorer", "print(len(explorer.events))")
    shown = desk.output(1)
    shown.get_by_label("From").select_option(label="2026-06")
    shown.get_by_text("Timeline: 2026-06-01").wait_for()
    shown.get_by_label("Events", exact=True).select_option(label="superseded")
    shown.get_by_text("None of these kinds").or_(shown.get_by_text("Events (2 of 2")).first.wait_for()
    shown.get_by_label("Events", exact=True).focus()
    tab_to(desk, shown.get_by_label("Show no"))
    desk.page.keyboard.press("ArrowUp")
    shown.get_by_text("Stored entry").wait_for()
    desk.run_cell(2)
    assert desk.output(2).inner_text().strip() == "2"
    assert desk.both("timeline-explorer", "timeline-explorer-value") == []
    assert desk.overflows() == []
