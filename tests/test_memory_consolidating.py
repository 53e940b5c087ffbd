"""`mem.consolidate` and `mem.reconcile`: by hand, from a session to records, and nowhere else."""

import pathlib
import warnings
from dataclasses import replace

import pytest

import memkit
from memkit.errors import ImportSourceError, LockedError, MemkitWarning, UsageError
from memkit.store import canonical, deadletters
from memkit.store.deadletters import DeadLetter
from memkit.testing import temp_memory_root
from tests.consolidate.test_reconcile import LEASE, fates, keep, made, stage, tree

SESSION = pathlib.Path(__file__).parents[1] / "data-samples" / "sessions" / "2026-04-12-message-storm.jsonl"


@pytest.fixture
def mem():
    with temp_memory_root() as memory:
        yield memory


def test_a_session_becomes_records_that_questions_see_at_once(mem):
    assert mem.sql("select count(*) as n from records").rows[0]["n"] == 0
    report = mem.consolidate(SESSION)
    assert report.n_extracted == 3
    assert report.counts["added"] == 3
    assert mem.sql("select count(*) as n from records").rows[0]["n"] == 3
    assert mem.staging.balance().is_even
    rows = mem.sql("select fate, session_id, first_turn, record, run_id from consolidation_ledger order by record").rows
    assert [row["fate"] for row in rows] == ["added"] * 3
    assert {row["record"] for row in rows} == set(report.written)
    assert {row["run_id"] for row in rows} == {report.run_id}
    again = mem.consolidate(SESSION)
    assert (again.n_extracted, len(again)) == (0, 0)


def test_what_waits_is_in_the_ledger_without_a_fate(mem):
    mem.staging.extract(SESSION)
    rows = mem.sql("select distinct fate, category from consolidation_ledger order by category").rows
    assert [(row["fate"], row["category"]) for row in rows] == [
        (None, "decisions"), (None, "lessons"), (None, "preferences"),
    ]  # fmt: skip
    assert mem.reconcile().counts["added"] == 3


def test_a_dry_run_says_the_same_and_changes_no_byte(mem):
    mem.store(question="Which queue?", result={"conclusion": "PostgreSQL."})
    before = tree(mem._store)
    planned = mem.consolidate(SESSION, dry_run=True)
    assert tree(mem._store) == before
    assert fates(planned) == fates(mem.consolidate(SESSION))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"session": "nobody"}, ImportSourceError),
        ({"session": "gone.jsonl"}, ImportSourceError),
        ({"session": SESSION, "branch": "x"}, ImportSourceError),
        ({"branch": "x"}, UsageError),
        ({"session": SESSION, "extractor": "magic"}, UsageError),
        ({"session": SESSION, "adjudicator": "magic"}, UsageError),
        ({"session": SESSION, "extractor": "model"}, UsageError),
    ],
    ids=["id", "path", "branch", "branch of nothing", "extractor", "adjudicator", "no model"],
)
def test_what_is_not_there_fails_before_anything_is_written(mem, options, error):
    stage(mem._store, "s1", made("lessons", LEASE))
    before = {path: path.read_bytes() for path in pathlib.Path(mem.paths.folder).rglob("*") if path.is_file()}
    with pytest.raises(error):
        mem.consolidate(**options)
    assert {path: path.read_bytes() for path in pathlib.Path(mem.paths.folder).rglob("*") if path.is_file()} == before


def test_without_a_model_it_warns_and_what_collides_stays_staged(mem):
    keep(mem._store, "lease", f"# Lease\n\n{LEASE}")
    stage(mem._store, "s1", made("lessons", f"{LEASE} But look at the network first."), made("domain", "Ferries run."))
    with pytest.warns(MemkitWarning, match="model_missing"):
        report = mem.reconcile(adjudicator="model")
    assert sorted(fates(report)) == [("added", ""), ("restaged", "model_missing")]
    assert report.rows[0].attempts == 0


def test_a_locked_start_names_the_holder_and_is_in_the_log(mem):
    stage(mem._store, "s1", made("lessons", LEASE))
    with canonical.writing(mem._store, "recover"), pytest.raises(LockedError, match="recover"):
        mem.consolidate()
    run = mem.sql("select status, reason from audit_runs").rows[0]
    assert (run["status"], run["reason"]) == ("failed", "lock_held")


OUTCOMES = {
    "nothing staged": ((), "skipped", "no_staging"),
    "a record": ((made("lessons", LEASE),), "completed", "records_updated"),
    "nobody can tell": ((made("lessons", f"{LEASE} But look at the network."),), "completed", "no_record_changes"),
}


@pytest.mark.parametrize(("candidates", "status", "reason"), OUTCOMES.values(), ids=OUTCOMES)
def test_the_log_says_how_a_run_ended(mem, candidates, status, reason):
    if reason == "no_record_changes":
        keep(mem._store, "lease", f"# Lease\n\n{LEASE}")
    if candidates:
        stage(mem._store, "s1", *candidates)
    mem.consolidate()
    run = mem.sql("select status, reason, trigger from audit_runs where worker = 'memory_consolidation'").rows[0]
    assert (run["status"], run["reason"], run["trigger"]) == (status, reason, "manual")


def test_progress_sees_every_candidate(mem):
    stage(mem._store, "s1", made("lessons", LEASE), made("domain", "Ferries run."))
    seen = []

    def watch(items):
        for each in items:
            seen.append(each)
            yield each

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mem.consolidate(progress=watch)
    assert len(seen) == 2


def test_a_memory_that_is_off_consolidates_nothing(tmp_path):
    with (
        memkit.open(tmp_path, root=tmp_path / "root", enabled=False, even_if_off=True) as memory,
        pytest.raises(memkit.errors.NotEnabledError),
    ):
        memory.consolidate()


def test_a_review_in_a_memory_shows_its_records_to_the_next_question(mem):
    stage(mem._store, "s1", made("lessons", LEASE))
    assert mem.sql("select count(*) as n from records").rows[0]["n"] == 0
    review = mem.staging.review()
    review.decide(review[0].key, "distinct").apply()
    assert mem.sql("select count(*) as n from records").rows[0]["n"] == 1


@pytest.mark.parametrize("recover", [True, ["model_error"]])
def test_dead_letters_come_back_first_if_that_is_asked_for(mem, recover):
    store = mem._store
    with canonical.writing(store, "test") as held:
        for reason, text in (("model_error", LEASE), ("bad_verdict", "Ferries are red.")):
            letter = DeadLetter("s", "", 3, reason, "lessons", replace(made("lessons", text), reconcile_attempts=3))
            deadletters.bury(store, held, letter)
    before = tree(store)
    plan = mem.consolidate(recover=recover, dry_run=True)
    assert tree(store) == before
    report = mem.consolidate(recover=recover)
    n = 2 if recover is True else 1
    assert plan.n_recovered == report.n_recovered == report.counts["added"] == plan.counts["added"] == n
    assert {row.attempts for row in report} == {0}
    assert f"0 extracted, {n} recovered" in report.to_text()
    assert len(mem.staging.dead_letters()) == 2 - n
    assert mem.consolidate().n_recovered == 0
    assert mem.staging.balance().is_even


@pytest.mark.parametrize("recover", ["model_error", [3]])
def test_classes_to_recover_are_a_list_of_texts(mem, recover):
    with pytest.raises(UsageError) as refused:
        mem.consolidate(recover=recover)
    assert refused.value.field == "recover"


def test_what_was_used_is_said_for_records_and_entries(mem):
    entry = mem.store(question="Which queue?", result={"conclusion": "PostgreSQL."}).id
    mem.read(entry)
    mem.read(entry)
    report = mem.consolidate()
    assert (report.n_firings, report.n_reinforced, report.n_used_entries) == (2, 0, 1)
    assert "2 counted, of 1 entry" in report.to_text()
    assert "0 records" not in report.to_text()
