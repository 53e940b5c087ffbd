"""Where the files of one project lie, and how a project becomes a key.

The key is the first 12 hexadecimal digits of the SHA-256 of the project's real path: two folders of the same name stay
apart, and no character of a path ever reaches a file name. Links are resolved once, when a project is opened; the path
written into an entry is never resolved again.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from memkit.errors import ProjectPathError
from memkit.model.ids import require_id

FORMAT_VERSION = 1
LOG_PREFIX = "memory-"
LOG_SUFFIX = ".log"


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text that can be written as UTF-8; bytes that are not are escaped, reversibly, as in `\\xff`."""
    raw = os.fsencode(path)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def project_key(real_path: str | os.PathLike[str]) -> str:
    """The key of a project: 12 hexadecimal digits."""
    return hashlib.sha256(os.fsencode(real_path)).hexdigest()[:12]


def absolute(path: str | os.PathLike[str]) -> str:
    """A path from the root of the file system; a relative one is meant from the current folder.

    Raises:
        ProjectPathError: the current folder no longer exists.
    """
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise _no_current_folder("root") from None


def _no_current_folder(field: str) -> ProjectPathError:
    return ProjectPathError(
        "the current folder no longer exists", field=field, remedy="Change into a folder that exists, then call again."
    )


def resolve_project(project: str | os.PathLike[str]) -> str:
    """The real path of an existing project folder.

    Raises:
        ProjectPathError: it does not exist or is not a folder.
    """
    try:
        real = os.path.realpath(project)
    except FileNotFoundError:
        raise _no_current_folder("project") from None
    if not os.path.isdir(real):
        what = "is not a folder" if os.path.lexists(real) else "does not exist"
        raise ProjectPathError(
            f"the project folder {what}",
            file=path_text(real),
            field="project",
            remedy="Give the folder of the project, or create it again; its memory is kept by the path it had.",
        )
    return real


@dataclass(frozen=True)
class StorePaths:
    """The files of one project.

    Attributes:
        root: Folder of all projects' stores.
        project_path: The project's real path as text.
        key: Its key; the project's folder in the root.
        real_path: The project's real path as the operating system spells it.
    """

    root: Path
    project_path: str
    key: str
    real_path: str = ""

    @classmethod
    def for_project(cls, root: str | os.PathLike[str], real_path: str) -> StorePaths:
        """The paths of the project at `real_path` (already resolved) under `root`."""
        return cls(
            root=Path(absolute(root)),
            project_path=path_text(real_path),
            key=project_key(real_path),
            real_path=os.fspath(real_path),
        )

    @cached_property
    def folder(self) -> Path:
        """The project's folder in the root."""
        return self.root / self.key

    @cached_property
    def store_json(self) -> Path:
        """Format version, project and creation time."""
        return self.folder / "store.json"

    @cached_property
    def results(self) -> Path:
        """Folder of entries."""
        return self.folder / "results"

    @cached_property
    def _results_prefix(self) -> str:
        return f"{self.results}{os.sep}"

    @cached_property
    def index(self) -> Path:
        """One line per entry."""
        return self.folder / "index.jsonl"

    @cached_property
    def sentinel(self) -> Path:
        """The file the TypeScript tool locks with; exists only while a line is appended."""
        return self.folder / "index.jsonl.lock"

    @cached_property
    def sentinel_source(self) -> Path:
        """The file whose second name is the sentinel."""
        return self.folder / ".sentinel.lock"

    @cached_property
    def generation(self) -> Path:
        """Raised before the index is rewritten."""
        return self.folder / "index.generation"

    @cached_property
    def wiped(self) -> Path:
        """Where a wipe puts the folder of entries; exists only until it is done."""
        return self.folder / f".wiped-{self.key}"

    @cached_property
    def index_lock(self) -> Path:
        """flock file of the index."""
        return self.folder / ".memkit.lock"

    @cached_property
    def snapshots(self) -> Path:
        """Folder of derived Parquet segments."""
        return self.folder / "snapshots"

    @cached_property
    def vectors(self) -> Path:
        """A vector for each entry, where an embedder made them."""
        return self.snapshots / "vectors.parquet"

    @cached_property
    def manifest(self) -> Path:
        """What the snapshot covers."""
        return self.snapshots / "manifest.json"

    @cached_property
    def retention_state(self) -> Path:
        """When the next entry can be due."""
        return self.snapshots / "retention.json"

    @cached_property
    def snapshot_lock(self) -> Path:
        """flock file of the snapshot."""
        return self.folder / ".snapshot.lock"

    @cached_property
    def import_lock(self) -> Path:
        """flock file of imports: one at a time, so that none stores what another is storing."""
        return self.folder / ".import.lock"

    @cached_property
    def memory(self) -> Path:
        """Folder of records: lessons, preferences, decisions."""
        return self.folder / "memory"

    @cached_property
    def knowledge(self) -> Path:
        """Folder of records: knowledge of the domain."""
        return self.folder / "knowledge"

    @cached_property
    def deleted_records(self) -> Path:
        """Folder of records that a person deleted, each with a note."""
        return self.folder / "trash" / "records"

    @cached_property
    def record_hashes(self) -> Path:
        """What memkit has seen of each record, so that an edit by hand is noticed."""
        return self.state / "record_hashes.jsonl"

    @cached_property
    def quarantine(self) -> Path:
        """Folder of damaged bytes, moved aside."""
        return self.folder / "quarantine"

    @cached_property
    def staging(self) -> Path:
        """Folder of candidates, a file per session."""
        return self.folder / "staging"

    @cached_property
    def deadletter(self) -> Path:
        """Folder of candidates that could not be reconciled, a file each."""
        return self.folder / "deadletter"

    @cached_property
    def canonical_lock(self) -> Path:
        """flock file of whoever changes staging, dead letters or canonical records."""
        return self.folder / "canonical-writer.lock"

    @cached_property
    def ledger(self) -> Path:
        """What became of each candidate."""
        return self.state / "ledger.jsonl"

    @cached_property
    def extraction(self) -> Path:
        """How far each session was extracted."""
        return self.state / "extraction.jsonl"

    @cached_property
    def state(self) -> Path:
        """Folder of what people said about entries and tripwires, and of receipts."""
        return self.folder / "state"

    @cached_property
    def acknowledgements(self) -> Path:
        """Which tripped tripwires may be silent."""
        return self.state / "acknowledgements.jsonl"

    @cached_property
    def pins(self) -> Path:
        """Which entries stay."""
        return self.state / "pins.jsonl"

    @cached_property
    def holds(self) -> Path:
        """Which entries must stay."""
        return self.state / "holds.jsonl"

    @cached_property
    def receipts(self) -> Path:
        """What was moved or erased, without text."""
        return self.state / "receipts.jsonl"

    @cached_property
    def saved_queries(self) -> Path:
        """Queries asked again when it is told what forgetting would change."""
        return self.state / "queries.jsonl"

    @cached_property
    def trash(self) -> Path:
        """Folder of entries moved away by a plan, until they are restored or their days are over."""
        return self.folder / "trash"

    @cached_property
    def trash_plans(self) -> Path:
        """What was moved to the trash and back, by which plan."""
        return self.trash / "plans.jsonl"

    @cached_property
    def erasures(self) -> Path:
        """Which entries were erased; no text of them."""
        return self.state / "erasures.jsonl"

    @cached_property
    def erasing(self) -> Path:
        """The erasure under way; exists only until it is done."""
        return self.state / "erasing.json"

    @cached_property
    def firings(self) -> Path:
        """Who recalled or read what."""
        return self.folder / "firings.jsonl"

    @cached_property
    def firings_lock(self) -> Path:
        """flock file of firings."""
        return self.folder / ".firings.lock"

    @cached_property
    def logs(self) -> Path:
        """Folder of audit logs."""
        return self.folder / "_logs"

    @cached_property
    def audit_lock(self) -> Path:
        """flock file of all days' logs."""
        return self.logs / "audit.lock"

    @cached_property
    def current_log(self) -> Path:
        """Link to the newest day's log."""
        return self.logs / "current.log"

    @cached_property
    def compacted(self) -> Path:
        """What is known of days whose log became a Parquet file."""
        return self.logs / "compacted.json"

    def compacted_log(self, day: str) -> Path:
        """The Parquet file of one UTC day, `YYYY-MM-DD`."""
        return self.logs / f"{LOG_PREFIX}{day}.parquet"

    def entry_file(self, entry_id: str) -> Path:
        """The file of one entry; the id is checked first, so nothing outside `results` can be named."""
        return Path(f"{self._results_prefix}{require_id(entry_id)}.json")

    def trash_file(self, entry_id: str) -> Path:
        """Where the envelope of an entry lies once it was pruned."""
        return self.trash / f"{require_id(entry_id)}.json"

    def log_file(self, day: str) -> Path:
        """The log of one UTC day, `YYYY-MM-DD`."""
        return self.logs / f"{LOG_PREFIX}{day}{LOG_SUFFIX}"

    def relative(self, path: Path) -> str:
        """`path` as seen from the project's folder in the store, with forward slashes."""
        return path.relative_to(self.folder).as_posix()
