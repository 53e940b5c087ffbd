"""Dead letters back into staging, so that reconciling tries them once more.

They are grouped by session. What is staged already is not staged twice. A dead letter is removed only once its
candidate is on disk in staging: a crash in between leaves both, and the next run removes the one that is too many. What
cannot be read as a candidate is left where it is, with a report.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memkit import clock as clocks
from memkit.display import Displayable
from memkit.errors import StoreError
from memkit.model.candidate import Candidate, faults, repaired
from memkit.model.ledger import Ledger, LedgerLine
from memkit.store import canonical, deadletters, ledger, staging
from memkit.store.deadletters import DeadLetter
from memkit.store.lock import HeldLock
from memkit.store.store import Store


@dataclass(frozen=True, slots=True)
class LeftLetter:
    """A dead letter that stays one.

    Attributes:
        file: Its file, relative to the project's folder in the store.
        why: What stands in the way, and what to do about it.
    """

    file: str
    why: str


@dataclass(frozen=True, slots=True)
class RecoverReport(Displayable):
    """What recovering did, or would do; the letters seen are those recovered, known, left and filtered.

    Attributes:
        dry_run: Nothing was written.
        recovered: Letters whose candidate is in staging again.
        n_known: Letters whose candidate was in staging already; they are removed.
        left: Letters that stay, with what stands in the way.
        n_filtered: Letters that were not asked for.
        as_of: When.
    """

    dry_run: bool
    recovered: tuple[DeadLetter, ...]
    n_known: int
    left: tuple[LeftLetter, ...]
    n_filtered: int
    as_of: dt.datetime

    def __repr__(self) -> str:
        verb = "would recover" if self.dry_run else "recovered"
        return f"<RecoverReport: {verb} {len(self.recovered)}, {len(self.left)} left>"

    @property
    def classes(self) -> dict[str, int]:
        """How many were recovered, by class of their reason."""
        return dict(sorted(Counter(class_of(letter.last_gate_reason) for letter in self.recovered).items()))

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "dry_run": self.dry_run,
            "recovered": [{"file": f"deadletter/{letter.name}", **letter.to_dict()} for letter in self.recovered],
            "classes": self.classes,
            "known": self.n_known,
            "left": [{"file": each.file, "why": each.why} for each in self.left],
            "filtered": self.n_filtered,
            "as_of": clocks.iso(self.as_of),
        }


def class_of(reason: str) -> str:
    """The class of a reason: what stands before its colon."""
    return reason.split(":", 1)[0].strip()


def recover(
    store: Store, *, classes: Iterable[str] = (), session_id: str | None = None, dry_run: bool = False
) -> RecoverReport:
    """Put dead letters back into staging, with no attempts counted.

    Args:
        store: Whose.
        classes: Only letters whose reason is of one of these classes, such as `model_error`; all by default.
        session_id: Only letters of this session.
        dry_run: Say what would be done, and write nothing.

    Raises:
        LockedError: somebody else consolidates, reconciles, or writes records.
        StoreError: what was done so far is complete in itself; no letter was removed before its candidate was safe.
    """
    wanted = frozenset(classes)
    if dry_run:
        return _plan(store, wanted, session_id)
    with store.audit.run(worker="memory_consolidation", trigger="manual") as run:
        with canonical.writing(store, "recover") as held:
            report = recover_held(store, held, wanted, session_id, run_id=run.run_id)
        run.count(restaged=len(report.recovered))
        if report.recovered or report.n_known:
            run.complete("recovered")
        else:
            run.skip("no_dead_letters")
    return report


def recover_held(
    store: Store, held: HeldLock, wanted: frozenset[str], session_id: str | None, *, run_id: str
) -> RecoverReport:
    """The same for whoever holds the canonical-writer lock already, as part of a run of its own.

    Raises:
        StoreError: as `recover`.
    """
    plan = _plan(store, wanted, session_id)
    return _apply(store, held, replace(plan, dry_run=False), wanted, session_id, run_id=run_id)


def returning(store: Store, wanted: frozenset[str]) -> tuple[list[tuple[str, Candidate]], list[LedgerLine]]:
    """What recovering would put back, by session, and the lines it would write into the ledger; nothing is changed."""
    names = {letter.name for letter in _plan(store, wanted, None).recovered}
    back = [(letter.session_id, each) for letter, each in _chosen(store, wanted, None)[0] if letter.name in names]
    return back, [_line(store, "", session, each) for session, each in back]


def _chosen(
    store: Store, wanted: frozenset[str], session_id: str | None
) -> tuple[list[tuple[DeadLetter, Candidate]], list[LeftLetter], int]:
    letters, problems = deadletters.read_letters(store.paths)
    left = [
        LeftLetter(each.file, f"{each.detail.rstrip('.')}. {each.remedy}".strip())
        for each in problems
        if each.code != "malformed-candidate"
    ]
    found: list[tuple[DeadLetter, Candidate]] = []
    n_filtered = 0
    for letter in letters:
        if (wanted and class_of(letter.last_gate_reason) not in wanted) or session_id not in {None, letter.session_id}:
            n_filtered += 1
            continue
        file = f"deadletter/{letter.name}"
        if not isinstance(letter.candidate, Candidate):
            left.append(LeftLetter(file, f"{letter.candidate.reason}: {letter.candidate.detail}"))
            continue
        candidate = repaired(replace(letter.candidate, reconcile_attempts=0))
        wrong = faults(candidate)
        if wrong:
            left.append(LeftLetter(file, f"{wrong[0].reason}: {wrong[0].field} {wrong[0].detail}"))
        else:
            found.append((letter, candidate))
    return found, left, n_filtered


def _plan(store: Store, wanted: frozenset[str], session_id: str | None) -> RecoverReport:
    found, left, n_filtered = _chosen(store, wanted, session_id)
    there = {
        candidate.key(file.session_id) for file in staging.read_all(store.paths)[0] for candidate in file.candidates
    } | _made_something_of(store)
    recovered = []
    for letter, candidate in found:
        key = candidate.key(letter.session_id)
        if key not in there:
            there.add(key)
            recovered.append(letter)
    n_known = len(found) - len(recovered)
    return RecoverReport(True, tuple(recovered), n_known, tuple(left), n_filtered, store.clock.now())


def _made_something_of(store: Store) -> set[str]:
    """Candidates that came back before and have met their fate since: their dead letter is only left over."""
    lives = Ledger.of(ledger.known(store.paths)).lives
    return {key for key, life in lives.items() if life.is_settled and life.fate != "dead_lettered"}


def _apply(
    store: Store, held: HeldLock, plan: RecoverReport, wanted: frozenset[str], session_id: str | None, *, run_id: str
) -> RecoverReport:
    """For each session: into staging, then into the ledger, then the letters go; a crash leaves too much, not less."""
    done = _made_something_of(store)
    by_session: dict[str, list[tuple[DeadLetter, Candidate]]] = defaultdict(list)
    for letter, candidate in _chosen(store, wanted, session_id)[0]:
        by_session[letter.session_id].append((letter, candidate))
    names = {letter.name for letter in plan.recovered}
    recovered: list[DeadLetter] = []
    left = list(plan.left)
    n_known = 0
    for session, members in by_session.items():
        back = [(letter, candidate) for letter, candidate in members if candidate.key(session) not in done]
        try:
            if back:
                staging.stage(store, held, session, [candidate for _, candidate in back])
        except StoreError as error:
            if not _is_about_one_file(error):
                raise
            left += [LeftLetter(f"deadletter/{letter.name}", error.what) for letter, _ in members]
            continue
        ledger.append(store, held, [_line(store, run_id, session, candidate) for _, candidate in back])
        for letter, _ in members:
            deadletters.unbury(store, held, letter)
            if letter.name in names:
                recovered.append(letter)
            else:
                n_known += 1
    return replace(plan, recovered=tuple(recovered), n_known=n_known, left=_sorted(left))


def _line(store: Store, run_id: str, session: str, candidate: Candidate) -> LedgerLine:
    """It is staged again, and attempts count from 0."""
    return LedgerLine(
        event="recovered",
        at=store.clock.now(),
        run=run_id,
        key=candidate.key(session),
        session_id=session,
        category=candidate.category,
        digest=candidate.digest,
        reason="recovered",
    )


def _is_about_one_file(error: StoreError) -> bool:
    """Whether only this session's staging file stands in the way: a newer memkit's, or another project's."""
    return error.code in {"newer-format", "foreign-store"}


def _sorted(left: Sequence[LeftLetter]) -> tuple[LeftLetter, ...]:
    return tuple(sorted(left, key=lambda each: each.file))
