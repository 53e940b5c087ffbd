"""What cannot be read and may therefore be missing from an answer: a damaged store is never taken for a small one."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from memkit.snapshot.rows import NEWER_SCHEMA

if TYPE_CHECKING:
    from memkit.catalog.catalog import Catalog
    from memkit.catalog.sight import Sight
    from memkit.catalog.table import Table

WHY = {
    "missing-file": "the file is gone (`memkit verify` says more)",
    "damaged": "the file is damaged (`memkit verify` says more)",
    "foreign": "the file belongs to another project (`memkit verify` says more)",
    NEWER_SCHEMA: "written by a newer memkit; upgrade to read it",
}
UNREADABLE = "the file cannot be read"
_INDEX = "damaged-line"
_STORED = re.compile(r"\b(?:entries|decisions|decision_chains|tripwires|records|postings)\b", re.IGNORECASE)


def cause_of(code: str) -> str:
    """The cause under which an unreadable entry is listed."""
    return code.removesuffix("-entry")


def gaps(catalog: Catalog) -> tuple[str, ...]:
    """One sentence for each kind of thing that cannot be read: index lines, entries, records; with what to do."""
    return catalog.ask(_gaps)


def with_gaps(catalog: Catalog, table: Table) -> Table:
    """An answer in SQL with what may be missing from it, where it asks for what is stored."""
    return replace(table, gaps=gaps(catalog)) if _STORED.search(table.sql) else table


def damaged_index(sight: Sight) -> tuple[str, ...]:
    """The sentence about lines of the index; none where all can be read."""
    n = sight.n_damaged_lines
    if not n:
        return ()
    lines = "1 line of the index" if n == 1 else f"{n:,} lines of the index"
    return (f"{lines} cannot be read: entries may be missing here. `memkit repair --apply` brings them back.",)


def _gaps(sight: Sight) -> tuple[str, ...]:
    entries = Counter(cause_of(gap.code) for gap in sight.unreadable)
    records = [problem.file for source in sight.sources for problem in source.damaged if problem.code != _INDEX]
    found = [
        f"{n:,} {'entry is' if n == 1 else 'entries are'} not read here: {WHY.get(cause, UNREADABLE)}."
        for cause, n in sorted(entries.items())
    ]
    if records:
        more = f" and {len(records) - 1:,} more" if len(records) > 1 else ""
        what = "1 record is" if len(records) == 1 else f"{len(records):,} records are"
        found.append(f"{what} not read here: {records[0]}{more} (`memkit verify` says more).")
    return (*damaged_index(sight), *found)
