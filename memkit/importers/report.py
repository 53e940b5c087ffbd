"""The account of one import: every file it saw, what became of it, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from memkit.display import Displayable

Fate = Literal["imported", "unchanged", "updated", "skipped", "rejected"]
Outcome = Literal["mapped", "raw", "not understood"]
FATES: tuple[Fate, ...] = ("imported", "unchanged", "updated", "skipped", "rejected")


@dataclass(frozen=True, slots=True)
class FieldAccount:
    """What became of one field of one document.

    Attributes:
        name: `title`, `status`, `decided_on`, `supersedes`, ...
        outcome: `mapped`, `raw` (kept as written, meaning not settled) or `not understood`.
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


@dataclass(frozen=True, slots=True)
class ImportReport(Displayable):
    """The account of one import.

    Attributes:
        kind: The importer.
        path: What it was given.
        files: One account per file seen, in path order.
        dry_run: Whether nothing was stored.
        links_ambiguous: "path: link text -> candidates", for links that could mean several documents.
        links_dangling: "path: link text", for links to nothing known.
    """

    kind: str
    path: str
    files: tuple[FileAccount, ...]
    dry_run: bool = False
    links_ambiguous: tuple[str, ...] = ()
    links_dangling: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """Files by fate; the five numbers add up to `len(files)`."""
        found = Counter(account.fate for account in self.files)
        return {fate: found[fate] for fate in FATES}

    def __iter__(self) -> Iterator[FileAccount]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {fate}" for fate, n in self.counts.items() if n) or "no files"
        return f"<ImportReport {self.kind} {self.path}: {counts}{' (dry run)' if self.dry_run else ''}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {**asdict(self), "counts": self.counts}
