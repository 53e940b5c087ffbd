"""Which decision replaced which: only by explicit links, only by what is in force, never by guess."""

import pytest

from memkit.snapshot.absorbing import absorb
from tests.stores import NOW, new, put


def decisions(catalog):
    columns = "entry_id, status, supersedes, superseded_by, amends"
    return {row["entry_id"]: row for row in catalog.sql(f"select {columns} from decisions", as_of=NOW).rows}


def test_a_newer_decision_in_force_makes_the_older_one_superseded(store, see):
    (old,) = put(store, new("Which database?", status="accepted"))
    (mid,) = put(store, new("Which engine?", status="accepted", supersedes=[old]))
    (top,) = put(store, new("Which storage?", status="accepted", supersedes=[mid]))
    rows = decisions(see(store))
    assert [rows[i]["status"] for i in (old, mid, top)] == ["superseded", "superseded", "accepted"]
    assert (rows[mid]["supersedes"], rows[mid]["superseded_by"]) == ([old], [top])


@pytest.mark.parametrize("status", ["proposed", "rejected"])
def test_what_is_not_in_force_replaces_nothing_by_its_own_word(store, see, status):
    (old,) = put(store, new("Which database?", status="accepted"))
    put(store, new("Which engine?", status=status, supersedes=[old]))
    row = decisions(see(store))[old]
    assert (row["status"], row["superseded_by"]) == ("accepted", [])


def test_the_word_of_the_older_one_counts(store, see):
    (new_id,) = put(store, new("Which engine?", status="proposed"))
    (old,) = put(store, new("Which database?", superseded_by=[new_id]))
    rows = decisions(see(store))
    assert (rows[old]["status"], rows[old]["superseded_by"], rows[new_id]["supersedes"]) == (
        "superseded",
        [new_id],
        [old],
    )


def test_amending_and_replacing_in_part_supersede_nothing(store, see):
    a, b = put(store, new("A?", status="accepted"), new("B?", status="accepted"))
    (c,) = put(store, new("C?", amends=[a], document={"supersedes": [b], "partly": [b], "amends": [a]}))
    rows = decisions(see(store))
    assert [rows[i]["status"] for i in (a, b)] == ["accepted", "accepted"]
    assert sorted(rows[c]["amends"]) == sorted([a, b])
    assert rows[c]["supersedes"] == []


def test_an_ambiguous_link_is_not_followed_and_is_listed(store, see):
    put(store, new("A?", document={"number": "7", "title": "One"}), new("B?", document={"number": "7", "title": "Two"}))
    (c,) = put(store, new("C?", document={"supersedes": ["ADR-7"], "number": "9", "title": "Three"}))
    catalog = see(store)
    assert {row["status"] for row in decisions(catalog).values()} == {"unknown"}
    (unsettled,) = catalog.unsettled_links[store.paths.key].ambiguous
    assert (unsettled.link.from_id, len(unsettled.candidates)) == (c, 2)


def test_a_circle_hides_nobody(store, see):
    (a,) = put(store, new("A?", document={"title": "alpha", "supersedes": ["beta"]}))
    (b,) = put(store, new("B?", document={"title": "beta", "supersedes": ["alpha"]}))
    catalog = see(store)
    rows = decisions(catalog)
    assert {rows[a]["status"], rows[b]["status"]} == {"unknown"}
    with catalog.sight() as sight:
        assert {sight.relations.heads(doc) for doc in sight.relations.ids} == {(doc,) for doc in sight.relations.ids}


def test_a_link_to_an_older_edition_means_the_edition_that_counts(store, see):
    (first,) = put(store, new("Which database?"))
    (again,) = put(store, new("Which database?", "second thoughts", replaces=first))
    (newer,) = put(store, new("Which engine?", supersedes=[first]))
    rows = decisions(see(store))
    assert set(rows) == {again, newer}
    assert (rows[again]["status"], rows[again]["superseded_by"]) == ("superseded", [newer])


def test_links_never_leave_their_project(store, see, root, tmp_path, clock):
    from tests.stores import open_store

    other = open_store(root, tmp_path / "other", clock)
    (mine,) = put(store, new("A?", document={"title": "alpha"}))
    put(other, new("B?", document={"title": "beta", "supersedes": ["alpha", mine]}))
    assert decisions(see(store, other))[mine]["status"] == "unknown"


def test_links_are_settled_over_segments_and_tail_alike(store, see):
    old = put(store, *(new(f"Q{i}?", document={"title": f"title {i}"}) for i in range(12)))
    absorb(store, minimum=1)
    (top,) = put(store, new("Top?", document={"title": "top", "supersedes": ["title 3", "title 5"]}))
    catalog = see(store)
    rows = decisions(catalog)
    assert {i for i in rows if rows[i]["status"] == "superseded"} == {old[3], old[5]}
    receipts = store.store_many([new("Over?", document={"title": "over", "supersedes": ["top"]})])
    catalog.apply([receipt.entry for receipt in receipts])
    assert decisions(catalog)[top]["superseded_by"] == [receipts[0].id]


def test_a_fork_has_two_heads(store, see):
    (old,) = put(store, new("A?", document={"title": "alpha"}))
    b, c = put(
        store,
        new("B?", document={"title": "b", "supersedes": ["alpha"]}),
        new("C?", document={"title": "c", "supersedes": ["alpha"]}),
    )
    catalog = see(store)
    assert sorted(decisions(catalog)[old]["superseded_by"]) == sorted([b, c])
    with catalog.sight() as sight:
        (doc,) = [d for d, i in sight.relations.ids.items() if i == old]
        assert len(sight.relations.heads(doc)) == 2
        assert sight.relations.replaced_by(doc) in [(b, c), (c, b)]
