"""Chains: membership, order, heads, circles; against a second implementation on random links."""

import random
import time

import pytest

from memkit.catalog.chains import members_of
from tests.stores import NOW, new, put


def steps(edges):
    """Successors and predecessors of (older, newer) pairs."""
    after, before = {}, {}
    for old, fresh in edges:
        after.setdefault(old, []).append(fresh)
        before.setdefault(fresh, []).append(old)
    return after, before


def reached(start, step):
    found, todo = set(), [start]
    while todo:
        for other in step.get(todo.pop(), ()):
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def naive(edges):
    """The same by the definitions: what is reached from where, and the longest way from a beginning."""
    after, before = steps(edges)
    docs = sorted({doc for edge in edges for doc in edge})
    both = {doc: [*after.get(doc, ()), *before.get(doc, ())] for doc in docs}
    ahead = {doc: reached(doc, after) for doc in docs}
    circle = {doc: frozenset({doc} | {other for other in ahead[doc] if doc in ahead[other]}) for doc in docs}
    positions = {}
    while len(positions) < len(docs):
        for doc in docs:
            outside = {other for member in circle[doc] for other in before.get(member, ()) if other not in circle[doc]}
            if doc not in positions and outside <= positions.keys():
                positions[doc] = 1 + max((positions[other] for other in outside), default=0)
    return {
        doc: (
            min({doc} | reached(doc, both)),
            positions[doc],
            tuple(sorted(other for other in {doc} | ahead[doc] if not after.get(other))) or (doc,),
            len(circle[doc]) > 1,
            len({doc} | reached(doc, both)),
        )
        for doc in docs
    }


@pytest.mark.parametrize("seed", range(30))
def test_chains_are_those_of_the_definitions_on_random_links(seed):
    source = random.Random(seed)
    n = source.randrange(2, 40)
    edges = sorted({tuple(source.sample(range(n), 2)) for _ in range(source.randrange(1, 2 * n))})
    if seed % 2:
        edges = [edge for edge in edges if edge[0] < edge[1]]
    found = members_of(*steps(edges))
    assert {m.doc: (m.chain, m.position, m.heads, m.is_circular, m.n_members) for m in found} == naive(edges)


def test_a_chain_of_ten_thousand_takes_one_pass():
    n = 10_000
    edges = [(i, i + 1) for i in range(n)]
    random.Random(1).shuffle(edges)
    begun = time.perf_counter()
    found = members_of(*steps(edges))
    assert time.perf_counter() - begun < 2
    assert [m.position for m in found] == list(range(1, n + 2))
    assert {m.heads for m in found} == {(n,)}
    assert {m.chain for m in found} == {0}


def rows(catalog, columns="entry_id, chain_id, position, head, is_head, n_members, is_circular"):
    table = catalog.sql(f"select {columns} from decision_chains order by position, entry_id, head", as_of=NOW)
    return [tuple(row.values()) for row in table.rows]


def test_the_view_leads_every_decision_to_what_holds_now(store, see):
    first, alone = put(store, new("Which queue?"), new("Which licence?"))
    (second,) = put(store, new("Which queue now?", supersedes=[first]))
    (third,) = put(store, new("Which queue at last?", supersedes=[second]))
    assert set(rows(see(store))) == {
        (first, first, 1, third, False, 3, False),
        (second, first, 2, third, False, 3, False),
        (third, first, 3, third, True, 3, False),
        (alone, alone, 1, alone, True, 1, False),
    }


def test_a_fork_has_a_row_for_each_head(store, see):
    (old,) = put(store, new("Which queue?"))
    left, right = put(store, new("Left", supersedes=[old]), new("Right", supersedes=[old]))
    assert [(entry, head) for entry, head, *_ in rows(see(store), "entry_id, head, position")] == [
        (old, min(left, right)), (old, max(left, right)), (min(left, right), min(left, right)),
        (max(left, right), max(left, right)),
    ]  # fmt: skip


def test_decisions_that_replaced_each_other_are_marked_and_stay_their_own_heads(store, see):
    one, two = put(store, new("One", title="one", supersedes=["two"]), new("Two", title="two", supersedes=["one"]))
    assert set(rows(see(store), "entry_id, head, position, is_head, is_circular")) == {
        (one, one, 1, True, True),
        (two, two, 1, True, True),
    }


def test_an_entry_of_another_panel_is_no_member_of_the_view(store, see):
    (kept, _) = put(store, new("Which queue?"), new("A chat", panel="chat"))
    assert [entry for entry, *_ in rows(see(store))] == [kept]


@pytest.mark.slow
def test_a_catalog_over_a_chain_of_ten_thousand_opens_and_answers(store, see):
    ids = []
    for n in range(20):
        requests = []
        for k in range(500):
            number = n * 500 + k
            requests.append(
                new(f"Decision {number}", f"word{number}", title=f"d{number}", supersedes=[f"d{number - 1}"])
            )
        ids += put(store, *requests)
    begun = time.perf_counter()
    catalog = see(store)
    table = catalog.sql(
        "select max(position) as longest, count(distinct head) as heads from decision_chains", as_of=NOW
    )
    assert table.rows == [{"longest": 10_000, "heads": 1}]
    assert time.perf_counter() - begun < 60
