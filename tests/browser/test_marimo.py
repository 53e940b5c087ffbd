"""marimo, which knows no ipywidgets: results show their HTML, explorers the still page beside the widgets."""

import subprocess
import sys
import time
import urllib.request

import pytest

from tests.browser.lab import ROOT, free_port

pytestmark = pytest.mark.browser

APP = """
import marimo

app = marimo.App()


@app.cell
def _():
    from tests.browser import scenes

    mem = scenes.samples()
    return (mem,)


@app.cell
def _(mem):
    mem.recall("database", limit=2)


@app.cell
def _(mem):
    mem.explore("database", superseded=True)


@app.cell
def _(mem):
    mem.sql("select title, status from decisions order by entry_id")


@app.cell
def _(mem):
    mem.timeline(since="2026-06-01").chart()


if __name__ == "__main__":
    app.run()
"""
SAYS = (
    "Shard the database by depot",
    "Stored 76 days ago",
    "Partition the scan event database by day",
    "20 of 61 rows",
)


def test_marimo_gets_the_html_of_results_and_of_explorers():
    pytest.importorskip("marimo", reason="marimo is not installed; `make browser` installs it")
    import marimo

    from tests.browser import scenes

    with scenes.samples() as mem:
        explorer = mem.explore("database")
        assert "Shard the database by depot" in marimo.as_html(explorer).text
        assert "not supported" not in marimo.as_html(explorer).text
        assert "Stored 76 days ago" in marimo.as_html(mem.recall("database")).text


@pytest.fixture
def served(lab, tmp_path):
    """A marimo app on the loopback."""
    pytest.importorskip("marimo", reason="marimo is not installed; `make browser` installs it")
    app = tmp_path / "app.py"
    app.write_text(APP, encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "marimo", "--quiet", "run", str(app), "--headless", "--host", "127.0.0.1"]
    command += ["--port", str(port), "--token-password", lab.token, "--token"]
    environment = {**lab.environment, "PYTHONPATH": str(ROOT)}
    server = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2).close()
            break
        except OSError:
            assert server.poll() is None
            assert time.monotonic() < until
            time.sleep(0.2)
    yield port
    server.terminate()
    server.wait(20)


def test_a_marimo_page_reads_well(served, desk):
    desk.port = served
    desk.page.goto(f"http://127.0.0.1:{served}/?access_token={desk.lab.token}")
    for words in ("20 of 61 rows", "How decisions came and went"):
        desk.page.get_by_text(words).wait_for(timeout=60_000)
    desk.settle(500)
    said = desk.page.locator("body").inner_text()
    assert [each for each in SAYS if each not in said] == []
    assert "not supported" not in said
    assert desk.page.locator("marimo-anywidget, .jupyter-widgets").count() == 0
    desk.page.set_viewport_size({"width": 1280, "height": 3_000})
    desk.settle(500)
    desk.picture("marimo")
