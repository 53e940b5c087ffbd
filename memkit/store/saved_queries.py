"""`state/queries.jsonl`: queries that are asked again when it is told what forgetting would change.

Truth: lines are appended and flushed under the index lock, never rewritten; the last line of a query counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memkit import clock as clocks
from memkit.errors import InvalidInputError
from memkit.model import jsontext
from memkit.model.problem import Problem
from memkit.store import durable, leftovers
from memkit.store.paths import StorePaths
from memkit.store.state_lines import read_lines
from memkit.store.store import Store

MAX_CHARS = 1_000
MAX_QUERIES = 200


def read(paths: StorePaths) -> tuple[list[str], list[Problem]]:
    """The saved queries in the order they were saved, and damaged lines.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    lines, problems = read_lines(
        paths,
        paths.saved_queries,
        _parsed,
        code="damaged-query",
        remedy="Save the query again; the other lines are read. `memkit repair --apply` moves the bytes to quarantine.",
    )
    found: dict[str, None] = {}
    for query, is_set in lines:
        found.pop(query, None)
        if is_set:
            found[query] = None
    return list(found), problems


def _parsed(raw: Mapping[str, Any]) -> tuple[str, bool]:
    query, is_set = raw.get("query"), raw.get("isSet")
    if not isinstance(query, str) or not isinstance(is_set, bool):
        raise jsontext.JsonDamage("query or isSet is missing or of another kind")
    return query, is_set


def save(store: Store, query: str) -> str:
    """Save a query; on disk when this returns. What is saved already stays as it is.

    Returns:
        The query as it was saved, scrubbed.

    Raises:
        InvalidInputError: it is empty, too long, or no text; or there are too many.
        StoreError: the disk, a permission or another writer stood in the way.
    """
    text = " ".join(jsontext.require_text(query, "query").split())
    if not text or len(text) > MAX_CHARS:
        raise InvalidInputError(
            f"has {len(text):,} characters", field="query", remedy=f"Write 1 to {MAX_CHARS:,} characters."
        )
    text = store.scrubber.scrub_text(text).text
    there, _ = read(store.paths)
    if text in there:
        return text
    if len(there) >= MAX_QUERIES:
        raise InvalidInputError(f"{MAX_QUERIES} queries are saved already", field="query", remedy="Drop some first.")
    _append(store, text, is_set=True)
    return text


def drop(store: Store, query: str) -> str:
    """Drop a saved query.

    Raises:
        InvalidInputError: it is not saved.
        StoreError: the disk, a permission or another writer stood in the way.
    """
    text = " ".join(jsontext.require_text(query, "query").split())
    if text not in read(store.paths)[0]:
        raise InvalidInputError(
            f"{text!r:.80} is not saved", field="query", remedy="`memkit queries list` shows which are."
        )
    _append(store, text, is_set=False)
    return text


def _append(store: Store, text: str, *, is_set: bool) -> None:
    line = {
        "schemaVersion": 1,
        "query": text,
        "isSet": is_set,
        "at": clocks.to_ms(store.clock.now()),
        "actor": store.audit.actor,
    }
    store.make_folders()
    with store.index_lock.held("save a query") as held:
        leftovers.finish(store.paths, held, wait_seconds=store.wait_seconds)
        durable.make_folder(store.paths.state)
        durable.append(store.paths.saved_queries, jsontext.dumps(line) + b"\n", fsync=True)
