"""Bytes of a document become text: byte order marks, UTF-8, and what older editors wrote."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Controls no editor writes into a text: everything below the space but tab, line feed, form feed, return, escape.
_CONTROLS = bytes(set(range(32)) - {0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x1B})
_BEYOND_ASCII = bytes(range(0x7F, 0x100))


class NotText(ValueError):  # noqa: N818 - a finding about bytes, carried as data
    """The bytes are no text; the message says why."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded document.

    Attributes:
        text: Its text without byte order mark, line ends as they were.
        notes: What was odd about the bytes.
    """

    text: str
    notes: tuple[str, ...] = ()


def decode(data: bytes) -> Decoded:
    """Decode a document.

    Raises:
        NotText: the bytes are binary, or break the encoding their byte order mark announces.
    """
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            try:
                text = data[len(mark) :].decode(encoding)
            except UnicodeDecodeError as error:
                raise NotText(f"announces {encoding} and is not at byte {error.start + len(mark)}") from error
            if "\x00" in text:
                raise NotText("binary: holds NUL characters")
            return Decoded(text, (f"starts with a byte order mark ({encoding})",))
    if b"\x00" in data:
        raise NotText(f"binary: a NUL byte at {data.index(0)}")
    try:
        return Decoded(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        where = error.start
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls * 200 > len(data):
        raise NotText(f"binary: not UTF-8 at byte {where}, and {controls} control bytes")
    plain = len(data.translate(None, _BEYOND_ASCII))
    if plain * 4 < len(data) * 3:
        raise NotText(f"not UTF-8 at byte {where}, and too little ASCII for Windows-1252; convert it to UTF-8")
    try:
        return Decoded(data.decode("cp1252"), (f"not UTF-8 at byte {where}; read as Windows-1252",))
    except UnicodeDecodeError:
        return Decoded(data.decode("latin-1"), (f"neither UTF-8 nor Windows-1252 at byte {where}; read as Latin-1",))
