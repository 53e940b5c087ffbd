"""Questions about the audit log: runs, events, histories, usage, health; from small logs, large ones, damaged ones."""

import datetime as dt
import json
import os
import socket
import subprocess
import sys

import pytest

from memkit.analytics import audit
from memkit.catalog import audit as audit_source
from memkit.errors import InvalidInputError
from memkit.model.event import Event
from tests.stores import NOW, new, open_catalog, open_store, put


@pytest.fixture
def store(root, project, clock):
    made = open_store(root, project, clock)
    made.make_folders()
    return made


def worker(run_id, status, **more):
    return Event("worker_lifecycle", status=status, detail={"run_id": run_id, "worker": "memory_extract", **more})


def live(store, clock):
    """A small life: entries, questions, runs of every outcome, a record with a break in its history."""
    put(store, new(), new())
    log = store.audit
    log.record(Event("record_usage", "recall", detail={"query": "queue", "result_count": 2}))
    log.record(Event("record_usage", "recall", detail={"query": "queue", "result_count": 0}))
    log.record(Event("record_usage", "read", detail={"slug": "retry", "kind": "lesson"}))
    with log.run(worker="memory_extract", trigger="session_end", session_id="s1", model="m") as run:
        clock.advance(dt.timedelta(seconds=2))
        run.count(staged=3)
        run.complete("candidates_found", usage={"calls": 1, "input_tokens": 900, "output_tokens": 40})
    with log.run(worker="memory_consolidation", trigger="manual") as run:
        run.count(write=1, merge=2, drop=4)
        run.complete("records_updated")
    with log.run(worker="memory_consolidation") as run:
        run.skip("no_staging")
    with log.run(worker="memory_extract") as run:
        run.fail("model_error", "the model said no")
    with pytest.raises(KeyboardInterrupt), log.run(worker="memory_extract"):
        raise KeyboardInterrupt
    clock.advance(dt.timedelta(hours=1))
    for op, before, after in (("write", None, "a"), ("edit", "a", "b"), ("edit", "x", "c"), ("delete", "c", None)):
        hashes = {"before_hash": before and before * 64, "after_hash": after and after * 64}
        log.record(Event("record_operation", op, detail={"kind": "lesson", "slug": "retry", **hashes}))
    refused = {"kind": "lesson", "slug": "Bad Slug", "findings": ["slug-form"], "reason": "linter_failed"}
    log.record(Event("record_operation", "write", status="failed", detail=refused))


class TestRuns:
    def test_one_row_each_with_start_end_outcome_reason_and_counts(self, tmp_path, store, clock):
        live(store, clock)
        with open_catalog(tmp_path, store) as catalog:
            found = audit.runs(catalog, as_of=clock.now())
            assert sorted((row.worker[7:], row.status, row.reason) for row in found) == [
                ("consolidation", "completed", "records_updated"),
                ("consolidation", "skipped", "no_staging"),
                ("extract", "cancelled", "interrupted"),
                ("extract", "completed", "candidates_found"),
                ("extract", "failed", "model_error"),
            ]
            (done,) = audit.runs(catalog, as_of=clock.now(), worker="memory_extract", status="completed")
            assert (done.duration_seconds, done.n_staged, done.n_input_tokens, done.session_id) == (2.0, 3, 900, "s1")
            assert (done.trigger, done.model, done.is_lost) == ("session_end", "m", False)
            assert (done.ended_at - done.started_at).total_seconds() == 2
            (failed,) = audit.runs(catalog, as_of=clock.now(), status=["failed"])
            assert failed.message == "the model said no"
            (merged,) = audit.runs(catalog, as_of=clock.now(), worker="memory_consolidation", status="completed")
            assert (merged.n_written, merged.n_merged, merged.n_dropped, merged.n_staged) == (1, 2, 4, None)
            assert "from audit_runs" in found.sql

    def test_a_killed_run_is_lost_and_never_running_for_ever(self, tmp_path, store, clock):
        host = socket.gethostname()
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        store.audit.record(worker("alive", "started", pid=child.pid, host=host))
        store.audit.record(worker("elsewhere", "started", pid=child.pid, host="another machine"))
        with open_catalog(tmp_path, store) as catalog:

            def states(when):
                return {row.run_id: (row.status, row.is_lost) for row in audit.runs(catalog, as_of=when)}

            assert states(clock.now()) == {"alive": ("running", False), "elsewhere": ("lost", True)}
            assert states(clock.now() + dt.timedelta(days=2))["alive"] == ("lost", True)
            child.kill()
            child.wait()
            assert states(clock.now())["alive"] == ("lost", True)

    def test_a_consolidation_with_nothing_to_do_names_what_left_it_so(self, tmp_path, store, clock):
        def consolidates(reason, *extractions):
            with store.audit.run(worker="memory_consolidation") as run:
                for how in extractions:
                    extracts(how)
                run.skip(reason)
            clock.advance(dt.timedelta(minutes=1))

        def extracts(how):
            with store.audit.run(worker="memory_extract") as run:
                clock.advance(dt.timedelta(seconds=1))
                run.skip(how)

        consolidates("no_staging")
        consolidates("no_staging", "no_new_session_range")
        consolidates("no_staging")
        extracts("no_candidates")
        consolidates("lock_held")
        extracts("lock_held")
        consolidates("no_staging")
        consolidates("no_staging", "candidates_found")
        consolidates("no_record_changes", "no_candidates")
        with open_catalog(tmp_path, store) as catalog:
            found = audit.runs(catalog, as_of=clock.now(), worker="memory_consolidation")
            assert [(row.reason, row.because) for row in found][::-1] == [
                ("no_staging", "nothing_extracted"),
                ("no_staging", "no_new_session_range"),
                ("no_staging", "nothing_extracted"),
                ("lock_held", None),
                ("no_staging", "no_candidates"),
                ("no_staging", None),
                ("no_record_changes", None),
            ]
            (last,) = audit.runs(catalog, as_of=clock.now(), worker="memory_consolidation", status="skipped", limit=1)
            assert last.reason == "no_record_changes"

    def test_an_end_without_its_start_is_a_row_too(self, tmp_path, store, clock):
        store.audit.record(worker("half", "completed", reason="no_candidates"))
        with open_catalog(tmp_path, store) as catalog:
            (row,) = audit.runs(catalog, as_of=clock.now())
        assert (row.started_at, row.status, row.reason) == (None, "completed", "no_candidates")

    @pytest.mark.parametrize(
        ("options", "field"),
        [
            ({"worker": "cook"}, "worker"),
            ({"status": "tired"}, "status"),
            ({"status": ["failed", 7]}, "status"),
            ({"limit": 0}, "limit"),
        ],
    )
    def test_what_does_not_exist_is_refused(self, tmp_path, store, clock, options, field):
        with open_catalog(tmp_path, store) as catalog, pytest.raises(InvalidInputError) as refused:
            audit.runs(catalog, as_of=clock.now(), **options)
        assert refused.value.field == field

    @pytest.mark.parametrize("name", ["consolidation", "memory_consolidation"])
    def test_a_worker_is_named_in_full_or_short(self, tmp_path, store, clock, name):
        live(store, clock)
        with open_catalog(tmp_path, store) as catalog:
            found = audit.runs(catalog, as_of=clock.now(), worker=name)
        assert {row.worker for row in found} == {"memory_consolidation"}
        assert len(found) == 2


class TestRecords:
    def test_the_chain_of_hashes_and_its_break(self, tmp_path, store, clock):
        live(store, clock)
        with open_catalog(tmp_path, store) as catalog:
            found = audit.history(catalog, "retry", as_of=clock.now())
            every = audit.history(catalog, None, as_of=clock.now())
        assert [(row.op, row.position, row.is_break) for row in found] == [
            ("write", 1, False), ("edit", 2, False), ("edit", 3, True), ("delete", 4, False),
        ]  # fmt: skip
        assert [row.before_hash for row in found.breaks] == ["x" * 64]
        refused = next(row for row in every if row.slug == "Bad Slug")
        assert (refused.position, json.loads(refused.findings)) == (None, ["slug-form"])

    def test_a_clock_that_jumps_back_breaks_no_history(self, tmp_path, store, clock):
        for i, (before, after) in enumerate(((None, "a"), ("a", "b"), ("b", "c"))):
            hashes = {"before_hash": before and before * 64, "after_hash": after * 64}
            store.audit.record(Event("record_operation", "edit", detail={"slug": "retry", **hashes}))
            clock.advance(dt.timedelta(days=1 if i == 0 else -2))
        with open_catalog(tmp_path, store) as catalog:
            found = audit.history(catalog, "retry", as_of=clock.now())
        assert [(row.position, row.after_hash[0], row.is_break) for row in found] == [
            (1, "a", False), (2, "b", False), (3, "c", False),
        ]  # fmt: skip
        assert [row.occurred_at for row in found] != sorted(row.occurred_at for row in found)


class TestOthers:
    def test_events_newest_first_by_kind_and_time(self, tmp_path, store, clock):
        live(store, clock)
        with open_catalog(tmp_path, store) as catalog:
            found = audit.events(catalog, as_of=clock.now())
            assert [row.seq for row in found] == list(range(len(found), 0, -1))
            stored = audit.events(catalog, as_of=clock.now(), op="store")
            assert len(stored) == 2
            assert len(audit.events(catalog, as_of=clock.now(), event="record_usage", limit=2)) == 2
            assert len(audit.events(catalog, as_of=clock.now(), since=clock.now())) == 5
            assert found[0] == found.rows[0] == next(iter(found))
            assert found[-1] == found.rows[-1]
            assert found[::2] == found.rows[::2]
            with pytest.raises(IndexError):
                found[len(found)]
            assert found.to_arrow().num_rows == len(found.to_pandas()) == len(found.to_dict()["rows"])

    def test_an_operation_that_neither_memkit_nor_the_log_knows_is_refused(self, tmp_path, store, clock):
        live(store, clock)
        store.audit.record(Event("record_usage", "my_tool"))
        with open_catalog(tmp_path, store) as catalog:
            assert [row.op for row in audit.events(catalog, as_of=clock.now(), op="my_tool")] == ["my_tool"]
            later = clock.now() + dt.timedelta(days=1)
            assert not audit.events(catalog, as_of=clock.now(), op="my_tool", since=later)
            assert not audit.events(catalog, as_of=clock.now(), op="wipe")
            for options, known in (
                ({"op": "nonsense"}, "forget_days"),
                ({"op": "wipe", "event": "record_operation"}, "external_edit"),
                ({"op": "store", "event": "worker_lifecycle"}, "status and reason"),
                ({"event": "party"}, "worker_lifecycle"),
            ):
                with pytest.raises(InvalidInputError) as refused:
                    audit.events(catalog, as_of=clock.now(), **options)
                assert refused.value.field in options
                assert known in refused.value.remedy

    def test_entries_that_were_erased_out_of_the_trash_are_named(self, tmp_path, store, clock):
        detail = {"pruned": ["aaaaaaaa"], "erased": ["bbbbbbbb", "cccccccc"]}
        store.audit.record(Event("entry_operation", "prune", detail=detail))
        store.audit.record(Event("entry_operation", "wipe", detail={"n_entries": 7}))
        store.audit.record(Event("entry_operation", "repair", detail={"codes": ["orphan"]}))
        with open_catalog(tmp_path, store) as catalog:
            repair, wipe, prune = audit.events(catalog, as_of=clock.now())
        assert (prune.entry_ids, prune.n_entries) == (["aaaaaaaa", "bbbbbbbb", "cccccccc"], 3)
        assert (wipe.entry_ids, wipe.n_entries) == ([], 7)
        assert (repair.codes, repair.n_entries) == ('["orphan"]', 0)

    def test_usage_counts_what_was_asked_and_what_was_not_found(self, tmp_path, store, clock):
        live(store, clock)
        with open_catalog(tmp_path, store) as catalog:
            asked, read = audit.usage(catalog, as_of=clock.now())
        assert (asked.query, asked.n_times, asked.n_empty, asked.mean_results) == ("queue", 2, 1, 1.0)
        assert (read.op, read.slug) == ("read", "retry")

    def test_health_tells_failures_from_what_had_nothing_to_do(self, tmp_path, store, clock):
        live(store, clock)
        with open_catalog(tmp_path, store) as catalog:
            found = audit.health(catalog, as_of=clock.now(), since=None, n_waiting=5, n_sessions_waiting=2)
        consolidation, extract = found
        assert (extract.n_runs, extract.n_failed, extract.n_cancelled, extract.failure_rate) == (3, 1, 1, 0.5)
        assert (consolidation.failure_rate, consolidation.last_success_at) == (0.0, NOW + dt.timedelta(seconds=2))
        assert (found.n_waiting, found.n_lost) == (5, 0)


class TestSources:
    def both(self, tmp_path, store, monkeypatch, sql):
        """The answer from lines parsed here, and from the files DuckDB reads."""
        answers = []
        for least in (1 << 40, 0):
            monkeypatch.setattr(audit_source, "MIN_IN_PLACE", least)
            with open_catalog(tmp_path, store) as catalog:
                answers.append(catalog.sql(sql, as_of=NOW).rows)
                in_place = bool(catalog._sight.audit._checked)
            assert in_place == (least == 0)
        return answers

    @pytest.mark.parametrize("view", audit_source.VIEWS)
    def test_a_log_read_in_place_says_the_same_as_one_parsed_line_by_line(
        self, tmp_path, store, clock, monkeypatch, view
    ):
        live(store, clock)
        store.audit.record(
            Event("record_usage", "recall", detail={"query": "naïve 日本 \u2028 'quote'", "result_count": 1})
        )
        parsed, in_place = self.both(tmp_path, store, monkeypatch, f"select * from {view} order by all")
        assert parsed == in_place
        assert parsed

    @pytest.mark.parametrize(
        "damage",
        [b'{"id":"torn', b"\0" * 50 + b"\n", b"junk\n", b'{"id":"a"}{"id":"b"}\n', b'{"id":"\xff"}\n', b"\n\n"],
    )
    def test_damage_is_left_out_and_counted_nowhere(self, tmp_path, store, clock, monkeypatch, damage):
        live(store, clock)
        file = store.paths.log_file("2026-11-30")
        n = file.read_bytes().count(b"\n")
        lines = file.read_bytes().split(b"\n")
        for whole in (b"\n".join(lines) + damage, b"\n".join([*lines[:3], damage.strip(b"\n"), *lines[3:]])):
            file.write_bytes(whole)
            for least in (0, 1 << 40):
                monkeypatch.setattr(audit_source, "MIN_IN_PLACE", least)
                with open_catalog(tmp_path, store) as catalog:
                    (row,) = catalog.sql(
                        "select count(*) as n, count(event_id) as ids from audit_events", as_of=NOW
                    ).rows
                    assert row == {"n": n, "ids": n}

    def test_a_field_of_another_type_costs_itself(self, tmp_path, store, clock, monkeypatch):
        store.audit.record(Event("record_usage", "recall", detail={"result_count": "many", "kind": {"a": 1}}))
        for least in (0, 1 << 40):
            monkeypatch.setattr(audit_source, "MIN_IN_PLACE", least)
            with open_catalog(tmp_path, store) as catalog:
                (row,) = catalog.sql("select result_count, kind from usage", as_of=NOW).rows
                assert (row["result_count"], json.loads(row["kind"])) == (None, {"a": 1})

    def test_what_is_logged_later_is_there_at_the_next_question(self, tmp_path, store, clock, monkeypatch):
        monkeypatch.setattr(audit_source, "MIN_IN_PLACE", 0)
        with open_catalog(tmp_path, store) as catalog:
            for n in range(1, 4):
                store.audit.record(Event("record_usage", "recall", detail={"query": "q"}))
                assert catalog.sql("select count(*) as n from usage", as_of=NOW).rows == [{"n": n}]

    def test_a_log_that_turns_bad_after_the_check_is_parsed_instead(self, tmp_path, store, clock, monkeypatch):
        live(store, clock)
        monkeypatch.setattr(audit_source, "MIN_IN_PLACE", 0)
        file = store.paths.log_file("2026-11-30")
        real = audit_source.AuditRows.load
        with open_catalog(tmp_path, store) as catalog:

            def load(self):
                real(self)
                if not self._distrusted:
                    info = file.stat()
                    file.write_bytes(b"{junk" + file.read_bytes()[5:])
                    os.utime(file, ns=(info.st_atime_ns, info.st_mtime_ns))

            monkeypatch.setattr(audit_source.AuditRows, "load", load)
            (row,) = catalog.sql("select count(*) as n from audit_events", as_of=NOW).rows
            assert row["n"] == file.read_bytes().count(b"\n") - 1

    def test_a_question_about_other_things_reads_no_log(self, tmp_path, store, clock, monkeypatch):
        live(store, clock)
        monkeypatch.setattr(audit_source.AuditRows, "_read", lambda self: pytest.fail("the log was read"))
        with open_catalog(tmp_path, store) as catalog:
            assert catalog.sql("select count(*) as n from entries", as_of=NOW).rows == [{"n": 2}]

    def test_a_log_from_before_the_chain_is_asked_alike(self, tmp_path, store, clock):
        store.audit.record(Event("entry_operation", "store"))
        old = {
            "id": "x",
            "occurred_at": "2026-11-29T11:00:00.000Z",
            "event": "record_usage",
            "op": "recall",
            "query": "q",
        }
        store.paths.log_file("2026-11-29").write_text(json.dumps({**old, "schema_version": 1}) + "\n")
        with open_catalog(tmp_path, store) as catalog:
            (row,) = audit.usage(catalog, as_of=clock.now())
        assert (row.query, row.op) == ("q", "recall")
