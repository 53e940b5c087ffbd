import pytest

from memkit.store.new_entry import NewEntry
from memkit.store.paths import StorePaths, resolve_project
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.store import Store
from memkit.store.verify import verify


@pytest.fixture
def make_store(root, project, clock):
    """Stores of a project; every one of them must be sound when the test ends, unless the test says otherwise."""
    made = []

    def make(folder=None, *, sound=True, wait_seconds=5.0, at=None):
        paths = StorePaths.for_project(root, resolve_project(folder or project))
        store = Store(paths, clock=at or clock, scrubber=Scrubber(shipped_patterns()), wait_seconds=wait_seconds)
        if sound:
            made.append(store)
        return store

    yield make
    for store in made:
        assert verify(store) == []


@pytest.fixture
def store(make_store):
    return make_store()


def new(question="Which database?", text="We keep PostgreSQL.", **more):
    return NewEntry(question=question, result={"synthesis": {"content": text}, "finalScore": 81.4}, **more)
