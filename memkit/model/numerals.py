"""Reading a number as people write it, or saying why it could be two.

`1.000` is one in English and a thousand in German; `1,000` the other way round. A number is read where its own shape or
the language of the sentence settles which is meant, and left unread where it does not.
"""

from __future__ import annotations

import re
from typing import Final

WORDS: Final[dict[str, int]] = {
    word: number
    for number, words in enumerate(
        (
            "a an one ein eine einem einer einen un une una um uma 一",
            "two zwei deux dos dois duas 二 两 兩",
            "three drei trois tres três 三",
            "four vier quatre cuatro quatro 四",
            "five fünf cinq cinco 五",
            "six sechs seis 六",
            "seven sieben sept siete sete 七",
            "eight acht huit ocho oito 八",
            "nine neun neuf nueve nove 九",
            "ten zehn dix diez dez 十",
            "eleven elf onze",
            "twelve zwölf douze doce doze",
        ),
        start=1,
    )
    for word in words.split()
}
# Multipliers; "B" is not among them: it can be bytes or billions. Billions are only read where the language has one.
MULTIPLIERS: Final[dict[str, float]] = {
    "k": 1e3, "K": 1e3, "thousand": 1e3, "tausend": 1e3, "tsd": 1e3, "mille": 1e3, "mil": 1e3, "千": 1e3,
    "M": 1e6, "Mio": 1e6, "million": 1e6, "millions": 1e6, "millionen": 1e6, "millones": 1e6, "milhões": 1e6, "mn": 1e6,
    "bn": 1e9, "billion": 1e9, "milliarden": 1e9, "milliards": 1e9, "Mrd": 1e9,
    "万": 1e4, "萬": 1e4, "億": 1e8, "亿": 1e8,
}  # fmt: skip
# Patterns of a number and of its multiplier inside a condition.
_VALUE_WORDS = (word for word, number in WORDS.items() if word.isascii() and (number > 1 or word == "one"))
NUMBER_WORDS: Final = "|".join(sorted(_VALUE_WORDS, key=len, reverse=True))
DIGITS: Final = rf"(?:\d{{1,3}}(?: \d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*|\b(?:{NUMBER_WORDS})\b)"
_TIMES = "|".join(sorted((re.escape(word) for word in MULTIPLIERS), key=len, reverse=True))
MULTIPLIER: Final = rf"(?:(?:(?:{_TIMES})\.?(?![^\W\d_])|[万萬億亿千])?)"
_DOT_GROUPS: Final = frozenset({"de", "pt"})  # "." groups thousands there
_COMMA_GROUPS: Final = frozenset({"en", "ja", "zh"})
_PLAIN = re.compile(r"\d+(?:\.\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:([ ',.])\d{3})(?:\1\d{3})*(?:([.,])\d+)?")
MAX_DIGITS = 18


class NumberUnreadError(ValueError):
    """Digits that could be two numbers, or none; the message says why."""


def read_number(text: str, language: str | None) -> float:
    """The number `text` stands for.

    Args:
        text: Digits with separators, without sign, unit or multiplier; or a word for 1 to 12.
        language: Of the sentence: `en`, `de`, `fr`, `es`, `pt`, `ja`, `zh`, or None where it does not show.

    Raises:
        NumberUnreadError: it could be two numbers, or is none.
    """
    if len(text) <= MAX_DIGITS and text.isascii() and text.isdigit():
        return float(text)
    word = WORDS.get(text.casefold())
    if word is not None:
        return float(word)
    if sum(char.isdigit() for char in text) > MAX_DIGITS:
        raise NumberUnreadError(f"“{text[:24]}…” has too many digits")
    text = text.replace("’", "'")
    grouped = _GROUPED.fullmatch(text)
    if grouped:
        return _grouped(text, grouped, language)
    if text.count(",") == 1 and "." not in text and _PLAIN.fullmatch(text.replace(",", ".")):
        return float(text.replace(",", "."))
    if _PLAIN.fullmatch(text):
        return float(text)
    raise NumberUnreadError(f"“{text[:24]}” is no number")


def _grouped(text: str, match: re.Match[str], language: str | None) -> float:
    group, decimal = match.group(1), match.group(2)
    if decimal == group:
        raise NumberUnreadError(f"“{text[:24]}” is no number")
    if decimal or group in " '" or text.count(group) > 1:
        whole = text.replace(group, "")
        return float(whole.replace(decimal, ".") if decimal else whole)
    # One separator with three digits behind it: thousands, or three decimals.
    if text.startswith("0"):
        return float(text.replace(",", "."))
    if (group == "," and language in _COMMA_GROUPS) or (group == "." and language in _DOT_GROUPS):
        return float(text.replace(group, ""))
    small, large = text.replace(group, "."), text.replace(group, "")
    raise NumberUnreadError(f"“{text}” can be {small} or {large}")
