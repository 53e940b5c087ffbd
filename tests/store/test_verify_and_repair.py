"""verify names each damaged spot and writes nothing; repair mends it and keeps every byte."""

import hashlib
import os
import pathlib

import pytest

from memkit.errors import ConfirmationError
from memkit.store import quarantine
from memkit.store.audit_log import read_events
from memkit.store.repair import repair
from memkit.store.verify import verify
from memkit.store.wipe import wipe
from tests.store.conftest import new


def fingerprint(folder: pathlib.Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def filled(make_store):
    store = make_store(sound=False)
    receipts = store.store_many([new(question=f"question {i}") for i in range(4)])
    return store, [receipt.id for receipt in receipts]


def _cut(store, ids):
    path = store.paths.entry_file(ids[1])
    path.write_bytes(path.read_bytes()[:50])


def _edit(store, ids):
    path = store.paths.entry_file(ids[1])
    path.write_bytes(path.read_bytes().replace(b"PostgreSQL", b"MariaDB"))


def _remove_file(store, ids):
    store.paths.entry_file(ids[1]).unlink()


def _remove_index(store, ids):
    store.paths.index.unlink()


def _remove_line(store, ids):
    lines = store.paths.index.read_bytes().split(b"\n")
    store.paths.index.write_bytes(b"\n".join(lines[:1] + lines[2:]))


def _junk_line(store, ids):
    lines = store.paths.index.read_bytes().split(b"\n")
    store.paths.index.write_bytes(b"\n".join([lines[0], b"{junk", *lines[1:]]))


def _torn(store, ids):
    with store.paths.index.open("ab") as file:
        file.write(b'{"id": "half')


def _repeat(store, ids):
    data = store.paths.index.read_bytes()
    store.paths.index.write_bytes(data + data.split(b"\n")[0] + b"\n")


def _glue(store, ids):
    data = store.paths.index.read_bytes()
    store.paths.index.write_bytes(data.replace(b"}\n{", b"}{", 1))


def _temp(store, ids):
    path = store.paths.results / f".x.json.{2**22 + 1}-{'ab' * 8}.tmp"  # no process has this id
    path.write_bytes(b"half")
    path.chmod(0o600)


def _wide(store, ids):
    store.paths.entry_file(ids[0]).chmod(0o644)


def _store_json(store, ids):
    store.paths.store_json.write_bytes(b"garbage{")


CASES = [
    pytest.param(_cut, "damaged-entry", 3, id="entry-cut"),
    pytest.param(_edit, "hash-mismatch", 4, id="entry-edited"),
    pytest.param(_remove_file, "line-without-file", 3, id="file-removed"),
    pytest.param(_remove_index, "index-missing", 4, id="index-removed"),
    pytest.param(_remove_line, "orphan-entry", 4, id="line-removed"),
    pytest.param(_junk_line, "damaged-line", 4, id="junk-line"),
    pytest.param(_torn, "torn-tail", 4, id="torn-tail"),
    pytest.param(_repeat, "repeated-line", 4, id="line-repeated"),
    pytest.param(_glue, "glued-line", 4, id="lines-glued"),
    pytest.param(_temp, "leftover-temp", 4, id="temp-left"),
    pytest.param(_wide, "wide-mode", 4, id="mode-0644"),
    pytest.param(_store_json, "store-json-damaged", 4, id="store-json"),
]


@pytest.mark.parametrize(("damage", "code", "left"), CASES)
def test_damage_is_named_repaired_and_no_byte_lost(filled, damage, code, left):
    store, ids = filled
    damage(store, ids)
    before = fingerprint(store.paths.folder)
    assert [problem.code for problem in verify(store)] == [code]
    plan = repair(store)
    assert plan.dry_run
    assert [action.code for action in plan.actions] == [code]
    assert fingerprint(store.paths.folder) == before

    done = repair(store, dry_run=False)
    assert [action.code for action in done.actions] == [code]
    assert done.problems_left == ()
    assert verify(store) == []
    assert len(store.read_index().lines) == left
    if code in {"damaged-entry", "damaged-line", "torn-tail", "line-without-file", "store-json-damaged"}:
        spot = quarantine.spots(store.paths)[0]
        assert (store.paths.quarantine / f"{spot.name}.bin").stat().st_size == spot.n_bytes > 0
    assert repair(store, dry_run=False).actions == ()


def test_all_damage_at_once_is_mended_in_one_go(filled):
    store, ids = filled
    for damage in (_junk_line, _repeat, _torn, _temp, _wide, _store_json, _cut):
        damage(store, ids)
    repair(store, dry_run=False)
    assert verify(store) == []
    assert [line.id for line in store.read_index().lines] == [ids[0], *ids[2:]]


def test_what_a_sync_tool_left_is_reported_and_never_read(filled):
    store, _ = filled
    for name in ("index (1).jsonl", ".DS_Store", "results/r-0003 2.json", "results/.r-0003.json.icloud"):
        path = store.paths.folder / name
        path.write_bytes(store.paths.index.read_bytes())
        path.chmod(0o600)
    assert [problem.code for problem in verify(store)] == ["stray-file"] * 4
    assert len(store.read_index().lines) == 4
    assert len(repair(store, dry_run=False).problems_left) == 4


def test_a_newer_entry_is_named_and_left_alone(filled):
    store, ids = filled
    path = store.paths.entry_file(ids[2])
    data = path.read_bytes().replace(b'"schemaVersion":1', b'"schemaVersion":7')
    path.write_bytes(data)
    assert [problem.code for problem in verify(store)] == ["newer-entry"]
    repair(store, dry_run=False)
    assert path.read_bytes() == data
    assert ids[2] in [line.id for line in store.read_index().lines]


def test_verify_and_a_dry_repair_of_a_sound_store_change_no_byte(store):
    store.store_many([new()])
    before = fingerprint(store.paths.folder)
    assert verify(store) == []
    assert repair(store).actions == ()
    assert fingerprint(store.paths.folder) == before


def test_repair_is_audited(filled):
    store, ids = filled
    _junk_line(store, ids)
    repair(store, dry_run=False)
    assert read_events(store.paths)[0][-1]["op"] == "repair"


def test_rewriting_the_index_raises_its_generation(filled):
    store, ids = filled
    assert store.generation() == 0
    _junk_line(store, ids)
    repair(store, dry_run=False)
    assert store.generation() == 2


def test_wiping_needs_the_projects_name_or_key(filled):
    store, _ = filled
    before = fingerprint(store.paths.folder)
    for wrong in ("", "yes", "other"):
        with pytest.raises(ConfirmationError):
            wipe(store, confirm=wrong)
    assert fingerprint(store.paths.folder) == before


def test_wiping_leaves_one_line_and_no_text(filled):
    store, ids = filled
    _cut(store, ids)
    repair(store, dry_run=False)
    receipt = wipe(store, confirm=store.paths.key)
    assert receipt.n_entries == 3
    left = b"".join(path.read_bytes() for path in store.paths.folder.rglob("*") if path.is_file())
    assert b"question" not in left
    assert b"PostgreSQL" not in left
    assert [event["op"] for event in read_events(store.paths)[0]] == ["wipe"]
    assert store.read_index().lines == ()
    assert verify(store) == []
    store.store_many([new(question="afterwards")])
    assert verify(store) == []


def test_wiping_one_project_leaves_the_others(make_store, tmp_path):
    kept, gone = tmp_path / "青空", tmp_path / "猫箱"
    kept.mkdir()
    gone.mkdir()
    stays, goes = make_store(kept), make_store(gone)
    stays.store_many([new()])
    goes.store_many([new()])
    before = fingerprint(stays.paths.folder)
    wipe(goes, confirm="猫箱")
    assert fingerprint(stays.paths.folder) == before
    assert os.path.isdir(stays.paths.folder)


def test_verify_of_a_store_that_does_not_exist_is_empty_and_makes_nothing(make_store, root):
    assert verify(make_store()) == []
    assert not root.exists()
