"""Kinds made ready for searching: which of them a text can hold at all, and where one of them stands.

Most texts hold none of the literals. So a text is first reduced to its distinct words; literals, which only occur in
long words, are looked for in those, and keywords behind a gate (`aws` matters only where `key`, `secret` or `token`
occurs). Only what is left is searched, literal by literal, its pattern tried where the literal stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from memkit.store.scrub_marks import bare
from memkit.store.scrub_patterns import Kind
from memkit.store.scrub_views import lower

LONG_WORD = 16
"""A literal whose kind is not `short` stands in a word of at least this many characters."""
LEAD_CHARS = 40
TAIL_CHARS = 64
"""How much of what stands before a literal, and of what continues a value, is looked at to recognise a secret."""

_JOINTS = "_-. '’"


class Shape:
    """One kind; its expressions are compiled when they are first needed."""

    __slots__ = ("_lead", "_pattern", "_tail", "check", "kind")

    def __init__(self, kind: Kind, check: Callable[[str], bool] | None) -> None:
        self.kind = kind
        self.check = check
        self._pattern: re.Pattern[str] | None = None
        self._lead: re.Pattern[str] | None = None
        self._tail: tuple[re.Pattern[str], re.Pattern[str]] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        """Matches at the literal."""
        if self._pattern is None:
            self._pattern = re.compile(self.kind.pattern)
        return self._pattern

    def named(self, low: str, position: int) -> bool:
        """Whether the name at `position` is one of this kind's: one of the words it needs stands before it.

        Args:
            low: The text in lower case.
            position: Where the name begins.
        """
        after = self.kind.after
        return not after or low[max(0, position - LEAD_CHARS) : position].rstrip(_JOINTS).endswith(after)

    def span(self, text: str, match: re.Match[str], position: int) -> tuple[tuple[int, int] | None, int]:
        """What is masked of a match at `position`, None if it fails its test; and where to go on."""
        kind = self.kind
        group: int | str = "secret" if "secret" in match.re.groupindex else 0
        start, end = match.span(group)
        if kind.lead:
            if self._lead is None:
                self._lead = re.compile(rf"(?:{kind.lead})\Z")
            lead = self._lead.search(text, max(0, position - LEAD_CHARS), position)
            if lead is None:
                return None, position + 1
            start = lead.start("secret")
        tail = self._tail
        if kind.tail and tail is None:
            tail = self._tail = (re.compile(f"[{kind.tail}]{{0,{TAIL_CHARS}}}+"), re.compile(f"[{kind.tail}]*+"))
        if self.check is not None:
            seen = tail[0].match(text, end) if tail else None
            if not self.check(text[start : seen.end() if seen else end]):
                return None, end if group == 0 else position + 1
        rest = tail[1].match(text, end) if tail else None
        if rest is not None:
            end += len(rest[0].rstrip("."))
        return ((start, end) if bare(text[start:end]) else None), end


class Prefilter:
    """Says which shapes a text can hold, each with the literal at which to try it."""

    def __init__(self, shapes: Sequence[Shape]) -> None:
        self._long: dict[str, list[tuple[str, Shape]]] = {}
        self._short: list[tuple[str, Shape]] = []
        self._gated: dict[str, list[tuple[str, str, Shape]]] = {}
        self._foreign: dict[str, list[tuple[str, str, Shape]]] = {}
        for shape in shapes:
            kind = shape.kind
            for literal in kind.literals:
                if kind.short:
                    self._short.append((literal, shape))
                else:
                    self._long.setdefault(_mark_of(literal), []).append((literal, shape))
            for keyword in kind.keywords:
                stem = max(keyword.split(), key=len)
                near = [gate for gate in kind.gates if gate in stem] or list(kind.gates) or [stem]
                for gate in near:
                    gates = self._gated if gate.isascii() else self._foreign
                    gates.setdefault(gate, []).append((keyword, stem, shape))

    def candidates(self, text: str) -> Iterator[tuple[str, str, Shape]]:
        """`(haystack, literal, shape)`: where to try which shape; the haystack is `text`, perhaps in lower case."""
        words = set(text.split())
        long = "\n".join([word for word in words if len(word) >= LONG_WORD])
        if long:
            for mark, pairs in self._long.items():
                if mark in long:
                    for literal, shape in pairs:
                        if literal in long and shape.pattern.search(long):
                            yield text, literal, shape
        for literal, shape in self._short:
            if literal in text:
                yield text, literal, shape
        vocabulary = lower("\n".join(words))
        gates = [keywords for gate, keywords in self._gated.items() if gate in vocabulary]
        if not text.isascii():
            gates += [keywords for gate, keywords in self._foreign.items() if gate in vocabulary]
        if not gates:
            return
        low = lower(text)
        done: set[tuple[str, str]] = set()
        for keywords in gates:
            for keyword, stem, shape in keywords:
                if stem in vocabulary and (keyword, shape.kind.name) not in done:
                    done.add((keyword, shape.kind.name))
                    yield low, keyword, shape


def _mark_of(literal: str) -> str:
    """The character of a literal that is rarest in long words; one look for it spares a look for each literal."""
    for mark in ("_", "-", ".", "/", "=", "$", ":"):
        if mark in literal:
            return mark
    return ""
