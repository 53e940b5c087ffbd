"""Staging and dead letters: whole files, damage as data, what others wrote is kept."""

import json
import os
import stat
from dataclasses import replace

import pytest

from memkit.errors import (
    DamagedError,
    ForeignStoreError,
    InvalidInputError,
    LockedError,
    NewerFormatError,
    StorePermissionError,
)
from memkit.model.candidate import CATEGORIES, Candidate, Malformed
from memkit.store import candidate_files, deadletters, quarantine, staging
from memkit.store.deadletters import DeadLetter
from memkit.store.staging import StagingFile
from memkit.store.verify import verify
from memkit.store.wipe import wipe
from tests.stores import new, open_store, put

SESSION = "0199f2c4-7d10-7a52-9e61-3c0b8d5f2a17"


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


def candidate(text="Three tries, then a person is told.", category="lessons", **more):
    return Candidate(category, title=text[:100], summary=text[:300], body=text, triggers=("retry",), **more)


def stage(store, *candidates, session=SESSION):
    with candidate_files.writing(store, "test") as held:
        return staging.stage(store, held, session, candidates)


def test_what_is_staged_is_on_disk_in_the_documented_shape(store, clock, project):
    done = stage(store, candidate(), candidate("Use spaces.", "preferences"), candidate("Keep it.", "decisions"))
    file = store.paths.staging / f"{SESSION}.json"
    raw = json.loads(file.read_text("utf-8"))
    assert (raw["schemaVersion"], raw["session_id"], raw["project_root"]) == (1, SESSION, str(project))
    assert raw["produced_at"] == clock.now().isoformat(timespec="milliseconds").replace("+00:00", "Z")
    assert {name: len(each) for name, each in raw["candidates"].items()} == {
        "lessons": 1, "preferences": 1, "decisions": 1, "domain": 0,
    }  # fmt: skip
    assert raw["candidates"]["lessons"][0]["reconcile_attempts"] == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert staging.read_session(store.paths, SESSION) == done.file
    assert len(done.added) == 3
    assert verify(store) == []


def test_the_same_words_are_staged_once(store):
    stage(store, candidate(), candidate())
    before = (store.paths.staging / f"{SESSION}.json").read_bytes()
    again = stage(store, candidate("three tries -- then a person is told"))
    assert (again.added, again.n_known) == ((), 1)
    assert (store.paths.staging / f"{SESSION}.json").read_bytes() == before
    grown = stage(store, candidate("Another one."))
    assert len(grown.file.items) == 2


def test_nothing_is_staged_without_the_lock_and_a_second_writer_fails_at_once(store):
    with candidate_files.writing(store, "first") as held:
        with pytest.raises(LockedError) as caught, candidate_files.writing(store, "second"):
            pass
        assert caught.value.holder["command"] == "first"
        with store.index_lock.held("other") as other, pytest.raises(RuntimeError):
            staging.stage(store, other, SESSION, [candidate()])
    with pytest.raises(RuntimeError):
        staging.stage(store, held, SESSION, [candidate()])
    assert not store.paths.staging.exists()


def test_a_candidate_with_a_fault_is_refused_and_nothing_is_written(store):
    with pytest.raises(InvalidInputError, match="no-triggers"):
        stage(store, candidate(), replace(candidate("x y z"), triggers=()))
    assert not store.paths.staging.exists()


NAMES = {
    "uuid": (SESSION, f"{SESSION}.json"),
    "a path": ("../../etc/passwd", None),
    "upper case": ("ABC", None),
    "a dot": (".", None),
    "hidden": (".x", None),
    "not ASCII": ("Sitzung äöü 日本", None),
    "spaces": ("a b  c", None),
    "NUL": ("a\0b", None),
    "like a made name": ("a--0123456789abcdef", None),
    "long": ("x" * 900, None),
    "newline": ("a\nb", None),
}


@pytest.mark.parametrize(("session", "name"), NAMES.values(), ids=NAMES.keys())
def test_any_session_id_gets_a_safe_name_of_its_own(store, session, name):
    done = stage(store, candidate(), session=session)
    assert done.file.name == (name or done.file.name)
    assert (store.paths.staging / done.file.name).is_file()
    assert candidate_files.is_name(done.file.name)
    assert len(done.file.name) < 120
    assert staging.read_session(store.paths, session) == done.file
    assert verify(store) == []


def test_ids_that_differ_in_case_only_have_different_names():
    names = [candidate_files.file_name(each) for each in ("abc", "ABC", "Abc", "a/b", "a-b")]
    assert len({name.lower() for name in names}) == len(names)


@pytest.mark.parametrize(
    "session", ["", "  ", "x" * 1001, 5, "\ud800"], ids=["empty", "blank", "long", "number", "half"]
)
def test_what_cannot_be_an_id_is_refused(store, session):
    with pytest.raises(InvalidInputError) as caught:
        stage(store, candidate(), session=session)
    assert caught.value.field == "session_id"


def _foreign(store, name="abc.json", **change):
    raw = {
        "schemaVersion": 1,
        "session_id": "abc",
        "produced_at": 1_764_500_000_000,
        "project_root": store.paths.project_path,
        "candidates": {"lessons": [{"title": "T", "body": "B", "why": "w"}], "hunches": [{"x": 1}]},
        "model": "m",
    } | change
    store.make_folders()
    store.paths.staging.mkdir(mode=0o700, exist_ok=True)
    path = store.paths.staging / name
    path.touch(0o600)
    path.write_text(json.dumps({k: v for k, v in raw.items() if v is not ...}), "utf-8")
    return path


def test_a_file_of_another_tool_is_read_and_what_memkit_does_not_know_survives(store):
    path = _foreign(store)
    ((file,), problems) = staging.read_all(store.paths)
    assert problems == []
    assert file.candidates[0].extra == {"why": "w"}
    stage(store, candidate(), session="abc")
    raw = json.loads(path.read_text("utf-8"))
    assert raw["model"] == "m"
    assert raw["candidates"]["hunches"] == [{"x": 1}]
    assert [each["title"] for each in raw["candidates"]["lessons"]] == ["T", candidate().title]
    assert raw["candidates"]["lessons"][0]["why"] == "w"
    assert list(store.paths.staging.iterdir()) == [path]


def test_a_file_named_by_an_id_memkit_would_not_use_as_a_name_is_found(store):
    path = _foreign(store, "ABC.json", session_id="ABC")
    stage(store, candidate(), session="ABC")
    assert list(store.paths.staging.iterdir()) == [path]


def test_a_file_that_holds_another_session_than_its_name_says_is_not_overwritten(store):
    path = _foreign(store, "other.json")
    before = path.read_bytes()
    done = stage(store, candidate(), session="other")
    assert path.read_bytes() == before
    assert done.file.name != "other.json"
    assert staging.read_session(store.paths, "other") == done.file


def test_a_missing_project_and_missing_lists_are_no_damage(store):
    _foreign(store, project_root=..., candidates={}, schemaVersion=..., produced_at=...)
    ((file,), problems) = staging.read_all(store.paths)
    assert (problems, file.items) == ([], ())


STATES = {
    "empty": (b"", DamagedError, "damaged-staging"),
    "blank": (b" \n", DamagedError, "damaged-staging"),
    "no JSON": (b"{junk", DamagedError, "damaged-staging"),
    "a list": (b"[]", DamagedError, "damaged-staging"),
    "no session": (b'{"candidates": {}}', DamagedError, "damaged-staging"),
    "no candidates": (b'{"session_id": "s"}', DamagedError, "damaged-staging"),
    "candidates in a list": (b'{"session_id": "s", "candidates": []}', DamagedError, "damaged-staging"),
    "lessons in a text": (b'{"session_id": "s", "candidates": {"lessons": "x"}}', DamagedError, "damaged-staging"),
    "a version of text": (b'{"schemaVersion": "1", "session_id": "s", "candidates": {}}', DamagedError, "damaged-staging"),
    "newer": (b'{"schemaVersion": 2}', NewerFormatError, "newer-candidates"),
    "another project's": (
        b'{"session_id": "s", "project_root": "/elsewhere", "candidates": {}}', ForeignStoreError, "foreign-staging",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("data", "kind", "code"), STATES.values(), ids=STATES.keys())
def test_each_state_of_a_file_is_its_own_answer_and_costs_no_other_file(store, data, kind, code):
    stage(store, candidate(), session="good")
    path = store.paths.staging / "s.json"
    path.touch(0o600)
    path.write_bytes(data)
    with pytest.raises(kind) as caught:
        staging.read_file(store.paths, "s.json")
    assert caught.value.file == str(path)
    files, problems = staging.read_all(store.paths)
    assert [file.session_id for file in files] == ["good"]
    assert [(p.code, p.file) for p in problems] == [(code, "staging/s.json")]
    assert [(p.code, p.file) for p in verify(store)] == [(code, "staging/s.json")]
    assert path.read_bytes() == data


def test_a_missing_file_is_no_file(store):
    assert staging.read_file(store.paths, "s.json") is None
    assert staging.read_session(store.paths, "s") is None
    assert staging.read_all(store.paths) == ([], [])
    assert deadletters.read_letters(store.paths) == ([], [])


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_reported_and_never_taken_for_a_missing_one(store):
    stage(store, candidate())
    path = store.paths.staging / f"{SESSION}.json"
    path.chmod(0)
    with pytest.raises(StorePermissionError):
        stage(store, candidate("More."))
    assert [p.code for p in verify(store)] == ["unreadable"]


def test_damaged_bytes_go_to_quarantine_before_a_file_takes_their_place(store):
    stage(store, candidate())
    path = store.paths.staging / f"{SESSION}.json"
    path.write_bytes(b'{"session_id": "half')
    done = stage(store, candidate("Another."))
    (spot,) = quarantine.spots(store.paths)
    assert (spot.name, spot.file) == (done.quarantined, f"staging/{SESSION}.json")
    assert (store.paths.quarantine / f"{spot.name}.bin").read_bytes() == b'{"session_id": "half'
    assert [c.text for c in staging.read_session(store.paths, SESSION).candidates] == ["Another."]
    assert verify(store) == []


@pytest.mark.parametrize("state", ["newer", "another project's"])
def test_what_is_not_ours_to_change_is_left_as_it_is(store, state):
    data, kind, _ = STATES[state]
    _foreign(store, "s.json")
    path = store.paths.staging / "s.json"
    path.write_bytes(data)
    with pytest.raises(kind):
        stage(store, candidate(), session="s")
    assert path.read_bytes() == data


def test_what_is_no_candidate_stays_in_its_place_with_a_named_reason(store):
    bad = [{"title": 5}, "text", {"title": "fine"}, None]
    path = _foreign(store, candidates={"lessons": bad})
    ((file,), problems) = staging.read_all(store.paths)
    assert [each.reason for each in file.malformed] == ["wrong-type", "not-an-object", "not-an-object"]
    assert [p.code for p in problems] == ["malformed-candidate"] * 3
    stage(store, candidate(), session="abc")
    assert json.loads(path.read_text("utf-8"))["candidates"]["lessons"][:4][:2] == bad[:2]
    assert [each.raw for each in staging.read_session(store.paths, "abc").malformed] == [{"title": 5}, "text", None]


def test_a_stray_file_is_reported_and_never_read(store):
    stage(store, candidate())
    stray = store.paths.staging / "s (conflicted copy).txt"
    stray.touch(0o600)
    assert [(p.code, p.file) for p in verify(store)] == [("stray-file", f"staging/{stray.name}")]


def test_a_file_without_items_is_removed(store):
    done = stage(store, candidate())
    with candidate_files.writing(store, "test") as held:
        staging.write(store, held, replace(done.file, items=()))
    assert list(store.paths.staging.iterdir()) == []
    assert verify(store) == []


def letter(**change):
    return DeadLetter(SESSION, "2026-11-30T12:00:00.000Z", 3, "model_error: timeout", "lessons", candidate(), **change)


def test_a_dead_letter_is_a_file_of_the_documented_shape_and_can_be_taken_back(store):
    with candidate_files.writing(store, "test") as held:
        buried = deadletters.bury(store, held, letter())
        assert deadletters.bury(store, held, letter()).name == buried.name
        raw = json.loads((store.paths.deadletter / buried.name).read_text("utf-8"))
        assert set(raw) == {"session_id", "produced_at", "attempts", "last_gate_reason", "category", "candidate"}
        assert deadletters.read_letters(store.paths) == ([buried], [])
        assert verify(store) == []
        assert deadletters.unbury(store, held, buried)
        assert not deadletters.unbury(store, held, buried)
    assert deadletters.read_letters(store.paths) == ([], [])


def test_a_dead_letter_keeps_what_was_no_candidate_and_what_memkit_does_not_know(store):
    raw = {"title": 5, "deep": {"x": [1, None]}}
    with candidate_files.writing(store, "test") as held:
        bad = Malformed("domain", "wrong-type", "title is no text", raw)
        deadletters.bury(store, held, letter(extra={"host": "h"}).__class__(
            SESSION, 5, 0, "malformed: wrong-type", "domain", bad, extra={"host": "h"}
        ))  # fmt: skip
    (found,), problems = deadletters.read_letters(store.paths)
    assert found.candidate.raw == raw
    assert found.extra == {"host": "h"}
    assert [p.code for p in problems] == ["malformed-candidate"]


MISSING = {
    "session_id": "damaged-dead-letter",
    "attempts": "damaged-dead-letter",
    "last_gate_reason": "damaged-dead-letter",
    "category": "damaged-dead-letter",
    "candidate": "damaged-dead-letter",
    "produced_at": None,
}


@pytest.mark.parametrize(("field", "code"), MISSING.items(), ids=MISSING.keys())
def test_a_dead_letter_with_a_field_missing_is_reported_and_kept(store, field, code):
    with candidate_files.writing(store, "test") as held:
        buried = deadletters.bury(store, held, letter())
    path = store.paths.deadletter / buried.name
    path.write_text(json.dumps({k: v for k, v in buried.to_dict().items() if k != field}), "utf-8")
    before = path.read_bytes()
    assert [p.code for p in verify(store)] == ([code] if code else [])
    assert path.read_bytes() == before


def test_a_wipe_takes_staging_and_dead_letters_with_it(store):
    put(store, new())
    stage(store, candidate())
    with candidate_files.writing(store, "test") as held:
        deadletters.bury(store, held, letter())
    wipe(store, confirm=store.paths.key)
    assert not store.paths.staging.exists()
    assert not store.paths.deadletter.exists()


def test_candidates_stand_in_the_order_of_categories():
    file = StagingFile("x.json", "x", "", "/p", tuple(candidate(name, name) for name in CATEGORIES))
    assert list(file.to_dict()["candidates"]) == list(CATEGORIES)
