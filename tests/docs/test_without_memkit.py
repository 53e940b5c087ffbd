"""The page about bare engines keeps its word: all of it but the first block runs where memkit cannot be imported."""

import os
import subprocess
import sys

from tests.docs.reading import ROOT, blocks
from tests.docs.running import settled

PAGE = ROOT / "docs" / "how-to" / "read-a-snapshot-without-memkit.md"


def test_a_snapshot_is_read_by_engines_that_do_not_know_memkit(reader):
    first, *rest = [block for block in blocks(PAGE) if block.language == "python"]
    reader.follow(first)
    assert {"duckdb", "polars", "pandas"} <= set("".join(block.text for block in rest).split())
    program = "import sys\nsys.modules['memkit'] = None\n" + "\n".join(block.text for block in rest)
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ}, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert settled(done.stdout) == settled("".join(block.output for block in rest if block.output))
