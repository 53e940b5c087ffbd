"""Retention from the command line, each verb as a process of its own: look, carry out, undo, and what is refused."""

import hashlib
import json
import os
import pathlib
import subprocess
import sys

import pytest

from memkit.store.paths import StorePaths

N = 4


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A home with a project in which four results are stored; the number rule keeps two."""
    home = tmp_path_factory.mktemp("retaining")
    (home / "shop").mkdir()
    shop = Shop(home)
    results = [{"question": f"Which queue {i}?", "result": {"conclusion": f"Keep queue {i}."}} for i in range(N)]
    stored = shop.run("store", "--json", stdin=json.dumps(results), most=N).json["stored"]
    shop.ids = [entry["id"] for entry in stored]
    return shop


class Done:
    def __init__(self, done: subprocess.CompletedProcess) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

    @property
    def json(self):
        return json.loads(self.out)


class Shop:
    ids: list[str]

    def __init__(self, home: pathlib.Path) -> None:
        self.home = home
        self.paths = StorePaths.for_project(home / "root", os.path.realpath(home / "shop"))

    def run(self, *arguments: str, stdin: str = "", most: int = 2) -> Done:
        environment = {
            "HOME": str(self.home),
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.getcwd(),
            "PYTHONDONTWRITEBYTECODE": "1",
            "MEMKIT_MEMORY__ENABLED": "true",
            "MEMKIT_RETENTION__MAX_RESULTS": str(most),
        }
        where = ["--project", str(self.home / "shop"), "--root", str(self.home / "root")]
        where = [] if "--project" in arguments else where
        line = [sys.executable, "-m", "memkit", *arguments, *where]
        return Done(
            subprocess.run(line, env=environment, input=stdin, capture_output=True, text=True, cwd=self.home, check=False)
        )  # fmt: skip

    def sha256(self, entry_id: str) -> str:
        return hashlib.sha256(self.paths.entry_file(entry_id).read_bytes()).hexdigest()

    def ranks(self) -> list[tuple[str, float]]:
        return [(hit["id"], hit["score"]) for hit in self.run("recall", "queue", "--json").json["hits"]]


def test_what_a_review_names_goes_comes_back_byte_for_byte_and_ranks_as_before(shop):
    hashes, ranks = {entry_id: shop.sha256(entry_id) for entry_id in shop.ids}, shop.ranks()
    assert len(ranks) == N

    seen = shop.run("retention", "review", "--out", "plan.json", "--json")
    assert (seen.code, seen.err) == (1, "")
    due = seen.json["review"]["due"]
    assert [row["entry_id"] for row in due] == shop.ids[:2]

    looked = shop.run("retention", "apply", "plan.json", "--dry-run")
    assert (looked.code, "nothing: this was a dry run" in looked.out) == (0, True)
    assert {entry_id: shop.sha256(entry_id) for entry_id in shop.ids} == hashes

    done = shop.run("retention", "apply", "plan.json", "--json").json["applied"]
    assert done["moved"] == shop.ids[:2]
    assert {entry["entry_id"] for entry in shop.run("trash", "list", "--json").json["trash"]["entries"]} == {
        *done["moved"]
    }

    again = shop.run("retention", "apply", "plan.json")
    assert (again.code, f"entry {shop.ids[0]} is gone" in again.err) == (3, True)

    assert shop.run(*done["restore_with"].split()[1:]).code == 0
    assert {entry_id: shop.sha256(entry_id) for entry_id in shop.ids} == hashes
    assert shop.ranks() == ranks
    assert shop.run("verify").code == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(("restore", "nowhere-at-all"), "memkit trash list", id="restore"),
        pytest.param(("pin", "nowhere-at-all", "--reason", "x"), "memkit list", id="pin"),
        pytest.param(("hold", "nowhere-at-all", "--reason", "x"), "memkit list", id="hold"),
    ],
)
def test_an_id_that_is_not_there_matches_none(shop, line, said):
    done = shop.run(*line, "--json")
    assert (done.code, done.json["error"]["matched"]) == (3, 0)
    assert said in done.json["error"]["remedy"]


def test_an_id_that_fits_several_is_answered_with_the_list(shop):
    same = [len(set(letters)) == 1 for letters in zip(*shop.ids, strict=True)]
    prefix = shop.ids[0][: same.index(False)]
    if len(prefix) < 8:
        pytest.skip("the ids of this run share too few characters")
    done = shop.run("pin", prefix, "--reason", "x")
    assert (done.code, f"matched: {N}" in done.err, all(entry_id in done.err for entry_id in shop.ids)) == (
        3,
        True,
        True,
    )


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        pytest.param('{"max_age_days": -3}', "retention.max_age_days: -3 cannot be used", id="negative"),
        pytest.param('{"max_age_dayz": 3}', "Did you mean max_age_days?", id="unknown-key"),
        pytest.param("[", "cannot be read as JSON", id="no-json"),
    ],
)
def test_a_policy_that_cannot_be_used_is_refused(shop, policy, said):
    (shop.home / "policy.json").write_text(policy)
    done = shop.run("retention", "review", "--policy", "policy.json")
    assert (done.code, said in done.err, done.out) == (3, True, "")


def test_one_pinned_entry_is_no_way_around_the_question_whether_everything_may_go(shop):
    assert shop.run("pin", shop.ids[3], "--reason", "The contract names it.").code == 0
    (shop.home / "none.json").write_text('{"max_results": 0}')
    assert shop.run("retention", "review", "--policy", "none.json", "--out", "all.json", "--json").code == 1
    done = shop.run("retention", "apply", "all.json")
    assert (done.code, "--all" in done.err) == (3, True)
    assert shop.run("retention", "apply", "all.json", "--all", "--dry-run").code == 0
    assert shop.run("unpin", shop.ids[3], "--reason", "Looked at.").code == 0


def test_queries_are_saved_listed_and_dropped(shop):
    assert shop.run("queries", "add", "which", "queue").code == 0
    assert shop.run("queries", "list").out == "which queue\n"
    assert shop.run("retention", "impact", "--json").json["impact"]
    assert shop.run("queries", "drop", "which", "queue").code == 0
    assert shop.run("queries", "list", "--json").json["queries"] == []


def test_the_report_is_one_page_without_a_network(shop):
    done = shop.run("report", "retention", "--out", "audit.html", "--due-within", "366d")
    page = (shop.home / "audit.html").read_text("utf-8")
    assert done.code == 1
    assert page.lower().startswith("<!doctype html>")
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert "src=" not in page


def test_a_review_on_a_terminal_is_short_and_says_how_to_see_all(shop):
    done = shop.run("retention", "review", "--rows", "1", "--due-within", "366d")
    assert (done.code, "--rows N shows more" in done.err) == (1, True)
    assert len(done.out.splitlines()) < 45


def test_a_plan_of_another_store_is_refused(shop):
    (shop.home / "other").mkdir(exist_ok=True)
    there = ["--project", str(shop.home / "other"), "--root", str(shop.home / "root")]
    results = [{"question": f"Other {i}?", "result": {"conclusion": "x"}} for i in range(3)]
    assert shop.run("store", *there, stdin=json.dumps(results), most=9).code == 0
    assert shop.run("retention", "review", "--out", "other.json", *there).code == 1
    done = shop.run("retention", "apply", "other.json")
    assert (done.code, "made for the store" in done.err) == (3, True)


def test_what_was_edited_by_hand_in_the_trash_is_neither_restored_nor_lost(shop):
    (shop.home / "two.json").write_text('{"max_results": 1}')
    shop.run("retention", "review", "--policy", "two.json", "--out", "two-plan.json")
    moved = shop.run("retention", "apply", "two-plan.json", "--json").json["applied"]["moved"]
    file = shop.paths.trash_file(moved[0])
    was = file.read_bytes()
    file.write_bytes(was.replace(b"Keep", b"Drop"))
    done = shop.run("restore", *moved)
    assert (done.code, "is not the file that was moved here" in done.err) == (3, True)
    assert shop.run("verify").code == 1
    assert file.read_bytes() != was
    file.write_bytes(was)
    assert shop.run("restore", *moved).code == 0
    assert shop.run("verify").code == 0


def test_an_entry_is_erased_only_after_a_yes_and_the_scan_finds_nothing_of_it(shop):
    said = {"question": "Who is Zebulonfitz?", "result": {"conclusion": "Nobody said."}}
    stored = shop.run("store", "--json", stdin=json.dumps(said), most=9).json["stored"][0]["id"]
    assert shop.run("scan", "--text", "zebulonfitz").code == 1
    looked = shop.run("erase", stored, "--json")
    assert (looked.code, looked.json["erased"]["dry_run"]) == (0, True)
    assert shop.run("scan", "--text", "zebulonfitz").code == 1
    erased = shop.run("erase", stored, "--yes", "--json").json["erased"]
    assert (erased["matched"], erased["is_clean"], erased["scan"]["n_found"]) == (1, True, 0)
    assert erased["scan"]["n_files"] > 5
    assert shop.run("scan", "--text", "zebulonfitz").code == 0
    again = shop.run("erase", stored, "--yes", "--json")
    assert (again.code, again.json["error"]["matched"]) == (3, 0)
    assert "was erased on" in again.out


def test_a_miss_on_an_empty_trash_says_what_to_do(shop):
    (shop.home / "empty").mkdir(exist_ok=True)
    there = ["--project", str(shop.home / "empty"), "--root", str(shop.home / "root")]
    shop.run("store", *there, stdin='{"question": "One?", "result": {}}')
    done = shop.run("restore", "0" * 32, *there, "--json")
    assert (done.code, done.json["error"]["matched"]) == (3, 0)
    assert "memkit list" in done.json["error"]["remedy"]


def test_a_wipe_needs_the_name_and_then_leaves_nothing(shop):
    (shop.home / "gone").mkdir(exist_ok=True)
    there = ["--project", str(shop.home / "gone"), "--root", str(shop.home / "root")]
    shop.run("store", *there, stdin='{"question": "Wipethisword?", "result": {}}')
    assert shop.run("wipe", "--yes", "--confirm", "another", *there).code == 3
    assert shop.run("scan", "--text", "wipethisword", *there).code == 1
    assert shop.run("wipe", "--yes", "--confirm", "gone", *there).code == 0
    assert shop.run("scan", "--text", "wipethisword", *there).code == 0
