"""Corners of the floor of files that nothing else turns into."""

import errno
import json
import os
import shutil

import pytest

from memkit.errors import (
    DiskFullError,
    ForeignStoreError,
    InvalidInputError,
    MemkitWarning,
    NewerFormatError,
    ProjectPathError,
    StoreError,
    StoreIOError,
)
from memkit.model.problem import Problem
from memkit.store import (
    acknowledgements,
    audit_log,
    damage,
    durable,
    entries,
    index,
    index_lines,
    jsonl,
    ledger,
    leftovers,
    lock,
    look,
    quarantine,
    scrub_armour,
    scrub_names,
    scrub_views,
)
from memkit.store import repair as repairing
from memkit.store import verify as verifying
from memkit.store.listing import EntryList
from memkit.store.lock import Lock
from memkit.store.new_entry import check_new_entry
from memkit.store.paths import StorePaths, absolute, resolve_project
from memkit.store.repair import repair
from memkit.store.scrub import MAX_ROUNDS, Scrubber
from memkit.store.scrub_marks import Finding, beside_marks
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.scrub_values import Judge, _like_password, wordy
from memkit.store.status import status_of
from memkit.store.verify import verify
from memkit.store.wipe import wipe
from tests.store.conftest import new
from tests.store.test_after_faults import faulty


def codes(store):
    return [problem.code for problem in verify(store)]


class Changed:
    """`os` with one function changed."""

    def __init__(self, **functions):
        self._functions = functions

    def __getattr__(self, name):
        return self._functions.get(name) or getattr(os, name)


class TestShown:
    def test_results_show_themselves_and_give_plain_data(self, store):
        (receipt,) = store.store_many([new()])
        assert receipt.id in repr(receipt)
        assert receipt.to_dict()["id"] == receipt.id
        rows = store.read_index().lines
        listed = EntryList(rows=rows, as_of=store.clock.now())
        assert (len(listed), listed[0], listed[:1], list(listed)) == (1, rows[0], rows, [rows[0]])
        assert "1 entry" in repr(listed)
        assert listed.to_dict()["entries"][0]["id"] == receipt.id
        report = repair(store)
        assert "would do 0" in repr(report)
        assert report.to_dict()["dry_run"] is True
        assert store.paths.key in repr(store)
        assert wipe(store, confirm=store.paths.key).to_dict()["n_entries"] == 1
        assert "switched off" in repr(Scrubber(shipped_patterns(), enabled=False))

    def test_a_request_with_a_field_nobody_knows_is_refused(self, clock):
        with pytest.raises(InvalidInputError, match="unknown"):
            check_new_entry({"question": "q", "result": {}, "colour": 1}, clock.now())


class TestDurable:
    def test_a_file_of_another_length_than_was_written_is_no_file(self, tmp_path, monkeypatch):
        status = os.stat_result((0o100600, 0, 0, 0, 0, 0, 7, 0, 0, 0))
        with monkeypatch.context() as patch:
            patch.setattr(durable, "os", Changed(fstat=lambda _fd: status))
            with pytest.raises(StoreIOError, match="write"):
                durable.write_temp(tmp_path / "x", b"four")
        assert os.listdir(tmp_path) == []

    def test_a_disk_that_takes_nothing_more_ends_the_write(self, tmp_path, monkeypatch):
        with monkeypatch.context() as patch:
            patch.setattr(durable, "os", Changed(write=lambda _fd, _data: 0))
            with pytest.raises(DiskFullError, match="write"):
                durable.write_temp(tmp_path / "x", b"four")
        assert os.listdir(tmp_path) == []

    def test_a_folder_that_has_no_flush_is_warned_about(self, tmp_path, monkeypatch):
        with faulty(monkeypatch, "fsync", errno.EINVAL), pytest.warns(MemkitWarning, match="cannot flush a folder"):
            durable.sync_folder(tmp_path)

    def test_what_vanishes_while_it_is_removed_is_gone(self, tmp_path, monkeypatch):
        (tmp_path / "folder").mkdir()
        with faulty(monkeypatch, "rmdir", errno.ENOENT):
            durable.remove_tree(tmp_path / "folder")
        durable.remove_tree(tmp_path / "never-there")

    def test_a_mode_is_never_set_through_a_link(self, tmp_path):
        (tmp_path / "file").write_bytes(b"x")
        (tmp_path / "file").chmod(0o644)
        (tmp_path / "link").symlink_to("file")
        durable.restrict(tmp_path / "link")
        assert (tmp_path / "file").stat().st_mode & 0o777 == 0o644

    def test_an_exclusive_file_that_cannot_be_made_is_a_typed_error(self, tmp_path, monkeypatch):
        with faulty(monkeypatch, "open", errno.EIO), pytest.raises(StoreIOError):
            durable.create_exclusive(tmp_path / "x", b"")

    def test_a_lock_whose_mode_cannot_be_set_is_closed_and_refused(self, tmp_path, monkeypatch):
        (tmp_path / "l").touch(0o644)
        (tmp_path / "l").chmod(0o644)
        before = len(os.listdir("/proc/self/fd"))
        with faulty(monkeypatch, "fchmod", errno.EIO), pytest.raises(StoreIOError):
            durable.open_lock(tmp_path / "l")
        assert len(os.listdir("/proc/self/fd")) == before

    def test_a_folder_made_by_somebody_else_at_the_same_moment_will_do(self, tmp_path, monkeypatch):
        def mkdir(path, mode):
            os.mkdir(path, mode)
            raise FileExistsError(errno.EEXIST, "File exists")

        with monkeypatch.context() as patch:
            patch.setattr(durable, "os", Changed(mkdir=mkdir))
            durable.make_folder(tmp_path / "a" / "b")
        assert (tmp_path / "a" / "b").is_dir()
        (tmp_path / "file").write_bytes(b"")
        with pytest.raises(StoreIOError):
            durable.make_folder(tmp_path / "file" / "below")

    def test_a_fault_without_a_number_is_still_typed(self, tmp_path):
        assert "odd" in str(durable.fault(OSError("odd"), tmp_path, "read"))


class TestLines:
    def test_a_line_longer_than_a_line_may_be_costs_itself(self, make_store):
        store = make_store(sound=False)
        store.store_many([new()])
        with store.paths.index.open("ab") as file:
            file.write(b'{"id":"' + b"x" * jsonl.MAX_LINE_BYTES + b'"}\n')
        read = store.read_index()
        assert len(read.lines) == len(read.damaged) == 1
        with store.paths.log_file("2026-11-30").open("ab") as file:
            file.write(b'{"id":"' + b"x" * jsonl.MAX_LINE_BYTES + b'"}\nnot json\n')
        assert len(audit_log.read_events(store.paths)[1]) == 2

    def test_a_line_of_another_project_costs_itself(self, make_store):
        store = make_store(sound=False)
        store.store_many([new()])
        data = store.paths.index.read_bytes()
        store.paths.index.write_bytes(data + data.replace(store.paths.key.encode(), b"0" * 12))
        (damaged,) = store.read_index().damaged
        assert "belongs to the project '000000000000'" in damaged.detail

    @pytest.mark.parametrize(
        ("line", "pieces"),
        [
            (b'{"a":1} {"b":2}', [b'{"a":1}', b'{"b":2}']),
            (b'{"a":1}\t {"b":2}{"c":}', [b'{"a":1}', b'{"b":2}', b'{"c":}']),
            (b"}{", [b"}{"]),
            (b'{"a":1}{"b":2} \t', [b'{"a":1}', b'{"b":2}']),
            (b'\xff}{"a":1}', [b'\xff}{"a":1}']),
        ],
    )
    def test_objects_on_one_line_are_taken_apart(self, line, pieces):
        assert list(jsonl.glued_objects(line)) == pieces

    def test_a_file_of_nothing_but_damage_is_told_in_few_words(self, make_store):
        """And every byte of it is covered by a spot, so that repair keeps it."""
        store = make_store(sound=False)
        store.store_many([new(question="one"), new(question="two")])
        data = store.paths.index.read_bytes()
        first = data[: data.index(b"\n") + 1]
        junk = b"x\n" * 5000 + b"{\n" * 1000 + b"y\n" * 10
        store.paths.index.write_bytes(first + junk + data[len(first) :] + junk)
        read = store.read_index()
        assert [line.question_preview for line in read.lines] == ["one", "two"]
        assert len(read.damaged) < 3 * damage.MAX_SPOTS
        assert sum(problem.end - problem.start for problem in read.damaged) == 2 * len(junk)
        repair(store, dry_run=False)
        assert verify(store) == []
        kept = sum(spot.n_bytes for spot in quarantine.spots(store.paths))
        assert kept == 2 * len(junk)

    def test_a_line_of_nothing_but_small_objects_is_given_up_soon(self, make_store):
        store = make_store(sound=False)
        store.store_many([new()])
        with store.paths.index.open("ab") as file:
            file.write(b"{}" * 100_000 + b"\n")
        read = store.read_index()
        assert len(read.lines) == 1
        assert len(read.damaged) == index_lines.MAX_SPOTS_IN_A_LINE
        assert read.glued

    def test_a_log_of_nothing_but_damage_is_given_up_soon(self, make_store):
        store = make_store(sound=False)
        store.store_many([new()])
        store.paths.log_file("2026-11-30").write_bytes(b"x\n" * 1000)
        told = [problem for problem in verify(store) if problem.code == "damaged-log-line"]
        assert len(told) == audit_log.MAX_TOLD + 1
        assert any("was not looked at" in problem.detail for problem in told)

    def test_an_entry_longer_than_any_entry_is_damaged_without_being_read_whole(self, make_store, monkeypatch):
        store = make_store(sound=False)
        (receipt,) = store.store_many([new()])
        monkeypatch.setattr(entries, "MAX_ENTRY_BYTES", 100)
        assert len(entries.read_file(store.paths, receipt.id)) == 101
        with pytest.raises(entries.DamagedError, match="more than 100 bytes"):
            store.read_entry(receipt.id)

    def test_an_entry_that_vanishes_while_lines_are_made_has_none(self, store):
        store.store_many([new()])
        assert list(index.lines_of_entries(store.paths, ["0a1b2c3d4e5f"])) == []

    def test_an_entry_under_another_ones_name_is_damaged(self, make_store):
        store = make_store(sound=False)
        one, two = store.store_many([new(question="one"), new(question="two")])
        store.paths.entry_file(one.id).write_bytes(store.paths.entry_file(two.id).read_bytes())
        assert codes(store) == ["damaged-entry"]
        with pytest.raises(entries.DamagedError, match="says id"):
            store.read_entry(one.id)


class TestLooksOfVerify:
    def test_store_json_of_others_is_named_by_its_kind(self, make_store):
        store = make_store(sound=False)
        store.store_many([new()])
        before = store.paths.store_json.read_bytes()
        for old, changed, code, error in (
            (b'"formatVersion":1', b'"formatVersion":9', "newer-format", NewerFormatError),
            (b'"formatVersion":1', b'"formatVersion":"1"', "store-json-damaged", entries.DamagedError),
            (store.paths.key.encode(), b"0" * 12, "foreign-store", ForeignStoreError),
        ):
            store.paths.store_json.write_bytes(before.replace(old, changed))
            assert codes(store) == [code]
            with pytest.raises(error):
                store.info()

    def test_a_foreign_entry_is_named(self, make_store):
        store = make_store(sound=False)
        (receipt,) = store.store_many([new()])
        path = store.paths.entry_file(receipt.id)
        path.write_bytes(path.read_bytes().replace(store.paths.project_path.encode(), b"/elsewhere"))
        assert codes(store) == ["foreign-entry"]

    def test_while_a_writer_is_at_work_nothing_is_called_an_orphan_or_torn(self, make_store):
        store = make_store(sound=False)
        store.store_many([new(), new()])
        data = store.paths.index.read_bytes()
        store.paths.index.write_bytes(data[: len(data) // 2 - 5])
        with store.index_lock.held("writing"):
            assert codes(store) == []
        expected = ["orphan-entry", "orphan-entry", "torn-tail"]
        assert codes(store) == expected
        store.paths.index_lock.unlink()
        assert codes(store) == expected
        store.paths.index_lock.symlink_to("nowhere")  # a lock nobody may open
        assert codes(store) == expected

    def test_an_entry_that_gets_its_line_or_goes_away_meanwhile_is_no_orphan(self, make_store, monkeypatch):
        store = make_store()
        first, second = store.store_many([new(question="one"), new(question="two")])
        data = store.paths.index.read_bytes()
        store.paths.index.write_bytes(b"")
        real = verifying._writers_excluded

        def meanwhile(paths, held):
            store.paths.index.write_bytes(data[: data.index(b"\n") + 1])
            store.paths.entry_file(second.id).unlink(missing_ok=True)
            return real(paths, held)

        with monkeypatch.context() as patch:
            patch.setattr(verifying, "_writers_excluded", meanwhile)
            assert codes(store) == []
        assert [line.id for line in store.read_index().lines] == [first.id]

    def test_a_line_whose_file_comes_meanwhile_and_an_entry_that_goes(self, make_store, monkeypatch):
        store = make_store(sound=False)
        store.store_many([new()])
        real = entries.ids_on_disk
        with monkeypatch.context() as patch:
            patch.setattr(entries, "ids_on_disk", lambda paths: [])
            assert codes(store) == []  # it is there by now
            patch.setattr(entries, "ids_on_disk", lambda paths: [*real(paths), "0a1b2c3d4e5f"])
            assert codes(store) == []  # it was there

    def test_strays_beside_the_logs_are_named_and_what_cannot_be_walked(self, make_store, monkeypatch):
        store = make_store(sound=False)
        store.store_many([new()])
        (store.paths.logs / "notes.txt").touch(0o600)
        assert codes(store) == ["stray-file"]
        with faulty(monkeypatch, "listdir", errno.EIO, on=store.paths.key):
            assert set(codes(store)) == {"unreadable"}

    def test_a_note_that_is_damaged_or_cannot_be_opened_is_said_so(self, make_store, monkeypatch):
        store = make_store(sound=False)
        store.store_many([new()])
        spot = quarantine.put(store.paths, b"x", file="x", start=0, reason="r", moved_at=store.clock.now())
        with faulty(monkeypatch, "open", errno.EIO, on="quarantine"):
            assert codes(store) == ["unreadable"]
        (store.paths.quarantine / f"{spot.name}.json").write_bytes(b"{")
        assert codes(store) == ["note-damaged"]


class TestStatus:
    def test_a_project_below_one_with_a_store_is_told(self, make_store, project):
        make_store().store_many([new()])
        (project / "below" / "deep").mkdir(parents=True)
        status = status_of(make_store(project / "below" / "deep", sound=False), enabled=True, enabled_by="test")
        assert any(str(project) in note for note in status.notes)

    def test_a_project_without_any_store_above_it_says_nothing_of_one(self, make_store):
        status = status_of(make_store(sound=False), enabled=True, enabled_by="test")
        assert not any("Nothing is stored" in note for note in status.notes)

    def test_what_is_missing_or_damaged_is_told(self, make_store):
        store = make_store(sound=False)
        store.store_many([new()])
        with store.paths.index.open("ab") as file:
            file.write(b"{junk\n")
        notes = status_of(store, enabled=True, enabled_by="test").notes
        assert any("1 index line" in note for note in notes)
        assert any("Last event: store done" in note for note in notes)
        store.paths.index.unlink()
        notes = status_of(store, enabled=True, enabled_by="test").notes
        assert any("index is missing" in note for note in notes)
        store.paths.store_json.write_bytes(b"{")
        store.paths.log_file("2026-11-30").write_bytes(b"junk\n")
        notes = status_of(store, enabled=True, enabled_by="test").notes
        assert any("cannot be read" in note for note in notes)
        assert not any("Last event" in note for note in notes)

    def test_a_file_that_vanishes_while_it_is_counted_counts_nothing(self, make_store, monkeypatch):
        store = make_store()
        store.store_many([new()])
        real = look.status_of
        with monkeypatch.context() as patch:
            patch.setattr(look, "status_of", lambda path: None if path.name == "index.jsonl" else real(path))
            assert status_of(store, enabled=True, enabled_by="test").n_bytes > 0

    def test_a_log_that_vanishes_while_it_is_asked_says_nothing(self, make_store, monkeypatch):
        store = make_store()
        store.store_many([new()])
        real = look.status_of
        with monkeypatch.context() as patch:
            patch.setattr(look, "status_of", lambda path: None if path.suffix == ".log" else real(path))
            assert audit_log.last_event(store.paths)["op"] == "store"


class TestWipe:
    def test_a_store_whose_store_json_is_damaged_can_be_wiped(self, make_store):
        store = make_store()
        store.store_many([new()])
        store.paths.store_json.write_bytes(b"garbage{")
        assert wipe(store, confirm=store.paths.key).n_entries == 1
        assert not store.paths.store_json.exists()

    def test_wiping_what_was_never_there_makes_nothing(self, store, root):
        assert wipe(store, confirm=store.paths.key).n_files == 0
        assert not root.exists()

    def test_a_wipe_that_was_cut_off_before_any_log_is_carried_on(self, make_store):
        store = make_store()
        store.store_many([new()])
        store.paths.index.unlink()
        store.paths.results.rename(store.paths.wiped)
        shutil.rmtree(store.paths.logs)
        leftovers.sweep(store.paths)
        assert not store.paths.wiped.exists()

    def test_what_is_acknowledged_after_a_wipe_that_was_cut_off_stays(self, make_store):
        store = make_store()
        store.store_many([new()])
        said = {"tripwire_id": "0" * 16, "entry_id": "0" * 32, "evidence": "e"}
        acknowledgements.acknowledge(store, reason="before", **said)
        store.paths.index.unlink()
        store.paths.results.rename(store.paths.wiped)
        acknowledgements.acknowledge(store, reason="after", **said)
        store.store_many([new()])
        assert [each.reason for each in acknowledgements.read(store.paths)[0]] == ["after"]


class TestOthers:
    def test_a_child_drops_every_lock_it_inherited(self, tmp_path):
        """What the hook does in a forked child, done here."""
        held, gone = Lock(tmp_path / "l").acquire("x"), Lock(tmp_path / "m").acquire("x")
        gone.release()
        lock._held.add(gone)
        lock._taking.acquire()
        lock._drop_in_child()
        assert not held.is_held
        Lock(tmp_path / "l", 0).acquire("y").release()

    def test_a_file_in_the_place_of_the_root_or_the_project_is_named(self, make_store, root, project):
        paths = StorePaths.for_project(root, resolve_project(project))
        root.mkdir()
        paths.folder.write_text("a file")
        with pytest.raises(StoreIOError, match="folder is needed"):
            make_store(sound=False).require_folders()
        paths.folder.unlink()
        make_store(sound=False).require_folders()

    def test_a_folder_that_appears_while_it_is_looked_for_is_a_folder(self, store, monkeypatch):
        store.store_many([new()])
        real, calls = look.is_folder, []

        def late(path):
            calls.append(path)
            return len(calls) > 1 and real(path)

        with monkeypatch.context() as patch:
            patch.setattr(look, "is_folder", late)
            store.require_folders()

    def test_a_damaged_entry_that_is_gone_when_repair_comes_to_it_is_left(self, make_store):
        store = make_store()
        store.store_many([new()])
        found = [Problem("damaged-entry", "results/0a1b2c3d4e5f.json", "x", entry_id="0a1b2c3d4e5f")]
        repairing._mend_files(store, found)
        assert not store.paths.quarantine.exists()

    def test_nothing_to_store_makes_nothing(self, store, root):
        assert store.store_many([]) == []
        assert not root.exists()

    def test_an_acknowledgement_that_says_too_little_silences_nothing(self, make_store):
        store = make_store(sound=False)
        store.store_many([new()])
        whole = {"tripwireId": "t", "entryId": "0a1b2c3d4e5f", "evidence": "e", "reason": "r", "acknowledgedAt": 1}
        rows = [
            whole,
            {**whole, "actor": 7},
            {**whole, "reason": 1},
            {**whole, "acknowledgedAt": -1},
            {**whole, "entryId": "../x"},
        ]
        store.paths.state.mkdir(mode=0o700)
        store.paths.acknowledgements.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
        store.paths.acknowledgements.chmod(0o600)
        said, problems = acknowledgements.read(store.paths)
        assert [each.actor for each in said] == ["python", "python"]
        assert codes(store) == ["damaged-acknowledgement"] * 3
        assert len(problems) == 3
        for reason in ("", " ", "x" * 10_000):
            with pytest.raises(InvalidInputError, match="reason"):
                acknowledgements.acknowledge(store, tripwire_id="t", entry_id="0" * 32, evidence="e", reason=reason)


class TestScrub:
    def test_placeholders_and_quantities_beside_a_name_are_no_secrets(self):
        patterns = shipped_patterns()
        judge = Judge(patterns.placeholders, patterns.sentence_words)
        assert all(
            judge.is_placeholder(text) for text in ("DB_PASSWORD", "MY_SECRET_KEY", "5GB", "90 days", "8 characters")
        )
        assert not any(_like_password(text) for text in ("2031-05-05T10:00:00Z", "12.05.2031", "12-34-56-78-90-12"))

    def test_triple_quotes_are_closed_by_three(self):
        assert scrub_names._quoted('"""abc def"""', 0) == (3, 10)
        assert scrub_names._quoted("'''abc", 0) == (3, 6)

    def test_a_line_of_marks_alone_between_lines_of_a_key_ends_nothing(self):
        line = "aB3+" * 8
        text = f"> {line}\n>\n> {line}\n"
        assert scrub_armour._body_start(text, 0, len(text)) == text.index(line)

    def test_a_find_that_holds_nothing_but_a_mark_is_none(self):
        text = "ab[scrubbed:jwt]cdefgh"
        assert beside_marks(text, [Finding(5, 10, "k")]) == []
        assert beside_marks(text, [Finding(5, 22, "k")]) == [Finding(16, 22, "k")]

    def test_half_a_pair_of_escapes_is_read_as_the_replacement_character(self):
        views = list(scrub_views.views("x \\ud800 and &#xD800; y"))
        assert any("\N{REPLACEMENT CHARACTER}" in view.text for view in views)

    def test_finds_that_never_end_are_given_up(self, monkeypatch):
        scrubber = Scrubber(shipped_patterns())
        monkeypatch.setattr(scrubber, "findings", lambda text: [Finding(0, 1, "made-up")])
        assert scrubber.scrub_text("abc").counts == {"made-up": MAX_ROUNDS}

    def test_more_names_than_are_remembered_are_judged_all_the_same(self, monkeypatch):
        from memkit.store import scrub

        monkeypatch.setattr(scrub, "MAX_REMEMBERED", 2)
        scrubber = Scrubber(shipped_patterns())
        value = {f"name{i}": "x" for i in range(6)} | {"password": "correct-horse-9-battery"}
        clean, counts = scrubber.scrub_json([value, dict(value)])
        assert sum(counts.values()) == 2
        assert clean[0]["name5"] == "x"


class TestPaths:
    def test_a_current_folder_that_no_longer_exists_is_said_so(self, tmp_path, monkeypatch):
        gone = tmp_path / "gone"
        gone.mkdir()
        monkeypatch.chdir(gone)
        gone.rmdir()
        with pytest.raises(ProjectPathError, match="no longer exists"):
            absolute("x")

    def test_a_temporary_file_of_a_writer_at_work_is_no_stray(self, store):
        store.store_many([new()])
        temp = durable.write_temp(store.paths.entry_file("0a1b2c3d4e5f"), b"{}")
        assert verify(store) == []
        temp.unlink()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("Größenordnung-Übersicht", True, id="words of another alphabet"),
        pytest.param("ключ доступа", True, id="lower case beyond ASCII"),
        pytest.param("Ключ7Доступа", False, id="with a digit in the middle"),
    ],
)
def test_words_of_any_alphabet_are_words_until_a_digit_is_among_them(text, words):
    assert wordy(text) is words


def test_a_file_that_was_closed_meanwhile_is_an_error_of_its_own_and_not_another_file(tmp_path):
    file = tmp_path / "index.jsonl"
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT)
    assert look.same_file(descriptor, file)
    os.close(descriptor)
    with pytest.raises(StoreError, match=r"index\.jsonl"):
        look.same_file(descriptor, file)


def test_a_damaged_line_of_the_ledger_leaves_what_the_others_say(make_store):
    store = make_store(sound=False)
    store.paths.state.mkdir(parents=True, mode=0o700, exist_ok=True)
    store.paths.ledger.write_bytes(b"torn\n")
    assert ledger.known(store.paths) == []
    assert [problem.code for problem in ledger.read(store.paths)[1]] == ["damaged-ledger"]
