"""What people would use instead, behind one small interface, so that all are given the same entries and questions.

SQLite's FTS5 and the scan come with Python; bm25s is a test dependency. tantivy, selvedge and anatid are looked for in
the environment and in `.rivals/` (`make rivals` puts them there), the memory server in `.tools/node_modules` (`make tools`);
one that is not there is left out and named.
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.bench.stores import Item

_ROOT = pathlib.Path(__file__).resolve().parents[2]
RIVALS = pathlib.Path(os.environ.get("BENCH_RIVALS", _ROOT / ".rivals"))
TOOLS = pathlib.Path(os.environ.get("BENCH_TOOLS", _ROOT / ".tools"))
LIMIT = 20
_WORD = re.compile(r"\w+")


class Rival:
    """One system in a folder of its own.

    `fill` loads many entries in the fastest way it has; `store` keeps one entry for good before it returns; `search`
    gives at most `LIMIT` ids. `cannot` says what it cannot do that memkit does. One that is not `patient` stops at the
    size where a step takes too long.
    """

    name = ""
    module = ""
    cannot: tuple[str, ...] = ()
    is_patient = False

    def __init__(self, folder: pathlib.Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder

    def fill(self, items: Iterable[Item]) -> None:
        raise NotImplementedError

    def store(self, item: Item) -> None:
        raise NotImplementedError

    def search(self, query: str) -> list[str]:
        raise NotImplementedError

    def open(self) -> None:
        """Open what an earlier process filled."""

    def close(self) -> None:
        """Let go."""

    @classmethod
    def missing(cls) -> str:
        """Why it cannot be run here, or ""."""
        return "" if find_spec(cls.module) else f"{cls.name} (make rivals)"

    @property
    def pid(self) -> int | None:
        """The process it works in, where that is not this one."""
        return None

    @property
    def disk(self) -> int:
        """Bytes on disk."""
        return sum(path.stat().st_size for path in self.folder.rglob("*") if path.is_file())


class Fts5(Rival):
    """A durable write for each entry."""

    name = "FTS5"
    module = "sqlite3"
    cannot = ("explain a match", "follow chains")

    def open(self) -> None:
        self._db = sqlite3.connect(self.folder / "fts.sqlite")
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = full")
        self._db.execute("create virtual table if not exists t using fts5(id unindexed, question, body, tags)")

    def fill(self, items: Iterable[Item]) -> None:
        self.open()
        for item in items:
            self.store(item)

    def store(self, item: Item) -> None:
        self._db.execute("insert into t values (?, ?, ?, ?)", self._row(item))
        self._db.commit()

    def search(self, query: str) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(query)))
        sql = "select id from t where t match ? order by rank limit ?"
        return [found for (found,) in self._db.execute(sql, (match, LIMIT))]

    def close(self) -> None:
        self._db.close()

    @staticmethod
    def _row(item: Item) -> tuple[str, str, str, str]:
        return item.id, item.question, f"{item.prose} {item.recommendation}", " ".join(item.tags)


class Fts5Filled(Fts5):
    """The same, filled in one transaction, so that questions can be compared at every size."""

    name = "FTS5, filled in one transaction"
    is_patient = True

    def fill(self, items: Iterable[Item]) -> None:
        self.open()
        self._db.executemany("insert into t values (?, ?, ?, ?)", map(self._row, items))
        self._db.commit()


class Bm25s(Rival):
    name = "bm25s"
    module = "bm25s"
    cannot = ("keep one more entry", "explain a match", "filter", "follow chains")

    def fill(self, items: Iterable[Item]) -> None:
        import bm25s

        listed = list(items)
        tokens = bm25s.tokenize([item.text for item in listed], stopwords=[], show_progress=False)
        index = bm25s.BM25()
        index.index(tokens, show_progress=False)
        index.save(str(self.folder), show_progress=False)
        (self.folder / "ids.json").write_text(json.dumps([item.id for item in listed]))
        self.open()

    def open(self) -> None:
        import bm25s

        self._index = bm25s.BM25.load(str(self.folder), mmap=True)
        self._ids = json.loads((self.folder / "ids.json").read_text())

    def search(self, query: str) -> list[str]:
        import bm25s

        tokens = bm25s.tokenize([query], stopwords=[], return_ids=False, show_progress=False)
        known = [[token for token in tokens[0] if token in self._index.vocab_dict]]
        if not known[0]:
            return []
        docs, scores = self._index.retrieve(known, k=min(LIMIT, len(self._ids)), show_progress=False)
        return [self._ids[doc] for doc, score in zip(docs[0], scores[0], strict=True) if score > 0]


class Tantivy(Rival):
    name = "tantivy"
    module = "tantivy"
    cannot = ("write from several processes", "follow chains")

    def open(self) -> None:
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        for field in ("question", "body", "tags"):
            builder.add_text_field(field)
        self._index = tantivy.Index(builder.build(), path=str(self.folder))
        self._writer = None

    def fill(self, items: Iterable[Item]) -> None:
        self.open()
        for item in items:
            self._add(item)
        self._commit()

    def store(self, item: Item) -> None:
        self._add(item)
        self._commit()

    def _add(self, item: Item) -> None:
        import tantivy

        if self._writer is None:
            self._writer = self._index.writer(heap_size=128_000_000, num_threads=1)
        body = f"{item.prose} {item.recommendation}"
        self._writer.add_document(
            tantivy.Document(id=[item.id], question=[item.question], body=[body], tags=list(item.tags))
        )

    def _commit(self) -> None:
        self._writer.commit()
        self._index.reload()

    def search(self, query: str) -> list[str]:
        searcher = self._index.searcher()
        parsed = self._index.parse_query(query, ["question", "body", "tags"])
        return [searcher.doc(address)["id"][0] for _, address in searcher.search(parsed, LIMIT).hits]

    def close(self) -> None:
        if self._writer is not None:
            self._writer.wait_merging_threads()


class Selvedge(Rival):
    name = "selvedge"
    module = "selvedge"
    cannot = ("rank", "look for several words: one substring at a time, here one after another", "explain a match")

    def open(self) -> None:
        from selvedge.storage import SelvedgeStorage

        self._storage = SelvedgeStorage(self.folder / "selvedge.db")

    def fill(self, items: Iterable[Item]) -> None:
        self.open()
        items = iter(items)
        while batch := list(itertools.islice(items, 5_000)):
            self._storage.log_event_batch([self._event(item) for item in batch])

    def store(self, item: Item) -> None:
        self._storage.log_event(self._event(item))

    def search(self, query: str) -> list[str]:
        found: Counter[str] = Counter()
        for word in dict.fromkeys(_WORD.findall(query)):
            found.update(row["entity_path"] for row in self._storage.search(word, LIMIT))
        return [entry_id for entry_id, _ in found.most_common(LIMIT)]

    @staticmethod
    def _event(item: Item):
        from selvedge.models import ChangeEvent

        text = f"{item.question} {item.prose} {item.recommendation}"
        return ChangeEvent(entity_path=item.id, change_type="add", reasoning=text, agent=item.panel)


class Anatid(Rival):
    name = "anatid"
    module = "anatid"
    cannot = ("read from another process while it is open", "explain a match")

    def open(self) -> None:
        logging.getLogger("anatid").setLevel(logging.CRITICAL)  # it says at length that it cannot fetch an extension
        from anatid import Anatid as Library

        self._db = Library.open(str(self.folder / "memory.anatid"), tenant=1)

    def fill(self, items: Iterable[Item]) -> None:
        self.open()
        for item in items:
            self.store(item)
        try:
            self._db.rebuild_fts_index()
        except Exception as error:  # its index of words needs an extension that DuckDB downloads
            self.cannot = (*self.cannot, f"index words without a network ({type(error).__name__}): it scans")

    def store(self, item: Item) -> None:
        self._db.remember(item.text, kind="fact")

    def search(self, query: str) -> list[str]:
        return [hit.content for hit in self._db.recall(query, k=LIMIT, seed_entity=None)]

    def close(self) -> None:
        self._db.close()


class MemoryServer(Rival):
    """`@modelcontextprotocol/server-memory`, asked over stdio as an agent asks it."""

    name = "server-memory"
    cannot = (
        "rank",
        "look for several words: one substring at a time, here one after another",
        "explain a match",
        "filter",
        "follow chains",
        "write from several processes",
    )
    _program = "node_modules/@modelcontextprotocol/server-memory/dist/index.js"
    _server: subprocess.Popen[bytes] | None = None
    _asked = 0

    @classmethod
    def missing(cls) -> str:
        if shutil.which("node") is None:
            return f"{cls.name} (node is not there)"
        return "" if (TOOLS / cls._program).exists() else f"{cls.name} (make tools)"

    @property
    def pid(self) -> int | None:
        return self._server.pid if self._server else None

    def open(self) -> None:
        self._server = subprocess.Popen(
            ["node", str(TOOLS / self._program)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"MEMORY_FILE_PATH": str(self.folder / "memory.jsonl")},
        )
        client = {"name": "bench", "version": "1"}
        self._say("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def fill(self, items: Iterable[Item]) -> None:
        self.open()
        items = iter(items)
        while batch := list(itertools.islice(items, 1_000)):
            self._create(batch)

    def store(self, item: Item) -> None:
        self._create([item])

    def _create(self, items: Iterable[Item]) -> None:
        entities = [
            {
                "name": item.id,
                "entityType": item.panel,
                "observations": [item.question, item.prose, item.recommendation],
            }
            for item in items
        ]
        self._call("create_entities", {"entities": entities})

    def search(self, query: str) -> list[str]:
        found: Counter[str] = Counter()
        for word in dict.fromkeys(_WORD.findall(query)):
            said = self._call("search_nodes", {"query": word})
            graph = said.get("structuredContent") or json.loads(said["content"][0]["text"])
            found.update(entity["name"] for entity in graph["entities"])
        return [entry_id for entry_id, _ in found.most_common(LIMIT)]

    def _call(self, tool: str, arguments: dict) -> dict:
        said = self._say("tools/call", {"name": tool, "arguments": arguments})
        if said.get("isError"):
            raise RuntimeError(f"{tool}: {said['content']}")
        return said

    def _say(self, method: str, params: dict) -> dict:
        self._asked += 1
        self._write({"jsonrpc": "2.0", "id": self._asked, "method": method, "params": params})
        assert self._server is not None
        assert self._server.stdout is not None
        while line := self._server.stdout.readline():
            said = json.loads(line)
            if said.get("id") == self._asked:
                return said["result"]
        raise RuntimeError(f"the memory server ended at {method}")

    def _write(self, message: dict) -> None:
        assert self._server is not None
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps(message).encode() + b"\n")
        self._server.stdin.flush()

    def close(self) -> None:
        if self._server is not None:
            self._server.communicate()


class Scan(Rival):
    """The first implementation of this design: each index line parsed and checked, a pattern per word, then the files."""

    name = "index scan"
    module = "json"
    cannot = ("find what is not in the preview", "explain a match", "follow chains")

    def __init__(self, folder: pathlib.Path, index: pathlib.Path) -> None:
        super().__init__(folder)
        self._index = index

    def search(self, query: str) -> list[str]:
        patterns = [re.compile(rf"\b{re.escape(word)}\b", re.IGNORECASE) for word in query.split()]
        found = []
        with self._index.open("rb") as lines:
            for line in lines:
                row = json.loads(line)
                if not all(
                    isinstance(row.get(name), str) for name in ("id", "projectKey", "panelId", "questionPreview")
                ):
                    continue
                text = f"{row['questionPreview']} {' '.join(row['tags'])}"
                n = sum(1 for pattern in patterns if pattern.search(text))
                if n:
                    found.append((n, row["storedAt"], row["id"]))
        found.sort(reverse=True)
        results = self._index.parent / "results"
        return [json.loads((results / f"{each}.json").read_bytes())["id"] for *_, each in found[:LIMIT]]


ALL: tuple[type[Rival], ...] = (Fts5, Fts5Filled, Bm25s, Tantivy, Selvedge, Anatid, MemoryServer)


def installed() -> tuple[list[Callable[[pathlib.Path], Rival]], list[str]]:
    """The rivals that can be run here, and the names of those that cannot."""
    if RIVALS.is_dir() and str(RIVALS) not in sys.path:
        sys.path.append(str(RIVALS))
    why = {kind: kind.missing() for kind in ALL}
    return [kind for kind, reason in why.items() if not reason], [reason for reason in why.values() if reason]
