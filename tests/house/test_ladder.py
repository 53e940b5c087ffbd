"""Each tier of the reliability ladder has a module, a make target and a line in the docs; CI runs them all."""

import pathlib
import shutil
import subprocess

import pytest

from tests.reliability.__main__ import ALONE, TIERS

ROOT = pathlib.Path(__file__).parents[2]
LADDER = ROOT / "tests" / "reliability"


def test_every_tier_has_its_module_and_every_module_is_a_tier():
    modules = {path.stem.removeprefix("test_").replace("_", "-") for path in LADDER.glob("test_*.py")}
    assert sorted(modules) == sorted([*TIERS, *ALONE])


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_every_tier_is_a_make_target():
    tiers = [*TIERS, *ALONE]
    targets = [
        "reliability",
        *[f"reliability-{tier}" for tier in tiers],
        "reliability-release",
        "reliability-release-fuzz",
    ]
    done = subprocess.run(["make", "-n", *targets], cwd=ROOT, capture_output=True, text=True, check=True)
    commands = [
        line.partition("-m tests.reliability")[2].split() for line in done.stdout.split("\n") if "tests.reliab" in line
    ]
    assert commands == [[], *[[tier] for tier in tiers], ["--release"], ["--release", "fuzz"]]


def test_the_page_on_durability_names_every_tier():
    page = (ROOT / "docs" / "concepts" / "durability.md").read_text("utf-8")
    assert [tier for tier in (*TIERS, *ALONE) if f"`{tier}`" not in page] == []
