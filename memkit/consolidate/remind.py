"""The reminder: what waits to become a record, said on leaving a mode in which decisions are reached; it only reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memkit.display import Displayable, count
from memkit.model.candidate import Candidate
from memkit.model.ledger import Ledger
from memkit.store import ledger, staging
from memkit.store.paths import StorePaths

MODES: Final = frozenset({"discuss", "plan", "build"})
"""Ways of working that leave something worth keeping."""
LEAST_DECISIONS: Final = 1
LEAST_LESSONS: Final = 3
MAX_TITLES: Final = 5


@dataclass(frozen=True, slots=True)
class Reminder(Displayable):
    """What waits to become a record.

    Attributes:
        old: The way of working that was left.
        new: The one that begins.
        n_decisions: Decisions that wait.
        n_lessons: Lessons that wait.
        titles: Of the first of them, decisions first.
        n_unextracted: How many of both stand in this project's last session and are not staged yet.
    """

    old: str
    new: str
    n_decisions: int
    n_lessons: int
    titles: tuple[str, ...] = ()
    n_unextracted: int = 0

    def __repr__(self) -> str:
        return f"<Reminder: {count(self.n_decisions, 'decision')} and {count(self.n_lessons, 'lesson')} wait>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "old": self.old,
            "new": self.new,
            "decisions": self.n_decisions,
            "lessons": self.n_lessons,
            "titles": list(self.titles),
            "unextracted": self.n_unextracted,
        }


def remind(
    paths: StorePaths, old: str, new: str, *, unextracted: Callable[[], Sequence[Candidate]] = tuple
) -> Reminder | None:
    """What to say when one way of working gives place to another; None where there is nothing to say.

    Something is said on leaving `discuss`, `plan` or `build` while at least one decision or three lessons wait, in
    staging or in a session that nobody has extracted. What the ledger knows to be settled does not wait, though a crash
    may have left it there.

    Args:
        paths: Of the store.
        old: The mode that is left.
        new: The mode that begins.
        unextracted: Gives what a session holds and staging does not; asked only if it matters.

    Raises:
        StoreError: the operating system refuses to show staging.
    """
    if old not in MODES or new == old:
        return None
    fresh = [each for each in unextracted() if each.category in {"decisions", "lessons"}]
    waiting = [*_waiting(paths), *fresh]
    decisions = [each for each in waiting if each.category == "decisions"]
    lessons = [each for each in waiting if each.category == "lessons"]
    if len(decisions) < LEAST_DECISIONS and len(lessons) < LEAST_LESSONS:
        return None
    titles = tuple(" ".join((each.title or each.text).split())[:120] for each in (*decisions, *lessons)[:MAX_TITLES])
    return Reminder(old, new, len(decisions), len(lessons), titles, len(fresh))


def _waiting(paths: StorePaths) -> list[Candidate]:
    found = [(file.session_id, each) for file in staging.read_all(paths)[0] for each in file.candidates]
    lives = Ledger.of(ledger.read(paths)[0]).lives if found else {}
    settled = {key for key, life in lives.items() if life.is_settled}
    return [each for session_id, each in found if each.key(session_id) not in settled]
