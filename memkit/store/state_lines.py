"""Reading the files that are only ever appended to, one JSON object a line: those of `state/`, and firings.

Damage is data: a line that cannot be read is a problem with its place, and the others count. A last line that lacks
only its newline counts, too: the next append closes it, and what counts then must count now, or a reader would see it
come to life later. Anything else behind the last newline is a write under way, or cut off, and no damage.

A line of a newer schema is no damage either: it is left where it is, and named, so that whoever decides by the file can
refuse to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, TypeVar

from memkit.model import jsontext
from memkit.model.problem import Problem
from memkit.store import jsonl, look
from memkit.store.damage import DamagedSpots
from memkit.store.paths import StorePaths

T = TypeVar("T")
SCHEMA_VERSION: Final = 1
NEWER: Final = "newer-line"
"""The code of the problem that a line was written by a newer memkit."""


def read_lines(
    paths: StorePaths, file: Path, parse: Callable[[Mapping[str, Any]], T], *, code: str, remedy: str
) -> tuple[list[T], list[Problem]]:
    """What the lines of a file say, in order, and the damaged ones among them.

    Args:
        paths: Of the store.
        file: Which; a missing one has no lines.
        parse: Makes sense of a line's object, or raises `JsonDamage`.
        code: Of the problems.
        remedy: What to do about them.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    data = look.read_bytes(file) or b""
    found, problems = parse_lines(paths, file, data, parse, code=code, remedy=remedy)
    rest = data[data.rfind(b"\n") + 1 :]
    with suppress(jsontext.JsonDamage):
        raw = jsonl.parse_object(rest)
        if is_newer(raw):
            spots = _newer_spots(paths, file, data)
            spots.add(jsonl.RawLine(len(data) - len(rest), len(data), rest), _newer(raw))
            return found, [*problems, *spots.problems()]
        found.append(parse(raw))
    return found, problems


def is_newer(raw: Mapping[str, Any]) -> bool:
    """Whether a line's object says that a newer memkit wrote it."""
    version = raw.get("schemaVersion")
    return isinstance(version, int) and not isinstance(version, bool) and version > SCHEMA_VERSION


def _newer(raw: Mapping[str, Any]) -> str:
    return f"schema version {raw['schemaVersion']} is newer than {SCHEMA_VERSION}, which this memkit reads"


def _newer_spots(paths: StorePaths, file: Path, data: bytes) -> DamagedSpots:
    remedy = "Upgrade memkit to read it; it is left alone."
    return DamagedSpots(data, code=NEWER, file=paths.relative(file), remedy=remedy)


def parse_lines(
    paths: StorePaths, file: Path, data: bytes, parse: Callable[[Mapping[str, Any]], T], *, code: str, remedy: str
) -> tuple[list[T], list[Problem]]:
    """The same of the whole lines among bytes that were read before."""
    spots = DamagedSpots(data, code=code, file=paths.relative(file), remedy=remedy)
    newer = _newer_spots(paths, file, data)
    found: list[T] = []
    for line in jsonl.lines(data, skip=spots.skip_junk):
        try:
            raw = jsonl.parse_object(line.data)
            if is_newer(raw):
                newer.add(line, _newer(raw))
            else:
                found.append(parse(raw))
        except jsontext.JsonDamage as damage:
            spots.add(line, str(damage))
    return found, [*spots.problems(), *newer.problems()]
