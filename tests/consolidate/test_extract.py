"""From a session to staging: durable, resumable, never twice, secrets masked, recalled text left out."""

import hashlib
import json
import pathlib

import pytest

import memkit
from memkit.consolidate.consolidating import consolidate
from memkit.consolidate.extract import extract, read_before
from memkit.consolidate.recalled import stored_already, without_cards
from memkit.consolidate.rules import RuleExtractor
from memkit.errors import ImportSourceError, InvalidInputError, LockedError, ModelError, UsageError
from memkit.importers.sessions.reading import read_session
from memkit.model.candidate import Candidate
from memkit.store import audit_log, canonical, extraction, staging
from memkit.store.verify import verify
from memkit.testing import temp_memory_root
from tests.importers.made_sessions import FORMATS, encoded, messages, pi, write
from tests.stores import open_store

TURNS = [
    ("user", "Decision: keep PostgreSQL as the queue.\n\nTripwire: load exceeds 5/s for 1h"),
    ("assistant", "Noted."),
    ("user", "Lesson: measure the lease before blaming it."),
]
MORE = [("user", "Preference: short answers, please."), ("user", "Lesson: measure the lease, before blaming it!")]


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


def run(store, path, *, branch=None, **options):
    return extract(
        store,
        read_session(path, branch=branch),
        extractor=options.pop("extractor", RuleExtractor()),
        stored=options.pop("stored", tuple),
        **options,
    )


def tree(store):
    return {
        str(path): path.read_bytes()
        for path in sorted(pathlib.Path(store.paths.folder).rglob("*"))
        if path.is_file() and store.paths.logs not in path.parents and not path.name.endswith(".lock")
    }


def texts(store):
    return [each.text for file in staging.read_all(store.paths)[0] for each in file.candidates]


@pytest.mark.parametrize("name", FORMATS)
def test_a_session_of_each_format_is_staged_with_evidence_and_a_second_run_changes_no_byte(store, tmp_path, name):
    path = write(tmp_path / "s.jsonl", name, TURNS)
    report = run(store, path)
    assert report.counts == {"lessons": 1, "preferences": 0, "decisions": 1, "domain": 0}
    assert (report.n_turns, report.n_read) == (3, 3)
    (file,) = staging.read_all(store.paths)[0]
    assert report.file == f"staging/{file.name}"
    by_category = {each.category: each for each in file.candidates}
    assert by_category["decisions"].tripwires == ("load exceeds 5/s for 1h",)
    assert by_category["lessons"].evidence[0].first_turn == 3
    before = tree(store)
    again = run(store, path)
    assert (again.candidates, again.n_read, again.n_turns) == ((), 0, 3)
    assert tree(store) == before
    assert verify(store) == []


@pytest.mark.parametrize("name", FORMATS)
def test_a_session_that_grew_goes_on_where_it_stopped_also_when_everything_was_taken_from_staging(
    store, tmp_path, name
):
    path = write(tmp_path / "s.jsonl", name, TURNS)
    run(store, path)
    with canonical.writing(store, "test") as held:
        (file,) = staging.read_all(store.paths)[0]
        staging.write(store, held, staging.replace(file, items=()))
    write(path, name, TURNS + MORE)
    report = run(store, path)
    assert (report.n_turns, report.n_read) == (5, 2)
    assert texts(store) == ["short answers, please."]
    assert report.n_staged_before == 1


@pytest.mark.parametrize("name", FORMATS)
def test_a_torn_line_is_read_once_it_is_whole(store, tmp_path, name):
    path = write(tmp_path / "s.jsonl", name, TURNS, noise=False)
    data = path.read_bytes()
    path.write_bytes(data[:-20])
    assert run(store, path).counts["lessons"] == 0
    path.write_bytes(data)
    report = run(store, path)
    assert (report.n_read, report.counts["lessons"]) == (1, 1)


def test_a_note_that_was_edited_is_looked_at_anew_and_only_what_is_new_is_staged(store, tmp_path):
    path = tmp_path / "notes.md"
    path.write_text("## Lessons\n- Measure the lease.\n- Ask a driver.\n", "utf-8")
    run(store, path)
    path.write_text("## Lessons\n- Measure the  lease!\n- Ask the planner.\n- Ask a driver.\n", "utf-8")
    report = run(store, path)
    assert [each.text for each in report.candidates] == ["Ask the planner."]
    assert report.n_staged_before == 2
    assert len(texts(store)) == 3


def test_a_branch_taken_up_again_gives_what_stands_behind_the_fork(store, tmp_path):
    path = tmp_path / "s.jsonl"
    lines = list(pi(TURNS[:1], noise=False))

    def say(ref, parent, text):
        return {"type": "message", "id": ref, "parentId": parent, "message": {"role": "user", "content": text}}

    root = lines[-1]["id"]
    path.write_bytes(encoded([*lines, say("aa", root, "Lesson: this is taken back.")]))
    run(store, path)
    grown = [*lines, say("aa", root, "Lesson: this is taken back."), say("bb", root, "Lesson: this is said instead.")]
    path.write_bytes(encoded(grown))
    report = run(store, path)
    assert (report.n_turns, report.n_read) == (2, 1)
    assert [each.text for each in report.candidates] == ["this is said instead."]
    again = run(store, path, branch="aa")
    assert (again.n_read, again.candidates) == (0, ())


def test_a_damaged_memory_of_the_extraction_costs_a_second_look_and_nothing_more(store, tmp_path):
    path = write(tmp_path / "s.jsonl", "messages", TURNS)
    run(store, path)
    store.paths.extraction.write_bytes(b'{"sessionId": 5}\n{junk\n')
    assert [p.code for p in verify(store)] == ["damaged-extraction"] * 2
    report = run(store, path)
    assert (report.n_read, report.candidates, report.n_staged_before) == (3, (), 2)
    assert len(texts(store)) == 2


def test_what_became_a_record_is_not_staged_again_though_the_memory_of_the_extraction_was_cut_off(store, tmp_path):
    path = write(tmp_path / "s.jsonl", "messages", TURNS)
    run(store, path)
    store.paths.extraction.unlink()  # written after staging: a crash fell between
    consolidate(store, [])
    assert texts(store) == []
    report = run(store, path)
    assert (report.n_read, report.candidates, report.n_staged_before) == (3, (), 2)
    assert texts(store) == []


def test_what_the_extraction_remembers_is_on_disk_in_the_documented_shape(store, tmp_path, clock):
    path = write(tmp_path / "s.jsonl", "pi", TURNS, noise=False)
    report = run(store, path)
    (line,) = store.paths.extraction.read_text("utf-8").splitlines()
    raw = json.loads(line)
    assert raw == {
        "schemaVersion": 1, "sessionId": "0199-pi", "path": str(path), "bytes": path.stat().st_size, "branch": "00000002",
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "turns": 3, "extractor": "rules",
        "extractedAt": int(clock.now().timestamp() * 1000), "candidates": [each.digest for each in report.candidates],
    }  # fmt: skip
    assert store.paths.extraction.stat().st_mode & 0o077 == 0
    assert read_before(read_session(path), extraction.read(store.paths)[0]) == 3


def test_many_candidates_are_remembered_on_several_lines(store, tmp_path, monkeypatch):
    monkeypatch.setattr(extraction, "MAX_DIGESTS", 7)
    path = write(tmp_path / "s.jsonl", "messages", [("user", f"Lesson: number {n} was wrong.") for n in range(20)])
    run(store, path)
    assert [len(each.digests) for each in extraction.read(store.paths)[0]] == [7, 7, 6]
    assert run(store, path).n_read == 0


def test_a_dry_run_says_the_same_and_writes_nothing(store, tmp_path):
    path = write(tmp_path / "s.jsonl", "codex", TURNS)
    dry = run(store, path, dry_run=True)
    assert not store.paths.folder.exists()
    wet = run(store, path)
    assert (dry.dry_run, wet.dry_run) == (True, False)
    assert dry.candidates == wet.candidates
    assert dry.to_dict()["counts"] == wet.to_dict()["counts"]


def test_nothing_is_staged_while_somebody_else_writes(store, tmp_path):
    path = write(tmp_path / "s.jsonl", "messages", TURNS)
    with canonical.writing(store, "reconcile"), pytest.raises(LockedError) as caught:
        run(store, path)
    assert caught.value.holder["command"] == "reconcile"
    assert not store.paths.staging.exists()


def test_secrets_are_masked_in_every_field(root, project, clock, tmp_path):
    from memkit.store.paths import StorePaths, resolve_project
    from memkit.store.scrub import Scrubber
    from memkit.store.scrub_patterns import shipped_patterns
    from memkit.store.store import Store

    project.mkdir(exist_ok=True)
    store = Store(
        StorePaths.for_project(root, resolve_project(project)), clock=clock, scrubber=Scrubber(shipped_patterns())
    )
    secret = "AKIA" + "IOSFODNN7" + "EXAMPLE"
    path = write(
        tmp_path / "s.jsonl",
        "messages",
        [
            (
                "user",
                f"Decision: rotate {secret} every day.\n\nTripwire: {secret} is seen\n\nLesson: never paste {secret}.",
            )
        ],
    )
    report = run(store, path)
    assert sum(report.masked.values()) >= 6
    assert len(report.candidates) == 2
    for data in tree(store).values():
        assert secret.encode() not in data
    assert run(store, path).n_read == 0


def test_the_samples_are_staged_and_their_digests_are_stable(store):
    samples = pathlib.Path(__file__).parents[2] / "data-samples" / "sessions"
    n = sum(len(run(store, path).candidates) for path in sorted(samples.iterdir()) if path.suffix != ".csv")
    assert n == len(texts(store)) == 24
    assert verify(store) == []
    assert all(run(store, path).n_read == 0 for path in sorted(samples.iterdir()) if path.suffix != ".csv")


def _runs(store):
    events = audit_log.read_events(store.paths)[0]
    return [each for each in events if each["event"] == "worker_lifecycle"]


def test_each_run_is_in_the_audit_log_with_its_outcome(store, tmp_path):
    path = write(tmp_path / "s.jsonl", "pi", TURNS)
    report = run(store, path)
    run(store, path)
    run(store, write(tmp_path / "t.jsonl", "pi", [("user", "Nothing to see.")]))
    with canonical.writing(store, "reconcile"), pytest.raises(LockedError):
        run(store, path)
    runs = _runs(store)
    assert {(each["worker"], each["trigger"]) for each in runs} == {("memory_extract", "manual")}
    assert [(each["status"], each.get("reason")) for each in runs] == [
        ("started", None), ("completed", "candidates_found"), ("started", None), ("skipped", "no_new_session_range"),
        ("started", None), ("completed", "no_candidates"), ("started", None), ("failed", "lock_held"),
    ]  # fmt: skip
    done = runs[1]
    assert (done["counts"], done["range_start"], done["range_end"]) == ({"staged": 2}, 1, 3)
    assert done["staged_ids"] == [each.key("0199-pi") for each in report.candidates]
    assert "model" not in done
    assert all(text not in json.dumps(runs) for text in ("PostgreSQL", "lease"))


# -- recalled text ----------------------------------------------------------------------------------------------------

DECIDED = "Jobs stay in PostgreSQL. Decision: no broker before 5,000 messages a second."


@pytest.fixture
def mem():
    with temp_memory_root() as memory:
        memory.store(question="Which queue?", result={"synthesis": {"content": f"## Decision\n\n{DECIDED}"}})
        memory.store(question="Which cache?", result={"conclusion": "Lesson: caches hide slow queries; measure first."})
        yield memory


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize(
    "answer",
    [
        lambda mem: mem.recall("queue cache").to_text(),
        lambda mem: mem.what_we_decided("queue cache").to_text(),
        lambda mem: json.dumps(mem.recall("queue cache").to_dict()),
        lambda mem: json.dumps(mem.recall("queue cache").to_dict(), indent=2),
        lambda mem: "\n\n".join(mem.get(row.id).to_text() for row in mem.list()),
        lambda mem: "I found this:\n\n" + mem.recall("queue cache").to_text() + "\n\nThat is all.",
        lambda mem: f"As we said:\n\nDecision: {DECIDED}",
        lambda mem: "Lesson: Caches hide slow queries;\nmeasure first.",
    ],
    ids=["recall", "decided", "JSON", "indented JSON", "entries", "between words", "the conclusion", "wrapped"],
)
def test_recalled_text_that_comes_back_creates_nothing(mem, tmp_path, role, answer):
    path = write(tmp_path / "s.jsonl", "messages", [(role, answer(mem))], noise=False)
    report = mem.staging.extract(path)
    assert report.candidates == ()
    assert len(mem.staging.list()) == 0


def test_what_is_said_beside_recalled_text_is_taken(mem, tmp_path):
    text = mem.recall("queue").to_text() + "\n\nDecision: from March on we use a broker.\n\nBye."
    path = write(
        tmp_path / "s.jsonl", "messages", [("user", "Lesson: look first. " + "x"), ("user", text)], noise=False
    )
    assert {each.text for each in mem.staging.extract(path).candidates} == {
        "from March on we use a broker.", "look first. x",
    }  # fmt: skip


def test_a_single_mention_of_an_age_is_no_recalled_card():
    text = "It said: Stored 3 days ago.\n\nDecision: use the queue."
    assert without_cards(text) == (text, False)


def test_words_stored_already_are_found_wherever_they_stand():
    said = [Candidate("lessons", "t", body=body) for body in ("Use the QUEUE.", "no", "one two three four", "x y z")]
    stored = ["Yesterday: one, two; THREE four five", "we use the queue here", "nothing", "yes or no"]
    assert stored_already(said, stored) == {0, 1, 2}
    assert stored_already([], iter(["never asked"])) == set()


# -- mem.staging ------------------------------------------------------------------------------------------------------


def test_a_session_or_branch_that_does_not_exist_fails_before_anything_is_written(mem, tmp_path):
    before = sorted(pathlib.Path(mem.paths.folder).rglob("*"))
    path = write(tmp_path / "s.jsonl", "pi", TURNS)
    for session, branch in (("gone.jsonl", None), ("nobody", None), ("latest", None), (path, "nowhere")):
        with pytest.raises(ImportSourceError):
            mem.staging.extract(session, branch=branch)
    with pytest.raises(InvalidInputError):
        mem.staging.extract("")
    assert sorted(pathlib.Path(mem.paths.folder).rglob("*")) == before


def test_candidates_are_listed_shown_and_counted(mem, tmp_path):
    mem.staging.extract(write(tmp_path / "s.jsonl", "codex", TURNS))
    listed = mem.staging.list()
    assert mem.staging.count() == listed.counts == {"lessons": 1, "preferences": 0, "decisions": 1, "domain": 0}
    assert mem.staging.list("nobody").rows == ()
    row = listed[0]
    assert mem.staging.show(row.key[:6]) == row
    assert (row.session_id, row.attempts, row.is_dead) == ("0199-codex", 0, False)
    assert len(mem.staging.dead_letters()) == 0
    for wrong in ("zzzz", "", row.key + "0"):
        with pytest.raises(InvalidInputError):
            mem.staging.show(wrong)


def test_stored_decisions_become_candidates_once(mem):
    report = mem.staging.extract("entries")
    assert [each.text for each in report.candidates] == [DECIDED, "Lesson: caches hide slow queries; measure first."]
    assert [each.title for each in report.candidates] == ["Which queue?", "Which cache?"]
    assert report.candidates[0].evidence[0].extra["entry_id"] == mem.list().rows[-1].id
    assert mem.staging.extract("entries").candidates == ()
    mem.store(question="Which cron?", result={"conclusion": "None of ours."})
    assert [each.title for each in mem.staging.extract("entries").candidates] == ["Which cron?"]


def test_another_extractor_looks_again_and_stages_what_is_new(mem, tmp_path):
    class Poet:
        name = "poet"

        def extract(self, turns):
            out = RuleExtractor().extract(turns)
            out.candidates.append(Candidate("domain", "A verse", "A verse", "A verse was said."))
            return out

    path = write(tmp_path / "s.jsonl", "messages", TURNS)
    mem.staging.extract(path)
    report = mem.staging.extract(path, extractor=Poet())
    assert [each.title for each in report.candidates] == ["A verse"]
    assert (report.n_read, report.n_staged_before) == (3, 2)
    assert mem.staging.extract(path, extractor=Poet()).n_read == 0


def test_an_extractor_of_an_unknown_name_is_a_wrong_call(mem, tmp_path):
    path = write(tmp_path / "s.jsonl", "messages", TURNS)
    for name in ("magic", "model"):
        with pytest.raises(UsageError):
            mem.staging.extract(path, extractor=name)


def test_opening_refreshing_asking_and_closing_write_nothing_of_consolidation(mem, tmp_path):
    mem.staging.extract(write(tmp_path / "s.jsonl", "messages", TURNS))
    folders = (mem.paths.staging, mem.paths.deadletter, mem.paths.state, mem.paths.folder / "memory")

    def bytes_of():
        return {str(p): p.read_bytes() for folder in folders for p in folder.rglob("*") if p.is_file()}

    before = bytes_of()
    mem.refresh()
    mem.recall("queue")
    mem.staging.list()
    mem.store(question="Another?", result={"conclusion": "No."})
    mem.close()
    with memkit.open(mem.paths.project_path, root=mem.paths.root, enabled=True) as again:
        again.recall("queue")
    assert bytes_of() == before


# -- a model ----------------------------------------------------------------------------------------------------------

pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed (extra llm)")


@pytest.fixture(autouse=True)
def _no_requests(monkeypatch):
    monkeypatch.setattr("pydantic_ai.models.ALLOW_MODEL_REQUESTS", False)


def _model(*answers):
    from pydantic_ai.models.test import TestModel

    return TestModel(custom_output_args={"candidates": list(answers)})


GOOD = {
    "category": "lessons", "title": "Measure leases", "body": "Measure a lease before it is blamed.", "turn": 3,
    "excerpt": "measure the lease before blaming it",
}  # fmt: skip


def test_a_model_s_candidates_are_staged_with_the_evidence_they_named(mem, tmp_path):
    from memkit.consolidate.model_extractor import ModelExtractor

    path = write(tmp_path / "s.jsonl", "pi", TURNS)
    report = mem.staging.extract(path, extractor=ModelExtractor(_model(GOOD, GOOD)))
    (candidate,) = report.candidates
    assert (candidate.text, candidate.evidence[0].first_turn) == (GOOD["body"], 3)
    assert candidate.triggers
    assert report.extractor == "model:test"
    assert report.usage["calls"] == 1
    assert report.passed_over == {"repeated": 1}


@pytest.mark.parametrize(
    "change",
    [{"excerpt": "nobody said this"}, {"turn": 2}, {"turn": 99}, {"excerpt": ""}],
    ids=["other words", "another turn", "no such turn", "nothing"],
)
def test_what_a_model_cannot_show_in_the_session_is_not_staged(mem, tmp_path, change):
    from memkit.consolidate.model_extractor import ModelExtractor

    path = write(tmp_path / "s.jsonl", "pi", TURNS)
    report = mem.staging.extract(path, extractor=ModelExtractor(_model({**GOOD, **change})))
    assert report.candidates == ()
    assert report.passed_over == {"no-evidence": 1}


def test_a_long_session_is_asked_about_in_parts_up_to_a_budget(tmp_path):
    from memkit.consolidate.model_extractor import ModelExtractor

    turns = list(read_session(write(tmp_path / "s.jsonl", "messages", TURNS * 4)).turns)
    assert ModelExtractor(_model(), max_chars=100).extract(turns).usage["calls"] > 4
    with pytest.raises(ModelError, match="more than 2 requests"):
        ModelExtractor(_model(), max_chars=100, max_requests=2).extract(turns)


def _failing(error):
    from pydantic_ai.models.function import FunctionModel

    def answer(messages, info):
        raise error

    return FunctionModel(answer)


def test_a_model_that_fails_stages_nothing_and_its_words_are_scrubbed(root, project, clock, tmp_path):
    from memkit.consolidate.model_extractor import ModelExtractor

    secret = "AKIA" + "IOSFODNN7" + "EXAMPLE"
    path = write(tmp_path / "s.jsonl", "messages", TURNS)
    with temp_memory_root() as mem:
        with pytest.raises(ModelError) as caught:
            mem.staging.extract(path, extractor=ModelExtractor(_failing(OSError(f"401 bad key {secret}"))))
        assert secret not in str(caught.value)
        assert len(mem.staging.list()) == 0
        assert mem.staging.extract(path).n_read == 3


def test_a_model_that_answers_nonsense_twice_is_an_error(tmp_path):
    from pydantic_ai.messages import ModelResponse, TextPart
    from pydantic_ai.models.function import FunctionModel

    from memkit.consolidate.model_extractor import ModelExtractor

    asked = []

    def answer(messages, info):
        asked.append(1)
        return ModelResponse(parts=[TextPart("I would rather write a poem.")])

    turns = list(read_session(write(tmp_path / "s.jsonl", "messages", TURNS)).turns)
    with pytest.raises(ModelError):
        ModelExtractor(FunctionModel(answer)).extract(turns)
    assert len(asked) == 2


def test_a_model_that_takes_too_long_is_an_error(tmp_path):
    import asyncio

    from pydantic_ai.models.function import FunctionModel

    from memkit.consolidate.model_extractor import ModelExtractor

    async def answer(messages, info):
        await asyncio.sleep(30)

    turns = list(read_session(write(tmp_path / "s.jsonl", "messages", TURNS)).turns)
    with pytest.raises(ModelError, match="no answer within"):
        ModelExtractor(FunctionModel(answer), max_seconds=0.1).extract(turns)


def test_a_model_nobody_knows_is_an_error_that_says_what_to_do():
    from memkit.consolidate.model_extractor import ModelExtractor

    with pytest.raises(ModelError, match="nobody:x") as caught:
        ModelExtractor("nobody:x")
    assert caught.value.field == "consolidation.model"


def test_without_the_extra_the_remedy_is_the_command_that_installs_it(monkeypatch):
    import sys

    from memkit.consolidate.model_extractor import ModelExtractor

    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(memkit.MemkitError) as caught:
        ModelExtractor("provider:name")
    assert caught.value.code == "missing-extra"
    assert 'pip install "memkit[llm]"' in caught.value.remedy


def test_a_model_works_where_an_event_loop_runs_already(tmp_path):
    import asyncio

    from memkit.consolidate.model_extractor import ModelExtractor

    turns = list(read_session(write(tmp_path / "s.jsonl", "messages", TURNS, noise=False)).turns)

    async def cell():
        return ModelExtractor(_model(GOOD)).extract(turns)

    assert len(asyncio.run(cell()).candidates) == 1


def test_messages_of_a_made_session_are_what_the_tests_think():
    assert [line["role"] for line in messages(TURNS[:1])] == ["user", "tool"]


def test_notes_that_grew_under_their_last_heading_are_read_on(store, tmp_path):
    """A section is one turn, and may go on; what it said before is not staged once more."""
    notes = tmp_path / "notes.md"
    notes.write_text("# Kiln\n\n- Lesson: preheat the kiln before each firing.\n")
    assert len(run(store, notes).candidates) == 1
    with notes.open("a") as file:
        file.write("- Lesson: stir the glaze before each firing.\n")
    grown = run(store, notes)
    assert ["glaze" in each.body for each in grown.candidates] == [True]
    assert run(store, notes).candidates == ()
    with notes.open("a") as file:
        file.write("\n## Later\n\n- Lesson: let the kiln cool for a day.\n")
    assert ["cool" in each.body for each in run(store, notes).candidates] == [True]
