"""Large stores for measuring: deterministic, written without waiting for the disk.

Envelopes and index lines are byte for byte those of memkit's own code (tested), so that what is measured reads what
memkit writes; only the flushes are left out. Words are drawn from a Zipf-like vocabulary of 20,000, as in `corpus`.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from memkit.memory import Memory
from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.store import durable
from memkit.store.paths import StorePaths
from tests.bench.corpus import Texts

PANELS = ("consensus", "adr", "review")
# A year and a half, ending before today wherever this runs.
_BEGINS_MS = 1_735_689_600_000
_SPAN_MS = 46_000_000_000
_CHUNK = 5_000
_WRITERS = 2


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
            yield from self.piece(start)

    def piece(self, start: int) -> Iterator[Item]:
        """The items from `start`, a multiple of 5,000, to the next one."""
        n = min(_CHUNK, self.size - start)
        draws = np.random.default_rng((self._seed, start)).random((n, self.words))
        ranks = np.minimum(np.searchsorted(self._cumulative, draws), len(self._vocabulary) - 1)
        asked, said = (9, 20) if self.words >= 100 else (6, 8)
        for i, row in enumerate(self._vocabulary[ranks].tolist(), start):
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
    """Fill the memory in `base`, which must be empty, without a snapshot.

    The files are written by two processes, the pieces of the corpus in turn; their index lines are appended at the end.
    """
    with open_at(base) as mem:
        store = mem._store
        store.make_folders()
        store.write_store_json()
        paths = store.paths
        durable.make_folder(paths.snapshots)
    forms = Forms(paths)
    pieces = range(0, corpus.size, _CHUNK)
    parts = [base / f"lines-{number}" for number in range(min(_WRITERS, len(pieces)))]
    forked = [
        _forked(lambda n=n: _write_pieces(forms, corpus, pieces[n :: len(parts)], parts[n]))
        for n in range(1, len(parts))
    ]
    _write_pieces(forms, corpus, pieces[:: len(parts) or 1], parts[0])
    for pid in forked:
        if os.waitpid(pid, 0)[1]:
            raise RuntimeError("a writer of the store ended in an error")
    files = [part.open("rb") for part in parts]
    with os.fdopen(os.open(paths.index, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as index:
        for number in range(len(pieces)):
            file = files[number % len(files)]
            index.write(file.read(int(file.readline())))
    for file, part in zip(files, parts, strict=True):
        file.close()
        part.unlink()


def _forked(work: Callable[[], None]) -> int:
    """The id of a new process that does `work` and ends without any clearing up."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _write_pieces(forms: Forms, corpus: Corpus, starts: Iterable[int], part: pathlib.Path) -> None:
    """Write the files of these pieces, and their index lines, piece by piece, each behind its length, to `part`."""
    with part.open("wb") as gathered:
        for start in starts:
            lines = []
            for item in corpus.piece(start):
                data = forms.envelope(item)
                file = os.open(f"{forms.folder}{item.id}.json", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                os.write(file, data)
                os.close(file)
                lines.append(forms.line(item, data))
            joined = b"".join(lines)
            gathered.write(b"%d\n" % len(joined) + joined)


class Forms:
    """The bytes memkit writes for an item, put together from texts: many times faster than by its own code.

    That they are the same bytes is tested. The texts of a corpus are ASCII without quotes or backslashes.
    """

    def __init__(self, paths: StorePaths) -> None:
        self.folder = f"{paths.results}{os.sep}"
        self._key = paths.key
        self._project = json.dumps(paths.project_path, ensure_ascii=False)

    def envelope(self, item: Item) -> bytes:
        """The file."""
        tags = ",".join([f'"{tag}"' for tag in item.tags])
        return (
            f'{{"schemaVersion":1,"id":"{item.id}","storedAt":{item.stored_ms},"projectKey":"{self._key}",'
            f'"projectPath":{self._project},"panelId":"{item.panel}","question":"{item.question}","tags":[{tags}],'
            f'"result":{{"synthesis":{{"content":"{item.prose}\\n\\n## Recommendation\\n\\n{item.recommendation}"}}}}}}\n'
        ).encode()

    def line(self, item: Item, data: bytes) -> bytes:
        """The index line of the item whose file holds `data`."""
        tags = ",".join([f'"{tag}"' for tag in item.tags])
        return (
            f'{{"id":"{item.id}","storedAt":{item.stored_ms},"projectKey":"{self._key}","panelId":"{item.panel}",'
            f'"questionPreview":"{item.question}","tags":[{tags}],"finalScore":-1,"judgeConfidence":-1,'
            f'"bytes":{len(data)},"sha256":"{hashlib.sha256(data).hexdigest()}"}}\n'
        ).encode()
