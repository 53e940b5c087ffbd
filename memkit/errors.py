"""Every exception memkit raises, under one base.

An error carries fields, not just a sentence: `what` happened, the `file` and the `field` it happened in, and
the `remedy` a person can try next. The sentence is built from them, so that the command line, a notebook and a
test can each read the part they need. All of them survive pickling.

`exit_code` is what the command line leaves with: 2 for a call that was written wrong, 3 for one that was refused
or failed.
"""

from __future__ import annotations

from os import PathLike, fspath
from typing import Any, ClassVar


def _printable(path: str | PathLike[str] | None) -> str | None:
    if path is None:
        return None
    return fspath(path).encode("utf-8", "backslashreplace").decode("utf-8")


class MemkitError(Exception):
    """Base of every error memkit raises on purpose.

    Args:
        what: What went wrong, as a clause without a full stop.
        file: The file or folder concerned.
        field: The field, option or key concerned.
        remedy: What to do about it.
    """

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 3

    def __init__(
        self,
        what: str,
        *,
        file: str | PathLike[str] | None = None,
        field: str | None = None,
        remedy: str | None = None,
    ) -> None:
        self.what = what
        self.file = _printable(file)
        self.field = field
        self.remedy = remedy
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        where = [part for part in (self.file, self.field) if part]
        head = f"{': '.join(where)}: {self.what}" if where else self.what
        stop = "" if head.endswith(("?", "!", ".")) else "."  # what a library said may be a question
        return f"{head}{stop} {self.remedy}" if self.remedy else head

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.__dict__.copy()))

    def to_dict(self) -> dict[str, Any]:
        """The error as plain data: code, what, file, field, remedy."""
        return {
            "code": self.code,
            "what": self.what,
            "file": self.file,
            "field": self.field,
            "remedy": self.remedy,
        }


def _rebuild(kind: type[MemkitError], state: dict[str, object]) -> MemkitError:
    error = kind.__new__(kind)
    error.__dict__.update(state)
    Exception.__init__(error, error._sentence())  # noqa: SLF001
    return error


class InvalidInputError(MemkitError, ValueError):
    """A value handed to memkit cannot be stored or asked as it is; nothing was written."""

    code = "invalid-input"


class FactsError(InvalidInputError):
    """A table of facts cannot be read as (metric, at, value[, unit]), or contradicts itself; nothing was judged."""

    code = "facts"


class PolicyError(InvalidInputError):
    """A retention policy cannot be used as it is, or would do more than was agreed to; nothing was pruned."""

    code = "policy"


class LintError(InvalidInputError):
    """A record has errors that the linter names; nothing was written.

    Attributes:
        findings: All of them, warnings included; each has path, code, severity, field, detail, remedy.
    """

    code = "lint"

    def __init__(
        self,
        what: str,
        *,
        file: str | PathLike[str] | None = None,
        field: str | None = None,
        remedy: str | None = None,
        findings: tuple[Any, ...] = (),
    ) -> None:
        self.findings = findings
        super().__init__(what, file=file, field=field, remedy=remedy)

    def to_dict(self) -> dict[str, Any]:
        """The error as plain data, with its findings."""
        return {**super().to_dict(), "findings": [finding.to_dict() for finding in self.findings]}


class StalePlanError(MemkitError):
    """A plan was made for another store, another policy, or for what has changed since; nothing was moved.

    Attributes:
        changes: What changed, one line each.
    """

    code = "stale-plan"

    def __init__(
        self,
        what: str,
        *,
        file: str | PathLike[str] | None = None,
        field: str | None = None,
        remedy: str | None = None,
        changes: tuple[str, ...] = (),
    ) -> None:
        self.changes = changes
        super().__init__(what, file=file, field=field, remedy=remedy)

    def to_dict(self) -> dict[str, Any]:
        """The error as plain data, with its changes."""
        return {**super().to_dict(), "changes": list(self.changes)}


class UsageError(MemkitError):
    """The call itself is wrong: an unknown option, two options that exclude each other."""

    code = "usage"
    exit_code = 2


class SettingsError(MemkitError, ValueError):
    """A settings file, variable or argument holds an unknown key or an impossible value."""

    code = "settings"


class NotEnabledError(MemkitError):
    """Memory is off for this project and nobody consented to it."""

    code = "not-enabled"


class ProjectPathError(MemkitError):
    """The project folder does not exist or is not a folder."""

    code = "project-path"


class ConfirmationError(MemkitError):
    """A destructive verb was called without its confirmation; nothing was removed."""

    code = "not-confirmed"


class StoreError(MemkitError):
    """Base of the faults of files on disk."""

    code = "store"


class StorePermissionError(StoreError):
    """The operating system refused access, or the file system is read-only."""

    code = "permission"


class DiskFullError(StoreError):
    """No space, no inodes or no quota left; what was half written has been taken back."""

    code = "disk-full"


class StoreIOError(StoreError):
    """The disk reported an error. Nothing was acknowledged."""

    code = "io"


class OutcomeUnknownError(StoreIOError):
    """The write may or may not have reached the disk; storing the same again under its id is safe.

    Attributes:
        entry_ids: The entries concerned, in the order they were given; for `NewEntry(id=...)`.
    """

    code = "outcome-unknown"
    entry_ids: tuple[str, ...] = ()


class LockedError(StoreError):
    """Another process holds the lock and did not let go within the wait.

    Attributes:
        holder: What the holder wrote about itself: pid, host, command, since. Information only.
    """

    code = "locked"

    def __init__(
        self,
        what: str,
        *,
        file: str | PathLike[str] | None = None,
        field: str | None = None,
        remedy: str | None = None,
        holder: dict[str, str] | None = None,
    ) -> None:
        self.holder = dict(holder or {})
        super().__init__(what, file=file, field=field, remedy=remedy)


class LocksUnsupportedError(StoreError):
    """The file system has no working flock; memkit refuses to write without one."""

    code = "locks-unsupported"


class ForeignStoreError(StoreError):
    """The folder belongs to another project, or holds something that is not a memkit store."""

    code = "foreign-store"


class NewerFormatError(StoreError):
    """Written by a newer memkit; readable by that one only. Nothing was changed."""

    code = "newer-format"


class DamagedError(StoreError):
    """The bytes are there and cannot be read as what they should be. They are kept."""

    code = "damaged"


class EntryNotFoundError(StoreError, LookupError):
    """No entry with this id in this project."""

    code = "not-found"

    def to_dict(self) -> dict[str, Any]:
        """The error as plain data; nothing matched."""
        return {**super().to_dict(), "matched": 0}


class AmbiguousIdError(StoreError, LookupError):
    """The beginning of an id fits several entries.

    Attributes:
        matches: Their ids, ascending.
    """

    code = "ambiguous-id"

    def __init__(
        self,
        what: str,
        *,
        file: str | PathLike[str] | None = None,
        field: str | None = None,
        remedy: str | None = None,
        matches: tuple[str, ...] = (),
    ) -> None:
        self.matches = matches
        super().__init__(what, file=file, field=field, remedy=remedy)

    def to_dict(self) -> dict[str, Any]:
        """The error as plain data, with how many fit and which."""
        return {**super().to_dict(), "matched": len(self.matches), "matches": list(self.matches)}


class RecordNotFoundError(StoreError, LookupError):
    """No record of this name in this project."""

    code = "record-not-found"


class ConflictError(StoreError):
    """The file is not the one the change was made for: somebody changed it meanwhile. Nothing was written.

    Attributes:
        expected_hash: SHA-256 of the bytes the change was made for; None where there was to be no file.
        found_hash: SHA-256 of the bytes that are there; None where there is no file.
    """

    code = "conflict"

    def __init__(
        self,
        what: str,
        *,
        file: str | PathLike[str] | None = None,
        field: str | None = None,
        remedy: str | None = None,
        expected_hash: str | None = None,
        found_hash: str | None = None,
    ) -> None:
        self.expected_hash = expected_hash
        self.found_hash = found_hash
        super().__init__(what, file=file, field=field, remedy=remedy)


class HeldError(StoreError):
    """A legal hold stands on the entry; nothing was removed."""

    code = "held"


class QueryError(MemkitError):
    """A SQL question could not be answered.

    Attributes:
        sql: The statement as it was sent.
    """

    code = "query"

    def __init__(
        self,
        what: str,
        *,
        file: str | PathLike[str] | None = None,
        field: str | None = None,
        remedy: str | None = None,
        sql: str = "",
    ) -> None:
        self.sql = sql
        super().__init__(what, file=file, field=field, remedy=remedy)


class ImportSourceError(MemkitError):
    """The path given to an import cannot be read, or holds another kind of file."""

    code = "import-source"


class ModelError(MemkitError):
    """A model could not be asked, or answered nothing that can be used; nothing was staged."""

    code = "model"


class MissingExtraError(MemkitError, ImportError):
    """An optional package is needed; the remedy is the exact command that installs it."""

    code = "missing-extra"


class MemkitWarning(UserWarning):
    """Something a person should know that did not stop the call."""
