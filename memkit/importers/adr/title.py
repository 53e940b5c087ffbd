"""The title of a record: its first heading that is not a section, else its front matter's, else its first line's."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memkit.importers.adr.fields import ARGUING, TITLE_LABELS
from memkit.importers.adr.front_matter import FrontMatter, flat
from memkit.model.headings import BOLD_LEVEL, Section, without_comments

_NUMBERED = re.compile(r"\W*(?:ADR|RFC|Decision|Record|DR)?[\s\-_#]*\d{1,5}\s*[:.–—-]\s*\S", re.IGNORECASE)
_NUMBERED_LINE = re.compile(
    r"[\s*_#>]*(?:ADR|RFC|Decision|Record|DR)[\s\-_#]*\d{1,5}\s*[:.–—-]\s*\S.{2,200}$", re.IGNORECASE
)
_LEAD = re.compile(
    r"\W*(?:(?:adr|rfc|record|decision|no|nr)[\s\-_#.:]*)?[\[{<(]?(?:\d+[nx]*|number|num|id|0*[nx]+(?![a-z]))?[\]}>)]?[\s.:\-–—]*",
    re.IGNORECASE,
)
_ENCLOSED = re.compile(r"\{.*\}|<.*>|\[[^\]]*\](?!\()|…|\.\.\.", re.DOTALL)
_TITLE_WORDS = re.compile(
    r"(?:the )?(?:short |decision |adr |record |brief )?(?:noun phrase |descriptive )?title"
    r"(?: (?:of|here|goes|for|in)\b.*)?|short title.*|(?:decision|adr) name|name of the decision"
    r"|(?:adr|madr|decision(?: record)?|architecture decision(?: record)?|record)?s? ?template"
    r"|(?:vorlage|plantilla|modelo|gabarit|modèle|template) (?:\w+ )?\w*(?:adr|decis|entscheid|décision|decisão).*"
    r"|titel|titre|título|タイトル|标题|(?:adr|決定|决策)?(?:模板|テンプレート)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Title:
    """A title.

    Attributes:
        text: As written, or None where the record has none (or only a template's placeholder).
        origin: Where it was found.
        line: The line of its heading, or None.
        placeholder: Whether a template's title stands there unfilled.
        others: Further first-level headings that are no sections either.
    """

    text: str | None
    origin: str = ""
    line: int | None = None
    placeholder: bool = False
    others: tuple[str, ...] = ()


def find_title(found: list[Section], front: FrontMatter) -> Title:
    """Find the title of a record."""
    every = [s for s in found if s.level == 1]
    named = [s for s in every if s.kind is None or s.value]
    lead = [s for s in found if s.level > 0]
    if not named and len(every) == 1 and len(lead) > 1 and lead[0] is every[0]:
        named = every  # the only first-level heading of a document, above all others, is its title whatever it says
    heading = named[0] if named else None
    if heading is None:
        # A document whose headings start at level 2 or 3 has its title there, if everything known lies below it.
        if lead and lead[0].kind is None and 1 < lead[0].level < BOLD_LEVEL:
            known = [s.level for s in lead[1:] if s.kind is not None]
            above = bool(known) and min(known) > lead[0].level
            numbered = bool(known) and min(known) == lead[0].level and _NUMBERED.match(lead[0].title) is not None
            heading = lead[0] if above or numbered else None
    elif _is_late(heading, found):
        heading = None
    others = tuple(s.title for s in named if s is not heading)
    if heading is not None:
        text = without_comments(heading.title).strip()
        if text and not is_placeholder_title(text):
            return Title(
                text, "first-level heading" if heading.level == 1 else "first heading", heading.line, others=others
            )
        return Title(_front_title(front), "front matter: title", heading.line, placeholder=True, others=others)
    text = _front_title(front) or ""
    if text:
        return Title(text, "front matter: title", None, others=others)
    if found and found[0].level == 0:
        first = next((line for line in found[0].body.split("\n") if line.strip()), "")
        if _NUMBERED_LINE.match(first):
            return Title(first.strip(" \t*_#>\r"), "first line", None, others=others)
    return Title(None, others=others)


def is_placeholder_title(text: str) -> bool:
    """Whether a title is a template's: `{short title}`, `<number>. <title>`, `ADR-000N: Title`."""
    rest = text[_LEAD.match(text).end() :].strip() if _LEAD.match(text) else text  # type: ignore[union-attr]
    if not text.strip():
        return True
    return any(
        _ENCLOSED.fullmatch(part) is not None or _TITLE_WORDS.fullmatch(part.strip("{}[]<>() ")) is not None
        for part in (text.strip(), rest)
        if part
    )


def _is_late(heading: Section, found: list[Section]) -> bool:
    """Whether a first-level heading comes after the record has begun to argue, so that it is a part of it."""
    return any(s.kind in ARGUING for s in found if s.line < heading.line and s.level > 0)


def _front_title(front: FrontMatter) -> str | None:
    for _, value in front.find(*sorted(TITLE_LABELS)):
        text = " ".join(flat(value).split())
        if text and not is_placeholder_title(text):
            return text
    return None
