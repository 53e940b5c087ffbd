"""A first look at one file, enough to say which tool wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from memkit.importers import databases
from memkit.importers.adr.front_matter import FrontMatter
from memkit.importers.adr.text import NotText, decode
from memkit.importers.files import Unreadable
from memkit.importers.note import split_front
from memkit.importers.streams import open_stream
from memkit.model import jsontext
from memkit.store.jsonl import BOM, glued_objects

MARKDOWN: Final = frozenset({".md", ".markdown", ".mdx", ".mdown", ".mkd"})
JSON: Final = frozenset({".json", ".jsonl", ".ndjson"})
MAX_ROWS: Final = 50
_WHOLE: Final = 4 * 1024 * 1024


@dataclass(frozen=True)
class Look:
    """What a first look at a file shows.

    Attributes:
        path: The file.
        scratch: A private folder, for a copy of a database.
        head: Its first bytes.
        size: All of its bytes.
        problem: Why it cannot be read, or "".
    """

    path: Path
    scratch: Path | None
    head: bytes = b""
    size: int = 0
    problem: str = ""

    @property
    def ending(self) -> str:
        """Its ending in lower case, with the dot."""
        return self.path.suffix.lower()

    @cached_property
    def tables(self) -> Mapping[str, frozenset[str]]:
        """Of a SQLite database, the columns of each table; empty for anything else."""
        if not self.head.startswith(databases.MAGIC):
            return {}
        try:
            with databases.open_copy(self.path, self.scratch) as connection:
                return databases.tables(connection)
        except (Unreadable, databases.Damaged):
            return {}

    @cached_property
    def rows(self) -> tuple[dict[str, Any], ...]:
        """Of JSON, its first objects: lines, items of a list, or the document itself; a long document has none."""
        if self.ending not in JSON and self.head.lstrip()[:1] not in (b"{", b"["):
            return ()
        whole = self._whole
        if isinstance(whole, dict):
            return (whole,)
        if isinstance(whole, list):
            return tuple(item for item in whole[:MAX_ROWS] if isinstance(item, dict))
        found: list[dict[str, Any]] = []
        for line in self.head.removeprefix(BOM).split(b"\n")[:MAX_ROWS]:
            for part in glued_objects(line.strip()) if line.strip() else ():
                try:
                    value = jsontext.loads(part)
                except jsontext.JsonDamage:
                    continue
                if isinstance(value, dict):
                    found.append(value)
        return tuple(found)

    @cached_property
    def _whole(self) -> Any:
        if self.size > _WHOLE:
            return None
        try:
            with open_stream(self.path) as stream:
                return jsontext.loads(b"".join(stream.chunks()))
        except (Unreadable, jsontext.JsonDamage):
            return None

    @cached_property
    def text(self) -> str:
        """Of a text, its beginning; "" for anything else."""
        try:
            return decode(self.head).text
        except NotText:
            cut = self.head.rfind(b"\n")
            try:
                return decode(self.head[: cut + 1]).text if cut > 0 else ""
            except NotText:
                return ""

    @cached_property
    def front(self) -> FrontMatter:
        """Of Markdown, its front matter."""
        return split_front(self.text)[0] if self.ending in MARKDOWN else FrontMatter()

    def has_keys(self, *keys: str) -> int:
        """How many of the first objects have all of these keys."""
        return sum(all(key in row for key in keys) for row in self.rows)

    def has_table(self, name: str, *columns: str) -> bool:
        """Whether the database has this table with these columns."""
        return name in self.tables and self.tables[name] >= set(columns)

    def mentions(self, *keys: str) -> bool:
        """Whether all of these keys stand in the beginning of a JSON file, whole or not."""
        return self.ending in JSON and all(f'"{key}"'.encode() in self.head for key in keys)


def look_at(path: Path, scratch: Path | None) -> Look:
    """Look at a file."""
    try:
        with open_stream(path) as stream:
            return Look(path, scratch, stream.head(), stream.size)
    except Unreadable as error:
        return Look(path, scratch, problem=str(error))
