"""Which kind of files a path holds, with the evidence: the question to ask before an import, and after a wrong one."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from memkit.display import Displayable, count
from memkit.importers.files import find_files
from memkit.importers.kinds.table import KINDS
from memkit.importers.look import JSON, MARKDOWN, Look, look_at
from memkit.store.paths import path_text

MAX_FILES: Final = 400
_ENDINGS: Final = JSON | MARKDOWN | {".db", ".sqlite", ".sqlite3"}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One kind a path may hold.

    Attributes:
        kind: Its name.
        n_files: How many of the files looked at have its signs.
        example: The first of them.
        signs: What was seen in it.
    """

    kind: str
    n_files: int
    example: str
    signs: str


@dataclass(frozen=True, slots=True)
class Detection(Displayable):
    """What a path looks like.

    Attributes:
        path: The path.
        candidates: The kinds it may hold, the likeliest first; empty where no file has signs of any.
        n_files: How many files were looked at.
        is_cut: Whether there are more files than were looked at.
        problems: Files that could not be read, with the reason.
    """

    path: str
    candidates: tuple[Candidate, ...] = ()
    n_files: int = 0
    is_cut: bool = False
    problems: tuple[str, ...] = ()

    @property
    def kind(self) -> str | None:
        """The likeliest kind, or None."""
        return self.candidates[0].kind if self.candidates else None

    def __repr__(self) -> str:
        return f"<Detection {self.path}: {self.kind or 'no kind known'}, {count(self.n_files, 'file')} looked at>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {**asdict(self), "kind": self.kind}

    def sentence(self, asked: str = "") -> str:
        """In one line: what it looks like, and how to read it; "" where that is nothing, or what was asked for."""
        if not self.candidates or self.kind == asked:
            return ""
        first = self.candidates[0]
        return f"looks like {first.kind} ({first.signs}): memkit import {first.kind} {self.path}"


def detect(path: str | os.PathLike[str], scratch: Path | None) -> Detection:
    """Look at a file, or at the first files of a folder, and say which kind they are.

    Args:
        path: A file or a folder.
        scratch: A private folder that exists, for copies of databases.

    Raises:
        ImportSourceError: the path does not exist, or the folder cannot be listed.
    """
    counts: Counter[str] = Counter()
    seen: dict[str, tuple[str, str]] = {}
    problems: list[str] = []
    n, is_cut = 0, False
    readers = [(kind.name, kind.reader()) for kind in KINDS]
    for found in find_files(path, _ENDINGS, "a kind memkit reads"):
        if found.problem:
            if found.fate == "rejected":
                problems.append(f"{path_text(found.path)}: {found.problem}")
            continue
        if n >= MAX_FILES:
            is_cut = True
            break
        n += 1
        look = look_at(found.path, scratch)
        if look.problem:
            problems.append(f"{path_text(found.path)}: {look.problem}")
            continue
        for name, signs in _signs(look, readers):
            counts[name] += 1
            seen.setdefault(name, (path_text(found.path), signs))
    order = {kind.name: at for at, kind in enumerate(KINDS)}
    ranked = sorted(counts, key=lambda name: (-counts[name], order[name]))
    candidates = tuple(Candidate(name, counts[name], *seen[name]) for name in ranked)
    return Detection(path_text(path), candidates, n, is_cut, tuple(problems))


def _signs(look: Look, readers: list[tuple[str, Any]]) -> list[tuple[str, str]]:
    return [(name, said) for name, reader in readers if (said := reader.signs(look))]
