"""The shapes of JSON lines that tools write sessions in: what each line is.

A shape reads one object at a time into a `Piece` and knows nothing of its neighbours. Names of fields and types stand
for themselves; each class says where they were seen.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from memkit.importers.sessions.content import ROLES, Said, time_of

Raw = Mapping[str, Any]


@dataclass(slots=True)
class Piece:
    """What one line is.

    Attributes:
        role: `user` or `assistant` where somebody speaks; "" where nobody does.
        text: What is said.
        at: When.
        ref: The line's name in a tree; "" where it has none.
        parent: The name of the line before it; None for a root.
        side: It belongs to a side chain: another conversation in the same file.
        left_out: What of it is no text, by reason.
        echo: The same is said by another kind of line as well; this one counts only if there is none of those.
        takes_back: How many of the user's last turns are taken back here.
        joins: A root that goes on from the line before it.
    """

    role: str = ""
    text: str = ""
    at: dt.datetime | None = None
    ref: str = ""
    parent: str | None = None
    side: bool = False
    left_out: tuple[str, ...] = ()
    echo: bool = False
    takes_back: int = 0
    joins: bool = False


@dataclass(slots=True)
class About:
    """What the lines say about the session as a whole; the first one that speaks counts."""

    id: str = ""
    project_path: str = ""
    started_at: dt.datetime | None = None

    def note(self, *, id: object = None, project_path: object = None, at: dt.datetime | None = None) -> None:
        """Take what is not known yet."""
        if not self.id and isinstance(id, str):
            self.id = id.strip()
        if not self.project_path and isinstance(project_path, str):
            self.project_path = project_path
        self.started_at = self.started_at or at


class Shape(Protocol):
    """One format of JSON lines."""

    name: str
    is_tree: bool

    def fits(self, head: Sequence[Raw]) -> bool:
        """Whether the first objects of a file are of this shape."""
        ...

    def read(self, raw: Raw, about: About) -> Piece:
        """One line."""
        ...


def _message(message: object, at: dt.datetime | None) -> Piece:
    """A message with `role` and `content`."""
    if not isinstance(message, dict):
        return Piece(left_out=("bookkeeping",), at=at)
    role = ROLES.get(str(message.get("role", "")), "bookkeeping")
    if role not in {"user", "assistant"}:
        return Piece(left_out=(role,), at=at)
    said = Said()
    said.take(message.get("content"))
    return Piece(role=role, text=said.text, at=at, left_out=tuple(said.left_out))


def _name(value: object) -> str:
    return value if isinstance(value, str) else ""


class ClaudeCode:
    """Claude Code's transcripts: a tree by `uuid` and `parentUuid`, side chains marked by `isSidechain`.

    A compaction begins a new root whose `logicalParentUuid` names the line before it; `isMeta` marks text that the tool
    put there, `isCompactSummary` its own summary of what is in the file already.
    """

    name = "claude-code"
    is_tree = True

    def fits(self, head: Sequence[Raw]) -> bool:
        """Lines with `parentUuid`, or with `sessionId` and a type."""
        return any("parentUuid" in raw or ("sessionId" in raw and "type" in raw) for raw in head)

    def read(self, raw: Raw, about: About) -> Piece:
        """One line."""
        at = time_of(raw.get("timestamp"))
        about.note(id=raw.get("sessionId"), project_path=raw.get("cwd"), at=at)
        kind = _name(raw.get("type"))
        if kind in {"user", "assistant"}:
            piece = _message(raw.get("message"), at)
            if raw.get("isCompactSummary") is True:
                piece = Piece(left_out=("summary",), at=at)
            elif raw.get("isMeta") is True:
                piece = Piece(left_out=("injected-context",), at=at)
        else:
            reason = kind if kind in {"summary", "system"} else "bookkeeping"
            piece = Piece(left_out=(str(reason),), at=at)
        piece.ref = _name(raw.get("uuid"))
        piece.parent = _name(raw.get("parentUuid")) or _name(raw.get("logicalParentUuid")) or None
        piece.joins = piece.parent is None and raw.get("subtype") == "compact_boundary"
        piece.side = raw.get("isSidechain") is True
        return piece


class Pi:
    """pi's sessions: a header of type `session`, then a tree by `id` and `parentId`; version 1 has no ids."""

    name = "pi"
    is_tree = True

    def fits(self, head: Sequence[Raw]) -> bool:
        """A header of type `session`."""
        return any(raw.get("type") == "session" and "id" in raw for raw in head[:2])

    def read(self, raw: Raw, about: About) -> Piece:
        """One line."""
        at = time_of(raw.get("timestamp"))
        kind = _name(raw.get("type"))
        if kind == "session":
            about.note(id=raw.get("id"), project_path=raw.get("cwd"), at=at)
            return Piece(left_out=("bookkeeping",))
        if kind == "message":
            piece = _message(raw.get("message"), at)
        elif kind in {"compaction", "branch_summary"}:
            piece = Piece(left_out=("summary",), at=at)
        elif kind == "custom_message":
            piece = Piece(left_out=("injected-context",), at=at)
        else:
            piece = Piece(left_out=("bookkeeping",), at=at)
        piece.ref = _name(raw.get("id"))
        piece.parent = _name(raw.get("parentId")) or None
        return piece


class Codex:
    """Codex rollouts: `session_meta`, `response_item`, `event_msg`, `turn_context`, `compacted`.

    The first rollouts had the items themselves on their lines, below a line of `id`, `timestamp` and `instructions`. A
    message may be there as an item and as an event; events count only where there are no items. `thread_rolled_back`
    takes the last turns of the user back.
    """

    name = "codex"
    is_tree = False
    _ENVELOPES: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
    _ITEMS: Final = {
        "reasoning": "thinking", "function_call": "tool-call", "custom_tool_call": "tool-call",
        "local_shell_call": "tool-call", "web_search_call": "tool-call", "function_call_output": "tool-output",
        "custom_tool_call_output": "tool-output", "compaction": "summary", "compaction_summary": "summary",
    }  # fmt: skip

    def fits(self, head: Sequence[Raw]) -> bool:
        """Envelopes with a payload, or the head of a first rollout."""
        if any(_name(raw.get("type")) in self._ENVELOPES and "payload" in raw for raw in head):
            return True
        first = head[0]
        return "type" not in first and "id" in first and "timestamp" in first and "instructions" in first

    def read(self, raw: Raw, about: About) -> Piece:
        """One line."""
        at = time_of(raw.get("timestamp"))
        kind = _name(raw.get("type"))
        payload = raw.get("payload")
        if kind not in self._ENVELOPES or not isinstance(payload, dict):
            payload, kind = raw, "response_item" if kind else "session_meta"
        if kind == "session_meta":
            about.note(
                id=payload.get("id"), project_path=payload.get("cwd"), at=time_of(payload.get("timestamp")) or at
            )
            return Piece(left_out=("bookkeeping",))
        about.note(at=at, project_path=payload.get("cwd"))
        inner = str(payload.get("type", ""))
        if kind == "compacted":
            return Piece(left_out=("summary",), at=at)
        if kind == "event_msg":
            return self._event(inner, payload, at)
        if kind == "response_item" and inner == "message":
            return _message(payload, at)
        return Piece(left_out=(self._ITEMS.get(inner, "bookkeeping"),), at=at)

    @staticmethod
    def _event(inner: str, payload: Raw, at: dt.datetime | None) -> Piece:
        if inner in {"user_message", "agent_message"}:
            role = "user" if inner == "user_message" else "assistant"
            piece = _message({"role": role, "content": payload.get("message")}, at)
            piece.echo = True
            return piece
        n = payload.get("num_turns")
        if inner == "thread_rolled_back" and isinstance(n, int) and n > 0:
            return Piece(left_out=("bookkeeping",), at=at, takes_back=n)
        return Piece(left_out=("bookkeeping",), at=at)


class Messages:
    """Plain messages: one object of `role` and `content` on each line, perhaps with a time."""

    name = "messages"
    is_tree = False
    _TIMES: Final = ("timestamp", "created_at", "createdAt", "time", "ts", "at", "date")

    def fits(self, head: Sequence[Raw]) -> bool:
        """Objects of `role` and `content`."""
        return any(isinstance(raw.get("role"), str) and "content" in raw for raw in head)

    def read(self, raw: Raw, about: About) -> Piece:
        """One line."""
        at = next((time for key in self._TIMES if (time := time_of(raw.get(key))) is not None), None)
        about.note(id=raw.get("session_id", raw.get("sessionId")), project_path=raw.get("cwd"), at=at)
        return _message(raw, at)


# In the order in which they are asked: from the most to the least particular.
SHAPES: Final[tuple[Shape, ...]] = (Codex(), Pi(), ClaudeCode(), Messages())
KNOWN: Final = (
    "Claude Code transcripts (JSON lines with uuid and parentUuid), pi sessions (JSON lines with id and parentId), "
    "Codex rollouts, JSON lines of role and content, Markdown notes (.md, .markdown, .txt)"
)
