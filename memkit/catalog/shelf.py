"""Entries read lately, kept for as long as their files stay the same.

Showing a hit needs its entry: the file is looked at every time (device, inode, size, time of change), and read again
only if that differs. A file that is gone, damaged or another project's raises what the store raises, and is forgotten.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memkit.catalog import record_entries
from memkit.model.decision import Decision, read_decision, recall_fields, summary_of
from memkit.model.entry import StoredEntry
from memkit.model.tokens import Stretch, stretches

if TYPE_CHECKING:
    from memkit.store.store import Store

KEPT_ENTRIES = 2_000
# Larger files are read every time; together the kept ones stay small.
KEPT_BYTES = 64 * 1024

_Signature = tuple[int, int, int, int]


@dataclass(frozen=True)
class ReadEntry:
    """An entry with what recall reads from it, each worked out once."""

    entry: StoredEntry

    @cached_property
    def decision(self) -> Decision:
        """What it says."""
        return read_decision(self.entry)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The four texts recall searches, by field."""
        return recall_fields(self.entry, self.decision)

    @cached_property
    def _stretches(self) -> dict[str, tuple[Stretch, ...]]:
        return {}

    def stretches(self, field: str) -> tuple[Stretch, ...]:
        """What `tokens.locate` needs to know of the text of a field."""
        known = self._stretches.get(field)
        if known is None:
            known = self._stretches[field] = stretches(self.texts[field])
        return known

    @cached_property
    def summary(self) -> str:
        """The conclusion, cut."""
        return summary_of(self.decision, self.texts["synthesis"])


class Shelf:
    """See the module. Not safe for several threads at once; the catalog's lock is held."""

    def __init__(self, kept: int = KEPT_ENTRIES) -> None:
        self._kept = kept
        self._entries: OrderedDict[tuple[str, str], tuple[_Signature, ReadEntry]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def read(self, store: Store, entry_id: str) -> ReadEntry:
        """The entry as its file has it now.

        Raises:
            StoreError: see `Store.read_entry`.
        """
        key = (store.paths.key, entry_id)
        signature = _signature(store, entry_id)
        kept = self._entries.get(key)
        if kept is not None and kept[0] == signature:
            self._entries.move_to_end(key)
            return kept[1]
        self._entries.pop(key, None)
        is_record = record_entries.is_record(entry_id)
        read = ReadEntry(record_entries.read(store, entry_id) if is_record else store.read_entry(entry_id))
        if signature is not None and signature[2] <= KEPT_BYTES:
            self._entries[key] = (signature, read)
            if len(self._entries) > self._kept:
                self._entries.popitem(last=False)
        return read

    def forget(self) -> None:
        """Keep nothing."""
        self._entries.clear()


def file_of(store: Store, entry_id: str) -> Path:
    """The file of an entry or a record."""
    is_record = record_entries.is_record(entry_id)
    return store.paths.folder / entry_id if is_record else store.paths.entry_file(entry_id)


def _signature(store: Store, entry_id: str) -> _Signature | None:
    """What tells one state of a file from another, or None where the store should say what is wrong."""
    try:
        info = file_of(store, entry_id).stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns
