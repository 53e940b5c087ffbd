"""What `Memory` does for an import: compare with the store under the import lock, store in batches, say what it saw."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.errors import EntryNotFoundError, InvalidInputError, MemkitError
from memkit.importers.report import ImportReport
from memkit.model import jsontext
from memkit.model.entry import StoredEntry
from memkit.model.erasure import Erasure
from memkit.model.event import Event
from memkit.store import erasures
from memkit.store.lock import Lock
from memkit.store.new_entry import NewEntry
from memkit.store.receipt import StoreReceipt
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.catalog.catalog import Catalog
    from memkit.importers.batches import Against, Progress

Keep = Callable[[Sequence[NewEntry]], Sequence[StoreReceipt]]


class Importing:
    """Imports into one store; made by Memory for each call.

    Args:
        store: Where entries go.
        catalog: What is known of it.
        keep: Stores a batch and makes it visible.
        scratch: A private folder that exists, for copies of databases; None: databases cannot be read.
        require_room: Told everything that is to be stored before any of it is; raises where it must not be. None: the
            caller has agreed to whatever storing it moves to the trash.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        *,
        keep: Keep,
        scratch: Path | None,
        require_room: Callable[[Sequence[NewEntry]], None] | None = None,
    ) -> None:
        self._require_room = require_room
        self._store = store
        self._catalog = catalog
        self._keep = keep
        self._scratch = scratch

    def run(
        self,
        kind: str,
        path: str | os.PathLike[str],
        *,
        dry_run: bool = False,
        limit: int | None = None,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Import, or say what would be imported; the arguments are those of `Memory.import_from`."""
        from memkit.importers.kinds.table import kind_of

        kind_of(kind)
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
            raise InvalidInputError("a whole number from 1 up was expected", field="limit", remedy="Leave it out.")
        if dry_run:
            report = self._read(kind, path, keep=None, limit=limit, progress=progress)
            return self._with_suggestion(kind, path, report)
        self._store.make_folders()
        with Lock(self._store.paths.import_lock, self._store.wait_seconds).held(f"import {kind}"):
            self._catalog.refresh()
            if self._require_room is not None:
                to_store: list[NewEntry] = []
                self._read(kind, path, keep=partial(_foreseen, to_store), limit=limit, progress=None)
                self._require_room(to_store)
            report = self._read(kind, path, keep=self._keep, limit=limit, progress=progress)
        report = self._with_suggestion(kind, path, report)
        n_new = report.counts["imported"] + report.counts["updated"]
        detail = {"kind": kind, "n_entries": n_new, "counts": report.counts, "source_path": report.path}
        self._store.audit.record(Event("entry_operation", "import", detail=detail))
        return report

    def _read(
        self,
        kind: str,
        path: str | os.PathLike[str],
        *,
        keep: Keep | None,
        limit: int | None,
        progress: Progress | None,
    ) -> ImportReport:
        from memkit.importers.batches import import_batches
        from memkit.importers.intake import Intake, Place
        from memkit.importers.kinds.table import kind_of

        against = self._against(kind)
        place = Place(os.path.realpath(self._store.paths.real_path))
        intake = Intake(path, place, self._scratch, self._store.paths.key, self._store.clock.now())
        row = kind_of(kind)
        return import_batches(
            kind,
            row.reader().drafts,
            intake,
            against,
            keep=keep,
            limit=limit,
            progress=progress,
            has_links=row.has_links,
        )

    def _against(self, kind: str) -> Against:
        from memkit.analytics.sources import identities, known_sources
        from memkit.importers.batches import Against

        now, key = self._store.clock.now(), self._store.paths.key
        gone = erasures.erased(self._store.paths)
        return Against(
            known=known_sources(self._catalog, kind, as_of=now, project_key=key),
            previous=self._result_of,
            identities=identities(self._catalog, as_of=now, project_key=key),
            scrub=lambda text: self._store.scrubber.scrub_text(text).text,
            stored=partial(self._is_stored, {erasure.id: erasure for erasure in gone}),
            erased=partial(erasures.why_left_out, gone) if gone else None,
        )

    def _is_stored(self, gone: Mapping[str, Erasure], new: NewEntry) -> str:
        """Of an entry that comes back from an export: `new`, `same`, or why it cannot be taken."""
        erasure = gone.get(str(new.id))
        if erasure is not None:
            return f"it was erased here on {erasure.erased_at:%Y-%m-%d}; `memkit store` takes it in again"
        try:
            there = self._store.read_entry(str(new.id))
        except EntryNotFoundError:
            return "new"
        except MemkitError as error:
            return f"an entry of its id is there and cannot be read: {error.what}"
        said = _said(self._store.scrubbed(new)[0])
        held = _said(
            NewEntry(
                there.question,
                dict(there.result),
                there.panel_id,
                there.tags,
                there.stored_at_ms,
                there.replaces,
                there.source,
                there.id,
                dict(there.extra),
            )
        )
        return "same" if said == held else "another entry of its id is in the store"

    def _result_of(self, entry_id: str) -> Any:
        try:
            return self._store.read_entry(entry_id).result
        except MemkitError:
            return None

    def _with_suggestion(self, kind: str, path: str | os.PathLike[str], report: ImportReport) -> ImportReport:
        """Where nothing could be read as what was asked for, say what it looks like."""
        from memkit.importers.detect import detect

        counts = report.counts
        if counts["imported"] or counts["unchanged"] or counts["updated"] or report.is_cut:
            return report
        return replace(report, suggestion=detect(path, self._scratch).sentence(kind))


def _foreseen(seen: list[NewEntry], batch: Sequence[NewEntry]) -> list[StoreReceipt]:
    """Note what a batch would store, without its texts, and store nothing."""
    seen += [replace(new, question=new.question[:120], result={}) for new in batch]
    nowhere = StoredEntry(id="0" * 8, stored_at_ms=0, project_key="", project_path="", panel_id="", question="?",
                          tags=(), result={})  # fmt: skip
    return [StoreReceipt(nowhere)] * len(batch)


def _said(new: NewEntry) -> str:
    """What an entry says, in one text that is the same for the same entry."""
    return jsontext.dumps({**asdict(new), "result": dict(new.result), "extra": dict(new.extra)}).decode()
