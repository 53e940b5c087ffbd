"""Sections of a Markdown document, and what their headings mean in the languages people write decisions in.

`WORDS` is the one table of heading words. `sections` splits a document at ATX headings (`## Decision`) and setext
headings, skipping code fences, front matter and HTML comments; `kind_of` says what a heading announces.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# kind -> heading words, casefolded, without numbering, emphasis, emoji or closing punctuation.
WORDS: Final[dict[str, tuple[str, ...]]] = {
    "decision": (
        "decision",
        "decisions",
        "decision outcome",
        "outcome",
        "the decision",
        "our decision",
        "recommendation",
        "recommendations",
        "conclusion",
        "resolution",
        "verdict",
        "final recommendation",
        "entscheidung",
        "entscheidungen",
        "beschluss",
        "empfehlung",
        "ergebnis",
        "fazit",
        "décision",
        "décisions",
        "recommandation",
        "résolution",
        "decisão",
        "decisões",
        "recomendação",
        "conclusão",
        "decisión",
        "decisiones",
        "recomendación",
        "conclusión",
        "決定",
        "決定事項",
        "結論",
        "推奨",
        "决定",
        "决策",
        "结论",
        "建议",
        "決策",
        "結論與建議",
    ),
    "tripwires": (
        "tripwire conditions",
        "tripwire condition",
        "tripwires",
        "tripwire",
        "trip wires",
        "trip-wire conditions",
        "conditions that would invalidate this decision",
        "invalidation conditions",
        "reconsider if",
        "revisit if",
        "revisit when",
        "when to revisit",
        "revisit conditions",
        "kill criteria",
        "stolperdrähte",
        "stolperdraht",
        "abbruchbedingungen",
        "wann neu entscheiden",
        "neu bewerten wenn",
        "conditions de révision",
        "conditions d'invalidation",
        "à revoir si",
        "signaux d'alerte",
        "condições de revisão",
        "condições de invalidação",
        "rever se",
        "gatilhos",
        "condiciones de revisión",
        "condiciones de invalidación",
        "revisar si",
        "disparadores",
        "見直し条件",
        "再検討条件",
        "撤回条件",
        "重新评估条件",
        "复审条件",
        "失效条件",
        "重新評估條件",
    ),
    "status": ("status", "statut", "estado", "situação", "stand", "ステータス", "状態", "状态", "狀態"),
    "date": ("date", "datum", "data", "fecha", "日付", "決定日", "日期"),
    "context": (
        "context",
        "context and problem statement",
        "problem statement",
        "background",
        "problem",
        "kontext",
        "hintergrund",
        "contexte",
        "contexto",
        "背景",
        "コンテキスト",
        "上下文",
    ),
    "consequences": (
        "consequences",
        "consequence",
        "impact",
        "konsequenzen",
        "folgen",
        "conséquences",
        "consequências",
        "consecuencias",
        "結果",
        "影響",
        "后果",
        "影响",
    ),
    "options": (
        "considered options",
        "options",
        "alternatives",
        "alternatives considered",
        "options considered",
        "optionen",
        "alternativen",
        "alternativas",
        "opciones",
        "opções",
        "選択肢",
        "代替案",
        "备选方案",
        "选项",
    ),
    "dissent": (
        "dissent",
        "minority positions",
        "minority position",
        "dissenting views",
        "unresolved disputes",
        "abweichende meinungen",
        "désaccords",
        "divergências",
        "disidencias",
        "少数意見",
        "少数意见",
    ),
    "supersedes": ("supersedes", "supercedes", "replaces", "ersetzt", "remplace", "substitui", "reemplaza"),
    "superseded by": ("superseded by", "superceded by", "replaced by", "ersetzt durch", "remplacé par"),
}

_KIND_OF: Final[dict[str, str]] = {
    unicodedata.normalize("NFKC", word).casefold(): kind for kind, words in WORDS.items() for word in words
}
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_BOLD_LINE = re.compile(r"\*\*([^*]{1,60}?):?\*\*:?\s*$")
_LEAD = re.compile(r"^(?:[\W_]|\d+[.)]\s)*", re.UNICODE)
_BULLET = re.compile(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(.*)")


@dataclass(frozen=True, slots=True)
class Section:
    """One heading and the text below it, up to the next heading of any level.

    Attributes:
        level: 1 to 6; 0 for the text before the first heading; 7 for a line that is all bold.
        title: The heading's text without marks.
        body: The text below it.
        kind: What the heading announces (a key of `WORDS`), or None.
    """

    level: int
    title: str
    body: str
    kind: str | None


def kind_of(heading: str) -> str | None:
    """What a heading announces, or None: `## 3. Décision :` -> `decision`."""
    text = unicodedata.normalize("NFKC", heading).casefold()
    text = text.replace("’", "'").replace("`", "").replace("*", "").strip()
    text = _LEAD.sub("", text).strip().rstrip(":.!？?：").strip()
    return _KIND_OF.get(text)


def sections(markdown: str) -> list[Section]:
    """Split a document at its headings; headings inside code fences do not count."""
    found: list[Section] = []
    level, title, body = 0, "", []
    fence = ""
    for line in markdown.split("\n"):
        line = line.rstrip("\r")  # noqa: PLW2901
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark.group(1)
        heading = None if fence or mark else _heading(line)
        if heading is None:
            body.append(line)
            continue
        found.append(Section(level, title, "\n".join(body).strip("\n"), kind_of(title)))
        (level, title), body = heading, []
    found.append(Section(level, title, "\n".join(body).strip("\n"), kind_of(title)))
    return [s for s in found if s.title or s.body.strip()]


def _heading(line: str) -> tuple[int, str] | None:
    atx = _ATX.match(line)
    if atx:
        return len(atx.group(1)), (atx.group(2) or "").strip()
    bold = _BOLD_LINE.match(line)
    if bold and kind_of(bold.group(1)):
        return 7, bold.group(1).strip()
    return None


def section_text(markdown: str, kind: str) -> str | None:
    """The text under the first heading of this kind, with its sub-sections, or None."""
    parts: list[str] = []
    level = -1
    for section in sections(markdown):
        if level >= 0:
            if section.level <= level or section.kind is not None:
                break
            parts.append(f"{section.title}\n{section.body}" if section.title else section.body)
        elif section.kind == kind:
            level = section.level
            parts.append(section.body)
    text = "\n\n".join(part.strip() for part in parts if part.strip())
    return text or None


def bullets(text: str) -> Iterator[str]:
    """The top-level list items of a text, continuation lines joined, sub-items kept inside their item."""
    item: list[str] = []
    indent = 0
    for line in text.split("\n"):
        match = _BULLET.match(line)
        lead = len(line) - len(line.lstrip())
        if match and (not item or lead <= indent):
            if item:
                yield " ".join(item)
            item, indent = [match.group(1).strip()], lead
        elif item and line.strip():
            item.append((match.group(1) if match else line).strip())
        elif item and not line.strip():
            continue
    if item:
        yield " ".join(item)
