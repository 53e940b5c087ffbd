"""`mem.retention.review`: which entries a policy would forget, by one query over all of them (`retention.sql`).

The number rule counts places among entries that may leave at all: what is pinned, held, just restored, unreadable or
stored in the future takes none. If any entry is stored later than now, the clock may have been set back: then nothing
is due for its number, for nobody knows which entries are the newest. Age is safe: a clock that is behind makes entries
look younger, never older.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.analytics.frames import arrow, frame_schemas
from memkit.analytics.gaps import damaged_index
from memkit.analytics.retention_review import VERDICTS, RetentionReview, Total, TrashRow
from memkit.model.policy import NONE, Limit, RetentionPolicy
from memkit.snapshot.columns import column, table_of
from memkit.store import entries, look, marks
from memkit.store.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa

    from memkit.catalog.catalog import Catalog
    from memkit.store.new_entry import NewEntry
    from memkit.store.trash_plans import TrashedEntry

PACKAGE = "memkit.analytics"


def judge(
    catalog: Catalog,
    store: Store,
    policy: RetentionPolicy,
    *,
    as_of: dt.datetime,
    due_within_days: float = 0.0,
    to_store: Sequence[NewEntry] = (),
    titles: bool = True,
    for_people: bool = True,
) -> RetentionReview:
    """Judge every entry of a store by a policy.

    Args:
        catalog: Over this store, refreshed.
        store: The store.
        policy: The policy.
        as_of: The moment ages are counted to.
        due_within_days: How far ahead to look for what is soon due.
        to_store: Entries that are about to be stored; they are judged as if they were there, named `new-<n>`.
        titles: Whether to read the titles of what has expired in the trash.
        for_people: False leaves out bytes, and what has expired in the trash: for storing, which asks what is due only.

    Raises:
        StoreError: the store cannot be read.
    """
    from memkit.catalog.queries import load

    pins, damaged_pins = marks.current(store.paths, "pin")
    holds, damaged_holds = marks.current(store.paths, "hold")
    trash = store.trash()
    stamps = envelope_stamps(store) if for_people else {}
    query = load(PACKAGE, "retention")
    frames = _frames(policy, pins, holds, trash.restored, stamps, to_store, now_ms=clock.to_ms(store.clock.now()))
    params = {
        "project_key": store.paths.key,
        "as_of_ms": clock.to_ms(as_of),
        "skew_ms": clock.SKEW_MS,
        "enabled": policy.enabled,
        "legal_hold": policy.legal_hold,
        "max_results": _number(policy.max_results),
        "max_age_days": _number(policy.max_age_days),
    }
    data = catalog.table(query, params, as_of=as_of, frames=frames).data
    n_future = _count(data, "is_future")
    damaged = [*damaged_pins, *damaged_holds, *trash.problems]
    expired: tuple[TrashRow, ...] = ()
    if for_people and policy.enabled and not policy.legal_hold:
        in_trash = trash_rows(store, policy, as_of=as_of, held=holds, titles=titles, only_expired=True)
        expired = tuple(row for row in in_trash if row.is_expired)
    return RetentionReview(
        policy=policy,
        as_of=as_of,
        totals=_totals(data),
        data=data,
        expired=() if damaged else expired,
        doubts=tuple(_doubts(data, damaged, n_future)),
        gaps=catalog.ask(damaged_index),
        blocked=bool(damaged),
        due_within_days=due_within_days,
        sql=query.sql,
        stamp=stamps,
    )


def envelope_stamps(store: Store) -> dict[str, tuple[int, int]]:
    """Bytes and time of change (ns) of every envelope, by id."""
    return {
        name.removesuffix(entries.ENTRY_SUFFIX): stamp
        for name, stamp in look.stamps_in(store.paths.results).items()
        if entries.is_entry_name(name)
    }


def trash_rows(
    store: Store,
    policy: RetentionPolicy,
    *,
    as_of: dt.datetime,
    held: Mapping[str, object],
    titles: bool = True,
    only_expired: bool = False,
) -> list[TrashRow]:
    """What is in the trash, latest first; titles come from the envelopes."""
    days = dt.timedelta(days=policy.trash_days)
    found = []
    for trashed in store.trash().entries.values():
        pruned_at = clock.from_ms(trashed.pruned_at_ms)
        expires_at = pruned_at + days
        left = -clock.age_days(expires_at, as_of)
        if only_expired and left > 0:
            continue
        found.append(
            TrashRow(
                entry_id=trashed.id,
                title=_title(store, trashed) if titles else "",
                stored_at=clock.from_ms(trashed.stored_at_ms),
                pruned_at=pruned_at,
                rules=trashed.rules,
                cause=trashed.cause,
                n_bytes=trashed.n_bytes,
                expires_at=expires_at,
                days_left=left,
                is_held=trashed.id in held,
            )
        )
    return sorted(found, key=lambda row: (-clock.to_ms(row.pruned_at), row.entry_id))


def _title(store: Store, trashed: TrashedEntry) -> str:
    from memkit.errors import StoreError
    from memkit.model.decision import read_decision
    from memkit.store.trash import require_sound

    try:
        entry = entries.decode(store.paths, trashed.id, require_sound(store.paths, trashed))
    except StoreError:
        return ""
    return read_decision(entry).title or entry.question


def _frames(  # noqa: PLR0917
    policy: RetentionPolicy,
    pins: Mapping[str, Any],
    holds: Mapping[str, Any],
    restored: Mapping[str, int],
    stamps: Mapping[str, tuple[int, int]],
    to_store: Sequence[NewEntry],
    *,
    now_ms: int,
) -> dict[str, pa.Table]:
    pa, _ = arrow()
    schemas = frame_schemas()
    grace = policy.trash_days * clock.DAY_MS
    ids = sorted({*pins, *holds, *restored})
    rows: dict[str, Iterable[dict[str, Any]]] = {
        "panel_limits": [
            {"panel_id": name, "max_results": _own(each.max_results), "max_age_days": _own(each.max_age_days)}
            for name, each in policy.panels.items()
        ],
        "tag_limits": [
            {"tag": name, "max_results": _own(each.max_results), "max_age_days": _own(each.max_age_days)}
            for name, each in policy.tags.items()
        ],
        "marked": [
            {
                "entry_id": entry_id,
                "is_pinned": entry_id in pins,
                "is_held": entry_id in holds,
                "restored_until_ms": restored[entry_id] + grace if entry_id in restored else None,
                "pin_reason": pins[entry_id].reason if entry_id in pins else "",
                "hold_reason": holds[entry_id].reason if entry_id in holds else "",
            }
            for entry_id in ids
        ],
        "to_store": [
            {
                "entry_id": f"new-{number:06d}",
                "stored_ms": now_ms if new.stored_at_ms is None else new.stored_at_ms,
                "panel_id": new.panel_id,
                "tags": list(new.tags),
                "title": new.question,
            }
            for number, new in enumerate(to_store)
        ],
    }
    made = {name: table_of(list(listed), schemas[name]) for name, listed in rows.items()}
    sizes = column((size for size, _ in stamps.values()), pa.int64())
    made["envelopes"] = pa.Table.from_arrays([column(stamps, pa.string()), sizes], schema=schemas["envelopes"])
    return made


def _number(limit: Limit) -> int:
    return -1 if limit == NONE else int(limit)


def _own(limit: Limit | None) -> int | None:
    return None if limit is None else _number(limit)


def _count(data: pa.Table, column: str) -> int:
    _, pc = arrow()
    return int(pc.sum(data.column(column)).as_py() or 0)


def _totals(data: pa.Table) -> dict[Any, Total]:
    counted = data.group_by("verdict").aggregate([("entry_id", "count"), ("n_bytes", "sum")]).to_pylist()
    found = {row["verdict"]: Total(row["entry_id_count"], row["n_bytes_sum"] or 0) for row in counted}
    return {verdict: found.get(verdict, Total(0, 0)) for verdict in VERDICTS}


def _doubts(data: pa.Table, damaged: Sequence[Any], n_future: int) -> list[str]:
    said = [
        f"{problem.file}: {problem.detail}. Nothing is pruned until `memkit repair --apply` has moved it aside."
        for problem in damaged[:5]
    ]
    if n_future:
        doubtful = _count(data, "is_doubtful")
        what = "entry is" if n_future == 1 else "entries are"
        said.append(
            f"{n_future:,} {what} stored later than now: a clock was wrong, or is set back. Nothing is pruned for its "
            f"number ({doubtful:,} would be)."
        )
    return said
