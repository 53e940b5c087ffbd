"""`index.jsonl`: one slim line per entry, appended under a lock, made again from the entries when it is gone.

A line follows its entry's file, never the other way round. While it appends, memkit also holds the sentinel file that
the TypeScript tool locks with: it waits for a foreign one, and takes over one older than 30 seconds, saying so.

`index.generation` tells readers, who never lock, whether bytes they read belong together. It is even while the index
only grows. Whoever writes the index anew (repair, wipe, a store that finds it missing) makes the number odd first and
even again at last, higher than any before; a reader that meets an odd number waits for a moment. Where it stays odd (a
crash) or cannot be read, what was read carries a negative number that equals no other, so nothing is ever continued
from it. The next append brings the number back.
"""

from __future__ import annotations

import hashlib
import secrets
import stat
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from memkit.errors import LockedError, MemkitWarning, NewerFormatError, OutcomeUnknownError, StoreError
from memkit.model import jsontext
from memkit.model.entry import SCHEMA_VERSION, EntryDamage, entry_from_envelope
from memkit.model.index_line import line_for, parse_line
from memkit.store import durable, entries, look
from memkit.store.index_lines import IndexRead, parse
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths

SENTINEL_STALE_SECONDS = 30.0
_MARK = b'{"by": "memkit"}\n'
_PAUSE = 0.002
_READ_TRIES = 10
_UNSURE_BITS = 52
_NEW_COUNT = 1 << 40
_NUMBER_BYTES = 64


def generation(paths: StorePaths) -> int:
    """The index's generation: even, 0 where it was never written anew; negative and unlike any other while unsure."""
    number = _number(paths)
    return number if number is not None and number % 2 == 0 else _unsure()


def _number(paths: StorePaths) -> int | None:
    """What `index.generation` says: 0 where it does not exist, None where it says nothing that can be read."""
    data = look.read_bytes(paths.generation, limit=_NUMBER_BYTES)
    if data is None:
        return 0
    text = data.strip()
    return int(text) if text.isdigit() and len(text) < 16 else None


def is_generation_readable(paths: StorePaths) -> bool:
    """Whether `index.generation` is absent or a number."""
    return _number(paths) is not None


def _unsure() -> int:
    return -1 - secrets.randbits(_UNSURE_BITS)


def read(paths: StorePaths, start: int = 0, limit: int | None = None) -> IndexRead:
    """Read the index from byte `start`; a missing index is made in memory from the entries.

    With `limit`, lines of the next so many bytes are read, or all where not even one ends there.
    A rewrite that happens meanwhile is noticed by its generation and the read is done again.
    """
    for attempt in range(_READ_TRIES):
        if attempt:
            time.sleep(_PAUSE)
        before = generation(paths)
        data = look.read_from(paths.index, start, limit=limit)
        if limit is not None and data is not None and b"\n" not in data:
            data = look.read_from(paths.index, start)
        if before < 0 or generation(paths) != before:
            continue
        if data is not None:
            return parse(paths, data, start=start, generation=before)
        made = _from_entries(paths, before)
        if not look.exists(paths.index):
            return made  # else the first writer was at it, and the next one may have files without a line by now
    if data is None:
        return _from_entries(paths, _unsure())
    return parse(paths, data, start=start, generation=_unsure())


def _from_entries(paths: StorePaths, at_generation: int) -> IndexRead:
    made = lines_of_entries(paths, entries.ids_on_disk(paths), leave_out_unreadable=True)
    lines = tuple(parse_line(line) for line in made)
    return IndexRead(lines=lines, generation=at_generation, rebuilt=bool(lines))


def lines_of_entries(
    paths: StorePaths, wanted: Iterable[str], *, leave_out_unreadable: bool = False
) -> Iterator[bytes]:
    """The index lines of entries on disk, made from their files; damaged ones are left to `verify`.

    An entry of a newer schema gets a line if the fields a line needs are there, so that it is shown as what it is.

    Raises:
        StoreError: the operating system would not let a file be read: leaving it out would hide an entry.
    """
    for entry_id in wanted:
        try:
            data = entries.read_file(paths, entry_id)
        except StoreError:
            if leave_out_unreadable:
                continue
            raise
        if data is None:
            continue
        try:
            entry = entries.decode(paths, entry_id, data)
        except NewerFormatError:
            line = _line_of_newer(paths, entry_id, data)
        except StoreError:
            continue
        else:
            line = line_for(entry, n_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())
        if line is not None:
            yield line


def _line_of_newer(paths: StorePaths, entry_id: str, data: bytes) -> bytes | None:
    try:
        envelope = {**jsontext.loads_object(data), "schemaVersion": SCHEMA_VERSION}
        entry = entry_from_envelope(envelope)
    except (jsontext.JsonDamage, EntryDamage):
        return None
    if entry.id != entry_id or entry.project_key != paths.key:
        return None
    return line_for(entry, n_bytes=len(data), sha256=hashlib.sha256(data).hexdigest())


def append(paths: StorePaths, held: HeldLock, lines: bytes, *, wait_seconds: float) -> None:
    """Append whole lines durably; the index lock is held.

    A missing index is written whole, with the lines of the entries that are there: a crash leaves no part of it.

    Raises:
        OutcomeUnknownError: the lines may be on disk.
        StoreError: they are not.
    """
    _require(paths, held)
    _settle(paths)
    with _sentinel(paths, wait_seconds):
        if look.exists(paths.index):
            durable.append(paths.index, lines, fsync=True)
            return
        known = {parse_line(line).id for line in lines.split(b"\n") if line}
        others = [entry_id for entry_id in entries.ids_on_disk(paths) if entry_id not in known]
        if not others and not look.exists(paths.manifest):
            durable.append(paths.index, lines, fsync=True)
            return
        with _written_anew(paths):
            durable.replace(paths.index, b"".join(lines_of_entries(paths, others)) + lines)


def append_anew(paths: StorePaths, held: HeldLock, lines: bytes, *, wait_seconds: float) -> None:
    """Append lines by writing the whole index again: an earlier flush of it failed. The index lock is held."""
    _require(paths, held)
    data = look.read_bytes(paths.index)
    if data is None:
        append(paths, held, lines, wait_seconds=wait_seconds)
        return
    if data and not data.endswith(b"\n"):
        data += b"\n"
    rewrite(paths, held, [data, lines], wait_seconds=wait_seconds)


def rewrite(paths: StorePaths, held: HeldLock, lines: Iterable[bytes], *, wait_seconds: float) -> None:
    """Replace the whole index. The index lock is held."""
    _require(paths, held)
    with _sentinel(paths, wait_seconds), _written_anew(paths):
        durable.replace(paths.index, b"".join(lines))


def remove(paths: StorePaths, held: HeldLock) -> None:
    """Remove the index durably. The index lock is held."""
    _require(paths, held)
    with _written_anew(paths):
        durable.unlink(paths.index, durable=True)


@contextmanager
def _written_anew(paths: StorePaths) -> Iterator[None]:
    """Make the generation odd for the block, even and new after it; left odd where nobody knows what is on disk."""
    number = _number(paths)
    if number is None:  # unreadable: a count far above what was ever reached
        number = _NEW_COUNT + 2 * secrets.randbits(32)
    odd = number + 1 + number % 2
    durable.replace(paths.generation, b"%d\n" % odd)
    try:
        yield
    except OutcomeUnknownError:
        raise
    except StoreError:
        _make_even(paths, odd)
        raise
    _make_even(paths, odd)


def _make_even(paths: StorePaths, odd: int) -> None:
    with suppress(StoreError):  # what mattered is done; the next append makes it even
        durable.replace(paths.generation, b"%d\n" % (odd + 1))


def _settle(paths: StorePaths) -> None:
    """End what a crash cut off: make an odd generation even."""
    number = _number(paths)
    if number is None or number % 2:
        with _written_anew(paths):
            pass


def _require(paths: StorePaths, held: HeldLock) -> None:
    if not held.is_held or held.path != paths.index_lock:
        raise RuntimeError("the index lock must be held")


@contextmanager
def _sentinel(paths: StorePaths, wait_seconds: float) -> Iterator[None]:
    """Hold the TypeScript tool's lock file for the block."""
    deadline = time.monotonic() + wait_seconds
    while not _create_sentinel(paths):
        _take_over_or_wait(paths, deadline)
    try:
        yield
    finally:
        _remove_sentinel(paths)


def _create_sentinel(paths: StorePaths) -> bool:
    try:
        return durable.link_exclusive(paths.sentinel_source, paths.sentinel)
    except StoreError:
        if durable.create_exclusive(paths.sentinel_source, _MARK):
            return _create_sentinel(paths)
        return durable.create_exclusive(paths.sentinel, _MARK)  # this file system has no hard links


def _remove_sentinel(paths: StorePaths) -> None:
    try:
        durable.unlink(paths.sentinel)
    except StoreError as error:  # what was written under it is written; the next memkit knows it for its own
        warnings.warn(f"{paths.sentinel}: could not be removed: {error.what}", MemkitWarning, stacklevel=2)


def _take_over_or_wait(paths: StorePaths, deadline: float) -> None:
    age = look.age_of(paths.sentinel)
    if age is None:
        return
    # Ours can only be left over from a memkit that died: the flock we hold proves that none is at work.
    if _is_ours(paths):
        durable.unlink(paths.sentinel)
        return
    if age > SENTINEL_STALE_SECONDS:
        warnings.warn(
            f"{paths.sentinel}: taken over after {age:.0f} s; the tool that left it there has probably died",
            MemkitWarning,
            stacklevel=2,
        )
        durable.remove_tree(paths.sentinel)
        return
    if time.monotonic() >= deadline:
        raise LockedError(
            f"another tool has been writing to the index for {age:.0f} s",
            file=paths.sentinel,
            remedy=f"Wait for it; memkit takes over after {SENTINEL_STALE_SECONDS:.0f} s.",
        )
    time.sleep(_PAUSE)


def _is_ours(paths: StorePaths) -> bool:
    found, source = look.status_of(paths.sentinel), look.status_of(paths.sentinel_source)
    if found is None or not stat.S_ISREG(found.st_mode):
        return False
    if source is not None and (found.st_dev, found.st_ino) == (source.st_dev, source.st_ino):
        return True
    return look.read_bytes(paths.sentinel) == _MARK
