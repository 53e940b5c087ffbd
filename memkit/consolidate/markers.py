"""The table of markers (`markers.toml`), compiled: labels before a colon, headings, phrases that begin a sentence."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from memkit.model.candidate import CATEGORIES

TRIPWIRES: Final = "tripwires"
KINDS: Final = (*CATEGORIES, TRIPWIRES)
_FILE: Final = Path(__file__).with_name("markers.toml")
_BULLET = r"(?:(?P<bullet>[-*+•]|\d{1,3}[.)])[ \t]+)?(?P<box>\[[ xX]\][ \t]+)?"
# A mark or two, such as an emoji; none that quotes, comments, strikes out or makes a table.
_SIGN = r"(?:[^\w\s\"'“”‘’«»„`>|(\[{<#/\\~*_:：.,;!?-]{1,4}[ \t]*)?"
_EMPHASIS = r"(?:\*\*|__|\*|_)?"
_LEAD = re.compile(r"^(?:\d+(?:\.\d+)*[.):]?\s+|[^\w]+)+")
_TAIL = re.compile(r"[\s.:!…#*_]+$")
_WHICH = r"(?:[ \t]*(?:#?\d{1,3}|\([^()\n]{1,40}\)))?"


@dataclass(frozen=True, slots=True)
class Label:
    """A label at the beginning of a line.

    Attributes:
        kind: A category, or `tripwires`.
        is_list: What follows is a list, each item of which counts.
        text: What follows on the line.
        bullet: The mark of a list item before it, or "".
        box: A checkbox before it, or "".
        indent: White space before all of it.
    """

    kind: str
    is_list: bool
    text: str
    bullet: str
    box: str
    indent: int


class Markers:
    """The table, ready for use."""

    def __init__(self, table: Mapping[str, Any]) -> None:
        self._labels: dict[str, tuple[str, bool]] = {}
        for group, is_list in (("lists", True), ("labels", False)):
            for kind, by_language in table[group].items():
                for word in _words(by_language):
                    self._labels[_key(word)] = (kind, is_list)
        self._sections = {
            _key(word): kind for kind, by_language in table["sections"].items() for word in _words(by_language)
        }
        words = "|".join(re.escape(word) for word in sorted(self._labels, key=len, reverse=True))
        label = rf"{_EMPHASIS}(?P<label>{words}){_WHICH}{_EMPHASIS}[ \t]*[:：]{_EMPHASIS}[ \t]*(?P<text>.*)"
        self._line = re.compile(rf"(?P<indent>[ \t]*){_BULLET}{_SIGN}{label}", re.IGNORECASE)
        self._inside = re.compile(rf"(?<=[.!?]) +{label}", re.IGNORECASE)
        phrases = [f"(?:{one})" for by_language in table["phrases"].values() for one in _words(by_language)]
        self._phrase = re.compile("|".join(phrases), re.IGNORECASE)
        self._nothing = re.compile("|".join(f"(?:{one})" for one in _words(table["nothing"])), re.IGNORECASE)
        self._undone = tuple(_key(word) for word in _words(table["undone"]))
        told = [*self._labels, *self._sections, *_PHRASE_STEMS]
        self._stems = tuple(
            word for word in dict.fromkeys(told) if not any(other != word and other in word for other in told)
        )

    def may_hold(self, text: str) -> bool:
        """Whether a text can hold a marker at all; quick, and sometimes wrongly yes."""
        folded = text.casefold()
        return any(stem in folded for stem in self._stems)

    def label(self, line: str) -> Label | None:
        """The label at the beginning of a line."""
        if ":" not in line and "：" not in line:
            return None
        match = self._line.match(line)
        return self._read(match) if match else None

    def inside(self, line: str) -> tuple[int, Label] | None:
        """The first label that begins a sentence inside a line, with a capital where its letters have them."""
        if ":" not in line and "：" not in line:
            return None
        for match in self._inside.finditer(line):
            first = match["label"][0]
            if not first.islower():
                return match.start(), self._read(match)
        return None

    def _read(self, match: re.Match[str]) -> Label:
        found = match.groupdict()
        kind, is_list = self._labels[_key(match["label"])]
        return Label(
            kind=kind,
            is_list=is_list,
            text=match["text"].strip(),
            bullet=found.get("bullet") or "",
            box=found.get("box") or "",
            indent=len((found.get("indent") or "").expandtabs(4)),
        )

    def section(self, heading: str) -> tuple[str | None, str]:
        """What a heading announces, and what it says about it behind a colon."""
        name, _, value = _bare(heading).partition(":")
        return self._sections.get(_TAIL.sub("", _key(name))), value.strip()

    def is_list(self, heading: str) -> bool:
        """Whether a heading is in the plural: each item below it counts by itself."""
        return self._labels.get(_TAIL.sub("", _key(_bare(heading))), ("", False))[1]

    def begins_decision(self, sentence: str) -> bool:
        """Whether a sentence begins as one that tells a decision."""
        return self._phrase.match(sentence) is not None

    def says_nothing(self, text: str) -> bool:
        """Whether what stands behind a label is that there is nothing, or nothing yet."""
        return self._nothing.match(text.strip().lstrip("*_ ")) is not None

    def is_undone(self, text: str) -> bool:
        """Whether words take back what a sentence seems to say."""
        folded = _key(text).replace("’", "'")
        return any(word in folded for word in self._undone)


# Pieces of the phrases, for the quick look; a test proves that no phrase is missed by them.
_PHRASE_STEMS: Final = (
    "decided", "agreed", "beschlossen", "entschieden", "geeinigt", "décidé", "convenu", "decidimos", "decidido",
    "decidió", "決め", "決定", "決ま", "决定", "商定",
)  # fmt: skip


def _bare(heading: str) -> str:
    return _LEAD.sub("", heading[:200].replace("*", "").replace("：", ":").strip())


def _key(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


def _words(by_language: Mapping[str, Iterable[str]]) -> list[str]:
    return [word for words in by_language.values() for word in words]


@lru_cache(maxsize=1)
def shipped_markers() -> Markers:
    """The table that comes with memkit."""
    return Markers(tomllib.loads(_FILE.read_text("utf-8")))
