"""The bytes of an index as lines, with damage as data.

Each line is parsed by itself, and damage costs its own line.
"""

from __future__ import annotations

from dataclasses import dataclass

from memkit.model.index_line import IndexLine, LineDamage, parse_line
from memkit.model.problem import Problem
from memkit.store import jsonl
from memkit.store.damage import DamagedSpots, junk_of
from memkit.store.paths import StorePaths

MAX_SPOTS_IN_A_LINE = 20
_JUNK = junk_of(b"id")


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
    damage = DamagedSpots(
        data,
        code="damaged-line",
        file=paths.relative(paths.index),
        remedy="Run `memkit repair --apply`; it moves the bytes to quarantine.",
        offset=start,
        junk=_JUNK,
    )
    for raw in jsonl.lines(data, start, damage.skip_junk):
        n = n_damaged = 0
        for piece in jsonl.glued_objects(raw.data):
            n += 1
            try:
                line = _line(paths, piece)
            except LineDamage as why:
                damage.add(raw, str(why), piece)
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
