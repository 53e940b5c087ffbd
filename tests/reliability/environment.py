"""Scenarios on small file systems, each in a mount namespace of its own: run by `test_environment`.

    python -m tests.reliability.environment SCENARIO

Prints one JSON object: cases, problems, or a reason to skip.
"""

import contextlib
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace

from memkit.errors import DiskFullError, LockedError, MemkitError, StoreError, StorePermissionError
from memkit.store import leftovers
from memkit.store.verify import verify
from memkit.store.wipe import wipe
from tests.reliability import mounts
from tests.reliability.operations import OPERATIONS, Bench
from tests.reliability.stores import Ledger, fingerprint, new, open_store, quietly, violations
from tests.reliability.test_kill_rounds import drain, fork

PAGE = 4096


class Answers:
    """What a scenario found."""

    def __init__(self) -> None:
        self.cases = 0
        self.problems: list[str] = []

    def add(self, problems, name: str) -> None:
        self.cases += 1
        self.problems += [f"{name}: {problem}" for problem in problems]


def fill(place: pathlib.Path, leave: int) -> pathlib.Path:
    """Fill a file system but for `leave` bytes."""
    ballast = place / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"b" * PAGE)
    if leave:
        os.truncate(ballast, max(0, ballast.stat().st_size - leave))
    return ballast


def disk_full(folder: pathlib.Path, answers: Answers) -> None:
    """Every operation with 0, 1, 2, ... pages left: a typed error or the whole, and well again when there is space."""
    for operation in [o for o in OPERATIONS if not o.heavy]:
        for pages in (*range(12), 16, 24):
            with mounts.tmpfs(folder / "full", "size=600k,mode=700") as place:
                bench = Bench(place / "bench", wait_seconds=0.0).fill()
                operation.before(bench)
                ballast = fill(place, pages * PAGE)
                found = []
                is_done = False
                with quietly():
                    try:
                        operation.run(bench)
                        is_done = True
                    except (DiskFullError, StoreError) as error:
                        if not isinstance(error, DiskFullError) and "No space" not in str(error):
                            found.append(f"{type(error).__name__} says nothing of a full disk: {error}")
                    except Exception as error:
                        found.append(f"an untyped error: {type(error).__name__}: {error}")
                # What is looked at now may not write: there is no room.
                found += bench.problems(replace(operation, also=None), thorough=False)
                ballast.unlink()
                if not is_done:
                    try:
                        with quietly():
                            operation.run(bench)
                    except MemkitError as error:
                        found.append(f"with space again: {type(error).__name__}: {error}")
                found += bench.problems(operation)
                answers.add(found, f"{operation} with {pages} pages left")


def no_inodes(folder: pathlib.Path, answers: Answers) -> None:
    """No new file can be made."""
    for spare in range(6):
        with mounts.tmpfs(folder / "inodes", "size=4m,nr_inodes=64,mode=700") as place:
            bench = Bench(place / "bench", wait_seconds=0.0).fill()
            extra = []
            with contextlib.suppress(OSError):
                for i in range(100):
                    (place / f"x{i}").touch()
                    extra.append(place / f"x{i}")
            for path in extra[:spare]:
                path.unlink()
            found = []
            with quietly():
                try:
                    bench.ledger.acknowledge(bench.store.store_many([new(*bench.fresh(1))]))
                except DiskFullError:
                    pass
                except Exception as error:
                    found.append(f"{type(error).__name__}: {error}")
            for path in extra[spare:]:
                path.unlink()
            found += bench.problems(OPERATIONS[0])
            answers.add(found, f"{spare} inodes left")


def read_only(folder: pathlib.Path, answers: Answers) -> None:
    """Reading works and makes nothing; every writing operation says that it may not."""
    with mounts.tmpfs(folder / "ro", "size=4m,mode=700") as place:
        bench = Bench(place / "bench", wait_seconds=0.0).fill()
        mounts.mount("-o", "remount,ro", str(place))
        before = fingerprint(place)
        store = bench.store
        answers.add([f"verify says {p.code}" for p in verify(store)], "verify")
        answers.add([] if len(store.read_index().lines) == 3 else ["entries are missing"], "read")
        answers.add([] if leftovers.sweep(store.paths) == 0 else ["swept"], "sweep")
        writes = {
            "store": lambda: store.store_many([new("x")]),
            "wipe": lambda: wipe(store, confirm="demo"),
        }
        for name, write in writes.items():
            found = ["it did not refuse"]
            with quietly(), contextlib.suppress(StorePermissionError):
                try:
                    write()
                except StorePermissionError:
                    found = []
                    raise
                except Exception as error:
                    found = [f"{type(error).__name__}: {error}"]
            answers.add(found, name)
        answers.add(memory_reads(place / "bench", bench), "Memory")
        answers.add([] if fingerprint(place) == before else ["a byte changed"], "nothing changed")
        mounts.mount("-o", "remount,rw", str(place))
        answers.add(bench.problems(OPERATIONS[0]), "writable again")


def memory_reads(root: pathlib.Path, bench: Bench) -> list[str]:
    """A Memory over the read-only store recalls, lists, and answers SQL."""
    from memkit.opening import open_memory
    from memkit.settings import Environment

    with tempfile.TemporaryDirectory() as name:
        project = pathlib.Path(name) / "project"
        project.mkdir()
        environment = Environment(home=pathlib.Path(name), config_file=pathlib.Path(name) / "config.toml")
        try:
            with quietly(), open_memory(project, root=root / "root", enabled=True, environment=environment) as mem:
                mem.recall("question")
                mem.list()
                mem.sql("select count(*) from entries").to_arrow()
                mem.status()
        except Exception as error:
            return [f"{type(error).__name__}: {error}"]
    return []


def frozen(folder: pathlib.Path, answers: Answers) -> None:
    """A file system that stands still: others give up with the holder's name, the writer finishes when it thaws."""
    disk = mounts.Disk("ext4", folder)
    disk.mount()
    try:
        root = disk.place / "root"
        with quietly():
            open_store(root).store_many([new("before")])
        descriptor = os.open(disk.place, os.O_RDONLY)
        fcntl.ioctl(descriptor, mounts.FIFREEZE, 0)

        def work(tell):
            (receipt,) = open_store(root).store_many([new("frozen")])
            tell(receipt.id)

        child, reading = fork(work)
        time.sleep(0.3)
        told: list[str] = []
        reader = threading.Thread(target=lambda: told.extend(drain(reading)))
        reader.start()
        reads = open_store(root).read_index()
        answers.add([] if len(reads.lines) == 1 else ["reading saw something else"], "reading while frozen")
        answers.add([] if not told else ["it was acknowledged while frozen"], "not acknowledged while frozen")
        fcntl.ioctl(descriptor, mounts.FITHAW, 0)
        os.close(descriptor)
        reader.join(20)
        os.waitpid(child, 0)
        answers.add([] if len(told) == 1 else [f"told {told}"], "acknowledged after the thaw")
        ledger = Ledger(must={told[0]: "frozen"} if told else {}, may={"before"})
        answers.add(violations(root, ledger), "afterwards")

        def hold(tell):
            with open_store(root).index_lock.held("a long job"):
                tell("held")
                time.sleep(30)

        child, reading = fork(hold)
        os.read(reading, 10)
        began = time.monotonic()
        try:
            open_store(root, wait_seconds=0.4).store_many([new("waiting")])
            answers.add(["it did not wait for the lock"], "bounded wait")
        except LockedError as error:
            waited = time.monotonic() - began
            named = error.holder.get("pid") == str(child) and error.holder.get("command") == "a long job"
            answers.add([] if named and 0.3 < waited < 5 else [f"{error.holder} after {waited:.1f} s"], "bounded wait")
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)
    finally:
        disk.close()


def no_permission(folder: pathlib.Path, answers: Answers) -> None:
    """As another user: nothing may be looked at, and that is what is said; never "there is nothing"."""
    code = (
        "import sys; sys.path[:0] = sys.argv[2:]\n"
        "from tests.reliability.stores import open_store, new\n"
        "from memkit.store.verify import verify\n"
        "from memkit.errors import StorePermissionError\n"
        "store = open_store(sys.argv[1])\n"
        "for name, call in {'read': store.read_index, 'verify': lambda: verify(store),\n"
        "                   'info': store.info, 'store': lambda: store.store_many([new('x')])}.items():\n"
        "    try:\n"
        "        call(); print(name, 'answered')\n"
        "    except StorePermissionError: print(name, 'refused')\n"
        "    except Exception as error: print(name, type(error).__name__, error)\n"
    )
    with mounts.tmpfs(folder / "mine", "size=4m,mode=755") as place:
        bench = Bench(place / "bench").fill()
        os.chmod(place / "bench", 0o755)
        os.chmod(place / "bench" / "root", 0o755)
        for wide, expected in ((False, "refused"), (True, "refused")):
            os.chmod(bench.store.paths.folder, 0o755 if wide else 0o700)
            done = subprocess.run(
                ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable, "-B", "-c", code,
                 str(place / "bench" / "root"), *sys.path],
                capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
            )  # fmt: skip
            if done.returncode or not done.stdout:
                raise mounts.Refused(f"cannot run as another user: {done.stderr[-300:]}")
            for line in done.stdout.strip().split("\n"):
                ok = line.endswith(expected) or (wide and line.startswith("verify"))
                answers.add([] if ok else [line], f"folder {'0755' if wide else '0700'}")


SCENARIOS = {f.__name__.replace("_", "-"): f for f in (disk_full, no_inodes, read_only, frozen, no_permission)}


if __name__ == "__main__":
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memkit-environment-", dir=base) as name_:
        os.chmod(name_, 0o755)
        found_ = Answers()
        try:
            SCENARIOS[sys.argv[1]](pathlib.Path(name_), found_)
            mounts.answer({"cases": found_.cases, "problems": found_.problems[:20]})
        except mounts.Refused as refused:
            mounts.answer({"skip": str(refused)})
        except MemkitError as error_:
            mounts.answer({"cases": found_.cases, "problems": [*found_.problems[:20], repr(error_)]})
