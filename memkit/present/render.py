"""`text(value)` and `html(value)`: pure functions from a result to what is seen of it.

Each module of this floor registers, in `sheet_of`, how its result becomes a sheet of blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch

from memkit.display import MimeBundle
from memkit.present import markup, terminal
from memkit.present.blocks import Block, Para, Sheet
from memkit.present.safe import say

MAX_ROWS = 20
MAX_HTML_BYTES = 200_000
_FEWER = (MAX_ROWS, 15, 10, 7, 5, 3, 2, 1)


@singledispatch
def sheet_of(value: object, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    """What is shown of `value`, at most `rows` of its rows."""
    return Sheet((say(type(value).__name__, 80),), (), (Para((say(repr(value), 2_000, breaks="keep"),)),))


@sheet_of.register
def _prose(value: str, rows: int = MAX_ROWS) -> Sheet:  # noqa: ARG001
    paragraphs = [text for part in value.split("\n\n") if (text := part.strip())]
    body: tuple[Block, ...] = tuple(Para((say(text, 2_000),)) for text in paragraphs[:MAX_ROWS])
    return Sheet((), (), body)


def text(value: object, *, width: int = terminal.WIDTH, rows: int = MAX_ROWS) -> str:
    """`value` as plain text of at most `width` cells a line and `rows` rows a table; no markup, no colour codes."""
    return terminal.write(sheet_of(value, rows), width)


def html(value: object) -> str:
    """`value` as script-free HTML with its stylesheet, below `MAX_HTML_BYTES`."""
    return _bounded(value, markup.document)


def fragment(value: object, *, level: int = 3) -> str:
    """Like `html`, without the stylesheet; its heading is `<h{level}>`."""
    return _bounded(value, lambda sheet: markup.fragment(sheet, level=level))


def bundle(value: object) -> MimeBundle:
    """Both, by MIME type."""
    return {"text/plain": text(value), "text/html": html(value)}


def _bounded(value: object, draw: Callable[[Sheet], str]) -> str:
    """Draw with as many rows as fit. One row always fits: every text in it is bounded."""
    for rows in _FEWER:
        source = draw(sheet_of(value, rows))
        if len(source.encode()) < MAX_HTML_BYTES:
            break
    return source
