"""An English word in its other number: `invoices` for `invoice`, `policy` for `policies`.

By spelling alone, without a list of words: what comes out may be no word at all, and is only ever looked up among words
that somebody wrote.
"""

from __future__ import annotations

import re

LEAST_LETTERS = 4
_HISSING = re.compile(r"(?:s|x|z|ch|sh)$")
_NO_PLURAL = re.compile(r"(?:ss|us|is)$")


def other_number(word: str) -> tuple[str, ...]:
    """How a word in lower case may be spelt in the plural if it is a singular, and the other way round.

    Nothing for words with other characters than a to z, or with fewer than `LEAST_LETTERS` letters.
    """
    if len(word) < LEAST_LETTERS or not (word.isascii() and word.isalpha()):
        return ()
    found = []
    if word.endswith("ies"):
        found.append(f"{word[:-3]}y")
    if word.endswith("es") and _HISSING.search(word[:-2]):
        found.append(word[:-2])
    if word.endswith("s") and not _NO_PLURAL.search(word):
        found.append(word[:-1])
    if word.endswith("y") and word[-2] not in "aeiou":
        found.append(f"{word[:-1]}ies")
    found.append(f"{word}es" if _HISSING.search(word) else f"{word}s")
    return tuple(found)
