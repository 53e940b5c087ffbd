"""Counting cases by promise, and the two sizes of a run."""

from __future__ import annotations

import json
import math
import os
import pathlib
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field

RELEASE = os.environ.get("MEMKIT_RELIABILITY", "") == "release"
REPORT = os.environ.get("MEMKIT_RELIABILITY_REPORT", "")
# What a tier that goes on and on may take, in seconds; one that is cut short says what it left out.
SECONDS = float(os.environ.get("MEMKIT_RELIABILITY_MINUTES", "") or "inf") * 60
SHOWN = 12


def asked_for() -> dict[str, str]:
    """The size and time of this run, as the environment of another process says them; a test has none of its own."""
    minutes = {} if math.isinf(SECONDS) else {"MEMKIT_RELIABILITY_MINUTES": f"{SECONDS / 60}"}
    return {"MEMKIT_RELIABILITY": "release" if RELEASE else "ci", **minutes}


PROMISES = {
    "P0": "the harness itself: every operation is in the table, the order of system calls is the stated one",
    "P1": "a crash before any system call of any operation: nothing acknowledged lost, opens without repair",
    "P2": "random kill -9 of several writers: nothing acknowledged lost, nothing twice",
    "P3": "real power cuts: nothing acknowledged lost, no unreadable file",
    "P4": "every input/output error at every call, once and for ever: an error or the whole, never between",
    "P5": "torn and damaged bytes: all else is read, damage is listed, the next append is readable",
    "P6": "many writers and readers at once: nothing lost, twice, or unparsable",
    "P7": "every history of each entry could have happened one after another",
    "P8": "any bytes in any file, any text as a question: only typed errors, no hang, bounded memory",
    "P9": "every sequence of two operations, cut anywhere, in every state a power cut may leave",
    "P10": "index and snapshot made again from the entries are the same",
    "P11": "disk full, no inodes, read-only, frozen: typed errors, and well again by itself",
    "P12": "a dead holder's lock is free at once, a live one is never robbed",
    "P13": "secrets: masked in every field, error, log and file",
    "P14": "no file wider than 0600, no folder wider than 0700, at any moment, under any umask",
    "P15": "cases other projects met",
    "P16": "planted defects: each is caught",
    "P17": "what was stored is found again, what was removed is not",
    "P18": "a long mixed load: descriptors and memory stay level, no temporary files",
    "P19": "stores of other versions and of the other tool open, recall and are written",
    "P20": "coverage of the floor of files",
}


@dataclass
class Count:
    """What was run for one promise.

    Attributes:
        passed: Cases.
        failed: Cases.
        skipped: Cases, or tests where the number of cases is not known.
        reasons: Why cases were skipped.
        figures: Sentences with the numbers that were measured.
    """

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)

    def add(self, other: Count) -> None:
        """Add another count to this one."""
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.reasons += [reason for reason in other.reasons if reason not in self.reasons]
        self.figures += other.figures


class Cases:
    """Counts the cases of one test; failures are collected, so that one bad case does not hide the others."""

    def __init__(self) -> None:
        self.passed = 0
        self.failures: list[str] = []
        self.skipped = 0
        self.reasons: list[str] = []
        self.figures: list[str] = []

    def add(self, problems: Iterable[str] = (), *, name: str = "") -> bool:
        """One case was run and showed these problems; whether it passed."""
        found = [f"{name}: {problem}" if name else problem for problem in problems]
        if found:
            self.failures.append("; ".join(found[:3]))
        else:
            self.passed += 1
        return not found

    def figure(self, sentence: str) -> None:
        """Say a number that was measured."""
        self.figures.append(sentence)

    def skip(self, reason: str, n: int = 1) -> None:
        """Leave out `n` cases."""
        self.skipped += n
        self.reasons.append(reason)

    @property
    def text(self) -> str:
        """The failures, a few of them in words."""
        n = len(self.failures)
        shown = "\n  ".join(self.failures[:SHOWN])
        return f"{n} of {n + self.passed} cases failed:\n  {shown}" + ("\n  ..." if n > SHOWN else "")


def pick(ci, release):
    """The value for the size of this run."""
    return release if RELEASE else ci


class Clock:
    """Whether a loop has time left; a tier that is cut short says so instead of taking for ever."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.end = time.monotonic() + seconds

    @property
    def is_over(self) -> bool:
        """Whether the time is used up."""
        return time.monotonic() > self.end


def line(count: Count) -> str:
    """`N passed, N failed, N skipped`."""
    return f"{count.passed:,} passed, {count.failed:,} failed, {count.skipped:,} skipped"


def table(counts: dict[str, Count]) -> str:
    """Promise, cases run, result; one row for each promise."""
    rows = [("promise", "cases", "result", "what")]
    for promise, words in PROMISES.items():
        count = counts.get(promise)
        if count is None:
            continue
        result = "FAILED" if count.failed else "held" if count.passed else "not run"
        extra = f", {count.skipped:,} skipped" if count.skipped else ""
        rows.append((promise, f"{count.passed + count.failed:,}", result + extra, words))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True)) for row in rows]
    return "\n".join([lines[0], "-" * min(120, max(map(len, lines))), *lines[1:]])


def write_report(path: str, counts: dict[str, Count]) -> None:
    """Leave the counts, and the processor time of this process and its children, where the runner reads them."""
    said = {"counts": {promise: asdict(count) for promise, count in counts.items()}, "processor": sum(os.times()[:4])}
    pathlib.Path(path).write_text(json.dumps(said), "utf-8")


def read_report(path: str) -> tuple[dict[str, Count], float]:
    """What a tier counted, and the seconds of processor time it took."""
    raw = json.loads(pathlib.Path(path).read_text("utf-8"))
    return {promise: Count(**count) for promise, count in raw["counts"].items()}, raw["processor"]
