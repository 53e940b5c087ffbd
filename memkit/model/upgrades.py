"""Upgrades of older envelopes, one numbered function per step, applied while reading.

An upgrade never rewrites a file: entries are written once. `u001` reads what the first TypeScript tool wrote before
it numbered its schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memkit.model.entry import SCHEMA_VERSION, StoredEntry, entry_from_envelope

Envelope = dict[str, Any]


def u001_number_the_schema(envelope: Envelope) -> Envelope:
    """0 -> 1: an envelope without `schemaVersion` gets it; absent tags and panel get their defaults."""
    upgraded = {"schemaVersion": 1, **envelope}
    upgraded["schemaVersion"] = 1
    upgraded.setdefault("tags", [])
    upgraded.setdefault("panelId", "consensus")
    return upgraded


UPGRADES: tuple[Callable[[Envelope], Envelope], ...] = (u001_number_the_schema,)


def upgrade(envelope: Mapping[str, Any]) -> Envelope:
    """Bring an older envelope to the current schema; newer ones and current ones pass unchanged."""
    version = envelope.get("schemaVersion", 0)
    current = dict(envelope)
    if isinstance(version, int) and not isinstance(version, bool) and 0 <= version < SCHEMA_VERSION:
        for step in UPGRADES[version:]:
            current = step(current)
    return current


def read_entry(envelope: Mapping[str, Any]) -> StoredEntry:
    """Upgrade and read one envelope.

    Raises:
        EntryDamage: it is not an entry (`NewerEntry` where a newer schema wrote it).
    """
    return entry_from_envelope(upgrade(envelope))
