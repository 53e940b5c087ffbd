"""What storing answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memkit import clock
from memkit.display import Displayable
from memkit.model.entry import StoredEntry


@dataclass(frozen=True, slots=True)
class StoreReceipt(Displayable):
    """One entry is on disk.

    Attributes:
        entry: As it was stored, after scrubbing.
        scrubbed: Secrets masked on the way in, by kind.
        pruned: Ids that left by the retention policy because of this store, and how to restore them.
    """

    entry: StoredEntry
    scrubbed: Mapping[str, int] = field(default_factory=dict)
    pruned: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The entry's id."""
        return self.entry.id

    def __repr__(self) -> str:
        masked = f", {sum(self.scrubbed.values())} secrets masked" if self.scrubbed else ""
        return f"<StoreReceipt {self.id} {self.entry.question[:50]!r}{masked}>"

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data without the result itself."""
        return {
            "id": self.id,
            "stored_at": clock.iso(self.entry.stored_at),
            "panel_id": self.entry.panel_id,
            "question": self.entry.question,
            "tags": list(self.entry.tags),
            "scrubbed": dict(self.scrubbed),
            "pruned": list(self.pruned),
        }
