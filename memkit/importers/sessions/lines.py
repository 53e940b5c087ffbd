"""The lines of a session's file as a stream of bytes, hashed on the way."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Final

from memkit.errors import ImportSourceError
from memkit.store.paths import path_text

MAX_LINE_BYTES: Final = 32 * 1024 * 1024
BOM: Final = b"\xef\xbb\xbf"
_WORDS = {
    errno.ENOENT: "does not exist",
    errno.EACCES: "may not be read (permission denied)",
    errno.EPERM: "may not be read (not permitted)",
    errno.ELOOP: "is a loop of symbolic links",
    errno.ENAMETOOLONG: "has a path longer than the system allows",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `data` without its newline stands at byte `offset`; None where it is too long to be read."""

    number: int
    offset: int
    n_bytes: int
    data: bytes | None
    whole: bool


class Digest:
    """The SHA-256 of what was read so far, and how much that was."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.n_bytes = 0

    def take(self, data: bytes) -> None:
        """Add bytes."""
        self._hash.update(data)
        self.n_bytes += len(data)

    def hexdigest(self) -> str:
        """Of everything taken."""
        return self._hash.hexdigest()


def cannot(error: OSError, path: Path) -> ImportSourceError:
    """What the operating system said, as an error about a session's file."""
    return ImportSourceError(
        _WORDS.get(error.errno or 0, f"cannot be read: {error.strerror}"),
        file=path_text(path),
        remedy="Give an existing session file, its id, or `latest`.",
    )


def open_file(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        ImportSourceError: it is not there, not a file, or may not be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise cannot(error, path) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ImportSourceError(
                "is not a regular file", file=path_text(path), remedy="Give one session file, its id, or `latest`."
            )
        return os.fdopen(descriptor, "rb", buffering=1 << 20)
    except BaseException:
        os.close(descriptor)
        raise


def lines(file: BinaryIO, digest: Digest | None = None) -> Iterator[Line]:
    """Every line from the beginning, the last one also where no newline ends it (`whole` is False then).

    `digest` takes the bytes of a line when the next one is asked for, a last one without newline not at all: whoever
    understands it takes it.
    """
    number = offset = 0
    while True:
        data = file.readline(MAX_LINE_BYTES + 1)
        if not data:
            return
        number += 1
        n_bytes, too_long = len(data), False
        if digest is not None and data.endswith(b"\n"):
            digest.take(data)
        elif len(data) > MAX_LINE_BYTES:
            too_long = True
            if digest is not None:
                digest.take(data)
            while data and not data.endswith(b"\n"):
                data = file.readline(1 << 20)
                n_bytes += len(data)
                if digest is not None:
                    digest.take(data)
        whole = data.endswith(b"\n")
        shown = None if too_long else data.rstrip(b"\r\n")
        if shown is not None and offset == 0:
            shown = shown.removeprefix(BOM)
        yield Line(number, offset, n_bytes, shown, whole)
        offset += n_bytes


def parse(data: bytes) -> dict[str, Any] | None:
    """A line as a JSON object, or None where it is none."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):  # not UTF-8 included
        return None
    return value if isinstance(value, dict) else None
