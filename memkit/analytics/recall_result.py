"""What recall answers: hits with their reasons, and what was missed with its cause. Plain data, light to import."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, overload

from memkit import clock
from memkit.display import Charted, Displayable, count
from memkit.model.decision import FIELDS
from memkit.model.tripwire import Tripwire

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


MEANING_PART = "meaning"
PARTS = (*FIELDS, MEANING_PART)


@dataclass(frozen=True, slots=True)
class Contribution:
    """The share of the score that one token earned in one field; the shares add up to `RecallHit.score`.

    Attributes:
        token: The term asked; `asked~found` where another spelling matched; `meaning` for what is near in meaning.
        field: `question`, `conclusion`, `synthesis` or `tags`; `meaning` for that.
        value: In units of the score.
    """

    token: str
    field: str
    value: float


@dataclass(frozen=True, slots=True)
class Fragment:
    """A matched place: `text == fields[field][start:end]`, the stored spelling.

    Attributes:
        field: The field it stands in.
        start: Offset of its first character.
        end: Offset after its last.
        text: A readable window around the matched words.
        matches: Offsets of the matched words inside `text`, as (start, end).
    """

    field: str
    start: int
    end: int
    text: str
    matches: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Missed:
    """Why something is not among the hits.

    Attributes:
        cause: Stable kebab-case name, such as `token-not-in-corpus`; listed in docs/reference/recall.md.
        detail: One sentence.
        ids: The entries concerned, best first, at most 20.
        count: How many there are in all.
    """

    cause: str
    detail: str
    ids: tuple[str, ...] = ()
    count: int = 0


@dataclass(frozen=True, slots=True)
class RecallHit(Displayable):
    """One recalled entry or record with every reason for its place.

    Attributes:
        id: The entry; of a record, its path in the store, such as `memory/use-utc.md`.
        project_key: Its project.
        question: What was asked; of a record, its title.
        summary: The conclusion, cut at 1,200 characters.
        score: BM25F, times the factors of recency and reinforcement if asked for; the contributions add up to it. An
            entry that holds no word of the question itself (see `matched_through`) has the score, coverage and
            contributions of the member it was matched through.
        coverage: Idf-weighted share of the query found, 0..1.
        contributions: Who earned the score, largest first.
        fragments: Where it matched, best first; offsets count in this entry's own texts.
        stored_at: When it was stored.
        age_days: Days since storage.
        age_label: "Stored 76 days ago".
        decided_on: The decision's own day, where known.
        decided_label: "Decided 80 days ago", where known.
        tripwires: Conditions with verdicts.
        panel_id: The panel.
        tags: Its tags.
        final_score: The panel's score, 0..100, where known.
        judge_confidence: The judge's confidence, 0..100, where known.
        status: The decision's status, or `unknown`.
        superseded_by: Ids of what replaced it, newest last.
        supersedes: Ids of what it replaced.
        rank: 1 for the first hit.
        lexical_rank: Its rank before a `rerank` function was asked; equal to `rank` if none was.
        rank_score: What it is ranked by: the best score in its supersede chain.
        matched_through: The older member of the chain that earned `rank_score`, if it was not this one.
        through_fragments: Where that older member matched; offsets count in its texts.
        rerank_score: What a `rerank` function said of it.
        recency: The factor already inside `score`; 1.0 when not asked for.
        reinforcement: The factor of uses already inside `score`; 1.0 when not asked for.
        n_uses: How often it was read, and of a record also confirmed, as far as consolidating has counted; having been
            recalled does not count. 0 when not asked for.
        unreinforced_rank: Its rank without reinforcement, before a `rerank` function; None when not asked for, or where
            it would not be among the first 1,000.
        source_path: The imported document, where there is one; of a record, its file.
        kind: `entry`, or the kind of record: `lesson`, `preference`, `decision`, `domain`.
    """

    id: str
    project_key: str
    question: str
    summary: str
    score: float
    coverage: float
    contributions: tuple[Contribution, ...]
    fragments: tuple[Fragment, ...]
    stored_at: dt.datetime
    age_days: float
    age_label: str
    decided_on: dt.date | None
    decided_label: str | None
    tripwires: tuple[Tripwire, ...]
    panel_id: str
    tags: tuple[str, ...]
    final_score: float | None
    judge_confidence: float | None
    status: str
    superseded_by: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    rank: int = 0
    lexical_rank: int = 0
    rank_score: float = 0.0
    matched_through: str | None = None
    through_fragments: tuple[Fragment, ...] = ()
    rerank_score: float | None = None
    recency: float = 1.0
    reinforcement: float = 1.0
    n_uses: int = 0
    unreinforced_rank: int | None = None
    source_path: str | None = None
    kind: str = "entry"

    def __repr__(self) -> str:
        return f"<RecallHit {self.id} {self.question[:50]!r}: score {self.score:.2f}, {self.age_label.lower()}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; times in ISO 8601."""
        data = asdict(self)
        data["stored_at"] = clock.iso(self.stored_at)
        data["decided_on"] = self.decided_on.isoformat() if self.decided_on else None
        data["tripwires"] = [wire.to_dict() for wire in self.tripwires]
        return data


@dataclass(frozen=True, slots=True)
class RecallResult(Charted, Displayable, Sequence[RecallHit]):
    """The hits for one question, best first, and what was missed.

    Attributes:
        query: The question as asked.
        terms: Its distinct terms.
        rows: The hits.
        missed: Causes of what is not there.
        warnings: One line each about rows that had to be skipped.
        as_of: The moment ages are counted to.
        options: The options asked with, where they differ from the defaults.
        n_entries: Live entries and records in the scope.
        n_records: Records among them.
        sql: The query that ranked them.
        n_matched: How many hits there would be without a limit; None where the page is full and nobody has counted.
    """

    query: str
    terms: tuple[str, ...]
    rows: tuple[RecallHit, ...]
    missed: tuple[Missed, ...]
    as_of: dt.datetime
    warnings: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    n_entries: int = 0
    n_records: int = 0
    sql: str = ""
    n_matched: int | None = 0

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> RecallHit: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RecallHit, ...]: ...
    def __getitem__(self, index: int | slice) -> RecallHit | tuple[RecallHit, ...]:
        return self.rows[index]

    def __iter__(self) -> Iterator[RecallHit]:
        return iter(self.rows)

    def __repr__(self) -> str:
        counts = f"{len(self.rows)} of {count(self.n_entries, 'entry', 'entries')}, {len(self.missed)} missed"
        return f"<RecallResult {self.query[:60]!r}: {counts}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "query": self.query,
            "terms": list(self.terms),
            "as_of": clock.iso(self.as_of),
            "n_entries": self.n_entries,
            "n_records": self.n_records,
            "n_matched": self.n_matched,
            "hits": [hit.to_dict() for hit in self.rows],
            "missed": [asdict(m) for m in self.missed],
            "warnings": list(self.warnings),
        }

    def to_arrow(self) -> pa.Table:
        """One row per hit, flat columns; nested reasons stay with the hits."""
        import pyarrow as pa

        names = (
            "rank", "id", "question", "summary", "score", "coverage", "stored_at", "age_days", "age_label",
            "decided_on",
            "panel_id", "tags", "final_score", "judge_confidence", "status", "superseded_by", "source_path",
            "kind", "reinforcement", "n_uses", "unreinforced_rank",
        )  # fmt: skip
        kinds: dict[str, pa.DataType] = {
            "rank": pa.int32(), "score": pa.float64(), "coverage": pa.float64(), "age_days": pa.float64(),
            "stored_at": pa.timestamp("ms", tz="UTC"), "decided_on": pa.date32(), "tags": pa.list_(pa.string()),
            "reinforcement": pa.float64(), "n_uses": pa.int32(), "unreinforced_rank": pa.int32(),
            "superseded_by": pa.list_(pa.string()), "final_score": pa.float64(), "judge_confidence": pa.float64(),
        }  # fmt: skip
        return pa.table(
            {
                name: pa.array(
                    [list(v) if isinstance(v := getattr(hit, name), tuple) else v for hit in self.rows],
                    kinds.get(name, pa.string()),
                )
                for name in names
            }
        )

    def to_pandas(self) -> pd.DataFrame:
        """`to_arrow` as a data frame."""
        return self.to_arrow().to_pandas()
