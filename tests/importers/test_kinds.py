"""What each kind makes of its own peculiarities."""

import json
import sqlite3
from contextlib import closing

import pytest

from memkit.importers import databases
from memkit.importers.batches import Against, import_batches
from memkit.importers.files import Unreadable
from memkit.importers.intake import Intake, Place
from memkit.importers.kinds.table import kind_of
from memkit.model.decision import read_decision
from memkit.model.entry import StoredEntry
from memkit.model.tripwire import tripwire_texts
from memkit.store.receipt import StoreReceipt
from tests.importers.writers import Told, _fill, _lines, llm, selvedge


@pytest.fixture
def read(project, tmp_path):
    """What an import says and what it would store, by the last part of the path."""

    def run(kind, path, scratch="scratch"):
        new = []

        def keep(entries):
            new.extend(entries)
            return [StoreReceipt(entry_of(entry)) for entry in entries]

        folder = tmp_path / scratch
        folder.mkdir(exist_ok=True)
        intake = Intake(path, Place(str(project)), folder)
        report = import_batches(kind, kind_of(kind).reader().drafts, intake, Against({}), keep=keep)
        assert sum(report.counts.values()) == report.n_seen
        return report, {
            entry.source.path.rpartition("/")[2].partition("#")[2] or entry.source.path.rpartition("/")[2]: entry
            for entry in new
        }

    return run


def entry_of(new):
    return StoredEntry("0" * 32, 0, "0" * 12, "/p", new.panel_id, new.question, new.tags, new.result)


def why(report):
    return {
        account.path.rpartition("/")[2].partition("#")[2]: account.reason for account in report.files if account.reason
    }


# -- server-memory -----------------------------------------------------------------------------------------------

ENTITY = {"type": "entity", "name": "Ada", "entityType": "person", "observations": ["Likes SQL.", "Left in May."]}
OTHER = {"type": "entity", "name": "Bo", "entityType": "person", "observations": []}
RELATION = {"type": "relation", "from": "Ada", "to": "Bo", "relationType": "works with"}


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n".join(map(json.dumps, (ENTITY, OTHER, RELATION))), id="lines"),
        pytest.param("".join(map(json.dumps, (ENTITY, OTHER, RELATION))), id="glued"),
        pytest.param(
            '{"type":"_aim","source":"mcp-knowledge-graph"}\n' + "\n".join(map(json.dumps, (ENTITY, OTHER, RELATION))),
            id="marked",
        ),
        pytest.param(json.dumps({"entities": [ENTITY, OTHER], "relations": [RELATION]}, indent=2), id="document"),
        pytest.param(
            json.dumps(
                {
                    "entities": [{k: v for k, v in e.items() if k != "type"} for e in (ENTITY, OTHER)],
                    "relations": [{"from": "Ada", "to": "Bo", "relationType": "works with"}],
                }
            ),
            id="document-without-types",
        ),
        pytest.param("\n".join(map(json.dumps, (RELATION, OTHER, ENTITY))), id="relations-first"),
    ],
)
def test_each_dialect_of_a_memory_server_gives_entities_with_their_relations(text, read, tmp_path):
    (tmp_path / "memory.json").write_text(text)
    report, new = read("server-memory", tmp_path / "memory.json")
    assert report.counts["imported"] == 2
    assert report.counts["rejected"] == 0
    prose = new["Ada"].result["synthesis"]["content"]
    assert prose == "Ada (person)\n\n- Likes SQL.\n- Left in May.\n\nRelations:\n\n- works with Bo"
    assert "- Ada works with this" in new["Bo"].result["synthesis"]["content"]
    assert new["Ada"].tags == ("person",)
    assert new["Ada"].panel_id == "server-memory"


def test_a_relation_between_unknown_things_and_one_without_ends_are_refused(read, tmp_path):
    rows = [
        ENTITY,
        {"type": "relation", "from": "X", "to": "Y", "relationType": "r"},
        {"type": "relation", "from": "Ada"},
    ]
    path = _lines(tmp_path / "memory.jsonl", [*rows, {"type": "entity", "name": " "}, {"type": "spell"}])
    report, new = read("server-memory", path)
    assert list(new) == ["Ada"]
    assert report.counts["rejected"] == 4
    assert "between two things" in why(report)["line-2"]


# -- llm -----------------------------------------------------------------------------------------------------------


def test_the_old_and_the_new_layout_of_a_log_are_read_side_by_side(read, tmp_path):
    path = llm(tmp_path, [Told("r1", "Old?", "Yes, old.")])
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript("""
            create table messages (hash text primary key, parent_hash text, role text);
            create table parts (id integer primary key, message_hash text, position integer, type text, tool_name text, text text);
            create table part_fragments (part_id integer, fragment_id integer, "order" integer);
            create table fragments (id integer primary key, content text);
            create table threads (id text primary key, name text);
            create table turns (id text primary key, thread_id text, parent_message_hash text, tip_message_hash text,
                                model text, datetime_utc text);
            insert into threads values ('t', 'A thread');
            insert into messages values ('s', null, 'system'), ('u1', 's', 'user'), ('a1', 'u1', 'assistant'),
                                        ('u2', 'a1', 'user'), ('a2', 'u2', 'assistant'), ('loop', 'loop', 'assistant');
            insert into parts values (1, 's', 0, 'text', null, 'Be brief.'), (2, 'u1', 0, 'text', null, 'First?'),
                                     (3, 'a1', 0, 'text', null, 'First.'), (4, 'u2', 0, 'text', null, null),
                                     (5, 'a2', 0, 'text', null, 'Second.'), (6, 'a2', 1, 'tool_call', 'clock', null);
            insert into fragments values (1, 'From a fragment?');
            insert into part_fragments values (4, 1, 0);
            insert into turns values ('n1', 't', 'u1', 'a1', 'm', '2026-02-03T10:00:00+00:00'),
                                     ('n2', 't', 'u2', 'a2', 'm', '2026-02-03T11:00:00+00:00'),
                                     ('n3', 't', null, 'loop', 'm', 'soon');
        """)
    report, new = read("llm", path)
    assert report.counts["imported"] == 4
    assert new["r1"].question == "Old?"
    assert (new["n1"].question, new["n1"].result["synthesis"]["content"]) == ("First?", "First.")
    assert new["n1"].result["system"] == "Be brief."
    assert (new["n2"].question, new["n2"].result["synthesis"]["content"]) == (
        "From a fragment?",
        "Second.\n\n[tool_call: clock]",
    )
    assert "system" not in new["n2"].result
    assert new["n2"].result["document"]["conversationTitle"] == "A thread"
    assert new["n3"].result["document"]["rawDate"] == "soon"
    assert report.field_totals["decided_on"]["not understood"] == 1
    assert report.field_totals["response_json"]["left out"] == 1


# -- beads ---------------------------------------------------------------------------------------------------------


def test_decisions_and_memories_are_taken_and_work_is_passed_over(read, tmp_path):
    rows = [
        {"id": "bd-1", "title": "Fix it", "status": "open", "issue_type": "bug"},
        {"_type": "issue", "id": "bd-2", "title": "Which?", "design": "This.", "status": "closed", "issue_type": "decision",
         "created_at": "2026-01-02T00:00:00Z", "closed_at": "2026-01-05T00:00:00Z", "labels": ["db"], "priority": 1,
         "dependencies": [{"depends_on_id": "bd-3", "type": "supersedes"}, {"depends_on_id": "bd-1", "type": "blocks"}],
         "comments": [{"author": "ada", "text": "Agreed."}]},
        {"_type": "issue", "id": "bd-3", "title": "Older", "status": "open", "issue_type": "decision", "created_at": "soon"},
        {"_type": "issue", "id": "bd-4", "status": "tombstone", "title": "x", "issue_type": "decision"},
        {"_type": "memory", "key": "branch-policy", "value": "main only"},
        {"_type": "memory", "key": "empty"},
        {"_type": "event", "id": "e"},
    ]  # fmt: skip
    report, new = read("beads", _lines(tmp_path / "issues.jsonl", rows))
    assert set(new) == {"bd-2", "bd-3", "memory:branch-policy"}
    said = why(report)
    assert said["bd-1"] == "an issue of type bug: work, not a decision"
    assert said["bd-4"] == "deleted in the source (a tombstone)"
    assert "neither an issue nor a memory" in said["line-7"]
    decision = read_decision(entry_of(new["bd-2"]))
    assert (decision.status, decision.conclusion, str(decision.decided_on)) == ("accepted", "This.", "2026-01-05")
    assert decision.supersedes == ("bd-3",)
    assert new["bd-2"].panel_id == "decision"
    assert new["bd-2"].result["original"] == {"priority": 1}
    assert "ada: Agreed." in new["bd-2"].result["synthesis"]["content"]
    assert read_decision(entry_of(new["bd-3"])).status == "proposed"
    assert report.links_resolved == 1
    assert new["memory:branch-policy"].panel_id == "beads"
    assert report.field_totals["decided_on"] == {
        "mapped": 1, "raw": 0, "not understood": 1, "left out": 0, "not measurable": 1,
    }  # fmt: skip


# -- selvedge ------------------------------------------------------------------------------------------------------


def test_what_would_make_a_change_stale_becomes_its_tripwires(read, tmp_path):
    path = selvedge(tmp_path, [Told("e1", "users.email", "Needed for login."), Told("e2", "users.phone", "")])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "update events set expires_when = 'library:django>=6.0', stale_when = 'the provider changed', "
            "revisit_after = '2027-01-01' where id = 'e1'"
        )
        connection.execute(
            "update events set change_type = 'reject', reasoning = 'Too much.', expires_when = 'entity:a.b:changes' where id = 'e2'"
        )
        connection.execute(
            "insert into events (id, timestamp, entity_path, change_type) values ('e3', '2026-01-01', 'x', 'add')"
        )
        connection.commit()
    _, new = read("selvedge", path)
    assert tripwire_texts(new["e1"].result, "") == (
        "django version >= 6.0",
        "the provider changed",
        "revisit by 2027-01-01",
    )
    assert tripwire_texts(new["e2"].result, "") == ("a.b changes",)
    decisions = {key: read_decision(entry_of(entry)) for key, entry in new.items()}
    assert [decisions[key].status for key in ("e1", "e2", "e3")] == ["accepted", "rejected", "unknown"]
    assert decisions["e1"].title == "users.email"
    assert [new[key].panel_id for key in ("e1", "e2", "e3")] == ["decision", "decision", "selvedge"]


# -- claude-mem ----------------------------------------------------------------------------------------------------


def test_an_export_of_observations_reads_like_the_database(read, tmp_path):
    document = {
        "exportedAt": "2026-05-05",
        "observations": [
            {"id": 1, "type": "bugfix", "title": "Broken", "narrative": "It was.", "facts": '["a", "b"]',
             "concepts": '["gotcha"]', "created_at_epoch": 1_767_225_600_000, "relevance_count": 0, "files_read": "[]"},
            {"id": 2, "type": "decision", "title": "Keep", "narrative": "Keep it.", "created_at": "2026-01-02T03:04:05.000Z"},
            {"title": "no id"},
        ],
        "summaries": [{"id": 1, "request": "Do it", "learned": "Much.", "next_steps": "Rest."}],
        "sessions": [{"id": 1}],
        "prompts": [{"id": 1, "prompt": "Do it"}],
    }  # fmt: skip
    (tmp_path / "export.json").write_text(json.dumps(document))
    report, new = read("claude-mem", tmp_path / "export.json")
    assert set(new) == {"observation:1", "observation:2", "summary:1"}
    assert new["observation:1"].result["document"]["decidedOn"] == "2026-01-01"
    assert new["observation:1"].tags == ("bugfix", "gotcha")
    assert "## Facts\n\n- a\n- b" in new["observation:1"].result["synthesis"]["content"]
    assert new["observation:2"].panel_id == "decision"
    assert read_decision(entry_of(new["observation:2"])).conclusion == "Keep it."
    assert "## Learned\n\nMuch." in new["summary:1"].result["synthesis"]["content"]
    assert report.counts == {"imported": 3, "unchanged": 0, "updated": 0, "skipped": 2, "rejected": 1}
    assert report.field_totals["relevance_count"]["left out"] == 1


# -- llm-council ---------------------------------------------------------------------------------------------------


def test_a_conversation_has_one_run_for_each_answered_question(read, tmp_path):
    answers = [{"model": "a", "response": "Yes."}, {"model": "b", "response": "No."}]
    talk = {
        "id": "c1",
        "created_at": "2026-02-02T10:00:00+00:00",
        "title": "On queues",
        "messages": [
            {"role": "user", "content": "Which queue?"},
            {"role": "assistant", "stage1": answers, "stage2": [{"model": "a", "ranking": "1. B"}], "stage3": {"model": "chair", "response": "Keep."}},
            {"role": "user", "content": "And then?"},
            {"role": "assistant", "stage1": answers, "stage2": None, "stage3": None},
            {"role": "user", "content": "Unanswered?"},
        ],
    }  # fmt: skip
    (tmp_path / "c1.json").write_text(json.dumps(talk))
    report, new = read("llm-council", tmp_path / "c1.json")
    assert set(new) == {"turn-1", "turn-2"}
    first = new["turn-1"]
    assert (first.question, first.result["synthesis"]) == ("Which queue?", {"content": "Keep.", "modelId": "chair"})
    assert [r["content"] for r in first.result["rounds"][0]["responses"]] == ["Yes.", "No."]
    assert first.result["document"]["decidedOn"] == "2026-02-02"
    assert "decidedOn" not in new["turn-2"].result["document"]
    assert "## a\n\nYes." in new["turn-2"].result["synthesis"]["content"]
    assert why(report)["message-5"] == "a question without an answer"


def test_a_run_that_was_cut_short_is_kept_with_what_it_has(read, tmp_path):
    run = tmp_path / "logs" / "2025-12-31T10-30-00-abc123"
    run.mkdir(parents=True)
    (run / "request.json").write_text(json.dumps({"snapshot_id": "deadbeef", "rubric_focus": "Security"}))
    (run / "stage1.json").write_text("{broken")
    (run / "result.json").write_text(json.dumps({"verdict": "unclear", "confidence": 0.5, "unclear_reason": "timeout"}))
    report, new = read("llm-council", tmp_path / "logs")
    (entry,) = new.values()
    assert entry.question == "Verification of deadbeef, focus on Security"
    assert entry.result["document"]["decidedOn"] == "2025-12-31"
    assert entry.result["document"]["status"] == "unknown"
    assert "timeout" in entry.result["synthesis"]["content"]
    assert report.counts["rejected"] == 1
    (account,) = [each for each in report.files if each.fate == "imported"]
    assert account.notes == ("stage1.json could not be read", "the run has no stage2.json, stage3.json")
    decision = read_decision(entry_of(entry))
    assert decision.final_score is decision.judge_confidence is None


# -- notes in Markdown ---------------------------------------------------------------------------------------------


def test_rules_are_taken_section_by_section_and_an_index_is_passed_over(read, tmp_path):
    (tmp_path / "CLAUDE.md").write_text(
        "# Rules\n\nAlways.\n\n## Tests\n\nRun them.\n\n```\n# no heading\n```\n\n## Empty\n"
    )
    (tmp_path / "MEMORY.md").write_text("# Index\n\n- [User](user.md) who it is\n- [Queue](queue.md)\n")
    (tmp_path / "queue.md").write_text(
        "---\nname: queue\ndescription: The queue\nmetadata:\n  type: decision\n---\n\nKeep it.\n"
    )
    (tmp_path / "plain.md").write_text("# Just a page\n\nText.\n")
    report, new = read("agent-memory", tmp_path)
    assert set(new) == {"Rules", "Tests", "queue.md"}
    assert new["Tests"].result["synthesis"]["content"] == "Run them.\n\n```\n# no heading\n```"
    assert new["queue.md"].panel_id == "decision"
    assert read_decision(entry_of(new["queue.md"])).conclusion == "Keep it."
    reasons = {account.path.rpartition("/")[2]: account.reason for account in report.files if account.reason}
    assert reasons["MEMORY.md"].startswith("an index")
    assert reasons["plain.md"].startswith("no note of an agent")


def test_observations_and_relations_of_a_note_are_told_from_tasks_and_code(read, tmp_path):
    text = (
        "---\ntitle: Queues\ntype: note\ntags: [infra, db]\npermalink: notes/queues\ncreated: 2026-04-05\n---\n\n# Queues\n\n"
        "- [decision] Keep LISTEN #postgres (from the review)\n- [ ] a task\n- [x] done\n"
        "- supersedes [[Old Queues]]\n- relates to [[Backups]] (nightly)\n- [[Alone]]\n"
        "```\n- [fact] not one\n```\n"
    )
    (tmp_path / "queues.md").write_text(text)
    _, new = read("basic-memory", tmp_path / "queues.md")
    document = new["queues.md"].result["document"]
    assert [each["category"] for each in document["observations"]] == ["decision"]
    assert document["observations"][0]["tags"] == ["postgres"]
    assert [(each["kind"], each["target"]) for each in document["relations"]] == [
        ("supersedes", "Old Queues"),
        ("relates to", "Backups"),
        ("relates_to", "Alone"),
    ]
    decision = read_decision(entry_of(new["queues.md"]))
    assert (decision.supersedes, str(decision.decided_on)) == (("Old Queues",), "2026-04-05")
    assert decision.conclusion == "Keep LISTEN #postgres (from the review)"
    assert new["queues.md"].tags == ("infra", "db", "postgres")


# -- mem0 ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["results", "list", "lines"])
def test_memories_are_read_in_each_shape(shape, read, tmp_path):
    rows = [
        {"id": n, "memory": f"Fact {n}.", "created_at": None, "score": 0.1, "hash": "h", "categories": ["a"]}
        for n in (1, 2)
    ]
    rows.append({"id": "", "memory": "no id"})
    text = json.dumps({"results": rows} if shape == "results" else rows)
    path = tmp_path / "mem0.json"
    path.write_text("\n".join(map(json.dumps, rows)) if shape == "lines" else text)
    report, new = read("mem0", path)
    assert set(new) == {"1", "2"}
    assert report.counts["rejected"] == 1
    assert report.field_totals["score"]["left out"] == 2
    assert report.field_totals["decided_on"]["not measurable"] == 2
    assert new["1"].question == "Fact 1."


# -- databases -----------------------------------------------------------------------------------------------------


def test_a_database_that_keeps_changing_is_not_half_read(tmp_path, monkeypatch):
    path = llm(tmp_path, [Told("a", "b", "c")])
    real = databases.durable.copy_into

    def copy_and_change(source, target, size):
        real(source, target, size)
        with path.open("ab") as file:
            file.write(b"\0")

    monkeypatch.setattr(databases.durable, "copy_into", copy_and_change)
    with pytest.raises(Unreadable, match="changed while it was copied, 3 times"), databases.open_copy(path, tmp_path):
        pass
    assert sorted(each.name for each in tmp_path.iterdir()) == ["logs.db"]


def test_a_rollback_journal_left_by_a_crash_is_rolled_back_on_the_copy_only(read, tmp_path):
    path = llm(tmp_path, [Told(f"r{n}", f"Question {n}?", "x" * 3000) for n in range(20)])
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("pragma cache_size = 1")
    writer.execute("begin")
    writer.execute("update responses set prompt = 'not committed', response = response || 'y'")
    journal = path.with_name("logs.db-journal")
    left = {name: name.read_bytes() for name in (path, journal)}
    writer.close()
    for name, data in left.items():
        name.write_bytes(data)
    assert left[journal]
    _, new = read("llm", path)
    assert {entry.question for entry in new.values()} == {f"Question {n}?" for n in range(20)}
    assert {name: name.read_bytes() for name in left} == left


def test_copies_of_processes_that_are_gone_are_removed(read, tmp_path):
    path = llm(tmp_path, [Told("a", "b", "c")])
    gone = tmp_path / "scratch" / "copy-4194305-0123456789abcdef"
    gone.mkdir(parents=True)
    (gone / "db").write_bytes(b"x")
    read("llm", path)
    assert not gone.exists()


def test_without_a_private_folder_no_database_is_copied(project, tmp_path):
    path = llm(tmp_path, [Told("a", "b", "c")])
    intake = Intake(path, Place(str(project)), None)
    (draft,) = kind_of("llm").reader().drafts(intake)
    assert (draft.fate, draft.reason) == ("rejected", "there is no private folder to copy the database into")


def test_bytes_numbers_and_broken_text_in_cells_do_no_harm(read, tmp_path):
    path = tmp_path / "logs.db"
    _fill(
        path,
        {"responses": "id, model, prompt, response, conversation_id, datetime_utc, note"},
        responses=[
            {"id": 1, "model": 3, "prompt": "p", "response": 4.5, "note": b"\0\1", "datetime_utc": 1e300},
            {"id": None, "prompt": "q", "response": "r", "note": float("inf"), "datetime_utc": -5},
        ],
    )
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "insert into responses (id, prompt, response) values ('u', cast(x'ff41' as text), ?)", ("ok\0then",)
        )
        connection.commit()
    report, new = read("llm", path)
    assert report.counts["imported"] == 3
    assert new["1"].result["original"]["note"] == "<2 bytes>"
    assert new["u"].question == "\ufffdA"
    assert all("decidedOn" not in entry.result["document"] for entry in new.values())
