"""Input nobody hopes for, at size: what it costs to take into the snapshot and to ask, in time and memory.

Each part runs in processes of its own, so that peaks of memory are its own. Times are of the processor.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace

from tests.bench.stores import Corpus, Item, open_at, write

STOP_WORDS = "the of and to in a is that it for was on are as with they be at one have this from or had by".split()
WORDS = 40
LONG_ENTRY = 5_000_000
LONG_QUESTION = 5_000


class Same(Corpus):
    """Entries that all say the same."""

    def piece(self, start: int) -> Iterator[Item]:
        first = next(super().piece(0))
        for item in super().piece(start):
            yield replace(first, id=item.id, stored_ms=item.stored_ms)


class StopWords(Corpus):
    """Entries of nothing but a handful of words that say nothing."""

    def piece(self, start: int) -> Iterator[Item]:
        known: dict[str, str] = {}

        def plain(text: str) -> str:
            return " ".join(known.setdefault(w, STOP_WORDS[len(known) % len(STOP_WORDS)]) for w in text.split())

        for item in super().piece(start):
            texts = {name: plain(getattr(item, name)) for name in ("question", "recommendation", "prose")}
            yield replace(item, **texts)


class NewWords(Corpus):
    """Entries that share no word: as many terms as there are words."""

    def piece(self, start: int) -> Iterator[Item]:
        for i, item in enumerate(super().piece(start), start):
            words = [f"w{i * self.words + n}" for n in range(self.words)]
            yield replace(
                item, question=" ".join(words[:6]), recommendation=" ".join(words[6:14]), prose=" ".join(words[14:])
            )


KINDS = {"all the same": Same, "stop words alone": StopWords, "no word twice": NewWords}
QUESTIONS = {
    "all the same": lambda corpus: next(corpus.piece(0)).prose,
    "stop words alone": lambda corpus: " ".join(STOP_WORDS[:8]),
    "no word twice": lambda corpus: f"w7 w{corpus.size * WORDS - 1} w{corpus.size * WORDS // 2} nothing",
}


def run(size: int, vocabulary: int = 2_000_000) -> dict:
    """Measure and print: `size` entries that are all the same, or stop words alone; `vocabulary` terms; and two long ones."""
    sizes = dict.fromkeys(KINDS, size) | {"no word twice": vocabulary // WORDS}
    found = {"size": size, "vocabulary": vocabulary}
    print(f"{'':<46}{'snapshot s':>12}{'MB':>8}{'question ms':>13}{'MB':>8}")
    for name, n in sizes.items():
        folder = pathlib.Path(tempfile.mkdtemp(prefix="memkit-bad-", dir=os.environ.get("BENCH_DIR")))
        try:
            write(folder, KINDS[name](n, WORDS))
            made, asked = _child("make", name, folder, n), _child("ask", name, folder, n)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        found[name] = {"entries": n, "made": made, "asked": asked}
        print(
            f"{f'{n:,} entries, {name}':<46}{made['cpu']:>12.1f}{made['peak_mb']:>8.0f}"
            f"{asked['median'] * 1e3:>13.1f}{asked['peak_mb']:>8.0f}"
        )
    folder = pathlib.Path(tempfile.mkdtemp(prefix="memkit-bad-", dir=os.environ.get("BENCH_DIR")))
    try:
        write(folder, Corpus(1_000, WORDS))
        for what in ("long entry", "long question"):
            found[what] = row = _child(what, "all the same", folder, 1_000)
            print(f"{what}: {row['said']}; {row['cpu'] * 1e3:.0f} ms of the processor, at most {row['peak_mb']:.0f} MB")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return found


def _child(what: str, name: str, folder: pathlib.Path, size: int) -> dict:
    code = f"from tests.bench.bench_bad import child; child({what!r}, {name!r}, {str(folder)!r}, {size})"
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def child(what: str, name: str, folder: str, size: int) -> None:
    """In the new process: one step, then print what it took."""
    corpus = KINDS[name](size, WORDS)
    found: dict = {}
    began = time.process_time()
    mem = open_at(pathlib.Path(folder))  # takes all entries into the snapshot, where they are not in it
    if what == "ask":
        question = QUESTIONS[name](corpus)
        times = []
        for _ in range(7):
            before = time.process_time()
            hits = mem.recall(question)
            times.append(time.process_time() - before)
        assert len(hits) > 0
        found["median"] = statistics.median(times)
    elif what == "long entry":
        began = time.process_time()
        mem.store(question="Which long one?", result={"synthesis": {"content": "word xylophone " * (LONG_ENTRY // 15)}})
        (hit,) = mem.recall("xylophone")
        found["said"] = f"an entry of {LONG_ENTRY:,} characters stored and found, {len(hit.fragments)} fragments"
    elif what == "long question":
        mem.recall("warm")
        began = time.process_time()
        words = " ".join(
            f"nothing{i}" if i % 2 else w for i, w in enumerate(corpus.query(LONG_QUESTION, common=False).split())
        )
        answer = mem.recall(words)
        capped = [gap.detail for gap in answer.missed if "64" in gap.detail]
        found["said"] = f"{LONG_QUESTION:,} words, {len(answer.terms)} counted ({capped[0] if capped else 'not said'})"
    found["cpu"] = time.process_time() - began
    found["peak_mb"] = int(re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path("/proc/self/status").read_text())[1]) / 1024  # type: ignore[index]
    mem.close()
    print(json.dumps(found))
