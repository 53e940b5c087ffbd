"""What a document's path says about it: number, slug, date.

None of these is a key: two documents share a number often enough, and the number in a heading may be a copy's.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import Final

from memkit.importers.adr.dates import Day, find_days

_ENDING = re.compile(r"\.(?:md|markdown|mdx|mdown|mkd)$", re.IGNORECASE)
_INDEX: Final = frozenset({"readme", "index", "_index", "adr", "decision"})
_DATE_LEAD = re.compile(r"(?P<date>(?:19|20)\d{2}([-_.]?)(?:0\d|1[0-2])\2(?:[0-2]\d|3[01]))(?=[-_. T]|$)[-_. T]*")
_NUMBER = re.compile(
    r"(?P<prefix>(?:(?:adr|madr|rfc|dr)[-_ ])?[^\W\d_]{0,12})[-_ .#]*(?P<number>\d{1,5})(?!\d)"
    r"(?:[-_ .]+(?P<rest>.*)|(?=[^\w]|$)(?P<rest2>.*))$",
    re.IGNORECASE,
)
_PREFIXES: Final = frozenset({"", "adr", "adrs", "madr", "rfc", "dr", "decision", "record", "no", "nr", "pdr", "tdr"})
_HEADING_NUMBER = re.compile(
    r"\W*(?:(?P<prefix>adr|rfc|decision|dr|no\.?|nr\.?|record)[\s\-_#.:№]*)?(?P<number>\d{1,5})(?=\s*[.:)\-–—|]|\s|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Name:
    """What a path says.

    Attributes:
        stem: The name without ending; of a folder's README, the folder's name.
        number: As written, with leading zeros, or None.
        slug: The rest of the name, or None.
        date: The day in the name or in its folder's name, or None.
        prefix: Letters before the number.
    """

    stem: str
    number: str | None
    slug: str | None
    date: Day | None
    prefix: str = ""

    @property
    def words(self) -> str:
        """The slug as words, for documents without a title."""
        return re.sub(r"[-_.\s]+", " ", self.slug or self.stem).strip() or self.stem


def read_name(path: str) -> Name:
    """Read a path with `/` between its parts; of a record within a file (`log.md#adr-4`), the record's own name."""
    file, mark, record = path.rpartition("#")
    if mark and _ENDING.search(file):
        path = f"{posixpath.dirname(file)}/{record}"
    parts = [part for part in path.split("/") if part]
    stem = _ENDING.sub("", parts[-1]) if parts else ""
    folder = parts[-2] if len(parts) > 1 else ""
    is_index = stem.casefold() in _INDEX and bool(folder)
    name = folder if is_index else stem
    rest, day = name, None
    lead = _DATE_LEAD.match(name)
    if lead:
        day = _day_of(lead["date"])
        rest = name[lead.end() :] if day else name
    elif not is_index and _DATE_LEAD.match(folder):
        lead = _DATE_LEAD.match(folder)
        day = _day_of(lead["date"]) if lead else None
    if day is None:
        days = [found for found in find_days(re.sub(r"_", " ", name)) if found.day]
        day = days[0] if days else None
    match = _NUMBER.match(rest)
    if match and _is_numbering(match, rest):
        slug = match["rest"] if match["rest"] is not None else match["rest2"]
        return Name(name, match["number"], (slug or "").strip("-_. ") or None, day, match["prefix"].casefold())
    return Name(name, None, rest.strip("-_. ") or None, day)


def number_in_heading(title: str) -> str | None:
    """The number a heading starts with: `ADR-0012: Queues` -> `0012`, `12. Queues` -> `12`."""
    match = _HEADING_NUMBER.match(title)
    return match["number"] if match else None


def _is_numbering(match: re.Match[str], name: str) -> bool:
    """Whether a number numbers the record: `ADR-7`, `PDR-7`, `0007` do; `http2`, `phase-2`, `2021-06` do not."""
    prefix, number = match["prefix"], match["number"]
    if re.match(r"(?:19|20)\d\d[-_.](?:0\d|1[0-2])(?!\d)", name):
        return False
    return (
        prefix.casefold().split("-")[0] in _PREFIXES
        or len(number) > 2
        or (prefix.isupper() and not name[len(prefix)].isdigit())
    )


def _day_of(text: str) -> Day | None:
    digits = re.sub(r"\D", "", text)
    days = find_days(f"{digits[:4]}-{digits[4:6]}-{digits[6:8]}")
    return days[0] if days else None
