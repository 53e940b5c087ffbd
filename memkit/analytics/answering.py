"""One question being answered: from ranks to checked hits with their reasons.

Ranks come from `recall.sql`, or from the same sum added up in memory (`ranking`), or from `recall_filtered.sql` where
options are asked. Texts come from the entries' files. Every entry about to be shown is looked at, and must still be
the one that was indexed; one that is not is skipped with a warning, and the next rank takes its place.

An entry that another one superseded stands for the head of its chain: the head is shown where the best member of the
chain ranks. Its own score and reasons are shown if it holds words of the question itself; else those of the member it
was matched through.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.analytics.asking import Question, coefficients
from memkit.analytics.fragments import find_fragments
from memkit.analytics.lost_and_found import Hidden
from memkit.analytics.ranking import MEANING, rank_in_memory
from memkit.analytics.recall_options import MAX_LIMIT, RecallOptions
from memkit.analytics.recall_result import MEANING_PART, PARTS, Contribution, Fragment, RecallHit
from memkit.catalog import queries
from memkit.catalog.shelf import file_of
from memkit.errors import DamagedError, StoreError
from memkit.model.decision import FIELDS
from memkit.model.record import kind_of_panel
from memkit.model.tripwire import Tripwire
from memkit.snapshot.rows import problem_code, question_crc

if TYPE_CHECKING:
    from memkit.catalog.cards import Mask
    from memkit.catalog.facts import Card
    from memkit.catalog.postings import Floats, Postings
    from memkit.catalog.shelf import ReadEntry
    from memkit.catalog.sight import Sight

PACKAGE = "memkit.analytics"
# Ranks fetched beyond the limit, for entries whose file turns out to be gone and for older members of chains.
SPARE = 8
RERANK_DEPTH = 50
_DAY_MS = 86_400_000.0
_MOST_ROWS = 2**31 - 1
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class _Share:
    """What one word earned in one entry, by field, in the order of `FIELDS`."""

    asked: str
    found: str
    values: tuple[float, ...]


@dataclass(slots=True)
class _Ranked:
    """An entry that matched, and the head it stands for."""

    doc: int
    head: int
    place: int
    score: float
    recency: float
    reinforcement: float
    n_uses: int
    shares: list[_Share]
    meaning: float = 0.0


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


class Answer:
    """One question being answered, under the catalog's lock; see the module.

    Attributes:
        query: The ranking query.
        params: Its parameters, and those of the queries beside it.
        hidden: What was left out, for `lost_and_found`.
        warnings: One line for each entry that was skipped.
        n_matched: How many hits there would be without a limit; None where nobody has counted.
    """

    def __init__(
        self,
        sight: Sight,
        question: Question,
        options: RecallOptions,
        *,
        as_of: dt.datetime,
    ) -> None:
        self.sight = sight
        self.question = question
        self.options = options
        self.as_of = as_of
        as_asked = all(asked == found for asked, found in question.spellings)
        self.query = queries.load(PACKAGE, "recall" if options.plain and as_asked else "recall_filtered")
        self.params = self._params()
        self.worth = {found: question.idf[asked] for asked, found in question.spellings}
        self.hidden = Hidden()
        self.warnings: list[str] = []
        self.n_matched: int | None = None
        self._entries: dict[int, ReadEntry | None] = {}
        self._near: Floats | None = None
        self._unreinforced: dict[int, int] = {}

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
            "reinforcement": float(options.reinforcement),
        }

    # -- ranking -------------------------------------------------------------------------------------------------

    def find(self) -> list[_Line]:
        """The entries to show, best first; asks for more ranks until there are enough or no more."""
        if not self.question.spellings and self.options.semantic is None:
            return []
        wanted = self.options.limit if self.options.rerank is None else max(self.options.limit, RERANK_DEPTH)
        page = wanted + SPARE
        while True:
            ranked = self._rank(self.query, {"limit": page, "only": None})
            lines = self._lines(ranked, wanted)
            if len(lines) >= wanted or len(ranked) < page:
                break
            page *= 4
        if len(lines) < wanted:
            self.n_matched = len(lines)
        if self.options.reinforcement > 0:
            self._unreinforced = self._without_uses()
        return lines

    def _without_uses(self) -> dict[int, int]:
        """The rank each entry would have without reinforcement, as far as it would be among the first."""
        groups: dict[int, None] = {}
        own: dict[int, _Ranked] = {}
        for row in self._rank(self.query, {"limit": MAX_LIMIT, "only": None, "reinforcement": 0.0}):
            groups.setdefault(row.head)
            own[row.doc] = row
        members = [doc for head in groups for doc in self._members(head, own) if self._passes(doc)]
        shown = [doc for doc in members if self._entries.get(doc, True) is not None]
        return {doc: rank for rank, doc in enumerate(shown, 1)}

    def _rank(self, query: queries.Query, more: Mapping[str, object]) -> list[_Ranked]:
        params = {**self.params, **more}
        postings = self.sight.postings() if self.options.reinforcement == 0 else None
        if postings is not None:
            rows, n_matched = rank_in_memory(postings, params, self._places(postings, params), self._meaning(postings))
            if params["only"] is None and not (self.options.include_superseded and self.options.filters):
                self.n_matched = n_matched
        else:
            rows = self.sight.fetch(query, {name: params[name] for name in query.params})
        names = self.question.names
        pairs: dict[tuple[int, int], _Ranked] = {}
        for doc, head, place, score, recency, reinforcement, n_uses, asked, found, *values in rows:
            ranked = pairs.get((doc, head))
            if ranked is None:
                ranked = _Ranked(doc, head, place, score, recency, reinforcement, n_uses, [])
                pairs[doc, head] = ranked
            if asked == MEANING:
                ranked.meaning = values[0]
            else:
                ranked.shares.append(_Share(names[asked], names[found], tuple(values)))
        return sorted(pairs.values(), key=lambda r: (-r.score, r.place))

    def _meaning(self, postings: Postings) -> Floats | None:
        """By document, how near it is in meaning: from 0 for the mean of all entries to 1 for the nearest."""
        import numpy as np

        embedder = self.options.semantic
        if embedder is None or not self.question.text.strip():
            return None
        if self._near is None:
            cosines = self.sight.vectors_by(embedder).similarities(self.sight, self.question.text, postings.size)
            shown = cosines[postings.shown]
            middle, highest = (float(shown.mean()), float(shown.max())) if len(shown) else (0.0, 0.0)
            self._near = np.clip((cosines - middle) / max(highest - middle, _TINY), 0.0, 1.0)
        return self._near

    def _places(self, postings: Postings, params: Mapping[str, Any]) -> Mask | None:
        """Which places pass the filters: by the head that would be shown, or the entry itself where that is wanted."""
        if all(params[name] is None for name in ("panel", "any_tag", "all_tags", "since_ms")):
            return None
        passing = self.sight.all_cards().passing(params, postings.size)
        places: Mask = passing[postings.heads]
        return places | passing[postings.shown] if params["include_superseded"] else places

    def _lines(self, ranked: Sequence[_Ranked], wanted: int) -> list[_Line]:
        groups: dict[int, list[_Ranked]] = {}
        for row in ranked:
            groups.setdefault(row.head, []).append(row)
        own = {row.doc: row for row in ranked}
        more = self._not_ranked_yet(groups, own, wanted)
        own |= {row.doc: row for row in more}
        self.sight.cards([doc for row in (*ranked, *more) for doc in (row.doc, row.head)])  # all in one question
        lines: list[_Line] = []
        hidden: dict[int, None] = {}
        for head, group in groups.items():
            if len(lines) >= wanted:
                break
            shown = [doc for doc in self._members(head, own) if self._passes(doc)]
            for doc in shown:
                if len(lines) >= wanted:
                    break
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
            file = file_of(store, card.entry_id)
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
            reinforcement=reasons.reinforcement,
            n_uses=reasons.n_uses,
            unreinforced_rank=self._unreinforced.get(line.doc),
            source_path=read.source_path,
            kind=kind_of_panel(entry.panel_id),
        )

    def _coverage(self, ranked: _Ranked) -> float:
        found = math.fsum(self.question.idf[asked] for asked in {share.asked for share in ranked.shares})
        return min(1.0, found / self.question.total_idf) if found else 0.0

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
    if ranked.meaning > 0:
        found.append(Contribution(MEANING_PART, MEANING_PART, ranked.meaning))
    return tuple(sorted(found, key=lambda c: (-c.value, c.token, PARTS.index(c.field))))
