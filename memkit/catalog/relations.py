"""Which decision replaced which: links settled over all live entries of each project.

A link counts as supersession if the older one says "superseded by" the newer, or the newer says "supersedes" the older
and is itself in force: what is only proposed, or was rejected, replaces nothing by its own word. What was superseded in
part still holds: such a link counts as an amendment. A link that could mean several entries is not followed
(`links.resolve`); it is kept with its candidates.

The heads of an entry are the newest members of its chain: what is reached by following successors to the end. Members
of a circle have no end, so each of them stays its own head.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memkit.model.links import Identity, Link, LinkKind, Resolution, resolve

NOT_IN_FORCE = frozenset({"proposed", "rejected"})
KINDS: tuple[LinkKind, ...] = ("supersedes", "superseded_by", "amends")


@dataclass(frozen=True, slots=True)
class LinkRow:
    """What settling links needs to know of one live entry.

    Attributes:
        doc: Its number in the catalog.
        project_key: Its project; links never leave it.
        identity: Its names; `entry_id` is its id.
        status: As its author gave it.
        links: Link texts by kind.
        partly: Those of the texts that hold in part only.
    """

    doc: int
    project_key: str
    identity: Identity
    status: str
    links: Mapping[LinkKind, Sequence[str]]
    partly: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Relations:
    """Settled links of a catalog, by document number.

    Attributes:
        successors: What replaced a document directly.
        predecessors: What a document replaced directly.
        amended: What a document changes without replacing it.
        ids: The entry id of each document concerned.
        unsettled: Links that are not followed, by project.
    """

    successors: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    predecessors: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    amended: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    ids: Mapping[int, str] = field(default_factory=dict)
    unsettled: Mapping[str, Resolution] = field(default_factory=dict)

    def heads(self, doc: int) -> tuple[int, ...]:
        """The newest members of the chain of `doc`; itself if nothing replaced it."""
        reached = self._reach(doc, self.successors)
        return tuple(d for d in reached if not self.successors.get(d)) or (doc,)

    def replaced_by(self, doc: int) -> tuple[str, ...]:
        """Ids of everything that came after `doc` in its chain, nearest first, newest last."""
        return tuple(self.ids[d] for d in self._reach(doc, self.successors) if d != doc)

    def replaced(self, doc: int) -> tuple[str, ...]:
        """Ids of everything that `doc` took the place of, newest first."""
        return tuple(self.ids[d] for d in self._reach(doc, self.predecessors) if d != doc)

    def older(self, doc: int) -> list[int]:
        """Numbers of everything that `doc` took the place of, newest first."""
        return self._reach(doc, self.predecessors)[1:]

    @staticmethod
    def _reach(doc: int, step: Mapping[int, tuple[int, ...]]) -> list[int]:
        seen = {doc: None}
        queue = [doc]
        for current in queue:
            for other in step.get(current, ()):
                if other not in seen:
                    seen[other] = None
                    queue.append(other)
        return queue


def settle_links(rows: Iterable[LinkRow], editions: Mapping[tuple[str, str], str]) -> Relations:
    """Settle every link among live entries.

    Args:
        rows: Live entries.
        editions: (project key, id of a replaced edition) -> id of the edition that counts now.
    """
    projects: dict[str, list[LinkRow]] = defaultdict(list)
    for row in rows:
        projects[row.project_key].append(row)
    successors: dict[int, list[int]] = defaultdict(list)
    predecessors: dict[int, list[int]] = defaultdict(list)
    amended: dict[int, list[int]] = defaultdict(list)
    ids: dict[int, str] = {}
    unsettled: dict[str, Resolution] = {}
    for key, members in projects.items():
        links = [
            Link(row.identity.entry_id, kind, editions.get((key, text.strip()), text), partly=text in row.partly)
            for row in members
            for kind in KINDS
            for text in row.links.get(kind, ())
        ]
        if not links:
            continue
        resolution = resolve(links, [row.identity for row in members])
        by_id = {row.identity.entry_id: row for row in members}
        for edge in resolution.edges:
            one, other = by_id[edge.from_id], by_id[edge.to_id]
            ids[one.doc], ids[other.doc] = one.identity.entry_id, other.identity.entry_id
            old, new = (one, other) if edge.kind == "superseded_by" else (other, one)
            if edge.kind == "amends" or edge.partly:
                _add(amended, new.doc, old.doc)
            elif edge.kind == "superseded_by" or one.status not in NOT_IN_FORCE:
                _add(successors, old.doc, new.doc)
                _add(predecessors, new.doc, old.doc)
        unsettled[key] = Resolution((), resolution.ambiguous, resolution.dangling, resolution.own)
    return Relations(_frozen(successors), _frozen(predecessors), _frozen(amended), ids, unsettled)


def _add(lists: dict[int, list[int]], key: int, value: int) -> None:
    if value not in lists[key]:
        lists[key].append(value)


def _frozen(lists: Mapping[int, list[int]]) -> dict[int, tuple[int, ...]]:
    return {key: tuple(value) for key, value in lists.items() if value}
