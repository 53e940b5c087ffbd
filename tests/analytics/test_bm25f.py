"""The ranking queries against two oracles: the formula written down naively, and the bm25s library."""

import random

import bm25s
import numpy as np
import pytest

from memkit.analytics.recall import RecallOptions, recall
from memkit.catalog import sight as sight_module
from memkit.model import tokens
from memkit.snapshot.absorbing import absorb
from tests.analytics.naive import Naive
from tests.stores import NOW, new, put

WORDS = [f"w{i}" for i in range(40)]
TIMES = range(400, 1, -1)


def corpus(rng, n):
    """Requests with few, skewed words, some fields empty, some texts equal."""

    def text(most):
        return " ".join(rng.choices(WORDS, weights=[1 / (i + 1) for i in range(len(WORDS))], k=rng.randrange(most)))

    made = []
    for i in range(n):
        more = {"conclusion": text(12)} if rng.random() < 0.6 else {}
        made.append(
            new(
                f"q {text(8)}",
                text(40) or "-",
                tags=rng.sample(WORDS, rng.randrange(4)),
                days_ago=TIMES[i % 300],
                **more,
            )
        )
    return made


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("source", ["tail", "segments", "asked by a query"])
def test_scores_parts_coverage_and_order_agree_with_the_naive_formula(store, see, seed, source, monkeypatch):
    rng = random.Random(seed)
    constants = {"k1": rng.choice([0.0, 0.5, 1.2, 3.0]), "b": rng.choice([0.0, 0.3, 0.75, 1.0])}
    weights = {f: rng.choice([0.0, 0.5, 1.0, 2.0]) for f in ("question", "conclusion", "synthesis")} | {"tags": 1.5}
    put(store, *corpus(rng, 40))
    if source != "tail":
        absorb(store, minimum=1)
        put(store, *corpus(rng, 7))
    catalog = see(store)
    if source == "asked by a query":
        monkeypatch.setattr(sight_module.Sight, "postings", lambda _: None)
    entries = [store.read_entry(line.id) for line in store.read_index().lines]
    naive = Naive(entries, weights=weights, **constants)
    times = {entry.id: entry.stored_at_ms for entry in entries}
    for _ in range(4):
        query = " ".join(rng.choices([*WORDS, "absent"], k=rng.randrange(1, 6)))
        expected = naive.scores(query)
        for filtered in (False, True):
            # An option that changes nothing asks the long form of the query.
            options = RecallOptions(limit=100, include_superseded=filtered, weights=weights, **constants)
            found = recall(catalog, query, options, as_of=NOW)
            assert {hit.id for hit in found} == set(expected)
            for hit in found:
                assert hit.score == pytest.approx(expected[hit.id], rel=1e-9, abs=1e-11)
                assert sum(c.value for c in hit.contributions) == pytest.approx(hit.score, abs=1e-9)
                parts = {(c.token, c.field): c.value for c in hit.contributions}
                assert parts == pytest.approx(naive.parts(hit.id, query), rel=1e-9)
                assert hit.coverage == pytest.approx(naive.coverage(hit.id, query))
            order = sorted(expected, key=lambda i: (-round(expected[i], 10), -times[i], i))
            assert [hit.id for hit in found] == order


@pytest.mark.parametrize("seed", range(4))
def test_one_field_of_weight_one_agrees_with_bm25s(store, see, seed):
    rng = random.Random(100 + seed)
    texts = [" ".join(rng.choices(WORDS, k=rng.randrange(1, 30))) for _ in range(60)]
    ids = put(store, *(new("?!", text) for text in texts))
    weights = {"question": 0.0, "conclusion": 0.0, "synthesis": 1.0, "tags": 0.0}
    library = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    library.index([tokens.terms(text) for text in texts], show_progress=False)
    catalog = see(store)
    for _ in range(10):
        query = list(dict.fromkeys(rng.choices(WORDS, k=4)))
        theirs = library.get_scores(query)
        found = recall(catalog, " ".join(query), RecallOptions(limit=100, weights=weights), as_of=NOW)
        ours = {hit.id: hit.score for hit in found}
        assert set(ours) == {i for i, score in zip(ids, theirs, strict=True) if score > 0}
        for i, score in zip(ids, theirs, strict=True):
            if score > 0:
                assert ours[i] == pytest.approx(float(score), rel=1e-6)
        assert np.isclose(max(ours.values()), theirs.max())


def test_counts_and_averages_are_those_of_the_scope_whatever_the_filters_say(store, see):
    rng = random.Random(7)
    put(store, *corpus(rng, 30))
    catalog = see(store)
    everything = {hit.id: hit.score for hit in recall(catalog, "w0 w1", RecallOptions(limit=100), as_of=NOW)}
    some = recall(catalog, "w0 w1", RecallOptions(limit=100, any_tag=("w3", "w4")), as_of=NOW)
    assert 0 < len(some) < len(everything)
    for hit in some:
        assert hit.score == pytest.approx(everything[hit.id], rel=1e-12)


def test_counts_and_averages_span_all_projects_of_the_scope(store, see, root, tmp_path, clock):
    from tests.stores import open_store

    rng = random.Random(8)
    other = open_store(root, tmp_path / "other", clock)
    put(store, *corpus(rng, 15))
    put(other, *corpus(rng, 15))
    absorb(other, minimum=1)
    entries = [s.read_entry(line.id) for s in (store, other) for line in s.read_index().lines]
    expected = Naive(entries).scores("w0 w5")
    found = recall(see(store, other), "w0 w5", RecallOptions(limit=100), as_of=NOW)
    assert {hit.id: hit.score for hit in found} == pytest.approx(expected, rel=1e-9)
    assert {hit.project_key for hit in found} == {store.paths.key, other.paths.key}


def test_the_same_text_always_ranks_by_recency_then_id(store, see):
    ids = put(
        store,
        *(new("Same question here?", "the very same text again and again", days_ago=5 + i % 3) for i in range(30)),
    )
    catalog = see(store)
    times = {i: 5 + n % 3 for n, i in enumerate(ids)}
    expected = sorted(ids, key=lambda i: (times[i], i))
    for _ in range(5):
        assert [
            h.id for h in recall(catalog, "same text again question", RecallOptions(limit=30), as_of=NOW)
        ] == expected
