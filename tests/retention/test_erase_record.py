"""Erasing a record, and an entry with everything that the real calls derived from it."""

import pytest

from memkit.errors import ConfirmationError, RecordNotFoundError
from memkit.snapshot.absorbing import absorb
from memkit.store import prune
from memkit.testing import temp_memory_root
from tests.importers.made_sessions import write
from tests.retention.test_erase import holding, random_word


@pytest.fixture
def mem():
    with temp_memory_root() as memory:
        memory.store_many(
            [{"question": f"Which queue {i}?", "result": {"conclusion": f"Keep number {i}."}} for i in range(20)]
        )
        yield memory


def test_of_a_planted_word_nothing_is_left_of_whatever_the_real_calls_derived_from_it(mem, tmp_path):
    word = random_word()
    stored = mem.store(
        question=f"What about {word}?", result={"conclusion": f"Never use {word} for the queue."}, tags=[word]
    )
    absorb(mem._store, minimum=1)
    assert mem.recall(word).rows[0].id == stored.id
    mem.queries.add(f"about {word}")
    said = [("user", f"Lesson: {word} loses messages when the disk is full.")]
    session = write(tmp_path / "session.jsonl", "messages", said)
    assert mem.staging.extract(session).candidates
    written = mem.records.write("lesson", body=f"# Queues\n\nNever use {word}; see {stored.id}.", sources=[stored.id])
    kept = mem.records.write("lesson", body="# Cranes\n\nAn entirely other matter of cranes and harbours.")
    slug = written.record.slug
    mem.records.query(f"what of {word}")
    damaged = mem.paths.results / "0badf00d.json"
    damaged.write_bytes(f'{{"question": "{word} torn'.encode())
    damaged.chmod(0o600)
    mem.repair(dry_run=False)
    prune.prune(mem._store, {stored.id: ("max_age_days",)})
    tops = {name.split("/")[0] for name in holding(mem.paths.folder, word)}
    assert tops >= {"trash", "staging", "memory", "quarantine", "_logs", "state", "snapshots"}

    receipt = mem.erase(stored.id, confirm=True)
    assert ("record", slug, "cites") in {(each.kind, each.name, each.how) for each in receipt.cited_by}
    assert {found.file for found in receipt.scan.found} == {written.path}
    mem.records.delete("lesson", slug, reason=f"it quotes {word}")
    assert {name.split("/")[0] for name in holding(mem.paths.folder, word)} >= {"trash"}
    again = mem.erase_record(slug, confirm=True, reason="it quoted what was erased")
    assert again.is_clean
    assert holding(mem.paths.folder, word) == []
    assert mem.verify() == []
    assert [shown.record.slug for shown in mem.records.list()] == [kept.record.slug]


def test_a_living_record_goes_as_well_and_a_dry_run_says_what_would(mem):
    word = random_word()
    written = mem.records.write("lesson", body=f"# Queues\n\nNever use {word}.")
    mem.records.delete("lesson", written.record.slug, reason="to begin anew")
    mem.records.write("lesson", body=f"# Queues\n\nNever ever use {word}.")
    files = {path: path.read_bytes() for path in mem.paths.folder.rglob("*") if path.is_file()}
    plan = mem.erase_record(written.record.slug)
    assert plan.dry_run
    assert {path: path.read_bytes() for path in mem.paths.folder.rglob("*") if path.is_file()} == files
    assert {removed.file.split("/")[0] for removed in plan.removed} >= {"memory", "trash"}
    receipt = mem.erase_record(written.record.slug, confirm="yes")
    assert receipt.removed == plan.removed
    assert receipt.is_clean
    assert holding(mem.paths.folder, word) == []
    with pytest.raises(RecordNotFoundError, match="matched: 0"):
        mem.erase_record(written.record.slug, confirm=True)


def test_what_another_record_says_too_stays_there(mem):
    word = random_word()
    first = mem.records.write("lesson", body=f"# Queues\n\nNever use {word}.")
    mem.records.write("lesson", body=f"# Cranes\n\nOf cranes and {word}, and of harbours.")
    assert mem.erase_record(first.record.slug, confirm=True).is_clean
    assert len(mem.records.list()) == 1
    with pytest.raises(ConfirmationError):
        mem.erase_record("cranes", confirm="no")


def test_an_export_does_not_bring_back_what_was_erased(mem, tmp_path):
    stored = mem.store(question="Who is Zebulon?", result={"conclusion": "A ferrule."})
    out = tmp_path / "export"
    mem.export(out)
    mem.erase(stored.id, confirm=True)
    report = mem.import_from("memkit", out)
    (refused,) = [account for account in report.files if "was erased" in account.reason]
    assert refused.fate == "rejected"
    assert stored.id not in {line.id for line in mem.list()}
    assert holding(mem.paths.folder, "ferrule") == []
