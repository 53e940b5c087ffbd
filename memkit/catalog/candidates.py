"""Candidates, dead letters and their ledger for SQL: read from the files when a question names one of their views.

They are few and change under other hands, so nothing of them is kept between questions; a question that does not name
them costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from memkit import clock
from memkit.catalog.schemas import base_schemas
from memkit.model.candidate import Candidate, Malformed, key_of
from memkit.model.ledger import Ledger, Life
from memkit.store import deadletters, extraction, ledger, staging
from memkit.store.candidate_files import moment_of

if TYPE_CHECKING:
    from memkit.catalog.database import Database
    from memkit.store.store import Store

_NAMES: Final = re.compile(r"\b(?:candidates|dead_letters|consolidation_ledger)\b", re.IGNORECASE)
TABLE: Final = "candidate_rows"
LEDGER: Final = "ledger_rows"


def asks_for(sql: object) -> bool:
    """Whether a query may read one of the views."""
    return isinstance(sql, str) and _NAMES.search(sql) is not None


def load(database: Database, stores: Sequence[Store]) -> None:
    """Show what is in the files now.

    Raises:
        StoreError: a folder cannot be listed.
    """
    import pyarrow as pa

    rows = [row for store in stores for row in _rows(store)]
    database.replace_table(TABLE, pa.Table.from_pylist(rows, base_schemas()[TABLE]))
    seen = [row for store in stores for row in _ledger_rows(store)]
    database.replace_table(LEDGER, pa.Table.from_pylist(seen, base_schemas()[LEDGER]))


def _ledger_rows(store: Store) -> list[dict[str, Any]]:
    """One per candidate ever seen: those of the ledger, and those that no run has looked at yet, without a fate."""
    lives = dict(Ledger.of(ledger.read(store.paths)[0]).lives)
    for file in staging.read_all(store.paths)[0]:
        for item in file.candidates:
            key = item.key(file.session_id)
            first = item.evidence[0] if item.evidence else None
            turns = (first.first_turn, first.last_turn) if first else (0, 0)
            lives.setdefault(key, Life(key, file.session_id, item.category, item.digest, turns))
    for each in extraction.read(store.paths)[0]:
        for digest in each.digests:
            key = key_of(each.session_id, digest)
            lives.setdefault(key, Life(key, each.session_id, "", digest))
    return [
        {
            "candidate_key": life.key,
            "project_key": store.paths.key,
            "session_id": life.session_id or None,
            "category": life.category or None,
            "first_turn": life.turns[0] or None,
            "last_turn": life.turns[1] or None,
            "fate": life.fate,
            "reason": life.reason or None,
            "record": life.record or None,
            "adjudicator": life.adjudicator or None,
            "run_id": life.run or None,
            "decided_at": None if life.at is None else clock.to_ms(life.at) * 1000,
            "attempts": life.attempts,
        }
        for life in lives.values()
    ]


def _rows(store: Store) -> list[dict[str, Any]]:
    found = []
    for file in staging.read_all(store.paths)[0]:
        about = {"session_id": file.session_id, "file": f"staging/{file.name}", "produced_at": file.produced_at}
        for position, item in enumerate(file.items):
            attempts = item.reconcile_attempts if isinstance(item, Candidate) else 0
            found.append(_row(store, item, attempts, about | {"position": position, "is_dead": False, "reason": None}))
    for letter in deadletters.read_letters(store.paths)[0]:
        about = {
            "session_id": letter.session_id,
            "file": f"deadletter/{letter.name}",
            "produced_at": letter.produced_at,
            "position": 0,
            "is_dead": True,
            "reason": letter.last_gate_reason,
        }
        found.append(_row(store, letter.candidate, letter.attempts, about))
    return found


def _row(store: Store, item: Candidate | Malformed, attempts: int, about: dict[str, Any]) -> dict[str, Any]:
    when = moment_of(about.pop("produced_at"))
    row = {
        **about,
        "project_key": store.paths.key,
        "category": item.category,
        "attempts": attempts,
        "produced_at": None if when is None else clock.to_ms(when) * 1000,
    }
    if isinstance(item, Malformed):
        return row | {"problem": item.reason}
    first = item.evidence[0] if item.evidence else None
    return row | {
        "candidate_key": item.key(about["session_id"]),
        "kind": item.kind,
        "title": item.title,
        "summary": item.summary,
        "body": item.body,
        "triggers": list(item.triggers),
        "tags": list(item.tags),
        "tripwires": list(item.tripwires),
        "supersedes": list(item.supersedes),
        "scope": item.scope,
        "first_turn": first.first_turn if first else None,
        "last_turn": first.last_turn if first else None,
        "excerpt": first.excerpt if first else None,
    }
