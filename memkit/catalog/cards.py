"""What ranking knows of entries besides their words, as columns: one row per entry, looked up by number.

There may be a million entries: ids are kept as they are, panels and tags as numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from memkit.catalog.facts import Card
from memkit.snapshot.columns import numbers_of, numpy_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Integers = npt.NDArray[np.integer[Any]]
    Mask = npt.NDArray[np.bool_]


class Cards:
    """The cards of all entries; `batches` are the rows of `all_cards.sql`, in any order."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        import numpy as np
        import pyarrow as pa

        self._panels, self._tags = _Names(), _Names()
        numbers: dict[str, list[Integers]] = {"doc": [], "question_crc": [], "stored_ms": [], "panel": [], "n_tags": []}
        ids: list[pa.Array[Any]] = []
        tags: list[Integers] = []
        for batch in batches:
            lists = cast("pa.ListArray[Any]", batch.column("tags"))
            ids.append(batch.column("entry_id"))
            numbers["doc"].append(numpy_of(batch.column("doc")))
            numbers["question_crc"].append(numpy_of(batch.column("question_crc")).astype(np.uint32))
            numbers["stored_ms"].append(numpy_of(batch.column("stored_ms")))
            numbers["panel"].append(self._panels.of(batch.column("panel_id")))
            numbers["n_tags"].append(np.diff(numpy_of(lists.offsets)))
            tags.append(self._tags.of(lists.flatten()))
        found = {name: np.concatenate(arrays) if arrays else np.zeros(0, np.int32) for name, arrays in numbers.items()}
        every = np.concatenate(tags) if tags else np.zeros(0, np.int32)
        self._ids = pa.chunked_array(ids, pa.string())
        ends = np.cumsum(found["n_tags"])
        starts = ends - found["n_tags"]
        docs = found["doc"]
        if (docs[1:] < docs[:-1]).any():  # what is in memory comes before what is read in place
            order = np.argsort(docs)
            found = {name: values[order] for name, values in found.items()}
            starts, ends = starts[order], ends[order]
            self._ids = self._ids.take(numbers_of(order))
        self._docs, self._crcs, self._stored_ms = found["doc"], found["question_crc"], found["stored_ms"]
        self._panel, self._tag, self._starts, self._ends = found["panel"], every, starts, ends

    def get(self, docs: Sequence[int]) -> dict[int, Card]:
        """The cards of these documents."""
        import numpy as np

        places = np.searchsorted(self._docs, np.asarray(docs, dtype=np.int64)).tolist()
        return {doc: self._card(place) for doc, place in zip(docs, places, strict=True)}

    def _card(self, place: int) -> Card:
        return Card(
            self._ids[place].as_py(),
            int(self._crcs[place]),
            self._panels.names[self._panel[place]],
            tuple(self._tags.names[tag] for tag in self._tag[self._starts[place] : self._ends[place]]),
            int(self._stored_ms[place]),
        )

    def passing(self, filters: Mapping[str, Any], size: int) -> Mask:
        """By document, whether its panel, tags and time are those asked: `panel`, `any_tag`, `all_tags`, `since_ms`."""
        import numpy as np

        passing = np.ones(len(self._docs), dtype=np.bool_)
        if filters["panel"] is not None:
            passing &= self._panel == self._panels.numbers.get(filters["panel"], -1)
        if filters["since_ms"] is not None:
            passing &= self._stored_ms >= filters["since_ms"]
        if filters["any_tag"]:
            passing &= np.logical_or.reduce([self._tagged(tag) for tag in filters["any_tag"]])
        for tag in filters["all_tags"] or ():
            passing &= self._tagged(tag)
        by_doc = np.zeros(size, dtype=np.bool_)
        by_doc[self._docs] = passing
        return by_doc

    def _tagged(self, tag: str) -> Mask:
        import numpy as np

        # How many of the tags before each place are this one: a row has it where that number grows.
        before = np.zeros(len(self._tag) + 1, dtype=np.int32)
        np.cumsum(self._tag == self._tags.numbers.get(tag, -1), out=before[1:])
        return before[self._ends] > before[self._starts]


class _Names:
    """Texts that come again and again, as numbers."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.numbers: dict[str, int] = {}

    def of(self, texts: pa.Array[Any]) -> Integers:
        """The number of each text."""
        import numpy as np

        encoded = texts.dictionary_encode()
        known = [self._number(str(name)) for name in encoded.dictionary.to_pylist()]
        return cast("Integers", np.array(known, dtype=np.int32)[numpy_of(encoded.indices)])

    def _number(self, name: str) -> int:
        if name not in self.numbers:
            self.numbers[name] = len(self.names)
            self.names.append(name)
        return self.numbers[name]


def card_of(row: tuple[Any, ...]) -> Card:
    """A row of `cards.sql` as a card."""
    _, entry_id, crc, panel_id, tags, stored_ms = row
    return Card(entry_id, crc, panel_id, tuple(tags), stored_ms)
