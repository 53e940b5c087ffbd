"""The readings of a text in which secrets are looked for, each with the way back to what was written.

A secret hides without meaning to: a zero-width space pasted along, fullwidth letters, a colour code of a terminal, a
string escaped once more as JSON, a percent-encoded query. Every text is therefore read folded (compatibility letters,
dashes and quotes as ASCII, character for character, so that offsets stay), and where something can be taken off or
decoded, a second time with that done. `View.span` translates a find back into offsets of the text as written.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from urllib.parse import unquote

# Blocks that hold every character whose NFKC form is one ASCII character, and the dashes and quotes of typography.
FOLDABLE = (
    "\x0b\x0c\x1c-\x1f\x85\xa0-\xbe\u017f\u02b0-\u02ff\u037e\u1d2c-\u1d6a\u1d9b-\u1dbf\u1fef\u2000-\u200a\u2010-\u201f\u2024\u2028\u2029"
    "\u202f\u2032-\u203a\u2044\u205f\u2070-\u209c\u2100-\u214f\u2160-\u217f\u2212\u2215\u2260\u226e\u226f\u2460-\u24ff\u2c7c\u2c7d"
    "\u3000\ua7f1-\ua7f9\ufb29\ufe10-\ufe6f\uff01-\uff5e\U000107a5\U0001ccd6-\U0001ccf9\U0001d400-\U0001d7ff\U0001f110-\U0001f14f\U0001fbf0-\U0001fbf9"
)
# Characters that are not seen: controls, formats and the default-ignorable ones. Tab and line breaks are seen.
UNSEEN = (
    "\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000110bd\U000110cd"
    "\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
CONTEXT_CHARS = 512
"""How much text around something that was taken off is read once more."""
# ASCII that reads as it stands: everything but controls and the characters that escapes begin with.
_PLAIN = bytes(code for code in range(128) if (code >= 32 or code in b"\t\n\r") and code != 127 and code not in b"\\%&")
_FOLDABLE = re.compile(f"[{FOLDABLE}]")
_WRAPPED = re.compile(
    rf"(?P<unseen>\x1b\[[0-9;?]{{0,20}}[A-Za-z]|[{UNSEEN}]+)"
    r"|\\{1,8}(?:u(?P<pair>d[89ab][0-9a-f]{2}\\{1,8}ud[c-f][0-9a-f]{2})|u(?P<u>[0-9a-f]{4})|x(?P<x>[0-9a-f]{2})"
    r"|(?P<c>[\"'`/nrt]))"
    r"|%(?:25){0,3}(?P<percent>[2-7][0-9a-f]|0[9ad])|(?P<utf8>%[c-f][0-9a-f](?:%[89ab][0-9a-f]){1,3})"
    r"|&(?:(?P<entity>quot|apos|amp|lt|gt|nbsp)|#(?P<decimal>[0-9]{2,5})|#x(?P<hex>[0-9a-f]{2,4}));",
    re.IGNORECASE,
)
_WRAPPING = re.compile(rf"[\\%&{UNSEEN}]")
_UNSEEN_CHAR = re.compile(f"[{UNSEEN}]")
_ESCAPED = {"n": "\n", "r": "\n", "t": "\t"}
_ENTITIES = {"quot": '"', "apos": "'", "amp": "&", "lt": "<", "gt": ">", "nbsp": " "}
_BREAKS = frozenset("\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029")
_QUOTES = {**dict.fromkeys("‘’‚‛′‹›", "'"), **dict.fromkeys("“”„‟″«»", '"')}
_DASHES = frozenset("‐‑‒–—―−")


@dataclass(frozen=True, slots=True)
class View:
    """One reading of a text.

    Attributes:
        text: What is searched.
        starts: For each stretch of `text`, its first offset; empty where offsets are those of the text as written.
        origins: For each stretch, `(start, end, plain)` in the text as written; in a plain one characters correspond.
    """

    text: str
    starts: tuple[int, ...] = ()
    origins: tuple[tuple[int, int, bool], ...] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The offsets, in the text as written, of the non-empty stretch `start:end` of this reading."""
        if not self.starts:
            return start, end
        return self._at(start)[0], self._at(end - 1)[1]

    def parted(self, position: int) -> bool:
        """Whether something was taken off right before `position`, so that no word runs across it."""
        return bool(self.starts) and position > 0 and self._at(position - 1)[1] != self._at(position)[0]

    def _at(self, position: int) -> tuple[int, int]:
        n = bisect_right(self.starts, position) - 1
        start, end, plain = self.origins[n]
        if not plain:
            return start, end
        start += position - self.starts[n]
        return start, start + 1


def views(text: str) -> list[View]:
    """The readings of `text` to search: folded, and, where that says something else, unwrapped as well."""
    if text.isascii() and not text.encode("ascii").translate(None, _PLAIN):
        return [View(text)]
    folded = _FOLDABLE.sub(lambda match: fold_char(match.group()), text)
    unwrapped = _unwrap(folded)
    return [View(folded)] if unwrapped is None else [View(folded), unwrapped]


def fold_char(char: str) -> str:
    """One character as the ASCII character it stands for; itself where there is none."""
    if char in _BREAKS:
        return "\n"
    if char in _DASHES:
        return "-"
    if char in _QUOTES:
        return _QUOTES[char]
    folded = unicodedata.normalize("NFKC", char)
    return folded if len(folded) == 1 else char


def fold(text: str) -> str:
    """A short text (a name, a key) as it is compared: folded and without what is not seen."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN_CHAR.sub("", _FOLDABLE.sub(lambda match: fold_char(match.group()), text))


def lower(text: str) -> str:
    """`text` in lower case, character for character, so that offsets stay."""
    low = text.lower()
    return low if len(low) == len(text) else text.replace("İ", "I").lower()


def _unwrap(text: str) -> View | None:
    """`text` with what hides taken off, or None if nothing does; lines far from any such place are left out."""
    pieces: list[str] = []
    starts: list[int] = []
    origins: list[tuple[int, int, bool]] = []
    position = length = 0

    def put(piece: str, start: int, end: int, *, plain: bool) -> None:
        nonlocal length
        if piece:
            starts.append(length)
            origins.append((start, end, plain))
            pieces.append(piece)
            length += len(piece)

    for hint in _WRAPPING.finditer(text):
        if hint.start() < position or (match := _WRAPPED.match(text, hint.start())) is None:
            continue
        start, end = match.span()
        last, first = _skipped(text, position, start, begun=bool(pieces))
        if first > last:
            if pieces:
                put(text[position:last], position, last, plain=True)
                put("\n", last, first, plain=False)
            position = first
        put(text[position:start], position, start, plain=True)
        put(_unwrapped(match), start, end, plain=False)
        position = end
    if not position:
        return None
    last, _ = _skipped(text, position, len(text) + CONTEXT_CHARS, begun=True)
    put(text[position:last], position, last, plain=True)
    return View("".join(pieces), tuple(starts), tuple(origins))


def _skipped(text: str, position: int, start: int, *, begun: bool) -> tuple[int, int]:
    """The whole lines between `position` and `start` that are far from both; an empty stretch if there are none."""
    last = text.find("\n", position + CONTEXT_CHARS, start - CONTEXT_CHARS) if begun else position
    if last < 0:
        return min(start, len(text)), min(start, len(text))
    first = text.rfind("\n", last, max(last, start - CONTEXT_CHARS))
    return (last, first) if first > last else (min(start, len(text)), min(start, len(text)))


def _unwrapped(match: re.Match[str]) -> str:
    name = match.lastgroup
    if name == "unseen":
        return ""
    value = match[name or 0]
    if name == "c":
        return _ESCAPED.get(value.lower(), value)
    if name == "entity":
        return _ENTITIES[value.lower()]
    if name == "utf8":
        return fold(unquote(value))
    if name == "pair":
        high, low = int(value[:4], 16), int(value[-4:], 16)
        code = 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF)
    else:
        code = int(value, 10 if name == "decimal" else 16)
    if 0xD800 <= code < 0xE000:
        return "\N{REPLACEMENT CHARACTER}"
    return "" if _UNSEEN_CHAR.match(chr(code)) else fold_char(chr(code))
