"""Secrets out, on the way in: known shapes of keys, tokens and passwords become `[scrubbed:kind]`.

Scrubbing is a net under a person's own care, no security boundary: it knows the shapes of its table
(`scrub_patterns.toml`, extended or cut down by settings) and the names that passwords are given, in the readings of
`scrub_views`. A secret of another shape passes.

What it promises. The whole value goes: where a shape is found, whatever continues it goes with it. What is masked
stays masked: scrubbing the outcome again changes nothing. A text is searched in time linear in its length: a pattern is
tried only where its literal stands, every quantifier is bounded, and none is nested. Text without any of the literals
costs a few look-ups.
"""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memkit.display import count
from memkit.errors import InvalidInputError, SettingsError
from memkit.model.jsontext import MAX_NESTING, Json
from memkit.store.scrub_armour import ARMOUR_CHARS, blocks, body_end
from memkit.store.scrub_extra import compiled, matches
from memkit.store.scrub_marks import MARK, Finding, bare, beside_marks, in_mark
from memkit.store.scrub_names import Reader
from memkit.store.scrub_patterns import Patterns
from memkit.store.scrub_shapes import Prefilter, Shape
from memkit.store.scrub_values import Judge, checks
from memkit.store.scrub_views import View, fold, lower, views

MIN_CHARS = 7
SHORT_CHARS = 64
MAX_REMEMBERED = 4_096
MAX_ROUNDS = 8
MAX_KEY_CHARS = 64

_NAME_REST = re.compile(r"[A-Za-z0-9_-]{0,32}")
_ASCII_WORD = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
# Keys that are as often no secret, a word of a text or a pair of counters: their values are judged, not masked whole.
_SOFT_NAMES = frozenset({"token", "tokens", "secrets", "passwords", "credential", "credentials"})
_NOTHING = frozenset({"none", "null", "nil", "undefined", "true", "false"})
_REFERENCE = re.compile(r"\$\{[^{}]*\}|\$\([^()]*\)|\{\{.*\}\}|<[^<>]*>|\*+")


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text after scrubbing.

    Attributes:
        text: With `[scrubbed:kind]` in the place of each secret.
        counts: How many secrets of each kind were masked; empty where the text is as it was.
    """

    text: str
    counts: dict[str, int] = field(default_factory=dict)


class Scrubber:
    """Finds and masks secrets; made once, used for every text that is about to be written.

    Args:
        patterns: The table of shapes, from `shipped_patterns()`.
        enabled: False lets everything pass unchanged.
        extra: Further kinds, name to regular expression (syntax of the `regex` module); a group `secret` narrows what
            is masked. Each search may take a second.
        exclude: Names of shipped kinds not to look for.

    Attributes:
        enabled: As given.
        kinds: The names of the kinds that are looked for, in order of precedence.

    Raises:
        SettingsError: an unknown name in `exclude`, a name in `extra` that is taken or cannot stand in a mark, or an
            expression that does not compile or matches the empty text.
    """

    def __init__(
        self,
        patterns: Patterns,
        *,
        enabled: bool = True,
        extra: Mapping[str, str] | None = None,
        exclude: Collection[str] = (),
    ) -> None:
        _require_known(exclude, [kind.name for kind in patterns.kinds])
        kinds = [kind for kind in patterns.kinds if kind.name not in exclude]
        taken = {kind.name for kind in kinds}
        self.enabled = enabled
        self._extra = tuple((name, compiled(name, pattern, taken)) for name, pattern in (extra or {}).items())
        self.kinds = (*(name for name, _ in self._extra), *(kind.name for kind in kinds))
        self._rank = {name: n for n, name in enumerate(self.kinds)}
        judge = Judge(patterns.placeholders, patterns.sentence_words)
        tests = checks(judge)
        self._reader = Reader(re.compile(patterns.separator), patterns, judge)
        shapes = [Shape(kind, tests[kind.check] if kind.check else None) for kind in kinds]
        self._prefilter = Prefilter(shapes)
        # The same keys, tags and panels come again and again; what was found clean once is clean.
        self._clean: set[str] = set()
        self._kinds_named: dict[str, str | None] = {}
        self._names = [(word, shape) for shape in shapes if shape.kind.reads == "value" for word in shape.kind.keywords]

    def __repr__(self) -> str:
        return f"<Scrubber of {count(len(self.kinds), 'kind')}{'' if self.enabled else ', switched off'}>"

    def switched_on(self) -> Scrubber:
        """The same scrubber, looking whether or not this one does."""
        other = copy.copy(self)
        other.enabled = True
        return other

    # -- text -----------------------------------------------------------------------------------------------------

    def scrub_text(self, text: str) -> Scrubbed:
        """Mask every secret found in `text`.

        Raises:
            SettingsError: an expression of `extra` took longer than a second.
        """
        counts: dict[str, int] = {}
        if not self.enabled or text in self._clean:
            return Scrubbed(text, counts)
        whole = text
        for _ in range(MAX_ROUNDS):  # until nothing is found, so that scrubbing the outcome again changes nothing
            findings = self.findings(text)
            if not findings:
                break
            pieces: list[str] = []
            position = 0
            for start, end, kind in findings:
                pieces += (text[position:start], f"{MARK}{kind}]")
                position = end
                counts[kind] = counts.get(kind, 0) + 1
            text = "".join((*pieces, text[position:]))
        if not counts and len(whole) <= SHORT_CHARS and len(self._clean) < MAX_REMEMBERED:
            self._clean.add(whole)
        return Scrubbed(text, counts)

    def findings(self, text: str) -> list[Finding]:
        """The secrets in `text`, in order and without overlap, whether or not scrubbing is switched on.

        Raises:
            SettingsError: an expression of `extra` took longer than a second.
        """
        if len(text) < MIN_CHARS and not self._extra:
            return []
        found = [
            Finding(*view.span(start, end), kind) for view in views(text) for start, end, kind in self._search(view)
        ]
        if found and MARK in text:
            found = beside_marks(text, found)
        return self._merged(found) if len(found) > 1 else found

    def _merged(self, found: list[Finding]) -> list[Finding]:
        """Overlapping finds as one, under the name that comes first in the table."""
        found.sort(key=lambda item: (item.start, -item.end, self._rank[item.kind]))
        merged: list[Finding] = []
        for item in found:
            last = merged[-1] if merged else None
            if last is None or item.start >= last.end:
                merged.append(item)
            else:
                kind = min(last.kind, item.kind, key=self._rank.__getitem__)
                merged[-1] = Finding(last.start, max(last.end, item.end), kind)
        return merged

    def _search(self, view: View) -> Iterator[tuple[int, int, str]]:
        text = view.text
        for name, pattern in self._extra:
            for start, end in matches(name, pattern, text):
                yield start, end, name
        for haystack, literal, shape in self._prefilter.candidates(text):
            name = shape.kind.name
            if shape.kind.reads == "block":
                for start, end in blocks(text, shape.pattern):
                    yield start, end, name
            else:
                for start, end in self._at(view, haystack, literal, shape):
                    yield start, end, name

    def _at(self, view: View, haystack: str, literal: str, shape: Shape) -> Iterator[tuple[int, int]]:
        """The finds of one kind where one of its literals stands."""
        text = view.text
        marked = MARK in text
        glued = shape.kind.glued
        pattern = shape.pattern
        position = haystack.find(literal)
        while position >= 0:
            resume = position + 1
            if (glued or position == 0 or text[position - 1] not in _ASCII_WORD or view.parted(position)) and (
                match := pattern.match(text, position)
            ):
                span: tuple[int, int] | None = None
                if marked and in_mark(text, position):
                    pass
                elif shape.kind.reads == "shape":
                    span, resume = shape.span(text, match, position)
                elif shape.kind.reads == "body":
                    resume = body_end(text, match.end(), min(len(text), match.end() + ARMOUR_CHARS))
                    span = (match.end(), resume) if resume > match.end() else None
                elif shape.named(haystack, position):
                    span, resume = self._reader.secret_after(text, position, match.end(), shape.kind.family)
                if span:
                    yield span
            position = haystack.find(literal, max(resume, position + 1))

    # -- JSON -----------------------------------------------------------------------------------------------------

    def scrub_json(self, value: Json) -> tuple[Json, dict[str, int]]:
        """Mask every secret in the texts and the keys of a JSON value, and count them by kind.

        A text under a key that names a secret (`{"password": "x"}`) is masked whole. The value handed in is not
        changed; it is returned itself where nothing was found.

        Raises:
            InvalidInputError: nested deeper than memkit stores.
            SettingsError: an expression of `extra` took longer than a second.
        """
        counts: dict[str, int] = {}
        if not self.enabled:
            return value, counts
        return self._json(value, counts, {}, 0), counts

    def _json(self, value: Json, counts: dict[str, int], named: dict[str, str | None], depth: int) -> Json:
        if isinstance(value, str):
            masked = self.scrub_text(value)
            _add(counts, masked.counts)
            return masked.text if masked.counts else value
        if not isinstance(value, (dict, list, tuple)):
            return value
        if depth >= MAX_NESTING:
            raise InvalidInputError(
                f"nested deeper than {MAX_NESTING} levels",
                field="result",
                remedy="Flatten the value before storing it.",
            )
        if isinstance(value, dict):
            return self._object(value, counts, named, depth)
        items = [self._json(item, counts, named, depth + 1) for item in value]
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items

    def _object(
        self, value: dict[str, Json], counts: dict[str, int], named: dict[str, str | None], depth: int
    ) -> dict[str, Json]:
        clean: dict[str, Json] = {}
        changed = False
        label = value.get("name", value.get("key"))  # {"name": "DB_PASSWORD", "value": "..."}
        for key, item in value.items():
            new_key = key
            if isinstance(key, str) and (masked := self.scrub_text(key)).counts:
                new_key = _free_key(masked.text, value, clean)
                _add(counts, masked.counts)
            kind = self._kind_named(label if key == "value" and isinstance(label, str) else key, named)
            new = item if kind is None else _whole(item, kind, counts)
            if new is item:
                new = self._json(item, counts, named, depth + 1)
            clean[new_key] = new
            changed = changed or new is not item or new_key != key
        return clean if changed else value

    def _kind_named(self, key: object, named: dict[str, str | None]) -> str | None:
        """The kind that `key` names, if a text under it is to be masked whole; `named` remembers."""
        if not isinstance(key, str) or len(key) > MAX_KEY_CHARS:
            return None
        if key not in named:
            if key not in self._kinds_named:
                if len(self._kinds_named) >= MAX_REMEMBERED:
                    self._kinds_named.clear()
                self._kinds_named[key] = self._named(fold(key))
            named[key] = self._kinds_named[key]
        return named[key]

    def _named(self, key: str) -> str | None:
        low = lower(key)
        if low in _SOFT_NAMES or key.count(" ") > 3 or self._reader.is_other(key):
            return None
        for word, shape in self._names:
            position = low.rfind(word)
            if position < 0 or (match := shape.pattern.match(key, position)) is None:
                continue
            rest = key[match.end() :]
            if _NAME_REST.fullmatch(rest) and not self._reader.is_benign(rest, match[0]) and shape.named(low, position):
                return shape.kind.name
        return None


def _whole(item: Json, kind: str, counts: dict[str, int]) -> Json:
    """`item` masked whole where it is a text or a list of texts; itself where it is not, or says nothing."""
    if isinstance(item, str):
        if not bare(item) or item.lower() in _NOTHING or _REFERENCE.fullmatch(item):
            return item
        counts[kind] = counts.get(kind, 0) + 1
        return f"{MARK}{kind}]"
    if isinstance(item, (list, tuple)) and item and all(isinstance(part, str) for part in item):
        parts = [_whole(part, kind, counts) for part in item]
        return item if all(new is old for new, old in zip(parts, item, strict=True)) else parts
    return item


def _free_key(key: str, *taken: Collection[str]) -> str:
    """`key`, numbered if another key has become the same."""
    free, n = key, 1
    while any(free in keys for keys in taken):
        n += 1
        free = f"{key} ({n})"
    return free


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for kind, n in more.items():
        counts[kind] = counts.get(kind, 0) + n


def _require_known(exclude: Collection[str], names: Sequence[str]) -> None:
    for name in exclude:
        if name not in names:
            near = difflib.get_close_matches(str(name), names, n=1)
            raise SettingsError(
                f"no kind of secret is called {name!r}",
                field="scrub.exclude",
                remedy=f"Did you mean {near[0]!r}?" if near else "docs/reference/scrubbing.md lists the kinds.",
            )
