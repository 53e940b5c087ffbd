"""The one module that changes files.

Every write, rename, append, truncate, unlink and mkdir of the package happens here, in the order that survives a crash:
write a sibling under a random name, check its length, fsync it, rename it, fsync the folder. Files are made 0600 and
folders 0700 whatever the umask, never wider for a moment. What the operating system refuses becomes a typed error.

Not promised: an fsync that failed is never tried again (the kernel may have dropped the pages and would answer "fine");
the caller gets an error and the temporary file is gone. A folder that cannot be fsynced because its file system has no
such operation (EINVAL, ENOTSUP) is noted by a warning, once per folder.

`os` and `fcntl` are looked up as attributes of this module at every call, and `os` of `look` likewise: that is the seam
where tests put a disk that is full, slow, dying, or cut off in the middle.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import stat
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from memkit.errors import LocksUnsupportedError, MemkitWarning, OutcomeUnknownError
from memkit.store.faults import fault as fault  # noqa: PLC0414 - the other half, under the names callers know
from memkit.store.faults import faults as faults  # noqa: PLC0414
from memkit.store.look import exists, is_folder, names_in, status_of

FILE_MODE = 0o600
FOLDER_MODE = 0o700
TEMP_SUFFIX = ".tmp"
_COPY_BYTES = 1 << 20
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_MANY = 8  # files from which on it is worth its threads to flush side by side: one commit then carries several
_FLUSHERS = 8
_OPEN_AT_ONCE = 64
_LOOK_FIRST = "Check the disk, then look whether the entry is there before storing it again, or store it with its id."
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL})


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents, 0700, each recorded in its parent before anything is put into it."""
    missing = list(takewhile(lambda each: not is_folder(each), (folder, *folder.parents)))
    for new in reversed(missing):
        with faults(new, "create the folder"):
            try:
                os.mkdir(new, FOLDER_MODE)
            except FileExistsError:
                if not is_folder(new):
                    raise
                continue
            os.chmod(new, FOLDER_MODE)
        sync_folder(new.parent)


def make_private(folder: Path) -> bool:
    """Make a folder for passing files, if missing; whether only this user may enter it. Its parent is not flushed."""
    try:
        with suppress(FileExistsError):
            os.mkdir(folder, FOLDER_MODE)
        info = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o077


def temp_sibling(path: Path) -> Path:
    """A fresh name beside `path`: same folder, random, ending in `.tmp`."""
    return path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(8)}{TEMP_SUFFIX}")


def write_temp(path: Path, data: bytes) -> Path:
    """Write `data` beside `path` under a temporary name, checked and fsynced; the caller publishes or unlinks it."""
    return write_temps([(path, data)])[0]


def write_temps(files: Sequence[tuple[Path, bytes]]) -> list[Path]:
    """`write_temp` for several files, all or none: written first, then flushed, many of them side by side."""
    temps: list[Path] = []
    try:
        for start in range(0, len(files), _OPEN_AT_ONCE):
            _write_some(files[start : start + _OPEN_AT_ONCE], temps)
    except BaseException:
        for temp in temps:
            with suppress(OSError):
                os.unlink(temp)
        raise
    return temps


def _write_some(files: Sequence[tuple[Path, bytes]], temps: list[Path]) -> None:
    descriptors: list[int] = []
    try:
        for path, data in files:
            temps.append(temp_sibling(path))
            with faults(path, "write"):
                descriptors.append(os.open(temps[-1], _FRESH, FILE_MODE))
                _fill(descriptors[-1], (data,))
        paths = [path for path, _ in files]
        if len(files) < _MANY:
            list(map(_flush_fresh, descriptors, paths))
        else:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(_FLUSHERS) as flushers:
                list(flushers.map(_flush_fresh, descriptors, paths))
        for path, _ in files:
            with faults(path, "write"):
                os.close(descriptors.pop(0))
    finally:
        for descriptor in descriptors:
            close(descriptor)


def _fill(descriptor: int, parts: Iterable[bytes]) -> tuple[int, str]:
    """Write all of a fresh file, 0600 whatever the umask, and check its length; its size and SHA-256."""
    digest, size = hashlib.sha256(), 0
    os.fchmod(descriptor, FILE_MODE)
    for part in parts:
        _write_all(descriptor, part)
        digest.update(part)
        size += len(part)
    if os.fstat(descriptor).st_size != size:
        raise OSError(errno.EIO, "the file has another length than what was written")
    return size, digest.hexdigest()


def _flush_fresh(descriptor: int, meant: Path) -> None:
    with faults(meant, "write"):
        os.fsync(descriptor)


def write_stream(path: Path, parts: Iterable[bytes]) -> tuple[int, str]:
    """Write a new file part by part, fsynced; its size and SHA-256. The folder's fsync is the caller's.

    Raises:
        StoreError: the file exists, or the disk refuses; the file is gone.
    """
    with faults(path, "write"):
        descriptor = os.open(path, _FRESH, FILE_MODE)
        try:
            try:
                written = _fill(descriptor, parts)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except BaseException:
            with suppress(OSError):
                os.unlink(path)
            raise
    return written


def copy_into(source: int, target: Path, size: int) -> None:
    """Copy the first `size` bytes of an open file into a new file of a private folder; nothing of it has to last.

    Raises:
        StoreError: the target exists, or the disk has no room for it.
    """
    with faults(target, "copy"):
        descriptor = os.open(target, _FRESH, FILE_MODE)
        try:
            position = 0
            while position < size and (part := os.pread(source, min(_COPY_BYTES, size - position), position)):
                _write_all(descriptor, part)
                position += len(part)
        finally:
            close(descriptor)


def rename(temp: Path, final: Path) -> None:
    """Give a written file its final name; the folder is not yet fsynced."""
    try:
        os.rename(temp, final)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temp)
        raise fault(error, final, "rename into place") from error


def put_in_place(pending: Path, final: Path) -> None:
    """Give a written file its final name within its folder, not yet fsynced; it stays where it is if that fails."""
    with faults(final, "rename into place"):
        os.rename(pending, final)


def move(source: Path, target: Path) -> None:
    """Rename a file or folder durably within one folder."""
    with faults(source, "rename"):
        os.rename(source, target)
    sync_folder(target.parent)


def publish(temp: Path, final: Path) -> None:
    """Give a written file its final name, durably."""
    rename(temp, final)
    sync_folder(final.parent)


def replace(path: Path, data: bytes) -> None:
    """Replace or create a file so that a reader or a crash sees the old bytes or the new ones, nothing between."""
    publish(write_temp(path, data), path)


def sync_folder(folder: Path) -> None:
    """fsync a folder, so that names made or removed in it survive a power cut.

    Raises:
        OutcomeUnknownError: what was renamed, made or removed there may or may not have reached the disk.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            close(descriptor)
    except OSError as error:
        if error.errno in _NO_FOLDER_SYNC:
            warnings.warn(
                f"{folder}: this file system cannot flush a folder; a power cut may undo the last writes",
                MemkitWarning,
                stacklevel=3,
            )
            return
        raise OutcomeUnknownError(
            f"could not flush the folder: {os.strerror(error.errno or 0)}", file=folder, remedy=_LOOK_FIRST
        ) from error


def close(descriptor: int) -> None:
    """Close a descriptor whose bytes need no answer any more: they are flushed, or were only read."""
    with suppress(OSError):
        os.close(descriptor)


class Before(NamedTuple):
    """A file as it is just before an append, its lock held.

    Attributes:
        identity: Device and inode.
        size: Its bytes.
        torn: Whether its last byte is no newline.
        read: `read(start, n)` gives its bytes, as many as there are.
    """

    identity: tuple[int, int]
    size: int
    torn: bool
    read: Callable[[int, int], bytes]


def append(path: Path, data: bytes, *, fsync: bool) -> int:
    """Append whole lines to a file whose lock the caller holds; returns the offset where `data` begins.

    A tail without a newline is closed first, so that what a crash left behind costs at most itself. One write; if the
    disk takes less, the file is cut back to its old length and nothing is acknowledged.

    Raises:
        OutcomeUnknownError: the line may be in the file: the flush failed, or the cut.
        StoreError: nothing was appended.
    """
    return append_made(path, lambda _: data, fsync=fsync)


def append_made(path: Path, make: Callable[[Before], bytes], *, fsync: bool) -> int:
    """Like `append`, for lines that depend on what stands before them: `make` sees the file they will follow."""
    existed = exists(path)
    with faults(path, "append"):
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(path, flags, FILE_MODE)
        try:
            if not existed:
                os.fchmod(descriptor, FILE_MODE)
            info = os.fstat(descriptor)
            size = info.st_size
            torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            before = Before((info.st_dev, info.st_ino), size, torn, lambda start, n: os.pread(descriptor, n, start))
            data = make(before)
            whole = b"\n" + data if torn else data
            try:
                written = os.write(descriptor, whole)
                if written != len(whole):
                    raise OSError(errno.ENOSPC, "only a part was written")
            except OSError:
                _cut_back(descriptor, path, size)
                raise
            if fsync:
                _flush_append(descriptor, path)
        finally:
            close(descriptor)
    if fsync and not existed:
        sync_folder(path.parent)
    return size + (1 if torn else 0)


def flush(path: Path) -> None:
    """fsync a file that others have written; an absent one has nothing to lose.

    Raises:
        OutcomeUnknownError: its last bytes may or may not have reached the disk.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    except OSError as error:
        raise fault(error, path, "flush") from error
    try:
        _flush_append(descriptor, path)
    finally:
        close(descriptor)


def _cut_back(descriptor: int, path: Path, size: int) -> None:
    try:
        os.ftruncate(descriptor, size)
        os.fsync(descriptor)
    except OSError as error:
        raise OutcomeUnknownError(
            f"a part may have been appended and could not be cut off: {os.strerror(error.errno or 0)}",
            file=path,
            remedy=_LOOK_FIRST,
        ) from error


def _flush_append(descriptor: int, path: Path) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise OutcomeUnknownError(
            f"could not flush the appended line: {os.strerror(error.errno or 0)}", file=path, remedy=_LOOK_FIRST
        ) from error


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        written = os.write(descriptor, view)
        if not written:
            raise OSError(errno.ENOSPC, "nothing more is taken")
        view = view[written:]


def create_exclusive(path: Path, data: bytes) -> bool:
    """Create a small marker file if there is none; whether it was created."""
    try:
        descriptor = os.open(path, _FRESH, FILE_MODE)
    except FileExistsError:
        return False
    except OSError as error:
        raise fault(error, path, "create") from error
    with faults(path, "create"):
        try:
            os.fchmod(descriptor, FILE_MODE)
            _write_all(descriptor, data)
        except OSError:
            with suppress(OSError):
                os.unlink(path)
            raise
        finally:
            close(descriptor)
    return True


def link_exclusive(source: Path, link: Path) -> bool:
    """Give `source` a second name if nothing has that name yet, its time set to now; whether it was given.

    Much cheaper than creating a file while earlier writes are being flushed: no inode is made.

    Raises:
        StoreIOError: also where the file system has no hard links.
    """
    with faults(link, "create"):
        try:
            os.utime(source)
            os.link(source, link)
        except FileExistsError:
            return False
    return True


def link(source: Path, target: Path) -> None:
    """Give a file a second name, in whatever folder; the folder is not yet fsynced.

    Raises:
        StoreIOError: also where the file system has no hard links, or `target` is there.
    """
    with faults(target, "name"):
        os.link(source, target)


def unlink(path: Path, *, durable: bool = False) -> bool:
    """Remove a file or link; whether there was one."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise fault(error, path, "remove") from error
    if durable:
        sync_folder(path.parent)
    return True


def remove_tree(folder: Path) -> None:
    """Remove a folder with everything in it, or a file; links are removed, never followed; what is gone is gone."""
    info = status_of(folder)
    if info is None:
        return
    with faults(folder, "remove"), suppress(FileNotFoundError):
        if stat.S_ISDIR(info.st_mode):
            for name in names_in(folder):
                remove_tree(folder / name)
            os.rmdir(folder)
        else:
            os.unlink(folder)


def replace_link(link: Path, target: str) -> None:
    """Point a symbolic link at `target` (a name beside it), replacing it in one step."""
    temp = temp_sibling(link)
    with faults(link, "link"):
        os.symlink(target, temp)
    rename(temp, link)


def restrict(path: Path) -> None:
    """Make an existing file 0600 or folder 0700."""
    with faults(path, "change the mode"):
        info = os.lstat(path)
        if not stat.S_ISLNK(info.st_mode):
            os.chmod(path, FOLDER_MODE if stat.S_ISDIR(info.st_mode) else FILE_MODE)


def open_lock(path: Path, *, create: bool = True) -> int | None:
    """Open a lock file; the descriptor is not inherited by programs this process starts.

    With `create`, a missing one is made and its mode is 0600 afterwards. Without, nothing is changed, and None says
    that it is missing.
    """
    flags = os.O_RDWR | os.O_CREAT if create else os.O_RDONLY
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
    except OSError as error:
        if not create and error.errno == errno.ENOENT:
            return None
        raise fault(error, path, "open the lock") from error
    if create:
        try:
            if os.fstat(descriptor).st_mode & 0o777 != FILE_MODE:
                os.fchmod(descriptor, FILE_MODE)
        except OSError as error:
            close(descriptor)
            raise fault(error, path, "open the lock") from error
    return descriptor


def try_flock(descriptor: int, path: Path) -> bool:
    """Take the exclusive flock if it is free; whether it was.

    Raises:
        LocksUnsupportedError: this file system has no flock.
        StoreIOError: ESTALE and other faults of the file system.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in NO_LOCKS:
            raise LocksUnsupportedError(
                f"this file system has no flock ({os.strerror(error.errno or 0)})",
                file=path,
                remedy="Put the root on a local disk: memory.storage_path in your own settings, or --root.",
            ) from error
        raise fault(error, path, "lock") from error
    return True


def unlock(descriptor: int) -> None:
    """Release a flock and close its descriptor; closing alone releases it as well, so no answer is awaited."""
    with suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    close(descriptor)


def overwrite_note(descriptor: int, note: bytes) -> None:
    """Write a note into a lock file whose lock is held; for people only, so a fault here is no failure."""
    with suppress(OSError):
        os.pwrite(descriptor, note, 0)
