"""The in-memory DuckDB of a catalog: its configuration, the tables of `base`, the views over them.

Rows come from two places: `held_*` tables in memory (the tail, and everything once it was copied), and segments read
in place. `entry_rows` and `posting_rows` are views over both; nothing above them knows the difference. Postings of
replaced editions stand apart in `replaced_postings`, so that counts are those of live entries without a filter.
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

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

VIEWS = "memkit.catalog.views"
TABLES = "memkit.catalog.tables"
_SET_MOMENT = "set variable as_of = $as_of::timestamptz"


class Segments:
    """Segment files of one store, for reading in place.

    Attributes:
        offset: Added to the document numbers in the files.
        project_key: Whose they are.
        entries: Files with one row per entry.
        postings: Files with one row per term and entry.
    """

    __slots__ = ("entries", "offset", "postings", "project_key")

    def __init__(self, offset: int, project_key: str, entries: Sequence[Path], postings: Sequence[Path]) -> None:
        self.offset = offset
        self.project_key = project_key
        self.entries = entries
        self.postings = postings


class Database:
    """One DuckDB; see the module.

    Args:
        temp_directory: A private folder for what does not fit into memory.
        threads: Threads of a query.
    """

    def __init__(self, temp_directory: Path, threads: int) -> None:
        import duckdb

        self.connection = duckdb.connect(
            ":memory:",
            config={
                "threads": threads,
                "temp_directory": str(temp_directory),
                "python_enable_replacements": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            },
        )
        self.run("set global timezone = 'UTC'")
        # Compressed tables are scanned faster and take about a seventh of the memory.
        self.run("attach ':memory:' as base (compress)")
        for name, schema in base_schemas().items():
            self.replace_table(name, schema.empty_table())
        self.read_in_place(())
        for view in self.views():
            self.run(f"create view {view} as {queries.load(VIEWS, view).sql}")

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
        self._with_rows(rows, f"insert into base.{name} by name from incoming")

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

    def read_in_place(self, segments: Sequence[Segments]) -> None:
        """Let `entry_rows`, `posting_rows` and `replaced_postings` show these segments beside the held rows."""
        entries, postings, replaced = ["from base.held_entries"], ["from base.held_postings"], []
        for part in segments:
            doc = f"(doc + {part.offset})::integer as doc"
            files = f"select * replace ({doc}), '{part.project_key}' as project_key from {_parquet(part.entries)}"
            entries.append(f"select * from ({files}) where doc not in (select doc from base.healed)")
            files = f"select * replace ({doc}) from {_parquet(part.postings)}"
            postings.append(f"select * from ({files}) where doc not in (select doc from base.replaced)")
            replaced.append(f"select * from ({files}) where doc in (select doc from base.replaced)")
        replaced.insert(0, "from base.held_replaced_postings")
        for name, parts in {"entry_rows": entries, "posting_rows": postings, "replaced_postings": replaced}.items():
            self.run(f"create or replace view base.{name} as {' union all '.join(parts)}")

    def hold_everything(self) -> None:
        """Copy what segments show into memory, so that nothing is read from a file any more."""
        with self.transaction():
            self.run("create or replace table base.held_entries as from base.entry_rows order by doc")
            self.run("create or replace table base.held_replaced_postings as from base.replaced_postings")
            self.run("create or replace table base.held_postings as from base.posting_rows order by term, doc")
            self.read_in_place(())
        self.pack()

    def sort_postings(self) -> None:
        """Bring held postings into order by term again after many were appended."""
        self.run("create or replace table base.held_postings as from base.held_postings order by term, doc")
        self.pack()

    def pack(self) -> None:
        """Compress what is held in memory."""
        self.run("force checkpoint base")

    def part_replaced(self) -> None:
        """Move held postings of replaced editions aside."""
        chosen = "from base.held_postings where doc in (select doc from base.replaced)"
        self.run(f"insert into base.held_replaced_postings {chosen}")
        self.run(f"delete {chosen}")

    # -- cursors -------------------------------------------------------------------------------------------------

    def cursor(self, as_of: dt.datetime | None = None) -> duckdb.DuckDBPyConnection:
        """A cursor of its own; with `as_of`, views count ages to that moment."""
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
