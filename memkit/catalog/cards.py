"""What ranking knows of entries besides their words, as columns: one row per entry, looked up by number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit.catalog.facts import Card

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Mask = npt.NDArray[np.bool_]


class Cards:
    """The cards of all entries; `rows` are those of `all_cards.sql`, by document."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows.combine_chunks()
        self._docs = rows.column("doc").to_numpy()

    def get(self, docs: Sequence[int]) -> dict[int, Card]:
        """The cards of these documents."""
        import numpy as np
        import pyarrow as pa

        places = np.searchsorted(self._docs, np.asarray(docs, dtype=np.int64))
        rows = self._rows.take(pa.array(places, pa.int64())).to_pylist()
        return {row["doc"]: card_of(tuple(row.values())) for row in rows}

    def passing(self, filters: Mapping[str, Any], size: int) -> Mask:
        """By document, whether its panel, tags and time are those asked: `panel`, `any_tag`, `all_tags`, `since_ms`."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        passing = np.ones(len(self._docs), dtype=np.bool_)
        if filters["panel"] is not None:
            passing &= pc.equal(self._rows.column("panel_id"), pa.scalar(filters["panel"])).to_numpy(
                zero_copy_only=False
            )
        if filters["since_ms"] is not None:
            passing &= self._rows.column("stored_ms").to_numpy() >= filters["since_ms"]
        if filters["any_tag"]:
            passing &= np.logical_or.reduce([self._tagged(tag) for tag in filters["any_tag"]])
        for tag in filters["all_tags"] or ():
            passing &= self._tagged(tag)
        by_doc = np.zeros(size, dtype=np.bool_)
        by_doc[self._docs] = passing
        return by_doc

    def _tagged(self, tag: str) -> Mask:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        tags = self._rows.column("tags")
        tagged = np.zeros(len(self._docs), dtype=np.bool_)
        flat, parents = pc.list_flatten(tags), pc.list_parent_indices(tags)
        tagged[parents.to_numpy()[pc.equal(flat, pa.scalar(tag)).to_numpy(zero_copy_only=False)]] = True
        return tagged


def card_of(row: tuple[Any, ...]) -> Card:
    """A row of `cards.sql` as a card."""
    _, entry_id, crc, panel_id, tags, stored_ms = row
    return Card(entry_id, crc, panel_id, tuple(tags), stored_ms)
