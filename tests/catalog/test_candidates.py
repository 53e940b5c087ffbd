"""What waits is seen by SQL as it is in the files now."""

import pytest

from memkit.model.candidate import Candidate, Evidence, Malformed
from memkit.store import canonical, deadletters, staging
from memkit.testing import temp_memory_root


def _candidate(text="Measure first.", **more):
    evidence = (Evidence(3, 4, "said so"),)
    return Candidate("lessons", "Measure", "Measure.", text, ("measure",), ("a",), evidence=evidence, **more)


@pytest.fixture
def mem():
    with temp_memory_root() as memory:
        yield memory


def _stage(mem, *candidates, session="s"):
    with canonical.writing(mem._store, "test") as held:
        return staging.stage(mem._store, held, session, candidates).file


def test_the_views_are_empty_where_nothing_waits(mem):
    assert len(mem.sql("select * from candidates")) == 0
    assert len(mem.sql("select * from dead_letters")) == 0


def test_a_candidate_is_a_row_and_a_change_is_seen_at_the_next_question(mem):
    _stage(mem, _candidate(reconcile_attempts=2))
    (row,) = mem.sql("select * from candidates").rows
    listed = mem.staging.list()[0]
    assert row["candidate_key"] == listed.key
    assert (row["kind"], row["title"], row["body"], row["attempts"]) == ("lesson", "Measure", "Measure first.", 2)
    assert (row["triggers"], row["tags"], row["first_turn"], row["last_turn"]) == (["measure"], ["a"], 3, 4)
    assert (row["file"], row["position"], row["problem"]) == ("staging/s.json", 0, None)
    assert row["produced_at"] == listed.since
    assert 0 <= row["age_days"] < 1
    _stage(mem, _candidate("Another thing."), session="t")
    assert mem.sql("select count(*) as n from CANDIDATES").rows[0]["n"] == 2


def test_what_is_no_candidate_is_a_row_with_its_problem(mem):
    file = _stage(mem, _candidate())
    with canonical.writing(mem._store, "test") as held:
        bad = Malformed("domain", "wrong-type", "title is no text", {"title": 5})
        staging.write(mem._store, held, staging.replace(file, items=(*file.items, bad)))
    rows = mem.sql("select problem, category, title from candidates order by position").rows
    assert [tuple(row.values()) for row in rows] == [(None, "lessons", "Measure"), ("wrong-type", "domain", None)]


def test_a_dead_letter_has_its_reason_and_the_class_of_it(mem):
    letter = deadletters.DeadLetter("s", 1_764_500_000_000, 3, "model_error: no answer", "lessons", _candidate())
    with canonical.writing(mem._store, "test") as held:
        deadletters.bury(mem._store, held, letter)
    (row,) = mem.sql("select * from dead_letters").rows
    assert (row["reason"], row["reason_class"], row["attempts"]) == ("model_error: no answer", "model_error", 3)
    assert row["file"].startswith("deadletter/s.lessons.")
    assert len(mem.sql("select * from candidates")) == 0


def test_a_question_joins_them_with_entries(mem):
    mem.store(question="Which queue?", result={"conclusion": "Keep it."})
    _stage(mem, _candidate())
    found = mem.sql("select (select count(*) from entries) as entries, count(*) as candidates from candidates")
    assert found.rows[0] == {"entries": 1, "candidates": 1}
