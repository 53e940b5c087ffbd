"""Blocks into plain text for a terminal of 100 columns: aligned, wrapped, no markup, no colour codes.

Matched words stand in [brackets]. Widths are counted in cells of a terminal; an East Asian character takes two.
"""

from __future__ import annotations

from collections.abc import Sequence

from memkit.present.blocks import (
    Block,
    Bullets,
    Card,
    Chip,
    Column,
    Facts,
    Fold,
    Grid,
    Inline,
    Line,
    Meter,
    Para,
    Picture,
    Piece,
    Run,
    Section,
    Sheet,
)

WIDTH = 100
BAR_CELLS = 10
MAX_LABEL = 28
GAP = "  "
INDENT = "   "


def write(sheet: Sheet, width: int = WIDTH) -> str:
    """A sheet as plain text, without a newline at its end."""
    title = wrap(flat(sheet.title), width) if sheet.title else []
    lines = [*title, "=" * max(map(cells, title))] if title else []
    for lead in sheet.lead:
        lines += wrap(flat(lead), width)
    if sheet.body:
        lines += [*([""] if lines else []), *_blocks(sheet.body, width)]
    return "\n".join(line.rstrip() for line in lines)


def cells(text: str) -> int:
    """Cells of a terminal that `text` takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def flat(line: Line) -> str:
    """A line as one string."""
    return "".join(map(_inline, line))


def _inline(item: Inline) -> str:
    match item:
        case str():
            return item
        case Piece(text=text, role="mark"):
            return f"[{text}]"
        case Piece(text=text):
            return text
        case Run(pieces=pieces):
            return flat(pieces)
        case Chip(word=word, shape=shape):
            return f"{shape} {word}"
        case Meter(value=value, maximum=maximum):
            full = round(BAR_CELLS * min(1.0, max(0.0, value / maximum))) if maximum > 0 else 0
            return "█" * full + "░" * (BAR_CELLS - full)


def wrap(text: str, width: int) -> list[str]:
    """`text` in lines of at most `width` cells, broken at spaces where it can be."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            grown = f"{line} {word}" if line else word
            if cells(grown) <= width:
                line = grown
                continue
            if line:
                lines.append(line)
            *full, line = _chop(word, width)
            lines += full
        lines.append(line)
    return lines


def cut(text: str, width: int) -> str:
    """`text` in at most `width` cells, a cut shown as an ellipsis."""
    return text if cells(text) <= width else _chop(text, max(1, width - 1))[0] + "…"


def _chop(word: str, width: int) -> list[str]:
    pieces = [""]
    used = 0
    for char in word:
        size = cells(char)
        if used + size > width and pieces[-1]:
            pieces.append("")
            used = 0
        pieces[-1] += char
        used += size
    return pieces


def _blocks(blocks: Sequence[Block], width: int) -> list[str]:
    lines: list[str] = []
    for position, block in enumerate(blocks):
        if position and not (_is_small(block) and _is_small(blocks[position - 1])):
            lines.append("")
        lines += _block(block, width)
    return lines


def _is_small(block: Block) -> bool:
    """Whether a block needs no blank line to a small neighbour."""
    return isinstance(block, (Para, Bullets)) or (isinstance(block, Fold) and not isinstance(block.body[0], Card))


def _block(block: Block, width: int) -> list[str]:
    match block:
        case Para(line=line):
            return wrap(flat(line), width)
        case Bullets(items=items):
            return [line for item in items for line in _hang("- ", wrap(flat(item), width - 2))]
        case Facts():
            return _facts(block, width)
        case Grid():
            return _grid(block, width)
        case Picture(words=words):
            return wrap(f"{words} (A picture; the table below says the same.)", width)
        case Fold(summary=summary, body=body):
            return [*wrap(flat(summary), width), *_blocks(body, width)]
        case Card(title=title, badges=badges, body=body, foot=foot):
            inner = wrap(flat(badges), width - len(INDENT)) if badges else []
            inner += _blocks(body, width - len(INDENT))
            inner += wrap(flat(foot), width - len(INDENT)) if foot else []
            return [*(wrap(flat(title), width) if title else []), *_indented(inner)]
        case Section(title=title, body=body):
            return [flat(title), "-" * min(width, cells(flat(title))), *_blocks(body, width)]


def _facts(facts: Facts, width: int) -> list[str]:
    label_width = min(MAX_LABEL, max((cells(fact.label) for fact in facts.rows), default=0)) + len(GAP)
    lines: list[str] = []
    for fact in facts.rows:
        body = _blocks(fact.body, width - label_width)
        room = label_width - cells(fact.label)
        if room < len(GAP):
            lines += [*wrap(fact.label, width), *_hang(" " * label_width, body)]
        else:
            lines += _hang(fact.label + " " * room, body)
    return lines


def _hang(first: str, lines: list[str]) -> list[str]:
    """`lines` with `first` before the first of them and room for it before the others."""
    room = " " * cells(first)
    return [(room if position else first) + line for position, line in enumerate(lines)]


def _indented(lines: list[str]) -> list[str]:
    return [INDENT + line for line in lines]


def _grid(grid: Grid, width: int) -> list[str]:
    heads = [[flat((column.name,)), *([column.type] if column.type else [])] for column in grid.columns]
    body = [[flat(cell) for cell in row] for row in grid.rows]
    widths = _widths(grid.columns, heads, body, width)
    n = len(widths)
    lines = wrap(flat(grid.caption), width) if grid.caption else []
    for depth in range(max(map(len, heads), default=0)):
        names = [head[depth] if depth < len(head) else "" for head in heads[:n]]
        lines.append(_row([[cut(name, w)] for name, w in zip(names, widths, strict=True)], grid.columns, widths)[0])
    lines.append(GAP.join("-" * w for w in widths))
    for row in body:
        shown = [wrap(text, w) if grid.wrap else [cut(text, w)] for text, w in zip(row[:n], widths, strict=True)]
        lines += _row(shown, grid.columns, widths)
    if n < len(grid.columns):
        hidden = ", ".join(flat((column.name,)) for column in grid.columns[n:])
        lines += wrap(f"No room for {len(grid.columns) - n} more columns: {hidden}", width)
    return [*lines, *(wrap(flat(grid.note), width) if grid.note else [])]


def _row(texts: list[list[str]], columns: Sequence[Column], widths: list[int]) -> list[str]:
    out: list[str] = []
    for depth in range(max(map(len, texts), default=0)):
        parts = []
        for lines, column, width in zip(texts, columns, widths, strict=False):
            text = lines[depth] if depth < len(lines) else ""
            room = " " * (width - cells(text))
            parts.append(room + text if column.right else text + room)
        out.append(GAP.join(parts).rstrip())
    return out


def _widths(columns: Sequence[Column], heads: list[list[str]], body: list[list[str]], width: int) -> list[int]:
    """Cells for each column that is shown; columns without room are left out from the right."""
    wanted = []
    for position in range(len(columns)):
        texts = [*heads[position], *(line for row in body for line in row[position].split("\n"))]
        wanted.append(max(map(cells, texts), default=1) or 1)
    least = [
        want if column.right or column.fixed else min(want, column.least)
        for want, column in zip(wanted, columns, strict=True)
    ]
    n = len(columns)
    while n > 1 and sum(least[:n]) + len(GAP) * (n - 1) > width:
        n -= 1
    widths, least = wanted[:n], [min(want, width) for want in least[:n]]
    excess = sum(widths) + len(GAP) * (n - 1) - width
    while excess > 0:
        widest = max(range(n), key=lambda i: (widths[i] - least[i] > 0, widths[i], -i))
        if widths[widest] <= least[widest]:
            break
        widths[widest] -= 1
        excess -= 1
    return widths
