"""The table of kinds. A new kind is a row here and a module beside it; commands, pages and tests follow the table."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol, cast

from memkit.errors import UsageError

if TYPE_CHECKING:
    from memkit.importers.draft import Draft
    from memkit.importers.intake import Intake
    from memkit.importers.look import Look


class Reader(Protocol):
    """What the module of a kind has."""

    drafts: Callable[[Intake], Generator[Draft, None, None]]
    signs: Callable[[Look], str]


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of files.

    Attributes:
        name: What it is called on the command line, and in `source.kind` of an entry.
        reads: What it reads, in a few words.
        example: A path such files have.
        module: Its module in `memkit.importers.kinds`.
        has_links: Whether its items can say what they replace, so that links are settled.
    """

    name: str
    reads: str
    example: str
    module: str
    has_links: bool = False

    def reader(self) -> Reader:
        """Its module."""
        return cast("Reader", import_module(f"memkit.importers.kinds.{self.module}"))


KINDS: Final[tuple[Kind, ...]] = (
    Kind("adr", "decision records written in Markdown", "docs/decisions", "adr", has_links=True),
    Kind("consensus", "results of panel runs as JSON", "runs/", "consensus", has_links=True),
    Kind("memkit", "an export of memkit itself, as JSON lines", "export/entries.jsonl", "memkit"),
    Kind("server-memory", "the knowledge graph of an MCP memory server", "memory.jsonl", "server_memory"),
    Kind("llm-council", "runs and conversations of an LLM council", ".council/logs", "llm_council"),
    Kind("agent-memory", "memory folders of agents, CLAUDE.md, AGENTS.md", "CLAUDE.md", "agent_memory"),
    Kind("basic-memory", "notes of basic-memory", "notes/", "basic_memory", has_links=True),
    Kind("claude-mem", "the database or export of claude-mem", "claude-mem.db", "claude_mem"),
    Kind("llm", "the log of the command-line tool llm", "logs.db", "llm"),
    Kind("beads", "decisions and memories among the issues of beads", ".beads/issues.jsonl", "beads", has_links=True),
    Kind("mem0", "an export of mem0", "mem0.json", "mem0"),
    Kind("selvedge", "changes and their reasons from selvedge", ".selvedge/selvedge.db", "selvedge", has_links=True),
)


def names() -> tuple[str, ...]:
    """The names of all kinds."""
    return tuple(kind.name for kind in KINDS)


def kind_of(name: str) -> Kind:
    """The kind of this name.

    Raises:
        UsageError: there is none.
    """
    for kind in KINDS:
        if kind.name == name:
            return kind
    raise UsageError(
        f"unknown kind of import {name!r:.80}",
        field="kind",
        remedy=f"Use one of: {', '.join(names())}; `memkit import --detect PATH` says which.",
    )
