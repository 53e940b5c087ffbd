"""Accuracy of the importer against records that were read by hand: `python -m tests.corpora.score DIR`.

DIR holds `adr/` (records) and `adr_truth.csv` with the columns path, title, status, date, supersedes, superseded_by and,
where several answers count, status_alt and date_alt (separated by `|`); path_date is the day in the name. Exits 1 where
title, status or date fall below 97 %, or supersedes or superseded_by below 92 %, or a file is not accounted for.
"""

from __future__ import annotations

import csv
import pathlib
import sys
import time

from memkit.model.decision import Decision, read_decision
from memkit.model.entry import StoredEntry
from memkit.model.links import parse_target
from memkit.store.new_entry import NewEntry
from tests.importers.imports import Shelf

NEEDED = {"title": 0.97, "status": 0.97, "date": 0.97, "path_date": 0.97, "supersedes": 0.92, "superseded_by": 0.92}


def stored(new: NewEntry, number: int) -> StoredEntry:
    return StoredEntry(
        f"{number:08d}", 0, "0" * 12, "/", new.panel_id, new.question, new.tags, new.result, source=new.source
    )


def decisions_of(shelf: Shelf) -> dict[str, Decision]:
    read = [read_decision(stored(new, number)) for number, new in enumerate(shelf.entries.values())]
    return {decision.source_path: decision for decision in read if decision.source_path}


def names(texts: list[str]) -> set[str]:
    """Link texts by what they name: the number, else the name."""
    found = set()
    for text in texts:
        target = parse_target(text)
        found.add(target.number or parse_target(target.label).number or target.stem)
    return found


def compare(row: dict[str, str], decision: Decision | None, result: dict | None) -> dict[str, tuple[object, object]]:
    """Column -> (wanted, got) of what does not agree."""
    if decision is None:
        return {column: (row.get(column, ""), "no decision") for column in NEEDED}
    title = (result or {}).get("document", {}).get("title", "")
    pairs = {
        "title": ({row["title"].strip()}, title),
        "status": ({row["status"], *filter(None, row["status_alt"].split("|"))}, decision.status),
        "date": ({row["date"], *filter(None, row["date_alt"].split("|"))}, str(decision.decided_on or "")),
        "path_date": ({row["path_date"]}, str(decision.path_date or "")),
    }
    wrong: dict[str, tuple[object, object]] = {
        column: (sorted(wanted), got) for column, (wanted, got) in pairs.items() if got not in wanted
    }
    for column, got in (("supersedes", decision.supersedes), ("superseded_by", decision.superseded_by)):
        wanted = names([text for text in row[column].split("|") if text])
        if wanted != names(list(got)):
            wrong[column] = (sorted(wanted), list(got))
    return wrong


def main(folder: pathlib.Path) -> int:
    truth, records = folder / "adr_truth.csv", folder / "adr"
    if not truth.is_file() or not records.is_dir():
        print(f"skipped: {folder} holds no adr/ and adr_truth.csv")
        return 0
    started = time.perf_counter()
    shelf = Shelf(folder)
    report = shelf.run(records)
    took = time.perf_counter() - started
    decisions = decisions_of(shelf)
    results = {new.source.path: new.result for new in shelf.entries.values() if new.source}
    with truth.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    right = dict.fromkeys(NEEDED, 0)
    for row in rows:
        wrong = compare(row, decisions.get(row["path"]), results.get(row["path"]))
        for column in NEEDED:
            right[column] += column not in wrong
        for column, (wanted, got) in wrong.items():
            print(f"miss {column:14} {row['path']}\n     wanted {wanted}\n     got    {got}")
    on_disk = sum(path.is_file() for path in records.rglob("*"))
    unaccounted = on_disk - sum(report.counts.values())
    failed = unaccounted != 0
    for column, needed in NEEDED.items():
        share = right[column] / len(rows) if rows else 0.0
        failed |= share < needed
        print(f"{column:14} {right[column]:4}/{len(rows)}  {share:7.1%}  (needed {needed:.0%})")
    print(f"files          {on_disk} on disk, {unaccounted} unaccounted for, {report.counts}")
    print(
        f"links          {report.links_resolved} resolved, {len(report.links_ambiguous)} ambiguous, "
        f"{len(report.links_dangling)} dangling, {len(report.links_own)} to themselves"
    )
    for line in (*report.links_ambiguous, *report.links_dangling, *report.links_own):
        print(f"     {line}")
    print(f"speed          {on_disk / took:.0f} files/s read and planned (nothing stored)")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m tests.corpora.score DIR")
    sys.exit(main(pathlib.Path(sys.argv[1])))
