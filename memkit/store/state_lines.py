"""Reading the files that are only ever appended to, one JSON object a line: those of `state/`, and firings.

Damage is data: a line that cannot be read is a problem with its place, and the others count. A last line that lacks
only its newline counts, too: the next append closes it, and what counts then must count now, or a reader would see it
come to life later. Anything else behind the last newline is a write under way, or cut off, and no damage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from memkit.model import jsontext
from memkit.model.problem import Problem
from memkit.store import jsonl, look
from memkit.store.damage import DamagedSpots
from memkit.store.paths import StorePaths

T = TypeVar("T")


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
    with suppress(jsontext.JsonDamage):
        found.append(parse(jsonl.parse_object(data[data.rfind(b"\n") + 1 :])))
    return found, problems


def parse_lines(
    paths: StorePaths, file: Path, data: bytes, parse: Callable[[Mapping[str, Any]], T], *, code: str, remedy: str
) -> tuple[list[T], list[Problem]]:
    """The same of the whole lines among bytes that were read before."""
    spots = DamagedSpots(data, code=code, file=paths.relative(file), remedy=remedy)
    found: list[T] = []
    for line in jsonl.lines(data, skip=spots.skip_junk):
        try:
            found.append(parse(jsonl.parse_object(line.data)))
        except jsontext.JsonDamage as damage:
            spots.add(line, str(damage))
    return found, list(spots.problems())
