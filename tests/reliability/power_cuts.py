"""Cutting the power of a small disk while four processes write to it: run by `test_power_cuts` in its own namespace.

The writers are stopped first and waited for: a flush that is under way while the disk goes away may answer "done" for
something that is not on the disk, which is the kernel's race and not ours. Then the file system is shut down without
writing its journal, the writers are killed, the disk is unmounted, mounted again, and looked at with the ledger of what
the writers had told.
"""

import contextlib
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

from memkit.errors import MemkitError
from memkit.store.repair import repair
from memkit.store.verify import verify
from memkit.store.wipe import wipe
from tests.reliability import account, mounts
from tests.reliability.account import Clock, pick
from tests.reliability.plants import PLANTS
from tests.reliability.stores import AFTER_A_CRASH, Ledger, new, open_store, quietly, violations
from tests.reliability.test_kill_rounds import drain, fork, listen, on_disk, repair_for_ever, write_for_ever

WRITERS = 4
ALLOWED = AFTER_A_CRASH | {"note-missing", "damaged-log-line"}
WIPED = "/projects/wiped"


# A machine with other work to do cuts less often in that time, and the tier says how much less.
SECONDS = min(pick(300, 3300), account.SECONDS)


def wipe_for_ever(root, who: str):
    """Store two, wipe, and again; tells each step."""

    def work(tell):
        n = 0
        while True:
            n += 1
            store = open_store(root, WIPED, wait_seconds=30)
            for receipt in store.store_many([new(f"{who}-{n}-{i}") for i in range(2)]):
                tell(f"{receipt.id} {receipt.entry.result['marker']}")
            tell("wiping")
            wipe(store, confirm="wiped")
            tell("wiped")

    return work


def stop(children: list[int]) -> None:
    """Stop the processes and wait until none of them is inside a system call any more."""
    for child in children:
        os.kill(child, signal.SIGSTOP)
    for child in children:  # one that ended by itself is a zombie
        while pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0] not in "TZX":
            time.sleep(0.0005)


def follow(ledger: Ledger, lines: list[str]) -> None:
    """What the wiping process told."""
    for line in lines:
        entry_id, _, marker = line.partition(" ")
        if line == "wiping":
            ledger.wiping = True
        elif line == "wiped":
            ledger.gone |= set(ledger.must.values())
            ledger.must.clear()
            ledger.wiping = False
        else:
            ledger.must[entry_id] = marker


def cuts(kind: str, n: int, folder: pathlib.Path) -> dict:
    """Cut the power `n` times."""
    rng = random.Random(7)
    disk = mounts.Disk(kind, folder)
    problems: list[str] = []
    acknowledged = unacknowledged = wipes = 0
    began, clock = time.monotonic(), Clock(SECONDS)
    done = 0
    try:
        for i in range(n):
            if clock.is_over and i % 10 == 0:
                break
            done += 1
            disk.mount()
            root = disk.place / f"root-{i // 10}"
            if i % 10 == 0:
                ledger, erased = Ledger(), Ledger()
                with quietly():
                    ledger.acknowledge(open_store(root).store_many([new(f"first-{i}")]))
            children = [fork(write_for_ever(root, f"c{i}w{k}", random.Random(f"{i}-{k}"))) for k in range(WRITERS)]
            if i % 4 == 3:
                children.append(fork(repair_for_ever(root)))
            wiping = fork(wipe_for_ever(root, f"c{i}"))
            heard = listen([reading for _, reading in children], rng.randrange(1, 50))
            time.sleep(rng.uniform(0, 0.02))
            stop([child for child, _ in [*children, wiping]])
            disk.cut_power()
            for child, _ in [*children, wiping]:
                os.kill(child, signal.SIGKILL)
            for child, reading in children:
                for line in drain(reading, heard[reading]):
                    entry_id, _, marker = line.partition(" ")
                    ledger.must[entry_id] = marker
                    acknowledged += 1
                os.waitpid(child, 0)
            told = drain(wiping[1])
            os.waitpid(wiping[0], 0)
            wipes += told.count("wiped")
            follow(erased, told)
            disk.unmount()
            disk.mount()
            try:
                found, ledger, erased, left = look(root, ledger, erased, i)
                if i % 10 == 9 or i == n - 1:
                    found += last_look(root, ledger)
                    shutil.rmtree(root)
            except MemkitError as error:
                found, left = [f"{type(error).__name__}: {error}"], set()
            unacknowledged += len(left)
            problems += [f"cut {i}: {problem}" for problem in found]
            disk.unmount()
    finally:
        disk.close()
    return {
        "kind": kind, "cuts": done, "acknowledged": acknowledged, "unacknowledged": unacknowledged, "wipes": wipes,
        "problems": problems[:20], "n_problems": len(problems), "seconds": time.monotonic() - began,
    }  # fmt: skip


def look(root, ledger: Ledger, erased: Ledger, i: int):
    """What is wrong after cut `i`, the ledgers as they go on, and the entries nobody was told of."""
    left = on_disk(root) - set(ledger.must.values()) - ledger.may
    ledger.may |= left
    found = violations(root, ledger, allowed=ALLOWED, thorough=False)
    store = open_store(root, WIPED)
    if store.exists:
        erased.may = {f"c{j}-{k}-{m}" for j in range(i + 1) for k in range(200) for m in range(2)} - erased.gone
        erased.may -= set(erased.must.values())
        found += violations(root, erased, project=WIPED, allowed=ALLOWED | {"unfinished-wipe"}, thorough=False)
        with quietly():  # the wipe that was cut off is carried on, and the project is empty for the next cut
            wipe(store, confirm="wiped")
        erased = Ledger(gone=erased.gone | set(erased.must.values()))
    return found, ledger, erased, left


def last_look(root, ledger: Ledger) -> list[str]:
    """Write once more, repair, and find every acknowledged entry exactly once in a sound store."""
    found = violations(root, ledger, allowed=ALLOWED)
    with quietly():
        store = open_store(root)
        repair(store, dry_run=False)
    found += [f"{p.code} {p.file}" for p in verify(store) if p.code != "damaged-log-line"]
    return [f"at the end of its store: {problem}" for problem in found]


if __name__ == "__main__":
    kind_, n_ = sys.argv[1], int(sys.argv[2])
    planted = PLANTS[sys.argv[3]]() if len(sys.argv) > 3 else contextlib.nullcontext()
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="memkit-power-", dir=base) as name:
        try:
            with planted:
                mounts.answer(cuts(kind_, n_, pathlib.Path(name)))
        except mounts.Refused as refused:
            mounts.answer({"skip": str(refused)})
