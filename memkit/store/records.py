"""`memory/<slug>.md` and `knowledge/<slug>.md`: records, read with damage as data, written by one writer at a time.

Reading. A file is whole, missing, empty, unreadable or damaged, and only a missing one counts as new. Links are never
followed: memkit makes none. Whoever reads all records gets those that can be read and a problem for each other one.

Writing. The canonical-writer lock is held (see `canonical`); it fails fast and names its holder. Whoever changes a
record says which bytes the change was made for; if the file has others by now, nothing is written. The new bytes are on
disk before they take the place of the old ones. Bytes that cannot be read are never written over.

Deleting and restoring are in `deleted_records`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memkit.errors import (
    ConflictError,
    DamagedError,
    InvalidInputError,
    MemkitError,
    RecordNotFoundError,
    StoreError,
    StoreIOError,
)
from memkit.model.problem import Problem
from memkit.model.record import (
    FOLDERS,
    KNOWLEDGE,
    MAX_RECORD_BYTES,
    MEMORY,
    SUFFIX,
    Record,
    RecordDamage,
    read_record,
    record_hash,
    write_record,
)
from memkit.model.slugs import is_slug, require_slug
from memkit.store import durable, leftovers, look, seen_records
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths, path_text
from memkit.store.store import Store
from memkit.store.writer import require_held

State = Literal["whole", "missing", "empty", "unreadable", "damaged"]
RECORD_FOLDERS = (MEMORY, KNOWLEDGE)
_BY_HAND = "Mend the file in an editor; its bytes are kept as they are."


@dataclass(frozen=True, slots=True)
class RecordFile:
    """One file where a record is or should be.

    Attributes:
        folder: `memory` or `knowledge`.
        name: Of the file, without `.md`; the slug, unless it is none.
        state: `whole`, `missing`, `empty`, `unreadable` or `damaged`.
        record: What it says, if it is whole.
        data: Its bytes, as far as they could be read.
        sha256: Of its bytes; None where there are none, or too many.
        problem: What is wrong, if something is.
    """

    folder: str
    name: str
    state: State
    record: Record | None = None
    data: bytes | None = None
    sha256: str | None = None
    problem: Problem | None = None

    @property
    def path(self) -> str:
        """The file, relative to the project's folder in the store."""
        return f"{self.folder}/{path_text(self.name)}{SUFFIX}"


@dataclass(frozen=True, slots=True)
class RecordsRead:
    """All files in the two folders.

    Attributes:
        files: In the order of their paths.
        problems: What is wrong with some of them, or with a folder.
    """

    files: tuple[RecordFile, ...]
    problems: tuple[Problem, ...]

    @property
    def records(self) -> tuple[Record, ...]:
        """Those that can be read, in the order of their paths."""
        return tuple(file.record for file in self.files if file.record is not None)

    @property
    def is_partial(self) -> bool:
        """Whether a whole folder could not be looked into."""
        return any(problem.file in RECORD_FOLDERS for problem in self.problems)


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """What a write did; on disk.

    Attributes:
        record: As it can be read back.
        before_hash: SHA-256 of the bytes that were there; None for a new record.
        after_hash: SHA-256 of the bytes that are there.
    """

    record: Record
    before_hash: str | None
    after_hash: str

    @property
    def is_changed(self) -> bool:
        """Whether a byte is another one."""
        return self.before_hash != self.after_hash


# -- reading ------------------------------------------------------------------------------------------------------


def read(paths: StorePaths, folder: str, slug: str) -> RecordFile:
    """One file, whatever its state; raises nothing for what is wrong with it.

    Raises:
        InvalidInputError: `slug` is none.
    """
    return _look_into(paths.folder / folder / f"{require_slug(slug)}{SUFFIX}", slug)


def find(paths: StorePaths, slug: str) -> RecordFile:
    """The file of this slug, in whichever folder it lies; a missing one of `memory` where there is none.

    Raises:
        InvalidInputError: `slug` is none, or both folders have it.
    """
    found = [file for folder in RECORD_FOLDERS if (file := read(paths, folder, slug)).state != "missing"]
    if len(found) > 1:
        raise InvalidInputError(
            f"{' and '.join(file.path for file in found)} have the same name",
            field="slug",
            remedy="Say which kind is meant; then rename one of them.",
        )
    return found[0] if found else RecordFile(MEMORY, slug, "missing")


def require(paths: StorePaths, file: RecordFile) -> Record:
    """The record of a file that is whole.

    Raises:
        RecordNotFoundError: there is no such file.
        DamagedError: it cannot be read as a record; its bytes are kept.
        StoreIOError: it cannot be read at all.
    """
    if file.record is not None:
        return file.record
    raise refusal(paths, file)


def refusal(paths: StorePaths, file: RecordFile) -> MemkitError:
    """The error that says why there is no record in a file; see `require`."""
    where = paths.folder / file.path
    if file.state == "missing":
        return RecordNotFoundError(
            f"no record {file.name} in this project",
            file=paths.folder,
            field="slug",
            remedy="`memkit records list` shows them.",
        )
    what = file.problem.detail if file.problem else file.state
    if file.state == "unreadable":
        return StoreIOError(what, file=where, remedy=file.problem.remedy if file.problem else None)
    return DamagedError(what, file=where, remedy=_BY_HAND)


def read_all(paths: StorePaths) -> RecordsRead:
    """Every file in both folders; never raises for what is wrong with them."""
    return RecordFiles(paths).read_all()


class RecordFiles:
    """Reads all records again and again: only files that changed (inode, size, time of change) are read anew."""

    def __init__(self, paths: StorePaths) -> None:
        self._paths = paths
        self._kept: dict[tuple[str, str], tuple[object, RecordFile]] = {}
        self._last: RecordsRead | None = None

    def read_all(self) -> RecordsRead:
        """Every file in both folders; the same object as before where none has changed."""
        kept: dict[tuple[str, str], tuple[object, RecordFile]] = {}
        problems: list[Problem] = []
        for folder in RECORD_FOLDERS:
            try:
                names = list_names(self._paths, folder)
            except StoreError as error:
                problems.append(Problem("unreadable", folder, error.what, error.remedy or ""))
                continue
            place = self._paths.folder / folder
            for name in names:
                kept[folder, name] = self._read(place, name)
        files = tuple(file for _, file in kept.values())
        problems += (file.problem for file in files if file.problem is not None)
        self._kept = kept
        if self._last is None or self._last.files != files or self._last.problems != tuple(problems):
            self._last = RecordsRead(files, tuple(problems))
        return self._last

    def _read(self, folder: Path, name: str) -> tuple[object, RecordFile]:
        file = folder / f"{name}{SUFFIX}"
        info: os.stat_result | None = None
        with suppress(StoreError):
            info = look.status_of(file)
        version = None if info is None else (info.st_ino, info.st_size, info.st_mtime_ns)
        known = self._kept.get((folder.name, name))
        if known is not None and version is not None and known[0] == version and known[1].state != "unreadable":
            return known
        return version, _look_into(file, name, info)


def n_files(paths: StorePaths) -> int:
    """How many files of records there are, readable or not.

    Raises:
        StoreError: a folder cannot be looked into.
    """
    return sum(len(list_names(paths, folder)) for folder in RECORD_FOLDERS)


def list_names(paths: StorePaths, folder: str) -> list[str]:
    """Names of the Markdown files in a folder, without ending, ascending; temporary files are left out.

    Raises:
        StoreError: the folder cannot be looked into.
    """
    return [name.removesuffix(SUFFIX) for name in look.names_in(paths.folder / folder) if is_record_name(name)]


def is_record_name(name: str) -> bool:
    """Whether a file of this name should be a record."""
    return name.endswith(SUFFIX) and not (name[0] == "." and leftovers.is_temp(Path(name)))


def _look_into(file: Path, name: str, info: os.stat_result | None = None) -> RecordFile:
    """What stands in a file of this name; `info` where somebody has just looked at it."""
    folder = file.parent.name

    def wrong(state: State, code: str, detail: str, remedy: str, data: bytes | None = None) -> RecordFile:
        relative = f"{folder}/{path_text(name)}{SUFFIX}"
        sha256 = None if data is None else record_hash(data)
        return RecordFile(folder, name, state, None, data, sha256, Problem(code, relative, detail, remedy))

    try:
        info = look.status_of(file) if info is None else info
        if info is None:
            return RecordFile(folder, name, "missing")
        if not stat.S_ISREG(info.st_mode):
            return wrong(
                "damaged",
                "not-a-file",
                "a link or something else stands where a record's own file should; it is not followed",
                "memkit never makes one; look where it leads, then remove it by hand.",
            )
        data = look.read_bytes(file, limit=MAX_RECORD_BYTES + 1)
    except StoreError as error:
        return wrong("unreadable", "unreadable-record", error.what, error.remedy or "")
    if data is None:
        return RecordFile(folder, name, "missing")
    if not is_slug(name):
        remedy = "Rename it: a-z, 0-9 and single hyphens, then `.md`. It is not read until then."
        return wrong("damaged", "record-name", "the file's name is no slug", remedy, data)
    if len(data) > MAX_RECORD_BYTES:
        detail = f"more than {MAX_RECORD_BYTES:,} bytes; a record is a page, not a book"
        return wrong("damaged", "damaged-record", detail, _BY_HAND)
    try:
        record = read_record(folder, name, data)
    except RecordDamage as damage:
        if not data.strip():
            return wrong("empty", "empty-record", str(damage), "Write it again, or remove the file by hand.", data)
        return wrong("damaged", "damaged-record", str(damage), _BY_HAND, data)
    return RecordFile(folder, name, "whole", record, data, record_hash(data))


# -- writing ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ready:
    """A change of one record that may be made.

    Attributes:
        kept: What it will come to.
        data: The bytes the file is going to have.
    """

    kept: KeptRecord
    data: bytes


def prepare(paths: StorePaths, record: Record, *, expected_hash: str | None) -> Ready:
    """The bytes a record is to have; what is there now must have `expected_hash` (None: there must be nothing).

    Only lines that differ are changed.

    Raises:
        ConflictError: something else is there.
        DamagedError: what is there cannot be read.
        InvalidInputError: the record has no valid form, or the other folder has a record of this name.
        StoreIOError: what is there cannot be looked at.
    """
    before = read(paths, record.folder, record.slug)
    require_unchanged(paths, before, expected_hash)
    if before.state == "missing":
        other = KNOWLEDGE if record.folder == MEMORY else MEMORY
        if read(paths, other, record.slug).state != "missing":
            raise InvalidInputError(
                f"{other}/ has a record of this name", field="slug", remedy="Choose another slug; names are unique."
            )
    else:
        require(paths, before)
    try:
        data = write_record(record, before.data)
        kept = read_record(record.folder, record.slug, data)
    except RecordDamage as damage:
        raise InvalidInputError(str(damage), field=damage.field or "record") from damage
    return Ready(KeptRecord(kept, before.sha256, record_hash(data)), data)


def put(store: Store, held: HeldLock, record: Record, *, expected_hash: str | None) -> KeptRecord:
    """Write a record, durably; if no line of it differs, nothing is written. See `prepare`.

    Raises:
        ConflictError, DamagedError, InvalidInputError: as `prepare`; nothing was written.
        StoreError: the disk or a permission stood in the way; the old bytes are there, or (`OutcomeUnknownError`) the
            new ones.
    """
    paths = store.paths
    require_held(paths, held)
    ready = prepare(paths, record, expected_hash=expected_hash)
    kept = ready.kept
    if kept.is_changed:
        file = paths.folder / record.path
        durable.make_folder(file.parent)
        seen_records.intend(paths, held, record.path, kept.after_hash, was=kept.before_hash)
        durable.replace(file, ready.data)
    return kept


def require_unchanged(paths: StorePaths, before: RecordFile, expected_hash: str | None) -> None:
    """Refuse a change of a file that has other bytes than those it is made for; None: than none.

    Raises:
        ConflictError: it has.
        DamagedError: it cannot be looked at.
    """
    if before.state == "unreadable":
        require(paths, before)
    if before.state == "missing" and expected_hash is not None:
        raise ConflictError(
            "the record is gone; it was deleted or renamed meanwhile",
            file=paths.folder / before.path,
            remedy="Read the records again, then decide anew.",
            expected_hash=expected_hash,
        )
    if before.state != "missing" and before.sha256 != expected_hash:
        what = "a record of this name exists" if expected_hash is None else "the record was changed meanwhile"
        raise ConflictError(
            what,
            file=paths.folder / before.path,
            remedy="Read it again, then make the change to what it says now.",
            expected_hash=expected_hash,
            found_hash=before.sha256,
        )


def folder_of(kind: str) -> str:
    """`memory` or `knowledge`.

    Raises:
        InvalidInputError: no such kind.
    """
    if kind not in FOLDERS:
        raise InvalidInputError(f"{kind!r:.40} is none of {', '.join(FOLDERS)}", field="kind")
    return FOLDERS[kind]


# -- looking after ------------------------------------------------------------------------------------------------


def problems(paths: StorePaths) -> list[Problem]:
    """What is wrong with records, for `verify`."""
    found = read_all(paths)
    return [*found.problems, *_twins(found)]


def _twins(found: RecordsRead) -> Iterator[Problem]:
    names: dict[str, Any] = {}
    for file in found.files:
        if file.name in names:
            yield Problem(
                "record-twins",
                file.path,
                f"{names[file.name]} has the same name; a reference to it is ambiguous",
                "Rename one of the two.",
            )
        names.setdefault(file.name, file.path)
