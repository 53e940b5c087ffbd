"""The cases of records, staging, dead letters and consolidation, where the same report is also a case of another room."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import replace
from unittest import mock

import pytest

from memkit.clock import UTC
from memkit.consolidate import reconcile
from memkit.consolidate.adjudicate import PersonAdjudicator, RuleAdjudicator, Verdict
from memkit.consolidate.balance import balance
from memkit.consolidate.consolidating import consolidate
from memkit.errors import StoreIOError
from memkit.model.candidate import Candidate, repaired
from memkit.model.record import Record, RecordDamage, read_record, write_record
from memkit.store import candidate_files, deadletters, ledger, records, staging
from memkit.store.canonical import writing
from memkit.store.deadletters import DeadLetter
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.store import Store
from memkit.store.verify import verify
from tests.reliability.bug_kit import Kit, bug, narrow

DAY = dt.datetime(2031, 5, 5, 10, 0, tzinfo=UTC)
ODD = (
    "2031-05-05",
    "1.10",
    "0o17",
    "12:30:45",
    "yes",
    "no",
    "null",
    "~",
    "PR #812 moves it, see #9",
    "a --- b",
    "- x",
    "'",
    '"',
    "{a: 1}",
)


def record(body: str = "# Use UTC\n\nStore instants.", **more) -> Record:
    return Record("use-utc", "lesson", body, created_at=DAY, updated_at=DAY, **more)


def page(front: str, body: str = "# Use UTC\n") -> bytes:
    return f"---\nkind: lesson\n{front}---\n\n{body}".encode()


@bug("MK-082-records")
def values_of_a_record_stay_texts(kit: Kit) -> None:
    read = read_record("memory", "use-utc", page("tags: [2031-05-05, 1.10, 0o17, 12:30:45, yes, no, null, ~]\n"))
    assert all(isinstance(tag, str) for tag in read.tags)
    assert {"2031-05-05", "0o17", "12:30:45"} <= set(read.tags)
    read = read_record("memory", "use-utc", page("created_at: 2031-05-05\nupdated_at: 2031-05-05 10:00:00\n"))
    assert read.created_at == dt.datetime(2031, 5, 5, tzinfo=UTC)


@bug("MK-083-records")
def what_is_written_is_read_whatever_it_looks_like(kit: Kit) -> None:
    for text in ODD:
        written = record(tags=(text,), sources=(text,), triggers=(text,))
        assert read_record("memory", "use-utc", write_record(written)) == written


@bug("MK-084-records")
def only_a_line_of_three_dashes_closes_the_front_matter(kit: Kit) -> None:
    read = read_record(
        "memory",
        "use-utc",
        page('note: "a --- b"\nlong: |\n  --- x\n  y\nstatus: superseded\nsuperseded_by: use-tai\n'),
    )
    assert (read.extra["note"], read.status, read.superseded_by) == ("a --- b", "superseded", "use-tai")
    assert read.extra["long"].split("\n")[:2] == ["--- x", "y"]


@bug("MK-085-records")
def a_body_is_kept_byte_for_byte(kit: Kit) -> None:
    body = "# Use UTC\n\n---\n\ntext\n\n```yaml\n---\nkind: none\n---\n```\n\n---\n  end  \n\n---\n"
    before = page("status: active\n", body)
    read = read_record("memory", "use-utc", before)
    after = write_record(replace(read, status="superseded", superseded_by="use-tai"), before)
    assert after.endswith(body.encode())
    assert read_record("memory", "use-utc", after).status == "superseded"
    rules = b"text\n\n---\n\nmore\n\n---\n"
    with pytest.raises(RecordDamage):  # no front matter is made up
        read_record("memory", "use-utc", rules)


@bug("MK-088-records")
def a_key_that_stands_twice_is_a_finding_about_that_record(kit: Kit) -> None:
    store = kit.store()
    with writing(store, "test") as held:
        records.put(store, held, record(), expected_hash=None)
    twice = store.paths.memory / "twice.md"
    twice.write_bytes(page("status: active\nstatus: superseded\n"))
    narrow(twice)
    found = verify(store)
    assert [problem.file for problem in found] == ["memory/twice.md"]
    assert "twice" in found[0].detail
    assert records.read(store.paths, "memory", "use-utc").state == "whole"


@bug("MK-113-dead-letters")
def the_reason_of_a_dead_letter_holds_no_secret(kit: Kit) -> None:
    kit.store()
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    store = Store(kit.store().paths, clock=kit.clock, scrubber=Scrubber(shipped_patterns()))
    kept = Candidate("lessons", title="Use UTC.", summary="x", body="x", triggers=("utc",))
    letter = DeadLetter("session-1", "2031-05-05T10:00:00.000Z", 3, f"401 bad key {token}", "lessons", kept)
    with candidate_files.writing(store, "test") as held:
        deadletters.bury(store, held, letter)
    assert token.encode() not in kit.bytes_on_disk()
    (read,) = deadletters.read_letters(store.paths)[0]
    assert read.last_gate_reason.startswith("401 bad key ")


def staged(store: Store, session: str, *candidates: Candidate) -> None:
    with writing(store, "test") as held:
        staging.stage(store, held, session, candidates)


def lesson(body: str, **more) -> Candidate:
    return repaired(Candidate("lessons", "", body=body, **more))


def canonical_bytes(store: Store) -> dict[str, bytes]:
    folders = (store.paths.memory, store.paths.knowledge)
    return {path.name: path.read_bytes() for folder in folders for path in sorted(folder.glob("*.md"))}


@bug("MK-105")
def sixty_runs_over_the_same_candidates_are_one(kit: Kit) -> None:
    store = kit.store()
    rng = random.Random(105)
    words = ["".join(rng.choices(("ba", "ko", "ti", "ru", "ne", "sol", "mar", "vi"), k=4)) for _ in range(200)]
    said = [lesson(f"{' '.join(rng.sample(words, 8))}.") for _ in range(40)]
    said += [lesson(f"{each.body} Not on Sundays.") for each in said[:5]]  # for a person to decide
    texts = {candidate.body for candidate in said}
    after_first: dict[str, bytes] = {}
    for n in range(60):
        staged(store, f"session-{n if n < 2 else 1}", *said)
        consolidate(kit.store(), [RuleAdjudicator()])
        if n < 2:  # the second session has the same words once more: they are known, and counted
            after_first = canonical_bytes(store)
            continue
        assert canonical_bytes(store) == after_first
    account = balance(store.paths)
    assert account.is_even
    known = b"\n".join(after_first.values()).decode()
    waiting = {each.body for file in staging.read_all(store.paths)[0] for each in file.candidates}
    assert len(after_first) >= 35  # a few are like others, and wait
    assert all(text.rstrip(".") in known or text in waiting for text in texts)


@bug("MK-107")
def a_record_edited_meanwhile_is_not_written_over(kit: Kit) -> None:
    store = kit.store()
    with writing(store, "test") as held:
        records.put(store, held, record("# Use UTC\n\nStore instants in UTC."), expected_hash=None)
    path = store.paths.memory / "use-utc.md"
    staged(store, "s1", lesson("Store instants in UTC, never in local time."))
    staged(store, "s2", repaired(Candidate("domain", "Ferries", body="Ferries run every twenty minutes.")))

    class Meanwhile(PersonAdjudicator):
        def ready(self, question):
            return "" if question.shortlist else "needs_verdict"

        def decide(self, question):
            path.write_bytes(path.read_bytes() + b"\nEdited meanwhile.\n")
            return Verdict("supersedes", "memory/use-utc.md")

    report = consolidate(store, [Meanwhile({})])
    assert sorted(row.fate for row in report) == ["added", "conflict"]
    assert path.read_bytes().count(b"Edited meanwhile.") == 1
    assert read_record("memory", "use-utc", path.read_bytes()).is_active
    (file,) = staging.read_all(store.paths)[0]
    assert [each.body for each in file.candidates] == ["Store instants in UTC, never in local time."]


@bug("MK-109")
def a_run_that_fails_after_its_result_is_not_run_for_ever(kit: Kit) -> None:
    store = kit.store()
    staged(store, "s1", lesson("Measure the lease before you blame the queue."))

    def fails(*args, **kwargs):
        raise StoreIOError("No space left on device", file=store.paths.staging)

    with mock.patch.object(reconcile.staging, "write", fails):  # the result is on disk, what was consumed still waits
        for _ in range(100):
            with pytest.raises(StoreIOError):
                consolidate(kit.store(), [RuleAdjudicator()])
    assert len(canonical_bytes(store)) == 1
    lines = ledger.read(store.paths)[0]
    assert [line.fate for line in lines] == ["added"]
    log = b"".join(path.read_bytes() for path in store.paths.logs.glob("memory-*.log"))
    assert log.count(b"\n") <= 100 * 2 + 10
    consolidate(kit.store(), [RuleAdjudicator()])
    assert not staging.read_all(store.paths)[0]
    assert len(canonical_bytes(store)) == 1
    (letter,) = (read_record("memory", name.removesuffix(".md"), data) for name, data in canonical_bytes(store).items())
    assert letter.reinforcement_count == 0
