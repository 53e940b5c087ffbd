"""Versions in conditions: `once ferrule reaches 3.0`, `reaches version 3`, `ferrule 3.0 is released`."""

from __future__ import annotations

import re
from functools import cache

from memkit.model import condition_words as words

_NUMBER = r"\d{1,9}(?:\.\d{1,9}){0,5}"
_words = re.compile(
    r"version|versión|versão|release|バージョン|版|リリース|发布|發布|veröffentlicht|publi|\bv\.? ?\d|\d\.\d+\.\d",
    re.IGNORECASE,
)
_said = re.compile(r"version|versión|versão|release|バージョン|版本|\bv\.? ?$")


def version_parts(text: str) -> tuple[int, ...] | None:
    """The numbers of a version without trailing zeros (`v3.10.0` is (3, 10)), or None for anything else."""
    match = re.fullmatch(rf"[vV]?({_NUMBER})", text.strip())
    if not match:
        return None
    parts = [int(part) for part in match.group(1).split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


@cache
def _releases() -> re.Pattern[str]:
    return re.compile(
        "|".join(
            rf"(?:(?P<name{i}>.+?)(?:\s|(?=[が は達达發发]))(?P<before{i}>{before})(?P<number{i}>{_NUMBER}){after}$)"
            for i, (_, before, after) in enumerate(words.RELEASES)
        ),
        re.IGNORECASE,
    )


def read_version(lead: str, body: str) -> tuple[str, tuple[int, ...], str] | None:
    """Name, version and language of a condition on a version; None for what could be a plain number.

    A number is a version where a word says so, where it has three parts, or where it has two and the condition begins
    with "once": `once ferrule reaches 3.0`, but not `once the team reaches 12`.

    Args:
        lead: What introduced the condition, casefolded.
        body: The rest of it, on one line.
    """
    once = lead in words.ONCE or lead.rpartition(" ")[2] in words.ONCE
    if not once and not _words.search(body):
        return None
    match = _releases().match(body)
    if not match:
        return None
    i = next(i for i in range(len(words.RELEASES)) if match[f"number{i}"])
    language, _, after = words.RELEASES[i]
    number = match[f"number{i}"]
    said = _said.search(match[f"before{i}"].casefold()) or "released" in after
    if not (said or number.count(".") > 1 or (once and "." in number)):
        return None
    parts = version_parts(number)
    name = re.sub(r"(?:^|\s)version$", "", match[f"name{i}"].strip(), flags=re.IGNORECASE).rstrip("がは ")
    return (name, parts, language) if parts else None
