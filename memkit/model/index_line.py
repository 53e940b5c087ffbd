"""The slim summary of one entry: one line of `index.jsonl`, at most 4096 bytes with its newline.

The fields and their limits are those of the tool that first defined the file: a preview of 1 to 240 characters
(counted as that tool counts, in UTF-16 units), whole numbers for scores with -1 for "absent". `bytes` and `sha256`
describe the entry's file and are memkit's own. Tags that do not fit the line are left to the envelope.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memkit.model import ids, jsontext
from memkit.model.entry import MAX_PANEL_CHARS, StoredEntry
from memkit.model.frozen import FrozenMapping
from memkit.model.result import as_number, final_score, judge_confidence

MAX_LINE_BYTES = 4096
MAX_PREVIEW_UNITS = 240
MAX_SCORE = 2**53 - 1
"""Larger numbers are not exact for every reader of the line; a panel's scale ends at 100."""
ABSENT = -1


class LineDamage(ValueError):  # noqa: N818 - a finding about bytes, carried as data
    """These bytes are not an index line; the message says why."""


@dataclass(frozen=True, slots=True)
class IndexLine:
    """One line of the index; see the module for the meaning of each field."""

    id: str
    stored_at_ms: int
    project_key: str
    panel_id: str
    question_preview: str
    tags: tuple[str, ...]
    final_score: int = ABSENT
    judge_confidence: int = ABSENT
    bytes: int | None = None
    sha256: str | None = None
    extra: Mapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))

    def to_dict(self) -> dict[str, Any]:
        """The line's JSON object."""
        line: dict[str, Any] = {
            "id": self.id,
            "storedAt": self.stored_at_ms,
            "projectKey": self.project_key,
            "panelId": self.panel_id,
            "questionPreview": self.question_preview,
            "tags": list(self.tags),
            "finalScore": self.final_score,
            "judgeConfidence": self.judge_confidence,
        }
        if self.bytes is not None:
            line["bytes"] = self.bytes
        if self.sha256 is not None:
            line["sha256"] = self.sha256
        line.update({k: v for k, v in self.extra.items() if k not in line})
        return line


_KNOWN = frozenset(
    {"id", "storedAt", "projectKey", "panelId", "questionPreview", "tags", "finalScore", "judgeConfidence"}
    | {"bytes", "sha256"}
)


def cut_utf16(text: str, units: int) -> str:
    """The longest start of `text` of at most `units` UTF-16 code units."""
    if len(text) * 2 <= units:
        return text
    used = 0
    for position, char in enumerate(text):
        used += 2 if ord(char) > 0xFFFF else 1
        if used > units:
            return text[:position]
    return text


def _whole(value: float | None) -> int:
    return ABSENT if value is None or not 0 <= value <= MAX_SCORE else round(value)


def line_for(entry: StoredEntry, *, n_bytes: int, sha256: str) -> bytes:
    """The index line of `entry` with its newline; `n_bytes` and `sha256` describe the entry's file."""
    preview = cut_utf16(" ".join(entry.question.split()), MAX_PREVIEW_UNITS) or "?"
    line = IndexLine(
        id=entry.id,
        stored_at_ms=entry.stored_at_ms,
        project_key=entry.project_key,
        panel_id=entry.panel_id,
        question_preview=preview,
        tags=entry.tags,
        final_score=_whole(final_score(entry.result)),
        judge_confidence=_whole(judge_confidence(entry.result)),
        bytes=n_bytes,
        sha256=sha256,
    ).to_dict()
    data = jsontext.dumps(line) + b"\n"
    while len(data) > MAX_LINE_BYTES and line["tags"]:
        line["tags"].pop()
        data = jsontext.dumps(line) + b"\n"
    if len(data) > MAX_LINE_BYTES:  # another tool's entry, its panel's name overlong; the envelope keeps it whole
        line["panelId"] = cut_utf16(line["panelId"], MAX_PANEL_CHARS)
        line["questionPreview"] = cut_utf16(preview, MAX_PREVIEW_UNITS // 2)
        data = jsontext.dumps(line) + b"\n"
    return data


def parse_line(data: bytes) -> IndexLine:
    """Read one line (without its newline; a carriage return is tolerated).

    Raises:
        LineDamage: not an index line.
    """
    try:
        raw = jsontext.loads_object(data)
    except jsontext.JsonDamage as error:
        raise LineDamage(str(error)) from error
    if not ids.is_id(raw.get("id")):
        raise LineDamage("id is missing or not of a-z and 0-9")
    stored_at = raw.get("storedAt")
    if not isinstance(stored_at, int) or isinstance(stored_at, bool) or not 0 <= stored_at <= 253_402_300_799_999:
        raise LineDamage("storedAt is missing or not epoch milliseconds")
    for name in ("projectKey", "panelId", "questionPreview"):
        if not isinstance(raw.get(name), str):
            raise LineDamage(f"{name} is missing or not text")
    tags = raw.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise LineDamage("tags is not a list of texts")
    if not raw["questionPreview"].isascii():  # a tool may have cut the preview within a pair
        raw["questionPreview"] = jsontext.whole_text(raw["questionPreview"])
    try:
        jsontext.require_pairs(raw, data)
    except jsontext.JsonDamage as error:
        raise LineDamage(str(error)) from error
    return IndexLine(
        id=raw["id"],
        stored_at_ms=stored_at,
        project_key=raw["projectKey"],
        panel_id=raw["panelId"],
        question_preview=raw["questionPreview"],
        tags=tuple(tags),
        final_score=_number(raw.get("finalScore")),
        judge_confidence=_number(raw.get("judgeConfidence")),
        bytes=_count(raw.get("bytes")),
        sha256=raw["sha256"] if isinstance(raw.get("sha256"), str) else None,
        extra=FrozenMapping({k: v for k, v in raw.items() if k not in _KNOWN}),
    )


def _number(value: object) -> int:
    return _whole(as_number(value))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
