"""What happens seldom in the rooms of a store: files that vanish, wrong callers, a full disk, second copies."""

import json
import os

import pytest

from memkit.errors import (
    DamagedError,
    EntryNotFoundError,
    InvalidInputError,
    ProjectPathError,
    StoreError,
    StoreIOError,
    StorePermissionError,
)
from memkit.model.candidate import Candidate, repaired
from memkit.store import (
    candidate_files,
    canonical,
    deadletters,
    deleted_records,
    durable,
    entries,
    extraction,
    kinds,
    leftovers,
    locks,
    look,
    pending,
    prune,
    receipts,
    records,
    repair,
    saved_queries,
    seen_records,
    staging,
    trash,
    wipe,
)
from memkit.store.new_entry import NewEntry, check_new_entry
from memkit.store.paths import StorePaths, resolve_project
from memkit.store.trash_plans import Plan
from memkit.store.verify import verify
from memkit.store.writer import canonical_lock
from tests.stores import open_store


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


@pytest.fixture
def ids(store):
    return [receipt.id for receipt in store.store_many([NewEntry(f"Which {n}?", {"a": n}) for n in range(3)])]


def place(path, data):
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(0o600)
    path.write_bytes(data)


# -- candidates --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "year"),
    [
        ("2031-05-05T10:00:00Z", 2031),
        (0, 1970),
        (1.5, 1970),
        (True, None),
        ("soon", None),
        (10**300, None),
        (None, None),
    ],
)
def test_a_file_says_its_time_as_text_or_number_or_not_at_all(said, year):
    moment = candidate_files.moment_of(said)
    assert (moment.year if moment else None) == year


def test_a_file_of_candidates_that_is_too_large_is_damaged(tmp_path):
    with pytest.raises(DamagedError, match="more than"):
        candidate_files.read_object(b" " * (candidate_files.MAX_FILE_BYTES + 1), tmp_path / "s.json")


def test_a_file_of_candidates_the_system_refuses_is_called_unreadable():
    error = StoreIOError("Input/output error", remedy="Look at the disk.")
    assert candidate_files.problem_of(error, "staging/s.json", "staging").code == "unreadable"


@pytest.mark.parametrize("room", [staging, deadletters], ids=["staging", "dead letters"])
def test_a_file_that_vanishes_while_a_folder_is_read_is_left_out(store, ids, room, monkeypatch):
    monkeypatch.setattr(look, "names_in", lambda folder: ["ghost.json"])
    read = staging.read_all if room is staging else deadletters.read_letters
    assert read(store.paths) == ([], [])


def test_a_staging_file_tells_its_session(store):
    file = staging.StagingFile("s.json", "session-1", None, store.paths.project_path, ())
    assert "session-1" in repr(file)


def test_no_session_takes_the_files_of_two_others(store, ids):
    for name in staging._names("session")[:2]:
        place(store.paths.staging / name, b"{}")
    with pytest.raises(StoreError, match="another session"):
        staging._free_name(store.paths, "session")


def test_candidates_that_fit_no_file_are_refused(store, monkeypatch):
    monkeypatch.setattr(staging, "MAX_FILE_BYTES", 100)
    with canonical.writing(store, "test") as held, pytest.raises(InvalidInputError, match="of one session take"):
        staging.stage(store, held, "s", [repaired(Candidate("lessons", "", body="Measure the lease first."))])


# -- the one module that writes ----------------------------------------------------------------------------------


def test_a_stream_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    size, digest = durable.write_stream(tmp_path / "whole", [b"one", b"two"])
    assert (size, len(digest), (tmp_path / "whole").read_bytes()) == (6, 64, b"onetwo")

    def parts():
        yield b"one"
        raise OSError(28, "No space left on device")

    with pytest.raises(StoreError, match=r"[Nn]o space"):
        durable.write_stream(tmp_path / "half", parts())
    assert not (tmp_path / "half").exists()
    real = os.fstat
    monkeypatch.setattr(durable.os, "fstat", lambda descriptor: os.stat_result((0o100600,) + (0,) * 9))
    with pytest.raises(StoreError, match="Input/output"):
        durable.write_stream(tmp_path / "short", [b"one"])
    monkeypatch.setattr(durable.os, "fstat", real)
    assert sorted(os.listdir(tmp_path)) == ["whole"]


def test_the_beginning_of_an_open_file_is_copied(tmp_path):
    (tmp_path / "source").write_bytes(b"abcdef")
    descriptor = os.open(tmp_path / "source", os.O_RDONLY)
    try:
        durable.copy_into(descriptor, tmp_path / "target", 4)
        durable.copy_into(descriptor, tmp_path / "all", 40)
    finally:
        os.close(descriptor)
    assert ((tmp_path / "target").read_bytes(), (tmp_path / "all").read_bytes()) == (b"abcd", b"abcdef")


# -- kinds, left-over files, locks -------------------------------------------------------------------------------


def test_a_temporary_file_is_of_a_kind_and_a_stray_one_is_not(store, ids):
    place(store.paths.folder / "stray", b"x")
    temp = durable.temp_sibling(store.paths.index)
    place(temp, b"x")
    assert kinds.kind_of(temp.name) is kinds.TEMPORARY
    assert kinds.unknown_files(store.paths) == ["stray"]
    assert kinds.TEMPORARY in kinds.kinds_erased_by("leftover")


def test_the_snapshots_own_temporary_files_are_swept_by_itself(store, ids):
    temp = store.paths.snapshots / f".manifest.json.{2**22 + 1}-{'ab' * 8}.tmp"
    place(temp, b"half")
    assert temp not in list(leftovers.left_over(store.paths))
    assert temp in list(leftovers.left_over(store.paths, everywhere=True))


def test_locks_say_who_holds_them(store, ids):
    with store.index_lock.held("storing"):
        listed = locks.look_at_locks(store)
        held = [row for row in listed if row.is_held]
        assert [row.file for row in held] == [store.paths.relative(store.index_lock.path)]
        assert len(listed) == len(listed.to_dict()["locks"]) >= 1
        assert "1 of" in repr(listed)
    assert not any(row.is_held for row in locks.look_at_locks(store))


# -- asking in the wrong way -------------------------------------------------------------------------------------


def test_a_result_that_is_no_object_is_refused(clock):
    with pytest.raises(InvalidInputError, match="a JSON object was expected"):
        check_new_entry({"question": "Which?", "result": [1]}, clock.now())


def test_a_current_folder_that_is_gone_is_told(monkeypatch):
    def gone(path):
        raise FileNotFoundError

    monkeypatch.setattr(os.path, "realpath", gone)
    with pytest.raises(ProjectPathError):
        resolve_project("somewhere")


def test_every_path_of_a_store_lies_in_its_folder(root):
    paths = StorePaths.for_project(root, "/projects/demo")
    assert {paths.import_lock.parent, paths.firings.parent} == {paths.folder}


@pytest.mark.parametrize("kind", ["lesson", "preference", "decision", "domain"])
def test_each_kind_of_record_has_a_folder(kind):
    assert records.folder_of(kind) in {"memory", "knowledge"}


def test_an_unknown_kind_of_record_is_refused():
    with pytest.raises(InvalidInputError, match="none of"):
        records.folder_of("rumour")


# -- trash -------------------------------------------------------------------------------------------------------


def test_pruning_nothing_does_nothing_and_what_is_not_in_the_trash_cannot_expire(store, ids):
    assert prune.prune(store, {}) is None
    with pytest.raises(EntryNotFoundError, match="not in the trash"):
        prune.prune(store, {}, expired=[ids[0]])


def test_what_moves_entries_needs_the_lock(store, ids):
    with store.index_lock.held("test") as held:
        pass
    plan = Plan("prune", "0" * 20, 1, (trash.describe(store.paths, ids[0]),))
    for call in (lambda: receipts.record(store.paths, held, plan), lambda: trash.commit(store.paths, held, plan)):
        with pytest.raises(RuntimeError, match="lock must be held"):
            call()


def test_an_entry_that_is_not_there_cannot_be_described(store, ids):
    with pytest.raises(EntryNotFoundError):
        trash.describe(store.paths, "f" * 32)


def test_two_receipts_of_one_plan_are_one(store, ids):
    first = prune.prune(store, {ids[0]: ("max_results",), ids[1]: ("max_results",)})
    assert first.to_dict()["plan_id"] == first.plan_id
    file = store.paths.receipts
    file.write_bytes(file.read_bytes() * 2)
    (read,) = receipts.read(store.paths)[0]
    assert (read.moved, read.n_bytes) == (first.moved, first.n_bytes)
    half = first.__class__(
        first.plan_id, first.op, first.at_ms, first.cause, first.actor, first.policy, ("f" * 32,), (), 5
    )
    both = receipts._together(first, half)
    assert (both.n_bytes, len(both.moved)) == (first.n_bytes + 5, 3)


def test_a_file_that_lies_in_the_trash_already_keeps_its_bytes(store, ids):
    place(store.paths.trash_file(ids[0]), b"somebody else's")
    prune.prune(store, {ids[0]: ("max_results",)})
    kept = [path for path in store.paths.trash.iterdir() if path.suffix == trash.KEPT_SUFFIX]
    assert [path.read_bytes() for path in kept] == [b"somebody else's"]


def test_without_hard_links_an_envelope_is_copied(store, ids, monkeypatch):
    def no_links(source, target):
        raise StoreIOError("Operation not supported", file=target)

    before = store.paths.entry_file(ids[0]).read_bytes()
    monkeypatch.setattr(durable, "link", no_links)
    prune.prune(store, {ids[0]: ("max_results",)})
    assert store.paths.trash_file(ids[0]).read_bytes() == before
    assert not store.paths.entry_file(ids[0]).exists()


def test_a_second_copy_in_the_trash_goes_to_quarantine_and_hides_nothing(store, ids):
    copy = store.paths.trash_file(ids[0])
    place(copy, store.paths.entry_file(ids[0]).read_bytes())
    assert "trash-orphan" in {problem.code for problem in verify(store)}
    repair.repair(store, dry_run=False)
    assert not copy.exists()
    assert store.read_entry(ids[0]).id == ids[0]
    assert verify(store) == []


def test_a_second_name_that_was_given_already_is_enough(store, ids):
    file = store.paths.entry_file(ids[0])
    store.paths.trash.mkdir(mode=0o700)
    os.link(file, store.paths.trash_file(ids[0]))
    prune.prune(store, {ids[0]: ("max_results",)})
    assert not file.exists()
    assert store.trash().entries[ids[0]].id == ids[0]


# -- records, wiping ---------------------------------------------------------------------------------------------


def test_a_record_that_is_gone_cannot_be_removed(store, ids):
    from memkit.errors import MemkitError

    with canonical.writing(store, "test") as held, pytest.raises(MemkitError):
        deleted_records.remove(store, held, "memory", "nowhere", reason="tried", expected_hash=None)


def test_the_notes_about_records_are_shortened_when_most_are_outdated(store, ids, monkeypatch):
    monkeypatch.setattr(seen_records, "_SPARE_LINES", 4)
    with canonical.writing(store, "test") as held:
        for n in range(12):
            seen_records.note(store.paths, held, {"memory/a.md": f"{n:064x}"})
        seen_records.shorten(store.paths, held, seen_records.read(store.paths))
        seen = seen_records.read(store.paths)
        assert seen.n_lines == len(seen.by_path) == 1
        seen_records.shorten(store.paths, held, seen)
    assert seen_records.read(store.paths).n_lines == 1


def test_a_wipe_looks_for_what_it_left(store, ids):
    place(store.paths.folder / "notes of mine.txt", b"mine")
    assert "notes of mine.txt" in list(wipe._left(store.paths))
    wipe.wipe(store, confirm=store.paths.key)
    assert list(wipe._left(store.paths)) == []


def test_a_file_that_may_not_be_made_says_so(tmp_path, monkeypatch):
    def refuse(path, flags, *mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(durable.os, "open", refuse)
    with pytest.raises(StorePermissionError):
        durable.write_stream(tmp_path / "x", [b"x"])


# -- lines and files that say too little -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "wrong",
    [
        {"extractedAt": "soon"},
        {"extractedAt": -1},
        {"bytes": -1},
        {"turns": True},
        {"candidates": [1]},
        {"session_id": 7},
    ],
    ids=str,
)
def test_an_extraction_that_says_too_little_is_a_damaged_line(store, ids, wrong):
    whole = dict.fromkeys(extraction._TEXTS, "x") | {"extractedAt": 1, "bytes": 1, "turns": 1, "candidates": []}
    named = {next(iter(extraction._TEXTS)) if name == "session_id" else name: value for name, value in wrong.items()}
    place(store.paths.extraction, b"".join(json.dumps(each).encode() + b"\n" for each in (whole, whole | named)))
    found, problems = extraction.read(store.paths)
    assert (len(found), [problem.code for problem in problems]) == (1, ["damaged-extraction"])


def test_queries_are_saved_once_short_and_few(store, ids, monkeypatch):
    assert saved_queries.save(store, "which  queue") == saved_queries.save(store, "which queue") == "which queue"
    for odd in ("  ", "x" * (saved_queries.MAX_CHARS + 1)):
        with pytest.raises(InvalidInputError, match="characters"):
            saved_queries.save(store, odd)
    monkeypatch.setattr(saved_queries, "MAX_QUERIES", 1)
    with pytest.raises(InvalidInputError, match="saved already"):
        saved_queries.save(store, "another")


def test_a_file_is_flushed_if_it_is_there(tmp_path, monkeypatch):
    durable.flush(tmp_path / "none")
    (tmp_path / "one").write_bytes(b"x")
    durable.flush(tmp_path / "one")

    def refuse(path, flags, *mode):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(durable.os, "open", refuse)
    with pytest.raises(StorePermissionError):
        durable.flush(tmp_path / "one")


def test_looking_at_what_is_absent_or_of_another_kind(tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    assert look.read_with_version(tmp_path / "none") is None
    data, version = look.read_with_version(tmp_path / "file")
    assert (data, version[1]) == (b"abc", 3)
    with pytest.raises(StoreError):
        look.read_with_version(tmp_path)
    with pytest.raises(StoreError):
        look.read_with_version(tmp_path / "file" / "beneath")
    assert look.stamps_in(tmp_path / "none") == {}
    assert look.stamps_in(tmp_path)["file"][0] == 3
    assert [name for name, _ in look.files(tmp_path / "none", wanted=lambda name: True)] == []
    for listing in (
        lambda: look.stamps_in(tmp_path / "file"),
        lambda: list(look.files(tmp_path / "file", wanted=bool)),
    ):
        with pytest.raises(StoreError):
            listing()


@pytest.mark.parametrize(
    "error", [FileNotFoundError(2, "gone"), PermissionError(13, "Permission denied")], ids=["gone", "refused"]
)
def test_what_cannot_be_looked_at_in_a_listing_is_left_out_if_it_is_gone_and_told_if_not(tmp_path, monkeypatch, error):
    class Entry:
        name, path = "x", str(tmp_path / "x")

        def is_dir(self, *, follow_symlinks):
            return False

        def stat(self, *, follow_symlinks):
            raise error

    class Listing(list):
        def __enter__(self):
            return self

        def __exit__(self, *told):
            return None

    monkeypatch.setattr(look.os, "scandir", lambda folder: Listing([Entry()]))
    if isinstance(error, FileNotFoundError):
        assert list(look.files(tmp_path, wanted=lambda name: True)) == []
        assert look.stamps_in(tmp_path) == {}
    else:
        with pytest.raises(StorePermissionError):
            list(look.files(tmp_path, wanted=lambda name: True))


def test_a_dead_letter_tells_its_reason():
    letter = deadletters.DeadLetter("session-1", "", 3, "model_error", "lessons", Candidate("lessons", "", body="x"))
    assert "model_error" in repr(letter)


def test_repair_carries_a_change_of_records_to_its_end(store, ids):
    place(store.paths.memory / f".kept.run-0{pending.ENDING}", b"no line of the ledger names it")
    store.paths.memory.chmod(0o700)
    assert len(pending.waiting(store.paths)) == 1
    with canonical_lock(store.paths).held("somebody else"):
        assert "unfinished-consolidation" not in {problem.code for problem in verify(store)}
    assert "unfinished-consolidation" in {problem.code for problem in verify(store)}
    repair.repair(store, dry_run=False)
    assert pending.waiting(store.paths) == []


def test_no_more_records_wait_than_there_were(store, ids):
    with canonical.writing(store, "test") as held:
        assert pending.roll_forward(store, held) is False


def test_an_index_that_is_written_while_it_is_made_in_memory_is_read_instead(store, ids, monkeypatch):
    store.paths.index.unlink()
    real = entries.ids_on_disk

    def meanwhile(paths):
        monkeypatch.undo()
        store.store_many([NewEntry("Which next?", {"a": 9})])
        place(paths.entry_file("f" * 32), paths.entry_file(ids[0]).read_bytes())  # another writer's, without a line yet
        return real(paths)

    monkeypatch.setattr(entries, "ids_on_disk", meanwhile)
    read = store.read_index()
    assert not read.rebuilt
    assert "f" * 32 not in {line.id for line in read.lines}
    assert {line.id for line in read.lines} >= set(ids)
