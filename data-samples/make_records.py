"""The team's canonical memory: eight records, written by memkit itself on the days they stand for.

    python data-samples/make_records.py            writes them anew into wherry/records/
    python data-samples/make_records.py FOLDER     writes them into FOLDER/memory and FOLDER/knowledge

Copy the two folders into a project's store (`memkit status` says where it lies), and they are its records.
"""

from __future__ import annotations

import datetime as dt
import pathlib
import shutil
import sys

from memkit.clock import UTC, FixedClock
from memkit.testing import temp_memory_root

HERE = pathlib.Path(__file__).resolve().parent
RECORDS = (
    (
        "2025-09-25",
        "preference",
        "Prices are whole minor units",
        """\
An amount is a whole number of the currency's smallest unit, with the currency beside it. No floats, not even in
between: a fee that is halved as a float loses a penny in nine of 604 invoices.""",
        {
            "sources": ["wherry/docs/decisions/0015-prices-are-whole-minor-units.md"],
            "triggers": ["a column for money", "splitting a fee"],
            "tags": ["billing"],
        },
    ),
    (
        "2025-12-18",
        "lesson",
        "Retry in the consumer, never in the app",
        """\
During the December peak each phone retried on its own. Forty thousand phones agreed on the same second. A consumer that
retries knows how many others wait.""",
        {
            "sources": ["wherry/panels/2025-12-16-why-the-peak-lagged.json"],
            "triggers": ["adding a retry", "a queue that grows"],
            "tags": ["queue", "peak"],
        },
    ),
    (
        "2026-03-12",
        "domain",
        "What counts as a delivery attempt",
        """\
The first NOT_HOME per parcel and round is an attempt; a second scan at the same door is not. Leipzig counted both until
March 2026, so older German figures are too high by about a tenth.""",
        {"sources": ["session:2026-03-09-zustellversuche#2-9"], "tags": ["depot", "reporting"]},
    ),
    (
        "2026-04-16",
        "lesson",
        "A lease needs the server's clock",
        """\
A lease that is renewed by the worker's own clock is a rumour. Two workers believed in the same lease for eleven minutes
and sent 41,000 messages.

- Renew by the server's time.
- When a limit stops something, tell a person.""",
        {
            "sources": ["session:2026-04-12-message-storm#5-11"],
            "triggers": ["a lock that expires", "exactly one worker"],
            "tags": ["locks", "messages"],
        },
    ),
    (
        "2026-04-16",
        "decision",
        "At most four messages per parcel and day",
        """\
A parcel causes at most four messages a day, whatever asks for them. What is held back is counted, not queued.

## Tripwire conditions

- capped messages exceed 50/day for 3 days""",
        {"sources": ["session:2026-04-12-message-storm#12"], "tags": ["messages"]},
    ),
    (
        "2026-07-02",
        "lesson",
        "A temporary setting has a date beside it",
        """\
Three "temporary" settings of the 2025 peak were still on in June. Write the day it ends beside it, in the file.""",
        {"sources": ["sessions/2026-06-30-end-of-quarter.md"], "tags": ["settings"]},
    ),
    (
        "2026-09-10",
        "lesson",
        "Enrol device keys on site",
        """\
Eleven tablets were enrolled by post; four came back without a key. A person at the depot needs nine minutes
for one.""",
        {
            "sources": ["session:2026-09-08-tablet-keys#14"],
            "triggers": ["new tablets", "a depot opens"],
            "tags": ["tablets"],
        },
    ),
    (
        "2026-10-08",
        "lesson",
        "A retry has a ceiling and an owner",
        """\
Retry in the consumer, at most six times, and name who is told when the sixth fails. Without an owner the dead letters
of September stood for nineteen days.""",
        {
            "sources": ["session:2026-10-07-lost-pennies#9"],
            "triggers": ["adding a retry", "dead letters"],
            "tags": ["queue"],
            "supersedes": ["retry-in-the-consumer-never-in-the-app"],
        },
    ),
)


def make(folder: pathlib.Path) -> int:
    """Write the records into `folder`/memory and `folder`/knowledge; how many there are."""
    clock = FixedClock(dt.datetime(2025, 5, 1, tzinfo=UTC))
    with temp_memory_root(clock=clock) as mem:
        for day, kind, title, body, more in RECORDS:
            clock.at = dt.datetime.fromisoformat(day).replace(hour=9, tzinfo=UTC)
            mem.records.write(kind, title=title, body=body, **more)
        for name in ("memory", "knowledge"):
            shutil.rmtree(folder / name, ignore_errors=True)
            shutil.copytree(mem.paths.folder / name, folder / name)
            for path in (folder / name).iterdir():
                path.chmod(0o644)
            (folder / name).chmod(0o755)
        return len(mem.records.list())


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "wherry" / "records"
    target.mkdir(parents=True, exist_ok=True)
    print(f"{make(target)} records in {target}")
