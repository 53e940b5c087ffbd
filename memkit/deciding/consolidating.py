"""What a Memory does to make records of what sessions said; `Memory` inherits it."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memkit.deciding.part import Part
from memkit.deciding.staging import Staging
from memkit.errors import MemkitWarning, UsageError

if TYPE_CHECKING:
    from memkit.consolidate.adjudicate import Adjudicator
    from memkit.consolidate.consolidating import FromSession
    from memkit.consolidate.extract import Extractor
    from memkit.consolidate.reconcile import Progress
    from memkit.consolidate.report import ConsolidationReport


class Consolidating(Part):
    """Consolidation by hand: nothing else writes a record of its own accord."""

    _staging: Staging

    def consolidate(
        self,
        session: str | os.PathLike[str] | None = None,
        *,
        branch: str | None = None,
        extractor: str | Extractor = "rules",
        adjudicator: str | Adjudicator | Sequence[Adjudicator] = "rules",
        recover: bool | Sequence[str] = False,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ConsolidationReport:
        """Extract a session, if one is given, and make records of everything that is staged.

        A candidate that no record is near becomes one. Of another one the rules say whether it is a duplicate, or
        replaces a record it names; what they cannot tell is left to the model, if one is asked, or stays staged for
        `mem.staging.review()`. Nothing is lost, and no record is deleted.

        Args:
            session: The path of a session file, a session's id, `latest`, or `entries`; None to extract nothing.
            branch: The name of the line at which the branch ends; the current branch by default.
            extractor: `rules`, `model`, or an object with `name` and `extract(turns)`.
            adjudicator: `rules`; `model` for the rules and then the model of the setting `consolidation.model`; an
                adjudicator that is asked after the rules; or several that are asked in turn, without the rules unless
                they are among them.
            recover: Put dead letters back first, with no attempts counted: True for all, or those whose reason is of
                one of these classes, such as `["model_error"]`.
            dry_run: Say what would happen, ask no model, and change no byte.
            progress: Wraps the candidates, to show how far it is.

        Raises:
            ImportSourceError: there is no such session or branch; nothing was written.
            UsageError: an extractor or adjudicator of that name does not exist, or a branch without a session.
            LockedError: somebody else consolidates, reconciles, recovers, or writes records; names them.
            StoreError: what was acknowledged before is whole; the next run carries on.
        """
        self._require_enabled()
        if session is None and branch is not None:
            raise UsageError("a branch of no session", field="branch", remedy="Name the session, too.")
        adjudicators = self._adjudicators(adjudicator)
        source = None if session is None else self._staging.source(session, branch, extractor)
        recovers = _classes(recover)
        return self._run(
            adjudicators, "consolidate", source=source, recovers=recovers, dry_run=dry_run, progress=progress
        )

    def reconcile(
        self,
        *,
        adjudicator: str | Adjudicator | Sequence[Adjudicator] = "rules",
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ConsolidationReport:
        """Make records of what is staged; extract nothing, and count no uses. The arguments are those of `consolidate`.

        Raises:
            UsageError, LockedError, StoreError: as `consolidate`.
        """
        self._require_enabled()
        return self._run(self._adjudicators(adjudicator), "reconcile", source=None, dry_run=dry_run, progress=progress)

    def _run(
        self,
        adjudicators: Sequence[Adjudicator],
        command: str,
        *,
        source: FromSession | None,
        dry_run: bool,
        recovers: frozenset[str] | None = None,
        progress: Progress | None,
    ) -> ConsolidationReport:
        from memkit.consolidate.consolidating import consolidate

        try:
            return consolidate(
                self._store,
                adjudicators,
                source=source,
                dry_run=dry_run,
                progress=progress,
                command=command,
                reinforces=command == "consolidate",
                recovers=recovers,
            )
        finally:
            if not dry_run:
                self._expect_changes()

    def _adjudicators(self, wanted: str | Adjudicator | Sequence[Adjudicator]) -> Sequence[Adjudicator]:
        from memkit.consolidate.adjudicate import RuleAdjudicator

        rules = RuleAdjudicator()
        if not isinstance(wanted, str):
            return tuple(wanted) if isinstance(wanted, Iterable) else (rules, wanted)
        if wanted == "rules":
            return (rules,)
        if wanted != "model":
            raise UsageError(
                f"{wanted!r:.40} is no adjudicator", field="adjudicator", remedy="Give `rules` or `model`."
            )
        from memkit.consolidate.model_adjudicator import model_adjudicator

        model, missing = model_adjudicator(self.settings.settings.consolidation.model)
        if missing:
            warnings.warn(
                f"What the rules cannot tell stays staged (model_missing): {missing}", MemkitWarning, stacklevel=3
            )
        return (rules, model)


def _classes(recover: bool | Sequence[str]) -> frozenset[str] | None:
    """Classes of dead letters to put back; an empty set for all, None for none."""
    if isinstance(recover, bool):
        return frozenset() if recover else None
    if isinstance(recover, str) or not all(isinstance(each, str) for each in recover):
        raise UsageError("classes of reasons were expected", field="recover", remedy='Give True, or ["model_error"].')
    return frozenset(recover) or None
