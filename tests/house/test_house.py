"""The house rules, as tests."""

import ast
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
PACKAGE = ROOT / "memkit"
WRITERS = {
    "rename",
    "replace",
    "unlink",
    "remove",
    "rmdir",
    "mkdir",
    "makedirs",
    "fsync",
    "ftruncate",
    "symlink",
    "link",
}


def test_the_floors_point_toward_the_ground():
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def _calls(path):
    tree = ast.parse(path.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield node


def test_only_the_durable_module_changes_files():
    found = []
    for path in PACKAGE.rglob("*.py"):
        if path.relative_to(PACKAGE).as_posix() == "store/durable.py":
            continue
        for call in _calls(path):
            function = call.func
            if isinstance(function, ast.Attribute):
                base = function.value
                if isinstance(base, ast.Name) and base.id in {"os", "shutil"} and function.attr in WRITERS:
                    found.append(f"{path.name}:{call.lineno} os.{function.attr}")
                if function.attr in {"write_text", "write_bytes", "touch"}:
                    found.append(f"{path.name}:{call.lineno} {function.attr}")
                if function.attr == "splitlines" and "store" in path.parts:
                    found.append(f"{path.name}:{call.lineno} splitlines")
            if isinstance(function, ast.Name) and function.id == "open":
                modes = [a.value for a in call.args[1:2] if isinstance(a, ast.Constant)]
                modes += [k.value.value for k in call.keywords if k.arg == "mode" and isinstance(k.value, ast.Constant)]
                if any(set(mode) & set("wax+") for mode in modes):
                    found.append(f"{path.name}:{call.lineno} open for writing")
    assert found == []


def test_no_module_is_longer_than_five_hundred_lines():
    long = {
        str(path.relative_to(ROOT)): n
        for path in PACKAGE.rglob("*.py")
        if (n := path.read_text("utf-8").count("\n")) > 500
    }
    assert long == {}
