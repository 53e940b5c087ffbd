"""The store of one project: requests in, durable entries out, in the one order that loses nothing.

    scrub -> envelope -> temporary file, fsynced -> lock the index -> rename -> fsync the folder -> append the line,
    fsynced -> unlock -> audit event -> return

A crash before the rename leaves a temporary file, one after it an entry without a line: both are reported by `verify`,
neither was acknowledged. A batch takes the same steps with one append; a crash may leave a prefix of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import clock as clocks
from memkit.errors import (
    DamagedError,
    EntryNotFoundError,
    ForeignStoreError,
    InvalidInputError,
    NewerFormatError,
    OutcomeUnknownError,
    StoreError,
    StoreIOError,
    StorePermissionError,
)
from memkit.model import jsontext
from memkit.model.entry import Source, StoredEntry
from memkit.model.event import Event
from memkit.model.frozen import FrozenMapping
from memkit.model.ids import new_ids
from memkit.store import durable, entries, erasures, index, jsonl, leftovers, look, trash_plans
from memkit.store.audit_log import AuditLog
from memkit.store.firings import FiringLog
from memkit.store.index_lines import IndexRead
from memkit.store.lock import DEFAULT_WAIT_SECONDS, HeldLock, Lock
from memkit.store.new_entry import NewEntry
from memkit.store.paths import FORMAT_VERSION, StorePaths
from memkit.store.receipt import StoreReceipt
from memkit.store.seen_records import SeenFile
from memkit.store.trash_plans import TrashState

if TYPE_CHECKING:
    from memkit.store.scrub import Scrubber

_TRIES = 10


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What `store.json` says.

    Attributes:
        format_version: 0 where there is no such file (an empty store, or one of the TypeScript tool).
        created: ISO 8601, or an empty text.
    """

    format_version: int
    project_key: str
    project_path: str
    created: str = ""


class Store:
    """The durable files of one project; see the module for the order of a write.

    Args:
        paths: Where they lie.
        clock: What time it is.
        scrubber: What is masked on the way in.
        wait_seconds: How long to wait for another writer.
        actor: Who writes, for the audit log.
    """

    def __init__(
        self,
        paths: StorePaths,
        *,
        clock: clocks.Clock,
        scrubber: Scrubber,
        wait_seconds: float = DEFAULT_WAIT_SECONDS,
        actor: str = "python",
    ) -> None:
        self.paths = paths
        self.clock = clock
        self.scrubber = scrubber
        self.wait_seconds = wait_seconds
        self.index_lock = Lock(paths.index_lock, wait_seconds)
        self.segments_seen: dict[str, tuple[int, ...]] = {}  # files of the snapshot this process has checked
        self._info: StoreInfo | None = None
        self._info_version: tuple[int, ...] | None = None
        self._trash = trash_plans.NOTHING
        self._trash_version: tuple[tuple[int, ...] | None, ...] = (None, None)
        self.audit = AuditLog(paths, clock, scrubber=scrubber, actor=actor, wait_seconds=wait_seconds)
        self.firings = FiringLog(paths, clock, actor=actor)
        self.seen_records = SeenFile(paths)

    def __repr__(self) -> str:
        return f"<Store {self.paths.key} of {self.paths.project_path!r}>"

    # -- what is there ------------------------------------------------------------------------------------------

    @property
    def exists(self) -> bool:
        """Whether this project has a folder in the root."""
        return look.is_folder(self.paths.folder)

    def require_folders(self) -> None:
        """Check that folders, and not files, stand where the root and the project's folder should be.

        Raises:
            StoreIOError: one of them is a file.
        """
        with suppress(StoreIOError):  # the root may be a file
            if look.is_folder(self.paths.folder):
                return
        for folder in (self.paths.root, self.paths.folder):
            if not look.exists(folder):
                return
            if not look.is_folder(folder):
                raise StoreIOError(
                    "is a file, a folder is needed", file=folder, field="root", remedy="Choose another root."
                )

    def info(self) -> StoreInfo:
        """What `store.json` says.

        Raises:
            StoreIOError: a file stands where the root or the project's folder should be.
            DamagedError: the file cannot be read; it is kept.
            NewerFormatError: a newer memkit wrote the store.
            ForeignStoreError: the folder belongs to another project, for example because it was copied.
        """
        self.require_folders()
        file = self.paths.store_json
        version = look.version_of(file)
        if version is None:
            return StoreInfo(0, self.paths.key, self.paths.project_path)
        if version != self._info_version or self._info is None:
            self._info = self._read_info(file)
            self._info_version = version
        return self._info

    def _read_info(self, file: Path) -> StoreInfo:
        data = look.read_bytes(file, limit=jsonl.MAX_LINE_BYTES) or b""
        try:
            raw = jsontext.loads_object(data)
        except jsontext.JsonDamage as damage:
            raise DamagedError(
                str(damage), file=file, remedy="Run `memkit repair`; entries carry what is needed to write it again."
            ) from damage
        version = raw.get("formatVersion")
        if not isinstance(version, int):
            raise DamagedError("formatVersion is missing", file=file, field="formatVersion", remedy="`memkit repair`.")
        if version > FORMAT_VERSION:
            raise NewerFormatError(
                f"format {version} is newer than {FORMAT_VERSION}, which this memkit reads",
                file=file,
                remedy="Upgrade memkit.",
            )
        if raw.get("projectKey") != self.paths.key or raw.get("projectPath") != self.paths.project_path:
            raise ForeignStoreError(
                f"belongs to the project {str(raw.get('projectPath'))[:300]}",
                file=file,
                field="projectPath",
                remedy="This looks like a copied store; memkit does not mix two projects. Move the copy away.",
            )
        return StoreInfo(version, self.paths.key, self.paths.project_path, str(raw.get("created", "")))

    def trash(self) -> TrashState:
        """What the plans in the trash say, erased entries hidden as well: an older file that comes back is not read.

        Read again only when a file has changed.
        """
        version = (look.version_of(self.paths.trash_plans), look.version_of(self.paths.erasures))
        if version != self._trash_version:
            state = trash_plans.read(self.paths) if version[0] else trash_plans.NOTHING
            gone = {erasure.id for erasure in erasures.erased(self.paths)} if version[1] else set()
            self._trash = replace(state, hidden=state.hidden | gone)
            self._trash_version = version
        return self._trash

    def read_index(self, start: int = 0, limit: int | None = None) -> IndexRead:
        """The index lines from byte `start`, with damage as data; without those of entries in the trash.

        With `limit`, those of the next so many bytes.
        """
        trash = self.trash()  # before the index, which may be settled meanwhile
        read = index.read(self.paths, start, limit)
        if not trash.hidden and not trash.unsettled:
            return read
        known = trash.hidden | trash.unsettled  # a restored entry has its old line and a fresh one
        return replace(
            read,
            lines=tuple(line for line in read.lines if line.id not in trash.hidden),
            repeated=tuple(placed for placed in read.repeated if placed.line.id not in known),
        )

    def generation(self) -> int:
        """Raised whenever the index is rewritten."""
        return index.generation(self.paths)

    def read_entry(self, entry_id: str) -> StoredEntry:
        """One entry by id; see `entries.read` for what it raises. One in the trash is not found."""
        if entry_id in self.trash().hidden:
            raise EntryNotFoundError(
                f"{entry_id} is in the trash, or was erased",
                file=self.paths.trash,
                field="id",
                remedy="`memkit trash list` shows what can be brought back with `memkit restore ID`.",
            )
        return entries.read(self.paths, entry_id)

    # -- writing ------------------------------------------------------------------------------------------------

    def store_many(self, new: Sequence[NewEntry], *, op: str = "store") -> list[StoreReceipt]:
        """Store entries durably, in order, with one index append; every receipt is on disk when this returns.

        Raises:
            InvalidInputError: one of them cannot be stored; none was written.
            StoreError: the disk, a permission or another writer stood in the way; nothing was acknowledged.
        """
        if not new:
            return []
        self.info()
        scrubbed = [self.scrubbed(item) for item in new]
        stored = self._with_ids([item for item, _ in scrubbed])
        try:
            stored = self._store(stored, op)
        except OutcomeUnknownError as error:
            error.entry_ids = tuple(entry.id for entry in stored)
            raise
        receipts = [StoreReceipt(entry, counts) for entry, (_, counts) in zip(stored, scrubbed, strict=True)]
        self.audit.record(*(_stored_event(receipt, op) for receipt in receipts))
        return receipts

    def scrubbed(self, item: NewEntry) -> tuple[NewEntry, Mapping[str, int]]:
        """A request as it would be stored, and the secrets masked in it, by kind."""
        counts: dict[str, int] = {}

        def text(value: str) -> str:
            masked = self.scrubber.scrub_text(value)
            _add(counts, masked.counts)
            return masked.text

        result, found = self.scrubber.scrub_json(dict(item.result))
        _add(counts, found)
        extra, found = self.scrubber.scrub_json(dict(item.extra)) if item.extra else ({}, {})
        _add(counts, found)
        source = item.source
        clean = NewEntry(
            question=text(item.question),
            result=result,
            panel_id=text(item.panel_id),
            tags=tuple(dict.fromkeys(text(tag)[:64] for tag in item.tags)),
            stored_at_ms=item.stored_at_ms,
            replaces=item.replaces,
            source=None if source is None else Source(source.kind, text(source.path), source.sha256),
            id=item.id,
            extra=extra,
        )
        return clean, FrozenMapping(counts)

    def _with_ids(self, new: Sequence[NewEntry]) -> list[StoredEntry]:
        now = clocks.to_ms(self.clock.now())
        times = [now if item.stored_at_ms is None else item.stored_at_ms for item in new]
        fresh = {ms: iter(new_ids(ms, n)) for ms, n in Counter(times).items()}
        return [
            StoredEntry(
                id=next(fresh[ms]) if item.id is None else item.id,
                stored_at_ms=ms,
                project_key=self.paths.key,
                project_path=self.paths.project_path,
                panel_id=item.panel_id,
                question=item.question,
                tags=item.tags,
                result=item.result,
                replaces=item.replaces,
                source=item.source,
                extra=item.extra,
            )
            for item, ms in zip(new, times, strict=True)
        ]

    def make_folders(self) -> None:
        """Make the project's folders, if they are not there yet."""
        durable.make_folder(self.paths.results)

    def _store(self, stored: list[StoredEntry], op: str) -> list[StoredEntry]:
        for _ in range(_TRIES):
            self.make_folders()
            prepared: list[entries.Prepared] = []
            try:
                prepared = entries.prepare(self.paths, stored)
                with self.index_lock.held(op) as held:
                    leftovers.finish(self.paths, held, wait_seconds=self.wait_seconds)
                    if not entries.all_there(prepared):
                        continue
                    self.write_store_json()
                    return self._publish(prepared, held)
            except StoreIOError as error:
                if not isinstance(error.__cause__, FileNotFoundError):
                    raise
            finally:
                entries.discard(prepared)
        raise StoreIOError(
            f"the files of {len(stored)} entries were removed {_TRIES} times while they were being written",
            file=self.paths.results,
            remedy="Something else cleans this folder (another wipe?); stop it, then call again.",
        )

    def write_store_json(self) -> None:
        """Say whose store this is, if nothing says so yet; the index lock is held."""
        if look.exists(self.paths.store_json):
            return
        # Another process may have made these folders and not yet flushed their names.
        durable.sync_folder(self.paths.root)
        with suppress(StorePermissionError):
            durable.sync_folder(self.paths.root.parent)
        about = {
            "formatVersion": FORMAT_VERSION,
            "projectKey": self.paths.key,
            "projectPath": self.paths.project_path,
            "created": clocks.iso(self.clock.now()),
        }
        durable.replace(self.paths.store_json, jsontext.dumps(about) + b"\n")

    def _publish(self, prepared: Sequence[entries.Prepared], held: HeldLock) -> list[StoredEntry]:
        """Files first, then their lines; a fault before any line is on disk takes the files back."""
        before = self._stored_before(prepared)
        if before:
            return self._publish_again(prepared, before, held)
        try:
            for item in prepared:
                durable.rename(item.temp, item.final)
            durable.sync_folder(self.paths.results)
            lines = b"".join(item.line for item in prepared)
            index.append(self.paths, held, lines, wait_seconds=self.wait_seconds)
        except OutcomeUnknownError:
            raise  # a line may be on disk: its file has to stay
        except StoreError as error:
            _take_back(prepared, error)
            raise
        return [item.entry for item in prepared]

    def _stored_before(self, prepared: Sequence[entries.Prepared]) -> dict[str, StoredEntry]:
        """Entries that an earlier attempt left under the same ids; another content under an id is refused."""
        found: dict[str, StoredEntry] = {}
        hidden = self.trash().hidden
        for item in prepared:
            if item.entry.id in hidden:
                raise InvalidInputError(
                    f"the entry {item.entry.id} is in the trash, or was erased",
                    field="id",
                    remedy="Bring it back with `memkit restore`, or leave the id out for a new entry.",
                )
            if look.exists(item.final):
                there = entries.read(self.paths, item.entry.id)
                same_time = replace(item.entry, stored_at_ms=there.stored_at_ms, extra={})
                if replace(there, extra={}).to_bytes() != same_time.to_bytes():
                    raise InvalidInputError(
                        f"another entry has the id {there.id}", field="id", remedy="Leave the id out for a new entry."
                    )
                found[there.id] = there
        return found

    def _publish_again(
        self, prepared: Sequence[entries.Prepared], before: Mapping[str, StoredEntry], held: HeldLock
    ) -> list[StoredEntry]:
        """Store what an earlier attempt may have left: written as a whole once more, since a failed flush is final."""
        wanted = [before.get(item.entry.id, item.entry) for item in prepared]
        anew = entries.prepare(self.paths, wanted)
        try:
            for item in anew:
                durable.rename(item.temp, item.final)
            durable.sync_folder(self.paths.results)
            listed = {line.id for line in self.read_index().lines}
            lines = b"".join(item.line for item in anew if item.entry.id not in listed)
            index.append_anew(self.paths, held, lines, wait_seconds=self.wait_seconds)
        finally:
            entries.discard(anew)
        return wanted


def _take_back(fresh: Sequence[entries.Prepared], reason: StoreError) -> None:
    left = [item.entry.id for item in fresh if not _is_gone(item)]
    if left:
        raise OutcomeUnknownError(
            f"{reason.what}; then {len(left)} entries could not be taken back",
            file=reason.file,
            remedy="Check the disk; `memkit verify` names them. Storing again with the same ids is safe.",
        ) from reason


def _is_gone(item: entries.Prepared) -> bool:
    try:
        durable.unlink(item.final)
    except StoreError:
        return False
    return True


def _add(counts: dict[str, int], more: Mapping[str, int]) -> None:
    for kind, n in more.items():
        counts[kind] = counts.get(kind, 0) + n


def _stored_event(receipt: StoreReceipt, op: str) -> Event:
    detail: dict[str, Any] = {"entry_id": receipt.id, "panel_id": receipt.entry.panel_id}
    if receipt.entry.replaces:
        detail["replaces"] = receipt.entry.replaces
    if receipt.entry.source:
        detail["source_path"] = receipt.entry.source.path
    if receipt.scrubbed:
        detail["scrubbed"] = dict(receipt.scrubbed)
    return Event("entry_operation", "import" if op == "import" else "store", detail=detail)
