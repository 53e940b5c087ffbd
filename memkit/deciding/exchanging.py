"""What a Memory takes in from other tools and gives to them; `Memory` inherits it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from memkit.deciding.part import Part
from memkit.store.spill import spill_folder

if TYPE_CHECKING:
    from memkit.exporting.report import ExportReceipt, Format
    from memkit.importers.detect import Detection
    from memkit.importers.report import ImportReport

Project = str | os.PathLike[str]


class Exchanging(Part):
    """Imports and exports; what they work on is `Memory`'s."""

    def import_adr(self, path: Project, *, dry_run: bool = False, prune: bool = False) -> ImportReport:
        """Read decision records (Markdown) at `path`, a file or a folder; every file is accounted for.

        Importing the same again adds nothing; a changed record becomes a new entry that replaces the old one.

        Raises:
            ImportSourceError: the path cannot be read at all.
            PolicyError: it would push entries over the retention policy, and `prune` is False; nothing was stored.
        """
        return self.import_from("adr", path, dry_run=dry_run, prune=prune)

    def import_consensus(self, path: Project, *, dry_run: bool = False, prune: bool = False) -> ImportReport:
        """Read panel results (a JSON file, a folder of them, or JSONL) at `path`; every one is accounted for.

        Raises:
            ImportSourceError: the path cannot be read at all.
            PolicyError: it would push entries over the retention policy, and `prune` is False; nothing was stored.
        """
        return self.import_from("consensus", path, dry_run=dry_run, prune=prune)

    def import_from(
        self,
        kind: str,
        path: Project,
        *,
        dry_run: bool = False,
        limit: int | None = None,
        progress: Callable[[int], None] | None = None,
        prune: bool = False,
    ) -> ImportReport:
        """Read the files of another tool at `path`; every item is accounted for, the same again adds nothing.

        Args:
            kind: One of the kinds of docs/how-to/import.md, such as `server-memory`; `detect` says which.
            path: A file or a folder.
            dry_run: Say what would be stored, and store nothing.
            limit: Store at most so many entries; the report says where it was cut.
            progress: Called now and then with the number of items seen since the last call.
            prune: Store although that pushes entries over the retention policy; they go to the trash.

        Raises:
            UsageError: there is no such kind.
            ImportSourceError: the path cannot be read at all.
            PolicyError: it would push entries over the retention policy, and `prune` is False; nothing was stored.
            StoreError: a batch could not be stored; what was stored before stays, and the same import goes on.
        """
        from memkit.deciding.importing import Importing

        self._require_enabled()
        importing = Importing(
            self._store,
            self._catalog(),
            keep=partial(self._keep, op="import", prune=True),
            scratch=spill_folder(self._temp_directory),
            require_room=None if prune else self._room_check(),
        )
        return importing.run(kind, path, dry_run=dry_run, limit=limit, progress=progress)

    def detect(self, path: Project) -> Detection:
        """Which kind of files `path` holds, with the evidence; for `import_from`.

        Raises:
            ImportSourceError: the path cannot be read at all.
        """
        from memkit.importers.detect import detect

        self._require_open()
        return detect(path, spill_folder(self._temp_directory))

    def export(
        self,
        to: Project,
        *,
        format: Format = "jsonl",
        query: str | None = None,
        panel: str | None = None,
        any_tag: str | Sequence[str] = (),
        all_tags: str | Sequence[str] = (),
        since_days: float | None = None,
        limit: int = 1000,
        across_projects: bool = False,
        progress: Callable[[int], None] | None = None,
    ) -> ExportReceipt:
        """Write entries out into a new folder with a manifest; secrets are masked, the store is not changed.

        Works while memory is off.

        Args:
            to: The folder; it does not exist yet, or is empty.
            format: `jsonl` (comes back with `import_from("memkit", ...)`), `parquet` (one folder `project_key=...` per
                project), `markdown` or `consensus`.
            query: Only entries that `recall` finds for these words, at most `limit`.
            panel: Only entries of this panel.
            any_tag: Only entries with one of these tags.
            all_tags: Only entries with all of these tags.
            since_days: Only entries stored at most so many days ago.
            limit: Hits of `query` at most, 1 to 1,000.
            across_projects: Also the other projects their user enabled, each in a folder of its own.
            progress: Called with the number of entries written since the last call.

        Raises:
            UsageError: there is no such format.
            InvalidInputError: the folder has something in it or lies in a store, or an option is out of its range.
            StoreError: the index cannot be read, or the disk refuses; no folder of this name was made.
        """
        from memkit.analytics.recall_options import tag_names
        from memkit.deciding.exporting import export

        self._require_open()
        options = self._weighing(
            limit=limit,
            panel=panel,
            any_tag=tag_names(any_tag, "any_tag"),
            all_tags=tag_names(all_tags, "all_tags"),
            since_days=since_days,
            include_superseded=True,
            across_projects=across_projects,
        )
        return export(
            [self._store, *(self._other_stores() if across_projects else ())],
            to,
            format=format,
            query=query,
            options=options,
            catalog=partial(self._catalog, "all" if across_projects else "own"),
            by_project=across_projects,
            progress=progress,
        )
