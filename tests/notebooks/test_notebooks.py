"""Every notebook runs from a clean kernel, top to bottom, and stores what it shows; no traceback, no machine's path."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def _execute(path):
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}})
    client.execute()
    return notebook


def _said(notebook):
    """The plain text each cell shows; it is the same everywhere but for ids, and for hashes and sizes of files, which
    hold ids and the path of the project."""
    said = []
    for cell in notebook.cells:
        shown = (o.get("text") or o.get("data", {}).get("text/plain", "") for o in cell.get("outputs", ()))
        text = re.sub(r"\b(?=[0-9a-f]*\d)(?:[0-9a-f]{12,32}|[0-9a-f]{8})\b", "ID", "".join(shown))
        said.append(re.sub(r"\b[0-9][0-9.,]* (?:Bytes|[KMG]iB)", "SIZE", text))
    return said


@pytest.mark.notebook
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_notebook_runs_in_a_clean_kernel(path, tmp_path, monkeypatch):
    pytest.importorskip("nbclient", reason="nbclient is not installed")
    import nbformat

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    notebook = _execute(path)
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert outputs
    assert not [output for output in outputs if output.output_type == "error"]
    assert not [output for output in outputs if output.get("name") == "stderr"]
    assert _said(notebook) == _said(nbformat.read(path, as_version=4)), "run it again and store what it shows"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_stored_outputs_show_something_and_name_no_machine(path):
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code)
    assert any("text/html" in output.get("data", {}) for cell in code for output in cell.outputs)
    text = path.read_text("utf-8")
    for word in ("/root/", "/home/", "/work/", "/tmp/", "/Users/", "C:\\", "Traceback"):
        assert word not in text


def test_the_notebooks_are_a_tutorial_in_one_order():
    import nbformat

    for number, path in enumerate(NOTEBOOKS):
        cells = nbformat.read(path, as_version=4).cells
        assert f"Tutorial, {number + 1} of {len(NOTEBOOKS)}: " in cells[0].source
        following = NOTEBOOKS[(number + 1) % len(NOTEBOOKS)]
        assert f"({following.name})" in cells[-1].source
