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
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import regex

TOKENS_VERSION = 1
MAX_TERM_CHARS = 64

_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ーｰ々"
# A Hangul syllable written as its letters (NFD): leading consonants, vowels, trailing consonants.
_SYLLABLE = r"[\u1100-\u115f\ua960-\ua97c]+[\u1160-\u11a7\ud7b0-\ud7c6]+[\u11a8-\u11ff\ud7cb-\ud7fb]*"
_WORD = rf"[[\p{{L}}\p{{N}}\p{{M}}]--[{_UNSPACED}ﾞﾟ]]"
# A run is either unspaced text or words joined by the marks that make a compound.
_RUN = regex.compile(
    rf"(?P<unspaced>[{_UNSPACED}][{_UNSPACED}\p{{M}}ﾞﾟ]*)|(?P<word>{_WORD}+(?:[_\-.'’‐‑]{_WORD}+)*)",
    regex.VERSION1,
)
_PART = regex.compile(rf"{_WORD}+", regex.VERSION1)
_CLUSTER = regex.compile(rf"(?:{_SYLLABLE}|[{_UNSPACED}])[\p{{M}}ﾞﾟ]*", regex.VERSION1)
_CAMEL = regex.compile(r"(?<=[\p{Ll}\p{N}]\p{M}*)(?=\p{Lu})|(?<=\p{Lu}\p{M}*)(?=\p{Lu}\p{M}*\p{Ll})", regex.VERSION1)
_SPLIT = regex.compile(r"[^\p{L}\p{N}\p{M}]+")
_ASCII_RUN = re.compile(r"[A-Za-z0-9]+(?:[_\-.'][A-Za-z0-9]+)*")
_ASCII_PART = re.compile(r"[A-Za-z0-9]+")
# What can make a run more than one word: a mark inside it, or a capital inside a word of it.
_ASCII_SEAM = re.compile(r"[_\-.'A-Z]")
# A piece between spaces with a character beyond ASCII in it; no word reaches across a space.
_FOREIGN = re.compile(r"(?<!\S)[^\s\x80-\U0010ffff]*+[^\x00-\x7f]\S*+")


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
    return [term for piece in pieces(text) for term in terms_of(piece)]


def pieces(text: str) -> list[str]:
    """A text in pieces, whose terms one after another are its terms; the same piece always has the same terms."""
    if text.isascii():
        return _ASCII_RUN.findall(text)
    found: list[str] = []
    position = 0
    for match in _FOREIGN.finditer(text):
        found += _ASCII_RUN.findall(text[position : match.start()])
        found.append(match.group())
        position = match.end()
    return found + _ASCII_RUN.findall(text[position:])


def terms_of(piece: str) -> list[str]:
    """The terms of one of `pieces`."""
    if not piece.isascii():
        return [token.term for token in _tokens(piece)]
    if _is_plain(piece):
        return [piece.lower()[:MAX_TERM_CHARS]]
    return [token.term for token in _compound(piece, 0, _ASCII_PART)]


def locate(text: str, wanted: Collection[str], special: Sequence[Stretch] | None = None) -> list[Token]:
    """The tokens of a text that are among `wanted`, in order; what filtering `tokenize` gives, many times faster.

    `special` is `stretches(text)`, for a caller who looks into the same text again.
    """
    if any(len(term) >= MAX_TERM_CHARS for term in wanted):
        return [token for token in tokenize(text) if token.term in wanted]
    special = stretches(text) if special is None else special
    groups = [
        (stretch.start, [token for token in stretch.tokens if token.term in wanted])
        for stretch in special
        if not stretch.terms.isdisjoint(wanted)
    ]
    simple = [term for term in wanted if term.isascii() and term.isalnum()]
    if simple:
        pattern = re.compile(f"(?<![a-z0-9])(?:{'|'.join(sorted(simple, key=len, reverse=True))})(?![a-z0-9])")
        folded = text.lower() if text.isascii() else text.encode("ascii", "replace").decode("ascii").lower()
        ahead = iter(special)
        stretch = next(ahead, None)
        for match in pattern.finditer(folded):
            start, end = match.span()
            while stretch is not None and stretch.end <= start:
                stretch = next(ahead, None)
            if stretch is None or start < stretch.start:
                groups.append((start, [Token(match.group(), start, end)]))
        groups.sort(key=lambda group: group[0])
    return [token for _, group in groups for token in group]


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of text that is no plain ASCII word: a compound, or a piece between spaces with other characters."""

    start: int
    end: int
    tokens: tuple[Token, ...]
    terms: frozenset[str]


def stretches(text: str) -> tuple[Stretch, ...]:
    """Every such stretch of a text, in order; between them each run of ASCII letters and digits is one term."""
    foreign = [] if text.isascii() else [match.span() for match in _FOREIGN.finditer(text)]
    found = {
        start: _stretch(start, end, [Token(t.term, t.start + start, t.end + start) for t in _tokens(text[start:end])])
        for start, end in foreign
    }
    for start, end in _special_runs(text):
        if not any(low <= start < high for low, high in foreign):
            found[start] = _stretch(start, end, list(_compound(text[start:end], start, _ASCII_PART)))
    return tuple(found[start] for start in sorted(found))


def _special_runs(text: str) -> Iterator[tuple[int, int]]:
    """Where ASCII runs stand that are compounds."""
    done = 0
    for match in _ASCII_SEAM.finditer(text):
        at = match.start()
        # A run begins after a character that is neither letter nor digit; so a capital there is no seam, nor is a mark.
        if at <= done or not _is_ascii_word(text[at - 1]):
            continue
        start = at - 1
        while start > 0 and _is_ascii_word(text[start - 1]):
            start -= 1
        run = _ASCII_RUN.match(text, start)
        if run is not None:
            done = run.end()
            if not _is_plain(run.group()):
                yield run.span()


def _is_ascii_word(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _stretch(start: int, end: int, tokens: Sequence[Token]) -> Stretch:
    return Stretch(start, end, tuple(tokens), frozenset(token.term for token in tokens))


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
