"""Files from other tools and files for them, from the command line."""

import json
import sys

import pytest

from memkit.importers.kinds.table import names
from tests.importers.writers import WRITERS, Told

ITEMS = [Told("q1", "Which queue?", "Keep LISTEN."), Told("q2", "Which cache?", "None yet.")]


@pytest.fixture
def here(memkit_cli, project, monkeypatch):
    monkeypatch.chdir(project)
    assert memkit_cli("enable").code == 0
    return memkit_cli


@pytest.fixture
def source(project):
    folder = project / "from"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("kind", names())
def test_every_kind_has_a_verb_that_imports(kind, here, source):
    path = WRITERS[kind](source, ITEMS)
    planned = here("import", kind, str(path), "--dry-run", "--json")
    assert (planned.code, planned.json()["import"]["counts"]["imported"]) == (0, 2)
    cut = here("import", kind, str(path), "--limit", "1", "--json").json()["import"]
    assert (cut["counts"]["imported"], cut["is_cut"]) == (1, True)
    assert here("import", kind, str(path)).code == 0
    assert len(here("list", "--json").json()["entries"]) == 2


def test_a_path_is_looked_at_before_an_import(here, source):
    path = WRITERS["beads"](source, ITEMS)
    found = here("import", "--detect", str(path), "--json")
    assert (found.code, found.json()["detected"]["kind"]) == (0, "beads")
    assert "Looks like beads" in here("import", "--detect", str(path)).out
    (source / "plain.txt").write_text("nothing")
    path.unlink()
    nothing = here("import", "--detect", str(source))
    assert (nothing.code, "No kind memkit reads" in nothing.out) == (1, True)
    gone = here("import", "--detect", "gone")
    assert (gone.code, "does not exist" in gone.err) == (3, True)


def test_detecting_works_while_memory_is_off_and_importing_does_not(memkit_cli, project, monkeypatch, source):
    monkeypatch.chdir(project)
    path = WRITERS["mem0"](source, ITEMS)
    assert memkit_cli("import", "--detect", str(path)).code == 0
    refused = memkit_cli("import", "mem0", str(path))
    assert (refused.code, "memkit enable" in refused.err) == (3, True)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(["import", "--project", "."], id="no-kind"),
        pytest.param(["import", "--detect", "x", "adr", "y"], id="both"),
        pytest.param(["import", "papyrus", "x"], id="unknown"),
        pytest.param(["import", "adr", "x", "--limit", "0"], id="limit"),
        pytest.param(["export"], id="export-without-folder"),
        pytest.param(["export", "x", "--limit", "5000"], id="export-limit"),
        pytest.param(["export", "x", "--format", "pdf"], id="format"),
    ],
)
def test_a_line_written_wrong_leaves_with_2(line, here):
    assert here(*line).code == 2


def test_a_wrong_kind_names_the_right_one(here, source):
    path = WRITERS["selvedge"](source, ITEMS)
    done = here("import", "llm", str(path), "--json")
    assert done.code == 0
    assert "memkit import selvedge" in done.json()["import"]["suggestion"]


def test_an_export_is_written_and_comes_back(here, source, tmp_path):
    here("import", "beads", str(WRITERS["beads"](source, ITEMS)))
    done = here("export", str(tmp_path / "out"), "--json")
    assert (done.code, done.json()["exported"]["n_entries"]) == (0, 2)
    assert json.loads((tmp_path / "out" / "_manifest.json").read_bytes())["entries"] == 2
    again = here("export", str(tmp_path / "out"))
    assert (again.code, "not an empty folder" in again.err) == (3, True)
    assert here("import", "memkit", str(tmp_path / "out"), "--json").json()["import"]["counts"]["unchanged"] == 2
    assert here("disable").code == 0
    shown = here("export", str(tmp_path / "page"), "--format", "markdown", "--query", "queue")
    assert (shown.code, "Exported 1 entry as markdown" in shown.out) == (0, True)


def test_a_counter_is_shown_to_a_person_only(here, source, monkeypatch):
    from memkit.entrances.cli import output
    from memkit.entrances.cli.call import Call

    class Screen:
        def __init__(self, person):
            self.person, self.said = person, ""

        def isatty(self):
            return self.person

        def write(self, text):
            self.said += text

        def flush(self):
            pass

    for person, quiet, shown in ((True, False, True), (True, True, False), (False, False, False)):
        screen = Screen(person)
        monkeypatch.setattr(sys, "stderr", screen)
        with output.progress(Call(quiet=quiet), "import beads") as told:
            assert (told is not None) is shown
            if told:
                told(3)
