"""Looking into every byte of a store: for traces of an erased entry, for a text, for secrets.

Every regular file is read, whatever its kind, in pieces of bounded size; Parquet is looked at as bytes and, decoded,
column by column. What is found is shown masked: two characters and a length. A scan reads only.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.errors import InvalidInputError, StoreError
from memkit.model import jsontext
from memkit.model.scan import Finding, Scan, What
from memkit.store import erasers, look
from memkit.store.kinds import kind_of
from memkit.store.paths import StorePaths, path_text
from memkit.store.store import Store
from memkit.store.traces import Traces, unescaped

if TYPE_CHECKING:
    from memkit.store.scrub import Scrubber

PIECE_BYTES = 1 << 20
OVERLAP_BYTES = 4096
MAX_FINDINGS = 1_000
LEAST_TEXT_CHARS = 3
BATCH_BYTES = 8 << 20
LEAST_BATCH_ROWS = 256
MAX_BATCH_ROWS = 65_536
_LINES = (".json", ".jsonl", ".log")
# Files in which only the values are texts of anybody's, and some of them memkit's own words.
_OF_MEMKIT = frozenset({"index line", "lines", "log text", "reasons", "no text", "segments", "quarantine"})
_LOWER = bytes(byte + 32 if 65 <= byte <= 90 else byte for byte in range(256))
_ESCAPE = re.compile(rb'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')


def scan_for_text(store: Store, text: str) -> Scan:
    """Every spot of the store's files that holds a text, in upper or lower case, escaped or not.

    Raises:
        InvalidInputError: fewer than three characters, more than 1,000, or no text.
    """
    wanted = jsontext.require_text(text, "text").strip()
    if not LEAST_TEXT_CHARS <= len(wanted) <= 1_000:
        raise InvalidInputError(
            f"has {len(wanted):,} characters", field="text", remedy="Give 3 to 1,000 characters to look for."
        )
    return _Look(store, "text", _Needle(wanted).spots).whole()


def scan_for_secrets(store: Store) -> Scan:
    """Every spot of the store's files that has the shape of a secret, by the patterns in force.

    Finds what was stored before scrubbing was switched on, and what was put there by hand.

    Raises:
        SettingsError: a pattern of the settings took longer than a second.
    """
    return _Look(store, "secrets", _Secrets(store.scrubber).spots).whole()


def scan_for_traces(store: Store, traces: Traces, seen: Mapping[str, tuple[int, ...]] | None = None) -> Scan:
    """Every spot of the store's files that holds a fragment of an erased entry.

    `seen` names files that were compared with the entry, and their versions then: as long as such a file is the same,
    it holds none of the fragments, because a fragment is what it did not hold; so it is counted and not read again.
    """
    return _Look(store, "traces", _Fragments(traces).spots, seen).whole()


Spot = tuple[str, str, str]  # where, masked, kind
# Finds spots in a piece of a file: its bytes, where they begin, the file's name, whether it is a decoded column.
Spots = Callable[[bytes, int, str, bool], Iterator[Spot]]


def mask(text: str) -> str:
    """What is shown of something found: its first two characters and its length."""
    return f"{text[:2]}… ({len(text):,} characters)"


class _Look:
    """One look into every file of a store."""

    def __init__(
        self, store: Store, what: What, spots: Spots, seen: Mapping[str, tuple[int, ...]] | None = None
    ) -> None:
        self._store, self._what, self._spots, self._seen = store, what, spots, seen or {}
        self._found: dict[Finding, None] = {}
        self._unreadable: list[str] = []
        self._files = self._bytes = self._rows = self._more = 0

    def whole(self) -> Scan:
        """Look into every file."""
        paths = self._store.paths
        for relative, info in look.files(paths.folder):
            if stat.S_ISREG(info.st_mode):
                self._file(paths, relative, info)
        return Scan(
            what=self._what,
            n_files=self._files,
            n_bytes=self._bytes,
            n_rows=self._rows,
            found=tuple(self._found),
            n_found=len(self._found) + self._more,
            unreadable=tuple(self._unreadable),
            as_of=self._store.clock.now(),
        )

    def _file(self, paths: StorePaths, relative: str, info: os.stat_result) -> None:
        self._files += 1
        self._bytes += info.st_size
        if self._seen.get(relative) == (info.st_ino, info.st_size, info.st_mtime_ns):
            return
        path = paths.folder / relative
        try:
            for start, piece in pieces(path):
                self._take(relative, self._spots(piece, start, relative, False))
            if path.suffix == ".parquet":
                self._parquet(path, relative)
        except FileNotFoundError:
            self._files -= 1
            self._bytes -= info.st_size
        except StoreError:
            self._unreadable.append(path_text(relative))

    def _take(self, relative: str, spots: Iterator[Spot]) -> None:
        for where, masked, kind in spots:
            finding = Finding(path_text(relative), where, masked, kind)
            if finding in self._found:
                continue
            if len(self._found) < MAX_FINDINGS:
                self._found[finding] = None
            else:
                self._more += 1

    def _parquet(self, path: Path, relative: str) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with pq.ParquetFile(path) as file:
                first = 0
                texts = [field.name for field in file.schema_arrow if _holds_text(field.type)]
                for batch in file.iter_batches(_batch_rows(file.metadata), columns=texts):
                    for name, column in zip(batch.schema.names, batch.columns, strict=True):
                        for where, masked, kind in self._column(relative, column, first):
                            self._take(relative, iter([(f"{where} of {name}", masked, kind)]))
                    first += batch.num_rows
                self._rows += first
        except (pa.ArrowException, OSError):
            self._unreadable.append(path_text(relative))

    def _column(self, relative: str, column: Any, first: int) -> Iterator[Spot]:
        whole = "\n".join(_texts(column).unique().drop_null().to_pylist()).encode("utf-8", "surrogatepass")
        if not any(True for _ in self._spots(whole, 0, relative, True)):
            return
        for row, value in enumerate(column.to_pylist()):
            for each in value if isinstance(value, list) else [value]:
                for _, masked, kind in self._spots(str(each or "").encode("utf-8", "surrogatepass"), 0, relative, True):
                    yield f"row {first + row:,}", masked, kind


def _batch_rows(metadata: Any) -> int:
    """So many rows that a batch has about eight mebibytes, or so many groups of one word each."""
    n_bytes = sum(metadata.row_group(n).total_byte_size for n in range(metadata.num_row_groups))
    return int(min(MAX_BATCH_ROWS, max(LEAST_BATCH_ROWS, BATCH_BYTES * metadata.num_rows // max(1, n_bytes))))


def _holds_text(kind: Any) -> bool:
    """Whether a column of this type can hold texts: numbers and times cannot."""
    import pyarrow as pa

    while pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _texts(column: Any) -> Any:
    """The texts of a column that can hold them, those in lists and dictionaries among them."""
    import pyarrow as pa

    while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        column = column.flatten()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return column


def pieces(path: Path) -> Iterator[tuple[int, bytes]]:
    """A file in pieces of about a mebibyte, with where each begins.

    Files of lines are cut behind a newline; elsewhere neighbours overlap, so that a word is whole in one of them.

    Raises:
        FileNotFoundError: it is gone.
        StoreError: it cannot be read.
    """
    start = 0
    while True:
        data = look.read_from(path, start, limit=PIECE_BYTES + OVERLAP_BYTES)
        if data is None:
            raise FileNotFoundError(path)
        if len(data) < PIECE_BYTES + OVERLAP_BYTES:
            if data:
                yield start, data
            return
        newline = data.rfind(b"\n") if path.suffix in _LINES else -1
        if newline > 0:
            yield start, data[: newline + 1]
            start += newline + 1
        else:
            yield start, data
            start += PIECE_BYTES


def _placed_lines(piece: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    for line in piece.split(b"\n"):
        yield start, line
        start += len(line) + 1


class _Needle:
    """Looks for one text."""

    def __init__(self, text: str) -> None:
        self._masked = mask(text)
        self._folded = text.casefold()
        self._bytes = text.encode("utf-8", "surrogatepass").translate(_LOWER)

    def spots(self, piece: bytes, start: int, relative: str, decoded: bool) -> Iterator[Spot]:  # noqa: ARG002
        """Where it stands: as bytes, else in other letters' case or behind JSON's escapes."""
        lower = piece.translate(_LOWER)
        at = lower.find(self._bytes)
        if at < 0:
            plain = _ESCAPE.sub(_undone, piece) if b"\\" in piece else piece
            if self._folded in plain.decode("utf-8", "replace").casefold():
                yield f"behind byte {start:,}", self._masked, "text"
        while at >= 0:
            yield f"byte {start + at:,}", self._masked, "text"
            at = lower.find(self._bytes, at + len(self._bytes))


class _Fragments:
    """Looks for the fragments of an erased entry."""

    def __init__(self, traces: Traces) -> None:
        self._traces = traces

    def spots(self, piece: bytes, start: int, relative: str, decoded: bool) -> Iterator[Spot]:
        """Where they stand: as words, and the rare ones inside longer words too; a cell of Parquet only as words."""
        kind = kind_of(relative)
        if decoded:
            yield from self._told(self._traces.of(piece), start)
        elif relative.endswith(_LINES) and kind is not None and kind.eraser in _OF_MEMKIT:
            if self._traces.are_in(piece):
                for place, line in _placed_lines(piece, start):
                    if self._traces.are_in(line):
                        yield from self._told(self._in_texts(line), place)
        elif kind is not None and kind.eraser == "segments":  # its cells are looked at one by one
            yield from self._told(self._traces.of(piece), start)
        else:
            plain = unescaped(piece)
            found = [*self._traces.of(plain), *self._traces.buried_in(plain)]
            yield from self._told(found or [*self._traces.of(piece), *self._traces.buried_in(piece)], start)

    def _told(self, fragments: list[bytes], place: int) -> Iterator[Spot]:
        for fragment in dict.fromkeys(fragments):
            yield f"behind byte {place:,}", mask(fragment.decode("utf-8", "replace")), "fragment"

    def _in_texts(self, line: bytes) -> list[bytes]:
        """The fragments in the texts of a line of memkit's own making, its fixed words aside."""
        try:
            value = jsontext.loads(line)
        except jsontext.JsonDamage:
            return self._traces.of(unescaped(line)) or self._traces.of(line)
        found: list[bytes] = []

        def note(field: str, text: str) -> bool:
            if field not in erasers.OWN_FIELDS:
                data = text.encode("utf-8", "surrogatepass")
                found.extend([*self._traces.of(data), *self._traces.buried_in(data)])
            return False

        erasers.masked(value, note)
        return found


class _Secrets:
    """Looks for what has the shape of a secret."""

    def __init__(self, scrubber: Scrubber) -> None:
        self._scrubber = scrubber.switched_on()

    def spots(self, piece: bytes, start: int, relative: str, decoded: bool) -> Iterator[Spot]:
        """Where they stand; in JSON by the path to the text."""
        if relative.endswith(_LINES) and not decoded:
            for place, line in _placed_lines(piece, start):
                yield from self._in_line(line, place)
        else:
            yield from self._in_text(piece.decode("utf-8", "replace"), start)

    def _in_line(self, line: bytes, place: int) -> Iterator[Spot]:
        try:
            value = jsontext.loads(line) if line.lstrip()[:1] in {b"{", b"["} else None
        except jsontext.JsonDamage:
            value = None
        if value is None:
            yield from self._in_text(line.decode("utf-8", "replace"), place)
            return
        clean, counts = self._scrubber.scrub_json(value)
        if counts:
            for path, was, now in _differences(value, clean, ""):
                where = f"{path or 'the line'} at byte {place:,}"
                told = [(mask(was[s:e]), kind) for s, e, kind in self._scrubber.findings(was)]
                for masked, kind in told or [(mask(was), now.removeprefix("[scrubbed:").rstrip("]"))]:
                    yield where, masked, kind

    def _in_text(self, text: str, place: int) -> Iterator[Spot]:
        for start, end, kind in self._scrubber.findings(text):
            at = place + len(text[:start].encode("utf-8", "surrogatepass"))
            yield f"byte {at:,}", mask(text[start:end]), kind


def _differences(was: Any, now: Any, path: str) -> Iterator[tuple[str, str, str]]:
    """Texts that differ between a JSON value and the same scrubbed, each with its path; keys that differ too."""
    if isinstance(was, str):
        if was != now:
            yield path, was, str(now)
    elif isinstance(was, dict):
        for (key, item), (new_key, new) in zip(was.items(), now.items(), strict=True):
            if key != new_key:
                yield f"{path}.(a key)".lstrip("."), key, new_key
            yield from _differences(item, new, f"{path}.{new_key}".lstrip("."))
    elif isinstance(was, list):
        for n, (item, new) in enumerate(zip(was, now, strict=True)):
            yield from _differences(item, new, f"{path}[{n}]")


def _undone(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return chr(int(match[1], 16)).encode("utf-8", "surrogatepass")
    return {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}.get(match[2], match[2])
