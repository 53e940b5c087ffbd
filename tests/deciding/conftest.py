"""One Memory over the sample decisions, imported once; tests that write use a copy."""

import datetime as dt
import pathlib
import shutil

import pytest

from memkit.clock import UTC, FixedClock
from memkit.memory import Memory
from memkit.opening import open_memory
from memkit.settings import Environment

SAMPLES = pathlib.Path(__file__).parents[2] / "data-samples"
AS_OF = dt.datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
FACTS = SAMPLES / "facts.csv"


def opened(base: pathlib.Path, **settings: str) -> Memory:
    (base / "config.toml").write_text("".join(f"{line}\n" for line in settings.values()))
    return open_memory(
        SAMPLES / "wherry",
        root=base / "root",
        enabled=True,
        clock=FixedClock(AS_OF),
        environment=Environment(home=base, config_file=base / "config.toml"),
    )


@pytest.fixture(scope="session")
def sample_root(tmp_path_factory):
    """A memory root that holds the samples of one project, stored 76 days ago."""
    base = tmp_path_factory.mktemp("samples")
    with opened(base) as mem:
        mem._store.clock.at = AS_OF - dt.timedelta(days=76)
        mem.import_adr(SAMPLES / "wherry" / "docs")
        mem.import_consensus(SAMPLES / "wherry" / "panels")
    return base


@pytest.fixture
def wherry(sample_root):
    with opened(sample_root) as mem:
        yield mem


@pytest.fixture
def own_copy(sample_root, tmp_path):
    """The same in a root of the test's own, so that it may write."""
    shutil.copytree(sample_root / "root", tmp_path / "root")
    with opened(tmp_path) as mem:
        yield mem
