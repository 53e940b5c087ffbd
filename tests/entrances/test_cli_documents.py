"""With `--json`, what a verb answers on the sample project has exactly the keys that docs/reference/cli.md names."""

import json
import pathlib
import re

import pytest

import memkit
from tests.entrances.test_reference_pages import CLI, VERBS

SAMPLES = pathlib.Path(__file__).parents[2] / "data-samples"
FACTS = ["--facts", str(SAMPLES / "facts.csv")]
SESSION = str(SAMPLES / "sessions" / "2026-03-09-zustellversuche.jsonl")
# In this order on one store. `{id}` and `{other}` are entries, `{tmp}` a folder of the test's own.
LINES = {
    "status": "",
    "enable": "",
    "config show": "",
    "store": "{tmp}/run.json",
    "import adr": "{wherry}/docs/decisions",
    "import consensus": "{wherry}/panels",
    "import memkit": "{tmp}/out --dry-run",
    "export": "{tmp}/more",
    "recall": "database",
    "decided": "database --facts {facts}",
    "extract": "--session {session}",
    "staging list": "",
    "staging show": "{candidate}",
    "recover": "",
    "summary": "",
    "chains": "",
    "timeline": "",
    "in-force": "",
    "calibration": "--facts {facts}",
    "tripwires check": "--facts {facts}",
    "tripwires backtest": "--facts {facts}",
    "records write": "lesson --slug use-utc --body UTC. --source Mara",
    "records edit": "use-utc --tag time",
    "records list": "",
    "records show": "use-utc",
    "records find": "UTC",
    "records delete": "use-utc --reason wrong",
    "lint": "",
    "locks": "",
    "list": "",
    "show": "{id}",
    "sql": "select|1 as x",
    "audit path": "",
    "audit runs": "",
    "audit events": "",
    "audit history": "",
    "audit usage": "",
    "audit health": "",
    "audit verify": "",
    "audit compact": "",
    "retention review": "",
    "retention calendar": "--until 2027-12-31",
    "retention impact": "",
    "trash list": "",
    "pin": "{id} --reason x",
    "unpin": "{id} --reason x",
    "hold": "{id} --reason x",
    "release": "{id} --reason x",
    "pins": "",
    "queries add": "queue",
    "queries list": "",
    "queries drop": "queue",
    "report retention": "--out {tmp}/page.html",
    "doctor": "",
    "verify": "",
    "repair": "",
    "erase": "{other}",
    "scan": "--secrets",
    "wipe": "",
    "disable": "",
}


def keys_on_the_page() -> dict[str, list[str]]:
    """The keys of each verb's document, in the order of the page, without what stands in brackets."""
    table = CLI.split("## JSON", 1)[1].split("\n##", 1)[0]
    found = {}
    for line in table.splitlines():
        if line.startswith("| `"):
            verbs, keys = line.strip("|").split("|", 1)
            while "(" in keys:
                keys = re.sub(r"\([^()]*\)", "", keys)
            for verb in re.findall(r"`([^`]+)`", verbs):
                found[verb] = re.findall(r"`([^`]+)`", keys.split(";")[0].split(", or ")[0])
    return found


KEYS = keys_on_the_page()


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    """Each verb's exit code and document, all from one store."""
    from typer.testing import CliRunner

    from memkit.entrances.cli.app import app

    base = tmp_path_factory.mktemp("documents")
    project = base / "shop"
    project.mkdir()
    (base / "run.json").write_text('{"question": "Which queue?", "result": {"conclusion": "One."}}')
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(base))
        patch.chdir(project)
        memkit.enable(project)
        with memkit.open(project) as mem:
            ids = [mem.store(question=f"Which queue {i}?", result={"conclusion": "K."}).id for i in range(2)]
            mem.export(base / "out")
        known = {"tmp": base, "wherry": SAMPLES / "wherry", "facts": FACTS[1], "session": SESSION}
        known |= {"id": ids[0], "other": ids[1]}
        for verb, rest in LINES.items():
            if verb == "staging show":
                rows = found["staging list"][1]["rows"]
                known["candidate"] = rows[0]["key"] if rows else "none"
            words = (
                [word.replace("|", " ").format(**known) for word in rest.split(" ") if word]
                if verb != "sql"
                else ["select 1 as x"]
            )
            done = CliRunner().invoke(app, [*verb.split(), *words, "--json"], prog_name="memkit")
            found[verb] = (done.exit_code, json.loads(done.stdout) if done.stdout.strip() else {}, done.stderr)
    return found


@pytest.mark.parametrize("verb", LINES)
def test_the_document_of_a_verb_has_the_keys_of_the_page(documents, verb):
    code, document, said = documents[verb]

    assert code in {0, 1}, said
    assert document.pop("schema_version") == 1
    expected = KEYS[verb]
    if verb == "wipe":
        expected = ["dry_run", "status"]
    assert sorted(document) == sorted(expected)


def test_hardly_a_verb_is_not_tried():
    """Other imports answer as the ones tried; apply and compare want a plan, acknowledge a tripped wire."""
    left = {verb for verb in VERBS if verb not in LINES and not verb.startswith("import ")}
    assert left <= {
        "audit tail", "mcp serve", "restore", "retention apply", "retention compare", "tripwires acknowledge",
        "consolidate", "reconcile", "staging balance",
    }  # fmt: skip
