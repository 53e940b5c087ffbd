"""Closed days of the audit log as Parquet files: byte for byte, still a chain, still asked; and what removes them."""

import datetime as dt

import pytest

from memkit.analytics import audit
from memkit.errors import DamagedError, InvalidInputError
from memkit.model.event import Event
from memkit.snapshot import audit_days
from memkit.store import audit_compacted, audit_log
from memkit.store.verify import verify
from tests.stores import open_catalog, open_store


@pytest.fixture
def store(root, project, clock):
    """Four days of log, a torn line in the second."""
    made = open_store(root, project, clock)
    made.make_folders()
    clock.at -= dt.timedelta(days=3)
    for day in range(4):
        for n in range(5):
            made.audit.record(Event("record_usage", "recall", detail={"query": f"q{day}-{n}", "result_count": n}))
            if (day, n) == (1, 2):
                with made.paths.log_file("2026-11-28").open("ab") as torn:
                    torn.write(b'{"id":"torn')
        with made.audit.run(worker="memory_extract") as run:
            run.complete("no_candidates")
        clock.advance(dt.timedelta(days=1))
    clock.advance(dt.timedelta(days=-1))
    return made


def logs(store):
    return {path.name: path.read_bytes() for path in store.paths.logs.glob("memory-*.log")}


def test_every_closed_day_gives_back_its_bytes_and_the_newest_is_left_alone(store):
    before = logs(store)
    would = audit_days.compact(store, dry_run=True)
    assert logs(store) == before
    receipt = audit_days.compact(store)
    assert receipt.compacted == would.compacted == ("2026-11-27", "2026-11-28", "2026-11-29")
    assert list(logs(store)) == ["memory-2026-11-30.log"]
    for day in receipt.compacted:
        packed = store.paths.compacted_log(day).read_bytes()
        assert audit_days.log_of(packed) == before[f"memory-{day}.log"]
        assert len(list(audit_days.day_objects(store.paths, day))) == 7
    assert audit_days.compact(store).compacted == ()
    assert {p.code for p in verify(store)} <= {"damaged-log-line"}


def test_the_chain_and_every_answer_stay_the_same(store, tmp_path, clock):
    with open_catalog(tmp_path, store) as catalog:
        before = [audit.events(catalog, as_of=clock.now()).to_dict(), audit.runs(catalog, as_of=clock.now()).to_dict()]
        chain = audit.chain(store.paths, as_of=clock.now())
        audit_days.compact(store)
        assert [
            audit.events(catalog, as_of=clock.now()).to_dict(),
            audit.runs(catalog, as_of=clock.now()).to_dict(),
        ] == before
        after = audit.chain(store.paths, as_of=clock.now())
    assert after.is_whole
    assert (after.n_events, after.last_hash) == (chain.n_events, chain.last_hash)
    assert [place.start for place in after.torn] == [place.start for place in chain.torn]
    store.audit.record(Event("entry_operation", "store"))
    assert audit.chain(store.paths, as_of=clock.now()).is_whole
    assert audit_log.chain(store.paths).first_break is None


def test_a_changed_line_of_a_compacted_day_is_found_by_its_hash(store, clock):
    audit_days.compact(store)
    file = store.paths.compacted_log("2026-11-28")
    log = audit_days.log_of(file.read_bytes())
    file.write_bytes(audit_days.pack(log.replace(b'"result_count":4', b'"result_count":5'))[0])
    report = audit.chain(store.paths, as_of=clock.now())
    assert not report.is_whole
    assert [(p.code, p.file) for p in report.problems] == [("damaged-log-day", "_logs/memory-2026-11-28.parquet")]
    assert [p.code for p in audit_days.problems_of(store.paths)] == ["damaged-log-day"]
    assert "2026-11-28" not in audit_days.usable(store.paths)


def test_a_missing_or_cut_file_is_said_and_the_rest_still_answers(store, tmp_path, clock):
    audit_days.compact(store)
    store.paths.compacted_log("2026-11-27").unlink()
    file = store.paths.compacted_log("2026-11-28")
    file.write_bytes(file.read_bytes()[:-100])
    assert [p.code for p in audit_days.problems_of(store.paths)] == ["damaged-log-day"] * 2
    with open_catalog(tmp_path, store) as catalog:
        assert {row.seq for row in audit.events(catalog, as_of=clock.now())} == set(range(15, 29))
    assert audit.chain(store.paths, as_of=clock.now()).first_break is None


def test_a_damaged_list_is_made_again_from_the_files(store, clock):
    audit_days.compact(store)
    before = audit_compacted.read(store.paths)
    store.paths.compacted.write_bytes(b"{}")
    assert [p.code for p in audit_days.problems_of(store.paths)] == ["damaged-log-list"]
    audit_days.compact(store)
    assert audit_compacted.read(store.paths) == before
    assert audit.chain(store.paths, as_of=clock.now()).is_whole


@pytest.mark.parametrize("compacted", [False, True])
def test_days_older_than_kept_go_and_an_event_says_so_and_the_chain_holds(store, clock, compacted):
    if compacted:
        audit_days.compact(store)
    receipt = audit_days.compact(store, keep_days=1)
    assert receipt.removed == ("2026-11-27", "2026-11-28")
    assert sorted(path.name for path in store.paths.logs.glob("memory-*")) == [
        "memory-2026-11-29.parquet", "memory-2026-11-30.log",
    ]  # fmt: skip
    last = list(audit_log.day_events(store.paths, "2026-11-30"))[-1]
    assert (last["op"], last["days"]) == ("forget_days", ["2026-11-27", "2026-11-28"])
    report = audit.chain(store.paths, as_of=clock.now())
    assert report.is_whole
    assert report.n_events == 15
    store.paths.compacted_log("2026-11-29").unlink()
    store.paths.compacted.unlink()
    assert "begins in the middle" in audit.chain(store.paths, as_of=clock.now()).first_break.why


def test_forgetting_reaches_compacted_days_and_breaks_no_chain(store, clock):
    audit_days.compact(store)
    with store.audit.lock.held(None) as held:
        gone = audit_days.forget_text(store.paths, held, lambda event: event.get("text", {}).get("query") == "q1-3")
    assert (gone.n_events, gone.files) == (1, ("memory-2026-11-28.parquet",))
    log = audit_days.log_of(store.paths.compacted_log("2026-11-28").read_bytes())
    assert b"q1-3" not in log
    assert b"q1-2" in log
    report = audit.chain(store.paths, as_of=clock.now())
    assert report.is_whole
    assert report.n_forgotten == 1


def test_a_file_written_anew_just_before_a_crash_is_listed_again(store, clock):
    audit_days.compact(store)
    before = store.paths.compacted.read_bytes()
    with store.audit.lock.held(None) as held:
        audit_days.forget_text(store.paths, held, lambda event: True)
    store.paths.compacted.write_bytes(before)
    assert not audit.chain(store.paths, as_of=clock.now()).is_whole
    audit_days.compact(store)
    assert audit.chain(store.paths, as_of=clock.now()).is_whole


@pytest.mark.parametrize("days", [0, -1, 10**6])
def test_keep_days_has_a_range(store, days):
    with pytest.raises(InvalidInputError) as refused:
        audit_days.compact(store, keep_days=days)
    assert refused.value.field == "keep_days"


def test_what_is_no_compacted_day_is_refused():
    with pytest.raises(DamagedError, match="cannot be read"):
        audit_days.log_of(b"PAR1 nothing")


def test_a_project_without_a_log_has_nothing_to_compact(root, tmp_path, clock):
    empty = open_store(root, tmp_path / "other", clock)
    assert audit_days.compact(empty).compacted == ()
    assert audit_days.walk(empty.paths)[0].n_events == 0


def test_lines_nobody_knows_keep_their_place_among_those_that_stand_together(store, tmp_path, clock):
    log = store.paths.log_file("2026-11-27")
    lines = log.read_bytes().split(b"\n")
    strange = [b'{"event":"of_a_newer_version","seq":3,"new":[1]}', b"", b"no JSON", b'{"event":7}', b'{"event":null}']
    log.write_bytes(b"\n".join([*lines[:2], *strange, *lines[2:]]))
    before = log.read_bytes()
    packed, day = audit_days.pack(before)
    assert audit_days.log_of(packed) == before
    assert day.n_events == 7 + 3
    audit_days.compact(store)
    with open_catalog(tmp_path, store) as catalog:
        found = audit.events(catalog, as_of=clock.now(), limit=1_000)
        assert "of_a_newer_version" in {row.event for row in found}
        assert len(audit.runs(catalog, as_of=clock.now())) == 4
