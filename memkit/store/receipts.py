"""`state/receipts.jsonl`: what a plan moved, put back or erased, when, by which policy; no text.

Truth: appended and flushed under the index lock, before the plan counts as done. A crash between the two lets the plan
be carried out again and its receipt be written again; one plan has one receipt for whoever reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from memkit import clock
from memkit.display import Displayable
from memkit.model import jsontext
from memkit.model.ids import is_id
from memkit.model.problem import Problem
from memkit.store import durable
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths
from memkit.store.state_lines import read_lines
from memkit.store.trash_plans import Plan

ReceiptKind = Literal["prune", "restore"]


@dataclass(frozen=True, slots=True)
class Receipt(Displayable):
    """One plan that was carried out.

    Attributes:
        plan_id: Its name.
        op: `prune` or `restore`.
        at_ms: When it was committed, epoch milliseconds.
        cause: `store`, `apply`, `restore` or `repair`.
        actor: Who asked.
        policy: Fingerprint of the policy, or "".
        moved: Ids moved to the trash, or back.
        erased: Ids erased in the trash.
        n_bytes: Of the envelopes concerned.
    """

    plan_id: str
    op: ReceiptKind
    at_ms: int
    cause: str
    actor: str
    policy: str
    moved: tuple[str, ...]
    erased: tuple[str, ...]
    n_bytes: int

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "plan_id": self.plan_id,
            "op": self.op,
            "at": clock.iso(clock.from_ms(self.at_ms)),
            "cause": self.cause,
            "actor": self.actor,
            "policy": self.policy,
            "moved": list(self.moved),
            "erased": list(self.erased),
            "n_bytes": self.n_bytes,
        }


def receipt_of(plan: Plan) -> Receipt:
    """What the receipt of a plan says."""
    n_bytes = sum(entry.n_bytes for entry in plan.entries)
    return Receipt(
        plan.plan_id, plan.op, plan.at_ms, plan.cause, plan.actor, plan.policy, plan.moved, plan.erased, n_bytes
    )


def record(paths: StorePaths, held: HeldLock, plan: Plan) -> Receipt:
    """Write down that a plan was carried out; the index lock is held."""
    if not held.is_held or held.path != paths.index_lock:
        raise RuntimeError("the index lock must be held")
    receipt = receipt_of(plan)
    durable.make_folder(paths.state)
    size = 5_000
    lines = []
    for start in range(0, max(len(plan.entries), 1), size):
        part = plan.entries[start : start + size]
        line = {
            "schemaVersion": 1,
            "planId": receipt.plan_id,
            "op": receipt.op,
            "at": receipt.at_ms,
            "cause": receipt.cause,
            "actor": receipt.actor,
            "policy": receipt.policy,
            "moved": [entry.id for entry in part if not entry.is_expired],
            "erased": [entry.id for entry in part if entry.is_expired],
            "bytes": sum(entry.n_bytes for entry in part),
        }
        lines.append(jsontext.dumps(line) + b"\n")
    durable.append(paths.receipts, b"".join(lines), fsync=True)
    return receipt


def read(paths: StorePaths) -> tuple[list[Receipt], list[Problem]]:
    """Every receipt in order, one per plan, and the damaged lines among them.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    lines, problems = read_lines(
        paths,
        paths.receipts,
        _parsed,
        code="damaged-receipt",
        remedy="Nothing depends on it; `trash/plans.jsonl` says the same of what is in the trash.",
    )
    found: dict[str, Receipt] = {}
    for receipt in lines:
        there = found.get(receipt.plan_id)
        found[receipt.plan_id] = receipt if there is None else _together(there, receipt)
    return list(found.values()), problems


def _together(one: Receipt, other: Receipt) -> Receipt:
    """Two lines of one plan: parts of it, or the same written again."""
    moved = tuple(dict.fromkeys((*one.moved, *other.moved)))
    erased = tuple(dict.fromkeys((*one.erased, *other.erased)))
    same = (moved, erased) == (one.moved, one.erased)
    n_bytes = one.n_bytes if same else one.n_bytes + other.n_bytes
    return Receipt(one.plan_id, one.op, one.at_ms, one.cause, one.actor, one.policy, moved, erased, n_bytes)


def _parsed(raw: Mapping[str, Any]) -> Receipt:
    if raw.get("op") not in {"prune", "restore"} or not isinstance(raw.get("planId"), str):
        raise jsontext.JsonDamage("op or planId is missing or unknown")
    at, n_bytes = raw.get("at"), raw.get("bytes")
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= 253_402_300_799_999:
        raise jsontext.JsonDamage("at is missing or not epoch milliseconds")
    if not isinstance(n_bytes, int):
        raise jsontext.JsonDamage("bytes is missing or no number")
    lists: list[tuple[str, ...]] = []
    for name in ("moved", "erased"):
        ids = raw.get(name, [])
        if not isinstance(ids, list) or not all(is_id(each) for each in ids):
            raise jsontext.JsonDamage(f"{name} is not a list of ids")
        lists.append(tuple(ids))
    cause, actor, policy = (str(raw.get(name, "")) for name in ("cause", "actor", "policy"))
    return Receipt(raw["planId"], raw["op"], at, cause, actor, policy, lists[0], lists[1], n_bytes)
