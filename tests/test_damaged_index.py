"""A damaged index is never taken for an empty memory: each answer that may lack entries says so, and repair mends it."""

import json

import pytest

import memkit


@pytest.fixture
def mem(tmp_path):
    """Four entries whose index is junk by now."""
    (tmp_path / "p").mkdir()
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        for n in range(4):
            memory.store(question=f"Which queue {n}?", result={"conclusion": "Kafka."}, panel_id="decision")
        index = memory.paths.index
    index.write_bytes(bytes((n * 37 + 11) % 256 for n in range(600)))
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        yield memory


def test_recall_and_decided_name_the_damage_and_do_not_call_the_memory_empty(mem):
    for found in (mem.recall("queue"), mem.what_we_decided("queue")):
        causes = [miss.cause for miss in found.missed]
        assert "damaged-index" in causes
        assert "empty-store" not in causes
        said = " ".join(found.to_text().split())
        assert "memkit repair --apply" in said
        assert "import adr" not in said


def test_the_summary_the_list_and_the_export_name_it_too(mem, tmp_path):
    assert mem.project_summary().to_dict()["entries"]["damaged_lines"] == 3
    assert "3 index lines cannot be read" in mem.project_summary().to_text()
    listed = mem.list()
    assert (len(listed), listed.n_damaged) == (0, 3)
    assert "Nothing is stored" not in listed.to_text()
    receipt = mem.export(tmp_path / "out")
    assert [each.reason.split(";")[0] for each in receipt.left_out] == ["3 index lines cannot be read"]
    assert "3 index lines" in receipt.to_text()
    assert json.loads((tmp_path / "out" / "_manifest.json").read_text())["left_out"]


def test_repair_brings_every_entry_back(mem):
    mem.repair(dry_run=False)
    assert len(mem.recall("queue")) == 4
    assert [miss.cause for miss in mem.recall("queue").missed] == []
    assert mem.verify() == []


def test_one_damaged_line_is_told_beside_the_hits(tmp_path):
    (tmp_path / "p").mkdir()
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        for n in range(3):
            memory.store(question=f"Which queue {n}?", result={"conclusion": "Kafka."})
        lines = memory.paths.index.read_bytes().splitlines(keepends=True)
        memory.paths.index.write_bytes(lines[0] + b"{torn\n" + lines[2])
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        found = memory.recall("queue")
        assert len(found) == 2
        assert ["1 line of the index" in miss.detail for miss in found.missed if miss.cause == "damaged-index"] == [
            True
        ]


@pytest.mark.parametrize("tail", [b"garbage\n", b"garbage"], ids=["a line", "a torn end"])
@pytest.mark.parametrize("look", ["calendar", "review", "refresh"])
def test_damage_that_is_all_that_is_new_stops_no_question(tmp_path, tail, look):
    (tmp_path / "p").mkdir()
    with memkit.open(tmp_path / "p", root=tmp_path / "root", enabled=True) as memory:
        memory.store(question="Which queue?", result={"conclusion": "Kafka."})
        assert len(memory.recall("queue")) == 1
        with memory.paths.index.open("ab") as file:
            file.write(tail)
        looks = {
            "calendar": lambda: memory.retention.calendar("2126-01-01"),
            "review": memory.retention.review,
            "refresh": memory.refresh,
        }
        looks[look]()
        assert len(memory.recall("queue")) == 1
