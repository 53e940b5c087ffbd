"""Small, quick versions of the tiers: each says what is wrong with memkit as it runs now, or nothing.

Without a plant every one of them is silent (a test says so); with one, at least one of them has to speak.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import os
import pathlib
import random
import shutil
import signal
import threading
import time
from dataclasses import replace

from memkit.errors import InvalidInputError, LockedError, LocksUnsupportedError, MemkitError, StoreError
from memkit.store import durable, index, leftovers, look, paths, quarantine, wipe
from memkit.store import repair as repairing
from memkit.store.lock import Lock
from memkit.store.verify import verify
from tests.reliability import bugs_of_forgetting, bugs_of_memory
from tests.reliability.bug_kit import BUGS, Kit
from tests.reliability.crash_states import Recorder, tree_key, write_tree
from tests.reliability.operations import OPERATIONS, Bench, Operation
from tests.reliability.seam import Fault, installed
from tests.reliability.stores import AFTER_A_CRASH, Ledger, fingerprint, new, open_store, quietly, violations

MOST_STATES = 70
assert bugs_of_forgetting  # it fills the table of cases
BY_NAME = {operation.name: operation for operation in OPERATIONS}


def _room(scratch: pathlib.Path, name: str) -> pathlib.Path:
    folder = scratch / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def crash_model(scratch: pathlib.Path) -> list[str]:
    """A few operations cut anywhere."""
    found: list[str] = []
    for name in (
        "store-batch",
        "store-without-index",
        "store-after-torn-tail",
        "wipe",
        "repair-files",
        "store-after-cut-wipe",
    ):
        found += crash(_room(scratch, "crash"), BY_NAME[name])
        if found:
            break
    return found


def crash(scratch: pathlib.Path, operation: Operation) -> list[str]:
    """One operation cut anywhere."""
    bench = Bench(scratch / "live").fill()
    moments = {}
    rng = random.Random(1)

    def at_each():
        ledger = bench.ledger.copy()
        for tree in recorder.states(rng, extra=2):
            moments.setdefault((tree_key(tree), repr(ledger)), (tree, ledger))

    recorder = Recorder(bench.root, at_each)
    operation.before(bench)
    recorder.adopt()
    with quietly(), installed(recorder):
        try:
            operation.run(bench)
        except MemkitError as error:
            return [f"{operation} raised {error}"]
    at_each()
    states = list(moments.values())
    found = []
    for tree, ledger in states if len(states) <= MOST_STATES else rng.sample(states, MOST_STATES):
        where = Bench(scratch / "state", ledger, bench.project, bench.made)
        write_tree(tree, where.root)
        found += [
            f"{operation}, a state after a crash: {problem}"
            for problem in where.problems(operation, allowed=operation.allowed | {"damaged-log-line"})
        ]
        shutil.rmtree(where.root)
        if found:
            break
    return found


def faults(scratch: pathlib.Path) -> list[str]:
    """Two operations with EIO and a short write at every call, and trying again."""
    for name in ("store-batch", "store-without-index"):
        template = Bench(_room(scratch, "faults") / "template", wait_seconds=0.0).fill()
        BY_NAME[name].before(template)
        for short in (False, True):
            for k in range(1, 200):
                bench = template.copy(scratch / "faults" / "case")
                fault = Fault(k, errno.ENOSPC if short else errno.EIO, short=short, only="write" if short else "")
                found = _attempt(bench, BY_NAME[name], fault)
                shutil.rmtree(bench.root)
                if found:
                    return [f"{name}, {'short write' if short else 'EIO'} at call {k} {fault.fired[:1]}: {found[0]}"]
                if not fault.fired:
                    break
    return []


def _attempt(bench: Bench, operation: Operation, fault: Fault) -> list[str]:
    tried_again = False
    with quietly():
        with installed(fault):
            try:
                operation.run(bench)
            except MemkitError as error:
                tried_again = error.code != "outcome-unknown"
            except Exception as error:
                return [f"an untyped error: {type(error).__name__}: {error}"]
        found = bench.problems(operation, thorough=False)
        if tried_again and not found:
            bench.made -= len(bench.ledger.may)  # the same markers once more
            bench.ledger.may.clear()
            try:
                operation.run(bench)
            except MemkitError as error:
                return [f"trying again raised {error}"]
            repairing.repair(bench.store, dry_run=False)
            found = bench.problems(operation)
    return found


def torn(scratch: pathlib.Path) -> list[str]:
    """Torn tails, junk lines, flipped bits, cut entries."""
    template = Bench(_room(scratch, "torn") / "template").fill(4)
    ids = list(template.ledger.must)
    data = template.store.paths.index.read_bytes()
    rng = random.Random(5)
    damages = [
        data + b'{"id":"torn',
        data[:-9],
        data.replace(b"\n", b"\n{junk\n", 1),
        b"junk",
        data.replace(b"question m0001", b"question m0007"),
    ]
    for _ in range(12):
        flipped = bytearray(data)
        flipped[rng.randrange(len(data) // 2)] ^= 1 << rng.randrange(8)
        damages.append(bytes(flipped))
    damages += [data[: data.index(b"m0001")] + "\u2028 \x0b \u0085".encode() + data[data.index(b"m0001") :]]
    for content in damages:
        bench = template.copy(scratch / "torn" / "case")
        bench.store.paths.index.write_bytes(content)
        bench.ledger.unlisted.update(ids)
        listed = {line.id for line in bench.store.read_index().lines}
        bench.ledger.lost |= listed - set(ids)
        told = [replace(line, extra={}) for line in bench.store.read_index().lines]
        harmless = (
            told == list(template.store.read_index().lines) and content.endswith(b"\n") and b"{junk" not in content
        )
        found = [] if harmless or verify(bench.store) else ["damage of the index is not named"]
        allowed = AFTER_A_CRASH | {"line-differs", "hash-mismatch", "line-without-file", "repeated-line", "glued-line"}
        found += violations(bench.root / "root", bench.ledger, allowed=allowed)
        shutil.rmtree(bench.root)
        if found:
            return found
    for content in (b"", b"\0" * 100, b'{"schemaVersion":1'):
        bench = template.copy(scratch / "torn" / "case")
        path = bench.store.paths.entry_file(ids[1])
        path.write_bytes(content)
        try:
            bench.store.read_entry(ids[1])
        except StoreError as error:
            called = error.code
        else:
            called = "sound"
        if called != "damaged":
            return [f"a damaged entry is called {called}"]
        repairing.repair(bench.store, dry_run=False)
        kept = [
            (bench.store.paths.quarantine / f"{spot.name}.bin").read_bytes()
            for spot in quarantine.spots(bench.store.paths)
        ]
        shutil.rmtree(bench.root)
        if content not in kept:
            return ["damaged bytes were thrown away"]
    return store_json(template, scratch)


def store_json(template: Bench, scratch: pathlib.Path) -> list[str]:
    """A store.json that cannot be read is never written over."""
    bench = template.copy(scratch / "torn" / "case")
    bench.store.paths.store_json.write_bytes(b"garbage{")
    found = ["a damaged store.json was written beside"]
    with quietly(), contextlib.suppress(StoreError):
        bench.store.store_many([new("x")])
        found.append("and more")
    same = bench.store.paths.store_json.read_bytes() == b"garbage{"
    shutil.rmtree(bench.root)
    return [] if same and len(found) == 1 else found


def separators(scratch: pathlib.Path) -> list[str]:
    """Texts with every kind of line break come back as they were, once."""
    root = _room(scratch, "separators")
    store = open_store(root)
    texts = ["before\u2028after", "a\u0085b", "a\x0bb\x0cc\x1cd", "a\r\nb\nc"]
    store.store_many([new(f"{text} {i}", tags=(f"tag {text}",)) for i, text in enumerate(texts)])
    read = open_store(root).read_index()
    found = (
        []
        if len(read.lines) == len(texts) and not read.damaged
        else [f"{len(read.lines)} lines, {len(read.damaged)} damaged"]
    )
    return found + [f"verify says {problem.code}" for problem in verify(store)]


def concurrency(scratch: pathlib.Path) -> list[str]:
    """Four processes write, one repairs damage that comes up all the while, one sweeps."""
    from tests.reliability.test_concurrency import together, writer

    root = _room(scratch, "concurrency") / "root"
    with quietly():
        open_store(root).store_many([new("first")])

    def repairing_(tell):
        store = open_store(root, wait_seconds=20)
        end = time.monotonic() + 0.7
        while time.monotonic() < end:
            with store.index_lock.held("damage"), store.paths.index.open("ab") as file:
                file.write(b"{junk\n")
            repairing.repair(store, dry_run=False)
            leftovers.sweep(store.paths)
        tell("done")

    def same_name(tell):
        for i in range(60):
            durable.replace(root / "same", f"{os.getpid()}-{i}-".encode() * 200)
        tell("done")

    works = [writer(root, f"w{k}", 25) for k in range(4)]
    told = together([*works, repairing_, same_name, same_name])
    errors = [line for lines in told for line in lines if line.startswith("error")]
    if errors:
        return errors[:2]
    whole = (root / "same").read_bytes()
    if whole != whole[: len(whole) // 200] * 200:
        return ["two writers of one file were mixed"]
    ledger = Ledger(may={"first"})
    for lines in told:
        ledger.must.update(dict(line.split() for line in lines if len(line.split()) == 2))
    shutil.rmtree(root / "same", ignore_errors=True)
    (root / "same").unlink()
    with quietly():
        repairing.repair(open_store(root), dry_run=False)
    return violations(root, ledger, allowed=AFTER_A_CRASH)


def halves(scratch: pathlib.Path) -> list[str]:
    """A reader beside a writer never sees a damaged line."""
    from tests.reliability.test_concurrency import reader, together, writer

    root = _room(scratch, "halves") / "root"
    with quietly():
        open_store(root).store_many([new("first")])
    told = together([writer(root, "w", 150), *[reader(root, 0.6) for _ in range(3)]])
    return [line for lines in told for line in lines if line.startswith("error")][:2] or crash(
        _room(scratch, "halves-crash"), BY_NAME["store-batch"]
    )


def sweeping(scratch: pathlib.Path) -> list[str]:
    """A writer that waits for the lock keeps its files while somebody mends and sweeps."""
    root = _room(scratch, "sweeping") / "root"
    store = open_store(root, wait_seconds=10)
    errors: list[str] = []

    def write():
        try:
            open_store(root, wait_seconds=10).store_many([new("waiting")])
        except MemkitError as error:
            errors.append(f"a waiting writer was disturbed: {error}")

    with quietly():
        store.store_many([new("first")])
        with store.index_lock.held("mend"):
            thread = threading.Thread(target=write)
            thread.start()
            for _ in range(200):
                if list(store.paths.results.glob(".*.tmp")):
                    break
                time.sleep(0.005)
            for path in list(leftovers.left_over(store.paths)):
                durable.unlink(path)
        thread.join()
    return errors


def locks(scratch: pathlib.Path) -> list[str]:
    """One holder at a time; a dead one's lock is free although its child lives; a live one is never robbed."""
    from tests.reliability.test_concurrency import together
    from tests.reliability.test_kill_rounds import fork

    folder = _room(scratch, "locks")
    path, inside = folder / "l.lock", folder / "inside"
    path.touch(0o600)
    inside.write_bytes(b"")

    def storm(tell):
        for _ in range(40):
            with Lock(path, 20).held("storm"):
                if inside.stat().st_size:
                    tell("error two holders at once")
                inside.write_bytes(b"x")
                time.sleep(0.0005)
                inside.write_bytes(b"")

    errors = [line for lines in together([storm] * 5) for line in lines]
    if errors:
        return errors[:1]

    def hold(tell):
        Lock(path, 5).acquire("hold")
        child = os.fork()
        if child == 0:
            time.sleep(5)
            os._exit(0)
        tell(f"{child}")
        time.sleep(5)

    holder, reading = fork(hold)
    grandchild = int(os.read(reading, 20))
    found = []
    try:
        Lock(path, 0.1).acquire("too early").release()
        found.append("a live holder was robbed")
    except LockedError:
        pass
    os.kill(holder, signal.SIGKILL)
    os.waitpid(holder, 0)
    try:
        Lock(path, 0.3).acquire("after").release()
    except LockedError:
        found.append("a dead holder's lock is not free")
    os.kill(grandchild, signal.SIGKILL)
    os.close(reading)
    return found + sentinel(folder) + without_flock(folder)


def sentinel(folder: pathlib.Path) -> list[str]:
    """The other tool's lock is waited for."""
    store = open_store(folder / "root", wait_seconds=0.02)
    with quietly():
        store.store_many([new("one")])
        store.paths.sentinel.write_text("somebody else's")
        try:
            store.store_many([new("two")])
        except LockedError:
            return []
        finally:
            store.paths.sentinel.unlink(missing_ok=True)
    return ["the other tool's lock was ignored"]


def without_flock(folder: pathlib.Path) -> list[str]:
    """A file system without flock is refused."""

    def no_flock(name, real, args, kwargs):
        if name == "flock":
            raise OSError(errno.ENOLCK, "No locks available")
        return real(*args, **kwargs)

    with installed(no_flock), quietly():
        try:
            open_store(folder / "root").store_many([new("three")])
        except LocksUnsupportedError:
            return []
    return ["it wrote without a lock"]


def generations(scratch: pathlib.Path) -> list[str]:
    """What a reader holds is never taken for the bytes of another index."""
    store = open_store(_room(scratch, "generations"))
    store.store_many([new("one")])
    seen: dict[int, set[bytes]] = {}

    def note():
        read = store.read_index()
        data = look.read_bytes(store.paths.index)
        if data is not None and read.generation >= 0:
            seen.setdefault(read.generation, set()).add(data)

    def watch(name, real, args, kwargs):
        result = real(*args, **kwargs)
        if name == "rename" and not watching:
            watching.append(True)
            note()
            watching.clear()
        return result

    watching: list[bool] = []
    with quietly():
        for _ in range(2):
            with installed(watch), store.index_lock.held("test") as held:
                index.rewrite(store.paths, held, [b"", store.paths.index.read_bytes(), b" \n"], wait_seconds=1)
            note()
        last = store.generation()
        wipe.wipe(store, confirm="demo")
        if store.generation() <= last:
            return ["a wipe brought the generation back"]
    mixed = [number for number, contents in seen.items() if len(contents) > 1]
    return [f"generation {number} stands for two contents" for number in mixed]


def modes(scratch: pathlib.Path) -> list[str]:
    """No file is wider than 0600 at any moment."""
    bench = Bench(_room(scratch, "modes") / "bench").fill()
    wide: list[str] = []

    def watch(name, real, args, kwargs):
        result = real(*args, **kwargs)
        if name in {"open", "mkdir"}:
            wide.extend(
                f"{path.name} is wide after {name}"
                for path, info in look.tree(bench.root / "root")
                if look.is_wide(info)
            )
        return result

    class Through:
        def __getattr__(self, name):
            value = getattr(durable_os, name)
            if name not in {"open", "mkdir"}:
                return value
            return lambda *args, **kwargs: watch(name, value, args, kwargs)

    durable_os = durable.os
    old = os.umask(0)
    try:
        from unittest import mock

        with mock.patch.object(durable, "os", Through()), quietly():
            bench.ledger.acknowledge(bench.store.store_many([new(*bench.fresh(1))]))
    finally:
        os.umask(old)
    return wide[:2]


def keys(scratch: pathlib.Path) -> list[str]:
    """Different projects have different keys, different ids are refused."""
    names = ["/w/a-b/c", "/w/a/b-c", "/w/a_b/c", "/w/a.b/c", "/w/a b/c", "/w/猫箱", "/w/青空"]
    found = [] if len({paths.project_key(name) for name in names}) == len(names) else ["two projects share a key"]
    store = open_store(_room(scratch, "keys"))
    store.store_many([new("one")])
    for odd in ("../../x", "/etc/x", "a/../../b", "%2e%2e%2f", "CON", "", "index"):
        try:
            store.read_entry(odd)
        except InvalidInputError:
            continue
        except MemkitError as error:
            found.append(f"the id {odd!r} is {error.code}")
    return found


def above(scratch: pathlib.Path) -> list[str]:
    """Through a Memory: no secret on disk, times with a zone, a snapshot with a flipped byte is not believed."""
    from memkit.opening import open_memory
    from memkit.settings import Environment
    from memkit.snapshot.absorbing import absorb
    from memkit.snapshot.reading import open_snapshot

    folder = _room(scratch, "above")
    (folder / "project").mkdir()
    environment = Environment(home=folder, config_file=folder / "config.toml")
    secret = "ghp" + "_" + "Fa7k" * 9
    found = []
    with quietly():
        with open_memory(folder / "project", root=folder / "root", enabled=True, environment=environment) as mem:
            mem.store(
                question=f"Which token {secret}?", result={"conclusion": f"Keep {secret}."}, tags=[f"t {secret}"[:60]]
            )
            mem.store_many([{"question": f"Which queue {i}?", "result": {"conclusion": "Keep it."}} for i in range(5)])
            mem.recall(f"queue {secret}")
            try:
                mem.store(question="When?", result={"a": 1}, stored_at=dt.datetime(2020, 1, 1))
                found.append("a time without a zone was taken")
            except InvalidInputError:
                pass
            absorb(mem._store, minimum=1)
            folder_of_store = mem.paths.folder
            segments = list(mem.paths.snapshots.glob("*.parquet"))
        for path in folder_of_store.rglob("*"):
            if path.is_file() and secret.encode()[:30] in path.read_bytes():
                found.append(f"a secret is in {path.name}")
        for segment in segments:
            data = bytearray(segment.read_bytes())
            data[len(data) // 3] ^= 4
            segment.write_bytes(bytes(data))
        if not open_snapshot(mem.paths).problems:
            found.append("a flipped snapshot is not noticed")
        with open_memory(folder / "project", root=folder / "root", enabled=True, environment=environment) as mem:
            try:
                if len(mem.recall("queue", limit=20)) != 5:
                    found.append("a flipped snapshot was believed")
            except Exception as error:
                found.append(f"a flipped snapshot was believed: {type(error).__name__}")
    return found


def looking(scratch: pathlib.Path) -> list[str]:
    """What cannot be looked at is an error, not an absence; reading changes no byte."""
    bench = Bench(_room(scratch, "looking") / "bench").fill()

    def refuse(name, real, args, kwargs):
        if name == "lstat" and str(args[0]).endswith(("store.json", "index.jsonl")):
            raise OSError(errno.EIO, "Input/output error")
        return real(*args, **kwargs)

    before = fingerprint(bench.store.paths.folder)
    bench.store.paths.store_json.rename(bench.root / "kept")
    with quietly():
        try:
            with installed(refuse):
                bench.store.store_many([new("x")])
            found = ["it wrote where it could not look"]
        except StoreError:
            found = []
    if not found:
        (bench.root / "kept").rename(bench.store.paths.store_json)
        if fingerprint(bench.store.paths.folder) != before:
            found.append("bytes changed")
    return found


def front_matter(scratch: pathlib.Path) -> list[str]:
    """A record whose values hold dashes."""
    from memkit.model.record import RecordDamage, read_record

    data = b'---\nkind: lesson\nnote: "a --- b"\nstatus: active\ntags: [x]\n---\n\n# Use UTC\n'
    try:
        read = read_record("memory", "use-utc", data)
    except RecordDamage as damage:
        return [f"a record cannot be read: {damage}"]
    return [] if (read.extra["note"], read.tags) == ("a --- b", ("x",)) else [f"a record came back as {read!r}"]


def forgetting(scratch: pathlib.Path) -> list[str]:
    """Retention and erasure: by recorded times, as shown, told in the log, and nothing comes back."""
    from memkit.errors import PolicyError, StalePlanError
    from memkit.store import receipts

    said = "said once about obsidian"
    found: list[str] = []
    for name in ("MK-100", "MK-119", "MK-091-erasure"):
        BUGS[name](Kit(_room(scratch, f"forgetting-{name}")))
    with Kit(_room(scratch, "forgetting")).memory() as mem:
        ids = [mem.store(question=f"{said} granite{n}?", result={"conclusion": f"basalt{n}"}).id for n in range(4)]
        mem.recall(f"{said} granite3")
        for odd in ({"max_results": "many"}, {"max_age_days": -1}, {"max_result": 3}, {"panels": {"adr": 7}}):
            try:
                due = mem.retention.review(odd).due
                found.append(f"a policy that cannot be read makes {len(due)} entries due")
            except PolicyError:
                pass
        review = mem.retention.review({"max_results": 3})
        first = mem.paths.entry_file(ids[0])
        before = first.read_bytes()
        first.write_bytes(before.replace(b"{", b"{ ", 1))
        try:
            mem.retention.apply(review)
            found.append("a review was applied although an entry was edited since")
        except StalePlanError:
            pass
        first.write_bytes(before)
        moved = mem.retention.apply(mem.retention.review({"max_results": 3})).moved
        mem.erase(ids[3], confirm=True)
        log = b"".join(path.read_bytes() for path in mem.paths.logs.glob("memory-*.log"))
        found += [f"{op} is not in the audit log" for op in ("prune", "erase") if f'"{op}"'.encode() not in log]
        found += ["what was erased is in the audit log"] if b"granite3" in log else []
        kept = {entry_id for receipt in receipts.read(mem.paths)[0] for entry_id in receipt.moved}
        found += [] if moved and set(moved) <= kept else ["what was pruned has no receipt"]
    return found


def consolidating(scratch: pathlib.Path) -> list[str]:
    """Candidates become records: nothing is lost, nothing written over, attempts outlive a crash."""
    from memkit.consolidate.adjudicate import Verdict
    from memkit.consolidate.consolidating import consolidate
    from memkit.store import ledger

    for name in ("MK-107", "MK-109"):
        BUGS[name](Kit(_room(scratch, f"consolidating-{name}")))
    bench = Bench(_room(scratch, "consolidating") / "bench").fill()
    BY_NAME["consolidate"].before(bench)
    BY_NAME["consolidate"].run(bench)
    found = bench.problems(BY_NAME["consolidate"], thorough=False)
    if found:
        return found
    store = Kit(_room(scratch, "consolidating-attempts")).store()
    bugs_of_memory.staged(
        store, "s1", bugs_of_memory.lesson("Measure the lease before you blame the queue for a slow worker.")
    )
    consolidate(store, [])
    bugs_of_memory.staged(
        store, "s2", bugs_of_memory.lesson("Measure the lease before you blame the queue. Look at the network first.")
    )

    class Killed(BaseException):
        pass

    class Killing:
        name, asks = "killing", "model"

        def ready(self, question):
            return ""

        def decide(self, question) -> Verdict:
            raise Killed

    for _ in range(3):
        with contextlib.suppress(Killed):
            consolidate(store, [Killing()])
    lines = [line for line in ledger.read(store.paths)[0] if line.event == "attempt"]
    found = [] if len(lines) == 3 else [f"{len(lines)} of 3 attempts outlived a kill"]
    for name in ("record-edit", "record-supersede"):
        found = found or crash(_room(scratch, f"consolidating-crash-{name}"), BY_NAME[name])
    return found


DETECTORS = (
    front_matter,
    torn,
    separators,
    crash_model,
    faults,
    generations,
    sweeping,
    locks,
    modes,
    keys,
    looking,
    above,
    halves,
    concurrency,
    forgetting,
    consolidating,
)
