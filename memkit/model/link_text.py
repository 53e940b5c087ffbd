"""A link text taken apart: the path it names, the words it shows, and the number and slug in either."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

_MD_LINK = re.compile(
    r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*(?:<([^<>]*)>|([^()\s]*(?:\([^()\s]*\)[^()\s]*)*))[^)]*\)"
)
_WIKI_LINK = re.compile(r"\[\[([^\[\]|]+)(?:\|[^\[\]]*)?\]\]")
FILE_END = re.compile(r"\.(?:md|markdown|mdx|mdown|html?|adoc|rst|txt|jsonl?|ndjson)$", re.IGNORECASE)
INDEX_NAMES: Final = frozenset({"readme", "index", "adr", "decision"})
_DATE_LEAD = re.compile(r"(?:\d{8}|\d{4}[-_.]?\d{2}[-_.]?\d{2})[-_. T]+")
_NAMED_NUMBER = re.compile(
    r"(?P<prefix>(?:(?:adr|madr|rfc|dr)[-_ ])?[^\W\d_]*)(?:[-_ .:#№]|no\.)*0*(?P<number>\d{1,5})(?![\d])"
    r"(?:[-_ .:)–—|]+(?P<rest>.*))?$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Target:
    """A link text taken apart.

    Attributes:
        path: What stands in the parentheses or looks like a path, without fragment; "" for a bare name.
        is_url: Whether `path` came from a full address.
        label: The words of the link, or the bare name.
        stem: The last part of the path without its ending, or the bare name, folded.
        prefix: Letters before the number (`adr`), folded.
        number: The number without leading zeros, or "".
        slug: What follows the number, or "".
    """

    path: str
    is_url: bool
    label: str
    stem: str
    prefix: str
    number: str
    slug: str


def fold(text: str) -> str:
    """A name for comparing: NFKC, casefolded, every run of other characters one dash."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return re.sub(r"[\W_]+", "-", folded).strip("-")


def split_name(name: str) -> tuple[str, str, str]:
    """Prefix, number without leading zeros, and slug of a name: `ADR-0016-file-uploads` -> `adr`, `16`, `file-uploads`.

    A leading date is no number: `20201016-use-slugs` -> "", "", `use-slugs`; `2021-08-19_009-logs` -> "", `9`, `logs`.
    """
    text = unicodedata.normalize("NFKC", name).strip()
    dated = _DATE_LEAD.match(text)
    if dated:
        text = text[dated.end() :]
    match = _NAMED_NUMBER.match(text)
    if match:
        return fold(match["prefix"]), match["number"], fold(match["rest"] or "")
    return "", "", fold(text)


def parse_target(text: str) -> Target:
    """Take a link text apart; total, never raises."""
    text = text.strip()
    label, path = text, ""
    link, wiki = _MD_LINK.search(text), _WIKI_LINK.search(text)
    if link:
        label, path = link.group(1).strip(), (link.group(2) or link.group(3) or "").strip()
    elif wiki:
        label = path = wiki.group(1).strip()
    elif FILE_END.search(text.split("#", 1)[0]) or text.startswith(("http://", "https://", "./", "../")):
        path = text
    is_url = path.startswith(("http://", "https://"))
    path = _bare_path(path, is_url=is_url)
    label = label.strip("*_`\"' ")
    named = last_name(path) or label
    prefix, number, slug = split_name(named)
    return Target(path, is_url, label, fold(named), prefix, number, slug)


def _bare_path(path: str, *, is_url: bool) -> str:
    if is_url:
        try:
            path = urlsplit(path).path.lstrip("/")
        except ValueError:
            return ""
    path = path.split("#", 1)[0].split("?", 1)[0]
    return unquote(path).replace("\\", "/")


def last_name(path: str) -> str:
    """The name a path gives its record: the file's stem, the folder of a README, a row's or record's own key."""
    file, _, row = path.rpartition("#")
    if row and FILE_END.search(file):
        return row
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    while parts:
        stem = FILE_END.sub("", parts.pop())
        if stem.casefold() not in INDEX_NAMES:
            return stem
    return ""
