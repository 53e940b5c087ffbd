"""Sections of a Markdown document, and what their headings announce.

`sections` splits a document at ATX headings (`## Decision`), setext headings (underlined) and lines that are bold and
hold a known word; headings inside code fences, front matter and HTML comments do not count. `kind_of` looks a heading
up in the one table of words (`heading_words.HEADINGS`). Text in another shape loses nothing: what stands before the
first heading is a section of level 0.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from memkit.model.heading_words import HEADINGS

WORDS: Final[dict[str, tuple[str, ...]]] = {
    kind: tuple(dict.fromkeys(word for words in by_language.values() for word in words))
    for kind, by_language in HEADINGS.items()
}
BOLD_LEVEL: Final = 7
MAX_HEADING_CHARS: Final = 400


def _key(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()


_KIND_OF: Final[dict[str, str]] = {_key(word): kind for kind in reversed(WORDS) for word in WORDS[kind]}


@lru_cache(maxsize=1)
def _languages() -> dict[str, frozenset[str]]:
    rows = [(_key(word), name) for by in HEADINGS.values() for name, words in by.items() for word in words]
    return {word: frozenset(name for key, name in rows if key == word) for word in {key for key, _ in rows}}


_FENCE = re.compile(r"[ \t]*(?:>[ \t]*)?(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(`{3,}|~{3,})([^`]*)$")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_NOT_PARAGRAPH = re.compile(r"[ \t]*(?:[-*+•>|#]|$|={2,}|`{3}|~{3})|.*\|.*\|")
_BOLD_LINE = re.compile(r"[ \t]*(\*\*|__)(?P<text>[^*_]{1,60}?)[:：]?\1[ \t]*[:：]?[ \t]*$")
_LEAD = re.compile(r"^(?:\d+(?:\.\d+)*[.):]?\s+|[\W_]+)*")
_TAIL = re.compile(r"(?:[\s.:!?…？。：#*_]|[(（\[][^()（）\[\]]*[)）\]])+$")
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")
_RULE = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_META_LINE = re.compile(r"[\"']?[A-Za-z\u00c0-\uffff][^:{}\[\]]{0,60}[\"']?\s*:(?:\s|$)")


@dataclass(frozen=True, slots=True)
class Section:
    """One heading and the text below it, up to the next heading of any level.

    Attributes:
        level: 1 to 6; 0 for the text before the first heading; 7 for a line that is all bold.
        title: The heading's text without marks.
        body: The text below it.
        kind: What the heading announces (a key of `HEADINGS`), or None.
        value: What follows the known word in the heading itself: `Accepted` of `## Status: Accepted`.
        line: The heading's line, counted from 0; 0 for the text before the first heading.
    """

    level: int
    title: str
    body: str
    kind: str | None
    value: str = ""
    line: int = 0


@lru_cache(maxsize=4096)
def read_heading(heading: str) -> tuple[str | None, str]:
    """What a heading announces and what it says about it: `3. Status: Accepted` -> (`status`, `Accepted`)."""
    if len(heading) > MAX_HEADING_CHARS:
        return None, ""
    shown = unicodedata.normalize("NFKC", without_comments(heading)).replace("’", "'").replace("`", "")
    text = _LEAD.sub("", shown.replace("*", "")).strip()
    kind = _KIND_OF.get(_TAIL.sub("", text).casefold()) or _KIND_OF.get(text.casefold())
    if kind:
        return kind, ""
    for mark in (":", " - ", " – ", " — "):
        word, found, value = text.partition(mark)
        kind = _KIND_OF.get(_TAIL.sub("", word).casefold()) if found else None
        if kind:
            return kind, value.strip()
    # Bilingual headings: `決定 (Decision)`, `Decision / Entscheidung`.
    for word in re.split(r"\s*[/|(（)）]\s*", text):
        kind = _KIND_OF.get(_TAIL.sub("", word).casefold())
        if kind and len(word) >= len(text) / 3:
            return kind, ""
    return None, ""


def kind_of(heading: str) -> str | None:
    """What a heading announces, or None: `## 3. Décision :` -> `decision`."""
    return read_heading(heading.lstrip("# "))[0]


def language_of(markdown: str) -> str | None:
    """The language most known headings of a document belong to, where its words are not also English; else None."""
    counts: Counter[str] = Counter()
    for section in sections(markdown):
        word = _TAIL.sub("", _LEAD.sub("", unicodedata.normalize("NFKC", section.title))).casefold()
        languages = _languages().get(word, frozenset())
        if languages and "en" not in languages:
            counts.update(languages)
    return min(counts, key=lambda name: (-counts[name], name)) if counts else None


def split_front_matter(text: str) -> tuple[str | None, str, int]:
    """Cut YAML (`---`) or TOML (`+++`) front matter off.

    Returns:
        The text between the marks (None where there is none), the rest, and the number of lines cut off. A document
        that merely starts with a horizontal rule keeps it.
    """
    lines = text.removeprefix("\ufeff").split("\n")
    first = next((i for i, line in enumerate(lines[:5]) if line.strip()), 0)
    mark = lines[first].rstrip() if lines else ""
    if mark not in ("---", "+++"):
        return None, text.removeprefix("\ufeff"), 0
    ends = ("---", "...") if mark == "---" else ("+++",)
    for end in range(first + 1, len(lines)):
        if lines[end].rstrip() in ends:
            inner = lines[first + 1 : end]
            if mark == "---" and not _looks_like_keys(inner):
                break
            return "\n".join(inner), "\n".join(lines[end + 1 :]), end + 1
    return None, text.removeprefix("\ufeff"), 0


def _looks_like_keys(lines: list[str]) -> bool:
    told = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    flush = [line for line in told if not line[0].isspace() and not line.startswith(("- ", "}", "]"))]
    return not told or (bool(flush) and sum(bool(_META_LINE.match(line)) for line in flush) * 2 > len(flush))


def open_lines(body: str) -> Iterator[tuple[int, str, bool]]:
    """The lines of a text as (number, line, open); not open are those of code fences and of HTML comments.

    A comment on one line is taken out of it. A fence or comment that is never closed is taken as ordinary text.
    """
    lines = [line.rstrip("\r") for line in body.split("\n")]
    at = 0
    closable = True
    never: dict[str, int] = {}  # mark -> the shortest fence of it that nothing closes from here on
    while at < len(lines):
        line = lines[at]
        fence = _FENCE.match(line)
        end = at
        if fence and len(fence.group(1)) < never.get(fence.group(1)[0], len(line) + 1):
            end = _fence_end(lines, at, fence.group(1))
            if end == at:
                never[fence.group(1)[0]] = len(fence.group(1))
        if end > at:
            yield from ((i, lines[i], False) for i in range(at, end + 1))
            at = end + 1
            continue
        line = without_comments(line)
        if "<!--" in line and closable:
            close = next((i for i in range(at + 1, len(lines)) if "-->" in lines[i]), at)
            closable = close > at
            if closable:
                yield at, line[: line.index("<!--")], True
                yield from ((i, lines[i], False) for i in range(at + 1, close))
                yield close, without_comments(lines[close].split("-->", 1)[1]), True
                at = close + 1
                continue
        yield at, line, True
        at += 1


def without_comments(line: str) -> str:
    """A line without the HTML comments that begin and end in it."""
    start = line.find("<!--")
    if start < 0:
        return line
    parts = []
    at = 0
    while start >= 0:
        end = line.find("-->", start + 4)
        if end < 0:
            break
        parts.append(line[at:start])
        at = end + 3
        start = line.find("<!--", at)
    return "".join(parts) + line[at:]


def _fence_end(lines: list[str], start: int, mark: str) -> int:
    """The line that closes the fence opened at `start`, or `start` where none does."""
    for i in range(start + 1, len(lines)):
        close = _FENCE.match(lines[i])
        if close and close.group(1).startswith(mark) and not close.group(2).strip():
            return i
    return start


def sections(markdown: str) -> list[Section]:
    """Split a document at its headings; see the module for what counts as one."""
    return list(_sections(markdown))


@lru_cache(maxsize=2)
def _sections(markdown: str) -> tuple[Section, ...]:
    """Kept for the last texts, because one reader after another asks for its own section of the same text."""
    _, body, skipped = split_front_matter(markdown)
    split = _split(body, skipped, bare_words=False)
    if not any(section.kind for section in split):
        again = _split(body, skipped, bare_words=True)
        if sum(section.kind is not None for section in again) > 1:
            split = again
    return tuple(section for section in split if section.level > 0 or section.body.strip())


def _split(body: str, skipped: int, *, bare_words: bool) -> list[Section]:
    found: list[Section] = []
    level, title, start = 0, "", skipped
    text: list[str] = []

    def close() -> None:
        kind, value = read_heading(title) if title else (None, "")
        found.append(Section(level, title, "\n".join(text).strip("\n"), kind, value, start))

    for number, line, is_open in open_lines(body):
        heading = _heading(line, text, bare_words=bare_words) if is_open else None
        if heading is None:
            text.append(line)
            continue
        new_level, new_title, underlined = heading
        if underlined:
            text.pop()
        close()
        level, title, start, text = new_level, new_title, number + skipped - (1 if underlined else 0), []
    close()
    return found


def _heading(line: str, before: list[str], *, bare_words: bool) -> tuple[int, str, bool] | None:
    """Level, title and whether the line only underlines the one before it."""
    atx = _ATX.match(line)
    if atx:
        title = line[atx.end() :].strip()
        bare = title.rstrip("#")
        return len(atx.group(1)), bare.rstrip() if not bare or bare[-1].isspace() else title, False
    bold = _BOLD_LINE.match(line)
    if bold and kind_of(bold["text"]):
        return BOLD_LEVEL, bold["text"].strip(), False
    setext = _SETEXT.match(line)
    if setext and before and not _NOT_PARAGRAPH.match(before[-1]) and not (before[1:] and before[-2].strip()):
        last = before[-1].strip()
        if setext.group(1)[0] == "=" or not _META_LINE.match(last.replace("*", "")):
            return (1 if setext.group(1)[0] == "=" else 2), last, True
    if bare_words and line.strip() and len(line) < 60 and not line[0].isspace():
        kind, value = read_heading(line)
        if kind and not value and not _BULLET.match(line):
            return BOLD_LEVEL, line.strip().rstrip(":："), False
    return None


def section_text(markdown: str, kind: str) -> str | None:
    """The text under the first heading of this kind that has one, with its sub-sections, or None."""
    found = sections(markdown)
    for at, section in enumerate(found):
        if section.kind == kind:
            text = text_below(found, at)
            if text:
                return text
    return None


def text_below(found: list[Section], at: int) -> str:
    """The text of `found[at]` and of its sub-sections, up to the next heading that is known or not below it."""
    first = found[at]
    parts = [first.value, first.body]
    for section in found[at + 1 :]:
        if section.level <= first.level or section.kind is not None:
            break
        parts.append(f"{section.title}\n{section.body}")
    return "\n\n".join(part.strip() for part in parts if part.strip())


def bullets(text: str) -> Iterator[str]:
    """The top-level list items of a text, continuation lines joined, sub-items kept inside their item."""
    item: list[str] = []
    indent = 0
    blank = False
    for _, line, is_open in open_lines(text):
        if not is_open or _RULE.match(line):
            continue
        match = _BULLET.match(line)
        lead = len(line) - len(line.lstrip())
        if match and (not item or lead <= indent):
            if item:
                yield " ".join(item)
            item, indent = [match.group(1).strip()], lead
        elif item and line.strip() and (match or not blank or lead > indent):
            item.append((match.group(1) if match else line).strip())
        elif item and line.strip():
            yield " ".join(item)
            item = []
        blank = not line.strip()
    if item:
        yield " ".join(item)
