"""What was decided about a topic: decisions only, each with its days, dissent, conditions, and place in its chain.

The words are found and ranked by recall. A superseded decision stands behind what replaced it and never ahead of it,
whatever the limit: chains are taken whole, head first, before the list is cut.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, overload

from memkit import clock
from memkit.analytics.recall import recall
from memkit.analytics.recall_options import MAX_LIMIT, RecallOptions
from memkit.analytics.recall_result import Fragment, Missed, RecallHit, RecallResult
from memkit.catalog.queries import load
from memkit.display import Displayable
from memkit.errors import InvalidInputError, StoreError
from memkit.model.record import DECISION_PANEL
from memkit.model.result import minority_positions, unresolved_disputes
from memkit.model.tripwire import Tripwire

if TYPE_CHECKING:
    import pyarrow as pa

    from memkit.catalog.catalog import Catalog

PACKAGE = "memkit.analytics"


@dataclass(frozen=True, slots=True)
class Related:
    """Another decision, by id and title."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class DecidedRow(Displayable):
    """One decision about the topic.

    Attributes:
        id: The entry.
        project_key: Its project.
        title: The document's title, or the question.
        question: What was asked.
        conclusion: What was decided, or None.
        status: proposed, accepted, rejected, deprecated, superseded or unknown.
        decided_on: The decision's own day, where known.
        stored_at: When it was stored.
        age_days: Days since storage.
        label: "Decided 76 days ago, stored 3 days ago".
        final_score: The panel's score, 0..100, where known.
        judge_confidence: The judge's confidence, 0..100, where known.
        minority_positions: What the minority held.
        unresolved_disputes: What stayed open.
        tripwires: Conditions with verdicts.
        predecessors: What it replaced, newest first.
        successors: What replaced it, nearest first; the last one is in force.
        panel_id: Its panel.
        source_path: The imported document, where there is one.
        score: What it is ranked by.
        fragments: Where the topic was found.
    """

    id: str
    project_key: str
    title: str
    question: str
    conclusion: str | None
    status: str
    decided_on: dt.date | None
    stored_at: dt.datetime
    age_days: float
    label: str
    final_score: float | None
    judge_confidence: float | None
    minority_positions: tuple[str, ...]
    unresolved_disputes: tuple[str, ...]
    tripwires: tuple[Tripwire, ...]
    predecessors: tuple[Related, ...]
    successors: tuple[Related, ...]
    panel_id: str
    source_path: str | None
    score: float
    fragments: tuple[Fragment, ...] = ()

    def __repr__(self) -> str:
        return f"<DecidedRow {self.id} {self.title[:50]!r}: {self.status}, {self.label.lower()}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; times in ISO 8601."""
        data = asdict(replace(self, tripwires=()))
        data["stored_at"] = clock.iso(self.stored_at)
        data["decided_on"] = self.decided_on.isoformat() if self.decided_on else None
        data["tripwires"] = [wire.to_dict() for wire in self.tripwires]
        return data


@dataclass(frozen=True, slots=True)
class Decided(Displayable, Sequence[DecidedRow]):
    """What was decided about a topic, best first, chains head first.

    Attributes:
        topic: As asked.
        rows: The decisions.
        missed: Causes of what is not there.
        warnings: One line each about entries that had to be skipped.
        as_of: The moment ages are counted to and tripwires are judged at.
        sql: The query that ranked them.
        n_matched: How many decisions there would be without a limit; None where nobody has looked further.
    """

    topic: str
    rows: tuple[DecidedRow, ...]
    missed: tuple[Missed, ...]
    as_of: dt.datetime
    warnings: tuple[str, ...] = ()
    sql: str = ""
    n_matched: int | None = 0

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> DecidedRow: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[DecidedRow, ...]: ...
    def __getitem__(self, index: int | slice) -> DecidedRow | tuple[DecidedRow, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[DecidedRow]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"<Decided about {self.topic[:60]!r}: {len(self.rows)} as of {clock.iso(self.as_of)}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "topic": self.topic,
            "as_of": clock.iso(self.as_of),
            "n_matched": self.n_matched,
            "decisions": [row.to_dict() for row in self.rows],
            "missed": [asdict(cause) for cause in self.missed],
            "warnings": list(self.warnings),
        }

    def to_arrow(self) -> pa.Table:
        """One row per decision, flat columns."""
        from memkit.analytics.frames import arrow

        made, _ = arrow()
        texts = ("id", "project_key", "title", "question", "conclusion", "status", "label", "panel_id", "source_path")
        columns = {name: made.array([getattr(row, name) for row in self.rows], made.string()) for name in texts}
        columns["decided_on"] = made.array([row.decided_on for row in self.rows], made.date32())
        columns["stored_at"] = made.array([row.stored_at for row in self.rows], made.timestamp("ms", tz="UTC"))
        for name in ("age_days", "final_score", "judge_confidence", "score"):
            columns[name] = made.array([getattr(row, name) for row in self.rows], made.float64())
        for verdict in ("tripped", "armed", "unknown"):
            counts = [sum(wire.verdict == verdict for wire in row.tripwires) for row in self.rows]
            columns[f"n_{verdict}"] = made.array(counts, made.int32())
        for name in ("predecessors", "successors"):
            ids = [[other.id for other in getattr(row, name)] for row in self.rows]
            columns[name] = made.array(ids, made.list_(made.string()))
        table: pa.Table = made.table(columns)
        return table

    def to_pandas(self) -> Any:
        """`to_arrow` as a data frame."""
        return self.to_arrow().to_pandas()


def what_we_decided(
    catalog: Catalog,
    topic: str,
    *,
    as_of: dt.datetime,
    panels: Sequence[str],
    since_days: float | None = None,
    made_by: dt.datetime | None = None,
    limit: int = 10,
    options: RecallOptions | None = None,
) -> Decided:
    """The decisions about a topic.

    Args:
        catalog: The stores.
        topic: Words.
        as_of: The moment ages are counted to.
        panels: Panels whose entries are decisions.
        since_days: Only decisions made (or stored, where the day is not known) at most so many days ago; what replaced
            one of them is shown as well.
        made_by: Only decisions made (or stored, where the day is not known) by then; any by default. What
            replaced one of them later is shown as well.
        limit: Decisions at most, 1 to 1,000.
        options: How recall weighs; its filters and limit are not used.

    Raises:
        InvalidInputError: the topic is no text, or an option out of its range.
    """
    asked = replace(options or RecallOptions(), limit=limit, include_superseded=True)
    if since_days is not None and (isinstance(since_days, bool) or not since_days >= 0):
        raise InvalidInputError(f"{since_days!r} is not a number from 0 up", field="since_days")
    earliest = None if since_days is None else as_of - dt.timedelta(days=min(since_days, 700_000))
    depth = min(MAX_LIMIT, limit * 2)
    while True:
        result = recall(catalog, topic, replace(asked, limit=depth), as_of=as_of)
        is_all = len(result) < depth
        chains, left_out = _decisions_of(result, frozenset((*panels, DECISION_PANEL)), earliest, made_by)
        # Deeper than this nobody looks: then what was found is put in order as if it were all.
        chosen = _successors_first(chains, _heads(catalog, chains), is_all=is_all or depth == MAX_LIMIT)
        if len(chosen) >= limit or is_all or depth == MAX_LIMIT:
            break
        depth = min(MAX_LIMIT, depth * 4)
    hits = chosen[:limit]
    known = _related(catalog, hits, as_of)
    warnings = list(result.warnings)
    rows = []
    for hit in hits:
        try:
            rows.append(_row(catalog, hit, known, as_of))
        except StoreError as error:
            warnings.append(f"skipped {hit.id}: {error.what}")
    n_matched = len(chosen) if is_all else None
    missed = [cause for cause in result.missed if cause.cause != "superseded"]
    return Decided(topic, tuple(rows), (*left_out, *missed), as_of, tuple(warnings), result.sql, n_matched)


def _decisions_of(
    result: RecallResult, panels: frozenset[str], earliest: dt.datetime | None, made_by: dt.datetime | None
) -> tuple[list[list[RecallHit]], list[Missed]]:
    """The chains that are decisions of the time asked about, with what replaced them; and what was left out."""
    kept: list[list[RecallHit]] = []
    others: dict[str, None] = {}
    before: dict[str, None] = {}
    after: dict[str, None] = {}
    for chain in _chains(result):
        members = []
        for hit in chain:
            if hit.panel_id not in panels:
                others[hit.id] = None
            elif earliest is not None and _made_at(hit) < earliest:
                before[hit.id] = None
            elif made_by is not None and _begins_at(hit) > made_by:
                after[hit.id] = None
            else:
                members.append(hit)
        if members and members[0] is not chain[0]:
            members.insert(0, chain[0])
        if members:
            kept.append(members)
    causes = []
    if others:
        causes.append(_cause("no-decision", list(others), "of panels whose entries are not decisions"))
    if before:
        causes.append(_cause("before-since", list(before), "made before the days asked about"))
    if after and made_by is not None:
        causes.append(_cause("after-moment", list(after), f"made after {clock.iso(made_by)}"))
    return kept, causes


def _heads(catalog: Catalog, chains: Sequence[Sequence[RecallHit]]) -> dict[str, frozenset[str]]:
    """The heads of each superseded hit."""
    superseded = {(hit.project_key, hit.id) for chain in chains for hit in chain if hit.status == "superseded"}
    if not superseded:
        return {}
    query = load(PACKAGE, "decided_heads")
    table = catalog.table(query, {"ids": sorted({entry for _, entry in superseded})}, as_of=clock.EPOCH)
    return {
        row["entry_id"]: frozenset(row["heads"])
        for row in table.rows
        if (row["project_key"], row["entry_id"]) in superseded
    }


def _successors_first(
    chains: Sequence[Sequence[RecallHit]], heads: Mapping[str, frozenset[str]], *, is_all: bool
) -> list[RecallHit]:
    """Each hit once, behind every head of its chain; a fork has two, and both come first.

    Args:
        chains: As ranked.
        heads: The heads of each superseded hit.
        is_all: Whether there are no further hits; if there are, the last chain may be cut, and those of its older
            members wait of which not every successor is there.
    """
    ordered: dict[str, RecallHit] = {}
    waiting: dict[str, RecallHit] = {}
    for number, chain in enumerate(chains):
        for hit in chain:
            if hit.id in heads:
                waiting.setdefault(hit.id, hit)
            else:
                ordered.setdefault(hit.id, hit)
        may_be_cut = not is_all and number + 1 == len(chains)
        ready = [hit for hit in waiting.values() if heads[hit.id] <= ordered.keys()]
        # A successor has fewer successors than what it replaced, so it comes before it.
        for hit in sorted(ready, key=lambda hit: len(hit.superseded_by)):
            if not may_be_cut or ordered.keys() >= set(hit.superseded_by):
                ordered[hit.id] = waiting.pop(hit.id)
    return [*ordered.values(), *(waiting.values() if is_all else ())]


def _cause(cause: str, ids: Sequence[str], words: str) -> Missed:
    noun = "entry" if len(ids) == 1 else "entries"
    return Missed(cause, f"{len(ids):,} {noun} {words}.", tuple(ids[:20]), len(ids))


def _chains(result: RecallResult) -> Iterator[list[RecallHit]]:
    """Runs of hits that are one chain: a head and the older members behind it."""
    chain: list[RecallHit] = []
    for hit in result:
        if chain and hit.status == "superseded" and chain[0].id in hit.superseded_by:
            chain.append(hit)
            continue
        if chain:
            yield chain
        chain = [hit]
    if chain:
        yield chain


def _made_at(hit: RecallHit) -> dt.datetime:
    if hit.decided_on is None:
        return hit.stored_at
    # A day counts until its end.
    return dt.datetime.combine(hit.decided_on, dt.time.max, clock.UTC)


def _begins_at(hit: RecallHit) -> dt.datetime:
    if hit.decided_on is None:
        return hit.stored_at
    return dt.datetime.combine(hit.decided_on, dt.time(), clock.UTC)


def _related(catalog: Catalog, hits: Sequence[RecallHit], as_of: dt.datetime) -> dict[tuple[str, str], Related]:
    """Everything that the hits replaced or that replaced them, by project and id."""
    ids = sorted({other for hit in hits for other in (*hit.supersedes, *hit.superseded_by)})
    if not ids:
        return {}
    table = catalog.table(load(PACKAGE, "decided"), {"ids": ids}, as_of=as_of)
    return {(row["project_key"], row["entry_id"]): Related(row["entry_id"], row["title"]) for row in table.rows}


def _row(catalog: Catalog, hit: RecallHit, known: dict[tuple[str, str], Related], as_of: dt.datetime) -> DecidedRow:
    with catalog.sight() as sight:
        read = sight.shelf.read(catalog.stores[hit.project_key], hit.id)
    result, decision = read.entry.result, read.decision

    def related(ids: Sequence[str]) -> tuple[Related, ...]:
        key = hit.project_key
        return tuple(known.get((key, other)) or Related(other, "") for other in ids)

    return DecidedRow(
        id=hit.id,
        project_key=hit.project_key,
        title=decision.title,
        question=hit.question,
        conclusion=decision.conclusion,
        status=hit.status,
        decided_on=hit.decided_on,
        stored_at=hit.stored_at,
        age_days=hit.age_days,
        label=clock.decision_label(hit.decided_on, hit.stored_at, as_of),
        final_score=hit.final_score,
        judge_confidence=hit.judge_confidence,
        minority_positions=minority_positions(result),
        unresolved_disputes=unresolved_disputes(result),
        tripwires=hit.tripwires,
        predecessors=related(hit.supersedes),
        successors=related(hit.superseded_by),
        panel_id=hit.panel_id,
        source_path=hit.source_path,
        score=hit.rank_score,
        fragments=hit.fragments or hit.through_fragments,
    )
