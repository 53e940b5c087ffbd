"""Adding up in memory gives what `recall.sql` gives, whatever was stored, replaced, superseded or put back meanwhile."""

import random
from dataclasses import replace

import pytest

from memkit.analytics.answering import Answer
from memkit.analytics.asking import take_apart
from memkit.analytics.ranking import rank_in_memory
from memkit.analytics.recall import RecallOptions
from memkit.snapshot.absorbing import absorb
from tests.stores import NOW, new, open_store, put

WORDS = [f"w{i}" for i in range(25)]


def texts(rng, n, **more):
    return [
        new(
            f"q {' '.join(rng.choices(WORDS, k=4))}",
            " ".join(rng.choices(WORDS, k=rng.randrange(1, 20))),
            days_ago=rng.randrange(90),
            panel=rng.choice(["adr", "consensus"]),
            tags=rng.sample(["a", "b", "c"], rng.randrange(3)),
            **more,
        )
        for _ in range(n)
    ]


def both(sight, query, options):
    """The rows of the query and those added up in memory, in one order, numbers rounded."""
    answer = Answer(sight, take_apart(sight, query, fuzzy=options.fuzzy), options, as_of=NOW)
    params = {**answer.params, "limit": options.limit, "only": None}
    postings = sight.postings()
    found = (
        sight.fetch(answer.query, {name: params[name] for name in answer.query.params}),
        rank_in_memory(postings, params, answer._places(postings, params))[0],
    )
    return [sorted(tuple(round(x, 10) if isinstance(x, float) else x for x in row) for row in rows) for rows in found]


def compare(sight, rng):
    for limit in (3, 10, 1000):
        options = RecallOptions(limit=limit, k1=rng.choice([0.0, 1.2]), b=rng.choice([0.0, 0.75, 1.0]),
                                weights={"question": rng.choice([0.0, 2.0]), "conclusion": 2.0, "synthesis": 1.0, "tags": 0.0})  # fmt: skip
        query = " ".join(rng.choices(WORDS, k=4))
        sql, memory = both(sight, query, options)
        assert memory == sql
        more = {
            "panel": rng.choice([None, "adr"]), "any_tag": rng.choice([(), ("a", "b")]), "all_tags": rng.choice([(), ("b",)]),
            "since_days": rng.choice([None, 45]), "include_superseded": rng.random() < 0.5, "fuzzy": rng.random() < 0.5,
            "recency_half_life_days": rng.choice([None, 30]), "min_score": rng.choice([0.0, 0.3]),
        }  # fmt: skip
        sql, memory = both(sight, query, replace(options, **more))
        assert memory == sql


@pytest.mark.parametrize("seed", range(5))
def test_both_give_the_same_rows_through_every_change(store, see, seed):
    rng = random.Random(seed)
    made = put(store, *texts(rng, 40))
    if seed % 2:
        absorb(store, minimum=1)
    gone = store.paths.entry_file(made[5])
    kept = gone.read_bytes()
    gone.unlink()
    catalog = see(store)
    with catalog.sight() as sight:
        compare(sight, rng)
    for i in range(12):
        made += put(store, *texts(rng, 3))
        made += put(store, *texts(rng, 1, replaces=made[i]), *texts(rng, 1, supersedes=[made[20 + i]]))
        catalog.refresh()
        with catalog.sight() as sight:
            compare(sight, rng)
    gone.write_bytes(kept)
    catalog.refresh()
    with catalog.sight() as sight:
        compare(sight, rng)
        words = {term: sight.frequencies([term])[term] for term in WORDS}
    with see(store).sight() as fresh:
        assert {term: fresh.frequencies([term])[term] for term in WORDS} == words


def known(sight):
    """All that ranking knows of entries besides their words."""
    postings = sight.postings()
    arrays = (*postings.lengths, postings.shown, postings.heads, postings.stored_ms, postings._live)
    docs = range(postings.size)
    cards = sight.cards(docs)
    passing = sight.all_cards().passing({"panel": "adr", "since_ms": None, "any_tag": ["a"], "all_tags": ()}, len(docs))
    return [each.tolist() for each in arrays], sight.scope, [cards[doc] for doc in docs], passing.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_what_grows_with_each_store_is_what_a_fresh_look_finds(store, see, seed, monkeypatch):
    rng = random.Random(seed)
    put(store, *texts(rng, 10))
    absorb(store, minimum=1)
    catalog = see(store)
    for _ in range(3):
        with catalog.sight() as sight:
            sight.asked()
            assert sight.cards([0])
            known(sight)
    anew = []
    for _ in range(15):
        more = texts(rng, rng.randrange(1, 4))
        tied = [replace(each, stored_at_ms=each.stored_at_ms + rng.randrange(2)) for each in more]
        entries = [receipt.entry for receipt in store.store_many(tied if rng.random() < 0.5 else more)]
        catalog.apply(entries)
        with catalog.sight() as sight, monkeypatch.context() as patch:
            fetch = sight._arrow
            patch.setattr(sight, "_arrow", lambda name: anew.append(name) or fetch(name))
            sight.cards([sight.postings().size - 1])
        with catalog.sight() as sight, see(store).sight() as fresh:
            fresh.asked(), fresh.asked()
            assert known(sight) == known(fresh)
    assert anew.count("all_places") < 15, "not every store makes all be looked at again"


def test_a_store_of_ones_own_makes_nothing_be_read_again(store, see, monkeypatch):
    put(store, *texts(random.Random(1), 10))
    absorb(store, minimum=1)
    catalog = see(store)
    for _ in range(3):
        with catalog.sight() as sight:
            known(sight)
            sight.asked()
    catalog.apply([receipt.entry for receipt in store.store_many([new("Which w1?")])])
    with catalog.sight() as sight:
        monkeypatch.setattr(sight, "_arrow", lambda name: pytest.fail(f"{name} is read again"))
        both_known = sight.postings(), sight.cards([10])
        assert both_known[1][10].panel_id == "consensus"


def test_an_empty_store_ranks_nothing(store, see):
    with see(store).sight() as sight:
        assert both(sight, "w1", RecallOptions()) == [[], []]


def test_several_stores_are_left_to_the_query(store, see, root, tmp_path, clock):
    put(store, new("Which queue?"))
    with see(store, open_store(root, tmp_path / "other", clock)).sight() as sight:
        assert sight.postings() is None
