"""What the operating system refuses, as typed errors."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memkit.errors import DiskFullError, StoreError, StoreIOError, StorePermissionError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_OTHER_KIND = frozenset({errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ELOOP})
_TOO_MANY = frozenset({errno.EMFILE, errno.ENFILE})


def fault(error: OSError, path: Path, doing: str) -> StoreError:
    """The typed error for what the operating system answered while `doing` something to `path`."""
    code = error.errno
    words = f"could not {doing}: {os.strerror(code) if code else error}"
    if code in _FULL:
        return DiskFullError(words, file=path, remedy="Free some space and call again; nothing is half written.")
    if code in _REFUSED:
        remedy = "The file system is read-only." if code == errno.EROFS else "Check the owner and mode of the folder."
        return StorePermissionError(words, file=path, remedy=remedy)
    if code in _OTHER_KIND:
        return StoreIOError(words, file=path, remedy="Something of another kind stands in its place; look at it first.")
    if code in _TOO_MANY:
        return StoreIOError(words, file=path, remedy="Close files, or raise the limit (ulimit -n), then call again.")
    return StoreIOError(words, file=path, remedy="Check the disk (see the system log), then call again.")


@contextmanager
def faults(path: Path, doing: str) -> Iterator[None]:
    """Turn `OSError` inside the block into the typed error for `path`."""
    try:
        yield
    except OSError as error:
        raise fault(error, path, doing) from error
