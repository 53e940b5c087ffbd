"""Which documents were imported before, and as which entries; what an import compares its files with."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memkit.catalog.catalog import Catalog


def known_sources(catalog: Catalog, kind: str, *, as_of: dt.datetime, project_key: str) -> dict[str, tuple[str, str]]:
    """`source.path` -> (entry id, SHA-256 of the document) of the newest live entry of each document of this kind."""
    from memkit.catalog.queries import load

    query = load("memkit.analytics", "sources")
    rows = catalog.table(query, {"kind": kind, "project_key": project_key}, as_of=as_of).rows
    return {row["source_path"]: (row["entry_id"], row["source_sha256"] or "") for row in rows}
