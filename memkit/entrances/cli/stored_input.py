"""Reading what `memkit store` is given: JSON from a file or from stdin, in one of two shapes.

Either an object with `question` and `result` (and `panel_id`, `tags`, `stored_at` if wanted), or a bare result that
carries its own `question`, such as a ConsensusResult. A list holds several of them. What is wrong with a value is said
by Memory; here only the shape is read.
"""

from __future__ import annotations

import datetime as dt
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memkit.errors import ImportSourceError, InvalidInputError, UsageError
from memkit.model import jsontext
from memkit.model.entry import MAX_ENTRY_BYTES

STDIN = "-"
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def read_new_entries(source: str, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The entries of a JSON document as keyword arguments of `Memory.store`.

    Args:
        source: A file, or `-` for stdin.
        given: Values from options; they fill in what is absent and win over what is there.

    Raises:
        UsageError: there is nothing to read.
        ImportSourceError: the file cannot be read.
        InvalidInputError: the bytes are not JSON, or not of one of the two shapes.
    """
    name, data = _bytes_of(source)
    if not data.strip():
        raise UsageError("there is nothing to store", field=name, remedy="Pipe JSON into memkit store, or name a file.")
    try:
        value = jsontext.loads(data)
    except jsontext.JsonDamage as damage:
        raise InvalidInputError(
            str(damage), file=name, field="JSON",
            remedy="Write one JSON object, or a list of them: UTF-8, finite numbers, at most 64 levels deep.",
        ) from damage  # fmt: skip
    items = value if isinstance(value, list) else [value]
    if not items:
        raise UsageError("there is nothing to store", field=name, remedy="The list is empty.")
    return [_entry_of(item, given, f"{name}[{i}]" if isinstance(value, list) else name) for i, item in enumerate(items)]


def _bytes_of(source: str) -> tuple[str, bytes]:
    limit = MAX_ENTRY_BYTES * 4
    if source == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "no file was named", field="FILE", remedy="Name a JSON file, or pipe JSON into memkit store."
            )
        return "stdin", sys.stdin.buffer.read(limit)
    try:
        with Path(source).open("rb") as file:
            return source, file.read(limit)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ImportSourceError(f"cannot be read ({reason})", file=source, remedy="Name a JSON file.") from error


def _entry_of(item: Any, given: Mapping[str, Any], name: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise InvalidInputError(
            f"a JSON object was expected, found {type(item).__name__}",
            file=name,
            remedy='Write {"question": "...", "result": {...}}.',
        )
    others = set(item) - {"question", "panel_id", "tags", "stored_at"}
    if others == {"result"} and not isinstance(item["result"], dict):
        raise InvalidInputError(
            f"a JSON object was expected, found {type(item['result']).__name__}", file=name, field="result",
            remedy='Write {"question": "...", "result": {"conclusion": "..."}}.',
        )  # fmt: skip
    if not others:
        raise InvalidInputError("there is no result", file=name, field="result", remedy="Add what was answered.")
    entry = dict(item) if isinstance(item.get("result"), dict) else {"question": item.get("question"), "result": item}
    entry.update({key: value for key, value in given.items() if value})
    if entry.get("question") is None:
        raise InvalidInputError(
            "has no question", file=name, field="question", remedy="Add one to the JSON, or say --question."
        )
    stored_at = entry.get("stored_at")
    if isinstance(stored_at, str):
        try:
            moment = dt.datetime.fromisoformat(stored_at.strip())
        except ValueError as error:
            raise InvalidInputError(
                f"{stored_at!r:.80} is not a time", file=name, field="stored_at",
                remedy="Write ISO 8601, such as 2026-05-01T12:00:00Z.",
            ) from error  # fmt: skip
        if moment.tzinfo is None and _DAY.fullmatch(stored_at.strip()):
            moment = moment.replace(tzinfo=dt.UTC)  # a day is a day in UTC, as everywhere in memkit
        if moment.tzinfo is None:
            raise InvalidInputError(
                f"{stored_at!r:.80} has no time zone", file=name, field="stored_at",
                remedy="Add one, such as Z for UTC: 2026-05-01T12:00:00Z.",
            )  # fmt: skip
        entry["stored_at"] = moment
    return entry
