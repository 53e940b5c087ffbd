"""What a crash leaves lying: temporary files nobody will publish, a wipe, a move to the trash or an erasure cut off.

A temporary file carries its writer's process id. It is left over once that process is gone, or after 15 minutes (ids
are used again). Removing one that a live writer still wants does no harm: a writer looks under the index lock whether
its files are there, and writes them again. A wipe, a plan or an erasure that has passed its point of no return is
carried on by the next holder of the index lock.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from memkit.errors import StoreError
from memkit.store import durable, look, trash
from memkit.store.kinds import KINDS, TEMP_NAME
from memkit.store.lock import DEFAULT_WAIT_SECONDS, HeldLock, Lock
from memkit.store.paths import StorePaths

TEMP_STALE_SECONDS = 15 * 60


def is_temp(path: Path) -> bool:
    """Whether this is the name of a temporary file of memkit's."""
    return TEMP_NAME.fullmatch(path.name) is not None


def is_left_over(path: Path, info: os.stat_result) -> bool:
    """Whether this is a temporary file of memkit's whose writer is gone."""
    match = TEMP_NAME.fullmatch(path.name)
    if match is None or stat.S_ISDIR(info.st_mode):
        return False
    return not look.is_running(int(match["pid"])) or time.time() - info.st_mtime > TEMP_STALE_SECONDS


def left_over(paths: StorePaths, *, everywhere: bool = False) -> Iterator[Path]:
    """Temporary files nobody will publish; outside the snapshot's folder, which sweeps its own, unless `everywhere`."""
    for relative, info in look.files(
        paths.folder, wanted=lambda name: name[0] == "." and TEMP_NAME.fullmatch(name) is not None
    ):
        path = paths.folder / relative
        if is_left_over(path, info) and (everywhere or path.parent != paths.snapshots):
            yield path


def is_wipe_unfinished(paths: StorePaths) -> bool:
    """Whether a wipe passed its point of no return and was cut off."""
    return look.exists(paths.wiped)


def finish_wipe(paths: StorePaths, held: HeldLock) -> bool:
    """Carry a wipe that was cut off to its end; whether there was one. The index lock is held.

    Locks stay, and so do the index's generation (a number, which readers elsewhere compare) and entries stored since.
    """
    if not held.is_held or held.path != paths.index_lock:
        raise RuntimeError("the index lock must be held")
    if not is_wipe_unfinished(paths):
        return False
    locks = {kind.pattern for kind in KINDS if kind.role == "lock"}
    kept = {paths.results.name, paths.index.name, paths.generation.name, paths.logs.name, paths.wiped.name, *locks}
    if look.exists(paths.firings_lock):  # else nobody can be appending
        with Lock(paths.firings_lock).held("wipe"):
            durable.unlink(paths.firings)
    for name in look.names_in(paths.folder):
        if name not in kept:
            durable.remove_tree(paths.folder / name)
    for name in look.names_in(paths.logs):
        if paths.relative(paths.logs / name) not in locks:
            durable.remove_tree(paths.logs / name)
    if look.exists(paths.logs):
        durable.sync_folder(paths.logs)
    durable.sync_folder(paths.folder)
    durable.remove_tree(paths.wiped)
    durable.sync_folder(paths.folder)
    return True


def finish(paths: StorePaths, held: HeldLock, *, wait_seconds: float = DEFAULT_WAIT_SECONDS) -> None:
    """Carry on what a crash cut off behind its point of no return: a wipe, a plan, an erasure.

    The index lock is held.
    """
    from memkit.store import erasing  # it builds on this module

    finish_wipe(paths, held)
    trash.roll_forward(paths, held, wait_seconds=wait_seconds)
    erasing.finish(paths, held, wait_seconds=wait_seconds)


def sweep(paths: StorePaths) -> int:
    """Remove what crashes left lying, if no writer is at work and the disk lets us; how many files were removed.

    Never waits and never raises: what cannot be removed now is named by `verify`.
    """
    try:
        if not look.exists(paths.index_lock):
            return 0
        held = Lock(paths.index_lock, 0).try_acquire(None)
        if held is None:
            return 0
        try:
            finish(paths, held, wait_seconds=0)
            return sum(durable.unlink(path) for path in list(left_over(paths)))
        finally:
            held.release()
    except StoreError:
        return 0
