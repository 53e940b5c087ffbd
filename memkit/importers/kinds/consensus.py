"""Results of panel runs; each is read by `importers.consensus`."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path

from memkit.importers import consensus
from memkit.importers.draft import Draft
from memkit.importers.files import read_file
from memkit.importers.intake import Intake
from memkit.importers.look import JSON, Look
from memkit.importers.streams import MAX_ITEM_BYTES, open_stream, pieces


def drafts(intake: Intake) -> Generator[Draft, None, None]:
    """One draft per result."""
    return intake.drafts(JSON, "JSON", _of_file)


def _of_file(path: Path, name: str) -> Iterator[Draft]:
    """A document is read whole, rows and long lists one at a time."""
    with open_stream(path) as stream:
        is_small = stream.size <= MAX_ITEM_BYTES
    if name.casefold().endswith(consensus.ROW_ENDINGS) or not is_small:
        yield from consensus.rows(name, lambda: pieces(path))
    else:
        yield from consensus.read(name, read_file(path, MAX_ITEM_BYTES))


def signs(look: Look) -> str:
    """A question, with rounds, a synthesis, participants or a final score."""
    if look.ending not in JSON or look.has_keys("schemaVersion", "storedAt", "result"):
        return ""
    fitting = [said for row in look.rows if (said := consensus.signs_of(row))]
    if not fitting:
        return ""
    of = f"{len(fitting)} of {len(look.rows)} objects have" if len(look.rows) > 1 else "an object with"
    return f"{of} a question and {', '.join(fitting[0])}"
