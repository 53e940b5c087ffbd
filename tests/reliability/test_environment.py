"""The surroundings: full and read-only disks, other users, clocks, limits, umasks, odd paths, plain locales."""

import datetime as dt
import json
import os
import shutil
import stat
import subprocess
import sys

import pytest

from memkit.clock import UTC, FixedClock
from memkit.store import audit_log, look
from memkit.store.paths import StorePaths, project_key, resolve_project
from memkit.store.verify import verify
from tests.reliability.environment import SCENARIOS
from tests.reliability.mounts import ROOT, run_apart, why_not
from tests.reliability.operations import OPERATIONS, Bench
from tests.reliability.program import main
from tests.reliability.seam import installed
from tests.reliability.stores import new, open_store, quietly

NEEDS = {"frozen": ("mkfs.ext4",), "no-permission": ("setpriv",)}
UMASKS = (0o000, 0o002, 0o022, 0o077, 0o777)
PATHS = (
    "a-b/c", "a/b-c", "a_b/c", "a.b/c", "a b/c", "猫箱", "青空", "Проект1", "Заметка", "it's", 'quo"te', "x'); select 42; --",
    "[ab]*?", "~home", "$HOME", "emoji 🧪", "tab\there", "new\nline", "é", "e\u0301", "A", "a", "-rf", "%2e%2e", "con", "x" * 200,
    "trailing ", " leading", "dot.", "back\\slash", "\\xff",
)  # fmt: skip


@pytest.mark.promise("P11")
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_on_a_small_file_system(cases, scenario):
    reason = why_not(*NEEDS.get(scenario, ()))
    if reason:
        pytest.skip(f"{scenario}: {reason}")
    found = run_apart("tests.reliability.environment", scenario, timeout=300)
    cases.passed += found["cases"] - min(found["cases"], len(found["problems"]))
    cases.failures += found["problems"]


@pytest.mark.promise("P14")
@pytest.mark.parametrize("umask", UMASKS, ids=[f"{umask:03o}" for umask in UMASKS])
def test_no_file_is_ever_wider_whatever_the_umask(scratch, cases, umask):
    """Looked at after every system call of every operation, not only at the end."""
    wide: set[str] = set()
    for operation in [o for o in OPERATIONS if not o.heavy]:
        bench = Bench(scratch / operation.name).fill()
        operation.before(bench)
        for path, info in look.tree(bench.root / "root"):  # what another tool left wide is not ours
            if look.is_wide(info):
                os.chmod(path, stat.S_IMODE(info.st_mode) & 0o700)
        os.chmod(bench.root, 0o700)

        def watch(name, real, args, kwargs, bench=bench, operation=operation):
            result = real(*args, **kwargs)
            if name in {"open", "mkdir", "rename", "fchmod", "chmod", "link", "symlink"}:
                for top in (bench.root / "root", bench.config_file.parent):
                    wide.update(
                        f"{operation}: {path.name} {stat.S_IMODE(info.st_mode):04o} after {name}"
                        for path, info in look.tree(top)
                        if look.is_wide(info)
                    )
            return result

        old = os.umask(umask)
        try:
            with quietly(), installed(watch):
                operation.run(bench)
        finally:
            os.umask(old)
        cases.add(sorted(wide)[:3] + bench.problems(operation), name=str(operation))
        wide.clear()


@pytest.mark.promise("P11")
def test_odd_project_paths_keep_apart_and_work(scratch, cases):
    keys = {}
    for name in PATHS:
        folder = scratch / "w" / name
        folder.mkdir(parents=True, exist_ok=True)
        real = resolve_project(folder)
        keys.setdefault(project_key(real), []).append(name)
        store = open_store(scratch / "root", real)
        (receipt,) = store.store_many([new(f"in-{len(keys)}")])
        again = open_store(scratch / "root", real)
        found = [] if again.read_entry(receipt.id).project_path == real else ["the path came back changed"]
        found += [f"{p.code} {p.file}" for p in verify(again)]
        names = [path.name for path, _ in look.tree(again.paths.folder)]
        found += [f"{each} is not lower-case ASCII" for each in names if each.lower() != each or not each.isascii()]
        cases.add(found, name=ascii(name))
    cases.add([f"{names} share a key" for names in keys.values() if len(names) > 1])


@pytest.mark.promise("P11")
def test_a_path_that_is_not_text_works_and_is_written_down_reversibly(scratch, cases):
    folder = os.fsencode(scratch) + b"/proj-\xff\xfe"
    os.mkdir(folder)
    real = resolve_project(os.fsdecode(folder))
    store = open_store(scratch / "root", real)
    (receipt,) = store.store_many([new("odd")])
    entry = store.read_entry(receipt.id)
    cases.add([] if entry.project_path.endswith("proj-\\xff\\xfe") else [entry.project_path])
    cases.add([] if json.dumps(entry.project_path).encode("utf-8") else ["cannot be written as JSON"])
    paths = StorePaths.for_project(scratch / "root", real)
    cases.add([] if paths.key == project_key(real) else ["another key"])
    cases.add([f"{p.code}" for p in verify(store)])


# -- another process ----------------------------------------------------------------------------------------------------

CODE = """
import json, os, sys
sys.path[:0] = json.loads(os.environ["MEMKIT_TEST_PATH"])
from tests.reliability.stores import open_store, new
from memkit.errors import MemkitError
from memkit.store.new_entry import NewEntry
store = open_store(sys.argv[1])
{body}
"""
STORE = 'print(store.store_many([new("elsewhere")])[0].id)'


def elsewhere(root, body: str, *, before=(), env=None, **more):
    """Run Python code over a store in a process with other surroundings."""
    site = [path for path in sys.path if path.endswith("-packages")]
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "MEMKIT_TEST_PATH": json.dumps([str(ROOT), *site]),
    }
    return subprocess.run(
        [*before, sys.executable, "-B", "-c", CODE.format(body=body), str(root)],
        env={**environment, **(env or {})}, capture_output=True, text=True, check=False, **more,
    )  # fmt: skip


@pytest.mark.promise("P11")
@pytest.mark.parametrize(
    "locale", [{"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C.UTF-8"}]
)
def test_any_text_is_the_same_bytes_under_any_locale(scratch, cases, locale):
    text = "plan ✅ 日本 🧪 before\u2028after\u0085end\x0b\x0c\x1c ü"
    body = f"store.store_many([NewEntry(question={text!a}, result={{'conclusion': {text!a}}})]); print('done')"
    done = elsewhere(scratch / "root", body, env=locale)
    assert done.stdout == "done\n", done.stderr
    store = open_store(scratch / "root")
    (line,) = store.read_index().lines
    entry = store.read_entry(line.id)
    cases.add([] if entry.question == text and entry.result["conclusion"] == text else [ascii(entry.question)])
    raw = store.paths.entry_file(line.id).read_bytes()
    cases.add([] if text.encode()[:8] in raw else ["it was not written as UTF-8"])
    cases.add([f"{p.code}" for p in verify(store)])


@pytest.mark.promise("P11")
@pytest.mark.parametrize("limit", ["f", "n", "v"])
def test_a_limit_of_the_process_is_a_typed_error_and_leaves_nothing_half(scratch, cases, limit):
    root = scratch / "root"
    Bench(scratch).fill(2)
    body = {
        "f": "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))\nbig = new('big', padding=20000)",
        "n": "import resource; n = len(os.listdir('/proc/self/fd')) - 1\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)); big = new('big')",
        "v": "import resource; big = new('big', padding=30_000_000)\n"
        "n = int(open('/proc/self/statm').read().split()[0]) * 4096 + 40_000_000\n"
        "resource.setrlimit(resource.RLIMIT_AS, (n, n))",
    }[limit]
    body += "\ntry:\n    store.store_many([big]); print('stored')\nexcept (MemkitError, MemoryError) as error: print(type(error).__name__)"
    done = elsewhere(root, body)
    expected = {"f": "DiskFullError", "n": "StoreIOError", "v": "MemoryError"}[limit]
    cases.add([] if done.stdout.strip() == expected else [f"{done.stdout} {done.stderr[-500:]}"], name=limit)
    store = open_store(root)
    cases.add([f"{p.code} {p.file}" for p in verify(store)] + ([] if len(store.read_index().lines) == 2 else ["lines"]))


@pytest.mark.promise("P11")
@pytest.mark.parametrize(
    ("zone", "moment"),
    [
        ("UTC", "2099-12-31 23:59:58"), ("Asia/Tokyo", "2031-05-05 23:59:58"), ("America/St_Johns", "2031-05-05 23:59:58"),
        ("Europe/Berlin", "2031-03-30 01:59:58"), ("UTC", "1971-01-01 00:00:00"),
    ],
)  # fmt: skip
def test_any_clock_gives_ids_times_and_log_days_that_agree(scratch, cases, zone, moment):
    if shutil.which("faketime") is None:
        pytest.skip("faketime is not installed")
    body = "import time\nfor i in range(4):\n    store.store_many([new(f'at-{i}')]); time.sleep(1)\nprint('done')"
    done = elsewhere(scratch / "root", body, before=["faketime", "-f", f"@{moment}"], env={"TZ": zone})
    if "done" not in done.stdout:
        pytest.skip(f"faketime does not work here: {done.stderr[-200:]}")
    store = open_store(scratch / "root")
    read = store.read_index()
    cases.add(
        []
        if [line.id for line in read.lines] == sorted(line.id for line in read.lines)
        else ["ids do not sort by time"]
    )
    n = 0
    for day in audit_log.days(store.paths):
        for event in audit_log.day_events(store.paths, day):
            n += 1
            cases.add([] if event["occurred_at"].startswith(day) else [f"{event['occurred_at']} lies in {day}"])
    cases.add([] if n == 4 else [f"{n} events"])
    cases.add([f"{p.code} {p.file}" for p in verify(store)])
    again = elsewhere(scratch / "root", STORE)
    cases.add([] if len(again.stdout.strip()) == 32 else [again.stderr[-300:]], name="and today")
    cases.add([] if len(store.read_index().lines) == 5 else ["an entry is missing"])


@pytest.mark.promise("P11")
def test_a_clock_that_jumps_back_or_was_wrong_once(scratch, cases):
    clock = FixedClock(dt.datetime(2031, 5, 6, 0, 0, 1, tzinfo=UTC))
    store = open_store(scratch / "root", clock=clock)
    store.store_many([new("after midnight")])
    clock.at = dt.datetime(2031, 5, 5, 23, 59, 59, tzinfo=UTC)
    store.store_many([new("back")])
    cases.add([] if audit_log.days(store.paths) == ["2031-05-06"] else [f"{audit_log.days(store.paths)}"])
    clock.at = dt.datetime(2099, 1, 1, tzinfo=UTC)
    store.store_many([new("wrong once")])
    clock.at = dt.datetime(2031, 5, 6, 12, tzinfo=UTC)
    store.store_many([new("right again")])
    events = [len(list(audit_log.day_events(store.paths, day))) for day in ("2031-05-06", "2099-01-01")]
    cases.add([] if events == [2, 2] else [f"{events} events of the days: an older log grew"])
    cases.add(
        [] if os.readlink(store.paths.current_log) == "memory-2099-01-01.log" else ["current.log is an older one"]
    )
    cases.add([f"{p.code}" for p in verify(store)])


@pytest.mark.promise("P11")
def test_a_root_behind_a_link_and_a_project_that_vanished(scratch, cases):
    real, link, project = scratch / "real", scratch / "link", scratch / "project"
    real.mkdir()
    project.mkdir()
    link.symlink_to(real)
    path = resolve_project(project)
    (receipt,) = open_store(link, path).store_many([new("through a link")])
    project.rmdir()
    store = open_store(real, path)
    cases.add([] if store.read_entry(receipt.id).project_path == path else ["another path"])
    (more,) = store.store_many([new("without its folder")])
    cases.add([] if {line.id for line in store.read_index().lines} == {receipt.id, more.id} else ["lines"])
    cases.add([f"{p.code}" for p in verify(store)])


@pytest.mark.promise("P11")
@pytest.mark.parametrize("kind", ["folder", "pipe", "loop", "socket", "dangling"])
def test_something_else_in_the_place_of_a_file_is_said_at_once(scratch, cases, kind):
    import socket

    from memkit.errors import MemkitError

    for name in ("index.jsonl", "store.json", "index.generation", "an entry", ".memkit.lock", "results"):
        bench = Bench(scratch / f"{kind}-{name}").fill(3)
        paths = bench.store.paths
        victim = paths.entry_file(next(iter(bench.ledger.must))) if name == "an entry" else paths.folder / name
        if victim.is_dir():
            shutil.rmtree(victim)
        else:
            victim.unlink(missing_ok=True)
        if kind == "folder":
            victim.mkdir()
        elif kind == "pipe":
            os.mkfifo(victim)
        elif kind == "socket":
            with socket.socket(socket.AF_UNIX) as made:
                here = os.getcwd()
                os.chdir(victim.parent)
                made.bind(victim.name)
                os.chdir(here)
        else:
            victim.symlink_to(victim if kind == "loop" else "nowhere")
        found = []
        for call in (
            bench.store.read_index,
            lambda: verify(bench.store),
            bench.store.info,
            lambda: bench.store.store_many([new("x")]),
        ):
            try:
                with quietly():
                    call()
            except MemkitError:
                pass
            except Exception as error:
                found.append(f"{type(error).__name__}: {error}")
        others = [entry_id for entry_id in list(bench.ledger.must)[1:] if name != "results"]
        for entry_id in others:
            try:
                bench.store.read_entry(entry_id)
            except Exception as error:
                found.append(f"another entry: {type(error).__name__}")
        cases.add(found, name=f"{kind} for {name}")


if __name__ == "__main__":
    main(__file__)
