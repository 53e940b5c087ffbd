"""The query and a naive evaluator say the same of random entries under random policies."""

import datetime as dt
import random

import pytest

from memkit import clock as clocks
from memkit.analytics.retention import judge
from memkit.model.policy import Limits, RetentionPolicy
from memkit.store import marks, prune
from tests.retention.naive import DAY_MS, verdicts
from tests.stores import NOW, new, open_catalog, open_store

PANELS = ("adr", "consensus", "other")
TAGS = ("a", "b", "c", "")


def a_limit(rng, most):
    return rng.choice(["none", 0, 1, rng.randrange(most), rng.randrange(most)])


def a_policy(rng):
    def own(names):
        chosen = rng.sample([name for name in names if name], rng.randrange(3))
        pick = lambda most: rng.choice([None, a_limit(rng, most)])  # noqa: E731
        return {name: Limits(pick(8), pick(60)) for name in chosen}

    return RetentionPolicy(
        enabled=rng.random() > 0.05,
        legal_hold=rng.random() < 0.05,
        max_results=a_limit(rng, 20),
        max_age_days=a_limit(rng, 60),
        trash_days=rng.choice([0, 5, 30]),
        panels=own(PANELS),
        tags=own(TAGS),
    )


@pytest.mark.parametrize("seed", range(4))
def test_the_query_agrees_with_the_naive_evaluator(root, project, clock, tmp_path, seed):
    rng = random.Random(seed)
    store = open_store(root, project, clock)
    requests, told = [], []
    ahead = seed % 2 == 0
    for _ in range(40):
        days = rng.choice([rng.randrange(70), rng.randrange(5), -3 if ahead and rng.random() < 0.1 else 1])
        tags = tuple(sorted({rng.choice(TAGS) for _ in range(rng.randrange(4))} - {""}))
        panel = rng.choice(PANELS)
        requests.append(new(panel=panel, tags=tags, days_ago=days))
        told.append({"panel": panel, "tags": tags, "pinned": False, "held": False, "restored_ms": None})
    for entry, receipt in zip(told, store.store_many(requests), strict=True):
        entry |= {"id": receipt.id, "stored_ms": receipt.entry.stored_at_ms}
    for entry in rng.sample(told, 5):
        marks.put(store, entry["id"], kind="pin", reason="kept")
        entry["pinned"] = True
    for entry in rng.sample(told, 3):
        marks.put(store, entry["id"], kind="hold", reason="held")
        entry["held"] = True
    back = rng.sample(told, 4)
    clock.advance(-dt.timedelta(days=10))
    prune.prune(store, {entry["id"]: () for entry in back})
    prune.restore(store, [entry["id"] for entry in back])
    for entry in back:
        entry["restored_ms"] = clocks.to_ms(clock.now())
    clock.advance(dt.timedelta(days=10))
    assert clock.now() == NOW
    with open_catalog(tmp_path, store) as catalog:
        for _ in range(25):
            policy = a_policy(rng)
            at = NOW + dt.timedelta(milliseconds=rng.choice([0, 1, DAY_MS, 17 * DAY_MS + 3]))
            review = judge(catalog, store, policy, as_of=at)
            said = {
                row["entry_id"]: (row["verdict"], row["is_too_old"], row["is_too_many"])
                for row in review.data.to_pylist()
            }
            assert said == verdicts(told, policy, clocks.to_ms(at)), policy.to_dict()
            assert sum(total.n_entries for total in review.totals.values()) == len(told)
