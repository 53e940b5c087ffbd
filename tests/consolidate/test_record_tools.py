"""`mem.records`: linted, durable, audited; a person's edits are noticed once and never overwritten."""

import datetime as dt
import inspect
import os
import re
import stat

import pytest

from memkit.consolidate.lint import RULES
from memkit.consolidate.record_tools import RecordTools
from memkit.errors import (
    ConflictError,
    DamagedError,
    InvalidInputError,
    LintError,
    LockedError,
    MemkitWarning,
    NotEnabledError,
    RecordNotFoundError,
)
from memkit.model.record import Record
from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.store import canonical, records
from memkit.store.audit_log import read_events
from tests.docs.reading import ROOT, rows, section

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3
PAGE = ROOT / "docs" / "reference" / "records.md"


@pytest.fixture
def opened(root, project, clock, tmp_path):
    environment = Environment(home=tmp_path, config_file=tmp_path / "config.toml")

    def again():
        return open_memory(project, root=root, enabled=True, clock=clock, environment=environment)

    return again


@pytest.fixture
def mem(opened):
    with opened() as memory:
        yield memory
        assert memory.verify() == []


def lesson(mem, **more):
    given = {"title": "Use UTC", "body": "Store instants.", "sources": ["Mara"], "triggers": ["a clock"], **more}
    return mem.records.write("lesson", **given)


def events(mem):
    found = [e for e in read_events(mem.paths)[0] if e["event"].startswith("record")]
    return [(e["op"], e["status"], e.get("slug"), e.get("reason")) for e in found]


def by_hand(mem, path, change):
    file = mem.paths.folder / path
    file.write_bytes(change(file.read_bytes()))


def test_a_record_is_written_read_edited_and_deleted_with_an_event_each(mem, clock):
    receipt = lesson(mem)
    assert (receipt.op, receipt.path, receipt.slug, receipt.findings) == ("write", "memory/use-utc.md", "use-utc", ())
    assert receipt.record == Record(
        "use-utc", "lesson", "# Use UTC\n\nStore instants.", created_at=clock.now(), updated_at=clock.now(),
        sources=("Mara",), triggers=("a clock",),
    )  # fmt: skip
    clock.advance(dt.timedelta(days=3))
    shown = mem.records.read("lesson", "use-utc")
    assert (shown.record, shown.sha256, shown.age_days) == (receipt.record, receipt.after_hash, 3.0)
    edited = mem.records.edit("lesson", "use-utc", tags=["time"], extra={"owner": "Mara"})
    assert (edited.before_hash, edited.record.tags, edited.record.updated_at) == (
        receipt.after_hash,
        ("time",),
        clock.now(),
    )
    gone = mem.records.delete("lesson", "use-utc", reason="It was wrong.")
    assert (mem.paths.folder / gone.kept_as).exists()
    assert events(mem) == [
        ("write", "done", "use-utc", None),
        ("read", "done", "use-utc", None),
        ("edit", "done", "use-utc", None),
        ("delete", "done", "use-utc", None),
    ]
    chain = [
        (e.get("before_hash"), e.get("after_hash"))
        for e in read_events(mem.paths)[0]
        if e["event"] == "record_operation"
    ]
    assert [after for _, after in chain[:-1]] == [before for before, _ in chain[1:]]
    with pytest.raises(RecordNotFoundError):
        mem.records.read("lesson", "use-utc")
    assert events(mem)[-1] == ("read", "failed", "use-utc", "record-not-found")


def test_names_come_from_titles_and_are_never_used_twice(mem):
    assert lesson(mem).slug == "use-utc"
    second = lesson(mem)
    assert second.slug == "use-utc-2"
    assert mem.records.write("domain", body="# Use UTC\n\nx", sources=["x"]).slug == "use-utc-3"
    assert mem.records.write("domain", body="住所", sources=["x"]).slug.startswith("domain-")
    with pytest.raises(ConflictError):
        lesson(mem, slug="use-utc")
    with pytest.raises(LintError, match="same-slug"):
        mem.records.write("domain", "use-utc", body="x")


def test_what_a_record_replaces_is_marked_in_the_same_call(mem):
    lesson(mem)
    newer = lesson(mem, title="Store zones too", supersedes=["use-utc"])
    assert newer.also == ("memory/use-utc.md",)
    old = mem.records.find("use-utc").record
    assert (old.status, old.superseded_by) == ("superseded", "store-zones-too")
    assert [record.record.slug for record in mem.records.list(status="active")] == ["store-zones-too"]
    assert mem.records.lint().rows == ()
    assert [e[:3] for e in events(mem)[1:3]] == [("write", "done", "store-zones-too"), ("edit", "done", "use-utc")]


def test_a_successor_sets_the_status_and_taking_it_away_sets_it_back(mem):
    lesson(mem)
    lesson(mem, title="Other")
    assert mem.records.edit("lesson", "use-utc", superseded_by="other").record.status == "superseded"
    assert mem.records.edit("lesson", "use-utc", superseded_by=None).record.status == "active"


def test_lint_errors_refuse_the_write_say_everything_and_are_audited(mem):
    with pytest.raises(LintError) as refused:
        lesson(mem, body=f"token {TOKEN}", supersedes=["gone"], sources=[])
    assert [f.code for f in refused.value.findings] == ["dangling-reference", "secret", "no-sources"]
    assert records.read_all(mem.paths).files == ()
    event = read_events(mem.paths)[0][-1]
    assert (event["status"], event["reason"]) == ("failed", "linter_failed")
    assert event["findings"] == ["dangling-reference", "secret"]
    assert not any(TOKEN in path.read_text(errors="replace") for path in mem.paths.folder.rglob("*") if path.is_file())


def test_a_change_is_not_refused_for_what_was_wrong_before(mem):
    lesson(mem)
    by_hand(mem, "memory/use-utc.md", lambda data: data.replace(b"triggers:", b"supersedes: [gone]\ntriggers:"))
    mem.records.read("lesson", "use-utc")
    receipt = mem.records.edit("lesson", "use-utc", tags=["x"])
    assert [finding.code for finding in receipt.findings] == ["dangling-reference"]
    with pytest.raises(LintError, match="empty-body"):
        mem.records.edit("lesson", "use-utc", body="")


def test_an_edit_by_hand_is_noticed_once_and_a_change_made_for_the_older_bytes_is_refused(mem):
    lesson(mem)
    mem.records.read("lesson", "use-utc")
    by_hand(mem, "memory/use-utc.md", lambda data: data.replace(b"Store instants.", b"Store instants. -- Jo"))
    with pytest.raises(ConflictError) as refused:
        mem.records.edit("lesson", "use-utc", body="mine")
    assert refused.value.expected_hash != refused.value.found_hash
    assert b"-- Jo" in (mem.paths.memory / "use-utc.md").read_bytes()
    mem.records.list()
    mem.records.query("instants")
    mem.records.lint()
    assert mem.records.edit("lesson", "use-utc", tags=["x"]).record.body.endswith("-- Jo")
    ops = [op for op, *_ in events(mem)]
    assert ops.count("external_edit") == 1


def test_files_made_renamed_and_removed_by_hand_are_noticed_once_each(mem, opened):
    lesson(mem)
    text = (mem.paths.memory / "use-utc.md").read_bytes()
    (mem.paths.memory / "use-utc.md").rename(mem.paths.memory / "keep-utc.md")
    with opened() as other:
        other.records.list()
        other.records.list()
    mem.records.list()
    found = [(op, slug) for op, _, slug, _ in events(mem) if op == "external_edit"]
    assert sorted(found) == [("external_edit", "keep-utc"), ("external_edit", "use-utc")]
    assert (mem.paths.memory / "keep-utc.md").read_bytes() == text


def test_writes_of_memkit_are_no_edits_by_hand_in_any_process(mem, opened):
    lesson(mem)
    with opened() as other:
        other.records.edit("lesson", "use-utc", tags=["x"])
        lesson(other, title="Other")
        other.records.delete("lesson", "other", reason="Twice.")
    mem.records.list()
    assert "external_edit" not in [op for op, *_ in events(mem)]


def test_while_somebody_writes_records_can_be_read_and_edits_by_hand_wait(mem):
    lesson(mem)
    by_hand(mem, "memory/use-utc.md", lambda data: data + b"\nMore.\n")
    with canonical.writing(mem._store, "consolidate"):
        assert mem.records.find("use-utc").record.body.endswith("More.")
        with pytest.raises(LockedError) as refused:
            lesson(mem, title="Other")
    assert refused.value.holder["command"] == "consolidate"
    assert events(mem)[-1][1:] == ("failed", "", "lock_held")
    assert "external_edit" not in [op for op, *_ in events(mem)]
    mem.records.list()
    assert [op for op, *_ in events(mem)].count("external_edit") == 1


def test_reading_in_a_project_where_nothing_is_stored_makes_nothing(mem):
    assert len(mem.records.list()) == 0
    assert len(mem.records.query("anything")) == 0
    assert len(mem.records.lint()) == 0
    with pytest.raises(RecordNotFoundError):
        mem.records.find("nothing")
    assert not mem.paths.folder.exists()


def test_a_damaged_record_is_shown_with_its_reason_and_can_be_deleted(mem):
    lesson(mem)
    lesson(mem, title="Other")
    by_hand(mem, "memory/other.md", lambda data: data.replace(b"kind: lesson", b"kind: [lesson"))
    listed = mem.records.list()
    assert [row.record.slug for row in listed] == ["use-utc"]
    assert [problem.code for problem in listed.problems] == ["damaged-record"]
    assert [(f.code, f.path) for f in mem.records.lint()] == [("damaged", "memory/other.md")]
    with pytest.raises(DamagedError):
        mem.records.read("lesson", "other")
    assert mem.records.delete("lesson", "other", reason="Beyond repair.").record is None


def test_a_deletion_names_who_still_refers_to_it(mem):
    lesson(mem)
    lesson(mem, title="Newer", supersedes=["use-utc"])
    gone = mem.records.delete("lesson", "use-utc", reason="Old.")
    assert [(f.path, f.code) for f in gone.findings] == [("memory/newer.md", "dangling-reference")]


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda r: r.write("rumour", body="x"), "kind"),
        (lambda r: r.write("lesson", body=5), "body"),
        (lambda r: r.write("lesson", body="x", extra={"kind": "domain"}), "extra"),
        (lambda r: r.write("lesson", body="x", tags=[3]), "tags"),
        (lambda r: r.edit("lesson", "../x"), "slug"),
        (lambda r: r.edit("lesson", "use-utc", status="done"), "status"),
        (lambda r: r.edit("decision", "use-utc", tags=[]), "kind"),
        (lambda r: r.delete("lesson", "use-utc", reason=" "), "reason"),
        (lambda r: r.read("lesson", "Use UTC"), "slug"),
        (lambda r: r.list(status="gone"), "status"),
        (lambda r: r.query("x", limit=0), "limit"),
        (lambda r: r.query("x", limit=True), "limit"),
        (lambda r: r.query("x", "rumour"), "kind"),
    ],
)
def test_a_call_that_is_written_wrong_names_the_field(mem, call, field):
    lesson(mem)
    with pytest.raises(InvalidInputError) as refused:
        call(mem.records)
    assert refused.value.field == field
    assert len(mem.records.list()) == 1


def test_no_record_goes_through_the_tools_unless_memory_is_on(root, project, tmp_path):
    environment = Environment(home=tmp_path, config_file=tmp_path / "config.toml")
    with (
        open_memory(project, root=root, environment=environment, even_if_off=True) as off,
        pytest.raises(NotEnabledError),
    ):
        off.records.list()


def test_a_log_that_cannot_be_written_stops_no_record(mem, monkeypatch):
    lesson(mem)
    mem.paths.current_log.unlink()
    for path in mem.paths.logs.iterdir():
        path.unlink()
    mem.paths.logs.rmdir()
    mem.paths.logs.write_bytes(b"")
    try:
        with pytest.warns(MemkitWarning, match="audit log"):
            mem.records.edit("lesson", "use-utc", tags=["x"])
        mem.records.edit("lesson", "use-utc", tags=["y"])
        assert mem.records.find("use-utc").record.tags == ("y",)
    finally:
        mem.paths.logs.unlink()


def test_opening_reading_and_closing_touch_no_record_and_no_byte_outside_log_and_hashes(mem, opened):
    lesson(mem)
    by_hand(mem, "memory/use-utc.md", lambda data: data + b"\nMore.\n")

    def state():
        return {
            path: (path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
            for folder in (mem.paths.memory, mem.paths.knowledge, mem.paths.staging, mem.paths.deadletter)
            for path in sorted(folder.glob("*"))
        }

    before = state()
    with opened() as other:
        other.refresh()
        other.recall("instants")
        other.records.list()
        other.records.query("instants")
        other.records.lint()
    assert state() == before


def test_results_are_plain_data(mem):
    import json

    receipt = lesson(mem)
    for result in (
        receipt,
        mem.records.find("use-utc"),
        mem.records.list(),
        mem.records.query("instants"),
        mem.records.lint(),
    ):
        json.dumps(result.to_dict(), allow_nan=False)
        assert repr(result)
    assert os.path.basename(receipt.path) == "use-utc.md"


# -- the page ---------------------------------------------------------------------------------------------------------


def _signature(name, function):
    said = []
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in said:
            said.append("*")
        default = parameter.default
        given = "" if default is parameter.empty else "=..." if type(default) is object else f"={default!r}"
        said.append(f"{parameter.name}{given}")
    return f"{name}({', '.join(said)}) -> {inspect.signature(function).return_annotation}"


def test_the_page_has_every_tool_with_its_signature_and_no_other():
    tools = {n: f for n, f in vars(RecordTools).items() if not n.startswith("_") and inspect.isfunction(f)}
    shown = [line for line in section(PAGE, "## Tools").split("\n") if re.match(r"\w+\(.*\) -> \w+$", line)]
    assert sorted(shown) == sorted(_signature(name, function) for name, function in tools.items())


def test_the_page_has_every_rule_with_its_severity_and_no_other():
    table = [(row[0].strip("`"), row[1]) for row in rows(section(PAGE, "## Lint"))]
    assert table == sorted(RULES.items())
