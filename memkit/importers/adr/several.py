"""Files that hold several records, one heading each: `## ADR-004: Newline-delimited JSON`.

Such a file is taken apart into its records, each under a name of its own (`docs/DECISIONS.md#adr-004`), as far as
every one of them says its own state or decision; otherwise its headings are parts of one record.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from memkit.importers.adr.fields import STATUS_LABELS, labelled, zones
from memkit.model import headings
from memkit.model.headings import BOLD_LEVEL, Section
from memkit.model.links import fold

_RECORD = re.compile(
    r"\W*(?:\d{4}-\d{2}-\d{2}\W+)?(?P<id>(?:ADR|AD|DR|RFC|Decision|Entscheidung|Décision|Decisão|Decisión|決定|决策)"
    r"[\s\-_#.]{0,2}\d{1,5})(?!\d)",
    re.IGNORECASE,
)


def records_in(text: str) -> list[tuple[str, str]]:
    """(key, text) of each record of a file that holds several; empty where it holds one."""
    found = headings.sections(text)
    named = [section for section in found if 0 < section.level < BOLD_LEVEL and _RECORD.match(section.title)]
    if len(named) < 2:
        return []
    level, count = Counter(section.level for section in named).most_common(1)[0]
    named = [section for section in named if section.level == level]
    if count < 2:
        return []
    lines = text.removeprefix("\ufeff").split("\n")
    records = []
    for section in named:
        until = next((s.line for s in found if s.line > section.line and s.level <= level), len(lines))
        # The heading's own line may be two, where it is underlined.
        body = "\n".join(lines[section.line + 1 : until])
        records.append((section, f"# {section.title}\n{_lifted(body, level)}"))
    if sum(_says_something(record) for _, record in records) < max(2, len(records) * 2 // 3):
        return []
    return list(_keyed(records))


def _lifted(body: str, level: int) -> str:
    """A body whose headings stand as high as if its record were a file of its own."""
    if level < 2:
        return body
    out = []
    for _, line, is_open in headings.open_lines(body):
        mark = re.match(r" {0,3}(#{2,6})(?=[ \t]|$)", line) if is_open else None
        out.append("#" * max(2, len(mark.group(1)) - level + 1) + line[mark.end() :] if mark else line)
    return "\n".join(out)


def _says_something(record: str) -> bool:
    found = headings.sections(record)
    if any(section.kind in ("status", "decision") for section in found[1:]):
        return True
    keys = {item.key for item in labelled(zones(found, found[0].line))}
    return bool(keys & STATUS_LABELS) or "decision" in keys


def _keyed(records: list[tuple[Section, str]]) -> Iterator[tuple[str, str]]:
    uses: Counter[str] = Counter()
    for section, text in records:
        match = _RECORD.match(section.title)
        key = fold(match["id"] if match else section.title)
        uses[key] += 1
        yield (key if uses[key] == 1 else f"{key}-{uses[key]}"), text
