"""Uses for SQL: firings that wait, and what those come to that were counted; read when a question names their views.

As with candidates, nothing of them is kept between questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from memkit.catalog.schemas import base_schemas
from memkit.model.ledger import Ledger
from memkit.store import firings, ledger

if TYPE_CHECKING:
    from memkit.catalog.database import Database
    from memkit.store.store import Store

_NAMES: Final = re.compile(r"\b(?:firings|low_signal_records)\b", re.IGNORECASE)


def asks_for(sql: object) -> bool:
    """Whether a query may read one of the views."""
    return isinstance(sql, str) and _NAMES.search(sql) is not None


def load(database: Database, stores: Sequence[Store]) -> None:
    """Show what is in the files now.

    Raises:
        StoreError: a file cannot be shown.
    """
    import pyarrow as pa

    for name, rows in (("firing_rows", _waiting), ("use_rows", _counted)):
        found = [row for store in stores for row in rows(store)]
        database.replace_table(name, pa.Table.from_pylist(found, base_schemas()[name]))


def _waiting(store: Store) -> Iterator[dict[str, Any]]:
    for position, firing in enumerate(firings.read(store.paths).firings):
        yield {
            "project_key": store.paths.key,
            "position": position,
            "fired_at": firing.at,
            "kind": firing.kind,
            "id": firing.id,
            "op": firing.op,
            "rank": firing.rank,
            "actor": firing.actor,
            "call": firing.call,
        }


def _counted(store: Store) -> Iterator[dict[str, Any]]:
    for use in Ledger.of(ledger.read(store.paths)[0]).uses.values():
        yield {"project_key": store.paths.key, "id": use.id, "n_recalled": use.n_recalled, "n_read": use.n_read}
