"""The words conditions are written with, as data, by language. `conditions` reads them.

Each comparison is a pattern and what it means. `>` and `<` are strict; "reaches" is `>=`. A pattern in `INFIX` has its
number behind it ("exceeds 5k"), one in `POSTFIX` before it (「5k を超える」, "5k überschreitet").
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


# (language, operator, pattern); words of one pattern are separated by one space, inflections spelt out.
_EN_BE = r"(?:is|are|was|were|be|been|gets?|becomes?|stays?|remains?|keeps?|takes?|lasts?|runs?)"
_EN_UP = r"(?:goes|go|rises?|grows?|climbs?|increases?|moves?|jumps?|spikes?|creeps?|gets?|sustains?|holds?|sits?)"
_EN_DOWN = r"(?:goes|go|drops?|falls?|sinks?|dips?|decreases?|declines?|shrinks?|slips?|gets?|moves?)"

INFIX: Final[tuple[tuple[str, str, str], ...]] = (
    ("en", ">", r"(?:exceeds?|exceeded|exceeding|surpass|surpasses|outgrows?|passes|tops)"),
    ("en", ">", rf"(?:(?:{_EN_BE}|{_EN_UP}) )?(?:above|over|past|beyond|greater than|higher than)"),
    ("en", ">", rf"{_EN_BE} (?:more|larger|bigger|longer|slower) than"),
    ("en", ">=", rf"(?:(?:{_EN_BE}|{_EN_UP}) )?(?:at least|at or above)"),
    ("en", ">=", rf"(?:reaches|reach|hits?|{_EN_UP} to)"),
    ("en", "<", rf"(?:(?:{_EN_BE}|{_EN_DOWN}) )?(?:below|under|beneath|lower than)"),
    ("en", "<", rf"{_EN_BE} (?:less|fewer|smaller|shorter|faster) than"),
    ("en", "<=", rf"(?:(?:{_EN_BE}|{_EN_DOWN}) )?(?:at most|at or below)"),
    ("en", "<=", r"(?:drops?|falls?|sinks?|shrinks?|decreases?|declines?) to"),
    ("de", ">", r"(?:übersteigt|übersteigen|überschreitet|überschreiten)"),
    ("de", ">", r"(?:(?:liegt|liegen|bleibt|bleiben|ist|sind|steigt|steigen|wächst|wachsen|geht|gehen) )?über"),
    ("de", ">", r"(?:ist|sind|wird|werden|dauert|dauern) (?:mehr|größer|höher|länger) als"),
    ("de", ">=", r"(?:erreicht|erreichen)"),
    ("de", ">=", r"(?:(?:ist|sind|liegt|liegen) )?(?:mindestens|wenigstens)"),
    ("de", "<", r"(?:unterschreitet|unterschreiten)"),
    ("de", "<", r"(?:(?:liegt|liegen|bleibt|bleiben|ist|sind|fällt|fallen|sinkt|sinken|geht|gehen|rutscht) )?unter"),
    ("de", "<", r"(?:ist|sind|wird|werden|dauert|dauern) (?:weniger|kleiner|niedriger|kürzer) als"),
    ("de", "<=", r"(?:(?:ist|sind|liegt|liegen) )?höchstens"),
    ("fr", ">", r"(?:dépasse|dépassent|excède|excèdent)"),
    ("fr", ">", r"(?:(?:est|sont|reste|restent|passe|passent|monte|montent) )?(?:au-dessus de|supérieure?s? à)"),
    ("fr", ">=", r"(?:atteint|atteignent)"),
    ("fr", "<", (r"(?:(?:est|sont|reste|restent|tombe|tombent|descend|descendent|passe|passent) )"
                r"?(?:sous|au-dessous de|en dessous de|inférieure?s? à)")),
    ("es", ">", r"(?:supera|superan|excede|exceden|sobrepasa|sobrepasan|rebasa|rebasan|pasa de|pasan de)"),
    ("es", ">", (r"(?:(?:está|están|es|son|queda|sube|suben|se mantiene|se mantienen) )?"
                r"(?:por encima de|mayor que|mayores que|superior a|superiores a)")),
    ("es", ">=", r"(?:alcanza|alcanzan|llega a|llegan a)"),
    ("es", "<", (r"(?:(?:está|están|es|son|queda|cae|caen|baja|bajan|se mantiene|se mantienen) )?"
                r"(?:por debajo de|menor que|menores que|inferior a|inferiores a)")),
    ("pt", ">", r"(?:ultrapassa|ultrapassam|excede|excedem|passa de|passam de)"),
    ("pt", ">", (r"(?:(?:está|estão|é|são|fica|ficam|sobe|sobem|permanece|permanecem) )?"
                r"(?:acima de|maior que|maiores que|superior a|superiores a)")),
    ("pt", ">=", r"(?:atinge|atingem|alcança|alcançam|chega a|chegam a)"),
    ("pt", "<", (r"(?:(?:está|estão|é|são|fica|ficam|cai|caem|permanece|permanecem) )?"
                r"(?:abaixo de|menor que|menores que|inferior a|inferiores a)")),
    ("zh", ">=", r"(?:达到|達到|大于等于|不低于|不少于)"),
    ("zh", ">", r"(?:超过|超過|超出|大于|大於|高于|高於|多于|多於)"),
    ("zh", "<=", r"(?:小于等于|不超过|不超過|不高于)"),
    ("zh", "<", r"(?:低于|低於|小于|小於|少于|少於|跌破)"),
)  # fmt: skip
POSTFIX: Final[tuple[tuple[str, str, str], ...]] = (
    ("de", ">", r"(?:übersteigt|übersteigen|überschreitet|überschreiten)"),
    ("de", "<", r"(?:unterschreitet|unterschreiten)"),
    ("de", ">=", r"(?:erreicht|erreichen)"),
    ("ja", ">", r"を(?:超える|超えた|超え|超過する|上回る|上回った|上回り)"),
    ("ja", "<", r"を(?:下回る|下回った|下回り|割る|割った|割り込む)"),
    ("ja", ">=", r"(?:以上|に達する|に達した|に到達する|に到達した)(?:に?なる|になった|である|となる|となった)?"),
    ("ja", "<=", r"以下(?:に?なる|になった|である|となる|となった)?"),
    ("ja", "<", r"未満(?:に?なる|になった|である|となる|となった)?"),
)
# Words that may stand before a symbol: "sustains >5k", "is >= 3".
BEFORE_SYMBOL: Final = rf"(?:(?:{_EN_BE}|{_EN_UP}|{_EN_DOWN}) )?"
SYMBOLS: Final[dict[str, str]] = {
    ">=": ">=", "≥": ">=", "⩾": ">=", "<=": "<=", "≤": "<=", "⩽": "<=", ">": ">", "<": "<", "==": "==", "=": "==",
}  # fmt: skip

# What introduces a condition and is no part of it.
LEADS: Final[tuple[tuple[str, str], ...]] = (
    ("en", (r"(?:(?:revisit|reconsider|re-?evaluate|re-?assess|re-?open|review|invalidated?)"
           r"(?: (?:this|it|the decision|this decision))? )?(?:if ever|if|when|whenever|once|as soon as|should)")),
    ("de", r"(?:(?:neu bewerten|neu entscheiden|überprüfen),? )?(?:wenn|falls|sobald|sofern)"),
    ("fr", r"(?:(?:à revoir|revoir|réexaminer) )?(?:si|quand|lorsque|dès que)"),
    ("es", r"(?:(?:revisar|reconsiderar) )?(?:si|cuando|en cuanto)"),
    ("pt", r"(?:(?:rever|reavaliar) )?(?:se|quando|assim que)"),
    ("zh", r"(?:当|當|如果|一旦|若)"),
    ("ja", r"(?:もし)"),
)  # fmt: skip
# After a lead of this kind a dotted number is a version: "once ferrule reaches 3.0".
ONCE: Final = frozenset({"once", "as soon as", "sobald", "dès que", "en cuanto", "assim que", "一旦"})
# Tails that follow the condition of a language with its verb last.
TAILS: Final[dict[str, str]] = {
    "ja": r"(?:場合|とき|時|ら|状態(?:が|で)?)",
    "zh": r"(?:时|時|的时候|以后)",
}

# Windows: (language, before, after). One of the two sides says that the condition holds all the while.
_AT_LEAST = r"(?:(?:more than|longer than|at least|a full|a whole|mehr als|mindestens|plus de|más de|mais de) )?"
WINDOWS: Final[tuple[tuple[str, str, str], ...]] = (
    ("en", rf"(?:sustained |continuously |consistently )?for {_AT_LEAST}", r"(?: or (?:more|longer))?"),
    ("en", rf"(?:sustained|continuously|consistently) (?:over|during|across) {_AT_LEAST}", r""),
    ("de", rf"(?:für|seit|während) {_AT_LEAST}", r"(?: lang)?"),
    ("de", r"", r" lang"),
    ("fr", rf"(?:pendant|durant) {_AT_LEAST}", r""),
    ("es", rf"(?:durante|por) {_AT_LEAST}", r""),
    ("pt", rf"(?:durante|por) {_AT_LEAST}", r""),
    ("zh", r"(?:并|且|並)?(?:持续|持續|达|達|长达)", r"(?:以上)?"),
    ("ja", r"(?:状態が|状態で|まま)?", r"(?:以上)?(?:続く|続いた|続き|続ける|継続する|継続した|継続)"),
)
# Windows of so many periods one after the other: (language, before the number, between, after).
IN_A_ROW: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("en", r"(?:for |on |over )?", r"", r" (?:in a row|running|straight|on end|consecutively|in succession)"),
    ("en", r"(?:for |on |over )?", r"(?:consecutive|successive|straight) ", r""),
    ("de", r"(?:für |an )?", r"", r" (?:in Folge|hintereinander|nacheinander|am Stück)"),
    ("de", r"(?:für |an )?", r"(?:aufeinanderfolgende|aufeinanderfolgenden) ", r""),
    ("fr", r"(?:pendant |durant )?", r"", r" (?:de suite|d'affilée|consécutifs|consécutives)"),
    ("es", r"(?:durante |por )?", r"", r" (?:seguidos|seguidas|consecutivos|consecutivas)"),
    ("pt", r"(?:durante |por )?", r"", r" (?:seguidos|seguidas|consecutivos|consecutivas)"),
    ("zh", r"(?:连续|連續)", r"", r"(?:以上)?"),
    ("ja", r"", r"", r"連続(?:で|して)?"),
)
# A metric that ends with one of these, or begins with one of those, is no name of one number.
NEGATIONS: Final = _set(
    "not never no cannot hardly rarely seldom longer without nicht nie kein keine ne pas jamais nunca não 没有 不 未"
)
LAST_WORDS: Final = _set(
    "in it at by of to for from on with and or but that which who than down we they you there this "
    "und oder von et ou de y e il es sie"
)
FIRST_WORDS: Final = _set(
    "both any either neither all each every no nobody somebody anybody unless and we they "
    "jede jeder jedes alle kein keine chaque tous toutes cada todos todas"
)
AUXILIARIES: Final = _set("has have had will does do ever hat haben a ont ha han")
# A metric with one of these inside holds another condition.
SECOND: Final = (
    r"[<>=≥≤]|または|或者?"
    r"|\b(?:or|unless|exceeds?|more than|less than|fewer than|above|below|oder|ou bien|dépasse|supera)\b"
)

MONTHS: Final[dict[str, int]] = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar janvier enero janeiro",
            "february feb februar février febrero fevereiro",
            "march mar märz mars marzo março",
            "april apr avril abril",
            "may mai mayo maio",
            "june jun juni juin junio junho",
            "july jul juli juillet julio julho",
            "august aug août agosto",
            "september sep sept septembre septiembre setembro",
            "october oct oktober okt octobre octubre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez décembre diciembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
# (language, pattern before the date, pattern after it, days after the date on which it is due)
REVISITS: Final[tuple[tuple[str, str, str, int], ...]] = (
    ("en", (r"(?:to be |we )?(?:revisited|revisit|reviewed|review|reconsidered|reconsider|re-?evaluated?|"
           r"re-?assessed|re-?assess|re-?examined?|re-?opened|re-?open|look again|expires?|sunset)"
            r"(?: (?:this|it|the decision|this decision))?"
           r"(?: (?:by|on|in|before|at|no later than|not later than|until|latest by|starting))?"),
     r"(?: at the latest)?", 0),
    ("en", r"(?:revisit|review|reconsider|re-?evaluate)(?: (?:this|it|the decision|this decision))? after", r"", 1),
    ("en", r"valid until", r"", 0),
    ("de", (r"(?:(?:neu )?(?:überprüfen|prüfen|bewerten|entscheiden)|wiedervorlage|überprüfung)"
           r"(?: (?:bis|am|vor|bis zum|spätestens|spätestens am|bis spätestens))?"), r"", 0),
    ("de", r"bis(?: zum)?", r" (?:neu )?(?:überprüfen|prüfen|bewerten|entscheiden)", 0),
    ("fr", r"(?:à )?(?:revoir|réexaminer|réévaluer)(?: (?:avant|avant le|le|d'ici|d'ici le|au plus tard le))?", r"", 0),
    ("es", r"(?:revisar|reconsiderar|reevaluar)(?: (?:antes de|antes del|el|hasta|hasta el|a más tardar el))?", r"", 0),
    ("pt", r"(?:rever|reavaliar|revisar)(?: (?:até|antes de|em|até o dia|no máximo em))?", r"", 0),
    ("ja", r"", r"(?:まで)?に(?:見直す|見直し|再検討する|再検討|再評価する|再評価)", 0),
    ("zh", r"(?:在|于|於)?", r"(?:之?前|以前)?(?:重新评估|重新評估|复审|复查|重新审视)", 0),
)  # fmt: skip
# (language, pattern before the version, pattern after it)
RELEASES: Final[tuple[tuple[str, str, str], ...]] = (
    ("en", r"(?:reaches|reach|hits|gets to|arrives at|is at) (?:version |v\.? ?|release )", r""),
    ("en", r"(?:reaches|reach|hits|gets to|arrives at|releases|ships|publishes) (?:version |v\.? ?|release )?", r""),
    ("en", r"(?:version |v)?", r" (?:is released|is out|comes out|ships|lands|is available)"),
    ("de", r"(?:erreicht|veröffentlicht) (?:version |v\.? ?)?", r""),
    ("de", r"(?:version |v)?", r" (?:erscheint|erreicht)"),
    ("fr", r"(?:atteint|publie) (?:la version |version |v\.? ?)?", r""),
    ("es", r"(?:alcanza|llega a|publica) (?:la versión |versión |v\.? ?)?", r""),
    ("pt", r"(?:atinge|alcança|chega à|chega a|publica) (?:a versão |versão |v\.? ?)?", r""),
    (
        "ja",
        r"(?:が|は)\s?(?:バージョン|v)?\s?",
        r"(?:に達したら|に達する|になったら|になる|がリリースされたら|がリリースされる)",
    ),
    ("zh", r"(?:达到|達到|发布|發布)\s?(?:版本|v)?\s?", r"(?:版本|版)?"),
)


@cache
def spoken_in(pattern: str) -> frozenset[str]:
    """The words, casefolded, that a pattern of this page can match; whoever lacks all of them need not be looked at."""
    bare = re.sub(r"\(\?[:=!<]+|\\[A-Za-z.]", " ", pattern)
    spoken: set[str] = set()
    for word in re.findall(r"[^\W\d_](?:[^\W\d_?'-]|\?(?![:=!<])|-\??|')*", bare.casefold()):
        options = [""]
        for char in word:
            # "drops?" stands for "drop" and "drops".
            options = [*options, *(o[:-1] for o in options)] if char == "?" else [o + char for o in options]
        spoken.update(options)
    return frozenset(spoken)
