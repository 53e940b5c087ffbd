"""One day of the audit log as the bytes of a Parquet file, and back; both a bounded number of lines at a time.

The file holds every line as it stands in the log, damaged ones too, beside the columns the views show. A row group
holds events of one kind in their order, so that a question about one kind reads few of them; what is left over of all
kinds at the end shares row groups, so that a quiet day has one. `position` says where in the log each line stood.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from memkit.errors import DamagedError
from memkit.model import jsontext
from memkit.model.event import Kind, seal_of
from memkit.snapshot.audit_rows import audit_schema, build
from memkit.snapshot.segments import ROW_GROUP_ROWS
from memkit.store import audit_chain, jsonl
from memkit.store.audit_compacted import CompactedDay

if TYPE_CHECKING:
    import pyarrow as pa

_KINDS = frozenset(get_args(Kind))
# Lines that wait as Python objects; they become columns in batches of so many.
BATCH_ROWS = 2_048
# Columns whose least and greatest value a row group tells; each costs room in the footer, which a quiet day feels.
ASKED_BY = ("event", "occurred_at")


class Facts:
    """What is known of a day, gathered while its lines go by."""

    def __init__(self) -> None:
        self.n_bytes = -1
        self._sha256 = hashlib.sha256()
        self._n_events = 0
        self._begins_with = ""
        self._last = b""
        self._n = 0
        self._vouches: list[str] = []

    def object_of(self, line: bytes) -> dict[str, Any]:
        """The next line as an object, empty where it is damaged or none; what it says of the day is kept."""
        if self.n_bytes >= 0:
            self._sha256.update(b"\n")
        self._sha256.update(line)
        self.n_bytes += len(line) + 1
        raw = _object(line)
        self._n_events += bool(raw)
        prev = raw.get("prev")
        if isinstance(prev, str):
            self._begins_with = self._begins_with or prev
            self._last = line
            self._vouches += audit_chain.vouched_by(raw)
            self._n = raw["seq"] if isinstance(raw.get("seq"), int) else self._n
        return raw

    @property
    def log_sha256(self) -> str:
        """Of the log so far."""
        return self._sha256.hexdigest()

    def of_file(self, n_bytes: int, sha256: str) -> CompactedDay:
        """What the list says of the day, its Parquet file being of this size and hash."""
        return CompactedDay(
            sha256=sha256,
            n_bytes=n_bytes,
            log_sha256=self.log_sha256,
            n_log_bytes=max(self.n_bytes, 0),
            n_events=self._n_events,
            begins_with=self._begins_with,
            last=seal_of(self._last).digest if self._last else "",
            n=self._n,
            vouches=self._vouches,
        )


def _object(line: bytes) -> dict[str, Any]:
    """A line as an object; a damaged one, or none, as an empty one, whose row the views leave out."""
    try:
        return jsonl.parse_object(line)
    except jsontext.JsonDamage:
        return {}


def split(parts: Iterable[bytes]) -> Iterator[bytes]:
    """What stands between the newlines of a file that is given in parts, also before the first and after the last."""
    rest: list[bytes] = []
    for part in parts:
        first, *others = part.split(b"\n")
        rest.append(first)
        if others:
            yield b"".join(rest)
            yield from others[:-1]
            rest = [others[-1]]
    yield b"".join(rest)


def file_of(lines: Iterable[bytes], facts: Facts) -> Iterator[bytes]:
    """The bytes of the Parquet file of a day's lines, part by part; what is known of the day goes into `facts`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = _Sink()
    file = pa.PythonFile(sink, mode="w")
    options: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True, "write_statistics": [*ASKED_BY]}
    with pq.ParquetWriter(file, _schema(), **options) as writer:
        for rows in _groups(lines, facts):
            writer.write_table(rows, row_group_size=ROW_GROUP_ROWS)
            yield sink.taken()
    yield sink.taken()


class _Sink(io.RawIOBase):
    """A file that gives away what was written to it."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._parts.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        parts, self._parts = self._parts, []
        return b"".join(parts)


@dataclass(slots=True)
class _Waiting:
    """Lines of one kind that are no row group yet."""

    raws: list[dict[str, Any]] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    lines: list[bytes] = field(default_factory=list)
    built: list[pa.Table] = field(default_factory=list)

    def build(self) -> None:
        import pyarrow as pa

        rows = build(self.raws)
        rows = rows.append_column("position", pa.array(self.positions, pa.int64()))
        self.built.append(rows.append_column("line", pa.array(self.lines, pa.binary())))
        self.raws, self.positions, self.lines = [], [], []

    def taken(self) -> pa.Table:
        import pyarrow as pa

        if self.raws:
            self.build()
        built, self.built = self.built, []
        return pa.concat_tables(built).combine_chunks()

    @property
    def n(self) -> int:
        return len(self.raws) + sum(rows.num_rows for rows in self.built)


def _groups(lines: Iterable[bytes], facts: Facts) -> Iterator[pa.Table]:
    kinds: dict[str, _Waiting] = {}
    for position, line in enumerate(lines):
        raw = facts.object_of(line)
        event = raw.get("event")
        waiting = kinds.setdefault(event if isinstance(event, str) and event in _KINDS else "", _Waiting())
        waiting.raws.append(raw)
        waiting.positions.append(position)
        waiting.lines.append(line)
        if len(waiting.raws) == BATCH_ROWS:
            waiting.build()
            if waiting.n >= ROW_GROUP_ROWS:
                yield waiting.taken()
    yield from _together([waiting.taken() for waiting in kinds.values() if waiting.n])


def _together(rest: list[pa.Table]) -> Iterator[pa.Table]:
    """What is left over of each kind, as few row groups as it takes."""
    import pyarrow as pa

    group: list[pa.Table] = []
    for rows in rest:
        if group and sum(each.num_rows for each in group) + rows.num_rows > ROW_GROUP_ROWS:
            yield pa.concat_tables(group).combine_chunks()
            group = []
        group.append(rows)
    if group:
        yield pa.concat_tables(group).combine_chunks()


def _schema() -> pa.Schema:
    import pyarrow as pa

    return audit_schema().append(pa.field("position", pa.int64())).append(pa.field("line", pa.binary()))


def lines_of(packed: bytes) -> Iterator[bytes]:
    """The lines of the log a Parquet file was made from, in their order, what stands after the last newline included.

    Raises:
        DamagedError: the file is none of memkit's, or damaged.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(pa.BufferReader(packed), page_checksum_verification=True)
        sizes = [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)]
        positions = np.asarray(file.read(["position"]).column("position").cast(pa.int64()))
        order = np.argsort(positions, kind="stable")
        ends = np.cumsum(sizes)
        groups = np.searchsorted(ends, order, side="right")
        starts = ends - sizes
        held: dict[int, list[bytes]] = {}
        left = list(sizes)
        for group, row in zip(groups.tolist(), order.tolist(), strict=True):
            if group not in held:
                held[group] = _lines_in(file.read_row_group(group, ["line"]))
            yield held[group][row - starts[group]]
            left[group] -= 1
            if not left[group]:
                del held[group]
    except (pa.ArrowException, OSError, KeyError, TypeError, ValueError) as error:
        raise DamagedError(f"the compacted day cannot be read: {error}") from error


def _lines_in(rows: pa.Table) -> list[bytes]:
    import pyarrow as pa

    lines: list[bytes] = rows.column("line").cast(pa.binary()).to_pylist()  # type: ignore[assignment]
    if None in lines:
        raise ValueError("a line is missing")
    return lines


def log_sha256(packed: bytes) -> str:
    """SHA-256 of the log a Parquet file was made from.

    Raises:
        DamagedError: the file is none of memkit's, or damaged.
    """
    digest = hashlib.sha256()
    for i, line in enumerate(lines_of(packed)):
        digest.update(b"\n" + line if i else line)
    return digest.hexdigest()


def log_of(packed: bytes) -> bytes:
    """The log a Parquet file was made from, as a whole.

    Raises:
        DamagedError: the file is none of memkit's, or damaged.
    """
    return b"\n".join(lines_of(packed))
