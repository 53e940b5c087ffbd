"""`_logs/compacted.json`: what is known of days whose log became a Parquet file.

The list is what makes a Parquet file count: it is written after the file and before the log goes. It says enough to
follow the chain over a compacted day without reading it. A damaged list is made again from the Parquet files by the
next compaction; until then verify says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from memkit.model import jsontext
from memkit.store import durable, look
from memkit.store.paths import StorePaths

FORMAT = 1
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class CompactedDay:
    """One day that became a Parquet file.

    Attributes:
        sha256: Of the Parquet file.
        n_bytes: Its size.
        log_sha256: Of the log it was made from, as it is now (text that was erased is gone from both).
        n_log_bytes: The size of that log.
        n_events: Its whole lines.
        begins_with: The hash its first event carries; empty where no event of it is chained.
        last: The hash the next event carries; empty likewise.
        n: The number of its last event.
        vouches: Hashes with which the log may begin, because an event of this day says that older days were removed.
    """

    sha256: str
    n_bytes: int
    log_sha256: str
    n_log_bytes: int
    n_events: int
    begins_with: str
    last: str
    n: int
    vouches: list[str] = field(default_factory=list)


class DamagedListError(ValueError):
    """`compacted.json` is not what memkit wrote."""


def read(paths: StorePaths) -> dict[str, CompactedDay]:
    """Every compacted day, in order.

    Raises:
        DamagedListError: the list cannot be read.
        StoreError: the operating system refuses to show it.
    """
    data = look.read_bytes(paths.compacted)
    if data is None:
        return {}
    try:
        raw = jsontext.loads_object(data)
        days = {day: _day(day, said) for day, said in sorted(raw["days"].items())}
    except (jsontext.JsonDamage, KeyError, TypeError, AttributeError, ValueError) as error:
        raise DamagedListError(f"{paths.compacted.name}: {error}") from error
    if raw.get("formatVersion") != FORMAT:
        raise DamagedListError(f"{paths.compacted.name}: format {raw.get('formatVersion')!r:.20} is not known")
    return days


def _day(day: str, said: Mapping[str, Any]) -> CompactedDay:
    if not _DAY.fullmatch(day):
        raise ValueError(f"{day!r:.20} is no day")
    found = CompactedDay(**{**said, "vouches": list(said["vouches"])})
    texts = (found.sha256, found.log_sha256, found.begins_with, found.last)
    numbers = (found.n_bytes, found.n_log_bytes, found.n_events, found.n)
    right = all(isinstance(text, str) for text in (*texts, *found.vouches))
    if not right or not all(isinstance(number, int) for number in numbers):
        raise TypeError(f"{day}: a field has another type")
    return found


def write(paths: StorePaths, days: Mapping[str, CompactedDay]) -> None:
    """Replace the list; the audit lock is held."""
    said = {"formatVersion": FORMAT, "days": {day: asdict(found) for day, found in sorted(days.items())}}
    durable.replace(paths.compacted, jsontext.dumps(said) + b"\n")
