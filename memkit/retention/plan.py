"""A plan as a file: what `retention review --out` writes and `retention apply` reads.

It holds ids, names of rules, hashes and the policy, and no text. Its digest covers everything in it, so that an edited
plan is noticed; the stamps say what every envelope looked like, so that what changed since can be named.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import clock
from memkit.errors import InvalidInputError, StalePlanError
from memkit.model import jsontext
from memkit.model.policy import RetentionPolicy, policy_of
from memkit.store import look

if TYPE_CHECKING:
    import datetime as dt

    from memkit.analytics.retention_review import RetentionReview
    from memkit.store.store import Store

FORMAT = 1
MAX_PLAN_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class PlanFile:
    """What a plan says.

    Attributes:
        project_key: Whose it is.
        as_of: The moment of its review.
        policy: Its policy.
        is_own: Whether that was the policy of the settings.
        due: Names of the rules, by id of each entry to move.
        expired: Ids to erase in the trash.
        state: What the store looked like; see `state_of`.
    """

    project_key: str
    as_of: dt.datetime
    policy: RetentionPolicy
    is_own: bool
    due: Mapping[str, tuple[str, ...]]
    expired: tuple[str, ...]
    state: Mapping[str, Any]


def state_of(store: Store, stamps: Mapping[str, tuple[int, int]]) -> dict[str, Any]:
    """What a plan depends on besides the policy: envelopes, pins, holds, trash."""
    return {"envelopes": stamps, **marks_of(store)}


def marks_of(store: Store) -> dict[str, str]:
    """Hashes of pins, holds and trash."""
    paths = store.paths
    files = {"pins": paths.pins, "holds": paths.holds, "trash": paths.trash_plans}
    return {name: hashlib.sha256(look.read_bytes(file) or b"").hexdigest() for name, file in files.items()}


def plan_of(store: Store, review: RetentionReview) -> PlanFile:
    """The plan of a review."""
    return PlanFile(
        project_key=store.paths.key,
        as_of=review.as_of,
        policy=review.policy,
        is_own=review.is_own,
        due={row.entry_id: row.matched for row in review.due},
        expired=tuple(row.entry_id for row in review.expired),
        state=review.stamp,
    )


def to_bytes(plan: PlanFile) -> bytes:
    """The file's bytes."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "project_key": plan.project_key,
        "as_of_ms": clock.to_ms(plan.as_of),
        "policy": plan.policy.to_dict(),
        "is_own_policy": plan.is_own,
        "due": {entry_id: list(rules) for entry_id, rules in plan.due.items()},
        "expired": list(plan.expired),
        "state": {**plan.state, "envelopes": dict(sorted(plan.state["envelopes"].items()))},
    }
    content["digest"] = _digest(content)
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False).encode("utf-8") + b"\n"


def read_plan(file: Path) -> PlanFile:
    """Read a plan.

    Raises:
        InvalidInputError: it is no plan of memkit's, or was edited.
        PolicyError: its policy cannot be used.
        StoreError: it cannot be read.
    """
    data = look.read_bytes(file, limit=MAX_PLAN_BYTES)
    if data is None:
        raise InvalidInputError("there is no such file", file=file, remedy="Write one: memkit retention review --out.")
    try:
        raw = jsontext.loads_object(data)
    except jsontext.JsonDamage as damage:
        raise _no_plan(file, str(damage)) from damage
    digest = raw.pop("digest", None)
    if raw.get("format") != FORMAT:
        raise _no_plan(file, f"its format is {raw.get('format')!r:.20}, here {FORMAT}")
    if digest != _digest(raw):
        raise _no_plan(file, "it was edited after the review wrote it")
    try:
        return PlanFile(
            project_key=str(raw["project_key"]),
            as_of=clock.from_ms(int(raw["as_of_ms"])),
            policy=policy_of(raw["policy"]),
            is_own=bool(raw["is_own_policy"]),
            due={str(entry_id): tuple(rules) for entry_id, rules in raw["due"].items()},
            expired=tuple(raw["expired"]),
            state=raw["state"],
        )
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise _no_plan(file, f"{error!r:.80}") from error


def _no_plan(file: Path, why: str) -> InvalidInputError:
    return InvalidInputError(
        f"is no retention plan that can be followed: {why}",
        file=file,
        remedy="Write one with `memkit retention review --out PLAN.json` and leave it as it is.",
    )


def _digest(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True, allow_nan=False).encode("utf-8")).hexdigest()


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What is different between two states, one line each, envelopes by id."""
    said: list[str] = []
    old, new = before.get("envelopes", {}), now.get("envelopes", {})
    for entry_id in sorted({*old, *new}):
        if entry_id not in new:
            said.append(f"entry {entry_id} is gone")
        elif entry_id not in old:
            said.append(f"entry {entry_id} was stored")
        elif tuple(old[entry_id]) != tuple(new[entry_id]):  # from a file it comes as a list
            said.append(f"entry {entry_id} was changed")
    words = {"pins": "a pin was set or taken off", "holds": "a hold was set or taken off", "trash": "the trash changed"}
    said += [line for name, line in words.items() if before.get(name) != now[name]]
    return said


def require_unchanged(before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Refuse a plan whose store looks different now.

    Raises:
        StalePlanError: with the changes.
    """
    found = changes(before, now)
    if found:
        raise stale(found)


def stale(found: list[str]) -> StalePlanError:
    """The refusal of a plan, naming what changed."""
    shown = "; ".join(found[:5]) + (f"; and {len(found) - 5:,} more" if len(found) > 5 else "")
    return StalePlanError(
        f"the plan no longer fits: {shown}. Nothing was moved",
        remedy="Review again: `memkit retention review`.",
        changes=tuple(found),
    )
