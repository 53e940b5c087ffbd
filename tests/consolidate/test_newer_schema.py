"""What a newer memkit wrote is left byte for byte, named with what to do, and nothing beside it is lost."""

import json

import pytest

from memkit.consolidate.adjudicate import RuleAdjudicator
from memkit.consolidate.balance import balance
from memkit.consolidate.consolidating import FromSession, consolidate
from memkit.consolidate.extract import extract
from memkit.consolidate.recover import recover
from memkit.consolidate.rules import RuleExtractor
from memkit.errors import NewerFormatError
from memkit.importers.sessions.reading import read_session
from memkit.store import extraction, ledger, pending, staging
from memkit.store.repair import repair
from memkit.store.state_lines import NEWER
from memkit.store.verify import verify
from tests.stores import open_store

SAID = '{"session_id": "s1", "role": "user", "content": "Lesson: measure the lease before you blame the queue."}\n'
OTHER = '{"session_id": "s2", "role": "user", "content": "Decision: we keep PostgreSQL as the queue."}\n'


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


@pytest.fixture
def session(tmp_path):
    def write(text):
        path = tmp_path / f"{len(text)}.jsonl"
        path.write_text(text)
        return read_session(path)

    return write


def run(store, session=None, **options):
    source = None if session is None else FromSession(session, RuleExtractor(), tuple)
    return consolidate(store, [RuleAdjudicator()], source=source, **options)


def renewed(file, old=b'"schemaVersion":1', new=b'"schemaVersion":2'):
    """As a newer memkit would have written it: its version, and a field nobody knows."""
    data = file.read_bytes()
    assert old in data
    file.write_bytes(data.replace(old, new + b',"facets":{"a":[1]}', 1))
    return file, file.read_bytes()


def test_staging_of_a_newer_memkit_is_left_and_named_and_the_others_are_reconciled(store, session):
    for text in (SAID, OTHER):
        extract(store, session(text), extractor=RuleExtractor(), stored=tuple)
    file, data = renewed(store.paths.staging / "s1.json")
    for dry_run in (True, False, False):
        report = run(store, dry_run=dry_run)
        (problem,) = report.problems
        assert (problem.code, problem.file, "Upgrade memkit" in problem.remedy) == (
            "newer-candidates",
            "staging/s1.json",
            True,
        )
        assert report.cause == ("" if report.rows else "nothing waits in staging that can be read")
    assert balance(store.paths).fates["added"] == 1
    account = balance(store.paths)
    assert (account.unaccounted, len(account.unread), account.unread_files) == ((), 1, ("staging/s1.json",))
    repair(store, dry_run=False)
    assert [p.code for p in verify(store)] == ["newer-candidates"]
    assert file.read_bytes() == data
    file.write_bytes(data.replace(b'"schemaVersion":2', b'"schemaVersion":1'))  # the newer one is there again
    assert [row.fate for row in run(store)] == ["added"]
    assert balance(store.paths).is_even


def test_nothing_is_staged_beside_a_newer_file_of_the_same_session(store, session):
    extract(store, session(SAID), extractor=RuleExtractor(), stored=tuple)
    file, data = renewed(store.paths.staging / "s1.json")
    grown = SAID + '{"session_id": "s1", "role": "user", "content": "Lesson: never trust a clock."}\n'
    remembered = store.paths.extraction.read_bytes()
    for act in (
        lambda: extract(store, session(grown), extractor=RuleExtractor(), stored=tuple),
        lambda: run(store, session(grown)),
    ):
        with pytest.raises(NewerFormatError, match=r"schema version 2 is newer.*Upgrade memkit"):
            act()
    assert (file.read_bytes(), store.paths.extraction.read_bytes()) == (data, remembered)
    assert not list(store.paths.memory.glob("*"))


def test_a_dead_letter_of_a_newer_memkit_is_left_and_named(store):
    letter = {"schemaVersion": 2, "session_id": "s1", "produced_at": None, "attempts": 3, "last_gate_reason": "model_error",
              "category": "lessons", "candidate": {"body": "Measure the lease."}}  # fmt: skip
    store.make_folders()
    store.paths.deadletter.mkdir(mode=0o700, exist_ok=True)
    file = store.paths.deadletter / "s1.lessons.0123456789ab.json"
    file.write_text(json.dumps(letter))
    file.chmod(0o600)
    data = file.read_bytes()
    for dry_run in (True, False):
        report = recover(store, dry_run=dry_run)
        (left,) = report.left
        assert (report.recovered, left.file) == ((), f"deadletter/{file.name}")
        assert "schema version 2 is newer than 1, which this memkit reads. Upgrade memkit" in left.why
    run(store, recovers=frozenset())
    repair(store, dry_run=False)
    assert file.read_bytes() == data


def newer_ledger(store):
    with store.paths.ledger.open("ab") as file:
        file.write(b'{"schemaVersion":2,"event":"fate","at":1,"run":"r","key":"aaaa","fate":"pondered"}\n')
    return store.paths.ledger.read_bytes()


def test_nothing_is_decided_by_a_ledger_with_lines_of_a_newer_memkit(store, session):
    run(store, session(SAID))
    extract(store, session(OTHER), extractor=RuleExtractor(), stored=tuple)
    data = newer_ledger(store)
    staged = (store.paths.staging / "s2.json").read_bytes()
    records = sorted(path.name for path in store.paths.memory.iterdir())
    for act in (
        lambda: run(store),
        lambda: run(store, dry_run=True),
        lambda: run(store, recovers=frozenset()),
        lambda: extract(store, session(SAID * 2), extractor=RuleExtractor(), stored=tuple),
        lambda: recover(store),
    ):
        with pytest.raises(NewerFormatError, match=r"ledger.jsonl.*schema version 2 is newer.*Upgrade memkit"):
            act()
    assert (store.paths.ledger.read_bytes(), (store.paths.staging / "s2.json").read_bytes()) == (data, staged)
    assert sorted(path.name for path in store.paths.memory.iterdir()) == records
    (problem,) = verify(store)
    assert (problem.code, problem.file) == (NEWER, "state/ledger.jsonl")
    repair(store, dry_run=False)
    assert store.paths.ledger.read_bytes() == data


def test_what_a_newer_memkit_left_on_its_way_into_place_is_not_removed(store, session):
    run(store, session(SAID))
    data = newer_ledger(store)
    waits = store.paths.memory / ".new-record.r-0.pending"
    waits.write_bytes(b"---\nkind: lesson\n---\n# New\n")
    waits.chmod(0o600)
    with pytest.raises(NewerFormatError, match="Upgrade memkit"):
        run(store, session(OTHER))
    assert pending.waiting(store.paths) == ["memory/.new-record.r-0.pending"]
    assert store.paths.ledger.read_bytes() == data


@pytest.mark.parametrize("ending", [b"\n", b""], ids=["a whole line", "the last one, without its newline"])
def test_what_a_newer_memkit_remembers_of_a_session_is_left_and_costs_a_second_look_at_most(store, session, ending):
    run(store, session(SAID))
    file, _ = renewed(store.paths.extraction)
    file.write_bytes(file.read_bytes().removesuffix(b"\n") + ending)
    data = file.read_bytes()
    lines, problems = extraction.read(store.paths)
    assert (lines, [p.code for p in problems]) == ([], [NEWER])
    report = run(store, session(SAID))
    assert (report.n_extracted, report.rows) == (0, ())
    assert file.read_bytes().startswith(data)
    assert [p.code for p in extraction.read(store.paths)[1]] == [NEWER]
    repair(store, dry_run=False)
    assert file.read_bytes().startswith(data)
    assert not staging.read_all(store.paths)[0]
    assert ledger.known(store.paths)
