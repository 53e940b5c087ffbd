"""The order of a write, read from the source and from the system calls of a running process.

On ext4 a power cut does not show a missing flush of a folder if another flush follows, so the order is also checked as
such: write the temporary file, flush it, rename, flush the folder, append the line, flush it, and only then say so.
"""

import ast
import itertools
import os
import pathlib
import re
import shutil

import pytest

from tests.reliability.operations import OPERATIONS, Bench
from tests.reliability.program import main
from tests.reliability.seam import CALLS
from tests.reliability.tracing import command, needs_strace, record

PACKAGE = pathlib.Path(__file__).parents[2] / "memkit"
SEAM = {"store/durable.py", "store/look.py"}
# Calls that change files, wherever they are spelt, and those of the standard library that do it behind one's back.
FORBIDDEN = {
    "os": {"rename", "replace", "unlink", "remove", "rmdir", "removedirs", "mkdir", "makedirs", "fsync", "fdatasync", "sync",
           "ftruncate", "truncate", "symlink", "link", "chmod", "fchmod", "write", "pwrite", "writev", "utime", "mkfifo", "mknod"},
    "shutil": {"copy", "copy2", "copyfile", "copytree", "move", "rmtree", "copyfileobj"},
    "fcntl": {"flock", "lockf", "fcntl"},
}  # fmt: skip
METHODS = {
    "write_text",
    "write_bytes",
    "touch",
    "unlink",
    "rename",
    "rmdir",
    "mkdir",
    "symlink_to",
    "hardlink_to",
    "chmod",
}
# Names that happen to be spelt like a method of a path.
OWN_METHODS = {"durable", "self", "entries", "store"}


def modules():
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text("utf-8"))


@pytest.mark.promise("P0")
def test_nothing_but_the_durable_module_changes_files(cases):
    for name, tree in modules():
        found = []
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            function = node.func
            if isinstance(function, ast.Attribute):
                base = function.value.id if isinstance(function.value, ast.Name) else ""
                if function.attr in FORBIDDEN.get(base, ()) and name != "store/durable.py":
                    found.append(f"line {node.lineno}: {base}.{function.attr}")
                if (
                    function.attr in METHODS
                    and base not in OWN_METHODS
                    and base not in FORBIDDEN
                    and _is_path(function.value)
                ):
                    found.append(f"line {node.lineno}: .{function.attr}()")
            mode = _open_mode(node)
            if mode & set("wax+"):
                found.append(f"line {node.lineno}: open for writing")
        cases.add(found, name=name)


def _is_path(value) -> bool:
    """Whether the receiver looks like a path: a name or call with `path`, `file`, `folder` in it."""
    text = ast.unparse(value).lower()
    return any(word in text for word in ("path", "file", "folder", "dir"))


def _open_mode(node) -> set[str]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name != "open" or (
        isinstance(node.func, ast.Attribute)
        and ast.unparse(node.func.value) in {"os", "memkit", "self", "source", "sight"}
    ):
        return set()
    values = [a.value for a in node.args if isinstance(a, ast.Constant)]
    values += [k.value.value for k in node.keywords if k.arg == "mode" and isinstance(k.value, ast.Constant)]
    return {
        char for value in values if isinstance(value, str) and re.fullmatch(r"[rwaxbt+]{1,3}", value) for char in value
    }


@pytest.mark.promise("P0")
def test_every_system_call_of_the_seam_can_be_led_through_a_stand_in(cases):
    """What `seam` does not know cannot be failed, so the two lists have to agree."""
    harmless = {
        "getpid",
        "geteuid",
        "kill",
        "strerror",
        "fspath",
        "path",
        "sep",
        "stat_result",
        "fsdecode",
        "fsencode",
        "LOCK_EX",
        "LOCK_NB",
        "LOCK_UN",
    }
    for name, tree in modules():
        if name not in SEAM:
            continue
        used = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in {"os", "fcntl"}
        }
        unknown = {call for call in used if not call.startswith("O_")} - CALLS - harmless
        cases.add([f"{call} is not in the list of the seam" for call in sorted(unknown)], name=name)


@pytest.mark.promise("P0")
def test_lines_are_split_at_newlines_only_and_numbers_are_finite(cases):
    for name, tree in modules():
        found = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "splitlines" and name.startswith(("store/", "model/", "snapshot/")):
                    found.append(f"line {node.lineno}: splitlines cuts at U+2028, U+0085 and others")
                is_dump = node.func.attr in {"dumps", "dump"} and ast.unparse(node.func.value) == "json"
                kept = any(k.arg == "allow_nan" and ast.unparse(k.value) == "False" for k in node.keywords)
                plain = name in {"store/lock.py"}  # a note for people: a process id and two texts
                if is_dump and not kept and not plain and name.startswith(("store/", "model/", "snapshot/")):
                    found.append(f"line {node.lineno}: json.dumps without allow_nan=False")
        cases.add(found, name=name)


@pytest.mark.promise("P0")
def test_no_sql_is_built_from_values(cases):
    for name, tree in modules():
        found = [
            f"line {node.lineno}: execute() of a built text"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in {"execute", "executemany", "sql", "query"}
            and node.args
            and isinstance(node.args[0], (ast.JoinedStr, ast.BinOp))
        ]
        cases.add(found, name=name)


# -- the order in a running process -----------------------------------------------------------------------------------


def steps(calls, folder):
    """The write's steps as words, in the order they happened: what was done to which kind of file."""
    found = []
    for call in calls:
        if call.result < 0:
            continue
        files = re.findall(r"[<\"]([^<>\"]*)[>\"]", call.arguments)
        mine = [file for file in files if file.startswith(str(folder))]
        if call.name == "write" and call.arguments.startswith("1"):
            found.append("ack")
        elif mine:
            found.append(f"{call.name} {_kind(mine[-1])}")
    return found


def _kind(file: str) -> str:
    name = os.path.basename(file)
    if name.endswith(".tmp"):
        return "temp-entry" if "/results/" in file else "temp"
    if "/results/" in file:
        return "entry"
    if "/_logs" in file:
        return "log"
    return {"results": "results/", "index.jsonl": "index", "index.jsonl.lock": "sentinel"}.get(
        name, "lock" if name.endswith(".lock") else name
    )


ORDER = [
    "write temp-entry", "fsync temp-entry", "flock lock", "rename entry", "fsync results/", "write index", "fsync index", "ack",
]  # fmt: skip


def order_problems(found: list[str], n: int) -> list[str]:
    """Whether each step comes after the one before it, for every entry."""
    places = {step: [i for i, each in enumerate(found) if each == step] for step in ORDER}
    places["flock lock"] = places["flock lock"][:1]  # the first is the index's; it is let go, and the log's is taken
    missing = [step for step, where in places.items() if not where]
    if missing:
        return [f"there is no {missing[0]!r}: {found}"]
    problems = [
        f"{len(places[step])} of {step!r}, {n} entries"
        for step in ("fsync temp-entry", "rename entry")
        if len(places[step]) != n
    ]
    for before, after in itertools.pairwise(ORDER):
        first = zip(places[before], places[after], strict=False)  # each file is written and flushed by itself
        each_after = all(i < j for i, j in first)
        all_after = before == "write temp-entry" or max(places[before]) < max(places[after])
        if not each_after or not all_after:
            problems.append(f"{after!r} comes before {before!r}: {found}")
    return problems


@pytest.mark.promise("P0")
@pytest.mark.parametrize(("name", "n"), [("store", 1), ("store-batch", 3), ("import", 2), ("store-after-torn-tail", 1)])
def test_a_running_process_flushes_in_the_stated_order(scratch, cases, name, n):
    needs_strace()
    bench = Bench(scratch / "bench").fill()
    operation = next(each for each in OPERATIONS if each.name == name)
    operation.before(bench)
    _, calls, _ = record(command(name, bench.root, bench.ledger.must, bench.made), scratch / "log")
    cases.add(order_problems(steps(calls, bench.root), n))


@pytest.mark.promise("P16")
def test_a_process_whose_flushes_do_nothing_is_noticed(scratch, cases):
    """Under eatmydata every fsync is left out; the check of the order has to say so."""
    needs_strace()
    library = next(pathlib.Path("/usr/lib").glob("*/libeatmydata.so"), None)
    if shutil.which("eatmydata") is None or library is None:
        pytest.skip("eatmydata is not installed")
    bench = Bench(scratch / "bench").fill()
    _, calls, _ = record(
        command("store", bench.root, bench.ledger.must, bench.made), scratch / "log", preload=str(library)
    )
    cases.add([] if order_problems(steps(calls, bench.root), 1) else ["the missing flushes were not noticed"])


if __name__ == "__main__":
    main(__file__)
