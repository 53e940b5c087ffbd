"""`state/record_hashes.jsonl`: the last bytes of each record that memkit wrote or has seen, as hashes.

It serves the audit log alone: to notice, and say there once, that a person changed a record in an editor, and to say
what a crash kept from being said (`record_events`). A line is appended before memkit writes a record (with the hash it
had), and one after the log says so, so that a crash between the two is not taken for a person. Nothing else depends on
it: a missing file makes every record look new once, a damaged line its own. Lines are not fsynced. The canonical-writer
lock is held whenever it changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from memkit.model import jsontext
from memkit.model.frozen import FrozenMapping
from memkit.store import durable, jsonl, look
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths
from memkit.store.writer import require_held

_SPARE_LINES = 1_000
Change = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of one record's file.

    Attributes:
        sha256: Of the bytes that were last seen or written; None where it was gone.
        was: Of the bytes before a write whose end is not written down; else the same as `sha256`.
        open: Changes whose end is not written down, in order: the hash before and after each.
    """

    sha256: str | None
    was: str | None
    open: tuple[Change, ...] = ()

    def fits(self, found: str | None) -> bool:
        """Whether a file with this hash is as memkit left it."""
        return found in {self.sha256, self.was, *(each for change in self.open for each in change)}


@dataclass(frozen=True, slots=True)
class SeenRecords:
    """What is known of all of them.

    Attributes:
        by_path: By path relative to the project's folder in the store.
        n_lines: So many lines of the file were read.
        open: Those whose last change may not have come to its end, or not into the log.
    """

    by_path: Mapping[str, Seen]
    n_lines: int = 0
    open: Mapping[str, Seen] = field(default_factory=dict)


class SeenFile:
    """The file as far as it was read; only what was appended since is read again."""

    def __init__(self, paths: StorePaths) -> None:
        self._paths = paths
        self._forget(None)

    def _forget(self, inode: int | None) -> None:
        self._inode, self._end, self._n_lines = inode, 0, 0
        self._found: dict[str, Seen] = {}
        self._open: dict[str, Seen] = {}

    def read(self) -> SeenRecords:
        """What memkit has seen.

        Raises:
            StoreError: the operating system refuses to show the file.
        """
        info = look.status_of(self._paths.record_hashes)
        if info is None or info.st_ino != self._inode or info.st_size < self._end:
            self._forget(info.st_ino if info else None)
        data = (look.read_from(self._paths.record_hashes, self._end) if info else None) or b""
        for line in jsonl.lines(data, self._end):
            self._n_lines += 1
            self._take(line.data)
        whole = data.rfind(b"\n") + 1
        self._take(data[whole:])  # a power cut may have taken no more than the newline, which the next append puts back
        self._end += whole
        return SeenRecords(FrozenMapping(self._found), self._n_lines, FrozenMapping(self._open))

    def _take(self, line: bytes) -> None:
        with suppress(jsontext.JsonDamage):
            raw = jsonl.parse_object(line)
            path, sha256 = raw.get("path"), raw.get("sha256")
            if isinstance(path, str) and (sha256 is None or isinstance(sha256, str)):
                self._change(path, sha256, raw.get("was", sha256))

    def _change(self, path: str, sha256: str | None, was: object) -> None:
        before = was if isinstance(was, str) else None
        self._open.pop(path, None)
        if before == sha256:
            self._found[path] = Seen(sha256, sha256)
            return
        known = self._found.get(path)
        changes = known.open if known is not None else ()
        if (before, sha256) not in changes:
            changes = (*changes, (before, sha256))
        self._found[path] = self._open[path] = Seen(sha256, before, changes)


def read(paths: StorePaths) -> SeenRecords:
    """What memkit has seen.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    return SeenFile(paths).read()


def intend(paths: StorePaths, held: HeldLock, path: str, sha256: str | None, *, was: str | None) -> None:
    """Say before a write that this file is about to have these bytes."""
    _append(paths, held, [{"path": path, "sha256": sha256, "was": was}])


def intend_all(paths: StorePaths, held: HeldLock, changes: Iterable[tuple[str, str | None, str | None]]) -> None:
    """The same of several writes: path, hash after it, hash before it."""
    _append(paths, held, [{"path": path, "sha256": sha256, "was": was} for path, sha256, was in changes])


def note(paths: StorePaths, held: HeldLock, seen: Mapping[str, str | None]) -> None:
    """Say which bytes these files have now."""
    _append(paths, held, [{"path": path, "sha256": sha256} for path, sha256 in seen.items()])


def shorten(paths: StorePaths, held: HeldLock, seen: SeenRecords) -> None:
    """Write the file anew where most of its lines are outdated."""
    require_held(paths, held)
    if seen.n_lines > 2 * len(seen.by_path) + _SPARE_LINES:
        lines = [line for path, known in seen.by_path.items() for line in _lines(path, known)]
        durable.replace(paths.record_hashes, _encoded(lines))


def _lines(path: str, known: Seen) -> Iterator[Mapping[str, str | None]]:
    for was, sha256 in known.open or ((known.was, known.sha256),):
        yield {"path": path, "sha256": sha256, "was": was}


def _append(paths: StorePaths, held: HeldLock, lines: Iterable[Mapping[str, str | None]]) -> None:
    require_held(paths, held)
    durable.make_folder(paths.state)
    durable.append(paths.record_hashes, _encoded(lines), fsync=False)


def _encoded(lines: Iterable[Mapping[str, str | None]]) -> bytes:
    return b"".join(jsontext.dumps(line) + b"\n" for line in lines)
