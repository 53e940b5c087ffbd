"""Which records a record says it replaces, changes or gave way to.

Two ways of saying count. *Said outright*: a front matter key, a labelled line, a section such as "Supersedes", the
status, or a paragraph that begins with the relation ("Superseded by [..]"). *Said in passing*, in a sentence of the
body: only supersession counts there, only of the record itself ("This ADR supersedes .."; not "ADR 3 supersedes ADR
2", not "does not supersede"), and only where nothing was said outright.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memkit.importers.adr.front_matter import texts
from memkit.model.links import parse_target
from memkit.model.relation_words import PARTLY, RELATIONS, Relation, says_nothing

_NAME = r"(?:adrs?|madr|dr|pdr|rfc|decision|record|entscheidung|décision|decisão|decisión)"
_LINKS = (
    r"!?\[(?:[^\[\]]|\[[^\[\]]*\])*\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?:\s+[^()]*)?\)"
    r"|\[\[[^\[\]]+\]\]|\[[^\[\]]+\]\[[^\[\]]*\]"
)
_CODED = r"(?-i:(?<![\w-])(?:[A-Z]{2,6}-){1,2}\d{1,5}\b)"
_NAMED = rf"(?<![\w-]){_NAME}[\s\-_#№.:]{{0,3}}\d{{1,5}}(?:[-_][\w-]+)?(?![\w])|{_CODED}"
_FILES = r"(?<![\w/])[\w./-]{1,300}(?<=[\w-])\.md\b|(?<![\w-])\d{8}-[\w-]{3,}|(?<![\w.-])0\d{2,4}(?:-[\w-]+)?\b"
_BARE = r"(?<![\w.-])#?\d{1,5}(?:-[\w-]+)?(?![\w-]|\.\d)"
REF: Final = rf"(?:{_LINKS}|{_NAMED}|{_FILES})"
LOOSE_REF: Final = rf"(?:{_LINKS}|{_NAMED}|{_FILES}|{_BARE})"
_JOIN = r"(?:\s*(?:,|;|&|/|\+|、|and|und|et|e|y|と|や|和|及び|以及|<br\s*/?>)\s*){1,3}(?:also\s+|the\s+)?"
_FILLER = r"[\s:：*_>`]*(?:(?![.;!?。]\s)[^\[\]()\n。；]){0,60}?"
_LIST_ITEM = re.compile(r"[\s>]*(?:[-*+•]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-Ý\[*_])|(?<=[。！？])")
_NEGATED = re.compile(
    r"\b(?:not|never|cannot|may|might|could|would|should|can|if|when|once|until|nicht|kein\w*|pas|não|no)\b|n't|ない|不|没",
    re.IGNORECASE,
)
_SELF = re.compile(
    r"(?:\b(?:this|the present|the current|diese[rs]?|cette|ce|esta|este|essa|esse)\b|本|この|该|此).{0,40}?"
    r"(?:adr|decision|record|document|proposal|entscheidung|décision|decisão|decisión|documento|決定|决策|决定|記録)|^\W*(?:this|we|it|wir|nous)\W*$",
    re.IGNORECASE,
)
_MOST_CHARS: Final = 20_000  # of one text are looked at
_STRONG = re.compile(r"super[sc]ee?de", re.IGNORECASE)
_PARTLY = re.compile(rf"(?<!\w)(?:{PARTLY})(?!\w)|§|一部|部分", re.IGNORECASE)
_ASPECT = re.compile(r"\w\s+(?:details?|aspects?|parts?|sections?|rules?|clauses?)\b", re.IGNORECASE)
_OPENING = re.compile(
    r"^\W*(?:(?:partly|partially|in part|fully|now|(?:this (?:adr|decision|record) )?(?:is|was|has been))\s+)*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Related:
    """One relation as its author wrote it.

    Attributes:
        relation: `supersedes`, `superseded_by`, `amends`, ...
        text: The other record, as written: a Markdown link or a name.
        origin: Where it was said.
        partly: Whether it holds in part only.
    """

    relation: Relation
    text: str
    origin: str
    partly: bool = False


def _compiled(*, loose: bool) -> tuple[tuple[Relation, re.Pattern[str]], ...]:
    ref = LOOSE_REF if loose else REF
    rows = []
    for relation, _, pattern in RELATIONS:
        adjacent = "(?:" in pattern.rsplit("{ref}", 1)[0] and r"see\s+" in pattern
        if adjacent and not loose:
            continue
        before, _, after = pattern.partition("{ref}")
        boundary = r"(?<!\w)" if re.match(r"[a-z(]", pattern) else ""
        gap = "" if adjacent or after else _FILLER
        gap = r"\s*" if after and before else gap
        rows.append((relation, re.compile(f"{boundary}{before}{gap}(?P<ref>{ref}){after}", re.IGNORECASE)))
    return tuple(rows)


_OUTRIGHT: Final = _compiled(loose=True)
_PASSING: Final = _compiled(loose=False)
_MORE: Final = re.compile(rf"{_JOIN}(?P<ref>{LOOSE_REF})", re.IGNORECASE)
_FIRST: Final = re.compile(LOOSE_REF, re.IGNORECASE)
_ANY: Final = re.compile(REF, re.IGNORECASE)


def said_in_value(relation: Relation, value: object, origin: str) -> list[Related]:
    """A front matter value, a labelled line's value or a section's text, all of it about one relation."""
    found: list[Related] = []
    items = [item for text in texts(value) for item in _items(text)]
    for item in items:
        if says_nothing(item) or _is_placeholder(item):
            continue
        refs = _refs_from(item, _FIRST.search(item))
        partly = _PARTLY.search(item) is not None or bool(refs and _ASPECT.search(item))
        found.extend(Related(relation, text, origin, partly) for text in refs or [item.strip(" .")])
    return found


def said_outright(text: str, origin: str) -> list[Related]:
    """Every relation a status text, or a paragraph that begins with one, names."""
    found: list[Related] = []
    for match, relation in _matches(text, _OUTRIGHT):
        before = text[max(0, match.start() - 30) : match.start()]
        partly = _PARTLY.search(f"{before} {match.group()[: match.start('ref') - match.start()]}") is not None
        found.extend(Related(relation, ref, origin, partly) for ref in _refs_from(text, match))
    return found


def begins_with_relation(text: str) -> bool:
    """Whether a paragraph opens with a relation: "Superseded by ..", "> **Amended by** ..", "- Supersedes .."."""
    start = _OPENING.match(text)
    at = start.end() if start else 0
    return any(match.start() <= at for match, _ in _matches(text[: at + 300], _OUTRIGHT))


def said_in_passing(paragraphs: Iterable[str], own: frozenset[str], origin: str) -> list[Related]:
    """What sentences of the body say about the record itself; `own` holds its own numbers without leading zeros."""
    found: list[Related] = []
    for paragraph in paragraphs:
        if not _STRONG.search(paragraph) and not _SELF.search(paragraph):
            continue
        for sentence in _SENTENCE.split(paragraph):
            found_here = _matches(sentence, _PASSING)
            other = _first_other(sentence, own) if found_here else _MOST_CHARS
            for match, relation in found_here:
                if relation not in ("supersedes", "superseded_by"):
                    continue
                before = sentence[: match.start()]
                if other < match.start() or _NEGATED.search(before[-60:]):
                    continue
                if not _STRONG.match(match.group()) and not (_SELF.search(before) and relation == "supersedes"):
                    continue
                partly = _PARTLY.search(before + match.group()[: match.start("ref") - match.start()]) is not None
                found.extend(Related(relation, ref, origin, partly) for ref in _refs_from(sentence, match))
    return found


def _first_other(sentence: str, own: frozenset[str]) -> int:
    """Where a sentence first names a record that is not this one."""
    named = _ANY.finditer(sentence[:_MOST_CHARS])
    return next((ref.start() for ref in named if parse_target(ref.group()).number not in own), _MOST_CHARS)


def distinct(found: Iterable[Related]) -> list[Related]:
    """One of each relation to the same record; a link with a path is kept before a bare name."""
    kept: dict[tuple[str, str], Related] = {}
    for related in found:
        target = parse_target(related.text)
        label = parse_target(target.label)
        number = target.number or label.number
        key = (related.relation, number or target.stem)
        held = kept.get(key)
        if held is None:
            kept[key] = related
        elif target.path and not parse_target(held.text).path:
            kept[key] = Related(related.relation, related.text, held.origin, held.partly or related.partly)
        elif related.partly and not held.partly:
            kept[key] = Related(held.relation, held.text, held.origin, partly=True)
    return list(kept.values())


def _matches(text: str, patterns: tuple[tuple[Relation, re.Pattern[str]], ...]) -> list[tuple[re.Match[str], Relation]]:
    """Matches in order of place; where two overlap, the more exact row wins."""
    text = text[:_MOST_CHARS]
    taken: list[tuple[int, int]] = []
    found: list[tuple[re.Match[str], Relation]] = []
    for relation, pattern in patterns:
        for match in pattern.finditer(text):
            if not any(match.start() < end and start < match.end() for start, end in taken):
                taken.append(match.span())
                found.append((match, relation))
    return sorted(found, key=lambda pair: pair[0].start())


def _refs_from(text: str, match: re.Match[str] | None) -> list[str]:
    """The record a match names and those joined to it by commas and ands."""
    if match is None:
        return []
    named = "ref" in match.re.groupindex
    first, at = (match["ref"], match.end("ref")) if named else (match.group(), match.end())
    refs = [first]
    more = _MORE.match(text, at)
    while more:
        refs.append(more["ref"])
        more = _MORE.match(text, more.end())
    return [ref.strip() for ref in refs if _is_record(ref)]


def _is_record(ref: str) -> bool:
    """Whether a link can mean a record: an address elsewhere does only if it names a document or a number."""
    if ref.startswith("!"):
        return False
    target = parse_target(ref)
    if not target.is_url:
        return True
    return bool(re.search(r"\.mdx?(?:#|$)", target.path) or target.number or parse_target(target.label).number)


def _is_placeholder(text: str) -> bool:
    return re.search(r"X{3,}|N{3,}|<[^>]+>|\{[^}]*\}|\bYYYY|…|\.\.\.", text) is not None


def _items(text: str) -> Iterator[str]:
    """List items or lines of a text, each on its own; a sub-item with its own record counts as one."""
    item = ""
    for line in text.split("\n"):
        mark = _LIST_ITEM.match(line)
        if mark or not line.strip() or _FIRST.match(line.strip()):
            if item.strip():
                yield item
            item = line[mark.end() :] if mark else line.strip()
        else:
            item = f"{item} {line.strip()}" if item else line.strip()
    if item.strip():
        yield item
