"""Private keys in armour: `-----BEGIN ... PRIVATE KEY-----` and what follows, also when an end is missing."""

from __future__ import annotations

import re
from collections.abc import Iterator

ARMOUR_CHARS = 16384
"""How far back a key without its BEGIN is followed."""

_WORD = re.compile(r"\S+")
_LINE_MARKS = "\\>|#+*\"',-"  # of quotes, diffs, comments, string literals
_BODY = re.compile(r"[A-Za-z0-9+/=]{16,}")
_PART = re.compile(r"[A-Za-z0-9+/=]+")
_HEADER = re.compile(
    r"\s*(?:[>|#+*\"'-]\s?)?(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|X-[A-Za-z-]{1,30}):[^\n]*\n"
)


def blocks(text: str, edge: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The armoured keys of `text`.

    Args:
        text: Any text.
        edge: Matches a BEGIN or END line; its group `edge` says which.

    A mention of the lines without a key between them is left alone.
    """
    edges = [(match.start(), match.end(), match["edge"] == "BEGIN") for match in edge.finditer(text)]
    for n, (start, end, begins) in enumerate(edges):
        next_start, next_end, next_begins = edges[n + 1] if n + 1 < len(edges) else (len(text), len(text), True)
        if begins and not next_begins:
            if _BODY.search(text, end, next_start):
                yield start, next_end
        elif begins:
            last = body_end(text, end, next_start)
            if last > end:
                yield start, last
        elif n == 0 or not edges[n - 1][2]:
            first = _body_start(text, max(edges[n - 1][1] if n else 0, start - ARMOUR_CHARS), start)
            if first < start:
                yield first, end


def body_end(text: str, start: int, end: int) -> int:
    """Where the base64 that follows `start` ends, at most at `end`; `start` where there is none."""
    position = start
    while (header := _HEADER.match(text, position, end)) is not None:
        position = header.end()
    last = start
    for match in _WORD.finditer(text, position, end):
        word = match[0].lstrip(_LINE_MARKS)
        if not word:
            continue
        part = _PART.match(word)
        run = part[0] if part else ""
        if not _BODY.fullmatch(run) and not (last > start and _remnant(run)):
            break
        last = match.end() - len(word) + len(run)
        if word[len(run) :].strip(_LINE_MARKS):  # the key ends within the word
            break
    return last


def _body_start(text: str, start: int, end: int) -> int:
    """Where the base64 that ends at `end` begins; `end` where there is none."""
    first, seen = end, False
    for match in reversed(list(_WORD.finditer(text, start, end))):
        word = match[0].strip(_LINE_MARKS)
        if not word:
            continue
        if _BODY.fullmatch(word):
            first, seen = match.start(), True
        elif first == end and _PART.fullmatch(word):  # the last line is shorter than the others
            first = match.start()
        else:
            break
    return first if seen else end


def _remnant(word: str) -> bool:
    """Whether a short word after lines of base64 is the last of them rather than prose."""
    return _PART.fullmatch(word) is not None and not (word.isalpha() and word[1:].islower())
