"""What is under legal hold stays whatever is called, and what is masked stays masked in every spelling."""

import pytest

import memkit
from memkit.errors import HeldError

KEY = "AKIA" + "Q3EXAMPLEKEY7ZTW"
PASSWORD = "Tr0ub4dor" + "X9"


@pytest.fixture
def mem(tmp_path):
    (tmp_path / "p").mkdir()
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        yield memory


def test_a_held_entry_stops_a_wipe(mem):
    entry = mem.store(question="Which queue?", result={"conclusion": "Kafka."})
    mem.retention.hold(entry.id, reason="Case 12")
    with pytest.raises(HeldError, match="1 entry is under legal hold"):
        mem.wipe(confirm="p")
    assert mem.get(entry.id).question == "Which queue?"
    mem.retention.release(entry.id, reason="closed")
    assert mem.wipe(confirm="p").n_entries == 1


def test_a_policy_that_holds_everything_stops_erase_and_wipe(tmp_path):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "memkit.toml").write_text("[retention]\nlegal_hold = true\n")
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        entry = memory.store(question="Which queue?", result={"conclusion": "Kafka."})
        assert memory.erase(entry.id).dry_run
        for call in (lambda: memory.erase(entry.id, confirm=True), lambda: memory.wipe(confirm="p")):
            with pytest.raises(HeldError, match="the policy holds everything"):
                call()
        assert memory.get(entry.id).question == "Which queue?"


def test_a_review_tells_the_reason_of_a_pin_from_that_of_a_hold(mem):
    entry = mem.store(question="Which queue?", result={"conclusion": "Kafka."})
    mem.retention.pin(entry.id, reason="PINNED FOR A")
    mem.retention.hold(entry.id, reason="HELD FOR B")
    (row,) = mem.retention.review(policy={"max_age_days": 0}).rows
    said = {rule.rule: rule.detail for rule in row.rules}
    assert said["pin"] == "pinned: PINNED FOR A"
    assert said["legal_hold"] == "a legal hold: HELD FOR B"


@pytest.mark.parametrize("form", [f"the deploy key {KEY} and password={PASSWORD} must rotate weekly", f"rotate {KEY}"])
def test_a_secret_of_a_session_is_in_no_file_in_any_spelling(mem, tmp_path, form):
    notes = tmp_path / "n.md"
    notes.write_text(f"# Notes\n\nLesson: {form}.\n")
    mem.consolidate(notes)
    assert mem.records.list().rows
    stored = b"".join(path.read_bytes() for path in (tmp_path / "root").rglob("*") if path.is_file()).lower()
    assert KEY.lower().encode() not in stored
    assert PASSWORD.lower().encode() not in stored
    assert PASSWORD[:9].lower().encode() not in stored


def test_erasing_a_living_record_is_no_break_of_its_history(mem):
    mem.records.write("lesson", "alpha", body="Preheat the kiln.", sources=["Mara"])
    mem.records.write("lesson", "beta", body="Stir the glaze.", sources=["Mara"])
    mem.records.delete("lesson", "beta", reason="wrong")
    for slug in ("alpha", "beta"):
        mem.erase_record(slug, confirm=True)
    assert len(mem.audit.history().breaks) == 0
