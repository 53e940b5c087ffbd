"""Branch coverage of the floor of files, by its own tests, those of the rooms above, and a tier in one process."""

import json
import os
import subprocess
import sys

import pytest

from tests.reliability.mounts import ROOT
from tests.reliability.program import main

FLOOR = ROOT / "memkit" / "store"
# Its own tests, and those of the rooms above that write through it.
SOURCES = [
    "tests/store",
    "tests/test_memory.py",
    "tests/consolidate",
    "tests/retention/test_erase.py",
    "tests/retention/test_scanning.py",
    "tests/retention/test_what_if.py",
    "tests/entrances/test_cli_doctor.py",
]
TIERS = [
    "tests/reliability/test_torn_data.py::test_junk_in_the_index_costs_nothing_but_itself",
    "tests/reliability/test_operation_table.py",
]


@pytest.mark.promise("P20")
def test_every_branch_of_the_floor_of_files_is_run(tmp_path, cases):
    data, report = tmp_path / "coverage", tmp_path / "coverage.json"
    environment = {**os.environ, "COVERAGE_FILE": str(data), "PYTHONPATH": str(ROOT)}
    environment.pop("MEMKIT_RELIABILITY_REPORT", None)
    base = [sys.executable, "-m", "coverage"]
    options = [
        "run",
        "--branch",
        "--append",
        "--source=memkit.store",
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
    ]
    for words in ([*SOURCES], ["-m", "reliability", *TIERS]):
        done = subprocess.run(
            [*base, *options, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:]
    subprocess.run([*base, "json", "-q", "-o", str(report)], cwd=ROOT, env=environment, check=True, capture_output=True)
    files = json.loads(report.read_text())["files"]
    total = covered = 0
    for path in sorted(FLOOR.glob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        summary = files[name]["summary"] if name in files else None
        if summary is None:
            cases.add(["it was not even imported"], name=name)
            continue
        total += summary["num_statements"] + summary.get("num_branches", 0)
        covered += summary["covered_lines"] + summary.get("covered_branches", 0)
        lines, branches = files[name]["missing_lines"], files[name].get("missing_branches", [])
        cases.add([f"lines {lines}, branches {branches}"] if lines or branches else [], name=name)
    cases.figure(
        f"branch coverage of memkit/store: {100 * covered / max(1, total):.2f} % of {total:,} statements and branches"
    )


if __name__ == "__main__":
    main(__file__)
