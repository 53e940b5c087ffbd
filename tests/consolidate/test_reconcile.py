"""Each candidate meets its fate: added, duplicate, superseding, merged, discarded, conflict, restaged, dead letter."""

import pathlib
import random
from dataclasses import replace

import pytest

import memkit.present  # noqa: F401 - draws what is shown
from memkit.consolidate.adjudicate import PersonAdjudicator, RuleAdjudicator, Verdict
from memkit.consolidate.balance import balance
from memkit.consolidate.consolidating import FromSession, consolidate
from memkit.consolidate.corpus import Corpus, body_of, joined
from memkit.consolidate.rules import RuleExtractor
from memkit.display import mimebundle
from memkit.errors import InvalidInputError, LockedError, ModelError
from memkit.importers.sessions.reading import read_session
from memkit.model.candidate import Candidate, Evidence, repaired
from memkit.model.record import Record, record_hash, write_record
from memkit.retention.erase import erase
from memkit.store import audit_log, canonical, deadletters, ledger, pending, records, staging
from memkit.store.new_entry import NewEntry
from memkit.store.verify import verify
from tests.stores import open_store

LEASE = "Measure the lease before you blame the queue for a slow worker."
QUEUE = "We keep PostgreSQL as the queue because it is enough."


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


def made(category, body, *, turn=3, **fields):
    return repaired(
        Candidate(
            category, fields.pop("title", ""), body=body, evidence=(Evidence(turn, turn + 1, body[:40]),), **fields
        )
    )


def stage(store, session, *candidates):
    with canonical.writing(store, "test") as held:
        staging.stage(store, held, session, candidates)


def put_raw(store, session, *candidates):
    """Stage what staging itself would refuse, as another tool might."""
    with canonical.writing(store, "test") as held:
        file = staging.StagingFile(f"{session}.json", session, None, store.paths.project_path, candidates)
        staging.write(store, held, file)


TOO_LONG = Candidate("domain", "Long", "s", "x " * 15_000)


def keep(store, slug, body, kind="lesson", **fields):
    record = Record(slug, kind, body, **fields)
    path = store.paths.folder / record.path
    store.make_folders()
    path.parent.mkdir(mode=0o700, exist_ok=True)
    path.write_bytes(write_record(record))
    path.chmod(0o600)
    return record


def run(store, *adjudicators, **options):
    return consolidate(store, [RuleAdjudicator(), *adjudicators], **options)


def fates(report):
    return [(row.fate, row.reason) for row in report]


def tree(store):
    return {
        str(path): path.read_bytes()
        for path in sorted(pathlib.Path(store.paths.folder).rglob("*"))
        if path.is_file() and store.paths.logs not in path.parents and not path.name.endswith(".lock")
    }


def read(store, slug):
    return records.require(store.paths, records.find(store.paths, slug))


def sound(store):
    assert balance(store.paths).is_even
    assert verify(store) == []


class Model:
    """A model that answers what it is told to."""

    name = "model:scripted"
    asks = "model"

    def __init__(self, *answers, missing=""):
        self.answers = list(answers)
        self.missing = missing
        self.n_asked = 0

    def ready(self, question):
        return self.missing

    def decide(self, question):
        self.n_asked += 1
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, BaseException):
            raise answer
        return answer(question) if callable(answer) else answer


# -- by rules ----------------------------------------------------------------------------------------------------


def test_what_stands_alone_becomes_a_record_that_reads_well(store):
    stage(store, "s1", made("decisions", QUEUE, tripwires=("write QPS exceeds 5k for 24h",), tags=("queue",)))
    report = run(store)
    assert fates(report) == [("added", "")]
    record = read(store, "we-keep-postgresql-as-the-queue-because-it-is-enough")
    assert record.body == (
        "# We keep PostgreSQL as the queue because it is enough\n\n## Tripwire conditions\n\n- write QPS exceeds 5k for 24h"
    )
    assert (record.kind, record.sources, record.tags) == ("decision", ("session s1, turns 3-4",), ("queue",))
    assert not list(store.paths.staging.iterdir())
    sound(store)


def test_knowledge_goes_to_its_own_folder_and_a_taken_name_gets_a_number(store):
    keep(store, "ferries", "# Ferries\n\nBuilt in 1970 by a yard in the north.", kind="domain")
    stage(store, "s1", made("domain", "They run every twenty minutes in summer.", title="Ferries"))
    assert run(store).written == ("knowledge/ferries-2.md",)


def test_the_same_words_are_a_duplicate_that_reinforces_and_names_its_source(store, clock):
    stage(store, "s1", made("lessons", LEASE))
    run(store)
    stage(store, "s2", made("lessons", LEASE.upper().replace(".", "!"), turn=9))
    report = run(store)
    assert fates(report) == [("duplicate", "")]
    record = read(store, report.rows[0].record.partition("/")[2].removesuffix(".md"))
    assert record.reinforcement_count == 1
    assert record.last_seen_at == clock.now()
    assert record.sources == ("session s1, turns 3-4", "session s2, turns 9-10")
    sound(store)


TURNED = {
    "a negation": "Never measure the lease before you blame the queue for a slow worker.",
    "a number": "Measure the lease 3 times before you blame the queue for a slow worker.",
}


@pytest.mark.parametrize("text", TURNED.values(), ids=TURNED)
def test_nearly_the_same_words_with_another_meaning_wait_for_a_person(store, text):
    stage(store, "s1", made("lessons", LEASE))
    run(store)
    stage(store, "s2", made("lessons", text))
    assert fates(run(store)) == [("restaged", "needs_verdict")]


def test_a_long_text_with_one_other_word_is_a_duplicate(store):
    words = [f"word{chr(97 + i % 26)}{chr(97 + i // 26)}" for i in range(60)]
    stage(store, "s1", made("lessons", " ".join(words)))
    run(store)
    stage(store, "s2", made("lessons", " ".join([*words[:-1], "different"])))
    assert fates(run(store)) == [("duplicate", "")]


def test_a_stated_link_supersedes_and_both_records_say_so(store):
    keep(store, "old-queue", f"# Old queue\n\n{QUEUE}", kind="decision")
    stage(store, "s1", made("decisions", "Kafka carries the events from now on.", supersedes=("Old queue",)))
    report = run(store)
    assert fates(report) == [("superseding", "")]
    old = read(store, "old-queue")
    assert (old.status, old.superseded_by) == ("superseded", "kafka-carries-the-events-from-now-on")
    assert read(store, old.superseded_by).supersedes == ("old-queue",)
    sound(store)


def test_a_link_that_could_mean_two_is_left_to_a_person(store):
    keep(store, "old-queue", "# Queue\n\nWe keep it.", kind="decision")
    keep(store, "older-queue", "# Queue\n\nWe had it.", kind="decision")
    stage(store, "s1", made("decisions", "Kafka carries the events from now on.", supersedes=("Queue",)))
    assert fates(run(store)) == [("restaged", "needs_verdict")]


def test_what_says_again_something_superseded_is_not_taken_up_anew(store):
    keep(store, "old-queue", f"# Old queue\n\n{QUEUE}", kind="decision", status="superseded", superseded_by="kafka")
    keep(store, "kafka", "# Kafka\n\nThe broker of all events.", kind="decision", supersedes=("old-queue",))
    stage(store, "s1", made("decisions", QUEUE))
    assert fates(run(store)) == [("restaged", "needs_verdict")]


def test_a_lesson_is_no_duplicate_of_a_decision(store):
    stage(store, "s1", made("decisions", QUEUE))
    stage(store, "s2", made("lessons", QUEUE))
    assert fates(run(store)) == [("added", ""), ("added", "")]


def test_within_one_run_later_candidates_see_what_earlier_ones_became(store):
    stage(store, "s1", made("lessons", LEASE))
    stage(store, "s2", made("lessons", f"{LEASE} "), made("lessons", LEASE.lower()))
    stage(store, "s3", made("lessons", LEASE.replace(".", "")))
    report = run(store)
    assert report.counts["added"] == 1
    assert report.counts["duplicate"] == 2
    sound(store)


# -- leftovers ---------------------------------------------------------------------------------------------------


def test_a_second_run_changes_no_byte(store):
    keep(store, "old-queue", f"# Old queue\n\n{QUEUE}", kind="decision")
    stage(store, "s1", made("lessons", LEASE), made("decisions", f"{QUEUE} For now, that is, until spring comes."))
    stage(
        store,
        "s2",
        made("decisions", "Kafka carries the events.", supersedes=("old-queue",)),
    )
    put_raw(store, "s3", TOO_LONG)
    report = run(store)
    assert {fate for fate, _ in fates(report)} == {"added", "superseding", "restaged", "dead_lettered"}
    before = tree(store)
    again = run(store)
    assert tree(store) == before
    assert [fate for fate, _ in fates(again)] == ["restaged"]


def test_a_dry_run_says_the_same_and_changes_no_byte(store):
    keep(store, "old-queue", f"# Old queue\n\n{QUEUE}", kind="decision")
    stage(store, "s1", made("lessons", LEASE), made("lessons", f"Never {LEASE}"))
    stage(store, "s2", made("decisions", "Kafka carries the events.", supersedes=("old-queue",)))
    put_raw(store, "s3", TOO_LONG)
    before = tree(store)
    planned = run(store, dry_run=True)
    assert tree(store) == before
    done = run(store)
    assert [row.to_dict() for row in planned] == [row.to_dict() for row in done]
    assert planned.dry_run
    assert not done.dry_run


def test_what_cannot_be_a_record_is_a_dead_letter_at_once_with_its_original(store):
    stage(store, "s1", made("lessons", LEASE))
    (file,) = staging.read_all(store.paths)[0]
    raw = file.to_dict()
    raw["candidates"]["domain"].append({"title": 7, "note": "mine"})
    raw["candidates"]["domain"].append({"body": "b" * 20_001, "mine": True})
    import json

    (store.paths.staging / file.name).write_text(json.dumps(raw))
    report = run(store)
    assert sorted(fates(report)) == [
        ("added", ""), ("dead_lettered", "long-body"), ("dead_lettered", "malformed:wrong-type"),
    ]  # fmt: skip
    letters, _ = deadletters.read_letters(store.paths)
    kept = [each.to_dict()["candidate"] for each in letters]
    assert {"title": 7, "note": "mine"} in kept
    assert any(each.get("mine") is True for each in kept)
    assert balance(store.paths).is_even


def test_secrets_are_masked_on_the_way_into_a_record(root, project, clock):
    from memkit.store.scrub import Scrubber
    from memkit.store.scrub_patterns import shipped_patterns

    store = open_store(root, project, clock)
    store.scrubber = Scrubber(shipped_patterns())
    token = "ghp_" + "a1B2" * 9
    stage(store, "s1", made("lessons", f"The token {token} must rotate."))
    report = run(store)
    assert sum(report.masked.values()) >= 1
    assert all(token not in path.read_text() for path in store.paths.memory.iterdir())


def test_a_candidate_of_another_scope_is_left_to_whoever_wrote_it(store):
    stage(store, "s1", made("lessons", LEASE, scope="global"))
    assert fates(run(store)) == [("restaged", "other_scope")]


# -- persons and models ------------------------------------------------------------------------------------------


@pytest.fixture
def colliding(store):
    """A record, and a candidate that rules cannot tell."""
    keep(store, "lease", f"# Lease\n\n{LEASE}\n\nIt takes an hour.", triggers=("slow worker",), tags=("ops",))
    stage(store, "s1", made("lessons", f"{LEASE} But look at the network first.", tags=("net",)))
    return store


def key_of(store):
    (file,) = staging.read_all(store.paths)[0]
    (candidate,) = file.candidates
    return candidate.key(file.session_id)


def person(store, decision, target="memory/lease.md", **more):
    target = "" if decision in {"distinct", "discard"} else target
    return PersonAdjudicator({key_of(store): Verdict(decision, target, **more)})


@pytest.mark.parametrize(
    ("decision", "fate"),
    [("distinct", "added"), ("duplicate", "duplicate"), ("supersedes", "superseding"), ("merge", "merged"), ("discard", "discarded")],
)  # fmt: skip
def test_a_person_can_give_each_of_the_five_verdicts(colliding, decision, fate):
    report = run(colliding, person(colliding, decision))
    assert fates(report) == [(fate, "")]
    assert report.rows[0].adjudicator == "person"
    assert not list(colliding.paths.staging.iterdir())
    sound(colliding)


def test_a_merge_keeps_both_texts_in_a_new_record_and_the_old_one_beneath(colliding):
    report = run(colliding, person(colliding, "merge"))
    new = read(colliding, report.written[0].partition("/")[2].removesuffix(".md"))
    assert new.body.startswith(f"# Lease\n\n{LEASE}\n\nIt takes an hour.")
    assert "look at the network first" in new.body
    assert set(new.tags) == {"ops", "net"}
    assert read(colliding, "lease").superseded_by == new.slug
    assert report.n_trimmed == 0
    shorter = "# Lease\n\nMeasure it."
    stage(colliding, "s2", made("lessons", f"{LEASE} But not the network, I say."))
    again = run(colliding, PersonAdjudicator({key_of(colliding): Verdict("merge", new.path, body=shorter)}))
    assert again.n_trimmed == 1


def test_a_record_edited_since_the_person_looked_makes_a_conflict_and_keeps_both_texts(colliding):
    seen = {"memory/lease.md": records.find(colliding.paths, "lease").sha256}
    path = colliding.paths.memory / "lease.md"
    path.write_text(path.read_text() + "\nEdited by hand.\n")
    edited = path.read_bytes()
    report = run(colliding, person(colliding, "supersedes", seen=seen))
    assert fates(report) == [("conflict", "record_edited")]
    assert path.read_bytes() == edited
    assert key_of(colliding)
    sound(colliding)
    assert fates(run(colliding, person(colliding, "supersedes"))) == [("superseding", "")]


def test_a_record_edited_while_the_run_decides_makes_a_conflict_and_the_others_go_on(colliding):
    path = colliding.paths.memory / "lease.md"
    stage(colliding, "s0", made("domain", "Ferries run every twenty minutes."))

    class Slow(PersonAdjudicator):
        def decide(self, question):
            path.write_text(path.read_text() + "\nEdited meanwhile.\n")
            return super().decide(question)

    (verdicts,) = [
        {c.key(f.session_id): Verdict("supersedes", "memory/lease.md")}
        for f in staging.read_all(colliding.paths)[0] if f.session_id == "s1" for c in f.candidates
    ]  # fmt: skip
    report = run(colliding, Slow(verdicts))
    assert fates(report) == [("added", ""), ("conflict", "record_edited")]
    assert "Edited meanwhile" in path.read_text()
    assert read(colliding, "lease").is_active
    sound(colliding)


def test_without_a_model_what_collides_is_staged_with_no_attempt(colliding):
    assert fates(run(colliding, Model(missing="model_missing"))) == [("restaged", "model_missing")]
    (file,) = staging.read_all(colliding.paths)[0]
    assert file.candidates[0].reconcile_attempts == 0


def test_a_failing_model_is_tried_three_times_and_then_the_candidate_is_a_dead_letter(colliding):
    attempts = []
    for _ in range(3):
        report = run(colliding, Model(ModelError("timed out")))
        attempts.append((report.rows[0].attempts, report.rows[0].fate, report.rows[0].reason))
    assert attempts == [
        (1, "restaged", "model_error"), (2, "restaged", "model_error"), (3, "dead_lettered", "model_error"),
    ]  # fmt: skip
    (letter,) = deadletters.read_letters(colliding.paths)[0]
    assert (letter.attempts, letter.last_gate_reason) == (3, "model_error")
    sound(colliding)


def test_nonsense_of_a_model_counts_as_an_attempt_and_writes_nothing(colliding):
    before = records.find(colliding.paths, "lease").sha256
    for verdict in (Verdict("duplicate", "memory/nowhere.md"), Verdict("merge"), Verdict("eat", "memory/lease.md")):
        report = run(colliding, Model(verdict))
        assert report.rows[0].reason == "bad_verdict"
    assert report.rows[0].fate == "dead_lettered"
    assert records.find(colliding.paths, "lease").sha256 == before


def test_an_interrupted_question_takes_its_attempt_back(colliding):
    with pytest.raises(KeyboardInterrupt):
        run(colliding, Model(KeyboardInterrupt()))
    assert [line.event for line in ledger.read(colliding.paths)[0]] == ["attempt", "withdrawn"]
    assert run(colliding, Model(ModelError("x"))).rows[0].attempts == 1


def test_a_kill_while_a_model_is_asked_keeps_the_attempt(colliding):
    class Killed(BaseException):
        pass

    with pytest.raises(Killed):
        run(colliding, Model(Killed()))
    assert run(colliding, Model(ModelError("x"))).rows[0].attempts == 2


def test_a_dry_run_asks_no_model(colliding):
    model = Model(Verdict("distinct"))
    assert fates(run(colliding, model, dry_run=True)) == [("restaged", "would_ask")]
    assert model.n_asked == 0


@pytest.mark.parametrize(
    "verdict",
    [Verdict("duplicate"), Verdict("distinct", "memory/a.md"), Verdict("discard", body="x"), Verdict("perhaps")],
    ids=["no target", "needless target", "needless text", "unknown"],
)
def test_a_persons_verdict_that_makes_no_sense_is_refused_at_once(verdict):
    with pytest.raises(InvalidInputError):
        PersonAdjudicator({"k": verdict})


# -- one writer, any crash -------------------------------------------------------------------------------------


def test_two_consolidations_at_once_do_not_wait_for_each_other(store):
    stage(store, "s1", made("lessons", LEASE))
    with canonical.writing(store, "consolidate"), pytest.raises(LockedError, match="consolidate"):
        run(store)
    assert fates(run(store)) == [("added", "")]


def test_a_change_that_was_cut_off_is_carried_to_its_end_by_any_writer(store, monkeypatch):
    keep(store, "old-queue", f"# Old queue\n\n{QUEUE}", kind="decision")
    stage(store, "s1", made("decisions", "Kafka carries the events.", supersedes=("old-queue",)))
    from memkit.store import durable

    class Cut(BaseException):
        pass

    def cut(*_):
        raise Cut

    put_in_place = durable.put_in_place
    monkeypatch.setattr(durable, "put_in_place", cut)
    with pytest.raises(Cut):
        run(store)
    monkeypatch.setattr(durable, "put_in_place", put_in_place)
    assert {problem.code for problem in verify(store)} == {"unfinished-consolidation"}
    with canonical.writing(store, "anything"):
        pass
    assert read(store, "old-queue").superseded_by == "kafka-carries-the-events"
    said = audit_log.read_events(store.paths)[0][-4:]
    assert [(each.get("op"), each.get("trigger"), each["status"]) for each in said] == [
        (None, "startup_recovery", "started"),
        ("write", None, "done"),
        ("edit", None, "done"),
        (None, "startup_recovery", "completed"),
    ]
    assert (said[2]["slug"], said[2]["reason"], said[2]["after_hash"]) == (
        "old-queue", "rolled_forward", record_hash((store.paths.memory / "old-queue.md").read_bytes()),
    )  # fmt: skip
    assert said[3]["counts"] == {"write": 1, "edit": 1}
    assert pending.waiting(store.paths) == []
    assert run(store).rows == ()
    sound(store)


def test_names_outside_of_the_records_cannot_be_committed(store):
    stage(store, "s1", made("lessons", LEASE))
    run(store)
    text = store.paths.ledger.read_text().replace("memory/measure", "memory/../../measure")
    store.paths.ledger.write_text(text)
    assert ledger.read(store.paths)[0] == []
    assert {problem.code for problem in verify(store)} == {"damaged-ledger"}


def test_the_account_names_a_candidate_that_is_nowhere(store):
    keep(store, "lease", f"# Lease\n\n{LEASE}")
    stage(store, "s1", made("lessons", f"{LEASE} But look at the network."), made("domain", "Ferries run."))
    run(store)
    (left,) = list(store.paths.staging.iterdir())
    left.unlink()
    account = balance(store.paths)
    assert len(account.unaccounted) == 1
    assert not account.is_even


def test_no_candidate_is_lost_over_many_runs_and_sessions(store):
    chance = random.Random(4)
    words = [f"{a}{b}" for a in "kopalentirs" for b in "aeiou"]
    n_in = 0
    for session in range(6):
        bodies = {" ".join(chance.choices(words, k=chance.randint(4, 9))) for _ in range(25)}
        candidates = [
            made(chance.choice(["lessons", "preferences", "decisions", "domain"]), body) for body in sorted(bodies)
        ]
        n_in += len(candidates)
        stage(store, f"s{session}", *candidates)
        run(store)
        account = balance(store.paths)
        assert account.is_even
        assert account.n_in == n_in
    sound(store)


# -- texts -------------------------------------------------------------------------------------------------------


def test_joining_repeats_no_paragraph():
    assert joined("# A\n\nOne.\n\nTwo.", "# B\n\ntwo.\n\nThree.") == "# A\n\nOne.\n\nTwo.\n\nThree."


def test_a_title_that_is_the_text_is_not_said_twice():
    assert body_of(Candidate("lessons", "Measure first", body="Measure first.")) == "# Measure first"
    assert body_of(Candidate("lessons", "Lease", body="Measure first.")) == "# Lease\n\nMeasure first."


def test_a_damaged_record_is_left_alone_and_its_name_is_not_taken(store):
    keep(store, "ferries", "x")
    (store.paths.memory / "ferries.md").write_bytes(b"---\n: [\n---\n")
    stage(store, "s1", made("lessons", "Look at the tide first.", title="Ferries"))
    assert run(store).written == ("memory/ferries-2.md",)
    assert (store.paths.memory / "ferries.md").read_bytes() == b"---\n: [\n---\n"
    assert len(Corpus(store.paths)) == 1


def test_a_line_of_the_ledger_that_lacks_only_its_newline_counts_before_and_after_the_next_one(store):
    stage(store, "s1", made("lessons", LEASE))
    run(store)
    whole = store.paths.ledger.read_bytes()
    store.paths.ledger.write_bytes(whole.rstrip(b"\n"))
    assert len(ledger.read(store.paths)[0]) == 1
    stage(store, "s2", made("domain", "Ferries run every twenty minutes."))
    run(store)
    assert len(ledger.read(store.paths)[0]) == 2
    store.paths.ledger.write_bytes(whole[:-20])
    assert ledger.read(store.paths)[0] == []


def test_what_stood_behind_a_label_begins_as_a_sentence_does_in_its_record(store):
    said = (
        ("keep the queue. It works.", "Keep the queue. It works."),
        ("`NOTIFY` stays. It works.", "`NOTIFY` stays. It works."),
        ("iOS stays. It works.", "iOS stays. It works."),
    )
    for text, wanted in said:
        assert body_of(Candidate("decisions", "A title of its own", body=text)).endswith(f"\n\n{wanted}")


@pytest.mark.parametrize("where", ["staged", "dead letter"])
def test_a_candidate_that_was_erased_with_its_entry_is_accounted_for_and_does_not_come_back(store, where):
    (receipt,) = store.store_many([NewEntry(question="Which queue?", result={"conclusion": f"{QUEUE} zircon7polder"})])
    stage(store, "s1", made("lessons", f"{QUEUE} zircon7polder"), made("lessons", LEASE))
    if where == "dead letter":
        (file,) = staging.read_all(store.paths)[0]
        with canonical.writing(store, "test") as held:
            letter = deadletters.DeadLetter("s1", None, 3, "model_error", "lessons", file.items[0])
            deadletters.bury(store, held, letter)
            staging.write(store, held, replace(file, items=file.items[1:]))
    erase(store, receipt.id, confirm=True)
    account = balance(store.paths)
    assert (account.is_even, account.fates["erased"], account.waiting) == (True, 1, 1)
    stage(store, "s1", made("lessons", f"{QUEUE} zircon7polder"))  # somebody stages it once more
    report = run(store)
    assert [row.fate for row in report] == ["added"]
    assert balance(store.paths).fates["erased"] == 1
    sound(store)


SAID = '{"session_id": "s1", "role": "user", "content": "Lesson: measure the lease before you blame the queue."}\n'


def source_of(path, text):
    path.write_text(text)
    return FromSession(read_session(path), RuleExtractor(), tuple)


def test_a_run_with_nothing_to_do_says_the_whole_cause(store, tmp_path, clock):
    path = tmp_path / "s1.jsonl"
    assert (run(store).reason, run(store).cause) == ("no_staging", "nothing waits in staging")
    first = run(store, source=source_of(path, SAID))
    assert (first.reason, first.cause) == ("records_updated", "")
    at = f"{clock.now():%Y-%m-%d %H:%M} UTC"
    again = [run(store, source=source_of(path, SAID), dry_run=dry) for dry in (True, False)]
    assert {(each.reason, each.cause) for each in again} == {
        ("no_staging", f"nothing new in the session since {at}, and nothing waits in staging")
    }
    grown = SAID + '{"session_id": "s1", "role": "user", "content": "Thank you."}\n'
    assert run(store, source=source_of(path, grown)).cause.startswith("nothing to keep in the one new turn of")
    store.paths.staging.mkdir(exist_ok=True)
    (store.paths.staging / "torn.json").write_bytes(b"{")
    assert run(store).cause == "nothing waits in staging that can be read"
    assert "Skipped: nothing waits in staging that can be read." in mimebundle(run(store))["text/plain"]


def test_candidates_that_were_settled_already_are_no_reason_to_say_that_nothing_waits(store, tmp_path):
    path = tmp_path / "s1.jsonl"
    run(store, source=source_of(path, SAID))
    restated = '{"session_id": "s1", "role": "user", "content": "Hello."}\n' + SAID
    cause = run(store, source=source_of(path, restated)).cause
    assert cause == "what the session holds was staged or stored before (1), and nothing waits in staging"


@pytest.mark.parametrize("dry_run", [True, False], ids=["dry run", "run"])
def test_a_record_that_a_person_broke_is_named_kept_and_compared_with_nothing(store, dry_run):
    keep(store, "lease", f"# Lease\n\n{LEASE}")
    path = store.paths.memory / "lease.md"
    broken = path.read_bytes().replace(b"status: active", b"status: [active")
    path.write_bytes(broken)
    stage(store, "s1", made("lessons", LEASE, title="Lease"))
    report = run(store, dry_run=dry_run)
    assert [(row.fate, row.record) for row in report] == [("added", "memory/lease-2.md")]
    ((code, file),) = [(problem.code, problem.file) for problem in report.problems]
    assert (code, file) == ("damaged-record", "memory/lease.md")
    assert "memory/lease.md" in mimebundle(report)["text/plain"]
    assert path.read_bytes() == broken
