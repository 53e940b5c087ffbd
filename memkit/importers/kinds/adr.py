"""Decision records in Markdown, for the table; they are read by `importers.adr`, as a whole folder."""

from __future__ import annotations

from collections.abc import Generator

from memkit.importers.adr import document
from memkit.importers.adr.reading import Reading
from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.look import MARKDOWN, Look
from memkit.importers.run import drafts_of


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per record."""
    yield from drafts_of("adr", intake.path, intake.place)


def signs(look: Look) -> str:
    """Its status, its decision: what makes a Markdown file a decision record."""
    if look.ending not in MARKDOWN:
        return ""
    read = document.read(look.path.name, look.head)
    first = read[0] if read else None
    if isinstance(first, Reading):
        draft = document.draft(first)
        if draft.fate == "ready":
            said = [item.name for item in draft.fields if item.name in ("status", "decided_on", "number", "conclusion")]
            return f"a decision record with {', '.join(dict.fromkeys(said))}" if said else "a decision record"
    return ""
