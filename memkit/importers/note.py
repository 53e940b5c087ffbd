"""Notes in Markdown, taken apart for the kinds that read them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from memkit.importers.adr.front_matter import FrontMatter, read_front_matter
from memkit.importers.adr.text import NotText, decode
from memkit.importers.draft import Draft
from memkit.importers.item import refused

MAX_BYTES: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Note:
    """A note.

    Attributes:
        name: What `source.path` will be.
        sha256: Of its bytes.
        front: Its front matter.
        body: Its text below that, as it was written.
        heading: Its first heading of the first level, or "".
        notes: What was odd about it.
    """

    name: str
    sha256: str
    front: FrontMatter
    body: str
    heading: str
    notes: tuple[str, ...] = ()


def read_note(name: str, data: bytes) -> Note | Draft:
    """A note, or the account of why these bytes are none."""
    if not data.strip():
        return refused(name, "the file is empty", fate="skipped")
    try:
        decoded = decode(data)
    except NotText as error:
        return refused(name, str(error), data)
    text = decoded.text.replace("\r\n", "\n")
    front, body = split_front(text)
    heading = next((line[2:].strip() for line in body.split("\n") if line.startswith("# ")), "")
    notes = (*decoded.notes, *front.notes)
    return Note(name, hashlib.sha256(data).hexdigest(), front, body.strip("\n"), heading, notes)


def split_front(text: str) -> tuple[FrontMatter, str]:
    """Front matter and the text below it; a text without any is all below."""
    lines = text.split("\n")
    if lines[0].strip() != "---":
        return FrontMatter(), text
    end = next((at for at, line in enumerate(lines[1:], start=1) if line.strip() in ("---", "...")), None)
    if end is None:
        return FrontMatter(), text
    return read_front_matter("\n".join(lines[1:end])), "\n".join(lines[end + 1 :])
