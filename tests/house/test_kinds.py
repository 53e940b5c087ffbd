"""The list of kinds of file is the list people read, and no store holds a file that is not in it."""

import inspect
import pathlib
import re
from functools import cached_property

import pytest

from memkit.store import kinds
from memkit.store.kinds import ERASERS, KINDS, TEMPORARY, kind_of, unknown_files
from memkit.store.paths import StorePaths
from memkit.testing import temp_memory_root
from tests.docs.reading import ROOT, rows, section
from tests.reliability.operations import OPERATIONS, Bench

PAGE = ROOT / "docs" / "reference" / "files.md"
GOLDEN = ROOT / "tests" / "reliability" / "golden"
ALL = (*KINDS, TEMPORARY)


def _on_the_page():
    first = PAGE.read_text("utf-8").split("\n## ", 1)[0]
    return [tuple(cell.strip("`") for cell in row) for row in rows(first)]


def test_the_page_lists_each_kind_with_its_worth_and_its_eraser_and_no_other():
    assert sorted((row[0], row[1], row[3]) for row in _on_the_page()) == sorted(
        (k.pattern, k.role, k.eraser) for k in ALL
    )
    assert all(row[2] for row in _on_the_page())


def test_every_kind_names_an_eraser_that_is_explained_and_none_is_explained_in_vain():
    assert {kind.eraser for kind in ALL} == set(ERASERS)
    assert dict(rows(section(PAGE, "## How an entry leaves"))) == dict(ERASERS)
    assert all(kind.meaning for kind in ALL)


def test_no_two_kinds_have_the_same_pattern():
    assert len({kind.pattern for kind in ALL}) == len(ALL)


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.pattern)
def test_a_file_of_each_kind_is_known_for_what_it_is(kind):
    example = kind.pattern
    for placeholder, text in {"<id>": "0123456789ab", "<hex>": "0a1b2c3d4e5f6071", "<key>": "0123456789ab", "<pid>": "17",
                              "YYYY-MM-DD": "2026-01-31"}.items():  # fmt: skip
        example = example.replace(placeholder, text)
    example = re.sub(r"<[a-z_]+>", "some-name", example)
    assert kind_of(example) is kind


@pytest.mark.parametrize("relative", ["results/x.txt", "notes.txt", "results/a/0123456789ab.json", "_logs/other.log"])
def test_a_file_of_no_kind_is_known_as_such(relative):
    assert kind_of(relative) is None


def _paths_of_files():
    return [name for name, value in inspect.getmembers(StorePaths) if isinstance(value, cached_property)]


@pytest.mark.parametrize("name", _paths_of_files())
def test_every_path_a_store_names_is_a_known_file_or_the_folder_of_some(name):
    paths = StorePaths.for_project("/root", "/projects/demo")
    value = getattr(paths, name)
    if not isinstance(value, pathlib.Path) or value == paths.folder:
        return
    relative = paths.relative(value)
    below = [kind for kind in KINDS if kind.pattern.replace("<key>", paths.key).startswith(f"{relative}/")]
    assert kind_of(relative) or below, f"{relative}: add its kind to memkit/store/kinds.py and docs/reference/files.md"


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_what_an_operation_leaves_in_a_store_is_of_a_known_kind(operation, tmp_path):
    bench = Bench(tmp_path).fill()
    operation.before(bench)
    operation.run(bench)
    assert unknown_files(bench.store.paths) == []


def test_what_a_memory_leaves_in_a_store_is_of_a_known_kind():
    with temp_memory_root() as mem:
        receipt = mem.store(question="Which queue?", result={"conclusion": "Keep it."})
        mem.recall("queue")
        mem.what_we_decided("queue")
        mem.refresh()
        assert mem.get(receipt.id)
        assert unknown_files(mem.paths) == []


@pytest.mark.parametrize("folder", sorted(GOLDEN.iterdir()), ids=lambda folder: folder.name)
def test_stores_of_older_tools_hold_known_kinds_only(folder):
    (key,) = [each.name for each in folder.iterdir()]
    assert unknown_files(StorePaths(folder, "/elsewhere", key)) == []


def test_a_stray_file_is_named(tmp_path):
    paths = Bench(tmp_path).fill(1).store.paths
    stray = paths.results / "copy (1).json"
    stray.write_bytes(b"{}")
    stray.chmod(0o600)
    assert kinds.unknown_files(paths) == ["results/copy (1).json"]
