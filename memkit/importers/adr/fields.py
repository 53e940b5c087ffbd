"""Labelled values in the body of a record: `Status: Accepted`, `* **Datum:** 2026-01-14`, `| Date | 2020-05-01 |`.

Where a label stands decides what it is worth. The *head* is what comes before the first section that argues (context,
decision, options, consequences); there, any label counts. Further down only sections about the record itself do.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from memkit.importers.adr.front_matter import fold_key
from memkit.model.date_words import DATE_LABELS
from memkit.model.heading_words import HEADINGS
from memkit.model.headings import Section, open_lines
from memkit.model.relation_words import RELATION_KEYS

Zone = Literal["head", "about", "body"]
MAX_LABEL_CHARS: Final = 40
ARGUING: Final = frozenset(
    {"context", "drivers", "decision", "rationale", "consequences", "options", "tripwires", "dissent"}
)
_ABOUT: Final = frozenset({"metadata", "status", "date", "changelog", "links", "deciders"})
_MARKUP = re.compile(r"\*\*|__|</?(?:b|strong|i|em|p|td|th|tr)\s*>", re.IGNORECASE)
_LEAD = re.compile(r"[\s>]*(?:[-*+•][ \t]+)?")
_SPLIT = re.compile(r"\s+[|·•‖]\s+|<br\s*/?>|\s{2,}(?=\*\*[^*]+:|\*\*[^*]+\*\*:)|\s*[,;]\s+(?=\*\*[^*]+:)")
_LABEL = re.compile(rf"(?P<label>[^:：|\[\]()<>]{{1,{MAX_LABEL_CHARS}}}?)\s*[:：](?!//)\s*(?P<value>.*)$", re.DOTALL)
_DATE_WITHOUT_COLON = re.compile(r"(?P<label>date|datum|data|fecha)\s+(?P<value>\d.*|\w+ \d.*)$", re.IGNORECASE)
_DASHED = re.compile(r"(?P<label>\w+)\s+[-–—]\s+(?P<value>\S.*)$")
_TABLE_RULE = re.compile(r"\|?[\s:|-]*-[\s:|-]*\|?$")
_BADGE = re.compile(r"img\.shields\.io/badge/(?P<label>[A-Za-z]+)-(?P<value>[^-\s)]+)-")

STATUS_LABELS: Final = frozenset(fold_key(word) for words in HEADINGS["status"].values() for word in words)
TITLE_LABELS: Final = frozenset(
    {"title", "titel", "titre", "título", "titulo", "タイトル", "题目", "标题", "標題", "name"}
)
ID_LABELS: Final = frozenset(
    {"id", "adr-id", "adr", "identifier", "adr-number", "adr-no", "number", "nummer", "编号", "番号"}
)
TAG_LABELS: Final = frozenset(
    {"tags", "tag", "labels", "keywords", "categories", "category", "schlagworte", "タグ", "标签"}
)
_DATES: Final = frozenset(label for group in DATE_LABELS for label in group)
KNOWN_LABELS: Final = STATUS_LABELS | _DATES | frozenset(RELATION_KEYS) | TITLE_LABELS | ID_LABELS | TAG_LABELS


@dataclass(frozen=True, slots=True)
class Labelled:
    """One labelled value.

    Attributes:
        key: The label, folded (`superseded-by`).
        label: The label as written.
        value: The value as written, emphasis taken off.
        zone: Where it stands.
        shape: `line`, `table` or `badge`.
    """

    key: str
    label: str
    value: str
    zone: Zone
    shape: Literal["line", "table", "badge"] = "line"

    @property
    def origin(self) -> str:
        """For the loss account."""
        return f'{self.shape} "{self.label}"'


@dataclass(frozen=True, slots=True)
class Zoned:
    """A section and the zone it lies in."""

    section: Section
    zone: Zone


def zones(found: list[Section], title_line: int | None) -> list[Zoned]:
    """Every section with its zone; `title_line` is the line of the heading that is the title."""
    placed: list[Zoned] = []
    head = True
    for section in found:
        is_title = section.level == 0 or section.line == title_line
        if section.kind in ARGUING and not is_title:
            head = False
        if is_title and head:
            placed.append(Zoned(section, "head"))
        elif section.kind in _ABOUT or section.kind in RELATION_KINDS:
            placed.append(Zoned(section, "about"))
        else:
            placed.append(Zoned(section, "body"))
    return placed


RELATION_KINDS: Final = frozenset({"supersedes", "superseded by", "amends", "amended by", "extends", "extended by"})


def labelled(placed: list[Zoned]) -> list[Labelled]:
    """All labelled values of a document, in order."""
    return [item for each in placed for item in _of_section(each)]


def _of_section(placed: Zoned) -> Iterator[Labelled]:
    table: list[str] = []
    held: Labelled | None = None  # the last labelled line of a list, while its item may go on
    waiting: tuple[str, str] | None = None  # a label whose value stands on the next line
    lines = list(open_lines(placed.section.body))
    for at, (_, line, is_open) in enumerate(lines):
        below = lines[at + 1][1].strip() if at + 1 < len(lines) else ""
        opens_table = line.lstrip(" \t>").startswith("|") or ("|" in below and _TABLE_RULE.match(below))
        if is_open and "|" in line and (table or opens_table):
            table.append(line.lstrip(" \t>"))
            continue
        if table:
            yield from _of_table(table, placed.zone)
            table = []
        if held is not None:
            if is_open and line[:1].isspace() and line.strip() and not _LEAD.match(line).group().strip():  # type: ignore[union-attr]
                held = replace(held, value=f"{held.value} {_plain(line)}")
                continue
            yield held
            held = None
        if not is_open:
            continue
        if waiting and line.strip():
            pieces = [piece for piece in _pieces(line) if piece[0]]
            if not pieces:
                yield Labelled(*waiting, _plain(line), placed.zone)
            waiting = None
        badge = _BADGE.search(line) if placed.zone == "head" else None
        if badge:
            value = badge["value"].replace("_", " ").replace("%20", " ")
            yield Labelled(fold_key(badge["label"]), badge["label"], value, placed.zone, "badge")
        for key, label, value in _pieces(line):
            if not key or (placed.zone == "body" and key not in KNOWN_LABELS):
                continue
            if value and line.lstrip()[:2] in ("- ", "* ", "+ "):
                if held is not None:
                    yield held
                held = Labelled(key, label, value, placed.zone)
            elif value:
                yield Labelled(key, label, value, placed.zone)
            elif key in KNOWN_LABELS:
                waiting = (key, label)
    if held is not None:
        yield held
    if table:
        yield from _of_table(table, placed.zone)


def _pieces(line: str) -> Iterator[tuple[str, str, str]]:
    """(key, label, value) of each labelled part of a line; a part without label has an empty key."""
    if len(line) > 2000 or not line.strip():
        return
    bare = line[_LEAD.match(line).end() :]  # type: ignore[union-attr]
    for part in _joined(_SPLIT.split(bare)):
        text = _MARKUP.sub("", part).strip()
        match = _LABEL.match(text) or _DATE_WITHOUT_COLON.match(text)
        if match is None:
            dashed = _DASHED.match(text)
            match = dashed if dashed and fold_key(dashed["label"]) in KNOWN_LABELS else None
        if match is None:
            yield "", "", text
            continue
        label = match["label"].strip(" *_`#")
        yield fold_key(unicodedata.normalize("NFKC", label)), label, _plain(match["value"])


def _joined(parts: list[str]) -> list[str]:
    """Parts of a line; one that carries no known label belongs to the part before it."""
    joined: list[str] = []
    for part in parts:
        match = _LABEL.match(_MARKUP.sub("", part).strip())
        if joined and (match is None or fold_key(match["label"].strip(" *_`")) not in KNOWN_LABELS):
            joined[-1] = f"{joined[-1]} | {part}"
        else:
            joined.append(part)
    return joined


def _of_table(lines: list[str], zone: Zone) -> Iterator[Labelled]:
    rows = [_cells(line) for line in lines if not _TABLE_RULE.match(line.strip())]
    rows = [row for row in rows if any(row)]
    if not rows:
        return
    header = [fold_key(cell) for cell in rows[0]]
    columns = len(header) > 1 and header[1] in KNOWN_LABELS and sum(key in KNOWN_LABELS for key in header) > 1
    if columns and not (len(rows) > 1 and fold_key(rows[1][0]) in KNOWN_LABELS):
        if len(rows) == 2:
            for key, label, value in zip(header, rows[0], rows[1], strict=False):
                if value:
                    yield Labelled(key, label, value, zone, "table")
        return
    is_header = len(rows) > 1 and header[0] not in KNOWN_LABELS and any(_TABLE_RULE.match(line) for line in lines[1:2])
    for row in rows[1:] if is_header else rows:
        key = fold_key(row[0].rstrip(":："))
        value = next((cell for cell in row[1:] if cell), "")
        if key and value and (key in KNOWN_LABELS or (zone == "head" and len(row) == 2)):
            yield Labelled(key, row[0].rstrip(":："), value, zone, "table")


def _cells(line: str) -> list[str]:
    text = line.strip().strip("|")
    return [_plain(cell) for cell in re.split(r"(?<!\\)\|", text)]


def _plain(value: str) -> str:
    text = _MARKUP.sub("", value).strip()
    for mark in ("`", "*", "_"):
        if len(text) > 1 and text[0] == text[-1] == mark:
            text = text[1:-1].strip()
    return text
