"""Front matter as its author wrote it: every scalar stays text, so that `1.10`, `yes` and a date keep their form.

YAML 1.2 is composed to nodes and turned into plain data here, because a loader that guesses types loses what was
written. Repeated keys are reported and the first is kept; size, depth and aliases are bounded before anything is
expanded; what is not YAML is read line by line as `key: value`, with a note.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memkit.model import yaml_nodes
from memkit.model.links import fold
from memkit.model.yaml_nodes import MAX_CHARS, YamlDamage, first_line

_KEY_LINE = re.compile(
    r"(?P<key>[\"']?[^\s:#\-{}\[\]\"'][^:{}\[\]]{0,60}?[\"']?)[ \t]*:(?:[ \t]+(?P<value>.*)|[ \t]*)$"
)
_ITEM_LINE = re.compile(r"[ \t]*-[ \t]+(?P<value>.*)$")
_COMMENT = re.compile(r"(?:^|[ \t])#.*$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """Front matter, read.

    Attributes:
        values: Key as written -> text, list or mapping of texts.
        raw: Key as written -> the value's source text.
        notes: What was odd about it.
    """

    values: Mapping[str, Any] = field(default_factory=dict)
    raw: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def find(self, *keys: str) -> Iterator[tuple[str, Any]]:
        """Keys and values whose folded key is one of `keys`, in the order of `keys`; empty values left out."""
        folded = {fold_key(key): key for key in reversed(list(self.values))}
        for key in keys:
            if key in folded and flat(self.values[folded[key]]):
                yield folded[key], self.values[folded[key]]


def fold_key(key: str) -> str:
    """`superseded_by`, `supersededBy` and `Superseded By` are the same key: `superseded-by`."""
    return fold(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", key))


def flat(value: object) -> str:
    """A value as one text: items joined by a comma; a flow mapping without values (`{ accepted }`) is its keys."""
    return ", ".join(texts(value))


def texts(value: object) -> list[str]:
    """A value as texts: a list's items; of a mapping its keys, each with its value behind a colon where it has one."""
    if isinstance(value, str):
        return [value.strip()] if value.strip() else []
    if isinstance(value, Mapping):
        found = []
        for key, item in value.items():
            inner = flat(item)
            found.append(f"{key}: {inner}" if inner else str(key))
        return found
    if isinstance(value, (list, tuple)):
        return [text for item in value for text in texts(item)]
    return [str(value)]


def read_front_matter(text: str) -> FrontMatter:
    """Read front matter, YAML or (where every line reads `key = value`) TOML. Never raises."""
    if len(text) > MAX_CHARS:
        return FrontMatter({}, {}, (f"front matter of {len(text):,} characters is not read (at most {MAX_CHARS:,})",))
    if not text.strip():
        return FrontMatter()
    if re.search(r"^\s*[\w.\"-]+\s*=", text, re.MULTILINE) and not re.search(r"^[\w-]+:", text, re.MULTILINE):
        return _toml(text)
    try:
        node = yaml_nodes.compose(text.replace("\t", "  "))
        if node is None:
            return FrontMatter()
        reader = _AsWritten(text)
        values = reader.mapping(node, 0)
    except YamlDamage as damage:
        return _by_line(text, f"front matter: {damage}; read line by line")
    return FrontMatter(values, reader.raw, tuple(reader.notes))


class _AsWritten(yaml_nodes.Nodes):
    """Every scalar as text; of keys that stand twice the first is kept, with a note."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.raw: dict[str, str] = {}
        self.notes: list[str] = []

    def mapping(self, node: Any, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = flat(self.value(key_node, depth + 1))
            value = self.value(value_node, depth + 1)
            if key in found:
                self.notes.append(f"front matter repeats the key {key!r}; the first is kept")
                continue
            found[key] = value
            if depth == 0:
                self.raw[key] = self.text[value_node.start_mark.index : value_node.end_mark.index].strip()
        return found


def _by_line(text: str, note: str) -> FrontMatter:
    values: dict[str, Any] = {}
    notes = [note]
    key = ""
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        item = _ITEM_LINE.match(line)
        match = _KEY_LINE.match(line) if not line[0].isspace() else None
        if match:
            key = match["key"].strip("\"' ")
            if key in values:
                notes.append(f"front matter repeats the key {key!r}; the first is kept")
                key = ""
                continue
            values[key] = _unquoted(match["value"] or "")
        elif item and key:
            held = values[key]
            values[key] = [*(held if isinstance(held, list) else [held] if held else []), _unquoted(item["value"])]
        elif key and isinstance(values[key], str):
            values[key] = f"{values[key]} {line.strip()}".strip()
    return FrontMatter(values, {k: flat(v) for k, v in values.items()}, tuple(notes))


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        return value[1:-1]
    return _COMMENT.sub("", value).strip()


def _toml(text: str) -> FrontMatter:
    try:
        values = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        return FrontMatter({}, {}, (f"front matter is not valid TOML ({first_line(error)})",))
    plain = {key: _as_text(value) for key, value in values.items()}
    return FrontMatter(plain, {key: flat(value) for key, value in plain.items()})


def _as_text(value: object) -> Any:
    if isinstance(value, dict):
        return {str(key): _as_text(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_text(item) for item in value]
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
