"""The mark that stands in the place of a secret, `[scrubbed:kind]`, and how later scrubbing goes around it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

MARK = "[scrubbed:"
MARK_PATTERN = re.compile(r"\[scrubbed:[a-z0-9-]{1,64}\](?: \([0-9]{1,9}\))?")
MAX_MARK_CHARS = 80

_RUN = re.compile(r"[^\W_]+")


class Finding(NamedTuple):
    """One secret in a text: where it stands, `text[start:end]`, and its kind."""

    start: int
    end: int
    kind: str


def bare(text: str) -> str:
    """The letters and digits of `text` outside the marks of earlier scrubbing."""
    if MARK in text:
        text = MARK_PATTERN.sub("", text)
    return "".join(_RUN.findall(text))


def in_mark(text: str, position: int) -> bool:
    """Whether `position` lies in the mark of an earlier scrubbing."""
    opened = text.rfind(MARK, max(0, position - MAX_MARK_CHARS), position)
    match = MARK_PATTERN.match(text, opened) if opened >= 0 else None
    return match is not None and position < match.end()


def beside_marks(text: str, found: Sequence[Finding]) -> list[Finding]:
    """The finds cut so that none of them begins or ends within a mark; without those that hold nothing else."""
    marks = [match.span() for match in MARK_PATTERN.finditer(text)]
    opens = [start for start, _ in marks]
    kept: list[Finding] = []
    for start, end, kind in found:
        before = bisect_left(opens, start) - 1
        first = max(start, marks[before][1]) if before >= 0 else start
        before = bisect_left(opens, end) - 1
        last = max(end, marks[before][1]) if before >= 0 else end
        if first < last and bare(text[first:last]):
            kept.append(Finding(first, last, kind))
    return kept
