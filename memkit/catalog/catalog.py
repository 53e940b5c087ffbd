"""`Catalog`: stores seen through DuckDB, kept up to date, asked by SQL."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar

from memkit.catalog import candidates, statements, uses
from memkit.catalog.audit import asks_for, reads_json
from memkit.catalog.database import Database
from memkit.catalog.queries import Query
from memkit.catalog.sight import PLACES, Sight
from memkit.catalog.sources import MAX_STORES
from memkit.catalog.table import Table
from memkit.errors import UsageError
from memkit.model.links import Resolution
from memkit.model.problem import Problem

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from memkit.model.entry import StoredEntry
    from memkit.store.records import RecordsRead
    from memkit.store.store import Store

_TRIES = 2
T = TypeVar("T")


class Catalog:
    """Stores seen through DuckDB; safe to use from several threads.

    Args:
        stores: One store, or several for questions across projects.
        decision_panels: Panels whose entries are decisions.
        temp_directory: A private folder; DuckDB spills there. None: what does not fit into memory fails.
        threads: Threads of a query; up to some ten thousand entries one is faster than two.

    Raises:
        StoreError: an index or a folder cannot be read.
    """

    def __init__(
        self,
        stores: Sequence[Store],
        *,
        temp_directory: Path | None,
        decision_panels: Sequence[str] = ("adr", "consensus", "decision", "llm-council"),
        threads: int = 1,
    ) -> None:
        if not 0 < len(stores) <= MAX_STORES:
            raise UsageError(f"a catalog is over 1 to {MAX_STORES} stores, not {len(stores)}")
        self.stores = {store.paths.key: store for store in stores}
        self._panels = tuple(decision_panels)
        self._temp_directory = temp_directory
        self._threads = threads
        self._lock = threading.RLock()
        self._waiting: list[StoredEntry] = []
        self._is_stale = False
        self._n_sights = 0
        self._sight: Sight | None = self._look()

    def __repr__(self) -> str:
        return f"<Catalog over {', '.join(self.stores)}>"

    # -- keeping up ----------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """See what other processes have stored, rewritten or put back since."""
        import duckdb

        with self._lock:
            try:
                with self.sight() as sight:
                    grown = sight.look_again()
            except duckdb.IOException:
                grown = False
            if not grown:
                self._reload()

    def apply(self, entries: Sequence[StoredEntry]) -> None:
        """Take entries this process has just stored; they are visible at the next question. Costs nothing now."""
        with self._lock:
            self._waiting += entries

    def expect_changes(self) -> None:
        """Something beside entries was changed: the next question looks again. Costs nothing now."""
        with self._lock:
            self._is_stale = True

    def keep_vectors(self) -> None:
        """Write vectors that were made since, if they are worth it."""
        with self._lock:
            if self._sight is not None and self._sight.vectors is not None:
                self._sight.vectors.keep()

    def close(self) -> None:
        """Let go of all memory. Closing twice does nothing."""
        with self._lock:
            if self._sight is not None:
                self._sight.close()
            self._sight = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why a snapshot that is there is not used, for `verify`."""
        with self.sight() as sight:
            return tuple(problem for source in sight.sources for problem in source.problems)

    @property
    def version(self) -> tuple[int, int]:
        """Another one whenever there are other rows; for those who remember what they worked out from them."""
        with self.sight() as sight:
            return (self._n_sights, sight.n_changes)

    @property
    def records(self) -> RecordsRead:
        """The records of the first store as they are shown now; the same object for as long as none has changed."""
        with self.sight() as sight:
            return sight.sources[0].records

    @property
    def unsettled_links(self) -> Mapping[str, Resolution]:
        """Links between decisions that are not followed, with their candidates, by project key."""
        with self.sight() as sight:
            return sight.relations.unsettled

    # -- asking --------------------------------------------------------------------------------------------------

    def sql(
        self,
        query: str,
        params: Mapping[str, Any] | Sequence[Any] | None = None,
        *,
        as_of: dt.datetime,
        frames: Mapping[str, object] | None = None,
    ) -> Table:
        """Run exactly one SELECT over the views and the caller's frames; the answer is complete and in memory.

        Args:
            query: The SELECT.
            params: Values for `$name` or `?`.
            as_of: The moment ages are counted to.
            frames: Frames by name: pandas, polars, Arrow, or anything with `__arrow_c_stream__`.

        Raises:
            QueryError: with DuckDB's message and the query; also for a frame whose name would hide a view, or that is
                none.
        """
        ready = statements.require_frames(frames or {}, (*Database.views(), "base"))
        return self._answer(query, params, as_of, ready, own=False)

    def table(
        self,
        query: Query,
        params: Mapping[str, Any] | None = None,
        *,
        as_of: dt.datetime,
        frames: Mapping[str, pa.Table] | None = None,
    ) -> Table:
        """Ask one of the package's own queries; `frames` are Arrow tables it reads by name."""
        return self._answer(query.sql, params, as_of, frames or {}, own=True)

    def count_uses(self) -> None:
        """Bring up to date what consolidating has counted of uses, for a ranking by them.

        Raises:
            StoreError: a file cannot be shown.
        """
        with self.sight() as sight:
            uses.load(sight.database, tuple(self.stores.values()))

    def ask(self, answer: Callable[[Sight], T]) -> T:
        """Give the present state to `answer` and return what it gives; nobody else changes it meanwhile.

        If a segment is swept while it is read (another process has published a newer snapshot), the answer is asked for
        again with everything read anew.

        Raises:
            QueryError: DuckDB could not answer a query.
        """
        import duckdb

        for attempt in range(_TRIES):
            try:
                with self.sight() as sight:
                    return answer(sight)
            except duckdb.IOException as error:
                if attempt + 1 == _TRIES or not self._reads_files():
                    raise statements.query_error(error, "") from error
                self._reload()
            except duckdb.Error as error:
                raise statements.query_error(error, "") from error
        raise AssertionError

    def _answer(self, sql: str, params: Any, as_of: dt.datetime, frames: Mapping[str, Any], *, own: bool) -> Table:
        import duckdb

        audit = asks_for(sql)
        for attempt in range(_TRIES):
            try:
                with self._cursor(as_of, sql, audit=audit) as cursor:
                    text = sql if own else statements.require_one_select(cursor, sql)
                    return Table(statements.run(cursor, text, params, frames), text)
            except duckdb.IOException as error:
                if attempt + 1 == _TRIES or not (audit or self._reads_files()):
                    raise statements.query_error(error, sql) from error
                self._reload()
            except (duckdb.Error, TypeError, ValueError) as error:
                if attempt + 1 == _TRIES or not (audit and reads_json(error) and self._distrust_logs()):
                    raise statements.query_error(error, sql) from error
        raise AssertionError

    def _distrust_logs(self) -> bool:
        with self.sight() as sight:
            return sight.audit.distrust()

    # -- the present sight ---------------------------------------------------------------------------------------

    @contextmanager
    def sight(self) -> Iterator[Sight]:
        """The present state, settled, for as long as the block; nobody else changes it or ranks meanwhile.

        Raises:
            UsageError: the catalog is closed.
        """
        import duckdb

        with self._lock:
            waiting, self._waiting = self._waiting, []
            stale, self._is_stale = self._is_stale, False
            if stale and self._sight is not None:
                self._waiting = waiting
                self.refresh()
                waiting, self._waiting = self._waiting, []
            try:
                sight = self._require_open()
                sight.accept(waiting)
                if sight.hide():
                    sight.settle()
                else:
                    sight = self._reload()
            except duckdb.IOException:
                sight = self._reload()
            yield sight

    def _require_open(self) -> Sight:
        if self._sight is None:
            raise UsageError("this memory is closed", remedy="Open it again with memkit.open().")
        return self._sight

    def _reads_files(self) -> bool:
        with self._lock:
            return self._sight is not None and self._sight.reads_files

    def _look(self) -> Sight:
        """A fresh sight. A segment that vanishes under our hands has been swept: look again, then do without."""
        self._n_sights += 1
        import duckdb

        for use_snapshots in (True, True, False):
            sight = Sight(tuple(self.stores.values()), self._panels, self._temp_directory, self._threads)
            try:
                sight.open(use_snapshots=use_snapshots)
            except (duckdb.IOException, FileNotFoundError):
                sight.close()
            else:
                return sight
        raise AssertionError

    def _reload(self) -> Sight:
        """Read everything again: an index was rewritten, or another process published a snapshot and swept ours."""
        with self._lock:
            self._require_open().close()
            self._sight = self._look()
            return self._sight

    @contextmanager
    def _cursor(self, as_of: dt.datetime, sql: str, *, audit: bool) -> Iterator[duckdb.DuckDBPyConnection]:
        with self.sight() as sight:
            if audit:
                sight.audit.load()
            if candidates.asks_for(sql):
                candidates.load(sight.database, tuple(self.stores.values()))
            if PLACES in str(sql):
                sight.derived.show_places()
            if uses.asks_for(sql):
                uses.load(sight.database, tuple(self.stores.values()))
            cursor = sight.database.cursor(as_of)
        try:
            yield cursor
        finally:
            cursor.close()
