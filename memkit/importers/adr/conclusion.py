"""What a record concludes, what would make it wrong, and when it should be read again."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memkit.importers.adr.front_matter import flat, texts
from memkit.importers.adr.reading import Reading
from memkit.model import headings
from memkit.model.relation_words import says_nothing
from memkit.model.tripwire import conditions

_PLACEHOLDER = re.compile(r"\{[^{}]{3,}\}|<[^<>]{3,}>|\[[^\[\]]{3,}\](?!\(|\[)")
_FILLED = re.compile(r"[^\W_]{2,}")
# "In the context of .., facing .. we decided for .." (a Y-statement), in the languages it is taught in.
_END = r"\b.{3,900}?(?:\.(?=\s|$)|$)"
_Y_STATEMENTS = tuple(
    re.compile(pattern + _END, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"in the context of\b.{3,600}?\b(?:we (?:have )?(?:decided|chose|opted|selected)|decided (?:for|to))",
        r"im (?:kontext|zusammenhang)\b.{3,600}?\b(?:entschieden|haben wir uns für)",
        r"dans le (?:contexte|cadre) d.{3,600}?\b(?:nous avons décidé|avons choisi|décidons)",
        r"no contexto d.{3,600}?\b(?:decidimos|optamos|escolhemos)",
        r"en el contexto d.{3,600}?\b(?:decidimos|optamos|elegimos)",
    )
)
DECISION_KEYS = (
    "decision",
    "conclusion",
    "recommendation",
    "outcome",
    "entscheidung",
    "décision",
    "decisão",
    "decisión",
    "決定",
)
READ_WHEN_KEYS = ("read-when", "readwhen", "read-if", "applies-when")
TRIPWIRE_KEYS = (
    "tripwires", "tripwire", "tripwire-conditions", "tripwire-condition", "revisit-if", "revisit-when", "revisit",
    "reconsider-if", "reconsider-when", "review-if", "invalidated-if", "invalidated-when", "expires-when", "expires-if",
    "stale-when", "kill-criteria", "見直し条件", "复审条件",
)  # fmt: skip
REVIEW_KEYS = (
    "review-by", "review-on", "review-date", "review-at", "revisit-on", "revisit-by", "revisit-at", "revisit-date",
    "revisit-after", "review-after", "next-review", "reviewby", "reviewdate", "expires", "expires-on", "valid-until",
)  # fmt: skip


def is_filled(text: str) -> bool:
    """Whether a text says something once placeholders are taken out."""
    return _FILLED.search(_PLACEHOLDER.sub(" ", text)) is not None


def find_conclusion(reading: Reading) -> tuple[str, str] | None:
    """The conclusion and where it stands, or None."""
    for at, section in reading.of_kind("decision"):
        text = headings.text_below(reading.sections, at)
        if text and is_filled(text):
            return text, f'section "{section.title}"'
    for item in reading.labels:
        if item.key in DECISION_KEYS and item.zone != "body" and is_filled(item.value):
            return item.value, item.origin
    for key, value in reading.front.find(*DECISION_KEYS):
        if is_filled(flat(value)):
            return flat(value), f"front matter: {key}"
    body = headings.split_front_matter(reading.text)[1][:100_000]
    for pattern in _Y_STATEMENTS:
        match = pattern.search(body)
        if match:
            return " ".join(match.group().replace("*", "").split()), "sentence in the form of a Y-statement"
    for line in _bold_decisions(reading):
        return line, 'line "Decision"'
    for at, section in reading.of_kind("proposal"):
        text = headings.text_below(reading.sections, at)
        if text and is_filled(text):
            return text, f'section "{section.title}"'
    return None


def _bold_decisions(reading: Reading) -> Iterator[str]:
    """`**Decision:** ...` in the body, where no section is called so."""
    for placed in reading.placed:
        for _, line, is_open in headings.open_lines(placed.section.body):
            match = (
                re.match(r"[\s>]*(?:[-*+]\s+)?\*\*([^*:：]{3,40})[:：]?\*\*[:：]?\s*(\S.*)$", line) if is_open else None
            )
            if match and headings.kind_of(match.group(1)) == "decision" and is_filled(match.group(2)):
                yield match.group(2).replace("**", "").strip()


def find_tripwires(reading: Reading) -> tuple[list[str], str]:
    """Conditions as written, and where they stand."""
    found: dict[str, str] = {}
    for key, value in reading.front.find(*TRIPWIRE_KEYS):
        found.update(dict.fromkeys(_told(texts(value)), f"front matter: {key}"))
    for key, value in reading.front.find(*REVIEW_KEYS):
        found.update(
            dict.fromkeys((f"{key.replace('_', ' ')}: {text}" for text in _told(texts(value))), f"front matter: {key}")
        )
    for item in reading.labels:
        if item.key in TRIPWIRE_KEYS and item.zone != "body":
            found.update(dict.fromkeys(_told([item.value]), item.origin))
        elif item.key in REVIEW_KEYS and item.zone != "body":
            found.update(dict.fromkeys((f"{item.label}: {text}" for text in _told([item.value])), item.origin))
    for at, section in reading.of_kind("tripwires"):
        text = headings.text_below(reading.sections, at)
        found.update(dict.fromkeys(_told(conditions(text)), f'section "{section.title}"'))
    return list(found), "; ".join(dict.fromkeys(found.values()))


def find_read_when(reading: Reading) -> tuple[list[str], str]:
    """When the author wants it read again, as written, and where that stands."""
    found: dict[str, str] = {}
    for at, section in reading.of_kind("read when"):
        text = headings.text_below(reading.sections, at)
        found.update(dict.fromkeys(_told(conditions(text)), f'section "{section.title}"'))
    for key, value in reading.front.find(*READ_WHEN_KEYS) if not found else ():
        found.update(dict.fromkeys(_told(texts(value)), f"front matter: {key}"))
    return list(found), "; ".join(dict.fromkeys(found.values()))


def _told(items: list[str]) -> list[str]:
    return [item for item in items if item.strip() and not says_nothing(item) and is_filled(item)]
