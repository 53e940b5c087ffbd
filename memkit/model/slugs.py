"""Slugs: the names of records, safe as file names on every system and in any letter case.

A slug is of a-z, 0-9 and single hyphens, at most 80 characters. It is derived from a title: accents are dropped, other
scripts are not transliterated; a title without a single Latin letter or digit gets a name made of its digest.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Container
from itertools import count
from typing import Final

from memkit.errors import InvalidInputError

MAX_SLUG_CHARS: Final = 80
_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
_OTHERS = re.compile(r"[^a-z0-9]+", re.ASCII)
_APOSTROPHES = re.compile("['\u2019\u02bc]")
_SPELLED = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ł": "l", "þ": "th", "ð": "d", "ı": "i"})
# Names that a file cannot have on some systems, whatever its ending.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{name}{n}" for name in ("com", "lpt") for n in range(10)}  # 0 too, to be sure
)


def is_slug(text: object) -> bool:
    """Whether `text` is a slug."""
    return (
        isinstance(text, str)
        and len(text) <= MAX_SLUG_CHARS
        and _SLUG.fullmatch(text) is not None
        and text not in _DEVICES
    )


def require_slug(text: object, field: str = "slug") -> str:
    """Return `text` if it is a slug.

    Raises:
        InvalidInputError: it is none; suggests one.
    """
    if is_slug(text):
        return str(text)
    near = slug_of(text) if isinstance(text, str) and text.strip() else ""
    raise InvalidInputError(
        f"{text!r:.120} is not a slug",
        field=field,
        remedy=f"A slug is a-z, 0-9 and single hyphens, at most {MAX_SLUG_CHARS} characters"
        + (f"; for example {near!r}." if near else "."),
    )


def slug_of(title: str, *, fallback: str = "record") -> str:
    """The slug of a title; `fallback` begins the name of one without Latin letters and digits.

    `"Retry *only* idempotent calls!"` gives `retry-only-idempotent-calls`.
    """
    folded = unicodedata.normalize("NFKD", _APOSTROPHES.sub("", title.casefold()).translate(_SPELLED))
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    slug = _OTHERS.sub("-", plain).strip("-")
    if not slug:
        digest = hashlib.sha256(title.strip().encode("utf-8", "surrogatepass")).hexdigest()[:10]
        return f"{fallback}-{digest}"
    if len(slug) > MAX_SLUG_CHARS:
        head, _, _ = slug[: MAX_SLUG_CHARS + 1].rpartition("-")
        slug = (head if len(head) >= MAX_SLUG_CHARS // 2 else slug[:MAX_SLUG_CHARS]).strip("-")
    return f"{slug}-{fallback}" if slug in _DEVICES else slug


def free_slug(title: str, taken: Container[str], *, fallback: str = "record") -> str:
    """The slug of a title, with `-2`, `-3` and so on behind it where it is taken."""
    slug = slug_of(title, fallback=fallback)
    if slug not in taken:
        return slug
    for n in count(2):
        tail = f"-{n}"
        numbered = f"{slug[: MAX_SLUG_CHARS - len(tail)].rstrip('-')}{tail}"
        if numbered not in taken:
            return numbered
    raise AssertionError
