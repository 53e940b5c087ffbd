"""A vector for each entry, made by somebody's embedder, kept beside the snapshot so that it is made once.

The file is derived: it may be deleted at any time, and one that cannot be read or that another embedder made counts as
missing. Whether an embedder is the same is told by the vector it gives for a fixed text, kept in the file. Erasing an
entry takes its row out; rows of entries that left otherwise go when the file is next written.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from memkit.errors import StoreError
from memkit.store import durable, look
from memkit.store.erasers import Removed
from memkit.store.lock import Lock
from memkit.store.paths import StorePaths

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Matrix = npt.NDArray[np.float32]

PROBE = "The quick brown fox decides to keep the queue."
_PROBE_KEY = b"memkit.probe"
_NEAR = 1e-3


@dataclass(frozen=True, slots=True)
class Kept:
    """Ids and, row by row, their vectors."""

    ids: tuple[str, ...]
    vectors: Matrix


def read(paths: StorePaths, probe: Matrix) -> Kept | None:
    """The vectors of the embedder that gives `probe` for `PROBE`; None where there are none of its."""
    import numpy as np

    table = _table(paths)
    if table is None:
        return None
    made_by = np.array(json.loads((table.schema.metadata or {}).get(_PROBE_KEY, b"[]")), dtype=np.float32)
    if made_by.shape != probe.shape or float(np.abs(made_by - probe).max(initial=0.0)) > _NEAR:
        return None
    return Kept(tuple(map(str, table.column("entry_id").to_pylist())), _matrix(table, len(probe)))


def write(paths: StorePaths, kept: Kept, probe: Matrix) -> bool:
    """Keep these vectors instead of those before; False where that cannot be.

    Another process holds the lock, the disk refuses, or the probe holds what is no number.
    """
    import pyarrow as pa

    told = [float(each) for each in probe]
    if not all(map(math.isfinite, told)):
        return False  # an embedder that gives no numbers is not known again
    size = len(probe)
    values = pa.FixedSizeListArray.from_arrays(pa.array(kept.vectors.ravel(), pa.float32()), size)
    table = pa.table({"entry_id": pa.array(kept.ids, pa.string()), "vector": values})
    table = table.replace_schema_metadata({_PROBE_KEY: json.dumps(told, allow_nan=False).encode()})
    try:
        held = Lock(paths.snapshot_lock, 0).try_acquire("keep vectors")
        if held is None:
            return False
        try:
            durable.make_folder(paths.snapshots)
            durable.replace(paths.vectors, _encoded(table))
        finally:
            held.release()
    except StoreError:
        return False
    return True


def planned(paths: StorePaths, ids: Collection[str]) -> list[Removed]:
    """What `leave_out` would take; nothing is changed."""
    table = _table(paths)
    n = 0 if table is None else len(set(ids).intersection(map(str, table.column("entry_id").to_pylist())))
    return [Removed(paths.relative(paths.vectors), "segments", "rows", n)] if n else []


def leave_out(paths: StorePaths, ids: Collection[str]) -> list[Removed]:
    """Write the file without these entries; one that cannot be read is removed. The snapshot lock is held."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not look.exists(paths.vectors):
        return []
    table = _table(paths)
    if table is None:
        durable.unlink(paths.vectors, durable=True)
        return [Removed(paths.relative(paths.vectors), "segments", "file", 1)]
    found = planned(paths, ids)
    if found:
        leaves = pc.is_in(table.column("entry_id"), pa.array(sorted(ids), pa.string()))
        durable.replace(paths.vectors, _encoded(table.filter(pc.invert(leaves))))
    return found


def _encoded(table: pa.Table) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd", write_page_checksum=True)
    return sink.getvalue().to_pybytes()


def _table(paths: StorePaths) -> pa.Table | None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        data = look.read_bytes(paths.vectors)
        if data is None:
            return None
        table = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True).read()
    except (StoreError, pa.ArrowException, OSError):
        return None
    return table if table.schema.names == ["entry_id", "vector"] else None


def _matrix(table: pa.Table, size: int) -> Matrix:
    import numpy as np

    flat = table.column("vector").combine_chunks().flatten()  # type: ignore[attr-defined]
    return cast("Matrix", np.array(flat.to_numpy(zero_copy_only=False), dtype=np.float32).reshape(-1, size))
