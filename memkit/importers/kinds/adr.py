"""Decision records in Markdown; each is read by `importers.adr`.

A folder is read whole before the first draft is given: how days and months are ordered in one record is shown by the
others beside it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Generator
from pathlib import Path
from typing import Final

from memkit.importers.adr import document as adr
from memkit.importers.adr.reading import Reading
from memkit.importers.draft import Draft
from memkit.importers.files import Found
from memkit.importers.intake import Intake
from memkit.importers.look import MARKDOWN, Look

_SIBLINGS: Final = 500


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per record."""
    found = list(intake.files(adr.ENDINGS, "Markdown"))
    read = [item for file in found for item in _read(intake, file)]
    readings = [item for item in read if isinstance(item, Reading)]
    evidence = readings if len(found) > 1 or not found else _with_siblings(intake, found[0].path, readings)
    orders = adr.day_orders(evidence)
    for item in read:
        yield item if isinstance(item, Draft) else adr.draft(item, orders.get(posixpath.dirname(item.path)))


def _read(intake: Intake, found: Found) -> list[Draft | Reading]:
    if found.problem:
        return [intake.passed_over(found)]
    data = intake.read(found.path, adr.MAX_FILE_BYTES)
    return [data] if isinstance(data, Draft) else adr.read(intake.name(found.path), data)


def _with_siblings(intake: Intake, path: Path, readings: list[Reading]) -> list[Reading]:
    """For a single file the records beside it, as evidence for how days and months are ordered there."""
    if not any(day.day is None for reading in readings for day in reading.open_days()):
        return readings
    beside = sorted(item for item in path.parent.iterdir() if item != path and item.suffix.lower() in adr.ENDINGS)
    more = [part for item in beside[:_SIBLINGS] for part in _read(intake, Found(item))]
    return [*readings, *(item for item in more if isinstance(item, Reading))]


def signs(look: Look) -> str:
    """Its status, its decision: what makes a Markdown file a decision record."""
    if look.ending not in MARKDOWN:
        return ""
    read = adr.read(look.path.name, look.head)
    first = read[0] if read else None
    if isinstance(first, Reading):
        draft = adr.draft(first)
        if draft.fate == "ready":
            said = [item.name for item in draft.fields if item.name in ("status", "decided_on", "number", "conclusion")]
            return f"a decision record with {', '.join(dict.fromkeys(said))}" if said else "a decision record"
    return ""
