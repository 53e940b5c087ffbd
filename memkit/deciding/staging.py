"""`mem.staging`: candidates found in sessions, waiting for somebody to make records of them.

    mem.staging.extract("latest", dry_run=True)     # what a session would give
    mem.staging.extract("session.jsonl")            # stage it
    mem.staging.list()
    mem.staging.dead_letters()
    mem.staging.review()                            # say what each candidate is, then apply
    mem.staging.decide("5f0c2a", "distinct")        # the same for one candidate

Nothing but `extract`, `recover`, `decide` and the `apply` of a review writes at all, and only the last two write
records.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memkit.errors import ImportSourceError, InvalidInputError, UsageError
from memkit.model import jsontext
from memkit.store import look
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.consolidate.adjudicate import Decision
    from memkit.consolidate.balance import Balance
    from memkit.consolidate.consolidating import FromSession
    from memkit.consolidate.extract import ExtractionReport, Extractor, Progress
    from memkit.consolidate.recover import RecoverReport
    from memkit.consolidate.remind import Reminder
    from memkit.consolidate.report import ConsolidationReport
    from memkit.consolidate.review import Review
    from memkit.consolidate.staged import StagedCandidate, StagedList
    from memkit.model.candidate import Candidate
    from memkit.model.session import Session

# A longer session is not looked into by a reminder, which should come at once.
MOST_LOOKED_INTO = 8_000_000


class Staging:
    """See the module; made by Memory.

    Args:
        store: Of the project.
        folders: Where sessions are looked for by id, and for `latest`.
        panels: Panels whose entries are decisions.
        model: A model that looks for candidates; "" for none.
        changed: Called after records were changed.
    """

    def __init__(
        self,
        store: Store,
        *,
        folders: Sequence[Path],
        panels: Sequence[str],
        model: str = "",
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._store = store
        self._changed = changed
        self._folders = tuple(folders)
        self._panels = tuple(panels)
        self._model = model
        self._reminded: set[str] = set()

    def __repr__(self) -> str:
        return f"<Staging of {self._store.paths.project_path!r}>"

    def session(self, session: str | os.PathLike[str] = "latest", *, branch: str | None = None) -> Session:
        """Read a session without extracting anything from it.

        Args:
            session: The path of a session file, a session's id, `latest` for this project's last one, or `entries` for
                the decisions that are stored.
            branch: The name of the line at which the branch ends; the current branch by default.

        Raises:
            ImportSourceError: there is no such session or branch, or its file is of no known shape.
        """
        from memkit.consolidate import entries
        from memkit.importers.sessions.finding import find_session
        from memkit.importers.sessions.reading import read_session

        wanted = os.fspath(session)
        if not isinstance(wanted, str) or not wanted:
            raise InvalidInputError("is no path and no id", field="session", remedy="Give a path, an id, or `latest`.")
        if wanted == entries.SESSION_ID and not os.path.lexists(wanted):
            if branch is not None:
                raise InvalidInputError("entries have no branches", field="branch", remedy="Leave the branch out.")
            return entries.session_of_entries(self._store)
        path = find_session(wanted, folders=self._folders, project_path=self._store.paths.project_path)
        return read_session(path, branch=branch)

    def extract(
        self,
        session: str | os.PathLike[str] = "latest",
        *,
        branch: str | None = None,
        extractor: str | Extractor = "rules",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ExtractionReport:
        """Stage the candidates of a session that were not staged before; they are on disk when this returns.

        Args:
            session: As in `session`.
            branch: As in `session`.
            extractor: `rules`; `model` for the model of the setting `consolidation.model`; or an object with `name` and
                `extract(turns)`.
            dry_run: Say what would be staged, and write nothing.
            progress: Wraps the turns that are read, to show how far it is.

        Raises:
            ImportSourceError: there is no such session or branch, or its file is of no known shape; nothing was
                written.
            LockedError: somebody else consolidates, reconciles, or writes records.
            MissingExtraError: `model`, and pydantic-ai is not installed.
            ModelError: the model failed; nothing was staged.
            StoreError: the disk, a permission or another writer stood in the way; nothing was acknowledged.
        """
        from memkit.consolidate.extract import extract

        found = self.source(session, branch, extractor)
        return extract(
            self._store,
            found.session,
            extractor=found.extractor,
            stored=found.stored,
            dry_run=dry_run,
            progress=progress,
        )

    def source(
        self, session: str | os.PathLike[str], branch: str | None = None, extractor: str | Extractor = "rules"
    ) -> FromSession:
        """A session, who looks through it, and what is stored; raises what `extract` does, and writes nothing."""
        from memkit.consolidate import entries
        from memkit.consolidate.consolidating import FromSession
        from memkit.consolidate.stored import stored_texts

        read = self.session(session, branch=branch)
        if read.format == "entries":
            return FromSession(read, entries.EntryExtractor(self._store, self._panels), tuple)
        return FromSession(read, self._extractor(extractor), lambda: stored_texts(self._store))

    def _extractor(self, wanted: str | Extractor) -> Extractor:
        if not isinstance(wanted, str):
            return wanted
        if wanted == "rules":
            from memkit.consolidate.rules import RuleExtractor

            return RuleExtractor()
        if wanted != "model":
            raise UsageError(f"{wanted!r:.40} is no extractor", field="extractor", remedy="Give `rules` or `model`.")
        if not self._model:
            raise UsageError(
                "no model is set",
                field="consolidation.model",
                remedy='Say in your own settings which one: consolidation.model = "provider:name".',
            )
        from memkit.consolidate.model_extractor import ModelExtractor

        return ModelExtractor(self._model)

    def recover(
        self, *, classes: Sequence[str] = (), session_id: str | None = None, dry_run: bool = False
    ) -> RecoverReport:
        """Put dead letters back into staging, with no attempts counted; each goes once its candidate is safe.

        Args:
            classes: Only those whose reason is of one of these classes, such as `model_error`; all by default.
            session_id: Only those of this session.
            dry_run: Say what would be done, and write nothing.

        Raises:
            LockedError: somebody else consolidates, reconciles, or writes records.
            StoreError: what was done so far is complete in itself.
        """
        from memkit.consolidate.recover import recover

        return recover(self._store, classes=classes, session_id=session_id, dry_run=dry_run)

    def mode_changed(self, old: str, new: str, *, session: str = "") -> Reminder | None:
        """See `Memory.mode_changed`."""
        from memkit.consolidate.remind import remind

        before, after = (jsontext.require_text(mode, name) for mode, name in ((old, "old"), (new, "new")))
        if session in self._reminded:
            return None
        found = remind(self._store.paths, before, after, unextracted=self._unextracted)
        if found is not None:
            self._reminded.add(session)
        return found

    def _unextracted(self) -> Sequence[Candidate]:
        """What this project's last session holds and staging does not; nothing of a very long one."""
        from memkit.importers.sessions.finding import find_session

        try:
            path = find_session("latest", folders=self._folders, project_path=self._store.paths.project_path)
            info = look.status_of(path)
            if info is None or info.st_size > MOST_LOOKED_INTO:
                return ()
            return self.extract(path, dry_run=True).candidates
        except ImportSourceError:  # there is none, or it is none
            return ()

    def list(self, session_id: str | None = None) -> StagedList:
        """The candidates that wait, of one session or of all."""
        from memkit.consolidate.staged import staged

        return staged(self._store, session_id)

    def dead_letters(self, session_id: str | None = None) -> StagedList:
        """The candidates that could not be reconciled, with their reasons."""
        from memkit.consolidate.staged import dead

        return dead(self._store, session_id)

    def show(self, key: str) -> StagedCandidate:
        """One candidate, staged or a dead letter, by its key or the first characters of it.

        Raises:
            InvalidInputError: there is none, or there are several.
        """
        from memkit.consolidate.staged import find

        return find((*self.list().rows, *self.dead_letters().rows), key)

    def count(self) -> dict[str, int]:
        """How many candidates wait, by category."""
        return self.list().counts

    def review(self, session_id: str | None = None, *, key: str | None = None) -> Review:
        """The candidates that wait, beside the records near them, for a person to say what each is.

        Nothing is written before `apply` of what this returns.

        Args:
            session_id: Only the candidates of this session.
            key: Only the candidate of this key, or of the only key that begins so.

        Raises:
            InvalidInputError: no candidate that waits has this key, or several begin with it.
            StoreError: the records or the candidates cannot be shown.
        """
        from memkit.consolidate.review import Review

        return Review(self._store, session_id, key=key, changed=self._changed)

    def decide(
        self,
        key: str,
        decision: Decision,
        target: str = "",
        *,
        body: str = "",
        reason: str = "",
        expected_hash: str | None = None,
        dry_run: bool = False,
    ) -> ConsolidationReport:
        """Say of one candidate that waits what it is, and carry it out: a review of one candidate.

        Args:
            key: Of the candidate, or its first characters.
            decision: `distinct`, `duplicate`, `supersedes`, `merge` or `discard`; as in `Review.decide`.
            target: The record it is a duplicate of, supersedes, or is merged with, by name or path.
            body: The text of a merged record; both texts without repeats by default.
            reason: Why; shown in the report.
            expected_hash: SHA-256 of the target as it was when it was looked at; other bytes make a conflict.
            dry_run: Say what would happen, and write nothing.

        Raises:
            InvalidInputError: no such candidate or decision; a target that is not among the records near it, is missing
                or needless.
            LockedError: somebody else consolidates, reconciles, recovers, or writes records.
            StoreError: what was acknowledged before is whole; do it again.
        """
        review = self.review(key=key)
        review.decide(key, decision, target, body=body, reason=reason, expected_hash=expected_hash)
        return review.apply(dry_run=dry_run)

    def balance(self) -> Balance:
        """Whether every candidate that was ever seen is somewhere.

        Raises:
            StoreError: one of the files cannot be shown.
        """
        from memkit.consolidate.balance import balance

        return balance(self._store.paths)
