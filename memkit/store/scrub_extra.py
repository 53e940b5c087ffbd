"""A user's own kinds of secrets: regular expressions from settings, compiled with care and run against a clock."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

import regex

from memkit.errors import SettingsError
from memkit.store.scrub_marks import bare, in_mark

TIMEOUT_SECONDS = 1.0

_NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")


def compiled(name: str, pattern: str, taken: Collection[str]) -> regex.Pattern[str]:
    """The expression, ready to be searched for.

    Raises:
        SettingsError: the name is taken or cannot stand in a mark; the expression does not compile, or matches the
            empty text.
    """
    where = f"scrub.extra.{name}"
    if not _NAME.fullmatch(name):
        raise SettingsError(
            f"{name!r:.80} cannot stand in a mark",
            field=where,
            remedy="A name has 1 to 64 characters of a-z, 0-9 and dashes.",
        )
    if name in taken:
        raise SettingsError(
            f"the name {name!r} belongs to a kind that ships with memkit",
            field=where,
            remedy=f"Choose another name; to replace the shipped kind, put {name!r} into scrub.exclude as well.",
        )
    try:
        found = regex.compile(pattern)
    except (regex.error, TypeError) as error:
        raise SettingsError(
            f"the expression {pattern!r:.200} does not compile: {error}",
            field=where,
            remedy="Correct it, or take it out.",
        ) from error
    if found.fullmatch("") is not None:
        raise SettingsError(
            f"the expression {pattern!r:.200} matches the empty text",
            field=where,
            remedy="Ask for at least one character: + in place of *.",
        )
    return found


def matches(name: str, pattern: regex.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Where the expression, or its group `secret`, stands in `text`.

    Raises:
        SettingsError: the search took longer than `TIMEOUT_SECONDS`.
    """
    group: int | str = "secret" if "secret" in pattern.groupindex else 0
    try:
        for match in pattern.finditer(text, timeout=TIMEOUT_SECONDS):
            start, end = match.span(group)
            if start < end and bare(match[group]) and not in_mark(text, start):
                yield start, end
    except TimeoutError as error:
        raise SettingsError(
            f"takes longer than {TIMEOUT_SECONDS:g} s on a text of {len(text):,} characters",
            field=f"scrub.extra.{name}",
            remedy="Write it without nested or unbounded repetition.",
        ) from error
