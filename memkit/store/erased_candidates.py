"""Erasing candidates: those that name an entry or quote it leave `staging/` and `deadletter/`, and the ledger says so.

The ledger's line comes first, durably, and the file is written anew after it: whoever carries on after a crash finds
the candidate still there and its line already written, and writes no second one. A candidate that is erased so is
settled for good: it is not staged again, and no run makes a record of it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memkit.model import jsontext
from memkit.model.candidate import CATEGORIES, key_of
from memkit.model.ledger import STAYING, Ledger, LedgerLine
from memkit.store import deadletters, extraction, ledger, look, staging
from memkit.store.candidate_files import ENDING, is_named_for, name_of, read_item
from memkit.store.paths import StorePaths

Goes = Callable[[jsontext.Json], bool]


@dataclass(frozen=True, slots=True)
class Going:
    """What leaves one file.

    Attributes:
        file: Which.
        what: `file` where all of it goes unread, else `candidates`.
        n: How many.
        kept: The document without them; None where the file goes.
        lives: Of the candidates that leave: key, session, category and digest.
    """

    file: Path
    what: str
    n: int
    kept: dict[str, Any] | None
    lives: tuple[tuple[str, str, str, str], ...]


def going(paths: StorePaths, file: Path, goes: Goes, in_damage: Callable[[bytes], bool]) -> Going | None:
    """What leaves one file, or None where nothing does.

    Args:
        paths: Of the store.
        file: In `staging/` or `deadletter/`.
        goes: Says of a candidate's JSON, or of a dead letter's, whether it goes.
        in_damage: Says it of bytes nobody can parse.
    """
    data = look.read_bytes(file) or b""
    try:
        document = jsontext.loads_object(data)
    except jsontext.JsonDamage:
        return Going(file, "file", 1, None, tuple(_lost_with(paths, file))) if in_damage(data) else None
    staged = document.get("candidates")
    if not isinstance(staged, dict):
        if not goes(document):
            return None
        items = [(str(document.get("category")), document.get("candidate"))]
        return Going(file, "file", 1, None, tuple(_lives(paths, file, document, items)))
    left: dict[str, Any] = {}
    gone: list[tuple[str, jsontext.Json]] = []
    for category, items in staged.items():
        left[category] = items
        if isinstance(items, list):
            left[category] = [item for item in items if not goes(item)]
            gone += [(category, item) for item in items if goes(item)]
    if not gone:
        return None
    kept = {**document, "candidates": left} if any(left.values()) else None
    return Going(file, "candidates", len(gone), kept, tuple(_lives(paths, file, document, gone)))


def _lives(
    paths: StorePaths, file: Path, document: dict[str, Any], items: Iterable[tuple[str, jsontext.Json]]
) -> Iterator[tuple[str, str, str, str]]:
    session_id = document.get("session_id")
    if not isinstance(session_id, str) or not session_id.strip():
        yield from _lost_with(paths, file)
        return
    for category, raw in items:
        known = next((each for each in CATEGORIES if each == category), None)
        if known is not None:
            yield (*name_of(session_id, item := read_item(known, raw)), session_id, item.category)


def _lost_with(paths: StorePaths, file: Path) -> Iterator[tuple[str, str, str, str]]:
    """The candidates that only a file nobody can parse can hold: those of its session that stand in no other."""
    name = file.name.removesuffix(ENDING)
    elsewhere = {
        name_of(each.session_id, item)[0]
        for each in staging.read_all(paths)[0]
        for item in each.items
        if each.name != file.name or file.parent != paths.staging
    } | {name_of(each.session_id, each.candidate)[0] for each in deadletters.read_letters(paths)[0]}
    lives = Ledger.of(ledger.read(paths)[0]).lives
    for life in lives.values():
        waits = life.fate == "dead_lettered" if file.parent == paths.deadletter else life.fate in {None, *STAYING}
        if waits and life.key not in elsewhere and is_named_for(name, life.session_id):
            yield life.key, life.digest, life.session_id, life.category
    if file.parent == paths.staging:
        for done in extraction.read(paths)[0]:
            for digest in done.digests:
                key = key_of(done.session_id, digest)
                if key not in lives and key not in elsewhere and is_named_for(name, done.session_id):
                    yield key, digest, done.session_id, ""


def settle(
    paths: StorePaths, lives: Iterable[tuple[str, str, str, str]], *, at: dt.datetime, hides: Callable[[str], bool]
) -> None:
    """Say in the ledger, durably, that candidates were erased; nothing where it says so already.

    The index lock is held, and the canonical-writer lock as well.

    Args:
        paths: Of the store.
        lives: See `Going.lives`.
        at: When they were erased.
        hides: Says of a session's id whether it must not be told.

    Raises:
        StoreError: the disk or a permission stood in the way.
    """
    wanted = list(dict.fromkeys(lives))
    if not wanted:
        return
    known = Ledger.of(ledger.read(paths)[0]).lives
    ledger.append_held(
        paths,
        [
            LedgerLine("fate", at, "", key, "" if hides(session) else session, category, digest, fate="erased")
            for key, digest, session, category in wanted
            if key not in known or known[key].fate != "erased"
        ],
    )
