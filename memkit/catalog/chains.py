"""Chains of decisions: which belong together, in which order, and where each leads.

A chain is everything that is connected by supersession. Positions count from 1 for what replaced nothing; a decision
stands one behind the last of those it replaced, so that a successor always has the greater position. Decisions that
replaced each other in a circle share a position and are marked; a circle has no end, so each of its members stays its
own head.

Time and memory grow with decisions plus links: a chain of ten thousand is settled in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Steps = Mapping[int, Sequence[int]]


@dataclass(frozen=True, slots=True)
class Member:
    """One document's place in its chain.

    Attributes:
        doc: Its number.
        chain: The number of a document that all of the chain have in common.
        position: From 1.
        heads: Where its chain ends; itself if nothing replaced it, or if it is part of a circle without an end.
        is_circular: Whether it replaced what replaced it.
        n_members: How many documents the chain has.
    """

    doc: int
    chain: int
    position: int
    heads: tuple[int, ...]
    is_circular: bool
    n_members: int


def members_of(successors: Steps, predecessors: Steps) -> list[Member]:
    """Every document that has a link, with its place; others are chains of their own.

    Args:
        successors: What replaced a document directly.
        predecessors: What a document replaced directly.
    """
    docs = sorted({*successors, *predecessors})
    knots = _knots(docs, successors)
    knot_of = {doc: number for number, knot in enumerate(knots) for doc in knot}
    chain_of = _components(docs, successors)
    sizes: dict[int, int] = {}
    for doc in docs:
        sizes[chain_of[doc]] = sizes.get(chain_of[doc], 0) + 1
    # `_knots` gives every knot after those it leads to.
    ends: list[frozenset[int]] = []
    for knot in knots:
        onward = {knot_of[other] for doc in knot for other in successors.get(doc, ()) if other not in knot}
        reached = {ends[number] for number in onward}
        if not onward:
            ends.append(frozenset(knot) if len(knot) == 1 else frozenset())
        else:
            ends.append(next(iter(reached)) if len(reached) == 1 else frozenset().union(*reached))
    positions = [0] * len(knots)
    for number in range(len(knots) - 1, -1, -1):
        before = {knot_of[other] for doc in knots[number] for other in predecessors.get(doc, ())} - {number}
        positions[number] = 1 + max((positions[other] for other in before), default=0)
    found = []
    for doc in docs:
        number = knot_of[doc]
        heads = tuple(sorted(ends[number])) or (doc,)
        chain = chain_of[doc]
        found.append(Member(doc, chain, positions[number], heads, len(knots[number]) > 1, sizes[chain]))
    return found


def chain_rows(members: Sequence[Member], ids: Mapping[int, str]) -> dict[str, list[dict[str, Any]]]:
    """Rows of the tables about chains, by table; a chain is named by the first id of what replaced nothing in it.

    Args:
        members: From `members_of`.
        ids: The entry id of each document.
    """
    names: dict[int, str] = {}
    for member in sorted(members, key=lambda m: (m.position, ids[m.doc])):
        names.setdefault(member.chain, ids[member.doc])
    return {
        "chains": [{"doc": m.doc, "head": head} for m in members for head in m.heads if head != m.doc],
        "chain_members": [
            {
                "doc": m.doc,
                "chain_id": names[m.chain],
                "position": m.position,
                "n_members": m.n_members,
                "is_circular": m.is_circular,
            }
            for m in members
        ],
        "chain_heads": [{"doc": m.doc, "head_id": ids[head]} for m in members for head in m.heads],
    }


def _knots(docs: Sequence[int], successors: Steps) -> list[tuple[int, ...]]:
    """Strongly connected sets of documents, each after all it leads to (Tarjan 1972, without recursion)."""
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    on_stack: set[int] = set()
    found: list[tuple[int, ...]] = []
    for start in docs:
        if start in order:
            continue
        work = [(start, iter(successors.get(start, ())))]
        order[start] = low[start] = len(order)
        stack.append(start)
        on_stack.add(start)
        while work:
            doc, rest = work[-1]
            for other in rest:
                if other not in order:
                    order[other] = low[other] = len(order)
                    stack.append(other)
                    on_stack.add(other)
                    work.append((other, iter(successors.get(other, ()))))
                    break
                if other in on_stack:
                    low[doc] = min(low[doc], order[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[doc])
                if low[doc] == order[doc]:
                    knot = []
                    while True:
                        other = stack.pop()
                        on_stack.discard(other)
                        knot.append(other)
                        if other == doc:
                            break
                    found.append(tuple(sorted(knot)))
    return found


def _components(docs: Sequence[int], successors: Steps) -> dict[int, int]:
    """The smallest document number of everything connected with a document."""
    parent = {doc: doc for doc in docs}

    def top(doc: int) -> int:
        while parent[doc] != doc:
            parent[doc] = parent[parent[doc]]
            doc = parent[doc]
        return doc

    for doc in docs:
        for other in successors.get(doc, ()):
            one, two = sorted((top(doc), top(other)))
            parent[two] = one
    return {doc: top(doc) for doc in docs}
