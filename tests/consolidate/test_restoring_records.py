"""A record that was deleted comes back byte by byte, and nothing is lost where it cannot."""

import datetime as dt
import json

import pytest

from memkit.errors import ConflictError, InvalidInputError, LockedError, RecordNotFoundError
from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.store import canonical, deleted_records, records


@pytest.fixture
def mem(root, project, clock, tmp_path):
    environment = Environment(home=tmp_path, config_file=tmp_path / "config.toml")
    with open_memory(project, root=root, enabled=True, clock=clock, environment=environment) as memory:
        yield memory
        assert memory.verify() == []


@pytest.fixture
def kept(mem):
    """The file of a record with a line of a person's own in it."""
    receipt = mem.records.write("lesson", "use-utc", body="Store instants in UTC.", sources=["Mara"])
    path = mem.paths.folder / receipt.path
    path.write_bytes(path.read_bytes() + b"\nBy hand.  \n")
    mem.records.read("lesson", "use-utc")
    return path


def trash(mem):
    return list(mem.paths.deleted_records.iterdir())


def test_a_deleted_record_comes_back_byte_by_byte_and_leaves_the_trash(mem, kept):
    before = kept.read_bytes()
    mem.records.delete("lesson", "use-utc", reason="wrong")

    receipt = mem.records.restore("use-utc")

    assert kept.read_bytes() == before
    assert (receipt.op, receipt.record.slug, receipt.before_hash) == ("restore", "use-utc", None)
    assert "Restored" in receipt.to_text()
    assert trash(mem) == []
    (said,) = [row for row in mem.audit.events(op="write") if row.reason == "restored"]
    assert said.slug == "use-utc"
    mem.records.list()
    assert len(mem.audit.events(op="external_edit")) == 1


def test_what_can_be_put_back_is_listed_with_its_reason(mem, clock):
    assert "No deleted record" in mem.records.deleted().to_text()
    for slug in ("use-utc", "use-tabs"):
        mem.records.write("lesson", slug, body=f"About {slug}.", sources=["Mara"])
        mem.records.delete("lesson", slug, reason=f"Not {slug}.")
        clock.advance(dt.timedelta(days=2))

    found = mem.records.deleted()

    assert [(row.slug, row.reason) for row in found] == [("use-tabs", "Not use-tabs."), ("use-utc", "Not use-utc.")]
    assert found.to_dict()["deleted"][0]["path"] == "memory/use-tabs.md"
    text = found.to_text()
    assert "2 deleted records" in text
    assert "2 days ago" in text
    assert "Not use-tabs." in text
    mem.records.restore("use-tabs")
    assert [row.slug for row in mem.records.deleted()] == ["use-utc"]


def test_a_note_with_nonsense_for_a_time_lists_the_record_without(mem):
    mem.records.write("lesson", "use-utc", body="Use it.", sources=["Mara"])
    mem.records.delete("lesson", "use-utc", reason="Wrong.")
    (note,) = mem.paths.deleted_records.glob("*.json")
    note.write_text('{"deleted_at": "yesterday", "reason": "Wrong."}')
    (row,) = mem.records.deleted()
    assert (row.deleted_at, row.reason) == (None, "Wrong.")
    assert "–" in mem.records.deleted().to_text()


def test_of_several_deletions_the_last_is_meant(mem, clock):
    for text in ("First.", "Second."):
        mem.records.write("lesson", "use-utc", body=text, sources=["Mara"])
        mem.records.delete("lesson", "use-utc", reason=text)
        clock.advance(dt.timedelta(hours=1))
    assert [each.reason for each in deleted_records.listed(mem.paths)] == ["Second.", "First."]
    assert "Second." in mem.records.restore("use-utc").record.body
    with pytest.raises(ConflictError, match="another record of this name"):
        mem.records.restore("use-utc")
    assert [each.reason for each in deleted_records.listed(mem.paths)] == ["First."]


def test_one_of_each_folder_is_told_apart_by_its_kind(mem):
    for kind in ("domain", "lesson"):
        mem.records.write(kind, "use-utc", body=f"As {kind}.", sources=["Mara"])
        mem.records.delete(kind, "use-utc", reason="wrong")
    assert mem.records.restore("use-utc", kind="domain").path == "knowledge/use-utc.md"
    mem.records.delete("domain", "use-utc", reason="wrong")
    assert mem.records.restore("use-utc", kind="lesson").path == "memory/use-utc.md"
    with pytest.raises(InvalidInputError):
        mem.records.restore("use-utc", kind="rumour")


def test_a_miss_names_what_lies_in_the_trash(mem, kept):
    with pytest.raises(RecordNotFoundError, match="No record was deleted"):
        mem.records.restore("nowhere")
    mem.records.delete("lesson", "use-utc", reason="wrong")
    with pytest.raises(RecordNotFoundError, match="There are: use-utc"):
        mem.records.restore("nowhere")


def test_after_a_crash_between_the_two_the_same_call_tidies_up(mem, kept):
    before = kept.read_bytes()
    mem.records.delete("lesson", "use-utc", reason="wrong")
    kept.write_bytes(before)
    kept.chmod(0o600)
    mem.records.restore("use-utc")
    assert kept.read_bytes() == before
    assert trash(mem) == []


def test_a_file_that_is_no_record_comes_back_as_it_was(mem, kept):
    before = kept.read_bytes()
    kept.write_bytes(b"---\nkind: [\n")
    mem.records.list()
    mem.records.delete("lesson", "use-utc", reason="damaged")
    receipt = mem.records.restore("use-utc")
    assert receipt.record is None
    assert kept.read_bytes() == b"---\nkind: [\n"
    kept.write_bytes(before)


@pytest.mark.parametrize("note", [None, b"{torn", b"[]"], ids=["gone", "torn", "no object"])
def test_a_note_that_cannot_be_read_hides_no_record(mem, kept, note):
    mem.records.delete("lesson", "use-utc", reason="wrong")
    (path,) = mem.paths.deleted_records.glob("*.json")
    path.unlink()
    if note is not None:
        path.write_bytes(note)
    (deleted,) = deleted_records.listed(mem.paths)
    assert (deleted.slug, deleted.reason, deleted.path) == ("use-utc", None, "memory/use-utc.md")
    assert mem.records.restore("use-utc").record.slug == "use-utc"


def test_what_left_the_trash_meanwhile_is_said_to_be_gone(mem, kept):
    mem.records.delete("lesson", "use-utc", reason="wrong")
    (deleted,) = deleted_records.listed(mem.paths)
    for path in trash(mem):
        path.unlink()
    with (
        canonical.writing(mem._store, "test") as held,
        pytest.raises(RecordNotFoundError, match="no longer in the trash"),
    ):
        deleted_records.put_back(mem._store, held, deleted)


def test_while_somebody_else_writes_records_nothing_is_restored(mem, kept):
    mem.records.delete("lesson", "use-utc", reason="wrong")
    with canonical.writing(mem._store, "test"), pytest.raises(LockedError):
        mem.records.restore("use-utc")
    assert records.read(mem.paths, "memory", "use-utc").state == "missing"


def test_the_note_beside_a_deleted_record_says_when_and_why(mem, kept):
    mem.records.delete("lesson", "use-utc", reason="wrong")
    (path,) = mem.paths.deleted_records.glob("*.json")
    assert set(json.loads(path.read_bytes())) == {"path", "sha256", "deleted_at", "reason", "actor"}
