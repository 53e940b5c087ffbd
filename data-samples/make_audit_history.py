"""Live through one week with the samples and leave its audit history behind.

    python data-samples/make_audit_history.py --root FOLDER

Every line is written by memkit itself, doing what the line says: records are imported as they appeared, panels are
stored, people and a nightly job ask, candidates are extracted from sessions and become records, one record
is edited by hand, a file is damaged and mended. Not all goes well: a model refuses, somebody else holds the lock,
somebody presses Ctrl-C, the linter says no, a process is killed. The clock walks through the seven days before the
samples' `as_of`. FOLDER gets a memory root; nothing else is touched.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress

from memkit.clock import UTC, FixedClock
from memkit.consolidate.rules import Extracted
from memkit.errors import LockedError, MemkitError, MemkitWarning, ModelError
from memkit.memory import Memory
from memkit.model.session import Turn
from memkit.opening import open_memory
from memkit.settings import Environment
from memkit.store import canonical

HERE = pathlib.Path(__file__).resolve().parent
PROJECT = HERE / "wherry"
QUESTIONS = (
    ("notebook", "database shard"),
    ("python", "sms provider"),
    ("cli", "authentication passkeys"),
    ("notebook", "locker heartbeat"),
    ("cli", "map tile spend"),
    ("python", "kubernetes"),
)

SESSIONS = sorted(path for path in (HERE / "sessions").iterdir() if path.suffix in {".jsonl", ".md"})


class Refusing:
    """An extractor whose model says no, or whose user does."""

    name = "model:local/mini"

    def __init__(self, error: BaseException) -> None:
        self._error = error

    def extract(self, turns: Iterable[Turn]) -> Extracted:  # noqa: ARG002
        raise self._error


class Killed:
    """An extractor whose process does not live to see the end."""

    name = "rules"

    def extract(self, turns: Iterable[Turn]) -> Extracted:  # noqa: ARG002
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def as_of() -> dt.datetime:
    """The samples' day, at nine in the morning."""
    return dt.datetime.fromisoformat((HERE / "as_of.txt").read_text("utf-8").strip()).replace(hour=9, tzinfo=UTC)


def live_a_week(base: pathlib.Path) -> pathlib.Path:
    """Write the history under `base`; returns the folder of its logs."""
    clock = FixedClock(as_of() - dt.timedelta(days=7))
    staged = base / "work" / "decisions"
    staged.mkdir(parents=True)
    records = sorted((PROJECT / "docs" / "decisions").glob("*.md"))
    panels = sorted((PROJECT / "panels").glob("*.json"))

    def memory(actor: str) -> Memory:
        return _open(base, clock, actor)

    for day in range(7):
        begins, ends = day * len(records) // 7, (day + 1) * len(records) // 7
        for record in records[begins:ends]:
            shutil.copy(record, staged)
        with memory("cli") as mem:
            mem.import_adr(staged)
        clock.advance(dt.timedelta(hours=2, minutes=13))
        with memory("python") as mem:
            for panel in panels[day * len(panels) // 7 : (day + 1) * len(panels) // 7]:
                result = json.loads(panel.read_bytes())
                mem.store(question=result["question"], result=result, tags=["panel"])
                clock.advance(dt.timedelta(minutes=7))
        for actor, question in QUESTIONS[day % 3 :: 2]:
            with memory(actor) as mem:
                mem.recall(question)
            clock.advance(dt.timedelta(minutes=31))
        _work(memory, base, clock, day)
        if day == 4:
            _damage_and_mend(memory)
        clock.at = as_of() - dt.timedelta(days=6 - day)
    shutil.rmtree(staged.parent)
    with memory("cli") as mem:
        return mem.paths.logs


def _open(base: pathlib.Path, clock: FixedClock, actor: str) -> Memory:
    environment = Environment(home=base, config_file=base / "config.toml")
    return open_memory(PROJECT, root=base / "memory", enabled=True, clock=clock, actor=actor, environment=environment)


def _work(memory: Callable[[str], Memory], base: pathlib.Path, clock: FixedClock, day: int) -> None:
    """The evening: extract what the day's session holds, make records of some of it; what goes wrong differs by day."""
    session = SESSIONS[day % len(SESSIONS)]
    with memory("python") as mem:
        if day == 0:
            with memory("cli") as other:
                other.reconcile()  # too early: nothing is staged yet
        if day == 1:
            with suppress(ModelError):
                mem.staging.extract(session, extractor=Refusing(ModelError("429: too many requests")))
        if day == 3:
            with suppress(KeyboardInterrupt):
                mem.staging.extract(session, extractor=Refusing(KeyboardInterrupt()))
        if day == 5:
            with memory("cli") as other, canonical.writing(other._store, "edit records"), suppress(LockedError):  # noqa: SLF001
                mem.staging.extract(session)
        clock.advance(dt.timedelta(minutes=20))
        mem.staging.extract(session)
        if day in {2, 4}:
            mem.staging.extract(session)  # nothing new in it
    clock.advance(dt.timedelta(minutes=10))
    with memory("cli") as mem:
        if day != 5:
            mem.reconcile()
    clock.advance(dt.timedelta(minutes=1))
    if day == 4:
        with memory("notebook") as mem:
            _edit(mem, clock)
    if day == 6:
        told = [sys.executable, __file__, "--root", str(base), "--killed-at", clock.now().isoformat()]
        subprocess.run(told, check=False, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def _edit(mem: Memory, clock: FixedClock) -> None:
    """A record is edited, one is refused by the linter, one is edited in an editor, one is deleted."""
    first, second, *_ = (shown.record for shown in mem.records.list().rows)
    mem.records.edit(first.kind, first.slug, body=f"{first.body}\n\nStill true in November.", reason="Looked at again.")
    with suppress(MemkitError):
        mem.records.write("lesson", "Not A Slug", body="Names have no spaces.", sources=["a review"])
    file = mem.paths.folder / second.path
    file.write_bytes(file.read_bytes().rstrip() + b"\n\nAdded in an editor.\n")
    clock.advance(dt.timedelta(minutes=5))
    mem.records.list()  # notices
    mem.records.delete(second.kind, second.slug, reason="It is in the decision records.")


def _damage_and_mend(memory: Callable[[str], Memory]) -> None:
    """A cut entry, as a disk might leave it; recall goes on without it, repair moves it aside."""
    with memory("cli") as mem:
        victim = mem.paths.entry_file(mem.list()[0].id)
        victim.write_bytes(victim.read_bytes()[:200])
    with memory("cli") as mem, warnings.catch_warnings():
        warnings.simplefilter("ignore", MemkitWarning)
        mem.recall("locker")
        mem.repair(dry_run=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--root", type=pathlib.Path, required=True, help="an empty or new folder")
    parser.add_argument("--killed-at", help=argparse.SUPPRESS)
    options = parser.parse_args()
    base = options.root
    if options.killed_at:
        with _open(base, FixedClock(dt.datetime.fromisoformat(options.killed_at)), "python") as mem:
            mem.staging.extract(SESSIONS[0], extractor=Killed())
    if base.exists() and any(base.iterdir()):
        print(f"{base} is not empty", file=sys.stderr)
        return 2
    base.mkdir(parents=True, exist_ok=True)
    print(live_a_week(base.resolve()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
