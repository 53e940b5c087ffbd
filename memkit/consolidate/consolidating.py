"""A run from end to end: lock, extract a session if one is given, reconcile, count uses, and say in the log what came.

One run is one `memory_consolidation` in the log, with what it consumed and what it did. Staging files that belong to
another project, to a newer memkit, or that cannot be read are left as they are and named in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from memkit.consolidate import extract as extracting
from memkit.consolidate.adjudicate import Adjudicator
from memkit.consolidate.reconcile import Progress, Reconciler
from memkit.consolidate.recover import recover_held, returning
from memkit.consolidate.reinforce import Reinforcement, planned, reinforce
from memkit.consolidate.report import ConsolidationReport
from memkit.model.candidate import CATEGORIES, Candidate
from memkit.model.event import Trigger
from memkit.model.problem import Problem
from memkit.store import canonical, staging
from memkit.store.candidate_files import name_of
from memkit.store.staging import StagingFile
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.consolidate.extract import ExtractionReport, Extractor
    from memkit.model.session import Session
    from memkit.store.audit_run import Run
    from memkit.store.lock import HeldLock

MAX_IDS: Final = 200  # of candidates that an event names


@dataclass(frozen=True, slots=True)
class FromSession:
    """A session to extract first.

    Attributes:
        session: As it was read.
        extractor: Who looks for candidates.
        stored: Texts that are stored already.
    """

    session: Session
    extractor: Extractor
    stored: Callable[[], Iterable[str]]


def consolidate(
    store: Store,
    adjudicators: Sequence[Adjudicator],
    *,
    source: FromSession | None = None,
    dry_run: bool = False,
    trigger: Trigger = "manual",
    progress: Progress | None = None,
    command: str = "consolidate",
    reinforces: bool = True,
    recovers: frozenset[str] | None = None,
    only: Collection[str] | None = None,
) -> ConsolidationReport:
    """Extract a session, if one is given, and reconcile what is staged.

    Args:
        store: Whose.
        adjudicators: Who is asked about a candidate with records near it, in this order.
        source: A session to extract first; its branch is known to exist.
        dry_run: Say what would happen, and change no byte; no model is asked.
        trigger: What set it off, for the audit log.
        progress: Wraps the candidates, to show how far it is.
        command: What holds the lock, for whoever finds it held.
        reinforces: Count uses at the end.
        recovers: Put dead letters whose reason is of these classes back first, an empty set for all; None for none.
        only: Look at the candidates of these keys, and leave all others; None for all.

    Raises:
        LockedError: somebody else consolidates, reconciles, recovers, or writes records; names them.
        ImportSourceError: the session's file changed while it was read.
        StoreError: what was acknowledged before is whole; the next run carries on.
    """
    if dry_run:
        plan = _planned(store, adjudicators, source, recovers=recovers, progress=progress, only=only)
        plan = _with_uses(plan, planned(store)) if reinforces else plan
        return replace(plan, reason=_reason(plan, any_staged=not plan.cause))
    with (
        store.audit.run(worker="memory_consolidation", trigger=trigger) as run,
        canonical.writing(store, command) as held,
    ):
        back = () if recovers is None else recover_held(store, held, recovers, None, run_id=run.run_id).recovered
        found = _extracted(store, source, held, trigger)
        files, problems = staging.read_all(store.paths)
        files = [_among(file, only) for file in files]
        reconciler = Reconciler(store, adjudicators, held=held, run_id=run.run_id)
        used = Reinforcement()
        try:
            reconciler.run(files, progress)
            if reinforces:
                used = reinforce(store, held, run_id=run.run_id)
        finally:
            report = _with_uses(reconciler.report, used)
            report = replace(report, n_recovered=len(back))
            report = _with_end(report, found, problems, any_staged=any(file.items for file in files))
            _tell(run, report)
    return report


def _among(file: StagingFile, only: Collection[str] | None) -> StagingFile:
    """A staging file as if it held nothing but some candidates."""
    if only is None:
        return file
    return replace(file, items=tuple(item for item in file.items if name_of(file.session_id, item)[0] in only))


def _extracted(
    store: Store, source: FromSession | None, held: HeldLock | None, trigger: Trigger
) -> ExtractionReport | None:
    """What a session gave; without the lock, what it would give."""
    if source is None:
        return None
    return extracting.extract(
        store,
        source.session,
        extractor=source.extractor,
        stored=source.stored,
        trigger=trigger,
        held=held,
        dry_run=held is None,
    )


def _planned(
    store: Store,
    adjudicators: Sequence[Adjudicator],
    source: FromSession | None,
    *,
    recovers: frozenset[str] | None,
    progress: Progress | None,
    only: Collection[str] | None,
) -> ConsolidationReport:
    files, problems = staging.read_all(store.paths)
    back, lines = ([], []) if recovers is None else returning(store, recovers)
    files = _with(files, back, store.paths.project_path)
    found = _extracted(store, source, None, "manual")
    if found is not None and found.candidates:
        items = tuple(sorted(found.candidates, key=lambda item: CATEGORIES.index(item.category)))
        files = [*files, StagingFile("", found.session.id, None, store.paths.project_path, items)]
    files = [_among(file, only) for file in files]
    reconciler = Reconciler(store, adjudicators, held=None, run_id="", recovered=lines)
    reconciler.run(files, progress)
    report = replace(reconciler.report, n_recovered=len(back))
    return _with_end(report, found, problems, any_staged=any(file.items for file in files))


def _with(files: Sequence[StagingFile], back: Sequence[tuple[str, Candidate]], project_path: str) -> list[StagingFile]:
    """Staging files as if candidates that are dead letters stood in them again."""
    by_session = {file.session_id: file for file in files}
    for session, candidate in back:
        file = by_session.get(session) or StagingFile("", session, None, project_path, ())
        items = sorted((*file.items, candidate), key=lambda item: CATEGORIES.index(item.category))
        by_session[session] = replace(file, items=tuple(items))
    return list(by_session.values())


def _with_uses(report: ConsolidationReport, used: Reinforcement) -> ConsolidationReport:
    edited = tuple(dict.fromkeys((*report.edited, *(path for path in used.records if path not in report.written))))
    return replace(
        report,
        n_firings=used.n_firings,
        n_reinforced=len(used.records),
        n_used_entries=used.n_entries,
        edited=edited,
    )


def _with_end(
    report: ConsolidationReport, found: ExtractionReport | None, left: Sequence[Problem], *, any_staged: bool
) -> ConsolidationReport:
    """The report with how the run ended, and why it had nothing to do."""
    cause = ""
    if not any_staged:
        waits = "nothing waits in staging" + (" that can be read" if left else "")
        cause = f"{found.why_nothing}, and {waits}" if found is not None and found.why_nothing else waits
    n_extracted = 0 if found is None else len(found.candidates)
    report = replace(report, n_extracted=n_extracted, cause=cause, problems=(*left, *report.problems))
    return replace(report, reason=_reason(report, any_staged=any_staged))


def _reason(report: ConsolidationReport, *, any_staged: bool) -> str:
    if report.written or report.edited:
        return "records_updated"
    if not any_staged and not report.n_firings:
        return "no_staging"
    if report.reasons("dead_lettered").get("linter_failed"):
        return "linter_failed"
    if any(report.reasons(fate).get("model_error") for fate in ("restaged", "dead_lettered")):
        return "model_error"
    return "no_record_changes"


def _tell(run: Run, report: ConsolidationReport) -> None:
    """How it ended, for the audit log; an error of the block still has the last word."""
    counts = report.counts
    run.count(
        write=len(report.written),
        edit=len(report.edited),
        delete=0,
        drop=counts["duplicate"] + counts["discarded"],
        merge=counts["merged"],
        trim=report.n_trimmed,
        restaged=counts["restaged"] + counts["conflict"],
        dead_lettered=counts["dead_lettered"],
    )
    run.note(consumed=len(report), consumed_ids=[row.key for row in report.rows[:MAX_IDS]])
    (run.skip if report.reason == "no_staging" else run.complete)(report.reason)
