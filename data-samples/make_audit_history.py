"""Live through one week with the samples and leave its audit history behind.

    python data-samples/make_audit_history.py --root FOLDER

Every line is written by memkit itself, doing what the line says: records are imported as they appeared, panels are
stored, people and a nightly job ask, a file is damaged and mended. The clock walks through the seven days before the
samples' `as_of`. FOLDER gets a memory root; nothing else is touched.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import pathlib
import shutil
import sys
import warnings
from collections.abc import Callable

from memkit.clock import UTC, FixedClock
from memkit.errors import MemkitWarning
from memkit.memory import Memory
from memkit.opening import open_memory
from memkit.settings import Environment

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
        environment = Environment(home=base, config_file=base / "config.toml")
        return open_memory(
            PROJECT, root=base / "memory", enabled=True, clock=clock, actor=actor, environment=environment
        )

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
        if day == 4:
            _damage_and_mend(memory)
        clock.at = as_of() - dt.timedelta(days=6 - day)
    shutil.rmtree(staged.parent)
    with memory("cli") as mem:
        return mem.paths.logs


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
    base = parser.parse_args().root
    if base.exists() and any(base.iterdir()):
        print(f"{base} is not empty", file=sys.stderr)
        return 2
    base.mkdir(parents=True, exist_ok=True)
    print(live_a_week(base.resolve()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
