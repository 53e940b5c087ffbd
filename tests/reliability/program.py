"""Running one tier as a program."""

import os
import sys


def main(file: str) -> None:
    """Run the tests of one module: `python -m tests.reliability.test_faults [--release] [pytest's options]`."""
    arguments = sys.argv[1:]
    if "--release" in arguments:
        arguments.remove("--release")
        os.environ["MEMKIT_RELIABILITY"] = "release"
    import pytest

    sys.exit(pytest.main(["-q", "-m", "reliability", "-p", "no:randomly", file, *arguments]))
