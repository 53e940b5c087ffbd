"""Adding up in memory gives what `recall.sql` gives, whatever was stored, replaced, superseded or put back meanwhile."""

import random

import pytest

from memkit.analytics.answering import Answer
from memkit.analytics.asking import take_apart
from memkit.analytics.ranking import rank_in_memory
from memkit.analytics.recall import RecallOptions
from memkit.catalog import queries
from memkit.catalog import sight as sight_module
from memkit.catalog.postings import Postings
from memkit.snapshot.absorbing import absorb
from tests.stores import NOW, new, put

WORDS = [f"w{i}" for i in range(25)]


def texts(rng, n, **more):
    return [
        new(
            f"q {' '.join(rng.choices(WORDS, k=4))}",
            " ".join(rng.choices(WORDS, k=rng.randrange(1, 20))),
            days_ago=rng.randrange(90),
            **more,
        )
        for _ in range(n)
    ]


def both(sight, query, options):
    """The rows of `recall.sql` and those added up in memory, in one order, numbers rounded."""
    answer = Answer(sight, take_apart(sight, query, fuzzy=False), options, as_of=NOW)
    params = {name: {**answer.params, "limit": options.limit}[name] for name in answer.query.params}
    found = (
        sight.fetch(queries.load("memkit.analytics", "recall"), params),
        rank_in_memory(sight.hold_postings(), params),
    )
    return [sorted(tuple(round(x, 10) if isinstance(x, float) else x for x in row) for row in rows) for rows in found]


def compare(sight, rng):
    for limit in (3, 10, 1000):
        options = RecallOptions(limit=limit, k1=rng.choice([0.0, 1.2]), b=rng.choice([0.0, 0.75, 1.0]),
                                weights={"question": rng.choice([0.0, 2.0]), "conclusion": 2.0, "synthesis": 1.0, "tags": 0.0})  # fmt: skip
        sql, memory = both(sight, " ".join(rng.choices(WORDS, k=4)), options)
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


def test_an_empty_store_ranks_nothing(store, see):
    with see(store).sight() as sight:
        assert both(sight, "w1", RecallOptions()) == [[], []]


def test_postings_are_fetched_at_the_second_question_of_one_store_that_is_not_huge(store, see, monkeypatch):
    put(store, new("Which queue?"))
    with see(store).sight() as sight:
        assert sight.postings_for_ranking() is None
        assert isinstance(sight.postings_for_ranking(), Postings)
    monkeypatch.setattr(sight_module, "HOLD_POSTINGS", 2)
    with see(store).sight() as sight:
        assert [sight.postings_for_ranking() for _ in range(3)] == [None] * 3
