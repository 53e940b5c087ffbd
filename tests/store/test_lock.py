"""Locks: exclusive, bounded, never removed, free when the holder dies."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from memkit.errors import LockedError, LocksUnsupportedError
from memkit.store import durable
from memkit.store.lock import Lock


def test_a_second_holder_in_the_same_process_is_refused_at_once_with_no_wait(tmp_path):
    lock = Lock(tmp_path / "l", 0)
    with lock.held("first"), pytest.raises(LockedError, match="first"):
        lock.acquire("second")
    lock.acquire("third").release()


def test_the_file_stays_and_is_private(tmp_path):
    with Lock(tmp_path / "l").held("x"):
        pass
    assert os.stat(tmp_path / "l").st_mode & 0o777 == 0o600


def test_a_killed_holder_frees_the_lock(tmp_path):
    path = tmp_path / "l"
    code = (
        "import sys, time; from pathlib import Path; from memkit.store.lock import Lock\n"
        "held = Lock(Path(sys.argv[1])).acquire('x'); print('held', flush=True); time.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "held\n"
        with pytest.raises(LockedError) as caught:
            Lock(path, 0).acquire("y")
        assert caught.value.holder["pid"] == str(child.pid)
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
    Lock(path, 0.5).acquire("y").release()


def _in_child(path, queue):
    try:
        Lock(path, 0).acquire("child").release()
        queue.put("free")
    except LockedError:
        queue.put("held")


def test_a_forked_child_neither_inherits_nor_releases_the_lock(tmp_path):
    path = tmp_path / "l"
    lock = Lock(path).acquire("parent")
    pid = os.fork()
    if pid == 0:
        time.sleep(0.2)
        os._exit(0)
    lock.release()
    Lock(path, 0).acquire("parent again").release()  # the child still lives and holds nothing
    held = Lock(path).acquire("parent once more")
    os.waitpid(pid, 0)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(path, queue))
    child.start()
    assert queue.get(timeout=10) == "held"
    child.join()
    held.release()


def test_a_file_system_without_flock_is_refused(tmp_path, monkeypatch):
    class Fcntl:
        LOCK_EX, LOCK_NB, LOCK_UN = 2, 4, 8

        @staticmethod
        def flock(_fd, _op):
            raise OSError(37, "No locks available")

    monkeypatch.setattr(durable, "fcntl", Fcntl)
    with pytest.raises(LocksUnsupportedError, match="local disk"):
        Lock(tmp_path / "l").acquire("x")


def test_a_stale_network_handle_is_tried_again(tmp_path, monkeypatch):
    import fcntl

    calls = []

    class Fcntl:
        LOCK_EX, LOCK_NB, LOCK_UN = fcntl.LOCK_EX, fcntl.LOCK_NB, fcntl.LOCK_UN

        @staticmethod
        def flock(fd, op):
            calls.append(op)
            if len(calls) == 1:
                raise OSError(116, "Stale file handle")
            return fcntl.flock(fd, op)

    monkeypatch.setattr(durable, "fcntl", Fcntl)
    with Lock(tmp_path / "l").held("x"):
        assert len(calls) == 2


def test_a_lock_file_removed_behind_its_back_is_noticed(tmp_path, monkeypatch):
    path = tmp_path / "l"
    real = durable.try_flock
    removed = []

    def removing(fd, name):
        taken = real(fd, name)
        if not removed:
            removed.append(True)
            path.unlink()
        return taken

    monkeypatch.setattr(durable, "try_flock", removing)
    with Lock(path, 1).held("x"):
        assert path.exists()
        with pytest.raises(LockedError):
            Lock(path, 0).acquire("y")


def test_a_lock_nobody_kept_a_reference_to_is_dropped_by_a_forked_child_too(tmp_path):
    path = tmp_path / "l"
    Lock(path).acquire("forgotten")
    child = os.fork()
    if child == 0:
        try:
            Lock(path, 0).acquire("child")
        except LockedError:
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1  # the parent still holds it
