import pytest

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
