"""One store as a catalog sees it: how far it has been read, and what is new since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memkit.catalog import record_entries
from memkit.catalog.database import Segments
from memkit.model.entry import StoredEntry
from memkit.model.index_line import IndexLine
from memkit.model.problem import Problem
from memkit.snapshot.absorbing import add_line
from memkit.snapshot.reading import Snapshot, index_fingerprint, open_snapshot
from memkit.snapshot.rows import RowBuilder
from memkit.store.records import RecordFiles, RecordsRead

if TYPE_CHECKING:
    from memkit.store.store import Store

# Document numbers of one store; the next store's begin behind it.
STRIDE = 1 << 24
MAX_STORES = 127


@dataclass(slots=True)
class Source:
    """The reading state of one store.

    Attributes:
        store: The store.
        number: Its place among the catalog's stores.
        segments: Files of its snapshot, if one is used.
        problems: Why a snapshot that is there is not used.
        damaged: Damaged index lines.
        has_new_damage: Whether some of them are not yet shown.
        next_doc: The next document number, counted from 0 in this store.
        waiting: Index lines and stored entries that have no rows yet, in order.
        hidden: Ids in the trash that are shown no more.
        records: The records of the store, as they were read when the source was opened.
    """

    store: Store
    number: int
    segments: Segments | None = None
    problems: tuple[Problem, ...] = ()
    damaged: list[Problem] = field(default_factory=list)
    has_new_damage: bool = False
    next_doc: int = 0
    waiting: dict[str, IndexLine | StoredEntry] = field(default_factory=dict)
    hidden: frozenset[str] = frozenset()
    records: RecordsRead = field(default_factory=lambda: RecordsRead((), ()))
    _record_files: RecordFiles | None = None
    _known: set[str] = field(default_factory=set)
    _generation: int = 0
    _end: int = 0
    _fingerprint: str = ""
    _rebuilt: bool = False

    @property
    def key(self) -> str:
        """The project's key."""
        return self.store.paths.key

    @property
    def offset(self) -> int:
        """What is added to a document number of this store."""
        return self.number * STRIDE

    def open(self, *, use_snapshot: bool) -> None:
        """Find the snapshot and read the tail's index lines."""
        paths = self.store.paths
        snapshot = open_snapshot(paths, self.store.segments_seen) if use_snapshot else Snapshot()
        self.problems = snapshot.problems
        manifest = snapshot.manifest
        read = self.store.read_index(manifest.covered if manifest else 0)
        if manifest and (read.rebuilt or read.generation != manifest.generation):
            manifest, read = None, self.store.read_index()
        if manifest and manifest.segments:
            self.segments = Segments(
                self.offset,
                self.key,
                [paths.snapshots / segment.entries.name for segment in manifest.segments],
                [paths.snapshots / segment.postings.name for segment in manifest.segments],
                [paths.snapshots / segment.words.name for segment in manifest.segments],
            )
            self.next_doc = manifest.n_docs
            self.damaged = list(manifest.damaged)
        self.damaged += read.damaged
        self._generation, self._rebuilt, self._end = read.generation, read.rebuilt, read.end
        self._fingerprint = index_fingerprint(paths, self._end)
        self._wait_for(read.lines)
        self._open_records()

    def _open_records(self) -> None:
        """Read the records; each is shown like an entry, and what cannot be read like damage."""
        self._record_files = RecordFiles(self.store.paths)
        self.records = self._record_files.read_all()
        self.damaged += self.records.problems
        names = record_entries.names_of(self.records.files)
        for file in self.records.files:
            if file.record is not None:
                self.waiting[file.path] = record_entries.entry_of(self.store, file, file.record, names)

    def look_again(self) -> bool:
        """Read what others appended since; False where everything must be read: an index or a record was rewritten."""
        paths = self.store.paths
        if self._record_files is not None and self._record_files.read_all() is not self.records:
            return False
        if index_fingerprint(paths, self._end) != self._fingerprint:
            return False
        read = self.store.read_index(self._end)
        if read.generation != self._generation or read.rebuilt or self._rebuilt:
            return False
        self.damaged += read.damaged
        self.has_new_damage = bool(read.damaged)
        if read.end > self._end:
            self._end = read.end
            self._fingerprint = index_fingerprint(paths, self._end)
        self._wait_for(read.lines)
        return True

    def accept(self, entry: StoredEntry) -> None:
        """Take an entry this process has just stored, without reading it back."""
        if entry.id not in self._known:
            self._known.add(entry.id)
            self.waiting[entry.id] = entry

    def _wait_for(self, lines: Iterable[IndexLine]) -> None:
        for line in lines:
            if line.id not in self._known:
                self._known.add(line.id)
                self.waiting[line.id] = line

    def build(self, builder: RowBuilder, covered: set[str]) -> int:
        """Give the waiting entries rows and document numbers; `covered` are ids the segments hold already."""
        n_before = len(builder)
        for entry_id, item in self.waiting.items():
            if entry_id in covered or entry_id in self.hidden:
                continue
            doc = self.offset + self.next_doc
            if isinstance(item, StoredEntry):
                builder.add(doc, item)
            else:
                add_line(self.store, builder, doc, item)
            self.next_doc += 1
        self.waiting = {}
        return len(builder) - n_before
