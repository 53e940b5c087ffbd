"""Run the ladder: `python -m tests.reliability [--release] [--minutes N] [--jobs N] [TIER ...]`, then print the table of promises.

Each tier is a process of its own; two run side by side, those that measure time run alone at the end.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from tests.reliability import account
from tests.reliability.account import Count

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
# The longest first, so that none is left over at the end.
TIERS = (
    "faults", "fuzz", "coverage", "crash-points", "crash-model", "forgetting", "planted-defects", "torn-data", "kill-rounds", "answers",
    "environment", "power-cuts", "history", "known-bugs", "notebook", "soak", "invariants", "operation-table", "order",
)  # fmt: skip
ALONE = ("concurrency",)


Outcome = tuple[str, int, dict[str, Count], str, str]


def run(tier: str, folder: pathlib.Path, *, release: bool, minutes: str) -> Outcome:
    """One tier as a process: its exit code, what it counted, what it said, how long it took in words."""
    report = folder / f"{tier}.json"
    environment = {
        **os.environ, "MEMKIT_RELIABILITY_REPORT": str(report), "MEMKIT_RELIABILITY": "release" if release else "ci",
        "MEMKIT_RELIABILITY_MINUTES": minutes, "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    began = time.monotonic()
    words = [sys.executable, "-m", "pytest", "-q", "-m", "reliability", "-p", "no:randomly", "-p", "no:cacheprovider"]
    words.append(f"tests/reliability/test_{tier.replace('-', '_')}.py")
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    counts, processor = account.read_report(str(report)) if report.exists() else ({}, 0.0)
    took = f"{time.monotonic() - began:.0f} s, {processor:.0f} s of processor"
    return tier, done.returncode, counts, done.stdout + done.stderr, took


def say(text: str = "") -> None:
    """Print at once, for somebody may be waiting."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> int:
    """Run what was asked for; 0 if everything held."""
    parser = argparse.ArgumentParser(prog="python -m tests.reliability", description=__doc__)
    parser.add_argument("tiers", nargs="*", metavar="TIER", help=f"one of {', '.join(TIERS + ALONE)}")
    parser.add_argument("--release", action="store_true", help="the size for a release (an hour or more)")
    parser.add_argument(
        "--minutes", default="", help="for each tier that goes on and on: kill-rounds, power-cuts, fuzz, soak"
    )
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="tiers at a time")
    arguments = parser.parse_args()
    unknown = set(arguments.tiers) - {*TIERS, *ALONE}
    if unknown:
        parser.error(f"no such tier: {', '.join(sorted(unknown))}")
    chosen = arguments.tiers or [*TIERS, *ALONE]
    total: dict[str, Count] = {}
    failed: list[str] = []
    began = time.monotonic()

    def told(outcome: Outcome) -> None:
        tier, code, counts, text, took = outcome
        sum_of = Count()
        for promise, count in counts.items():
            sum_of.add(count)
            total.setdefault(promise, Count()).add(count)
        say(f"{tier:16} {account.line(sum_of)}  ({took})")
        for reason in sum_of.reasons:
            say(f"    skipped: {reason}")
        for figure in sum_of.figures:
            say(f"    {figure}")
        if code or not counts:
            failed.append(tier)
            say(text[-6000:])

    with tempfile.TemporaryDirectory(prefix="memkit-ladder-") as name:
        folder = pathlib.Path(name)
        for group, jobs in (
            ([t for t in chosen if t not in ALONE], arguments.jobs),
            ([t for t in chosen if t in ALONE], 1),
        ):
            with concurrent.futures.ThreadPoolExecutor(max(1, jobs)) as pool:
                running = [
                    pool.submit(run, tier, folder, release=arguments.release, minutes=arguments.minutes)
                    for tier in sorted(group, key=_place)
                ]
                for each in concurrent.futures.as_completed(running):
                    told(each.result())
    say()
    say(account.table(total))
    say()
    everything = Count()
    for count in total.values():
        everything.add(count)
    say(account.line(everything))
    say(f"{'FAILED: ' + ', '.join(failed) if failed else 'everything held'}; {time.monotonic() - began:.0f} s in all")
    return 1 if failed else 0


def _place(tier: str) -> int:
    return (TIERS + ALONE).index(tier)


if __name__ == "__main__":
    sys.exit(main())
