"""`memkit extract` and `memkit staging`, from the command line, on the samples."""

import json
import pathlib

import pytest

SAMPLES = pathlib.Path(__file__).parents[2] / "data-samples"
SESSION = str(SAMPLES / "sessions" / "2026-04-12-message-storm.jsonl")


@pytest.fixture
def run(memkit_cli, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMKIT_MEMORY__ENABLED", "true")
    project = ("--project", str(SAMPLES / "wherry"), "--root", str(tmp_path / "root"))
    return lambda *arguments, **more: memkit_cli(*arguments, *project, **more)


def test_a_session_is_extracted_listed_and_shown(run):
    done = run("extract", "--session", SESSION)
    assert done.code == 0
    assert "Extraction: 3 candidates" in done.out
    assert "capped messages exceed 50/day for 3 days" in done.out
    listed = run("staging", "list", "--json").json()
    assert listed["counts"] == {"lessons": 1, "preferences": 1, "decisions": 1, "domain": 0}
    key = listed["rows"][0]["key"]
    shown = run("staging", "show", key[:8])
    assert (shown.code, key in shown.out) == (0, True)
    assert run("staging", "show", key, "--json").json()["key"] == key
    assert "3 candidates" in run("staging", "list").out
    assert "No dead letters" in run("staging", "list", "--dead").out
    assert "No candidates" in run("staging", "list", "--session", "nobody").out


def test_a_second_run_finds_nothing_new_and_says_so(run):
    assert run("extract", "--session", SESSION, "--json").json()["read"] == 13
    again = run("extract", "--session", SESSION, "--json").json()
    assert (again["read"], again["turns"], again["candidates"]) == (0, 13, [])


def test_a_dry_run_writes_nothing(run, tmp_path):
    done = run("extract", "--session", SESSION, "--dry-run")
    assert (done.code, "Nothing was written." in done.out) == (0, True)
    assert not list((tmp_path / "root").rglob("staging"))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--session", "gone.jsonl"), 3, "does not exist"),
        (("--session", "nobody"), 3, "no session is called"),
        ((), 3, "none of 0 session files"),
        (("--session", SESSION, "--branch", "x"), 3, "has no branches"),
        (("--session", str(SAMPLES / "facts.csv")), 3, "no session of a known shape"),
        (("--session", SESSION, "--model"), 2, "no model is set"),
    ],
    ids=["path", "id", "latest", "branch", "shape", "model"],
)
def test_what_is_not_there_fails_before_anything_is_written(run, tmp_path, words, code, said):
    done = run("extract", *words)
    assert (done.code, said in done.err) == (code, True)
    assert not list((tmp_path / "root").rglob("*.json"))


def test_a_key_nobody_has_is_refused(run):
    assert run("staging", "show", "abcdef").code == 3


def test_the_latest_session_of_the_project_is_found_in_the_folders_of_the_settings(run, tmp_path, monkeypatch):
    folder = tmp_path / "sessions"
    folder.mkdir()
    line = f'{{"type": "session", "id": "mine", "cwd": "{SAMPLES / "wherry"}"}}\n'
    said = '{"type": "message", "id": "a", "parentId": null, "message": {"role": "user", "content": "Lesson: look twice."}}\n'
    (folder / "mine.jsonl").write_text(line + said, "utf-8")
    monkeypatch.setenv("MEMKIT_SESSIONS__FOLDERS", f'["{folder}"]')
    assert run("extract", "--json").json()["session"]["id"] == "mine"
    assert run("extract", "--session", "mine", "--json").json()["read"] == 0


def test_a_session_becomes_records_and_the_account_is_even(run):
    planned = run("consolidate", "--session", SESSION, "--dry-run")
    assert (planned.code, "Nothing was changed." in planned.out) == (0, True)
    done = run("consolidate", "--session", SESSION, "--json").json()
    assert (done["extracted"], done["counts"]["added"], len(done["written"])) == (3, 3, 3)
    account = run("staging", "balance", "--json").json()
    assert (account["in"], account["fates"]["added"], account["is_even"]) == (3, 3, True)
    assert run("reconcile").code == 0
    assert "even" in run("staging", "balance").out


def test_what_waits_for_a_person_leaves_with_1(run, tmp_path):
    run("extract", "--session", SESSION)
    run("reconcile")
    notes = tmp_path / "notes.md"
    record = run("records", "list", "--kind", "lesson", "--json").json()["records"][0]
    shown = run("records", "show", record["slug"], "--json").json()["record"]["body"]
    text = " ".join(line for line in shown.splitlines() if line and not line.startswith("#"))
    notes.write_text(f"# Notes\n\n## Lesson\n\nLesson: never {text}\n")
    done = run("consolidate", "--session", str(notes))
    assert (done.code, "waits" in done.out) == (1, True)
    asked = run("reconcile", "--adjudicator", "model")
    assert (asked.code, "model_missing" in asked.err) == (1, True)


def test_a_candidate_that_is_nowhere_leaves_the_account_with_1(run, tmp_path):
    run("extract", "--session", SESSION)
    for file in (tmp_path / "root").rglob("staging/*.json"):
        file.unlink()
    assert run("staging", "balance").code == 1


@pytest.mark.parametrize(
    ("words", "code"),
    [(("--session", "nobody"), 3), (("--branch", "x"), 2), (("--adjudicator", "magic"), 2)],
    ids=["no session", "a branch of nothing", "no adjudicator"],
)
def test_consolidate_refuses_what_is_not_there(run, tmp_path, words, code):
    assert run("consolidate", *words).code == code
    assert not list((tmp_path / "root").rglob("staging"))


@pytest.fixture
def waiting(run, tmp_path):
    """A candidate that the rules cannot tell from a record, with its key and the record's name; and one more."""
    notes = tmp_path / "notes.md"
    run("records", "write", "lesson", "--slug", "lease", "--body", "Measure the lease before you blame the queue.",
        "--source", "Mara")  # fmt: skip
    notes.write_text(
        "# Notes\n\nLesson: measure the lease twice before anybody may blame the queue.\n\nLesson: ferries leave early.\n"
    )
    run("extract", "--session", str(notes))
    rows = run("staging", "list", "--json").json()["rows"]
    by_word = {word: row["key"] for row in rows for word in ("lease", "ferries") if word in row["candidate"]["body"]}
    return by_word["lease"], by_word["ferries"]


def test_a_candidate_is_shown_beside_the_records_near_it(run, waiting):
    shown = run("staging", "show", waiting[0])
    assert (shown.code, "Measure the lease before you blame the queue." in shown.out) == (0, True)
    found = run("staging", "show", waiting[0], "--json").json()
    assert [near["path"] for near in found["shortlist"]] == ["memory/lease.md"]
    assert found["shortlist"][0]["body"] == "Measure the lease before you blame the queue."
    assert "measure the lease twice" in found["candidate"]["evidence"][0]["excerpt"]
    assert run("staging", "show", waiting[1], "--json").json()["shortlist"] == []


@pytest.mark.parametrize(
    ("words", "fate"),
    [
        (("distinct",), "added"),
        (("duplicate", "--of", "lease"), "duplicate"),
        (("supersedes", "--of", "memory/lease.md"), "superseding"),
        (("merge", "--of", "lease", "--body", "Measure the lease twice."), "merged"),
        (("discard", "--reason", "not worth it"), "discarded"),
    ],
    ids=["distinct", "duplicate", "supersedes", "merge", "discard"],
)
def test_a_candidate_is_decided_and_nothing_else_that_waits_is_touched(run, waiting, words, fate):
    planned = run("staging", "decide", waiting[0][:6], *words, "--dry-run", "--json").json()
    assert (planned["dry_run"], planned["counts"][fate], len(planned["rows"])) == (True, 1, 1)
    assert len(run("staging", "list", "--json").json()["rows"]) == 2
    done = run("staging", "decide", waiting[0][:6], *words, "--json")
    report = done.json()
    assert (done.code, report["counts"][fate], len(report["rows"])) == (0, 1, 1)
    assert report["rows"][0]["adjudicator"] == "person"
    assert [row["key"] for row in run("staging", "list", "--json").json()["rows"]] == [waiting[1]]
    assert run("staging", "balance", "--json").json()["is_even"]
    (newest, *_) = run("audit", "runs", "--json").json()["rows"]
    assert (newest["run_id"], newest["worker"]) == (report["run_id"], "memory_consolidation")
    assert run("staging", "decide", waiting[0], *words).code == 3


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("merge",), 2, "merge is about a record"),
        (("duplicate", "--of", ""), 2, "Name it with --of"),
        (("distinct", "--of", "lease"), 2, "distinct is about no record"),
        (("discard", "--body", "x"), 2, "only a merge"),
        (("magic",), 2, "distinct"),
        (("merge", "--of", "nothing-of-the-kind"), 3, "is not among the records near"),
        (("merge", "--of", "lease", "--file", "gone.md"), 3, "cannot be read"),
    ],
    ids=[
        "no record",
        "an empty record",
        "a needless record",
        "a needless text",
        "no decision",
        "a far record",
        "no file",
    ],
)
def test_what_cannot_be_decided_is_refused_and_changes_nothing(run, waiting, words, code, said):
    done = run("staging", "decide", waiting[0], *words)
    assert (done.code, said in done.err) == (code, True)
    assert len(run("staging", "list", "--json").json()["rows"]) == 2


@pytest.mark.parametrize("key", ["ffff0000", "abc", "../x"])
def test_a_candidate_nobody_has_cannot_be_decided(run, waiting, key):
    done = run("staging", "decide", key, "distinct")
    assert (done.code, "no candidate is named" in done.err) == (3, True)


def test_a_record_that_changed_since_it_was_looked_at_makes_a_conflict(run, waiting):
    seen = run("staging", "show", waiting[0], "--json").json()["shortlist"][0]["sha256"]
    run("records", "edit", "lease", "--body", "Measure the lease before you blame the queue. Always.")
    decide = ("staging", "decide", waiting[0], "merge", "--of", "lease")
    done = run(*decide, "--expect", seen, "--json")
    assert (done.code, done.json()["counts"]["conflict"]) == (1, 1)
    assert waiting[0] in run("staging", "list").out
    now = run("staging", "show", waiting[0], "--json").json()["shortlist"][0]["sha256"]
    assert run(*decide, "--expect", now).code == 0


def test_a_dead_letter_is_shown_and_cannot_be_decided_before_it_is_recovered(run, tmp_path, waiting):
    (file,) = (tmp_path / "root").rglob("staging/*.json")
    found = json.loads(file.read_bytes())
    letter = {"session_id": found["session_id"], "produced_at": None, "attempts": 3, "last_gate_reason": "model_error",
              "category": "lessons", "candidate": found["candidates"]["lessons"].pop(0)}  # fmt: skip
    folder = file.parent.parent / "deadletter"
    folder.mkdir(mode=0o700)
    (folder / "a.lessons.0123456789ab.json").write_text(json.dumps(letter))
    file.write_text(json.dumps(found))
    (dead,) = run("staging", "list", "--dead", "--json").json()["rows"]
    shown = run("staging", "show", dead["key"])
    assert (shown.code, "model_error" in shown.out) == (0, True)
    refused = run("staging", "decide", dead["key"], "distinct")
    assert (refused.code, "memkit recover" in refused.err) == (3, True)
    run("recover")
    assert run("staging", "decide", dead["key"], "distinct").code == 0
