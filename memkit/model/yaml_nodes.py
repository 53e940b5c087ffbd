"""YAML 1.2 as nodes, bounded before anything is expanded; what a scalar means is for whoever reads to say."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final

MAX_CHARS: Final = 65_536
MAX_DEPTH: Final = 30
MAX_NODES: Final = 20_000


class YamlDamage(ValueError):  # noqa: N818 - a finding about a text, carried as data
    """This is no YAML memkit reads; the message says why."""


def compose(text: str) -> Any:
    """The top mapping node of a text, or None where it is empty.

    Raises:
        YamlDamage: too long, nested too deeply, not YAML, or no mapping.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.nodes import MappingNode

    if len(text) > MAX_CHARS:
        raise YamlDamage(f"{len(text):,} characters, {MAX_CHARS:,} are read")
    if bracket_depth(text) > MAX_DEPTH:
        raise YamlDamage(f"brackets nest deeper than {MAX_DEPTH} levels")
    try:
        node = YAML(typ="rt", pure=True).compose(text)
    except (YAMLError, RecursionError, ValueError, AttributeError) as error:
        raise YamlDamage(f"not valid YAML: {first_line(error)}") from error
    if node is not None and not isinstance(node, MappingNode):
        raise YamlDamage("not a mapping of keys to values")
    return node


def bracket_depth(text: str) -> int:
    """How deep brackets nest, quotes not considered: a parser's time grows with it, so it is bounded beforehand."""
    depth = deepest = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth = max(0, depth - 1)
    return deepest


def first_line(error: BaseException) -> str:
    """What a YAML or TOML library complains about, in one line, with the line it means."""
    problem, mark = getattr(error, "problem", None), getattr(error, "problem_mark", None)
    if problem:
        return f"{problem}, line {mark.line + 1}" if mark else str(problem)
    return str(error).split("\n", 1)[0][:120] or type(error).__name__


class Nodes(ABC):
    """Nodes to plain data, bounded: aliases are expanded, and may expand to much."""

    def __init__(self) -> None:
        self._left = MAX_NODES

    def value(self, node: Any, depth: int) -> Any:
        """What a node says.

        Raises:
            YamlDamage: it expands to too much, or nests too deeply.
        """
        from ruamel.yaml.nodes import MappingNode, SequenceNode

        self._left -= 1
        if self._left < 0:
            raise YamlDamage(f"expands to more than {MAX_NODES:,} values")
        if depth > MAX_DEPTH:
            raise YamlDamage(f"nests deeper than {MAX_DEPTH} levels")
        if isinstance(node, MappingNode):
            return self.mapping(node, depth + 1)
        if isinstance(node, SequenceNode):
            return [self.value(item, depth + 1) for item in node.value]
        return self.scalar(node)

    def scalar(self, node: Any) -> Any:
        """What a scalar says: its text."""
        return str(node.value)

    @abstractmethod
    def mapping(self, node: Any, depth: int) -> dict[str, Any]:
        """What a mapping says: what a key may be, and what comes of one that stands twice."""
