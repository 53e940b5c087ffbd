"""The questions a Memory answers about decisions; `Memory` inherits them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Literal

from memkit.deciding.retaining import Retaining
from memkit.deciding.staging import Staging
from memkit.deciding.timelines import Timelines
from memkit.deciding.tripwires import Moment, Tripwires, moment_of
from memkit.errors import MemkitWarning, StoreError
from memkit.model.event import Event
from memkit.store import erasures, look

if TYPE_CHECKING:
    from memkit.analytics.calibration import Calibration
    from memkit.analytics.chains import Chains
    from memkit.analytics.decided import Decided, DecidedRow
    from memkit.analytics.decisions import Decisions
    from memkit.analytics.recall_options import RecallOptions
    from memkit.analytics.recall_result import RecallHit
    from memkit.analytics.summary import ProjectSummary
    from memkit.analytics.timeline import InForce
    from memkit.catalog.catalog import Catalog
    from memkit.consolidate.remind import Reminder
    from memkit.store.records import RecordsRead


class Deciding(Retaining):
    """Questions about decisions; what they are asked of is `Memory`'s."""

    _tripwires: Tripwires
    _noticed: RecordsRead | None = None
    _staging: Staging

    @property
    def tripwires(self) -> Tripwires:
        """The conditions that would make decisions wrong: `check`, `backtest`, `acknowledge`."""
        self._require_enabled()
        return self._tripwires

    @property
    def staging(self) -> Staging:
        """Candidates found in sessions: `extract`, `list`, `show`, `dead_letters`."""
        self._require_enabled()
        return self._staging

    def mode_changed(self, old: str, new: str, *, session: str = "") -> Reminder | None:
        """What to say when a person leaves one way of working for another; once per session, and nothing is written.

        Leaving `discuss`, `plan` or `build` while at least one decision or three lessons wait in staging gives a
        reminder; all else, and every further time in the same session, gives None.

        Args:
            old: The mode that is left.
            new: The mode that begins.
            session: Names the session, where one Memory serves several.

        Raises:
            InvalidInputError: a mode is no text.
        """
        self._require_enabled()
        return self._staging.mode_changed(old, new, session=session)

    def decisions(self, *, status: str | Sequence[str] | None = None, panel: str | None = None) -> Decisions:
        """The decisions of this project with status, age, and what replaced them; newest first.

        Args:
            status: Only these: `accepted`, `proposed`, `rejected`, `deprecated`, `superseded`, `unknown`.
            panel: Only those of this panel.

        Raises:
            InvalidInputError: a status that does not exist.
        """
        from memkit.analytics.decisions import decisions

        self._require_enabled()
        found = decisions(self._catalog(), as_of=self._now(), status=status, panel=panel)
        return self._tripwires.on_decisions(found)

    def what_we_decided(
        self,
        topic: str,
        *,
        since_days: float | None = None,
        limit: int = 10,
        facts: object = None,
        as_of: Moment | None = None,
    ) -> Decided:
        """The decisions about a topic: conclusion, days, confidence, dissent, tripwires with verdicts, chain.

        A superseded decision stands behind what replaced it, whatever the limit.

        Args:
            topic: Words; ranked as in `recall`.
            since_days: Only decisions made at most so many days ago (stored, where their own day is not known).
            limit: Decisions at most, 1 to 1,000.
            facts: What tripwires are judged by, as in `tripwires.check`.
            as_of: The moment ages are counted to and tripwires are judged at; now by default. Of an earlier moment,
                only decisions made by then, with what replaced them since.

        Raises:
            InvalidInputError: the topic is no text, or an option out of its range.
            FactsError: the facts cannot be read.
        """
        from memkit.analytics.decided import what_we_decided

        self._require_enabled()
        self._tripwires.take(facts)
        now = self._now()
        moment = moment_of(as_of, now)
        found = what_we_decided(
            self._catalog(),
            topic,
            as_of=moment,
            made_by=moment if moment < now else None,
            panels=self.settings.settings.decisions.panels,
            since_days=since_days,
            limit=limit,
            options=self._weighing(),
        )
        for line in found.warnings:
            warnings.warn(line, MemkitWarning, stacklevel=2)
        self._note_use("decided", topic, found.rows)
        self._notice_edits(self._catalog())
        return self._tripwires.on_decided(found)

    def project_summary(self, *, facts: object = None, as_of: Moment | None = None) -> ProjectSummary:
        """What this memory holds: counts, days, panels, tags, what is in force, has tripped, and is forgotten next.

        Args:
            facts: What tripwires are judged by, as in `tripwires.check`.
            as_of: The moment ages are counted to and tripwires are judged at; now by default.

        Raises:
            FactsError: the facts cannot be read.
        """
        from memkit.analytics.retention import judge
        from memkit.analytics.summary import summarise

        self._require_enabled()
        now = moment_of(as_of, self._now())
        report = self._tripwires.check(facts, as_of=now)
        catalog, path = self._catalog(), self._store.paths.project_path
        review = judge(catalog, self._store, self._retention().policy, as_of=now, titles=False)
        return summarise(catalog, report, project_path=path, as_of=now, review=review)

    def chains(self) -> Chains:
        """What belongs together by supersession, what holds now, circles, and links that are not followed."""
        from memkit.analytics.chains import chains

        self._require_enabled()
        return chains(self._catalog(), as_of=self._now())

    @property
    def timeline(self) -> Timelines:
        """How decisions came and went: `mem.timeline()` answers, `mem.timeline.explore()` looks around by hand."""
        self._require_enabled()
        return Timelines(self._store, self._catalog, self._tripwires)

    def in_force(self, as_of: Moment | None = None) -> InForce:
        """What was in force at a moment; "not available" where this memory does not reach back that far.

        Args:
            as_of: The moment: a day (its start in UTC) or an instant; now by default.

        Raises:
            InvalidInputError: a datetime without a time zone, or a text that is no moment.
        """
        from memkit.analytics.timeline import in_force

        self._require_enabled()
        now = self._now()
        gone = {erasure.id for erasure in erasures.erased(self._store.paths)}
        n_trashed, n_erased = len(self._store.trash().hidden - gone), len(gone)
        return in_force(self._catalog(), moment_of(as_of, now), as_of=now, n_trashed=n_trashed, n_erased=n_erased)

    def calibration(self, *, width: float = 20, facts: object = None) -> Calibration:
        """How sure panels were against what later happened, and who dissented and was later proved right.

        Args:
            width: The width of a bin of scores, 5 to 100.
            facts: What tripwires are judged by, as in `tripwires.check`; without facts none is known to have tripped.

        Raises:
            InvalidInputError: a width out of its range.
            FactsError: the facts cannot be read.
        """
        from memkit.analytics.calibration import calibration

        self._require_enabled()
        now = self._now()
        self._tripwires.take(facts)
        marks, checked = self._tripwires.marks(as_of=now)
        return calibration(self._catalog(), marks, as_of=now, width=width, checked=checked)

    # -- inside -------------------------------------------------------------------------------------------------

    def _weighing(self, **options: Any) -> RecallOptions:
        """Options of a recall, with the weights of the settings."""
        from memkit.analytics.recall_options import RecallOptions

        ranking = self.settings.settings.recall
        weighing: dict[str, Any] = {
            "k1": ranking.k1,
            "b": ranking.b,
            "weights": ranking.weights.model_dump(),
            "stemming": ranking.stemming,
        }
        return RecallOptions(**weighing | options)

    def _note_read(self, entry_id: str) -> None:
        """Write down that somebody read one entry."""
        self._store.firings.note("read", [entry_id])
        self._store.audit.record(Event("record_usage", "read", detail={"entry_id": entry_id, "result_count": 1}))

    def _note_use(self, op: Literal["recall", "decided"], query: str, rows: Sequence[RecallHit | DecidedRow]) -> None:
        """Write down that somebody asked, and what of this project was shown."""
        if not self._store.exists:
            return
        detail = {"query": query, "result_count": len(rows)}
        self._store.firings.note(op, [row.id for row in rows if row.project_key == self._store.paths.key])
        self._store.audit.record(Event("record_usage", op, detail=detail))

    def _notice_edits(self, catalog: Catalog) -> None:
        """Say in the audit log, once, what a person changed in the records a question was asked of.

        Costs nothing while the catalog shows the same records as before. Never raises for a store that cannot be
        written to, or is being written to.
        """
        read = catalog.records
        if read is self._noticed:
            return
        self._noticed = read
        if self._store.exists and (read.files or look.exists(self._store.paths.record_hashes)):
            from memkit.store import external_edits

            with suppress(StoreError):  # what was seen cannot be read
                external_edits.notice(self._store, read, self._store.seen_records.read())
