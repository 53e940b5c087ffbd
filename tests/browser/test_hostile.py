"""Whatever was stored stays text: nothing runs, nothing is fetched, nothing pushes the page aside."""

import pytest

from tests.browser.desk import Desk

pytestmark = pytest.mark.browser

EVERY_KIND = """
from IPython.display import display
from tests.browser import scenes
from tests.present import samples
for text in ({text}):
    for kind, value in samples.hostile(text).items():
        display(value)
"""


@pytest.mark.parametrize(
    ("name", "text"), [("everything", "scenes.HOSTILE,"), ("long-word", "samples.LONG_WORD,")], ids=["all", "word"]
)
def test_no_kind_of_result_lets_text_out(desk: Desk, name, text):
    desk.run(f"hostile-{name}", EVERY_KIND.replace("{text}", text))
    assert desk.outputs().count() > 30
    if name == "everything":
        assert "<script>memkitFires(1)</script>" in desk.said()
    assert desk.overflows() == []
    assert desk.page.locator("mjx-container, .MathJax").count() == 0
    assert desk.page.locator(".memkit script, .memkit a, .memkit iframe").count() == 0
    assert desk.alarms() == []
    if name == "everything":
        assert desk.axe() == []
    desk.picture(f"hostile-{name}")


def test_no_widget_lets_text_out(desk: Desk):
    desk.run(
        "hostile-widgets",
        "from tests.browser import scenes\nmem = scenes.hostile()",
        "explorer = mem.explore()\nexplorer",
        "mem.audit.monitor()",
        "session = scenes.said(mem, 'later', f'Decision: tablets keep {scenes.FIRES} their $5 **keys** for $x$ days.')\n"
        "mem.staging.extract(session)\nmem.staging.review()",
    )
    shown = desk.output(1)
    desk.output(3).get_by_role("button", name="distinct").click()
    hits = shown.get_by_label("Hits")
    for i in range(hits.locator("option").count()):
        hits.select_option(index=i)
        desk.settle()
        assert desk.overflows() == []
    shown.get_by_label("Words").fill(f"memkitFires {'<img src=x onerror=memkitFires(5)>'}")
    desk.settle(1_000)
    hits.select_option(index=0)
    shown.locator(".mk-card").wait_for()
    assert desk.page.locator("mjx-container, .MathJax").count() == 0
    assert desk.overflows() == []
    assert desk.both("hostile-explorer", "hostile-monitor", "hostile-review") == []
