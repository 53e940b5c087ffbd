"""Applying does exactly what was reviewed, all of it or nothing, and refuses what changed since."""

import datetime as dt
import hashlib
import json
import pathlib

import pytest

from memkit.errors import EntryNotFoundError, InvalidInputError, PolicyError, StalePlanError
from memkit.store import receipts

OLD = {"max_age_days": 5, "max_results": "none"}


def digest_of(folder):
    """Every byte of a store but its locks and logs."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(pathlib.Path(folder).rglob("*"))
        if path.is_file() and not path.name.endswith(".lock") and "_logs" not in path.parts
    }


@pytest.fixture
def mem(open_mem, fill):
    memory = open_mem(max_age_days="none", max_results="none")
    memory.ids = fill(memory, 8)
    return memory


def test_a_review_shows_each_due_entry_with_every_rule(mem):
    review = mem.retention.review(OLD)
    assert [row.entry_id for row in review.due] == mem.ids[:3]
    row = review.due[0]
    assert row.verdict == "due"
    assert row.matched == ("max_age_days",)
    assert [trace.rule for trace in row.rules] == [
        "max_age_days", "max_results", "legal_hold", "pin", "restored", "stored_in_future", "unreadable",
    ]  # fmt: skip
    assert row.days_left == -2
    assert row.n_bytes == mem.paths.entry_file(row.entry_id).stat().st_size
    assert "stored 7 days ago, the limit is 5 days" in row.why
    assert review.sql.startswith("-- retention")
    assert review.totals["due"].n_entries == 3
    assert review.finds_something
    assert json.loads(json.dumps(review.to_dict()))["due"][0]["entry_id"] == mem.ids[0]


def test_looking_ahead_lists_what_is_soon_due_soonest_first(mem):
    review = mem.retention.review(OLD, due_within=2)
    assert [row.entry_id for row in review.due_soon] == mem.ids[3:5]
    assert [round(row.days_left, 6) for row in review.due_soon] == [1, 2]


def test_reviewing_and_a_dry_run_change_no_byte(mem):
    before = digest_of(mem.paths.folder)
    review = mem.retention.review(OLD)
    receipt = review.apply(dry_run=True)
    assert (receipt.moved, receipt.dry_run, receipt.plan_id) == (tuple(mem.ids[:3]), True, "")
    assert digest_of(mem.paths.folder) == before


def test_applying_moves_exactly_what_was_shown_and_leaves_a_receipt_without_text(mem):
    hashes = {i: hashlib.sha256(mem.paths.entry_file(i).read_bytes()).hexdigest() for i in mem.ids}
    ranks = [(hit.id, hit.score) for hit in mem.recall("queue question")]
    receipt = mem.retention.review(OLD).apply()
    assert receipt.moved == tuple(mem.ids[:3])
    assert {line.id for line in mem.list()} == set(mem.ids[3:])
    assert {hit.id for hit in mem.recall("queue")} == set(mem.ids[3:])
    (said,), _ = receipts.read(mem.paths)
    assert (said.moved, said.cause, said.plan_id) == (receipt.moved, "apply", receipt.plan_id)
    assert "queue" not in mem.paths.receipts.read_text()
    assert [row.title for row in mem.trash.list()] == [f"Question {i} about the queue?" for i in range(3)]
    mem.trash.restore(*receipt.moved)
    assert {i: hashlib.sha256(mem.paths.entry_file(i).read_bytes()).hexdigest() for i in mem.ids} == hashes
    assert [(hit.id, hit.score) for hit in mem.recall("queue question")] == ranks
    assert mem.verify() == []


def test_a_miss_says_that_what_was_asked_for_is_in_the_trash(mem):
    mem.retention.review(OLD).apply()
    missed = {cause.cause: cause.ids for cause in mem.recall("question 1").missed}
    assert set(missed["trash"]) == set(mem.ids[:3])
    mem.trash.restore(*mem.ids[:3])
    assert "trash" not in {cause.cause for cause in mem.recall("question 1").missed}


def test_a_restored_entry_is_protected_until_its_days_are_over(mem, clock):
    mem.retention.review(OLD).apply()
    mem.trash.restore(mem.ids[0])
    assert {row.entry_id: row.matched for row in mem.retention.review(OLD).kept_back} == {
        mem.ids[0]: ("max_age_days", "restored")
    }
    clock.advance(dt.timedelta(days=31))
    assert mem.ids[0] in {row.entry_id for row in mem.retention.review(OLD).due}


CHANGES = {
    "an entry was edited": (lambda mem: _edit(mem, 0), "entry {0} was changed"),
    "an entry that stays was edited": (lambda mem: _edit(mem, 7), "entry {7} was changed"),
    "an entry is gone": (lambda mem: mem.paths.entry_file(mem.ids[0]).unlink(), "entry {0} is gone"),
    "an entry was stored": (lambda mem: mem.store(question="New?", result={}), "was stored"),
    "an entry was pinned": (lambda mem: mem.retention.pin(mem.ids[0], "kept"), "a pin was set"),
    "an entry is held": (lambda mem: mem.retention.hold(mem.ids[0], "held"), "a hold was set"),
}


def _edit(mem, number):
    file = mem.paths.entry_file(mem.ids[number])
    file.write_bytes(file.read_bytes().replace(b"Answer", b"ANSWER"))


@pytest.mark.parametrize(("change", "said"), CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("by_file", [False, True], ids=["review", "file"])
def test_what_changed_since_the_review_is_named_and_nothing_moves(mem, tmp_path, change, said, by_file):
    review = mem.retention.review(OLD)
    plan = mem.retention.write_plan(review, tmp_path / "plan.json") if by_file else review
    change(mem)
    with pytest.raises(StalePlanError) as caught:
        mem.retention.apply(plan)
    wanted = said.format(*mem.ids)
    assert any(wanted in line for line in caught.value.changes), caught.value.changes
    assert caught.value.to_dict()["changes"]
    assert not mem.paths.trash.exists()


def test_a_plan_file_holds_no_text_and_does_what_it_says(mem, tmp_path):
    file = mem.retention.write_plan(mem.retention.review(OLD), tmp_path / "plan.json")
    assert "queue" not in file.read_text()
    assert mem.retention.apply(file).moved == tuple(mem.ids[:3])


def test_a_plan_that_was_edited_is_refused(mem, tmp_path):
    file = mem.retention.write_plan(mem.retention.review(OLD), tmp_path / "plan.json")
    file.write_text(file.read_text().replace(mem.ids[0], mem.ids[7]))
    with pytest.raises(InvalidInputError, match="edited"):
        mem.retention.apply(file)


PLANS = {"no JSON": b"{", "a list": b"[]", "another format": b'{"format": 99}', "a text": b'"x"'}


@pytest.mark.parametrize("data", PLANS.values(), ids=PLANS)
def test_what_is_no_plan_is_refused(mem, tmp_path, data):
    file = tmp_path / "plan.json"
    file.write_bytes(data)
    with pytest.raises(InvalidInputError, match="no retention plan"):
        mem.retention.apply(file)


def test_a_plan_that_is_not_there_is_refused(mem, tmp_path):
    with pytest.raises(InvalidInputError, match="no such file"):
        mem.retention.apply(tmp_path / "none.json")


def test_a_plan_of_another_store_is_refused(mem, tmp_path, root):
    from memkit.opening import open_memory
    from memkit.settings import Environment

    file = mem.retention.write_plan(mem.retention.review(OLD), tmp_path / "plan.json")
    other = tmp_path / "other"
    other.mkdir()
    environment = Environment(home=tmp_path, config_file=tmp_path / "config.toml")
    with (
        open_memory(other, root=root, enabled=True, environment=environment) as second,
        pytest.raises(StalePlanError, match="made for the store"),
    ):
        second.retention.apply(file)


def test_a_plan_made_by_the_settings_is_refused_under_other_settings(open_mem, fill, tmp_path):
    loose = open_mem(max_age_days="none", max_results="none")
    fill(loose, 8)
    strict = open_mem(max_age_days=5, max_results="none")
    file = strict.retention.write_plan(strict.retention.review(), tmp_path / "plan.json")
    with pytest.raises(StalePlanError, match="policy in the settings"):
        loose.retention.apply(file)
    assert strict.retention.apply(file).moved


def test_a_plan_that_would_leave_nothing_needs_a_yes_to_that(mem):
    everything = {"max_age_days": 0, "max_results": "none"}
    review = mem.retention.review(everything)
    assert review.is_everything
    with pytest.raises(PolicyError, match="would leave none"):
        review.apply()
    assert len(mem.list()) == 8
    assert len(review.apply(everything=True).moved) == 8
    assert mem.verify() == []


def test_one_pinned_entry_is_no_way_around_the_question_whether_everything_may_go(mem):
    mem.retention.pin(mem.list()[0].id, "The contract names it.")
    review = mem.retention.review({"max_results": 0})
    assert (len(review.due), len(review.kept_back)) == (7, 1)
    with pytest.raises(PolicyError, match="would leave none of the 7 entries it may forget"):
        review.apply()
    assert len(mem.list()) == 8


def test_a_miss_in_the_trash_names_the_command_that_lists_the_trash(mem):
    mem.retention.review(OLD).apply()
    with pytest.raises(EntryNotFoundError, match="matched: 0") as missed:
        mem.trash.restore("nowhere-at-all")
    assert missed.value.remedy == "`memkit trash list` shows ids."


def test_a_review_of_a_later_day_is_for_looking_only(mem, clock):
    review = mem.retention.review(OLD, clock.now() + dt.timedelta(days=100))
    assert len(review.due) == 8
    with pytest.raises(PolicyError, match="later than now"):
        review.apply(everything=True)


def test_a_clock_set_back_a_year_prunes_nothing_for_its_number_and_says_why(mem, clock):
    clock.advance(-dt.timedelta(days=365))
    review = mem.retention.review({"max_results": 2, "max_age_days": 5})
    assert review.due == ()
    assert "stored later than now" in review.doubts[0]
    assert {row.verdict for row in review.rows} == {"protected"}


def test_an_entry_from_the_future_stops_the_number_rule_and_not_the_age_rule(mem, clock):
    clock.advance(dt.timedelta(days=3))
    future = mem.store(question="From the future?", result={}).id
    clock.advance(-dt.timedelta(days=3))
    review = mem.retention.review({"max_results": 1, "max_age_days": 7})
    assert [row.entry_id for row in review.due] == mem.ids[:1]
    assert {row.entry_id: row.verdict for row in review.rows}[future] == "protected"
    assert "(6 would be)" not in review.doubts[0]
    assert "Nothing is pruned for its number" in review.doubts[0]


@pytest.mark.parametrize("name", ["pins", "holds"])
def test_a_damaged_pin_or_hold_prunes_nothing(mem, name):
    mem.retention.pin(mem.ids[7], "kept")
    file = getattr(mem.paths, name)
    file.write_bytes(b"{junk\n")
    review = mem.retention.review(OLD)
    assert review.blocked
    assert review.due == ()
    assert f"state/{name}.jsonl" in review.doubts[0]
    with pytest.raises(PolicyError):
        review.apply()


def test_pins_and_holds_keep_entries_and_holds_keep_the_trash(mem, clock):
    mem.retention.pin(mem.ids[0], "The contract names it.")
    mem.retention.hold(mem.ids[1], "Case 12")
    review = mem.retention.review(OLD)
    assert [row.entry_id for row in review.due] == mem.ids[2:3]
    assert {row.entry_id: row.verdict for row in review.kept_back} == {mem.ids[0]: "protected", mem.ids[1]: "held"}
    review.apply()
    mem.retention.hold(mem.ids[2], "Case 13")
    clock.advance(dt.timedelta(days=40))
    assert mem.retention.review({"max_age_days": "none"}).expired == ()
    mem.retention.release(mem.ids[2], "Closed")
    assert [row.entry_id for row in mem.retention.review({"max_age_days": "none"}).expired] == [mem.ids[2]]


def test_expired_trash_is_listed_and_erased_by_apply_only(mem, clock):
    mem.retention.review(OLD).apply()
    clock.advance(dt.timedelta(days=30))
    mem.store(question="A plain store", result={})
    assert len(mem.trash.list()) == 3
    review = mem.retention.review({"max_age_days": "none"})
    assert [row.entry_id for row in review.expired] == sorted(mem.ids[:3])
    assert review.finds_something
    receipt = review.apply()
    assert (receipt.moved, sorted(receipt.erased)) == ((), sorted(mem.ids[:3]))
    assert len(mem.trash.list()) == 0
    assert not list(mem.paths.trash.glob("*.json"))
    assert mem.verify() == []


def test_a_legal_hold_of_the_policy_keeps_everything(mem):
    review = mem.retention.review({"legal_hold": True, "max_age_days": 0})
    assert review.totals["held"].n_entries == 8
    assert not review.finds_something


def test_what_stands_beside_an_entry_is_told(mem):
    from memkit.store import records  # noqa: F401 - records are read where they exist

    (older,) = [
        r.id
        for r in mem.store_many(
            [
                {
                    "question": "Which broker?",
                    "result": {"conclusion": "Kafka.", "tripwires": ["over 5 brokers"]},
                    "panel_id": "adr",
                }
            ]
        )
    ]
    row = next(row for row in mem.retention.review(OLD).rows if row.entry_id == older)
    assert row.n_tripwires == 1
    assert row.to_dict()["affects"]["n_tripwires"] == 1
