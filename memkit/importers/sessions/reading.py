"""A session's file as a `Session`: detected, indexed in one pass, its branch found; turns are read when asked for."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from memkit.errors import ImportSourceError
from memkit.importers.sessions import notes
from memkit.importers.sessions.lines import Digest, Line, cannot, lines, open_file, parse
from memkit.importers.sessions.shapes import KNOWN, SHAPES, About, Shape
from memkit.importers.sessions.tree import Table
from memkit.model.frozen import FrozenMapping
from memkit.model.session import Session, Turn
from memkit.store.paths import path_text

HEAD_LINES: Final = 50
HEAD_BYTES: Final = 8 * 1024 * 1024
MIN_REF_CHARS: Final = 4


@dataclass(frozen=True, slots=True)
class FileTurns:
    """The turns of a branch; see `memkit.model.session.Turns`."""

    path: Path
    shape: Shape | None
    table: Table
    line_numbers: Sequence[int]
    n_bytes: int

    def __iter__(self) -> Iterator[Turn]:
        with open_file(self.path) as file:
            if os.fstat(file.fileno()).st_size < self.n_bytes:
                raise self._changed()
            number = 0
            about = About()
            for i in self.table.talk(self.line_numbers):
                turn = self._turn(file, i, number + 1, about)
                if turn is not None:
                    number += 1
                    yield turn

    def _turn(self, file: BinaryIO, i: int, number: int, about: About) -> Turn | None:
        offset, n_bytes, first = self.table.offsets[i], self.table.sizes[i], self.table.numbers[i]
        try:
            data = os.pread(file.fileno(), n_bytes, offset)
        except OSError as error:
            raise cannot(error, self.path) from error
        if len(data) != n_bytes:
            raise self._changed()
        if self.shape is None:
            text = data.decode("utf-8", "replace").removeprefix("\ufeff")
            last = first + text.rstrip("\n").count("\n")
            return Turn(number, "note", text, offset=offset, first_line=first, last_line=last)
        raw = parse(data.removeprefix(b"\xef\xbb\xbf") if offset == 0 else data)
        if raw is None:
            raise self._changed()
        piece = self.shape.read(raw, about)
        return Turn(number, piece.role, piece.text, piece.at, piece.ref, offset, first, first)

    def _changed(self) -> ImportSourceError:
        return ImportSourceError(
            "was cut or written anew while it was read", file=path_text(self.path), remedy="Try again."
        )

    def prefix_sha256(self, n_bytes: int) -> str:
        """The SHA-256 of the file's first bytes; "" where it has fewer.

        Raises:
            ImportSourceError: it cannot be read.
        """
        digest = hashlib.sha256()
        left = n_bytes
        with open_file(self.path) as file:
            while left > 0 and (data := file.read(min(left, 1 << 20))):
                digest.update(data)
                left -= len(data)
        return digest.hexdigest() if left == 0 else ""

    def shared_with(self, branches: Collection[str], n_bytes: int) -> int:
        """Turns up to where the branch leaves the earlier ones; without branches, those that end within `n_bytes`.

        One that goes on behind them, like the last section of notes that grew, is read again as a whole.
        """
        path = self.line_numbers
        if self.table.is_tree:
            path = path[: self.table.common(path, branches)]
        else:
            path = [i for i in path if self.table.offsets[i] + self.table.sizes[i] <= n_bytes]
        return sum(1 for _ in self.table.talk(path))


def read_session(path: str | os.PathLike[str], *, branch: str | None = None) -> Session:
    """Read a session's file; its turns are read when they are asked for.

    Args:
        path: The file.
        branch: The name (`uuid`, `id`) of the line at which the branch ends, or its first characters; by default the
            branch that is current.

    Raises:
        ImportSourceError: the file cannot be read, is empty, is of a shape nobody knows, or has no such branch.
    """
    real = Path(os.path.realpath(path))
    with open_file(real) as file:
        shape = _detect(file, real)
        file.seek(0)
        return _notes(file, real, branch) if shape is None else _json(file, real, shape, branch)


def _detect(file: BinaryIO, path: Path) -> Shape | None:
    """The shape of JSON lines, or None for notes."""
    head, n_bytes, something = [], 0, False
    readable = True
    for line in lines(file):
        n_bytes += line.n_bytes
        if line.data and line.data.strip():
            something = True
            raw = parse(line.data)
            readable = readable and notes.is_text(line.data)
            if raw is not None:
                head.append(raw)
        if line.number >= HEAD_LINES or n_bytes >= HEAD_BYTES:
            break
    if not something and n_bytes == 0:
        raise ImportSourceError(
            "the file is empty", file=path_text(path), remedy="Give a session in which something was said."
        )
    if path.suffix.lower() in notes.ENDINGS and readable:
        return None
    shape = next((shape for shape in SHAPES if head and shape.fits(head)), None)
    if shape is None:
        raise ImportSourceError("is no session of a known shape", file=path_text(path), remedy=f"Known are: {KNOWN}.")
    return shape


def _json(file: BinaryIO, path: Path, shape: Shape, branch: str | None) -> Session:
    table = Table(is_tree=shape.is_tree)
    about, digest = About(), Digest()
    damage: Counter[str] = Counter()
    for line in lines(file, digest):
        if line.data is None:
            damage["long-line"] += 1
            continue
        raw = parse(line.data) if line.data.strip() else None
        if raw is not None:
            if not line.whole:
                digest.take(_tail(file, line))
            table.add(shape.read(raw, about), line.offset, line.n_bytes, line.number)
        elif line.data.strip():
            damage["damaged-line" if line.whole else "torn-line"] += 1
    table.close()
    leaf = _leaf(table, path, branch)
    line_numbers = table.path(leaf)
    return Session(
        id=about.id or made_id(path),
        format=shape.name,
        path=path_text(path),
        sha256=digest.hexdigest(),
        n_bytes=digest.n_bytes,
        turns=FileTurns(path, shape, table, line_numbers, digest.n_bytes),
        branch="" if leaf is None else table.name(leaf),
        branches=tuple(map(table.name, table.leaves(line_numbers))) if table.is_tree else (),
        started_at=about.started_at,
        project_path=about.project_path,
        skipped=FrozenMapping(dict(table.left_out(line_numbers) + damage)),
    )


def _tail(file: BinaryIO, line: Line) -> bytes:
    return os.pread(file.fileno(), line.n_bytes, line.offset)


def _leaf(table: Table, path: Path, branch: str | None) -> int | None:
    if branch is None:
        return table.last() if table.is_tree else None
    if not table.is_tree:
        raise ImportSourceError("has no branches", file=path_text(path), field="branch", remedy="Leave the branch out.")
    found = table.named(branch)
    if found is None:
        near = table.starting(branch) if len(branch) >= MIN_REF_CHARS else []
        if len(near) == 1:
            return near[0]
        names = ", ".join(map(table.name, table.leaves(table.path(table.last()))[-5:]))
        what = f"{len(near)} lines begin with {branch!r:.60}" if near else f"has no branch {branch!r:.60}"
        raise ImportSourceError(
            what, file=path_text(path), field="branch", remedy=f"Its branches end at: {names or 'nothing'}."
        )
    return found


def _notes(file: BinaryIO, path: Path, branch: str | None) -> Session:
    left_out: Counter[str] = Counter()
    digest = Digest()
    table = notes.cut(_with_last(file, digest), left_out)
    _leaf(table, path, branch)
    line_numbers = table.path(None)
    return Session(
        id=made_id(path),
        format="notes",
        path=path_text(path),
        sha256=digest.hexdigest(),
        n_bytes=digest.n_bytes,
        turns=FileTurns(path, None, table, line_numbers, digest.n_bytes),
        skipped=FrozenMapping(dict(left_out)),
    )


def _with_last(file: BinaryIO, digest: Digest) -> Iterator[Line]:
    """All lines of a note; its last one counts without a newline as well."""
    for line in lines(file, digest):
        if not line.whole and line.data is not None:
            digest.take(_tail(file, line))
        yield line


def made_id(path: Path) -> str:
    """An id for a file that has none: its name, and 8 hexadecimal digits of its path."""
    digest = hashlib.sha256(os.fsencode(path)).hexdigest()[:8]
    return f"{path_text(path.stem)}-{digest}"


def about_file(path: Path) -> tuple[str, str]:
    """The id and the project of a session, from its first lines; empty where they do not tell.

    Raises:
        ImportSourceError: as in `read_session`.
    """
    about = About()
    with open_file(path) as file:
        shape = _detect(file, path)
        file.seek(0)
        for line in lines(file):
            if shape is None or line.number > HEAD_LINES or (about.id and about.project_path):
                break
            raw = parse(line.data or b"")
            if raw is not None:
                shape.read(raw, about)
    return about.id, about.project_path
