"""Tripwires: the conditions that would invalidate a decision.

They come from a structured field (`tripwires` or `tripwireConditions` of the result, its synthesis or its document)
or else from the bullets under a heading such as "Tripwire conditions" (its paragraphs, where it has no bullets). The
text is kept as it was written. A verdict is one of three words; until a table of facts is asked, it is `unknown`,
never a guess.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from memkit.model import headings
from memkit.model.relation_words import says_nothing
from memkit.model.result import Result, as_mapping, as_texts, document_of

Verdict = Literal["tripped", "armed", "unknown"]
_KEYS = ("tripwires", "tripwireConditions", "tripwire_conditions")


@dataclass(frozen=True, slots=True)
class Tripwire:
    """One condition with its verdict.

    Attributes:
        text: As it was written.
        verdict: `tripped`, `armed` or `unknown`.
        reason: Why the verdict is what it is.
    """

    text: str
    verdict: Verdict = "unknown"
    reason: str = "not checked against facts"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {"text": self.text, "verdict": self.verdict, "reason": self.reason}


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
