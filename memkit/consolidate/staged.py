"""What waits in staging and among the dead letters, as results that show themselves."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from memkit import clock as clocks
from memkit.display import Displayable
from memkit.errors import InvalidInputError
from memkit.model.candidate import CATEGORIES, Candidate
from memkit.model.problem import Problem
from memkit.store import deadletters, staging
from memkit.store.candidate_files import moment_of
from memkit.store.store import Store

LEAST_PREFIX = 4


@dataclass(frozen=True, slots=True)
class StagedCandidate(Displayable):
    """One candidate, and where it waits.

    Attributes:
        key: Names it: 16 hexadecimal digits of its session, category and words.
        session_id: The session it came from.
        candidate: The candidate.
        file: Its file, relative to the project's folder in the store.
        since: When the file was last written, as it says itself; None where it does not tell.
        reason: Why it is a dead letter; "" for one that is staged.
        attempts: How often a model or a person was asked about it.
    """

    key: str
    session_id: str
    candidate: Candidate
    file: str
    since: dt.datetime | None = None
    reason: str = ""
    attempts: int = 0

    @property
    def is_dead(self) -> bool:
        """Whether it is a dead letter."""
        return self.file.startswith("deadletter/")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "key": self.key,
            "session_id": self.session_id,
            "category": self.candidate.category,
            "candidate": self.candidate.to_dict(),
            "file": self.file,
            "since": clocks.iso(self.since) if self.since else None,
            "reason": self.reason,
            "attempts": self.attempts,
        }


@dataclass(frozen=True, slots=True)
class StagedList(Displayable):
    """Candidates that wait, staged ones or dead letters.

    Attributes:
        rows: In the order of files, categories, and places in them.
        problems: What cannot be read among them.
        as_of: When they were looked at.
        dead: Whether these are dead letters.
        session_id: The session asked for; None for all.
    """

    rows: tuple[StagedCandidate, ...]
    problems: tuple[Problem, ...]
    as_of: dt.datetime
    dead: bool = False
    session_id: str | None = None

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[StagedCandidate]:
        return iter(self.rows)

    def __getitem__(self, at: int) -> StagedCandidate:
        return self.rows[at]

    def __repr__(self) -> str:
        return f"<StagedList of {len(self.rows)} {'dead letters' if self.dead else 'candidates'}>"

    @property
    def counts(self) -> dict[str, int]:
        """How many by category."""
        found = Counter(row.candidate.category for row in self.rows)
        return {category: found[category] for category in CATEGORIES}

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "counts": self.counts,
            "rows": [row.to_dict() for row in self.rows],
            "problems": [problem.to_dict() for problem in self.problems],
            "as_of": clocks.iso(self.as_of),
        }


def staged(store: Store, session_id: str | None = None) -> StagedList:
    """The candidates in staging, of one session or of all.

    Raises:
        StoreError: the folder cannot be listed.
    """
    files, problems = staging.read_all(store.paths)
    rows = tuple(
        StagedCandidate(
            key=candidate.key(file.session_id),
            session_id=file.session_id,
            candidate=candidate,
            file=f"staging/{file.name}",
            since=moment_of(file.produced_at),
            attempts=candidate.reconcile_attempts,
        )
        for file in files
        if session_id is None or file.session_id == session_id
        for candidate in file.candidates
    )
    return StagedList(rows, tuple(problems), store.clock.now(), session_id=session_id)


def dead(store: Store, session_id: str | None = None) -> StagedList:
    """The dead letters whose candidate can be read; others are among the problems.

    Raises:
        StoreError: the folder cannot be listed.
    """
    letters, problems = deadletters.read_letters(store.paths)
    rows = tuple(
        StagedCandidate(
            key=letter.candidate.key(letter.session_id),
            session_id=letter.session_id,
            candidate=letter.candidate,
            file=f"deadletter/{letter.name}",
            since=moment_of(letter.produced_at),
            reason=store.scrubber.scrub_text(letter.last_gate_reason).text,
            attempts=letter.attempts,
        )
        for letter in letters
        if isinstance(letter.candidate, Candidate) and (session_id is None or letter.session_id == session_id)
    )
    return StagedList(rows, tuple(problems), store.clock.now(), dead=True, session_id=session_id)


def find(rows: tuple[StagedCandidate, ...], key: str) -> StagedCandidate:
    """The candidate of this key, or of the only key that begins so.

    Raises:
        InvalidInputError: there is none, or there are several.
    """
    wanted = str(key).strip().lower()
    near = {row.key: row for row in reversed(rows) if len(wanted) >= LEAST_PREFIX and row.key.startswith(wanted)}
    if len(near) == 1:
        return next(iter(near.values()))
    what = f"{len(near)} candidates begin with {wanted!r:.40}" if near else f"no candidate is named {wanted!r:.40}"
    raise InvalidInputError(what, field="key", remedy="`memkit staging list` shows the keys; give more of one.")
