"""What is promised of every import, tried on every kind: a new row of the table is a new column of these tests."""

import hashlib
import json
import random
import sqlite3
from dataclasses import replace

import pytest

import memkit
from memkit.errors import ImportSourceError, InvalidInputError, UsageError
from memkit.importers.batches import Against, import_batches
from memkit.importers.detect import detect
from memkit.importers.intake import Intake, Place
from memkit.importers.kinds.table import KINDS, kind_of, names
from memkit.importers.report import FATES
from memkit.model.entry import StoredEntry
from memkit.settings import Environment
from memkit.store.receipt import StoreReceipt
from tests.importers.writers import DATABASES, RETURNING, TIMELESS, UNLINKED, WRITERS, Told

ITEMS = [
    Told("q1", "Which queue carries payments?", "Keep LISTEN/NOTIFY; a broker is one more thing to run."),
    Told("q2", "How are backups tested?", "Restore one of them every month, by hand.", "2026-04-01"),
    Told("q3", "Which format do dates have?", "ISO 8601 everywhere, in UTC.", "2026-05-09"),
]
SCRIPTS = [
    Told("s1", "どのキューを使うか", "当面は PostgreSQL の LISTEN/NOTIFY を使い続ける。"),
    Told("s2", "أي طابور نستخدم؟", "نبقي على الحل الحالي، ونراجعه في الربيع."),
    Told("s3", "Какую очередь взять", "Оставляем как есть: ещё один брокер не нужен 👩‍👩‍👧‍👦 Z̡͊͠."),
]
SECRET = "AKIA" + "QWERTYUIOPASDFGH"
every_kind = pytest.mark.parametrize("kind", names())


@pytest.fixture
def mem(project, root, tmp_path):
    around = Environment(home=tmp_path, config_file=tmp_path / "config.toml")
    with memkit.open(project, root=root, enabled=True, environment=around) as memory:
        yield memory


@pytest.fixture
def folder(project):
    made = project / "from"
    made.mkdir()
    return made


@pytest.fixture
def read(project, tmp_path):
    """An import without a store: what it would say and store."""

    def run(kind, path, **options):
        new = []

        def keep(entries):
            new.extend(entries)
            return [StoreReceipt(_stored(entry)) for entry in entries]

        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        intake = Intake(path, Place(str(project)), scratch, "0" * 12)
        report = import_batches(kind, kind_of(kind).reader().drafts, intake, Against({}), keep=keep, **options)
        assert not list(scratch.iterdir())
        return accounted(report), new

    return run


def _stored(new):
    return StoredEntry("0" * 32, 0, "0" * 12, "/p", new.panel_id, new.question, new.tags, new.result)


def said(entries):
    return [f"{entry.question} {json.dumps(entry.result, ensure_ascii=False)}" for entry in entries]


def write(kind, folder, items=ITEMS):
    return WRITERS[kind](folder, items)


def first_file(path):
    return path if path.is_file() else min(each for each in path.rglob("*") if each.is_file())


def state(folder):
    """Every file below a folder: its bytes and its time."""
    return {
        str(each.relative_to(folder)): (hashlib.sha256(each.read_bytes()).hexdigest(), each.stat().st_mtime_ns)
        for each in sorted(folder.rglob("*"))
        if each.is_file() and not each.name.endswith((".lock", ".log"))
    }


def accounted(report):
    """Every item has one fate, and a reason where it was not taken."""
    assert sum(report.counts.values()) == report.n_seen
    assert all(account.fate in FATES for account in report.files)
    assert all(account.reason for account in report.files if account.fate in ("skipped", "rejected"))
    assert all(account.path for account in report.files)
    return report


def test_each_kind_of_the_table_has_a_file_to_be_tried_with():
    assert set(WRITERS) == {kind.name for kind in KINDS}
    assert len(set(names())) == len(KINDS)


@every_kind
def test_each_item_is_imported_once_and_a_changed_one_replaces_what_was_there(kind, mem, folder):
    path = write(kind, folder)
    before = state(folder)
    first = accounted(mem.import_from(kind, path))
    assert first.counts == {"imported": 3, "unchanged": 0, "updated": 0, "skipped": 0, "rejected": 0}
    assert all(account.entry_id for account in first.files)
    second = accounted(mem.import_from(kind, path))
    assert second.counts["unchanged"] == 3
    assert len(mem.list()) == 3
    assert state(folder) == before
    entries = [mem.get(line.id) for line in mem.list()]
    for item in ITEMS:
        assert sum(item.title in text and item.text in text for text in said(entries)) == 1
    assert kind in RETURNING or {entry.source.kind for entry in entries} == {kind}
    assert ITEMS[0].title in mem.recall("broker")[0].question

    rows = mem.sql("select title, decided_on, final_score, judge_confidence from entries order by title").rows
    assert {row["final_score"] for row in rows} == {row["judge_confidence"] for row in rows} == {None}
    if kind in TIMELESS:
        assert {row["decided_on"] for row in rows} == {None}
        assert first.field_totals["decided_on"]["not measurable"] == 3
    else:
        assert {str(row["decided_on"]) for row in rows} == {item.day for item in ITEMS}

    changed = [ITEMS[0], replace(ITEMS[1], text="Restore two of them every month."), ITEMS[2]]
    report = accounted(mem.import_from(kind, write(kind, folder, changed)))
    if kind in RETURNING:
        assert (report.counts["rejected"], report.counts["unchanged"]) == (1, 2)
        return
    assert (report.counts["updated"], report.counts["unchanged"], report.counts["imported"]) == (1, 2, 0)
    (account,) = [each for each in report.files if each.fate == "updated"]
    assert mem.get(account.entry_id).replaces == account.replaces
    assert len(mem.recall("restore")) == 1
    assert mem.verify() == []


@every_kind
def test_a_dry_run_writes_nothing_and_a_limit_ends_where_the_next_import_goes_on(kind, mem, folder, root):
    path = write(kind, folder)
    before = state(root)
    seen = []
    dry = mem.import_from(kind, path, dry_run=True, progress=seen.append)
    assert dry.dry_run
    assert state(root) == before
    assert sum(seen) == dry.n_seen
    assert all(account.fields for account in dry.files)
    assert "What became of the fields" in dry.to_text()
    assert dry.to_dict()["counts"] == dry.counts
    cut = mem.import_from(kind, path, limit=2)
    assert cut.is_cut
    assert cut.counts["imported"] == 2
    rest = accounted(mem.import_from(kind, path, limit=2))
    assert (rest.counts["unchanged"], rest.counts["imported"], rest.is_cut) == (2, 1, False)
    assert [(a.path, a.fields) for a in dry.files] == [(a.path, a.fields) for a in rest.files]
    wrong = next(other for other in ("server-memory", "consensus", "adr") if other != kind)
    report = accounted(mem.import_from(wrong, path, dry_run=True))
    assert report.counts["imported"] == 0
    assert f"memkit import {kind} " in report.suggestion
    assert report.suggestion in " ".join(report.to_text().split())


@every_kind
def test_text_in_any_script_comes_back_as_it_was(kind, read, folder):
    report, new = read(kind, write(kind, folder, SCRIPTS))
    assert report.counts["imported"] == 3
    for item in SCRIPTS:
        assert sum(item.title in text and item.text in text for text in said(new)) == 1


@every_kind
def test_secrets_are_masked_and_counted(kind, mem, folder, root):
    items = [replace(ITEMS[0], text=f"The key is {SECRET}."), replace(ITEMS[1], title=f"Is {SECRET} old?"), ITEMS[2]]
    path = write(kind, folder, items)
    report = accounted(mem.import_from(kind, path))
    assert sum(sum(account.scrubbed.values()) for account in report.files) >= 2
    assert SECRET.encode() not in b"".join(p.read_bytes() for p in root.rglob("*") if p.is_file())
    assert SECRET[:12] not in json.dumps(report.to_dict())
    assert SECRET[:12] not in json.dumps(mem.import_from(kind, write(kind, folder, items), dry_run=True).to_dict())
    again = mem.import_from(kind, path)
    assert (again.counts["unchanged"], again.counts["imported"]) == (3, 0)


@every_kind
def test_items_that_replace_each_other_in_a_circle_are_taken_as_they_are(kind, read, folder):
    circle = [replace(ITEMS[0], replaces="q3"), replace(ITEMS[1], replaces="q1"), replace(ITEMS[2], replaces="q2")]
    report, _ = read(kind, write(kind, folder, circle))
    assert report.counts["imported"] == 3
    assert report.links_resolved == (0 if kind in UNLINKED else 3)
    assert not report.links_dangling


@every_kind
def test_an_empty_file_is_an_account_and_no_error(kind, read, folder):
    path = write(kind, folder)
    first_file(path).write_bytes(b"")
    report, _ = read(kind, path)
    assert report.counts["skipped"] + report.counts["rejected"] >= 1


@every_kind
def test_a_folder_of_junk_is_accounted_for_file_by_file(kind, read, folder):
    random.seed(3)
    endings = [".json", ".jsonl", ".md", ".db", ".sqlite", ".txt", "", ".MD", ".JSON"]
    for n in range(60):
        (folder / f"junk-{n}{endings[n % len(endings)]}").write_bytes(random.randbytes(n * 7))
    (folder / "memory.jsonl").write_bytes(b'{}\n[]\nnull\n\n"x"\n{"type": 3}\n')
    (folder / "deep.json").write_bytes(b"[" * 5000)
    (folder / "magic.db").write_bytes(b"SQLite format 3\0" + random.randbytes(3000))
    report, new = read(kind, folder)
    assert not new
    assert report.n_seen >= 60


@every_kind
@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_a_cut_off_file_is_read_as_far_as_it_goes_and_says_so(kind, part, read, folder):
    many = [Told(f"n{n}", f"Question {n}?", f"Answer {n}. {'Words to fill. ' * 30}") for n in range(40)]
    path = write(kind, folder, many)
    last = first_file(path)
    whole = last.read_bytes()
    last.write_bytes(whole[: int(len(whole) * part)])
    report, new = read(kind, path)
    assert len(new) <= 40
    if path.is_file():
        assert report.counts["rejected"] + report.counts["skipped"] >= 1
        assert part < 0.5 or kind in DATABASES or len(new) >= 40 * part - 2
    last.write_bytes(whole)
    report, new = read(kind, path)
    assert len(new) == 40


@every_kind
def test_the_kind_is_found_out_with_its_evidence(kind, folder, tmp_path):
    found = detect(write(kind, folder), tmp_path)
    assert found.kind == kind, found.candidates
    assert found.candidates[0].signs
    assert detect(folder, tmp_path).kind == kind
    assert kind in found.to_text()
    assert found.to_dict()["kind"] == kind


@every_kind
def test_the_same_items_twice_in_one_place_are_one(kind, read, folder):
    path = write(kind, folder)
    if path.suffix == ".jsonl":
        path.write_bytes(path.read_bytes().rstrip(b"\n") + b"\n" + path.read_bytes())
    else:
        (folder / "link.md").symlink_to(first_file(path))
    report, new = read(kind, folder)
    assert len(new) == 3
    assert report.counts["skipped"] >= 1


@every_kind
def test_a_path_that_is_not_there_is_a_typed_error(kind, read, folder):
    with pytest.raises(ImportSourceError, match="does not exist"):
        read(kind, folder / "nowhere")


databases = pytest.mark.parametrize("kind", sorted(DATABASES))


@databases
def test_rows_in_a_write_ahead_log_are_read_and_the_log_stays(kind, read, folder):
    path = write(kind, folder)
    writer = sqlite3.connect(path)
    try:
        assert writer.execute("pragma journal_mode = wal").fetchone() == ("wal",)
        writer.execute("pragma wal_autocheckpoint = 0")
        writer.execute("create table only_in_the_log (x)")
        writer.execute("insert into only_in_the_log values (1)")
        writer.commit()
        assert path.with_name(path.name + "-wal").stat().st_size
        before = state(folder)
        assert read(kind, path)[0].counts["imported"] == 3
        assert state(folder) == before
    finally:
        writer.close()


def test_an_unknown_kind_and_a_limit_of_nothing_are_refused(mem, folder):
    with pytest.raises(UsageError, match="--detect"):
        mem.import_from("papyrus", folder)
    for limit in (0, -1, True, 1.5):
        with pytest.raises(InvalidInputError, match="from 1 up"):
            mem.import_from("adr", folder, limit=limit)
