"""Files of each kind, written to the schema of the tool; one function per kind, so that each test runs over all kinds."""

import contextlib
import json
import sqlite3
from dataclasses import dataclass


@dataclass(frozen=True)
class Told:
    """One thing a tool remembers: everything a test asks about is in it."""

    id: str
    title: str
    text: str
    day: str = "2026-03-05"
    replaces: str | None = None


def adr(folder, items):
    for at, item in enumerate(items, start=1):
        names = {each.id: f"{n:04d}-{each.id}.md" for n, each in enumerate(items, start=1)}
        status = f"Accepted\n\nSupersedes [{item.replaces}]({names[item.replaces]})" if item.replaces else "Accepted"
        text = f"# {item.title}\n\nDate: {item.day}\n\n## Status\n\n{status}\n\n## Decision\n\n{item.text}\n"
        (folder / f"{at:04d}-{item.id}.md").write_text(text, "utf-8")
    return folder


def consensus(folder, items):
    rows = [
        {
            "id": item.id,
            "question": item.title,
            "synthesis": {"content": item.text},
            "completedAt": f"{item.day}T10:00:00Z",
            **({"supersedes": item.replaces} if item.replaces else {}),
        }
        for item in items
    ]
    return _lines(folder / "runs.jsonl", rows)


def server_memory(folder, items):
    rows = [{"type": "entity", "name": i.title, "entityType": "note", "observations": [i.text]} for i in items]
    by_id = {item.id: item for item in items}
    rows += [
        {"type": "relation", "from": i.title, "to": by_id[i.replaces].title, "relationType": "replaces"}
        for i in items
        if i.replaces
    ]
    return _lines(folder / "memory.jsonl", rows, last_newline=False)


def llm(folder, items):
    path = folder / "logs.db"
    texts = "prompt text, system text, prompt_json text, options_json text, response text, response_json text"
    _fill(
        path,
        {
            "conversations": "id text primary key, name text, model text",
            "responses": f"id text primary key, model text, {texts}, conversation_id text, duration_ms integer, "
            "datetime_utc text, input_tokens integer, output_tokens integer, resolved_model text",
        },
        conversations=[{"id": "c1", "name": "One talk", "model": "m"}],
        responses=[
            {
                "id": item.id,
                "model": "m",
                "prompt": item.title,
                "response": item.text,
                "response_json": '{"raw": 1}',
                "conversation_id": "c1",
                "datetime_utc": f"{item.day}T10:00:00",
            }
            for item in items
        ],
    )
    return path


def beads(folder, items):
    rows = [
        {
            "_type": "issue",
            "id": item.id,
            "title": item.title,
            "description": "Why this came up.",
            "design": item.text,
            "status": "closed",
            "issue_type": "decision",
            "priority": 2,
            "created_at": "2026-01-01T10:00:00Z",
            "closed_at": f"{item.day}T10:00:00.123456+00:00",
            "dependencies": [{"issue_id": item.id, "depends_on_id": item.replaces, "type": "supersedes"}]
            if item.replaces
            else [],
        }
        for item in items
    ]
    return _lines(folder / "issues.jsonl", rows)


def mem0(folder, items):
    rows = [
        {
            "id": item.id,
            "memory": f"{item.title}\n{item.text}",
            "hash": "0" * 32,
            "created_at": f"{item.day}T03:00:00-07:00",
            "updated_at": None,
            "metadata": {"title": item.title},
            "user_id": "ada",
            "score": 0.5,
        }
        for item in items
    ]
    path = folder / "mem0.json"
    path.write_text(json.dumps({"results": rows}, ensure_ascii=False, indent=1), "utf-8")
    return path


def selvedge(folder, items):
    path = folder / "selvedge.db"
    names = "entity_type entity_path change_type diff reasoning agent session_id git_commit project changeset_id metadata revisit_after expires_when supersedes constraint_ stale_when"
    columns = ", ".join(f'"{name.rstrip("_")}" text' for name in names.split())
    _fill(
        path,
        {"events": f"id text primary key, timestamp text not null, {columns}"},
        events=[
            {
                "id": item.id,
                "timestamp": f"{item.day}T10:00:00Z",
                "entity_type": "column",
                "entity_path": item.title,
                "change_type": "supersede" if item.replaces else "add",
                "reasoning": item.text,
                "supersedes": item.replaces or "",
                "metadata": "{}",
            }
            for item in items
        ],
    )
    return path


def llm_council(folder, items):
    for item in items:
        run = folder / ".council" / "logs" / f"{item.day}T10-00-00-{item.id}"
        run.mkdir(parents=True, exist_ok=True)
        stages = {
            "request": {
                "snapshot_id": "1a2b3c4d5e6f",
                "target_paths": [item.title],
                "timestamp": f"{item.day}T10:00:01",
            },
            "stage1": {"responses": [{"model": "m1", "response": "Fine."}, {"model": "m2", "response": "Not fine."}]},
            "stage2": {"rankings": [{"model": "m1", "ranking": "A, B"}], "label_to_model": {"A": "m1", "B": "m2"}},
            "stage3": {"synthesis": {"model": "chair", "response": item.text}, "timestamp": f"{item.day}T10:09:00"},
            "result": {"verification_id": item.id, "verdict": "pass", "confidence": 0.95, "exit_code": 0},
        }
        for name, said in stages.items():
            (run / f"{name}.json").write_text(json.dumps(said, ensure_ascii=False, indent=2), "utf-8")
    return folder


def agent_memory(folder, items):
    for item in items:
        head = f"name: {item.id}\ndescription: {json.dumps(item.title, ensure_ascii=False)}\ntype: project\n"
        (folder / f"{item.id}.md").write_text(f"---\n{head}---\n\n{item.text}\n", "utf-8")
    return folder


def basic_memory(folder, items):
    for item in items:
        links = f"- supersedes [[{item.replaces}]] (a better one)\n" if item.replaces else ""
        head = f"title: {json.dumps(item.title, ensure_ascii=False)}\ntype: note\npermalink: {item.id}\n"
        text = f"# {item.title}\n\n- [decision] {item.text}\n- [fact] It is so. #storage (from the minutes)\n{links}"
        (folder / f"{item.id}.md").write_text(f"---\n{head}---\n\n{text}", "utf-8")
    return folder


def claude_mem(folder, items):
    path = folder / "claude-mem.db"
    _fill(
        path,
        {
            "sdk_sessions": "id integer primary key, memory_session_id text, project text",
            "observations": "id integer primary key, memory_session_id text, project text, text text, type text, "
            "title text, subtitle text, facts text, narrative text, concepts text, files_read text, "
            "discovery_tokens integer, created_at text, created_at_epoch integer, relevance_count integer",
            "session_summaries": "id integer primary key, memory_session_id text, project text, request text, "
            "learned text, created_at text",
        },
        observations=[
            {
                "id": at,
                "memory_session_id": "s1",
                "project": "shop",
                "type": "decision",
                "title": item.title,
                "narrative": item.text,
                "facts": '["It was measured."]',
                "concepts": '["how-it-works"]',
                "created_at": f"{item.day}T10:00:00.000Z",
                "relevance_count": 0,
            }
            for at, item in enumerate(items, start=1)
        ],
    )
    return path


def memkit(folder, items):
    rows = [
        {
            "schemaVersion": 1,
            "id": f"0199{item.id.encode().hex():0<28}",
            "storedAt": 1_790_000_000_000 + at,
            "projectKey": "abcdef012345",
            "projectPath": "/elsewhere/shop",
            "panelId": "consensus",
            "question": item.title,
            "tags": ["kept"],
            "result": {"synthesis": {"content": item.text}, "completedAt": f"{item.day}T10:00:00Z"},
            "source": {"kind": "consensus", "path": f"runs/{item.id}.json", "sha256": "0" * 64},
            "fromElsewhere": {"kept": True},
        }
        for at, item in enumerate(items)
    ]
    return _lines(folder / "entries.jsonl", rows)


def _fill(path, tables, **rows):
    """A SQLite file with these tables, made anew."""
    path.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        for name, columns in tables.items():
            connection.execute(f"create table {name} ({columns})")
            for row in rows.get(name, ()):
                names, marks = ", ".join(f'"{key}"' for key in row), ", ".join("?" * len(row))
                connection.execute(f"insert into {name} ({names}) values ({marks})", tuple(row.values()))
        connection.commit()


def _lines(path, rows, *, last_newline=True):
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + ("\n" if last_newline else "")
    path.write_text(text, "utf-8", "surrogatepass")
    return path


WRITERS = {
    "adr": adr,
    "consensus": consensus,
    "memkit": memkit,
    "server-memory": server_memory,
    "llm-council": llm_council,
    "agent-memory": agent_memory,
    "basic-memory": basic_memory,
    "claude-mem": claude_mem,
    "llm": llm,
    "beads": beads,
    "mem0": mem0,
    "selvedge": selvedge,
}
# Kinds whose files keep no time of an item.
TIMELESS = {"agent-memory", "basic-memory", "server-memory"}
# Kinds whose items keep the id and the source they had.
RETURNING = {"memkit"}
# Kinds whose links say nothing of what replaced what.
UNLINKED = {"agent-memory", "claude-mem", "consensus", "llm", "llm-council", "mem0", "memkit", "server-memory"}
DATABASES = {"claude-mem", "llm", "selvedge"}
