"""An acknowledgement: somebody has seen a tripped tripwire and said so; it is silent until its evidence changes."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from memkit import clock
from memkit.display import Displayable

MAX_REASON_CHARS = 2_000


@dataclass(frozen=True, slots=True)
class Acknowledgement(Displayable):
    """One line of `state/acknowledgements.jsonl`.

    Attributes:
        tripwire_id: The tripwire.
        entry_id: Its decision.
        evidence: A digest of what tripped it; another digest means that its evidence has changed.
        at: When it was acknowledged.
        reason: Why it may be silent.
        actor: Who said so: `python`, `cli`, `notebook`.
    """

    tripwire_id: str
    entry_id: str
    evidence: str
    at: dt.datetime
    reason: str
    actor: str = "python"

    def to_dict(self) -> dict[str, Any]:
        """The line's JSON object."""
        return {
            "schemaVersion": 1,
            "tripwireId": self.tripwire_id,
            "entryId": self.entry_id,
            "evidence": self.evidence,
            "acknowledgedAt": clock.to_ms(self.at),
            "reason": self.reason,
            "actor": self.actor,
        }
