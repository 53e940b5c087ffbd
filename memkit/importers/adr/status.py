"""The status of a record: found in one of the places people put it, kept as written, mapped to six words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memkit.importers.adr.dates import find_days
from memkit.importers.adr.fields import STATUS_LABELS
from memkit.importers.adr.front_matter import flat, fold_key, texts
from memkit.importers.adr.reading import Reading
from memkit.importers.adr.relations import said_outright
from memkit.model.headings import open_lines
from memkit.model.status_words import Status, read_status

_TITLE_STATUS = re.compile(r"[(\[]\s*(?P<status>[^()\[\]]{3,40})\s*[)\]]\s*$")
RAW_CHARS = 300


@dataclass(frozen=True, slots=True)
class StatusFound:
    """A status.

    Attributes:
        status: One of the six words.
        raw: As written, or None where none was found.
        origin: Where.
        text: The whole text it stands in, for dates and relations.
        placeholder: Whether only a template's choices were found.
        others: Other places that say something else.
    """

    status: Status
    raw: str | None
    origin: str
    text: str = ""
    placeholder: bool = False
    others: tuple[str, ...] = ()


def find_status(reading: Reading) -> StatusFound:
    """The first place that says a known state; else the first that says anything."""
    seen: list[StatusFound] = []
    for raw, origin, said, text in _places(reading):
        read = read_status(_last_dated(said))
        seen.append(StatusFound(read.status, raw or None, origin, text, read.placeholder))
    filled = [found for found in seen if not found.placeholder]
    best = next((found for found in filled if found.status != "unknown"), filled[0] if filled else None)
    if best is None:
        return StatusFound("unknown", None, seen[0].origin if seen else "", placeholder=bool(seen))
    others = tuple(
        f"{found.origin}: {found.raw}"
        for found in filled
        if found is not best and found.status not in ("unknown", best.status) and "tags" not in found.origin
    )
    return StatusFound(best.status, best.raw, best.origin, best.text, others=others)


def _places(reading: Reading) -> Iterator[tuple[str, str, str, str]]:
    """(raw, origin, what says the state, whole text) of every place, best first."""
    for key, value in reading.front.find(*sorted(STATUS_LABELS)):
        yield reading.front.raw.get(key, "") or flat(value), f"front matter: {key}", flat(value), flat(value)
    labels = [item for item in reading.labels if item.key in STATUS_LABELS]
    for item in labels:
        if item.zone == "head":
            yield item.value, item.origin, item.value, item.value
    inner = next((item for item in labels if item.zone == "about"), None)
    for _, section in reading.of_kind("status"):
        lines = [line.strip() for _, line, is_open in open_lines(section.body) if is_open and line.strip()]
        text = "\n".join([*([section.value] if section.value else []), *lines])[:4000]
        if inner is not None and inner.value in section.body:
            yield inner.value, inner.origin, inner.value, text
        elif text.strip():
            yield _raw_of(text), f'section "{section.title}"', text, text
    if inner is not None:
        yield inner.value, inner.origin, inner.value, inner.value
    for item in labels:
        if item.zone == "body" and read_status(item.value).status != "unknown" and len(item.value) < 60:
            yield item.value, item.origin, item.value, item.value
    for key, value in reading.front.find("tags", "categories", "labels"):
        for text in texts(value):
            if fold_key(text) in _BARE_STATES:
                yield text, f"front matter: {key}", text, text
    ending = _TITLE_STATUS.search(reading.title.text or "")
    if ending and fold_key(ending["status"]) in _BARE_STATES:
        yield ending["status"], "title", ending["status"], ending["status"]


_BARE_STATES = frozenset(
    {"accepted", "proposed", "rejected", "deprecated", "superseded", "draft", "approved", "declined"}
)


def _raw_of(text: str) -> str:
    """The first line, and those after it that name a relation, joined by a slash."""
    lines = [line.strip(" \t>*_") for line in text.split("\n") if line.strip(" \t>*_")]
    told = lines[:1] + [line for line in lines[1:6] if said_outright(line, "")]
    return " / ".join(told)[:RAW_CHARS]


def _last_dated(text: str) -> str:
    """Of a status kept as a history with dates, the latest line; any other text as it is."""
    dated = []
    for at, line in enumerate(text.split("\n")):
        days = [found.day for found in find_days(line) if found.day]
        if days and read_status(line).status != "unknown":
            dated.append((max(days), at, line))
    return max(dated)[2] if len(dated) > 1 else text
