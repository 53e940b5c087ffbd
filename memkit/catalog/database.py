"""The in-memory DuckDB of a catalog: its configuration, the tables of `base`, the views over them.

`entry_rows`, `posting_rows` and `replaced_postings` show everything that was read. They are tables in memory where
there is no snapshot; with one they are views, over tables in memory (`held_*`) and the segments' files. Nothing above
knows the difference. Postings of replaced editions stand apart, so that counts are those of live entries without a
filter.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.catalog import queries
from memkit.catalog.schemas import base_schemas
from memkit.snapshot.columns import table_of
from memkit.snapshot.rows import SAME_AS

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

VIEWS = "memkit.catalog.views"
TABLES = "memkit.catalog.tables"
# The tables that hold what was read, each with its order in memory.
ROWS = {"entry_rows": "doc", "posting_rows": "word, doc", "replaced_postings": "word, doc"}
_SET_MOMENT = "set variable as_of = $as_of::timestamptz"


class Segments:
    """Segment files of one store, for reading in place.

    Attributes:
        offset: Added to the document numbers in the files.
        project_key: Whose they are.
        entries: Files with one row per entry.
        postings: Files with one row per term and entry.
        words: Files with the entries of each word.
    """

    __slots__ = ("entries", "offset", "postings", "project_key", "words")

    def __init__(
        self, offset: int, project_key: str, entries: Sequence[Path], postings: Sequence[Path], words: Sequence[Path]
    ) -> None:
        self.offset = offset
        self.project_key = project_key
        self.entries = entries
        self.postings = postings
        self.words = words


class Database:
    """One DuckDB; see the module.

    Args:
        temp_directory: A private folder for what does not fit into memory; None: such a query fails.
        threads: Threads of a query.
    """

    def __init__(self, temp_directory: Path | None, threads: int) -> None:
        import duckdb

        self._in_place = False
        self.connection = duckdb.connect(
            ":memory:",
            config={
                "threads": threads,
                # Memory is given back sooner: 160 MB less among a million entries, and no question was slower.
                "allocator_bulk_deallocation_flush_threshold": "1MB",
                "temp_directory": str(temp_directory or ""),
                "python_enable_replacements": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )
        self.run("set global timezone = 'UTC'")
        # Compressed tables are scanned faster and take about a seventh of the memory.
        self.run("attach ':memory:' as base (compress)")
        for name, schema in base_schemas().items():
            self.replace_table(name, table_of((), schema))
        self._has_views = False

    def _show_views(self) -> None:
        """Make the shipped views, and the derived tables they read, where they are not there: ranking reads none."""
        if self._has_views:
            return
        for name in queries.names_in(TABLES):
            self.run(f"create table if not exists base.{name} as {queries.load(TABLES, name).sql}")
        with self.transaction():
            for view in self.views():
                self.run(f"create view {view} as {queries.load(VIEWS, view).sql}")
        self._has_views = True

    @staticmethod
    def views() -> list[str]:
        """Names of the shipped views, each after those it reads."""
        names = queries.names_in(VIEWS)
        ordered: list[str] = []
        while names:
            ready = [n for n in names if not set(queries.load(VIEWS, n).reads) & (set(names) - {n})]
            ordered += ready
            names = [n for n in names if n not in ready]
        return ordered

    # -- statements ----------------------------------------------------------------------------------------------

    def run(self, sql: str, params: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """Run one statement of memkit's own and fetch all of it."""
        rows: list[tuple[Any, ...]] = self.connection.execute(sql, params or None).fetchall()
        return rows

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Let other cursors see all changes of the block at once, or none."""
        self.run("begin transaction")
        try:
            yield
        except BaseException:
            self.run("rollback")
            raise
        self.run("commit")

    def replace_table(self, name: str, rows: pa.Table) -> None:
        """Make `base.<name>` hold exactly these rows."""
        self._with_rows(rows, f"create or replace table base.{name} as from incoming")

    def insert(self, name: str, rows: pa.Table) -> None:
        """Append rows to `base.<name>`, columns by name."""
        self._with_rows(rows, f"insert into base.{self._held(name)} by name from incoming")

    def _with_rows(self, rows: pa.Table, sql: str) -> None:
        self.connection.register("incoming", rows)
        try:
            self.run(sql)
        finally:
            self.connection.unregister("incoming")

    def derive(self, name: str) -> None:
        """Make the derived table `name` again from its select."""
        self.run(f"create or replace table base.{name} as {queries.load(TABLES, name).sql}")

    # -- where rows come from ------------------------------------------------------------------------------------

    def _held(self, name: str) -> str:
        """The table in memory behind one of `ROWS`: itself, or beside it while segments are read in place."""
        return f"held_{name}" if self._in_place and name in ROWS else name

    def read_in_place(self, segments: Sequence[Segments]) -> None:
        """Let the tables of `ROWS`, still empty, show these segments beside the rows in memory."""
        shown: dict[str, list[str]] = {name: [f"from base.held_{name}"] for name in ROWS}
        same = ", ".join(f"coalesce({name}, {other}) as {name}" for name, other in SAME_AS.items())
        for part in segments:
            doc = f"(doc + {part.offset})::integer as doc"
            entries = (
                f"select * replace ({doc}, {same}), '{part.project_key}' as project_key from {_parquet(part.entries)}"
            )
            postings = f"select * replace ({doc}) from {_parquet(part.postings)}"
            unhealed, live = "doc not in (select doc from base.healed)", "doc not in (select doc from base.replaced)"
            shown["entry_rows"].append(f"select * from ({entries}) where {unhealed}")
            shown["posting_rows"].append(f"select * from ({postings}) where {live} and {unhealed}")
            shown["replaced_postings"].append(f"select * from ({postings}) where not ({live}) and {unhealed}")
        with self.transaction():
            for name, parts in shown.items():
                self.run(f"alter table base.{name} rename to held_{name}")
                self.run(f"create view base.{name} as {' union all by name '.join(parts)}")
        self._in_place = True

    def show(self, name: str, parts: Sequence[str]) -> None:
        """Let `base.<name>` be a view over these selects."""
        kind = self.run(
            "select table_type from information_schema.tables where table_catalog = 'base' and table_name = $name",
            {"name": name},
        )
        if kind and kind[0][0] != "VIEW":
            self.run(f"drop table base.{name}")
        self.run(f"create or replace view base.{name} as {' union all by name '.join(parts)}")

    def sort_postings(self) -> None:
        """Bring postings in memory into order by word again after many were appended."""
        name = self._held("posting_rows")
        self.run(f"create or replace table base.{name} as from base.{name} order by {ROWS['posting_rows']}")
        self.pack()

    def pack(self) -> None:
        """Compress what is in memory."""
        self.run("force checkpoint base")

    def drop_healed(self) -> None:
        """Remove rows in memory of entries that could not be read and now can."""
        healed = "problem is not null and doc in (select doc from base.healed)"
        self.run(f"delete from base.{self._held('entry_rows')} where {healed}")

    def drop_hidden(self) -> None:
        """Remove rows and postings in memory of entries that are shown no more."""
        for name in ROWS:
            self.run(f"delete from base.{self._held(name)} where doc in (select doc from base.healed)")

    def part_replaced(self) -> None:
        """Move postings in memory of replaced editions aside."""
        chosen = f"from base.{self._held('posting_rows')} where doc in (select doc from base.replaced)"
        self.run(f"insert into base.{self._held('replaced_postings')} {chosen}")
        self.run(f"delete {chosen}")

    # -- cursors -------------------------------------------------------------------------------------------------

    def cursor(self, as_of: dt.datetime | None = None) -> duckdb.DuckDBPyConnection:
        """A cursor of its own; with `as_of` it sees the views, which count ages to that moment."""
        if as_of is not None:
            self._show_views()
        cursor = self.connection.cursor()
        if as_of is not None:
            cursor.execute(_SET_MOMENT, {"as_of": as_of}).fetchall()
        return cursor

    def close(self) -> None:
        """Let go of the memory; cursors still in use go on until they are done."""
        self.connection.close()


def _parquet(files: Sequence[Path]) -> str:
    """A `read_parquet` of exactly these files: quotes doubled, characters of glob patterns taken literally."""
    quoted = ", ".join("'" + re.sub(r"([*?\[])", r"[\1]", str(file)).replace("'", "''") + "'" for file in files)
    return f"read_parquet([{quoted}])"
