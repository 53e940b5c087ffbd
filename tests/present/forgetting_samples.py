"""A retention review and a calendar of a small store, made once."""

import datetime as dt
from functools import lru_cache

from memkit.clock import UTC, FixedClock
from memkit.testing import temp_memory_root

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=UTC)
AGES = (400, 300, 250, 100, 99, 98, 10, 3, 0)


@lru_cache(maxsize=1)
def _looked_at():
    with temp_memory_root(clock=FixedClock(NOW)) as mem:
        stored = [
            {
                "question": f"Question of {age} days?",
                "result": {"conclusion": f"Answer {age}."},
                "stored_at": NOW - dt.timedelta(days=age),
            }
            for age in AGES
        ]
        ids = [receipt.id for receipt in mem.store_many(stored)]
        mem.retention.pin(ids[1], "wanted")
        policy = {"max_age_days": 200}
        return mem.retention.review(policy), mem.retention.calendar("2027-09-01", policy)


def review():
    """Two of nine due, one pinned."""
    return _looked_at()[0]


def calendar():
    """When the others get due."""
    return _looked_at()[1]
