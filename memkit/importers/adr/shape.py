"""Which files of a folder are records: templates, index pages and other documents are reported, not imported."""

from __future__ import annotations

import posixpath
import re
from typing import Final

from memkit.importers.adr.conclusion import find_conclusion, is_filled
from memkit.importers.adr.reading import Reading
from memkit.importers.adr.status import StatusFound
from memkit.importers.adr.when import DateFound
from memkit.model import headings

_INDEX_NAMES: Final = frozenset(
    {"readme", "index", "_index", "toc", "summary", "contents", "adr-index", "decision-log", "decisions", "adrs", "log"}
)
_TEMPLATE_WORD = re.compile(
    r"(?:^|[-_. ])(?:template|vorlage|plantilla|modelo|gabarit|テンプレート|模板)s?(?:$|[-_. ])", re.IGNORECASE
)
_LOG_FOLDER = re.compile(r"(?:^|[-_ ])(?:adrs?|decisions?|madr|rfcs?)(?:$|[-_ ])|architecture-decision", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"\{[^{}\n]*\s[^{}\n]*\}|<[^<>\n/!]+ [^<>\n]+ [^<>\n]+>|\[[^\[\]\n]* [^\[\]\n]* [^\[\]\n]*\](?![(\[:])"
)


def why_not_a_record(reading: Reading, status: StatusFound, date: DateFound) -> str | None:
    """Why a document is not imported as a decision, or None where it is one."""
    if not reading.text.strip():
        return "empty"
    if _is_template(reading, status, date):
        return "an unfilled template"
    stem = posixpath.basename(reading.path).casefold().removesuffix(".md").removesuffix(".markdown")
    says_something = bool(status.raw) or date.day is not None
    has_decision = any(True for _ in reading.of_kind("decision"))
    has_parts = has_decision and any(True for _ in reading.of_kind("context", "status", "consequences", "options"))
    if stem in _INDEX_NAMES and not has_parts and not _record_folder(reading):
        return "an index page"
    if says_something or has_parts or _named_as_record(reading):
        return None
    if has_decision or find_conclusion(reading) is not None:
        return None
    return "not a decision record: no status, date, number or decision in it"


def _is_template(reading: Reading, status: StatusFound, date: DateFound) -> bool:
    if date.day is not None:
        return False
    signs = (
        2 * reading.title.placeholder
        + 2 * (status.placeholder and status.raw is None)
        + 2 * (date.why == "placeholder")
    )
    signs += bool(_TEMPLATE_WORD.search(reading.name.stem)) + bool(_TEMPLATE_WORD.search(reading.title.text or ""))
    signs += _fragments(reading) > 2
    return signs > 2


def _fragments(reading: Reading) -> int:
    """How many placeholders of several words stand in the body, code left out."""
    count = 0
    for section in reading.sections:
        for _, line, is_open in headings.open_lines(section.body):
            if is_open and "`" not in line:
                count += len(_FRAGMENT.findall(line))
    return count


def _record_folder(reading: Reading) -> bool:
    """Whether a README stands for a record of its own folder: `0007-queues/README.md` with something in it."""
    folder = posixpath.basename(posixpath.dirname(reading.path))
    return bool(reading.name.number or reading.name.date) and folder == reading.name.stem and is_filled(reading.text)


def _named_as_record(reading: Reading) -> bool:
    """Whether a name numbers or dates a record: `adr-54`, or any number or date in a log of decisions."""
    name = reading.name
    if not (name.number or name.date):
        return False
    return name.prefix.startswith(("adr", "madr")) or _in_log(reading.path)


def _in_log(path: str) -> bool:
    """Whether a document lies in a folder that names itself a log of decisions."""
    return any(_LOG_FOLDER.search(part) for part in posixpath.dirname(path).split("/"))


def format_of(reading: Reading) -> str:
    """Which of the known shapes a record has: `madr`, `nygard`, `y-statement` or `other`."""
    titles = {section.title.casefold().split(" <!--")[0].strip() for section in reading.sections}
    if titles & {"context and problem statement", "decision outcome", "considered options", "decision drivers"}:
        return "madr"
    kinds = {section.kind for section in reading.sections}
    if {"context", "decision"} <= kinds:
        return "nygard"
    found = find_conclusion(reading)
    return "y-statement" if found and found[1].endswith("Y-statement") else "other"
