"""The disk beneath a store, looked at and not touched: space, inodes, kind of file system, whether flock works."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from memkit.errors import LocksUnsupportedError, StoreError
from memkit.model.checkup import Check, Verdict
from memkit.store import durable, look
from memkit.store.faults import faults

MIB = 1024 * 1024
BAD_FREE_BYTES = 64 * MIB
"""Below this an entry of the largest size, with its temporary copy, no longer fits."""
FEW_FREE_BYTES = 1024 * MIB
BAD_FREE_INODES = 100
FEW_FREE_INODES = 10_000
_FAR: Final = re.compile(r"nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|fuse\.(?:sshfs|s3fs|rclone|gcsfuse|davfs)")
_FLEETING: Final = frozenset({"tmpfs", "ramfs"})
_SYNCHRONISED: Final = re.compile(
    r"Dropbox|OneDrive.*|Google ?Drive|iCloud ?Drive|Mobile Documents|Nextcloud|Syncthing", re.IGNORECASE
)
_LOCAL_DISK = "Put the root on a local disk: memory.storage_path in your own settings, or --root."
_MOUNTS = Path("/proc/self/mountinfo")


def nearest_folder(path: Path) -> Path:
    """The path itself, or the nearest folder above it that exists."""
    while not look.exists(path) and path != path.parent:
        path = path.parent
    return path


def checks(folder: Path) -> Iterator[Check]:
    """What the disk under a folder, which need not exist yet, has to say.

    Raises:
        StoreError: nobody may look there.
    """
    there = nearest_folder(folder)
    with faults(there, "look at the file system of"):
        disk = os.statvfs(there)
    if disk.f_flag & os.ST_RDONLY:
        yield Check("space", "bad", f"the file system of {there} is mounted read-only", "Mount it for writing.")
    free = disk.f_bavail * disk.f_frsize
    verdict: Verdict = "bad" if free < BAD_FREE_BYTES else "warn" if free < FEW_FREE_BYTES else "ok"
    remedy = "" if verdict == "ok" else "Make room on this disk, or put the root on another."
    yield Check("space", verdict, f"{free // MIB:,} MiB free", remedy)
    if disk.f_files:
        verdict = "bad" if disk.f_favail < BAD_FREE_INODES else "warn" if disk.f_favail < FEW_FREE_INODES else "ok"
        remedy = "" if verdict == "ok" else "Remove small files from this disk; each entry is a file of its own."
        yield Check("inodes", verdict, f"room for {disk.f_favail:,} more files", remedy)
    else:
        yield Check("inodes", "ok", "this file system does not count files")
    if not os.access(there, os.W_OK | os.X_OK):
        yield Check("folder", "bad", f"you may not write to {there}", "Change its owner or mode.")
    yield _kind(there)
    yield from _flock(there)
    yield from _company(folder)


def _kind(there: Path) -> Check:
    kind = file_system(there)
    if kind is None:
        return Check("file system", "ok", "of a kind this system does not name")
    if _FAR.fullmatch(kind):
        return Check(
            "file system", "warn", f"{kind}: a network's, where locks and fsync are the server's word", _LOCAL_DISK
        )
    if kind in _FLEETING:
        return Check("file system", "warn", f"{kind}: in memory only, gone after a restart", _LOCAL_DISK)
    return Check("file system", "ok", kind)


def file_system(there: Path) -> str | None:
    """The kind of file system a folder lies on, such as `ext4`; None where the operating system does not tell."""
    best, kind = -1, None
    with suppress(StoreError):
        raw = look.read_bytes(_MOUNTS) or b""
        real = os.path.realpath(there)
        for line in raw.decode("utf-8", "surrogateescape").split("\n"):
            left, _, right = line.partition(" - ")
            fields = left.split(" ")
            if len(fields) < 5 or not right:
                continue
            point = re.sub(r"\\([0-7]{3})", lambda m: chr(int(m.group(1), 8)), fields[4])
            inside = real == point or real.startswith(point.rstrip("/") + "/")
            if inside and len(point) >= best:  # of two on one point the later is the one in sight
                best, kind = len(point), right.split(" ")[0]
    return kind


def _flock(there: Path) -> Iterator[Check]:
    """Try a lock on the folder itself: nothing is written, and nobody else locks folders."""
    try:
        descriptor = os.open(there, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        yield Check("flock", "warn", f"not tried: {there} cannot be opened ({error.strerror})", "Change its mode.")
        return
    try:
        durable.try_flock(descriptor, there)
    except LocksUnsupportedError as error:
        yield Check("flock", "bad", f"does not work here ({error.what}); memkit will not write", _LOCAL_DISK)
    except StoreError as error:  # some network file systems lock only what is open for writing
        yield Check("flock", "warn", f"cannot be told without writing ({error.what})", "Store something to try it.")
    else:
        yield Check("flock", "ok", "works here")
    finally:
        durable.unlock(descriptor)


def _company(folder: Path) -> Iterator[Check]:
    for above in (folder, *folder.parents):
        if _SYNCHRONISED.fullmatch(above.name):
            yield Check(
                "folder", "warn", f"inside {above}, which looks synchronised", "Keep the root out of such folders."
            )
        with suppress(StoreError):
            if look.exists(above / ".git"):
                yield Check("folder", "warn", f"inside {above}, which git tracks", "Keep the root out of repositories.")
