"""Damaged lines of a file as problems, in few words however many there are.

A problem takes more memory than the junk it names, and parsing junk takes more time than passing over it. So the first
damaged lines are told one by one; further ones that lie together are told together, and lines that cannot be objects
are passed over as one.
"""

from __future__ import annotations

import re

from memkit.model.problem import Problem
from memkit.store.jsonl import RawLine

MAX_SPOTS = 200
_JUNK = re.compile(rb"(?:[^{\s\xef][^\n]*+\n)++")  # lines that cannot be JSON objects


class DamagedSpots:
    """Collects the damaged spots of one file.

    Args:
        data: The file's bytes as they were read.
        offset: Where in the file they begin.
        code: Of the problems.
        file: As problems name it.
        remedy: What to do.
    """

    def __init__(self, data: bytes, *, code: str, file: str, remedy: str, offset: int = 0) -> None:
        self._data, self._offset = data, offset
        self._code, self._file, self._remedy = code, file, remedy
        self._spots: list[tuple[int, int, int, str]] = []  # start, end, lines, what is wrong with the first

    def add(self, raw: RawLine, why: str, piece: bytes | None = None) -> None:
        """A line that cannot be read, or one piece of it."""
        if len(self._spots) >= MAX_SPOTS and self._spots[-1][1] == raw.start:
            start, _, n, first = self._spots[-1]
            self._spots[-1] = (start, raw.end, n + 1, first)
        else:
            shown = raw.data if piece is None else piece
            self._spots.append((raw.start, raw.end, 1, f"{why} ({len(shown):,} bytes, begins {_shown(shown)})"))

    def skip_junk(self, position: int) -> int:
        """Where reading goes on: behind the lines from `position` that cannot be objects, once there are too many."""
        run = _JUNK.match(self._data, position) if len(self._spots) >= MAX_SPOTS else None
        if run is None:
            return position
        start, end, n = self._offset + position, self._offset + run.end(), run[0].count(b"\n")
        self._spots.append((start, end, n, f"no objects (begins {_shown(run[0])})"))
        return run.end()

    def problems(self) -> tuple[Problem, ...]:
        """The spots, in their order."""
        return tuple(
            Problem(
                code=self._code,
                file=self._file,
                detail=detail if n == 1 else f"{n:,} lines, the first: {detail}",
                remedy=self._remedy,
                start=start,
                end=end,
            )
            for start, end, n, detail in self._spots
        )


def _shown(data: bytes) -> str:
    return ascii(data[:24].decode("utf-8", "backslashreplace"))
