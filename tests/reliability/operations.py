"""Every public operation that changes files, each with the state it has work in. The tiers are loops over this table.

A `Bench` is a store with its ledger. `before` brings it into the state in which the operation has something to do (a
missing index, a torn tail, damage to repair, an unfinished wipe); `run` does the operation through the public surface
and tells the ledger what was acknowledged. A test fails when a public operation is in neither this table nor the list
of those that only read.

A process of its own is started for every crash point: what only some operations need is imported where they need it.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import itertools
import json
import pathlib
import shutil
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memkit.clock import FixedClock
from memkit.model import jsontext
from memkit.model import ledger as consolidation
from memkit.model.candidate import Candidate, read_candidate
from memkit.model.event import Event
from memkit.model.mark import MARK_KINDS
from memkit.model.record import Record, read_record, write_record
from memkit.store import (
    acknowledgements,
    audit_compacted,
    audit_log,
    canonical,
    deadletters,
    external_edits,
    extraction,
    firings,
    ledger,
    leftovers,
    look,
    marks,
    pending,
    prune,
    records,
    saved_queries,
    seen_records,
    staging,
    trash,
    trash_plans,
)
from memkit.store.audit_forget import forget_text
from memkit.store.repair import repair
from memkit.store.store import Store
from memkit.store.wipe import wipe
from tests.reliability.stores import (
    AFTER_A_CRASH,
    AFTER_A_CUT_REPAIR,
    Ledger,
    fingerprint,
    imported,
    new,
    open_store,
    quietly,
    violations,
)

if TYPE_CHECKING:
    from memkit.consolidate.record_tools import RecordTools

PROJECT = "/projects/demo"
_FORGOTTEN = "to be forgotten"


@dataclass
class Bench:
    """A store and its ledger; `root` holds nothing else but a folder for the settings file."""

    root: pathlib.Path
    ledger: Ledger = field(default_factory=Ledger)
    project: str = PROJECT
    made: int = 0
    wait_seconds: float = 5.0

    @property
    def store(self) -> Store:
        """Opened anew each time, as another command would."""
        return open_store(self.root / "root", self.project, wait_seconds=self.wait_seconds)

    @property
    def config_file(self) -> pathlib.Path:
        return self.root / "config" / "memkit" / "config.toml"

    def fresh(self, n: int) -> list[str]:
        """Markers never used before, under way from now on."""
        markers = [f"m{self.made + i:04d}" for i in range(n)]
        self.made += n
        self.ledger.may.update(markers)
        return markers

    def fill(self, n: int = 3) -> Bench:
        """Store entries before anything is tried."""
        self.ledger.acknowledge(self.store.store_many([new(marker) for marker in self.fresh(n)]))
        return self

    def copy(self, to: pathlib.Path) -> Bench:
        """The same bench in another folder."""
        shutil.copytree(self.root, to, symlinks=True)
        return Bench(to, self.ledger.copy(), self.project, self.made, self.wait_seconds)

    def problems(
        self, operation: Operation, *, thorough: bool = True, allowed: frozenset[str] | None = None
    ) -> list[str]:
        """What is wrong now, in the store or the settings file."""
        found = violations(
            self.root / "root",
            self.ledger,
            project=self.project,
            allowed=operation.allowed if allowed is None else allowed,
            thorough=thorough,
        )
        return found + (operation.also(self) if operation.also else [])


@dataclass(frozen=True)
class Operation:
    """One row of the table.

    Attributes:
        name: Of the row.
        covers: Public names it stands for, such as `Store.store_many`.
        run: Does it.
        before: Makes work for it.
        allowed: What `verify` may say after it was cut off.
        also: Further checks.
        moves: The ids it moves to the trash or back, and those it erases there, as things stand before it.
        in_pairs: Part of the sequences of two.
        heavy: Needs the analytic libraries; left out of the tiers that start a process for each case.
    """

    name: str
    covers: tuple[str, ...]
    run: Callable[[Bench], Any]
    before: Callable[[Bench], Any] = lambda bench: None
    allowed: frozenset[str] = AFTER_A_CRASH
    also: Callable[[Bench], list[str]] | None = None
    moves: Callable[[Bench], tuple[list[str], list[str]]] = lambda bench: ([], [])
    in_pairs: bool = True
    heavy: bool = False

    def __str__(self) -> str:
        return self.name

    def begin(self, bench: Bench) -> None:
        """Tell the ledger what is under way from now on, where another process does it."""
        moved, erased = self.moves(bench)
        ledger = bench.ledger
        for entry_id in moved:
            source = ledger.trashed if entry_id in ledger.trashed else ledger.must
            ledger.moving[entry_id] = source.pop(entry_id)
            files = (bench.store.paths.entry_file(entry_id), bench.store.paths.trash_file(entry_id))
            ledger.envelopes[entry_id] = next(_sha256(file) for file in files if file.exists())
        for entry_id in erased:
            ledger.may.add(ledger.trashed.pop(entry_id))


# -- what is done ---------------------------------------------------------------------------------------------------


def _store(bench: Bench) -> None:
    (marker,) = bench.fresh(1)
    bench.ledger.acknowledge(bench.store.store_many([new(marker)]))


def _store_batch(bench: Bench) -> None:
    markers = bench.fresh(3)
    bench.ledger.acknowledge(bench.store.store_many([new(marker, padding=700 * i) for i, marker in enumerate(markers)]))


def _import(bench: Bench) -> None:
    marker, newer = bench.fresh(2)
    older = next(iter(bench.ledger.must), None)
    requests = [imported(marker), imported(newer, replaces=older)]
    bench.ledger.acknowledge(bench.store.store_many(requests, op="import"))


def _repair(bench: Bench) -> None:
    if not repair(bench.store, dry_run=False).problems_left:
        bench.ledger.unlisted.clear()


def _wipe(bench: Bench) -> None:
    bench.ledger.wiping = True
    bench.ledger.kept.clear()
    wipe(bench.store, confirm="demo")
    bench.ledger.gone |= {*bench.ledger.must.values(), *bench.ledger.trashed.values()}
    bench.ledger.must.clear()
    bench.ledger.trashed.clear()
    bench.ledger.lost.clear()
    bench.ledger.unlisted.clear()
    bench.ledger.kept.clear()
    bench.ledger.records.clear()
    bench.ledger.wiping = False


def _sweep(bench: Bench) -> None:
    leftovers.sweep(bench.store.paths)


def _consented(bench: Bench, *, enabled: bool) -> None:
    from memkit.settings import Environment
    from memkit.store.consent import record_consent

    record_consent(Environment(home=bench.root, config_file=bench.config_file), bench.project, enabled=enabled)


def _enable(bench: Bench) -> None:
    _consented(bench, enabled=True)


def _disable(bench: Bench) -> None:
    _consented(bench, enabled=False)


def _acknowledge(bench: Bench) -> None:
    acknowledgements.acknowledge(
        bench.store, tripwire_id="0123456789abcdef", entry_id="0" * 32, evidence="e" * 16, reason="seen by the harness"
    )


def _to_reconcile(bench: Bench) -> None:
    """One of each: to be added, a duplicate, one that supersedes a record, one that needs a person, one that is none."""
    place = bench.store.paths.memory / "we-keep-the-old-queue.md"
    old = Record("we-keep-the-old-queue", "decision", "# We keep the old queue\n\nIt is enough for all we know.")
    _place(place, write_record(old))
    place.parent.chmod(0o700)
    new = [
        Candidate(
            "lessons", "Measure the lease", "s", "Measure the lease before you blame the queue.", triggers=("lease",)
        ),
        Candidate("domain", "Ferries", "s", "Ferries run every twenty minutes in summer."),
        Candidate("decisions", "Old queue", "s", "We keep the old queue, it is not enough for all that we know now."),
        Candidate(
            "decisions", "We take another queue", "s", "It has more room.", supersedes=("We keep the old queue",)
        ),
    ]
    again = replace(new[0], body="measure the lease, before you blame the queue")
    long = Candidate("domain", "Long", "s", "A body of many words. " * 1_000)
    root = bench.store.paths.project_path
    for name, items in (("s1", new), ("s2", [again, long])):
        file = staging.StagingFile(f"{name}.json", name, None, root, tuple(items))
        _place(bench.store.paths.staging / file.name, jsontext.dumps(file.to_dict()))
    bench.store.paths.staging.chmod(0o700)


def _consolidate(bench: Bench) -> Any:
    from memkit.consolidate.adjudicate import RuleAdjudicator
    from memkit.consolidate.consolidating import consolidate

    return consolidate(bench.store, [RuleAdjudicator()])


def _balanced(bench: Bench) -> list[str]:
    """Each candidate has one fate and stands where that says; the next run ends it; the one after changes no byte."""
    from memkit.consolidate.balance import balance

    paths = bench.store.paths
    found = [f"{key} is nowhere" for key in balance(paths).unaccounted]
    _consolidate(bench)
    done = balance(paths)
    found += [f"{key} is nowhere after the next run" for key in done.unaccounted]
    fates = {fate: n for fate, n in done.fates.items() if n}
    if fates != {"added": 2, "duplicate": 1, "superseding": 1, "restaged": 1, "dead_lettered": 1}:
        found.append(f"the ledger says {fates}")
    by_slug = {record.slug: record for record in records.read_all(paths).records}
    old = by_slug["we-keep-the-old-queue"]
    if len(by_slug) != 4 or old.superseded_by != "we-take-another-queue":
        found.append(f"records: {sorted(by_slug)}, the old one superseded by {old.superseded_by}")
    if by_slug.get("measure-the-lease") and by_slug["measure-the-lease"].reinforcement_count != 1:
        found.append(f"reinforced {by_slug['measure-the-lease'].reinforcement_count} times")
    places = (paths.staging, paths.deadletter, paths.memory, paths.knowledge, paths.state)
    seen = [fingerprint(place) for place in places]
    _consolidate(bench)
    return found + (["a second run changed a byte"] if [fingerprint(place) for place in places] != seen else [])


def _review(bench: Bench) -> Any:
    """A person says what each candidate is; one whose fate was written down before a crash keeps that fate."""
    from memkit.consolidate.review import Review

    review = Review(bench.store)
    for item in review:
        if any(near.record.slug == "we-keep-the-old-queue" for near in item.targets):
            review.decide(item.key, "supersedes", "we-keep-the-old-queue")
        else:
            review.decide(item.key, "discard")
    return review.apply()


def _reviewed(bench: Bench) -> list[str]:
    """Each candidate has one fate; applying again ends it, and the one after changes no byte."""
    from memkit.consolidate.balance import balance

    paths = bench.store.paths
    found = [f"{key} is nowhere" for key in balance(paths).unaccounted]
    _review(bench)
    done = balance(paths)
    found += [f"{key} is nowhere after the next review" for key in done.unaccounted]
    fates = {fate: n for fate, n in done.fates.items() if n}
    if fates != {"superseding": 1, "discarded": 1}:
        found.append(f"the ledger says {fates}")
    old = read_record("memory", "we-keep-the-old-queue", (paths.memory / "we-keep-the-old-queue.md").read_bytes())
    newer = [record.slug for record in records.read_all(paths).records if record.supersedes == (old.slug,)]
    if len(newer) != 1 or old.superseded_by != newer[0]:
        found.append(f"the old record is superseded by {old.superseded_by}, which {newer} would do")
    places = (paths.staging, paths.memory, paths.knowledge, paths.state)
    seen = [fingerprint(place) for place in places]
    _review(bench)
    return found + (["a second review changed a byte"] if [fingerprint(place) for place in places] != seen else [])


def _to_review(bench: Bench) -> None:
    """A candidate that replaces a record, as a person knows, and one that is worth nothing."""
    place = bench.store.paths.memory / "we-keep-the-old-queue.md"
    old = Record("we-keep-the-old-queue", "decision", "# We keep the old queue\n\nIt is enough for all we know.")
    _place(place, write_record(old))
    place.parent.chmod(0o700)
    store = bench.store
    with canonical.writing(store, "stage") as held:
        waiting = [
            Candidate(
                "decisions", "Old queue", "s", "We keep the old queue, it is not enough for all that we know now."
            ),
            Candidate("domain", "Ferries", "s", "Ferries run every twenty minutes in summer."),
        ]
        staging.stage(store, held, "session", waiting)


def _fire(bench: Bench) -> None:
    _place(bench.store.paths.memory / "used.md", write_record(Record("used", "lesson", "# Used\n\nNow and then.")))
    bench.store.paths.memory.chmod(0o700)
    _note_uses(bench)


def _note_uses(bench: Bench) -> None:
    log = bench.store.firings
    with warnings.catch_warnings(action="ignore"):  # a use that cannot be written down is a warning
        log.note("recall", [*_listed(bench)[:2], "memory/used.md"])
        log.note("read", ["memory/used.md"])


def _firings_are_whole(bench: Bench) -> list[str]:
    """Each answer's lines are there, or none of them, or a crash cut the last."""
    read = firings.read(bench.store.paths)
    answers: dict[str, list[int]] = {}
    for each in read.firings:
        answers.setdefault(each.call, []).append(each.rank)
    found = [f"ranks {ranks}" for ranks in answers.values() if ranks != list(range(1, len(ranks) + 1))]
    return found + ([f"{len(read.problems)} damaged firings"] if len(read.problems) > 1 else [])


def _reinforce(bench: Bench) -> Any:
    from memkit.consolidate.consolidating import consolidate

    return consolidate(bench.store, [])


def gaps_in_history(bench: Bench) -> list[str]:
    """Each change of a record is in the log once, as soon as somebody has written or read records again."""
    store = bench.store
    if not store.exists:
        return []
    with quietly():
        with canonical.writing(store, "look"):
            pass
        external_edits.notice(store, records.read_all(store.paths), seen_records.read(store.paths))
    said: dict[str, list[tuple[str | None, str | None]]] = {}
    for event in audit_log.read_events(store.paths)[0]:
        if event.get("event") == "record_operation" and event["status"] == "done" and "path" in event:
            said.setdefault(str(event["path"]), []).append((event.get("before_hash"), event.get("after_hash")))
    there = {file.path: file.sha256 for file in records.read_all(store.paths).files}
    found = [f"{path}: no event says what is there" for path in there if path not in said]
    for path, changes in said.items():
        for (_, left), (before, after) in itertools.pairwise(changes):
            if before != left:
                found.append(f"{path}: its history breaks, or says something twice: {left} then {before} to {after}")
        if changes[-1][1] != there.get(path):
            found.append(f"{path}: its history does not end with what is there")
    return found


def _counted_once(bench: Bench) -> list[str]:
    """The next run ends it, and then every use was counted once; the one after changes no byte."""
    paths = bench.store.paths
    _reinforce(bench)
    record = read_record("memory", "used", (paths.memory / "used.md").read_bytes())
    found = (
        [] if record.reinforcement_count == 2 else [f"the record was used {record.reinforcement_count} times, not 2"]
    )
    uses = consolidation.Ledger.of(ledger.read(paths)[0]).uses
    counts = sorted((each.n_recalled, each.n_read) for each in uses.values())
    if counts != [(1, 0), (1, 0), (1, 1)]:
        found.append(f"the ledger counts {counts}")
    if look.exists(paths.firings):
        found.append("firings are left")
    places = (paths.memory, paths.state)
    seen = [fingerprint(place) for place in places]
    _reinforce(bench)
    return found + (["a second run changed a byte"] if [fingerprint(place) for place in places] != seen else [])


def _acknowledgements_are_whole(bench: Bench) -> list[str]:
    """Each line is a whole acknowledgement, or the one that a crash cut."""
    said, damaged = acknowledgements.read(bench.store.paths)
    found = [f"an acknowledgement says {each.reason!r}" for each in said if each.reason != "seen by the harness"]
    return found + ([f"{len(damaged)} damaged acknowledgements"] if len(damaged) > 1 else [])


def _candidate(marker: str) -> Candidate:
    return Candidate("decisions", title=marker, summary=marker, body=f"{marker} {'x' * 900} {marker}")


def _stage(bench: Bench) -> None:
    """Add to what is staged; what was there before has to stay."""
    store = bench.store
    with canonical.writing(store, "stage") as held:
        staging.stage(store, held, "session", [_candidate("second"), _candidate("third")])


def _staged_before(bench: Bench) -> None:
    store = bench.store
    with canonical.writing(store, "stage") as held:
        staging.stage(store, held, "session", [_candidate("first")])


def _staged_as_a_whole(bench: Bench) -> list[str]:
    """The candidates of before, or those and all new ones; each whole."""
    files, problems = staging.read_all(bench.store.paths)
    there = [each for file in files for each in file.candidates]
    found = [f"verify says {problem.code}" for problem in problems]
    found += [f"{each.title} is half a candidate" for each in there if not each.body.endswith(each.title)]
    titles = sorted(each.title for each in there)
    return found + ([] if titles in (["first"], ["first", "second", "third"]) else [f"staged are {titles}"])


def _letter(bench: Bench) -> deadletters.DeadLetter:
    file = staging.read_session(bench.store.paths, "session")
    (candidate,) = file.candidates if file else (_candidate("first"),)
    return deadletters.DeadLetter("session", "", 3, "model_error: timeout", "decisions", candidate)


def _bury(bench: Bench) -> None:
    """From staging to dead letters, in the order that loses nothing."""
    store = bench.store
    with canonical.writing(store, "bury") as held:
        file = staging.read_session(store.paths, "session")
        deadletters.bury(store, held, _letter(bench))
        if file:
            staging.write(store, held, replace(file, items=()))


def _buried_before(bench: Bench) -> None:
    _staged_before(bench)
    _bury(bench)


def _unbury(bench: Bench) -> None:
    """And back: a dead letter is removed once its candidate is staged."""
    store = bench.store
    with canonical.writing(store, "unbury") as held:
        for letter in deadletters.read_letters(store.paths)[0]:
            staging.stage(store, held, letter.session_id, [letter.candidate])
            deadletters.unbury(store, held, letter)


def _recover(bench: Bench) -> None:
    from memkit.consolidate.recover import recover

    recover(bench.store)


def _nowhere_lost(bench: Bench) -> list[str]:
    """The candidate is staged, or a dead letter, or for a moment both; never neither."""
    paths = bench.store.paths
    files, problems = staging.read_all(paths)
    letters, more = deadletters.read_letters(paths)
    there = [each for file in files for each in file.candidates] + [each.candidate for each in letters]
    found = [f"verify says {problem.code}" for problem in (*problems, *more)]
    found += ["a candidate is not whole" for each in there if not each.body.endswith("first")]
    return found + ([] if there else ["the candidate is gone"])


def _record(slug: str, marker: str) -> Record:
    padding = "x" * (3_000 + 7 * int(marker[1:]))
    return Record(slug, "lesson", f"# Record {marker}\n\n{padding}\n\nlength {len(padding)}", sources=("ladder",))


def _tools(bench: Bench) -> RecordTools:
    from memkit.consolidate.record_tools import RecordTools

    return RecordTools(bench.store, lambda: None)


def _write_record(bench: Bench) -> None:
    _written(bench, f"new-{bench.made}")


def _written(bench: Bench, slug: str, **more: Any) -> None:
    (marker,) = bench.fresh(1)
    _tools(bench).write("lesson", slug, body=_record(slug, marker).body, sources=["ladder"], **more)
    bench.ledger.records[slug] = marker


def _supersede_record(bench: Bench) -> None:
    _written(bench, f"newer-{bench.made}", supersedes=["kept"])


def _superseded_as_one(bench: Bench) -> list[str]:
    """The newer record is there and the older one says so, or neither; the next writer leaves nothing waiting."""
    found = _records_are_whole(bench)
    with canonical.writing(bench.store, "look"):
        pass
    there = {record.slug: record for record in records.read_all(bench.store.paths).records}
    newer = [slug for slug in there if slug.startswith("newer-")]
    said = there["kept"].superseded_by if "kept" in there else None
    if said not in newer if newer else said is not None:
        found.append(f"half of a supersession: {newer}, the older is superseded by {said}")
    return found + ["a change of records still waits" for _ in pending.waiting(bench.store.paths)]


def _edit_record(bench: Bench) -> None:
    (marker,) = bench.fresh(1)
    _tools(bench).edit("lesson", "kept", body=_record("kept", marker).body)
    bench.ledger.records["kept"] = marker


def _delete_record(bench: Bench) -> None:
    _tools(bench).delete("lesson", "kept", reason="tried by the ladder")
    bench.ledger.records["kept"] = None


def _a_record_in_the_trash(bench: Bench) -> None:
    """A record that was acknowledged and then deleted: it must not be lost on its way back."""
    _a_record(bench)
    _tools(bench).delete("lesson", "kept", reason="tried by the ladder")


def _restore_record(bench: Bench) -> None:
    _tools(bench).restore("kept")


def _erase_record(bench: Bench) -> None:
    from memkit.retention.erase_record import copies, erase_record

    if copies(bench.store.paths, "kept"):
        erase_record(bench.store, "kept", confirm=True, reason="tried by the ladder")
    bench.ledger.records.pop("kept", None)


def _a_deleted_record(bench: Bench) -> None:
    """A record, an older one of its name among the deleted ones, and a candidate that quotes it."""
    _a_record(bench)
    (record,) = records.read_all(bench.store.paths).records
    said = Candidate("lessons", "Said before", "s", record.body, triggers=("kept",))
    file = staging.StagingFile("s1.json", "s1", None, bench.store.paths.project_path, (said,))
    _place(bench.store.paths.staging / "s1.json", jsontext.dumps(file.to_dict()))
    _tools(bench).delete("lesson", "kept", reason="tried by the ladder")
    _a_record(bench)
    bench.ledger.records.pop("kept")


def _wholly_there_or_gone(bench: Bench) -> list[str]:
    """Each copy of a record being erased is as it was, or gone; what is left of it can be erased again."""
    from memkit.consolidate.balance import balance
    from memkit.retention.erase_record import copies, erase_record

    found = [each for each in _records_are_whole(bench) if "kept" not in each]
    found += [f"candidate {key} is nowhere" for key in balance(bench.store.paths).unaccounted]
    if copies(bench.store.paths, "kept"):
        left = erase_record(bench.store, "kept").removed
        found += [] if left else ["a record is there and nobody would erase it"]
    return found


def _a_record(bench: Bench) -> None:
    (marker,) = bench.fresh(1)
    _place(bench.store.paths.memory / "kept.md", write_record(_record("kept", marker)))
    bench.store.paths.memory.chmod(0o700)
    bench.ledger.records["kept"] = marker


def _edited_by_hand(bench: Bench) -> None:
    """A record memkit knows, changed in an editor, and one it does not know."""
    _written(bench, "kept")
    (marker,) = bench.fresh(1)
    _place(bench.store.paths.memory / "kept.md", write_record(_record("kept", marker)))
    bench.ledger.records["kept"] = marker
    _place(bench.store.paths.memory / "by-hand.md", write_record(_record("by-hand", marker)))


def _notice(bench: Bench) -> None:
    store = bench.store
    external_edits.notice(store, records.read_all(store.paths), seen_records.read(store.paths))


def _records_are_whole(bench: Bench) -> list[str]:
    """Every record is one that was written, as a whole; an acknowledged one is there, a deleted one is in the trash."""
    paths = bench.store.paths
    found = records.read_all(paths)
    there = {file.name: file for file in found.files}
    bad = [f"{problem.file}: {problem.detail}" for problem in found.problems]
    markers = {}
    for record in found.records:
        markers[record.slug] = marker = record.title.removeprefix("Record ")
        if record.body != _record(record.slug, marker).body:
            bad.append(f"{record.path} is half a record, or a mixture")
    trash = {
        read_record("memory", "kept", path.read_bytes()).title.removeprefix("Record ")
        for path in paths.deleted_records.glob("*.md")
    }
    for slug, marker in bench.ledger.records.items():
        under_way = bench.ledger.may | {marker}
        if marker is None:
            bad += [f"{slug} was deleted and is there"] if slug in there else []
            bad += [] if trash else [f"{slug} was deleted and is nowhere"]
        elif markers.get(slug) not in under_way and marker not in trash and not bench.ledger.wiping:
            bad.append(f"the record {slug} ({marker}) was acknowledged and is {markers.get(slug)}")
    return bad


def _audit_run(bench: Bench) -> None:
    """A worker's run: its start, its end, and a removal in between, which is flushed."""
    log = bench.store.audit
    with log.run(worker="memory_consolidation", trigger="manual") as run:
        log.record(Event("record_operation", "delete", detail={"slug": "seen", "reason": "by the harness"}))
        run.complete("no_record_changes")


def _audit_lines(bench: Bench) -> None:
    log = bench.store.audit
    for i in range(3):
        log.record(Event("record_usage", "recall", detail={"query": f"{_FORGOTTEN} {i}", "result_count": i}))


def _forget_text(bench: Bench) -> None:
    store = bench.store
    with store.audit.lock.held("forget") as held:
        forget_text(store.paths, held, lambda event: _FORGOTTEN in str(event.get("text")))
    bench.ledger.forgotten = True


def _forgotten_is_gone(bench: Bench) -> list[str]:
    """Once it returned, the text is nowhere; and the events are all still there."""
    logs = bench.store.paths.logs
    data = b"".join(path.read_bytes() for path in logs.glob("memory-*.log"))
    found = ["a forgotten text is in the log"] if bench.ledger.forgotten and _FORGOTTEN.encode() in data else []
    return found if data.count(b'"recall"') in {0, 3} else [*found, f"{data.count(b'recall')} events of 3"]


def _sha256(file: pathlib.Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _move(bench: Bench, ids: list[str], do: Callable[[], Any], source: dict[str, str], target: dict[str, str]) -> None:
    """Tell the ledger what a plan moves, do it, and tell where it is now."""
    moved = {entry_id: source.pop(entry_id) for entry_id in ids}
    bench.ledger.moving.update(moved)
    paths = bench.store.paths
    for entry_id in ids:
        files = [file for file in (paths.entry_file(entry_id), paths.trash_file(entry_id)) if file.exists()]
        bench.ledger.envelopes[entry_id] = _sha256(files[0])
    do()
    target.update(moved)
    for entry_id in ids:
        del bench.ledger.moving[entry_id]


def _listed(bench: Bench) -> list[str]:
    return [entry_id for entry_id in sorted(bench.ledger.must) if bench.store.paths.entry_file(entry_id).exists()]


def _prune(bench: Bench) -> None:
    ids, ledger = _listed(bench)[:2], bench.ledger
    due = dict.fromkeys(ids, ("max_age_days",))
    _move(bench, ids, lambda: prune.prune(bench.store, due, policy="0" * 16), ledger.must, ledger.trashed)


def _restore(bench: Bench) -> None:
    ids, ledger = sorted(bench.ledger.trashed)[:2], bench.ledger
    if not ids:  # a wipe came before
        return
    _move(bench, ids, lambda: prune.restore(bench.store, ids), ledger.trashed, ledger.must)


def _expire(bench: Bench) -> None:
    """Erase one entry in the trash while another goes there, by one plan; once that was begun, whoever stores ends it."""
    ledger = bench.ledger
    if not ledger.trashed or not _listed(bench):
        _store(bench)
        return
    gone, moved = min(ledger.trashed), _listed(bench)[0]
    ledger.may.add(ledger.trashed.pop(gone))
    due = {moved: ("max_results",)}
    _move(bench, [moved], lambda: prune.prune(bench.store, due, expired=[gone]), ledger.must, ledger.trashed)


def _settle(bench: Bench) -> None:
    """Prune so many that the index is written anew."""
    few, trash.SETTLE_AT = trash.SETTLE_AT, 1
    try:
        _prune(bench)
    finally:
        trash.SETTLE_AT = few


def _pin(bench: Bench) -> None:
    marks.put(bench.store, _listed(bench)[0], kind="pin", reason="kept by the harness")


def _unpin(bench: Bench) -> None:
    marks.take_off(bench.store, _listed(bench)[0], kind="pin", reason="kept by the harness")


def _hold(bench: Bench) -> None:
    marks.put(bench.store, _listed(bench)[0], kind="hold", reason="kept by the harness")


def _release(bench: Bench) -> None:
    marks.take_off(bench.store, _listed(bench)[0], kind="hold", reason="kept by the harness")


def _save_query(bench: Bench) -> None:
    saved_queries.save(bench.store, f"query {bench.made}")


def _drop_query(bench: Bench) -> None:
    saved_queries.drop(bench.store, f"query {bench.made}")


def _queries_are_whole(bench: Bench) -> list[str]:
    said, damaged = saved_queries.read(bench.store.paths)
    found = [f"a query says {each!r}" for each in said if not each.startswith("query ")]
    return found + ([f"{len(damaged)} damaged queries"] if len(damaged) > 1 else [])


def _with_retention(bench: Bench, number: int, do: Callable[[Any], Any], *, trash_days: int = 30) -> Any:
    """What a Memory offers about forgetting, under a policy that keeps so many entries."""
    from memkit.catalog.catalog import Catalog
    from memkit.model.policy import RetentionPolicy
    from memkit.retention.facade import Retention

    store = bench.store
    policy = RetentionPolicy(max_results=number, max_age_days="none", trash_days=trash_days)
    with Catalog([store], temp_directory=None) as catalog:
        retention = Retention(
            store,
            lambda: catalog,
            policy=policy,
            options=lambda limit: None,
            spill=lambda: None,
            changed=catalog.refresh,
        )
        return do(retention)


def _apply(bench: Bench) -> None:
    """Review, and apply exactly that: the two oldest go."""
    ids, ledger = _listed(bench)[:2], bench.ledger
    number = len(_listed(bench)) - len(ids)
    _move(
        bench,
        ids,
        lambda: _with_retention(bench, number, lambda retention: retention.review().apply(everything=True)),
        ledger.must,
        ledger.trashed,
    )


def _apply_and_expire(bench: Bench) -> None:
    """One goes to the trash, and one that was there for long enough goes from every file."""
    ids, ledger = _listed(bench)[:1], bench.ledger
    number = len(_listed(bench)) - len(ids)

    def apply() -> None:
        receipt = _with_retention(bench, number, lambda r: r.review().apply(everything=True), trash_days=0)
        assert receipt.scan is None or receipt.scan.n_found == 0
        ledger.gone.update(ledger.erasing.get(entry_id, entry_id) for entry_id in receipt.erased)

    _move(bench, ids, apply, ledger.must, ledger.trashed)


def _something_expired(bench: Bench) -> None:
    """An entry in the trash, in a snapshot of before, and what was derived from it."""
    _with_a_snapshot(bench)
    prune.prune(bench.store, dict.fromkeys(bench.ledger.erasing, ("max_age_days",)))


def _carry_on(bench: Bench) -> None:
    from memkit.retention.expiry import carry_on

    if carry_on(bench.store):
        bench.ledger.gone.update(bench.ledger.erasing.values())


def _cut_erasure(bench: Bench) -> None:
    """An erasure that was begun, and nothing more. With compacted days: tests/retention/test_expiry.py."""
    _with_a_snapshot(bench)
    ((entry_id, _),) = bench.ledger.erasing.items()
    line = {"schemaVersion": 1, "id": entry_id, "erasedAt": 1_700_000_000_000, "actor": "python", "reason": ""}
    _place(bench.store.paths.erasing, json.dumps(line).encode() + b"\n")


def _store_and_prune(bench: Bench) -> None:
    """Storing prunes by the same code; where a fault stands in the way, the oldest is moved or not, and never lost."""
    ids, ledger = _listed(bench)[:1], bench.ledger
    number = len(_listed(bench))
    for entry_id in ids:
        ledger.moving[entry_id] = ledger.must.pop(entry_id)
        ledger.envelopes[entry_id] = _sha256(bench.store.paths.entry_file(entry_id))
    _store(bench)
    for entry_id in _with_retention(bench, number, lambda retention: retention.after_storing()):
        ledger.trashed[entry_id] = ledger.moving.pop(entry_id)


def _marks_are_whole(bench: Bench) -> list[str]:
    found = []
    for kind in MARK_KINDS:
        said, damaged = marks.history(bench.store.paths, kind)
        found += [f"a {kind} says {each.reason!r}" for each in said if each.reason != "kept by the harness"]
        found += [f"{len(damaged)} damaged {kind}s"] if len(damaged) > 1 else []
    return found


def _session(bench: Bench) -> pathlib.Path:
    """A session of the user's, beside the store."""
    path = bench.root / "config" / "session.jsonl"
    said = "".join(
        f'{{"session_id": "s", "role": "user", "content": "Decision: number {n} {"x" * 400} stays."}}\n'
        for n in range(3)
    )
    if not path.exists():
        _place(path, said.encode())
    return path


def _extract(bench: Bench) -> None:
    from memkit.consolidate.extract import extract
    from memkit.consolidate.rules import RuleExtractor
    from memkit.importers.sessions.reading import read_session

    extract(bench.store, read_session(_session(bench)), extractor=RuleExtractor(), stored=tuple)


def _extracted_or_to_be(bench: Bench) -> list[str]:
    """What was remembered is staged; and the next run leaves all three staged, each once, and nothing to do."""
    from memkit.store import extraction

    before = {each.digest for file in staging.read_all(bench.store.paths)[0] for each in file.candidates}
    remembered = {digest for each in extraction.read(bench.store.paths)[0] for digest in each.digests}
    found = [] if remembered <= before else ["a session counts as extracted and its candidates are not staged"]
    _extract(bench)
    there = [each for file in staging.read_all(bench.store.paths)[0] for each in file.candidates]
    if len(there) != 3 or len({each.digest for each in there}) != 3:
        found.append(f"{len(there)} candidates are staged after the next run")
    seen = fingerprint(bench.store.paths.staging), fingerprint(bench.store.paths.state)
    _extract(bench)
    if (fingerprint(bench.store.paths.staging), fingerprint(bench.store.paths.state)) != seen:
        found.append("a second run changed a byte")
    return found


def _old_days(bench: Bench) -> None:
    """A log of four days, the last of them today; nothing of it was compacted."""
    store = bench.store
    shutil.rmtree(store.paths.logs, ignore_errors=True)
    now = store.clock.now()
    for ago in (3, 2, 1, 0):
        log = open_store(bench.root / "root", bench.project, clock=FixedClock(now - dt.timedelta(days=ago))).audit
        for i in range(3):
            log.record(Event("record_usage", "recall", detail={"query": f"{_FORGOTTEN} {ago} {i}", "result_count": i}))


def _compacted_days(bench: Bench) -> None:
    from memkit.snapshot.audit_days import compact

    _old_days(bench)
    compact(bench.store)


def _compact(bench: Bench) -> None:
    from memkit.snapshot.audit_days import compact

    compact(bench.store, keep_days=2)


def _forget_days_text(bench: Bench) -> None:
    from memkit.snapshot.audit_days import forget_text

    store = bench.store
    with store.audit.lock.held("forget") as held:
        forget_text(store.paths, held, lambda event: _FORGOTTEN in str(event.get("text")))
    bench.ledger.forgotten = True


def _days_are_whole(bench: Bench) -> list[str]:
    """No event of a day that is kept is missing, the chain holds, and what was forgotten is gone."""
    from memkit.snapshot import audit_days

    paths = bench.store.paths
    walk, problems = audit_days.walk(paths)
    found = [f"the chain: {walk.first_break}"] if walk.first_break else []
    found += [f"{p.code} {p.file}" for p in problems if p.code != "damaged-log-day"]
    days = sorted({*audit_compacted.read(paths), *audit_log.days(paths)})
    asked = [event for day in days for event in audit_days.day_objects(paths, day) if event.get("op") == "recall"]
    found += [f"{len(asked)} events of 9 or 12"] if asked and len(asked) not in {9, 12} else []
    text = [event for event in asked if _FORGOTTEN in str(event.get("text"))]
    return [*found, "a forgotten text is in the log"] if bench.ledger.forgotten and text else found


def _erase(bench: Bench) -> None:
    from memkit.retention.erase import erase

    store = bench.store
    there = [name.removesuffix(".json") for name in look.names_in(store.paths.results) if name.endswith(".json")]
    for entry_id in [each for each in there if each not in bench.ledger.must and not each.startswith(".")][:1]:
        receipt = erase(store, entry_id, confirm=True, reason="tried by the harness")
        assert receipt.scan is not None
        assert receipt.scan.n_found == 0
        bench.ledger.gone.add(bench.ledger.erasing.get(entry_id, entry_id))


def _something_to_erase(bench: Bench) -> None:
    """An entry that may go, and what was derived from it: an event, a firing, a staged candidate, damaged bytes."""
    paths = bench.store.paths
    if not bench.ledger.must:
        bench.fill(2)
    entry_id = min(bench.ledger.must)
    marker = bench.ledger.must.pop(entry_id)
    bench.ledger.may.add(marker)
    bench.ledger.erasing[entry_id] = marker
    bench.store.audit.record(Event("record_usage", "recall", detail={"query": f"about {marker}", "result_count": 1}))
    fired = {"at": 1_700_000_000_000, "op": "recall", "rank": 1, "actor": "cli", "call": "c1"}
    lines = ({**fired, "id": entry_id, "query": marker}, {**fired, "id": "f" * 32, "query": "other"})
    _place(paths.firings, b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    candidate = {"title": "seen", "body": f"concluded {marker}", "rationale": "seen", "confidence": 0.9}
    staged = {
        "schemaVersion": 1, "session_id": "s1", "produced_at": "2026-01-01T00:00:00Z", "project_root": bench.project,
        "candidates": {"lessons": [candidate], "preferences": [], "decisions": [], "domain": []},
    }  # fmt: skip
    _place(paths.staging / "s1.json", json.dumps(staged).encode())
    dead = {
        "session_id": "s1", "produced_at": "2026-01-01T00:00:00Z", "attempts": 3, "last_gate_reason": "model_error",
        "category": "domain", "candidate": {**candidate, "body": f"learned {marker}"},
    }  # fmt: skip
    _place(paths.deadletter / "s1.domain.0123456789ab.json", json.dumps(dead).encode())
    read = [read_candidate("lessons", candidate), read_candidate("domain", dead["candidate"])]
    line = extraction.Extraction(
        "s1",
        "/sessions/s1.jsonl",
        "0" * 64,
        1,
        "",
        1,
        "rules",
        dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        tuple(each.digest for each in read),
    )
    _place(paths.extraction, jsontext.dumps(line.to_dict()) + b"\n")
    note = {"file": "index.jsonl", "start": 0, "end": 20, "reason": "cut", "moved_at": "2026-01-01T00:00:00Z"}
    _place(paths.quarantine / "spot.bin", b'{"questionPreview":"question ' + marker.encode())
    _place(paths.quarantine / "spot.json", json.dumps({**note, "name": "spot", "n_bytes": 20}).encode())


def _with_a_snapshot(bench: Bench) -> None:
    _something_to_erase(bench)
    _absorb(bench)


def _erased_everywhere_or_under_way(bench: Bench) -> list[str]:
    """What was erased is in no file, as long as the store does not say it is under way; no candidate is nowhere."""
    from memkit.consolidate.balance import balance

    paths = bench.store.paths
    if look.exists(paths.wiped):
        return []
    begun = look.exists(paths.erasing)
    done = {
        marker
        for entry_id, marker in bench.ledger.erasing.items()
        if marker in bench.ledger.gone
        or not (begun or any(look.exists(file) for file in (paths.entry_file(entry_id), paths.trash_file(entry_id))))
    }
    files = [path for path in paths.folder.rglob("*") if path.is_file() and not path.is_symlink()]
    uneven = [f"candidate {key} is nowhere" for key in balance(paths).unaccounted]
    return uneven + [
        f"{marker} was erased and stands in {paths.relative(path)}"
        for marker in sorted(done)
        for path in files
        if marker.encode() in path.read_bytes()
    ]


def _absorb(bench: Bench) -> None:
    from memkit.snapshot.absorbing import absorb

    absorb(bench.store, minimum=1)


# -- what makes work for it -------------------------------------------------------------------------------------------
# Bytes are put there with plain calls: they stand for what was on disk before the operation began.


def _place(path: pathlib.Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.touch(0o600)
    path.write_bytes(data)


def _nothing_yet(bench: Bench) -> None:
    """The state before anybody ever stored here."""
    shutil.rmtree(bench.root / "root", ignore_errors=True)
    bench.ledger.must.clear()
    bench.ledger.trashed.clear()
    bench.ledger.gone.clear()
    bench.ledger.kept.clear()


def _no_index(bench: Bench) -> None:
    bench.store.paths.index.unlink(missing_ok=True)


def _torn_tail(bench: Bench) -> None:
    index = bench.store.paths.index
    _place(index, (index.read_bytes() if index.exists() else b"") + b'{"id":"torn')


def _damage_index(bench: Bench) -> None:
    """Junk, a repeated line, two objects on one line, a torn tail, and an entry without a line."""
    index = bench.store.paths.index
    lines = index.read_bytes().split(b"\n")[:-1] if index.exists() else []
    kept = lines[:-1]
    bench.ledger.unlisted.update(entry_id for entry_id in bench.ledger.must if entry_id.encode() not in b"".join(kept))
    _place(index, b"\n".join([*kept[:1], b"{junk", *kept, b"".join(kept[:2]), b'{"id":"torn']))


def _damage_files(bench: Bench) -> None:
    """A cut entry, a file that is gone, a file too wide, a left-over temporary file, a store.json that is no JSON."""
    paths = bench.store.paths
    ids = sorted(bench.ledger.must)
    for entry_id in ids[:1]:
        path = paths.entry_file(entry_id)
        path.write_bytes(path.read_bytes()[:40])
        bench.ledger.kept.add(path.read_bytes())
    for entry_id in ids[1:2]:
        paths.entry_file(entry_id).unlink()
    for entry_id in ids[2:3]:
        paths.entry_file(entry_id).chmod(0o644)
    bench.ledger.lost.update(ids[:2])
    for entry_id in ids[:2]:
        bench.ledger.may.add(bench.ledger.must.pop(entry_id))
    _place(paths.results / f".x.json.{2**22 + 1}-{'ab' * 8}.tmp", b"half")
    _place(paths.store_json, b"garbage{")


def _unfinished_wipe(bench: Bench) -> None:
    """The state after a wipe's point of no return."""
    paths = bench.store.paths
    paths.index.unlink(missing_ok=True)
    if paths.results.exists():
        if paths.wiped.exists():
            shutil.rmtree(paths.wiped)
        paths.results.rename(paths.wiped)
    bench.ledger.gone |= {*bench.ledger.must.values(), *bench.ledger.trashed.values()}
    bench.ledger.must.clear()
    bench.ledger.trashed.clear()
    bench.ledger.kept.clear()


def _some_in_the_trash(bench: Bench) -> None:
    _prune(bench)


def _unfinished_prune(bench: Bench) -> None:
    """The state after a plan's point of no return: nothing was moved yet."""
    store, ids = bench.store, _listed(bench)[:2]
    entries = tuple(trash.describe(store.paths, entry_id, ("max_results",)) for entry_id in ids)
    plan = trash_plans.Plan("prune", trash_plans.new_plan_id(1), 1, entries)
    for entry in entries:
        bench.ledger.trashed[entry.id] = bench.ledger.must.pop(entry.id)
        bench.ledger.envelopes[entry.id] = entry.sha256
    plans = store.paths.trash_plans
    _place(plans, (plans.read_bytes() if plans.exists() else b"") + plan.to_lines())


def _damaged_trash(bench: Bench) -> None:
    """A damaged line, a file no plan names, a pin that is no pin."""
    _prune(bench)
    paths = bench.store.paths
    _place(paths.trash_plans, b"{junk\n" + paths.trash_plans.read_bytes())
    _place(paths.pins, b"{junk\n")
    (copied,) = _listed(bench)[:1]
    _place(paths.trash_file(copied), paths.entry_file(copied).read_bytes())
    _place(paths.trash_file("strange00"), b"not an envelope")
    bench.ledger.kept.add(b"not an envelope")


def _consent(bench: Bench) -> None:
    _place(bench.config_file, b"# mine\n[memory]\nacross_projects = false\n")


def _consent_is_whole(bench: Bench) -> list[str]:
    """The settings file is what it was, or says what was asked for, and keeps the user's own lines."""
    if not bench.config_file.exists():
        return []
    data = bench.config_file.read_bytes()
    if data and not data.startswith(b"# mine"):
        return [f"the settings file lost its comment: {data[:40]!r}"]
    import tomllib

    try:
        tomllib.loads(data.decode())
    except ValueError as error:
        return [f"the settings file is half written: {error}"]
    return [] if bench.config_file.stat().st_mode & 0o077 == 0 else ["the settings file can be read by others"]


_TORN = AFTER_A_CRASH
_DAMAGED_FILES = AFTER_A_CRASH | AFTER_A_CUT_REPAIR | {
    "damaged-entry", "line-without-file", "wide-mode", "store-json-damaged",
}  # fmt: skip
_TRASH = AFTER_A_CRASH | {"unfinished-plan", "damaged-plan", "damaged-receipt"}
_DAMAGED_INDEX = AFTER_A_CRASH | AFTER_A_CUT_REPAIR | {"repeated-line", "glued-line"}

OPERATIONS: tuple[Operation, ...] = (
    Operation("store", ("Store.store_many", "Memory.store", "AuditLog.record"), _store),
    Operation("first-store", ("Store.store_many", "Store.make_folders", "Store.write_store_json"), _store,
              before=_nothing_yet, in_pairs=False),
    Operation("store-batch", ("Store.store_many", "Memory.store_many"), _store_batch),
    Operation("store-without-index", ("Store.store_many",), _store, before=_no_index),
    Operation("store-after-torn-tail", ("Store.store_many",), _store, before=_torn_tail),
    Operation("store-after-cut-wipe", ("Store.store_many", "leftovers.finish_wipe"), _store, before=_unfinished_wipe,
              allowed=AFTER_A_CRASH | {"unfinished-wipe"}),
    Operation("import", ("Store.store_many", "Memory.import_adr", "Memory.import_consensus",
                         "Memory.import_from"), _import),
    Operation("repair-index", ("repair.repair", "Memory.repair"), _repair, before=_damage_index, allowed=_DAMAGED_INDEX),
    Operation("repair-files", ("repair.repair", "Memory.repair"), _repair, before=_damage_files, allowed=_DAMAGED_FILES),
    Operation("wipe", ("wipe.wipe", "Memory.wipe", "index.remove"), _wipe, allowed=AFTER_A_CRASH | {"unfinished-wipe"}),
    Operation("sweep", ("leftovers.sweep",), _sweep, before=_damage_files, allowed=_DAMAGED_FILES, in_pairs=False),
    Operation("enable", ("consent.record_consent", "opening.enable"), _enable, before=_consent, also=_consent_is_whole),
    Operation("disable", ("consent.record_consent", "opening.disable"), _disable, before=_consent,
              also=_consent_is_whole, in_pairs=False),
    Operation("acknowledge", ("acknowledgements.acknowledge", "Tripwires.acknowledge"), _acknowledge, also=_acknowledgements_are_whole,
              allowed=AFTER_A_CRASH | {"damaged-acknowledgement"}, in_pairs=False),
    Operation("stage", ("staging.stage", "canonical.writing", "candidate_files.put","canonical.require_writer"), _stage, before=_staged_before, also=_staged_as_a_whole,
              in_pairs=False),
    Operation("bury", ("deadletters.bury", "staging.write"), _bury, before=_staged_before, also=_nowhere_lost, in_pairs=False),
    Operation("unbury", ("deadletters.unbury", "candidate_files.remove"), _unbury, before=_buried_before, also=_nowhere_lost, in_pairs=False),
    Operation("record-write", ("canonical.writing", "records.put", "RecordTools.write"), _write_record, also=_records_are_whole),
    Operation("record-supersede", ("record_sets.put_all", "pending.commit", "RecordTools.write"), _supersede_record,
              before=_a_record, also=_superseded_as_one, in_pairs=False,
              allowed=AFTER_A_CRASH | {"damaged-ledger", "unfinished-consolidation"}),
    Operation("record-edit", ("records.put", "RecordTools.edit", "external_edits.settle_one"), _edit_record,
              before=_a_record, also=_records_are_whole, in_pairs=False),
    Operation("record-delete", ("deleted_records.remove", "RecordTools.delete"), _delete_record, before=_a_record,
              also=_records_are_whole, in_pairs=False),
    Operation("record-restore", ("deleted_records.put_back", "RecordTools.restore"), _restore_record,
              before=_a_record_in_the_trash, also=_records_are_whole, in_pairs=False),
    Operation("record-erase", ("erase_record.erase_record", "Memory.erase_record"), _erase_record, before=_a_deleted_record,
              also=_wholly_there_or_gone, allowed=AFTER_A_CRASH | {"damaged-ledger"}, in_pairs=False),
    Operation("audit-run", ("AuditLog.run", "AuditLog.record", "Audit.run", "Audit.used"), _audit_run, in_pairs=False),
    Operation("forget-text", ("audit_forget.forget_text",), _forget_text, before=_audit_lines, also=_forgotten_is_gone,
              in_pairs=False),
    Operation("retention-apply", ("Retention.apply",), _apply, allowed=_TRASH, in_pairs=False, heavy=True,
              moves=lambda bench: (_listed(bench)[:2], [])),
    Operation("retention-expire", ("Retention.apply", "expiry.erase_expired"), _apply_and_expire, before=_something_expired,
              also=_erased_everywhere_or_under_way, allowed=_TRASH | {"damaged-ledger", "unfinished-erasure"}, in_pairs=False, heavy=True,
              moves=lambda bench: (_listed(bench)[:1], [])),
    Operation("carry-on-erasing", ("expiry.carry_on",), _carry_on, before=_cut_erasure, in_pairs=False, heavy=True,
              also=_erased_everywhere_or_under_way, allowed=AFTER_A_CRASH | {"damaged-ledger", "unfinished-erasure"}),
    Operation("store-and-prune", ("Retention.after_storing", "apply.prune_due", "Memory.store"), _store_and_prune, allowed=_TRASH,
              in_pairs=False, heavy=True, moves=lambda bench: (_listed(bench)[:1], [])),
    Operation("release", ("marks.take_off", "Retention.release"), _release, before=_hold, also=_marks_are_whole,
              allowed=AFTER_A_CRASH | {"damaged-hold"}, in_pairs=False),
    Operation("save-query", ("saved_queries.save", "SavedQueries.add"), _save_query, also=_queries_are_whole,
              allowed=AFTER_A_CRASH | {"damaged-query"}, in_pairs=False),
    Operation("drop-query", ("saved_queries.drop", "SavedQueries.drop"), _drop_query, before=_save_query,
              also=_queries_are_whole, allowed=AFTER_A_CRASH | {"damaged-query"}, in_pairs=False),
    Operation("prune", ("prune.prune",), _prune, allowed=_TRASH, moves=lambda bench: (_listed(bench)[:2], [])),
    Operation("prune-and-settle", ("prune.prune",), _settle, allowed=_TRASH, in_pairs=False,
              moves=lambda bench: (_listed(bench)[:2], [])),
    Operation("prune-and-expire", ("prune.prune",), _expire, before=_some_in_the_trash, in_pairs=False,
              allowed=_TRASH | {"damaged-ledger", "unfinished-erasure"},
              moves=lambda bench: (_listed(bench)[:1], sorted(bench.ledger.trashed)[:1])),
    Operation("restore", ("prune.restore", "Trash.restore"), _restore, before=_some_in_the_trash, allowed=_TRASH,
              moves=lambda bench: (sorted(bench.ledger.trashed)[:2], [])),
    Operation("store-after-cut-prune", ("Store.store_many", "leftovers.finish"), _store, before=_unfinished_prune,
              allowed=_TRASH, in_pairs=False),
    Operation("repair-trash", ("repair.repair", "Memory.repair"), _repair, before=_damaged_trash,
              allowed=_TRASH | AFTER_A_CUT_REPAIR | {"trash-orphan", "damaged-pin"}, in_pairs=False),
    Operation("pin", ("marks.put", "Retention.pin"), _pin, also=_marks_are_whole, allowed=AFTER_A_CRASH | {"damaged-pin"},
              in_pairs=False),
    Operation("unpin", ("marks.take_off", "Retention.unpin"), _unpin, before=_pin, also=_marks_are_whole,
              allowed=AFTER_A_CRASH | {"damaged-pin"}, in_pairs=False),
    Operation("hold", ("marks.put", "Retention.hold"), _hold, also=_marks_are_whole, allowed=AFTER_A_CRASH | {"damaged-hold"},
              in_pairs=False),
    Operation("recover", ("recover.recover", "Staging.recover"), _recover, before=_buried_before, also=_nowhere_lost,
              in_pairs=False),
    Operation("extract", ("extract.extract", "extraction.remember", "Staging.extract"), _extract, before=_session,
              also=_extracted_or_to_be, allowed=AFTER_A_CRASH | {"damaged-extraction"}, in_pairs=False),
    Operation("consolidate", ("consolidating.consolidate", "Memory.consolidate", "pending.commit", "pending.roll_forward", "ledger.append"),
              _consolidate, before=_to_reconcile, also=_balanced, in_pairs=False,
              allowed=AFTER_A_CRASH | {"damaged-ledger", "unfinished-consolidation"}),
    Operation("review", ("Review.apply", "Staging.decide"), _review, before=_to_review, also=_reviewed, in_pairs=False,
              allowed=AFTER_A_CRASH | {"damaged-ledger", "unfinished-consolidation"}),
    Operation("fire", ("Memory.recall",), _note_uses, before=_fire, also=_firings_are_whole, in_pairs=False,
              allowed=AFTER_A_CRASH | {"damaged-firing"}),
    Operation("reinforce", ("reinforce.reinforce",), _reinforce, before=_fire, also=_counted_once,
              in_pairs=False, allowed=AFTER_A_CRASH | {"damaged-ledger", "unfinished-consolidation"}),
    Operation("notice-edits", ("external_edits.notice", "external_edits.settle"), _notice,
              before=_edited_by_hand, also=_records_are_whole, in_pairs=False),
    Operation("compact-log", ("audit_days.compact", "Audit.compact"), _compact, before=_old_days, also=_days_are_whole,
              heavy=True, in_pairs=False),
    Operation("forget-days-text", ("audit_days.forget_text",), _forget_days_text, before=_compacted_days,
              also=_days_are_whole, heavy=True, in_pairs=False),
    Operation("erase", ("erase.erase", "erase.run"), _erase, before=_something_to_erase, also=_erased_everywhere_or_under_way,
              allowed=AFTER_A_CRASH | {"damaged-ledger", "unfinished-erasure"}),
    Operation("erase-with-snapshot", ("erase.erase", "Memory.erase"), _erase, before=_with_a_snapshot,
              also=_erased_everywhere_or_under_way, allowed=AFTER_A_CRASH | {"damaged-ledger", "unfinished-erasure"}, heavy=True),
    Operation("absorb", ("absorbing.absorb", "Memory.close", "Memory.refresh"), _absorb, heavy=True),
)  # fmt: skip
