"""Links between decisions: from the words an author wrote to the entry that is meant, or to an honest "not settled".

A link text is a Markdown link (`[ADR 16](0016-file-uploads.md)`), a bare name (`ADR-0020`, `0016-file-uploads`), a
title, or an entry id. It is looked up over all decisions of a project, in this order: entry id, path (relative to the
linking document), slug, the document's own id, number, title. The first step that knows the text decides:

- one entry: an edge;
- several: `ambiguous`, with all of them as candidates;
- none at all: `dangling`, with near misses as candidates;
- the linking document itself: `own`.

Two rules keep this from guessing. A target that names a file (number and slug) means that file: where it is gone, a
record that took over its number or its slug is a candidate and nothing more. A bare number means a record of the same
log, that is, of the nearest enclosing folder with numbered records; another folder's record is meant only where the
two folders share no number, so that they form one sequence.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from memkit.model.link_text import FILE_END, INDEX_NAMES, Target, fold, last_name, parse_target, split_name

__all__ = [
    "Edge",
    "Identity",
    "Link",
    "LinkKind",
    "Resolution",
    "Target",
    "Unsettled",
    "fold",
    "parse_target",
    "resolve",
    "split_name",
]
LinkKind = Literal["supersedes", "superseded_by", "amends"]
MAX_CANDIDATES: Final = 20

_ANY_PREFIX: Final = frozenset({"", "adr", "adrs", "decision", "dr", "madr", "no", "nr", "number", "record", "decisão"})


@dataclass(frozen=True, slots=True)
class Identity:
    """By what names a decision can be meant.

    Attributes:
        entry_id: The entry; unique among the identities given.
        source_path: The document's path with `/`, or None.
        slug: Its name without number and ending, or None.
        document_id: The id it gives itself, or None.
        number: The number in its name or heading, or None; never a key.
        title: Its title.
    """

    entry_id: str
    source_path: str | None = None
    slug: str | None = None
    document_id: str | None = None
    number: str | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """One link as its author wrote it; `partly` where it holds for a part of the other record only."""

    from_id: str
    kind: LinkKind
    text: str
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Edge:
    """One settled link: `from_id` (supersedes | is superseded_by | amends) `to_id`, wholly or `partly`."""

    from_id: str
    to_id: str
    kind: LinkKind
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A link that is not followed.

    Attributes:
        link: As given.
        candidates: Entries it could mean, at most `MAX_CANDIDATES`, by path and id.
        reason: Why it is not followed, in words.
    """

    link: Link
    candidates: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """Every link given, exactly once: in `edges` (repeats fall together), `ambiguous`, `dangling` or `own`.

    Attributes:
        edges: Settled links, in the order given, without repeats.
        ambiguous: Links that could mean several entries.
        dangling: Links to nothing known.
        own: Links of a document to itself.
    """

    edges: tuple[Edge, ...] = ()
    ambiguous: tuple[Unsettled, ...] = ()
    dangling: tuple[Unsettled, ...] = ()
    own: tuple[Unsettled, ...] = ()


def resolve(links: Iterable[Link], identities: Iterable[Identity]) -> Resolution:
    """Settle links over all decisions of a project.

    Args:
        links: As their authors wrote them.
        identities: All decisions that can be meant, one row per entry; older editions left out.

    Returns:
        Every link in exactly one of four places. Time grows with links plus identities.
    """
    names = _Names(identities)
    edges: dict[tuple[str, str, LinkKind], Edge] = {}
    ambiguous: list[Unsettled] = []
    dangling: list[Unsettled] = []
    own: list[Unsettled] = []
    for link in links:
        found, reason, near = names.find(link)
        others = [entry for entry in found if entry != link.from_id]
        if found and not others:
            own.append(Unsettled(link, (link.from_id,), "points at its own document"))
        elif len(found) == 1:
            key = (link.from_id, found[0], link.kind)
            partly = link.partly and (key not in edges or edges[key].partly)
            edges[key] = Edge(*key, partly=partly)
        elif found:
            ambiguous.append(Unsettled(link, names.listed(found), f"{len(found)} records have this {reason}"))
        else:
            dangling.append(Unsettled(link, names.listed(near), reason))
    return Resolution(tuple(edges.values()), tuple(ambiguous), tuple(dangling), tuple(own))


def _folder_of(path: str) -> str:
    return posixpath.dirname(path)


class _Names:
    """The names of all decisions, indexed."""

    def __init__(self, identities: Iterable[Identity]) -> None:
        self.rows: dict[str, Identity] = {}
        self.paths: dict[str, list[str]] = defaultdict(list)
        self.stems: dict[str, list[str]] = defaultdict(list)
        self.slugs: dict[str, list[str]] = defaultdict(list)
        self.ids: dict[str, list[str]] = defaultdict(list)
        self.titles: dict[str, list[str]] = defaultdict(list)
        self.numbers: dict[str, list[str]] = defaultdict(list)
        self.prefixes: dict[str, str] = {}
        self.logs: dict[str, set[str]] = defaultdict(set)
        self.sizes: dict[str, int] = defaultdict(int)
        self.log_numbers: dict[tuple[str, str], list[str]] = defaultdict(list)
        self.shared: dict[tuple[str, str], bool] = {}
        for row in identities:
            self._add(row)

    def _add(self, row: Identity) -> None:
        self.rows[row.entry_id] = row
        stem = ""
        if row.source_path:
            self.paths[posixpath.normpath(row.source_path)].append(row.entry_id)
            stem = last_name(row.source_path)
            self.stems[fold(stem)].append(row.entry_id)
        if row.slug:
            self.slugs[fold(row.slug)].append(row.entry_id)
        if row.document_id:
            self.ids[_id_key(row.document_id)].append(row.entry_id)
        if row.title:
            self.titles[fold(row.title)].append(row.entry_id)
            bare = split_name(row.title)[2]
            if bare and bare != fold(row.title):
                self.titles[bare].append(row.entry_id)
        if row.number:
            number = row.number.lstrip("0") or "0"
            self.numbers[number].append(row.entry_id)
            for name in (row.document_id, stem, row.title):
                prefix, its_number, _ = split_name(name or "")
                if its_number == number and prefix:
                    self.prefixes[row.entry_id] = prefix
                    break
            folder = self._home(row)
            self.logs[folder].add(number)
            self.log_numbers[folder, number].append(row.entry_id)
            self.sizes[folder] += 1

    def _home(self, row: Identity) -> str:
        """The folder of a document; of a folder's README, the folder around it."""
        path = row.source_path or ""
        folder = _folder_of(path)
        stem = FILE_END.sub("", posixpath.basename(path))
        return _folder_of(folder) if stem.casefold() in INDEX_NAMES and folder else folder

    def listed(self, ids: Sequence[str]) -> tuple[str, ...]:
        """Candidates by path and id, the first `MAX_CANDIDATES`."""
        ordered = sorted(set(ids), key=lambda entry: (self.rows[entry].source_path or "", entry))
        return tuple(ordered[:MAX_CANDIDATES])

    def find(self, link: Link) -> tuple[list[str], str, list[str]]:
        """What a link means: the entries it names, by which name (or why none), and near misses."""
        text = link.text.strip()
        if text in self.rows:
            return [text], "entry id", []
        target = parse_target(text)
        here = self.rows.get(link.from_id)
        if target.path:
            found = self._by_path(target, here)
            if found:
                return found, "path", []
        return self._by_name(target, here)

    def _by_path(self, target: Target, here: Identity | None) -> list[str]:
        folder = _folder_of(here.source_path) if here and here.source_path else ""
        starts = [target.path.lstrip("/")] if target.path.startswith("/") else [posixpath.join(folder, target.path)]
        if target.is_url:
            parts = target.path.split("/")
            starts = ["/".join(parts[i:]) for i in range(len(parts) - 1)]
        for start in starts:
            base = posixpath.normpath(start)
            for tried in (base, f"{base}.md", f"{base}/README.md", f"{base}/index.md", f"{base}.markdown"):
                if tried in self.paths:
                    return self.paths[tried]
        return []

    def _by_name(self, target: Target, here: Identity | None) -> tuple[list[str], str, list[str]]:
        near: list[str] = []
        found = self._nearest(self.stems.get(target.stem, []), here)
        if found:
            return found, "name", []
        same_slug = self.slugs.get(target.slug, []) if target.slug else []
        if target.slug and not target.number:
            found = self._nearest(same_slug, here)
            if found:
                return found, "slug", []
        near += same_slug
        # A bare name's own words can be the id; a file's label can be, where its target says nothing by itself.
        for words in dict.fromkeys((target.label, target.stem)):
            same_id = self.ids.get(_id_key(words), [])
            numbered = split_name(words)
            found = self._in_log(same_id, here) if numbered[1] and not numbered[2] else self._nearest(same_id, here)
            if found and not (target.path and target.slug):
                return found, "id", []
            near += same_id
        prefix, number, slug = target.prefix, target.number, target.slug
        names_a_file = bool(target.path and slug)
        if not number and not names_a_file:
            prefix, number, _ = split_name(target.label)
        if number:
            found, elsewhere = self._by_number(prefix, number, here)
            if found and not names_a_file:
                agreeing = [e for e in found if slug and slug in (self.rows[e].slug or "", self._bare_title(e))]
                return agreeing or found, "number", []
            near += found + elsewhere
        if not names_a_file:
            found = self._nearest(self.titles.get(fold(target.label), []), here)
            if found:
                return found, "title", []
        near = [entry for entry in near if here and self._home(self.rows[entry]) == self._home(here)] or near
        if names_a_file:
            return [], "no such document", near
        return [], "no record of this name" if not number else "no record of this number in the same log", near

    def _bare_title(self, entry_id: str) -> str:
        return split_name(self.rows[entry_id].title)[2]

    def _by_number(self, prefix: str, number: str, here: Identity | None) -> tuple[list[str], list[str]]:
        """Records of the linking document's log with this number; where there are none, those of other logs."""
        if here is not None:
            inside = self.log_numbers.get((self._log_of(here), number), [])
            inside = [e for e in inside if self._prefix_fits(prefix, e)]
            if inside:
                return inside, []
        same = [e for e in self.numbers.get(number, []) if self._prefix_fits(prefix, e)]
        return self._in_log(same, here), same

    def _in_log(self, ids: Sequence[str], here: Identity | None) -> list[str]:
        """Those of the linking document's log, else those of folders that continue its sequence."""
        if here is None:
            return list(ids)
        log = self._log_of(here)
        inside = [e for e in ids if self._home(self.rows[e]) == log]
        return inside or [e for e in ids if self._one_sequence(log, self._home(self.rows[e]))]

    def _log_of(self, here: Identity) -> str:
        """The nearest enclosing folder with numbered records other than the document itself."""
        folder = home = self._home(here)
        while self.sizes.get(folder, 0) - (1 if folder == home and here.number else 0) < 1:
            parent = _folder_of(folder)
            if parent == folder:
                return home
            folder = parent
        return folder

    def _one_sequence(self, one: str, other: str) -> bool:
        key = (one, other) if one < other else (other, one)
        if key not in self.shared:
            self.shared[key] = self.logs.get(one, set()).isdisjoint(self.logs.get(other, set()))
        return self.shared[key]

    def _prefix_fits(self, prefix: str, entry_id: str) -> bool:
        its = self.prefixes.get(entry_id, "")
        return not prefix or prefix == its or (prefix in _ANY_PREFIX and its in _ANY_PREFIX)

    def _nearest(self, ids: Sequence[str], here: Identity | None) -> list[str]:
        """Those that share the longest run of folders with the linking document."""
        if len(ids) < 2 or here is None or not here.source_path:
            return list(ids)
        own = _folder_of(here.source_path).split("/")

        def shared(entry: str) -> int:
            parts = _folder_of(self.rows[entry].source_path or "").split("/")
            return next(
                (i for i, (a, b) in enumerate(zip(own, parts, strict=False)) if a != b), min(len(own), len(parts))
            )

        depth: Callable[[str], int] = shared
        most = max(depth(entry) for entry in ids)
        return [entry for entry in ids if depth(entry) == most]


def _id_key(text: str) -> str:
    """`ADR 20`, `adr-0020` and `ADR_020` are the same id."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", fold(text))
