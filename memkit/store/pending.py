"""Changing several records as one: new bytes first, then a line in the ledger, then their names.

    new bytes beside the record, fsynced -> fsync the folders -> which hashes are meant -> lines in the ledger, fsynced:
    from here on it is done -> rename into place -> fsync the folders

A crash before the ledger's line leaves files nobody named, which are removed; one after it leaves named ones, which the
next canonical writer renames into place. Nothing has to be worked out again, and nothing is done by half. What needs
room on the disk comes before the ledger's line: a full one leaves everything as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memkit.errors import OutcomeUnknownError, StoreError, StoreIOError
from memkit.model.ledger import FileChange, LedgerLine
from memkit.model.record import record_hash
from memkit.store import durable, ledger, leftovers, look, record_events, seen_records
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths
from memkit.store.store import Store
from memkit.store.writer import require_held

ENDING = ".pending"


@dataclass(frozen=True, slots=True)
class NewBytes:
    """What a record's file shall hold.

    Attributes:
        path: The file, relative to the project's folder in the store.
        data: The new bytes.
        before_hash: SHA-256 of the bytes they are meant to replace; None where there are none.
    """

    path: str
    data: bytes
    before_hash: str | None


def commit(
    store: Store, held: HeldLock, lines: Sequence[tuple[LedgerLine, Sequence[NewBytes]]], *, name: str
) -> list[LedgerLine]:
    """Write lines into the ledger, each together with the records it changes, in order; all or nothing of each line.

    Args:
        store: Whose.
        held: The canonical-writer lock.
        lines: Each with its changes. What the files hold now is the caller's to have checked.
        name: Begins the names of the pending files; not used by another commit.

    Returns:
        The lines as they were written, with their files.

    Raises:
        OutcomeUnknownError: the lines may be in the ledger, or are; then the next writer carries it on.
        StoreError: nothing was changed.
    """
    require_held(store.paths, held)
    paths = store.paths
    written: list[LedgerLine] = []
    made: list[Path] = []
    committed = False
    try:
        for line, changes in lines:
            files = []
            for change in changes:
                final = paths.folder / change.path
                durable.make_folder(final.parent)
                pending = final.with_name(f".{final.stem}.{name}-{len(made)}{ENDING}")
                made.append(pending)
                durable.write_stream(pending, (change.data,))
                files.append(FileChange(pending.name, change.path, change.before_hash, record_hash(change.data)))
            written.append(replace(line, files=tuple(files)))
        for folder in sorted({pending.parent for pending in made}):
            durable.sync_folder(folder)
        with store.index_lock.held("reconcile") as index_held:
            if leftovers.finish_wipe(paths, index_held) and made:
                raise StoreIOError("the store was wiped meanwhile", file=paths.folder, remedy="Do it again.")
            store.write_store_json()
            meant = [change for line in written for change in line.files]
            _intend(paths, held, meant)
            committed = True  # until the ledger says otherwise: from here on only a reader of it can tell
            try:
                ledger.append_held(paths, written)
            except StoreError as error:
                committed = isinstance(error, OutcomeUnknownError)
                raise
            _carry_out(paths, meant)
    except BaseException:
        if not committed:
            for pending in made:
                with suppress(StoreError):
                    durable.unlink(pending)
        raise
    return written


def _carry_out(paths: StorePaths, changes: Sequence[FileChange]) -> None:
    """Rename what the ledger names; where something stands in the way, say that it is not undone by that."""
    try:
        _put_in_place(paths, changes)
    except OutcomeUnknownError:
        raise
    except StoreError as error:
        raise OutcomeUnknownError(
            f"it is written down as done, and its files are not all in place: {error.what}",
            file=error.file,
            remedy="Whoever writes records next puts them there; `memkit verify` says what waits.",
        ) from error


def _intend(paths: StorePaths, held: HeldLock, changes: Sequence[FileChange]) -> None:
    if changes:
        hashes = [(change.path, change.after_hash, change.before_hash) for change in changes]
        seen_records.intend_all(paths, held, hashes)


def _put_in_place(paths: StorePaths, changes: Sequence[FileChange]) -> None:
    if not changes:
        return
    folders = set()
    for change in changes:
        final = paths.folder / change.path
        folders.add(final.parent)
        durable.put_in_place(final.with_name(change.pending), final)
    for folder in sorted(folders):
        durable.sync_folder(folder)


def waiting(paths: StorePaths) -> list[str]:
    """Files that wait to be renamed, or to be removed: from the project's folder in the store, in order.

    Raises:
        StoreError: a folder cannot be listed.
    """
    return [
        f"{folder.name}/{name}"
        for folder in (paths.knowledge, paths.memory)
        for name in look.names_in(folder)
        if is_pending(name)
    ]


def is_pending(name: str) -> bool:
    """Whether a file of this name, among records, waits to become one."""
    return name.startswith(".") and name.endswith(ENDING)


def roll_forward(store: Store, held: HeldLock) -> bool:
    """Carry on what a crash cut off: named files go into place, others are removed; whether there were any.

    What the log does not have of it, it has afterwards (see `record_events`).

    Raises:
        NewerFormatError: a newer memkit wrote lines of the ledger; nothing was moved or removed.
        StoreError: the disk or a permission stands in the way.
    """
    paths = store.paths
    require_held(paths, held)
    if not waiting(paths):
        record_events.catch_up(store, held)
        return False
    with store.index_lock.held("recover") as index_held:
        leftovers.finish_wipe(paths, index_held)
        names = set(waiting(paths))
        lines = ledger.known(paths)  # a line that cannot be read may name one of them
        left_undone = list(_unfinished(paths, names, (each for line in lines for each in line.files)))
        _intend(paths, held, left_undone)  # again: those lines were not flushed
        _put_in_place(paths, left_undone)
        left = waiting(paths)
        for name in left:
            durable.unlink(paths.folder / name)
        for folder in sorted({(paths.folder / name).parent for name in left}):
            durable.sync_folder(folder)
    record_events.catch_up(store, held)
    return True


def _unfinished(paths: StorePaths, names: set[str], changes: Iterable[FileChange]) -> Iterator[FileChange]:
    """Of each record the newest change that still waits, unless the file has newer bytes of the ledger's by now."""
    of: dict[str, list[FileChange]] = {}
    for change in changes:
        of.setdefault(change.path, []).append(change)
    for path, versions in of.items():
        folder = path.partition("/")[0]
        still = [at for at, version in enumerate(versions) if f"{folder}/{version.pending}" in names]
        if not still:
            continue
        data = look.read_bytes(paths.folder / path)
        after = {version.after_hash: at for at, version in enumerate(versions)}
        reached = -1 if data is None else after.get(record_hash(data), -1)
        if still[-1] > reached:
            yield versions[still[-1]]
