"""Reading files of lines with damage as data.

Lines end at the byte `\\n` and nowhere else. Each line is decoded strictly and parsed by itself, so one damaged line
costs itself. Two objects glued on one line are both recovered. Bytes after the last newline are pending: somebody may
be writing them, so they are neither read nor called damage here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memkit.model import jsontext

MAX_LINE_BYTES = 1_000_000
BOM = b"\xef\xbb\xbf"
BLANK = re.compile(rb"(?:[ \t\r\x0b\x0c]*+\n)++")


@dataclass(frozen=True, slots=True)
class RawLine:
    """One line of a file: `data` without its newline stands at bytes `start` to `end` (the newline included)."""

    start: int
    end: int
    data: bytes


def lines(data: bytes, offset: int = 0, skip: Callable[[int], int] | None = None) -> Iterator[RawLine]:
    """The non-empty whole lines of `data`, which begins at byte `offset` of its file.

    A carriage return before the newline and a byte order mark at the start of the file are left out. `skip` is asked
    at the beginning of each line where reading is to go on.
    """
    position = 0
    while True:
        if skip is not None:
            position = skip(position)
        newline = data.find(b"\n", position)
        if newline < 0:
            return
        raw = data[position:newline]
        if offset + position == 0 and raw.startswith(BOM):
            raw = raw[len(BOM) :]
        raw = raw.removesuffix(b"\r")
        if raw and not raw.isspace():
            yield RawLine(offset + position, offset + newline + 1, raw)
            position = newline + 1
        else:
            blank = BLANK.match(data, position)
            position = blank.end() if blank else newline + 1


def glued_objects(data: bytes) -> Iterator[bytes]:
    """The JSON objects standing one behind another on a line, each as its own bytes; stops at the first damage.

    A plain line gives itself, unparsed.
    """
    if b"}{" not in data and b"} {" not in data:
        yield data
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        yield data
        return
    decoder = json.JSONDecoder()
    position = 0
    while position < len(text):
        if text[position] in " \t":
            position += 1
            continue
        try:
            _, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            break
        yield text[position:end].encode("utf-8", "surrogatepass")
        position = end
    if position < len(text):
        yield text[position:].encode("utf-8", "surrogatepass")


def parse_object(data: bytes) -> dict[str, jsontext.Json]:
    """One line as an object.

    Raises:
        JsonDamage: too long, or not a JSON object.
    """
    if len(data) > MAX_LINE_BYTES:
        raise jsontext.JsonDamage(f"the line has {len(data):,} bytes, at most {MAX_LINE_BYTES:,} are read")
    return jsontext.loads_object(data)
