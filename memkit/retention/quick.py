"""Whether anything can be due at all, without looking at any entry: what keeps storing as quick as it was.

`snapshots/retention.json` is derived: it says, of one policy and one state of pins, holds and trash, up to which byte
of the index entries were judged, how many more may be stored before a number rule can match, and when the next age rule
does. What was stored since is counted by its newlines and its times of storage, a bound and never too small. Missing,
old or damaged, a short index is counted as a whole, a long one answers "perhaps", and the review that follows writes
the file again.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from memkit import clock
from memkit.analytics.frames import arrow
from memkit.errors import StoreError
from memkit.model import jsontext
from memkit.store import durable, look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memkit.analytics.retention_review import RetentionReview
    from memkit.model.policy import RetentionPolicy
    from memkit.store.new_entry import NewEntry
    from memkit.store.store import Store

FORMAT = 1
NEVER = 1 << 62
_MOST_TAIL = 64 * 1024
_STORED_AT = re.compile(rb'"storedAt":\s*([0-9]{1,15})\b')


class Quick:
    """What is known of one store and policy; remembers what it has counted, for as long as it lives."""

    def __init__(self, store: Store, policy: RetentionPolicy) -> None:
        self._store = store
        self._policy = policy
        self._known: _Known | None = None

    def can_be_due(self, *, to_store: Sequence[NewEntry] = ()) -> bool:
        """Whether something may be due now, once `to_store` is stored too; False is certain, True is not."""
        if not self._policy.can_prune:
            return False
        now_ms = clock.to_ms(self._store.clock.now())
        try:
            known = self._counted(now_ms)
        except StoreError:
            return True
        if known is None:
            return True
        times = [now_ms if new.stored_at_ms is None else new.stored_at_ms for new in to_store]
        if known.room < len(to_store) or any(at > now_ms + clock.SKEW_MS for at in times):
            return True
        return now_ms >= min(known.next_due_ms, self._due_of(times))

    def remember(self, review: RetentionReview, *, covered: int) -> None:
        """Write what a review found that left nothing due; `covered` is the index's size before it looked."""
        if review.doubts:
            return
        _, pc = arrow()
        data = review.data
        free = data.filter(pc.is_valid(data.column("place")))
        room = NEVER
        fewest = review.policy.fewest_results
        if fewest is not None:
            limited = free.filter(pc.greater_equal(free.column("max_results"), 0))
            counts = limited.group_by(["group_name", "max_results"]).aggregate([("entry_id", "count")]).to_pylist()
            room = min([fewest, *(row["max_results"] - row["entry_id_count"] for row in counts)])
        due = pc.min(free.column("due_ms")).as_py()
        # The grace of restored entries ends as well.
        grace = review.policy.trash_days * clock.DAY_MS
        ends = [at + grace for at in self._store.trash().restored.values()]
        ends = [at for at in ends if at > clock.to_ms(review.as_of)]
        next_due = min([*ends, NEVER if due is None else due])
        self._known = _Known(_key(self._store, review.policy), covered, max(room, 0), next_due)
        with suppress(StoreError):  # derived: the next review writes it
            durable.make_folder(self._store.paths.snapshots)
            durable.replace(self._store.paths.retention_state, self._known.to_bytes(live=len(review)))

    def _counted(self, now_ms: int) -> _Known | None:
        """What is known, brought up to the index's present end; None where that end is too far."""
        paths = self._store.paths
        key = _key(self._store, self._policy)
        known = self._known if self._known is not None and self._known.key == key else _read(self._store, key)
        if known is None:  # a short index answers by itself
            fewest = self._policy.fewest_results
            known = _Known(key, 0, NEVER if fewest is None else fewest, NEVER)
        info = look.status_of(paths.index)
        size = info.st_size if info else 0
        if size < known.covered or size - known.covered > _MOST_TAIL:
            return None
        if size > known.covered:
            tail = look.read_from(paths.index, known.covered) or b""
            times = [int(found) for found in _STORED_AT.findall(tail)]
            soon = -1 if any(at > now_ms + clock.SKEW_MS for at in times) else self._due_of(times)
            room = known.room - tail.count(b"\n")
            known = _Known(key, known.covered + len(tail), room, min(known.next_due_ms, soon))
        self._known = known
        return known

    def _due_of(self, times: Sequence[int]) -> int:
        days = self._policy.fewest_days
        return NEVER if days is None or not times else min(times) + days * clock.DAY_MS


@dataclass(frozen=True, slots=True)
class _Known:
    key: str
    covered: int
    room: int
    next_due_ms: int

    def to_bytes(self, *, live: int) -> bytes:
        return jsontext.dumps({"format": FORMAT, **asdict(self), "live": live}) + b"\n"


def _read(store: Store, key: str) -> _Known | None:
    data = look.read_bytes(store.paths.retention_state, limit=4096)
    if data is None:
        return None
    try:
        raw = jsontext.loads_object(data)
    except jsontext.JsonDamage:
        return None
    covered, room, next_due = raw.get("covered"), raw.get("room"), raw.get("next_due_ms")
    if raw.get("format") != FORMAT or raw.get("key") != key:
        return None
    if not (isinstance(covered, int) and isinstance(room, int) and isinstance(next_due, int)):
        return None
    return _Known(key, covered, room, next_due)


def _key(store: Store, policy: RetentionPolicy) -> str:
    """What else the answer depends on, as text."""
    paths = store.paths
    files = (paths.generation, paths.pins, paths.holds, paths.trash_plans)
    versions = [look.version_of(file) for file in files]
    return f"{paths.key} {policy.fingerprint} {versions}"
