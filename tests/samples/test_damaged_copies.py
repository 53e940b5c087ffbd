"""The program that damages copies of a memory root breaks what it says, where it says, and nothing else."""

from __future__ import annotations

import importlib.util
import json
import stat
import types
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "data-samples" / "make_damaged.py"


@pytest.fixture
def damager() -> types.ModuleType:
    spec = importlib.util.spec_from_file_location("make_damaged", PROGRAM)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path: Path) -> Path:
    project = tmp_path / "memory" / "0123456789ab"
    (project / "results").mkdir(parents=True)
    (project / "_logs").mkdir()
    lines = b""
    for number in range(7):
        name = f"0198000{number}abcdef01"
        line = {"id": name, "storedAt": 1_764_000_000_000 + number, "questionPreview": "Wo liegt die Straße? 住所"}
        lines += json.dumps(line, ensure_ascii=False).encode() + b"\n"
        file = project / "results" / f"{name}.json"
        file.write_text(json.dumps({"id": name}) + "\n", encoding="utf-8")
        file.chmod(0o600)
    (project / "index.jsonl").write_bytes(lines)
    (project / "_logs" / "memory-2026-11-29.log").write_bytes(b'{"event":"entry_operation"}\n' * 3)
    (project / "_logs" / "current.log").symlink_to("memory-2026-11-29.log")
    return project.parent


def bytes_of(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in root.rglob("*") if p.is_file()}


def readable(lines: list[bytes]) -> int:
    count = 0
    for line in lines:
        try:
            json.loads(line.decode("utf-8"))
        except ValueError:
            continue
        count += 1
    return count


def test_two_damaged_copies_are_made_and_the_original_is_left_alone(
    damager: types.ModuleType, root: Path, tmp_path: Path
) -> None:
    before = bytes_of(root)
    assert damager.main(["--root", str(root), "--into", str(tmp_path / "damaged")]) == 0
    assert bytes_of(root) == before

    torn = (tmp_path / "damaged/torn-tail/0123456789ab/index.jsonl").read_bytes()
    *whole, tail = torn.split(b"\n")
    assert (len(whole), readable(whole)) == (6, 6)
    assert tail
    with pytest.raises(UnicodeDecodeError):
        tail.decode("utf-8")
    log = (tmp_path / "damaged/torn-tail/0123456789ab/_logs/memory-2026-11-29.log").read_bytes()
    assert log.count(b"\n") == 2
    assert not log.endswith(b"\n")

    mangled = tmp_path / "damaged/mangled-lines/0123456789ab"
    lines = (mangled / "index.jsonl").read_bytes().split(b"\n")[:-1]
    assert (len(lines), readable(lines)) == (6, 3)
    assert sum(set(line) == {0} for line in lines) == 1
    assert len(list((mangled / "results").iterdir())) == 6
    assert {stat.S_IMODE(f.stat().st_mode) for f in (mangled / "results").iterdir()} == {0o600}


def test_the_report_says_where_the_damage_is(damager: types.ModuleType, root: Path, tmp_path: Path) -> None:
    into = tmp_path / "damaged"
    damager.main(["--root", str(root), "--into", str(into)])
    report = json.loads((into / "damage.json").read_text(encoding="utf-8"))
    assert report["untouched"] == []
    kinds = [damage["kind"] for damage in report["damage"]]
    assert sorted(kinds) == [
        "NUL bytes for an index line",
        "invalid UTF-8 in an index line",
        "missing results file",
        "torn audit line",
        "torn index line",
        "two glued index lines",
    ]
    for damage in report["damage"]:
        file = into / damage["store"] / damage["project"] / damage["file"]
        if "first_byte" not in damage:
            assert not file.exists()
            continue
        data = file.read_bytes()
        spot = data[damage["first_byte"] : damage["last_byte"] + 1]
        assert b"\n" not in spot
        assert data[damage["last_byte"] + 1 :][:1] in {b"\n", b""}
        assert damage["first_byte"] == 0 or data[damage["first_byte"] - 1 : damage["first_byte"]] == b"\n"
        assert readable([spot]) == 0


@pytest.mark.parametrize("case", ["no store", "inside the root", "folder in use"])
def test_folders_that_are_not_what_they_have_to_be_are_refused(
    damager: types.ModuleType, root: Path, tmp_path: Path, case: str
) -> None:
    used = tmp_path / "used"
    used.mkdir()
    (used / "file").write_text("mine", encoding="utf-8")
    given, into = {
        "no store": (used, tmp_path / "new"),
        "inside the root": (root, root / "damaged"),
        "folder in use": (root, used),
    }[case]
    before = bytes_of(tmp_path)
    assert damager.main(["--root", str(given), "--into", str(into)]) == 2
    assert bytes_of(tmp_path) == before


def test_a_project_with_few_entries_is_copied_as_it_is(
    damager: types.ModuleType, root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    index = root / "0123456789ab" / "index.jsonl"
    index.write_bytes(b"".join(index.read_bytes().splitlines(keepends=True)[:3]))
    assert damager.main(["--root", str(root), "--into", str(tmp_path / "damaged")]) == 0
    assert "fewer than 5 entries" in capsys.readouterr().out
    assert bytes_of(tmp_path / "damaged/torn-tail") == bytes_of(root)
