"""What is stored already, as text, for telling that a session only repeats it."""

from __future__ import annotations

from collections.abc import Iterator

from memkit.errors import MemkitError
from memkit.model.decision import conclusion_of
from memkit.model.result import synthesis_text
from memkit.store import entries, records
from memkit.store.store import Store


def stored_texts(store: Store) -> Iterator[str]:
    """Every conclusion and synthesis of an entry and every body of a record; what cannot be read is left out.

    Raises:
        StoreError: the folder of entries cannot be listed.
    """
    for record in records.read_all(store.paths).records:
        yield record.body
    for entry_id in reversed(entries.ids_on_disk(store.paths)):
        try:
            entry = store.read_entry(entry_id)
        except MemkitError:  # verify names it
            continue
        prose = synthesis_text(entry.result)
        yield prose
        conclusion = conclusion_of(entry.result, prose)
        if conclusion and conclusion not in prose:
            yield conclusion
