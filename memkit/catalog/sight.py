"""One loaded state of a catalog's stores: rows, and everything derived from them.

A sight only grows. Where an index was rewritten, the catalog makes a new sight and drops the old one, so nobody ever
sees half of each. The catalog's lock is held whenever a sight changes or its kept cursor is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from memkit import clock
from memkit.catalog import kept_and_gone, queries, record_entries
from memkit.catalog.audit import AuditRows
from memkit.catalog.cards import Cards, card_of
from memkit.catalog.database import Database
from memkit.catalog.derived import Derived
from memkit.catalog.facts import Card, Scope, Unreadable
from memkit.catalog.postings import Postings
from memkit.catalog.queries import Query
from memkit.catalog.relations import Relations
from memkit.catalog.schemas import base_schemas
from memkit.catalog.shelf import Shelf
from memkit.catalog.sources import STRIDE, Source
from memkit.catalog.vectors import Embedder, Vectors
from memkit.errors import StoreError
from memkit.model.decision import FIELDS
from memkit.model.entry import StoredEntry
from memkit.model.record import DECISION_PANEL
from memkit.snapshot.columns import column, numbers_of, numpy_of, table_of
from memkit.snapshot.rows import RowBuilder, word_of
from memkit.snapshot.words import Words, open_words
from memkit.store import look

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

    from memkit.store.store import Store

PACKAGE = "memkit.catalog"
PLACES = "base.places"
# The question at which all cards are fetched; a command that asks once fetches those it shows.
HOLD_AT = 2
# Appended postings are sorted in again once they are more than one in so many.
_SORT_SHARE = 5
_MOST_CARDS = 10_000
_CARDS_AT_ONCE = 65_536


_GROWING = [
    "doc",
    "entry_id",
    "question_crc",
    "panel_id",
    "tags",
    "stored_at",
    "problem",
    *(f"len_{f}" for f in FIELDS),
]
Healed = Sequence[tuple[Unreadable, StoredEntry]]


class Sight:
    """See the module.

    Attributes:
        database: Its DuckDB.
        sources: The stores with how far each was read.
        derived: Replaced editions and settled links.
        audit: Events of the audit log, once somebody asks for them.
        scope: Counts and averages for ranking.
        unreadable: Entries without a readable file.
        n_changes: How often its rows have changed.
        shelf: Entries read lately.
        vectors: Of the embedder asked with last.
        reads_files: Whether segments are read in place.
        memory: What floors above worked out from its rows, by name; each notes `n_changes` itself.
    """

    def __init__(
        self, stores: Sequence[Store], panels: Sequence[str], temp_directory: Path | None, threads: int
    ) -> None:
        self.database = Database(temp_directory, threads)
        self.sources = [Source(store, number) for number, store in enumerate(stores)]
        self.derived = Derived(self.database)
        self.audit = AuditRows(self.database, stores)
        self.scope = Scope()
        self.unreadable: tuple[Unreadable, ...] = ()
        self.n_changes = 0
        self._frequencies: dict[str, int] = {}
        self._cards: dict[int, Card] = {}
        self.shelf = Shelf()
        self._sorted = self._unsorted = 0
        self._kept: duckdb.DuckDBPyConnection | None = None
        self._statements: dict[Query, duckdb.Statement] = {}
        self._postings: Postings | None = None
        self._words: list[Words] = []
        self._tail: list[pa.Table] = []
        self._is_described = False
        self._all_cards: Cards | None = None
        self._new_cards: dict[int, Card] = {}  # of entries stored since all were fetched
        self._vocabulary_of = -1
        self.vectors: Vectors | None = None
        self.reads_files = False
        self.memory: dict[str, Any] = {}
        self._asked = 0
        self._kept_versions: list[tuple[int, ...] | None] | None = None
        self._is_new = True
        self._describe(panels)

    def open(self, *, use_snapshots: bool) -> None:
        """Read the stores for the first time."""
        for source in self.sources:
            source.hidden = source.store.trash().hidden  # before the index, which may be settled meanwhile
            source.open(use_snapshot=use_snapshots)
        segments = [source.segments for source in self.sources if source.segments]
        if segments:
            self.database.read_in_place(segments)
            self._words = [open_words(file, part.offset) for part in segments for file in part.words]
        self.reads_files = bool(segments)
        self._show_records()
        for source in self.sources:
            if source.segments is not None:
                self._remove(source, source.hidden)
        self._update()
        self._mend()
        self._show_kept_and_gone()

    @property
    def relations(self) -> Relations:
        """Settled links."""
        return self.derived.relations

    def close(self) -> None:
        """Let go of the memory."""
        self.database.close()

    # -- asking --------------------------------------------------------------------------------------------------

    def fetch(self, query: Query, params: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """Run a query of the package on the kept cursor, where it stays prepared."""
        if self._kept is None:
            self._kept = self.database.cursor()
        if PLACES in query.reads:
            self.derived.show_places()
        statement = self._statements.get(query)
        if statement is None:
            statement = self._statements[query] = self._kept.extract_statements(query.sql)[0]
        try:
            rows: list[tuple[Any, ...]] = self._kept.execute(statement, params or None).fetchall()
        except BaseException:
            self._kept, self._statements = None, {}
            raise
        return rows

    def _own(self, name: str, params: Mapping[str, Any] | None = None) -> list[tuple[Any, ...]]:
        """A query of this floor, on the connection that may be in the middle of a change."""
        return self.database.run(queries.load(PACKAGE, name).sql, params)

    def frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many live entries each of these words stands."""
        wanted = list(terms)
        postings = self.postings()
        if postings is not None:
            return {term: postings.frequency([word_of(term)]) for term in wanted}
        unknown = [term for term in wanted if term not in self._frequencies]
        if unknown:
            found = self.fetch(queries.load(PACKAGE, "frequencies"), {"words": [word_of(term) for term in unknown]})
            self._frequencies.update(dict.fromkeys(unknown, 0) | dict(found))
        return {term: self._frequencies[term] for term in wanted}

    def vocabulary(self) -> pa.StringArray:
        """The different words entries hold, as an Arrow array of texts."""
        self.show_vocabulary()
        rows = self._arrow("vocabulary")
        return cast("pa.StringArray", rows.column("term").combine_chunks())

    def show_vocabulary(self) -> None:
        """Make `base.vocabulary` up to date, for queries about the different words."""
        import numpy as np
        import pyarrow as pa

        if self._vocabulary_of == self.n_changes:
            return
        postings = self.postings()
        if postings is None:
            self.database.derive("vocabulary")
        else:
            schema = base_schemas()["vocabulary"]
            parts = [part for part in postings.parts if len(part.terms)]
            terms = [part.terms.cast(pa.string()) for part in parts] or [column((), pa.string())]
            every = pa.concat_arrays(terms).dictionary_encode()
            counts = [part.n_docs for part in parts] or [np.zeros(0, np.int64)]
            # `group_by` would load datasets, and with them pandas.
            summed = np.bincount(numpy_of(every.indices), np.concatenate(counts), len(every.dictionary))
            rows = pa.Table.from_arrays([every.dictionary, numbers_of(summed.astype(np.int64))], schema=schema)
            self.database.replace_table("vocabulary", rows)
        self._vocabulary_of = self.n_changes

    def cards(self, docs: Sequence[int]) -> dict[int, Card]:
        """The cards of these documents; all are fetched at once where postings are held too."""
        missing = [doc for doc in dict.fromkeys(docs) if doc not in self._cards]
        if missing and self._asked >= HOLD_AT:
            new = {doc: self._new_cards[doc] for doc in missing if doc in self._new_cards}
            known = self._all_cards or self.all_cards()
            self._cards |= new | known.get([doc for doc in missing if doc not in new])
        elif missing:
            rows = self.fetch(queries.load(PACKAGE, "cards"), {"docs": missing})
            self._cards |= {row[0]: card_of(row) for row in rows}
        found = {doc: self._cards[doc] for doc in docs}
        if len(self._cards) > _MOST_CARDS:
            self._cards = {}
        return found

    def all_cards(self) -> Cards:
        """The cards of all entries, as columns."""
        if self._all_cards is None or self._new_cards:
            with self.database.cursor() as cursor:
                rows = cursor.sql(queries.load(PACKAGE, "all_cards").sql)
                self._all_cards, self._new_cards = Cards(rows.to_arrow_reader(_CARDS_AT_ONCE)), {}
        return self._all_cards

    def store_of(self, doc: int) -> Store:
        """The store a document lies in."""
        return self.sources[doc // STRIDE].store

    # -- growing -------------------------------------------------------------------------------------------------

    def look_again(self) -> bool:
        """See what others appended and what was put back; False where an index was rewritten: make a new sight."""
        if not self.hide() or not all(list(map(Source.look_again, self.sources))):
            return False
        self.shelf.forget()
        self.settle()
        self._mend()
        return True

    def accept(self, entries: Iterable[StoredEntry]) -> None:
        """Take entries this process has just stored; they get their rows when the sight settles."""
        by_key = {source.key: source for source in self.sources}
        for entry in entries:
            by_key[entry.project_key].accept(entry)

    def hide(self) -> bool:
        """Drop the rows of what went to the trash; False where something came back: make a new sight."""
        self._show_kept_and_gone()
        hiding: list[tuple[Source, frozenset[str]]] = []
        for source in self.sources:
            hidden = source.store.trash().hidden
            if source.hidden - hidden:
                return False
            if hidden - source.hidden:
                hiding.append((source, hidden - source.hidden))
                source.hidden = hidden
        if hiding:
            removed = [self._remove(source, ids) for source, ids in hiding]
            if any(replaced_others for _, replaced_others in removed):
                return False  # an older edition counts again
            if any(n for n, _ in removed):
                self._update(removed=True)
        return True

    def _show_kept_and_gone(self) -> None:
        """Show trash, pins and holds as their files have them, where one has changed."""
        paths = [source.store.paths for source in self.sources]
        versions = [look.version_of(f) for p in paths for f in (p.trash_plans, p.pins, p.holds)]
        if versions == self._kept_versions:
            return
        schemas = base_schemas()
        for name, rows in (("trashed", kept_and_gone.trashed), ("entry_marks", kept_and_gone.marked)):
            listed = [row for source in self.sources for row in rows(source.store)]
            self.database.replace_table(name, table_of(listed, schemas[name]))
        self._kept_versions = versions

    def _remove(self, source: Source, ids: Iterable[str]) -> tuple[int, bool]:
        """Drop the rows of these entries; how many there were, and whether one of them replaced an older edition."""
        wanted = list(ids)
        if not wanted:
            return 0, False
        rows = self._own("known_docs", {"ids": wanted, "project_key": source.key})
        if rows:
            self.database.insert("healed", table_of([{"doc": doc} for doc, _ in rows], base_schemas()["healed"]))
            self.database.drop_hidden()
            self._forget_cards()
            self.shelf.forget()
        return len(rows), any(replaces is not None for _, replaces in rows)

    def settle(self) -> None:
        """Give what is waiting its rows."""
        if any(source.waiting or source.has_new_damage for source in self.sources):
            self._update()

    def postings(self) -> Postings | None:
        """Postings to rank by without a query; None for several stores, which are left to DuckDB."""
        if len(self.sources) > 1:
            return None
        if self._postings is None:
            self._postings = Postings(self._words)
        for rows in self._tail:
            self._postings.add(rows)
        self._tail = []
        if not self._is_described:
            self.derived.show_places()
            self._postings.describe(self._arrow("lengths"), self._arrow("all_places"))
            self._is_described = True
        return self._postings

    def vectors_by(self, embedder: Embedder) -> Vectors:
        """The entries' vectors by this embedder; only for a single store."""
        if self.vectors is None or self.vectors.embedder is not embedder:
            self.vectors = Vectors(self.sources[0].store, embedder)
        return self.vectors

    def asked(self) -> None:
        """Note that a question is about to be answered."""
        self._asked += 1

    def _forget_cards(self) -> None:
        self._cards, self._all_cards, self._new_cards = {}, None, {}

    def _arrow(self, name: str) -> pa.Table:
        with self.database.cursor() as cursor:
            rows: pa.Table = cursor.sql(queries.load(PACKAGE, name).sql).to_arrow_table()
        return rows

    def _mend(self) -> None:
        """Read again what could not be read; give what can be read now its rows."""
        healed = []
        for gap in self.unreadable:
            try:
                healed.append((gap, self.store_of(gap.doc).read_entry(gap.entry_id)))
            except StoreError:
                continue
        if healed:
            self._update(healed)

    def _update(self, healed: Healed = (), *, removed: bool = False) -> None:
        self.n_changes += 1
        with self.database.transaction():
            self._drop(healed)
            added = self._insert_waiting(healed)
            if self._is_new or removed:
                self.derived.work_out()
                is_plain = False
            else:
                is_plain = not self.derived.take([entries for entries, _ in added]) and not healed
            self._show_damage()
        if self._unsorted * _SORT_SHARE > self._sorted:
            self.database.sort_postings()
            self._sorted, self._unsorted = self._sorted + self._unsorted, 0
        self._frequencies.clear()
        if len(self.sources) == 1:
            self._tail += [postings for _, postings in added]
        if is_plain:
            self._grow([row for entries, _ in added for row in entries.select(_GROWING).to_pylist()])
        else:
            self._is_described = False
            self._all_cards, self._new_cards = None, {}
            ((n_entries, n_live, n_records, *averages),) = self._own("scope")
            self.scope = Scope(n_entries, n_live, n_records, dict(zip(FIELDS, averages, strict=True)))
        if (
            self._is_new
            or healed
            or removed
            or any(rows.column("problem").null_count < rows.num_rows for rows, _ in added)
        ):
            self.unreadable = tuple(
                Unreadable(doc, entry_id, key, code, detail, question, tuple(tags))
                for doc, entry_id, key, code, detail, question, tags in self._own("unreadable")
            )
        self._is_new = False

    def _grow(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Take account of entries that were added and change nothing about others; what is known is not read again."""
        self.scope = self.scope.grown(rows)
        self._is_described = self._is_described and self._postings is not None and self._postings.grow(rows)
        if self._all_cards is not None:
            self._new_cards |= {
                row["doc"]: Card(
                    row["entry_id"],
                    row["question_crc"],
                    row["panel_id"],
                    tuple(row["tags"]),
                    clock.to_ms(row["stored_at"]),
                )
                for row in rows
            }

    def _drop(self, healed: Healed) -> None:

        for gap, _ in healed:
            self._cards.pop(gap.doc, None)
        if healed:
            docs = table_of([{"doc": gap.doc} for gap, _ in healed], base_schemas()["healed"])
            self.database.insert("healed", docs)
            self.database.drop_healed()

    def _insert_waiting(self, healed: Healed) -> list[tuple[pa.Table, pa.Table]]:
        """Insert the rows of what is waiting and of what was healed, and return them: entries and postings."""
        import pyarrow as pa

        added: list[tuple[pa.Table, pa.Table]] = []
        for source in self.sources:
            builder = RowBuilder()
            for gap, entry in sorted(healed, key=lambda pair: pair[0].doc):
                if gap.project_key == source.key:
                    builder.add(gap.doc, entry)
            source.build(builder, self._ids_in_segments(source))
            if len(builder):
                rows = builder.build()
                key = column([source.key] * rows.entries.num_rows, pa.string())
                entries = rows.entries.append_column("project_key", key)
                self.database.insert("entry_rows", entries)
                self.database.insert("posting_rows", rows.postings)
                self._unsorted += rows.postings.num_rows
                added.append((entries, rows.postings))
        return added

    def _ids_in_segments(self, source: Source) -> set[str]:
        """Ids among the waiting that a segment holds already: an index may repeat a line."""
        read = [entry_id for entry_id, item in source.waiting.items() if not isinstance(item, StoredEntry)]
        if source.segments is None or not read:
            return set()
        rows = self._own("known_ids", {"ids": read, "project_key": source.key})
        return {entry_id for (entry_id,) in rows}

    def _show_records(self) -> None:

        rows = [
            record_entries.row_of(source.key, file, file.record)
            for source in self.sources
            for file in source.records.files
            if file.record is not None
        ]
        if rows:
            self.database.insert("record_rows", table_of(rows, base_schemas()["record_rows"]))

    def _show_damage(self) -> None:

        damage = self._damage()
        if self._is_new or damage:
            self.database.replace_table("damage", table_of(damage, base_schemas()["damage"]))
        for source in self.sources:
            source.has_new_damage = False

    def _damage(self) -> list[dict[str, Any]]:
        return [
            {
                "project_key": source.key,
                "code": problem.code,
                "file": problem.file,
                "start_byte": problem.start,
                "end_byte": problem.end,
                "detail": problem.detail,
                "entry_id": problem.entry_id or None,
            }
            for source in self.sources
            for problem in source.damaged
        ]

    @property
    def n_damaged_lines(self) -> int:
        """Lines of the indexes that could not be read: entries they named may be missing from every answer."""
        return sum(problem.code == "damaged-line" for source in self.sources for problem in source.damaged)

    def _describe(self, panels: Sequence[str]) -> None:

        schemas = base_schemas()
        paths = [source.store.paths for source in self.sources]
        stores = [{"project_key": p.key, "project_path": p.project_path, "folder": str(p.folder)} for p in paths]
        self.database.insert("stores", table_of(stores, schemas["stores"]))
        listed = [{"panel_id": name} for name in (*panels, DECISION_PANEL)]
        self.database.insert("panels", table_of(listed, schemas["panels"]))
