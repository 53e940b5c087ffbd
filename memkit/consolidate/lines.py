"""The lines of a text as the rules read them, and lines as a text again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from memkit.model import headings

ITEM = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(\[[ xX]\][ \t]+)?(.*)")


@dataclass(slots=True)
class Line:
    """One line: its number in the text, what is outside of code in it, and its indent."""

    number: int
    text: str
    indent: int


def read_lines(text: str) -> Iterable[Line]:
    """The lines of a text; those inside of code are empty."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    for number, line, is_open in headings.open_lines(text):
        shown = line if is_open else ""
        yield Line(number, shown, len(shown.expandtabs(4)) - len(shown.expandtabs(4).lstrip()))


def joined(lines: list[Line]) -> str:
    """Lines as text: wrapped ones joined, list items and paragraphs on lines of their own."""
    out: list[str] = []
    for line in lines:
        text = line.text.strip()
        is_new = not out or not text or not out[-1] or ITEM.match(line.text) is not None
        if is_new:
            out.append(text)
        else:
            out[-1] += f" {text}"
    return "\n".join(out).strip()


def clean(text: str) -> str:
    """A text without white space around it and without half of a pair of marks."""
    text = text.strip()
    for mark in ("**", "__"):
        if text.count(mark) % 2:
            text = (text.removesuffix(mark) if text.endswith(mark) else text.removeprefix(mark)).strip()
    return text
