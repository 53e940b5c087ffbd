"""Dead letters go back into staging: none lost, none twice, what cannot be read is left."""

import pytest

from memkit.consolidate import recover as recovering
from memkit.consolidate.balance import balance
from memkit.consolidate.consolidating import consolidate
from memkit.consolidate.recover import recover
from memkit.errors import LockedError
from memkit.model.candidate import Candidate, Malformed
from memkit.model.ledger import Ledger, LedgerLine
from memkit.store import audit_log, canonical, deadletters, ledger, records, staging
from memkit.store.deadletters import DeadLetter
from memkit.store.verify import verify
from tests.stores import open_store


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


def candidate(text, attempts=3):
    return Candidate("lessons", text, text, text, ("t",), reconcile_attempts=attempts)


def bury(store, *texts, session="s", reason="model_error: timeout", letter=None):
    with canonical.writing(store, "test") as held:
        for text in texts:
            deadletters.bury(store, held, DeadLetter(session, "", 3, reason, "lessons", candidate(text)))
        if letter:
            deadletters.bury(store, held, letter)


def staged(store):
    return {
        (file.session_id, each.text, each.reconcile_attempts)
        for file in staging.read_all(store.paths)[0]
        for each in file.candidates
    }


def test_letters_go_back_grouped_by_session_with_no_attempts(store):
    bury(store, "one thing", "two things")
    bury(store, "three things", session="t", reason="needs_verdict")
    report = recover(store)
    assert staged(store) == {("s", "one thing", 0), ("s", "two things", 0), ("t", "three things", 0)}
    assert deadletters.read_letters(store.paths) == ([], [])
    assert (len(report.recovered), report.classes) == (3, {"model_error": 2, "needs_verdict": 1})
    assert verify(store) == []
    ends = [each for each in audit_log.read_events(store.paths)[0] if each.get("status") == "completed"]
    assert (ends[-1]["worker"], ends[-1]["counts"]) == ("memory_consolidation", {"restaged": 3})


def test_only_those_asked_for_go_back(store):
    bury(store, "one thing")
    bury(store, "two things", reason="conflict: edited meanwhile")
    bury(store, "three things", session="t")
    report = recover(store, classes=["model_error"], session_id="s")
    assert (staged(store), report.n_filtered) == ({("s", "one thing", 0)}, 2)


def test_what_is_staged_already_is_not_staged_twice_and_its_letter_goes(store):
    bury(store, "one thing")
    with canonical.writing(store, "test") as held:
        staging.stage(store, held, "s", [candidate("One thing!", attempts=1)])
    report = recover(store)
    assert (staged(store), report.n_known, report.recovered) == ({("s", "One thing!", 1)}, 1, ())
    assert deadletters.read_letters(store.paths)[0] == []


def test_what_is_no_candidate_is_left_with_a_report(store):
    bad = DeadLetter(
        "s", "", 0, "malformed: wrong-type", "lessons", Malformed("lessons", "wrong-type", "x", {"title": 5})
    )
    bury(store, "one thing", letter=bad)
    (store.paths.deadletter / "torn.json").touch(0o600)
    report = recover(store)
    assert [each.why.split(":")[0].split(".")[0] for each in report.left] == ["wrong-type", "the file is empty"]
    assert "mend it by hand" in report.left[1].why
    assert len(list(store.paths.deadletter.iterdir())) == 2
    assert staged(store) == {("s", "one thing", 0)}


def test_a_dry_run_says_the_same_and_changes_nothing(store):
    bury(store, "one thing", "two things")
    before = deadletters.read_letters(store.paths)
    dry = recover(store, dry_run=True)
    assert (deadletters.read_letters(store.paths), staged(store)) == (before, set())
    wet = recover(store)
    assert (dry.classes, len(dry.recovered)) == (wet.classes, len(wet.recovered))


def test_a_session_whose_file_is_not_ours_to_change_keeps_its_letters(store):
    bury(store, "one thing")
    bury(store, "two things", session="t")
    store.paths.staging.mkdir(mode=0o700)
    path = store.paths.staging / "s.json"
    path.touch(0o600)
    path.write_bytes(b'{"schemaVersion": 9}')
    report = recover(store)
    assert (staged(store), len(report.left)) == ({("t", "two things", 0)}, 1)
    assert [each.session_id for each in deadletters.read_letters(store.paths)[0]] == ["s"]


def test_nothing_is_recovered_while_somebody_else_writes(store):
    bury(store, "one thing")
    with canonical.writing(store, "reconcile"), pytest.raises(LockedError):
        recover(store)
    assert len(deadletters.read_letters(store.paths)[0]) == 1


def test_without_dead_letters_nothing_is_done(store):
    assert recover(store).recovered == ()


def fates(store):
    lives = Ledger.of(ledger.read(store.paths)[0]).lives.values()
    return [(life.fate, life.reason, life.attempts) for life in lives]


class CutOff(Exception):
    """Somebody pulled the plug."""


def dead(store):
    """A candidate that reconciling made a dead letter of."""
    with canonical.writing(store, "test") as held:
        ledger.append(
            store,
            held,
            [
                LedgerLine("attempt", store.clock.now(), "r", KEY, "s", "lessons", ONE.digest, n=3),
                LedgerLine("fate", store.clock.now(), "r", KEY, "s", "lessons", ONE.digest, fate="dead_lettered"),
            ],
        )
    bury(store, "one thing")


ONE = candidate("one thing")
KEY = ONE.key("s")


def test_the_ledger_counts_attempts_from_0_again_and_stays_even(store):
    dead(store)
    assert fates(store) == [("dead_lettered", "", 3)]
    recover(store)
    assert fates(store) == [("restaged", "recovered", 0)]
    assert balance(store.paths).is_even
    assert [row.fate for row in consolidate(store, [])] == ["added"]
    assert staged(store) == set()
    assert balance(store.paths).is_even
    assert recover(store).recovered == ()


@pytest.mark.parametrize("step", ["staging.stage", "ledger.append", "deadletters.unbury"])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("consolidates", [False, True], ids=["then-recover", "then-consolidate"])
def test_a_cut_at_any_step_loses_nothing_and_adds_nothing_twice(store, monkeypatch, step, after, consolidates):
    dead(store)
    room, name = step.split(".")
    whole = getattr(recovering, room)
    real = getattr(whole, name)

    def cut(*given, **named):
        if after:
            real(*given, **named)
        raise CutOff

    monkeypatch.setattr(whole, name, cut)
    with pytest.raises(CutOff):
        recover(store)
    monkeypatch.undo()
    assert balance(store.paths).is_even
    if consolidates:
        consolidate(store, [])
        assert balance(store.paths).is_even
    recover(store)
    consolidate(store, [])
    assert balance(store.paths).is_even
    assert (staged(store), deadletters.read_letters(store.paths)[0]) == (set(), [])
    assert [(life[0], life[2]) for life in fates(store)] == [("added", 0)]
    assert len(records.read_all(store.paths).records) == 1
