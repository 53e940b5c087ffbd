"""The main job on the sample decisions, in a temporary root: store, recall, question, show.

Run by `make demo`. Nothing outside the temporary folder is written. The clock stands at the samples' `as_of` day, and
the import happens 76 days before it, so that ages mean something.
"""

from __future__ import annotations

import argparse
import datetime as dt
import pathlib
import sys
import tempfile
import time

from memkit.clock import UTC, FixedClock
from memkit.opening import open_memory
from memkit.present.page import page
from memkit.settings import Environment

HERE = pathlib.Path(__file__).resolve().parent
DAYS_AGO = 76


def say(title: str, body: object = "") -> None:
    print(f"\n=== {title}\n\n{body}".rstrip())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--root", type=pathlib.Path, help="where to store (default: a new temporary folder)")
    options = parser.parse_args()
    began = time.perf_counter()
    base = options.root or pathlib.Path(tempfile.mkdtemp(prefix="memkit-demo-"))
    as_of = dt.datetime.fromisoformat((HERE / "as_of.txt").read_text("utf-8").strip()).replace(hour=9, tzinfo=UTC)
    clock = FixedClock(as_of - dt.timedelta(days=DAYS_AGO))
    environment = Environment(home=base, config_file=base / "config.toml")
    project = HERE / "wherry"
    with open_memory(project, root=base / "memory", enabled=True, clock=clock, environment=environment) as mem:
        say("Import the decision records and panel results of an invented product team")
        records = mem.import_adr(project / "docs")
        panels = mem.import_consensus(project / "panels")
        for report in (records, panels):
            print(report)
        again = mem.import_adr(project / "docs")
        print(f"{again}  (the same again: nothing is added)")

        clock.at = as_of
        say(f"{DAYS_AGO} days later, somebody asks: database", mem.recall("database", limit=3).to_text())
        hits = mem.recall("locker heartbeat", limit=2)
        say("and: locker heartbeat", hits.to_text())
        miss = mem.recall("kubernetes zeppelin")
        say("A miss says why", miss.to_text())

        head = mem.recall("database", limit=1)[0]
        chain = mem.sql(
            "select decided_on, status, title from decisions where entry_id in (select unnest($ids)) "
            "order by decided_on, entry_id",
            {"ids": [head.id, *head.supersedes]},
        )
        say("The chain of decisions behind the first hit, in SQL", chain.to_text())
        report = mem.tripwires.check(HERE / "facts.csv")
        say("What would make decisions wrong, judged by a table of facts", report)
        for row in report.speaking:
            print(f"- {row.title}: {row.text}\n  {row.verdict} since {row.since:%Y-%m-%d}: {row.reason}")
        states = mem.sql(
            "select status, count(*) as decisions, sum(len(tripwires))::bigint as tripwires from decisions "
            "group by status order by decisions desc, status"
        )
        say("Decisions by status, in SQL", states.to_text())
        problems = mem.verify()
        say("Is every byte where it should be?", problems or "yes: verify found nothing")

        html = base / "demo.html"
        asked = [mem.what_we_decided("database", limit=2), hits, miss, chain, report]
        parts = [*asked, mem.timeline(), mem.decisions(), records]
        html.write_text(page("memkit demo", parts), encoding="utf-8")
        say("The same as a page", f"{html}\n\nstore:  {mem.paths.folder}\n\nTook {time.perf_counter() - began:.1f} s.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
