"""What an importer is given, and how it names what it finds there."""

from __future__ import annotations

import datetime as dt
import os
import stat
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from memkit.importers.draft import Draft
from memkit.importers.files import Found, Unreadable, find_files, read_file
from memkit.store.paths import path_text

# Endings of files that hold several documents, each named by `#key` behind the file's name.
WITH_ROWS: Final = (
    ".json", ".jsonl", ".ndjson", ".md", ".markdown", ".mdx", ".mdown", ".mkd", ".db", ".sqlite", ".sqlite3",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Place:
    """The project's folder, and how files are named from it.

    Attributes:
        project: Its real path.
    """

    project: str

    def name(self, path: Path) -> str:
        """`source.path`: relative to the project inside it, else absolute, always with `/`."""
        inside = os.path.commonpath([self.project, path]) == self.project
        return path_text(path.relative_to(self.project) if inside else path)

    def exists(self, name: str) -> bool:
        """Whether a document of this name is still there; one whose name had to be escaped counts as there."""
        file, _, row = name.partition("#")
        if not (row and file.casefold().endswith(WITH_ROWS)):
            file, _, row = name.rpartition("#")
        names = [name, file] if row and file.casefold().endswith(WITH_ROWS) else [name]
        return "\\x" in name or any(os.path.lexists(Path(self.project, each)) for each in names)


@dataclass(frozen=True, slots=True)
class Intake:
    """One import as its importer sees it.

    Attributes:
        path: The file or folder given.
        place: How files are named.
        scratch: A private folder that exists, for copies of databases; None: they cannot be read.
        project_key: The project it is imported into.
        as_of: Now.
    """

    path: str | os.PathLike[str]
    place: Place
    scratch: Path | None
    project_key: str = ""
    as_of: dt.datetime | None = None

    @property
    def is_folder(self) -> bool:
        """Whether a folder was given."""
        try:
            return stat.S_ISDIR(os.stat(self.path).st_mode)  # noqa: PTH116
        except OSError:
            return False

    def files(self, endings: frozenset[str], kind: str) -> Iterator[Found]:
        """The files to read, in path order; with what is not read and why.

        Raises:
            ImportSourceError: the path does not exist, or the folder cannot be listed.
        """
        return find_files(self.path, endings, kind)

    def drafts(
        self, endings: frozenset[str], kind: str, read: Callable[[Path, str], Iterable[Draft]]
    ) -> Generator[Draft, None, None]:
        """What `read` makes of each file, given its path and name, and the account of files that cannot be read."""
        for found in self.files(endings, kind):
            if found.problem:
                yield self.passed_over(found)
                continue
            name = self.name(found.path)
            try:
                yield from read(found.path, name)
            except Unreadable as error:
                yield Draft(name, fate="rejected", reason=str(error))

    def name(self, path: Path) -> str:
        """What `source.path` will be."""
        return self.place.name(path)

    def passed_over(self, found: Found) -> Draft:
        """The account of a file that is not read."""
        return Draft(self.name(found.path), fate=found.fate, reason=found.problem)

    def read(self, path: Path, limit: int) -> bytes | Draft:
        """The bytes of a file, or the account of why they cannot be had."""
        try:
            return read_file(path, limit)
        except Unreadable as error:
            return Draft(self.name(path), fate="rejected", reason=str(error))
