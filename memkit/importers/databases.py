"""SQLite databases of other tools, read on a private copy: the file they belong to is never opened by SQLite.

A tool that runs, or that crashed, leaves its newest rows in a write-ahead log beside the database. The copy takes that
log and a rollback journal along, and SQLite recovers them there. While copying, sizes and times of all files are
compared before and after; a database that keeps changing is reported and not half read.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from memkit.importers.files import ATTEMPTS, Unreadable, why
from memkit.importers.streams import MAX_ITEM_BYTES
from memkit.store import durable, look

ENDINGS: Final = frozenset({".db", ".sqlite", ".sqlite3"})
MAGIC: Final = b"SQLite format 3\0"
_PREFIX: Final = "copy-"
_BESIDE: Final = ("", "-wal", "-journal")


class Damaged(Unreadable):
    """SQLite cannot go on reading; the message says why."""


@contextmanager
def open_copy(path: Path, scratch: Path | None) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of the database at `path`, in a folder of its own below `scratch`.

    Raises:
        Unreadable: it is no database, is empty, cannot be read, or keeps changing.
    """
    if scratch is None:
        raise Unreadable("there is no private folder to copy the database into")
    _sweep(scratch)
    folder = scratch / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
    durable.make_folder(folder)
    try:
        _copy(path, folder / "db")
        uri = f"file:{quote(os.fspath(folder / 'db'))}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.text_factory = lambda data: data.decode("utf-8", "replace")
            connection.row_factory = sqlite3.Row
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_ITEM_BYTES)
            try:
                connection.execute("pragma trusted_schema = 0")
                connection.execute("select count(*) from sqlite_master").fetchone()
                connection.execute("pragma query_only = 1")
            except sqlite3.Error as error:
                raise Unreadable(f"no database SQLite can read: {error}") from error
            yield connection
    finally:
        durable.remove_tree(folder)


def _sweep(scratch: Path) -> None:
    """Remove the copies of processes that no longer run."""
    for name in look.names_in(scratch):
        pid = name.removeprefix(_PREFIX).partition("-")[0]
        if name.startswith(_PREFIX) and pid.isdigit() and not look.is_running(int(pid)):
            durable.remove_tree(scratch / name)


def _copy(path: Path, target: Path) -> None:
    for _ in range(ATTEMPTS):
        if _copied(path, target):
            return
        for ending in _BESIDE:
            durable.unlink(target.with_name(target.name + ending))
    raise Unreadable(f"changed while it was copied, {ATTEMPTS} times; stop the tool that writes it, then try again")


def _copied(path: Path, target: Path) -> bool:
    """Copy the database and what lies beside it; whether all of it stood still."""
    with ExitStack() as opened:
        sources: list[tuple[int, os.stat_result, str]] = []
        for ending in _BESIDE:
            try:
                flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
                descriptor = os.open(path.with_name(path.name + ending), flags)
            except FileNotFoundError as error:
                if not ending:
                    raise Unreadable(why(error)) from error
                continue
            except OSError as error:
                raise Unreadable(f"{why(error)}{f' ({path.name}{ending})' if ending else ''}") from error
            opened.callback(os.close, descriptor)
            info = os.fstat(descriptor)
            if not stat.S_ISREG(info.st_mode):
                raise Unreadable("not a regular file")
            sources.append((descriptor, info, ending))
        if not sources[0][1].st_size:
            raise Unreadable("the file is empty")
        if os.pread(sources[0][0], len(MAGIC), 0) != MAGIC:
            raise Unreadable("not a SQLite database")
        for descriptor, info, ending in sources:
            durable.copy_into(descriptor, target.with_name(target.name + ending), info.st_size)
        there = [ending for ending in _BESIDE if os.path.lexists(path.with_name(path.name + ending))]
        return there == [ending for *_, ending in sources] and all(
            _same(info, os.fstat(descriptor)) for descriptor, info, _ in sources
        )


def _same(before: os.stat_result, after: os.stat_result) -> bool:
    return (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)


def tables(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """The columns of each table and view, by name."""
    names = [row[0] for row in rows(connection, "select name from sqlite_master where type in ('table', 'view')")]
    found: dict[str, frozenset[str]] = {}
    for name in names:
        if isinstance(name, str):
            described = rows(connection, "select name from pragma_table_info(?)", (name,))
            found[name] = frozenset(str(row[0]) for row in described)
    return found


def rows(connection: sqlite3.Connection, sql: str, params: tuple[Any, ...] = ()) -> Iterator[sqlite3.Row]:
    """The rows of a query, one at a time.

    Raises:
        Damaged: SQLite cannot go on; the rows before were whole.
    """
    try:
        yield from connection.execute(sql, params)
    except (sqlite3.Error, OverflowError) as error:
        raise Damaged(f"the database cannot be read on from here: {error}") from error


def as_item(row: sqlite3.Row) -> dict[str, Any]:
    """A row as plain JSON data; bytes are named by their length, infinite numbers left out."""
    item: dict[str, Any] = {}
    for name in row.keys():  # noqa: SIM118 - a Row iterates over its values
        value = row[name]
        if isinstance(value, bytes):
            value = f"<{len(value):,} bytes>"
        elif isinstance(value, float) and value in (float("inf"), float("-inf")):
            value = None
        item[name] = value
    return item
