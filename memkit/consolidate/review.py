"""Candidates beside the records near them, for a person to say what each is; nothing is written before `apply`.

    review = mem.staging.review()
    review.decide("5f0c2a", "merge", "retry-policy")
    review.apply()

What a person saw is remembered by its hash: a record that was edited meanwhile makes a conflict, and both texts stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from memkit import clock as clocks
from memkit.consolidate.adjudicate import (
    ABOUT_A_RECORD,
    Decision,
    PersonAdjudicator,
    Verdict,
    check,
)
from memkit.consolidate.consolidating import consolidate
from memkit.consolidate.corpus import Corpus, Near, hashes
from memkit.consolidate.extract import scrubbed
from memkit.consolidate.report import ConsolidationReport
from memkit.consolidate.staged import LEAST_PREFIX, StagedCandidate, dead, find, staged
from memkit.display import Displayable, count
from memkit.errors import InvalidInputError
from memkit.model.candidate import repaired
from memkit.store.store import Store

if TYPE_CHECKING:
    import pandas as pd

CHOICES: tuple[Decision, ...] = get_args(Decision)


@dataclass(frozen=True, slots=True)
class ReviewItem(Displayable):
    """One candidate that waits, and the records it may be about.

    Attributes:
        waiting: The candidate, and where it waits.
        shortlist: Records near it as they are now, the likest first; empty where there are none.
    """

    waiting: StagedCandidate
    shortlist: tuple[Near, ...]

    @property
    def key(self) -> str:
        """Names the candidate."""
        return self.waiting.key

    @property
    def targets(self) -> tuple[Near, ...]:
        """Those of the records that a verdict can be about: the ones in force."""
        return tuple(near for near in self.shortlist if near.record.is_active)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        near = [
            {"path": each.record.path, "title": each.record.title, "status": each.record.status,
             "body": each.record.body, "alike": each.alike, "words": list(each.words), "is_same": each.is_same,
             "sha256": each.sha256}
            for each in self.shortlist
        ]  # fmt: skip
        return {**self.waiting.to_dict(), "shortlist": near}


def _waiting(store: Store, session_id: str | None, key: str) -> str:
    """The key of the candidate that waits and is named so; of a dead letter it is said that it is one."""
    try:
        return find(staged(store, session_id).rows, key).key
    except InvalidInputError:
        letters = dead(store, session_id).rows
        if any(row.key.startswith(key.strip().lower()) for row in letters if len(key.strip()) >= LEAST_PREFIX):
            raise InvalidInputError(
                f"{key!r:.40} is a dead letter", field="key", remedy="Put it back first: memkit recover."
            ) from None
        raise


class Review(Displayable):
    """See the module; made by `mem.staging.review()`.

    Args:
        store: Whose.
        session_id: Only the candidates of this session; None for all.
        key: Only the candidate of this key, or of the only key that begins so; None for all.
        changed: Called after records were changed.

    Raises:
        InvalidInputError: no candidate that waits has this key, or several begin with it.
    """

    def __init__(
        self,
        store: Store,
        session_id: str | None = None,
        *,
        key: str | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._session_id = session_id
        self._key = None if key is None else _waiting(store, session_id, key)
        self._changed = changed
        self._verdicts: dict[str, Verdict] = {}
        self.report: ConsolidationReport | None = None
        self.listeners: list[Callable[[], None]] = []
        self._look()

    def _look(self) -> None:
        found = staged(self._store, self._session_id)
        self.as_of = found.as_of
        self.problems = found.problems
        corpus = Corpus(self._store.paths)
        masked: dict[str, int] = {}
        self.items = tuple(
            ReviewItem(row, corpus.near(repaired(scrubbed(row.candidate, self._store.scrubber, masked))))
            for row in found.rows
            if self._key is None or row.key == self._key
        )

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[ReviewItem]:
        return iter(self.items)

    def __getitem__(self, at: int) -> ReviewItem:
        return self.items[at]

    def __repr__(self) -> str:
        return f"<Review of {count(len(self.items), 'candidate')}, {len(self._verdicts)} decided>"

    @property
    def decided(self) -> Mapping[str, Verdict]:
        """What was decided so far, by key; not applied yet."""
        return dict(self._verdicts)

    @property
    def value(self) -> Mapping[str, Verdict]:
        """`decided`: what is on the screen and not applied yet."""
        return self.decided

    def to_pandas(self) -> pd.DataFrame:
        """One row per candidate: key, category, title, session, records near it, and what was decided so far."""
        import pandas as pd

        columns = ["key", "category", "title", "session_id", "n_near", "decision", "target"]
        rows = []
        for item in self.items:
            verdict = self._verdicts.get(item.key)
            said = ("", "") if verdict is None else (verdict.decision, verdict.target)
            of = item.waiting.candidate
            rows.append((item.key, of.category, of.title, item.waiting.session_id, len(item.shortlist), *said))
        return pd.DataFrame(rows, columns=columns)

    def item(self, key: str) -> ReviewItem:
        """The candidate of this key, or of the only key that begins so.

        Raises:
            InvalidInputError: there is none, or there are several.
        """
        wanted = str(key).strip().lower()
        near = [each for each in self.items if each.key.startswith(wanted)] if len(wanted) >= LEAST_PREFIX else []
        if len(near) != 1:
            what = f"{len(near)} candidates begin with {wanted!r:.40}" if near else f"none is named {wanted!r:.40}"
            raise InvalidInputError(what, field="key", remedy="Give a key as the review shows it.")
        return near[0]

    def decide(
        self,
        key: str,
        decision: Decision,
        target: str = "",
        *,
        body: str = "",
        reason: str = "",
        expected_hash: str | None = None,
    ) -> Review:
        """Say what a candidate is; the last word counts, and nothing is written yet.

        Args:
            key: Of the candidate, or its first characters.
            decision: `distinct`: a record of its own. `duplicate`: a record says it already. `supersedes`: it replaces
                a record. `merge`: it and a record become one. `discard`: it is not worth keeping.
            target: The record concerned, by name or path; may be left out where only one in force is near.
            body: The text of a merged record; both texts without repeats by default.
            reason: Why; shown in the report.
            expected_hash: SHA-256 of the target as it was when it was looked at, where that was not in this review: a
                target with other bytes makes a conflict.

        Raises:
            InvalidInputError: no such candidate or decision; a target that is not among the records near it, is missing
                or needless.
        """
        item = self.item(key)
        path = self._target(item, target) if decision in ABOUT_A_RECORD else target
        seen = dict(hashes(item.shortlist))
        if expected_hash and path:
            seen[path] = expected_hash.strip().lower()
        verdict = check(Verdict(decision, path, body=body, reason=reason, seen=seen), item.key)
        self._verdicts[item.key] = verdict
        self._tell()
        return self

    def undecide(self, key: str) -> Review:
        """Take back what was decided about a candidate."""
        self._verdicts.pop(self.item(key).key, None)
        self._tell()
        return self

    @staticmethod
    def _target(item: ReviewItem, wanted: str) -> str:
        paths = [near.record.path for near in item.targets]
        found = [p for p in paths if wanted in {p, p.rpartition("/")[2].removesuffix(".md")} or not wanted]
        if len(found) == 1:
            return found[0]
        near = ", ".join(path.rpartition("/")[2].removesuffix(".md") for path in paths) or "none"
        what = f"{wanted!r:.80} is not among the records near {item.key}" if wanted else f"{item.key} needs a target"
        raise InvalidInputError(what, field="target", remedy=f"In force and near it: {near}.")

    def apply(self, *, dry_run: bool = False) -> ConsolidationReport:
        """Carry out what was decided, and nothing else; then look again.

        Args:
            dry_run: Say what would become of them, write nothing, and keep what was decided.

        Returns:
            What became of the candidates that were decided.

        Raises:
            LockedError: somebody else consolidates, reconciles, recovers, or writes records.
            StoreError: what was acknowledged before is whole; what is left can be applied again.
        """
        verdicts = dict(self._verdicts)
        adjudicators = (PersonAdjudicator(verdicts),)
        if dry_run:
            return consolidate(self._store, adjudicators, dry_run=True, reinforces=False, only=verdicts.keys())
        try:
            self.report = consolidate(
                self._store, adjudicators, command="review", reinforces=False, only=verdicts.keys()
            )
        finally:
            self._changed()
        self._verdicts.clear()
        self._look()
        self._tell()
        return self.report

    def _tell(self) -> None:
        for listener in self.listeners:
            listener()

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clocks.iso(self.as_of),
            "items": [item.to_dict() for item in self.items],
            "decided": {key: {"decision": v.decision, "target": v.target} for key, v in self._verdicts.items()},
            "problems": [problem.to_dict() for problem in self.problems],
        }
