"""An import accounts for every file exactly once, adds nothing twice, and says what changed."""

from __future__ import annotations

import os
import pathlib
import random

import pytest

from memkit.errors import ImportSourceError, UsageError
from memkit.importers import files
from memkit.importers.adr import document as adr
from tests.importers.imports import Shelf

RECORD = "# {n}. Record {n}\n\nDate: 2024-03-0{d}\n\n## Status\n\n{status}\n\n## Context\n\nWhy {n}.\n\n## Decision\n\nDo {n}.\n"


def record(n, status="Accepted", d=1):
    return RECORD.format(n=n, status=status, d=d)


@pytest.fixture
def log(project) -> pathlib.Path:
    folder = project / "docs" / "adr"
    folder.mkdir(parents=True)
    for n in range(1, 4):
        (folder / f"000{n}-record-{n}.md").write_text(record(n))
    return folder


def test_a_second_import_adds_nothing(log, project):
    shelf = Shelf(project)
    first = shelf.run(log)
    second = shelf.run(log)
    assert first.counts == {"imported": 3, "unchanged": 0, "updated": 0, "skipped": 0, "rejected": 0}
    assert second.counts == {"imported": 0, "unchanged": 3, "updated": 0, "skipped": 0, "rejected": 0}
    assert [a.entry_id for a in second.files] == [a.entry_id for a in first.files]
    assert len(shelf.entries) == 3


def test_paths_are_relative_inside_the_project_and_absolute_outside(log, project, tmp_path):
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    (outside / "0001-x.md").write_text(record(1))
    assert [a.path for a in Shelf(project).run(log).files] == [f"docs/adr/000{n}-record-{n}.md" for n in (1, 2, 3)]
    assert Shelf(project).run(outside).files[0].path == str(outside / "0001-x.md")


def test_a_changed_file_is_updated_with_its_difference(log, project):
    shelf = Shelf(project)
    first = shelf.run(log)
    (log / "0002-record-2.md").write_text(record(2, status="Superseded by [3](0003-record-3.md)") + "\nA new line.\n")
    second = shelf.run(log)
    account = second.files[1]
    assert second.counts["updated"] == 1
    assert account.replaces == first.files[1].entry_id
    assert account.entry_id not in {a.entry_id for a in first.files}
    assert "status accepted -> superseded" in account.reason
    assert "3 lines more, 1 lines fewer" in account.reason
    assert second.links_resolved == 1


def test_without_the_old_result_an_update_still_says_so(log, project):
    shelf = Shelf(project)
    shelf.run(log)
    (log / "0002-record-2.md").write_text(record(2, status="Rejected"))
    assert shelf.run(log, remembers=False).files[1].reason == "its bytes changed"


def test_a_moved_file_is_updated_and_a_copied_one_imported(log, project):
    shelf = Shelf(project)
    first = shelf.run(log)
    (log / "0001-record-1.md").rename(log / "0009-record-1.md")
    (log / "0002-copy.md").write_bytes((log / "0002-record-2.md").read_bytes())
    second = shelf.run(log)
    fates = {a.path: (a.fate, a.reason, a.replaces) for a in second.files}
    assert fates["docs/adr/0009-record-1.md"] == (
        "updated",
        "moved from docs/adr/0001-record-1.md",
        first.files[0].entry_id,
    )
    assert fates["docs/adr/0002-copy.md"][0] == "imported"
    assert shelf.run(log).counts == {"imported": 0, "unchanged": 4, "updated": 0, "skipped": 0, "rejected": 0}


def test_a_deleted_file_is_named_and_its_entry_left_alone(log, project):
    shelf = Shelf(project)
    shelf.run(log)
    (log / "0001-record-1.md").unlink()
    report = shelf.run(log)
    assert report.gone == ("docs/adr/0001-record-1.md",)
    assert report.counts["unchanged"] == 2


def test_a_dry_run_plans_the_same_and_holds_no_ids(log, project):
    report = Shelf(project).run(log, dry_run=True)
    assert report.dry_run
    assert report.counts["imported"] == 3
    assert all(a.entry_id is None for a in report.files)


def test_receipts_fill_in_ids_and_masked_secrets(log, project):
    (log / "0002-record-2.md").write_text(record(2) + "\nThe secret.\n")
    report = Shelf(project).run(log)
    assert [a.entry_id for a in report.files] == ["00000000", "00000001", "00000002"]
    assert report.files[1].scrubbed == {"token": 1}
    assert not report.dry_run


def test_links_are_settled_over_new_and_known_records_and_listed_where_they_are_not(log, project):
    shelf = Shelf(project)
    shelf.run(log)
    more = {
        "0004-a.md": record(4, status="Accepted. Supersedes [1](0001-record-1.md)"),
        "0005-b.md": record(5, status="Accepted. Supersedes ADR-0099"),
        "0006-c.md": record(6, status="Superseded by ADR-0007"),
        "0007-d.md": record(7),
        "0007-e.md": record(7),
        "0008-f.md": record(8, status="Accepted. Supersedes ADR-0008"),
    }
    for name, text in more.items():
        (log / name).write_text(text)
    alone = shelf.run(log / "0004-a.md")
    assert alone.links_resolved == 1
    report = shelf.run(log)
    assert report.links_resolved == 1
    assert report.links_ambiguous == (
        "docs/adr/0006-c.md: superseded by ADR-0007 -> docs/adr/0007-d.md, docs/adr/0007-e.md",
    )
    assert report.links_dangling == (
        "docs/adr/0005-b.md: supersedes ADR-0099 (no record of this number in the same log)",
    )
    assert report.links_own == ("docs/adr/0008-f.md: supersedes ADR-0008",)


def test_the_order_of_days_and_months_is_shown_by_the_folder_also_for_one_file(log, project):
    (log / "0004-a.md").write_text("# A\n\nDate: 05/02/2018\n\n## Status\n\nAccepted\n\n## Decision\nx\n")
    (log / "0005-b.md").write_text("# B\n\nDate: 23/02/2018\n\n## Status\n\nAccepted\n\n## Decision\nx\n")
    one, whole = Shelf(project), Shelf(project)
    one.run(log / "0004-a.md")
    assert one.entries["00000000"].result["document"]["decidedOn"] == "2018-02-05"
    whole.run(log)
    assert whole.entries["00000003"].result["document"]["decidedOn"] == "2018-02-05"


def test_ten_thousand_junk_files_are_accounted_for(project):
    folder = project / "junk"
    folder.mkdir()
    random.seed(7)
    for n in range(10_000):
        ending = random.choice([".md", ".png", "", ".MD", ".txt"])
        (folder / f"f{n}{ending}").write_bytes(random.randbytes(20) if n % 3 else b"")
    (folder / "0001-real.md").write_text(record(1))
    report = Shelf(project).run(folder)
    assert sum(report.counts.values()) == len(report) == 10_001
    assert len({a.path for a in report.files}) == 10_001
    assert report.counts["imported"] == 1
    assert all(a.reason for a in report.files if a.fate in ("skipped", "rejected"))


def test_a_file_over_the_limit_is_rejected_unread(log, project):
    with (log / "0004-huge.md").open("wb") as file:
        file.write(b"# Huge\n")
        file.truncate(50 * 1024 * 1024)
    report = Shelf(project).run(log)
    account = report.files[3]
    assert (account.fate, report.counts["imported"]) == ("rejected", 3)
    assert "52,428,800 bytes" in account.reason


def test_links_loops_pipes_and_folders_without_permission_stop_nothing(log, project):
    (log / "loop").symlink_to(log, target_is_directory=True)
    (log / "self.md").symlink_to(log / "self.md")
    (log / "dangling.md").symlink_to(log / "nowhere.md")
    (log / "out.md").symlink_to("/etc/hostname")
    os.mkfifo(log / "pipe.md")
    (log / ".git").mkdir()
    (log / ".git" / "0001-hidden.md").write_text(record(1))
    report = Shelf(project).run(log)
    fates = {a.path.rsplit("/", 1)[1]: (a.fate, a.reason) for a in report.files}
    assert report.counts["imported"] == 3
    assert fates["pipe.md"] == ("skipped", "not a regular file")
    assert fates[".git"] == ("skipped", "a tool's folder, not entered")
    for name in ("loop", "self.md", "dangling.md", "out.md"):
        assert fates[name][0] == "skipped"
        assert fates[name][1].startswith("a symbolic link to ")


def test_a_file_that_may_not_be_read_is_rejected(log, project, monkeypatch):
    real = os.open

    def refuse(path, flags, *args, **kwargs):
        if str(path).endswith("0002-record-2.md"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, flags, *args, **kwargs)

    monkeypatch.setattr(files.os, "open", refuse)
    report = Shelf(project).run(log)
    assert report.counts == {"imported": 2, "unchanged": 0, "updated": 0, "skipped": 0, "rejected": 1}
    assert "permission denied" in report.files[1].reason


def test_a_file_that_changes_while_it_is_read_is_read_again(log, project, monkeypatch):
    changing = log / "0002-record-2.md"
    real, times = os.read, []

    def change_once(descriptor, size):
        data = real(descriptor, size)
        if b"Record 2" in data and not times:
            times.append(1)
            changing.write_text(record(2, status="Rejected"))
            os.utime(changing, ns=(1, 1))
        return data

    monkeypatch.setattr(files.os, "read", change_once)
    shelf = Shelf(project)
    shelf.run(log)
    assert shelf.entries["00000001"].result["document"]["status"] == "rejected"


def test_a_file_that_never_stands_still_is_rejected(log, project, monkeypatch):
    changing = log / "0002-record-2.md"
    real, ticks = os.read, iter(range(1, 100))

    def change(descriptor, size):
        data = real(descriptor, size)
        if b"Record 2" in data:
            os.utime(changing, ns=(1, next(ticks)))
        return data

    monkeypatch.setattr(files.os, "read", change)
    report = Shelf(project).run(log)
    assert report.files[1].reason == "changed while it was read, 3 times"
    assert report.counts["imported"] == 2


def test_a_name_that_is_not_utf_8_is_named_reversibly(log, project):
    try:
        (log / os.fsdecode(b"0004-caf\xe9.md")).write_text(record(4))
    except OSError:
        pytest.skip("this file system takes only UTF-8 names")
    report = Shelf(project).run(log)
    assert report.files[3].path == "docs/adr/0004-caf\\xe9.md"
    assert report.counts["imported"] == 4


@pytest.mark.parametrize(
    "name", ["with space.md", "it's.md", "50%.md", "[x].md", "日本.md", "a#b.md", "-.md", "....md"]
)
def test_odd_names_are_imported_once_and_unchanged_after(project, name):
    folder = project / "adr"
    folder.mkdir()
    (folder / name).write_text("## Status\n\nAccepted\n\n## Decision\n\nx\n")
    shelf = Shelf(project)
    assert shelf.run(folder).counts["imported"] == 1
    report = shelf.run(folder)
    assert report.counts["unchanged"] == 1
    assert report.gone == ()


def test_a_path_that_is_not_there_is_an_error_that_names_it(project):
    with pytest.raises(ImportSourceError) as caught:
        Shelf(project).run(project / "nowhere")
    assert caught.value.file == str(project / "nowhere")
    assert caught.value.remedy


def test_an_unknown_kind_is_an_error(project):
    with pytest.raises(UsageError):
        Shelf(project).run(project, "xml")


def test_the_account_has_totals_and_the_oddest_files(log, project):
    (log / "0004-a.md").write_text("---\nstatus: Simmering\nstatus: x\n---\n# A\n\nDate: soon\n\n## Decision\nx\n")
    (log / "0005-b.md").write_bytes(b"\x00")
    report = Shelf(project).run(log)
    assert {k: n for k, n in report.field_totals["title"].items() if n} == {"mapped": 4}
    assert {k: n for k, n in report.field_totals["decided_on"].items() if n} == {"mapped": 3, "not understood": 1}
    assert [a.path for a in report.oddest()] == ["docs/adr/0005-b.md", "docs/adr/0004-a.md"]
    assert report.oddest(1)[0].fate == "rejected"
    data = report.to_dict()
    assert data["counts"]["imported"] == 4
    assert data["oddest"] == ["docs/adr/0005-b.md", "docs/adr/0004-a.md"]
    assert data["files"][0]["fields"][0] == {
        "name": "title", "outcome": "mapped", "origin": "first-level heading", "value": "1. Record 1",
    }  # fmt: skip


def test_sixty_files_a_second_is_no_effort(project):
    import time

    folder = project / "adr"
    folder.mkdir()
    for n in range(300):
        (folder / f"{n:04}-r.md").write_text(record(n) + "More text about it.\n" * 100)
    started = time.perf_counter()
    report = Shelf(project).run(folder)
    assert report.counts["imported"] == 300
    assert 300 / (time.perf_counter() - started) > 60


def test_limits_leave_room_for_the_entry_around_a_record():
    from memkit.model.entry import MAX_ENTRY_BYTES

    # A record's text is kept once whole and at most once more as its conclusion; every character may need escaping.
    assert adr.MAX_FILE_BYTES * 2 * 2 < MAX_ENTRY_BYTES


def test_what_lies_beside_a_document_is_told_for_what_it_is(project):
    """An empty file, SQLite's journals and the manifest of an export are no failures, whatever kind is asked for."""
    folder = project / "mixed"
    folder.mkdir()
    for name, data in {"empty.json": b"", "mem.db-wal": b"x", "_manifest.json": b"{}", "a-wal": b"x"}.items():
        (folder / name).write_bytes(data)
    for kind in ("consensus", "claude-mem"):
        reasons = {a.path.rsplit("/", 1)[1]: (a.fate, a.reason) for a in Shelf(project).run(folder, kind).files}
        assert reasons["empty.json"] == ("skipped", "the file is empty")
        assert reasons["_manifest.json"] == ("skipped", "the manifest of an export")
        assert (reasons["mem.db-wal"][1] == "read with its database") == (kind == "claude-mem")
        assert reasons["a-wal"][1].startswith("not ")
    assert Shelf(project).run(folder / "empty.json", "mem0").files[0].reason == "the file is empty"
