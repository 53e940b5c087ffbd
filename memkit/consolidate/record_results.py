"""What the record tools answer: plain, frozen results; `present` shows them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from memkit import clock
from memkit.display import Displayable, count
from memkit.model.frozen import FrozenMapping
from memkit.model.lint_finding import Finding
from memkit.model.problem import Problem
from memkit.model.record import Record
from memkit.store.deleted_records import DeletedRecord

RecordOp = Literal["write", "edit", "delete", "restore"]


@dataclass(frozen=True, slots=True)
class ShownRecord(Displayable):
    """A record as it was read.

    Attributes:
        record: What it says.
        sha256: Of the file's bytes; hand it to `edit` to be sure that nobody changed it meanwhile.
        as_of: When it was read.
    """

    record: Record
    sha256: str
    as_of: dt.datetime

    def __repr__(self) -> str:
        return f"<ShownRecord {self.record.path} {self.record.status} {self.record.title[:50]!r}>"

    @property
    def age_days(self) -> float | None:
        """Days since it was written, where that is known."""
        return None if self.record.created_at is None else clock.age_days(self.record.created_at, self.as_of)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {**self.record.to_dict(), "sha256": self.sha256, "age_days": self.age_days}


@dataclass(frozen=True, slots=True)
class RecordList(Displayable):
    """Records, newest first, and the files that could not be read as one.

    Attributes:
        rows: The records.
        problems: What is wrong with other files.
        as_of: When they were read.
        asked: The filters asked with, by name.
    """

    rows: tuple[ShownRecord, ...]
    problems: tuple[Problem, ...]
    as_of: dt.datetime
    asked: Mapping[str, object] = field(default_factory=lambda: FrozenMapping({}))

    def __repr__(self) -> str:
        return f"<RecordList: {count(len(self.rows), 'record')}, {count(len(self.problems), 'problem')}>"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[ShownRecord]:
        return iter(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data; the bodies are left out."""
        rows = [{k: v for k, v in row.to_dict().items() if k != "body"} for row in self.rows]
        return {
            "as_of": clock.iso(self.as_of),
            "records": rows,
            "problems": [problem.to_dict() for problem in self.problems],
        }


@dataclass(frozen=True, slots=True)
class DeletedRecords(Displayable):
    """Deleted records that can still be put back, the last deleted first; one name may have been deleted several times.

    Attributes:
        rows: The records in the trash.
        as_of: When it was looked at.
    """

    rows: tuple[DeletedRecord, ...]
    as_of: dt.datetime

    def __repr__(self) -> str:
        return f"<DeletedRecords: {len(self.rows)}>"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[DeletedRecord]:
        return iter(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"as_of": clock.iso(self.as_of), "deleted": [row.to_dict() for row in self.rows]}


@dataclass(frozen=True, slots=True)
class RecordHit:
    """One record that shares words with a text.

    Attributes:
        record: What it says.
        sha256: Of the file's bytes.
        score: The sum of what the shared words earn (BM25 over the active records); comparable within one answer.
        words: The words shared, the most telling first.
        rank: From 1.
    """

    record: Record
    sha256: str
    score: float
    words: tuple[str, ...]
    rank: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "rank": self.rank,
            "score": self.score,
            "words": list(self.words),
            "sha256": self.sha256,
            **self.record.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class RecordHits(Displayable):
    """Active records that share words with a text, best first.

    Attributes:
        rows: The hits.
        query: The text, as it was asked.
        n_records: Active records that were compared.
        as_of: When.
        n_matched: How many hits there would be without a limit; None for more than 1,000.
        asked: The filters asked with, by name.
    """

    rows: tuple[RecordHit, ...]
    query: str
    n_records: int
    as_of: dt.datetime
    n_matched: int | None = 0
    asked: Mapping[str, object] = field(default_factory=lambda: FrozenMapping({}))

    def __repr__(self) -> str:
        return f"<RecordHits: {len(self.rows)} of {count(self.n_records, 'record')} for {self.query[:50]!r}>"

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[RecordHit]:
        return iter(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "query": self.query,
            "as_of": clock.iso(self.as_of),
            "n_records": self.n_records,
            "n_matched": self.n_matched,
            "hits": [hit.to_dict() for hit in self.rows],
        }


@dataclass(frozen=True, slots=True)
class RecordReceipt(Displayable):
    """What a write, an edit or a deletion did; on disk.

    Attributes:
        op: `write`, `edit` or `delete`.
        record: As it is now; of a deletion, as it was, where it could be read.
        path: Its file, relative to the project's folder in the store.
        before_hash: SHA-256 of the bytes that were there; None for a new record.
        after_hash: SHA-256 of the bytes that are there; None for one that is gone.
        findings: Warnings of the linter.
        also: Paths of records that this one replaced, now marked as superseded.
        kept_as: Where the bytes of a deleted record are.
    """

    op: RecordOp
    record: Record | None
    path: str
    before_hash: str | None
    after_hash: str | None
    findings: tuple[Finding, ...] = ()
    also: tuple[str, ...] = ()
    kept_as: str = ""

    def __repr__(self) -> str:
        return f"<RecordReceipt: {self.op} {self.path}, {count(len(self.findings), 'warning')}>"

    @property
    def is_changed(self) -> bool:
        """Whether a byte is another one."""
        return self.before_hash != self.after_hash

    @property
    def slug(self) -> str:
        """The record's name."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "op": self.op,
            "path": self.path,
            "slug": self.slug,
            "is_changed": self.is_changed,
            "before_hash": self.before_hash,
            "after_hash": self.after_hash,
            "also": list(self.also),
            "kept_as": self.kept_as or None,
            "findings": [finding.to_dict() for finding in self.findings],
            "record": None if self.record is None else self.record.to_dict(),
        }
