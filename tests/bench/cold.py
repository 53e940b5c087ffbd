"""The first hit of a new process: what it loads and reads before the answer is there.

memkit is asked as people ask it, by its command line with the settings of a home of its own; a rival by a program that
loads nothing but the rival. Both run from compiled modules, as after an installation, and once before anything counts.

    python -m tests.bench.cold [--entries 10000]
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEMKIT = "memkit"
PATIENCE = 75.0
_ASKED = (
    "import pathlib; from tests.bench import rivals; kinds, _ = rivals.installed();"
    "system = next(kind for kind in kinds if kind.name == {name!r})(pathlib.Path({folder!r}));"
    "system.open(); found = system.search({query!r}); system.close()"
)


def command(name: str, folder: pathlib.Path, words: list[str]) -> list[str]:
    """The command line that asks one system once; `folder` is the one of `bench_sizes` that holds all of them."""
    if name != MEMKIT:
        return [sys.executable, "-c", _ASKED.format(name=name, folder=str(folder / name), query=" ".join(words))]
    base = folder / MEMKIT
    at = ["--root", str(base / "root"), "--project", str(base / "project")]
    return [sys.executable, "-m", "memkit", *at, *words]


def first_hits(name: str, folder: pathlib.Path, queries: list[str], *, verb: str = "recall") -> list[dict]:
    """Seconds by the clock, and of the processor, of one new process for each question; none where one is too slow."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("MEMKIT_", "PYTHON", "XDG_"))}
    around = kept | {
        "HOME": str(home),
        "MEMKIT_RETENTION__ENABLED": "false",
        "PYTHONPATH": str(ROOT),
        "PYTHONPYCACHEPREFIX": str(folder / "compiled"),
    }

    def run(words: list[str]) -> dict:
        before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(words, env=around, stdout=subprocess.DEVNULL, timeout=PATIENCE, check=True)
        seconds, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"seconds": seconds, "cpu_all": cpu}

    try:
        if name == MEMKIT:
            run(command(name, folder, ["enable"]))
        verbs = [verb] if name == MEMKIT else []
        return [run(command(name, folder, [*verbs, *query.split()])) for query in [queries[0], *queries]][1:]
    except subprocess.TimeoutExpired:
        return []


def main() -> None:
    """Fill memkit, FTS5 and whatever else is installed with the same entries, and ask each in new processes."""
    from tests.bench import rivals
    from tests.bench.stores import Corpus, open_at, write

    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--entries", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memkit-cold-", dir=os.environ.get("BENCH_DIR")) as made:
        folder = pathlib.Path(made)
        corpus = Corpus(options.entries)
        write(folder / MEMKIT, corpus)
        open_at(folder / MEMKIT).close()
        kinds, _ = rivals.installed()
        for kind in kinds:
            system = kind(folder / kind.name)
            system.fill(iter(corpus))
            system.close()
        queries = [corpus.mixed(4) for _ in range(options.rounds)]
        found = {name: first_hits(name, folder, queries) for name in [MEMKIT, *(kind.name for kind in kinds)]}
        for verb, asked in (("decided", queries), ("list", [""] * len(queries)), ("status", [""] * len(queries))):
            found[f"memkit {verb}"] = first_hits(MEMKIT, folder, asked, verb=verb)
    rows = {
        name: {key: statistics.median(row[key] for row in rows) for key in ("seconds", "cpu_all")}
        for name, rows in found.items()
        if rows
    }
    for name, row in rows.items():
        print(f"{name:<24}{row['seconds'] * 1e3:>8.0f} ms by the clock{row['cpu_all'] * 1e3:>8.0f} ms of the processor")
    print(json.dumps({"entries": options.entries, "first": rows}))


if __name__ == "__main__":
    main()
