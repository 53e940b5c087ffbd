"""Memory: the one object a notebook holds.

It opens one project's store, keeps a catalog over it, and hands every question to the floor that answers it. It holds
no logic of its own beyond that: what is durable is the store's business, what matches is recall's, what is shown is
present's.

    import memkit

    with memkit.open(".") as mem:
        mem.store(question="Which queue?", result={"conclusion": "Keep PostgreSQL LISTEN/NOTIFY."})
        mem.recall("queue")

A project is off until its user says `memkit enable`; `memkit.open(..., enabled=True, root=...)` is for notebooks and
tests that bring their own root. Derived files are refreshed when a memory is opened, refreshed and closed, never by a
question. Several threads may share a Memory; several may be open on one project.
"""

from __future__ import annotations

import datetime as dt
import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from memkit import present as present  # noqa: PLC0414 - every result is wired to its renderer
from memkit.deciding.consolidating import Consolidating
from memkit.deciding.exchanging import Exchanging
from memkit.deciding.exploring import Exploring
from memkit.deciding.forgetting import Forgetting
from memkit.deciding.part import Scope
from memkit.deciding.staging import Staging
from memkit.deciding.tripwires import Tripwires
from memkit.errors import MemkitError, MemkitWarning, NotEnabledError, UsageError
from memkit.model.entry import StoredEntry
from memkit.model.problem import Problem
from memkit.settings import Environment, Loaded, facts_file, session_folders
from memkit.store.new_entry import NewEntry, check_new_entry
from memkit.store.paths import StorePaths
from memkit.store.receipt import StoreReceipt
from memkit.store.spill import spill_folder
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.analytics.recall import Rerank
    from memkit.analytics.recall_result import RecallResult
    from memkit.catalog.catalog import Catalog
    from memkit.catalog.table import Table
    from memkit.catalog.vectors import Embedder
    from memkit.consolidate.record_tools import RecordTools
    from memkit.deciding.audit import Audit
    from memkit.model.status import Status
    from memkit.store.listing import EntryList
    from memkit.store.locks import LockList
    from memkit.store.repair import RepairReport

Project = str | os.PathLike[str]
Problems = list[Problem]
Receipts = list[StoreReceipt]


class Memory(Consolidating, Exchanging, Exploring, Forgetting):
    """One project's memory; made by `memkit.open`, usable as a context manager.

    Attributes:
        paths: Where its files lie.
        settings: The settings in force, each with its source.
        enabled: Whether its user consented; without consent only `list`, `get`, `status`, `verify`,
            `erase`, `scan` and `wipe` work.
    """

    def __init__(
        self,
        store: Store,
        *,
        loaded: Loaded,
        environment: Environment,
        temp_directory: Path | None,
        absorbs: bool = True,
    ) -> None:
        self._store = store
        self._environment = environment
        self._temp_directory = temp_directory
        self._catalogs: dict[Scope, Catalog] = {}
        self._absorbs = absorbs
        self._closed = False
        self.settings = loaded
        chosen = loaded.settings
        self._tripwires = Tripwires(
            store,
            self._catalog,
            facts_file=facts_file(chosen, environment),
            metrics=chosen.tripwires.metrics,
        )
        self._staging = Staging(
            store,
            folders=session_folders(chosen, environment),
            panels=chosen.decisions.panels,
            model=chosen.consolidation.model,
            changed=self._expect_changes,
        )
        self._records: RecordTools | None = None
        self._audit: Audit | None = None
        store.firings.enabled = chosen.consolidation.firings
        self.enabled: bool = loaded.settings.memory.enabled
        self.paths: StorePaths = store.paths

    def __repr__(self) -> str:
        state = "closed" if self._closed else "on" if self.enabled else "off"
        return f"<Memory of {self.paths.project_path!r}, {state}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Absorb a long tail into the snapshot and let go of everything. Closing twice does nothing."""
        if self._closed:
            return
        self._absorb()
        self._closed = True
        for catalog in self._catalogs.values():
            catalog.close()
        self._catalogs.clear()

    @property
    def is_closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def refresh(self) -> Self:
        """See what other processes have stored since; absorb a long tail into the snapshot."""
        self._require_open()
        self._absorb()
        for catalog in self._catalogs.values():
            catalog.refresh()
        return self

    # -- storing ------------------------------------------------------------------------------------------------

    def store(
        self,
        *,
        question: str,
        result: Mapping[str, Any],
        panel_id: str = "consensus",
        tags: Iterable[str] = (),
        stored_at: dt.datetime | None = None,
    ) -> StoreReceipt:
        """Store one result; it is on disk when this returns.

        Args:
            question: What was asked; 1 to 100,000 characters.
            result: Any JSON object; at most 32 MiB, nested at most 64 deep.
            panel_id: The panel that produced it.
            tags: At most 32 of at most 64 characters.
            stored_at: An aware instant, not in the future; now by default.

        Raises:
            InvalidInputError: a value cannot be stored as it is; nothing was written.
            StoreError: the disk, a permission or another writer stood in the way; nothing was acknowledged.
        """
        request = {"question": question, "result": result, "panel_id": panel_id, "tags": tags, "stored_at": stored_at}
        return self.store_many([request])[0]

    def store_many(self, requests: Iterable[Mapping[str, Any]], *, prune: bool = False) -> Receipts:
        """Store several results with one append to the index; each mapping has the arguments of `store`.

        Args:
            requests: The results.
            prune: Store them although that pushes entries over the retention policy, and move those to the trash.

        Raises:
            InvalidInputError: naming the request and the field; none was stored.
            PolicyError: more than one, and storing them would push entries over the policy; none was stored.
            StoreError: as in `store`.
        """
        new = self._checked(requests)
        return self._keep(new, op="store", prune=prune or len(new) == 1)

    def _checked(self, requests: Iterable[Mapping[str, Any]]) -> Sequence[NewEntry]:
        self._require_enabled()
        now = self._store.clock.now()
        new: list[NewEntry] = []
        for i, request in enumerate(requests):
            try:
                new.append(check_new_entry(request, now))
            except MemkitError as error:
                if i:
                    error.add_note(f"in request {i}, counted from 0; none was stored")
                raise
        return new

    def _keep(self, new: Sequence[NewEntry], *, op: str, prune: bool) -> Receipts:
        if not prune:
            self._retention().require_room(new)
        receipts = self._store.store_many(new, op=op)
        for scope, catalog in self._catalogs.items():
            if scope != "others":
                catalog.apply([receipt.entry for receipt in receipts])
        self._carry_on_erasing()
        pruned = self._retention().after_storing() if receipts else ()
        return [*receipts[:-1], replace(receipts[-1], pruned=pruned)] if pruned else receipts

    # -- asking -------------------------------------------------------------------------------------------------

    def get(self, entry_id: str) -> StoredEntry:
        """One entry by id.

        Raises:
            EntryNotFoundError: there is none in this project.
            DamagedError, NewerFormatError, ForeignStoreError: it is there and cannot be read here.
        """
        self._require_open()
        return self._store.read_entry(entry_id)

    def read(self, entry_id: str) -> StoredEntry:
        """One entry by id, as `get`, for somebody who reads it: where memory is on, the reading is counted."""
        entry = self.get(entry_id)
        if self.enabled:
            self._note_read(entry_id)
        return entry

    def list(self) -> EntryList:
        """All entries' index lines, newest first."""
        from memkit.store.listing import EntryList

        self._require_open()
        read = self._store.read_index()
        rows = sorted(read.lines, key=lambda line: (-line.stored_at_ms, line.id))
        from memkit.store.records import n_files

        n = n_files(self.paths)
        return EntryList(rows=tuple(rows), as_of=self._now(), n_damaged=len(read.damaged), n_records=n)

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float = 0.0,
        panel: str | None = None,
        any_tag: str | Sequence[str] = (),
        all_tags: str | Sequence[str] = (),
        since_days: float | None = None,
        across_projects: bool | None = None,
        include_superseded: bool = False,
        fuzzy: bool = False,
        stemming: str | None = None,
        recency_half_life_days: float | None = None,
        reinforcement: float = 0.0,
        semantic: Embedder | None = None,
        rerank: Rerank | None = None,
    ) -> RecallResult:
        """Entries that hold the words of a question, best first, with every reason for their place.

        Args:
            query: Words; at most 64 distinct terms count.
            limit: Hits at most; `recall.limit` of the settings (20) by default.
            min_score: Hits below this score are listed as missed.
            panel: Only entries of this panel.
            any_tag: Only entries with one of these tags.
            all_tags: Only entries with all of these tags.
            since_days: Only entries stored at most so many days ago.
            across_projects: Also the other projects their user enabled; each is checked against its own store.json.
                False, where the settings say True, only mentions what they hold under `other-project`.
            include_superseded: Also what was replaced, behind what replaced it, labelled.
            fuzzy: Also words that begin with a term of 4 letters or more, or differ by one edit from one of 5 or more.
            stemming: A language such as `english`, to count forms of a word with one stem as that word; `none` turns it
                off; `recall.stemming` of the settings by default. Needs the extra `stemming`.
            recency_half_life_days: Halve the score for each so many days of age; off by default.
            reinforcement: The most by which uses raise a score, as a share of it, 0 to 1; off by default. A use is a
                reading, or of a record also a confirmation; having been recalled is none.
            semantic: An embedder, to look for the meaning as well: anything with `encode(texts)`. Its vectors are kept.
            rerank: A function that puts the hits in another order; the lexical rank stays beside.

        Raises:
            InvalidInputError: an option out of its range.
        """
        from memkit.analytics.recall import recall
        from memkit.analytics.recall_options import tag_names

        self._require_enabled()
        wide = self.settings.settings.memory.across_projects if across_projects is None else across_projects
        options = self._weighing(
            limit=self.settings.settings.recall.limit if limit is None else limit,
            min_score=min_score,
            panel=panel,
            any_tag=tag_names(any_tag, "any_tag"),
            all_tags=tag_names(all_tags, "all_tags"),
            since_days=since_days,
            across_projects=wide,
            include_superseded=include_superseded,
            fuzzy=fuzzy,
            **({} if stemming is None else {"stemming": stemming}),
            recency_half_life_days=recency_half_life_days,
            reinforcement=reinforcement,
            semantic=semantic,
            rerank=rerank,
        )
        mention = self.settings.settings.memory.across_projects and not wide
        elsewhere = self._catalog("others") if mention and self._other_stores() else None
        catalog = self._catalog("all" if wide else "own")
        result = recall(catalog, query, options, as_of=self._now(), elsewhere=elsewhere)
        for line in result.warnings:
            warnings.warn(line, MemkitWarning, stacklevel=2)
        self._note_use("recall", query, result.rows)
        self._notice_edits(catalog)
        return self._tripwires.on_hits(result)

    def sql(self, query: str, params: Mapping[str, Any] | Sequence[Any] | None = None, /, **frames: object) -> Table:
        """Run one SELECT over the views of docs/reference/views.md: `entries`, `decisions`, `tripwires`, and so on.

        Args:
            query: The SELECT.
            params: Values for `$name` or `?`.
            **frames: Data frames by the name the query uses: pandas, polars, Arrow.

        Raises:
            QueryError: it is not one SELECT, a frame is none or its name would hide a view, or DuckDB cannot answer it;
                with DuckDB's message.
        """
        self._require_enabled()
        from memkit.analytics.gaps import with_gaps

        return with_gaps(self._catalog(), self._catalog().sql(query, params, as_of=self._now(), frames=frames))

    @property
    def records(self) -> RecordTools:
        """The canonical memory: `write`, `edit`, `delete`, `read`, `query`, `list`, `lint`."""
        from memkit.consolidate.record_tools import RecordTools

        self._require_enabled()
        if self._records is None:
            self._records = RecordTools(self._store, self._expect_changes)
        return self._records

    # -- looking after ------------------------------------------------------------------------------------------

    @property
    def audit(self) -> Audit:
        """What happened to this memory: `runs`, `events`, `history`, `usage`, `health`, `verify`, `monitor`."""
        from memkit.deciding.audit import Audit

        self._require_enabled()
        if self._audit is None:
            days = self.settings.settings.audit.keep_days
            self._audit = Audit(self._store, self._catalog, keep_days=days or None)
        return self._audit

    def status(self) -> Status:
        """Whether memory is on, where it lies, how much it holds."""
        from memkit.store.status import status_of

        self._require_open()
        by = self.settings.sources["memory.enabled"]
        return status_of(self._store, enabled=self.enabled, enabled_by=by, notes=self.settings.warnings)

    def verify(self, *, progress: Callable[[int], None] | None = None) -> Problems:
        """Every spot that is not as it should be; writes nothing. An empty list means sound.

        `progress` is called with the number of entries compared since the last call.
        """
        from memkit.snapshot import audit_days
        from memkit.snapshot.reading import open_snapshot
        from memkit.store.verify import verify

        self._require_open()
        derived = [*open_snapshot(self.paths).problems, *audit_days.problems_of(self.paths)]
        return sorted([*verify(self._store, progress=progress), *derived])

    def locks(self) -> LockList:
        """Who holds which lock of this store."""
        from memkit.store.locks import look_at_locks

        self._require_open()
        return look_at_locks(self._store)

    def repair(self, *, dry_run: bool = True, progress: Callable[[int], None] | None = None) -> RepairReport:
        """Mend what needs no person, keeping every damaged byte; by default only say what would be done."""
        from memkit.store.repair import repair

        self._require_open()
        if not dry_run:
            self._require_enabled()
            self._carry_on_erasing(compacted=True)
        report = repair(self._store, dry_run=dry_run, progress=progress)
        if not dry_run:
            self._reload()
        return report

    # -- inside -------------------------------------------------------------------------------------------------

    def _require_open(self) -> None:
        if self._closed:
            raise UsageError("this memory is closed", remedy="Open it again with memkit.open().")

    def _require_enabled(self) -> None:
        self._require_open()
        if not self.enabled:
            raise not_enabled(self.paths.project_path)

    def _catalog(self, scope: Scope = "own") -> Catalog:
        from memkit.catalog.catalog import Catalog

        self._require_open()
        if scope not in self._catalogs:
            own = () if scope == "others" else (self._store,)
            others = () if scope == "own" else self._other_stores()
            self._catalogs[scope] = Catalog(
                [*own, *others],
                decision_panels=self.settings.settings.decisions.panels,
                temp_directory=spill_folder(self._temp_directory),
            )
        return self._catalogs[scope]

    def _spill(self) -> Path | None:
        return spill_folder(self._temp_directory)

    def _forgotten(self) -> None:
        self._reload()

    def _room_check(self) -> Callable[[Sequence[NewEntry]], None] | None:
        return self._retention().require_room if self._retention().policy.can_prune else None

    def _other_stores(self) -> Sequence[Store]:
        """Stores of the user's other enabled projects; one that is not what it says is left out with a warning."""
        found: list[Store] = []
        for project, said in sorted(self.settings.settings.projects.items()):
            paths = StorePaths.for_project(self.paths.root, project)
            if not said.enabled or paths.key == self.paths.key:
                continue
            store = Store(paths, clock=self._store.clock, scrubber=self._store.scrubber)
            try:
                if store.exists and store.info().format_version:
                    found.append(store)
            except MemkitError as error:
                warnings.warn(f"{project} is left out: {error}", MemkitWarning, stacklevel=4)
        return found

    def _absorb(self, progress: Callable[[int], None] | None = None) -> None:
        if self._absorbs and self.enabled and self._store.exists:
            for catalog in self._catalogs.values():
                catalog.keep_vectors()
            from memkit.snapshot.absorbing import absorb

            absorb(self._store, progress=progress)

    def _expect_changes(self) -> None:
        for catalog in self._catalogs.values():
            catalog.expect_changes()

    def _reload(self) -> None:
        for catalog in self._catalogs.values():
            catalog.refresh()


def not_enabled(project_path: str) -> NotEnabledError:
    """The error that says how to enable a project."""
    return NotEnabledError(
        "memory is off for this project; nothing is stored or read",
        file=project_path,
        remedy="Run `memkit enable` in its folder (memkit.enable() in Python), or pass enabled=True and a root.",
    )
