import atexit
import os
import sys

import pandas as pd
import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

import memkit
from memkit import opening
from memkit.entrances.magics.completion import candidates
from memkit.settings import Environment

VIEWS = {"decisions": ["entry_id", "title", "status"], "entries": ["entry_id", "stored_at"]}


@pytest.fixture
def project(tmp_path, monkeypatch):
    home = tmp_path / "home"
    (home / "shop").mkdir(parents=True)
    environment = Environment(home=home, config_file=home / "config.toml")
    monkeypatch.setattr(opening.Environment, "from_process", classmethod(lambda cls: environment))
    monkeypatch.chdir(home / "shop")
    return home / "shop"


@pytest.fixture
def shell(project, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(project.parent / "ipython"))
    quiet = Config()
    quiet.HistoryManager.enabled = False
    keep = (sys.displayhook, sys.excepthook, dict(sys.modules))
    one = InteractiveShell(config=quiet)
    yield one
    one.run_line_magic("unload_ext", "memkit")
    atexit.unregister(one.atexit_operations)
    one.atexit_operations()
    sys.displayhook, sys.excepthook = keep[:2]
    sys.modules["__main__"] = keep[2]["__main__"]


@pytest.fixture
def ready(shell, project):
    """A shell with the magics, over a project with two decisions."""
    memkit.enable(project)
    with memkit.open(project) as memory:
        memory.store(question="Which queue?", result={"conclusion": "Keep LISTEN/NOTIFY."}, tags=["queue"])
        memory.store(question="Who's on call?", result={"conclusion": "Grace."}, panel_id="adr")
    shell.run_line_magic("load_ext", "memkit")
    return shell


def magics_of(shell):
    return {kind: set(names) for kind, names in shell.magics_manager.magics.items()}


def test_importing_memkit_registers_nothing_and_unloading_leaves_nothing_behind(shell, project):
    before = magics_of(shell), list(shell.Completer.custom_matchers), set(shell.user_ns)
    shell.run_line_magic("load_ext", "memkit")
    assert {"memkit", "recall", "decided", "memsql"} <= magics_of(shell)["line"]
    assert "memsql" in magics_of(shell)["cell"]
    memkit.enable(project)
    shell.run_line_magic("memkit", "")
    memory = shell.user_ns["mem"]
    shell.run_line_magic("unload_ext", "memkit")
    assert memory.is_closed
    assert (magics_of(shell), list(shell.Completer.custom_matchers), set(shell.user_ns)) == before


def test_loading_twice_is_loading_once(ready):
    ready.run_line_magic("reload_ext", "memkit")
    ready.run_line_magic("load_ext", "memkit")
    assert len(ready.Completer.custom_matchers) == 1


def test_a_project_that_is_off_shows_its_status_and_recall_says_what_to_do(shell, project):
    shell.run_line_magic("load_ext", "memkit")
    status = shell.run_line_magic("memkit", "")
    assert not status.enabled
    assert "memkit enable" in status.to_text()
    with pytest.raises(UsageError, match="memkit enable"):
        shell.run_line_magic("recall", "queue")


def test_the_memory_has_a_name_in_the_notebook_and_gives_it_back(ready, project):
    ready.run_line_magic("memkit", f"'{project}' -n shop")
    assert ready.user_ns["shop"].paths.project_path == str(project)
    ready.run_line_magic("memkit", f"{project}")
    assert "shop" not in ready.user_ns
    assert not ready.user_ns["mem"].is_closed


def test_a_name_the_user_took_over_is_left_alone(ready):
    ready.run_line_magic("memkit", "")
    ready.user_ns["mem"] = "mine"
    ready.run_line_magic("unload_ext", "memkit")
    assert ready.user_ns["mem"] == "mine"


def test_recall_and_decided_return_their_results(ready):
    assert [hit.question for hit in ready.run_line_magic("recall", "queue --limit 5")] == ["Which queue?"]
    assert [hit.question for hit in ready.run_line_magic("recall", "'queue' --tag queue")] == ["Which queue?"]
    assert [row.title for row in ready.run_line_magic("decided", "queue")] == ["Which queue?"]


def test_an_apostrophe_is_no_quote(ready):
    assert [hit.question for hit in ready.run_line_magic("recall", "who's on call")] == ["Who's on call?"]


def test_sql_returns_keeps_and_bounds_its_table(ready):
    found = ready.run_cell_magic("memsql", "-o kept --limit 1", "select question from entries order by question")
    assert found.rows == [{"question": "Which queue?"}]
    assert "1 of 2 rows" in found.to_text()
    assert ready.user_ns["kept"] is found
    inline = ready.run_line_magic("memsql", "-l 3 select count(*) as \"n -o x\" from entries where panel_id = 'adr'")
    assert inline.rows == [{"n -o x": 1}]


def test_sql_sees_the_frames_of_the_notebook_by_name(ready):
    ready.user_ns["owners"] = pd.DataFrame({"panel_id": ["adr"], "owner": ["Ada"]})
    kept = ready.run_cell_magic("memsql", "-o rows", "select owner, question from entries join owners using (panel_id)")
    assert kept.rows == [{"owner": "Ada", "question": "Who's on call?"}]
    assert ready.run_line_magic("memsql", "select count(*) as n from rows").rows == [{"n": 1}]


def test_a_view_comes_before_a_frame_of_its_name_and_that_is_said(ready):
    ready.user_ns["entries"] = pd.DataFrame({"question": ["mine"]})
    with pytest.warns(memkit.MemkitWarning, match="entries is the view"):
        found = ready.run_line_magic("memsql", "select count(*) as n from entries")
    assert found.rows == [{"n": 2}]


WRONG = {
    "two statements": ("memsql", "", "select 1; select 2"),
    "no query": ("memsql", "", " \n"),
    "no such view": ("memsql", "", "select * from nothing_here"),
    "limit zero": ("memsql", "--limit 0", "select 1"),
    "name that is none": ("memsql", "-o a-b", "select 1"),
    "name that Python keeps": ("memsql", "-o class", "select 1"),
    "name of the memory": ("memsql", "-o mem", "select 1"),
    "an update": ("memsql", "", "delete from entries"),
}


@pytest.mark.parametrize(("magic", "line", "cell"), WRONG.values(), ids=WRONG)
def test_what_is_refused_is_one_line_and_no_traceback(ready, magic, line, cell):
    ready.run_line_magic("memkit", "")
    memory = ready.user_ns["mem"]
    with pytest.raises(UsageError):
        ready.run_cell_magic(magic, line, cell)
    assert ready.user_ns["mem"] is memory


def test_a_memory_takes_no_name_that_is_taken(ready):
    ready.user_ns["mem"] = 7
    with pytest.raises(UsageError, match=r"mem is yours here \(int\); choose another name with -n"):
        ready.run_line_magic("memkit", ".")
    assert ready.user_ns["mem"] == 7
    ready.run_line_magic("memkit", ". -n shop")
    memory = ready.user_ns["shop"]
    with pytest.raises(UsageError, match="'class' is no name"):
        ready.run_line_magic("memkit", "-n class")
    ready.run_line_magic("memkit", "-n store")
    assert "shop" not in ready.user_ns
    assert ready.user_ns["store"] is memory


def test_a_way_of_going_on_that_nobody_knows_is_said(ready):
    with pytest.raises(UsageError, match="did you mean build"):
        ready.run_line_magic("memkit_mode", "biuld")
    with pytest.warns(memkit.MemkitWarning, match="build, discuss, plan"):
        ready.run_line_magic("memkit_mode", "frob")
    ready.run_line_magic("memkit_mode", "Build")


@pytest.mark.parametrize("line", ["recall", "decided", "recall --limit x queue", "memkit a b"])
def test_a_line_written_wrong_says_how_it_is_written(ready, line):
    name, _, rest = line.partition(" ")
    with pytest.raises(UsageError):
        ready.run_line_magic(name, rest)


def test_a_closed_memory_is_opened_again(ready):
    ready.run_line_magic("memkit", "")
    ready.user_ns["mem"].close()
    assert len(ready.run_line_magic("recall", "queue")) == 1


COMPLETIONS = {
    "views": ("select * from de", "de", ["decisions"]),
    "frames and views": (
        "select * from ",
        "",
        ["decisions", "entries", "facts", "entry_id", "title", "status", "stored_at"],
    ),
    "columns of the views in use": ("select * from decisions where st", "st", ["status"]),
    "columns after a dot": ("select decisions.t", "t", ["title"]),
    "columns of an alias": ("select * from entries e where e.", "", ["entry_id", "stored_at"]),
    "capitals": ("SELECT * FROM entries AS x JOIN DEC", "DEC", ["decisions"]),
    "nothing known": ("select zz", "zz", []),
}


@pytest.mark.parametrize(("text", "piece", "words"), COMPLETIONS.values(), ids=COMPLETIONS)
def test_the_tab_key_knows_views_columns_and_frames(text, piece, words):
    assert candidates(text, VIEWS, ["facts"]) == (piece, words)


def test_the_tab_key_works_in_the_shell_and_only_inside_the_magic(ready):
    ready.run_line_magic("memkit", "")
    with provisionalcompleter():
        inside = [c.text for c in ready.Completer.completions("%%memsql\nselect * from decision_", 32)]
        outside = [c.text for c in ready.Completer.completions("decision_", 9)]
    assert {"decision_chains", "decision_lives"} <= set(inside)
    assert not {"decision_chains", "decision_lives"} & set(outside)


def test_nothing_was_written_to_the_real_home():
    assert "IPYTHONDIR" not in os.environ


def test_saying_how_one_goes_on_shows_once_what_waits(ready, project, tmp_path):
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n\nDecision: Kafka carries the events.\n")
    with memkit.open(project) as memory:
        memory.staging.extract(notes)
    assert ready.run_line_magic("memkit_mode", "build") is None, "nothing was left"
    banner = ready.run_line_magic("memkit_mode", "idle")
    assert (banner.old, banner.new, banner.n_decisions) == ("build", "idle", 1)
    assert "Kafka carries the events" in banner.to_html()
    assert ready.run_line_magic("memkit_mode", "build") is None
    assert ready.run_line_magic("memkit_mode", "idle") is None, "once per session"


@pytest.mark.parametrize("line", ["", "build plan"])
def test_a_mode_is_one_word(ready, line):
    with pytest.raises(UsageError):
        ready.run_line_magic("memkit_mode", line)
