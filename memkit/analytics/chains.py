"""Chains of decisions as a person reads them, and the links that could not be followed.

Links come from what authors wrote, settled by path, slug, id, number or title. One that could mean several entries, or
none, is not followed and listed here, with what it could mean.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, overload

from memkit import clock
from memkit.analytics.gaps import gaps
from memkit.catalog.queries import load
from memkit.display import Charted, Displayable, count

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.catalog.catalog import Catalog

PACKAGE = "memkit.analytics"


@dataclass(frozen=True, slots=True)
class ChainMember:
    """One decision of a chain.

    Attributes:
        entry_id: The decision.
        title: Its title.
        status: Its status now.
        decided_on: Its own day, where known.
        position: From 1; a successor has a greater one than what it replaced.
        is_head: Whether nothing replaced it.
        is_circular: Whether it replaced what replaced it.
        begins_at: Its own day, or when it was stored.
        ends_at: When what replaced it was decided; None if it still holds, never held, or if it is not known.
    """

    entry_id: str
    title: str
    status: str
    decided_on: dt.date | None
    position: int
    is_head: bool
    is_circular: bool
    begins_at: dt.datetime
    ends_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Chain:
    """Decisions connected by supersession, oldest first.

    Attributes:
        chain_id: The first id among those that replaced nothing.
        project_key: Their project.
        members: The decisions.
    """

    chain_id: str
    project_key: str
    members: tuple[ChainMember, ...]

    @property
    def heads(self) -> tuple[ChainMember, ...]:
        """What holds now: one, or several where the chain forks, or each of a circle."""
        return tuple(member for member in self.members if member.is_head)

    @property
    def is_circular(self) -> bool:
        """Whether decisions in it replaced each other."""
        return any(member.is_circular for member in self.members)


@dataclass(frozen=True, slots=True)
class OpenLink:
    """A link that is not followed.

    Attributes:
        entry_id: The decision that has it.
        title: Its title.
        kind: `supersedes`, `superseded_by` or `amends`.
        text: As its author wrote it.
        problem: `ambiguous`, `dangling` or `own` (it points at its own document).
        candidates: Ids of other entries it could mean.
        reason: Why it is not followed.
    """

    entry_id: str
    title: str
    kind: str
    text: str
    problem: str
    candidates: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Chains(Charted, Displayable, Sequence[Chain]):
    """Every chain of two decisions or more.

    Attributes:
        rows: The chains, longest first; of equal ones that which changed last.
        open_links: Links that are not followed.
        as_of: The moment it was asked.
        n_alone: Decisions without a link that is followed.
        data: One row per decision and head, as in the view `decision_chains`.
        gaps: What cannot be read and may be missing here, in sentences.
    """

    rows: tuple[Chain, ...]
    open_links: tuple[OpenLink, ...]
    as_of: dt.datetime
    n_alone: int
    data: pa.Table
    gaps: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Chain: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Chain, ...]: ...
    def __getitem__(self, index: int | slice) -> Chain | tuple[Chain, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[Chain]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Chains: {len(self.rows):,}, {count(len(self.open_links), 'link')} not followed>"

    @property
    def circles(self) -> tuple[Chain, ...]:
        """Chains in which decisions replaced each other."""
        return tuple(chain for chain in self.rows if chain.is_circular)

    def to_arrow(self) -> pa.Table:
        """One row per decision and head."""
        return self.data

    def to_pandas(self) -> Any:
        """`to_arrow` as a data frame."""
        return self.data.to_pandas()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        chains = [
            {
                "chain_id": chain.chain_id,
                "is_circular": chain.is_circular,
                "members": [_member_dict(member) for member in chain.members],
            }
            for chain in self.rows
        ]
        return {
            "as_of": clock.iso(self.as_of),
            "chains": chains,
            "n_alone": self.n_alone,
            "open_links": [asdict(link) for link in self.open_links],
            "gaps": list(self.gaps),
        }


def _member_dict(member: ChainMember) -> dict[str, Any]:
    return {
        **asdict(member),
        "decided_on": member.decided_on.isoformat() if member.decided_on else None,
        "begins_at": clock.iso(member.begins_at),
        "ends_at": clock.iso(member.ends_at) if member.ends_at else None,
    }


def chains(catalog: Catalog, *, as_of: dt.datetime) -> Chains:
    """The chains of a catalog's decisions, and links that are not followed."""
    table = catalog.table(load(PACKAGE, "chains"), as_of=as_of)
    members: dict[tuple[str, str], dict[str, ChainMember]] = {}
    titles: dict[tuple[str, str], str] = {}
    n_alone = 0
    for row in table.rows:
        titles[row["project_key"], row["entry_id"]] = row["title"]
        if row["n_members"] == 1:
            n_alone += 1
            continue
        member = ChainMember(
            entry_id=row["entry_id"],
            title=row["title"],
            status=row["status"],
            decided_on=row["decided_on"],
            position=row["position"],
            is_head=row["is_head"],
            is_circular=row["is_circular"],
            begins_at=row["begins_at"].astimezone(clock.UTC),
            ends_at=row["ends_at"].astimezone(clock.UTC) if row["ends_at"] else None,
        )
        members.setdefault((row["project_key"], row["chain_id"]), {})[member.entry_id] = member
    found = [Chain(chain_id, key, tuple(each.values())) for (key, chain_id), each in members.items()]
    found.sort(key=_longest_and_newest)
    return Chains(tuple(found), _open_links(catalog, titles), as_of, n_alone, table.data, gaps(catalog))


def _longest_and_newest(chain: Chain) -> tuple[int, int, str, str]:
    newest = max(clock.to_ms(member.begins_at) for member in chain.members)
    return (-len(chain.members), -newest, chain.project_key, chain.chain_id)


def _open_links(catalog: Catalog, titles: dict[tuple[str, str], str]) -> tuple[OpenLink, ...]:
    found = []
    for key, resolution in sorted(catalog.unsettled_links.items()):
        for problem in ("ambiguous", "dangling", "own"):
            for unsettled in getattr(resolution, problem):
                link = unsettled.link
                title = titles.get((key, link.from_id), "")
                others = tuple(entry for entry in unsettled.candidates if entry != link.from_id)
                found.append(OpenLink(link.from_id, title, link.kind, link.text, problem, others, unsettled.reason))
    return tuple(found)
