"""Which live entries answer a question, in what order, and why.

DuckDB ranks (`recall.sql`, or `recall_filtered.sql` where options are asked) and takes the scores of the best entries
apart. Their texts come from their files: every entry about to be shown is read, and must still be the one that was
indexed; one that is not is skipped with a warning and the next rank takes its place.

An entry that another one superseded stands for the head of its chain: the head is shown where the best member of the
chain ranks. Its own score and reasons are shown if it holds words of the question itself; else those of the member it
was matched through.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memkit import clock
from memkit.analytics.asking import Question, coefficients, take_apart
from memkit.analytics.fragments import find_fragments
from memkit.analytics.lost_and_found import Asked, Hidden, explain, other_projects, unsearchable
from memkit.analytics.recall_options import RecallOptions, Rerank
from memkit.analytics.recall_result import Contribution, Fragment, RecallHit, RecallResult
from memkit.catalog import queries
from memkit.errors import DamagedError, InvalidInputError, StoreError
from memkit.model import jsontext
from memkit.model.decision import FIELDS
from memkit.model.tripwire import Tripwire
from memkit.snapshot.rows import NEWER_SCHEMA, problem_code, question_crc

__all__ = ["RecallOptions", "Rerank", "recall"]

if TYPE_CHECKING:
    from memkit.catalog.catalog import Catalog
    from memkit.catalog.shelf import ReadEntry
    from memkit.catalog.sight import Card, Sight

PACKAGE = "memkit.analytics"
# Ranks fetched beyond the limit, for entries whose file turns out to be gone and for older members of chains.
SPARE = 8
RERANK_DEPTH = 50
_DAY_MS = 86_400_000.0
_MOST_ROWS = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Share:
    """What one word earned in one entry, by field, in the order of `FIELDS`."""

    asked: str
    found: str
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Ranked:
    """An entry that matched, and the head it stands for."""

    doc: int
    head: int
    place: int
    score: float
    recency: float
    shares: list[_Share]


@dataclass(slots=True)
class _Line:
    """One hit to be.

    Attributes:
        own: How the entry itself matched, if it did.
        best: The member of its chain that ranks highest.
    """

    doc: int
    read: ReadEntry
    own: _Ranked | None
    best: _Ranked


def recall(
    catalog: Catalog,
    query: str,
    options: RecallOptions | None = None,
    *,
    as_of: dt.datetime,
    elsewhere: Catalog | None = None,
) -> RecallResult:
    """Rank the live entries of a catalog for a question.

    Args:
        catalog: The stores to search; counts and averages are theirs.
        query: The question, in any words. It never reaches a query language.
        options: See `RecallOptions`.
        as_of: The moment ages are counted to; aware.
        elsewhere: Other projects, to be mentioned under `other-project` where this one has too little.

    Returns:
        The hits, best first, and what was missed with its cause. No hits is an answer, not an error.

    Raises:
        InvalidInputError: the query is not text, or an option is impossible.
    """
    options = options or RecallOptions()
    jsontext.require_text(query, "query")
    with catalog.sight() as sight:
        question = take_apart(sight, query, fuzzy=options.fuzzy)
        run = _Run(catalog, sight, question, options, as_of=as_of)
        hits = [run.hit(rank, line) for rank, line in enumerate(run.find(), 1)]
        asked = Asked(question, options, run.params)
        missed = explain(catalog, sight, asked, run.hidden, n_hits=len(hits))
        n_live = sight.scope.n_live
        gaps = [gap for gap in unsearchable(sight) if gap.cause != NEWER_SCHEMA]
        warnings = (*run.warnings, *(f"skipped {', '.join(gap.ids)}: {gap.detail}" for gap in gaps))
    if options.rerank is not None:
        hits = _reranked(query, hits, options.rerank)[: options.limit]
    if elsewhere is not None and len(hits) < options.limit:
        missed += other_projects(recall(elsewhere, query, replace(options, rerank=None), as_of=as_of))
    return RecallResult(
        query=query,
        terms=question.terms,
        rows=tuple(hits),
        missed=missed,
        as_of=as_of,
        warnings=warnings,
        options=options.chosen(),
        n_entries=n_live,
        sql=run.query.sql,
    )


class _Run:
    """One question being answered, under the catalog's lock."""

    def __init__(
        self,
        catalog: Catalog,
        sight: Sight,
        question: Question,
        options: RecallOptions,
        *,
        as_of: dt.datetime,
    ) -> None:
        self.catalog = catalog
        self.sight = sight
        self.question = question
        self.options = options
        self.as_of = as_of
        self.query = queries.load(PACKAGE, "recall" if options.plain else "recall_filtered")
        self.params = self._params()
        self.worth = {found: question.idf[asked] for asked, found in question.spellings}
        self.hidden = Hidden()
        self.warnings: list[str] = []
        self._entries: dict[int, ReadEntry | None] = {}

    def _params(self) -> dict[str, object]:
        options = self.options
        now_ms = clock.to_ms(self.as_of)
        half_life = options.recency_half_life_days
        return {
            **self.question.params(),
            **coefficients(options, self.sight.scope),
            "panel": options.panel,
            "any_tag": list(options.any_tag) or None,
            "all_tags": list(options.all_tags) or None,
            "since_ms": None if options.since_days is None else now_ms - round(options.since_days * _DAY_MS),
            "include_superseded": options.include_superseded,
            "min_score": float(options.min_score),
            "half_life_ms": None if half_life is None else half_life * _DAY_MS,
            "as_of_ms": now_ms,
        }

    # -- ranking -------------------------------------------------------------------------------------------------

    def find(self) -> list[_Line]:
        """The entries to show, best first; asks for more ranks until there are enough or no more."""
        if not self.question.spellings:
            return []
        wanted = self.options.limit if self.options.rerank is None else max(self.options.limit, RERANK_DEPTH)
        page = wanted + SPARE
        while True:
            ranked = self._rank(self.query, {"limit": page, "only": None})
            lines = self._lines(ranked, wanted)
            if len(lines) >= wanted or len(ranked) < page:
                return lines
            page *= 4

    def _rank(self, query: queries.Query, more: Mapping[str, object]) -> list[_Ranked]:
        params = {**self.params, **more}
        rows = self.catalog.rank(query, {name: params[name] for name in query.params})
        names = self.question.names
        pairs: dict[tuple[int, int], _Ranked] = {}
        for doc, head, place, score, recency, asked, found, *values in rows:
            ranked = pairs.get((doc, head))
            if ranked is None:
                ranked = pairs[doc, head] = _Ranked(doc, head, place, score, recency, [])
            ranked.shares.append(_Share(names[asked], names[found], tuple(values)))
        return sorted(pairs.values(), key=lambda r: (-r.score, r.place))

    def _lines(self, ranked: Sequence[_Ranked], wanted: int) -> list[_Line]:
        groups: dict[int, list[_Ranked]] = {}
        for row in ranked:
            groups.setdefault(row.head, []).append(row)
        own = {row.doc: row for row in ranked}
        more = self._not_ranked_yet(groups, own, wanted)
        own |= {row.doc: row for row in more}
        self.sight.cards([*groups][:wanted])  # one question for all instead of one for each
        lines: list[_Line] = []
        hidden: dict[int, None] = {}
        for head, group in groups.items():
            if len(lines) >= wanted:
                break
            shown = [doc for doc in self._members(head, own) if self._passes(doc)]
            for doc in shown:
                read = self._checked(doc)
                if read is not None:
                    lines.append(_Line(doc, read, own.get(doc), group[0]))
            if not self.options.include_superseded and lines and lines[-1].doc == head:
                hidden |= dict.fromkeys(row.doc for row in group if row.doc != head)
        self.hidden.superseded = tuple(hidden)
        return lines[:wanted]

    def _members(self, head: int, own: Mapping[int, _Ranked]) -> list[int]:
        """What a chain shows: its head, and if asked for, the older members that matched, newest first."""
        if not self.options.include_superseded:
            return [head]
        return [head, *(doc for doc in self.sight.relations.older(head) if doc in own)]

    def _not_ranked_yet(
        self, groups: Mapping[int, Sequence[_Ranked]], own: Mapping[int, _Ranked], wanted: int
    ) -> list[_Ranked]:
        """How heads matched that rank only through an older member, and older members that are to be shown."""
        docs: dict[int, None] = {}
        for head in list(groups)[:wanted]:
            docs[head] = None
            if self.options.include_superseded:
                docs |= dict.fromkeys(self.sight.relations.older(head))
        missing = [doc for doc in docs if doc not in own]
        if not missing:
            return []
        unfiltered = dict.fromkeys(("panel", "any_tag", "all_tags", "since_ms"))
        query = queries.load(PACKAGE, "recall_filtered")
        return self._rank(query, {**unfiltered, "only": missing, "min_score": 0.0, "limit": _MOST_ROWS})

    def _passes(self, doc: int) -> bool:
        """Whether an entry may be shown; the ranking query has looked at heads only as far as it had to."""
        options = self.options
        if not (options.include_superseded and options.filters):
            return True
        card = self.sight.cards([doc])[doc]
        since = self.params["since_ms"]
        return (
            (options.panel is None or card.panel_id == options.panel)
            and (not options.any_tag or not set(options.any_tag).isdisjoint(card.tags))
            and set(options.all_tags) <= set(card.tags)
            and (since is None or card.stored_ms >= since)  # type: ignore[operator]
        )

    # -- checking ------------------------------------------------------------------------------------------------

    def _checked(self, doc: int) -> ReadEntry | None:
        """The entry from its file, if that still is what was indexed; else None, with a warning."""
        if doc not in self._entries:
            card = self.sight.cards([doc])[doc]
            try:
                self._entries[doc] = self._read(doc, card)
            except StoreError as error:
                self._entries[doc] = None
                self.hidden.skipped.append((problem_code(error), card.entry_id))
                self.warnings.append(f"skipped {card.entry_id}: {error.what}")
        return self._entries[doc]

    def _read(self, doc: int, card: Card) -> ReadEntry:
        store = self.sight.store_of(doc)
        read = self.sight.shelf.read(store, card.entry_id)
        if question_crc(read.entry.question) != card.question_crc:
            file = store.paths.entry_file(card.entry_id)
            raise DamagedError("the file asks another question than was indexed", file=file)
        return read

    # -- showing -------------------------------------------------------------------------------------------------

    def hit(self, rank: int, line: _Line) -> RecallHit:
        """The hit of a line, with its reasons and ages."""
        entry, read = line.read.entry, line.read.decision
        stored_at = entry.stored_at
        reasons = line.own or line.best
        relations = self.sight.relations
        newer = relations.replaced_by(line.doc)
        through = line.best.doc if line.best.doc != line.doc and line.doc == line.best.head else None
        return RecallHit(
            id=entry.id,
            project_key=entry.project_key,
            question=entry.question,
            summary=line.read.summary,
            score=reasons.score,
            coverage=self._coverage(reasons),
            contributions=_contributions(reasons),
            fragments=self._fragments(line.read, line.own) if line.own else (),
            stored_at=stored_at,
            age_days=clock.age_days(stored_at, self.as_of),
            age_label=clock.stored_label(stored_at, self.as_of),
            decided_on=read.decided_on,
            decided_label=clock.decided_label(read.decided_on, self.as_of),
            tripwires=tuple(Tripwire(text) for text in read.tripwires),
            panel_id=entry.panel_id,
            tags=entry.tags,
            final_score=read.final_score,
            judge_confidence=read.judge_confidence,
            status="superseded" if newer and line.doc not in relations.heads(line.doc) else read.status,
            superseded_by=newer,
            supersedes=relations.replaced(line.doc),
            rank=rank,
            lexical_rank=rank,
            rank_score=line.best.score,
            matched_through=None if through is None else self.sight.cards([through])[through].entry_id,
            through_fragments=self._through(through, line),
            recency=reasons.recency,
            source_path=read.source_path,
        )

    def _coverage(self, ranked: _Ranked) -> float:
        found = math.fsum(self.question.idf[asked] for asked in {share.asked for share in ranked.shares})
        return min(1.0, found / self.question.total_idf)

    def _fragments(self, read: ReadEntry, ranked: _Ranked) -> tuple[Fragment, ...]:
        matched = [name for i, name in enumerate(FIELDS) if any(share.values[i] > 0 for share in ranked.shares)]
        return find_fragments({name: read.texts[name] for name in matched}, self.worth, stretches=read.stretches)

    def _through(self, doc: int | None, line: _Line) -> tuple[Fragment, ...]:
        """Where the older member matched whose rank a head has."""
        read = None if doc is None else self._checked(doc)
        return () if read is None else self._fragments(read, line.best)


def _contributions(ranked: _Ranked) -> tuple[Contribution, ...]:
    """The shares of a score, largest first."""
    found = [
        Contribution(share.asked if share.asked == share.found else f"{share.asked}~{share.found}", name, value)
        for share in ranked.shares
        for name, value in zip(FIELDS, share.values, strict=True)
        if value > 0
    ]
    return tuple(sorted(found, key=lambda c: (-c.value, c.token, FIELDS.index(c.field))))


def _reranked(query: str, hits: Sequence[RecallHit], rerank: Rerank) -> list[RecallHit]:
    """The hits in the order of a caller's numbers; equal ones keep their lexical order."""
    values = [float(value) for value in rerank(query, tuple(hits))]
    if len(values) != len(hits) or any(math.isnan(value) for value in values):
        raise InvalidInputError(
            f"gave {len(values)} numbers for {len(hits)} hits, or one that is none",
            field="rerank",
            remedy="Return one number for each hit, in the order given.",
        )
    order = sorted(range(len(hits)), key=lambda i: (-values[i], i))
    return [replace(hits[i], rank=rank, rerank_score=values[i]) for rank, i in enumerate(order, 1)]
