"""Front matter of a record: YAML 1.2 read as data, and changed in place.

Reading. Only what the YAML 1.2 core schema calls so is a number, a truth value or null, and a number only where it is
written as memkit would write it: `yes`, `1.10`, `0123` and dates stay the text they are. Repeated keys, aliases that
expand without end and deep nesting are damage. What memkit itself writes is read by a short path of its own, which
takes one hundredth of the time; both paths give the same (tests compare them).

Writing. A change touches the lines of the keys it changes and no others: comments, order, quotes, unknown keys and line
ends stay as their author wrote them. Text that another YAML reader, of version 1.1 too, could take for something else
is quoted.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memkit import clock
from memkit.model import yaml_nodes
from memkit.model.yaml_nodes import MAX_CHARS, YamlDamage

_FENCE = re.compile(r"---[ \t]*(?:\r?\n|$)")
_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
# Plain text without anything that could mean more to a YAML reader; it ends in no space, colon or hash.
_PLAIN = r"[^\W_](?:[\w./+()-]|[ ](?=[\w(])|[:#](?=\w))*+"
_KEY = r"[a-z][a-z0-9_]{0,63}"
_SAFE = re.compile(_PLAIN)
_SHORT = re.compile(
    rf'(?P<key>{_KEY}):(?: (?:(?P<plain>{_PLAIN})|(?P<quoted>"(?:[^"\\\x00-\x1f]|\\["\\nt])*+")|(?P<none>\[\])))?'
    rf'|  - (?:(?P<item>{_PLAIN})|(?P<quoted_item>"(?:[^"\\\x00-\x1f]|\\["\\nt])*+"))'
)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})", re.ASCII)
_FRACTION = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]{1,17}", re.ASCII)
_CONSTANTS: Final[Mapping[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# Words that a reader of YAML 1.1 takes for a truth value or a number, in any letter case.
_TRAPS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_UNPRINTED = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


# This front matter cannot be read as a mapping; the message says why, with the line where one is known.
FrontMatterDamage = YamlDamage


@dataclass(frozen=True, slots=True)
class Page:
    """A Markdown file, cut into its parts; the parts joined are the file.

    Attributes:
        head: The line that opens the front matter, "" where there is none.
        front: Its lines.
        tail: The line that closes it, with its line end.
        body: What follows.
        newline: The line end in use.
    """

    head: str
    front: str
    tail: str
    body: str
    newline: str = "\n"


def cut(text: str) -> Page:
    """Cut a file's text (without a byte order mark) into front matter and body.

    Raises:
        FrontMatterDamage: front matter begins and never ends, or is too long.
    """
    opened = _FENCE.match(text)
    if opened is None:
        return Page("", "", "", text, "\r\n" if "\r\n" in text[:10_000] else "\n")
    closed = _CLOSE.search(text, opened.end())
    if closed is None:
        raise FrontMatterDamage("the front matter is not closed by a line of three hyphens")
    if closed.start() - opened.end() > MAX_CHARS:
        raise FrontMatterDamage(
            f"the front matter has {closed.start() - opened.end():,} characters, {MAX_CHARS:,} are read"
        )
    end = min(closed.end() + 1, len(text))
    newline = "\r\n" if opened[0].endswith("\r\n") else "\n"
    return Page(opened[0], text[opened.end() : closed.start()], text[closed.start() : end], text[end:], newline)


def read(front: str) -> dict[str, Any]:
    """The keys and values of front matter: texts, whole and decimal numbers, truth values, None, lists, mappings.

    Raises:
        FrontMatterDamage: it is not a YAML mapping.
    """
    short = _read_short(front)
    if short is not None and front.isascii():
        return short  # it has no numbers but those, and no half characters
    found = short if short is not None else read_yaml(front)
    try:
        json.dumps(found, ensure_ascii=False, default=str, allow_nan=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise FrontMatterDamage("a text holds half a character (an unpaired surrogate)") from error
    except ValueError as error:
        raise FrontMatterDamage("a number is none or endless") from error
    return found


def _read_short(front: str) -> dict[str, Any] | None:
    """Front matter in the form memkit writes it; None where anything is written otherwise."""
    found: dict[str, Any] = {}
    key = ""
    items: list[Any] | None = None
    for line in front.split("\n"):
        match = _SHORT.fullmatch(line)
        if match is None:
            if line:
                return None
            continue
        kind = match.lastgroup
        if kind in {"item", "quoted_item"}:
            if items is None:
                return None
            items.append(_resolved(match[kind]) if kind == "item" else json.loads(match[kind]))
            found[key] = items
            continue
        key = match["key"]
        if key in found:
            return None
        items = None
        if kind == "key":
            items, found[key] = [], None
        else:
            found[key] = (
                _resolved(match["plain"])
                if kind == "plain"
                else json.loads(match["quoted"])
                if kind == "quoted"
                else []
            )
    return found


def _resolved(plain: str) -> Any:
    """What a plain scalar is: a constant, a number written as memkit writes it, else the text itself."""
    if plain in _CONSTANTS:
        return _CONSTANTS[plain]
    if _NUMBER.fullmatch(plain) and plain != "-0":
        return int(plain)
    if _FRACTION.fullmatch(plain) and repr(float(plain)) == plain:
        return float(plain)
    return plain


def read_yaml(front: str) -> dict[str, Any]:
    """The same by the YAML library, whatever the style.

    Raises:
        FrontMatterDamage: it is not a YAML mapping.
    """
    root = yaml_nodes.compose(front)
    return {} if root is None else _Typed().mapping(root, 0)


class _Typed(yaml_nodes.Nodes):
    """Scalars as the core schema types them; a key that stands twice is damage."""

    def scalar(self, node: Any) -> Any:
        is_plain = node.style in {None, ""} and str(node.tag).startswith("tag:yaml.org,2002:")
        return _resolved(str(node.value)) if is_plain else str(node.value)

    def mapping(self, node: Any, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node.value, str):
                raise FrontMatterDamage(f"a key is no text, line {key_node.start_mark.line + 1}")
            key = key_node.value
            if key in found:
                raise FrontMatterDamage(f"the key {key!r:.60} stands twice, line {key_node.start_mark.line + 1}")
            found[key] = self.value(value_node, depth + 1)
        return found


# -- writing ------------------------------------------------------------------------------------------------------


def write(values: Mapping[str, Any], newline: str = "\n") -> str:
    """Front matter lines for these keys and values, in their order."""
    return "".join(_lines(key, value, newline) for key, value in values.items())


def change(front: str, changes: Mapping[str, Any], newline: str = "\n") -> str:
    """`front` with some keys set to other values; a value of None takes the key away, a new key goes to the end.

    Lines of other keys, and comments, are not touched.

    Raises:
        FrontMatterDamage: `front` is not a YAML mapping.
    """
    if newline == "\n" and _read_short(front) is not None:
        return _change_short(front, changes)
    root = yaml_nodes.compose(front)
    if root is not None and root.flow_style:
        kept = {key: value for key, value in read_yaml(front).items() if key not in changes}
        return write({**kept, **{key: value for key, value in changes.items() if value is not None}}, newline)
    places: dict[str, tuple[Any, Any, int]] = {}
    pairs = [] if root is None else root.value
    starts = [pair[0].start_mark.index for pair in pairs]
    for (key_node, value_node), end in zip(pairs, [*starts[1:], len(front)], strict=True):
        places[str(key_node.value)] = (key_node, value_node, end)
    edits: list[tuple[int, int, str]] = []
    added = ""
    for key, value in changes.items():
        if key in places:
            edits.append(_edit(front, places[key], value, newline))
        elif value is not None:
            added += _lines(key, value, newline)
    for start, end, text in sorted(edits, reverse=True):
        front = front[:start] + text + front[end:]
    if added and front and not front.endswith("\n"):
        front += newline
    return front + added


def _change_short(front: str, changes: Mapping[str, Any]) -> str:
    """The same for front matter in the form memkit writes it: every line is a key or an item of the key above."""
    groups: dict[str, str] = {}
    key = ""
    for line in front.removesuffix("\n").split("\n") if front else ():
        if not line.startswith("  - ") and line:
            key = line.partition(":")[0]
        groups[key] = groups.get(key, "") + line + "\n"
    for name, value in changes.items():
        if value is None:
            groups.pop(name, None)
        else:
            groups[name] = _lines(name, value, "\n")
    return "".join(groups.values())


def _edit(front: str, place: tuple[Any, Any, int], value: Any, newline: str) -> tuple[int, int, str]:
    """Which characters to replace by which text, so that the key at `place` has another value."""
    key, node, limit = place
    start = key.start_mark.index
    end = _content_end(front, start, limit, is_literal=getattr(node, "style", None) in {"|", ">"})
    if value is None:
        return start, end, ""
    one_line = node.start_mark.line == node.end_mark.line == key.start_mark.line
    if one_line and node.end_mark.index > node.start_mark.index and not _is_list(value):
        return node.start_mark.index, node.end_mark.index, _inline(value)
    if one_line and getattr(node, "flow_style", False) and _is_list(value):
        return node.start_mark.index, node.end_mark.index, f"[{', '.join(_inline(item) for item in value)}]"
    older = [] if getattr(node, "flow_style", True) else _Typed().value(node, 0)
    if _is_list(value) and older and list(value[: len(older)]) == older:
        # Only more items: those that are there keep their lines.
        dash = front.rfind("-", start, node.value[0].start_mark.index)
        indent = " " * (dash - front.rfind("\n", 0, dash) - 1)
        gap = "" if front[:end].endswith("\n") else newline
        return end, end, gap + "".join(f"{indent}- {_inline(item)}{newline}" for item in value[len(older) :])
    return start, end, _lines(str(key.value), value, newline)


def _content_end(front: str, start: int, limit: int, *, is_literal: bool) -> int:
    """Where the lines of a key end: before the comments and blank lines that stand in front of the next key."""
    end = limit
    while end > start:
        line_start = front.rfind("\n", start, end - 1) + 1
        line = front[line_start:end].rstrip()
        if line_start <= start or (line and not (line if is_literal else line.lstrip()).startswith("#")):
            return end
        end = line_start
    return limit


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _lines(key: str, value: Any, newline: str) -> str:
    name = key if re.fullmatch(_KEY, key) and key not in _TRAPS else _quoted(key)
    if _is_list(value) and value and not any(isinstance(item, (Mapping, list, tuple)) for item in value):
        return f"{name}:{newline}" + "".join(f"  - {_inline(item)}{newline}" for item in value)
    return f"{name}: {_inline(value)}{newline}"


def _inline(value: Any) -> str:
    """A value on one line: plain text where no reader could take it for something else, else JSON, which is YAML."""
    if isinstance(value, dt.datetime):
        return clock.iso(value)
    if isinstance(value, str):
        first = value[:1]
        if _SAFE.fullmatch(value) and not first.isdigit() and value.lower() not in _TRAPS:
            return value
        return _quoted(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_quoted(str(key))}: {_inline_json(item)}" for key, item in value.items()) + "}"
    if _is_list(value):
        return "[" + ", ".join(_inline_json(item) for item in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return _quoted(str(value))
    return json.dumps(value, allow_nan=False)


def _inline_json(value: Any) -> str:
    return _quoted(value) if isinstance(value, str) else _inline(value)


def _quoted(text: str) -> str:
    """Text in double quotes, as JSON and YAML both read it."""
    return _UNPRINTED.sub(
        lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False, allow_nan=False)
    )
