"""A mark: somebody said that an entry stays (a pin), or must stay (a legal hold), or no longer."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Literal

from memkit import clock
from memkit.display import Displayable

MAX_REASON_CHARS = 2_000
MarkKind = Literal["pin", "hold"]
MARK_KINDS: tuple[MarkKind, ...] = ("pin", "hold")


@dataclass(frozen=True, slots=True)
class Mark(Displayable):
    """One line of `state/pins.jsonl` or `state/holds.jsonl`.

    Attributes:
        kind: `pin` or `hold`.
        entry_id: The entry.
        is_set: Whether it was put on; False takes it off.
        at: When.
        reason: Why.
        actor: Who said so: `python`, `cli`, `notebook`.
    """

    kind: MarkKind
    entry_id: str
    is_set: bool
    at: dt.datetime
    reason: str
    actor: str = "python"

    def to_dict(self) -> dict[str, Any]:
        """The line's JSON object."""
        return {
            "schemaVersion": 1,
            "kind": self.kind,
            "entryId": self.entry_id,
            "isSet": self.is_set,
            "at": clock.to_ms(self.at),
            "reason": self.reason,
            "actor": self.actor,
        }
