"""The one module that changes files.

Every write, rename, append, truncate, unlink and mkdir of the package happens here, in the order that survives a crash:
write a sibling under a random name, check its length, fsync it, rename it, fsync the folder. Files are made 0600 and
folders 0700 whatever the umask, never wider for a moment. What the operating system refuses becomes a typed error.

Not promised: an fsync that failed is never tried again (the kernel may have dropped the pages and would answer "fine");
the caller gets an error and the temporary file is gone. A folder that cannot be fsynced because its file system has no
such operation (EINVAL, ENOTSUP) is noted by a warning, once per folder.

`os` and `fcntl` are looked up as attributes of this module at every call: that is the seam where tests put a disk that
is full, slow, dying, or cut off in the middle.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import stat
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memkit.errors import (
    DiskFullError,
    LocksUnsupportedError,
    MemkitWarning,
    OutcomeUnknownError,
    StoreError,
    StoreIOError,
    StorePermissionError,
)

FILE_MODE = 0o600
FOLDER_MODE = 0o700
TEMP_SUFFIX = ".tmp"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_NO_FOLDER_SYNC = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL})


def fault(error: OSError, path: Path, doing: str) -> StoreError:
    """The typed error for what the operating system answered while `doing` something to `path`."""
    code = error.errno
    words = f"could not {doing}: {os.strerror(code) if code else error}"
    if code in _FULL:
        return DiskFullError(words, file=path, remedy="Free some space and call again; nothing is half written.")
    if code in _REFUSED:
        remedy = "The file system is read-only." if code == errno.EROFS else "Check the owner and mode of the folder."
        return StorePermissionError(words, file=path, remedy=remedy)
    if code in {errno.ENOTDIR, errno.EEXIST, errno.EISDIR}:
        return StoreIOError(words, file=path, remedy="A file stands where a folder is needed; choose another root.")
    return StoreIOError(words, file=path, remedy="Check the disk (see the system log), then call again.")


@contextmanager
def faults(path: Path, doing: str) -> Iterator[None]:
    """Turn `OSError` inside the block into the typed error for `path`."""
    try:
        yield
    except OSError as error:
        raise fault(error, path, doing) from error


def read_bytes(path: Path) -> bytes | None:
    """The bytes of a file, or None where it does not exist.

    Raises:
        StoreError: it exists and cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise fault(error, path, "read") from error


def read_from(path: Path, start: int) -> bytes | None:
    """The bytes of a file from offset `start`, or None where it does not exist."""
    try:
        with open(path, "rb") as file:
            file.seek(start)
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise fault(error, path, "read") from error


def version_of(path: Path) -> tuple[int, ...] | None:
    """What changes when a file changes (inode, size, time in ns), or None where it does not exist."""
    try:
        info = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise fault(error, path, "look at") from error
    return (info.st_ino, info.st_size, info.st_mtime_ns)


def names_in(folder: Path) -> list[str]:
    """Names in a folder, sorted; an absent folder has none."""
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise fault(error, folder, "list") from error


def make_folder(folder: Path) -> None:
    """Make a folder and its missing parents, 0700, each recorded in its parent before anything is put into it."""
    missing: list[Path] = []
    current = folder
    while not os.path.isdir(current):
        missing.append(current)
        if current.parent == current:
            break
        current = current.parent
    for new in reversed(missing):
        with faults(new, "create the folder"):
            try:
                os.mkdir(new, FOLDER_MODE)
            except FileExistsError:
                if not os.path.isdir(new):
                    raise
                continue
            os.chmod(new, FOLDER_MODE)
        sync_folder(new.parent)


def temp_sibling(path: Path) -> Path:
    """A fresh name beside `path`: same folder, random, ending in `.tmp`."""
    return path.with_name(f".{path.name}.{os.getpid()}-{secrets.token_hex(8)}{TEMP_SUFFIX}")


def write_temp(path: Path, data: bytes) -> Path:
    """Write `data` beside `path` under a temporary name, checked and fsynced; the caller publishes or unlinks it."""
    temp = temp_sibling(path)
    with faults(path, "write"):
        descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
        try:
            try:
                os.fchmod(descriptor, FILE_MODE)
                _write_all(descriptor, data)
                if os.fstat(descriptor).st_size != len(data):
                    raise OSError(errno.EIO, "the file has another length than what was written")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except BaseException:
            with suppress(OSError):
                os.unlink(temp)
            raise
    return temp


def sync_file(path: Path) -> None:
    """fsync a file another library wrote, and make it 0600."""
    with faults(path, "flush"):
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fchmod(descriptor, FILE_MODE)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def rename(temp: Path, final: Path) -> None:
    """Give a written file its final name; the folder is not yet fsynced."""
    try:
        os.rename(temp, final)
    except OSError as error:
        with suppress(OSError):
            os.unlink(temp)
        raise fault(error, final, "rename into place") from error


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
        OutcomeUnknownError: the disk failed; what was renamed may or may not have reached it.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        if error.errno in _NO_FOLDER_SYNC:
            warnings.warn(
                f"{folder}: this file system cannot flush a folder; a power cut may undo the last writes",
                MemkitWarning,
                stacklevel=3,
            )
            return
        raise OutcomeUnknownError(
            f"could not flush the folder: {os.strerror(error.errno or 0)}",
            file=folder,
            remedy="Check the disk, then look whether the entry is there (memkit verify) before storing it again.",
        ) from error


def append(path: Path, data: bytes, *, fsync: bool) -> int:
    """Append whole lines to a file whose lock the caller holds; returns the offset where `data` begins.

    A tail without a newline is closed first, so that what a crash left behind costs at most itself. One write; if the
    disk takes less, the file is cut back to its old length and nothing is acknowledged.
    """
    with faults(path, "append"):
        existed = os.path.lexists(path)
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(path, flags, FILE_MODE)
        try:
            if not existed:
                os.fchmod(descriptor, FILE_MODE)
            size = os.fstat(descriptor).st_size
            torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
            whole = b"\n" + data if torn else data
            try:
                written = os.write(descriptor, whole)
                if written != len(whole):
                    raise OSError(errno.ENOSPC, "only a part was written")
            except OSError:
                os.ftruncate(descriptor, size)
                raise
            if fsync:
                _sync_append(descriptor, path)
        finally:
            os.close(descriptor)
    if fsync and not existed:
        sync_folder(path.parent)
    return size + (1 if torn else 0)


def _sync_append(descriptor: int, path: Path) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        raise OutcomeUnknownError(
            f"could not flush the appended line: {os.strerror(error.errno or 0)}",
            file=path,
            remedy="Check the disk, then look whether the entry is there (memkit verify) before storing it again.",
        ) from error


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def create_exclusive(path: Path, data: bytes) -> bool:
    """Create a small marker file if there is none; whether it was created."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
    except FileExistsError:
        return False
    except OSError as error:
        raise fault(error, path, "create") from error
    with faults(path, "create"):
        try:
            os.fchmod(descriptor, FILE_MODE)
            _write_all(descriptor, data)
        finally:
            os.close(descriptor)
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
    """Remove a folder with everything in it; links are removed, never followed."""
    if not os.path.lexists(folder):
        return
    with faults(folder, "remove"):
        if stat.S_ISDIR(os.lstat(folder).st_mode):
            for name in os.listdir(folder):
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


def is_wide(path: Path) -> bool:
    """Whether others than the owner may do anything with this file or folder; a link counts as narrow."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & 0o077)


def open_lock(path: Path) -> int:
    """Open a lock file, creating it 0600; the descriptor is not inherited by programs this process starts."""
    with faults(path, "open the lock"):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)
        try:
            if os.fstat(descriptor).st_mode & 0o777 != FILE_MODE:
                os.fchmod(descriptor, FILE_MODE)
        except OSError:
            os.close(descriptor)
            raise
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
        if error.errno in _NO_LOCKS:
            raise LocksUnsupportedError(
                f"this file system has no flock ({os.strerror(error.errno or 0)})",
                file=path,
                remedy="Put the root on a local disk: memory.storage_path in your own settings, or --root.",
            ) from error
        raise fault(error, path, "lock") from error
    return True


def unlock(descriptor: int) -> None:
    """Release a flock and close its descriptor."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_UN)
    finally:
        os.close(descriptor)


def same_file(descriptor: int, path: Path) -> bool:
    """Whether `path` still names the file behind `descriptor`."""
    try:
        named = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    opened = os.fstat(descriptor)
    return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)


def overwrite_note(descriptor: int, note: bytes) -> None:
    """Write a note into a lock file whose lock is held; for people only, so a fault here is no failure."""
    with suppress(OSError):
        os.pwrite(descriptor, note, 0)
