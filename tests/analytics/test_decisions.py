"""Decisions as rows: what, when, how it stands."""

import datetime as dt

import pytest

from memkit.analytics.decisions import decisions
from memkit.errors import InvalidInputError
from memkit.model.entry import Source
from tests.stores import NOW, new, put


@pytest.fixture
def made(store):
    old = put(store, new("Which database?", status="accepted", decidedOn="2026-01-05", days_ago=30))[0]
    newer = put(
        store,
        new("Which engine?", "PostgreSQL it is.", panel="adr", tags=["db"], status="accepted", decidedOn="2026-03-01", supersedes=[old],
            tripwires=["load doubles"], readWhen="load doubles", finalScore=80, conclusion="PostgreSQL", days_ago=20,
            source=Source("adr", "docs/0002.md", "0" * 64)),
    )[0]  # fmt: skip
    undated = put(store, new("Which cache?", days_ago=1))[0]
    put(store, new("No decision?", panel="review"))
    return old, newer, undated


def test_every_column_of_a_decision(store, see, made):
    old, newer, undated = made
    found = decisions(see(store), as_of=NOW)
    assert [row.entry_id for row in found] == [undated, newer, old]
    row = found[1]
    assert (row.status, row.decided_on, row.supersedes, row.superseded_by) == (
        "accepted",
        dt.date(2026, 3, 1),
        (old,),
        (),
    )
    assert (row.title, row.conclusion, row.panel_id, row.tags) == ("Which engine?", "PostgreSQL", "adr", ("db",))
    assert (row.tripwires, row.read_when, row.final_score) == (("load doubles",), "load doubles", 80.0)
    assert (row.source_path, row.project_key) == ("docs/0002.md", store.paths.key)
    assert row.age_days == pytest.approx(20)
    assert row.stored_at == NOW - dt.timedelta(days=20)
    assert found[2].status == "superseded"
    assert found[2].raw_status == "accepted"
    assert found[0].decided_on is None


def test_ways_out(store, see, made):
    found = decisions(see(store), as_of=NOW)
    assert len(found) == 3
    assert found.to_arrow().num_rows == 3
    assert found.to_pandas()["entry_id"].tolist() == [row.entry_id for row in found]
    assert found.to_dict()["rows"][1]["decided_on"] == "2026-03-01"
    assert "from decisions" in found.sql
    assert found.as_of == NOW


@pytest.mark.parametrize(
    ("options", "n"),
    [({"status": "superseded"}, 1), ({"status": ["accepted", "unknown"]}, 2), ({"panel": "adr"}, 1)],
    ids=str,
)
def test_filters(store, see, made, options, n):
    assert len(decisions(see(store), as_of=NOW, **options)) == n


def test_a_status_that_does_not_exist_is_refused(store, see):
    with pytest.raises(InvalidInputError, match="status"):
        decisions(see(store), as_of=NOW, status="done")
