"""Records on disk: damage as data, one writer, changes only to the bytes they were made for."""

import datetime as dt
import os
import stat
import subprocess
import sys
from dataclasses import replace

import pytest

from memkit.errors import (
    ConflictError,
    DamagedError,
    ForeignStoreError,
    InvalidInputError,
    LockedError,
    RecordNotFoundError,
    StoreError,
    StorePermissionError,
)
from memkit.model.record import MAX_RECORD_BYTES, Record, read_record
from memkit.store import durable, records, seen_records
from memkit.store.canonical import canonical_lock, writing
from memkit.store.deleted_records import remove
from memkit.store.records import put
from memkit.store.repair import repair
from memkit.store.verify import verify
from memkit.store.wipe import wipe

DAY = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)
LESSON = Record("use-utc", "lesson", "# Use UTC\n\nStore instants.", created_at=DAY, updated_at=DAY, sources=("Mara",))
ROOT_USER = os.geteuid() == 0


def write(store, record, expected_hash=None):
    with writing(store, "test") as held:
        return put(store, held, record, expected_hash=expected_hash)


def delete(store, folder, slug, **more):
    with writing(store, "test") as held:
        return remove(store, held, folder, slug, **more)


def by_hand(store, path, data):
    file = store.paths.folder / path
    store.make_folders()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    file.write_bytes(data)
    file.chmod(0o600)
    return file


def test_a_written_record_is_on_disk_private_and_read_back(store):
    kept = write(store, LESSON)
    assert (kept.record, kept.before_hash, kept.is_changed) == (LESSON, None, True)
    file = store.paths.memory / "use-utc.md"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    found = records.read(store.paths, "memory", "use-utc")
    assert (found.state, found.record, found.sha256) == ("whole", LESSON, kept.after_hash)
    assert records.require(store.paths, records.find(store.paths, "use-utc")) == LESSON


def test_each_kind_lies_in_its_folder(store):
    for kind in ("lesson", "preference", "decision", "domain"):
        write(store, replace(LESSON, slug=f"a-{kind}", kind=kind))
    assert [file.path for file in records.read_all(store.paths).files] == [
        "memory/a-decision.md", "memory/a-lesson.md", "memory/a-preference.md", "knowledge/a-domain.md",
    ]  # fmt: skip


def test_an_edit_keeps_what_its_author_wrote_and_an_unchanged_record_writes_nothing(store):
    file = by_hand(store, "memory/use-utc.md", b"---\n# mine\nkind: lesson # yes\nanswer: yes\n---\nUse UTC.\n")
    found = records.read(store.paths, "memory", "use-utc")
    before = file.stat()
    assert not write(store, found.record, found.sha256).is_changed
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    write(store, replace(found.record, reinforcement_count=1), found.sha256)
    assert file.read_bytes() == b"---\n# mine\nkind: lesson # yes\nanswer: yes\nreinforcement_count: 1\n---\nUse UTC.\n"


def test_a_change_made_for_other_bytes_is_refused_with_both_hashes_and_nothing_is_written(store):
    kept = write(store, LESSON)
    file = by_hand(store, "memory/use-utc.md", b"---\nkind: lesson\n---\nEdited by hand.\n")
    with pytest.raises(ConflictError) as refused:
        write(store, replace(LESSON, body="mine"), kept.after_hash)
    assert refused.value.expected_hash == kept.after_hash
    assert refused.value.found_hash == records.read(store.paths, "memory", "use-utc").sha256
    assert file.read_bytes().endswith(b"Edited by hand.\n")
    with pytest.raises(ConflictError, match="exists"):
        write(store, LESSON)
    file.unlink()
    with pytest.raises(ConflictError, match="gone") as refused:
        write(store, LESSON, kept.after_hash)
    assert refused.value.found_hash is None


def test_a_name_is_unique_over_both_folders(store):
    write(store, LESSON)
    with pytest.raises(InvalidInputError) as refused:
        write(store, replace(LESSON, kind="domain"))
    assert refused.value.field == "slug"
    assert not (store.paths.knowledge / "use-utc.md").exists()


def test_a_record_with_no_valid_form_is_refused(store):
    for wrong in (
        replace(LESSON, slug="Use UTC"),
        replace(LESSON, supersedes=("No Slug",)),
        replace(LESSON, body="x" * MAX_RECORD_BYTES),
        replace(LESSON, reinforcement_count=-1),
    ):
        with pytest.raises(InvalidInputError):
            write(store, wrong)
    assert records.read_all(store.paths).files == ()


DAMAGED = {
    "empty": (b"", "empty", "empty-record"),
    "blank": (b"\n \n", "empty", "empty-record"),
    "bad YAML": (b"---\nkind: [lesson\n---\nkept text\n", "damaged", "damaged-record"),
    "keys twice": (b"---\nkind: lesson\nkind: lesson\n---\n", "damaged", "damaged-record"),
    "not UTF-8": (b"---\nkind: lesson\n---\n\xff\xfe\n", "damaged", "damaged-record"),
    "ten megabytes": (b"---\nkind: lesson\n---\n" + b"x" * 10_000_000, "damaged", "damaged-record"),
    "torn": (b"---\nkind: les", "damaged", "damaged-record"),
}


@pytest.mark.parametrize(("data", "state", "code"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_named_kept_and_never_written_over(make_store, data, state, code):
    store = make_store(sound=False)
    write(store, LESSON)
    file = by_hand(store, "memory/broken.md", data)
    found = records.read_all(store.paths)
    assert [record.slug for record in found.records] == ["use-utc"]
    assert [(problem.code, problem.file) for problem in found.problems] == [(code, "memory/broken.md")]
    assert [problem.code for problem in verify(store)] == [code]
    here = records.read(store.paths, "memory", "broken")
    assert here.state == state
    with pytest.raises((DamagedError, ConflictError)):
        write(store, replace(LESSON, slug="broken"), here.sha256)
    with pytest.raises(DamagedError, match="editor"):
        records.require(store.paths, here)
    assert file.read_bytes() == data
    assert repair(store, dry_run=False).problems_left
    assert file.read_bytes() == data


def test_a_damaged_record_can_be_deleted_and_its_bytes_are_kept(store):
    data = b"---\nkind: [lesson\n---\nkept text\n"
    by_hand(store, "memory/broken.md", data)
    gone = delete(store, "memory", "broken", reason="beyond repair")
    assert (store.paths.folder / gone.kept_as).read_bytes() == data
    assert records.read_all(store.paths).files == ()


NAMES = {
    "upper case": "Use-UTC.md",
    "a space": "use utc.md",
    "a device": "nul.md",
    "not UTF-8": b"caf\xe9.md",
    "dots": "..md",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_file_whose_name_is_no_slug_is_named_and_not_read(make_store, name):
    store = make_store(sound=False)
    write(store, LESSON)
    folder = os.fsencode(store.paths.memory)
    path = os.path.join(folder, os.fsencode(name))
    with open(path, "wb") as file:
        file.write(b"---\nkind: lesson\n---\nx\n")
    os.chmod(path, 0o600)
    found = records.read_all(store.paths)
    assert [record.slug for record in found.records] == ["use-utc"]
    assert [problem.code for problem in found.problems] == ["record-name"]
    found.problems[0].file.encode("utf-8")
    assert [problem.code for problem in verify(store)] == ["record-name"]


def test_other_files_among_records_are_strays_and_temporary_ones_are_none(make_store):
    store = make_store(sound=False)
    write(store, LESSON)
    by_hand(store, "memory/use-utc.md~", b"x")
    by_hand(store, f"memory/.use-utc.md.{os.getpid()}-{'ab' * 8}.tmp", b"half")
    assert [(p.code, p.file) for p in verify(store)] == [("stray-file", "memory/use-utc.md~")]
    assert len(records.read_all(store.paths).files) == 1


def test_links_are_not_followed(make_store, tmp_path):
    store = make_store(sound=False)
    write(store, LESSON)
    outside = tmp_path / "outside.md"
    outside.write_text("---\nkind: lesson\n---\nprivate\n")
    (store.paths.memory / "leak.md").symlink_to(outside)
    (store.paths.memory / "dangling.md").symlink_to(tmp_path / "nothing")
    found = records.read_all(store.paths)
    assert [record.slug for record in found.records] == ["use-utc"]
    assert [problem.code for problem in found.problems] == ["not-a-file", "not-a-file"]
    with pytest.raises((DamagedError, ConflictError)):
        write(store, replace(LESSON, slug="leak"))
    with pytest.raises(DamagedError):
        delete(store, "memory", "leak")
    assert outside.read_text().endswith("private\n")


def test_twins_over_the_two_folders_are_a_problem_and_need_their_kind_named(make_store):
    store = make_store(sound=False)
    write(store, LESSON)
    by_hand(store, "knowledge/use-utc.md", b"words\n")
    assert [(p.code, p.file) for p in verify(store)] == [("record-twins", "knowledge/use-utc.md")]
    with pytest.raises(InvalidInputError):
        records.find(store.paths, "use-utc")
    assert records.read(store.paths, "knowledge", "use-utc").record.kind == "domain"


@pytest.mark.skipif(ROOT_USER, reason="root may read everything")
def test_a_file_or_folder_nobody_may_read_is_a_problem_and_not_missing(make_store):
    store = make_store(sound=False)
    write(store, LESSON)
    write(store, replace(LESSON, slug="closed"))
    (store.paths.memory / "closed.md").chmod(0)
    found = records.read_all(store.paths)
    assert [problem.code for problem in found.problems] == ["unreadable-record"]
    with pytest.raises(StoreError):
        write(store, replace(LESSON, slug="closed"))
    store.paths.memory.chmod(0)
    try:
        assert [problem.code for problem in records.read_all(store.paths).problems] == ["unreadable"]
    finally:
        store.paths.memory.chmod(0o700)


def test_what_the_operating_system_refuses_to_show_is_a_problem_and_not_missing(store, monkeypatch):
    write(store, LESSON)
    real = durable.os.open

    def refuse(path, *args, **kwargs):
        if str(path).endswith("use-utc.md"):
            raise PermissionError(13, "Permission denied")
        return real(path, *args, **kwargs)

    monkeypatch.setattr(durable.os, "open", refuse)
    found = records.read_all(store.paths)
    assert [(p.code, p.file) for p in found.problems] == [("unreadable-record", "memory/use-utc.md")]
    with pytest.raises(StoreError, match="could not read"):
        write(store, LESSON)
    with pytest.raises(StoreError, match="could not read"):
        delete(store, "memory", "use-utc")
    monkeypatch.undo()


@pytest.mark.skipif(ROOT_USER, reason="root may write everywhere")
def test_a_read_only_folder_refuses_with_a_typed_error(store):
    kept = write(store, LESSON)
    store.paths.memory.chmod(0o500)
    try:
        with pytest.raises(StorePermissionError):
            write(store, replace(LESSON, body="other"), kept.after_hash)
    finally:
        store.paths.memory.chmod(0o700)
    assert records.read(store.paths, "memory", "use-utc").record == LESSON


# -- one writer -----------------------------------------------------------------------------------------------------


def test_a_second_writer_fails_at_once_naming_the_holder(store):
    with writing(store, "consolidate"), pytest.raises(LockedError) as refused:
        write(store, LESSON)
    assert refused.value.holder["pid"] == str(os.getpid())
    assert refused.value.holder["command"] == "consolidate"
    assert {"host", "since"} <= set(refused.value.holder)
    assert canonical_lock(store.paths).wait_seconds < 1
    write(store, LESSON)


def test_the_lock_of_a_dead_holder_is_free_at_once(store):
    write(store, LESSON)
    code = (
        "import sys, os, fcntl\n"
        "d = os.open(sys.argv[1], os.O_RDWR)\n"
        "fcntl.flock(d, fcntl.LOCK_EX)\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, store.paths.canonical_lock], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with holder:
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(LockedError):
            write(store, replace(LESSON, slug="second"))
        holder.kill()
    write(store, replace(LESSON, slug="second"))


def test_writing_without_the_lock_is_a_mistake_of_the_program(store):
    with writing(store, "test") as held:
        pass
    with pytest.raises(RuntimeError):
        put(store, held, LESSON, expected_hash=None)
    store.make_folders()
    with store.index_lock.held("test") as other, pytest.raises(RuntimeError):
        remove(store, other, "memory", "use-utc")


def test_a_store_of_another_project_is_refused(make_store):
    store = make_store(sound=False)
    write(store, LESSON)
    text = store.paths.store_json.read_text().replace(store.paths.key, "0" * 12)
    store.paths.store_json.write_text(text)
    with pytest.raises(ForeignStoreError):
        write(make_store(sound=False), replace(LESSON, slug="second"))


def test_a_wipe_takes_the_records_and_a_cut_one_is_finished_before_the_next_is_written(store, monkeypatch):
    write(store, LESSON)
    wipe(store, confirm=store.paths.key)
    assert records.read_all(store.paths).files == ()
    write(store, LESSON)
    store.paths.results.rename(store.paths.wiped)
    write(store, replace(LESSON, slug="afterwards"))
    assert [record.slug for record in records.read_all(store.paths).records] == ["afterwards"]


# -- deleting -------------------------------------------------------------------------------------------------------


def test_a_deleted_record_is_in_the_trash_with_its_reason(store):
    kept = write(store, LESSON)
    data = (store.paths.memory / "use-utc.md").read_bytes()
    gone = delete(store, "memory", "use-utc", expected_hash=kept.after_hash, reason="It was wrong.")
    assert (gone.path, gone.before_hash) == ("memory/use-utc.md", kept.after_hash)
    assert (store.paths.folder / gone.kept_as).read_bytes() == data
    note = (store.paths.folder / gone.kept_as).with_suffix(".json").read_text()
    assert "It was wrong." in note
    assert kept.after_hash in note
    assert records.read(store.paths, "memory", "use-utc").state == "missing"
    assert write(store, LESSON).before_hash is None


def test_a_deletion_of_other_bytes_or_of_nothing_is_refused(store):
    kept = write(store, LESSON)
    write(store, replace(LESSON, body="other"), kept.after_hash)
    with pytest.raises(ConflictError):
        delete(store, "memory", "use-utc", expected_hash=kept.after_hash)
    with pytest.raises(RecordNotFoundError):
        delete(store, "memory", "nothing")
    assert len(records.read_all(store.paths).records) == 1


# -- what memkit has seen ---------------------------------------------------------------------------------------------


def test_each_write_and_deletion_is_noted_so_that_an_edit_by_hand_differs(store):
    kept = write(store, LESSON)
    assert seen_records.read(store.paths).open  # until the log says so
    with writing(store, "test"):
        seen = seen_records.read(store.paths).by_path
    assert seen["memory/use-utc.md"].fits(kept.after_hash)
    assert not seen["memory/use-utc.md"].fits(None)
    by_hand(store, "memory/use-utc.md", b"---\nkind: lesson\n---\nEdited.\n")
    assert not seen["memory/use-utc.md"].fits(records.read(store.paths, "memory", "use-utc").sha256)
    delete(store, "memory", "use-utc")
    with writing(store, "test"):
        assert seen_records.read(store.paths).by_path["memory/use-utc.md"] == seen_records.Seen(None, None)


def test_a_write_that_was_cut_off_is_not_taken_for_a_person(store, monkeypatch):
    kept = write(store, LESSON)

    def cut(path, data):
        raise KeyboardInterrupt

    monkeypatch.setattr(durable, "replace", cut)
    with pytest.raises(KeyboardInterrupt):
        write(store, replace(LESSON, body="other"), kept.after_hash)
    monkeypatch.undo()
    seen = seen_records.read(store.paths).by_path["memory/use-utc.md"]
    assert seen.fits(kept.after_hash)
    assert not seen.fits(None)


def test_a_long_list_of_what_was_seen_is_written_anew_and_says_the_same(store):
    with writing(store, "test") as held:
        for n in range(1_200):
            seen_records.note(store.paths, held, {"memory/a.md": f"{n:064}", "memory/b.md": None})
        before = seen_records.read(store.paths)
        seen_records.shorten(store.paths, held, before)
        after = seen_records.read(store.paths)
    assert (after.by_path, after.n_lines) == (before.by_path, 2)


def test_damaged_lines_of_it_cost_themselves(store):
    write(store, LESSON)
    with store.paths.record_hashes.open("ab") as file:
        file.write(b'{"path": "memory/use-utc.md"\n[1]\n{"path": 5}\n{"torn')
    assert len(seen_records.read(store.paths).by_path) == 1


def test_a_page_read_is_the_page_on_disk(store):
    write(store, LESSON)
    data = (store.paths.memory / "use-utc.md").read_bytes()
    assert read_record("memory", "use-utc", data) == LESSON
