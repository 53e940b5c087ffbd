"""The whole, through the one object a notebook holds."""

import datetime as dt
import json
import os
import pathlib
import subprocess
import sys
import warnings

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import memkit
from memkit.clock import UTC
from memkit.errors import (
    ConfirmationError,
    EntryNotFoundError,
    InvalidInputError,
    MemkitWarning,
    NotEnabledError,
    ProjectPathError,
    QueryError,
    SettingsError,
    StoreIOError,
    StorePermissionError,
)
from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.store import look
from memkit.store.audit_log import read_events

ADR = """# 3. Keep PostgreSQL

Date: 2026-01-15

## Status

Accepted

## Context

The team knows it.

## Decision

We keep PostgreSQL for orders.

## Tripwire conditions

- write QPS sustains >5k for 24h
- team grows past 12 engineers
"""


@pytest.fixture
def mem(project, root, clock):
    with open_memory(project, root=root, enabled=True, clock=clock) as memory:
        yield memory


def result(text, **more):
    return {"synthesis": {"content": text}, **more}


def test_what_is_stored_is_recalled_with_its_reasons(mem, clock):
    mem.store(question="Which queue?", result=result("LISTEN/NOTIFY is enough.", finalScore=80), tags=["queue"])
    clock.advance(dt.timedelta(days=76))
    (hit,) = mem.recall("queue")
    assert hit.age_label == "Stored 76 days ago"
    assert hit.score == pytest.approx(sum(c.value for c in hit.contributions))
    assert {c.field for c in hit.contributions} == {"question", "tags"}
    assert hit.fragments[0].text[slice(*hit.fragments[0].matches[0])].casefold() == "queue"
    assert 0 < hit.coverage <= 1


def test_auth_never_matches_author(mem):
    mem.store(question="Who is the author?", result=result("The author is Mira; authors are many."))
    kept = mem.store(question="How do we do auth?", result=result("auth_token in a cookie"))
    assert [hit.id for hit in mem.recall("auth")] == [kept.id]


def test_an_empty_store_answers_with_the_cause(mem):
    found = mem.recall("anything")
    assert len(found) == 0
    assert [m.cause for m in found.missed] == ["empty-store"]


def test_a_word_nobody_wrote_is_named_as_such(mem):
    mem.store(question="Which queue?", result=result("LISTEN/NOTIFY"))
    assert [m.cause for m in mem.recall("zebra").missed] == ["token-not-in-corpus"]


def test_a_superseded_decision_never_comes_back_as_if_it_held(mem):
    old = mem.store(question="Which database?", result=result("database database database: MySQL", title="a"))
    mid = mem.store(question="Which engine?", result=result("PostgreSQL", supersedes=[old.id]))
    new = mem.store(question="Which storage?", result=result("DuckDB files", supersedes=[mid.id]))
    found = mem.recall("database")
    assert [hit.id for hit in found] == [new.id]
    assert found[0].matched_through == old.id
    assert set(found[0].supersedes) == {old.id, mid.id}
    everything = mem.recall("database", include_superseded=True)
    assert everything[0].id == new.id
    assert old.id in [hit.id for hit in everything]
    assert mem.sql("select status from decisions where entry_id = $id", {"id": old.id}).rows == [
        {"status": "superseded"}
    ]


@pytest.mark.parametrize("looked_before", [True, False])
def test_a_results_file_removed_behind_its_back_is_skipped_said_and_filled_in(mem, looked_before):
    receipts = mem.store_many([{"question": f"Which queue {i}?", "result": result("queue")} for i in range(6)])
    if looked_before:
        assert len(mem.recall("queue", limit=5)) == 5
    gone = receipts[0].id
    os.unlink(mem.paths.entry_file(gone))
    with pytest.warns(MemkitWarning, match=gone):
        found = mem.recall("queue", limit=5)
    assert sorted(hit.id for hit in found) == sorted(r.id for r in receipts[1:])
    assert len(found.warnings) == 1
    assert gone in {i for m in found.missed for i in m.ids}


def test_deleting_index_and_snapshots_changes_no_hit(mem, project, root, clock):
    mem.store_many([{"question": f"Which queue {i % 7}?", "result": result(f"word{i} queue")} for i in range(300)])
    mem.refresh()
    before = [(hit.id, round(hit.score, 9)) for hit in mem.recall("queue word5", limit=50)]
    mem.close()
    mem.paths.index.unlink()
    for name in os.listdir(mem.paths.snapshots):
        (mem.paths.snapshots / name).unlink()
    with open_memory(project, root=root, enabled=True, clock=clock) as again:
        assert [(hit.id, round(hit.score, 9)) for hit in again.recall("queue word5", limit=50)] == before
        assert "index-missing" in [p.code for p in again.verify()]
        again.repair(dry_run=False)
        assert again.verify() == []
        assert [(hit.id, round(hit.score, 9)) for hit in again.recall("queue word5", limit=50)] == before


def test_own_writes_are_visible_at_once_and_others_after_refresh(mem, project, root, clock):
    mem.store(question="Which queue?", result=result("one"))
    assert len(mem.recall("queue")) == 1
    with open_memory(project, root=root, enabled=True, clock=clock) as other:
        other.store(question="Which queue again?", result=result("two"))
        assert len(other.recall("queue")) == 2
    assert len(mem.recall("queue")) == 1
    mem.refresh()
    assert len(mem.recall("queue")) == 2
    mem.store(question="Which queue at last?", result=result("three"))
    assert len(mem.recall("queue")) == 3


def test_storing_reads_no_entry_and_of_the_index_only_what_is_new(mem, monkeypatch):
    mem.store_many([{"question": f"q{i}", "result": result("x")} for i in range(20)])
    mem.recall("x")
    read = []
    real = look.read_from
    monkeypatch.setattr(
        look, "read_from", lambda path, start, **more: read.append((path, start)) or real(path, start, **more)
    )
    real_bytes = look.read_bytes
    monkeypatch.setattr(look, "read_bytes", lambda path, **more: read.append((path, 0)) or real_bytes(path, **more))
    mem.store(question="one more", result=result("y"))
    size = mem.paths.index.stat().st_size - 1_000
    data = [(path.name, start) for path, start in read if path.suffix in {".json", ".jsonl"}]
    assert [name for name, _ in data if name != "index.jsonl"] == ["store.json"] * 2
    assert all(start > size for name, start in data if name == "index.jsonl")


def test_no_secret_reaches_any_file_of_the_store(mem, tmp_path):
    secrets = ["gh" + "p_" + "A1b2" * 9, "AK" + "IA" + "ABCDEFGH12345678", "xo" + "xb-" + "123456789012-" + "a" * 24]
    receipt = mem.store(
        question=f"Why does {secrets[0]} fail?",
        result=result(f"it was {secrets[1]}", nested={"deep": [secrets[2]], secrets[2]: 1}),
        tags=["ok"],
    )
    assert sum(receipt.scrubbed.values()) >= 4
    mem.recall(f"what about {secrets[0]}")
    mem.refresh()
    mem.close()
    for base, _, files in os.walk(tmp_path):
        for name in files:
            data = pathlib.Path(base, name).read_bytes()
            assert not [s for s in secrets if s.encode() in data], name


def test_each_operation_leaves_one_event(mem, tmp_path):
    folder = tmp_path / "adr"
    folder.mkdir()
    (folder / "0003-keep-postgresql.md").write_text(ADR)
    mem.store(question="Which queue?", result=result("one"))
    mem.import_adr(folder)
    mem.recall("queue")
    mem.repair(dry_run=False)
    ops = [event["op"] for event in read_events(mem.paths)[0]]
    assert ops == ["store", "import", "import", "recall"]  # the imported entry, then the import as a whole
    mem.wipe(confirm=mem.paths.key)
    assert [event["op"] for event in read_events(mem.paths)[0]] == ["wipe"]


def test_an_adr_becomes_a_decision_with_its_own_date(mem, tmp_path):
    (tmp_path / "0003-keep-postgresql.md").write_text(ADR)
    report = mem.import_adr(tmp_path / "0003-keep-postgresql.md")
    assert report.counts == {"imported": 1, "unchanged": 0, "updated": 0, "skipped": 0, "rejected": 0}
    assert mem.import_adr(tmp_path / "0003-keep-postgresql.md").counts["unchanged"] == 1
    (row,) = mem.decisions().rows
    assert row.status == "accepted"
    assert row.decided_on == dt.date(2026, 1, 15)
    assert len(row.tripwires) == 2
    (hit,) = mem.recall("postgresql orders")
    assert hit.decided_label == "Decided 319 days ago"
    assert hit.age_label == "Stored today"
    assert [t.verdict for t in hit.tripwires] == ["unknown", "unknown"]


def test_a_changed_document_replaces_its_older_edition(mem, tmp_path):
    path = tmp_path / "0003-keep-postgresql.md"
    path.write_text(ADR)
    first = mem.import_adr(path).files[0].entry_id
    path.write_text(ADR.replace("Accepted", "Deprecated"))
    report = mem.import_adr(path)
    assert report.counts["updated"] == 1
    second = report.files[0].entry_id
    assert [hit.id for hit in mem.recall("postgresql")] == [second]
    assert [row.entry_id for row in mem.decisions().rows] == [second]
    assert mem.get(first).question == mem.get(second).question


def test_sql_joins_frames_of_every_kind_by_name(mem):
    mem.store(question="Which queue?", result=result("one", finalScore=70), tags=["a"])
    pandas = pd.DataFrame({"panel_id": ["consensus"], "owner": ["Mira"]})
    polars = pl.DataFrame({"panel_id": ["consensus"], "weight": [2]})
    arrow = pa.table({"panel_id": ["consensus"], "n": [1]})
    found = mem.sql(
        "select owner, weight, n, final_score from entries join p using (panel_id) join q using (panel_id) "
        "join r using (panel_id)",
        p=pandas, q=polars, r=arrow,
    )  # fmt: skip
    assert found.to_pandas().to_dict("records") == [{"owner": "Mira", "weight": 2, "n": 1, "final_score": 70.0}]
    assert pl.DataFrame(found).height == 1
    assert pa.table(found).num_rows == len(found) == 1
    assert found.to_polars().height == 1


@pytest.mark.parametrize(
    "query",
    ["drop view entries", "select 1; select 2", "create table t as select 1", "copy entries to 'x.csv'", "selec", "", "set threads = 1",
     "attach 'x.db'", "pragma database_list", "select * from nothing_here"],
)  # fmt: skip
def test_sql_runs_one_select_and_nothing_else(mem, query):
    with pytest.raises(QueryError):
        mem.sql(query)


def test_a_frame_cannot_take_the_name_of_a_view(mem):
    with pytest.raises(QueryError, match="entries"):
        mem.sql("select 1", entries=pd.DataFrame({"a": [1]}))


def test_a_disabled_project_says_how_to_enable_it(project, root):
    with pytest.raises(NotEnabledError, match="memkit enable"):
        memkit.open(project, root=root)
    assert not root.exists()


def test_consent_is_written_to_the_users_file_for_one_project_only(project, tmp_path):
    memkit.enable(project)
    with memkit.open(project) as mem:
        mem.store(question="Which queue?", result=result("one"))
    other = tmp_path / "other"
    other.mkdir()
    with pytest.raises(NotEnabledError):
        memkit.open(other)
    memkit.disable(project)
    with pytest.raises(NotEnabledError):
        memkit.open(project)


def test_a_file_in_the_project_can_neither_switch_memory_on_nor_move_the_store(project, tmp_path):
    (project / "memkit.toml").write_text(f'[memory]\nenabled = true\nstorage_path = "{tmp_path / "elsewhere"}"\n')
    with pytest.warns(MemkitWarning), pytest.raises(NotEnabledError):
        memkit.open(project)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MemkitWarning)
        memkit.enable(project)
        with memkit.open(project) as mem:
            assert mem.paths.root != tmp_path / "elsewhere"
    assert not (tmp_path / "elsewhere").exists()


def test_an_unknown_setting_is_an_error_with_a_suggestion(project):
    (project / "memkit.toml").write_text("[recal]\nlimit = 3\n")
    with pytest.raises(SettingsError, match="recall"):
        memkit.open(project, enabled=True)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        pytest.param({"question": ""}, "question", id="question-empty"),
        pytest.param({"question": " \n"}, "question", id="question-blank"),
        pytest.param({"question": "x \udc9d y"}, "question", id="surrogate"),
        pytest.param({"question": 7}, "question", id="question-number"),
        pytest.param({"result": {"a": float("nan")}}, "result.a", id="nan"),
        pytest.param({"result": {"a": [1, float("inf")]}}, "result.a[1]", id="infinity"),
        pytest.param({"result": {"a": {"b": "\ud800"}}}, "result.a.b", id="surrogate-in-result"),
        pytest.param({"result": {"a": {1: 2}}}, "result.a", id="key-number"),
        pytest.param({"result": {"a": {1, 2}}}, "result.a", id="a-set"),
        pytest.param({"result": []}, "result", id="result-list"),
        pytest.param({"result": None}, "result", id="result-none"),
        pytest.param({"stored_at": dt.datetime(2026, 1, 1)}, "stored_at", id="naive"),
        pytest.param({"stored_at": dt.datetime(2031, 1, 1, tzinfo=UTC)}, "stored_at", id="future"),
        pytest.param({"stored_at": dt.datetime(1969, 1, 1, tzinfo=UTC)}, "stored_at", id="before-1970"),
        pytest.param({"stored_at": "2026-01-01"}, "stored_at", id="time-as-text"),
        pytest.param({"tags": ["x"] * 3 + [str(i) for i in range(40)]}, "tags", id="33-tags"),
        pytest.param({"tags": ["x" * 65]}, "tags", id="tag-of-65"),
        pytest.param({"tags": "abc"}, "tags", id="tags-as-text"),
        pytest.param({"tags": [""]}, "tags", id="tag-empty"),
        pytest.param({"panel_id": "a\nb"}, "panel_id", id="panel-two-lines"),
        pytest.param({"panel_id": ""}, "panel_id", id="panel-empty"),
    ],
)
def test_a_value_that_cannot_be_stored_is_refused_with_its_field_and_leaves_nothing(mem, values, field):
    with pytest.raises(InvalidInputError) as caught:
        mem.store(**({"question": "Which queue?", "result": {"a": 1}} | values))
    assert caught.value.field == field
    assert not mem.paths.folder.exists()


def test_nesting_over_64_is_refused_and_64_is_kept(mem):
    def nested(n):
        value = "leaf"
        for _ in range(n):
            value = [value]
        return {"a": value}

    mem.store(question="deep", result=nested(63))
    for n in (64, 20_000):
        with pytest.raises(InvalidInputError, match="64"):
            mem.store(question="too deep", result=nested(n))


def test_numbers_survive_exactly(mem):
    numbers = {"n": 9007199254740993, "big": 92233720368547758089, "f": 0.1, "neg": -0.0}
    receipt = mem.store(question="numbers", result=numbers)
    assert dict(mem.get(receipt.id).result) == numbers
    mem.refresh()
    assert mem.get(receipt.id).result["big"] == 92233720368547758089


def test_a_project_folder_that_vanished_is_named(tmp_path, root):
    with pytest.raises(ProjectPathError, match="does not exist"):
        memkit.open(tmp_path / "gone", root=root, enabled=True)


def test_a_root_that_is_a_file_is_named(project, root):
    root.write_text("x")
    with pytest.raises(StoreIOError, match="root"):
        memkit.open(project, root=root, enabled=True)


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to mount a read-only file system")
def test_a_read_only_root_recalls_and_refuses_to_store(project, root, clock):
    with open_memory(project, root=root, enabled=True, clock=clock) as mem:
        mem.store(question="Which queue?", result=result("one"))
    if subprocess.run(["mount", "--bind", root, root], check=False, capture_output=True).returncode:
        pytest.skip("mount is refused here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", root], check=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MemkitWarning)
            with open_memory(project, root=root, enabled=True, clock=clock) as mem:
                assert len(mem.recall("queue")) == 1
                assert mem.verify() == []
                with pytest.raises(StorePermissionError, match="read-only"):
                    mem.store(question="two", result=result("x"))
    finally:
        subprocess.run(["umount", root], check=True)


def test_an_id_that_is_not_there_is_not_found(mem):
    mem.store(question="Which queue?", result=result("one"))
    with pytest.raises(EntryNotFoundError):
        mem.get("aaaaaaaa")


def test_wipe_needs_its_confirmation_and_then_nothing_is_recalled(mem):
    mem.store(question="Which queue?", result=result("one"))
    with pytest.raises(ConfirmationError):
        mem.wipe(confirm="yes")
    mem.wipe(confirm=mem.paths.key)
    assert len(mem.recall("queue")) == 0
    assert len(mem.list()) == 0
    assert mem.sql("select count(*) as n from entries").rows == [{"n": 0}]


def test_a_newer_entry_is_shown_as_such_and_never_dropped(mem):
    receipt = mem.store(question="Which queue?", result=result("one"))
    mem.refresh()
    path = mem.paths.entry_file(receipt.id)
    raw = json.loads(path.read_bytes()) | {"schemaVersion": 9}
    path.write_text(json.dumps(raw))
    mem.refresh()
    assert [line.id for line in mem.list()] == [receipt.id]
    assert "newer-entry" in [p.code for p in mem.verify()]


def test_listing_is_newest_first(mem, clock):
    ids = []
    for i in range(3):
        ids.append(mem.store(question=f"q{i}", result=result("x")).id)
        clock.advance(dt.timedelta(days=1))
    assert [line.id for line in mem.list()] == ids[::-1]


def test_a_manifest_that_lies_is_not_believed(mem, project, root, clock):
    mem.store_many([{"question": f"Which queue {i}?", "result": result(f"word{i}")} for i in range(300)])
    mem.refresh()
    mem.close()
    raw = json.loads(mem.paths.manifest.read_bytes())
    segment = next(p for p in mem.paths.snapshots.iterdir() if p.suffix == ".parquet")
    data = bytearray(segment.read_bytes())
    data[len(data) // 3] ^= 1
    segment.write_bytes(data)
    assert raw
    with open_memory(project, root=root, enabled=True, clock=clock) as again:
        assert len(again.recall("word7")) == 1


def test_eight_threads_ask_at_once(mem):
    import threading

    mem.store_many([{"question": f"Which queue {i}?", "result": result("queue")} for i in range(30)])
    failures = []

    def ask():
        try:
            for _ in range(10):
                assert len(mem.recall("queue")) == 20
                assert mem.sql("select count(*) as n from entries").rows == [{"n": 30}]
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_the_tests_temporary_memory_reads_no_settings_of_the_user(tmp_path):
    from memkit.testing import temp_memory_root

    config = Environment.from_process().config_file
    config.parent.mkdir(parents=True)
    config.write_text("[recal]\n")
    with temp_memory_root() as mem:
        mem.store(question="Which queue?", result=result("one"))
        assert len(mem.recall("queue")) == 1
    config.unlink()


def test_a_closed_memory_says_so(mem):
    mem.close()
    with pytest.raises(memkit.MemkitError, match="closed"):
        mem.recall("queue")


def test_python_minus_m_is_the_command():
    done = subprocess.run([sys.executable, "-m", "memkit", "--version"], capture_output=True, text=True, check=True)
    assert memkit.__version__ in done.stdout


def test_consent_is_not_recorded_while_the_settings_cannot_be_read(project):
    (project / "memkit.toml").write_text("[recall]\nlimitt = 3\n")
    with pytest.raises(SettingsError, match="limitt"):
        memkit.enable(project)
    (project / "memkit.toml").unlink()
    with pytest.raises(NotEnabledError):
        memkit.open(project)
    memkit.enable(project)
    (project / "memkit.toml").write_text("[recall]\nlimitt = 3\n")
    memkit.disable(project)  # withdrawing consent depends on no file of the project
    (project / "memkit.toml").unlink()
    with pytest.raises(NotEnabledError):
        memkit.open(project)


def test_a_memory_opened_to_look_changes_no_derived_file(mem, project, root, clock):
    mem.store_many([{"question": f"Which queue {i}?", "result": result("x")} for i in range(300)])
    mem.close()
    manifest = mem.paths.manifest
    manifest.write_bytes(manifest.read_bytes().replace(b'"end_doc":300', b'"end_doc":7'))
    before = manifest.read_bytes()
    with open_memory(project, root=root, enabled=True, clock=clock, even_if_off=True) as looking:
        assert [p.code for p in looking.verify()] == ["snapshot-manifest-damaged"]
    assert manifest.read_bytes() == before


def test_a_current_folder_that_is_gone_is_named(tmp_path, root, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(ProjectPathError, match="current folder"):
        memkit.open(".", root=root, enabled=True)


def test_progress_of_verify_and_repair_counts_each_entry_that_is_compared(mem):
    for n in range(5):
        mem.store(question=f"Question {n}?", result={"conclusion": "Yes."})
    compared: list[int] = []
    assert mem.verify(progress=compared.append) == []
    assert sum(compared) == 5
    mem.repair(dry_run=False, progress=compared.append)
    assert sum(compared) == 10
