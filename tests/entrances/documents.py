"""What every verb answers with `--json` on the sample project, and the schema those documents keep to.

`python -m tests.entrances.documents` writes docs/reference/documents.schema.json anew from what the verbs answer: for
a person to read the difference of, not to be believed. The tests only read it.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
import pathlib
import pkgutil
import re
import sys
import tempfile
from typing import Any

import pytest

import memkit

ROOT = pathlib.Path(__file__).parents[2]
SCHEMA = ROOT / "docs" / "reference" / "documents.schema.json"
SAMPLES = ROOT / "data-samples"
FACTS = str(SAMPLES / "facts.csv")
SESSION = str(SAMPLES / "sessions" / "2026-03-09-zustellversuche.jsonl")
OTHER = str(SAMPLES / "sessions" / "2026-04-12-message-storm.jsonl")
# In this order on one store. `{id}` and `{other}` are entries, `{tmp}` a folder of the test's own; `|` is a space.
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
    "staging decide": "{candidate} distinct",
    "recover": "",
    "reconcile": "",
    "consolidate": "--session {second}",
    "staging balance": "",
    "summary": "",
    "chains": "",
    "timeline": "",
    "in-force": "",
    "calibration": "--facts {facts}",
    "tripwires check": "--facts {facts}",
    "tripwires backtest": "--facts {facts}",
    "tripwires acknowledge": "{tripwire} --facts {facts} --reason known",
    "records write": "lesson --slug use-utc --body UTC. --source Mara",
    "records edit": "use-utc --tag time",
    "records list": "",
    "records show": "use-utc",
    "records find": "UTC",
    "records delete": "use-utc --reason wrong",
    "records deleted": "",
    "records restore": "use-utc",
    "lint": "",
    "locks": "",
    "list": "",
    "show": "{id}",
    "sql": "select|1|as|x,|'y'|as|y",
    "audit path": "",
    "audit runs": "",
    "audit events": "",
    "audit history": "",
    "audit usage": "",
    "audit health": "",
    "audit verify": "",
    "audit compact": "",
    "queries add": "queue",
    "retention review": "--out {tmp}/plan.json",
    "retention compare": "{tmp}/policy.json {tmp}/strict.json",
    "retention calendar": "--until 2027-12-31",
    "retention impact": "",
    "retention apply": "{tmp}/plan.json",
    "trash list": "",
    "restore": "{trashed}",
    "pin": "{id} --reason x",
    "unpin": "{id} --reason x",
    "hold": "{id} --reason x",
    "release": "{id} --reason x",
    "pins": "",
    "queries list": "",
    "queries drop": "queue",
    "report retention": "--out {tmp}/page.html",
    "report decisions": "--out {tmp}/decisions.html",
    "report audit": "--out {tmp}/log.html",
    "report consolidation": "--out {tmp}/learnt.html",
    "doctor": "",
    "verify": "",
    "repair": "",
    "erase": "{other}",
    "scan": "--secrets",
    "wipe": "",
    "disable": "",
}
# Once more on a store with something odd in it, for what a quiet one does not show.
ODD_LINES = {
    "status": "",
    "store": "{tmp}/run.json",
    "import adr": "{tmp}/odd",
    "recall": "zeppelin",
    "decided": "zeppelin",
    "summary": "",
    "timeline": "",
    "staging list": "",
    "reconcile": "--dry-run",
    "records write": "lesson --slug secretly --body {secret} --source Mara",
    "audit events": "",
    "audit runs": "",
    "retention review": "",
    "list": "",
    "verify": "",
    "lint": "",
    "doctor": "",
    "report consolidation": "--out {tmp}/learnt.html",
    "scan": "--secrets",
    "in-force": "--as-of 2001-01-01",
}
# Objects whose keys are data, by their own key: only their values have a shape.
MAPS = {
    "scrubbed", "masked", "counts", "fields", "field_totals", "facts", "detail", "extra", "usage", "result", "document",
    "read", "classes", "fates", "unlisted", "unlisted_fields", "staged_before", "n_by_kind", "settings_of", "rows_of",
    "kinds", "statuses", "outcomes", "reinforced", "by_outcome", "by_rule", "conditions", "in", "skipped", "tags", "records",
    "by_status", "projects",
}  # fmt: skip
# What is another tool's, or the caller's own: any JSON.
FREE = {"result", "document", "extra", "detail", "value", "evidence", "entry"}


def documents(base: pathlib.Path, patch: pytest.MonkeyPatch) -> dict[str, list[tuple[int, dict, str]]]:
    """Each verb's exit code, document and words on stderr; twice for some."""
    from typer.testing import CliRunner

    from memkit.entrances.cli.app import app

    found: dict[str, list[tuple[int, dict, str]]] = {}

    def ask(verb: str, rest: str, known: dict[str, object]) -> None:
        words = [word.replace("|", " ").format(**known) for word in rest.split(" ") if word]
        done = CliRunner().invoke(app, [*verb.split(), *words, "--json"], prog_name="memkit")
        answer = json.loads(done.stdout) if done.stdout.strip() else {}
        found.setdefault(verb, []).append((done.exit_code, answer, done.stderr))

    secret = "ghp_" + "Qw3r" * 9
    (base / "run.json").write_text('{"question": "Which queue?", "result": {"conclusion": "One."}}')
    (base / "policy.json").write_text('{"max_age_days": 300}')
    (base / "strict.json").write_text('{"max_results": 3}')
    (base / "odd").mkdir()
    (base / "odd" / "0001-a.md").write_text(
        f"# A\n\nDate: soon\n\n## Status\n\nAccepted. Supersedes ADR-0099\n\n## Decision\n\n{secret}\n"
    )
    (base / "odd" / "0002-b.md").write_bytes(b"\0")
    project = base / "shop"
    project.mkdir()
    patch.setenv("HOME", str(base))
    patch.chdir(project)
    memkit.enable(project)
    with memkit.open(project) as mem:
        ids = [mem.store(question=f"Which queue {i}?", result={"conclusion": "K."}).id for i in range(4)]
        mem.export(base / "out")
    known: dict[str, object] = {"tmp": base, "wherry": SAMPLES / "wherry", "facts": FACTS, "session": SESSION}
    known |= {"second": OTHER, "id": ids[0], "other": ids[1], "secret": secret}
    for verb, rest in LINES.items():
        if verb == "staging show":
            known["candidate"] = found["staging list"][0][1]["rows"][0]["key"]
        if verb == "tripwires acknowledge":
            checked = found["tripwires check"][0][1]["tripwires"]
            known["tripwire"] = next(each["id"] for each in checked if each["verdict"] == "tripped")
        if verb == "retention review":
            listed = found["list"][0][1]["entries"]
            (project / "memkit.toml").write_text(f"[retention]\nmax_results = {len(listed) - 1}\n")
        if verb == "restore":
            known["trashed"] = found["retention apply"][0][1]["applied"]["moved"][0]
        if verb == "pin":
            (project / "memkit.toml").unlink()
        ask(verb, rest, known)
    odd = base / "odd-project"
    odd.mkdir()
    patch.chdir(odd)
    memkit.enable(odd)
    with memkit.open(odd) as mem:
        mem.store(question=f"Which token, {secret}?", result={"conclusion": "None."}, tags=["auth"])
        mem.records.write("lesson", "keep-it", body="Keep it. See [[nowhere]].", sources=[])
        mem.staging.extract(OTHER)
        index = mem.paths.index
    with index.open("ab") as file:
        file.write(b'{"torn": tru\n')
    for verb, rest in ODD_LINES.items():
        ask(verb, rest, known)
    return found


# What is refused; further keys by its code: `findings`, `changes`, `matched`, `matches`.
_TEXT = {"type": ["string", "null"]}
ERROR = {
    "type": "object",
    "properties": {
        "schema_version": {"const": 1},
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "what": {"type": "string"},
                **dict.fromkeys(("file", "field", "remedy"), _TEXT),
            },
            "required": ["code", "what", "file", "field", "remedy"],
        },
    },
    "required": ["schema_version", "error"],
    "additionalProperties": False,
}

# -- the schema ---------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Shape:
    """What was seen at one place of a document."""

    kinds: set[str] = dataclasses.field(default_factory=set)
    members: dict[str, Shape] = dataclasses.field(default_factory=dict)
    seen: int = 0
    counts: dict[str, int] = dataclasses.field(default_factory=dict)
    items: Shape | None = None
    values: Shape | None = None

    def add(self, value: Any, name: str) -> None:
        """Take in one more value that stood under `name`."""
        self.seen += 1
        self.kinds.add(_kind(value))
        if isinstance(value, dict):
            if name in MAPS:
                self.values = self.values or Shape()
                for each in value.values():
                    self.values.add(each, "")
                return
            for key, each in value.items():
                self.counts[key] = self.counts.get(key, 0) + 1
                self.members.setdefault(key, Shape()).add(each, key)
        if isinstance(value, list):
            self.items = self.items or Shape()
            for each in value:
                self.items.add(each, name)

    def schema(self, name: str) -> dict[str, Any]:
        """As JSON Schema; a key that some result declares as optional may be null also where none was seen."""
        if name in FREE:
            return {}
        kinds = set(self.kinds)
        if may_be_none(name) and kinds - {"object", "array"}:
            kinds.add("null")
        if "number" in kinds:
            kinds.discard("integer")
        if kinds == {"null"}:
            return unseen(name, "")
        found: dict[str, Any] = {"type": min(kinds) if len(kinds) == 1 else sorted(kinds)}
        if "object" in kinds and name in MAPS:
            values = self.values.schema("") if self.values and self.values.seen else {}
            return found | {"additionalProperties": values}
        if "object" in kinds:
            found["properties"] = {key: each.schema(key) for key, each in self.members.items()}
            seen = max(self.counts.values(), default=0)
            found["required"] = sorted(key for key, n in self.counts.items() if n == seen)
            found["additionalProperties"] = False
        if "array" in kinds:
            found["items"] = self.items.schema(name) if self.items and self.items.seen else unseen(name, "array")
        return found


def _kind(value: Any) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null", int: "integer"}
    return kinds.get(type(value), "number")


PLAIN = {"str": "string", "int": "integer", "float": "number", "bool": "boolean"}


@functools.cache
def declared() -> dict[str, set[str]]:
    """How memkit's results declare a field, by its name: for what no document showed."""
    found: dict[str, set[str]] = {}
    for module in pkgutil.walk_packages(memkit.__path__, "memkit."):
        if module.name.endswith("__main__"):
            continue
        for each in vars(importlib.import_module(module.name)).values():
            if dataclasses.is_dataclass(each) and isinstance(each, type) and each.__module__.startswith("memkit."):
                for field in dataclasses.fields(each):
                    found.setdefault(field.name, set()).add(str(field.type))
    return found


def may_be_none(name: str) -> bool:
    """Whether a result declares a field of this name that may be None."""
    return any(re.search(r"\bNone\b|\bOptional\b", kind) for kind in declared().get(name, ()))


def unseen(name: str, holder: str) -> dict[str, Any]:
    """The schema of what no document showed: as it is declared, where all declarations agree on plain values."""
    kinds = declared().get(name, set())
    if holder == "array":
        said = {match[1] if (match := re.fullmatch(r"tuple\[(\w+), \.\.\.\]", kind)) else "" for kind in kinds}
        plain = PLAIN.get(said.pop() if len(said) == 1 else "")
        return {"type": plain} if plain else {}
    said = {re.sub(r" \| None$", "", kind) for kind in kinds}
    plain = {"dt.datetime": "string", "dt.date": "string", **PLAIN}.get(said.pop() if len(said) == 1 else "")
    return {"type": [plain, "null"]} if plain else {}


def importing() -> list[str]:
    """The verbs that import; they all answer alike."""
    from memkit.importers.kinds.table import names

    return [f"import {name}" for name in names()]


def schema_of(found: dict[str, list[tuple[int, dict, str]]]) -> dict[str, Any]:
    """The schema that all these documents keep to: one definition per verb."""
    shapes: dict[str, Shape] = {}
    defs: dict[str, Any] = {}
    for verb, answers in sorted(found.items()):
        shape = shapes.setdefault("import" if verb.startswith("import ") else verb, Shape())
        for _, answer, _ in answers:
            if "error" not in answer:
                shape.add(answer, "")
    for verb, shape in shapes.items():
        defs[verb] = shape.schema("")
        defs[verb]["properties"]["schema_version"] = {"const": 1}
    defs["sql"]["properties"]["rows"] = {"type": "array", "items": {"type": "object"}}  # whatever was selected
    first, *others = importing()
    defs[first] = defs.pop("import")
    defs |= {key: {"$ref": f"#/$defs/{first.replace(' ', '%20')}"} for key in others} | {"error": ERROR}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What memkit answers with --json, one definition per verb",
        "$defs": dict(sorted(defs.items())),
    }


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        found = documents(pathlib.Path(folder), patch)
    SCHEMA.write_text(json.dumps(schema_of(found), indent=1, ensure_ascii=False) + "\n")
    for verb, answers in found.items():
        for code, answer, said in answers:
            if code not in {0, 1} or "error" in answer:
                print(verb, code, said.strip()[:200])
    return 0


if __name__ == "__main__":
    sys.exit(main())
