"""What scrubbing costs: ordinary texts of 1 KB, a large text, and texts full of near misses. `python -m tests.bench.bench_scrub`."""

import statistics
import time

from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from tests.bench.corpus import Texts
from tests.store.scrub_harmless import RECORDS

KB, MB = 1024, 1_000_000
NEAR_MISSES = (
    "sk-",
    "password ",
    "password=",
    "token: ",
    "api_key=\n",
    "ghp_ ",
    "eyJ-",
    "://a:b ",
    "AKIA",
    '="\\"',
    "aws key ",
    "the token is ",
)


def seconds(call, rounds: int = 5) -> float:
    """The least of some rounds: what the call costs when nothing else runs."""
    best = float("inf")
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - began)
    return best


def measure(size: int = MB) -> dict:
    """Microseconds per ordinary KB; seconds per MB of prose and of each near miss; growth from one size to its double."""
    patterns = shipped_patterns()
    made = seconds(lambda: Scrubber(shipped_patterns()))
    scrubber = Scrubber(patterns)
    texts = Texts()
    words = "\n\n".join(texts.request(i)["result"]["synthesis"]["content"] for i in range(200))
    ordinary = [words[i : i + KB] for i in range(0, min(len(words), 60 * KB) - KB, KB)]
    prose = ("\n\n".join(RECORDS) * (size // 500 + 1))[:size]
    literals = " ".join(literal for kind in patterns.kinds for literal in (*kind.literals, *kind.keywords))
    worst = {text: (text * (size // len(text) + 1))[:size] for text in (*NEAR_MISSES, literals)}
    scrubber.findings(prose)  # compiles what it needs
    near = {
        ("every literal" if text == literals else text): seconds(lambda big=big: scrubber.findings(big), 2)
        for text, big in worst.items()
    }
    half = {
        name: seconds(lambda big=big: scrubber.findings(big[: size // 2]), 2)
        for name, big in zip(near, worst.values(), strict=True)
    }
    return {
        "make_ms": made * 1e3,
        "ordinary_us_per_kb": statistics.median(
            seconds(lambda text=text: scrubber.scrub_text(text)) for text in ordinary
        )
        * 1e6,
        "prose_s_per_mb": seconds(lambda: scrubber.findings(prose)) * MB / size,
        "near_miss_s_per_mb": {name: took * MB / size for name, took in near.items()},
        "doubling": {name: near[name] / half[name] for name in near},
    }


def main() -> None:
    """Print it."""
    found = measure()
    print(f"making a scrubber      {found['make_ms']:8.1f} ms")
    print(f"an ordinary KB         {found['ordinary_us_per_kb']:8.1f} us")
    print(f"prose about secrets    {found['prose_s_per_mb']:8.3f} s/MB")
    for name, took in sorted(found["near_miss_s_per_mb"].items(), key=lambda item: (-item[1], item[0])):
        print(
            f"near miss {name!r:20} {took:8.3f} s/MB, twice the text takes {found['doubling'][name]:.2f} times as long"
        )


if __name__ == "__main__":
    main()
