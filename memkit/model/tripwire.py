"""Tripwires: the conditions that would invalidate a decision.

They come from a structured field (`tripwires` or `tripwireConditions` of the result, its synthesis or its document)
or else from the bullets under a heading such as "Tripwire conditions" (its paragraphs, where it has no bullets). The
text is kept as it was written. A verdict is one of three words; until a table of facts is asked, it is `unknown`,
never a guess.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
from dataclasses import dataclass
from typing import Any, Literal

from memkit import clock
from memkit.model import headings
from memkit.model.acknowledgement import Acknowledgement
from memkit.model.relation_words import says_nothing
from memkit.model.result import Result, as_mapping, as_texts, document_of

Verdict = Literal["tripped", "armed", "unknown"]
NOT_CHECKED = "not checked against facts"
_KEYS = ("tripwires", "tripwireConditions", "tripwire_conditions")


@dataclass(frozen=True, slots=True)
class Reading:
    """One measured value.

    Attributes:
        metric: Its normalised name.
        at: When it was measured.
        value: The number.
        unit: Its unit; "" where the facts name none.
        text: What is shown instead of the number, for versions.
    """

    metric: str
    at: dt.datetime
    value: float
    unit: str = ""
    text: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"metric": self.metric, "at": clock.iso(self.at), "value": self.text or self.value, "unit": self.unit}


@dataclass(frozen=True, slots=True)
class Tripwire:
    """One condition with its verdict.

    Attributes:
        text: As it was written.
        verdict: `tripped`, `armed` or `unknown`.
        reason: Why the verdict is what it is.
        id: Names it, for acknowledging; "" before it was judged.
        since: Since when it is tripped.
        evidence: The readings that decide it.
        acknowledged: Who said that it may be silent, if it is tripped.
    """

    text: str
    verdict: Verdict = "unknown"
    reason: str = NOT_CHECKED
    id: str = ""
    since: dt.datetime | None = None
    evidence: tuple[Reading, ...] = ()
    acknowledged: Acknowledgement | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        said = self.acknowledged
        return {
            "id": self.id,
            "text": self.text,
            "verdict": self.verdict,
            "reason": self.reason,
            "since": clock.iso(self.since) if self.since else None,
            "evidence": [reading.to_dict() for reading in self.evidence],
            "acknowledged": {"at": clock.iso(said.at), "reason": said.reason} if said else None,
        }


def tripwire_id(project_key: str, document: str, text: str) -> str:
    """The name of a tripwire: stable while its decision (by document path, else by entry id) and its text stay."""
    name = f"{project_key}\0{document}\0{text}"
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def tripwire_texts(result: Result, prose: str) -> tuple[str, ...]:
    """The tripwires of a result as written, without repeats; `prose` is its synthesis text."""
    for holder in (result, as_mapping(result.get("synthesis")), document_of(result)):
        for key in _KEYS:
            texts = as_texts(holder.get(key))
            if texts:
                return tuple(dict.fromkeys(texts))
    section = headings.section_text(prose, "tripwires")
    return tuple(dict.fromkeys(conditions(section))) if section else ()


def conditions(text: str) -> list[str]:
    """The bullets of a text, or its paragraphs where it has none; "None" and the like left out."""
    items = list(headings.bullets(text))
    if not items:
        items = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    return [item for item in items if item.strip() and not says_nothing(item)]
