"""Markdown notes as a session: each section, its heading included, is a turn that nobody said to anybody.

Front matter is left out. A heading inside a code fence begins no section. A long section is cut at an empty line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from memkit.importers.sessions.lines import Line
from memkit.importers.sessions.shapes import Piece
from memkit.importers.sessions.tree import Table

ENDINGS: Final = frozenset({".md", ".markdown", ".mdown", ".txt"})
LONG_BYTES: Final = 64 * 1024
MAX_FRONT_LINES: Final = 200
_HEADING = re.compile(rb" {0,3}#{1,6}(?:[ \t]|$)")
_FENCE = re.compile(rb"[ \t]*(?:>[ \t]*)?(?:[-*+][ \t]+)?(`{3,}|~{3,})([^`]*)$")
_NOTE: Final = Piece(role="note", text="note")


def cut(lines: Iterable[Line], left_out: Counter[str]) -> Table:
    """The sections of a note as a table of where they stand."""
    table = Table(is_tree=False)
    start: Line | None = None
    end = 0
    fence = b""
    in_front = False

    def close() -> None:
        nonlocal start
        if start is not None:
            table.add(_NOTE, start.offset, end - start.offset, start.number)
        start = None

    for line in lines:
        data = line.data
        if data is None or not is_text(data):
            left_out["long-line" if data is None else "damaged-line"] += 1
            close()
            continue
        if line.number == 1 and data.rstrip() == b"---":
            in_front = True
        if in_front:
            in_front = not (line.number > 1 and data.rstrip() in {b"---", b"..."}) and line.number < MAX_FRONT_LINES
            left_out["bookkeeping"] += line.number == 1
            continue
        mark = _FENCE.match(data)
        if fence:
            if mark and mark.group(1).startswith(fence) and not mark.group(2).strip():
                fence = b""
        elif mark:
            fence = mark.group(1)
        elif _HEADING.match(data):
            close()
        if start is None:
            if not data.strip():
                continue
            start = line
        end = line.offset + line.n_bytes
        if not data.strip() and not fence and end - start.offset > LONG_BYTES:
            close()
    close()
    return table


def is_text(data: bytes) -> bool:
    """Whether a line is text."""
    if b"\0" in data:
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
