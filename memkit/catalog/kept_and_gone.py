"""What is in the trash, and what is pinned or held, as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.model.mark import MARK_KINDS
from memkit.store import marks

if TYPE_CHECKING:
    from memkit.store.store import Store


def trashed(store: Store) -> Iterator[dict[str, Any]]:
    """One row per entry in the trash."""
    for entry in store.trash().entries.values():
        yield {
            "entry_id": entry.id,
            "project_key": store.paths.key,
            "stored_at": clock.from_ms(entry.stored_at_ms),
            "pruned_at": clock.from_ms(entry.pruned_at_ms),
            "rules": list(entry.rules),
            "cause": entry.cause,
            "actor": entry.actor,
            "plan_id": entry.plan_id,
            "n_bytes": entry.n_bytes,
        }


def marked(store: Store) -> Iterator[dict[str, Any]]:
    """One row per pin and hold in force."""
    for kind in MARK_KINDS:
        for mark in marks.current(store.paths, kind)[0].values():
            yield {
                "entry_id": mark.entry_id,
                "project_key": store.paths.key,
                "kind": kind,
                "marked_at": mark.at,
                "reason": mark.reason,
                "actor": mark.actor,
            }
