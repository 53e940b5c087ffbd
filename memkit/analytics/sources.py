"""What an import compares its files with: which documents are known as which entries, and by which names."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from memkit.model.links import Identity

if TYPE_CHECKING:
    from memkit.catalog.catalog import Catalog


def known_sources(catalog: Catalog, kind: str, *, as_of: dt.datetime, project_key: str) -> dict[str, tuple[str, str]]:
    """`source.path` -> (entry id, SHA-256 of the document) of the newest live entry of each document of this kind."""
    from memkit.catalog.queries import load

    query = load("memkit.analytics", "sources")
    rows = catalog.table(query, {"kind": kind, "project_key": project_key}, as_of=as_of).rows
    return {row["source_path"]: (row["entry_id"], row["source_sha256"] or "") for row in rows}


def identities(catalog: Catalog, *, as_of: dt.datetime, project_key: str) -> list[Identity]:
    """The names of every live entry of a project, for settling links to them."""
    from memkit.catalog.queries import load

    query = load("memkit.analytics", "identities")
    rows = catalog.table(query, {"project_key": project_key}, as_of=as_of).rows
    return [Identity(**{**row, "title": row["title"] or ""}) for row in rows]
