"""An import goes in batches: one append each, earlier ones kept when a later one fails, accounts that stay bounded."""

import pytest

import memkit
from memkit.errors import DiskFullError
from memkit.importers import batches
from memkit.importers.batches import Against, import_batches
from memkit.importers.draft import Draft
from memkit.importers.intake import Intake, Place
from memkit.importers.report import FieldAccount
from memkit.settings import Environment
from memkit.store import index
from tests.importers.writers import Told, mem0

ITEMS = [Told(f"m{n:02d}", f"Question {n}?", f"Answer {n}.") for n in range(10)]


@pytest.fixture
def mem(project, root, tmp_path):
    around = Environment(home=tmp_path, config_file=tmp_path / "config.toml")
    with memkit.open(project, root=root, enabled=True, environment=around) as memory:
        yield memory


@pytest.fixture
def path(project):
    return mem0(project, ITEMS)


def test_each_batch_is_one_append_to_the_index(mem, path, monkeypatch):
    monkeypatch.setattr(batches, "BATCH_ENTRIES", 4)
    real, sizes = index.append, []

    def counting(paths, held, lines, **options):
        sizes.append(lines.count(b"\n"))
        return real(paths, held, lines, **options)

    monkeypatch.setattr(index, "append", counting)
    assert mem.import_from("mem0", path).counts["imported"] == 10
    assert sizes == [4, 4, 2]
    assert {line.question_preview for line in mem.list()} == {item.title for item in ITEMS}


def test_a_batch_is_also_bounded_by_its_bytes(mem, path, monkeypatch):
    monkeypatch.setattr(batches, "BATCH_BYTES", 1)
    seen = []
    mem.import_from("mem0", path, progress=seen.append)
    assert seen == [1] * 10


def test_a_fault_in_a_later_batch_keeps_the_earlier_ones_and_the_same_import_goes_on(mem, path, monkeypatch):
    monkeypatch.setattr(batches, "BATCH_ENTRIES", 4)
    real, calls = mem._store.store_many, []

    def failing(new, **options):
        calls.append(len(new))
        if len(calls) == 2:
            raise DiskFullError("no room", remedy="Free some space.")
        return real(new, **options)

    monkeypatch.setattr(mem._store, "store_many", failing)
    with pytest.raises(DiskFullError) as fault:
        mem.import_from("mem0", path)
    assert fault.value.__notes__ == ["4 entries of this import are stored; the same import again goes on from there"]
    assert len(mem.list()) == 4
    rest = mem.import_from("mem0", path)
    assert (rest.counts["unchanged"], rest.counts["imported"]) == (4, 6)
    assert mem.verify() == []


def test_a_moved_file_takes_its_entries_along_and_a_vanished_item_is_named(mem, path, project):
    mem.import_from("mem0", path)
    (project / "new").mkdir()
    moved = path.rename(project / "new" / "mem0.json")
    report = mem.import_from("mem0", moved)
    assert report.counts["updated"] == 10
    assert report.files[0].reason == "moved from mem0.json#m00"
    mem0(project / "new", ITEMS[1:])
    report = mem.import_from("mem0", project / "new")
    assert (report.counts["unchanged"], report.gone) == (9, ())
    moved.unlink()
    assert len(mem.import_from("mem0", project / "new").gone) == 10


def test_beyond_a_bound_what_is_not_odd_is_counted_and_not_listed(project, monkeypatch):
    monkeypatch.setattr(batches, "MAX_LISTED", 5)
    fields = (FieldAccount("title", "mapped", "title"),)

    def drafts(_):
        for n in range(40):
            yield Draft(f"a#{n}", f"{n:064d}", question="q", result={}, fields=fields, notes=("odd",) if n > 36 else ())
        for n in range(9):
            yield Draft(f"b#{n}", fate="rejected", reason="broken")

    report = import_batches("mem0", drafts, Intake(project, Place(str(project)), None), Against({}), keep=None)
    assert report.counts == {"imported": 40, "unchanged": 0, "updated": 0, "skipped": 0, "rejected": 9}
    assert report.n_seen == 49
    assert len(report.files) == 10
    assert report.unlisted == {"imported": 32, "rejected": 7}
    assert report.field_totals["title"]["mapped"] == 40
    assert "49 files seen" in report.to_text()


def test_items_of_one_name_are_told_apart_the_same_way_each_time(mem, project):
    twice = [ITEMS[0], Told("m00", "Another of this name?", "Yes."), ITEMS[0]]
    path = mem0(project, twice)
    first = mem.import_from("mem0", path)
    assert (first.counts["imported"], first.counts["skipped"]) == (2, 1)
    assert any("same name" in note for account in first.files for note in account.notes)
    assert mem.import_from("mem0", path).counts["unchanged"] == 2
