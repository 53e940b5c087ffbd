"""The reminder says once what waits, and writes nothing."""

import pytest

import memkit
from memkit.consolidate.consolidating import consolidate
from memkit.deciding import staging as module
from memkit.display import mimebundle
from memkit.errors import InvalidInputError
from memkit.model.candidate import Candidate, repaired
from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.store import canonical, staging
from tests.importers.made_sessions import claude_code, encoded
from tests.stores import open_store


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


@pytest.fixture
def mem(root, project, clock, store):
    with memkit.open(project, root=root, enabled=True, clock=clock) as memory:
        yield memory


def stage(store, *, decisions=0, lessons=0, domain=0):
    made = [Candidate("decisions", f"Decision {n}", body=f"We decided on number {n}.") for n in range(decisions)]
    made += [Candidate("lessons", f"Lesson {n}", body=f"Lesson of day {n}.", triggers=("t",)) for n in range(lessons)]
    made += [Candidate("domain", f"Fact {n}", body=f"Ferry {n} is red.") for n in range(domain)]
    with canonical.writing(store, "test") as held:
        staging.stage(store, held, "s", [repaired(each) for each in made])


def files(store):
    return {path: path.read_bytes() for path in store.paths.folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("old", ["discuss", "plan", "build"])
@pytest.mark.parametrize("waiting", [{"decisions": 1}, {"lessons": 3}], ids=["a-decision", "three-lessons"])
def test_leaving_a_mode_that_leaves_something_says_what_waits_once_and_writes_nothing(mem, store, old, waiting):
    stage(store, **waiting)
    before = files(store)
    found = mem.mode_changed(old, "idle")
    assert (found.n_decisions, found.n_lessons) == (waiting.get("decisions", 0), waiting.get("lessons", 0))
    assert mem.mode_changed(old, "idle") is None
    assert mem.mode_changed(old, "idle", session="another") == found
    assert files(store) == before


SILENT = {
    "nothing waits": ("build", "idle", {}),
    "two lessons": ("build", "idle", {"lessons": 2}),
    "knowledge only": ("build", "idle", {"domain": 5}),
    "another mode": ("idle", "build", {"decisions": 2}),
    "the same mode": ("build", "build", {"decisions": 2}),
}


@pytest.mark.parametrize(("old", "new", "waiting"), SILENT.values(), ids=SILENT)
def test_else_nothing_is_said(mem, store, old, new, waiting):
    if waiting:
        stage(store, **waiting)
    assert mem.mode_changed(old, new) is None


def test_what_became_a_record_does_not_wait_and_silence_does_not_use_up_the_reminder(mem, store):
    stage(store, decisions=1)
    consolidate(store, [])
    assert mem.mode_changed("build", "idle") is None
    stage(store, lessons=3)
    assert mem.mode_changed("build", "idle").n_lessons == 3


def test_a_mode_is_a_text(mem):
    with pytest.raises(InvalidInputError):
        mem.mode_changed(5, "build")


def test_it_shows_itself_in_text_and_html(mem, store):
    stage(store, decisions=1, lessons=1)
    shown = mimebundle(mem.mode_changed("plan", "build"))
    for kind in ("text/plain", "text/html"):
        assert "1 decision and 1 lesson not yet in memory" in shown[kind]
        assert "Decision 0" in shown[kind]


@pytest.fixture
def sessions(root, project, clock, tmp_path, store):
    """A memory whose sessions lie in a folder of their own."""
    folder = tmp_path / "sessions"
    folder.mkdir()
    user = tmp_path / "config.toml"
    user.write_text(f'[sessions]\nfolders = ["{folder}"]\n')
    environment = Environment(home=tmp_path, config_file=user)
    with open_memory(project, root=root, enabled=True, clock=clock, environment=environment) as memory:
        yield memory, folder


def said(project, *texts):
    turns = [("user", "Go on."), *(("assistant", text) for text in texts)]
    return encoded(claude_code(turns, cwd=str(project)))


def test_a_last_session_that_nobody_extracted_is_reminded_of_until_it_is(sessions, project, store):
    mem, folder = sessions
    (folder / "s1.jsonl").write_bytes(said(project, "Decision: Kafka carries the events.", "Lesson: Measure twice."))
    before = files(store)
    found = mem.mode_changed("plan", "build")
    assert (found.n_decisions, found.n_lessons, found.n_unextracted) == (1, 1, 2)
    assert files(store) == before
    assert "All of it stands in the last session: memkit consolidate --session latest." in found.to_text()
    mem.staging.extract("latest")
    found = mem.mode_changed("plan", "build", session="next")
    assert (found.n_decisions, found.n_unextracted) == (1, 0)
    mem.consolidate()
    assert mem.mode_changed("plan", "build", session="third") is None


@pytest.mark.parametrize(
    "left",
    [b"", b"no session\n", b'{"torn', b"\0" * 100, None],
    ids=["empty", "text", "torn", "NUL", "another project"],
)
def test_a_session_that_is_none_or_of_another_project_is_passed_over(sessions, left, tmp_path):
    mem, folder = sessions
    (folder / "s1.jsonl").write_bytes(said(tmp_path / "else", "Decision: Kafka.") if left is None else left)
    assert mem.mode_changed("plan", "build") is None


def test_a_very_long_session_is_not_looked_into(sessions, project, monkeypatch):
    mem, folder = sessions
    (folder / "s1.jsonl").write_bytes(said(project, "Decision: Kafka carries the events."))
    monkeypatch.setattr(module, "MOST_LOOKED_INTO", 10)
    assert mem.mode_changed("plan", "build") is None
