"""The linter of records: what stands in the way of a record is said before it is written, and can be asked of all.

An error refuses the write: a form that cannot be kept or found again, a reference to nothing, a secret. A warning is
shown and does not: a record without sources, a lesson that nothing brings to mind. A change is not refused for errors
that were there before, so that a person can mend one thing at a time and consolidation can mark what it must.

Nothing is guessed: each rule looks at one record and at who has which name.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from memkit import clock
from memkit.consolidate.neighbours import Neighbours
from memkit.display import Displayable, count
from memkit.model.candidate import MAX_BODY_CHARS
from memkit.model.entry import MAX_TAG_CHARS, MAX_TAGS
from memkit.model.lint_finding import Finding, Severity
from memkit.model.problem import Problem
from memkit.model.record import MAX_COUNT, Record, record_path
from memkit.model.slugs import MAX_SLUG_CHARS, is_slug
from memkit.store import records

if TYPE_CHECKING:
    from memkit.store.records import RecordsRead
    from memkit.store.scrub import Scrubber
    from memkit.store.store import Store

MAX_TRIGGERS: Final = 32
MAX_LINE_CHARS: Final = 500
# What the linter can say, with its severity; docs/reference/lint.md explains each.
RULES: Final[dict[str, Severity]] = {
    "bad-slug": "error",
    "bad-value": "error",
    "body-too-long": "error",
    "circular-reference": "error",
    "damaged": "error",
    "dangling-reference": "error",
    "dates-out-of-order": "warning",
    "empty-body": "error",
    "no-dates": "warning",
    "no-sources": "warning",
    "no-triggers": "warning",
    "one-sided-reference": "warning",
    "same-slug": "error",
    "secret": "error",
    "similar-slug": "warning",
    "status-contradicts": "error",
    "too-many": "error",
}


@dataclass(frozen=True, slots=True)
class LintReport(Displayable):
    """What the linter found in all records.

    Attributes:
        rows: The findings, by path; errors of a record before its warnings.
        n_records: Files that were looked at.
        as_of: When.
    """

    rows: tuple[Finding, ...]
    n_records: int
    as_of: dt.datetime

    def __repr__(self) -> str:
        return (
            f"<LintReport: {count(self.n_errors, 'error')}, {count(self.n_warnings, 'warning')} in "
            f"{count(self.n_records, 'record')}>"
        )

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.rows)

    @property
    def n_errors(self) -> int:
        """Findings that would refuse a write."""
        return sum(finding.is_error for finding in self.rows)

    @property
    def n_warnings(self) -> int:
        """Findings that are only shown."""
        return len(self.rows) - self.n_errors

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "as_of": clock.iso(self.as_of),
            "n_records": self.n_records,
            "n_errors": self.n_errors,
            "n_warnings": self.n_warnings,
            "findings": [finding.to_dict() for finding in self.rows],
        }


def lint_record(record: Record, neighbours: Neighbours, scrubber: Scrubber) -> tuple[Finding, ...]:
    """Everything the linter has to say about one record among its neighbours, errors first.

    `record` counts as it is given; what `neighbours` knows under its path is left aside.
    """
    found = [*_form(record), *_words(record), *_names(record, neighbours), *_references(record, neighbours)]
    found += _secrets(record, scrubber)
    return tuple(sorted(found, key=lambda finding: (not finding.is_error, finding.code, finding.field, finding.detail)))


def new_errors(found: Sequence[Finding], before: Sequence[Finding]) -> tuple[Finding, ...]:
    """The errors that were not there before."""
    old = {(finding.code, finding.field, finding.detail) for finding in before}
    return tuple(f for f in found if f.is_error and (f.code, f.field, f.detail) not in old)


def lint(store: Store, read: RecordsRead | None = None) -> LintReport:
    """Lint every record of a store; changes nothing."""
    read = records.read_all(store.paths) if read is None else read
    neighbours = Neighbours(read.records)
    found = [_of_problem(problem) for problem in read.problems]
    for record in read.records:
        found += lint_record(record, neighbours, store.scrubber)
    order = sorted(found, key=lambda f: (f.path, not f.is_error, f.code, f.field, f.detail))
    return LintReport(tuple(order), len(read.files), store.clock.now())


def _of_problem(problem: Problem) -> Finding:
    code = "bad-slug" if problem.code == "record-name" else "damaged"
    return Finding(problem.file, code, RULES[code], "", problem.detail, problem.remedy)


def _say(record: Record, code: str, field: str, detail: str, remedy: str = "") -> Finding:
    path = record.path if is_slug(record.slug) else record_path(record.kind, "?")
    return Finding(path, code, RULES[code], field, detail, remedy)


def _form(record: Record) -> Iterator[Finding]:
    if not is_slug(record.slug):
        remedy = f"a-z, 0-9 and single hyphens, at most {MAX_SLUG_CHARS} characters."
        yield _say(record, "bad-slug", "slug", f"{record.slug!r:.100} is no slug", remedy)
    for field in ("supersedes", "superseded_by"):
        for slug in _references_of(record, field):
            if not is_slug(slug):
                yield _say(record, "bad-value", field, f"{slug!r:.100} is no slug")
    if not 0 <= record.reinforcement_count <= MAX_COUNT:
        yield _say(record, "bad-value", "reinforcement_count", f"{record.reinforcement_count} is out of range")
    if (record.status == "superseded") != (record.superseded_by is not None):
        what = (
            "superseded, and by nothing named" if record.superseded_by is None else "active, and superseded by another"
        )
        yield _say(
            record, "status-contradicts", "status", what, "Name what replaced it in `superseded_by`, or neither."
        )
    if record.created_at is None or record.updated_at is None:
        yield _say(record, "no-dates", "created_at", "it does not say when it was written", "memkit fills them in.")
    elif record.updated_at < record.created_at:
        yield _say(record, "dates-out-of-order", "updated_at", "it was changed before it was written")
    for field, limit in (("tags", MAX_TAGS), ("triggers", MAX_TRIGGERS)):
        if len(getattr(record, field)) > limit:
            yield _say(record, "too-many", field, f"{len(getattr(record, field))} of them, at most {limit}")
    for field, limit in (("tags", MAX_TAG_CHARS), ("triggers", MAX_LINE_CHARS), ("sources", MAX_LINE_CHARS)):
        for text in getattr(record, field):
            if len(text) > limit or "\n" in text or not text.strip():
                what = f"{text!r:.40} is not one line of 1 to {limit} characters"
                yield _say(record, "bad-value", field, what)


def _words(record: Record) -> Iterator[Finding]:
    if not record.body.strip():
        yield _say(record, "empty-body", "body", "it says nothing")
    if len(record.body) > MAX_BODY_CHARS:
        what = f"{len(record.body):,} characters, at most {MAX_BODY_CHARS:,}"
        yield _say(record, "body-too-long", "body", what, "Keep what one must know; leave the rest at its source.")
    if not record.sources:
        remedy = "Say where it comes from: a session, an entry, a person, a path."
        yield _say(record, "no-sources", "sources", "nobody can check it", remedy)
    if record.kind == "lesson" and not record.triggers:
        remedy = "Add situations in which it should come to mind."
        yield _say(record, "no-triggers", "triggers", "a lesson that nothing brings to mind", remedy)


def _names(record: Record, neighbours: Neighbours) -> Iterator[Finding]:
    for other in neighbours.named(record.slug):
        if other.path != record.path:
            yield _say(record, "same-slug", "slug", f"{other.path} has the same name", "Rename one of the two.")
    if record.is_active:
        related = {record.superseded_by, *record.supersedes}
        for slug in neighbours.similar(record.slug):
            if slug not in related and any(other.is_active for other in neighbours.named(slug)):
                remedy = "If they say the same, let one supersede the other."
                yield _say(record, "similar-slug", "slug", f"{slug} is an active record", remedy)


def _references(record: Record, neighbours: Neighbours) -> Iterator[Finding]:
    for field in ("supersedes", "superseded_by"):
        for slug in _references_of(record, field):
            others = neighbours.named(slug)
            if not others and slug != record.slug:
                yield _say(record, "dangling-reference", field, f"there is no record {slug}")
            for other in others:
                answers = (
                    other.superseded_by == record.slug if field == "supersedes" else record.slug in other.supersedes
                )
                if not answers and other.path != record.path:
                    what = f"{other.path} does not say so too"
                    yield _say(record, "one-sided-reference", field, what, "Say it in both, so that neither is missed.")
    circle = neighbours.circle(record)
    if circle:
        yield _say(record, "circular-reference", "supersedes", f"it replaces itself: {' <- '.join(circle)}")


def _references_of(record: Record, field: str) -> tuple[str, ...]:
    if field == "supersedes":
        return record.supersedes
    return () if record.superseded_by is None else (record.superseded_by,)


def _secrets(record: Record, scrubber: Scrubber) -> Iterator[Finding]:
    """Where something of the shape of a secret stands; never what it is."""
    for field in ("body", "sources", "triggers", "tags"):
        value = getattr(record, field)
        counts = scrubber.scrub_text(value if isinstance(value, str) else "\n".join(value)).counts
        if counts:
            kinds = ", ".join(sorted(counts))
            yield _say(record, "secret", field, f"holds what looks like a secret ({kinds})", "Take it out.")
    if record.extra and scrubber.scrub_json(dict(record.extra))[1]:
        yield _say(record, "secret", "extra", "holds what looks like a secret", "Take it out.")
