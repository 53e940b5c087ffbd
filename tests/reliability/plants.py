"""Defects, planted one at a time: each is memkit with one mistake in it, as others have made it.

A plant is a context manager that patches the running package; nothing of it is in memkit. `PENDING` lists the mistakes
of rooms that are not built yet: once such a room has code, its plants have to be written, and a test says so.
"""

from __future__ import annotations

import errno
import fnmatch
import importlib
import inspect
import os
import pathlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

from memkit.errors import EntryNotFoundError, LockedError, StoreError
from memkit.model import jsontext
from memkit.store import (
    audit_chain,
    audit_log,
    durable,
    entries,
    erasures,
    index,
    jsonl,
    leftovers,
    lock,
    look,
    paths,
    quarantine,
)
from memkit.store import repair as repairing
from memkit.store import store as storing
from memkit.store import wipe as wiping

patch = mock.patch.object
PLANTS: dict[str, Callable[[], Any]] = {}


def plant(function):
    """Add a defect to the table under its function's name."""
    PLANTS[function.__name__.replace("_", "-")] = contextmanager(function)
    return function


class _Os:
    """`os` with some functions changed."""

    def __init__(self, **changed: Any) -> None:
        self._changed = changed

    def __getattr__(self, name: str) -> Any:
        return self._changed.get(name) or getattr(os, name)


# -- flushing and the order -------------------------------------------------------------------------------------------


@plant
def the_temporary_file_is_not_flushed() -> Iterator[None]:
    def write_temp(path, data):
        temp = durable.temp_sibling(path)
        with durable.faults(path, "write"):
            descriptor = durable.os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            durable._write_all(descriptor, data)
            durable.os.close(descriptor)
        return temp

    with patch(durable, "write_temp", write_temp):
        yield


@plant
def the_folder_is_not_flushed() -> Iterator[None]:
    with patch(durable, "sync_folder", lambda folder: None):
        yield


@plant
def the_index_is_not_flushed() -> Iterator[None]:
    real = durable.append
    with patch(durable, "append", lambda path, data, *, fsync: real(path, data, fsync=False)):
        yield


@plant
def it_is_acknowledged_before_the_flush() -> Iterator[None]:
    """The line is flushed by the next append, not by the one that wrote it."""
    real = durable.append

    def append(path, data, *, fsync):
        result = real(path, b"", fsync=fsync) if path.exists() else 0
        real(path, data, fsync=False)
        return result

    with patch(durable, "append", append):
        yield


@plant
def the_line_is_written_before_the_file_has_its_name() -> Iterator[None]:
    def publish(self, prepared, held):
        lines = b"".join(item.line for item in prepared)
        index.append(self.paths, held, lines, wait_seconds=self.wait_seconds)
        for item in prepared:
            durable.rename(item.temp, item.final)
        durable.sync_folder(self.paths.results)
        return [item.entry for item in prepared]

    with patch(storing.Store, "_publish", publish):
        yield


@plant
def nothing_is_taken_back_after_a_fault() -> Iterator[None]:
    with patch(storing, "_take_back", lambda fresh, reason: None):
        yield


@plant
def a_fault_after_the_line_takes_the_file_back() -> Iterator[None]:
    with patch(index, "_remove_sentinel", lambda paths: durable.unlink(paths.sentinel)):
        yield


# -- temporary files ----------------------------------------------------------------------------------------------------


@plant
def the_temporary_name_is_always_the_same() -> Iterator[None]:
    def write_temp(path, data):
        temp = path.with_name(f".{path.name}.tmp")
        descriptor = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(descriptor, data)
        os.fsync(descriptor)
        os.close(descriptor)
        return temp

    with patch(durable, "write_temp", write_temp):
        yield


@plant
def the_temporary_file_is_on_another_file_system() -> Iterator[None]:
    with patch(durable, "temp_sibling", lambda path: pathlib.Path("/tmp") / f"{path.name}.{time.monotonic_ns()}.tmp"):
        yield


@plant
def a_live_writers_file_is_swept() -> Iterator[None]:
    with (
        patch(leftovers, "is_left_over", lambda path, info: path.name.endswith(".tmp")),
        patch(entries, "all_there", lambda prepared: True),
        patch(storing, "_TRIES", 1),
    ):
        yield


# -- appending ------------------------------------------------------------------------------------------------------------


def _careless_append(*, count=True, guard=True):
    def append(path, data, *, fsync):
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            torn = guard and size and os.pread(descriptor, 1, size - 1) != b"\n"
            whole = b"\n" + data if torn else data
            written = durable.os.write(descriptor, whole)
            if count and written != len(whole):
                os.ftruncate(descriptor, size)
                raise durable.fault(OSError(errno.ENOSPC, ""), path, "append")
            if fsync:
                os.fsync(descriptor)
        except OSError as error:
            raise durable.fault(error, path, "append") from error
        finally:
            os.close(descriptor)
        return size

    return append


@plant
def a_short_write_is_not_noticed() -> Iterator[None]:
    with patch(durable, "append", _careless_append(count=False)):
        yield


@plant
def a_short_write_of_a_file_is_not_noticed() -> Iterator[None]:
    real = durable.write_temp

    def write_once(descriptor, part):
        durable.os.write(descriptor, part)

    def write_temp(path, data):
        with (
            patch(durable, "_write_all", write_once),
            patch(
                durable,
                "os",
                _Os(write=durable.os.write, fsync=durable.os.fsync, fstat=lambda d: mock.Mock(st_size=len(data))),
            ),
        ):
            return real(path, data)

    with patch(durable, "write_temp", write_temp):
        yield


@plant
def a_torn_tail_is_not_closed() -> Iterator[None]:
    with patch(durable, "append", _careless_append(guard=False)):
        yield


@plant
def a_missing_index_is_made_line_by_line() -> Iterator[None]:
    def append(paths, held, lines, *, wait_seconds):
        if not paths.index.exists():
            for line in index.lines_of_entries(paths, entries.ids_on_disk(paths)):
                if line not in lines:
                    durable.append(paths.index, line, fsync=True)
        durable.append(paths.index, lines, fsync=True)

    with patch(index, "append", append):
        yield


# -- reading ----------------------------------------------------------------------------------------------------------------


@plant
def lines_are_split_at_every_kind_of_line_break() -> Iterator[None]:
    def lines(data, offset=0, skip=None):
        at = offset
        for text in data.decode("utf-8", "replace").splitlines(keepends=True):
            raw = text.encode()
            if text.strip():
                yield jsonl.RawLine(at, at + len(raw), text.strip().encode())
            at += len(raw)

    with patch(jsonl, "lines", lines):
        yield


@plant
def a_line_that_cannot_be_read_is_left_out_silently() -> Iterator[None]:
    real = index.parse

    def parse(*args, **kwargs):
        return replace(real(*args, **kwargs), damaged=(), glued=(), pending=0)

    with patch(index, "parse", parse):
        yield


@plant
def a_damaged_entry_counts_as_missing() -> Iterator[None]:
    real = entries.decode

    def decode(paths, entry_id, data):
        try:
            return real(paths, entry_id, data)
        except StoreError as error:
            raise EntryNotFoundError("no entry") from error

    with patch(entries, "decode", decode):
        yield


@plant
def a_damaged_settings_or_store_file_is_written_again() -> Iterator[None]:
    def info(self):
        with suppress(Exception):
            jsontext.loads_object(self.paths.store_json.read_bytes())
            return storing.StoreInfo(1, self.paths.key, self.paths.project_path)
        self.paths.store_json.unlink(missing_ok=True)
        return storing.StoreInfo(0, self.paths.key, self.paths.project_path)

    with patch(storing.Store, "info", info):
        yield


@plant
def what_cannot_be_looked_at_counts_as_missing() -> Iterator[None]:
    def status_of(path):
        try:
            return look.os.lstat(path)
        except OSError:
            return None

    with patch(look, "status_of", status_of), patch(durable, "exists", look.exists):
        yield


@plant
def an_unreadable_entry_is_left_out_of_a_new_index() -> Iterator[None]:
    real = index.lines_of_entries

    def lines(paths, wanted, **_):
        return real(paths, wanted, leave_out_unreadable=True)

    with patch(index, "lines_of_entries", lines):
        yield


@plant
def readers_do_not_look_at_the_generation() -> Iterator[None]:
    def read(paths, start=0):
        data = look.read_from(paths.index, start)
        number = index._number(paths) or 0
        return (
            index._from_entries(paths, number)
            if data is None
            else index.parse(paths, data, start=start, generation=number)
        )

    with patch(index, "read", read):
        yield


@plant
def the_generation_goes_back_when_a_project_is_wiped() -> Iterator[None]:
    real = wiping.wipe

    def wipe(store, **kwargs):
        receipt = real(store, **kwargs)
        store.paths.generation.unlink(missing_ok=True)
        return receipt

    with patch(wiping, "wipe", wipe):
        yield


@plant
def a_flipped_snapshot_is_believed() -> Iterator[None]:
    from memkit.snapshot.manifest import SegmentFile

    with patch(SegmentFile, "fits", lambda self, data: True):
        yield


@plant
def a_line_is_not_compared_with_its_entry() -> Iterator[None]:
    from memkit.store import verify as verifying

    with patch(verifying, "_difference", lambda line, made: ""):
        yield


# -- locks --------------------------------------------------------------------------------------------------------------------


@plant
def each_store_has_a_lock_of_its_own() -> Iterator[None]:
    """A lock in memory: good among the threads of one store, nothing between two stores or processes."""

    def take(self, *, create):
        descriptor = durable.open_lock(self.path)
        return lock.HeldLock(self.path, descriptor)

    with patch(lock.Lock, "_take", take):
        yield


@plant
def the_lock_file_is_removed_when_it_is_let_go() -> Iterator[None]:
    real = lock.HeldLock.release

    def release(self):
        with suppress(OSError):
            os.unlink(self.path)
        real(self)

    with patch(lock.HeldLock, "release", release), patch(look, "same_file", lambda descriptor, path: True):
        yield


@plant
def a_forked_child_keeps_the_lock() -> Iterator[None]:
    with patch(lock.HeldLock, "_drop", lambda self: None):
        yield


@plant
def the_lock_is_stolen_after_a_while() -> Iterator[None]:
    real = lock.Lock.acquire

    def acquire(self, command):
        try:
            return real(replace(self, wait_seconds=min(self.wait_seconds, 0.01)), command)
        except LockedError:
            os.unlink(self.path)
            return real(self, command)

    with patch(lock.Lock, "acquire", acquire):
        yield


@plant
def repair_reads_the_index_before_it_has_the_lock() -> Iterator[None]:
    def repair(store, *, dry_run=True):
        data = look.read_bytes(store.paths.index) or b""
        time.sleep(0.003)
        read = index.parse(store.paths, data, start=0, generation=0)
        with store.index_lock.held("repair") as held:
            lines = [jsontext.dumps(line.to_dict()) + b"\n" for line in read.lines]
            index.rewrite(store.paths, held, lines, wait_seconds=1)

    with patch(repairing, "repair", repair):
        yield


@plant
def the_other_tools_lock_is_ignored() -> Iterator[None]:
    @contextmanager
    def sentinel(paths, wait_seconds):
        yield

    with patch(index, "_sentinel", sentinel):
        yield


@plant
def a_file_system_without_locks_is_used_without_one() -> Iterator[None]:
    real = durable.try_flock

    def try_flock(descriptor, path):
        try:
            return real(descriptor, path)
        except StoreError:
            return True

    with patch(durable, "try_flock", try_flock):
        yield


# -- removing and mending ---------------------------------------------------------------------------------------------------


@plant
def a_wipe_removes_one_file_after_another() -> Iterator[None]:
    def move(source, target):
        for name in sorted(os.listdir(source)):
            durable.unlink(source / name)

    with patch(durable, "move", move):
        yield


@plant
def a_wipe_that_was_cut_off_stays_so() -> Iterator[None]:
    with patch(leftovers, "is_wipe_unfinished", lambda paths: False):
        yield


@plant
def repair_throws_damaged_bytes_away() -> Iterator[None]:
    def put(paths, data, **kwargs):
        return quarantine.Quarantined("x", "x", 0, 0, "x", "x", 0)

    with patch(quarantine, "put", put):
        yield


@plant
def repair_removes_before_it_has_kept() -> Iterator[None]:
    real = quarantine.put

    def put(paths, data, *, file, **kwargs):
        with suppress(OSError):
            if file.startswith("results/"):
                durable.os.unlink(paths.folder / file)
                durable.sync_folder(paths.results)
        return real(paths, data, file=file, **kwargs)

    with patch(quarantine, "put", put):
        yield


# -- privacy and names --------------------------------------------------------------------------------------------------------


@plant
def modes_are_narrowed_after_the_file_is_made() -> Iterator[None]:
    def open_wide(path, flags, mode=0o777):
        return os.open(path, flags, 0o666 if flags & os.O_CREAT else mode)

    with patch(durable, "os", _Os(open=open_wide)):
        yield


@plant
def the_key_is_the_path_with_its_signs_replaced() -> Iterator[None]:
    import re

    def project_key(real_path):
        return re.sub(r"[^a-zA-Z0-9]", "-", os.fspath(real_path))[-40:].lower()

    with patch(paths, "project_key", project_key):
        yield


@plant
def texts_are_scrubbed_but_the_log_is_not() -> Iterator[None]:
    with patch(audit_log.AuditLog, "_said", lambda self, text: text):
        yield


@plant
def the_previous_line_of_the_chain_is_read_before_the_lock_is_taken() -> Iterator[None]:
    """What the end of the log was when the writer began to wait is what its line follows."""
    real = audit_log.AuditLog._append

    def append(self, events):
        log = self._paths.current_log
        data = look.read_bytes(log) or b""
        time.sleep(0.002)

        def tail_before(paths, name, older, before):
            whole = data[: data.rfind(b"\n") + 1]
            return real_tail(paths, name, older, before._replace(size=len(whole)))

        real_tail = audit_chain.tail_before
        self._seen = None
        with patch(audit_log.audit_chain, "tail_before", tail_before):
            return real(self, events)

    with patch(audit_log.AuditLog, "_append", append):
        yield


@plant
def texts_are_scrubbed_but_tags_are_not() -> Iterator[None]:
    real = storing.Store.scrubbed

    def scrub(self, item):
        clean, counts = real(self, item)
        return replace(clean, tags=item.tags), counts

    with patch(storing.Store, "scrubbed", scrub):
        yield


@plant
def a_time_without_a_zone_is_taken_as_it_is() -> Iterator[None]:
    from memkit.store import new_entry

    with patch(new_entry, "require_stored_at", lambda value, now: int(value.timestamp() * 1000)):
        yield


@plant
def an_id_may_be_any_text() -> Iterator[None]:
    with patch(paths, "require_id", lambda text, field="id": str(text)), patch(entries.ids, "is_id", lambda text: True):
        yield


@plant
def two_threads_share_one_descriptor() -> Iterator[None]:
    """The line is written in two halves: what another writer appends meanwhile lands between them."""
    real = durable.append

    def append(path, data, *, fsync):
        half = len(data) // 2
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(descriptor, data[:half])
        os.close(descriptor)
        return real(path, data[half:], fsync=fsync)

    with patch(durable, "append", append):
        yield


@plant
def front_matter_is_closed_by_any_three_dashes() -> Iterator[None]:
    import re

    from memkit.model import front_matter

    with patch(front_matter, "_CLOSE", re.compile(r"(?:---|\.\.\.)[ \t]*", re.MULTILINE)):
        yield


# -- forgetting ---------------------------------------------------------------------------------------------------------------


@plant
def a_removed_entry_has_no_mark_that_outlives_a_restored_index() -> Iterator[None]:
    with patch(erasures, "end", lambda paths, erasure: durable.unlink(paths.erasing, durable=True)):
        yield


@plant
def what_was_erased_is_read_again_when_it_comes_back() -> Iterator[None]:
    with patch(storing.erasures, "erased", lambda paths: []):
        yield


@plant
def retention_goes_by_the_files_time() -> Iterator[None]:
    from memkit.analytics import retention
    from memkit.catalog import queries

    judge, load = retention.judge, queries.load

    def judge_by_files(catalog, store, policy, **more):
        times = {name: ns // 1_000_000 for name, (_, ns) in retention.envelope_stamps(store).items()}
        listed = ", ".join(f"('{entry_id}', {ms}::bigint)" for entry_id, ms in times.items())
        by_file = f"(select max(t.ms) from (values {listed}) as t(id, ms) where t.id = e.entry_id) as stored_ms"

        def load_other(package, name):
            query = load(package, name)
            return replace(query, sql=query.sql.replace("epoch_ms(e.stored_at) as stored_ms", by_file))

        with patch(queries, "load", load_other):
            return judge(catalog, store, policy, **more)

    with patch(retention, "judge", judge_by_files):
        yield


@plant
def a_removal_is_not_in_the_audit_log() -> Iterator[None]:
    real = audit_log.AuditLog.record

    def record(self, *events):
        return real(self, *(event for event in events if event.op not in {"prune", "erase", "delete", "wipe"}))

    with patch(audit_log.AuditLog, "record", record):
        yield


@plant
def what_was_pruned_leaves_no_receipt() -> Iterator[None]:
    from memkit.store import receipts

    with patch(receipts, "record", lambda paths, held, plan: receipts.receipt_of(plan)):
        yield


@plant
def a_policy_that_cannot_be_read_removes_everything() -> Iterator[None]:
    from memkit.errors import PolicyError
    from memkit.model.policy import RetentionPolicy
    from memkit.retention import facade

    real = facade.policy_of

    def policy_of(values):
        try:
            return real(values)
        except PolicyError:
            return RetentionPolicy(max_results=0, max_age_days=0)

    with patch(facade, "policy_of", policy_of):
        yield


@plant
def what_changed_since_the_review_is_pruned_all_the_same() -> Iterator[None]:
    from memkit.retention import apply

    with patch(apply, "require_unchanged", lambda was, state: None):
        yield


@plant
def an_entry_is_erased_from_its_file_and_stays_in_the_log() -> Iterator[None]:
    from memkit.store import erasers

    with patch(erasers, "log_text", lambda *args, **more: iter(())):
        yield


# -- consolidating ------------------------------------------------------------------------------------------------------------


@plant
def merging_deletes_the_older_record() -> Iterator[None]:
    from memkit.model.record import read_record
    from memkit.store import pending

    real = pending.commit

    def commit(store, held, lines, **more):
        written = real(store, held, lines, **more)
        for change in (change for _, changes in lines for change in changes):
            folder, _, name = change.path.partition("/")
            if not read_record(folder, name.removesuffix(".md"), change.data).is_active:
                durable.unlink(store.paths.folder / change.path)
        return written

    with patch(pending, "commit", commit):
        yield


@plant
def the_attempts_of_a_candidate_are_counted_in_memory_only() -> Iterator[None]:
    from memkit.consolidate import reconcile

    with patch(reconcile.Reconciler, "_line_alone", lambda *args: None):
        yield


@plant
def a_record_edited_meanwhile_is_written_over() -> Iterator[None]:
    from memkit.consolidate import reconcile

    with patch(reconcile.Reconciler, "_find_conflicts", lambda self, batch: None):
        yield


@plant
def a_candidate_leaves_staging_before_its_record_is_written() -> Iterator[None]:
    from memkit.consolidate import reconcile
    from memkit.store import staging

    real = reconcile.Reconciler.run

    def run(self, files, progress=None):
        for file in files:
            if self._held is not None:
                staging.write(self._store, self._held, replace(file, items=()))
        return real(self, files, progress)

    with patch(reconcile.Reconciler, "run", run):
        yield


@plant
def a_record_and_those_it_supersedes_are_written_one_after_another() -> Iterator[None]:
    """A crash, or a full disk, between two of them leaves a record whose predecessor knows nothing of it."""
    from memkit.store import record_sets, records

    def put_all(store, held, changes):
        return [records.put(store, held, record, expected_hash=expected) for record, expected in changes]

    with patch(record_sets, "put_all", put_all):
        yield


@plant
def a_record_is_written_where_it_stands() -> Iterator[None]:
    """No temporary file: the bytes change under readers' eyes, and a crash leaves half of them."""
    from memkit.store import records

    def put_in_place(source, target):
        data = look.read_bytes(source)
        with open(target, "wb") as file:
            file.write(data)
        durable.unlink(source)

    def replace_in_place(path, data):
        if path.parent.name not in {"memory", "knowledge"}:
            return real(path, data)
        descriptor = durable.os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        durable.os.write(descriptor, data)
        durable.os.fsync(descriptor)
        durable.os.close(descriptor)
        return None

    real = durable.replace
    assert records
    with patch(durable, "put_in_place", put_in_place), patch(durable, "replace", replace_in_place):
        yield


# -- rooms to come --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pending:
    """A mistake of a room that is not built yet; `room` is a module that will then have code, or a pattern of its name."""

    room: str
    defect: str


PENDING: tuple[Pending, ...] = ()


def has_code(room: str) -> bool:
    """Whether a room is built: a module of its name, or within it, holds a function or a class of its own."""
    import pkgutil

    import memkit

    names = [info.name for info in pkgutil.walk_packages(memkit.__path__, "memkit.")]
    return any(
        inspect.getmodule(value) is module
        for name in names
        if fnmatch.fnmatchcase(name, room) or fnmatch.fnmatchcase(name, f"{room}.*")
        for module in [importlib.import_module(name)]
        for value in vars(module).values()
        if inspect.isfunction(value) or inspect.isclass(value)
    )
