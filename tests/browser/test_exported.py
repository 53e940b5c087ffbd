"""What `jupyter nbconvert --to html` makes of a notebook with a widget, with and without the state of widgets in it."""

import pathlib
import subprocess
import sys

import nbformat
import pytest

pytest.importorskip("nbconvert", reason="nbconvert is not installed; `make browser` installs it")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed; `make browser` installs it")

pytestmark = pytest.mark.browser

CELLS = ("from tests.browser import scenes\nmem = scenes.samples()", "mem.explore('database', superseded=True)")
STILL = "Partition the scan event database by day"
OPTION = "--ClearMetadataPreprocessor.enabled=True"


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    """As nbclient, papermill and `nbconvert --execute` leave it: with the state of its widgets."""
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    root = pathlib.Path(__file__).parents[2]
    nbclient.NotebookClient(made, timeout=120, resources={"metadata": {"path": str(root)}}).execute()
    assert made.metadata.widgets
    path = tmp_path_factory.mktemp("exported") / "look.ipynb"
    nbformat.write(made, path)
    return path


def exported(path, *options):
    made = path.with_name("page.html")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", *options, "--output", str(made), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return made.read_text("utf-8")


def test_with_the_option_of_the_page_the_still_page_stands_there(notebook):
    page = exported(notebook, OPTION)
    assert STILL in page
    assert "widget-view+json" not in page.split("<body", 1)[1]


def test_as_jupyterlab_saves_a_notebook_the_still_page_stands_there_by_itself(notebook):
    saved = nbformat.read(notebook, 4)
    del saved.metadata["widgets"]  # JupyterLab keeps it only where its user asks for it
    nbformat.write(saved, notebook.with_name("saved.ipynb"))
    assert STILL in exported(notebook.with_name("saved.ipynb"))


def test_with_the_state_of_widgets_nbconvert_prefers_the_widget_as_the_page_says(notebook):
    page = exported(notebook)
    assert '<script type="application/vnd.jupyter.widget-view+json">' in page
    assert f"<bdi>{STILL}" not in page
