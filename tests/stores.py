"""Stores for the tests of the floors above the store; nothing is scrubbed, so that texts come back as they went in."""

import datetime as dt
from types import SimpleNamespace

from memkit.catalog.catalog import Catalog
from memkit.clock import UTC
from memkit.store.new_entry import NewEntry
from memkit.store.paths import StorePaths, resolve_project
from memkit.store.store import Store

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class AsIs:
    """A scrubber that masks nothing."""

    def scrub_text(self, text):
        return SimpleNamespace(text=text, counts={})

    def scrub_json(self, value):
        return value, {}


def open_store(root, project, clock):
    project.mkdir(exist_ok=True)
    return Store(StorePaths.for_project(root, resolve_project(project)), clock=clock, scrubber=AsIs())


def new(question="Which database?", text="We keep PostgreSQL.", *, panel="consensus", tags=(), days_ago=None, **result):
    """A request to store; further keywords go into the result."""
    ms = None if days_ago is None else int((NOW - dt.timedelta(days=days_ago)).timestamp() * 1000)
    replaces = result.pop("replaces", None)
    source = result.pop("source", None)
    body = {"synthesis": {"content": text}, **result}
    return NewEntry(
        question=question,
        result=body,
        panel_id=panel,
        tags=tuple(tags),
        stored_at_ms=ms,
        replaces=replaces,
        source=source,
    )


def put(store, *requests):
    """Store requests; the ids, in order."""
    return [receipt.id for receipt in store.store_many(list(requests))]


def open_catalog(tmp_path, *stores, **options):
    folder = tmp_path / "spill"
    folder.mkdir(exist_ok=True)
    return Catalog(stores, temp_directory=folder, **options)
