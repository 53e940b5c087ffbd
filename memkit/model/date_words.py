"""Words of dates: the months and the labels people put before a date, in the languages they write them in."""

from __future__ import annotations

from typing import Final

# Month names and their short forms, January first; several spellings are separated by a bar.
MONTHS: Final[dict[str, tuple[str, ...]]] = {
    "en": (
        "january|jan", "february|feb", "march|mar", "april|apr", "may", "june|jun", "july|jul", "august|aug",
        "september|sept|sep", "october|oct", "november|nov", "december|dec",
    ),
    "de": (
        "januar|jänner|jan", "februar|feb", "märz|maerz|mär|mrz", "april|apr", "mai", "juni|jun", "juli|jul",
        "august|aug", "september|sep", "oktober|okt", "november|nov", "dezember|dez",
    ),
    "fr": (
        "janvier|janv", "février|fevrier|févr|fév", "mars", "avril|avr", "mai", "juin", "juillet|juil", "août|aout",
        "septembre|sept", "octobre|oct", "novembre|nov", "décembre|decembre|déc",
    ),
    "pt": (
        "janeiro|jan", "fevereiro|fev", "março|marco|mar", "abril|abr", "maio|mai", "junho|jun", "julho|jul",
        "agosto|ago", "setembro|set", "outubro|out", "novembro|nov", "dezembro|dez",
    ),
    "es": (
        "enero|ene", "febrero|feb", "marzo|mar", "abril|abr", "mayo|may", "junio|jun", "julio|jul", "agosto|ago",
        "septiembre|setiembre|sept|sep", "octubre|oct", "noviembre|nov", "diciembre|dic",
    ),
}  # fmt: skip

MONTH_OF: Final[dict[str, int]] = {
    name: number
    for names in reversed(MONTHS.values())
    for number, spellings in enumerate(names, start=1)
    for name in spellings.split("|")
}

# Labels that announce the day of a decision, best first. A day on which a document was changed is not among them.
DATE_LABELS: Final[tuple[tuple[str, ...], ...]] = (
    (
        "decided", "decided-on", "decided-at", "decision-date", "date-decided", "date-of-decision", "decision-made-on",
        "accepted", "accepted-on", "accepted-at", "date-accepted", "acceptance-date", "approved-on", "date-approved",
        "approval-date", "entschieden-am", "beschlossen-am", "entscheidungsdatum", "beschlussdatum",
        "date-de-décision", "date-de-la-décision", "décidé-le", "accepté-le", "data-da-decisão", "decidido-em",
        "fecha-de-decisión", "fecha-de-la-decisión", "decidido-el", "決定日", "承認日", "决定日期", "决策日期",
        "決策日期", "decidedon", "decisiondate",
    ),
    ("date", "datum", "data", "fecha", "日付", "日期", "日時", "adr-date", "on", "dated"),
    (
        "created", "created-on", "created-at", "creation-date", "date-created", "introduced", "introduced-on",
        "proposed-on", "proposed-at", "date-proposed", "drafted", "submitted", "opened", "start-date", "started",
        "initial-date", "first-published", "published", "publication-date", "written", "recorded",
        "erstellt", "erstellt-am", "angelegt", "créé", "créé-le", "créée-le", "date-de-création", "criado", "criado-em",
        "data-de-criação", "creado", "creado-el", "fecha-de-creación", "作成日", "起票日", "创建日期", "创建时间",
        "建立日期", "createdat", "createdon", "datecreated",
    ),
)  # fmt: skip

# Languages whose writers put the day first in 03/04/2020.
DAY_FIRST_LANGUAGES: Final = frozenset({"de", "fr", "pt", "es"})
