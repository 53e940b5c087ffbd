"""Looking at files without changing them: missing is an answer, everything else that fails is a typed error.

The functions of `os.path` answer "no" where the operating system said "I could not look". Here only ENOENT counts as
missing, so that nothing is ever made anew because it could not be read.

`os` is looked up as an attribute of this module at every call, as in `durable`: the same stand-in goes into both.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from memkit.store.faults import fault, faults

PART_BYTES = 1 << 20


def read_bytes(path: Path, *, limit: int | None = None) -> bytes | None:
    """The bytes of a file, or None where it does not exist; with `limit`, its first so many.

    Raises:
        StoreError: it exists and cannot be read, or is a folder, a pipe, a device.
    """
    return read_from(path, 0, limit=limit)


def read_from(path: Path, start: int, *, limit: int | None = None) -> bytes | None:
    """The bytes of a file from offset `start`, or None where it does not exist; with `limit`, at most so many."""
    descriptor = _open(path)
    if descriptor is None:
        return None
    with faults(path, "read"):
        try:
            size = _regular(descriptor).st_size
            end = size if limit is None else min(size, start + limit)
            return _read_all(descriptor, start, end, grows=limit is None)
        finally:
            os.close(descriptor)


def parts(path: Path, size: int = PART_BYTES) -> Iterator[bytes]:
    """The bytes of a file, part by part, up to the size it has at first; nothing where it does not exist.

    Raises:
        StoreError: it exists and cannot be read, or is a folder, a pipe, a device.
    """
    descriptor = _open(path)
    if descriptor is None:
        return
    with faults(path, "read"):
        try:
            position, end = 0, _regular(descriptor).st_size
            while position < end and (part := os.pread(descriptor, min(size, end - position), position)):
                yield part
                position += len(part)
        finally:
            os.close(descriptor)


def read_with_version(path: Path | str) -> tuple[bytes, tuple[int, ...]] | None:
    """The bytes of a file and what `version_of` says of it, from one opening; None where it does not exist."""
    descriptor = _open(path)
    if descriptor is None:
        return None
    with faults(Path(path), "read"):
        try:
            info = _regular(descriptor)
            data = _read_all(descriptor, 0, info.st_size, grows=False)
        finally:
            os.close(descriptor)
    return data, (info.st_ino, info.st_size, info.st_mtime_ns)


def _open(path: Path | str) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise fault(error, Path(path), "read") from error


def _regular(descriptor: int) -> os.stat_result:
    info = os.fstat(descriptor)
    if not stat.S_ISREG(info.st_mode):
        raise OSError(errno.EISDIR, "not a regular file")
    return info


def _read_all(descriptor: int, start: int, end: int, *, grows: bool) -> bytes:
    parts: list[bytes] = []
    position = start
    while part := os.pread(descriptor, max(end - position, 0) + grows, position):
        parts.append(part)
        position += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def status_of(path: Path) -> os.stat_result | None:
    """What `lstat` says, or None where nothing has this name."""
    try:
        return os.lstat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise fault(error, path, "look at") from error


def same_file(descriptor: int, path: Path) -> bool:
    """Whether `path` still names the file behind `descriptor`."""
    named = status_of(path)
    if named is None:
        return False
    try:
        opened = os.fstat(descriptor)
    except OSError as error:
        raise fault(error, path, "look at") from error
    return (named.st_dev, named.st_ino) == (opened.st_dev, opened.st_ino)


def exists(path: Path) -> bool:
    """Whether something has this name, a dangling link included."""
    return status_of(path) is not None


def is_folder(path: Path) -> bool:
    """Whether a folder has this name, or a link to one.

    Raises:
        StoreError: nobody may look.
    """
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise fault(error, path, "look at") from error


def version_of(path: Path) -> tuple[int, ...] | None:
    """What changes when a file changes (inode, size, time in ns), or None where it does not exist."""
    try:
        info = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise fault(error, path, "look at") from error
    return (info.st_ino, info.st_size, info.st_mtime_ns)


def age_of(path: Path) -> float | None:
    """Seconds since a file was last changed, by the file system's clock; None where it does not exist."""
    info = status_of(path)
    return None if info is None else time.time() - info.st_mtime


def names_in(folder: Path) -> list[str]:
    """Names in a folder, sorted; an absent folder has none."""
    try:
        return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise fault(error, folder, "list") from error


def stamps_in(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of change (ns) of every file in a folder, by name; an absent folder has none."""
    found: dict[str, tuple[int, int]] = {}
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    info = entry.stat(follow_symlinks=False)
                    found[entry.name] = (info.st_size, info.st_mtime_ns)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise fault(error, folder, "list") from error
    return found


def tree(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """A folder, and everything in it, each with its status, in the order of names; what vanishes meanwhile is left out.

    Links are named, never followed.
    """
    info = status_of(folder)
    if info is None:
        return
    yield folder, info
    if stat.S_ISDIR(info.st_mode):
        for name in names_in(folder):
            yield from tree(folder / name)


def files(folder: Path, *, wanted: Callable[[str], bool] = lambda _: True) -> Iterator[tuple[str, os.stat_result]]:
    """What is no folder, in a folder and all folders in it, if `wanted` says yes to its name; with its status.

    Each by its path from the folder, in the order of names. Several times as fast as `tree` among many files.

    Raises:
        StoreError: a folder cannot be listed.
    """
    yield from _files(os.fspath(folder), "", wanted)


def _files(folder: str, prefix: str, wanted: Callable[[str], bool]) -> Iterator[tuple[str, os.stat_result]]:
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if wanted(entry.name) or entry.is_dir(follow_symlinks=False)]
    except FileNotFoundError:
        return
    except OSError as error:
        raise fault(error, Path(folder), "list") from error
    for entry in sorted(found, key=lambda entry: entry.name):
        try:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, f"{prefix}{entry.name}/", wanted)
            else:
                yield f"{prefix}{entry.name}", entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise fault(error, Path(entry.path), "look at") from error


def link_target(link: Path) -> str | None:
    """Where a symbolic link points, or None where there is no such link."""
    try:
        return os.readlink(link)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.EINVAL:  # not a link
            return None
        raise fault(error, link, "read the link") from error


def is_running(pid: int) -> bool:
    """Whether a process with this id runs on this machine."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True  # it runs, as somebody else
    return True


def is_wide(info: os.stat_result) -> bool:
    """Whether others than the owner may do anything with this file or folder; a link counts as narrow."""
    return not stat.S_ISLNK(info.st_mode) and bool(info.st_mode & 0o077)
