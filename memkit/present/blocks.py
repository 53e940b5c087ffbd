"""The vocabulary of showing: what a result consists of when it is seen, before it is text or HTML.

A line holds our own words (`str`), text from outside (`Piece`, made visible by `safe`), chips and meters. Blocks hold
lines. Everything is frozen data; `kind` tells the templates which is which.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal

Role = Literal["plain", "mark", "strong", "dim", "code", "null", "sep"]
Tone = Literal["good", "bad", "warn", "plain", "calm"]
ParaTone = Literal["plain", "lead", "dim", "warn"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text from outside, already made visible and bounded.

    `sep` marks punctuation that only matters where no style sets its neighbours apart.
    """

    kind: ClassVar[str] = "piece"
    text: str
    role: Role = "plain"


@dataclass(frozen=True, slots=True)
class Run:
    """Pieces of one text, such as the marked and unmarked parts of a fragment; they share one direction."""

    kind: ClassVar[str] = "run"
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Chip:
    """A state in one word, with a shape beside it so that colour is never the only sign."""

    kind: ClassVar[str] = "chip"
    word: str
    shape: str
    tone: Tone = "calm"


@dataclass(frozen=True, slots=True)
class Meter:
    """A bar from 0 to `maximum`. The number itself always stands beside it as text; `label` says what is measured."""

    kind: ClassVar[str] = "meter"
    value: float
    maximum: float
    label: str


Inline = str | Piece | Run | Chip | Meter
Line = tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Para:
    """A paragraph."""

    kind: ClassVar[str] = "para"
    line: Line
    tone: ParaTone = "plain"


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list."""

    kind: ClassVar[str] = "bullets"
    items: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and what it is the label of."""

    label: str
    body: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Labelled facts, one under the other."""

    kind: ClassVar[str] = "facts"
    rows: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a grid.

    Attributes:
        name: Its heading.
        type: A second, smaller heading: the type of its values.
        right: Whether its cells stand at the right, as numbers do.
        fixed: Whether its cells are useless when cut, as times are.
        least: The narrowest it gets in a terminal before others give way.
    """

    name: Inline
    type: str = ""
    right: bool = False
    fixed: bool = False
    least: int = 8


@dataclass(frozen=True, slots=True)
class Grid:
    """A table.

    Attributes:
        caption: What it holds and how many rows of how many are shown.
        columns: Its columns.
        rows: One line per cell.
        note: A line below it.
        wrap: Whether a cell too wide for a terminal wraps; else it is cut.
        head: Whether the first cell of a row is the row's heading.
    """

    kind: ClassVar[str] = "grid"
    caption: Line
    columns: tuple[Column, ...]
    rows: tuple[tuple[Line, ...], ...]
    note: Line = ()
    wrap: bool = True
    head: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing. It never says more than the table that stands beside it.

    Attributes:
        words: What it shows, for who cannot see it; also below it.
        title: Its name.
        draw: Gives it as a `data:` address; asked for only where pictures can be seen.
    """

    kind: ClassVar[str] = "picture"
    words: str
    draw: Callable[[], str]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Fold:
    """Detail behind a summary that already says what matters; open where nothing can fold."""

    kind: ClassVar[str] = "fold"
    summary: Line
    body: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """One thing.

    Attributes:
        title: Its name; none where a heading already says it.
        badges: What state it is in and how old.
        body: Facts.
        foot: Where it is from and what it is called.
        tone: Of its edge; what it stands for is also said in the badges.
    """

    kind: ClassVar[str] = "card"
    title: Line
    badges: Line
    body: tuple[Block, ...]
    foot: Line = ()
    tone: Tone = "calm"


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading."""

    kind: ClassVar[str] = "section"
    title: Line
    body: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that is shown of one result."""

    kind: ClassVar[str] = "sheet"
    title: Line
    lead: tuple[Line, ...]
    body: tuple[Block, ...]


Block = Para | Bullets | Facts | Grid | Picture | Fold | Card | Section


def joined(parts: list[Line], between: str = " · ") -> Line:
    """The lines that are not empty, one after the other with `between`."""
    out: list[Inline] = []
    for part in parts:
        if part:
            out += [between, *part] if out else part
    return tuple(out)
