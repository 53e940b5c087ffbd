"""The sample records are what their program writes, read well, and pass the linter."""

import importlib.util
import pathlib
import shutil

import pytest

from memkit.testing import temp_memory_root

SAMPLES = pathlib.Path(__file__).parents[2] / "data-samples"
FOLDER = SAMPLES / "wherry" / "records"


def program():
    spec = importlib.util.spec_from_file_location("make_records", SAMPLES / "make_records.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_program_writes_exactly_the_records_that_are_there(tmp_path):
    module = program()
    assert module.make(tmp_path) == len(module.RECORDS)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*.md")}
    assert made == {path.relative_to(FOLDER): path.read_bytes() for path in FOLDER.rglob("*.md")}


@pytest.fixture
def mem():
    with temp_memory_root() as memory:
        for name in ("memory", "knowledge"):
            target = memory.paths.folder / name
            shutil.copytree(FOLDER / name, target)
            target.chmod(0o700)
            for path in target.iterdir():
                path.chmod(0o600)
        memory.paths.folder.chmod(0o700)
        yield memory


def test_copied_into_a_store_they_are_its_records(mem):
    assert len(mem.records.list()) == 8
    assert [f.code for f in mem.records.lint()] == ["no-triggers"]
    assert {hit.kind for hit in mem.recall("retry queue")} == {"lesson"}
    assert mem.records.query("a column for money").rows[0].record.slug == "prices-are-whole-minor-units"
    assert mem.sql("select count(*) as n from decisions").rows == [{"n": 1}]


def test_the_readme_names_them():
    assert "make_records.py" in (SAMPLES / "README.md").read_text("utf-8")
