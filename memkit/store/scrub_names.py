"""Names and the values beside them: where the value begins and ends, and how it is tied to its name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memkit.store.scrub_patterns import Family, Patterns
from memkit.store.scrub_values import LONGEST_WORD, Judge, Tie, Value, name_parts, wordy

READ_CHARS = 64
QUOTED_CHARS = 4096
"""How much of a value is read before it is known to be a secret: unquoted, quoted."""
JUDGED_CHARS = 256
NAME_CHARS = 40
SHORTEST = 4
SHORTEST_BESIDE = 6
"""The fewest characters of an unquoted value that is masked."""

# `&`, `;` and `,` end a value where the next name begins; a quote or bracket inside a value does not end it.
_VALUE_CHAR = r"""(?:[^\s"'`<>|&;,]|["'`](?=[A-Za-z0-9])|[&;,](?![\w.-]{1,40}=|\s|$)|[<>|](?=[^\s<>]))"""
_VALUE = re.compile(rf"{_VALUE_CHAR}{{1,{READ_CHARS}}}+")
_VALUE_REST = re.compile(rf"{_VALUE_CHAR}*+")
_WORD = re.compile(rf"""[^\s"'`<>|]{{1,{READ_CHARS}}}""")
_TRIMMED = ".,;:!?)]}>*\"'`"
_REST = re.compile(r"[A-Za-z0-9_-]{0,32}")
_NAME_MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$:{[(\"'<@/-"
_LISTED = frozenset({"token", "tokens"})
_LINE_BEFORE = re.compile(r"(?:^|\n)[ \t]*(?:- )?[\"']?[a-z0-9_.-]{0,40}\Z")
_LINE_AFTER = re.compile(r"[ \t\r]*(?:#[^\n]*)?(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the value after a name, where there is one and it is a secret.

    Attributes:
        separator: Matches what stands between a name and its value.
        table: Knows the parts of names that make them no secret.
        judge: Decides about values.
    """

    separator: re.Pattern[str]
    table: Patterns
    judge: Judge

    def secret_after(self, text: str, start: int, end: int, family: Family) -> tuple[tuple[int, int] | None, int]:
        """The secret that belongs to the name beginning at `start:end`, None where there is none; where to go on."""
        rest = _REST.match(text, end)
        name_end = rest.end() if rest else end
        tied = self.separator.match(text, name_end)
        if tied is None:
            return None, end
        sep = tied["sep"]
        position = tied.end()
        quote = text[position] if position < len(text) and text[position] in "\"'`" else ""
        if not quote:
            beside = sep.isspace()
            seen = (_WORD if beside else _VALUE).match(text, position)
            if seen is None or seen.end() - position < (SHORTEST_BESIDE if beside else SHORTEST):
                return None, end
            if beside and seen[0].isalpha() and len(seen[0]) <= LONGEST_WORD:
                return None, end  # the next word of a sentence
        if self.is_benign(text[end:name_end], text[start:end]):
            return None, end
        window = text[max(0, start - NAME_CHARS) : start]
        before = window[len(window.rstrip(_NAME_MARKS)) :]
        name = before + text[start:name_end]
        tie = _tie(sep, name, quoted=bool(quote))
        plain = name.lstrip("$:{[(\"'<@/-.")
        if tie is None or (before and self.is_other(plain)):
            return None, end
        if quote:
            first, last = _quoted(text, position)
        elif sep.lstrip().startswith(">"):
            first, last = position, _tag_end(text, position)
        else:
            match = (_WORD if tie <= Tie.SPOKEN else _VALUE).match(text, position)
            first, last = position, match.end() if match else position
        cut = not quote and last - first >= READ_CHARS
        if not quote and not cut:
            last = first + len(text[first:last].rstrip(_TRIMMED))
        value = Value(
            text[first:last][:JUDGED_CHARS],
            tie,
            quoted=bool(quote),
            constant=plain.isupper() or name.lower().startswith("$env:"),
            identifier="_" in plain,
            code="=" in sep and not plain.isupper(),
            line=family == "password" and tie is Tie.MAPPED and not quote and _alone(text, start, name_end, last),
            bare=sep == "=",
        )
        if not self.judge.is_secret(value, family):
            # What is made of words holds no token either: names within it need not be tried again.
            skip = family == "secret" and tie >= Tie.MAPPED and not quote and last - first > 32 and wordy(value.text)
            return None, max(end, last - 24) if skip else end
        if cut:
            more = _VALUE_REST.match(text, last)
            last = more.end() if more else last
            last = first + len(text[first:last].rstrip(_TRIMMED))
        return (first, last), last

    def is_other(self, name: str) -> bool:
        """Whether a whole name is no credential's: `has_password`, `max_tokens`, `next_page_token`."""
        *first, last = name_parts(name) or [""]
        if not first:
            return False
        table = self.table
        return first[0] in table.asking_names or (
            last in _LISTED and all(part in table.listing_names for part in first)
        )

    def is_benign(self, rest: str, stem: str) -> bool:
        """Whether the remainder of a name says that its value is no secret: `_hash`, `Count`, or no word boundary."""
        if not rest:
            return False
        if rest[0].isalpha() and (rest[0].islower() or stem.isupper()):
            return True  # another word: `passwordless`, `SECRETARY`
        parts = name_parts(rest.rstrip("0123456789_-")[-20:])
        return bool(parts) and parts[-1] in self.table.benign_names


def _alone(text: str, start: int, name_end: int, end: int) -> bool:
    """Whether a name in lower case and its value make up a line, as in a settings file."""
    return (
        text[start:name_end].islower()
        and _LINE_AFTER.match(text, end) is not None
        and _LINE_BEFORE.search(text, max(0, start - NAME_CHARS), start) is not None
    )


def _quoted(text: str, start: int) -> tuple[int, int]:
    """The inside of the quotes that open at `start`; the rest of the line where they are not closed."""
    quote = text[start]
    if text.startswith(quote * 3, start):
        quote *= 3
    first = start + len(quote)
    limit = min(len(text), first + QUOTED_CHARS)
    line = text.find("\n", first, limit)
    if len(quote) == 1 and line >= 0:
        limit = line
    last = text.find(quote, first, limit)
    while last > first and _escaped(text, last, first):
        last = text.find(quote, last + 1, limit)
    if last >= 0:
        return first, last
    match = _VALUE.match(text, first)  # cut off, or no opening quote at all
    return first, match.end() if match else first


def _escaped(text: str, position: int, start: int) -> bool:
    n = 0
    while position - n > start and n < 64 and text[position - n - 1] == "\\":
        n += 1
    return n % 2 == 1


def _tag_end(text: str, start: int) -> int:
    end = text.find("<", start, start + QUOTED_CHARS)
    return start + len(text[start:end].rstrip()) if end >= 0 else start


def _tie(separator: str, name: str, *, quoted: bool) -> Tie | None:
    """How a value is bound to its name by what stands between them; None where that is no bond."""
    core = separator.strip()
    if core.startswith(">"):
        return Tie.ASSIGNED if "<" in name else None
    if "value" in core.lower():
        return Tie.ASSIGNED
    if "=" in core:
        return Tie.ASSIGNED if quoted or separator == "=" else Tie.MAPPED
    if core.startswith((":", "->", "→")):
        return Tie.ASSIGNED if quoted else Tie.MAPPED
    if core == "|" or any(char.isalpha() for char in core):
        return Tie.SPOKEN
    if not core and name.startswith("-"):
        return Tie.SPOKEN  # an option of a command
    return Tie.BESIDE
