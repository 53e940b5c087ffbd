"""What people write for the state of a decision, in the languages they write it in, mapped to six words.

`read_status` takes a status as written and says which of `proposed`, `accepted`, `rejected`, `deprecated`,
`superseded` it is, or `unknown` where the words say none of them ("Ongoing", "Discussed by ..."): a state is
never guessed. To teach memkit a word, add it to `STATUS_WORDS`.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, get_args

Status = Literal["proposed", "accepted", "rejected", "deprecated", "superseded", "unknown"]
STATUSES: Final[tuple[str, ...]] = get_args(Status)
Words = dict[str, tuple[str, ...]]

STATUS_WORDS: Final[dict[Status, Words]] = {
    "superseded": {
        "en": ("superseded", "superceded", "superseeded", "replaced", "obsoleted"),
        "de": ("ersetzt", "abgelöst"),
        "fr": ("remplacé", "remplacée"),
        "pt": ("substituído", "substituída", "substituido", "superado", "superada"),
        "es": ("reemplazado", "reemplazada", "sustituido", "sustituida"),
        "ja": ("置き換え", "置換", "上書き", "差し替え"),
        "zh": ("取代", "替代", "替换", "替換", "被代替"),
    },
    "rejected": {
        "en": (
            "rejected", "declined", "withdrawn", "abandoned", "cancelled", "canceled", "discarded", "dismissed",
            "refused", "denied", "dropped", "not accepted", "not approved", "not adopted", "won't do", "wont do",
        ),
        "de": ("abgelehnt", "verworfen", "zurückgezogen", "abgebrochen", "nicht angenommen"),
        "fr": ("rejeté", "rejetée", "refusé", "refusée", "abandonné", "abandonnée", "retiré", "retirée"),
        "pt": (
            "rejeitado", "rejeitada", "recusado", "recusada", "abandonado", "abandonada", "descartado", "descartada",
        ),
        "es": (
            "rechazado", "rechazada", "descartado", "descartada", "abandonado", "abandonada", "denegado", "retirado",
        ),
        "ja": ("却下", "不採用", "棄却", "否決", "取り下げ"),
        "zh": ("拒绝", "已拒绝", "否决", "驳回", "拒絕", "否決", "放弃"),
    },
    "deprecated": {
        "en": (
            "deprecated", "depreciated", "obsolete", "retired", "outdated", "reverted", "no longer valid",
            "no longer relevant", "no longer applicable", "sunset", "rescinded", "revoked", "expired", "historical",
        ),
        "de": ("veraltet", "obsolet", "außer kraft", "zurückgenommen", "aufgehoben", "überholt"),
        "fr": ("obsolète", "déprécié", "dépréciée", "caduc", "caduque", "abrogé", "abrogée"),
        "pt": ("obsoleto", "obsoleta", "descontinuado", "descontinuada", "depreciado", "depreciada", "revogado"),
        "es": ("obsoleto", "obsoleta", "deprecado", "deprecada", "descontinuado", "descontinuada", "derogado"),
        "ja": ("廃止", "非推奨", "失効", "廃案"),
        "zh": ("废弃", "已废弃", "弃用", "已弃用", "过时", "廢棄", "棄用", "废止"),
    },
    "proposed": {
        "en": (
            "proposed", "proposal", "draft", "drafted", "pending", "in review", "under review", "in discussion",
            "under discussion", "for discussion", "for review", "open for comments", "request for comments", "rfc",
            "wip", "work in progress", "in progress", "in-progress", "incomplete", "to be decided", "tbd",
            "to be discussed", "undecided", "needs review", "ready for review", "awaiting", "suggested",
            "under consideration", "not yet accepted", "not yet approved", "not yet decided", "unapproved",
        ),
        "de": (
            "vorgeschlagen", "vorschlag", "entwurf", "in prüfung", "in diskussion", "in arbeit", "offen", "ausstehend",
        ),
        "fr": (
            "proposé", "proposée", "proposition", "brouillon", "en attente", "en discussion", "en cours", "à valider",
        ),
        "pt": (
            "proposto", "proposta", "rascunho", "pendente", "em discussão", "em análise", "em revisão", "em andamento",
        ),
        "es": ("propuesto", "propuesta", "borrador", "pendiente", "en discusión", "en revisión", "en progreso"),
        "ja": ("提案", "提案中", "草案", "ドラフト", "検討中", "レビュー中", "保留中", "下書き"),
        "zh": ("提议", "提案", "已提议", "草案", "草稿", "待定", "讨论中", "评审中", "提議", "待审核", "待批准"),
    },
    "accepted": {
        "en": (
            "accepted", "approved", "active", "implemented", "decided", "adopted", "agreed", "ratified", "final",
            "finalized", "finalised", "in force", "in effect", "effective", "enacted", "confirmed", "done", "completed",
            "complete", "amended", "signed off",
        ),
        "de": (
            "akzeptiert", "angenommen", "beschlossen", "genehmigt", "umgesetzt", "entschieden", "aktiv", "gültig",
            "freigegeben", "in kraft", "implementiert", "bestätigt", "verabschiedet",
        ),
        "fr": (
            "accepté", "acceptée", "approuvé", "approuvée", "adopté", "adoptée", "validé", "validée", "en vigueur",
            "décidé", "décidée", "actif", "active", "implémenté", "implémentée",
        ),
        "pt": (
            "aceito", "aceita", "aceite", "aprovado", "aprovada", "adotado", "adotada", "ativo", "ativa", "decidido",
            "decidida", "implementado", "implementada", "vigente", "em vigor",
        ),
        "es": (
            "aceptado", "aceptada", "aprobado", "aprobada", "adoptado", "adoptada", "activo", "activa", "vigente",
            "implementado", "implementada", "decidido", "decidida", "en vigor",
        ),
        "ja": ("承認", "承認済み", "採用", "採択", "決定", "決定済み", "合意", "有効", "実装済み", "確定", "受理"),
        "zh": (
            "接受", "已接受", "通过", "已通过", "批准", "已批准", "采纳", "已采纳", "生效", "已实施", "已决定", "採納",
            "通過", "已實施", "同意",
        ),
    },
}  # fmt: skip

# Words that turn round, or put off, the state word behind them.
NOT_YET: Final = (
    "not yet",
    "to be",
    "will be",
    "noch nicht",
    "pas encore",
    "ainda não",
    "aún no",
    "todavía no",
    "尚未",
)
MARKS: Final[dict[str, Status]] = {
    "✅": "accepted", "☑": "accepted", "✔": "accepted", "🟢": "accepted", ":white_check_mark:": "accepted",
    "❌": "rejected", "🚫": "rejected", "⛔": "rejected", "🔴": "rejected", ":x:": "rejected",
}  # fmt: skip

_STATUS_OF: Final[dict[str, Status]] = {
    unicodedata.normalize("NFKC", word).casefold(): status
    for status, by_language in reversed(STATUS_WORDS.items())
    for words in by_language.values()
    for word in words
}
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
# Being the one that replaces says nothing about one's own state: "Accepted. Supersedes ADR-3", "Ersetzt ADR-3".
_NOT_SELF = re.compile(
    r"(?:replaced|obsoleted)(?!\s*(?:by\b|$|[.:,;]))|(?:ersetzt|取代|替代|替换|替換)(?=\s*:?\s*(?:\[|adr|#?\d))|を\s*(?:置き換え|置換|上書き)(?:る|する|た)?"
)
_LINE_START = re.compile(
    r"\n[\W_]*(?:(?:now|partly|partially|in part|teilweise|has been|was)\s+)?(?:\S+\s*(?:に|により|によって))?\s*$"
)
_STRUCK = re.compile(r"~~[^~]*~~|<(?:del|s)>.*?</(?:del|s)>", re.DOTALL)
_ARROW = re.compile(r"\s*(?:->|→|=>|➡|⇒|-->)\s*")
_OPTIONS = re.compile(r"[|{}<>\[\]]|\s/\s|…")
_CHECKED = re.compile(r"^[ \t]*[-*+][ \t]+\[[xX]\][ \t]+(.+)$", re.MULTILINE)
_CHECKBOX = re.compile(r"^[ \t]*[-*+][ \t]+\[[ xX]\][ \t]+", re.MULTILINE)
_LINK = re.compile(r"\[[^\[\]]*\]\([^()]*(?:\([^()]*\)[^()]*)*\)")


@dataclass(frozen=True, slots=True)
class StatusReading:
    """What a status text says.

    Attributes:
        status: One of the six words.
        word: The word that decided, as in the table, or "".
        placeholder: Whether the text is a template's list of choices, left unfilled.
    """

    status: Status
    word: str = ""
    placeholder: bool = False


def read_status(raw: str) -> StatusReading:
    """What a status as written means.

    "Accepted. Supersedes [..]" is accepted; "Partly superseded" is superseded; "Rejected in favour of .." is
    rejected; "Proposed -> Accepted" is its last; a ticked box among unticked ones counts alone; words struck out do
    not count; "proposed | accepted | rejected" is an unfilled choice and unknown.
    """
    text = unicodedata.normalize("NFKC", _STRUCK.sub(" ", raw[:4000])).casefold().replace("’", "'")
    ticked = _CHECKED.findall(text)
    if ticked:
        text = "\n".join(ticked)
    elif len(_CHECKBOX.findall(text)) > 1 or is_choice(text):
        return StatusReading("unknown", placeholder=True)
    text = _ARROW.split(text.replace("_", " ").replace("*", " ").strip())[-1]
    words = _words_in(text)
    first_line = len(text.split("\n", 1)[0])
    for word, at in words:
        if _STATUS_OF[word] == "superseded" and (at < first_line or _LINE_START.search(text[max(0, at - 80) : at])):
            return StatusReading("superseded", word)
    for word, at in words:
        status = _STATUS_OF[word]
        if status == "superseded":
            continue
        put_off = text[max(0, at - 14) : at].rstrip().endswith(NOT_YET)
        return StatusReading("proposed" if put_off and status == "accepted" else status, word)
    marks = {status for mark, status in MARKS.items() if mark in text}
    return StatusReading(marks.pop(), "") if len(marks) == 1 else StatusReading("unknown")


def is_choice(text: str) -> bool:
    """Whether a text offers three states or more side by side, as a template does."""
    if not _OPTIONS.search(_LINK.sub("", text)):
        return False
    named = {_STATUS_OF[word] for word, _ in _words_in(text.casefold())}
    return len(named) > 2 or (len(named) == 2 and "|" in text and "[" not in text)


@cache
def _word() -> re.Pattern[str]:
    """Any state word; made when a status is first read, since making it takes longer than loading this module."""
    return re.compile(
        "|".join(
            re.escape(word) if _CJK.search(word) else rf"(?<!\w){re.escape(word)}(?!\w)"
            for word in sorted(_STATUS_OF, key=lambda w: (-len(w), w))
        )
    )


def _words_in(text: str) -> list[tuple[str, int]]:
    """The state words of a text in order, link targets and the names of other records left out."""
    bare = _LINK.sub(lambda m: " " * len(m.group()), text)
    hidden = [match.span() for match in _NOT_SELF.finditer(text)]
    return [
        (match.group(), match.start())
        for match in _word().finditer(bare)
        if not any(start <= match.start() < end for start, end in hidden)
    ]
