"""Notebook 7, which is made of JupyterLab's parts: results and an explorer, on a page of their own."""

import importlib.util

import pytest

from tests.browser.desk import Desk

pytestmark = pytest.mark.browser


def test_results_and_the_explorer_are_shown_in_notebook_7(desk: Desk):
    if importlib.util.find_spec("notebook") is None:
        pytest.skip("notebook is not installed; `make browser` installs it")
    desk.write(
        "seven",
        "from tests.browser import scenes\nmem = scenes.samples()",
        "mem.recall('database', limit=2)",
        "mem.explore()",
    )
    page = desk.page
    page.goto(f"{desk.lab.url}/notebooks/seven.ipynb?token={desk.lab.token}")
    page.wait_for_selector(".jp-Notebook .jp-Cell")
    first = page.locator(".jp-Notebook .jp-CodeCell").first
    for _ in range(15):  # the kernel may not be there yet: then nothing runs, and nothing is said
        first.click()
        for _ in range(3):
            page.keyboard.press("Shift+Enter")
        desk.settle(3_000)
        if "[ ]" not in first.inner_text():
            break
    words = page.get_by_label("Words")
    words.wait_for(timeout=60_000)
    assert "Stored 76 days ago" in page.locator(".jp-OutputArea-output").first.inner_text()
    words.press_sequentially("database", delay=30)
    page.get_by_label("Hits").locator("option", has_text="Shard the database by depot").wait_for(state="attached")
    desk.settle()
    # Results begin at the third level, below the headings of a notebook; this one has none.
    assert [each for each in desk.axe(".jp-OutputArea") if not each.startswith("heading-order")] == []
    desk.picture("notebook-7")
