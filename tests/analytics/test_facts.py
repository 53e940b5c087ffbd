"""Tables of facts: every kind of table, every kind of oddity."""

import datetime as dt

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from memkit.analytics.facts import read_facts
from memkit.analytics.tripwires import judge
from memkit.clock import UTC
from memkit.errors import FactsError, InvalidInputError
from memkit.model.conditions import read_condition

AS_OF = dt.datetime(2026, 11, 30, tzinfo=UTC)
DAY = dt.timedelta(days=1)


def rows(*values, metric="latency", unit=None, begin=AS_OF - 5 * DAY, step=DAY):
    table = [{"metric": metric, "at": begin + i * step, "value": value} for i, value in enumerate(values)]
    return [{**row, "unit": unit} for row in table] if unit is not None else table


def verdict(catalog, facts, text="latency exceeds 200 ms", **options):
    (judged,) = judge(catalog, [read_condition(text)], read_facts(catalog, facts), as_of=AS_OF, **options)
    return judged


KINDS = {
    "a list of mappings": lambda table, _: table,
    "pandas": lambda table, _: pd.DataFrame(table),
    "pandas, categories": lambda table, _: pd.DataFrame(table).astype({"metric": "category", "unit": "category"}),
    "polars": lambda table, _: pl.DataFrame(table),
    "Arrow": lambda table, _: pa.Table.from_pylist(table),
    "Arrow, large texts, ns": lambda table, _: pa.Table.from_pylist(table).cast(
        pa.schema([("metric", pa.large_string()), ("at", pa.timestamp("ns", "Europe/Berlin")), ("value", pa.float32()),
                   ("unit", pa.large_string())])),
    "CSV": lambda table, folder: write_csv(table, folder / "facts.csv"),
    "CSV between semicolons": lambda table, folder: write_csv(table, folder / "facts.csv", sep=";"),
    "CSV with a byte order mark": lambda table, folder: write_csv(table, folder / "facts.csv", encoding="utf-8-sig"),
    "Parquet": lambda table, folder: write_parquet(table, folder / "facts.parquet"),
}  # fmt: skip


def write_csv(table, path, **options):
    pd.DataFrame(table).to_csv(path, index=False, **options)
    return path


def write_parquet(table, path):
    pd.DataFrame(table).to_parquet(path)
    return str(path)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_rows_are_read_from_every_kind_of_table(no_decisions, tmp_path, kind):
    table = rows(0.15, 0.25, 0.3, unit="s") + rows(7, unit="engineers", metric="Team ")
    facts = read_facts(no_decisions, KINDS[kind](table, tmp_path))
    assert {name: str(metric.unit) for name, metric in facts.metrics.items()} == {"latency": "s", "team": "engineers"}
    assert facts.n_rows == 4
    assert facts.readings.num_rows == 4
    assert not facts.is_naive
    judged = judge(no_decisions, [read_condition("latency exceeds 200 ms")], facts, as_of=AS_OF)[0]
    assert (judged.verdict, judged.since) == ("tripped", AS_OF - 4 * DAY)
    assert [(r.at, r.unit) for r in judged.evidence] == [(AS_OF - 4 * DAY, "s"), (AS_OF - 3 * DAY, "s")]


def test_rows_may_come_in_any_order_and_twice(no_decisions):
    table = rows(100, 300, 150)
    facts = read_facts(no_decisions, [*reversed(table), table[1]])
    assert facts.n_repeated == 1
    assert "1 row repeats another one and counts once." in " ".join(facts.notes(AS_OF))
    assert verdict(no_decisions, facts).verdict == "armed"


def test_two_values_of_one_moment_are_refused_with_both(no_decisions):
    with pytest.raises(
        FactsError, match=r"latency has different values at 2026-11-25T00:00:00.000Z: 100, 101"
    ) as caught:
        read_facts(no_decisions, [*rows(100, 300), *rows(101)])
    assert caught.value.remedy


def test_values_that_are_no_number_are_gaps_and_are_counted(no_decisions):
    facts = read_facts(no_decisions, rows(300, float("nan"), 300, None, float("inf"), 300))
    assert facts.n_void == 3
    assert "3 rows hold no number" in " ".join(facts.notes(AS_OF))
    judged = verdict(no_decisions, facts, "latency exceeds 200 ms for 3 days")
    assert (judged.verdict, judged.cause) == ("unknown", "gap")
    assert judged.reason == "no readings between 2026-11-27 and 2026-11-30"


def test_a_row_without_a_number_beside_one_with_a_number_is_no_gap(no_decisions):
    facts = read_facts(no_decisions, [*rows(300, 300, 300, 300, 300), *rows(None, None)])
    assert verdict(no_decisions, facts, "latency exceeds 200 ms for 4 days").verdict == "tripped"


def test_rows_of_the_future_are_not_looked_at(no_decisions):
    facts = read_facts(no_decisions, rows(100, 300, begin=AS_OF - DAY, step=3 * DAY))
    assert "1 reading lies after 2026-11-30T00:00:00.000Z" in " ".join(facts.notes(AS_OF))
    assert verdict(no_decisions, facts).verdict == "armed"


def test_a_table_that_lies_in_the_future_altogether_is_unknown(no_decisions):
    judged = verdict(no_decisions, rows(300, begin=AS_OF + DAY))
    assert (judged.verdict, judged.cause) == ("unknown", "no-readings")


NAIVE = [dt.datetime(2026, 11, 28), dt.datetime(2026, 11, 29)]


@pytest.mark.parametrize(
    "times",
    [
        pytest.param(pd.Series(NAIVE), id="datetime64"),
        pytest.param(pd.Series(NAIVE, dtype=object), id="Python datetimes"),
        pytest.param(["2026-11-28", "2026-11-29T00:00"], id="texts"),
        pytest.param([dt.date(2026, 11, 28), dt.date(2026, 11, 29)], id="days"),
    ],
)
def test_times_without_a_zone_mean_utc_and_that_is_said(no_decisions, times):
    facts = read_facts(no_decisions, pd.DataFrame({"metric": "latency", "at": times, "value": [1, 2]}))
    assert facts.is_naive
    assert "they are taken as UTC" in " ".join(facts.notes(AS_OF))
    assert facts.first_at == dt.datetime(2026, 11, 28, tzinfo=UTC)


def test_times_of_several_zones_are_one_moment_each(no_decisions):
    table = [
        {"metric": "latency", "at": "2026-11-29T01:00:00+02:00", "value": "300"},
        {"metric": "latency", "at": "2026-11-28T23:30:00Z", "value": "100"},
    ]
    facts = read_facts(no_decisions, table)
    assert facts.first_at == dt.datetime(2026, 11, 28, 23, tzinfo=UTC)
    assert verdict(no_decisions, facts).verdict == "armed"


MIXED = [dt.datetime(2026, 11, 28), dt.datetime(2026, 11, 29, tzinfo=UTC)]


@pytest.mark.parametrize(
    "table",
    [
        pytest.param([{"metric": "a", "at": at, "value": 1} for at in MIXED], id="mappings"),
        pytest.param(
            pd.DataFrame({"metric": "a", "at": pd.Series(MIXED, dtype=object), "value": 1}), id="pandas objects"
        ),
        pytest.param(
            pa.table({"metric": ["a", "a"], "at": ["2026-11-28", "2026-11-29T00:00Z"], "value": [1, 2]}), id="texts"
        ),
    ],
)
def test_times_with_and_without_a_zone_in_one_column_are_refused(no_decisions, table):
    with pytest.raises(FactsError, match="with and without a time zone") as caught:
        read_facts(no_decisions, table)
    assert caught.value.field == "at"


ROW = {"metric": "a", "at": AS_OF, "value": 1.0}


@pytest.mark.parametrize(
    ("table", "words"),
    [
        pytest.param([{"metric": "a", "value": 1}], "has no column 'at'; found 'metric', 'value'", id="a missing column"),
        pytest.param([{**ROW, "at": None}], "at in row 1: is missing", id="a missing time"),
        pytest.param([{**ROW, "metric": None}], "metric in row 1: is missing", id="a missing name"),
        pytest.param([{**ROW, "metric": " - "}], "cannot name a metric", id="a name of nothing"),
        pytest.param([{**ROW, "metric": 5}], "texts were expected", id="a number for a name"),
        pytest.param([{**ROW, "at": 1_795_000_000}], "seconds or milliseconds", id="epoch numbers"),
        pytest.param([{**ROW, "at": "yesterday"}], "'yesterday' is no moment", id="words for a time"),
        pytest.param([{**ROW, "value": "1,234"}], "'1,234' is no number", id="a number with a comma"),
        pytest.param([{**ROW, "value": True}], "numbers were expected", id="true"),
        pytest.param([{**ROW, "value": [1]}], "numbers were expected", id="a list"),
        pytest.param([{**ROW, "value": "3.0-rc1", "unit": "version"}], "no version of numbers between dots", id="a pre-release"),
        pytest.param("no/such/file.csv", "No such file", id="a path to nothing"),
        pytest.param(5, "int is no table", id="a number"),
        pytest.param([1, 2], "list is no table", id="a list of numbers"),
    ],
)  # fmt: skip
def test_what_is_no_table_of_facts_is_refused_with_place_and_remedy(no_decisions, table, words):
    with pytest.raises(FactsError) as caught:
        read_facts(no_decisions, table)
    assert words in str(caught.value)
    assert isinstance(caught.value, InvalidInputError)
    assert caught.value.remedy or "cannot name" in str(caught.value)


def test_a_file_that_is_no_csv_is_refused(no_decisions, tmp_path):
    path = tmp_path / "facts.csv"
    path.write_bytes(b"metric,at,value\na,2026-01-01T00:00Z,1,2,3\n")
    with pytest.raises(FactsError, match="cannot be read as CSV or Parquet"):
        read_facts(no_decisions, path)
    path.write_bytes(b"PAR1 but not really")
    with pytest.raises(FactsError, match="cannot be read as CSV or Parquet"):
        read_facts(no_decisions, path)


def test_an_empty_table_knows_nothing(no_decisions):
    facts = read_facts(no_decisions, [])
    assert facts.metrics == {}
    assert verdict(no_decisions, facts).cause == "no-metric"


@pytest.mark.parametrize(
    ("unit", "text", "expected"),
    [
        ("s", "latency exceeds 200 ms", ("tripped", "0.3 s on 2026-11-25, above 200 ms")),
        (None, "latency exceeds 200 ms", ("armed", "0.3 on 2026-11-25")),
        ("ratio", "latency exceeds 25%", ("tripped", "0.3 ratio on 2026-11-25, above 25 %")),
        ("GB", "latency exceeds 200 ms", ("unknown", "facts are in GB, the condition is in ms")),
        ("/day", "latency exceeds 200 /week", ("unknown", "facts are in /day, the condition is in /week")),
        ("s", "latency exceeds 200", ("unknown", "facts are in s, the condition is in bare numbers")),
        ("furlong", "latency exceeds 200 ms", ("unknown", "facts are in furlong, the condition is in ms")),
        ("Gb", "latency exceeds 200 ms", ("unknown", "latency: “Gb” can be gigabits or gigabytes")),
    ],
)
def test_units_are_compared_within_a_dimension_or_not_at_all(no_decisions, unit, text, expected):
    judged = verdict(no_decisions, rows(0.3, unit=unit or ""), text)
    assert (judged.verdict, judged.reason) == expected


def test_unknown_units_are_named(no_decisions):
    facts = read_facts(no_decisions, rows(1, unit="furlong"))
    assert "Unknown units, which compare with themselves only: furlong." in facts.notes(AS_OF)


def test_readings_in_several_units_are_brought_to_one(no_decisions):
    table = [*rows(0.1, 0.3, unit="s"), *rows(150, 250, unit="ms", begin=AS_OF - 3 * DAY)]
    facts = read_facts(no_decisions, table)
    assert sorted(facts.readings["value"].to_pylist()) == [100.0, 150.0, 250.0, 300.0]
    assert verdict(no_decisions, facts).verdict == "tripped"


def test_readings_in_units_that_do_not_fit_judge_nothing(no_decisions):
    judged = verdict(no_decisions, [*rows(1, unit="s"), *rows(1, unit="%", begin=AS_OF)])
    assert (judged.verdict, judged.cause) == ("unknown", "unit")
    assert judged.reason == "latency: its readings are in several units: %, s"


def test_a_conversion_does_not_lose_equality(no_decisions):
    table = rows(*[n / 10 for n in range(1, 31)], unit="s", begin=AS_OF - 30 * DAY)
    conditions = [read_condition(f"latency is at least {n * 100} ms") for n in range(1, 31)]
    for n, judged in enumerate(judge(no_decisions, conditions, read_facts(no_decisions, table), as_of=AS_OF), start=1):
        assert (judged.verdict, judged.since) == ("tripped", AS_OF - (31 - n) * DAY)


@pytest.mark.parametrize(
    ("text", "verdict_and_since"),
    [
        ("once ferrule reaches 2.9", ("tripped", AS_OF - 3 * DAY)),
        ("once ferrule reaches 2.10", ("tripped", AS_OF - 3 * DAY)),
        ("once ferrule reaches 2.11", ("armed", None)),
        ("ferrule reaches version 2.9.1", ("tripped", AS_OF - 3 * DAY)),
        ("ferrule reaches 2.9", ("tripped", AS_OF - 3 * DAY)),
        ("ferrule version > 2.10", ("armed", None)),
    ],
)
def test_versions_are_compared_part_by_part(no_decisions, text, verdict_and_since):
    table = rows("2.8", "2.8.1", "2.10.0", metric="ferrule", unit="version")
    judged = verdict(no_decisions, table, text)
    assert (judged.verdict, judged.since) == verdict_and_since
    assert judged.evidence[-1].text == "2.10"


def test_facts_that_do_not_say_they_are_versions_do_not_judge_one(no_decisions):
    judged = verdict(no_decisions, rows(3.0, metric="ferrule"), "once ferrule reaches 3.0")
    assert (judged.verdict, judged.cause) == ("unknown", "unit")


def test_names_are_matched_whole_after_normalising_or_by_the_mapping(no_decisions):
    table = rows(300, metric="DB-Latency (ms)")
    assert verdict(no_decisions, table, "latency exceeds 200").cause == "no-metric"
    assert verdict(no_decisions, table, "db latency ms exceeds 200").verdict == "tripped"
    mapped = verdict(no_decisions, table, "latency exceeds 200 ms", mapping={"Latency": "db latency ms"})
    assert mapped.verdict == "tripped"
    assert mapped.evidence[0].metric == "db_latency_ms"


def test_an_article_in_front_of_a_name_does_not_matter(no_decisions):
    assert verdict(no_decisions, rows(300), "the latency exceeds 200").verdict == "tripped"


def test_a_mapping_to_no_metric_is_refused(no_decisions):
    with pytest.raises(FactsError, match="no metric is named 'nothing'"):
        verdict(no_decisions, rows(300), mapping={"latency": "nothing"})
    with pytest.raises(InvalidInputError, match="texts are mapped to texts"):
        verdict(no_decisions, rows(300), mapping={"latency": 5})


def test_a_reading_that_fell_silent_never_says_armed(no_decisions):
    old = AS_OF - 40 * DAY
    assert verdict(no_decisions, rows(*[100] * 8, begin=old)).cause == "silent"
    assert verdict(no_decisions, rows(*[100] * 8, begin=AS_OF - 9 * DAY)).verdict == "armed"
    assert verdict(no_decisions, rows(*[300] * 8, begin=old)).verdict == "tripped"


WELL = "2026-11-29T00:00:00Z"


@pytest.mark.parametrize(
    "at",
    [
        pytest.param("0001-01-01T00:00:00+14:00", id="before the first year"),
        pytest.param("1899-12-31T23:59:59Z", id="long ago"),
        pytest.param("9999-12-31T23:59:59Z", id="the last year"),
    ],
)
def test_a_moment_to_which_no_window_could_be_added_is_refused_with_its_row(no_decisions, at):
    with pytest.raises(FactsError, match=r"at in row 2: lies outside the years 1900 to 2399"):
        read_facts(no_decisions, [{"metric": "latency", "at": each, "value": 1} for each in (WELL, at)])


def test_a_number_too_large_for_any_column_is_refused(no_decisions):
    with pytest.raises(FactsError, match="too large"):
        read_facts(no_decisions, [{"metric": "latency", "at": "2026-11-29T00:00:00Z", "value": 10**400}])


def test_a_table_without_rows_is_a_table_of_facts_whatever_its_columns_hold(no_decisions):
    facts = read_facts(no_decisions, pd.DataFrame({"metric": [], "at": [], "value": []}))
    assert facts.n_rows == 0
    assert verdict(no_decisions, facts).cause == "no-metric"
