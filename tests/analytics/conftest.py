import datetime as dt

import pytest

from memkit.clock import UTC, FixedClock
from tests.stores import open_catalog, open_store


@pytest.fixture
def store(root, project, clock):
    return open_store(root, project, clock)


@pytest.fixture
def see(tmp_path):
    """Catalogs over stores; each is closed when the test ends."""
    opened = []

    def open_one(*stores, **options):
        opened.append(open_catalog(tmp_path, *stores, **options))
        return opened[-1]

    yield open_one
    for catalog in opened:
        catalog.close()


@pytest.fixture(scope="session")
def no_decisions(tmp_path_factory):
    """A catalog over an empty store: facts are put in order and judged in its database."""
    folder = tmp_path_factory.mktemp("facts")
    clock = FixedClock(dt.datetime(2026, 11, 30, tzinfo=UTC))
    with open_catalog(folder, open_store(folder / "root", folder / "project", clock)) as catalog:
        yield catalog
