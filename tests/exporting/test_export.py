"""An export is whole or absent, says what is in it, changes nothing, and comes back as the store it was."""

import datetime as dt
import hashlib
import json

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest

import memkit
from memkit.clock import UTC, FixedClock
from memkit.errors import InvalidInputError, NotEnabledError, OutcomeUnknownError, StoreError, UsageError
from memkit.exporting.report import FORMATS
from memkit.model.entry import Source
from memkit.settings import Environment
from memkit.store import durable
from memkit.store.new_entry import NewEntry

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SECRET = "AKIA" + "QWERTYUIOPASDFGH"


@pytest.fixture
def around(tmp_path):
    return Environment(home=tmp_path, config_file=tmp_path / "config.toml")


@pytest.fixture
def open_project(tmp_path, around):
    opened = []

    def run(name, **options):
        (tmp_path / name).mkdir(exist_ok=True)
        mem = memkit.open(
            tmp_path / name,
            root=tmp_path / "root",
            **{"enabled": True, **options},
            clock=FixedClock(NOW),
            environment=around,
        )
        opened.append(mem)
        return mem

    yield run
    for mem in opened:
        mem.close()


@pytest.fixture
def mem(open_project):
    memory = open_project("shop")
    fill(memory)
    return memory


def fill(memory):
    """Entries of each shape: a plain one, an edition and its successor, one of another day, one with unknown fields."""
    day = int(NOW.timestamp() * 1000)
    plain = memory.store(question="Which queue?", result={"synthesis": {"content": "Keep LISTEN."}}, tags=["payments"])
    source = Source("adr", "docs/0001.md", "1" * 64)
    document = {"title": "Où va-t-on ?", "status": "accepted", "decidedOn": "2026-03-04", "conclusion": "到了。"}
    result = {"synthesis": {"content": "Long text."}, "document": document, "tripwires": ["p99 > 5 ms for 2 weeks"]}
    new = [
        NewEntry(
            "Older?", {"conclusion": "No."}, "adr", ("x",), day - 900_000_000, None, source, None, {"theirs": [1, None]}
        ),
        NewEntry("Où?", result, "adr", ("payments", "ünïcode"), day - 800_000_000, None, source),
    ]
    older, newer = memory._keep(new, op="import", prune=True)
    memory._keep(
        [NewEntry("Newer?", {"conclusion": "Yes."}, "adr", (), day - 700_000_000, older.id, source)],
        op="import",
        prune=True,
    )
    return plain, older, newer


def envelopes(memory):
    return [memory.get(line.id).to_envelope() for line in reversed(list(memory.list()))]


def files(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def truth(memory):
    return {
        name: data
        for name, data in files(memory.paths.folder).items()
        if not name.startswith(("_logs", "snapshots")) and not name.endswith(".lock")
    }


def check_manifest(receipt, folder):
    said = json.loads((folder / "_manifest.json").read_bytes())
    written = {name: data for name, data in files(folder).items() if name != "_manifest.json"}
    assert {each["name"] for each in said["files"]} == set(written)
    for each in said["files"]:
        data = written[each["name"]]
        assert (each["size"], each["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    assert said["entries"] == receipt.n_entries == sum(each["rows"] for each in said["files"])
    assert (said["kind"], said["version"], said["format"]) == ("memkit-export", 1, receipt.format)
    assert list(receipt.to_dict()["files"]) == said["files"]
    assert all((folder / each["name"]).stat().st_mode & 0o077 == 0 for each in said["files"])
    return said


@pytest.mark.parametrize("format", FORMATS)
def test_an_export_is_described_by_its_manifest_and_changes_nothing(format, mem, tmp_path):
    before = truth(mem)
    seen = []
    receipt = mem.export(tmp_path / "out", format=format, progress=seen.append)
    said = check_manifest(receipt, tmp_path / "out")
    assert sum(seen) == 4
    assert receipt.n_entries + len(receipt.left_out) == 4
    assert said["projects"] == [{"project_key": mem.paths.key, "project_path": mem.paths.project_path}]
    assert truth(mem) == before
    assert "Exported" in receipt.to_text()
    assert not [p for p in tmp_path.iterdir() if p.name.endswith(".tmp")]


def test_json_lines_taken_into_an_emptied_store_give_the_same_store(mem, tmp_path):
    before, lines = envelopes(mem), list(mem.list())
    mem.export(tmp_path / "out")
    mem.wipe(confirm=mem.paths.key)
    report = mem.import_from("memkit", tmp_path / "out")
    assert report.counts["imported"] == 4
    assert envelopes(mem) == before
    assert list(mem.list()) == lines
    assert mem.verify() == []
    assert mem.import_from("memkit", tmp_path / "out").counts["unchanged"] == 4
    mem.export(tmp_path / "again")
    assert (tmp_path / "again" / "entries.jsonl").read_bytes() == (tmp_path / "out" / "entries.jsonl").read_bytes()


def test_another_project_takes_the_entries_as_its_own(mem, tmp_path, open_project):
    mem.export(tmp_path / "out")
    other = open_project("other")
    report = other.import_from("memkit", tmp_path / "out" / "entries.jsonl")
    assert report.counts["imported"] == 4
    assert all("it was stored for" in note for account in report.files for note in account.notes)
    theirs = [{**each, "projectKey": "", "projectPath": ""} for each in envelopes(mem)]
    ours = [{**each, "projectKey": "", "projectPath": ""} for each in envelopes(other)]
    assert ours == theirs
    assert {each["projectKey"] for each in envelopes(other)} == {other.paths.key}
    assert other.verify() == []


def test_an_entry_of_the_same_id_that_says_something_else_is_refused(mem, tmp_path):
    mem.export(tmp_path / "out")
    path = tmp_path / "out" / "entries.jsonl"
    path.write_text(path.read_text("utf-8").replace("Keep LISTEN.", "Drop it."), "utf-8")
    report = mem.import_from("memkit", path)
    assert (report.counts["unchanged"], report.counts["rejected"]) == (3, 1)
    assert any("another entry of its id" in account.reason for account in report.files)


def test_of_several_projects_each_takes_its_own(tmp_path, open_project, around):
    for name in ("shop", "other"):
        (tmp_path / name).mkdir()
        memkit.enable(tmp_path / name, environment=around)
        open_project(name).store(question=f"What of {name}?", result={"conclusion": name})
    mem = open_project("shop")
    receipt = mem.export(tmp_path / "out", across_projects=True)
    assert receipt.n_entries == 2
    assert {file.name.split("/")[0] for file in receipt.files} == {f"project_key={key}" for key in receipt.projects}
    third = open_project("third")
    assert third.import_from("memkit", tmp_path / "out").counts["imported"] == 0
    report = mem.import_from("memkit", tmp_path / "out")
    assert report.counts["unchanged"] == 1
    assert report.counts["skipped"] == 2
    one = next(iter(sorted((tmp_path / "out").glob("project_key=*"))))
    assert third.import_from("memkit", one).counts["imported"] == 1


def test_parquet_is_a_dataset_other_engines_read_by_project(tmp_path, open_project, around):
    for name in ("shop", "other"):
        (tmp_path / name).mkdir()
        memkit.enable(tmp_path / name, environment=around)
        fill(open_project(name))
    receipt = open_project("shop").export(tmp_path / "out", format="parquet", across_projects=True)
    assert receipt.n_entries == 8
    pattern = str(tmp_path / "out" / "*" / "*.parquet")
    query = "select project_key, count(*), max(stored_at) from read_parquet($1, hive_partitioning = true, hive_types = {'project_key': varchar}) group by 1 order by 1"
    rows = duckdb.execute(query, [pattern]).fetchall()
    assert [(key, n) for key, n, _ in rows] == [(key, 4) for key in sorted(receipt.projects)]
    frame = pd.read_parquet(
        tmp_path / "out", engine="pyarrow", columns=["entry_id", "decided_on", "tags", "project_key"]
    )
    assert sorted(frame["project_key"].astype(str).unique()) == sorted(receipt.projects)
    assert frame["decided_on"].notna().sum() == 2
    polars = pytest.importorskip("polars")
    table = polars.read_parquet(pattern, hive_partitioning=True)
    assert table.group_by("project_key").len()["len"].to_list() == [4, 4]
    assert table.filter(polars.col("tripwires").list.len() > 0).height == 2
    schema = pq.read_schema(next((tmp_path / "out").rglob("*.parquet")))
    assert "project_key" not in schema.names
    assert json.loads(table.filter(polars.col("question") == "Où?")["result"][0])["document"]["conclusion"] == "到了。"


def test_panel_results_come_back_through_their_own_importer(mem, tmp_path, open_project):
    receipt = mem.export(tmp_path / "out", format="consensus")
    assert receipt.n_entries == 2
    assert {each.reason for each in receipt.left_out} == {"no panel's result: it has no rounds, synthesis or score"}
    report = open_project("other").import_consensus(tmp_path / "out")
    assert report.counts["imported"] == 2


def test_pages_hold_what_is_known_above_the_text(mem, tmp_path):
    mem.export(tmp_path / "out", format="markdown")
    page = next((tmp_path / "out").glob("2026-03-04-*.md")).read_text("utf-8")
    assert '\nstatus: "accepted"\ndate: "2026-03-04"\n' in page
    assert "\n# Où va-t-on ?\n\nLong text.\n" in page
    assert "## Decision\n\n到了。" in page
    assert "## Tripwire conditions\n\n- p99 > 5 ms for 2 weeks" in page
    found = mem.detect(next((tmp_path / "out").glob("2026-03-04-*.md")))
    assert found.kind == "adr"


@pytest.mark.parametrize(
    ("asked", "n"),
    [
        pytest.param({"panel": "adr"}, 3, id="panel"),
        pytest.param({"any_tag": ["payments", "x"]}, 3, id="any-tag"),
        pytest.param({"all_tags": ["payments", "ünïcode"]}, 1, id="all-tags"),
        pytest.param({"since_days": 1}, 1, id="days"),
        pytest.param({"query": "queue"}, 1, id="query"),
        pytest.param({"query": "queue", "panel": "adr"}, 0, id="query-and-panel"),
        pytest.param({"query": "nothing of the kind"}, 0, id="no-hit"),
    ],
)
def test_a_part_is_exported_and_the_manifest_says_which(asked, n, mem, tmp_path):
    receipt = mem.export(tmp_path / "out", **asked)
    said = check_manifest(receipt, tmp_path / "out")
    assert receipt.n_entries == n
    assert {name: said["filters"][name] for name in asked} == asked


def test_it_works_while_memory_is_off(mem, tmp_path, open_project):
    mem.close()
    off = open_project("shop", enabled=False, even_if_off=True)
    with pytest.raises(NotEnabledError):
        off.recall("queue")
    assert off.export(tmp_path / "out").n_entries == 4
    assert off.export(tmp_path / "found", query="queue").n_entries == 1


def test_an_empty_store_gives_an_empty_export(open_project, tmp_path):
    receipt = open_project("shop").export(tmp_path / "out")
    assert receipt.n_entries == 0
    check_manifest(receipt, tmp_path / "out")


def test_a_secret_that_lay_in_the_store_does_not_leave_it(mem, tmp_path):
    path = mem.paths.entry_file(mem.list()[0].id)
    path.write_bytes(path.read_bytes().replace(b"Keep LISTEN.", f"Keep {SECRET}.".encode()))
    for format in FORMATS:
        receipt = mem.export(tmp_path / format, format=format)
        assert sum(receipt.scrubbed.values()) == 1
        assert SECRET.encode() not in b"".join(files(tmp_path / format).values())


def test_what_cannot_be_read_is_listed_and_the_rest_exported(mem, tmp_path):
    damaged, gone, *_ = [mem.paths.entry_file(line.id) for line in mem.list()]
    damaged.write_bytes(b"{")
    gone.unlink()
    receipt = mem.export(tmp_path / "out")
    assert receipt.n_entries == 2
    assert {each.entry_id for each in receipt.left_out} == {damaged.stem, gone.stem}
    assert all(each.reason for each in receipt.left_out)


def test_a_folder_with_something_in_it_and_a_store_are_refused(mem, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    (tmp_path / "link").symlink_to(mem.paths.folder)
    for place in ("full", "file", "link", "root", "root/new", f"root/{mem.paths.key}/x"):
        with pytest.raises(InvalidInputError) as refused:
            mem.export(tmp_path / place)
        assert refused.value.field == "to"
    (tmp_path / "empty").mkdir()
    assert mem.export(tmp_path / "empty").n_entries == 4
    assert mem.export(tmp_path / "a" / "b" / "new").n_entries == 4
    with pytest.raises(UsageError):
        mem.export(tmp_path / "x", format="pdf")
    with pytest.raises(InvalidInputError):
        mem.export(tmp_path / "x", query=" ")
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("call", ["open", "write", "fsync", "rename", "mkdir"])
def test_a_fault_at_any_step_leaves_no_folder_of_this_name(call, mem, tmp_path, monkeypatch):
    real = getattr(durable.os, call)
    for step in range(40):
        left = [step]

        def failing(*args, **kwargs):
            left[0] -= 1
            if left[0] == -1:
                raise OSError(28, "No space left on device")
            return real(*args, **kwargs)

        target = tmp_path / f"out-{call}-{step}"
        error = None
        with monkeypatch.context() as patch:
            patch.setattr(durable.os, call, failing)
            try:
                mem.export(target, format="parquet")
            except StoreError as fault:
                error = fault
        assert not [p for p in tmp_path.iterdir() if p.name.endswith(".tmp")], step
        if error is None:
            break
        # Only the flush of the folder around it comes after its name; then it is whole.
        if target.exists():
            assert isinstance(error, OutcomeUnknownError)
            check_manifest(mem.export(tmp_path / f"again-{call}", format="parquet"), target)
    assert left[0] >= 0
    assert step > 0
    check_manifest(mem.export(tmp_path / "whole", format="parquet"), tmp_path / "whole")
