"""Files of an import, found and read without trusting them.

A folder is walked without following a link inside it, so that no loop is entered and nothing outside of it is read.
Each file is read through one descriptor, never more than the limit, and its size and time are compared before and
after: a file that changes meanwhile is read again, and then reported. Whatever cannot be read is an account, not an
exception.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from memkit.errors import ImportSourceError
from memkit.store.paths import path_text

ATTEMPTS: Final = 3
# What an export of memkit says about itself.
MANIFEST: Final = "_manifest.json"
_CHUNK: Final = 1 << 20
# Folders of tools, not of people's documents; each is accounted for as one and not entered.
NOT_ENTERED: Final = frozenset(
    {
        ".git", ".hg", ".svn", ".bzr", ".venv", ".tox", ".nox", ".cache", ".direnv", ".mypy_cache", ".ruff_cache",
        ".pytest_cache", "__pycache__", "node_modules",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """One file that was found.

    Attributes:
        path: Where it is.
        problem: Why it is not read, or "".
        fate: What such a file becomes: `skipped` or `rejected`.
    """

    path: Path
    problem: str = ""
    fate: Literal["skipped", "rejected"] = "skipped"


class Unreadable(Exception):  # noqa: N818 - a finding about a file, carried as data
    """The file cannot be read; the message says why."""


def find_files(start: str | os.PathLike[str], endings: frozenset[str], kind: str) -> Iterator[Found]:
    """All files of a folder in path order, or the one file given.

    Args:
        start: A file or a folder; a link given here is followed.
        endings: Endings that are read, in lower case with their dot; other files are found with a problem.
        kind: What such files are called, for the reason.

    Raises:
        ImportSourceError: `start` does not exist, or the folder cannot be listed.
    """
    real = Path(os.path.realpath(start))
    try:
        mode = real.stat().st_mode
    except OSError as error:
        raise ImportSourceError(why(error), file=path_text(start), remedy="Give an existing file or folder.") from error
    if not stat.S_ISDIR(mode):
        yield _regular(real) if stat.S_ISREG(mode) else Found(real, "not a regular file")
        return
    try:
        os.scandir(real).close()
    except OSError as error:
        raise ImportSourceError(why(error), file=path_text(start), remedy="Give a folder you may list.") from error
    yield from sorted(_walk(real, endings, kind), key=lambda found: os.fsencode(found.path))


def _walk(real: Path, endings: frozenset[str], kind: str) -> Iterator[Found]:
    folders = [real]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                listed = list(entries)
        except OSError as error:
            yield Found(folder, f"folder not read: {why(error)}", "rejected")
            continue
        for entry in listed:
            path = Path(entry.path)
            try:
                if entry.is_symlink():
                    yield Found(path, f"a symbolic link to {path_text(path.readlink())}; import that path itself")
                elif entry.is_dir(follow_symlinks=False):
                    if entry.name in NOT_ENTERED:
                        yield Found(path, "a tool's folder, not entered")
                    else:
                        folders.append(path)
                elif not entry.is_file(follow_symlinks=False):
                    yield Found(path, "not a regular file")
                elif _is_beside_a_database(path, endings):
                    yield Found(path, "read with its database")
                elif entry.name == MANIFEST:
                    yield Found(path, "the manifest of an export")
                elif path.suffix.lower() not in endings:
                    yield Found(path, f"not {kind}")
                else:
                    yield _regular(path)
            except OSError as error:
                yield Found(path, why(error), "rejected")


def _regular(path: Path) -> Found:
    return Found(path) if path.stat().st_size else Found(path, "the file is empty")


def _is_beside_a_database(path: Path, endings: frozenset[str]) -> bool:
    """Whether it is a journal that SQLite keeps beside a database, where databases are read."""
    database, dash, journal = path.name.rpartition("-")
    return bool(dash) and journal in {"wal", "shm", "journal"} and Path(database).suffix.lower() in endings


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a file that stood still while it was read.

    Raises:
        Unreadable: too large, no regular file, refused, gone, or changing.
    """
    for _ in range(ATTEMPTS):
        try:
            data = _read_once(path, limit)
        except OSError as error:
            raise Unreadable(why(error)) from error
        if data is not None:
            return data
    raise Unreadable(f"changed while it was read, {ATTEMPTS} times")


def _read_once(path: Path, limit: int) -> bytes | None:
    """The bytes, or None where the file changed meanwhile."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise Unreadable("not a regular file")
        if before.st_size > limit:
            raise Unreadable(f"{before.st_size:,} bytes, at most {limit:,} are read")
        parts: list[bytes] = []
        left = limit + 1
        while left > 0 and (part := os.read(descriptor, min(_CHUNK, left))):
            parts.append(part)
            left -= len(part)
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    data = b"".join(parts)
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    return data if same and len(data) == before.st_size else None


def why(error: OSError) -> str:
    """What the operating system said, in words for an account."""
    words = {
        errno.ENOENT: "does not exist",
        errno.EACCES: "may not be read (permission denied)",
        errno.EPERM: "may not be read (not permitted)",
        errno.ELOOP: "is a loop of symbolic links",
        errno.ENAMETOOLONG: "has a path longer than the system allows",
    }
    return words.get(error.errno or 0, f"cannot be read: {error.strerror}")
