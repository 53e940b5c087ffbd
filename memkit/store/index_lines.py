"""The bytes of an index as lines, with damage as data.

Each line is parsed by itself. Damage costs its own line; a file of nothing but damage is told in few words, for a
problem takes more memory than the junk it names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memkit.model.index_line import IndexLine, LineDamage, parse_line
from memkit.model.problem import Problem
from memkit.store import jsonl
from memkit.store.paths import StorePaths

MAX_SPOTS = 200  # damaged lines told one by one; further ones that lie together are told together
MAX_SPOTS_IN_A_LINE = 20
_JUNK = re.compile(rb"(?:[^{\s\xef][^\n]*+\n)++")  # lines that cannot be JSON objects


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """One line and its bytes' place in the file."""

    line: IndexLine
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class IndexRead:
    """What the index held when it was read.

    Attributes:
        lines: One per id, in file order; the first of several wins.
        damaged: Lines that are not index lines, each with its bytes' place and the reason.
        repeated: Further lines of an id already seen.
        glued: Lines that held several objects; each was read.
        generation: Of the index as it was read.
        start: First byte read.
        end: The byte after the last newline; what follows is pending.
        pending: Bytes after `end`.
        rebuilt: The file was missing and the lines were made from the entries.
    """

    lines: tuple[IndexLine, ...]
    damaged: tuple[Problem, ...] = ()
    repeated: tuple[PlacedLine, ...] = ()
    glued: tuple[Problem, ...] = ()
    generation: int = 0
    start: int = 0
    end: int = 0
    pending: int = 0
    rebuilt: bool = False


def parse(paths: StorePaths, data: bytes, *, start: int, generation: int) -> IndexRead:
    """Read the bytes of an index that begin at offset `start`."""
    found: dict[str, IndexLine] = {}
    repeated: list[PlacedLine] = []
    glued: list[Problem] = []
    damage = _Damage(paths, data, start)
    for raw in jsonl.lines(data, start, damage.skip_junk):
        n = n_damaged = 0
        for piece in jsonl.glued_objects(raw.data):
            n += 1
            try:
                line = _line(paths, piece)
            except LineDamage as why:
                damage.add(raw, piece, str(why))
                n_damaged += 1
                if n_damaged == MAX_SPOTS_IN_A_LINE:
                    break
                continue
            if line.id in found:
                repeated.append(PlacedLine(line, raw.start, raw.end))
            else:
                found[line.id] = line
        if n > 1:
            glued.append(_glued(paths, raw, n))
    end = start + data.rfind(b"\n") + 1
    return IndexRead(
        lines=tuple(found.values()),
        damaged=damage.problems(),
        repeated=tuple(repeated),
        glued=tuple(glued),
        generation=generation,
        start=start,
        end=end,
        pending=start + len(data) - end,
    )


def _line(paths: StorePaths, piece: bytes) -> IndexLine:
    if len(piece) > jsonl.MAX_LINE_BYTES:
        raise LineDamage(f"the line has {len(piece):,} bytes")
    line = parse_line(piece)
    if line.project_key != paths.key:
        raise LineDamage(f"belongs to the project {line.project_key[:40]!r}")
    return line


def _glued(paths: StorePaths, raw: jsonl.RawLine, n: int) -> Problem:
    return Problem(
        code="glued-line",
        file=paths.relative(paths.index),
        detail=f"{n} objects stand on one line; each was read by itself",
        remedy="Run `memkit repair --apply`.",
        start=raw.start,
        end=raw.end,
    )


def _shown(piece: bytes) -> str:
    return ascii(piece[:24].decode("utf-8", "backslashreplace"))


class _Damage:
    """Damaged spots; beyond `MAX_SPOTS` a spot that begins where the last one ends is added to it."""

    def __init__(self, paths: StorePaths, data: bytes, offset: int) -> None:
        self._file = paths.relative(paths.index)
        self._data, self._offset = data, offset
        self._spots: list[tuple[int, int, int, str]] = []  # start, end, lines, what is wrong with the first

    def add(self, raw: jsonl.RawLine, piece: bytes, why: str) -> None:
        """A line, or a piece of one, that cannot be read."""
        if len(self._spots) >= MAX_SPOTS and self._spots[-1][1] == raw.start:
            start, _, n, first = self._spots[-1]
            self._spots[-1] = (start, raw.end, n + 1, first)
        else:
            self._spots.append((raw.start, raw.end, 1, f"{why} ({len(piece):,} bytes, begins {_shown(piece)})"))

    def skip_junk(self, position: int) -> int:
        """Where reading goes on: behind the lines from `position` that cannot be objects, once there are too many."""
        run = _JUNK.match(self._data, position) if len(self._spots) >= MAX_SPOTS else None
        if run is None:
            return position
        n = run[0].count(b"\n")
        self._spots.append(
            (self._offset + position, self._offset + run.end(), n, f"no objects (begins {_shown(run[0])})")
        )
        return run.end()

    def problems(self) -> tuple[Problem, ...]:
        """The spots, in their order."""
        return tuple(
            Problem(
                code="damaged-line",
                file=self._file,
                detail=detail if n == 1 else f"{n:,} lines, the first: {detail}",
                remedy="Run `memkit repair --apply`; it moves the bytes to quarantine.",
                start=start,
                end=end,
            )
            for start, end, n, detail in self._spots
        )
