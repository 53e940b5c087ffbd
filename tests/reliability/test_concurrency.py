"""Many writers and readers at once: processes, threads, two stores in one process, repair in a loop, wipe beside store.

Every process tells what was acknowledged; afterwards each id has one file and one line, and nobody saw an error.
"""

import collections
import os
import random
import statistics
import threading
import time

import pytest

from memkit.errors import LockedError
from memkit.store.repair import repair
from memkit.store.status import status_of
from memkit.store.verify import verify
from memkit.store.wipe import wipe
from tests.reliability.account import pick
from tests.reliability.operations import Bench
from tests.reliability.program import main
from tests.reliability.stores import Ledger, new, open_store, quietly, violations
from tests.reliability.test_kill_rounds import drain, fork

PROCESSES = pick(16, 32)
WRITES = pick(120, 500)
# Seconds to wait for a lock where waiting is not what is tried: a machine with other work to do may take its time.
PATIENCE = 300


def together(works) -> list[list[str]]:
    """Run each `work(tell)` in a process of its own, all begun at once; what each told, errors included."""
    gate_reading, gate_writing = os.pipe()

    def gated(work):
        def run(tell):
            os.close(gate_writing)
            os.read(gate_reading, 1)  # returns when the parent closes the gate
            try:
                work(tell)
            except BaseException as error:
                tell(f"error {type(error).__name__}: {error}")

        return run

    children = [fork(gated(work)) for work in works]
    os.close(gate_reading)
    os.close(gate_writing)
    told = []
    for child, reading in children:
        told.append(drain(reading))
        os.waitpid(child, 0)
    return told


def writer(root, who: str, n: int, *, project="/projects/demo", batch=1):
    def work(tell):
        store = open_store(root, project, wait_seconds=PATIENCE)
        for i in range(0, n, batch):
            for receipt in store.store_many([new(f"{who}-{i + k}") for k in range(batch)]):
                tell(f"{receipt.id} {receipt.entry.result['marker']}")

    return work


def reader(root, seconds: float):
    """Reads all the while; an entry it has seen is never missing later, and no line is ever damaged."""

    def work(tell):
        store = open_store(root)
        seen: set[str] = set()
        rounds = 0
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            read = store.read_index()
            now = {line.id for line in read.lines}
            if seen - now:
                tell(f"error {len(seen - now)} entries vanished")
            if read.damaged or read.repeated:
                tell(f"error {len(read.damaged)} damaged, {len(read.repeated)} repeated lines")
            for entry_id in random.sample(sorted(now), min(3, len(now))):
                store.read_entry(entry_id)
            seen = now
            rounds += 1
        tell(f"rounds {rounds}")

    return work


def gather(cases, told, what: str) -> Ledger:
    """The ledger of what was told; an error anybody saw is a failed case."""
    ledger = Ledger()
    errors = [line for lines in told for line in lines if line.startswith("error")]
    for lines in told:
        for line in lines:
            entry_id, _, marker = line.partition(" ")
            if len(entry_id) == 32:
                ledger.must[entry_id] = marker
    cases.add(errors[:5], name=what)
    return ledger


@pytest.mark.promise("P6")
@pytest.mark.parametrize("seed", range(pick(1, 5)))
def test_sixteen_processes_write_while_four_read(disk, cases, seed):
    root = disk / "root"
    works = [writer(root, f"p{k}", WRITES, batch=1 if k % 4 else 3) for k in range(PROCESSES)]
    began = time.monotonic()
    told = together(works + [reader(root, pick(3, 10)) for _ in range(4)])
    ledger = gather(cases, told, "processes")
    n = sum(len(range(0, WRITES, 1 if k % 4 else 3)) * (1 if k % 4 else 3) for k in range(PROCESSES))
    cases.add([] if len(ledger.must) == n else [f"{len(ledger.must)} of {n} acknowledged"])
    cases.add(violations(root, ledger, allowed=()), name="afterwards")
    cases.passed += len(ledger.must)
    rounds = [line for lines in told for line in lines if line.startswith("rounds")]
    cases.figure(
        f"{PROCESSES} processes, {len(ledger.must):,} acknowledged in {time.monotonic() - began:.1f} s;"
        f" four readers looked {sum(int(line.split()[1]) for line in rounds):,} times"
    )


@pytest.mark.promise("P6")
def test_eight_threads_over_two_stores_of_one_process(scratch, cases):
    stores = [open_store(scratch / "root", wait_seconds=PATIENCE) for _ in range(2)]
    ledger, errors = Ledger(), []

    def work(k):
        try:
            for i in range(pick(100, 400)):
                ledger.acknowledge(stores[k % 2].store_many([new(f"t{k}-{i}")]))
        except BaseException as error:
            errors.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cases.add(errors[:3] + violations(scratch / "root", ledger, allowed=()))
    cases.passed += len(ledger.must)


@pytest.mark.promise("P6")
def test_repair_in_a_loop_beside_six_writers_leaves_no_line_twice_and_loses_none(disk, cases):
    """The trial for "rename and append under one lock": damage is put in all the while, so repair really rewrites."""
    root = disk / "root"
    bench = Bench(disk).fill(2)
    n = pick(150, 600)

    def repairing(tell):
        store = open_store(root, wait_seconds=PATIENCE)
        rewritten, rng, end = 0, random.Random(5), time.monotonic() + 600
        while time.monotonic() < end:
            if rng.random() < 0.3:
                with store.index_lock.held("damage"), store.paths.index.open("ab") as file:
                    file.write(
                        rng.choice((b"{junk\n", b"torn", store.paths.index.read_bytes().split(b"\n")[0] + b"\n"))
                    )
            rewritten += len(repair(store, dry_run=False).actions) > 0
            if (disk / "over").exists():
                break
        tell(f"rewritten {rewritten}")

    left = [6]
    lock = threading.Lock()

    def done_when_last(work):
        def run(tell):
            work(tell)
            with lock:
                (disk / f"done-{os.getpid()}").touch()
            if len(list(disk.glob("done-*"))) == left[0]:
                (disk / "over").touch()

        return run

    works = [done_when_last(writer(root, f"w{k}", n)) for k in range(6)]
    told = together([*works, repairing])
    ledger = gather(cases, told, "writers and repair")
    ledger.must.update(bench.ledger.must)
    with quietly():
        repair(bench.store, dry_run=False)
    read = bench.store.read_index()
    counts = collections.Counter(line.id for line in read.lines)
    cases.add(
        [] if not read.repeated and max(counts.values()) == 1 else [f"{len(read.repeated)} lines twice"], name="twice"
    )
    cases.add([f"{p.code} {p.file}" for p in verify(bench.store)], name="verify")
    cases.add(violations(root, ledger, allowed=()), name="afterwards")
    cases.add([] if len(ledger.must) == 6 * n + 2 else [f"{len(ledger.must)} acknowledged"])
    cases.passed += len(ledger.must)
    rewritten = next(line for lines in told for line in lines if line.startswith("rewritten"))
    cases.figure(f"repair wrote the index anew {rewritten.split()[1]} times beside 6 writers; no line twice, none lost")


@pytest.mark.promise("P6")
def test_a_wipe_beside_writers_takes_all_before_it_and_nothing_after(disk, cases):
    root = disk / "root"
    n = pick(60, 300)

    def wiping(tell):
        store = open_store(root, wait_seconds=PATIENCE)
        for _ in range(pick(8, 40)):
            time.sleep(0.03)
            at = time.monotonic_ns()
            wipe(store, confirm="demo")
            tell(f"wiped {at} {time.monotonic_ns()}")

    def timed(who):
        def work(tell):
            store = open_store(root, wait_seconds=PATIENCE)
            for i in range(n):
                began = time.monotonic_ns()
                (receipt,) = store.store_many([new(f"{who}-{i}")])
                tell(f"{receipt.id} {who}-{i} {began} {time.monotonic_ns()}")

        return work

    told = together([timed(f"w{k}") for k in range(4)] + [wiping])
    gather(cases, told, "writers and wipe")
    wipes = [tuple(map(int, line.split()[1:])) for lines in told for line in lines if line.startswith("wiped")]
    stored = [line.split() for lines in told for line in lines if len(line.split()) == 4]
    store = open_store(root)
    there = {line.id for line in store.read_index().lines}
    last_begin, last_end = wipes[-1]
    for entry_id, marker, began, ended in stored:
        if int(began) > last_end:
            cases.add([] if entry_id in there else [f"{marker} was stored after the last wipe and is gone"])
        elif int(ended) < last_begin:
            cases.add([] if entry_id not in there else [f"{marker} was stored before the last wipe and is there"])
    cases.add([f"{p.code} {p.file}" for p in verify(store)])


@pytest.mark.promise("P6")
def test_two_projects_in_one_root_never_meet(scratch, cases):
    """The kind of MK-044: same titles, same root, written at once."""
    root = scratch / "root"
    projects = ["/w/a-b/c", "/w/a/b-c"]
    told = together([writer(root, "same", pick(60, 300), project=project) for project in projects for _ in range(2)])
    for k, project in enumerate(projects):
        ledger = Ledger()
        for lines in told[2 * k : 2 * k + 2]:
            ledger.must.update(dict(line.split() for line in lines if not line.startswith("error")))
        store = open_store(root, project)
        there = {line.id for line in store.read_index().lines}
        cases.add([] if there == set(ledger.must) else [f"{len(there ^ set(ledger.must))} ids differ"], name=project)
        cases.add([f"{p.code} {p.file}" for p in verify(store)], name=project)


@pytest.mark.promise("P6")
def test_looking_at_a_store_beside_writers_raises_nothing(scratch, cases):
    """Files come and go while `status`, `verify` and a dry repair look: nothing is reported that is not so."""
    root = scratch / "root"
    Bench(scratch).fill(2)

    def looking(tell):
        store = open_store(root)
        end = time.monotonic() + pick(2.5, 10)
        n = 0
        while time.monotonic() < end:
            status = status_of(store, enabled=True, enabled_by="test")
            if any("cannot" in note for note in status.notes):
                tell(f"error status says {status.notes}")
            for problem in [*verify(store), *repair(store).problems_left]:
                tell(f"error verify says {problem.code} {problem.file}: {problem.detail}")
            n += 1
        tell(f"looks {n}")

    told = together([*[writer(root, f"w{k}", pick(250, 1000)) for k in range(3)], looking, looking])
    gather(cases, told, "looking")
    looks = sum(int(line.split()[1]) for lines in told for line in lines if line.startswith("looks"))
    cases.figure(f"{looks} looks of verify, status and a dry repair beside three writers: nothing reported")


@pytest.mark.promise("P6")
def test_waiting_for_the_lock_stays_near_a_raw_flock(scratch, cases):
    """Median wait of those who had to wait within three times that of the bare system call.

    Each process takes one and the other in turn, so that whatever else the machine does falls on both alike. Up to
    five runs are made, and the best counts.
    """
    import fcntl

    from memkit.store.lock import Lock

    n = pick(40, 150)
    hold = 0.004

    def waited_for(take, let_go) -> float:
        began = time.perf_counter()
        held = take()
        waited = time.perf_counter() - began
        time.sleep(hold)
        let_go(held)
        time.sleep(hold / 2)  # the others come first
        return waited * 1e6

    def raw_take():
        descriptor = os.open(scratch / "raw.lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return descriptor

    def raw_let_go(descriptor):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)

    def in_turn(tell):
        lock = Lock(scratch / "ours.lock", PATIENCE)
        for _ in range(n):
            tell(f"raw {waited_for(raw_take, raw_let_go):.0f}")
            tell(f"ours {waited_for(lambda: lock.acquire('contend'), lambda held: held.release()):.0f}")

    best = None
    for _ in range(5):
        told = [line.split() for lines in together([in_turn] * 8) for line in lines]
        waits = [[float(us) for who, us in told if who == each] for each in ("raw", "ours")]
        cases.add([] if [len(each) for each in waits] == [8 * n] * 2 else [f"{[len(each) for each in waits]} waits"])
        waits = [[wait for wait in each if wait > hold * 1e6 / 4] for each in waits]
        if min(map(len, waits)) < n:
            continue  # hardly anybody had to wait: this says nothing
        medians = [statistics.median(each) for each in waits]
        longest = [statistics.quantiles(each, n=100)[98] for each in waits]
        found = (medians[1] / medians[0], medians, longest)
        best = found if best is None else min(best, found)
        if best[0] <= 3:
            break
    if best is None:
        pytest.skip("in five runs hardly anybody had to wait for the lock: the machine is too busy")
    ratio, (plain, mine), (longest_plain, longest) = best
    cases.add([] if ratio <= 3 else [f"median wait {mine:.0f} µs, raw flock {plain:.0f} µs"])
    bound = max(2e6, 3 * longest_plain)
    cases.add([] if longest < bound else [f"p99 wait {longest / 1e6:.2f} s, raw flock {longest_plain / 1e6:.2f} s"])
    cases.figure(
        f"median wait {mine / 1000:.1f} ms, raw flock {plain / 1000:.1f} ms;"
        f" p99 {longest / 1000:.0f} ms, raw flock {longest_plain / 1000:.0f} ms"
    )


@pytest.mark.promise("P6", "P12")
def test_twenty_storms_on_one_lock_never_overlap(scratch, cases):
    """The kind of MK-049: lock files are left over, and every holder would notice a second one."""
    from memkit.store.lock import Lock

    path = scratch / "storm.lock"
    path.touch(0o600)
    counter = scratch / "inside"
    counter.write_bytes(b"")

    def storm(tell):
        lock = Lock(path, PATIENCE)
        for _ in range(pick(100, 400)):
            with lock.held("storm"):
                if counter.stat().st_size:
                    tell("error two holders at once")
                counter.write_bytes(b"x")
                os.sched_yield()
                counter.write_bytes(b"")
            tell("held")

    told = together([storm] * 20)
    held = sum(line == "held" for lines in told for line in lines)
    cases.add([line for lines in told for line in lines if line.startswith("error")][:3])
    cases.add([] if held == 20 * pick(100, 400) else [f"{held} acquisitions"])
    cases.passed += held
    cases.add([] if path.exists() else ["the lock file was removed"])


@pytest.mark.promise("P12")
def test_a_killed_holder_frees_the_lock_at_once_even_with_a_forked_child(scratch, cases):
    import signal

    from memkit.store.lock import Lock

    path = scratch / "l.lock"
    waits = []
    for i in range(pick(50, 200)):
        forks = i % 2 == 1

        def hold(tell, forks=forks):
            held = Lock(path, 5).acquire("hold")
            grandchild = os.fork() if forks else 0
            if forks and grandchild == 0:
                time.sleep(20)  # lives on after its parent, and must not keep the lock
                os._exit(0)
            tell(f"{grandchild}")
            time.sleep(20)
            held.release()

        child, reading = fork(hold)
        grandchild = int(os.read(reading, 20))
        try:
            Lock(path, 0).acquire("too early").release()
            robbed = ["a live holder was robbed"]
        except LockedError as error:
            robbed = [] if error.holder.get("pid") == str(child) else [f"the holder is called {error.holder}"]
        os.kill(child, signal.SIGKILL)
        began = time.perf_counter()
        Lock(path, 5).acquire("after").release()
        took = time.perf_counter() - began
        waits.append(took)
        os.waitpid(child, 0)
        if grandchild:
            os.kill(grandchild, signal.SIGKILL)
        os.close(reading)
        cases.add(robbed, name=f"holder {i}")  # not had within 5 s: an error; the child that lives on has 20
    fast = statistics.quantiles(waits, n=10)[0]  # the others had to wait for a processor
    cases.add([] if fast < 0.1 else [f"freed after {fast * 1000:.0f} ms"], name="at once")
    cases.figure(
        f"the lock of a killed holder was had after {statistics.median(waits) * 1000:.1f} ms (median),"
        f" {max(waits) * 1000:.1f} ms at most"
    )


@pytest.mark.promise("P12")
def test_locks_are_taken_in_one_order_and_nest_in_every_pair(scratch, cases):
    """index, snapshot, audit: each pair in both orders with bounded waits: no pair can lock for ever."""
    from memkit.store.lock import Lock

    paths = [scratch / name for name in ("index.lock", "snapshot.lock", "audit.lock")]
    for a in paths:
        for b in paths:
            if a == b:
                try:
                    with Lock(a, 0).held("outer"), Lock(a, 0).held("inner"):
                        cases.add([f"{a.name} was taken twice in one process"])
                except LockedError:
                    cases.add()
                continue

            def one(tell, a=a, b=b):
                for _ in range(20):
                    try:
                        with Lock(a, 0.02).held("outer"), Lock(b, 0.02).held("inner"):
                            pass
                    except LockedError:
                        pass
                tell("through")

            def other(tell, a=a, b=b):
                one(tell, b, a)

            told = together([one, other])  # would never come back
            through = sum(line == "through" for lines in told for line in lines)
            cases.add([] if through == 2 else [f"{a.name}, {b.name}: {told}"])


if __name__ == "__main__":
    main(__file__)
