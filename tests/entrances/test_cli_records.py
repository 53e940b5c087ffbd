"""`memkit records`, `lint` and `locks` from the command line."""

import json
import os

import pytest

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.fixture
def run(memkit_cli, tmp_path, monkeypatch):
    monkeypatch.setenv("MEMKIT_MEMORY__ENABLED", "true")
    (tmp_path / "shop").mkdir()
    where = ("--project", str(tmp_path / "shop"), "--root", str(tmp_path / "root"))
    return lambda *arguments, **more: memkit_cli(*arguments, *where, **more)


def write(run, title="Use UTC", *more):
    return run(
        "records", "write", "lesson", "--title", title, "--body", "Store instants.", "--source", "Mara",
        "--trigger", "a time column", *more,
    )  # fmt: skip


def test_a_record_is_written_listed_shown_found_edited_and_deleted(run):
    assert "Written use-utc" in write(run).out
    assert "Use UTC" in run("records", "list").out
    shown = run("records", "show", "use-utc")
    assert shown.code == 0
    for words in ("Use UTC", "Store instants.", "a time column", "Mara", "memory/use-utc.md"):
        assert words in shown.out
    assert "use-utc" in run("records", "find", "instants", "please").out
    changed = run("records", "edit", "use-utc", "--tag", "time", "--json").json()
    assert (changed["op"], changed["record"]["tags"]) == ("edit", ["time"])
    assert run("records", "edit", "use-utc", "--tag", "time").out.startswith("Nothing to change")
    gone = run("records", "delete", "use-utc", "--reason", "It was wrong.")
    assert "Deleted use-utc" in gone.out
    assert "trash/records/" in gone.out
    assert run("records", "show", "use-utc").code == 3


def test_changing_a_record_does_not_count_as_reading_it(run, tmp_path):
    write(run)
    run("records", "edit", "use-utc", "--tag", "time")
    run("records", "delete", "use-utc", "--reason", "It was wrong.")
    assert run("audit", "usage", "--json").json()["rows"] == []
    assert not list((tmp_path / "root").glob("*/firings.jsonl"))


def test_the_text_may_come_from_a_file_or_stdin(run, tmp_path):
    file = tmp_path / "depots.md"
    file.write_bytes(b"\xef\xbb\xbf# Nine depots\n\nThere are nine.\n")
    assert (
        run("records", "write", "domain", "--file", str(file), "--source", "x", "--json").json()["slug"]
        == "nine-depots"
    )
    done = run("records", "write", "domain", "--json", input=b"# Ten depots\n\nThere are ten.\n")
    assert done.json()["slug"] == "ten-depots"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("write", "rumour", "--body", "x"), 3),
        (("write", "lesson", "--body", "x", "--file", "y"), 2),
        (("write", "lesson", "--file", "/nowhere/at/all.md"), 3),
        (("edit", "use-utc"), 2),
        (("edit", "use-utc", "--body", "x", "--expect", "0" * 64), 3),
        (("delete", "use-utc"), 2),
        (("delete", "nothing", "--reason", "x"), 3),
        (("show", "Not A Slug"), 3),
        (("list", "--status", "gone"), 3),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else str(value),
)
def test_what_is_refused_leaves_with_its_code_and_changes_nothing(run, arguments, code):
    write(run)
    before = run("records", "show", "use-utc", "--json").json()["record"]["sha256"]
    assert run("records", *arguments).code == code
    assert run("records", "show", "use-utc", "--json").json()["record"]["sha256"] == before


def test_a_refusal_of_the_linter_has_its_findings_as_data(run):
    done = run("records", "write", "lesson", "--title", "Key", "--body", f"It is {TOKEN}", "--json")
    error = done.json()["error"]
    assert (done.code, error["code"]) == (3, "lint")
    assert [finding["code"] for finding in error["findings"]] == ["secret", "no-sources", "no-triggers"]
    assert TOKEN not in done.out + done.err


def test_lint_leaves_with_one_for_errors_and_for_warnings_if_asked(run, tmp_path):
    assert run("lint").code == 0
    write(run)
    assert run("lint").out.startswith("Nothing to say")
    run("records", "edit", "use-utc", "--source", "")
    assert run("records", "write", "preference", "--title", "Tabs", "--body", "No.").code == 0
    assert (run("lint").code, run("lint", "--strict").code) == (0, 1)
    (folder,) = (tmp_path / "root").glob("*/memory")
    (folder / "broken.md").write_text("---\nkind: [lesson\n---\n")
    done = run("lint", "--json")
    assert (done.code, done.json()["n_errors"]) == (1, 1)
    assert "broken.md" in run("lint").out
    assert "broken.md" in run("records", "list").out


def test_locks_name_their_holder_while_they_are_held(run, tmp_path):
    assert "No lock is held" in run("locks").out
    write(run)
    from memkit.store.lock import Lock

    (file,) = (tmp_path / "root").glob("*/canonical-writer.lock")
    assert "No lock is held" in run("locks").out
    with Lock(file, 0).held("consolidate"):
        rows = {row["file"]: row for row in run("locks", "--json").json()["locks"]}
        held = rows["canonical-writer.lock"]
        assert (held["is_held"], held["holder"]["pid"], held["holder"]["command"]) == (
            True,
            str(os.getpid()),
            "consolidate",
        )
        assert not rows[".memkit.lock"]["is_held"]
        text = run("locks").out
        assert "1 lock is held" in text
        assert "consolidate" in text
        refused = write(run, "Other")
        assert (refused.code, "consolidate" in refused.err) == (3, True)


def test_json_of_a_record_is_one_document(run):
    write(run)
    document = json.loads(run("records", "list", "--json").out)
    assert [record["slug"] for record in document["records"]] == ["use-utc"]
    assert "body" not in document["records"][0]
