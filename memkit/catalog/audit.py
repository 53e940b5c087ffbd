"""The audit log as tables: read when a question names one of its views, never before.

A log of more than `MIN_IN_PLACE` bytes is read by DuckDB where it lies, once its bytes were checked (UTF-8, no NUL,
each line begins and ends as memkit writes it) and the number of rows agrees with the number of lines; any other is
parsed here, line by line, with damage left out. Days that were compacted are read from their Parquet files. What has
not changed is not read again. A log that turns out not to be what the check saw is parsed from then on.
"""

from __future__ import annotations

import codecs
import re
import socket
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.model.problem import Problem
from memkit.snapshot import audit_days
from memkit.snapshot.audit_rows import audit_schema, build, json_columns
from memkit.snapshot.columns import table_of
from memkit.store import audit_log, look

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.catalog.database import Database
    from memkit.store.store import Store

VIEWS = ("audit_events", "audit_runs", "record_history", "usage")
MIN_IN_PLACE = 1 << 20
_NAMES = re.compile("|".join(VIEWS), re.IGNORECASE)
_BEGINS = b'{"id":"'
_BETWEEN = b"}\n" + _BEGINS


def asks_for(sql: object) -> bool:
    """Whether a query may read a view of the audit log."""
    return isinstance(sql, str) and _NAMES.search(sql) is not None


@dataclass(frozen=True, slots=True)
class _Checked:
    """A large log that was found whole: how it was then, and its rows."""

    version: tuple[int, ...]
    n_rows: int


class AuditRows:
    """`base.audit_rows`, `base.audit_run_rows` and `base.audit_alive` of a catalog's stores."""

    def __init__(self, database: Database, stores: Sequence[Store]) -> None:
        self._database = database
        self._stores = stores
        self._seen: dict[Path, tuple[int, ...] | None] | None = None
        self._checked: dict[Path, _Checked] = {}
        self._distrusted: set[Path] = set()

    def distrust(self) -> bool:
        """Parse what was read in place from now on; whether anything was."""
        had_any = bool(set(self._checked) - self._distrusted)
        self._distrusted |= set(self._checked)
        self._seen = None
        return had_any

    def forget(self) -> None:
        """Read everything again at the next question."""
        self._seen = None

    def load(self) -> None:
        """Bring the tables up to date with the files.

        Raises:
            StoreError: the operating system refuses to show a log.
        """
        files = {file: look.version_of(file) for store in self._stores for file in _files(store)}
        if files != self._seen:
            self._read()
            self._seen = files
        self._look_who_is_alive()

    def _read(self) -> None:
        import pyarrow as pa

        held: list[pa.Table] = []
        parts = ["from base.audit_held"]
        for store in self._stores:
            compacted = audit_days.usable(store.paths)
            for day, file in compacted.items():
                columns = _columns(self._columns_of(file))
                parts.append(_named(f"select {columns} from read_parquet({_literal(file)})", store, day))
            for day in audit_log.days(store.paths):
                file = store.paths.log_file(day)
                if day in compacted:
                    continue
                if self._is_whole(file):
                    parts.append(_named(f"select {_columns()} from {_json(file)}", store, day))
                else:
                    held.append(_held(store, day))
        schema = audit_schema().append(pa.field("project_key", pa.string())).append(pa.field("day", pa.string()))
        rows = pa.concat_tables(held) if held else table_of((), schema)
        with self._database.transaction():
            self._database.replace_table("audit_held", rows.select(schema.names))
            self._database.show("audit_rows", parts)
            self._database.derive("audit_run_rows")

    def _columns_of(self, file: Path) -> frozenset[str]:
        """The names of the columns of a compacted day; none where it cannot be read."""
        import duckdb

        try:
            return frozenset(row[0] for row in self._database.run(f"describe from read_parquet({_literal(file)})"))
        except duckdb.Error:
            return frozenset()

    def _is_whole(self, file: Path) -> bool:
        """Whether DuckDB may read a log where it lies."""
        version = look.version_of(file)
        if version is None or version[1] < MIN_IN_PLACE or file in self._distrusted:
            return False
        known = self._checked.get(file)
        if known is not None and known.version == version:
            return True
        n = _lines_as_written(file)
        if n is None:
            return False
        import duckdb

        try:
            ((n_rows,),) = self._database.run(f"select count(*) from {_json(file)}")
        except duckdb.Error:
            return False
        if n_rows != n and (n_rows < n or look.version_of(file) == version):
            return False
        self._checked[file] = _Checked(version, n_rows)
        return True

    def _look_who_is_alive(self) -> None:
        """Which runs without an end belong to a process that still runs on this machine."""
        import pyarrow as pa

        here = socket.gethostname()
        open_runs = self._database.run(
            "select project_key, run_id, pid, host from base.audit_run_rows where status is null"
        )
        alive = [
            {"project_key": key, "run_id": run_id}
            for key, run_id, pid, host in open_runs
            if host == here and pid is not None and look.is_running(pid)
        ]
        schema = pa.schema([("project_key", pa.string()), ("run_id", pa.string())])
        self._database.replace_table("audit_alive", pa.Table.from_pylist(alive, schema))


def _files(store: Store) -> list[Path]:
    paths = store.paths
    return [paths.compacted, *(paths.log_file(day) for day in audit_log.days(paths))]


def _held(store: Store, day: str) -> pa.Table:
    import pyarrow as pa

    rows = build(item for item in audit_log.day_events(store.paths, day) if not isinstance(item, Problem))
    for name, value in (("project_key", store.paths.key), ("day", day)):
        rows = rows.append_column(name, pa.array([value] * rows.num_rows, pa.string()))
    return rows


def _columns(there: Collection[str] | None = None) -> str:
    """The columns of a log; those a file of an older memkit does not have are empty."""
    return ", ".join(
        f'"{name}"' if there is None or name in there else f'null::{kind} as "{name}"'
        for name, kind in json_columns().items()
    )


def _named(select: str, store: Store, day: str) -> str:
    return f"select *, '{store.paths.key}' as project_key, '{day}' as day from ({select})"


def _json(file: Path) -> str:
    columns = ", ".join(f"\"{name}\": '{kind}'" for name, kind in json_columns().items())
    return f"read_json({_literal(file)}, format = 'newline_delimited', columns = {{{columns}}})"


def _literal(file: Path) -> str:
    """A path as a text of SQL: quotes doubled, characters of glob patterns taken literally."""
    return "'" + re.sub(r"([*?\[])", r"[\1]", str(file)).replace("'", "''") + "'"


def _lines_as_written(file: Path) -> int | None:
    """Lines of a log in which each begins and ends as memkit writes it, and is text without NUL; None for another."""
    n, newlines, before, is_ascii = 1, 0, b"", True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for part in look.parts(file):
            if not before and not part.startswith(_BEGINS):
                return None
            if b"\0" in part:
                return None
            is_ascii = is_ascii and part.isascii()
            if not is_ascii:
                decoder.decode(part)
            data = before + part
            n += data.count(_BETWEEN)
            newlines += part.count(b"\n")
            before = data[1 - len(_BETWEEN) :]
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return None
    return n if newlines == n and before.endswith(b"}\n") else None


def reads_json(error: Any) -> bool:
    """Whether DuckDB stumbled over a log it was reading where it lies."""
    return "JSON" in str(error) and " in file " in str(error)
