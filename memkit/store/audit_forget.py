"""Forgetting the text of events: text and salt go, everything else and the chain stay.

A day's log is written anew as a whole, durably, under the audit lock; whoever follows it with `tail -F` sees the file
replaced. Lines of before the chain lose the fields that held text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.model import jsontext
from memkit.model.event import without_text
from memkit.store import audit_log, durable, jsonl, look
from memkit.store.audit_chain import spots
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths

_OLD_TEXT = ("query", "reason", "source_path", "path", "message")


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten.

    Attributes:
        n_events: Events that lost their text.
        n_damaged: Damaged spots that were removed because the text stood in them.
        files: Days that were written anew.
    """

    n_events: int = 0
    n_damaged: int = 0
    files: tuple[str, ...] = ()


def forget_text(
    paths: StorePaths,
    held: HeldLock,
    concerns: Callable[[Mapping[str, Any]], bool],
    *,
    in_damage: Callable[[bytes], bool] = lambda _: False,
) -> Forgotten:
    """Drop the text of every event that `concerns` says yes to; the audit lock (`AuditLog.lock`) is held.

    Args:
        paths: Where the logs lie.
        held: The audit lock.
        concerns: Asked for each event, as its JSON object, text included.
        in_damage: Asked for the bytes of each damaged spot; on yes the spot is removed.

    Raises:
        StoreError: a day could not be read or written; the days before it are done.
    """
    if not held.is_held or held.path != paths.audit_lock:
        raise RuntimeError("the audit lock must be held")
    n_events = n_damaged = 0
    files: list[str] = []
    for file in _files(paths):
        data = look.read_bytes(file)
        if data is None:
            continue
        parts, changed, removed = without(data, concerns, in_damage)
        if changed or removed:
            durable.replace(file, b"".join(parts))
            if file != paths.current_log:
                n_events, n_damaged = n_events + changed, n_damaged + removed
                files.append(file.name)
    return Forgotten(n_events, n_damaged, tuple(files))


def _files(paths: StorePaths) -> Iterable[Path]:
    for day in audit_log.days(paths):
        yield paths.log_file(day)
    if look.exists(paths.current_log) and look.link_target(paths.current_log) is None:
        yield paths.current_log


def without(
    data: bytes, concerns: Callable[[Mapping[str, Any]], bool], in_damage: Callable[[bytes], bool]
) -> tuple[list[bytes], int, int]:
    """A log's pieces with the text left out, how many events lost theirs, how many damaged spots went."""
    parts: list[bytes] = []
    changed = removed = position = 0
    for start, end in spots(data):
        parts.append(data[position:start])
        line = data[start:end]
        position = end
        try:
            raw = jsonl.parse_object(line)
        except jsontext.JsonDamage:
            if in_damage(line):
                removed += 1
                position = min(len(data), end + 1)
            else:
                parts.append(line)
            continue
        shorter = _shorter(line, raw) if concerns(raw) else line
        changed += shorter != line
        parts.append(shorter)
    parts.append(data[position:])
    return parts, changed, removed


def _shorter(line: bytes, raw: dict[str, Any]) -> bytes:
    if isinstance(raw.get("prev"), str):
        return without_text(line)
    kept = {name: value for name, value in raw.items() if name not in _OLD_TEXT}
    return jsontext.dumps(kept) if kept != raw else line
