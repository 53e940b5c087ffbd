"""The account of one import: every file it saw, what became of it, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from memkit.display import Displayable

Fate = Literal["imported", "unchanged", "updated", "skipped", "rejected"]
Outcome = Literal["mapped", "raw", "not understood", "left out", "not measurable"]
OUTCOMES: tuple[Outcome, ...] = ("mapped", "raw", "not understood", "left out", "not measurable")
FATES: tuple[Fate, ...] = ("imported", "unchanged", "updated", "skipped", "rejected")


@dataclass(frozen=True, slots=True)
class FieldAccount:
    """What became of one field of one document.

    Attributes:
        name: `title`, `status`, `decided_on`, `supersedes`, ...
        outcome: `mapped`, `raw` (kept as written, meaning not settled), `not understood`, `left out` (not carried over;
            the value says why) or `not measurable` (the source does not keep it).
        origin: Where it was found: "Status heading", "front matter: date", "first-level heading".
        value: What was read, shortened.
    """

    name: str
    outcome: Outcome
    origin: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class FileAccount:
    """What became of one file (or one row of it).

    Attributes:
        path: As given in the entry's `source.path`.
        fate: One of `FATES`.
        reason: Why it was skipped or rejected, or what changed.
        entry_id: The entry it is now, where there is one.
        replaces: The older edition, where it was updated.
        fields: Its fields.
        notes: Oddities worth a person's look.
        scrubbed: Secrets masked on the way in, by kind.
    """

    path: str
    fate: Fate
    reason: str = ""
    entry_id: str | None = None
    replaces: str | None = None
    fields: tuple[FieldAccount, ...] = ()
    notes: tuple[str, ...] = ()
    scrubbed: Mapping[str, int] = field(default_factory=dict)

    @property
    def oddness(self) -> int:
        """How much a person's look is worth: a refusal 10, a field not understood 3, a note 2, a masked secret 1."""
        lost = sum(item.outcome == "not understood" for item in self.fields)
        return 10 * (self.fate == "rejected") + 3 * lost + 2 * len(self.notes) + sum(self.scrubbed.values())


@dataclass(frozen=True, slots=True)
class ImportReport(Displayable):
    """The account of one import.

    Attributes:
        kind: The importer.
        path: What it was given.
        files: One account per file seen, in path order.
        dry_run: Whether nothing was stored.
        links_resolved: How many links between decisions were settled.
        links_ambiguous: "path: link text -> candidates", for links that could mean several documents.
        links_dangling: "path: link text (why)", with candidates where there are any, for links to nothing known.
        links_own: "path: link text", for links of a document to itself.
        gone: Documents imported earlier from this folder that are no longer there; their entries stay.
        unlisted: Further items by fate, with nothing odd about them, that `files` does not name one by one.
        unlisted_fields: What became of their fields: name -> outcome -> how often.
        is_cut: Whether a limit ended the import before everything was read.
        suggestion: What the path looks like, where nothing in it could be read as what was asked for.
    """

    kind: str
    path: str
    files: tuple[FileAccount, ...]
    dry_run: bool = False
    links_ambiguous: tuple[str, ...] = ()
    links_dangling: tuple[str, ...] = ()
    links_resolved: int = 0
    links_own: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    unlisted: Mapping[str, int] = field(default_factory=dict)
    unlisted_fields: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    is_cut: bool = False
    suggestion: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """Files by fate; the five numbers add up to `n_seen`."""
        found = Counter(account.fate for account in self.files)
        return {fate: found[fate] + self.unlisted.get(fate, 0) for fate in FATES}

    @property
    def n_seen(self) -> int:
        """Files and rows that were seen, listed one by one or not."""
        return len(self.files) + sum(self.unlisted.values())

    @property
    def field_totals(self) -> dict[str, dict[str, int]]:
        """How often each field was mapped, kept raw, or not understood, over all files that were read as records."""
        totals: dict[str, Counter[str]] = {name: Counter(found) for name, found in self.unlisted_fields.items()}
        for account in self.files:
            for item in account.fields:
                totals.setdefault(item.name, Counter())[item.outcome] += 1
        ordered = sorted(totals, key=lambda name: (-sum(totals[name].values()), name))
        return {name: {outcome: totals[name][outcome] for outcome in OUTCOMES} for name in ordered}

    def oddest(self, limit: int = 20) -> tuple[FileAccount, ...]:
        """The files most worth a person's look: refused ones, then those with most not understood and most notes."""
        ranked = sorted(self.files, key=lambda account: (-account.oddness, account.path))
        return tuple(account for account in ranked[:limit] if account.oddness)

    def __iter__(self) -> Iterator[FileAccount]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {fate}" for fate, n in self.counts.items() if n) or "no files"
        return f"<ImportReport {self.kind} {self.path}: {counts}{' (dry run)' if self.dry_run else ''}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            **asdict(self),
            "counts": self.counts,
            "field_totals": self.field_totals,
            "oddest": [account.path for account in self.oddest()],
        }
