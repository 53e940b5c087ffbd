"""Retention is about entries: records count for no limit, fall under no rule, and block nothing."""

import datetime as dt

import pytest

from memkit.opening import open_memory
from memkit.settings import Environment


@pytest.fixture
def mem(root, project, clock, tmp_path):
    """Six entries at most are kept; five are there, and three records that are two years old."""
    (project / "memkit.toml").write_text("[retention]\nmax_results = 6\nmax_age_days = 365\n")
    environment = Environment(home=tmp_path, config_file=tmp_path / "config.toml")
    with open_memory(project, root=root, enabled=True, clock=clock, environment=environment) as memory:
        for n in range(3):
            memory.records.write("decision", f"record-{n}", body=f"Body {n}.", sources=["Mara"])
        clock.advance(dt.timedelta(days=730))
        for n in range(5):
            memory.store(question=f"Question {n}?", result={"conclusion": "Yes."})
        yield memory


def test_records_are_in_no_review_calendar_or_plan(mem):
    review = mem.retention.review(due_within=400)
    assert {row.entry_id for row in review.rows} == {line.id for line in mem.list()}
    assert review.due == ()
    assert list(review.to_pandas()["entry_id"]) == review.data.column("entry_id").to_pylist()
    everything = mem.retention.review(policy={"max_age_days": 0})
    assert len(everything.due) == 5
    assert "record-0" not in mem.retention.calendar(until="2040-01-01").to_text()
    receipt = everything.apply(everything=True)
    assert len(receipt.moved) == 5
    assert len(mem.records.list()) == 3


def test_a_store_keeps_as_many_entries_as_the_policy_says_whatever_records_there_are(mem):
    for n in range(5, 9):
        mem.store(question=f"Question {n}?", result={"conclusion": "Yes."})
    assert len(mem.list()) == 6
    assert len(mem.trash.list()) == 3
    assert len(mem.records.list()) == 3
