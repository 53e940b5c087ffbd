"""Closed days of the audit log as Parquet files: smaller, quick to ask, and still the bytes they were.

A day is closed once a newer one has a log. Its Parquet file holds every line as it stands in the log, damaged ones
too, beside the columns the views show; so the log can be given back byte for byte, and the chain be walked. The log is
removed only after the file was read back and gave the same bytes.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from memkit import clock
from memkit.display import Displayable
from memkit.errors import DamagedError, InvalidInputError, StoreError
from memkit.model import jsontext
from memkit.model.event import Event
from memkit.model.problem import Problem
from memkit.snapshot.audit_pack import Facts, file_of, lines_of, log_of, log_sha256, split
from memkit.store import audit_chain, audit_compacted, audit_forget, audit_log, durable, jsonl, look
from memkit.store.audit_compacted import CompactedDay, DamagedListError
from memkit.store.audit_forget import Forgotten
from memkit.store.lock import HeldLock
from memkit.store.paths import LOG_PREFIX, StorePaths
from memkit.store.store import Store

SUFFIX = ".parquet"
# Larger files are hashed by `verify` and `audit verify` only, so that a first question does not wait for it.
MOST_HASHED = 64 << 20
MOST_DAYS = 36_500


@dataclass(frozen=True, slots=True)
class CompactReceipt(Displayable):
    """What compacting the log did, or would do.

    Attributes:
        dry_run: Nothing was changed.
        compacted: Days whose log became a Parquet file.
        removed: Days older than the log is kept.
        n_events: Events in the days that were compacted.
        n_bytes_before: Bytes of their logs.
        n_bytes_after: Bytes of their Parquet files; 0 where nothing was changed.
        as_of: When.
    """

    dry_run: bool
    compacted: tuple[str, ...]
    removed: tuple[str, ...]
    n_events: int
    n_bytes_before: int
    n_bytes_after: int
    as_of: dt.datetime

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {**asdict(self), "as_of": clock.iso(self.as_of)}


def compact(store: Store, *, keep_days: int | None = None, dry_run: bool = False) -> CompactReceipt:
    """Turn closed days into Parquet files and remove days older than `keep_days`.

    Args:
        store: Whose log.
        keep_days: Days of log to keep, 1 to 36,500; None keeps all.
        dry_run: Only say what would be done.

    Raises:
        InvalidInputError: `keep_days` out of its range.
        StoreError: the disk, a permission or another writer stood in the way; every day is whole.
    """
    if keep_days is not None and not 1 <= keep_days <= MOST_DAYS:
        raise InvalidInputError(f"{keep_days} is out of range", field="keep_days", remedy=f"1 to {MOST_DAYS:,}.")
    paths = store.paths
    now = store.clock.now()
    if not look.exists(paths.logs):
        return CompactReceipt(dry_run, (), (), 0, 0, 0, now)
    if dry_run:
        days, _ = _known(paths)
        closed, old = _due(paths, days, keep_days, now)
        sizes = [info.st_size for day in closed if (info := look.status_of(paths.log_file(day))) is not None]
        return CompactReceipt(True, tuple(closed), tuple(old), 0, sum(sizes), 0, now)
    with store.audit.lock.held(None):
        days, damaged = _known(paths)
        if damaged:
            days = _known_again(paths)
            audit_compacted.write(paths, days)
        elif _mend(paths, days):
            audit_compacted.write(paths, days)
        _finish(paths, days)
        closed, old = _due(paths, days, keep_days, now)
        before = after = n_events = 0
        for day in closed:
            found = _compact_day(paths, day, days)
            before, after = before + found.n_log_bytes, after + found.n_bytes
            n_events += found.n_events
    if old:
        _remove(store, old)
    return CompactReceipt(False, tuple(closed), tuple(old), n_events, before, after, now)


def _known(paths: StorePaths) -> tuple[dict[str, CompactedDay], bool]:
    """The list of compacted days, and whether it is damaged."""
    try:
        return audit_compacted.read(paths), False
    except DamagedListError:
        return {}, True


def _known_again(paths: StorePaths) -> dict[str, CompactedDay]:
    """The list made again from the Parquet files that can be read."""
    days: dict[str, CompactedDay] = {}
    for name in look.names_in(paths.logs):
        day = _day_of(name)
        if day is not None:
            data = look.read_bytes(paths.logs / name) or b""
            with suppress(DamagedError):
                days[day] = _about(data)
    return days


def _day_of(name: str) -> str | None:
    return name.removeprefix(LOG_PREFIX).removesuffix(SUFFIX) if audit_log.is_compacted_name(name) else None


def _due(
    paths: StorePaths, days: Mapping[str, CompactedDay], keep_days: int | None, now: dt.datetime
) -> tuple[list[str], list[str]]:
    """Closed days to compact, and days to remove; the newest log is neither."""
    logs = audit_log.days(paths)
    closed = [day for day in logs[:-1] if day not in days]
    if keep_days is None:
        return closed, []
    oldest = (now - dt.timedelta(days=keep_days)).date().isoformat()
    old = sorted({day for day in (*days, *closed) if day < oldest})
    return [day for day in closed if day not in old], old


def _mend(paths: StorePaths, days: dict[str, CompactedDay]) -> bool:
    """List files again that were written anew just before a crash: same events, same chain, less text."""
    is_changed = False
    for day, known in days.items():
        data = look.read_bytes(paths.compacted_log(day)) or b""
        if hashlib.sha256(data).hexdigest() == known.sha256:
            continue
        with suppress(DamagedError):
            found = _about(data)
            if (found.n_events, found.begins_with, found.last) == (known.n_events, known.begins_with, known.last):
                days[day], is_changed = found, True
    return is_changed


def _finish(paths: StorePaths, days: Mapping[str, CompactedDay]) -> None:
    """Remove logs whose day was compacted just before a crash, and files of days that were removed just before one."""
    for name in look.names_in(paths.logs):
        day = _day_of(name)
        if day is not None and day not in days and not look.exists(paths.log_file(day)):
            durable.unlink(paths.logs / name, durable=True)
    for day in audit_log.days(paths):
        known = days.get(day)
        if known and _sha256_of(paths.log_file(day)) == known.log_sha256:
            durable.unlink(paths.log_file(day), durable=True)


def _sha256_of(file: Path) -> str:
    digest = hashlib.sha256()
    for part in look.parts(file):
        digest.update(part)
    return digest.hexdigest()


def _compact_day(paths: StorePaths, day: str, days: dict[str, CompactedDay]) -> CompactedDay:
    final, log = paths.compacted_log(day), paths.log_file(day)
    facts = Facts()
    temp = durable.temp_sibling(final)
    size, sha256 = durable.write_stream(temp, file_of(split(look.parts(log)), facts))
    try:
        if log_sha256(look.read_bytes(temp) or b"") != facts.log_sha256:
            raise DamagedError("a compacted day did not read back as it was", file=log)
    except BaseException:
        durable.unlink(temp)
        raise
    durable.publish(temp, final)
    days[day] = facts.of_file(size, sha256)
    audit_compacted.write(paths, days)
    durable.unlink(log, durable=True)
    return days[day]


def pack(log: bytes) -> tuple[bytes, CompactedDay]:
    """The Parquet file of a day's log, and what is known of it."""
    facts = Facts()
    packed = b"".join(file_of(split([log]), facts))
    return packed, facts.of_file(len(packed), hashlib.sha256(packed).hexdigest())


def _about(packed: bytes) -> CompactedDay:
    """What is known of a day, from its Parquet file alone.

    Raises:
        DamagedError: the file is none of memkit's, or damaged.
    """
    facts = Facts()
    for line in lines_of(packed):
        facts.object_of(line)
    return facts.of_file(len(packed), hashlib.sha256(packed).hexdigest())


def _remove(store: Store, old: list[str]) -> None:
    """Say which days go and where the log then begins, and only then remove them."""
    paths = store.paths
    # A removal that is cut off may leave the log to begin with any of these.
    begins = [first for day in old if (first := _first_after(paths, day))]
    detail = {"days": old, "chain_from": begins, "reason": "older_than_kept"}
    if not store.audit.record(Event("entry_operation", "forget_days", detail=detail)):
        raise StoreError("the log could not say which days go; none was removed", file=paths.logs)
    with store.audit.lock.held(None):
        days = audit_compacted.read(paths)
        for day in old:
            durable.unlink(paths.log_file(day))
            days.pop(day, None)
        if look.exists(paths.compacted):
            audit_compacted.write(paths, days)
        for day in old:
            durable.unlink(paths.compacted_log(day))
        durable.sync_folder(paths.logs)


def _first_after(paths: StorePaths, day: str) -> str:
    """The hash that the first chained event after a day carries."""
    days = audit_compacted.read(paths)
    for later in sorted({*days, *audit_log.days(paths)}):
        if later <= day:
            continue
        if later in days and days[later].begins_with:
            return days[later].begins_with
        for event in audit_log.day_events(paths, later):
            if isinstance(event, dict) and isinstance(event.get("prev"), str):
                return str(event["prev"])
    return ""


# -- reading -------------------------------------------------------------------------------------------------------


def usable(paths: StorePaths) -> dict[str, Any]:
    """The Parquet files that count, by day: those the list names, of its size, and where it is not large, its hash."""
    days, _ = _known(paths)
    found = {}
    for day, known in days.items():
        file = paths.compacted_log(day)
        info = look.status_of(file)
        if info is None or info.st_size != known.n_bytes:
            continue
        if known.n_bytes <= MOST_HASHED and hashlib.sha256(look.read_bytes(file) or b"").hexdigest() != known.sha256:
            continue
        found[day] = file
    return found


def walk(paths: StorePaths) -> tuple[audit_chain.Walk, list[Problem]]:
    """The whole chain, compacted days read line by line; and what is wrong with their files."""
    days, is_damaged = _known(paths)
    problems = [_list_damaged(paths)] if is_damaged else []
    found = audit_chain.Walk()
    for day in sorted({*days, *audit_log.days(paths)}):
        if day not in days:
            found.file(audit_log.name_of(day), look.read_bytes(paths.log_file(day)) or b"")
            continue
        file = paths.compacted_log(day)
        data = look.read_bytes(file) or b""
        try:
            if hashlib.sha256(data).hexdigest() != days[day].sha256:
                raise DamagedError("its bytes are not those the list names")
            if log_sha256(data) != days[day].log_sha256:
                raise DamagedError("its lines are not those the list names")
        except DamagedError as damage:
            problems.append(_day_damaged(paths, day, damage.what))
            found.skip(file.name, days[day])
        else:
            found.lines(audit_log.name_of(day), lines_of(data))
    found.end()
    return found, problems


def problems_of(paths: StorePaths) -> list[Problem]:
    """Compacted days whose file is gone or damaged."""
    days, is_damaged = _known(paths)
    problems = [_list_damaged(paths)] if is_damaged else []
    for day, known in days.items():
        data = look.read_bytes(paths.compacted_log(day))
        if data is None:
            problems.append(_day_damaged(paths, day, "the list names it, the file is gone"))
        elif hashlib.sha256(data).hexdigest() != known.sha256:
            problems.append(_day_damaged(paths, day, "its bytes are not those the list names"))
    return problems


def _day_damaged(paths: StorePaths, day: str, why: str) -> Problem:
    remedy = "Restore the file from a backup; nothing depends on it."
    return Problem("damaged-log-day", paths.relative(paths.compacted_log(day)), why, remedy)


def _list_damaged(paths: StorePaths) -> Problem:
    remedy = "`memkit audit compact` makes the list again from the Parquet files."
    return Problem("damaged-log-list", paths.relative(paths.compacted), "it is not what memkit wrote", remedy)


def day_objects(paths: StorePaths, day: str) -> Iterator[dict[str, Any]]:
    """The events of one day, compacted or not; damaged lines are left out."""
    days, _ = _known(paths)
    if day not in days:
        yield from (event for event in audit_log.day_events(paths, day) if isinstance(event, dict))
        return
    for line in lines_of(look.read_bytes(paths.compacted_log(day)) or b""):
        with suppress(jsontext.JsonDamage):
            yield jsonl.parse_object(line)


def about(
    paths: StorePaths, concerns: Callable[[Mapping[str, Any]], bool], *, in_damage: Callable[[bytes], bool]
) -> list[str]:
    """Names of the compacted days that `forget_text` would write anew; nothing is changed."""
    found: list[str] = []
    for day in _known(paths)[0]:
        data = look.read_bytes(paths.compacted_log(day))
        if data is not None and any(audit_forget.without(log_of(data), concerns, in_damage)[1:]):
            found.append(paths.compacted_log(day).name)
    return found


# -- forgetting ----------------------------------------------------------------------------------------------------


def forget_text(
    paths: StorePaths,
    held: HeldLock,
    concerns: Callable[[Mapping[str, Any]], bool],
    *,
    in_damage: Callable[[bytes], bool] = lambda _: False,
) -> Forgotten:
    """Like `store.audit_forget.forget_text`, over compacted days too.

    Raises:
        StoreError: a day could not be read or written; the days before it are done.
    """
    done = audit_forget.forget_text(paths, held, concerns, in_damage=in_damage)
    days, is_damaged = _known(paths)
    if is_damaged:
        days = _known_again(paths)
    is_stale = _mend(paths, days) or is_damaged
    for day in list(days):
        data = look.read_bytes(paths.compacted_log(day))
        if data is None:
            continue
        parts, changed, removed = audit_forget.without(log_of(data), concerns, in_damage)
        if not (changed or removed):
            continue
        shorter = b"".join(parts)
        packed, days[day] = pack(shorter)
        # A crash between the two leaves a file that the list does not name; `_mend` sees that it is the same chain.
        durable.replace(paths.compacted_log(day), packed)
        audit_compacted.write(paths, days)
        is_stale = False
        done = replace(
            done,
            n_events=done.n_events + changed,
            n_damaged=done.n_damaged + removed,
            files=(*done.files, paths.compacted_log(day).name),
        )
    if is_stale:
        audit_compacted.write(paths, days)
    return done
