"""Telling what was recalled from what was said: memory that comes back through a session is nothing new.

Two nets. Text in the shape of memkit's own answers (cards with ages, ids and panels) is left out of a turn, from the
first such line to the last. And a candidate whose words stand, one behind another, in what is stored already, is left
out, whoever said it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from memkit.model.candidate import Candidate

_CARD = re.compile(
    r"^\s*(?:Recall: [“\"].*|Decided about [“\"].*|Stored entry|id [0-9a-f]{8,64} · .*|.*\bStored (?:today|yesterday|"
    r"[\d,]+ days ago)\b.*|.*\bDecided (?:today|yesterday|[\d,]+ days ago)\b.*|.*\bstored (?:today|yesterday|"
    r"[\d,]+ days ago)\b.*\bid [0-9a-f]{8}.*)$",
    re.MULTILINE,
)
_ID_LINE = re.compile(r"^\s*id [0-9a-f]{8,64} · ", re.MULTILINE)
_HINTS: Final = ("tored ", "ecided ", "Recall: ", "id ")
_WORD = re.compile(r"\w+")
_WINDOW: Final = 3


def without_cards(text: str) -> tuple[str, bool]:
    """A text without memkit's own answers in it, and whether there were any.

    One mark alone may be somebody's own words; an id line, or two marks, are not.
    """
    if not any(hint in text for hint in _HINTS):
        return text, False
    marks = list(_CARD.finditer(text))
    if not marks or (len(marks) < 2 and not _ID_LINE.search(text)):
        return text, False
    start = text.rfind("\n\n", 0, marks[0].start()) + 1
    end = text.find("\n\n", marks[-1].end())
    # What a lower-case line goes on with belongs to the card as well: its source, its project.
    return text[: max(start, 0)] + ("" if end < 0 else text[end:]), True


def words_of(text: str) -> list[str]:
    """The words of a text for comparing: folded, without marks."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def stored_already(candidates: Sequence[Candidate], stored: Iterable[str]) -> set[int]:
    """Which candidates (by position) say, word for word, what stands in a stored text.

    Args:
        candidates: Fresh ones.
        stored: Texts of entries and records; read once, and only as far as needed.
    """
    wanted: dict[tuple[str, ...], list[tuple[int, str]]] = {}
    open_ones: set[int] = set()
    for at, candidate in enumerate(candidates):
        words = words_of(candidate.text)
        if words:
            wanted.setdefault(tuple(words[:_WINDOW]), []).append((at, f" {' '.join(words)} "))
            open_ones.add(at)
    found: set[int] = set()
    sizes = {len(key) for key in wanted}
    for text in stored if open_ones else ():
        words = words_of(text)
        whole = ""
        for size in sizes:
            for key in {tuple(words[i : i + size]) for i in range(len(words) - size + 1)} & wanted.keys():
                whole = whole or f" {' '.join(words)} "
                found.update(at for at, said in wanted[key] if said in whole)
        if found == open_ones:
            break
    return found
