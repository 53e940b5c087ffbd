"""Events of the audit log: one line each, saying who did what to which entry, with which outcome.

First cut: two kinds. `entry_operation` for what changes the store, `record_usage` for what reads it. Free text (a
query, a reason) is scrubbed before it gets here.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from uuid_utils import uuid7

from memkit import clock

EVENT_SCHEMA_VERSION = 1
Kind = Literal["entry_operation", "record_usage"]
Operation = Literal["store", "import", "wipe", "repair", "acknowledge", "recall", "decided"]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        event: The kind of event.
        op: What was done.
        status: `done` or `failed`.
        actor: Who asked: `python`, `cli`, `notebook`, `mcp`.
        detail: Fields of this operation: ids, counts, a scrubbed query, a reason.
    """

    event: Kind
    op: Operation
    status: Literal["done", "failed"] = "done"
    actor: str = "python"
    detail: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def to_dict(self, occurred_at: dt.datetime) -> dict[str, Any]:
        """The line's JSON object; its id and time are given under the log's lock."""
        return {
            "id": str(uuid7()),
            "occurred_at": clock.iso(occurred_at),
            "schema_version": EVENT_SCHEMA_VERSION,
            "event": self.event,
            "op": self.op,
            "status": self.status,
            "actor": self.actor,
            **self.detail,
        }
