"""What a panel produced, and what memkit reads from it.

A result is any JSON object. memkit knows the shape of a `ConsensusResult` (rounds, final score, synthesis), of an
imported document (an object under `document`), and of a few plain spellings; everything else is kept and searched as
text. The readers below never raise on a strange value: a field of the wrong kind counts as absent.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from memkit.model import headings
from memkit.model.relation_words import says_nothing

MAX_LEAF_TEXT = 200_000
# What the engine writes where a model gave no confidence.
NOT_GIVEN: Final = 50
_TEXT_KEYS = ("synthesis", "summary", "answer", "content", "text", "rationale", "body")

Result = Mapping[str, Any]


def as_mapping(value: object) -> Mapping[str, Any]:
    """`value` if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_text(value: object) -> str | None:
    """`value` stripped if it is a text with something in it, else None."""
    if isinstance(value, str) and value.strip():
        return value.strip()
    return None


def as_number(value: object) -> float | None:
    """`value` if it is a finite number, else None."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    return None


def as_texts(value: object) -> tuple[str, ...]:
    """A text, or a list of texts or of objects with a `text`, `condition`, `position` or `content`, as texts."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, (list, tuple)):
        return ()
    found: list[str] = []
    for item in value:
        if isinstance(item, Mapping):
            item = next((item[k] for k in ("text", "condition", "position", "content") if as_text(item.get(k))), None)  # noqa: PLW2901
        text = as_text(item)
        if text:
            found.append(text)
    return tuple(found)


def document_of(result: Result) -> Mapping[str, Any]:
    """The `document` object of an imported record; empty for anything else."""
    return as_mapping(result.get("document"))


def stated(content: object, marker: str, value: float) -> bool:
    """Whether a text says `value` behind `marker` itself: `CONFIDENCE: 50`, `JUDGE_CONFIDENCE: [50]`."""
    if not isinstance(content, str):
        return False
    pattern = rf"(?<![A-Za-z_]){re.escape(marker)}\s*[:=]\**\s*\[?\s*{value:g}(?![\d.])"
    return re.search(pattern, content[-MAX_LEAF_TEXT:], re.IGNORECASE) is not None


def response_confidence(response: Mapping[str, Any]) -> float | None:
    """A participant's confidence, 0 to 100, or None where it gave none.

    The engine that writes these results puts 50 where a model's answer has no `CONFIDENCE:` line, and 0 where the
    call failed. So 50 counts only if the answer says it, and an answer with an error has none.
    """
    value = as_number(response.get("confidence"))
    if value is None or response.get("error"):
        return None
    given = value != NOT_GIVEN or stated(response.get("content"), "CONFIDENCE", value)
    return value if given else None


def last_responses(result: Result) -> list[Mapping[str, Any]]:
    """The answers of the last round; empty where there are no rounds."""
    rounds = result.get("rounds")
    last = as_mapping(rounds[-1]) if isinstance(rounds, (list, tuple)) and rounds else {}
    answers = last.get("responses")
    return [as_mapping(item) for item in answers if isinstance(item, Mapping)] if isinstance(answers, list) else []


def final_score(result: Result) -> float | None:
    """`finalScore` where given, 0 to 100 by the panel's own convention.

    None too where it was computed from stand-ins only: 50 from answers none of which gave a confidence, 0 from
    answers that all failed.
    """
    value = as_number(result.get("finalScore"))
    answers = last_responses(result)
    if value in (NOT_GIVEN, 0) and answers and all(response_confidence(answer) is None for answer in answers):
        return None
    return value


def judge_confidence(result: Result) -> float | None:
    """`synthesis.judgeConfidence` where the judge gave one, 0 to 100 by the panel's own convention.

    50 in its place counts only if the judge's text says it; otherwise it stands for "not given".
    """
    synthesis = as_mapping(result.get("synthesis"))
    inner = as_number(synthesis.get("judgeConfidence"))
    if inner is None:
        return as_number(result.get("judgeConfidence"))
    if inner == NOT_GIVEN and not stated(synthesis.get("content"), "JUDGE_CONFIDENCE", inner):
        return None
    return inner


def synthesis_text(result: Result) -> str:
    """The prose of a result: its synthesis, or another plain spelling, or every longer text found in it.

    This text, exactly, is the field `synthesis` of recall; a fragment's offsets count in it.
    """
    synthesis = result.get("synthesis")
    content = as_mapping(synthesis).get("content")
    if isinstance(content, str) and content.strip():
        return content
    for key in _TEXT_KEYS:
        value = result.get(key)
        if isinstance(value, str) and value.strip():
            return value
    return "\n".join(_prose(result))[:MAX_LEAF_TEXT]


def _prose(value: object) -> Iterator[str]:
    """Texts of more than one word anywhere inside, in order."""
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if len(item.split(None, 2)) > 1:
                yield item
        elif isinstance(item, Mapping):
            stack.extend(reversed(list(item.values())))
        elif isinstance(item, (list, tuple)):
            stack.extend(reversed(item))


@dataclass(frozen=True, slots=True)
class Dissent:
    """One thing a panel did not agree on.

    Attributes:
        kind: `minority position`, `unresolved dispute`, or `disagreement` (two participants far apart in confidence).
        text: As written; of a disagreement, its label.
        round: The round of a disagreement, counted from 1.
        participants: The two participants of a disagreement.
        severity: How far apart they were, 0 to 100.
    """

    kind: Literal["minority position", "unresolved dispute", "disagreement"]
    text: str
    round: int | None = None
    participants: tuple[str, ...] = ()
    severity: float | None = None


def minority_positions(result: Result) -> tuple[str, ...]:
    """What the minority held, where the synthesis says so; one text per list item."""
    return _points(as_mapping(result.get("synthesis")).get("minorityPositions"))


def unresolved_disputes(result: Result) -> tuple[str, ...]:
    """What stayed open, where the synthesis says so; one text per list item."""
    return _points(as_mapping(result.get("synthesis")).get("unresolvedDisputes"))


def dissent(result: Result) -> tuple[Dissent, ...]:
    """Everything the panel did not agree on: minority positions, disputes, and the last round's disagreements."""
    found = [Dissent("minority position", text) for text in minority_positions(result)]
    found += [Dissent("unresolved dispute", text) for text in unresolved_disputes(result)]
    rounds = result.get("rounds")
    last = as_mapping(rounds[-1]) if isinstance(rounds, (list, tuple)) and rounds else {}
    listed = last.get("disagreements")
    for item in listed if isinstance(listed, (list, tuple)) else ():
        each = as_mapping(item)
        pair = tuple(text for key in ("participantAId", "participantBId") if (text := as_text(each.get(key))))
        number = as_number(each.get("round")) or as_number(last.get("round"))
        text = as_text(each.get("label")) or " vs ".join(pair)
        if text:
            found.append(
                Dissent("disagreement", text, int(number) if number else None, pair, as_number(each.get("severity")))
            )
    return tuple(found)


def _points(value: object) -> tuple[str, ...]:
    """A list of texts, or one text taken apart at its list items; "None" and the like left out."""
    texts = [item for text in as_texts(value) for item in (list(headings.bullets(text)) or [text])]
    return tuple(text for text in texts if not says_nothing(text))
