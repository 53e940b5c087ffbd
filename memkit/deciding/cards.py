"""What stands behind a row that was found: the whole entry, or the record."""

from __future__ import annotations

from memkit.errors import MemkitError
from memkit.store.store import Store


def card_of(store: Store, found_id: str, project_key: str) -> object | None:
    """The entry or record of an id; None where it is another project's, gone, or cannot be read.

    Args:
        store: The project's store.
        found_id: An entry's id, or a record's path below the store, such as `memory/one-queue.md`.
        project_key: Whose it is.
    """
    from memkit.store import records

    if project_key != store.paths.key:
        return None
    folder, _, name = found_id.partition("/")
    try:
        if name:
            return records.require(store.paths, records.read(store.paths, folder, name.removesuffix(".md")))
        return store.read_entry(found_id)
    except MemkitError:
        return None
