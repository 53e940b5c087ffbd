"""A session: what people and an assistant said to each other, in order, as one file of theirs holds it.

A session that was taken back and continued elsewhere is a tree; `turns` are those of its current branch only. What a
reader leaves out (tool output, binary, side chains, abandoned branches) is counted in `skipped`, by reason.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from memkit import clock
from memkit.model.frozen import FrozenMapping

# Why something in a session's file is no turn, in the order in which it is shown.
SKIPPED: Final = (
    "tool-output", "tool-call", "thinking", "binary", "side-chain", "abandoned-branch", "injected-context", "summary",
    "system", "bookkeeping", "repeated", "empty", "damaged-line", "long-line", "torn-line",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing that somebody said.

    Attributes:
        number: Its place on the branch, counted from 1.
        role: `user`, `assistant`, or `note` for text that nobody said to anybody.
        text: What was said, without tool output.
        at: When, where the file tells.
        ref: The file's own name for it (`uuid`, `id`); "" where it has none.
        offset: The byte at which it begins in the file.
        first_line: Its first line in the file, counted from 1.
        last_line: Its last line.
    """

    number: int
    role: str
    text: str
    at: dt.datetime | None = None
    ref: str = ""
    offset: int = 0
    first_line: int = 0
    last_line: int = 0


class Turns(Protocol):
    """The turns of a branch, in order; each iteration reads the session again."""

    def __iter__(self) -> Iterator[Turn]: ...

    def shared_with(self, branches: Collection[str], n_bytes: int) -> int:
        """How many of the first turns were there already when the session was read before.

        Args:
            branches: The last turns of the branches that were current then.
            n_bytes: How much of the file there was then; what counts where a format has no branches.
        """
        ...

    def prefix_sha256(self, n_bytes: int) -> str:
        """The SHA-256 of the file's first bytes, for telling whether it only grew; "" where it has fewer."""
        ...


@dataclass(frozen=True, slots=True)
class Session:
    """One session as its file holds it now.

    Attributes:
        id: Its own id, or one made from its file's name and path.
        format: The reader's name: `claude-code`, `pi`, `codex`, `messages`, `notes`, `entries`.
        path: Its file, as an absolute path in text.
        sha256: Of the bytes that were read, up to the end of the last whole line.
        n_bytes: Their number.
        turns: Of the current branch, in order. Each iteration reads the file again, so that a long session is never
            in memory as a whole.
        branch: The file's name for the branch's last turn; "" where the format has no branches.
        branches: Every last turn there is, oldest first; the current one among them.
        started_at: When it began, where the file tells.
        project_path: The folder it was about, where the file tells.
        skipped: How much was left out, by reason (`SKIPPED`).
    """

    id: str
    format: str
    path: str
    sha256: str
    n_bytes: int
    turns: Turns
    branch: str = ""
    branches: tuple[str, ...] = ()
    started_at: dt.datetime | None = None
    project_path: str = ""
    skipped: Mapping[str, int] = field(default_factory=lambda: FrozenMapping({}))

    def __repr__(self) -> str:
        return f"<Session {self.id} of {self.path!r}, {self.format}, {self.n_bytes:,} bytes>"

    def to_dict(self) -> dict[str, Any]:
        """What is known of it without its turns, as plain JSON data."""
        return {
            "id": self.id,
            "format": self.format,
            "path": self.path,
            "sha256": self.sha256,
            "bytes": self.n_bytes,
            "branch": self.branch,
            "branches": list(self.branches),
            "started_at": clock.iso(self.started_at) if self.started_at else None,
            "project_path": self.project_path,
            "skipped": {reason: self.skipped[reason] for reason in SKIPPED if self.skipped.get(reason)},
        }
