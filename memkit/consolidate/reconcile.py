"""From staging to records: each candidate meets its fate, durably, in a stable order, or stays where it is.

    settled before -> taken out · malformed -> dead letter · nothing near -> added
    something near -> rules, then whoever else can be asked -> added, duplicate, superseding, merged, discarded
    nobody can tell -> stays staged · asked three times in vain -> dead letter · its record was edited -> stays staged

Nothing is deleted from canonical memory. The ledger's line is the point of no return of each candidate (see
`store.pending`); staging files are rewritten once, at the end, so that a crash costs at most a second look. A second
run over the same input changes no byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from memkit import clock as clocks
from memkit.consolidate.adjudicate import Adjudicator, Question, Verdict, check
from memkit.consolidate.corpus import Corpus, Near, body_of, joined, with_source
from memkit.consolidate.extract import scrubbed
from memkit.consolidate.lint import lint_record
from memkit.consolidate.report import ConsolidationReport, Outcome
from memkit.errors import InvalidInputError, ModelError
from memkit.model.candidate import KIND_OF, Candidate, Malformed, cut, faults, repaired
from memkit.model.event import Event
from memkit.model.frozen import FrozenMapping
from memkit.model.ledger import STAYING, Fate, Happened, Ledger, LedgerLine, Life
from memkit.model.record import Record, RecordDamage, record_hash
from memkit.model.slugs import free_slug
from memkit.store import deadletters, ledger, look, pending, record_events, staging
from memkit.store.candidate_files import Item, name_of
from memkit.store.deadletters import DeadLetter
from memkit.store.lock import HeldLock
from memkit.store.pending import NewBytes
from memkit.store.staging import StagingFile
from memkit.store.store import Store

MAX_ATTEMPTS: Final = 3
BATCH: Final = 64
Progress = Callable[[Iterable[tuple[StagingFile, Item]]], Iterable[tuple[StagingFile, Item]]]


@dataclass(slots=True)
class _Fate:
    """What one candidate comes to, before it is on disk."""

    outcome: Outcome
    digest: str
    turns: tuple[int, int] = (0, 0)
    changes: list[NewBytes] = field(default_factory=list)
    letter: DeadLetter | None = None
    trims: bool = False
    item: Item | None = None
    clean: Candidate | None = None  # scrubbed and repaired
    examined: int = 0  # how many records the run had changed by then


class Reconciler:
    """One run.

    Args:
        store: Whose.
        adjudicators: Who is asked, in this order.
        held: The canonical-writer lock; None for a dry run, which writes nothing and asks no model.
        run_id: Of the run, as in the audit log.
        recovered: Lines of the ledger that a dry run takes for written: of dead letters that would come back.
    """

    def __init__(
        self,
        store: Store,
        adjudicators: Sequence[Adjudicator],
        *,
        held: HeldLock | None,
        run_id: str,
        recovered: Iterable[LedgerLine] = (),
    ) -> None:
        self._store = store
        self._adjudicators = adjudicators
        self._held = held
        self._run = run_id
        self._now = store.clock.now()
        self._corpus = Corpus(store.paths)
        self._ledger = Ledger.of(ledger.known(store.paths))
        for line in recovered:
            self._ledger.take(line)
        self._letters = {_letter_key(each) for each in deadletters.read_letters(store.paths)[0]}
        self._fates: dict[str, _Fate] = {}
        self._settled: set[str] = set()  # keys that have left staging
        self._batch: list[_Fate] = []
        self._n_batches = 0
        self._n_changes = 0
        self._masked: dict[str, int] = {}
        self._written: dict[str, None] = {}
        self._edited: dict[str, None] = {}

    @property
    def report(self) -> ConsolidationReport:
        """What the run did so far, or would do."""
        fates = list(self._fates.values())
        return ConsolidationReport(
            dry_run=self._held is None,
            rows=tuple(each.outcome for each in fates),
            as_of=self._now,
            run_id=self._run,
            written=tuple(self._written),
            edited=tuple(path for path in self._edited if path not in self._written),
            n_trimmed=sum(each.trims and each.outcome.fate == "merged" for each in fates),
            masked=FrozenMapping(self._masked),
            problems=self._corpus.problems,
        )

    def run(self, files: Sequence[StagingFile], progress: Progress | None = None) -> None:
        """Reconcile the candidates of some staging files, in order.

        Raises:
            StoreError: what is on disk is whole; the rest is as before.
        """
        items: Iterable[tuple[StagingFile, Item]] = ((file, item) for file in files for item in file.items)
        for file, item in items if progress is None else progress(items):
            key, digest = name_of(file.session_id, item)
            if key in self._fates or self._is_settled(key):
                continue
            self._meet(file.session_id, item, key, digest)
        self._flush()
        self._look_again()
        if self._held is not None:
            for file in files:
                self._take_out(file)

    def _meet(self, session_id: str, item: Item, key: str, digest: str, clean: Candidate | None = None) -> _Fate:
        fate = self._fate_of(session_id, item, key, digest, clean)
        fate.item, fate.examined = item, self._n_changes
        self._fates[key] = fate
        self._batch.append(fate)
        if len(self._batch) >= BATCH:
            self._flush()
        return fate

    def _look_again(self) -> None:
        """What nobody could tell may be plain by now: records were added or superseded since. Until nothing changes."""
        while True:
            open_ones = [
                fate
                for fate in self._fates.values()
                if fate.outcome.reason == "needs_verdict" and fate.item is not None and fate.examined < self._n_changes
            ]
            if not open_ones:
                return
            for fate in open_ones:
                about = fate.outcome
                self._meet(about.session_id, fate.item, about.key, fate.digest, fate.clean)  # type: ignore[arg-type]
            self._flush()

    def _is_settled(self, key: str) -> bool:
        """Whether the ledger knows that this candidate has left staging; one that somebody brought back has not."""
        life = self._ledger.lives.get(key)
        if life is None or not life.is_settled or (life.fate == "dead_lettered" and key not in self._letters):
            return False
        self._settled.add(key)
        return True

    # -- deciding ------------------------------------------------------------------------------------------------

    def _fate_of(self, session_id: str, item: Item, key: str, digest: str, clean: Candidate | None) -> _Fate:
        if isinstance(item, Malformed):
            return self._bury(_Fate(_outcome(key, session_id, item), digest), item, f"malformed:{item.reason}")
        life = self._ledger.lives.get(key, Life(key))
        attempts = max(item.reconcile_attempts, life.attempts if life.fate != "dead_lettered" else 0)
        fate = _Fate(replace(_outcome(key, session_id, item), attempts=attempts), digest, _turns(item))
        if item.scope != "project":
            return _stays(fate, "other_scope")
        if clean is None:
            clean = repaired(scrubbed(item, self._store.scrubber, self._masked))
            wrong = faults(clean)
            if wrong:
                return self._bury(fate, item, wrong[0].reason)
        fate.clean = clean
        near = self._corpus.near(clean)
        if near:
            fate.outcome = replace(fate.outcome, alike=near[0].alike)
        elif not self._a_person_says(Question(clean, key, session_id, near)):
            return self._apply(fate, item, clean, Verdict("distinct"), "")
        return self._ask(fate, item, clean, near)

    def _a_person_says(self, question: Question) -> bool:
        return any(each.asks == "person" and not each.ready(question) for each in self._adjudicators)

    def _ask(self, fate: _Fate, item: Candidate, clean: Candidate, near: tuple[Near, ...]) -> _Fate:
        question = Question(clean, fate.outcome.key, fate.outcome.session_id, near)
        why, was_asked = "needs_verdict", False
        for adjudicator in self._adjudicators:
            reason = adjudicator.ready(question)
            if reason:
                why = reason if adjudicator.asks == "model" else why
                continue
            try:
                if adjudicator.asks == "model":
                    if self._held is None:
                        why = "would_ask"
                        continue
                    was_asked = True
                    self._note_attempt(fate, adjudicator)
                verdict = adjudicator.decide(question)
                if verdict is not None:
                    return self._apply(fate, item, clean, check(verdict), adjudicator.name)
                why = "undecided" if was_asked else why
            except ModelError as error:
                why = "model_error"
                fate.outcome = replace(fate.outcome, why=self._store.scrubber.scrub_text(error.what).text)
            except InvalidInputError as error:  # a verdict that cannot be carried out
                why = "bad_verdict"
                fate.outcome = replace(fate.outcome, why=error.what)
            except KeyboardInterrupt:
                if was_asked:
                    self._line_alone("withdrawn", fate, adjudicator.name)
                raise
        if was_asked and fate.outcome.attempts >= MAX_ATTEMPTS:
            return self._bury(fate, item, why)
        return _stays(fate, why)

    def _note_attempt(self, fate: _Fate, adjudicator: Adjudicator) -> None:
        """What is decided goes to disk, and the attempt with it, before anybody is asked."""
        self._flush()
        fate.outcome = replace(fate.outcome, attempts=fate.outcome.attempts + 1)
        self._line_alone("attempt", fate, adjudicator.name)

    def _line_alone(self, event: Happened, fate: _Fate, adjudicator: str) -> None:
        if self._held is None:
            return
        line = replace(self._line(fate), event=event, fate=None, n=fate.outcome.attempts, adjudicator=adjudicator)
        ledger.append(self._store, self._held, [line])
        self._ledger.take(line)

    # -- carrying out --------------------------------------------------------------------------------------------

    def _apply(self, fate: _Fate, item: Candidate, clean: Candidate, verdict: Verdict, by: str) -> _Fate:
        fate.outcome = replace(fate.outcome, adjudicator=by, why=verdict.reason)
        if verdict.decision == "discard":
            return _met(fate, "discarded")
        if verdict.decision == "distinct":
            return self._add(fate, item, "added", self._record_of(fate, clean, body_of(clean)))
        target = self._corpus.get(verdict.target)
        if target is None or not target.record.is_active or target.record.kind != clean.kind:
            raise InvalidInputError(f"{verdict.target!r:.120} is no active record of this kind", field="target")
        if verdict.seen.get(verdict.target, target.sha256) != target.sha256:
            return _conflict(fate, verdict.target)
        old = target.record
        if verdict.decision == "duplicate":
            used = replace(old, reinforcement_count=old.reinforcement_count + 1, last_seen_at=self._now)
            fate.changes = [self._corpus.put(with_source(used, _source(fate)))]
            self._n_changes += 1
            return _met(fate, "duplicate", old.path)
        if verdict.decision == "supersedes":
            return self._add(fate, item, "superseding", self._record_of(fate, clean, body_of(clean), old), old)
        said = scrubbed(replace(clean, body=verdict.body.strip()), self._store.scrubber, self._masked).body
        body = said or joined(old.body, body_of(clean))
        fate.trims = len(body) < len(old.body)
        return self._add(fate, item, "merged", self._record_of(fate, clean, body, old, merges=True), old)

    def _record_of(
        self, fate: _Fate, clean: Candidate, body: str, old: Record | None = None, *, merges: bool = False
    ) -> Record:
        title = old.title if old is not None and merges else clean.title
        kept = old if merges else None
        return Record(
            slug=free_slug(title, self._corpus.names, fallback=clean.kind),
            kind=KIND_OF[clean.category],  # type: ignore[arg-type]  # the kinds of records are these
            body=body,
            created_at=self._now,
            updated_at=self._now,
            sources=_both(kept.sources if kept else (), (_source(fate),)),
            supersedes=(old.slug,) if old else (),
            triggers=_both(kept.triggers if kept else (), clean.triggers),
            tags=_both(kept.tags if kept else (), clean.tags),
            reinforcement_count=kept.reinforcement_count if kept else 0,
            last_seen_at=kept.last_seen_at if kept else None,
        )

    def _add(self, fate: _Fate, item: Candidate, met: Fate, record: Record, old: Record | None = None) -> _Fate:
        found = [f for f in lint_record(record, self._corpus.neighbours, self._store.scrubber) if f.is_error]
        if found:
            fate.outcome = replace(fate.outcome, why=", ".join(dict.fromkeys(f.code for f in found)))
            return self._bury(fate, item, "linter_failed")
        try:
            fate.changes = [self._corpus.put(record)]
        except RecordDamage as damage:
            fate.outcome = replace(fate.outcome, why=str(damage))
            return self._bury(fate, item, "linter_failed")
        if old is not None:
            flipped = replace(old, status="superseded", superseded_by=record.slug, updated_at=self._now)
            fate.changes.append(self._corpus.put(flipped))
        self._n_changes += 1
        return _met(fate, met, record.path)

    def _bury(self, fate: _Fate, item: Item, reason: str) -> _Fate:
        outcome = fate.outcome
        fate.letter = DeadLetter(
            session_id=outcome.session_id,
            produced_at=clocks.iso(self._now),
            attempts=outcome.attempts,
            last_gate_reason=reason,
            category=item.category,
            candidate=replace(item, reconcile_attempts=outcome.attempts) if isinstance(item, Candidate) else item,
        )
        return _met(fate, "dead_lettered", reason=reason)

    # -- writing -------------------------------------------------------------------------------------------------

    def _flush(self) -> None:
        """Put the batch on disk: dead letters, then the ledger with the records."""
        batch, self._batch = self._batch, []
        if not batch:
            return
        self._find_conflicts(batch)
        if self._held is None:
            for fate in batch:
                self._count(fate)
            return
        for fate in batch:
            if fate.letter is not None:
                deadletters.bury(self._store, self._held, fate.letter)
                self._letters.add(fate.outcome.key)
        lines = [(self._line(fate), fate.changes) for fate in batch if self._is_news(fate)]
        if lines:
            name = f"{self._run}-{self._n_batches}"
            self._n_batches += 1
            for line in pending.commit(self._store, self._held, lines, name=name):
                self._ledger.take(line)
        events: list[Event] = []
        for fate in batch:
            self._count(fate)
            events += self._events(fate)
            if fate.outcome.fate not in STAYING:
                self._settled.add(fate.outcome.key)
        record_events.say(self._store, self._held, events)

    def _find_conflicts(self, batch: Sequence[_Fate]) -> None:
        """Whoever would change a record that has other bytes by now, or that comes of such a change, does not."""
        edited: set[str] = set()
        touched: set[str] = set()
        for fate in batch:
            for change in fate.changes:
                if change.path not in touched and self._hash_on_disk(change.path) != change.before_hash:
                    edited.add(change.path)
                touched.add(change.path)
            hit = [change.path for change in fate.changes if change.path in edited]
            if hit:
                edited |= {change.path for change in fate.changes}
                _conflict(fate, hit[0])
        for path in edited:
            self._corpus.take_back(path)

    def _hash_on_disk(self, path: str) -> str | None:
        data = look.read_bytes(self._store.paths.folder / path)
        return None if data is None else record_hash(data)

    def _is_news(self, fate: _Fate) -> bool:
        """Whether the ledger does not say this already."""
        outcome, life = fate.outcome, self._ledger.lives.get(fate.outcome.key)
        same = life is not None and (life.fate, life.reason, life.record) == (
            outcome.fate, outcome.reason, outcome.record
        )  # fmt: skip
        return not (same and outcome.fate in STAYING)

    def _line(self, fate: _Fate) -> LedgerLine:
        outcome = fate.outcome
        return LedgerLine(
            event="fate",
            at=self._now,
            run=self._run,
            key=outcome.key,
            session_id=outcome.session_id,
            category=outcome.category,
            digest=fate.digest,
            turns=fate.turns,
            fate=outcome.fate,
            reason=outcome.reason,
            record=outcome.record,
            adjudicator=outcome.adjudicator,
        )

    def _count(self, fate: _Fate) -> None:
        for change in fate.changes:
            (self._written if change.before_hash is None else self._edited)[change.path] = None

    def _events(self, fate: _Fate) -> Iterable[Event]:
        outcome = fate.outcome
        for change in fate.changes:
            folder, _, name = change.path.partition("/")
            held = self._corpus.get(change.path)
            detail = {
                "run_id": self._run,
                "kind": held.record.kind if held else ("domain" if folder == "knowledge" else "lesson"),
                "slug": name.removesuffix(".md"),
                "path": change.path,
                "before_hash": change.before_hash,
                "after_hash": record_hash(change.data),
                "reason": outcome.fate,
            }
            op = "write" if change.before_hash is None else "edit"
            yield Event("record_operation", op, detail={k: v for k, v in detail.items() if v is not None})
        if outcome.fate == "conflict":
            name = outcome.record.rpartition("/")[2].removesuffix(".md")
            about = {"run_id": self._run, "slug": name, "path": outcome.record, "reason": "conflict"}
            yield Event("record_operation", "edit", "failed", about)
        if outcome.reason == "linter_failed":
            about = {"run_id": self._run, "kind": KIND_OF.get(outcome.category, ""), "reason": "linter_failed"}  # type: ignore[call-overload]
            yield Event("record_operation", "write", "failed", {**about, "findings": outcome.why.split(", ")})

    def _take_out(self, file: StagingFile) -> None:
        """Write a staging file without what has left it, with the attempts of what stays; if that changes anything."""
        if self._held is None:
            return
        now = staging.read_file(self._store.paths, file.name)
        if now is None:
            return
        items: list[Item] = []
        for item in now.items:
            key, _ = name_of(now.session_id, item)
            if key in self._settled:
                continue
            fate = self._fates.get(key)
            if fate is not None and isinstance(item, Candidate):
                item = replace(item, reconcile_attempts=fate.outcome.attempts)  # noqa: PLW2901
            items.append(item)
        if tuple(items) != now.items:
            staging.write(self._store, self._held, replace(now, items=tuple(items)))


def _outcome(key: str, session_id: str, item: Item) -> Outcome:
    title = cut(item.title or item.text, 120) if isinstance(item, Candidate) else f"(malformed: {item.reason})"
    return Outcome(key, session_id, item.category, " ".join(title.split()), "restaged")


def _letter_key(letter: DeadLetter) -> str:
    return name_of(letter.session_id, letter.candidate)[0]


def _turns(item: Candidate) -> tuple[int, int]:
    known = [each for each in item.evidence if each.first_turn]
    return (min(e.first_turn for e in known), max(e.last_turn for e in known)) if known else (0, 0)


def _source(fate: _Fate) -> str:
    first, last = fate.turns
    turns = "" if not first else f", turn {first}" if first == last else f", turns {first}-{last}"
    return f"session {cut(' '.join(fate.outcome.session_id.split()), 200)}{turns}"


def _both(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))


def _met(fate: _Fate, met: Fate, record: str = "", *, reason: str = "") -> _Fate:
    fate.outcome = replace(fate.outcome, fate=met, record=record, reason=reason)
    return fate


def _stays(fate: _Fate, reason: str) -> _Fate:
    return _met(fate, "restaged", reason=reason)


def _conflict(fate: _Fate, record: str) -> _Fate:
    fate.changes, fate.letter, fate.trims = [], None, False
    return _met(fate, "conflict", record, reason="record_edited")
