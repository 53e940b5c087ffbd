"""Files of JSON read piece by piece, so that their size does not matter: only one item is in memory at a time.

Two shapes are read. Lines: one object a line, glued objects taken apart, each damaged line by itself. Documents: one
JSON value whose items are the objects of its lists, as in `{"results": [{...}, {...}]}` or `[{...}]`; the brackets are
followed without building the whole. A file is read through one descriptor; if its size or time differs afterwards, the
last thing said about it is that it changed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from memkit.importers.files import Unreadable, why
from memkit.model import jsontext
from memkit.store.jsonl import BOM, glued_objects

CHUNK: Final = 1 << 20
# One item of a file, be it a line or an object of a list.
MAX_ITEM_BYTES: Final = 24 * 1024 * 1024
HEAD_BYTES: Final = 1 << 16
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*(?P<end>"|\Z|\\\Z)|[{}\[\]]', re.DOTALL)
_NOTHING = re.compile(rb"[\s,:]*", re.ASCII)
_OPENING: Final = b"{["


@dataclass(frozen=True, slots=True)
class Piece:
    """One item of a file.

    Attributes:
        place: Where it stands: `line-7`, `line-7-2` for the second object of a line, `results-3`.
        key: The key of the list it was found in; "" for lines.
        value: What it says; None where it is damaged.
        damage: Why it cannot be read, or "".
        size: Its bytes.
    """

    place: str
    key: str = ""
    value: Any = None
    damage: str = ""
    size: int = 0


class Stream:
    """An open file that is read once from start to end."""

    def __init__(self, descriptor: int, info: os.stat_result) -> None:
        self._descriptor = descriptor
        self._before = (info.st_size, info.st_mtime_ns)
        self.size = info.st_size

    def head(self) -> bytes:
        """Its first bytes; the position stays."""
        return os.pread(self._descriptor, HEAD_BYTES, 0)

    def chunks(self) -> Iterator[bytes]:
        """Its bytes; at most as many as there were when it was opened."""
        left = self.size
        while left > 0 and (part := os.read(self._descriptor, min(CHUNK, left))):
            left -= len(part)
            yield part

    @property
    def changed(self) -> bool:
        """Whether the file differs from what it was when it was opened."""
        info = os.fstat(self._descriptor)
        return (info.st_size, info.st_mtime_ns) != self._before


@contextmanager
def open_stream(path: Path) -> Iterator[Stream]:
    """Open a regular file for reading.

    Raises:
        Unreadable: it is none, or the system refuses.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Unreadable(why(error)) from error
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            raise Unreadable("not a regular file")
        yield Stream(descriptor, info)
    except OSError as error:
        raise Unreadable(why(error)) from error
    finally:
        os.close(descriptor)


def pieces(path: Path, *, lists: tuple[str, ...] = ()) -> Iterator[Piece]:
    """The items of a JSON file, whichever of the two shapes it has.

    Args:
        path: The file.
        lists: Keys of a document under which its items stand. A document without any of them is one item itself, as
            long as it is small enough.

    Raises:
        Unreadable: it cannot be read at all.
    """
    with open_stream(path) as stream:
        head = stream.head()
        yield from _lines(stream) if are_lines(head, path.name, lists) else _items(stream, lists)
        if stream.changed:
            yield Piece("end", damage="changed while it was read; import it again")


def are_lines(head: bytes, name: str, lists: tuple[str, ...] = ()) -> bool:
    """Whether a file that begins like this has one object a line."""
    if name.casefold().endswith((".jsonl", ".ndjson")):
        return True
    first, newline, rest = head.removeprefix(BOM).lstrip().partition(b"\n")
    if not first.startswith(b"{"):
        return False
    if not newline:  # a line longer than the head, or a document on one line
        return len(head) == HEAD_BYTES and not any(b'"%s"' % key.encode() in head for key in lists)
    try:
        value = jsontext.loads(next(glued_objects(first.strip())))
    except jsontext.JsonDamage:
        return False
    return isinstance(value, dict) and bool(rest.strip())


def _lines(stream: Stream) -> Iterator[Piece]:
    for number, line in enumerate(_split(stream), start=1):
        if line is None:
            yield Piece(f"line-{number}", damage=f"a line of more than {MAX_ITEM_BYTES:,} bytes")
            continue
        text = line.removeprefix(BOM).strip() if number == 1 else line.strip()
        if text:
            yield from _objects(text, f"line-{number}")


def _objects(text: bytes, place: str) -> Iterator[Piece]:
    parts = list(glued_objects(text))
    for at, part in enumerate(parts, start=1):
        here = place if len(parts) == 1 else f"{place}-{at}"
        try:
            yield Piece(here, value=jsontext.loads(part), size=len(part))
        except jsontext.JsonDamage as damage:
            yield Piece(here, damage=str(damage), size=len(part))


def _split(stream: Stream) -> Iterator[bytes | None]:
    """The lines of a stream, without their ends; None for one that is too long to be kept."""
    held: list[bytes] = []
    size = 0
    for chunk in stream.chunks():
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            size += end - start
            yield b"".join([*held, chunk[start:end]]) if size <= MAX_ITEM_BYTES else None
            held, size, start = [], 0, end + 1
        size += len(chunk) - start
        if size <= MAX_ITEM_BYTES:
            held.append(chunk[start:])
        else:
            held = []
    if size:
        yield b"".join(held) if size <= MAX_ITEM_BYTES else None


class _Document:
    """Follows the brackets of one JSON document and gives the objects of its lists."""

    def __init__(self, lists: tuple[str, ...]) -> None:
        self.lists = lists
        self.buffer = b""
        self.resume = 0  # where in the buffer the next bracket is looked for
        self.stack: list[int] = []
        self.key = ""
        self.counts: dict[str, int] = {}
        self.start = -1  # of the item in the buffer, or -1
        self.depth = 0  # of the item
        self.found = 0
        self.strange = ""

    def feed(self, data: bytes, *, last: bool) -> Iterator[Piece]:
        """Pieces that end in the bytes so far."""
        self.buffer += data
        position = done = self.resume
        buffer = self.buffer
        for match in _TOKEN.finditer(buffer, position):
            if match["end"] is not None and match["end"] != b'"':
                if not last:
                    break
                self.strange = self.strange or "ends in the middle of a text"
            token = buffer[match.start()]
            if self.start < 0 and not _NOTHING.fullmatch(buffer, position, match.start()) and not self.stack:
                self.strange = self.strange or "is not JSON"
            position = match.end()
            if token in _OPENING:
                if self.start < 0 and token == _OPENING[0] and self._is_item():
                    self.start, self.depth = match.start(), len(self.stack)
                self.stack.append(token)
            elif token == ord('"'):
                if self.start < 0 and len(self.stack) == 1 and self.stack[0] == _OPENING[0]:
                    self.key = buffer[match.start() + 1 : match.end() - 1].decode("utf-8", "replace")
            elif not self.stack:
                self.strange = self.strange or "closes a bracket that was not opened"
            else:
                self.stack.pop()
                if self.start >= 0 and len(self.stack) == self.depth:
                    yield self._item(buffer[self.start : position])
                    self.start = -1
            if self.start < 0:
                done = position
        keep = self.start if self.start >= 0 else done
        self.buffer, self.resume = buffer[keep:], position - keep
        self.start = min(0, self.start)
        if len(self.buffer) > MAX_ITEM_BYTES:
            raise _TooLong

    def _is_item(self) -> bool:
        """Whether an object that opens here is an item: of the outermost list, or of a named list of the document."""
        if len(self.stack) == 1:
            return self.stack[0] == _OPENING[1]
        inner = len(self.stack) == 2 and self.stack[0] == _OPENING[0] and self.stack[1] == _OPENING[1]
        return inner and self.key in self.lists

    def _item(self, data: bytes) -> Piece:
        key = self.key if self.depth == 2 else ""
        self.found += 1
        self.counts[key] = self.counts.get(key, 0) + 1
        place = f"{key or 'item'}-{self.counts[key]}"
        try:
            return Piece(place, key, jsontext.loads(data), size=len(data))
        except jsontext.JsonDamage as damage:
            return Piece(place, key, damage=str(damage), size=len(data))


class _TooLong(Exception):  # noqa: N818 - caught below
    """What has to be kept is more than an item may have."""


def _items(stream: Stream, lists: tuple[str, ...]) -> Iterator[Piece]:
    if stream.size <= MAX_ITEM_BYTES:
        yield from _small_document(b"".join(stream.chunks()), lists)
        return
    document = _Document(lists)
    left = stream.size
    try:
        for number, chunk in enumerate(stream.chunks()):
            left -= len(chunk)
            yield from document.feed(chunk.removeprefix(BOM) if number == 0 else chunk, last=left <= 0)
    except _TooLong:
        yield Piece("end", damage=f"an item of more than {MAX_ITEM_BYTES:,} bytes; what follows it was not read")
        return
    if document.strange:
        yield Piece("end", damage=document.strange)
    elif document.stack:
        yield Piece("end", damage="ends before its brackets are closed")
    elif not document.found:
        yield Piece("end", damage="a document of another kind, and too large to be read as a whole")


def _small_document(data: bytes, lists: tuple[str, ...]) -> Iterator[Piece]:
    try:
        value = jsontext.loads(data)
    except jsontext.JsonDamage as damage:
        if len(list(glued_objects(data.removeprefix(BOM).strip()))) > 1:
            yield from _objects(data.removeprefix(BOM).strip(), "line-1")
            return
        # What stands whole in a damaged document is not lost with the rest.
        document = _Document(lists)
        yield from document.feed(data.removeprefix(BOM), last=True)
        yield Piece("end", damage=str(damage))
        return
    if isinstance(value, list):
        for at, item in enumerate(value, start=1):
            yield Piece(f"item-{at}", value=item, size=len(data) // len(value))
        return
    named = [key for key in lists if isinstance(value, dict) and isinstance(value.get(key), list)]
    if not named:
        yield Piece("document", value=value, size=len(data))
    for key in named:
        for at, item in enumerate(value[key], start=1):
            yield Piece(f"{key}-{at}", key, item, size=len(data) // max(1, len(value[key])))
