"""The audit log: its lines, its chain, its files, what forgetting leaves, how runs end."""

import datetime as dt
import errno
import json
import multiprocessing
import os
import warnings

import pytest

from memkit.clock import UTC, FixedClock
from memkit.errors import InvalidInputError, LockedError, MemkitWarning, StoreIOError, UsageError
from memkit.model.event import GENESIS, Event, seal_of, without_text
from memkit.model.event_models import RecordOperation, WorkerLifecycle, event_of
from memkit.store import audit_log, durable
from memkit.store.audit_forget import forget_text
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.verify import verify
from tests.store.conftest import new

SECRET = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"


@pytest.fixture
def log(store):
    store.make_folders()
    return store.audit


def asked(query="which queue", n=1):
    return Event("record_usage", "recall", detail={"query": query, "result_count": n})


def lines(store, day="2026-11-30"):
    return store.paths.log_file(day).read_bytes().split(b"\n")[:-1]


def rewrite(store, old, new_bytes, day="2026-11-30"):
    file = store.paths.log_file(day)
    data = file.read_bytes()
    assert old in data
    file.write_bytes(data.replace(old, new_bytes, 1))


class TestLine:
    def test_has_id_time_version_actor_and_the_hash_of_the_line_before(self, store, log):
        log.record(asked())
        log.record(asked())
        first, second = (json.loads(line) for line in lines(store))
        assert list(first)[:4] == ["id", "occurred_at", "schema_version", "event"]
        assert first["occurred_at"] == "2026-11-30T12:00:00.000Z"
        assert first["id"][14] == "7"
        assert (first["schema_version"], first["actor"], first["prev"]) == (2, "python", GENESIS)
        assert second["prev"] == seal_of(lines(store)[0]).digest
        assert (first["seq"], second["seq"]) == (1, 2)

    def test_keeps_what_people_wrote_apart_scrubbed_and_salted(self, store, log):
        log.record(asked(f"the token {SECRET}"))
        event = json.loads(lines(store)[0])
        assert "query" not in event
        assert SECRET not in event["text"]["query"]
        assert len(event["text"]["salt"]) == 32
        log.record(asked(f"the token {SECRET}"))
        assert json.loads(lines(store)[1])["text_digest"] != event["text_digest"]

    def test_keeps_a_reason_that_is_a_code_and_moves_one_in_words_into_the_text(self, store, log):
        log.record(
            Event("entry_operation", "acknowledge", detail={"reason": "seen in the review", "entry_id": "a" * 8})
        )
        log.record(Event("entry_operation", "prune", detail={"reason": "too_old"}))
        words, code = (json.loads(line) for line in lines(store))
        assert "reason" not in words
        assert words["text"]["reason"] == "seen in the review"
        assert code["reason"] == "too_old"

    def test_half_characters_become_the_replacement_character(self, store, log):
        assert log.record(Event("record_usage", "query", detail={"slug": "a\ud800", "query": "b\ud801"}))
        event = json.loads(lines(store)[0])
        assert (event["slug"], event["text"]["query"]) == ("a\ufffd", "b\ufffd")

    def test_a_value_that_has_no_form_in_json_is_a_warning_and_no_error(self, store, log):
        with pytest.warns(MemkitWarning, match="could not be written"):
            assert not log.record(Event("entry_operation", "store", detail={"odd": object()}))
        assert log.record(asked())

    def test_every_line_memkit_writes_is_an_event_of_the_models(self, store, log):
        store.store_many([new(), new()])
        with log.run(worker="memory_extract", trigger="manual", session_id="s1") as run:
            run.complete("candidates_found", staged_ids=["a"])
            run.count(staged=1)
        kinds = [event_of(json.loads(line)) for line in lines(store)]
        assert [type(kind).__name__ for kind in kinds] == ["EntryOperation"] * 2 + ["WorkerLifecycle"] * 2
        assert kinds[-1].counts.staged == 1

    def test_the_model_of_an_event_can_be_logged(self, store, log):
        log.record(
            RecordOperation(
                op="edit", kind="lesson", slug="retry", before_hash="a" * 64, text={"reason": "A typo."}
            ).to_event()
        )
        event = json.loads(lines(store)[0])
        assert (event["event"], event["op"], event["slug"], event["before_hash"]) == (
            "record_operation", "edit", "retry", "a" * 64,
        )  # fmt: skip
        assert event["text"]["reason"] == "A typo."

    @pytest.mark.parametrize(
        ("raw", "field"),
        [
            ({"event": "nonsense"}, "event"),
            ({}, "event"),
            (
                {"event": "worker_lifecycle", "run_id": "r", "worker": "cook", "status": "started"},
                "worker_lifecycle.worker",
            ),
            ({"event": "record_operation", "op": "edit"}, "record_operation.slug"),
            ({"event": "record_usage", "op": "read", "result_count": -1}, "record_usage.result_count"),
        ],
    )
    def test_what_is_no_event_is_refused_with_the_field(self, raw, field):
        with pytest.raises(InvalidInputError) as refused:
            event_of(raw)
        assert refused.value.field == field

    def test_fields_of_a_newer_version_are_kept(self):
        event = event_of({"event": "entry_operation", "op": "teleport", "schema_version": 9, "towards": "moon"})
        assert event.model_extra == {"towards": "moon"}


class TestChain:
    def test_goes_on_across_days_and_across_stores(self, make_store, clock):
        for _ in range(3):
            for store in (make_store(), make_store()):
                store.make_folders()
                store.audit.record(asked(), asked())
            clock.advance(dt.timedelta(days=1))
        walk = audit_log.chain(store.paths)
        assert (walk.n_files, walk.n_events, walk.first_break, walk.torn) == (3, 12, None, [])

    def test_two_logs_that_take_turns_see_each_others_lines(self, make_store):
        one, other = make_store(), make_store()
        one.make_folders()
        for _ in range(5):
            one.audit.record(asked())
            other.audit.record(asked())
        assert audit_log.chain(one.paths).first_break is None

    @pytest.mark.parametrize("k", [0, 3, 8])
    def test_an_edited_line_is_named_by_file_and_byte(self, make_store, k):
        store = make_store(sound=False)
        store.make_folders()
        for n in range(10):
            store.audit.record(asked(n=n))
        before = lines(store)
        rewrite(store, b'"result_count":%d,' % k, b'"result_count":7%d,' % k)
        start = sum(len(line) + 1 for line in before[:k])
        spot = audit_log.chain(store.paths).first_break
        assert (spot.file, spot.start) == ("memory-2026-11-30.log", start)
        (problem,) = verify(store)
        assert (problem.code, problem.start) == ("broken-log-chain", start)

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (lambda data: b"".join(data[:4] + data[5:]), "taken out"),
            (lambda data: b"".join([*data[:4], data[4], data[4], *data[5:]]), "put in"),
            (lambda data: b"".join([*data[:4], data[5], data[4], *data[6:]]), "moved"),
            (lambda data: b"".join([*data[:4], b"{}\n", *data[4:]]), "carries no hash"),
            (lambda data: b"".join([*data[:4], b"junk\n", *data[5:]]), "damaged"),
            (lambda data: b"".join([*data[:4], data[4][:50] + b"\n", *data[5:]]), "damaged"),
            (lambda data: b"".join(data[4:]), "begins in the middle"),
            (lambda data: b"".join([*data[:4], data[4].replace(b"queue", b"stack"), *data[5:]]), "text was changed"),
            (lambda data: b"".join([*data[:4], data[4].replace(b"}", b',"text":{}}', 1), *data[5:]]), ""),
        ],
        ids=["removed", "repeated", "swapped", "unchained", "junk", "cut", "beheaded", "text", "second text"],
    )
    def test_every_kind_of_change_breaks_it(self, make_store, change, why):
        store = make_store(sound=False)
        store.make_folders()
        for n in range(8):
            store.audit.record(asked(n=n))
        file = store.paths.log_file("2026-11-30")
        file.write_bytes(change([line + b"\n" for line in lines(store)]))
        spot = audit_log.chain(store.paths).first_break
        assert spot is not None
        assert why in spot.why

    def test_what_a_crash_tore_is_told_apart_from_an_edit(self, make_store):
        store = make_store(sound=False)
        store.make_folders()
        store.audit.record(asked())
        file = store.paths.log_file("2026-11-30")
        with file.open("ab") as torn:
            torn.write(b'{"id":"0190')
        walk = audit_log.chain(store.paths)
        assert walk.first_break is None
        assert "as a crash leaves it" in walk.torn[0].why
        store.audit.record(asked())
        walk = audit_log.chain(store.paths)
        assert (walk.first_break, walk.n_events) == (None, 2)
        assert [(place.start, "left by a crash" in place.why) for place in walk.torn] == [
            (len(lines(store)[0]) + 1, True)
        ]
        rewrite(store, b'{"id":"0190\n', b'{"id":"0191\n')
        assert "damaged after" in audit_log.chain(store.paths).first_break.why

    @pytest.mark.parametrize("cut", [1, 2, 40, 200])
    def test_a_second_crash_while_the_first_is_healed_is_vouched_for_too(self, make_store, cut):
        store = make_store(sound=False)
        store.make_folders()
        store.audit.record(asked())
        file = store.paths.log_file("2026-11-30")
        with file.open("ab") as torn:
            torn.write(b'{"half')
        whole = file.read_bytes()
        store.audit.record(asked())
        file.write_bytes(file.read_bytes()[: len(whole) + cut])
        store.audit.record(asked())
        walk = audit_log.chain(store.paths)
        assert (walk.first_break, walk.n_events, len(walk.torn)) == (None, 2, 1)

    def test_a_line_that_lost_only_its_newline_is_whole(self, make_store):
        store = make_store(sound=False)
        store.make_folders()
        store.audit.record(asked())
        file = store.paths.log_file("2026-11-30")
        file.write_bytes(file.read_bytes()[:-1])
        store.audit.record(asked())
        walk = audit_log.chain(store.paths)
        assert (walk.first_break, walk.n_events, walk.torn) == (None, 2, [])

    def test_the_day_before_may_end_torn_or_in_nul_bytes(self, make_store, clock):
        store = make_store(sound=False)
        store.make_folders()
        store.audit.record(asked())
        with store.paths.log_file("2026-11-30").open("ab") as torn:
            torn.write(b"\0" * 300)
        clock.advance(dt.timedelta(days=1))
        store.audit.record(asked())
        walk = audit_log.chain(store.paths)
        assert (walk.first_break, walk.n_events, len(walk.torn)) == (None, 2, 1)

    def test_a_log_of_before_the_chain_stays_readable_and_is_counted_apart(self, store, log):
        old = {"id": "x", "occurred_at": "2026-11-30T11:00:00.000Z", "schema_version": 1, "event": "record_usage"}
        durable.make_folder(store.paths.logs)
        durable.append(store.paths.log_file("2026-11-30"), (json.dumps(old) + "\n").encode() * 3, fsync=False)
        log.record(asked())
        walk = audit_log.chain(store.paths)
        assert (walk.first_break, walk.n_events, walk.n_unchained) == (None, 4, 3)
        assert len(audit_log.read_events(store.paths)[0]) == 4

    def test_a_renamed_day_breaks_it(self, make_store, clock):
        store = make_store(sound=False)
        store.make_folders()
        for _ in range(3):
            store.audit.record(asked())
            clock.advance(dt.timedelta(days=1))
        store.paths.log_file("2026-11-30").rename(store.paths.log_file("2026-12-05"))
        assert audit_log.chain(store.paths).first_break is not None

    @pytest.mark.parametrize("day", ["2026-11-20", "2026-11-29"])
    def test_the_only_day_renamed_to_an_earlier_one_is_named(self, make_store, day):
        store = make_store(sound=False)
        store.make_folders()
        store.audit.record(asked())
        renamed = store.paths.log_file(day)
        store.paths.log_file("2026-11-30").rename(renamed)
        spot = audit_log.chain(store.paths).first_break
        assert (spot.file, spot.start) == (renamed.name, 0)
        assert "the file was renamed" in spot.why


class TestFiles:
    def test_eight_processes_over_a_faked_midnight_keep_one_chain(self, make_store):
        store = make_store()
        store.make_folders()
        context = multiprocessing.get_context("fork")
        workers = [context.Process(target=_log_over_midnight, args=(make_store, k)) for k in range(8)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            for worker in workers:
                worker.start()
        for worker in workers:
            worker.join(60)
            assert worker.exitcode == 0
        walk = audit_log.chain(store.paths)
        assert (walk.first_break, walk.n_events, walk.torn) == (None, 8 * 60, [])
        assert [event["seq"] for event in audit_log.read_events(store.paths)[0]] == list(range(1, 8 * 60 + 1))
        assert audit_log.days(store.paths) == ["2026-11-30", "2026-12-01"]
        for day in audit_log.days(store.paths):
            for event in audit_log.day_events(store.paths, day):
                assert event["occurred_at"][:10] <= day
        assert os.readlink(store.paths.current_log) == "memory-2026-12-01.log"

    @pytest.mark.parametrize("told", ["the link alone", "a newer day beside it", "a link to yesterday"])
    def test_never_appends_to_a_file_older_than_the_newest(self, make_store, clock, told):
        store = make_store(sound=False)
        store.make_folders()
        log = store.audit
        log.record(asked())
        today, future = store.paths.log_file("2026-11-30"), store.paths.log_file("2026-12-24")
        if told == "the link alone":
            today.rename(future)
        else:
            future.write_bytes(today.read_bytes())
            clock.advance(dt.timedelta(days=1))
        if told == "a link to yesterday":
            durable.replace_link(store.paths.current_log, today.name)
        before = today.read_bytes() if today.exists() else None
        log.record(asked())
        assert (today.read_bytes() if today.exists() else None) == before
        assert not store.paths.log_file("2026-12-01").exists()
        assert len(lines(store, "2026-12-24")) == 2
        assert os.readlink(store.paths.current_log) == future.name

    def test_a_clock_that_jumps_back_over_midnight_goes_on_with_the_newest_file(self, store, log, clock):
        clock.at = dt.datetime(2026, 12, 1, 0, 0, 1, tzinfo=UTC)
        log.record(asked())
        clock.at = dt.datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
        log.record(asked())
        assert audit_log.days(store.paths) == ["2026-12-01"]
        assert len(lines(store, "2026-12-01")) == 2

    def test_where_links_are_impossible_current_is_a_copy_that_grows(self, make_store, clock, monkeypatch):
        def no_link(link, target):
            raise StoreIOError("no links here", file=link) from OSError(errno.EPERM, "no")

        monkeypatch.setattr(durable, "replace_link", no_link)
        store, other = make_store(), make_store()
        store.make_folders()
        for each in (store, other, store, other):
            each.audit.record(asked())
        assert not store.paths.current_log.is_symlink()
        assert store.paths.current_log.read_bytes() == store.paths.log_file("2026-11-30").read_bytes()
        clock.advance(dt.timedelta(days=1))
        store.audit.record(asked())
        other.audit.record(asked())
        assert store.paths.current_log.read_bytes() == store.paths.log_file("2026-12-01").read_bytes()
        assert audit_log.chain(store.paths).first_break is None
        with store.audit.lock.held(None) as held:
            forget_text(store.paths, held, lambda event: True)
        assert b"queue" not in store.paths.current_log.read_bytes()

    def test_removals_are_flushed_and_the_rest_is_not(self, store, log, monkeypatch):
        flushed = []
        real = durable._flush_append
        monkeypatch.setattr(durable, "_flush_append", lambda fd, path: (flushed.append(path.name), real(fd, path)))
        for op in ("store", "import", "restore", "repair", "acknowledge"):
            log.record(Event("entry_operation", op))
        assert flushed == []
        for op in ("prune", "erase", "wipe"):
            log.record(Event("entry_operation", op))
        log.record(Event("record_operation", "delete", detail={"slug": "x"}))
        assert flushed == ["memory-2026-11-30.log"] * 4

    def test_a_folder_nobody_may_write_is_one_warning(self, make_store, monkeypatch):
        store = make_store()
        store.make_folders()

        real = durable.append_made

        def refuse(path, make, *, fsync):
            if path.suffix == ".log":
                raise durable.fault(OSError(errno.EROFS, "read-only"), path, "append")
            return real(path, make, fsync=fsync)

        monkeypatch.setattr(durable, "append_made", refuse)
        with pytest.warns(MemkitWarning, match="read-only"):
            store.audit.record(asked())
        store.audit.record(asked())
        store.store_many([new()])
        assert len(store.read_index().lines) == 1


def _log_over_midnight(make_store, k):
    clock = FixedClock(dt.datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC))
    store = make_store(sound=False, at=clock, wait_seconds=60)
    store.audit.lock = type(store.audit.lock)(store.paths.audit_lock, 60)
    for i in range(60):
        assert store.audit.record(asked(f"{k}-{i}"))
        clock.advance(dt.timedelta(milliseconds=20 + 3 * k))


class TestForgetting:
    def test_takes_text_and_salt_and_leaves_the_chain(self, store, log):
        for query in ("keep this", "the secret plan", "keep that"):
            log.record(asked(query))
        with log.lock.held(None) as held:
            gone = forget_text(store.paths, held, lambda event: "secret" in event.get("text", {}).get("query", ""))
        assert (gone.n_events, gone.files) == (1, ("memory-2026-11-30.log",))
        assert b"secret plan" not in store.paths.log_file("2026-11-30").read_bytes()
        event = json.loads(lines(store)[1])
        assert "text" not in event
        assert len(event["text_digest"]) == 64
        log.record(asked("after"))
        walk = audit_log.chain(store.paths)
        assert (walk.first_break, walk.n_events, walk.n_forgotten) == (None, 4, 1)

    def test_changes_nothing_where_nothing_is_meant(self, store, log):
        log.record(asked())
        before = store.paths.log_file("2026-11-30").stat()
        with log.lock.held(None) as held:
            assert forget_text(store.paths, held, lambda event: False).files == ()
        assert store.paths.log_file("2026-11-30").stat() == before

    def test_reaches_logs_of_before_the_chain_and_torn_bytes(self, make_store):
        store = make_store(sound=False)
        durable.make_folder(store.paths.logs)
        old = b'{"id":"x","schema_version":1,"op":"recall","query":"secret"}\n{"id":"y","query":"sec'
        durable.append(store.paths.log_file("2026-11-30"), old, fsync=False)
        store.audit.record(asked())
        with store.audit.lock.held(None) as held:
            gone = forget_text(store.paths, held, lambda event: True, in_damage=lambda data: b"sec" in data)
        assert (gone.n_events, gone.n_damaged) == (2, 1)
        assert b"sec" not in store.paths.log_file("2026-11-30").read_bytes()
        assert audit_log.chain(store.paths).first_break is None

    def test_needs_the_lock(self, store, log):
        with pytest.raises(RuntimeError, match="lock"), store.index_lock.held("x") as held:
            forget_text(store.paths, held, lambda event: True)

    def test_a_line_without_text_is_left_as_it_is(self):
        assert without_text(b'{"id":"x"}') == b'{"id":"x"}'


class TestRuns:
    def ended(self, store):
        events = [json.loads(line) for line in lines(store)]
        start, *ends = events
        assert start["status"] == "started"
        (end,) = ends
        assert end["run_id"] == start["run_id"]
        return end

    def test_one_that_says_how_it_ended(self, store, log, clock):
        with log.run(worker="memory_consolidation", trigger="staging_backlog", model="none") as run:
            clock.advance(dt.timedelta(seconds=2))
            run.count(write=1, merge=2)
            run.count(merge=1)
            run.complete("records_updated", consumed_ids=["a", "b"])
        end = self.ended(store)
        assert (end["status"], end["reason"], end["trigger"]) == ("completed", "records_updated", "staging_backlog")
        assert end["counts"] == {"write": 1, "merge": 3}
        assert (end["duration_ms"], end["model"], end["consumed_ids"]) == (2000, "none", ["a", "b"])

    def test_one_that_skips(self, store, log):
        with log.run(worker="memory_consolidation") as run:
            run.skip("no_staging")
        end = self.ended(store)
        assert (end["status"], end["reason"], end["trigger"]) == ("skipped", "no_staging", "unknown")

    @pytest.mark.parametrize(
        ("error", "reason"),
        [
            (ValueError("odd"), "error"),
            (LockedError("held"), "lock_held"),
            (StoreIOError("full"), "store_error"),
        ],
    )
    def test_one_that_raises_has_failed_with_a_reason(self, store, log, error, reason):
        def work():
            with log.run(worker="memory_extract") as run:
                run.complete("candidates_found")
                raise error

        with pytest.raises(type(error)):
            work()
        end = self.ended(store)
        assert (end["status"], end["reason"]) == ("failed", reason)
        assert str(error) in end["text"]["message"]

    def test_one_whose_step_fails_in_its_own_way(self, store, log):
        def work():
            with log.run(worker="memory_extract") as run:
                run.reason_of_failure = "model_error"
                raise OSError(f"refused for {SECRET}")

        with pytest.raises(OSError, match="refused"):
            work()
        end = self.ended(store)
        assert end["reason"] == "model_error"
        assert SECRET not in json.dumps(end)

    @pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
    def test_one_that_is_interrupted_was_cancelled(self, store, log, error):
        with pytest.raises(error), log.run(worker="memory_extract"):
            raise error
        end = self.ended(store)
        assert (end["status"], end["reason"]) == ("cancelled", "interrupted")

    def test_a_forked_child_does_not_end_it(self, store, log):
        with log.run(worker="memory_extract") as run:
            child = os.fork()
            if child == 0:
                try:
                    with pytest.raises(SystemExit):
                        raise SystemExit
                finally:
                    os._exit(0)
            os.waitpid(child, 0)
            run.complete("no_candidates")
        assert self.ended(store)["reason"] == "no_candidates"

    def test_a_reason_is_a_code(self, log):
        with pytest.raises(UsageError, match="no reason"), log.run(worker="memory_extract") as run:
            run.fail("It did not work out.")


def test_a_worker_event_of_the_models_can_be_logged_too(store, log):
    log.record(
        WorkerLifecycle(run_id="r1", worker="memory_extract", status="skipped", reason="no_candidates").to_event()
    )
    assert json.loads(lines(store)[0])["reason"] == "no_candidates"


def test_a_scrubber_of_its_own_masks_what_is_logged():
    assert SECRET not in Scrubber(shipped_patterns()).scrub_text(SECRET).text
