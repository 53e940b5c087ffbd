"""Make two damaged copies of a memory root, for looking at how damage is shown and mended.

    python data-samples/make_damaged.py --root COPY --into FOLDER

`COPY` is a memory root (the folder that holds one folder per project); it is read and never changed. `FOLDER` is made
and must not exist or be empty. Afterwards it holds

    torn-tail/       the last line of the index stops in the middle, as after a power cut; so does the newest audit log
    mangled-lines/   two index lines glued together, one turned into NUL bytes, one with a byte that is not UTF-8, and
                     one results file gone
    damage.json      what was done: store, project, kind, file, first and last byte, id of the entry where there is one

Only bytes are handled: nothing of memkit is imported, so that a fault in its reader or writer cannot hide here.
Projects with fewer than five entries are copied as they are and listed under "untouched".
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

FEWEST_ENTRIES = 5
Damage = dict[str, Any]


def index_lines(index: Path) -> list[bytes]:
    """The whole lines of an index, each with its newline."""
    return [line + b"\n" for line in index.read_bytes().split(b"\n")[:-1]]


def entry_id(line: bytes) -> str:
    """The id of an index line that is still whole."""
    return str(json.loads(line)["id"])


def cut_point(line: bytes) -> int:
    """Where to cut a line: inside a multi-byte character if it has one, else in the middle."""
    wide = next((i for i, byte in enumerate(line) if byte >= 0xC0), None)
    return len(line) // 2 if wide is None else wide + 1


def tear(path: Path, project: Path, kind: str) -> Damage:
    """Cut the last line of a file of lines."""
    data = path.read_bytes()
    start = data.rstrip(b"\n").rfind(b"\n") + 1
    keep = start + cut_point(data[start:])
    with path.open("r+b") as file:
        file.truncate(keep)
    return {"kind": kind, "file": path.relative_to(project).as_posix(), "first_byte": start, "last_byte": keep - 1}


def tear_tails(project: Path) -> list[Damage]:
    """Tear the index and the newest audit log of one project."""
    index = project / "index.jsonl"
    lost = entry_id(index_lines(index)[-1])
    done = [tear(index, project, "torn index line") | {"id": lost}]
    logs = sorted(log for log in project.glob("_logs/memory-*.log") if not log.is_symlink() and log.stat().st_size > 1)
    if logs:
        done.append(tear(logs[-1], project, "torn audit line"))
    return done


def mangle_lines(project: Path) -> list[Damage]:
    """Glue, blank and spoil lines of the index of one project, and take one results file away."""
    index = project / "index.jsonl"
    lines = index_lines(index)
    # Whole index lines, spread over the file: the first loses its file, the rest lose their bytes.
    gone, glued, nul, spoilt = 0, 1, len(lines) // 2 + 1, len(lines) - 1
    ids = [entry_id(line) for line in lines]
    quote = lines[spoilt].find(b'"questionPreview"')
    inside = lines[spoilt].find(b'"', quote + len(b'"questionPreview"')) + 1
    damages = {
        glued: ("two glued index lines", lines[glued][:-1]),
        nul: ("NUL bytes for an index line", b"\0" * (len(lines[nul]) - 1) + b"\n"),
        spoilt: ("invalid UTF-8 in an index line", lines[spoilt][:inside] + b"\xff" + lines[spoilt][inside:]),
    }
    done: list[Damage] = []
    data = b""
    for number, line in enumerate(lines):
        kind, new = damages.get(number, ("", line))
        if kind:
            length = len(new) + (len(lines[number + 1]) if number == glued else 0)
            lost = {"id": ids[number]} | ({"second_id": ids[number + 1]} if number == glued else {})
            span = {"first_byte": len(data), "last_byte": len(data) + length - 2}
            done.append({"kind": kind, "file": "index.jsonl", **span, **lost})
        data += new
    index.write_bytes(data)
    missing = project / "results" / f"{ids[gone]}.json"
    missing.unlink()
    done.append({"kind": "missing results file", "file": f"results/{missing.name}", "id": ids[gone]})
    return done


def projects(root: Path) -> list[Path]:
    """The project folders of a root that have an index."""
    return sorted(index.parent for index in root.glob("*/index.jsonl"))


def damage_copy(root: Path, copy: Path, work: Callable[[Path], list[Damage]]) -> tuple[list[Damage], list[str]]:
    """Copy a root and damage each project of the copy that has enough entries."""
    shutil.copytree(root, copy, symlinks=True)
    done: list[Damage] = []
    untouched: list[str] = []
    for project in projects(copy):
        if len(index_lines(project / "index.jsonl")) < FEWEST_ENTRIES:
            untouched.append(project.name)
            continue
        done += [{"store": copy.name, "project": project.name, **damage} for damage in work(project)]
    return done, untouched


def main(arguments: list[str] | None = None) -> int:
    """Run; 0 when both copies were made, 2 when the folders are not what they have to be."""
    parser = argparse.ArgumentParser(description="Make two damaged copies of a memory root.")
    parser.add_argument("--root", type=Path, required=True, help="a memory root; it is only read")
    parser.add_argument("--into", type=Path, required=True, help="where the copies go; new or empty")
    given = parser.parse_args(arguments)
    root, into = given.root.resolve(), given.into.resolve()
    if not projects(root):
        print(f"{root} holds no */index.jsonl: give the root of a store, not a project's folder", file=sys.stderr)
        return 2
    if into == root or root in into.parents:
        print(f"{into} lies inside {root}: choose a folder outside it", file=sys.stderr)
        return 2
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        print(f"{into} exists and is not an empty folder", file=sys.stderr)
        return 2
    into.mkdir(parents=True, exist_ok=True, mode=0o700)
    torn, untouched = damage_copy(root, into / "torn-tail", tear_tails)
    mangled, _ = damage_copy(root, into / "mangled-lines", mangle_lines)
    report = {"damage": torn + mangled, "untouched": untouched}
    (into / "damage.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    for damage in report["damage"]:
        where = f", bytes {damage['first_byte']}-{damage['last_byte']}" if "first_byte" in damage else ""
        print(f"{damage['store']}/{damage['project']}: {damage['kind']} in {damage['file']}{where}")
    for name in untouched:
        print(f"{name}: fewer than {FEWEST_ENTRIES} entries, copied as it is")
    return 0


if __name__ == "__main__":
    sys.exit(main())
