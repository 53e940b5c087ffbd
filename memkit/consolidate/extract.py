"""From a session to staging: read the new turns, find candidates, mask secrets, stage, remember how far it went.

Nothing is written before the session and its branch are known to exist. A session that was extracted before goes on
where it stopped: on the same branch after the last turn, on another one after the fork. What was staged from this
session before, in whatever words around it, and what is stored already, is not staged again; a second run on the same
session changes no byte. Candidates are on disk before the session counts as extracted, so a crash in between costs
nothing but a second look.
"""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol

from memkit import clock as clocks
from memkit.consolidate.recalled import stored_already
from memkit.consolidate.rules import Extracted
from memkit.display import Displayable, count
from memkit.errors import ModelError
from memkit.model.candidate import CATEGORIES, Candidate, Evidence, cut, faults, repaired
from memkit.model.event import Trigger
from memkit.model.frozen import FrozenMapping
from memkit.model.ledger import Ledger
from memkit.model.session import SKIPPED, Session, Turn
from memkit.model.tokens import terms
from memkit.store import canonical, extraction, ledger, staging
from memkit.store.extraction import Extraction
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.store.audit_run import Run
    from memkit.store.lock import HeldLock
    from memkit.store.scrub import Scrubber

# Why something that looked like a candidate is none, in the order in which it is shown.
PASSED_OVER: Final = (
    "question", "nothing", "undone", "to-do", "placeholder", "too-short", "too-long", "not-in-force", "repeated",
    "recalled", "no-evidence", "invalid",
)  # fmt: skip
MAX_IDS: Final = 200  # of candidates that an event names
Progress = Callable[[Iterable[Turn]], Iterable[Turn]]


class Extractor(Protocol):
    """Whoever finds candidates in turns.

    Attributes:
        name: Written down beside what it found: `rules`, `model:<name>`.
    """

    @property
    def name(self) -> str:
        """`rules`, `model:<name>`."""
        ...

    def extract(self, turns: Iterable[Turn]) -> Extracted:
        """The candidates of some turns, each with evidence."""
        ...


@dataclass(frozen=True, slots=True)
class ExtractionReport(Displayable):
    """What extracting one session did, or would do.

    Attributes:
        dry_run: Nothing was written.
        session: The session, without its turns.
        extractor: Who looked.
        n_turns: Turns of the branch.
        n_read: Those that are new and were looked at.
        candidates: What was staged, or would be.
        n_staged_before: Candidates of this session that were staged before.
        n_stored: Candidates that say what is stored already.
        passed_over: What looked like a candidate and was none, by reason.
        masked: Secrets that were masked, by kind.
        file: The staging file, relative to the project's folder in the store; "" where nothing was staged.
        quarantined: Where damaged bytes of that file were moved to; "" where there were none.
        usage: What a model used, where one was asked.
        as_of: When.
        last_read_at: When the same extractor read this session before; None where it never did.
    """

    dry_run: bool
    session: Session
    extractor: str
    n_turns: int
    n_read: int
    candidates: tuple[Candidate, ...]
    as_of: dt.datetime
    n_staged_before: int = 0
    n_stored: int = 0
    passed_over: Mapping[str, int] = field(default_factory=lambda: FrozenMapping({}))
    masked: Mapping[str, int] = field(default_factory=lambda: FrozenMapping({}))
    file: str = ""
    quarantined: str = ""
    usage: Mapping[str, int] = field(default_factory=lambda: FrozenMapping({}))
    last_read_at: dt.datetime | None = None

    def __repr__(self) -> str:
        verb = "would stage" if self.dry_run else "staged"
        return (
            f"<ExtractionReport {self.session.id[:60]!r}: {verb} {len(self.candidates)} of "
            f"{count(self.n_read, 'new turn')}>"
        )

    @property
    def why_nothing(self) -> str:
        """Why there is no candidate, in words; "" where there is one."""
        if self.candidates:
            return ""
        if not self.n_read:
            since = f" since {self.last_read_at:%Y-%m-%d %H:%M} UTC" if self.last_read_at else ""
            return f"nothing new in the session{since}" if self.n_turns else "the session has no turns"
        known = self.n_staged_before + self.n_stored
        if known:
            return f"what the session holds was staged or stored before ({known:,})"
        turns = "one new turn" if self.n_read == 1 else f"{self.n_read:,} new turns"
        return f"nothing to keep in the {turns} of the session"

    @property
    def counts(self) -> dict[str, int]:
        """Candidates by category."""
        return {category: sum(each.category == category for each in self.candidates) for category in CATEGORIES}

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "dry_run": self.dry_run,
            "session": self.session.to_dict(),
            "extractor": self.extractor,
            "turns": self.n_turns,
            "read": self.n_read,
            "counts": self.counts,
            "candidates": [{"category": each.category, **each.to_dict()} for each in self.candidates],
            "staged_before": self.n_staged_before,
            "stored": self.n_stored,
            "passed_over": _ordered(self.passed_over, PASSED_OVER),
            "skipped": _ordered(self.session.skipped, SKIPPED),
            "masked": dict(self.masked),
            "file": self.file,
            "quarantined": self.quarantined,
            "usage": dict(self.usage),
            "last_read_at": clocks.iso(self.last_read_at) if self.last_read_at else None,
            "why_nothing": self.why_nothing,
            "as_of": clocks.iso(self.as_of),
        }


def _ordered(counts: Mapping[str, int], order: Sequence[str]) -> dict[str, int]:
    return {name: counts[name] for name in (*order, *sorted(set(counts) - set(order))) if counts.get(name)}


def extract(
    store: Store,
    session: Session,
    *,
    extractor: Extractor,
    stored: Callable[[], Iterable[str]],
    dry_run: bool = False,
    trigger: Trigger = "manual",
    progress: Progress | None = None,
    held: HeldLock | None = None,
) -> ExtractionReport:
    """Stage what a session holds and nobody staged before.

    Args:
        store: Where to.
        session: As it was read.
        extractor: Who looks for candidates.
        stored: Texts that are stored already; asked for only if there are candidates.
        dry_run: Say what would be staged, and write nothing.
        trigger: What set it off, for the audit log.
        progress: Wraps the turns that are read, to show how far it is.
        held: The canonical-writer lock, where the caller holds it.

    Raises:
        LockedError: somebody else consolidates, reconciles, or writes records.
        ImportSourceError: the session's file changed while it was read.
        StoreError: nothing was acknowledged.
    """
    if dry_run:
        return _found(store, session, extractor, stored, progress)[0]
    about = {"session_id": cut(session.id, 200)}
    if extractor.name.startswith("model:"):
        about["model"] = extractor.name.removeprefix("model:")
    with store.audit.run(worker="memory_extract", trigger=trigger, **about) as run:
        try:
            with nullcontext(held) if held else canonical.writing(store, "extract") as lock:
                report, before = _found(store, session, extractor, stored, progress)
                report = _kept(store, lock, replace(report, dry_run=False), before)
        except ModelError:
            run.reason_of_failure = "model_error"
            raise
        _tell(run, report)
    return report


def _tell(run: Run, report: ExtractionReport) -> None:
    """How it ended, for the audit log."""
    run.count(staged=len(report.candidates))
    if report.n_read:
        run.note(range_start=report.n_turns - report.n_read + 1, range_end=report.n_turns)
    if report.usage:
        run.note(usage=dict(report.usage))
    if report.candidates:
        staged_ids = [candidate.key(report.session.id) for candidate in report.candidates[:MAX_IDS]]
        run.complete("candidates_found", staged_ids=staged_ids, staged_paths=[report.file])
    elif report.n_read:
        run.complete("no_candidates")
    else:
        run.skip("no_new_session_range")


def _found(
    store: Store,
    session: Session,
    extractor: Extractor,
    stored: Callable[[], Iterable[str]],
    progress: Progress | None,
) -> tuple[ExtractionReport, list[Extraction]]:
    before = [each for each in extraction.read(store.paths)[0] if each.session_id == session.id]
    n_known = read_before(session, [each for each in before if each.extractor == extractor.name])
    turns: Iterable[Turn] = itertools.islice(session.turns, n_known, None)
    try:
        extracted = extractor.extract(turns if progress is None else progress(turns))
    except ModelError as error:  # what a provider says may hold a key
        said = store.scrubber.scrub_text(error.what).text
        raise ModelError(said, field=error.field, remedy=error.remedy) from None
    masked: dict[str, int] = {}
    candidates = []
    for candidate in extracted.candidates:
        clean = repaired(scrubbed(candidate, store.scrubber, masked))
        if faults(clean):
            extracted.passed_over["too-long"] += 1
        else:
            candidates.append(clean)
    fresh, n_staged = _not_staged(store, session, candidates, before)
    same = stored_already(fresh, stored()) if fresh else set()
    report = ExtractionReport(
        dry_run=True,
        session=session,
        extractor=extractor.name,
        n_turns=n_known + extracted.n_turns,
        n_read=extracted.n_turns,
        candidates=tuple(each for at, each in enumerate(fresh) if at not in same),
        as_of=store.clock.now(),
        n_staged_before=n_staged,
        n_stored=len(same),
        passed_over=FrozenMapping(dict(extracted.passed_over)),
        masked=FrozenMapping(masked),
        usage=FrozenMapping(dict(extracted.usage)),
        last_read_at=max((each.at for each in before if each.extractor == extractor.name), default=None),
    )
    return report, before


def read_before(session: Session, before: Sequence[Extraction]) -> int:
    """How many of the branch's first turns were extracted already; none where the file is not what it was."""
    last = max(before, key=lambda each: each.n_bytes, default=None)
    if last is None or last.n_bytes > session.n_bytes:
        return 0
    if last.sha256 != session.sha256 and last.sha256 != session.turns.prefix_sha256(last.n_bytes):
        return 0
    return session.turns.shared_with([each.branch for each in before if each.branch], last.n_bytes)


def _not_staged(
    store: Store, session: Session, candidates: Sequence[Candidate], before: Sequence[Extraction]
) -> tuple[list[Candidate], int]:
    """The candidates that this session did not give before, and how many it did."""
    known = {digest for each in before for digest in each.digests}
    files = [file for file in staging.read_all(store.paths)[0] if file.session_id == session.id]
    known |= {candidate.digest for file in files for candidate in file.candidates}
    # A crash may have cut off what a run remembers of a session, and another run may have emptied staging since.
    settled = {key for key, life in Ledger.of(ledger.known(store.paths)).lives.items() if life.is_settled}
    known |= {each.digest for each in candidates if each.key(session.id) in settled} if settled else set()
    fresh = list({each.digest: each for each in candidates if each.digest not in known}.values())
    return fresh, sum(each.digest in known for each in candidates)


def scrubbed(candidate: Candidate, scrubber: Scrubber, masked: dict[str, int]) -> Candidate:
    """The same with every secret masked, in whatever field; `masked` counts them by kind."""

    def text(value: str) -> str:
        done = scrubber.scrub_text(value)
        for kind, n in done.counts.items():
            masked[kind] = masked.get(kind, 0) + n
        return done.text

    def evidence(each: Evidence) -> Evidence:
        return replace(each, excerpt=text(each.excerpt))

    clean = replace(
        candidate,
        title=text(candidate.title),
        summary=text(candidate.summary),
        body=text(candidate.body),
        tripwires=tuple(map(text, candidate.tripwires)),
        evidence=tuple(map(evidence, candidate.evidence)),
        supersedes=tuple(map(text, candidate.supersedes)),
    )
    # Triggers and tags may be words of a text, in another spelling: none that only a masked secret had is kept.
    secret = _words(candidate) - _words(clean)

    def telling(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text(value) for value in values if secret.isdisjoint(terms(value)))

    clean = replace(clean, triggers=telling(candidate.triggers), tags=telling(candidate.tags))
    return repaired(clean) if candidate.triggers and not clean.triggers else clean


def _words(candidate: Candidate) -> set[str]:
    """The words of everything it says."""
    said = (candidate.title, candidate.summary, candidate.body, *candidate.tripwires)
    return set(terms("\n".join((*said, *(each.excerpt for each in candidate.evidence)))))


def _kept(store: Store, held: HeldLock, report: ExtractionReport, before: Sequence[Extraction]) -> ExtractionReport:
    """Staged first, then remembered; nothing is written where nothing is new."""
    session = report.session
    if report.candidates:
        done = staging.stage(store, held, session.id, report.candidates)
        file = store.paths.relative(store.paths.staging / done.file.name)
        report = replace(report, candidates=done.added, file=file, quarantined=done.quarantined)
    now = Extraction(
        session_id=session.id,
        path=store.scrubber.scrub_text(session.path).text,
        sha256=session.sha256,
        n_bytes=session.n_bytes,
        branch=session.branch,
        n_turns=report.n_turns,
        extractor=report.extractor,
        at=report.as_of,
        digests=tuple(candidate.digest for candidate in report.candidates),
    )
    is_new = not any(
        (each.sha256, each.n_bytes, each.branch, each.extractor) == (now.sha256, now.n_bytes, now.branch, now.extractor)
        for each in before
    )
    if is_new or report.candidates:
        extraction.remember(store, held, now)
    return report
