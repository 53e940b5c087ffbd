"""Samples made by the tools themselves, where they are installed: `make tools` puts them into `.tools`.

Each test runs the tool in a process of its own, lets it write its file, imports that, and prints the account.
"""

import json
import pathlib
import shutil
import subprocess

import pytest

import memkit
from memkit.settings import Environment

TOOLS = pathlib.Path(__file__).parents[2] / ".tools"
PYTHON = TOOLS / "bin" / "python"


def _has(module):
    if not PYTHON.exists():
        return False
    return subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0


def needs(there, what):
    return pytest.mark.skipif(not there, reason=f"needs {what}: run `make tools`")


SERVER = TOOLS / "node_modules" / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"


@pytest.fixture
def mem(project, root, tmp_path):
    around = Environment(home=tmp_path, config_file=tmp_path / "config.toml")
    with memkit.open(project, root=root, enabled=True, environment=around) as memory:
        yield memory


def told(mem, kind, path):
    """Import twice; the account of the first."""
    assert mem.detect(path).kind == kind
    report = mem.import_from(kind, path)
    print(report.to_text())
    again = mem.import_from(kind, path)
    assert again.counts["imported"] == again.counts["updated"] == 0
    assert mem.verify() == []
    return report


LLM = """
import sys
import llm, sqlite_utils
from llm.migrations import migrate

class Echo(llm.Model):
    model_id = "echo"
    can_stream = False
    def execute(self, prompt, stream, response, conversation):
        yield "You said: " + (prompt.prompt or "")

log = sqlite_utils.Database(sys.argv[1])
migrate(log)
model = Echo()
talk = model.conversation()
for question in ("Which queue carries payments?", "And the backups?"):
    response = talk.prompt(question, system="Be brief.")
    response.text()
    response.log_to_db(log)
response = model.prompt("One alone, 日本語 too")
response.text()
response.log_to_db(log)
"""


@needs(_has("llm"), "the tool llm")
def test_a_log_written_by_llm(mem, project):
    path = project / "logs.db"
    subprocess.run([PYTHON, "-c", LLM, str(path)], check=True)
    report = told(mem, "llm", path)
    assert report.counts == {"imported": 3, "unchanged": 0, "updated": 0, "skipped": 0, "rejected": 0}
    (hit,) = mem.recall("payments")
    entry = mem.get(hit.id)
    assert entry.question == "Which queue carries payments?"
    assert entry.result["synthesis"]["content"] == "You said: Which queue carries payments?"
    assert entry.result["document"]["model"] == "echo"
    assert entry.result["document"]["decidedOn"]
    assert mem.recall("日本語")


SELVEDGE = """
import sys
from selvedge.models import ChangeEvent
from selvedge.storage import SelvedgeStorage

store = SelvedgeStorage(sys.argv[1])
first = ChangeEvent(entity_path="users.email", change_type="add", entity_type="column", reasoning="Login needs it.",
                    agent="claude", expires_when="library:django>=6.0", stale_when="the provider changed")
store.log_event(first)
store.log_event(ChangeEvent(entity_path="users.email", change_type="supersede", reasoning="Phone instead.", supersedes=first.id))
store.log_event(ChangeEvent(entity_path="orders.total", change_type="reject", reasoning="Rounding.", expires_when="date:2027-06-01"))
store.log_event(ChangeEvent(entity_path="orders.note", change_type="modify"))
"""


@needs(_has("selvedge"), "the tool selvedge")
def test_a_database_written_by_selvedge(mem, project):
    path = project / "selvedge.db"
    subprocess.run([PYTHON, "-c", SELVEDGE, str(path)], check=True)
    report = told(mem, "selvedge", path)
    assert (report.counts["imported"], report.counts["rejected"], report.links_resolved) == (4, 0, 1)
    rows = mem.sql("select title, status, tripwires from decisions order by title, status").rows
    assert [(row["title"], row["status"], row["tripwires"]) for row in rows] == [
        ("orders.total", "rejected", ["revisit by 2027-06-01"]),
        ("users.email", "accepted", []),
        ("users.email", "superseded", ["django version >= 6.0", "the provider changed"]),
    ]
    assert len(mem.chains()) == 1


@needs(SERVER.exists() and shutil.which("node"), "node and @modelcontextprotocol/server-memory")
def test_a_graph_written_by_the_memory_server(mem, project):
    path = project / "memory.jsonl"
    entities = [
        {"name": "Ada", "entityType": "person", "observations": ["Prefers PostgreSQL.", "名前"]},
        {"name": "Queue", "entityType": "topic", "observations": ["LISTEN/NOTIFY is kept."]},
    ]
    calls = [
        ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        ("notifications/initialized", None),
        ("tools/call", {"name": "create_entities", "arguments": {"entities": entities}}),
        ("tools/call", {"name": "create_relations", "arguments": {"relations": [{"from": "Ada", "to": "Queue", "relationType": "decided on"}]}}),
    ]  # fmt: skip
    server = subprocess.Popen(
        ["node", str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "MEMORY_FILE_PATH": str(path)},
    )  # fmt: skip
    try:
        for number, (method, params) in enumerate(calls, start=1):
            message = {"jsonrpc": "2.0", "method": method, **({"params": params} if params else {})}
            is_call = not method.startswith("notifications/")
            server.stdin.write(json.dumps({**message, "id": number} if is_call else message) + "\n")
            server.stdin.flush()
            if is_call:
                assert "error" not in json.loads(server.stdout.readline())
    finally:
        server.stdin.close()
        server.wait(timeout=20)
        server.stdout.close()
    report = told(mem, "server-memory", path)
    assert report.counts == {"imported": 2, "unchanged": 0, "updated": 0, "skipped": 0, "rejected": 0}
    assert report.field_totals["decided_on"]["not measurable"] == 2
    (hit,) = mem.recall("PostgreSQL")
    assert "- decided on Queue" in mem.get(hit.id).result["synthesis"]["content"]
