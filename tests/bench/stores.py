"""Large stores for measuring: deterministic, written without waiting for the disk.

Envelopes and index lines are made by memkit's own code, so that what is measured reads what memkit writes; only the
flushes are left out. Words are drawn from a Zipf-like vocabulary of 20,000, as in `corpus`.
"""

from __future__ import annotations

import hashlib
import pathlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from memkit.memory import Memory
from memkit.model.entry import StoredEntry
from memkit.model.index_line import line_for
from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.store import durable
from tests.bench.corpus import Texts

PANELS = ("consensus", "adr", "review")
# A year and a half, ending before today wherever this runs.
_BEGINS_MS = 1_735_689_600_000
_SPAN_MS = 46_000_000_000
_CHUNK = 5_000


@dataclass(frozen=True)
class Item:
    """One entry to be: what memkit stores and what rivals are given."""

    id: str
    stored_ms: int
    question: str
    recommendation: str
    prose: str
    panel: str
    tags: tuple[str, ...]

    @property
    def result(self) -> dict:
        return {"synthesis": {"content": f"{self.prose}\n\n## Recommendation\n\n{self.recommendation}"}}

    @property
    def text(self) -> str:
        """Everything in one text, for those who have no fields."""
        return f"{self.question} {self.prose} {self.recommendation} {' '.join(self.tags)}"


class Corpus:
    """`size` entries of about `words` words, always the same ones, and questions over the same vocabulary."""

    def __init__(self, size: int, words: int = 150, *, seed: int = 7, vocabulary: int = 20_000) -> None:
        self.size = size
        self.words = words
        self._seed = seed
        self._texts = Texts(seed, vocabulary)
        self._vocabulary = np.array(self._texts._words, dtype=object)
        weights = 1.0 / (np.arange(vocabulary) + 2.7)
        self._cumulative = np.cumsum(weights / weights.sum())

    def __iter__(self) -> Iterator[Item]:
        for start in range(0, self.size, _CHUNK):
            n = min(_CHUNK, self.size - start)
            draws = np.random.default_rng((self._seed, start)).random((n, self.words))
            ranks = np.minimum(np.searchsorted(self._cumulative, draws), len(self._vocabulary) - 1)
            for i, row in enumerate(self._vocabulary[ranks], start):
                asked, said = (9, 20) if self.words >= 100 else (6, 8)
                stored_ms = _BEGINS_MS + i * _SPAN_MS // max(self.size, 1)
                yield Item(
                    id=f"{stored_ms:012x}7{i:019x}",
                    stored_ms=stored_ms,
                    question=" ".join(row[:asked]) + "?",
                    recommendation=" ".join(row[asked : asked + said]),
                    prose=" ".join(row[asked + said :]),
                    panel=PANELS[i % 3],
                    tags=(f"t{i % 17}", f"area-{i % 5}"),
                )

    def query(self, n: int, *, common: bool) -> str:
        """`n` words: of the 200 commonest, or of ranks 500 to 6,000."""
        return self._texts.query(n, common=common)

    def mixed(self, n: int) -> str:
        """`n` words, every other one common."""
        return " ".join(self._texts.query(1, common=bool(i % 2)) for i in range(n))


def open_at(base: pathlib.Path, **more) -> Memory:
    """A memory in `base`, without retention; nothing of the user's is read."""
    (base / "project").mkdir(parents=True, exist_ok=True)
    environment = Environment(env={"MEMKIT_RETENTION__ENABLED": "false"}, home=base, config_file=base / "config.toml")
    return open_memory(base / "project", root=base / "root", enabled=True, environment=environment, **more)


def write(base: pathlib.Path, corpus: Corpus) -> None:
    """Fill the memory in `base`, which must be empty, without a snapshot."""
    with open_at(base) as mem:
        store = mem._store
        store.make_folders()
        store.write_store_json()
        paths = store.paths
        durable.make_folder(paths.snapshots)
    with paths.index.open("ab") as index:
        for item in corpus:
            entry = StoredEntry(
                id=item.id,
                stored_at_ms=item.stored_ms,
                project_key=paths.key,
                project_path=paths.project_path,
                panel_id=item.panel,
                question=item.question,
                tags=item.tags,
                result=item.result,
            )
            data = entry.to_bytes()
            paths.entry_file(item.id).write_bytes(data)
            index.write(line_for(entry, n_bytes=len(data), sha256=hashlib.sha256(data).hexdigest()))
