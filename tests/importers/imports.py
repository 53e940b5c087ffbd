"""Imports of a folder without a store around them."""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field

from memkit.importers.batches import Against, import_batches
from memkit.importers.draft import Draft
from memkit.importers.identify import identity_of_path
from memkit.importers.intake import Intake, Place
from memkit.importers.kinds.table import kind_of
from memkit.importers.report import ImportReport
from memkit.model.entry import StoredEntry
from memkit.store.new_entry import NewEntry
from memkit.store.receipt import StoreReceipt


@dataclass
class Shelf:
    """What a store would hold.

    Attributes:
        project: The project's folder.
        known: Path of a document -> (entry id, digest) of its newest entry.
        entries: What was stored, by id.
        scrub: What masks secrets.
    """

    project: pathlib.Path
    known: dict[str, tuple[str, str]] = field(default_factory=dict)
    entries: dict[str, NewEntry] = field(default_factory=dict)
    scrub: Callable[[str], str] = str

    def run(self, path, kind="adr", *, dry_run=False, remembers=True, **options) -> ImportReport:
        """Import `path`."""
        row = kind_of(kind)
        against = Against(
            known=dict(self.known),
            previous=(lambda entry: dict(self.entries[entry].result)) if remembers else None,
            scrub=self.scrub,
            identities=[identity_of_path(each) for each in self.known],
        )
        intake = Intake(path, Place(os.path.realpath(self.project)), None)
        keep = None if dry_run else self._keep
        return import_batches(kind, row.reader().drafts, intake, against, keep=keep, has_links=row.has_links, **options)

    def _keep(self, batch):
        return [self._kept(new) for new in batch]

    def _kept(self, new: NewEntry) -> StoreReceipt:
        entry_id = f"{len(self.entries):08d}"
        self.entries[entry_id] = new
        if new.replaces is not None:
            self.known = {path: held for path, held in self.known.items() if held[0] != new.replaces}
        self.known[new.source.path] = (entry_id, new.source.sha256)
        entry = StoredEntry(
            entry_id, 0, "0" * 12, "/p", new.panel_id, new.question, new.tags, new.result, new.replaces, new.source
        )
        return StoreReceipt(entry, {"token": 1} if "secret" in str(new.result) else {})


def drafts_of(kind: str, name: str, data: bytes) -> list[Draft]:
    """What an importer makes of one file of these bytes, named as in a project."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return list(kind_of(kind).reader().drafts(Intake(path, Place(folder), None)))
