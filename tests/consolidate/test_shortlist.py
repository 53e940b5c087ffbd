"""The shortlist ranks as a naive sum does, and stays true while records come and go."""

import math
import random
from collections import Counter
from dataclasses import replace

import pytest

from memkit.consolidate import shortlist as module
from memkit.consolidate.shortlist import COMMON_SHARE, ENOUGH_WORDS, K1, MAX_WORDS, B, Shortlist
from memkit.model import tokens
from memkit.model.record import Record

WORDS = [
    f"{a}{b}" for a in ("ka", "lo", "mi", "nu", "pe", "ri", "so", "tu") for b in ("ba", "de", "fi", "go", "hu", "ze")
]


def make(rng, i, n=40):
    def text(k):
        return " ".join(rng.choices(WORDS, weights=range(1, len(WORDS) + 1), k=k))

    return Record(
        f"r-{i}", rng.choice(["lesson", "decision"]), f"# {text(3)}\n\n{text(n)}", triggers=(text(2),), tags=(text(1),)
    )


def naive(records, text, limit):
    bags = {}
    for record in records:
        if record.is_active:
            bag = Counter()
            for part, weight in (
                (record.body, 1),
                (record.title, 2),
                (" | ".join(record.triggers), 2),
                (" | ".join(record.tags), 1.5),
            ):
                for term in tokens.terms(part):
                    bag[term] += weight
            bags[record.path] = bag
    n = len(bags)
    average = sum(sum(bag.values()) for bag in bags.values()) / n
    df = Counter(term for bag in bags.values() for term in bag)
    asked = sorted((df[t], t) for t in dict.fromkeys(tokens.terms(text)) if df[t])[:MAX_WORDS]
    asked = [t for i, (d, t) in enumerate(asked) if i < ENOUGH_WORDS or d * COMMON_SHARE <= n]
    scores = {
        path: sum(
            math.log(1 + (n - df[t] + 0.5) / (df[t] + 0.5))
            * bag[t]
            / (bag[t] + K1 * (1 - B + B * sum(bag.values()) / average))
            for t in asked
            if bag[t]
        )
        for path, bag in bags.items()
    }
    return [(path, score) for path, score in sorted(scores.items(), key=lambda item: (-item[1], item[0])) if score > 0][
        :limit
    ]


def close(found, expected):
    return [m.path for m in found] == [p for p, _ in expected] and all(
        math.isclose(m.score, s, rel_tol=1e-5) for m, (_, s) in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize("seed", range(5))
def test_it_ranks_as_the_naive_sum_does(seed):
    rng = random.Random(seed)
    records = [make(rng, i) for i in range(120)]
    shortlist = Shortlist(records)
    for _ in range(20):
        text = " ".join(rng.choices(WORDS, k=rng.randint(1, 60)))
        assert close(shortlist.find(text, 7), naive(records, text, 7))


def test_records_that_come_change_and_go_are_those_of_a_fresh_shortlist(monkeypatch):
    monkeypatch.setattr(module, "_LEAST_DEAD", 10)
    rng = random.Random(7)
    shortlist, there = Shortlist(), {}
    for step in range(400):
        record = make(rng, rng.randint(0, 30))
        if rng.random() < 0.3:
            shortlist.drop(record.path)
            there.pop(record.path, None)
        else:
            record = replace(record, status="superseded" if rng.random() < 0.2 else "active")
            shortlist.put(record)
            there[record.path] = record
        if step % 20 == 19:
            text = " ".join(rng.choices(WORDS, k=10))
            fresh = naive(list(there.values()), text, 5)
            assert close(shortlist.find(text, 5), fresh)
            assert len(shortlist) == sum(r.is_active for r in there.values())


def test_equal_scores_are_ordered_by_path_whatever_the_order_they_came_in():
    records = [Record(f"r-{i}", "lesson", "the same words") for i in range(30)]
    for order in (records, records[::-1]):
        assert [m.path for m in Shortlist(order).find("same words", 3)] == [
            "memory/r-0.md",
            "memory/r-1.md",
            "memory/r-10.md",
        ]


def test_a_kind_can_be_asked_for_and_a_superseded_record_is_never_found():
    records = [
        Record("a", "lesson", "alpha beta"),
        Record("b", "domain", "alpha beta"),
        Record("c", "lesson", "alpha", status="superseded"),
    ]
    shortlist = Shortlist(records)
    assert [m.path for m in shortlist.find("alpha", 9)] == ["knowledge/b.md", "memory/a.md"]
    assert [m.path for m in shortlist.find("alpha", 1, kind="lesson")] == ["memory/a.md"]
    assert shortlist.find("alpha beta", 1)[0].words == ("alpha", "beta")
    assert "memory/c.md" not in shortlist


@pytest.mark.parametrize("text", ["", "---", "nothing in common"])
def test_no_shared_word_is_no_match(text):
    assert Shortlist([Record("a", "lesson", "alpha beta")]).find(text, 5) == []
    assert Shortlist().find("alpha", 5) == []
    assert Shortlist([Record("a", "lesson", "alpha")]).find("alpha", 0) == []
