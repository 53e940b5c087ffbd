"""Putting an export together: a folder beside the target, file by file, then its name.

Nothing is written into a store. A crash leaves a folder whose name begins with a dot and ends in `.tmp` beside the
target; the target itself is whole or absent.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.errors import (
    DamagedError,
    EntryNotFoundError,
    ForeignStoreError,
    InvalidInputError,
    NewerFormatError,
    UsageError,
)
from memkit.exporting.formats import FORMATS
from memkit.exporting.report import KIND, MANIFEST, VERSION, ExportedFile, ExportReceipt, Format, LeftOut
from memkit.model import jsontext
from memkit.model.entry import Source, StoredEntry
from memkit.model.index_line import IndexLine
from memkit.store import durable, look
from memkit.store.paths import path_text
from memkit.store.store import Store

if TYPE_CHECKING:
    import datetime as dt

Chosen = Collection[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Selection:
    """Which entries are wanted; the defaults want all.

    Attributes:
        panel: Only entries of this panel.
        any_tag: Only entries with one of these tags.
        all_tags: Only entries with all of these tags.
        stored_since: Only entries stored at or after this instant.
        chosen: Only these, as pairs of project key and id; None for no such choice.
    """

    panel: str | None = None
    any_tag: tuple[str, ...] = ()
    all_tags: tuple[str, ...] = ()
    stored_since: dt.datetime | None = None
    chosen: Chosen | None = None

    def wants(self, line: IndexLine) -> bool:
        """Whether an entry is wanted, by its index line: what has tags cut there is asked again."""
        since = self.stored_since
        return (
            (self.panel is None or line.panel_id == self.panel)
            and (since is None or line.stored_at_ms >= clock.to_ms(since))
            and (self.chosen is None or (line.project_key, line.id) in self.chosen)
        )

    def keeps(self, entry: StoredEntry) -> bool:
        """Whether an entry is wanted, by what it says."""
        tags = set(entry.tags)
        return (not self.any_tag or bool(tags & set(self.any_tag))) and tags >= set(self.all_tags)


@dataclass(slots=True)
class _Account:
    """What happens on the way out."""

    left_out: list[LeftOut] = field(default_factory=list)
    scrubbed: Counter[str] = field(default_factory=Counter)
    n: int = 0


def export(
    stores: Sequence[Store],
    to: str | os.PathLike[str],
    *,
    format: Format,
    selection: Selection,
    filters: Mapping[str, Any],
    version: str,
    by_project: bool = False,
    progress: Callable[[int], None] | None = None,
) -> ExportReceipt:
    """Write entries of some stores into a new folder.

    Args:
        stores: The projects' stores; the first one's clock and scrubber are used.
        to: The folder; it does not exist, or is empty.
        format: One of `report.FORMATS`.
        selection: Which entries.
        filters: What the selection was made from, for the manifest.
        version: Of memkit, for the manifest.
        by_project: Whether each project gets a folder `project_key=KEY`; Parquet always has one.
        progress: Called with the number of entries written since the last call.

    Raises:
        UsageError: there is no such format.
        InvalidInputError: the folder exists and has something in it, or lies in a store.
        StoreError: an index or a file cannot be read, or the disk refuses; nothing stands under the folder's name.
    """
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r:.40}", field="format", remedy=f"Use one of: {', '.join(FORMATS)}.")
    target = Path(os.path.realpath(to))
    _require_free(target, stores)
    now = stores[0].clock.now()
    account = _Account()
    temp = durable.temp_sibling(target)
    try:
        durable.make_folder(temp)
        files: list[ExportedFile] = []
        for store in stores:
            folder = f"project_key={store.paths.key}/" if by_project or format == "parquet" else ""
            entries = _entries(store, selection, account, progress)
            files += _written(temp, FORMATS[format](entries, folder, account.left_out.append))
        receipt = ExportReceipt(
            path=path_text(target),
            format=format,
            files=tuple(files),
            n_entries=sum(file.rows for file in files),
            projects={store.paths.key: store.paths.project_path for store in stores},
            exported_at=now,
            filters=dict(filters),
            left_out=tuple(account.left_out),
            scrubbed=dict(account.scrubbed),
        )
        durable.write_stream(temp / MANIFEST, iter((_manifest(receipt, version),)))
        for parent in sorted({(temp / file.name).parent for file in files}):
            durable.sync_folder(parent)
        durable.publish(temp, target)
    except BaseException:
        durable.remove_tree(temp)
        raise
    return receipt


def _require_free(target: Path, stores: Sequence[Store]) -> None:
    for store in stores:
        root = Path(os.path.realpath(store.paths.root))
        if target == root or root in target.parents:
            raise InvalidInputError(
                "lies among the stores", file=path_text(target), field="to", remedy="Choose a folder outside of them."
            )
    if look.exists(target) and (not look.is_folder(target) or look.names_in(target)):
        raise InvalidInputError(
            "is there already, and is not an empty folder",
            file=path_text(target),
            field="to",
            remedy="Choose a new name; an export never writes into what is there.",
        )


def _entries(
    store: Store, selection: Selection, account: _Account, progress: Callable[[int], None] | None
) -> Iterator[StoredEntry]:
    """The wanted entries of a store in the order of their ids, scrubbed."""
    read = store.read_index()
    lines = {line.id: line for line in read.lines}
    if read.damaged:
        n = len(read.damaged)
        said = f"{n:,} index {'line' if n == 1 else 'lines'} cannot be read; `memkit repair --apply` brings them back"
        account.left_out.append(LeftOut(store.paths.key, "", said))
    for entry_id in sorted(lines):
        line = lines[entry_id]
        if not selection.wants(line):
            continue
        try:
            entry = store.read_entry(entry_id)
        except (EntryNotFoundError, DamagedError, NewerFormatError, ForeignStoreError) as error:
            account.left_out.append(LeftOut(store.paths.key, entry_id, error.what))
            continue
        if not selection.keeps(entry):
            continue
        account.n += 1
        if progress:
            progress(1)
        yield _scrubbed(store, entry, account.scrubbed)


def _scrubbed(store: Store, entry: StoredEntry, counts: Counter[str]) -> StoredEntry:
    def text(value: str) -> str:
        masked = store.scrubber.scrub_text(value)
        counts.update(masked.counts)
        return masked.text

    def plain(value: Mapping[str, Any]) -> Any:
        masked, found = store.scrubber.scrub_json(dict(value))
        counts.update(found)
        return masked

    source = entry.source
    return replace(
        entry,
        question=text(entry.question),
        panel_id=text(entry.panel_id),
        tags=tuple(text(tag) for tag in entry.tags),
        result=plain(entry.result),
        source=None if source is None else Source(source.kind, text(source.path), source.sha256),
        extra=plain(entry.extra),
    )


def _written(temp: Path, plans: Iterable[Any]) -> Iterator[ExportedFile]:
    for plan in plans:
        path = temp / plan.name
        durable.make_folder(path.parent)
        size, sha256 = durable.write_stream(path, plan.parts)
        yield ExportedFile(plan.name, plan.rows(), size, sha256)


def _manifest(receipt: ExportReceipt, version: str) -> bytes:
    return (
        jsontext.dumps(
            {
                "kind": KIND,
                "version": VERSION,
                "memkit": version,
                "format": receipt.format,
                "exported_at": clock.iso(receipt.exported_at),
                "entries": receipt.n_entries,
                "projects": [{"project_key": key, "project_path": path} for key, path in receipt.projects.items()],
                "filters": dict(receipt.filters),
                "files": [asdict(file) for file in receipt.files],
                "left_out": [asdict(each) for each in receipt.left_out],
                "scrubbed": dict(receipt.scrubbed),
            }
        )
        + b"\n"
    )
