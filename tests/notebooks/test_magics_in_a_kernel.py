"""The magics in a kernel of their own, spoken to as JupyterLab does: load, ask, complete, unload."""

import ast

import pytest

from tests.notebooks.test_notebooks import ROOT

PROJECT = """
import memkit, pathlib, tempfile
folder = pathlib.Path(tempfile.mkdtemp()) / "shop"
folder.mkdir()
memkit.enable(folder)
with memkit.open(folder) as first:
    first.store(question="Which queue?", result={"conclusion": "Keep LISTEN/NOTIFY."}, tags=["queue"])
    first.store(question="Who is on call?", result={"conclusion": "Grace."}, panel_id="people")
del first
"""
SESSION = """
import json
line = {"type": "user", "uuid": "u1", "parentUuid": None, "sessionId": "s1", "isSidechain": False, "cwd": "shop",
        "timestamp": "2026-11-29T10:00:00Z", "message": {"role": "user", "content": "Decision: the queue stays where it is."}}
session = folder.parent / "s1.jsonl"
session.write_text(json.dumps(line) + "\\n")
mem.staging.extract(session)
"""


class Kernel:
    """One kernel; `run` gives what a cell shows as text, `value` an expression's value."""

    def __init__(self, client):
        self.client = client

    def run(self, code):
        said = []

        def hear(message):
            content = message["content"]
            if message["msg_type"] in {"execute_result", "display_data"}:
                said.append(content["data"]["text/plain"])
            elif message["msg_type"] == "stream":
                said.append(content["text"])
            elif message["msg_type"] == "error":
                said.append("Traceback: " + "\n".join(content["traceback"]))

        self.client.execute_interactive(code, output_hook=hear, timeout=60, allow_stdin=False)
        return "".join(said)

    def value(self, expression):
        return ast.literal_eval(self.run(expression))

    def complete(self, code):
        self.client.complete(code, len(code))
        while True:
            reply = self.client.get_shell_msg(timeout=60)
            if reply["msg_type"] == "complete_reply":
                return set(reply["content"]["matches"])


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    from jupyter_client.manager import start_new_kernel

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    manager, client = start_new_kernel(kernel_name="python3")
    yield Kernel(client)
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


STATE = """(
    sorted(name for names in get_ipython().magics_manager.magics.values() for name in names if "mem" in name or "recall" in name or "decided" in name),
    type(get_ipython().magics_manager.magics["line"]["recall"].__self__).__name__,
    len(get_ipython().Completer.custom_matchers),
    sorted(name for name in globals() if name.startswith("mem") and name != "memkit"),
    sorted(name for name in get_ipython().events.callbacks if any("memkit" in call.__module__ for call in get_ipython().events.callbacks[name])),
)"""


@pytest.mark.notebook
@pytest.mark.filterwarnings("default")
def test_the_magics_do_in_a_real_kernel_what_their_page_says(kernel):
    assert kernel.run(PROJECT) == ""
    before = kernel.value(STATE)

    assert kernel.run("%load_ext memkit") == ""
    assert "Memory of shop" in kernel.run("%memkit $folder")
    assert kernel.value("len(mem.list())") == 2
    hits = kernel.run("hits = %recall queue\nhits")
    assert "Which queue?" in hits
    assert "Stored today" in hits
    assert "Keep LISTEN/NOTIFY." in kernel.run("%decided queue")

    kernel.run("import pandas as pd\nowners = pd.DataFrame({'word': ['queue'], 'owner': ['Ada']})")
    table = kernel.run(
        "%%memsql -o found --limit 1\n"
        "select o.owner, e.question from entries as e, owners as o order by contains(lower(e.question), o.word) desc, e.entry_id"
    )
    assert "1 of 2 rows" in table
    assert kernel.value("found.to_pandas().to_dict('records')") == [{"owner": "Ada", "question": "Which queue?"}]

    assert {"entries", "decisions"} <= kernel.complete("%%memsql\nselect * from ")
    assert "owners" in kernel.complete("%%memsql\nselect * from ow")
    assert kernel.complete("%%memsql\nselect * from entries as e where e.sto") == {"stored_at"}
    assert "entries" not in kernel.complete("ent")

    kernel.run(SESSION)
    assert kernel.run("%memkit_mode build") == ""
    assert "1 decision" in kernel.run("%memkit_mode idle")
    refused = kernel.run("%%memsql\ndrop table entries")
    assert "Traceback" not in refused
    assert "UsageError" in refused

    assert kernel.run("%unload_ext memkit") == ""
    kernel.run("del found, hits")
    assert kernel.value(STATE) == before
