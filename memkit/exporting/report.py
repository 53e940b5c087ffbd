"""What an export answers, and what its manifest says."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from memkit import clock
from memkit.display import Displayable, count

Format = Literal["jsonl", "parquet", "markdown", "consensus"]
FORMATS: Final[tuple[Format, ...]] = ("jsonl", "parquet", "markdown", "consensus")
# Readers of data sets pass over names that begin with an underscore.
MANIFEST: Final = "_manifest.json"
KIND: Final = "memkit-export"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """One file of an export.

    Attributes:
        name: In the export's folder, with `/`.
        rows: Entries in it.
        size: Its bytes.
        sha256: Of its bytes.
    """

    name: str
    rows: int
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry that is not in the export.

    Attributes:
        project_key: Its project.
        entry_id: The entry; "" for entries that nobody can name.
        reason: Why.
    """

    project_key: str
    entry_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class ExportReceipt(Displayable):
    """An export that is on disk.

    Attributes:
        path: Its folder.
        format: One of `FORMATS`.
        files: Its files, the manifest left out.
        n_entries: Entries written.
        projects: Project path by key.
        exported_at: When.
        filters: What was asked for, where not everything was.
        left_out: Entries that are not in it.
        scrubbed: Secrets masked on the way out, by kind.
    """

    path: str
    format: Format
    files: tuple[ExportedFile, ...]
    n_entries: int
    projects: Mapping[str, str]
    exported_at: dt.datetime
    filters: Mapping[str, Any] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()
    scrubbed: Mapping[str, int] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"<ExportReceipt {self.path}: {count(self.n_entries, 'entry', 'entries')} as {self.format}, "
            f"{count(len(self.files), 'file')}>"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {**asdict(self), "exported_at": clock.iso(self.exported_at)}
