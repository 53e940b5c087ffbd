"""What extracting a session costs: seconds and memory at 50 MB, and how it grows. `python -m tests.bench.bench_sessions`."""

import pathlib
import random
import resource
import tempfile
import time

from memkit.clock import SystemClock
from memkit.consolidate.extract import extract
from memkit.consolidate.rules import RuleExtractor
from memkit.importers.sessions.reading import read_session
from memkit.store.paths import StorePaths
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.store import Store
from tests.importers.made_sessions import claude_code, encoded

MB = 1_000_000
PER_TURN = 2_600  # bytes of a turn with its noise
EVERY = 10  # one turn in ten says something


def write_session(path: pathlib.Path, n_bytes: int) -> int:
    """A session of about so many bytes; returns how many candidates are in it."""
    choose = random.Random(7)
    words = [f"word{n}" for n in range(3000)]
    n = n_bytes // PER_TURN

    def text(length: int) -> str:
        return " ".join(choose.choice(words) for _ in range(length))

    turns = []
    for i in range(n):
        said = (
            f"\n\nDecision: number {i} {text(12)}.\n\nTripwire: load {i} exceeds 5/s for 1h" if i % EVERY == 0 else ""
        )
        turns.append((("user", "assistant")[i % 2], text(150) + said))
    path.write_bytes(encoded(claude_code(turns)))
    return len(range(0, n, EVERY))


def seconds(n_bytes: int) -> tuple[float, float, int]:
    """Seconds to extract a session of about `n_bytes` into an empty store, seconds to do it again, its candidates."""
    with tempfile.TemporaryDirectory(prefix="memkit-bench-") as name:
        folder = pathlib.Path(name)
        (folder / "project").mkdir()
        paths = StorePaths.for_project(folder / "root", str(folder / "project"))
        store = Store(paths, clock=SystemClock(), scrubber=Scrubber(shipped_patterns()))
        wanted = write_session(folder / "s.jsonl", n_bytes)
        took = []
        for _ in range(2):
            began = time.perf_counter()
            report = extract(store, read_session(folder / "s.jsonl"), extractor=RuleExtractor(), stored=tuple)
            took.append(time.perf_counter() - began)
            if len(took) == 1 and len(report.candidates) != wanted:
                raise AssertionError(f"{len(report.candidates)} candidates of {wanted}")
        return took[0], took[1], wanted


def measure(n_bytes: int = 50 * MB) -> dict:
    """Seconds of a first and a second run, candidates, and the process's peak in MB."""
    first, again, n = seconds(n_bytes)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return {"mb": n_bytes / MB, "first_s": first, "again_s": again, "candidates": n, "peak_mb": peak}


def growth(small: int = 2 * MB) -> float:
    """How many times as long ten times the bytes take."""
    return seconds(10 * small)[0] / seconds(small)[0]


def main() -> None:
    """Print it."""
    found = measure()
    print(f"a session of {found['mb']:.0f} MB, {found['candidates']:,} candidates")
    print(f"first extraction   {found['first_s']:8.2f} s")
    print(f"once more          {found['again_s']:8.2f} s")
    print(f"peak of the process{found['peak_mb']:8.0f} MB")
    print(f"ten times the bytes take {growth():.1f} times as long")


if __name__ == "__main__":
    main()
