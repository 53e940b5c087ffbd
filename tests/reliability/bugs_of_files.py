"""Cases of other projects about files, locks, crashes and names; each under the id of its report."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import signal
import subprocess
import sys
import threading
import time
from unittest import mock

import pytest

from memkit.errors import (
    DamagedError,
    DiskFullError,
    InvalidInputError,
    LockedError,
    MemkitWarning,
    OutcomeUnknownError,
    SettingsError,
    StoreError,
    StoreIOError,
    StorePermissionError,
)
from memkit.model.event import Event
from memkit.settings import Environment
from memkit.store import audit_log, durable, leftovers, look, paths, quarantine
from memkit.store.consent import record_consent
from memkit.store.lock import Lock
from memkit.store.repair import repair
from memkit.store.verify import verify
from memkit.store.wipe import wipe
from tests.reliability.bug_kit import NOW, Kit, append_bytes, bug, codes, markers, narrow
from tests.reliability.mounts import ROOT
from tests.reliability.seam import Fault, installed
from tests.reliability.stores import Ledger, new, violations
from tests.reliability.test_concurrency import reader, together, writer


@bug("MK-004")
def two_objects_on_one_line(kit: Kit) -> None:
    store = kit.store()
    ids = [receipt.id for receipt in store.store_many([new("a } { b"), new('c "}{" d')])]
    index = store.paths.index
    index.write_bytes(index.read_bytes().replace(b"\n", b"", 1))
    assert [line.id for line in store.read_index().lines] == ids
    assert codes(store) == {"glued-line"}
    repair(store, dry_run=False)
    assert verify(store) == []
    assert [line.id for line in store.read_index().lines] == ids


@bug("MK-005")
def a_last_line_without_its_newline(kit: Kit) -> None:
    store, ids = kit.filled()
    index = store.paths.index
    assert index.read_bytes().endswith(b"\n")
    index.write_bytes(index.read_bytes()[:-1])
    store.store_many([new("next")])
    assert [line.id for line in store.read_index().lines][:3] == ids
    assert markers(store)[-1] == "next"
    append_bytes(index, index.read_bytes().split(b"\n")[0])  # and once more, by another program
    store.store_many([new("last")])
    assert markers(store) == ["m0", "m1", "m2", "next", "last"]


@bug("MK-006")
def one_line_that_is_no_json(kit: Kit) -> None:
    store, _ = kit.filled(10)
    lines = store.paths.index.read_bytes().split(b"\n")
    store.paths.index.write_bytes(b"\n".join([lines[0], b"{not json}", *lines[2:]]))
    read = store.read_index()
    assert len(read.lines) == 9
    assert len(read.damaged) == 1


@bug("MK-007")
def a_half_line_and_then_the_whole_one(kit: Kit) -> None:
    store, ids = kit.filled(2)
    first, second, _ = store.paths.index.read_bytes().split(b"\n")
    store.paths.index.write_bytes(first[:60] + b"\n" + first + b"\n" + second + b"\n")
    assert [line.id for line in store.read_index().lines] == ids
    with kit.memory() as mem:
        mem.store(question="Which queue?", result={"conclusion": "x"})
        path = mem.paths.index
        line = path.read_bytes()
        path.write_bytes(line[:60] + b"\n" + line)
        mem.refresh()
        assert mem.sql("select count(*) as n from entries").to_arrow()["n"].to_pylist() == [1]
        assert len(mem.recall("queue")) == 1


@bug("MK-008")
def a_torn_tail_after_each_crash(kit: Kit) -> None:
    store, _ = kit.filled(1)
    for i in range(5):
        append_bytes(store.paths.index, b"x" * 25)
        store.store_many([new(f"real-{i}")])
    assert markers(store) == ["m0", *(f"real-{i}" for i in range(5))]
    assert len(store.read_index().damaged) == 5


@bug("MK-011")
def every_file_that_is_appended_to_is_healed_alike(kit: Kit) -> None:
    store, _ = kit.filled(1)
    files = (store.paths.index, store.paths.log_file("2031-05-05"), store.paths.current_log)
    for n, path in enumerate(files):
        append_bytes(path, b'{"torn":"tail')
        store.store_many([new(f"after-{n}")])
    assert markers(store) == ["m0", "after-0", "after-1", "after-2"]
    events, problems = audit_log.read_events(store.paths)
    assert len(events) == 4
    assert len(problems) == 2


@bug("MK-012")
def eight_writers_link_their_lines(kit: Kit) -> None:
    def logging(tell):
        store = kit.store(wait_seconds=60)
        for i in range(40):
            store.audit.lock = Lock(store.paths.audit_lock, wait_seconds=60)
            assert store.audit.record(Event("record_usage", "recall", detail={"query": f"q{i}", "result_count": i}))
        tell("done")

    kit.filled(1)
    told = together([logging] * 8)
    assert [line for lines in told for line in lines] == ["done"] * 8
    walk = audit_log.chain(kit.store().paths)
    assert walk.first_break is None
    assert (walk.n_events, walk.n_unchained, walk.torn) == (321, 0, [])


@bug("MK-013")
def a_log_that_is_taken_away_before_the_line_is_written(kit: Kit) -> None:
    store, _ = kit.filled(1)
    log = store.paths.log_file("2031-05-05")
    real = Lock.acquire

    def acquire(self, command):
        if self.path == store.paths.audit_lock and log.exists():
            log.rename(log.with_name("memory-2031-05-04.log"))  # another process rotates just before
        return real(self, command)

    with mock.patch.object(Lock, "acquire", acquire):
        store.store_many([new("late")])
    events, _ = audit_log.read_events(store.paths)
    assert len(events) == 2
    assert os.stat(log).st_nlink == 1


@bug("MK-014")
def rewriting_beside_appending(kit: Kit) -> None:
    def rewriting(tell):
        store = kit.store(wait_seconds=60)
        for _ in range(20):
            with store.index_lock.held("damage"):
                append_bytes(store.paths.index, b"{junk\n")
            repair(store, dry_run=False)
        tell("done")

    kit.filled(1)
    told = together([writer(kit.root, f"w{k}", 60) for k in range(3)] + [rewriting])
    assert not [line for lines in told for line in lines if line.startswith("error")]
    assert len(markers(kit.store())) == 1 + 3 * 60


@bug("MK-017")
def garbage_is_never_written_over(kit: Kit) -> None:
    store, _ = kit.filled(1)
    store.paths.store_json.write_bytes(b"garbage{")
    for _ in range(3):
        with pytest.raises(DamagedError):
            store.store_many([new("x")])
    assert store.paths.store_json.read_bytes() == b"garbage{"
    repair(store, dry_run=False)
    (spot,) = quarantine.spots(store.paths)
    kept = store.paths.quarantine / f"{spot.name}.bin"
    assert kept.read_bytes() == b"garbage{"
    assert kept.stat().st_mode & 0o777 == 0o600
    config = kit.scratch / "config.toml"
    config.write_bytes(b"garbage{")
    environment = Environment(home=kit.scratch, config_file=config)
    with pytest.raises(SettingsError):
        record_consent(environment, "/projects/demo", enabled=True)
    assert config.read_bytes() == b"garbage{"


@bug("MK-018")
def damaged_is_not_missing(kit: Kit) -> None:
    store, ids = kit.filled(2)
    store.paths.entry_file(ids[0]).write_bytes(b'{"id": "r-0001", ')
    with pytest.raises(DamagedError):
        store.read_entry(ids[0])
    assert codes(store) == {"damaged-entry"}
    assert [line.id for line in store.read_index().lines] == ids


@bug("MK-019")
def every_entrance_sees_the_same_damage(kit: Kit) -> None:
    with kit.memory() as mem:
        receipts = mem.store_many([{"question": f"q {i}", "result": {"conclusion": "x"}} for i in range(3)])
        mem.paths.entry_file(receipts[1].id).write_bytes(b"{")
        from_python = sorted((p.code, p.file) for p in mem.verify())
    done = subprocess.run(
        [sys.executable, "-m", "memkit", "--json", "--root", str(kit.root), "--project", str(kit.scratch / "project"), "verify"],
        cwd=ROOT, env={"PATH": os.environ["PATH"], "HOME": str(kit.scratch), "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert done.returncode == 1, done.stderr
    assert (
        sorted((p["code"], p["file"]) for p in answer["problems"])
        == from_python
        == [("damaged-entry", f"results/{receipts[1].id}.json")]
    )


@bug("MK-021")
def the_order_of_a_write(kit: Kit) -> None:
    """The real power cuts and the traced process are tiers of their own; here the order as the seam sees it."""
    store, _ = kit.filled(1)
    steps: list[str] = []

    def watch(name, real, args, kwargs):
        if name in {"write", "fsync", "rename"}:
            target = args[0] if name == "rename" else os.readlink(f"/proc/self/fd/{args[0]}")
            steps.append(f"{name} {os.path.basename(os.fspath(target))}")
        return real(*args, **kwargs)

    with installed(watch):
        (receipt,) = store.store_many([new("x")])
    temp = next(step.split()[1] for step in steps if step.endswith(".tmp"))
    assert receipt.id in temp
    assert steps[:6] == [
        f"write {temp}", f"fsync {temp}", f"rename {temp}", "fsync results", "write index.jsonl", "fsync index.jsonl",
    ]  # fmt: skip


@bug("MK-025")
def a_short_write_is_no_success(kit: Kit) -> None:
    store, ids = kit.filled(2)
    before = store.paths.index.read_bytes()
    for k in (1, 2):
        fault = Fault(k, errno.ENOSPC, short=True, for_ever=True, only="write")
        with installed(fault), pytest.raises(DiskFullError):
            store.store_many([new("big", padding=12_000)])
        assert store.paths.index.read_bytes() == before
        assert len(list(store.paths.results.iterdir())) == 2
    assert [store.read_entry(entry_id).id for entry_id in ids] == ids


@bug("MK-026")
def a_setting_on_a_full_disk(kit: Kit) -> None:
    config = kit.scratch / "config.toml"
    config.write_bytes(b"# mine\n[recall]\nlimit = 7\n")
    before = config.read_bytes()
    environment = Environment(home=kit.scratch, config_file=config)
    with installed(Fault(1, errno.ENOSPC, for_ever=True, only="write")), pytest.raises(DiskFullError):
        record_consent(environment, "/projects/demo", enabled=True)
    assert config.read_bytes() == before
    assert [path.name for path in kit.scratch.iterdir() if path.name.endswith(".tmp")] == []
    assert record_consent(environment, "/projects/demo", enabled=True).enabled


@bug("MK-027")
def two_writers_of_one_file(kit: Kit) -> None:
    path = kit.scratch / "same.json"

    def write(who):
        def work(tell):
            for i in range(120):
                durable.replace(path, f"{who}{i:04d}".encode() * 2000)
            tell("done")

        return work

    told = together([write("a"), write("b")])
    assert told == [["done"], ["done"]]
    data = path.read_bytes()
    assert data == data[:5] * 2000
    assert [each.name for each in kit.scratch.iterdir() if each.name.endswith(".tmp")] == []


@bug("MK-029")
def an_error_although_it_landed(kit: Kit) -> None:
    store, _ = kit.filled(1)

    def fail(name, real, args, kwargs):
        if name == "fsync" and os.readlink(f"/proc/self/fd/{args[0]}").endswith("/results"):
            raise OSError(errno.EIO, "Input/output error")
        return real(*args, **kwargs)

    with installed(fail), pytest.raises(OutcomeUnknownError) as caught:
        store.store_many([new("once")])
    (entry_id,) = caught.value.entry_ids
    for _ in range(3):
        store.store_many([new("once", id=entry_id)])
    assert markers(store) == ["m0", "once"]
    assert verify(store) == []


@bug("MK-042")
def many_callers_at_once(kit: Kit) -> None:
    told = together([writer(kit.root, f"p{k}", 25, batch=1 + k % 3) for k in range(6)] + [reader(kit.root, 1.0)] * 2)
    assert not [line for lines in told for line in lines if line.startswith("error")]
    ledger = Ledger()
    for lines in told:
        ledger.must.update(dict(line.split() for line in lines if len(line.split()[0]) == 32))
    assert violations(kit.root, ledger, allowed=()) == []


@bug("MK-044", "MK-075", "MK-076")
def projects_with_like_names_keep_apart(kit: Kit) -> None:
    names = [
        "/w/a-b/c",
        "/w/a/b-c",
        "/w/a_b/c",
        "/w/a.b/c",
        "/w/a b/c",
        "/w/猫箱",
        "/w/青空",
        "/w/Проект1",
        "/w/Заметка",
    ]
    assert len({paths.project_key(name) for name in names}) == len(names)
    stores = [kit.store(name) for name in names]
    for n, store in enumerate(stores):
        store.store_many([new(f"only-{n}")])
    wipe(stores[5], confirm="猫箱")
    for n, store in enumerate(stores):
        assert markers(store) == ([] if n == 5 else [f"only-{n}"])
        assert all(store.paths.key in str(path) for path in store.paths.folder.rglob("*"))


@bug("MK-045")
def two_stores_of_one_folder_in_one_process(kit: Kit) -> None:
    stores = [kit.store(wait_seconds=60) for _ in range(2)]
    ids: list[str] = []

    def work(store, k):
        for i in range(120):
            ids.extend(receipt.id for receipt in store.store_many([new(f"t{k}-{i}")]))

    threads = [threading.Thread(target=work, args=(store, k)) for k, store in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ids) == sorted(line.id for line in stores[0].read_index().lines)
    assert len(ids) == 240


@bug("MK-047")
def a_note_with_the_id_of_a_live_process(kit: Kit) -> None:
    store, _ = kit.filled(1)
    store.paths.index_lock.write_bytes(b'{"pid": 1, "host": "elsewhere", "command": "store"}')
    kit.store(wait_seconds=0).store_many([new("at once")])
    assert markers(kit.store())[-1] == "at once"


@bug("MK-049")
def a_lock_file_that_was_left_over(kit: Kit) -> None:
    path, inside = kit.scratch / "l.lock", kit.scratch / "inside"
    path.touch(0o600)
    inside.write_bytes(b"")

    def storm(tell):
        for _ in range(30):
            with Lock(path, 60).held("storm"):
                if inside.stat().st_size:
                    tell("two at once")
                inside.write_bytes(b"x")
                inside.write_bytes(b"")

    inode = path.stat().st_ino
    assert together([storm] * 8) == [[]] * 8
    assert path.stat().st_ino == inode


@bug("MK-050")
def a_lock_goes_with_its_holder_and_not_before(kit: Kit) -> None:
    path = kit.scratch / "l.lock"
    waits = []
    for _ in range(10):
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            held = Lock(path).acquire("x")
            os.write(writing, b"x")
            time.sleep(20)
            held.release()
        os.read(reading, 1)
        os.kill(child, signal.SIGKILL)
        began = time.monotonic()
        Lock(path, 5).acquire("y").release()
        waits.append(time.monotonic() - began)
        os.waitpid(child, 0)
        os.close(reading)
        os.close(writing)
    assert min(waits) < 0.1  # the others had to wait for a processor
    os.utime(path, (1, 1))  # old, and held all the same
    with Lock(path).held("long"), pytest.raises(LockedError):
        Lock(path, 0.5).acquire("thief")


@bug("MK-052")
def a_stale_handle_while_locking(kit: Kit) -> None:
    store, _ = kit.filled(1)
    with installed(Fault(1, errno.ESTALE, only="flock")):
        store.store_many([new("after one")])
    with installed(Fault(1, errno.ESTALE, for_ever=True, only="flock")), pytest.raises(StoreIOError):
        store.store_many([new("never")])
    assert markers(store) == ["m0", "after one"]


@bug("MK-053")
def a_store_that_may_not_be_written(kit: Kit) -> None:
    """A real read-only mount is a scenario of the environment tier; here every call that would change something."""
    with kit.memory() as mem:
        mem.store(question="Which queue?", result={"conclusion": "Keep it."})

    def refuse(name, real, args, kwargs):
        changing = name in {"mkdir", "rename", "link", "symlink", "unlink", "utime", "chmod", "fchmod"}
        if changing or (name == "open" and args[1] & (os.O_CREAT | os.O_RDWR | os.O_WRONLY)):
            raise OSError(errno.EROFS, "Read-only file system")
        return real(*args, **kwargs)

    with installed(refuse), kit.memory() as mem:
        assert len(mem.recall("queue")) == 1
        assert len(mem.list()) == 1
        assert mem.verify() == []
        with pytest.raises(StorePermissionError) as caught:
            mem.store(question="no", result={"a": 1})
        assert caught.value.exit_code == 3
        assert "read-only" in str(caught.value)


@bug("MK-055")
def a_rename_that_is_refused(kit: Kit) -> None:
    store, ids = kit.filled(1)
    calls = []

    def refuse(name, real, args, kwargs):
        if name == "rename":
            calls.append(args)
            raise PermissionError(errno.EACCES, "Access is denied")
        return real(*args, **kwargs)

    with installed(refuse), pytest.raises(StorePermissionError):
        store.store_many([new("x")])
    assert len(calls) == 1  # on POSIX it is no use to try again
    assert [path.name for path in store.paths.results.iterdir()] == [f"{ids[0]}.json"]


@bug("MK-057")
def a_folder_that_cannot_be_flushed(kit: Kit) -> None:
    store, _ = kit.filled(1)

    def answer(code):
        def hook(name, real, args, kwargs):
            if name == "fsync" and os.path.isdir(f"/proc/self/fd/{args[0]}"):
                raise OSError(code, os.strerror(code))
            return real(*args, **kwargs)

        return hook

    for code in (errno.EINVAL, errno.ENOTSUP):
        with installed(answer(code)), pytest.warns(MemkitWarning, match="cannot flush a folder"):
            store.store_many([new(f"weaker-{code}")])
    with installed(answer(errno.EIO)), pytest.raises(OutcomeUnknownError):
        store.store_many([new("never")])
    assert len(markers(store)) == 3


@bug("MK-079")
def ids_that_lead_elsewhere(kit: Kit) -> None:
    store, ids = kit.filled(1)
    outside = kit.scratch / "x.json"
    outside.write_text("{}")
    odd = [
        "../x",
        "..\\x",
        "/etc/x",
        "a/../../b",
        "%2e%2e%2fx",
        "CON",
        "nul.json",
        "a:b",
        ".",
        "",
        "x" * 300,
        "r\n1",
        "index",
    ]
    for entry_id in odd:
        with pytest.raises(InvalidInputError):
            store.read_entry(entry_id)
        with pytest.raises(InvalidInputError):
            store.store_many([new("x", id=entry_id)])
    (store.paths.results / "..json").write_text("{}")
    narrow(store.paths.results / "..json")
    store.paths.index.unlink()
    assert [line.id for line in store.read_index().lines] == ids
    assert outside.read_text() == "{}"


@bug("MK-081")
def copies_of_a_sync_tool(kit: Kit) -> None:
    store, ids = kit.filled(2)
    data, line = store.paths.entry_file(ids[0]).read_bytes(), store.paths.index.read_bytes()
    for name in ("index (1).jsonl", "index (SAM conflicted copy 2031-05-05).jsonl", "~$x", ".DS_Store", "desktop.ini"):
        (store.paths.folder / name).write_bytes(line)
        narrow(store.paths.folder / name)
    for name in (
        "r-0003 2.json",
        f".{ids[0]}.json.icloud",
        f"{ids[0]}.sync-conflict-20310505-101010-ABCDEFG.json",
        f"{ids[0]} 2.json",
    ):
        (store.paths.results / name).write_bytes(data)
        narrow(store.paths.results / name)
    assert [entry.id for entry in store.read_index().lines] == ids
    strays = [problem for problem in verify(store) if problem.code == "stray-file"]
    assert len(strays) == 9
    store.paths.index.unlink()
    assert [entry.id for entry in store.read_index().lines] == ids
    with kit.memory() as mem:
        assert len(mem.list()) == 0


@bug("MK-098")
def every_kind_of_file_is_known_to_whoever_looks_after_them(kit: Kit) -> None:
    page = (ROOT / "docs" / "reference" / "files.md").read_text("utf-8")
    with kit.memory() as mem:
        mem.store_many([{"question": f"q {i}", "result": {"conclusion": "x"}} for i in range(3)])
        from memkit.snapshot.absorbing import absorb

        absorb(mem._store, minimum=1)
        mem.recall("q")
        (mem.paths.folder / "junk").write_bytes(b"x")
        append_bytes(mem.paths.index, b"{junk\n")
        mem.repair(dry_run=False)
        strays = {problem.file for problem in mem.verify() if problem.code == "stray-file"}
        assert strays == {"junk"}
        for path in mem.paths.folder.rglob("*"):
            name = path.relative_to(mem.paths.folder).as_posix()
            top = name.split("/")[0]
            assert top in {"junk", "index.jsonl.lock"} or f"`{top}" in page, f"{name} is not on the page of files"


@bug("MK-118")
def modes_whatever_the_umask(kit: Kit) -> None:
    """At every moment: the environment tier looks after each call. Here the end, and files made wide by others."""
    for umask in (0o000, 0o002, 0o022, 0o777):
        old = os.umask(umask)
        try:
            kit.store(f"/w/{umask}").store_many([new("x")])
        finally:
            os.umask(old)
    assert [path for path, info in look.tree(kit.root) if look.is_wide(info)] == []
    store, ids = kit.filled(1)
    store.paths.entry_file(ids[0]).chmod(0o644)
    store.paths.folder.chmod(0o755)
    assert codes(store) == {"wide-mode"}
    repair(store, dry_run=False)
    assert [path for path, info in look.tree(store.paths.folder) if look.is_wide(info)] == []


@bug("MK-122")
def files_of_the_killed_are_swept(kit: Kit) -> None:
    store, _ = kit.filled(1)

    def die(tell):
        def kill(name, real, args, kwargs):
            if name == "flock":
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)

        with installed(kill):
            kit.store().store_many([new("dying")])

    for _ in range(10):
        together([die])
    assert len(list(leftovers.left_over(store.paths))) == 10
    live = durable.write_temp(store.paths.entry_file("0a1b2c3d4e5f"), b"mine")
    with kit.memory():
        pass
    assert leftovers.sweep(store.paths) == 10
    assert live.exists()
    live.unlink()


@bug("MK-074")
def the_same_moment_and_an_earlier_one(kit: Kit) -> None:
    store, _ = kit.filled(1)
    wipe(store, confirm="demo")
    store.store_many([new("again")])
    kit.clock.at = NOW.replace(day=2)
    store.store_many([new("with a clock behind")])
    assert markers(store) == ["again", "with a clock behind"]
    assert verify(store) == []


@bug("MK-073")
def a_process_that_runs_over_midnight(kit: Kit) -> None:
    kit.clock.at = NOW.replace(hour=23, minute=59, second=58)
    store = kit.store()
    for i in range(5):
        store.store_many([new(f"at-{i}")])
        kit.clock.at = kit.clock.at.replace() + (NOW.replace(second=1) - NOW)
    days = audit_log.days(store.paths)
    assert days == ["2031-05-05", "2031-05-06"]
    n = 0
    for day in days:
        for event in audit_log.day_events(store.paths, day):
            assert event["occurred_at"].startswith(day)
            n += 1
    assert n == 5
    assert os.readlink(store.paths.current_log) == "memory-2031-05-06.log"


@bug("MK-065")
def a_folder_whose_name_is_not_text(kit: Kit) -> None:
    folder = os.fsencode(kit.scratch) + b"/proj-\xff\xfe"
    os.mkdir(folder)
    with kit.memory(os.fsdecode(folder)) as mem:
        receipt = mem.store(question="Which queue?", result={"conclusion": "x"})
        assert mem.recall("queue")[0].id == receipt.id
        assert mem.get(receipt.id).project_path.endswith("proj-\\xff\\xfe")
        json.dumps(mem.status().to_dict()).encode("utf-8")
        assert mem.verify() == []


@bug("MK-030", "MK-031")
def junk_among_the_segments(kit: Kit) -> None:
    from memkit.snapshot.absorbing import absorb

    with kit.memory() as mem:
        mem.store_many([{"question": f"Which queue {i}?", "result": {"conclusion": "x"}} for i in range(4)])
        absorb(mem._store, minimum=1)
        snapshots = mem.paths.snapshots
    for n in (0, 4, 50, 100):
        (snapshots / f"entries-{n:016d}.parquet").write_bytes(b"PAR1"[:n] + b"x" * max(0, n - 4))
    with kit.memory() as mem:
        assert len(mem.recall("queue")) == 4
        assert mem.sql("select count(*) as n from entries").to_arrow()["n"].to_pylist() == [4]
        mem.store_many([{"question": f"Which queue {i}?", "result": {"conclusion": "x"}} for i in range(4, 8)])
        k = 0
        while True:  # a segment that fails at any call leaves no half one behind
            k += 1
            fault = Fault(k, errno.EIO)
            with installed(fault), contextlib.suppress(StoreError):
                absorb(mem._store, minimum=1)
            mem.refresh()
            assert len(mem.recall("queue", limit=20)) == 8
            from memkit.snapshot.reading import open_snapshot

            assert open_snapshot(mem.paths).problems == ()
            if not fault.fired or k > 150:
                break


@bug("MK-040")
def a_path_with_quotes_in_it(kit: Kit) -> None:
    from memkit.snapshot.absorbing import absorb

    with kit.memory("x'); select 42; --") as mem:
        mem.store_many([{"question": f"Which queue {i}?", "result": {"conclusion": "x"}} for i in range(3)])
        absorb(mem._store, minimum=1)
    kit.root = kit.root.rename(kit.scratch / "it's [a] *root?")
    with kit.memory("x'); select 42; --") as mem:
        assert len(mem.recall("queue")) == 3
        assert mem.sql("select count(*) as n from entries").to_arrow()["n"].to_pylist() == [3]


@bug("MK-059")
def a_locale_without_letters(kit: Kit) -> None:
    text = "plan ✅ 日本 🧪"
    result = kit.scratch / "result.json"
    result.write_bytes(json.dumps({"question": text, "result": {"conclusion": text}}).encode())
    (kit.scratch / "project").mkdir()
    environment = {
        "PATH": os.environ["PATH"], "HOME": str(kit.scratch), "PYTHONPATH": str(ROOT), "LC_ALL": "C", "PYTHONUTF8": "0",
        "PYTHONIOENCODING": "ascii", "MEMKIT_MEMORY__ENABLED": "true",
    }  # fmt: skip
    base = [sys.executable, "-m", "memkit", "--root", str(kit.root), "--project", str(kit.scratch / "project")]
    for words in (["enable"], ["store", str(result)], ["recall", "plan"], ["list"]):
        done = subprocess.run([*base, *words], cwd=ROOT, env=environment, capture_output=True, check=False, input=b"")
        assert done.returncode == 0, done.stderr
        done.stdout.decode("ascii")
    assert text.encode() in kit.bytes_on_disk()


@bug("MK-061")
def other_line_breaks_are_text(kit: Kit) -> None:
    text = "before\u2028after\u0085end\x0b\x0c\x1c"
    with kit.memory() as mem:
        receipt = mem.store(question=text, result={"conclusion": text}, tags=[text.strip()])
        assert mem.get(receipt.id).question == text
        assert mem.get(receipt.id).result["conclusion"] == text
        assert len(mem.list()) == 1
        assert mem.verify() == []
    with kit.memory() as mem:
        assert len(mem.recall("before")) == 1


@bug("MK-063")
def half_a_character(kit: Kit) -> None:
    store, ids = kit.filled(2)
    with kit.memory() as mem, pytest.raises(InvalidInputError, match="surrogate"):
        mem.store(question="x \udc9d y", result={"a": 1})
    data = store.paths.index.read_bytes()
    store.paths.index.write_bytes(data.replace(b"question m0", b"question \\udc9d"))
    read = store.read_index()
    assert ids[1] in [line.id for line in read.lines]
    for line in read.lines:
        json.dumps(line.to_dict(), ensure_ascii=False).encode("utf-8")
    assert codes(store)
    repair(store, dry_run=False)
    assert sorted(line.id for line in kit.store().read_index().lines) == ids


@bug("MK-067")
def numbers_larger_than_a_float_holds(kit: Kit) -> None:
    values = {"n": 9007199254740993, "big": 92233720368547758089, "small": -9007199254740993}
    with kit.memory() as mem:
        receipt = mem.store(question="q", result={"meta": values})
        assert mem.get(receipt.id).result["meta"] == values
    store = kit.store()
    (again,) = store.store_many([new("x", id="007" + "1" * 9)])
    assert [line.id for line in store.read_index().lines] == [again.id] == ["007111111111"]


@bug("MK-068")
def nested_without_end(kit: Kit) -> None:
    deep: object = "x"
    for _ in range(20_000):
        deep = [deep]
    two_hundred: object = "x"
    for _ in range(200):
        two_hundred = [two_hundred]
    with kit.memory() as mem:
        for value in (deep, two_hundred):
            with pytest.raises(InvalidInputError, match="nested"):
                mem.store(question="q", result={"deep": value})
    store, ids = kit.filled(2)
    append_bytes(store.paths.index, b'{"id":' + b"[" * 20_000 + b"]" * 20_000 + b"}\n")
    store.paths.entry_file(ids[0]).write_bytes(b'{"a":' + b"[" * 20_000 + b"]" * 20_000 + b"}")
    assert len(store.read_index().lines) == 2
    with pytest.raises(DamagedError):
        store.read_entry(ids[0])
    assert store.read_entry(ids[1])
