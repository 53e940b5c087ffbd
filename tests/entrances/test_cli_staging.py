"""`memkit extract` and `memkit staging`, from the command line, on the samples."""

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
