"""What storing promises, one sentence per test."""

import hashlib
import json
import os
import stat
import threading

import pytest

from memkit.errors import (
    DamagedError,
    DiskFullError,
    EntryNotFoundError,
    ForeignStoreError,
    InvalidInputError,
    LockedError,
    NewerFormatError,
    StoreIOError,
    StorePermissionError,
)
from memkit.model.entry import MAX_ENTRY_BYTES
from memkit.store import durable
from memkit.store.audit_log import read_events
from memkit.store.lock import Lock
from memkit.store.new_entry import NewEntry
from memkit.store.verify import verify
from tests.store.conftest import new


def test_a_stored_entry_reads_back_equal(store):
    (receipt,) = store.store_many([new(tags=("db", "ops"), panel_id="architecture")])
    assert store.read_entry(receipt.id) == receipt.entry
    assert receipt.entry.tags == ("db", "ops")


def test_the_envelope_on_disk_has_the_fields_of_the_format(store):
    (receipt,) = store.store_many([new()])
    raw = json.loads(store.paths.entry_file(receipt.id).read_bytes())
    assert list(raw) == [
        "schemaVersion", "id", "storedAt", "projectKey", "projectPath", "panelId", "question", "tags", "result",
    ]  # fmt: skip
    assert raw["projectKey"] == hashlib.sha256(raw["projectPath"].encode()).hexdigest()[:12]


def test_the_index_line_satisfies_the_other_tools_schema(store):
    store.store_many([new(question="x" * 500), new(question="😀" * 300)])
    for line in store.paths.index.read_bytes().split(b"\n")[:-1]:
        row = json.loads(line)
        assert {"id", "storedAt", "projectKey", "panelId", "questionPreview", "tags"} <= set(row)
        assert 1 <= len(row["questionPreview"].encode("utf-16-le")) // 2 <= 240
        assert row["finalScore"] == 81
        assert row["judgeConfidence"] == -1
        assert len(line) < 4096


def test_tags_too_many_for_the_line_stay_whole_in_the_envelope(store):
    tags = tuple(f"{i:02}" + "猫" * 60 for i in range(32))
    (receipt,) = store.store_many([new(tags=tags)])
    assert store.read_entry(receipt.id).tags == tags
    assert len(store.paths.index.read_bytes()) <= 4096


def test_ids_of_a_batch_ascend_in_its_order(store):
    receipts = store.store_many([new(question=f"q{i}") for i in range(50)])
    ids = [receipt.id for receipt in receipts]
    assert ids == sorted(ids)
    assert [line.id for line in store.read_index().lines] == ids


def test_files_and_folders_are_private_whatever_the_umask(make_store):
    for umask in (0o000, 0o022, 0o077, 0o777):
        old = os.umask(umask)
        try:
            store = make_store()
            store.store_many([new()])
        finally:
            os.umask(old)
    for base, _, files in os.walk(store.paths.folder):
        assert stat.S_IMODE(os.stat(base).st_mode) == 0o700
        for name in files:
            path = os.path.join(base, name)
            assert os.path.islink(path) or stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_two_projects_of_one_name_stay_apart(make_store, tmp_path):
    stores = []
    for parent in ("a", "b"):
        folder = tmp_path / parent / "api"
        folder.mkdir(parents=True)
        stores.append(make_store(folder))
        stores[-1].store_many([new(question=parent)])
    assert stores[0].paths.key != stores[1].paths.key
    assert [line.question_preview for line in stores[0].read_index().lines] == ["a"]


def test_an_entry_stored_through_a_link_belongs_to_the_real_path_for_ever(make_store, tmp_path):
    real, other, link = tmp_path / "real", tmp_path / "other", tmp_path / "link"
    real.mkdir()
    other.mkdir()
    link.symlink_to(real)
    (receipt,) = make_store(link).store_many([new()])
    link.unlink()
    link.symlink_to(other)
    assert make_store(real).read_entry(receipt.id).project_path == str(real)
    with pytest.raises(EntryNotFoundError):
        make_store(link).read_entry(receipt.id)


def test_a_project_whose_name_is_not_text_works(make_store, tmp_path):
    folder = os.fsencode(tmp_path) + b"/proj-\xff\xfe"
    os.mkdir(folder)
    store = make_store(os.fsdecode(folder))
    (receipt,) = store.store_many([new()])
    assert store.read_entry(receipt.id).project_path.endswith("proj-\\xff\\xfe")


def test_a_store_of_the_typescript_tool_opens_and_can_be_written(make_store):
    store = make_store()
    old = {
        "id": "0a1b2c3d4e5f", "storedAt": 1_760_000_000_000, "projectKey": store.paths.key,
        "projectPath": store.paths.project_path, "panelId": "consensus", "question": "Tabs or spaces?",
        "tags": ["style"], "result": {"synthesis": {"content": "Spaces."}}, "future": {"kept": [1]},
    }  # fmt: skip
    line = {k: old[k] for k in ("id", "storedAt", "projectKey", "panelId", "tags")} | {
        "questionPreview": "Tabs or spaces?", "finalScore": -1, "judgeConfidence": 70,
    }  # fmt: skip
    store.paths.results.mkdir(parents=True, mode=0o700)
    store.paths.folder.chmod(0o700)
    for path, text in ((store.paths.entry_file(old["id"]), json.dumps(old)), (store.paths.index, json.dumps(line))):
        path.write_text(text + "\n")
        path.chmod(0o600)
    entry = store.read_entry("0a1b2c3d4e5f")
    assert entry.schema_version == 1
    assert entry.extra == {"future": {"kept": [1]}}
    assert verify(store) == []
    store.store_many([new()])
    assert len(store.read_index().lines) == 2


@pytest.mark.parametrize(
    ("data", "error"),
    [
        pytest.param(b"", DamagedError, id="empty"),
        pytest.param(b'{"id": "r-0001", ', DamagedError, id="cut"),
        pytest.param(b"\0" * 200, DamagedError, id="nul"),
        pytest.param(b"[1]", DamagedError, id="a-list"),
        pytest.param(b'{"schemaVersion": 1, "id": "xxxxxxxx"}', DamagedError, id="fields-missing"),
        pytest.param(b'{"schemaVersion": 99, "id": "xxxxxxxx"}', NewerFormatError, id="newer"),
        pytest.param(b"[" * 20000 + b"]" * 20000, DamagedError, id="nested-20000"),
        pytest.param(b"9" * 5000, DamagedError, id="number-of-5000-digits"),
    ],
)
def test_a_damaged_entry_is_never_called_missing(make_store, data, error):
    store = make_store(sound=False)
    (receipt,) = store.store_many([new()])
    store.paths.entry_file(receipt.id).write_bytes(data)
    with pytest.raises(error) as caught:
        store.read_entry(receipt.id)
    assert receipt.id in caught.value.file


def test_an_entry_of_another_project_is_refused_by_name(make_store, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    theirs = make_store(other)
    (receipt,) = theirs.store_many([new()])
    ours = make_store(sound=False)
    ours.store_many([new()])
    ours.paths.entry_file(receipt.id).write_bytes(theirs.paths.entry_file(receipt.id).read_bytes())
    with pytest.raises(ForeignStoreError, match="other"):
        ours.read_entry(receipt.id)


@pytest.mark.parametrize(
    "bad", ["../x", "/etc/x", "a/../../b", "%2e%2e%2fx", "CON", "a:b", ".", "", "x" * 300, "r\n1aaaaaaa"]
)
def test_an_id_cannot_name_anything_outside_the_folder(store, bad):
    with pytest.raises(InvalidInputError, match="id"):
        store.read_entry(bad)


def test_a_copied_store_is_refused_not_mixed(make_store, tmp_path):
    store = make_store()
    store.store_many([new()])
    other = tmp_path / "other"
    other.mkdir()
    copy = make_store(other, sound=False)
    os.rename(store.paths.folder, copy.paths.folder)
    with pytest.raises(ForeignStoreError, match="copied"):
        copy.store_many([new()])
    os.rename(copy.paths.folder, store.paths.folder)


def test_a_root_that_is_a_file_is_named(make_store, root):
    root.write_text("not a folder")
    store = make_store(sound=False)
    with pytest.raises(StoreIOError, match="root"):
        store.store_many([new()])
    assert root.read_text() == "not a folder"


def test_a_result_of_40_mb_is_refused_and_leaves_nothing(store):
    store.store_many([new()])
    before = sorted(os.listdir(store.paths.results))
    with pytest.raises(InvalidInputError, match="result"):
        store.store_many([new(), NewEntry(question="big", result={"text": "x" * (MAX_ENTRY_BYTES + 1)})])
    assert sorted(os.listdir(store.paths.results)) == before


def test_deleting_the_index_before_a_store_loses_no_line(store):
    first = store.store_many([new(question=f"q{i}") for i in range(3)])
    store.paths.index.unlink()
    assert store.read_index().rebuilt
    (last,) = store.store_many([new(question="after")])
    assert [line.id for line in store.read_index().lines] == [r.id for r in first] + [last.id]


@pytest.mark.parametrize("tail", [b'{"id":"torn', b"junk", b"\xe2\x82", b"{}"], ids=["json", "text", "utf8", "object"])
def test_a_torn_tail_costs_only_itself(make_store, tail):
    store = make_store(sound=False)
    store.store_many([new(question="one")])
    with store.paths.index.open("ab") as file:
        file.write(tail)
    store.store_many([new(question="two")])
    read = store.read_index()
    assert [line.question_preview for line in read.lines] == ["one", "two"]
    assert len(read.damaged) == 1


def test_two_objects_glued_on_one_line_are_both_read(make_store):
    store = make_store(sound=False)
    store.store_many([new(question="a } { b"), new(question='braces }{ and "quotes"')])
    data = store.paths.index.read_bytes()
    store.paths.index.write_bytes(data.replace(b"}\n{", b"}{"))
    assert [line.question_preview for line in store.read_index().lines] == ["a } { b", 'braces }{ and "quotes"']


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(b"{not json}", id="not-json"),
        pytest.param(b"\0\0\0\0", id="nul"),
        pytest.param(b"\xff\xfe\xfd", id="not-utf8"),
        pytest.param(b'{"id": "\\udc9d"}', id="surrogate"),
        pytest.param(b'{"id": NaN}', id="nan"),
        pytest.param(b'{"a":' * 200 + b"1" + b"}" * 200, id="nested-200"),
        pytest.param(b'{"x": "' + b"y" * 2_000_000 + b'"}', id="two-megabytes"),
        pytest.param(b"7", id="a-number"),
    ],
)
def test_one_bad_line_costs_one_line(make_store, bad):
    store = make_store(sound=False)
    store.store_many([new(question=f"q{i}") for i in range(5)])
    lines = store.paths.index.read_bytes().split(b"\n")
    lines.insert(2, bad)
    store.paths.index.write_bytes(b"\n".join(lines))
    read = store.read_index()
    assert len(read.lines) == 5
    assert len(read.damaged) == 1
    assert read.damaged[0].start == len(lines[0]) + len(lines[1]) + 2


def test_bom_crlf_blank_lines_and_strange_separators_are_fine(make_store):
    store = make_store(sound=False)
    store.store_many([new(question="before\u2028after\u0085end\x0b\x0c\x1c"), new(question="two")])
    data = store.paths.index.read_bytes()
    store.paths.index.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n\n"))
    read = store.read_index()
    assert len(read.lines) == 2
    assert read.damaged == ()


def test_a_repeated_line_counts_once(make_store):
    store = make_store(sound=False)
    store.store_many([new()])
    data = store.paths.index.read_bytes()
    store.paths.index.write_bytes(data + data)
    read = store.read_index()
    assert len(read.lines) == 1
    assert len(read.repeated) == 1


def test_a_held_lock_is_refused_with_its_holder(make_store):
    store = make_store(wait_seconds=0.05)
    store.store_many([new()])
    before = store.paths.index.read_bytes()
    with Lock(store.paths.index_lock).held("a long job"), pytest.raises(LockedError) as caught:
        store.store_many([new()])
    assert caught.value.holder["pid"] == str(os.getpid())
    assert caught.value.holder["command"] == "a long job"
    assert store.paths.index.read_bytes() == before


def test_a_foreign_sentinel_is_waited_for_and_a_stale_one_taken_over(make_store):
    store = make_store(wait_seconds=0.05)
    store.store_many([new()])
    store.paths.sentinel.write_text("123")
    with pytest.raises(LockedError, match="another tool"):
        store.store_many([new()])
    os.utime(store.paths.sentinel, (1, 1))
    with pytest.warns(UserWarning, match="taken over"):
        store.store_many([new()])
    assert not store.paths.sentinel.exists()


def test_a_sentinel_left_by_a_killed_memkit_is_free_at_once(make_store):
    store = make_store(wait_seconds=0.05)
    store.store_many([new()])
    os.link(store.paths.sentinel_source, store.paths.sentinel)
    store.store_many([new()])
    assert len(store.read_index().lines) == 2


def test_eight_threads_with_two_stores_each_lose_nothing(make_store):
    stores = [make_store() for _ in range(2)]
    acknowledged = []

    def work(k):
        for i in range(10):
            acknowledged.extend(r.id for r in stores[k % 2].store_many([new(question=f"{k}-{i}")]))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    read = stores[0].read_index()
    assert sorted(line.id for line in read.lines) == sorted(acknowledged)
    assert len(acknowledged) == 80


def test_each_store_leaves_one_event_line(store):
    (receipt,) = store.store_many([new()])
    events, problems = read_events(store.paths)
    assert problems == []
    assert [(e["event"], e["op"], e["entry_id"]) for e in events] == [("entry_operation", "store", receipt.id)]
    assert os.readlink(store.paths.current_log) == "memory-2026-11-30.log"


def test_a_log_that_cannot_be_written_fails_nothing_and_says_so_once(make_store, monkeypatch):
    store = make_store(sound=False)
    store.store_many([new()])
    for name in os.listdir(store.paths.logs):
        (store.paths.logs / name).unlink()
    store.paths.logs.rmdir()
    store.paths.logs.write_text("a file")
    with pytest.warns(UserWarning, match="audit log"):
        store.store_many([new()])
    store.store_many([new()])
    assert len(store.read_index().lines) == 3


class _Os:
    """The operating system with one call that fails."""

    def __init__(self, call, error):
        self._call, self._error = call, error

    def __getattr__(self, name):
        real = getattr(os, name)
        if name != self._call:
            return real

        def failing(*_args, **_kwargs):
            raise self._error

        return failing


@pytest.mark.parametrize("call", ["fsync", "write", "rename", "fchmod", "ftruncate"])
@pytest.mark.parametrize("code", [5, 28, 13, 30, 122], ids=["EIO", "ENOSPC", "EACCES", "EROFS", "EDQUOT"])
def test_a_fault_of_the_disk_is_a_typed_error_and_the_old_entries_stay(make_store, monkeypatch, call, code):
    store = make_store()
    (old,) = store.store_many([new(question="old")])
    with monkeypatch.context() as patch:
        patch.setattr(durable, "os", _Os(call, OSError(code, os.strerror(code))))
        if call == "ftruncate":
            store.store_many([new(question="fine")])
        else:
            with pytest.raises((StoreIOError, StorePermissionError, DiskFullError)):
                store.store_many([new(question="lost")])
    assert store.read_entry(old.id).question == "old"
    (again,) = store.store_many([new(question="again")])
    assert store.read_entry(again.id).question == "again"
    assert "lost" not in [line.question_preview for line in store.read_index().lines]


def test_a_short_write_is_cut_back(make_store, monkeypatch):
    store = make_store()
    store.store_many([new(question="old")])
    before = store.paths.index.read_bytes()

    class Short(_Os):
        def __getattr__(self, name):
            if name == "write":
                return lambda fd, data: (
                    os.write(fd, bytes(data)[: len(data) // 2]) if len(data) > 300 else os.write(fd, data)
                )
            return getattr(os, name)

    with monkeypatch.context() as patch:
        patch.setattr(durable, "os", Short("", None))
        with pytest.raises(DiskFullError):
            store.store_many([new(question="x" * 400)])
    assert store.paths.index.read_bytes() == before
    assert len(os.listdir(store.paths.results)) == 1


def test_no_descriptor_is_left_open(store):
    store.store_many([new()])
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        store.store_many([new()])
    assert len(os.listdir("/proc/self/fd")) == before
