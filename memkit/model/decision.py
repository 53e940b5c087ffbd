"""What memkit reads from an entry: its texts for recall, and the decision it settles.

`read_decision` is the only place that says what counts as the conclusion, the status, the day and the links of an
entry. Links are texts as the author wrote them; whether they point at another entry is settled by `links`, over all
entries of a project.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memkit import clock
from memkit.model import headings
from memkit.model.entry import StoredEntry
from memkit.model.result import (
    as_mapping,
    as_number,
    as_text,
    as_texts,
    document_of,
    final_score,
    judge_confidence,
    synthesis_text,
)
from memkit.model.status_words import STATUSES, Status, read_status
from memkit.model.tripwire import tripwire_texts

__all__ = ["FIELDS", "STATUSES", "SUMMARY_CHARS", "Decision", "Status", "read_decision", "recall_fields", "summary_of"]
# A panel's result says nothing of its standing; it holds until something replaces it.
IN_FORCE = frozenset({"accepted", "unknown"})
SUMMARY_CHARS = 1200
FIELDS = ("question", "conclusion", "synthesis", "tags")
# From 1980 on, and up to the year 9999: smaller numbers are seconds or no times at all.
_FIRST_MS, _LAST_MS = 315_532_800_000, 253_402_300_799_999
_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass(frozen=True, slots=True)
class Decision:
    """What an entry says, read once.

    Attributes:
        entry_id: The entry.
        title: The document's title, or the question.
        question: What was asked.
        conclusion: What was decided, or None.
        status: One of `STATUSES`.
        raw_status: As the author wrote it, or None.
        decided_on: The decision's own day, or None. Never the day of storage.
        supersedes: Link texts to what this one replaces.
        superseded_by: Link texts to what replaced this one.
        amends: Link texts to what this one changes without replacing it.
        read_when: When the author wants this read again, as written.
        tripwires: Conditions as written.
        source_path: The imported document, or None.
        number: The number in the document's name or heading; never a key.
        slug: The document's name without number and ending, or None.
        document_id: The document's own id, or None.
        final_score: 0 to 100 by the panel's convention, or None.
        judge_confidence: 0 to 100 by the panel's convention, or None.
        path_date: The day in the document's name, or None; not the day of the decision.
        partly: Those of the link texts that hold in part only.
    """

    entry_id: str
    title: str
    question: str
    conclusion: str | None
    status: Status
    raw_status: str | None
    decided_on: dt.date | None
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    amends: tuple[str, ...]
    read_when: str | None
    tripwires: tuple[str, ...]
    source_path: str | None
    number: str | None
    slug: str | None
    document_id: str | None
    final_score: float | None
    judge_confidence: float | None
    path_date: dt.date | None = None
    partly: tuple[str, ...] = ()


def conclusion_of(result: Mapping[str, Any], prose: str) -> str | None:
    """The structured conclusion, else the "Decision" section of the prose, else the majority's position."""
    synthesis = as_mapping(result.get("synthesis"))
    for holder in (document_of(result), result, synthesis):
        for key in ("conclusion", "recommendation", "decision"):
            text = as_text(holder.get(key))
            if text:
                return text
    section = headings.section_text(prose, "decision")
    return section or as_text(synthesis.get("majorityPosition"))


def read_decision(entry: StoredEntry) -> Decision:
    """Read what an entry says. Never raises: a field of the wrong kind counts as absent."""
    result = entry.result
    document = document_of(result)
    prose = synthesis_text(result)

    def first(key: str, *others: str) -> object:
        return next((h[k] for h in (document, result) for k in (key, *others) if h.get(k) is not None), None)

    status = as_text(first("status"))
    folded = status.casefold() if status else "unknown"
    return Decision(
        entry_id=entry.id,
        title=as_text(first("title")) or entry.question,
        question=entry.question,
        conclusion=conclusion_of(result, prose),
        status=folded if folded in STATUSES else read_status(folded).status,  # type: ignore[arg-type]
        raw_status=as_text(first("rawStatus", "raw_status")) or (None if folded == "unknown" else status),
        decided_on=_day(first("decidedOn", "decided_on")) or _day(result.get("completedAt")),
        supersedes=as_texts(first("supersedes")),
        superseded_by=as_texts(first("supersededBy", "superseded_by")),
        amends=as_texts(first("amends")),
        read_when="; ".join(as_texts(first("readWhen", "read_when"))) or None,
        tripwires=tripwire_texts(result, prose),
        source_path=entry.source.path if entry.source else None,
        number=as_text(document.get("number")),
        slug=as_text(document.get("slug")),
        document_id=as_text(document.get("id")),
        final_score=final_score(result),
        judge_confidence=judge_confidence(result),
        path_date=_day(document.get("pathDate")),
        partly=as_texts(document.get("partly")),
    )


def recall_fields(entry: StoredEntry, decision: Decision | None = None) -> dict[str, str]:
    """The four texts recall searches, by field name. A fragment's offsets count in exactly these texts."""
    read = decision or read_decision(entry)
    return {
        "question": entry.question,
        "conclusion": read.conclusion or "",
        "synthesis": synthesis_text(entry.result),
        "tags": " | ".join(entry.tags),
    }


def summary_of(decision: Decision, prose: str) -> str:
    """The conclusion, or else the first paragraph of the prose, cut at `SUMMARY_CHARS` characters."""
    text = decision.conclusion or prose.strip().split("\n\n", 1)[0].strip()
    return text if len(text) <= SUMMARY_CHARS else text[: SUMMARY_CHARS - 1].rstrip() + "…"


def _day(value: object) -> dt.date | None:
    """The day of an ISO text, or (UTC) of epoch milliseconds, which is how a panel's run says when it ended."""
    milliseconds = as_number(value)
    if milliseconds is not None:
        return clock.from_ms(int(milliseconds)).date() if _FIRST_MS <= milliseconds <= _LAST_MS else None
    text = as_text(value)
    match = _ISO_DAY.match(text) if text else None
    try:
        return dt.date.fromisoformat(match.group()) if match else None
    except ValueError:
        return None
