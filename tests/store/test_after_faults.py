"""Defects that faults, crashes and damage once showed, one sentence each."""

import datetime as dt
import errno
import os
import threading
import time
import warnings
from contextlib import contextmanager

import pytest

from memkit.errors import (
    DamagedError,
    DiskFullError,
    InvalidInputError,
    LockedError,
    LocksUnsupportedError,
    MemkitWarning,
    OutcomeUnknownError,
    StoreIOError,
    StorePermissionError,
)
from memkit.model import jsontext
from memkit.model.index_line import MAX_LINE_BYTES, line_for, parse_line
from memkit.store import audit_log, durable, entries, index, leftovers, look, quarantine
from memkit.store.lock import Lock
from memkit.store.new_entry import NewEntry
from memkit.store.repair import repair
from memkit.store.status import status_of
from memkit.store.verify import verify
from memkit.store.wipe import wipe
from tests.store.conftest import new

DEAD = 2**22 + 1  # no process has this id


class Faulty:
    """`os` in which some calls fail on some paths."""

    def __init__(self, call, error, *, on="", after=0):
        self._call, self._error, self._on, self._after = call, error, on, after
        self.hits = 0

    def __getattr__(self, name):
        real = getattr(os, name)
        if name != self._call:
            return real

        def call(first, *args, **kwargs):
            if self._on and self._on not in os.fspath(_name_of(first)):
                return real(first, *args, **kwargs)
            self.hits += 1
            if self.hits <= self._after:
                return real(first, *args, **kwargs)
            if name == "close":
                real(first)
            raise OSError(self._error, os.strerror(self._error))

        return call


def _name_of(first):
    return os.readlink(f"/proc/self/fd/{first}") if isinstance(first, int) else first


@contextmanager
def faulty(monkeypatch, *args, **kwargs):
    stand_in = Faulty(*args, **kwargs)
    with monkeypatch.context() as patch:
        patch.setattr(durable, "os", stand_in)
        patch.setattr(look, "os", stand_in)
        yield stand_in


class TestLooking:
    """What could not be looked at is never taken for missing."""

    def test_a_store_json_that_cannot_be_looked_at_is_not_written_again(self, store, monkeypatch):
        store.store_many([new()])
        before = store.paths.store_json.read_bytes()
        with (
            faulty(monkeypatch, "lstat", errno.EIO, on="store.json"),
            pytest.raises(StoreIOError, match="look at"),
        ):
            store.store_many([new()])
        assert store.paths.store_json.read_bytes() == before
        assert len(store.read_index().lines) == 1

    def test_an_index_that_cannot_be_looked_at_is_not_written_again(self, store, monkeypatch):
        store.store_many([new(question="one"), new(question="two")])
        with faulty(monkeypatch, "lstat", errno.EIO, on="index.jsonl"), pytest.raises(StoreIOError):
            store.store_many([new()])
        assert len(store.read_index().lines) == 2

    def test_a_folder_nobody_may_enter_is_no_empty_store(self, make_store, monkeypatch):
        store = make_store(sound=False)
        store.store_many([new()])
        with faulty(monkeypatch, "stat", errno.EACCES):
            for look_at in (lambda: store.exists, lambda: verify(store), store.info):
                with pytest.raises(StorePermissionError):
                    look_at()

    def test_what_verify_may_not_read_is_a_problem(self, make_store, monkeypatch):
        store = make_store(sound=False)
        store.store_many([new()])
        with faulty(monkeypatch, "listdir", errno.EACCES, on="results"):
            assert {problem.code for problem in verify(store)} == {"unreadable"}
        with faulty(monkeypatch, "open", errno.EIO, on="/results/"):
            assert {problem.code for problem in verify(store)} == {"unreadable-entry"}
        with faulty(monkeypatch, "open", errno.EIO, on="index.jsonl"):
            assert {problem.code for problem in verify(store)} == {"unreadable"}

    def test_status_never_raises(self, make_store, monkeypatch):
        store = make_store(sound=False)
        store.store_many([new()])
        with faulty(monkeypatch, "listdir", errno.EACCES):
            status = status_of(store, enabled=True, enabled_by="test")
        assert any("cannot be" in note or "Not everything" in note for note in status.notes)

    def test_a_pipe_in_the_place_of_an_entry_hangs_nobody(self, make_store):
        store = make_store(sound=False)
        (receipt,) = store.store_many([new()])
        path = store.paths.entry_file(receipt.id)
        path.unlink()
        os.mkfifo(path)
        with pytest.raises(StoreIOError):
            store.read_entry(receipt.id)
        assert [problem.code for problem in verify(store)] == ["not-a-file", "wide-mode"]

    def test_other_faults_of_looking_are_typed(self, tmp_path, monkeypatch):
        (tmp_path / "file").write_bytes(b"x")
        (tmp_path / "link").symlink_to("file")
        assert look.link_target(tmp_path / "link") == "file"
        assert look.link_target(tmp_path / "file") is None
        assert look.link_target(tmp_path / "none") is None
        assert look.version_of(tmp_path / "none") is None
        assert look.names_in(tmp_path / "none") == []
        assert list(look.tree(tmp_path / "none")) == []
        assert look.age_of(tmp_path / "none") is None
        for call, ask in (
            ("readlink", lambda: look.link_target(tmp_path / "link")),
            ("stat", lambda: look.version_of(tmp_path / "file")),
            ("listdir", lambda: look.names_in(tmp_path)),
            ("lstat", lambda: look.age_of(tmp_path / "file")),
        ):
            with faulty(monkeypatch, call, errno.EIO), pytest.raises(StoreIOError):
                ask()

    def test_whether_a_process_runs(self, monkeypatch):
        assert look.is_running(os.getpid())
        assert not look.is_running(DEAD)
        assert not look.is_running(10**30)
        with faulty(monkeypatch, "kill", errno.EPERM):
            assert look.is_running(1)


class TestIndexWrittenAnew:
    """A missing index is written whole; readers can tell the old bytes from the new."""

    def test_a_fault_while_a_missing_index_is_written_leaves_it_missing(self, store, monkeypatch):
        first = store.store_many([new(question=f"q{i}") for i in range(3)])
        store.paths.index.unlink()
        with faulty(monkeypatch, "write", errno.ENOSPC, on=".index.jsonl."), pytest.raises(DiskFullError):
            store.store_many([new()])
        assert [line.id for line in store.read_index().lines] == [receipt.id for receipt in first]
        store.store_many([new()])
        assert len(store.read_index().lines) == 4

    def test_the_generation_is_another_after_a_missing_index_was_written(self, store):
        store.store_many([new()])
        assert store.generation() == 0
        store.paths.index.unlink()
        store.store_many([new()])
        assert store.generation() == 2

    def test_a_read_while_the_index_is_written_anew_equals_no_other(self, store, monkeypatch):
        store.store_many([new()])
        seen = []
        real = durable.replace

        def replace(path, data):
            real(path, data)
            if path == store.paths.generation:
                seen.append(store.read_index().generation)

        with monkeypatch.context() as patch, store.index_lock.held("test") as held:
            patch.setattr(durable, "replace", replace)
            index.rewrite(store.paths, held, [store.paths.index.read_bytes()], wait_seconds=1)
        assert seen[0] < 0
        assert seen[1] == 2
        assert store.generation() == 2

    def test_an_odd_generation_left_by_a_crash_is_brought_back_by_the_next_store(self, store):
        store.store_many([new()])
        store.paths.generation.touch(0o600)
        store.paths.generation.write_bytes(b"7\n")
        reads = {store.read_index().generation for _ in range(3)}
        assert len(reads) == 3
        assert all(number < 0 for number in reads)
        store.store_many([new()])
        assert store.generation() == 10

    def test_where_the_outcome_is_unknown_the_generation_stays_odd(self, store, monkeypatch):
        store.store_many([new()])
        store.paths.index.unlink()
        with (
            faulty(monkeypatch, "fsync", errno.EIO, on=store.paths.key, after=5),
            pytest.raises(OutcomeUnknownError),
        ):
            store.store_many([new()])
        assert store.read_index().generation < 0
        store.store_many([new()])
        assert store.generation() > 0

    def test_a_generation_that_is_no_number_is_named_and_mended(self, make_store):
        store = make_store(sound=False)
        store.store_many([new()])
        store.paths.generation.touch(0o600)
        store.paths.generation.write_bytes(b"\xff\xff")
        assert store.generation() < 0
        assert [problem.code for problem in verify(store)] == ["generation-damaged"]
        repair(store, dry_run=False)
        assert verify(store) == []
        assert store.generation() > 2**40

    def test_wiping_never_brings_a_generation_back(self, store):
        store.store_many([new()])
        store.paths.index.unlink()
        store.store_many([new()])
        before = store.generation()
        wipe(store, confirm=store.paths.key)
        assert store.generation() > before
        store.store_many([new()])
        assert store.generation() > before

    def test_an_entry_the_disk_will_not_give_is_not_left_out(self, store, monkeypatch):
        receipts = store.store_many([new(question=f"q{i}") for i in range(3)])
        store.paths.index.unlink()
        with faulty(monkeypatch, "open", errno.EMFILE, on=f"{receipts[1].id}.json"):
            assert len(store.read_index().lines) == 2  # reading shows what it can
            with pytest.raises(StoreIOError, match="ulimit"):
                store.store_many([new()])
        store.store_many([new()])
        assert len(store.read_index().lines) == 4

    def test_a_newer_entry_keeps_a_line(self, make_store):
        store = make_store(sound=False)
        receipts = store.store_many([new(question="old"), new(question="newer")])
        path = store.paths.entry_file(receipts[1].id)
        path.write_bytes(path.read_bytes().replace(b'"schemaVersion":1', b'"schemaVersion":9'))
        store.paths.index.unlink()
        assert [line.question_preview for line in store.read_index().lines] == ["old", "newer"]
        path.write_bytes(b'{"schemaVersion":9}')
        assert [line.question_preview for line in store.read_index().lines] == ["old"]
        other = path.read_bytes()
        path.write_bytes(store.paths.entry_file(receipts[0].id).read_bytes().replace(b'Version":1', b'Version":9'))
        assert [line.question_preview for line in store.read_index().lines] == ["old"]
        assert other


class TestWrittenStaysWritten:
    """Once the line is on disk, nothing that fails afterwards takes the entry back."""

    def test_a_sentinel_that_cannot_be_removed_is_a_warning(self, store, monkeypatch):
        with (
            faulty(monkeypatch, "unlink", errno.EIO, on="index.jsonl.lock"),
            pytest.warns(MemkitWarning, match="could not be removed"),
        ):
            (receipt,) = store.store_many([new()])
        assert store.read_entry(receipt.id)
        store.store_many([new()])
        assert not store.paths.sentinel.exists()

    def test_a_descriptor_that_fails_to_close_after_its_flush_is_no_fault(self, store, monkeypatch):
        store.store_many([new()])
        with faulty(monkeypatch, "close", errno.EIO, on="index.jsonl"):
            (receipt,) = store.store_many([new()])
        assert [line.id for line in store.read_index().lines][-1] == receipt.id

    def test_a_lock_that_cannot_be_let_go_cleanly_is_no_fault(self, store, monkeypatch):
        import fcntl

        class Fcntl:
            LOCK_EX, LOCK_NB, LOCK_UN = fcntl.LOCK_EX, fcntl.LOCK_NB, fcntl.LOCK_UN

            @staticmethod
            def flock(fd, op):
                if op == fcntl.LOCK_UN:
                    raise OSError(errno.EIO, "no")
                return fcntl.flock(fd, op)

        with monkeypatch.context() as patch:
            patch.setattr(durable, "fcntl", Fcntl)
            (receipt,) = store.store_many([new()])
        assert store.read_entry(receipt.id)
        store.store_many([new()])

    def test_a_part_that_cannot_be_cut_off_again_leaves_the_outcome_unknown(self, make_store, monkeypatch):
        store = make_store(sound=False)
        store.store_many([new()])

        class Both(Faulty):
            def __getattr__(self, name):
                if name == "write":
                    return lambda fd, data: (
                        os.write(fd, bytes(data)[:40])
                        if b"storedAt" in bytes(data) and b'"bytes"' in bytes(data)
                        else os.write(fd, data)
                    )
                return super().__getattr__(name)

        with monkeypatch.context() as patch:
            patch.setattr(durable, "os", Both("ftruncate", errno.EIO))
            with pytest.raises(OutcomeUnknownError, match="cut off") as caught:
                store.store_many([new(question="unknown")])
        (entry_id,) = caught.value.entry_ids
        assert store.read_entry(entry_id).question == "unknown"

    def test_files_that_cannot_be_taken_back_leave_the_outcome_unknown(self, make_store, monkeypatch):
        store = make_store(sound=False, wait_seconds=0.0)
        store.store_many([new()])
        store.paths.sentinel.write_text("somebody else's")
        with faulty(monkeypatch, "unlink", errno.EIO, on="/results/"), pytest.raises(OutcomeUnknownError) as caught:
            store.store_many([new(question="stays")])
        store.paths.sentinel.unlink()
        assert store.read_entry(caught.value.entry_ids[0]).question == "stays"
        assert [problem.code for problem in verify(store)] == ["orphan-entry"]


class TestStoringAgain:
    """After an unknown outcome the same ids may be given again; it stays one entry."""

    @pytest.mark.parametrize("where", ["results", "index.jsonl"])
    def test_storing_again_with_its_id_leaves_one_entry(self, store, monkeypatch, where):
        store.store_many([new(question="before")])
        with (
            faulty(monkeypatch, "fsync", errno.EIO, on=where, after=2 if where == "results" else 0),
            pytest.raises(OutcomeUnknownError) as caught,
        ):
            store.store_many([new(question="one"), new(question="two")])
        ids = caught.value.entry_ids
        for _ in range(3):
            receipts = store.store_many([new(question="one", id=ids[0]), new(question="two", id=ids[1])])
            assert tuple(receipt.id for receipt in receipts) == ids
        assert [line.question_preview for line in store.read_index().lines] == ["before", "one", "two"]
        assert store.read_index().repeated == ()

    def test_an_id_that_was_never_there_is_stored_under_it(self, store):
        (receipt,) = store.store_many([new(id="0a1b2c3d4e5f")])
        assert receipt.id == "0a1b2c3d4e5f"

    def test_another_content_under_an_id_is_refused(self, store):
        (receipt,) = store.store_many([new(question="mine")])
        with pytest.raises(InvalidInputError, match="another entry"):
            store.store_many([new(question="other", id=receipt.id)])
        assert store.read_entry(receipt.id).question == "mine"

    def test_it_works_with_a_torn_or_missing_index_too(self, store):
        (receipt,) = store.store_many([new(question="mine")])
        store.paths.index.unlink()
        store.store_many([new(question="mine", id=receipt.id)])
        assert [line.id for line in store.read_index().lines] == [receipt.id]
        store.paths.index.write_bytes(store.paths.index.read_bytes()[:-1])
        store.store_many([new(question="mine", id=receipt.id)])
        read = store.read_index()
        assert [line.id for line in read.lines] == [receipt.id]
        repair(store, dry_run=False)


class TestLeftovers:
    """What a dead writer left is swept; what a live one needs is not missed."""

    def _temp(self, store, pid):
        path = store.paths.results / f".x.json.{pid}-{'ab' * 8}.tmp"
        path.touch(0o600)
        return path

    def test_only_a_dead_or_forgotten_writers_file_is_left_over(self, store):
        store.store_many([new()])
        live, dead = self._temp(store, os.getpid()), self._temp(store, DEAD)
        foreign = store.paths.results / "mine.tmp"
        assert leftovers.is_left_over(dead, dead.lstat())
        assert not leftovers.is_left_over(live, live.lstat())
        os.utime(live, (1, 1))
        assert leftovers.is_left_over(live, live.lstat())
        assert leftovers.sweep(store.paths) == 2
        assert not live.exists()
        assert not dead.exists()
        foreign.touch(0o600)
        assert leftovers.sweep(store.paths) == 0
        assert [problem.code for problem in verify(store)] == ["stray-file"]
        foreign.unlink()

    def test_sweeping_waits_for_nobody_and_raises_nothing(self, store, monkeypatch):
        assert leftovers.sweep(store.paths) == 0
        store.store_many([new()])
        dead = self._temp(store, DEAD)
        with store.index_lock.held("busy"):
            assert leftovers.sweep(store.paths) == 0
        with faulty(monkeypatch, "unlink", errno.EROFS):
            assert leftovers.sweep(store.paths) == 0
        assert dead.exists()
        assert leftovers.sweep(store.paths) == 1

    def test_a_writer_whose_files_were_swept_before_it_had_the_lock_writes_them_again(self, store, monkeypatch):
        real = entries.prepare
        calls = []

        def prepare(paths, stored):
            prepared = real(paths, stored)
            calls.append(len(prepared))
            if len(calls) == 1:
                prepared[0].temp.unlink()
            return prepared

        monkeypatch.setattr(entries, "prepare", prepare)
        (receipt,) = store.store_many([new()])
        assert calls == [1, 1]
        assert store.read_entry(receipt.id)

    def test_a_folder_that_is_cleaned_all_the_time_is_said_so(self, store, monkeypatch):
        real = entries.prepare

        def prepare(paths, stored):
            prepared = real(paths, stored)
            prepared[0].temp.unlink()
            return prepared

        with monkeypatch.context() as patch:
            patch.setattr(entries, "prepare", prepare)
            with pytest.raises(StoreIOError, match="removed 10 times"):
                store.store_many([new()])
        store.store_many([new()])

    def test_a_folder_that_vanishes_between_two_steps_is_made_again(self, store, monkeypatch):
        store.store_many([new()])
        real = entries.prepare
        calls = []

        def prepare(paths, stored):
            calls.append(True)
            if len(calls) == 1:
                wipe(store, confirm=store.paths.key)
                os.rename(paths.results, f"{paths.results}-away") if paths.results.exists() else None
            return real(paths, stored)

        monkeypatch.setattr(entries, "prepare", prepare)
        (receipt,) = store.store_many([new()])
        assert [line.id for line in store.read_index().lines] == [receipt.id]

    @pytest.mark.parametrize("by", ["store", "repair", "sweep", "wipe"])
    def test_a_wipe_that_was_cut_off_is_carried_on(self, make_store, by):
        store = make_store(sound=False)
        store.store_many([new(question="secret plan")])
        quarantine.put(store.paths, b"secret plan", file="x", start=0, reason="r", moved_at=store.clock.now())
        store.paths.index.unlink()
        store.paths.results.rename(store.paths.wiped)
        assert [problem.code for problem in verify(store)] == ["unfinished-wipe"]
        assert store.read_index().lines == ()
        if by == "store":
            store.store_many([new(question="after")])
        elif by == "repair":
            assert [action.code for action in repair(store, dry_run=False).actions] == ["unfinished-wipe"]
        elif by == "sweep":
            leftovers.sweep(store.paths)
        else:
            wipe(store, confirm=store.paths.key)
        left = b"".join(path.read_bytes() for path in store.paths.folder.rglob("*") if path.is_file())
        assert b"secret plan" not in left
        assert verify(store) == []

    def test_parts_that_need_the_lock_ask_for_it(self, store):
        store.store_many([new()])
        with store.index_lock.held("x") as held:
            pass
        for call in (
            lambda: leftovers.finish_wipe(store.paths, held),
            lambda: index.append(store.paths, held, b"", wait_seconds=0),
            lambda: index.remove(store.paths, held),
        ):
            with pytest.raises(RuntimeError, match="must be held"):
                call()


class TestLocks:
    def test_a_refused_lock_leaves_no_descriptor_open(self, tmp_path, monkeypatch):
        class Fcntl:
            LOCK_EX, LOCK_NB, LOCK_UN = 2, 4, 8

            @staticmethod
            def flock(_fd, _op):
                raise OSError(errno.ENOLCK, "No locks available")

        before = len(os.listdir("/proc/self/fd"))
        with monkeypatch.context() as patch:
            patch.setattr(durable, "fcntl", Fcntl)
            for _ in range(5):
                with pytest.raises(LocksUnsupportedError):
                    Lock(tmp_path / "l").acquire("x")
        assert len(os.listdir("/proc/self/fd")) == before

    def test_a_stale_handle_for_ever_is_a_typed_error(self, tmp_path, monkeypatch):
        class Fcntl:
            LOCK_EX, LOCK_NB, LOCK_UN = 2, 4, 8

            @staticmethod
            def flock(_fd, _op):
                raise OSError(errno.ESTALE, "Stale file handle")

        with monkeypatch.context() as patch:
            patch.setattr(durable, "fcntl", Fcntl)
            with pytest.raises(StoreIOError, match="lock"):
                Lock(tmp_path / "l").acquire("x")

    def test_a_lock_file_that_is_always_another_is_not_taken(self, tmp_path, monkeypatch):
        monkeypatch.setattr(look, "same_file", lambda _fd, _path: False)
        assert Lock(tmp_path / "l", 0).try_acquire("x") is None

    def test_looking_takes_no_missing_lock_and_narrows_no_mode(self, tmp_path):
        lock = Lock(tmp_path / "l", 0)
        assert lock.try_acquire(None, create=False) is None
        assert not lock.path.exists()
        lock.path.touch(0o644)
        lock.path.chmod(0o644)
        held = lock.try_acquire(None, create=False)
        assert held.is_held
        held.release()
        held.release()
        held.write_note(b"nobody")
        assert lock.path.stat().st_mode & 0o777 == 0o644
        lock.acquire("x").release()
        assert lock.path.stat().st_mode & 0o777 == 0o600

    def test_verify_changes_nothing_even_where_it_takes_the_lock(self, make_store):
        store = make_store(sound=False)
        (receipt,) = store.store_many([new()])
        store.paths.index.write_bytes(b"")
        store.paths.index_lock.chmod(0o644)
        note = store.paths.index_lock.read_bytes()
        assert [problem.code for problem in verify(store)] == ["orphan-entry", "wide-mode"]
        assert store.paths.index_lock.stat().st_mode & 0o777 == 0o644
        assert store.paths.index_lock.read_bytes() == note
        assert receipt.id

    def test_a_note_nobody_can_read_names_nobody(self, tmp_path):
        path = tmp_path / "l"
        for junk in (b"", b"[" * 5000, b"\xff", b"[1]", b"{"):
            path.write_bytes(junk)
            assert Lock(path).holder() == {}
        path.unlink()
        path.mkdir()
        assert Lock(path).holder() == {}
        with pytest.raises(StoreIOError):
            Lock(path).acquire("x")

    def test_threads_that_fork_while_others_lock_leave_no_lock_behind(self, tmp_path):
        lock = Lock(tmp_path / "l", 5)
        over = time.monotonic() + 0.5
        children = []

        def contend():
            while time.monotonic() < over:
                with lock.held(None):
                    pass

        threads = [threading.Thread(target=contend) for _ in range(2)]
        for thread in threads:
            thread.start()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # forking beside threads is what is tried here
            while time.monotonic() < over:
                child = os.fork()
                if child == 0:
                    time.sleep(3)
                    os._exit(0)
                children.append(child)
                time.sleep(0.01)
        for thread in threads:
            thread.join()
        try:
            Lock(lock.path, 0.2).acquire("after").release()  # the children live on and hold nothing
        finally:
            for child in children:
                os.kill(child, 9)
                os.waitpid(child, 0)


class TestSentinel:
    def test_one_that_is_a_folder_is_waited_for_and_taken_over_when_stale(self, make_store):
        store = make_store(wait_seconds=0.05)
        store.store_many([new()])
        store.paths.sentinel.mkdir(0o700)
        with pytest.raises(LockedError, match="another tool"):
            store.store_many([new()])
        os.utime(store.paths.sentinel, (1, 1))
        with pytest.warns(UserWarning, match="taken over"):
            store.store_many([new()])
        assert not store.paths.sentinel.exists()

    def test_one_that_vanishes_while_it_is_looked_at_is_tried_again(self, store, monkeypatch):
        store.store_many([new()])
        store.paths.sentinel.write_text("123")
        real = look.age_of

        def gone(path):
            path.unlink()
            return real(path)

        with monkeypatch.context() as patch:
            patch.setattr(look, "age_of", gone)
            store.store_many([new()])
        assert len(store.read_index().lines) == 2

    def test_an_empty_one_of_ours_is_known_by_its_inode(self, make_store):
        store = make_store(wait_seconds=0.05)
        store.store_many([new()])
        store.paths.sentinel_source.write_bytes(b"")
        os.link(store.paths.sentinel_source, store.paths.sentinel)
        store.store_many([new()])
        assert len(store.read_index().lines) == 2

    def test_without_hard_links_it_is_made_and_a_full_disk_leaves_none(self, store, monkeypatch):
        with faulty(monkeypatch, "link", errno.EPERM):
            store.store_many([new()])
            store.store_many([new()])
        assert not store.paths.sentinel.exists()

        class Full(Faulty):
            def __getattr__(self, name):
                if name == "write":
                    return Faulty("write", errno.ENOSPC, on="index.jsonl.lock").write
                return super().__getattr__(name)

        with monkeypatch.context() as patch:
            patch.setattr(durable, "os", Full("link", errno.EPERM))
            with pytest.raises(DiskFullError):
                store.store_many([new()])
        assert not store.paths.sentinel.exists()


class TestDamage:
    def test_one_line_with_a_number_of_400_digits_costs_nothing(self, make_store):
        store = make_store(sound=False)
        store.store_many([new(question="one"), new(question="two")])
        data = store.paths.index.read_bytes().replace(b'"finalScore":81', b'"finalScore":' + b"9" * 400, 1)
        store.paths.index.write_bytes(data)
        assert len(store.read_index().lines) == 2
        assert [problem.code for problem in verify(store)] == ["line-differs"]

    def test_an_unpaired_surrogate_in_a_foreign_entry_is_damage_and_a_pair_is_a_character(self, make_store):
        store = make_store(sound=False)
        (receipt,) = store.store_many([new(question="odd ZZ end")])
        path = store.paths.entry_file(receipt.id)
        data = path.read_bytes()
        path.write_bytes(data.replace(b"ZZ", b"\\ud83e\\uddea"))
        assert store.read_entry(receipt.id).question == "odd 🧪 end"
        path.write_bytes(data.replace(b"ZZ", b"\\udc9d"))
        with pytest.raises(DamagedError, match="surrogate"):
            store.read_entry(receipt.id)

    def test_a_panel_name_of_5000_characters_still_has_a_line(self, store):
        (receipt,) = store.store_many([new()])
        from dataclasses import replace

        line = line_for(replace(receipt.entry, panel_id="p" * 5000, tags=("t",) * 40), n_bytes=1, sha256="0" * 64)
        assert len(line) <= MAX_LINE_BYTES
        assert parse_line(line).panel_id == "p" * 64

    def test_a_result_of_millions_of_tiny_values_is_refused_both_ways(self, make_store):
        store = make_store(sound=False)
        (receipt,) = store.store_many([new()])
        tiny = b"{" + b'"a":[' + b"{}," * 2_100_000 + b"{}]}"
        store.paths.entry_file(receipt.id).write_bytes(tiny)
        with pytest.raises(DamagedError, match="values"):
            store.read_entry(receipt.id)
        with pytest.raises(InvalidInputError, match="values"):
            store.store_many([NewEntry(question="big", result={"a": [0] * 2_100_000})])
        store.store_many([NewEntry(question="prose", result={"csv": "1,2," * 1_100_000})])
        assert not jsontext.has_too_many_values(b'"' + b"[{," * 1_000_000 + b'"')
        assert jsontext.has_too_many_values(b'["",' + b'"",' * 2_100_000 + b'""]')

    @pytest.mark.parametrize(
        ("old", "changed"),
        [
            (b"question 1", b"questiom 1"), (b'"finalScore":81', b'"finalScore":80'), (b'["a"]', b'["b"]'),
            (b'"bytes":', b'"bytex":'), (b'"sha256":', b'"sha255":'), (b'"panelId":"consensus"', b'"panelId":"consensuz"'),
            (b'"judgeConfidence":-1', b'"judgeConfidence":1'),
        ],
    )  # fmt: skip
    def test_a_line_that_says_something_else_than_its_entry_is_named_and_written_again(self, make_store, old, changed):
        store = make_store(sound=False)
        store.store_many([new(question=f"question {i}", tags=("a",)) for i in range(3)])
        before = store.read_index().lines
        data = store.paths.index.read_bytes()
        assert old in data
        store.paths.index.write_bytes(data.replace(old, changed, 1))
        assert [problem.code for problem in verify(store)] == ["line-differs"]
        repair(store, dry_run=False)
        assert verify(store) == []
        assert sorted(store.read_index().lines, key=lambda line: line.id) == sorted(before, key=lambda line: line.id)

    def test_a_note_that_was_never_written_is_written_by_repair(self, make_store):
        store = make_store()
        store.store_many([new()])
        spot = quarantine.put(store.paths, b"bytes", file="x", start=0, reason="r", moved_at=store.clock.now())
        (store.paths.quarantine / f"{spot.name}.json").unlink()
        assert [problem.code for problem in verify(store)] == ["note-missing"]
        repair(store, dry_run=False)
        (kept,) = quarantine.spots(store.paths)
        assert (kept.n_bytes, kept.end) == (5, 5)
        (store.paths.quarantine / f"{spot.name}.bin").unlink()
        (store.paths.quarantine / f"{spot.name}.json").write_bytes(b"junk")
        assert quarantine.spots(store.paths)[0].n_bytes == 0
        (store.paths.quarantine / f"{spot.name}.json").unlink()

    def test_values_that_have_no_form_in_json_are_refused_before_anything_is_written(self, store):
        for odd in ({"x": float("nan")}, {"x": "\ud800"}, {"x": object()}):
            with pytest.raises(InvalidInputError, match="result"):
                store.store_many([NewEntry(question="q", result=odd)])
        assert not store.paths.index.exists()

    def test_a_name_that_is_not_text_is_shown_escaped(self, make_store):
        store = make_store(sound=False)
        store.store_many([new()])
        path = os.fsencode(store.paths.results) + b"/odd-\xff.json"
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        (problem,) = verify(store)
        assert problem.file == "results/odd-\\xff.json"
        assert jsontext.dumps(problem.to_dict())


class TestLog:
    def test_after_a_day_far_ahead_the_newest_log_goes_on_and_no_older_one_grows(self, make_store, clock):
        store = make_store()
        store.store_many([new()])
        clock.advance(dt.timedelta(days=3000))
        store.store_many([new()])
        older = store.paths.log_file("2026-11-30").read_bytes()
        clock.advance(dt.timedelta(days=-2999))
        store.store_many([new()])
        assert audit_log.days(store.paths) == ["2026-11-30", "2035-02-16"]
        assert store.paths.log_file("2026-11-30").read_bytes() == older
        assert os.readlink(store.paths.current_log) == "memory-2035-02-16.log"

    def test_a_link_that_points_nowhere_sensible_is_replaced(self, make_store):
        store = make_store()
        store.store_many([new()])
        store.paths.current_log.unlink()
        store.paths.current_log.symlink_to("memory-/../../../etc/x.log")
        store.store_many([new()])
        assert os.readlink(store.paths.current_log) == "memory-2026-11-30.log"
        assert len(audit_log.read_events(store.paths)[0]) == 2
