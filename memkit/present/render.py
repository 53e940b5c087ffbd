"""`text(value)` and `html(value)`: pure functions from a result to what is seen of it.

Each module of this floor registers, in `sheet_of`, how its result becomes a sheet of blocks.
"""

from __future__ import annotations

from collections.abc import Callable

from memkit.display import ByType, MimeBundle
from memkit.present import terminal
from memkit.present.blocks import Block, Para, Sheet
from memkit.present.safe import say

MAX_ROWS = 20
MAX_HTML_BYTES = 200_000
MAX_PART_BYTES = 1_000_000


@ByType
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
    from memkit.present import markup

    return _bounded(value, markup.document, MAX_ROWS, MAX_HTML_BYTES)


def fragment(value: object, *, level: int = 3, rows: int = MAX_ROWS) -> str:
    """Like `html`, without the stylesheet; its heading is `<h{level}>`. With more rows it may be `MAX_PART_BYTES`."""
    from memkit.present import markup

    most = MAX_HTML_BYTES if rows <= MAX_ROWS else MAX_PART_BYTES
    return _bounded(value, lambda sheet: markup.fragment(sheet, level=level), rows, most)


def bundle(value: object) -> MimeBundle:
    """Both, by MIME type."""
    return {"text/plain": text(value), "text/html": html(value)}


def _bounded(value: object, draw: Callable[[Sheet], str], rows: int, most: int) -> str:
    """Draw with as many rows as fit. One row always fits: every text in it is bounded."""
    while True:
        source = draw(sheet_of(value, rows))
        if len(source.encode()) < most or rows <= 1:
            return source
        rows = max(1, rows * 2 // 3)
