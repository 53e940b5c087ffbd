"""`sql` runs exactly one SELECT, on a cursor of its own, with the caller's frames by name."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from memkit.errors import QueryError
from tests.stores import NOW, new, put


@pytest.fixture
def catalog(store, see):
    put(store, new("Which queue?", panel="adr"), new("Which cache?"))
    return see(store)


class Capsule:
    """Offers the stream interface and nothing else."""

    def __init__(self, table):
        self.table = table

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


TABLE = pa.table({"panel_id": ["adr", "consensus"], "weight": [3, 4]})
FRAMES = {
    "pandas": TABLE.to_pandas(),
    "arrow": TABLE,
    "polars": pl.from_arrow(TABLE),
    "a stream read once": TABLE.to_reader(),
    "only the stream interface": Capsule(TABLE),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES.keys())
def test_a_frame_joins_by_name_as_often_as_the_query_likes(catalog, frame):
    if isinstance(frame, pa.RecordBatchReader):
        frame = TABLE.to_reader()
    found = catalog.sql(
        "select question, a.weight + b.weight as w from entries join f a using (panel_id) join f b using (panel_id) order by w",
        as_of=NOW, frames={"f": frame},
    )  # fmt: skip
    assert [(row["question"], row["w"]) for row in found.rows] == [("Which queue?", 6), ("Which cache?", 8)]


def test_an_answer_is_a_frame_for_the_next_question_and_for_every_library(catalog):
    first = catalog.sql("select panel_id, count(*) as n from entries group by panel_id order by panel_id", as_of=NOW)
    assert len(first) == 2
    assert first.columns == ("panel_id", "n")
    assert first.rows == [{"panel_id": "adr", "n": 1}, {"panel_id": "consensus", "n": 1}]
    assert list(first) == first.rows
    assert first.to_arrow().equals(pa.table(first))
    assert isinstance(first.to_pandas(), pd.DataFrame)
    assert first.to_polars().equals(pl.DataFrame(first))
    assert "group by" in first.sql
    second = catalog.sql("select sum(n) as n from first_answer", as_of=NOW, frames={"first_answer": first})
    assert second.rows == [{"n": 2}]


@pytest.mark.parametrize("params", [{"q": "Which queue?"}, ["Which queue?"]], ids=["by name", "by place"])
def test_values_are_handed_in_apart_from_the_query(catalog, params):
    mark = "$q" if isinstance(params, dict) else "?"
    assert len(catalog.sql(f"select * from entries where question = {mark}", params, as_of=NOW)) == 1
    hostile = "' or 1=1 --"
    other = {"q": hostile} if isinstance(params, dict) else [hostile]
    assert len(catalog.sql(f"select * from entries where question = {mark}", other, as_of=NOW)) == 0


REFUSED = {
    "two statements": "select 1; select 2",
    "nothing": "  -- only a comment",
    "no SQL": "selekt 1",
    "creating": "create table t as select 1",
    "dropping": "drop view entries",
    "inserting": "insert into base.panels values ('x')",
    "inserting inside a select": "with x as (insert into base.panels values ('x') returning *) select * from x",
    "deleting inside a select": "with x as (delete from base.entry_rows returning *) select count(*) from x",
    "copying out": "copy entries to '/tmp/memkit-must-not-exist.csv'",
    "attaching": "attach 'x.db'",
    "setting": "set threads = 1",
    "a pragma": "pragma database_list",
    "an unknown view": "select * from memories",
    "an unknown column": "select colour from entries",
    "a pivot without its values": "pivot entries on panel_id using count(*)",
    "an extension": "load httpfs",
}


@pytest.mark.parametrize("sql", REFUSED.values(), ids=REFUSED.keys())
def test_anything_but_one_select_is_refused_with_the_query_beside_the_reason(catalog, sql):
    panels = catalog.sql("select panel_id from base.panels order by panel_id", as_of=NOW).rows
    with pytest.raises(QueryError) as found:
        catalog.sql(sql, as_of=NOW)
    assert found.value.sql == sql
    assert len(catalog.sql("select * from entries", as_of=NOW)) == 2
    assert panels
    assert catalog.sql("select panel_id from base.panels order by panel_id", as_of=NOW).rows == panels


@pytest.mark.parametrize("sql", [None, 3, b"select 1"])
def test_a_query_is_text(catalog, sql):
    with pytest.raises(QueryError, match="text was expected"):
        catalog.sql(sql, as_of=NOW)


@pytest.mark.parametrize(
    "params", [{}, {"a": 1, "b": 2}, {"a": object()}, None], ids=["missing", "too many", "no value", "none"]
)
def test_wrong_values_are_query_errors(catalog, params):
    with pytest.raises(QueryError):
        catalog.sql("select $a as a", params, as_of=NOW)


BAD_FRAMES = {
    "a view's name": ({"entries": TABLE}, "would hide"),
    "a view's name in capitals": ({"Decisions": TABLE}, "would hide"),
    "the name of the tables underneath": ({"base": TABLE}, "would hide"),
    "no name": ({"a b": TABLE}, "cannot name"),
    "a list": ({"f": [1, 2]}, "is not a frame"),
    "one name twice": ({"f": TABLE, "F": TABLE}, "twice"),
}


@pytest.mark.parametrize(("frames", "why"), BAD_FRAMES.values(), ids=BAD_FRAMES.keys())
def test_a_frame_that_cannot_be_handed_in_says_why(catalog, frames, why):
    with pytest.raises(QueryError, match=why):
        catalog.sql("select 1", as_of=NOW, frames=frames)


def test_variables_of_the_caller_are_not_seen(catalog):
    memories = TABLE
    assert memories.num_rows == 2
    with pytest.raises(QueryError, match="memories"):
        catalog.sql("select * from memories", as_of=NOW)


def test_decimals_and_huge_integers_come_through(catalog):
    (row,) = catalog.sql("select 1.5 as d, sum(range) as h from range(3)", as_of=NOW).rows
    assert (float(row["d"]), int(row["h"])) == (1.5, 3)


def test_frames_of_one_question_are_gone_at_the_next(catalog):
    catalog.sql("select * from f", as_of=NOW, frames={"f": TABLE})
    with pytest.raises(QueryError):
        catalog.sql("select * from f", as_of=NOW)
