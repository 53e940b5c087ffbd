"""Results of panel runs, for the table; they are read by `importers.consensus`."""

from __future__ import annotations

from collections.abc import Generator

from memkit.importers import consensus
from memkit.importers.draft import Draft
from memkit.importers.intake import Intake
from memkit.importers.look import JSON, Look
from memkit.importers.run import drafts_of


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per result."""
    yield from drafts_of("consensus", intake.path, intake.place)


def signs(look: Look) -> str:
    """A question, with rounds, a synthesis, participants or a final score."""
    if look.ending not in JSON or look.has_keys("schemaVersion", "storedAt", "result"):
        return ""
    fitting = [said for row in look.rows if (said := consensus.signs_of(row))]
    if not fitting:
        return ""
    of = f"{len(fitting)} of {len(look.rows)} objects have" if len(look.rows) > 1 else "an object with"
    return f"{of} a question and {', '.join(fitting[0])}"
