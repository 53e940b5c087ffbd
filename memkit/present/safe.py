"""Text from outside, made visible: nothing hidden, nothing that moves the reader's cursor, nothing endless.

Memories hold whatever people and models wrote. Before such text is shown anywhere it passes here: control characters
(among them the escape that starts a terminal's colour codes), direction overrides, invisible format characters and
lone surrogates are written as `\\x1b`, `\\u202e`, ...; piles of combining marks are cut; the length is bounded.
Joiners stay, because emoji and several scripts need them. Right-to-left text stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import regex

from memkit.present.blocks import Piece, Role, Run

ELLIPSIS = "…"
MAX_MARKS = 5
Breaks = Literal["space", "keep", "escape"]

_NEWLINE = regex.compile(r"\r\n|[\n\r\v\f\u0085\u2028\u2029]")
_SPACES = regex.compile(r"[ \t\u00a0\n\r\v\f\u0085\u2028\u2029]+")
_BLANK_LINES = regex.compile(r"[ \t]*\n[ \t\n]*\n|[ \t]+\n")
# Format characters one sees (Arabic number signs) and joiners that letters and emoji need are no trouble.
_HIDDEN = regex.compile(
    r"[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]"
    r"|[\p{Cf}--[\u200c\u200d\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd]]",
    regex.VERSION1,
)
_MARKS = regex.compile(rf"(\p{{M}}{{{MAX_MARKS}}})(\p{{M}}+)")


def visible(text: str, breaks: Breaks = "space") -> str:
    """`text` with every hidden character written out.

    Args:
        text: Anything.
        breaks: What becomes of line breaks: one `space` for a run of white space, `keep` them (without blank lines),
            or `escape` them as `\\n`.
    """
    if breaks == "space":
        text = _SPACES.sub(" ", text).strip()
    elif breaks == "keep":
        text = _BLANK_LINES.sub("\n", _NEWLINE.sub("\n", text).replace("\t", "    ")).strip("\n ")
    else:
        text = text.replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")
    text = _HIDDEN.sub(lambda m: m.group() if m.group() == "\n" else escape(m.group()), text)
    return _MARKS.sub(lambda m: f"{m.group(1)}(+{len(m.group(2))} marks)", text)


def escape(char: str) -> str:
    """One character as `\\x1b`, `\\u202e` or `\\U000e0041`."""
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def clip(text: str, limit: int) -> str:
    """At most `limit` characters; a cut shows as an ellipsis."""
    return text if len(text) <= limit else text[: max(0, limit - 1)].rstrip() + ELLIPSIS


def shown(text: str, limit: int, breaks: Breaks = "space") -> str:
    """`text` made visible and cut to `limit` characters. Costs no more for a text of megabytes."""
    head = text[: 4 * limit + 64]
    out = visible(head, breaks)
    return clip(out if len(head) == len(text) else out + ELLIPSIS, limit)


def say(text: object, limit: int = 200, role: Role = "plain", breaks: Breaks = "space") -> Piece:
    """Text from outside as a piece that can be shown."""
    return Piece(shown(text if isinstance(text, str) else str(text), limit, breaks), role)


def marked(text: str, matches: Iterable[tuple[int, int]], limit: int) -> Run:
    """`text` with the matched places marked; a long text is cut around its first match.

    Args:
        text: Anything.
        matches: (start, end) offsets in `text`; what is out of range or overlaps an earlier match is left out.
        limit: Characters shown at most, about.
    """
    spans: list[tuple[int, int]] = []
    for start, end in sorted(matches):
        if (spans[-1][1] if spans else 0) <= start < end <= len(text):
            spans.append((start, end))
    first = spans[0][0] if spans else 0
    begin = max(0, first - limit // 3) if len(text) > limit else 0
    if begin:
        space = text.find(" ", begin, first)
        begin = space + 1 if space >= 0 else begin
    stop = min(len(text), begin + limit)
    pieces = [Piece(ELLIPSIS)] if begin else []
    at = begin
    for start, end in spans:
        if start >= stop:
            break
        if start > at:
            pieces.append(Piece(_inner(text[at:start])))
        pieces.append(Piece(_inner(text[start : min(end, stop)]), "mark"))
        at = min(end, stop)
    if at < stop:
        pieces.append(Piece(_inner(text[at:stop])))
    if stop < len(text):
        pieces.append(Piece(ELLIPSIS))
    return Run(tuple(piece for piece in pieces if piece.text))


def _inner(text: str) -> str:
    """Like `visible`, keeping one space at either end."""
    core = visible(text)
    if not core:
        return " " if text else ""
    return f"{' ' if text[:1].isspace() else ''}{core}{' ' if text[-1:].isspace() else ''}"
