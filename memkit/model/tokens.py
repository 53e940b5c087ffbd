"""Words, defined once, for storing and for asking.

A token is a whole word: letters, digits and combining marks, compared after NFKC and case folding. `auth` is not part
of `author`. A compound (`auth_token`, `re-index`, `RetryPolicy`, `node.js`) gives its parts and, once more, the whole
written together, so that each spelling finds the others. Scripts written without spaces (Han, Kana, Hangul, Thai, Lao,
Khmer, Burmese) give overlapping pairs of characters. There is no list of stop words.

Every token knows where it stands: `text[token.start:token.end]` is the stored spelling, whatever normalisation did.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass

import regex

TOKENS_VERSION = 1
MAX_TERM_CHARS = 64

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々"
_WORD = rf"[[\p{{L}}\p{{N}}\p{{M}}]--[{_UNSPACED}ﾞﾟ]]"
# A run is either unspaced text or words joined by the marks that make a compound.
_RUN = regex.compile(
    rf"(?P<unspaced>[{_UNSPACED}][{_UNSPACED}\p{{M}}ﾞﾟ]*)|(?P<word>{_WORD}+(?:[_\-.'’‐‑]{_WORD}+)*)",
    regex.VERSION1,
)
_PART = regex.compile(rf"{_WORD}+", regex.VERSION1)
_CLUSTER = regex.compile(rf"[{_UNSPACED}][\p{{M}}ﾞﾟ]*", regex.VERSION1)
_CAMEL = regex.compile(r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})", regex.VERSION1)
_SPLIT = regex.compile(r"[^\p{L}\p{N}\p{M}]+")
_ASCII_RUN = re.compile(r"[A-Za-z0-9]+(?:[_\-.'][A-Za-z0-9]+)*")
_ASCII_PART = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class Token:
    """One term and where it stands: `text[start:end]`."""

    term: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """All tokens of a text, in order; the whole of a compound follows its parts."""
    if text.isascii():
        return [t for m in _ASCII_RUN.finditer(text) for t in _compound(m.group(), m.start(), _ASCII_PART)]
    return list(_tokens(text))


def terms(text: str) -> list[str]:
    """The terms of a text in order, with repeats."""
    if not text.isascii():
        return [token.term for token in _tokens(text)]
    found: list[str] = []
    for run in _ASCII_RUN.findall(text):
        if _is_plain(run):
            found.append(run.lower()[:MAX_TERM_CHARS])
        else:
            found += [token.term for token in _compound(run, 0, _ASCII_PART)]
    return found


def locate(text: str, wanted: Collection[str]) -> list[Token]:
    """The tokens of a text that are among `wanted`, in order; the same as filtering `tokenize`, several times faster.

    `wanted` should be a set.
    """
    if not text.isascii():
        return [token for token in _tokens(text) if token.term in wanted]
    found: list[Token] = []
    for match in _ASCII_RUN.finditer(text):
        run = match.group()
        if _is_plain(run):
            term = run.lower()[:MAX_TERM_CHARS]
            if term in wanted:
                found.append(Token(term, match.start(), match.end()))
        else:
            found += [token for token in _compound(run, match.start(), _ASCII_PART) if token.term in wanted]
    return found


def _is_plain(run: str) -> bool:
    """Whether an ASCII run is one word and nothing else: no mark inside, no capital after its first letter but all."""
    return run.isalnum() and (run.islower() or run[1:].islower() or run.isdigit() or run.isupper())


def query_terms(query: str, cap: int) -> tuple[list[str], int]:
    """The distinct terms of a question in order, at most `cap` of them, and how many were left out."""
    distinct = list(dict.fromkeys(terms(query)))
    return distinct[:cap], max(0, len(distinct) - cap)


def _tokens(text: str) -> Iterator[Token]:
    for run in _RUN.finditer(text):
        if run.group("unspaced") is not None:
            yield from _pairs(run.group(), run.start())
        else:
            yield from _compound(run.group(), run.start(), _PART)


def _pairs(run: str, offset: int) -> Iterator[Token]:
    clusters = [(m.start() + offset, m.end() + offset, m.group()) for m in _CLUSTER.finditer(run)]
    if len(clusters) == 1:
        start, end, char = clusters[0]
        yield from _plain(char, start, end)
    for (start, _, left), (_, end, right) in itertools.pairwise(clusters):
        yield from _plain(left + right, start, end)


def _compound(run: str, offset: int, part_pattern: regex.Pattern[str] | re.Pattern[str]) -> Iterator[Token]:
    end = offset + len(run)
    if run.isalnum() and (run.islower() or run.isdigit()):
        yield from _plain(run, offset, end)
        return
    n_parts = 0
    for part in part_pattern.finditer(run):
        start = offset + part.start()
        word = part.group()
        last = 0
        cuts = [] if word.islower() or word.isupper() else [m.start() for m in _CAMEL.finditer(word)]
        for cut in (*cuts, len(word)):
            yield from _plain(word[last:cut], start + last, start + cut)
            n_parts += 1
            last = cut
    if n_parts > 1:
        yield from _plain(_joined(run), offset, end)


def _joined(run: str) -> str:
    """The whole of a compound as one word; a dot stays, because 3.11 is not 311."""
    for mark in ("_", "-", "'", "’", "‐", "‑"):
        run = run.replace(mark, "")
    return run


def _plain(word: str, start: int, end: int) -> Iterator[Token]:
    if word.isascii():
        yield Token(word.lower()[:MAX_TERM_CHARS], start, end)
        return
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", word).casefold())
    if "." in word:  # the whole of a dotted compound keeps its dots
        yield Token(folded[:MAX_TERM_CHARS], start, end)
        return
    # Normalisation may bring in marks that are no part of a word (½ becomes 1⁄2): each piece keeps the place.
    for piece in _SPLIT.split(folded):
        if piece:
            yield Token(piece[:MAX_TERM_CHARS], start, end)
