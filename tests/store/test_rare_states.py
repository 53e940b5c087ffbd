"""States that a store is seldom in: files that go while they are looked at, callers without a lock, other file systems."""

import errno
import hashlib
import json
import os
from types import SimpleNamespace

import pytest

from memkit.errors import StoreError
from memkit.model.ledger import LedgerLine
from memkit.model.record import Record
from memkit.store import (
    canonical,
    disk,
    erasing,
    erasures,
    external_edits,
    firings,
    index,
    leftovers,
    look,
    prune,
    records,
    seen_records,
    trash,
    trash_plans,
)
from memkit.store.lock import Lock
from memkit.store.new_entry import NewEntry
from memkit.store.repair import repair
from memkit.store.repair_trash import mend_trash
from memkit.store.traces import Sifting, Traces, texts_in, unescaped
from memkit.store.verify import verify
from tests.stores import open_store

OLD = Record("old-way", "lesson", "# Old way\n\nAs it was.")


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


@pytest.fixture
def ids(store):
    return [receipt.id for receipt in store.store_many([NewEntry(f"Which {n}?", {"a": n}) for n in range(3)])]


def place(path, data=b""):
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.write_bytes(data)
    path.chmod(0o600)


def vanishing(monkeypatch, module, gone):
    """Reading sees `gone` no more: it went between being listed and being read."""
    real = look.read_bytes
    monkeypatch.setattr(
        module.look, "read_bytes", lambda path, **more: None if path.name == gone else real(path, **more)
    )


# -- the disk ----------------------------------------------------------------------------------------------------


def said(folder) -> dict[str, tuple[str, str]]:
    return {check.topic: (check.verdict, check.detail) for check in disk.checks(folder)}


def test_a_folder_that_may_not_be_written_to_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(disk.os, "access", lambda path, mode: False)
    assert said(tmp_path)["folder"] == ("bad", f"you may not write to {tmp_path}")


def test_where_the_operating_system_does_not_tell_the_kind_of_file_system_nothing_is_made_of_it(tmp_path, monkeypatch):
    monkeypatch.setattr(disk, "_MOUNTS", tmp_path / "no such file")
    assert said(tmp_path)["file system"] == ("ok", "of a kind this system does not name")


def test_a_folder_that_cannot_be_opened_has_its_locks_untried(tmp_path, monkeypatch):
    def refused(*asked, **more):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with monkeypatch.context() as patch:
        patch.setattr(disk.os, "open", refused)
        (found,) = disk._flock(tmp_path)
    assert (found.verdict, "not tried" in found.detail) == ("warn", True)


# -- erasing -----------------------------------------------------------------------------------------------------


def test_an_entry_whose_file_went_is_known_by_its_line(store, ids, monkeypatch):
    files = erasing.copies(store.paths, ids[:2])
    vanishing(monkeypatch, erasing, f"{ids[0]}.json")
    texts = erasing.texts_of(store.paths, files)
    assert texts[ids[0]][0] == "Which 0?"
    assert "a" in texts[ids[1]]


def test_an_erasure_is_carried_on_only_with_the_lock_of_the_snapshot(store, ids):
    with store.index_lock.held("test") as held, pytest.raises(RuntimeError, match="snapshot lock"):
        erasing.finish_begun(store.paths, held, snapshot=held)


def test_bytes_are_read_with_their_escapes_undone_and_as_they_are():
    def word(text):
        return Traces("a" * 32, frozenset({text}))

    assert word(b"zircon").are_in(rb'"one\nzircon"')
    assert word(b"nzircon").are_in(rb"C:\nzircon"), "a path, and no line end"
    assert not word(b"zircon").are_in(b"nothing")
    assert unescaped(rb"\ud83e\uddea \u00e9 \ud83e x \u732b\u7bb1") == "🧪 é \ud83e x 猫箱".encode(
        "utf-8", "surrogatepass"
    )


def test_an_entry_of_two_words_has_no_sequence_and_its_long_numbers_count():
    texts = list(texts_in({"a": [["two words"], 12_345_678, True, 7, None]}))
    assert texts == ["a", "two words", "12345678"]
    assert Sifting("a" * 32, ["two words"]).traces().sequences == ()


def test_ids_erased_together_are_looked_for_as_words():
    traces = Traces("a" * 32, others=frozenset({"b" * 32}))
    assert traces.ids == {"a" * 32, "b" * 32}
    assert traces.name_in(b'{"id":"' + b"b" * 32 + b'"}')
    assert not traces.name_in(b'{"id":"' + b"b" * 33 + b'"}')


def test_an_erased_entry_that_came_back_from_a_backup_is_named(store, ids):
    place(store.paths.erasures, b"")
    with store.index_lock.held("test"):
        erasure = erasures.Erasure(ids[0], store.clock.now(), "cli")
        erasures.begin(store.paths, [erasure])
        erasures.end(store.paths, [erasure])
    assert "erased-entry" in [problem.code for problem in verify(store)]


def test_the_check_tells_how_far_it_is(store, ids):
    seen = []
    assert verify(store, progress=seen.append) == []
    assert sum(seen) == 3


# -- edits by hand -----------------------------------------------------------------------------------------------


@pytest.fixture
def edited(store):
    """A record that a person changed, with a log that cannot be written to."""
    with canonical.writing(store, "test") as held:
        records.put(store, held, OLD, expected_hash=None)
    file = store.paths.memory / "old-way.md"
    file.write_bytes(file.read_bytes() + b"\nMore by hand.\n")
    return store


def test_an_edit_that_cannot_be_put_into_the_log_is_left_to_the_next_look(edited, monkeypatch):
    with canonical.writing(edited, "test") as held:
        file = records.read(edited.paths, "memory", "old-way")
        with monkeypatch.context() as patch:
            patch.setattr(edited.audit, "record", lambda *events: False)
            assert len(external_edits.settle(edited, held)) == 1
            external_edits.settle_one(edited, held, file)
        assert len(external_edits.settle(edited, held)) == 1
        assert external_edits.settle(edited, held) == ()


def test_of_a_record_nobody_can_read_nothing_is_said(edited):
    file = edited.paths.memory / "old-way.md"
    file.unlink()
    file.mkdir()
    read = records.read_all(edited.paths)
    assert [each.state for each in read.files] == ["damaged"]
    assert external_edits.notice(edited, read, seen_records.read(edited.paths)) == ()


# -- firings -----------------------------------------------------------------------------------------------------


def test_nothing_is_counted_while_a_wipe_is_unfinished(store, ids):
    store.paths.wiped.mkdir()
    assert store.firings.note("recall", ids[:1]) is False
    assert not look.exists(store.paths.firings)


def test_without_its_lock_no_firing_is_cut(store, ids):
    with store.index_lock.held("test") as held, pytest.raises(RuntimeError, match="firings lock"):
        firings.cut_used(store.paths, held, None, clock=None)


def test_damaged_firings_stay_where_nobody_says_when_they_were_moved(store, ids):
    assert store.firings.note("recall", ids[:1])
    place(store.paths.firings, store.paths.firings.read_bytes() + b"{junk\n")
    data = store.paths.firings.read_bytes()
    used = LedgerLine(
        "reinforced", store.clock.now(), "r", used_bytes=len(data), used_sha256=hashlib.sha256(data).hexdigest()
    )
    with Lock(store.paths.firings_lock).held("test") as held:
        assert firings.cut_used(store.paths, held, used, clock=None)
    assert store.paths.firings.read_bytes() == b"{junk\n"


# -- the index ---------------------------------------------------------------------------------------------------


def test_an_index_that_is_rewritten_all_the_while_and_then_gone_is_made_of_the_entries(store, ids, monkeypatch):
    store.paths.index.unlink()
    numbers = iter(range(0, 1_000, 2))
    monkeypatch.setattr(index, "generation", lambda paths: next(numbers))
    monkeypatch.setattr(index.time, "sleep", lambda seconds: None)
    read = index.read(store.paths)
    assert (sorted(line.id for line in read.lines), read.rebuilt, read.generation < 0) == (sorted(ids), True, True)


def test_repair_leaves_the_line_of_a_pruned_entry_out(store, ids):
    prune.prune(store, {ids[0]: ("max_results",)}, policy="f" * 16)
    place(store.paths.index, b"{junk\n" + store.paths.index.read_bytes())
    assert ids[0].encode() in store.paths.index.read_bytes()
    repair(store, dry_run=False)
    assert ids[0].encode() not in store.paths.index.read_bytes()
    assert verify(store) == []


def test_repair_removes_what_a_crash_left_in_the_folder_of_the_snapshot(store, ids):
    left = store.paths.snapshots / f".manifest.json.{2**22 + 1}-{'ab' * 8}.tmp"
    place(left, b"half")
    assert [problem.code for problem in verify(store)] == ["leftover-temp"]
    assert repair(store, dry_run=False).problems_left == ()
    assert not left.exists()


# -- records -----------------------------------------------------------------------------------------------------


def test_a_record_that_goes_while_it_is_read_is_missing(edited, monkeypatch):
    vanishing(monkeypatch, records, "old-way.md")
    assert records.read(edited.paths, "memory", "old-way").state == "missing"


def test_a_record_that_cannot_be_opened_is_refused_for_writing_with_the_reason(edited, monkeypatch):
    def refused(path, **more):
        raise StoreError("the disk reported an error", file=path)

    with canonical.writing(edited, "test") as held, monkeypatch.context() as patch:
        patch.setattr(records.look, "read_bytes", refused)
        with pytest.raises(StoreError, match="the disk reported"):
            records.put(edited, held, OLD, expected_hash=None)


# -- the trash ---------------------------------------------------------------------------------------------------


@pytest.fixture
def pruned(store, ids):
    prune.prune(store, {ids[0]: ("max_results",)}, policy="f" * 16)
    return store


def settle(store):
    with store.index_lock.held("test") as held:
        trash.settle(store.paths, held)


def test_settling_a_store_that_never_pruned_writes_nothing(store, ids):
    settle(store)
    assert not look.exists(store.paths.trash_plans)


def test_settling_without_an_index_says_so_in_the_plans(pruned):
    pruned.paths.index.unlink()
    settle(pruned)
    assert not trash_plans.read(pruned.paths).unsettled


def test_forgetting_nobody_or_in_no_plans_changes_nothing(pruned):
    before = pruned.paths.trash_plans.read_bytes()
    with pruned.index_lock.held("test") as held:
        trash.forget(pruned.paths, held, [])
        assert pruned.paths.trash_plans.read_bytes() == before
        pruned.paths.trash_plans.unlink()
        trash.forget(pruned.paths, held, ["a" * 32])
    assert not look.exists(pruned.paths.trash_plans)


def test_a_plan_of_which_only_the_erased_was_left_goes_as_a_whole(pruned, ids):
    with pruned.index_lock.held("test") as held:
        trash.forget(pruned.paths, held, ids[:1])
    assert b'"op":"prune"' not in pruned.paths.trash_plans.read_bytes()
    assert trash_plans.read(pruned.paths).plans == ()


def test_a_plan_that_lists_what_is_no_list_stays_as_it_is(pruned, ids):
    odd = b'{"op":"prune","entries":{"id":"%s"}}\n' % ids[0].encode()
    place(pruned.paths.trash_plans, pruned.paths.trash_plans.read_bytes() + odd)
    with pruned.index_lock.held("test") as held:
        trash.forget(pruned.paths, held, ids[:1])
    assert odd.strip() in pruned.paths.trash_plans.read_bytes()


def test_a_damaged_line_at_the_end_of_the_plans_is_closed_by_one_that_says_nothing(pruned):
    place(pruned.paths.trash_plans, pruned.paths.trash_plans.read_bytes() + b"{junk\n")
    with pruned.index_lock.held("test") as held:
        assert trash.roll_forward(pruned.paths, held) == 0
    last = pruned.paths.trash_plans.read_bytes().split(b"\n")[-2]
    assert json.loads(last) == {"op": "done", "plan": ""}


def test_what_has_expired_is_erased_by_whoever_can_and_otherwise_by_the_floor_itself(pruned, ids):
    asked = []
    prune.prune(pruned, {}, expired=ids[:1], erase=asked.append)
    assert len(asked) == 1
    assert asked[0].path == pruned.paths.index_lock
    prune.prune(pruned, {ids[1]: ("max_results",)}, policy="f" * 16)
    prune.prune(pruned, {}, expired=ids[1:2])
    assert not look.exists(pruned.paths.trash_file(ids[1]))


def test_a_wipe_that_is_finished_by_another_takes_what_was_counted(store, ids):
    store.firings.note("recall", ids)
    store.paths.index.unlink()
    store.paths.results.rename(store.paths.wiped)
    with store.index_lock.held("test") as held:
        assert leftovers.finish_wipe(store.paths, held)
        assert not leftovers.finish_wipe(store.paths, held)
    assert not look.exists(store.paths.firings)


def test_a_file_that_is_not_there_has_no_parts(tmp_path):
    assert list(look.parts(tmp_path / "nothing")) == []


def test_an_entry_of_a_restore_that_is_nowhere_gets_no_line(pruned, ids):
    """Its envelope went from the trash before the plan was carried out."""
    plan = trash_plans.Plan("restore", trash_plans.new_plan_id(1), 1, (trash_plans.read(pruned.paths).entries[ids[0]],))
    pruned.paths.trash_file(ids[0]).unlink()
    place(pruned.paths.trash_plans, pruned.paths.trash_plans.read_bytes() + plan.to_lines())
    before = pruned.paths.index.read_bytes()
    with pruned.index_lock.held("test") as held:
        assert trash.roll_forward(pruned.paths, held) == 1
    assert pruned.paths.index.read_bytes() == before


def test_a_file_of_the_trash_that_went_before_it_was_mended_is_left(pruned):
    problem = SimpleNamespace(code="trash-orphan", entry_id="f" * 32, file="trash/x")
    before = pruned.paths.trash_plans.read_bytes()
    with pruned.index_lock.held("test") as held:
        mend_trash(pruned, held, [problem])
    assert pruned.paths.trash_plans.read_bytes() == before


def test_an_envelope_in_the_trash_that_cannot_be_read_is_named(pruned, ids):
    file = pruned.paths.trash_file(ids[0])
    file.unlink()
    file.mkdir(mode=0o700)
    assert [(problem.code, problem.entry_id) for problem in verify(pruned)] == [("unreadable-entry", ids[0])]


def test_an_envelope_that_comes_back_while_it_is_looked_for_is_no_finding(pruned, ids, monkeypatch):
    """Somebody restored it between the two looks at the plans."""
    from memkit.store import verify_trash

    real, looks = trash_plans.read, []

    def meanwhile(paths):
        looks.append(paths)
        return real(paths) if len(looks) == 1 else trash_plans.NOTHING

    pruned.paths.trash_file(ids[0]).unlink()
    monkeypatch.setattr(verify_trash.trash_plans, "read", meanwhile)
    assert list(verify_trash.about_trash(pruned)) == []


def test_a_quarantine_note_that_is_missing_is_named(store, ids):
    place(store.paths.quarantine / "spot.bin", b"bytes")
    assert [problem.code for problem in verify(store)] == ["note-missing"]
