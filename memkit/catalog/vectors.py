"""How near in meaning entries are to a question, by vectors of an embedder that the caller passes in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from memkit.catalog import queries
from memkit.errors import InvalidInputError
from memkit.snapshot import vectors
from memkit.snapshot.vectors import PROBE, Kept

if TYPE_CHECKING:
    from memkit.catalog.postings import Floats
    from memkit.catalog.sight import Sight
    from memkit.snapshot.vectors import Matrix
    from memkit.store.store import Store

_BATCH = 256
# New vectors are written once they are so many, or so many hundredths of those that are kept.
_WORTH_WRITING = 32
_WORTH_SHARE = 0.02


class Embedder(Protocol):
    """Anything that turns texts into vectors of one length, as sentence-transformers do."""

    def encode(self, sentences: list[str], /) -> Any:
        """One row of numbers for each text."""


class Vectors:
    """The vectors of one store's entries by one embedder."""

    def __init__(self, store: Store, embedder: Embedder) -> None:
        self.embedder = embedder
        self._store = store
        self._probe = self._encoded([PROBE])[0]
        kept = vectors.read(store.paths, self._probe)
        self._known: dict[str, int] = {} if kept is None else {each: i for i, each in enumerate(kept.ids)}
        self._parts: list[Matrix] = [] if kept is None else [kept.vectors]
        self._n_kept = len(self._known)
        self._shown = -1

    def similarities(self, sight: Sight, text: str, size: int) -> Floats:
        """By document, the cosine of its vector and the question's; -1 where an entry could not be read."""
        import numpy as np

        self._show(sight)
        asked = self._encoded([text])[0]
        found = np.full(size, -1.0)
        for doc, cosine in sight.fetch(queries.load("memkit.catalog", "similarities"), {"vector": asked.tolist()}):
            found[doc] = cosine
        return found

    def keep(self) -> None:
        """Write what is new, if it is worth it; a file that cannot be written is tried again the next time."""
        import numpy as np

        fresh = len(self._known) - self._n_kept
        if fresh < max(_WORTH_WRITING, _WORTH_SHARE * self._n_kept) or not self._store.exists:
            return
        present = {line.id for line in self._store.read_index().lines}
        rows = [(each, i) for each, i in self._known.items() if each in present]
        matrix = np.concatenate(self._parts)[[i for _, i in rows]]
        if vectors.write(self._store.paths, Kept(tuple(each for each, _ in rows), matrix), self._probe):
            self._n_kept = len(self._known)

    def _show(self, sight: Sight) -> None:
        """Make `base.vectors` show a vector for every live entry."""
        import numpy as np
        import pyarrow as pa

        if self._shown == sight.n_changes:
            return
        rows = sight.fetch(queries.load("memkit.catalog", "meanings"))
        missing = [(name, text) for _, name, text in rows if name not in self._known]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            self._parts.append(self._encoded([text for _, text in batch]))
            self._known |= {name: len(self._known) + i for i, (name, _) in enumerate(batch)}
        places = [self._known[name] for _, name, _ in rows]
        matrix = np.concatenate(self._parts)[places] if rows else np.zeros((0, len(self._probe)), np.float32)
        lists = pa.FixedSizeListArray.from_arrays(pa.array(matrix.ravel(), pa.float32()), len(self._probe))
        docs = pa.array([doc for doc, *_ in rows], pa.int32())
        sight.database.replace_table("vectors", pa.table({"doc": docs, "vector": lists.cast(pa.list_(pa.float32()))}))
        self._shown = sight.n_changes

    def _encoded(self, texts: Sequence[str]) -> Matrix:
        import numpy as np

        found = np.asarray(self.embedder.encode(list(texts)), dtype=np.float32)
        if found.ndim != 2 or len(found) != len(texts) or not found.shape[1] or not np.isfinite(found).all():
            raise InvalidInputError(
                f"gave an array of shape {found.shape} for {len(texts)} texts, or numbers that are none",
                field="semantic",
                remedy="encode(list of texts) gives one row of finite numbers for each text.",
            )
        return found
