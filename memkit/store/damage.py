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


def junk_of(key: bytes = b"") -> re.Pattern[bytes]:
    """Runs of lines, blank ones among them, that cannot be JSON objects with such a key, or with any.

    A line is junk if it begins with no brace, or if the key, quoted as memkit writes it, is nowhere in it.
    """
    named = re.escape(key) + b'"' if key else rb"[ \t]*+:"
    begun = rb"[^{\s][^\n]*+" + rb"|\{(?:[^\n\"]++|\"(?!" + named + rb"))*+"
    return re.compile(rb"(?:[ \t\r]*+(?:" + begun + rb")\n(?:[ \t\r\x0b\x0c]*+\n)*+)++")


_JUNK = junk_of()


class DamagedSpots:
    """Collects the damaged spots of one file.

    Args:
        data: The file's bytes as they were read.
        offset: Where in the file they begin.
        junk: What cannot be a line of this file, from `junk_of`.
        code: Of the problems.
        file: As problems name it.
        remedy: What to do.
    """

    def __init__(
        self, data: bytes, *, code: str, file: str, remedy: str, offset: int = 0, junk: re.Pattern[bytes] = _JUNK
    ) -> None:
        self._data, self._offset, self._junk = data, offset, junk
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
        run = self._junk.match(self._data, position) if len(self._spots) >= MAX_SPOTS else None
        if run is None:
            return position
        start, end = self._offset + position, self._offset + run.end()
        n = self._data.count(b"\n", position, run.end())
        before = self._spots[-1]
        if before[1] == start:
            self._spots[-1] = (before[0], end, before[2] + n, before[3])
        else:
            self._spots.append((start, end, n, f"no objects (begins {_shown(self._data[position : position + 24])})"))
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
