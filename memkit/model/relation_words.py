"""How people write that one record replaces or changes another, in the languages they write it in.

`{ref}` stands for the other record: a Markdown link or a name such as `ADR-0012`. A pattern that ends with it may be
followed by several ("Superseded by ADR 23 and ADR 26"). `amends`, `extends` and their reverses are kept apart: they
are not supersession. "Rejected in favour of" is none of them.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Relation = Literal["supersedes", "superseded_by", "amends", "amended_by", "extends", "extended_by"]

# Regular expressions over casefolded text; longer, more exact rows first.
RELATIONS: Final[tuple[tuple[Relation, str, str], ...]] = (
    ("superseded_by", "en", r"super[sc]ee?ded(?:[\s,—–-]+[\w.-]+){0,4}?(?:\s*\([^()]{0,80}\))?\s+(?:by|with)\b{ref}"),
    (
        "superseded_by",
        "en",
        r"(?:replaced|obsoleted|deprecated)(?:\s+(?:in part|partly|partially|completely))?\s+by{ref}",
    ),
    ("superseded_by", "en", r"deprecated in favou?r of{ref}"),
    ("superseded_by", "en", r"super[sc]ee?ded\s*(?:[:,;(–—-]|->|→|\.\s)?\s*(?:see\s+)?{ref}"),
    ("superseded_by", "de", r"(?:ersetzt|abgelöst)\s+(?:durch|von){ref}"),
    ("superseded_by", "fr", r"remplacée?s?\s+par{ref}"),
    ("superseded_by", "pt", r"(?:substitu[íi]d[oa]|superad[oa])\s+p(?:or|el[oa]){ref}"),
    ("superseded_by", "es", r"(?:reemplazad[oa]|sustituid[oa])\s+por{ref}"),
    ("superseded_by", "zh", r"被\s*{ref}\s*(?:所)?\s*(?:取代|替代|替换|替換|代替)"),
    ("superseded_by", "ja", r"{ref}\s*(?:に|により|によって|で)\s*(?:置き換え|置換|上書き|差し替え|廃止)"),
    ("superseded_by", "ja", r"(?:置き換え先|後継)\s*[:：]?{ref}"),
    ("amended_by", "en", r"(?:amended|modified)(?:\s+in part)?\s+by{ref}"),
    ("amended_by", "de", r"geändert\s+durch{ref}"),
    ("amended_by", "fr", r"(?:modifié|amendé)e?\s+par{ref}"),
    ("amended_by", "pt", r"(?:alterad|emendad)[oa]\s+p(?:or|el[oa]){ref}"),
    ("amended_by", "es", r"(?:modificad|enmendad)[oa]\s+por{ref}"),
    ("extended_by", "en", r"(?:extended|refined)\s+by{ref}"),
    ("supersedes", "en", r"super[sc]ee?des?\b{ref}"),
    ("supersedes", "en", r"replaces\b{ref}"),
    ("supersedes", "en", r"obsoletes\b{ref}"),
    ("supersedes", "de", r"(?:ersetzt|löst)\b{ref}"),
    ("supersedes", "fr", r"remplace\b{ref}"),
    ("supersedes", "pt", r"substitui\b{ref}"),
    ("supersedes", "es", r"(?:reemplaza|sustituye)(?:\s+a)?\b{ref}"),
    ("supersedes", "zh", r"(?:取代|替代|替换|替換|代替)了?{ref}"),
    ("supersedes", "ja", r"{ref}\s*を\s*(?:置き換え|置換|上書き|差し替え)"),
    ("amends", "en", r"(?:amends|modifies)\b{ref}"),
    ("amends", "de", r"ändert\b{ref}"),
    ("amends", "fr", r"(?:modifie|amende)\b{ref}"),
    ("amends", "pt", r"(?:altera|emenda)\b{ref}"),
    ("amends", "es", r"(?:modifica|enmienda)(?:\s+a)?\b{ref}"),
    ("extends", "en", r"(?:extends|refines)\b{ref}"),
)

# Keys of front matter and labels of lines, folded to dashes (`superseded_by`, `Superseded by`, `supersededBy`).
RELATION_KEYS: Final[dict[str, Relation]] = {
    "supersedes": "supersedes", "supercedes": "supersedes", "supersede": "supersedes", "replaces": "supersedes",
    "obsoletes": "supersedes", "ersetzt": "supersedes", "remplace": "supersedes", "substitui": "supersedes",
    "reemplaza": "supersedes", "sustituye": "supersedes", "取代": "supersedes", "替代": "supersedes",
    "superseded-by": "superseded_by", "superceded-by": "superseded_by", "supersededby": "superseded_by",
    "supercededby": "superseded_by", "replaced-by": "superseded_by", "replacedby": "superseded_by",
    "obsoleted-by": "superseded_by", "obsoletedby": "superseded_by", "successor": "superseded_by",
    "ersetzt-durch": "superseded_by", "abgelöst-durch": "superseded_by", "remplacé-par": "superseded_by",
    "remplacée-par": "superseded_by", "substituído-por": "superseded_by", "substituída-por": "superseded_by",
    "reemplazado-por": "superseded_by", "reemplazada-por": "superseded_by", "sustituido-por": "superseded_by",
    "被取代": "superseded_by", "置き換え先": "superseded_by", "後継": "superseded_by",
    "amends": "amends", "amend": "amends", "modifies": "amends", "ändert": "amends", "modifie": "amends",
    "amended-by": "amended_by", "amendedby": "amended_by", "geändert-durch": "amended_by",
    "extends": "extends", "extended-by": "extended_by", "extendedby": "extended_by",
}  # fmt: skip

# What people write for "there is none".
NOTHING: Final = frozenset(
    {
        "none", "n/a", "na", "nil", "null", "nothing", "no", "-", "–", "—", "~", "tbd", "keine", "keines", "nichts",
        "aucun", "aucune", "néant", "nenhum", "nenhuma", "ninguno", "ninguna", "なし", "無し", "無", "无", "沒有",
        "没有", "not applicable", "none yet", "none so far", "[]", "{}",
    }
)  # fmt: skip
PARTLY: Final = (
    r"in part|partly|partially|partial|teilweise|partiellement|en partie|parcialmente|parcial|em parte"
    r"|en parte|portions?|parts? of|§|一部|部分"
)


def says_nothing(text: str) -> bool:
    """Whether a value says that there is none: "None", "- None. Compatible with ADR-1", "(none)", "なし"."""
    plain = text.strip(" \t*_`.。-–—()[]").casefold()
    first = re.split(r"[.;:,(—–。、]|\s-\s|\n", plain, maxsplit=1)[0].strip()
    return not plain or plain in NOTHING or first in NOTHING or text.strip() in NOTHING
