"""What `Memory` does for an export: find the entries that are asked for, then write them out."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit.errors import InvalidInputError
from memkit.exporting.report import ExportReceipt, Format
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.analytics.recall_options import RecallOptions
    from memkit.catalog.catalog import Catalog


def export(
    stores: Sequence[Store],
    to: str | os.PathLike[str],
    *,
    format: Format,
    query: str | None,
    options: RecallOptions,
    catalog: Callable[[], Catalog],
    by_project: bool,
    progress: Callable[[int], None] | None,
) -> ExportReceipt:
    """Export; the arguments are those of `Memory.export`, put into words of the floors below."""
    from memkit.exporting.export import Selection
    from memkit.exporting.export import export as write_out

    now = stores[0].clock.now()
    since = None if options.since_days is None else now - dt.timedelta(days=options.since_days)
    chosen = None if query is None else _found(catalog(), query, options, now)
    selection = Selection(options.panel, options.any_tag, options.all_tags, since, chosen)
    asked: Mapping[str, Any] = {
        "query": query,
        "panel": options.panel,
        "any_tag": list(options.any_tag),
        "all_tags": list(options.all_tags),
        "since_days": options.since_days,
        "limit": options.limit if query is not None else None,
    }
    filters = {name: value for name, value in asked.items() if value not in (None, [])}
    return write_out(
        stores,
        to,
        format=format,
        selection=selection,
        filters=filters,
        version=_version(),
        by_project=by_project,
        progress=progress,
    )


def _found(catalog: Catalog, query: str, options: RecallOptions, now: dt.datetime) -> frozenset[tuple[str, str]]:
    from memkit.analytics.recall import recall

    if not query.strip():
        raise InvalidInputError("is empty", field="query", remedy="Leave it out to export everything.")
    return frozenset((hit.project_key, hit.id) for hit in recall(catalog, query, options, as_of=now))


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("memkit")
    except PackageNotFoundError:  # run from a folder, without being installed
        return ""
