"""The names of what is measured: how they are compared, and when words are no such name."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from memkit.model import condition_words as words
from memkit.model.numerals import DIGITS, MULTIPLIER
from memkit.model.units import UnitUnreadError, read_unit

MAX_METRIC_CHARS = 160
ARTICLES: Final = frozenset(
    [
        "the",
        "a",
        "an",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "ein",
        "eine",
        "le",
        "la",
        "les",
        "l",
        "un",
        "une",
        "el",
        "los",
        "las",
        "una",
        "o",
        "os",
        "as",
        "um",
        "uma",
    ]
)
UNREADABLE = "cannot be read as metric, operator and value"
_between = re.compile(r"[\W_]+")
_second = re.compile(words.SECOND, re.IGNORECASE)
_quantity = re.compile(rf"(?<![\w.]){DIGITS} ?{MULTIPLIER} ?(?P<unit>[^\s\d,]+)", re.IGNORECASE)


def metric_name(text: str) -> str:
    """A metric's name for comparing: NFKC, casefolded, every run of other characters one underscore."""
    return _between.sub("_", unicodedata.normalize("NFKC", text).casefold()).strip("_")


def without_article(name: str) -> str:
    """A normalised name without the article it begins with: `the_courier_interface` and `courier_interface` are one."""
    first, _, rest = name.partition("_")
    return rest if rest and first in ARTICLES else name


def bare_metric(text: str, language: str | None) -> str:
    """The words in front of a comparison without quotes, auxiliaries and the particle that ends them."""
    text = text.strip(" ,'‘’")
    if language == "ja":
        return re.sub(r"(?:の値が|が|は|も)$", "", text).strip()
    while " " in text and text.rpartition(" ")[2].casefold() in words.AUXILIARIES:
        text = text.rpartition(" ")[0]
    return text.strip()


def problem_of_metric(text: str) -> str | None:
    """Why these words are no name of one thing that is measured, or None."""
    name = metric_name(text)
    if not name or name.isdecimal():
        return "names nothing that is measured"
    if len(text) > MAX_METRIC_CHARS:
        return "names nothing that is measured in few words"
    if ": " in text:
        return f"“{text.split(': ', 1)[0][:40]}:” may be a label or a part of the name"
    spoken = [word.strip(",.()").casefold() for word in text.split()]
    if set(spoken[-2:]) & words.NEGATIONS:
        return "holds a negation"
    if spoken[-1] in words.LAST_WORDS or spoken[0] in words.FIRST_WORDS:
        return UNREADABLE
    if spoken[-1].endswith("ly") and len(spoken) > 1:
        return f"the word “{spoken[-1][:40]}” cannot be weighed"
    if _second.search(text):
        return "holds more than one comparison"
    if any(char.isdigit() for char in text) and any(_is_unit(match["unit"]) for match in _quantity.finditer(text)):
        return "holds more than one quantity"
    return None


def _is_unit(text: str) -> bool:
    try:
        unit = read_unit(text)
    except UnitUnreadError:
        return True
    return unit is not None and not unit.dimension.startswith("count")
