"""Every .sql file of the package is one SELECT whose header tells the truth."""

import datetime as dt
import re
from importlib import resources

import duckdb
import pytest

from memkit.analytics.frames import frame_schemas
from memkit.catalog import queries
from memkit.catalog.database import TABLES, VIEWS, Database
from memkit.catalog.schemas import base_schemas

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
FILES = sorted(
    (".".join(path.relative_to(root).parent.parts), path.name.removesuffix(".sql"))
    for root in [resources.files("memkit").joinpath("..").resolve()]
    for path in root.joinpath("memkit").rglob("*.sql")
)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    made = Database(tmp_path_factory.mktemp("spill"), 1)
    for name in queries.names_in(TABLES):
        made.derive(name)
    made.cursor(NOW).close()  # makes the views
    for name, schema in frame_schemas().items():
        made.connection.register(name, schema.empty_table())
    yield made
    made.close()


def without_comments(sql):
    return re.sub(r"--[^\n]*", "", sql)


def relations_of(sql):
    """The relations a query reads, as written, with their schema; those it defines itself are left out."""
    body = re.sub(r"'[^']*'", "''", without_comments(sql))
    assert not re.search(r"(?<!distinct )\b(?:from|join)\s+[\w.]+(?:\s+as\s+\w+)?\s*,", body), "joins are written out"
    own = set(re.findall(r"(\w+) as (?:materialized )?\(", body))
    return set(re.findall(r"(?<!distinct )\b(?:from|join)\s+([a-z_]+(?:\.[a-z_]+)*)\b(?![\w.(])", body)) - own


def test_there_are_files_to_check():
    assert len(FILES) > 15
    assert ("memkit.analytics", "recall") in FILES


@pytest.mark.parametrize(("package", "name"), FILES, ids=[f"{p}.{n}" for p, n in FILES])
class TestEveryFile:
    def test_it_is_one_select_with_the_parameters_its_header_names(self, database, package, name):
        query = queries.load(package, name)
        (statement,) = database.connection.extract_statements(query.sql)
        assert statement.type == duckdb.StatementType.SELECT
        assert set(query.params) == set(statement.named_parameters)

    def test_every_parameter_type_exists(self, database, package, name):
        for kind in queries.load(package, name).params.values():
            database.run(f"select null::{kind}")

    def test_it_reads_what_its_header_names_and_nothing_else(self, package, name):
        query = queries.load(package, name)
        known = {f"base.{table}" for table in base_schemas()} | set(Database.views())
        known |= {f"base.{table}" for table in queries.names_in(TABLES)}
        known |= {"base.entry_rows", "base.posting_rows", "base.replaced_postings", "information_schema.columns"}
        assert set(query.reads) <= known
        assert set(query.frames) <= set(frame_schemas())
        assert relations_of(query.sql) == {*query.reads, *query.frames}

    def test_its_last_ordering_ends_in_a_key_of_its_grain(self, package, name):
        query = queries.load(package, name)
        orderings = re.findall(
            r"\border by\s+((?:[^()]|\([^()]*\))*?)(?=\blimit\b|\)|$|\brows\b)", without_comments(query.sql)
        )
        if orderings and without_comments(query.sql).strip().endswith(orderings[-1].strip()):
            last = re.split(r",(?![^()]*\))", orderings[-1])[-1].split()[0].split(".")[-1]
            assert re.search(rf"\b{last}\b", query.grain), f"{last} is no part of: {query.grain}"

    def test_it_runs_on_an_empty_store(self, database, package, name):
        query = queries.load(package, name)
        values = {"DOUBLE": 1.0, "INTEGER": 1, "BIGINT": 1, "BOOLEAN": False, "VARCHAR": "a", "VARCHAR[]": ["a"],
                  "DOUBLE[]": [1.0], "FLOAT[]": [1.0], "INTEGER[]": [1], "BIGINT[]": [1], "TIMESTAMPTZ": NOW}  # fmt: skip
        for choose in (
            lambda kind: values[kind],
            lambda kind: None if kind in {"VARCHAR", "INTEGER[]"} else values[kind],
        ):
            database.run(query.sql, {param: choose(kind) for param, kind in query.params.items()})

    def test_keywords_are_lower_case_and_columns_are_named(self, package, name):
        body = re.sub(r"'[^']*'", "", without_comments(queries.load(package, name).sql))
        assert not re.search(r"\b(SELECT|FROM|WHERE|JOIN|GROUP|ORDER|WITH|AS|AND|OR)\b", body)
        assert not re.search(r"select\s+\*", body.rsplit("select", 1)[0] and "select" + body.rsplit("select", 1)[1])


@pytest.mark.parametrize(
    ("header", "sql"),
    [
        ("a, b", "select x from a"),
        ("a", "select x from a inner join b on true"),
        ("a", "select x from base.a"),
        ("base.a", "select x from a"),
        ("information_schema.columns", "select x from information_schema.tables"),
        ("information_schema.columns", "select x from a where b is distinct from information_schema.columns"),
        ("a", "with c as (select x from base.b) select x from c inner join a using (x)"),
        ("a", "select x from a left join (select y from b) as c on true"),
    ],
)
def test_a_header_that_names_other_relations_is_found_out(header, sql):
    query = queries.parse(
        "p", "q", f"-- q\n-- Purpose.\n-- reads:  {header}\n-- params: none\n-- grain:  one row\n{sql}"
    )
    assert relations_of(query.sql) != set(query.reads)


def test_relations_in_one_list_are_refused():
    with pytest.raises(AssertionError, match="written out"):
        relations_of("select x from a as b, c")


BROKEN = {
    "no header": "select 1",
    "another name": "-- other\n-- Purpose.\n-- reads:  none\n-- params: none\n-- grain:  one row\nselect 1",
    "no purpose": "-- q\n-- reads:  none\n-- params: none\n-- grain:  one row\nselect 1",
    "no grain": "-- q\n-- Purpose.\n-- reads:  none\n-- params: none\nselect 1",
    "a parameter without a type": "-- q\n-- Purpose.\n-- reads:  none\n-- params: $a\n-- grain:  one row\nselect $a",
    "a parameter twice": "-- q\n-- Purpose.\n-- reads:  none\n-- params: $a INTEGER, $a INTEGER\n-- grain:  one row\nselect $a",
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_a_file_without_a_proper_header_is_refused(text):
    with pytest.raises(queries.QueryFileError):
        queries.parse("p", "q", text)


def test_a_header_may_run_over_several_lines():
    text = "-- q\n-- One.\n-- Two.\n-- reads:  a,\n--         b\n-- params: $x DOUBLE,\n--         $y VARCHAR[]\n-- grain:  one row\nselect 1"
    query = queries.parse("p", "q", text)
    assert query.purpose == "One. Two."
    assert query.reads == ("a", "b")
    assert query.params == {"x": "DOUBLE", "y": "VARCHAR[]"}


def test_every_view_is_described_on_its_page():
    page = resources.files("memkit").joinpath("..", "docs", "reference", "views.md").read_text("utf-8")
    for view in queries.names_in(VIEWS):
        assert f"## {view}" in page
