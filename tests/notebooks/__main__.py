"""Run notebooks in a clean kernel and store what they show: `python -m tests.notebooks [NAME ...]`, all by default.

Without times of execution and without the state of widgets: beside a widget stands a still page of the same, and that
is what a reader of the stored notebook sees.
"""

import os
import pathlib
import sys
import tempfile

import nbformat
from nbclient import NotebookClient

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "notebooks"


def run(path: pathlib.Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    about = {"metadata": {"path": str(path.parent)}}
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources=about, store_widget_state=False, record_timing=False
    ).execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
    notebook.metadata.pop("widgets", None)
    nbformat.write(notebook, path)


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        os.environ |= {"HOME": home, "PYTHONPATH": str(ROOT), "IPYTHONDIR": f"{home}/ipython"}
        for name in sys.argv[1:] or sorted(path.stem for path in FOLDER.glob("*.ipynb")):
            print(name, flush=True)
            run(FOLDER / f"{name}.ipynb")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
