"""`state/extraction.jsonl`: how far each session was extracted, and what came of it.

Truth: lines are appended and fsynced while the canonical-writer lock is held, never rewritten. A line says how much of
a session's file there was (bytes and their SHA-256), at which turn the branch ended, and the digests of the candidates
that were staged. A damaged line is a problem of `verify`; all it costs is that something is looked at again.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from memkit import clock as clocks
from memkit.model import jsontext
from memkit.model.problem import Problem
from memkit.store import canonical, durable, leftovers
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths
from memkit.store.state_lines import read_lines
from memkit.store.store import Store

SCHEMA_VERSION: Final = 1
MAX_DIGESTS: Final = 10_000  # on one line; more go on further lines
_TEXTS: Final = ("sessionId", "path", "sha256", "branch", "extractor")


@dataclass(frozen=True, slots=True)
class Extraction:
    """One line: a session was extracted up to here.

    Attributes:
        session_id: The session.
        path: Its file, as it was then.
        sha256: Of the file's bytes up to the end of the last whole line.
        n_bytes: Their number.
        branch: The last turn of the branch that was current; "" where the format has no branches.
        n_turns: How many turns the branch had.
        extractor: Who looked: `rules`, or `model:<name>`.
        at: When.
        digests: Of the candidates that were staged.
    """

    session_id: str
    path: str
    sha256: str
    n_bytes: int
    branch: str
    n_turns: int
    extractor: str
    at: dt.datetime
    digests: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The line's JSON object."""
        return {
            "schemaVersion": SCHEMA_VERSION,
            "sessionId": self.session_id,
            "path": self.path,
            "sha256": self.sha256,
            "bytes": self.n_bytes,
            "branch": self.branch,
            "turns": self.n_turns,
            "extractor": self.extractor,
            "extractedAt": clocks.to_ms(self.at),
            "candidates": list(self.digests),
        }


def read(paths: StorePaths) -> tuple[list[Extraction], list[Problem]]:
    """Every line in order, and the damaged ones among them.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    return read_lines(
        paths,
        paths.extraction,
        _parsed,
        code="damaged-extraction",
        remedy="Its session may be looked at once more; what is staged already is not staged again.",
    )


def _parsed(raw: Mapping[str, Any]) -> Extraction:
    at, n_bytes, n_turns, digests = (raw.get(name) for name in ("extractedAt", "bytes", "turns", "candidates"))
    if not all(isinstance(raw.get(name), str) for name in _TEXTS):
        raise jsontext.JsonDamage(f"one of {', '.join(_TEXTS)} is missing or no text")
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= 253_402_300_799_999:
        raise jsontext.JsonDamage("extractedAt is missing or not epoch milliseconds")
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in (n_bytes, n_turns)):
        raise jsontext.JsonDamage("bytes or turns is missing or no count")
    if not isinstance(digests, list) or not all(isinstance(each, str) for each in digests):
        raise jsontext.JsonDamage("candidates is no list of texts")
    return Extraction(
        session_id=str(raw["sessionId"]),
        path=str(raw["path"]),
        sha256=str(raw["sha256"]),
        n_bytes=int(n_bytes or 0),
        branch=str(raw["branch"]),
        n_turns=int(n_turns or 0),
        extractor=str(raw["extractor"]),
        at=clocks.from_ms(at),
        digests=tuple(digests),
    )


def remember(store: Store, held: HeldLock, done: Extraction) -> None:
    """Write down, durably, how far a session was extracted.

    Raises:
        StoreError: the disk, a permission or another writer stood in the way; nothing was acknowledged.
    """
    canonical.require_writer(store, held)
    data = b"".join(jsontext.dumps(part.to_dict()) + b"\n" for part in _parts(done))
    with store.index_lock.held("extract") as index_held:
        leftovers.finish_wipe(store.paths, index_held)
        store.write_store_json()
        durable.make_folder(store.paths.state)
        durable.append(store.paths.extraction, data, fsync=True)


def _parts(done: Extraction) -> Iterable[Extraction]:
    """The same on several lines, where one would be too long."""
    chunks: Sequence[tuple[str, ...]] = [
        done.digests[i : i + MAX_DIGESTS] for i in range(0, len(done.digests), MAX_DIGESTS)
    ] or [()]
    return (replace(done, digests=chunk) for chunk in chunks)
