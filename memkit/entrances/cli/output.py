"""The only module that writes to the terminal: the answer on stdout, everything else on stderr.

Nothing is parsed as markup, and control characters are written as escapes, so a stored text shows what it is instead
of steering the terminal. Colour is used for a terminal only, and never where `NO_COLOR` is set.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import math
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Protocol, TextIO

import typer

from memkit import clock
from memkit.entrances.cli.call import Call
from memkit.errors import MemkitError, MemkitWarning

SCHEMA_VERSION = 1
# C0 without tab and newline, DEL and C1, line separators of Unicode, and the marks that reorder text.
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """`text` with everything that could steer a terminal written as an escape."""
    return _STEERING.sub(_escape, text.replace("\r\n", "\n"))


def _escape(match: re.Match[str]) -> str:
    number = ord(match.group())
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}"


def styled(text: str, stream: TextIO, **style: Any) -> str:
    """`text` in colour if `stream` is a terminal that wants it."""
    wanted = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return typer.style(text, **style) if wanted else text


def text(answer: str) -> None:
    """Write an answer for people."""
    answer = plain(answer)
    sys.stdout.write(answer if answer.endswith("\n") else f"{answer}\n")


def result(value: object, *, rows: int | None = None) -> None:
    """Write a result for people, as wide as the terminal; `rows` bounds its tables, 0 lifts the bound."""
    from memkit.present import render, terminal

    width = max(40, shutil.get_terminal_size().columns) if sys.stdout.isatty() else terminal.WIDTH
    shown = render.MAX_ROWS if rows is None else rows or sys.maxsize
    text(render.text(value, width=min(width, terminal.WIDTH), rows=shown))


class Answer(Protocol):
    """What a verb answers with: shows itself, and is plain data as well."""

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        ...


def answer(call: Call, value: Answer, *, key: str = "", rows: int | None = None) -> None:
    """Write an answer the way it was asked for: as a document, under `key` if one is given, or for people."""
    if call.json:
        document({key: value.to_dict()} if key else value.to_dict())
    else:
        result(value, rows=rows)


def headline(words: str, *, good: bool) -> None:
    """Write the first line of an answer, in colour on a terminal."""
    sys.stdout.write(styled(plain(words), sys.stdout, bold=True, fg="green" if good else "yellow") + "\n")


def document(answer: Mapping[str, Any]) -> None:
    """Write an answer for programs: one JSON document, on one line unless a terminal reads it."""
    whole = {"schema_version": SCHEMA_VERSION, **answer}
    indent = 2 if sys.stdout.isatty() else None
    encoding = (sys.stdout.encoding or "").lower().replace("_", "-")
    ascii_only = encoding not in {"utf-8", "utf8"}
    line = json.dumps(jsonable(whole), ensure_ascii=ascii_only, allow_nan=False, indent=indent)
    # Outside its strings, JSON has none of these characters but the newlines of the indent.
    sys.stdout.write(_STEERING.sub(lambda match: f"\\u{ord(match.group()):04x}", line) + "\n")


def jsonable(value: Any) -> Any:
    """`value` as plain JSON data: times in ISO 8601, NaN and infinities as null, what JSON has no form for as text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else jsonable(float(value))
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).hex()
    if isinstance(value, dt.datetime):
        return clock.iso(value) if value.tzinfo else value.isoformat()
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [jsonable(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(jsonable(item) for item in value)
    return str(value)


def _aside(label: str, words: str, colour: str) -> None:
    prefix = styled(f"memkit: {label}" if label else "memkit:", sys.stderr, fg=colour, bold=True)
    sys.stderr.write(f"{prefix} {plain(words)}\n")


def note(call: Call, words: str) -> None:
    """Say something beside the answer; `-q` leaves it out."""
    if not call.quiet:
        _aside("", words, "cyan")


def warn(call: Call, words: str) -> None:
    """Say something a person should know; `-q` leaves it out."""
    if not call.quiet:
        _aside("warning:", words, "yellow")


def failure(call: Call, error: MemkitError) -> None:
    """Say what was refused: a sentence on stderr, and with `--json` the same as data on stdout."""
    if call.json:
        document({"error": error.to_dict()})
    notes = [f"({note})" for note in getattr(error, "__notes__", ())]
    _aside("error:", " ".join([str(error), *notes]), "red")


@contextmanager
def progress(call: Call, words: str) -> Iterator[Callable[[int], None] | None]:
    """A counter on stderr while something long goes on; none where no person watches, and none with `-q`."""
    if call.quiet or not sys.stderr.isatty():
        yield None
        return
    from tqdm import tqdm

    with tqdm(desc=words, unit=" items", file=sys.stderr, leave=False, delay=0.5) as bar:
        yield bar.update


class LogLines(logging.Handler):
    """memkit's log lines on stderr, as long as one verb runs."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self._call = call

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        label = "" if record.levelno <= logging.INFO else f"{record.levelname.lower()}:"
        _aside(label, record.getMessage(), "yellow" if record.levelno >= logging.WARNING else "cyan")


def warning_lines(call: Call, otherwise: Callable[..., None]) -> Callable[..., None]:
    """A `warnings.showwarning` that writes memkit's own warnings as one line each."""

    def show(message: Any, category: type[Warning], *rest: Any, **options: Any) -> None:
        if issubclass(category, MemkitWarning):
            warn(call, str(message))
        else:
            otherwise(message, category, *rest, **options)

    return show


def is_interactive() -> bool:
    """Whether a person at a terminal can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str) -> str:
    """Ask a person for one line, on stderr; the end of the input is an empty answer."""
    sys.stderr.write(plain(question))
    sys.stderr.flush()
    return sys.stdin.readline().strip()
