"""The whole from the command line: consent, storing, importing, asking, looking after, wiping, on a real store."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ADR = """# 3. Keep PostgreSQL

Date: 2026-01-15

## Status

Accepted

## Decision

We keep PostgreSQL for orders, with auth_token in a cookie.

## Tripwire conditions

- write QPS sustains >5k for 24h
"""


@pytest.fixture
def here(memkit_cli, project, monkeypatch):
    """Run in the project's folder, with a home of its own and no options but the verb's."""
    monkeypatch.chdir(project)
    return memkit_cli


@pytest.fixture
def enabled(here):
    assert here("enable").code == 0
    return here


def put(run, question, text, **more) -> str:
    done = run("store", "--json", input=json.dumps({"question": question, "result": {"conclusion": text}, **more}))
    assert done.code == 0, done.err
    return done.json()["stored"][0]["id"]


def test_a_newcomer_is_led_from_off_to_a_first_answer(here, project):
    off = here("status")
    refused = here("store", input='{"question": "Which queue?", "result": {"conclusion": "One."}}')
    assert "memkit enable" in off.out
    assert (refused.code, refused.out) == (3, "")
    assert "memkit enable" in refused.err
    assert not (pathlib.Path(os.environ["HOME"]) / ".consensus").exists()

    done = here("enable")
    assert "plain text" in done.out
    assert "[projects]" in (pathlib.Path(os.environ["HOME"]) / ".config/memkit/config.toml").read_text()

    entry_id = put(here, "Which queue?", "LISTEN/NOTIFY is enough.")
    status = here("status", "--json").json()["status"]
    assert (status["enabled"], status["n_entries"]) == (True, 1)
    assert here("list", "--json").json()["entries"][0]["id"] == entry_id
    found = here("recall", "queue", "--json").json()
    assert [hit["id"] for hit in found["hits"]] == [entry_id]
    assert list(project.iterdir()) == []


def test_recall_answers_with_the_reasons_of_each_hit(enabled):
    put(enabled, "Who is the author?", "Mira is the author.")
    kept = put(enabled, "How do we do auth?", "auth_token in a cookie", tags=["security"])

    answer = enabled("recall", "auth", "--json").json()
    text = enabled("recall", "auth").out

    assert answer["schema_version"] == 1
    (hit,) = answer["hits"]
    assert hit["id"] == kept
    fields = {
        "id", "question", "summary", "score", "coverage", "contributions", "fragments", "stored_at", "age_days",
        "age_label", "decided_on", "decided_label", "tripwires", "panel_id", "tags", "final_score", "superseded_by",
    }  # fmt: skip
    assert fields <= set(hit)
    assert hit["score"] == pytest.approx(sum(part["value"] for part in hit["contributions"]))
    assert kept in text
    assert "Stored today" in text


def test_recall_narrows_by_its_options(enabled):
    one = put(enabled, "Which queue?", "A queue.", tags=["a"], panel_id="adr")
    two = put(enabled, "Which other queue?", "Another queue.", tags=["a", "b"])

    def ids(*options):
        return {hit["id"] for hit in enabled("recall", "queue", "--json", *options).json()["hits"]}

    assert ids() == {one, two}
    assert len(ids("--limit", "1")) == 1
    assert ids("--panel", "adr") == {one}
    assert ids("--any-tag", "b") == {two}
    assert ids("--all-tags", "a", "--all-tags", "b") == {two}
    assert ids("--since-days", "1") == {one, two}
    assert ids("--min-score", "1000") == set()


def test_a_miss_is_an_answer_with_its_cause(enabled):
    put(enabled, "Which queue?", "One.")

    done = enabled("recall", "zeppelin", "--json")

    assert done.code == 0
    assert done.json()["hits"] == []
    assert done.json()["missed"][0]["cause"] == "token-not-in-corpus"
    assert "zeppelin" in enabled("recall", "zeppelin").out


def test_an_option_out_of_range_is_refused_with_a_sentence(enabled):
    done = enabled("recall", "queue", "--since-days", "nan")

    assert done.code in {2, 3}
    assert "Traceback" not in done.err


def test_records_are_imported_once_and_a_dry_run_stores_nothing(enabled, tmp_path):
    folder = tmp_path / "adr"
    folder.mkdir()
    (folder / "0003-keep-postgresql.md").write_text(ADR)
    (folder / "broken.md").write_bytes(b"\x89PNG\x00\x01\x02\x03" * 50)

    planned = enabled("import", "adr", str(folder), "--dry-run", "--json").json()["import"]
    assert enabled("list", "--json").json()["entries"] == []
    first = enabled("import", "adr", str(folder), "--json").json()["import"]
    again = enabled("import", "adr", str(folder), "--json").json()["import"]

    assert planned["counts"]["imported"] == first["counts"]["imported"] == again["counts"]["unchanged"] == 1
    assert sum(first["counts"].values()) == len(first["files"]) == 2
    rows = enabled("sql", "select title, status, tripwires from decisions order by entry_id", "--json").json()
    assert rows["columns"] == ["title", "status", "tripwires"]
    assert rows["rows"][0]["status"] == "accepted"
    assert rows["rows"][0]["tripwires"] == ["write QPS sustains >5k for 24h"]


def test_panel_results_are_imported(enabled, tmp_path):
    file = tmp_path / "run.json"
    file.write_text(
        json.dumps({"question": "Which cache?", "rounds": [], "finalScore": 80, "synthesis": {"content": "None."}})
    )

    done = enabled("import", "consensus", str(file), "--json")

    assert done.code == 0
    assert done.json()["import"]["counts"]["imported"] == 1


@pytest.mark.parametrize("kind", ["adr", "consensus"])
def test_an_import_of_nothing_names_the_path(enabled, kind):
    done = enabled("import", kind, "gone")

    assert done.code == 3
    assert "gone" in done.err


def test_sql_is_one_select_with_parameters(enabled):
    put(enabled, "Which queue?", "One.")

    done = enabled("sql", "select count(*) as n from entries where panel_id = $p", "--param", "p=consensus", "--json")
    assert done.json()["rows"] == [{"n": 1}]
    wrong = enabled("sql", "drop table entries")
    assert (wrong.code, wrong.out) == (3, "")
    assert "Traceback" not in wrong.err


def test_rows_bound_what_is_shown_but_not_the_document(enabled):
    enabled("store", input=json.dumps([{"question": f"Question {n}?", "result": {"a": n}} for n in range(30)]))

    lines = [len(enabled("list", *rows).out.split("\n")) for rows in ([], ["--rows", "5"], ["--rows", "0"])]

    assert lines[1] == lines[0] - 15 == lines[2] - 25
    assert len(enabled("list", "--json", "--rows", "5").json()["entries"]) == 30
    assert "30" in enabled("sql", "select question from entries order by entry_id", "--rows", "0").out


def test_one_wrong_entry_of_a_list_stores_none_and_is_named(enabled):
    entries = [{"question": "Which queue?", "result": {"a": 1}}, {"question": " ", "result": {"a": 1}}]

    done = enabled("store", input=json.dumps(entries))

    assert done.code == 3
    assert "question: is empty" in done.err
    assert "request 1" in done.err
    assert enabled("list", "--json").json()["entries"] == []


def test_what_was_masked_is_said(enabled):
    token = "ghp" + "_" + "Ab1" * 12

    done = enabled("store", input=json.dumps({"question": "Which key?", "result": {"conclusion": f"Use {token}."}}))

    assert "1 secret masked" in done.out
    assert token not in enabled("show", enabled("list", "--json").json()["entries"][0]["id"], "--json").out


@pytest.fixture
def filled(enabled):
    ids = [put(enabled, f"Which queue {n}?", "One.") for n in range(3)]
    folder = pathlib.Path(enabled("status", "--json").json()["status"]["folder"])
    return enabled, ids, folder


def test_damage_is_found_shown_and_mended(filled):
    run, ids, folder = filled
    assert run("verify").out == "No problems found.\n"
    with (folder / "index.jsonl").open("ab") as index:
        index.write(b'{"torn')

    found = run("verify", "--json")
    assert found.code == 1
    assert found.json()["problems"][0]["file"] == "index.jsonl"
    assert run("verify").out.startswith("1 problem found.\n")
    planned, mended = run("repair"), run("repair", "--apply")
    assert (planned.code, mended.code) == (1, 0)
    assert "memkit repair --apply" in planned.err
    assert run("verify").code == 0
    assert {row["id"] for row in run("list", "--json").json()["entries"]} == set(ids)


def test_without_index_and_snapshots_the_next_command_works(filled):
    run, _ids, folder = filled
    before = [hit["id"] for hit in run("recall", "queue", "--json").json()["hits"]]
    (folder / "index.jsonl").unlink()

    assert [hit["id"] for hit in run("recall", "queue", "--json").json()["hits"]] == before
    assert "index-missing" in run("verify").out
    assert run("repair", "--apply").code == 0
    assert run("verify").code == 0


def test_a_results_file_that_is_gone_is_skipped_and_named(filled):
    run, ids, folder = filled
    (folder / "results" / f"{ids[1]}.json").unlink()

    done = run("recall", "queue", "--json")

    answer = done.json()
    assert done.err.startswith("memkit: warning: ")
    assert done.err.count("\n") == 1
    assert {hit["id"] for hit in answer["hits"]} == {ids[0], ids[2]}
    assert [missed["ids"] for missed in answer["missed"]] == [[ids[1]]]
    assert ids[1] in run("recall", "queue").out


def test_turned_off_it_still_shows_and_wipes(filled, project):
    run, ids, folder = filled
    assert run("disable").code == 0

    assert run("recall", "queue").code == 3
    assert run("repair", "--apply").code == 3
    assert run("show", ids[0], "--json").json()["entry"]["question"] == "Which queue 0?"
    assert len(run("list", "--json").json()["entries"]) == 3
    assert run("verify").code == 0
    assert run("repair").code == 0
    assert "Would remove 3 entries" in run("wipe").out
    assert run("wipe", "--yes", "--confirm", "another").code == 3
    assert list(folder.glob("results/*.json")) != []
    assert run("wipe", "--yes", "--confirm", project.name).code == 0
    assert list(folder.glob("results/*.json")) == []
    assert run("status", "--json").json()["status"]["n_entries"] == 0


def test_an_empty_store_below_one_says_so(filled, project):
    run, _ids, _folder = filled
    below = project / "src"
    below.mkdir()

    assert f"{project} has a store" in " ".join(run("status", "--project", str(below)).out.split())


def test_the_root_of_a_call_is_another_store(enabled, tmp_path):
    put(enabled, "Which queue?", "One.")

    assert enabled("list", "--root", str(tmp_path / "r"), "--json").json()["entries"] == []
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(["--project", "gone", "status"], "does not exist", id="no-such-project"),
        pytest.param(["--root", "file", "list"], "a folder is needed", id="root-is-a-file"),
        pytest.param(["show", "../../etc/passwd"], "cannot name an entry", id="id-of-another-alphabet"),
        pytest.param(["show", "zzzzzzzz"], "zzzzzzzz", id="no-such-entry"),
    ],
)
def test_what_is_refused_is_a_sentence(enabled, project, line, said):
    (project / "file").write_text("x")

    done = enabled(*line)

    assert done.code == 3
    assert said in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_the_audit_log_says_that_the_command_line_acted(filled):
    _run, _ids, folder = filled

    events = [json.loads(line) for line in next((folder / "_logs").glob("memory-*.log")).read_text().splitlines()]

    assert {event["actor"] for event in events} == {"cli"}


def test_two_processes_store_at_once_and_nothing_is_lost(enabled, project):
    line = [sys.executable, "-m", "memkit", "--project", str(project), "store", "--question"]
    environment = os.environ | {"PYTHONPATH": str(pathlib.Path(__file__).parents[2])}
    running = [
        subprocess.Popen(
            [*line, f"Question {n}?", "--json"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
        )
        for n in range(4)
    ]
    answers = [json.loads(process.communicate(b'{"a": 1}')[0]) for process in running]

    ids = {answer["stored"][0]["id"] for answer in answers}
    assert {row["id"] for row in enabled("list", "--json").json()["entries"]} == ids
    assert len(ids) == 4
