"""A firing: a person or an agent recalled or read an entry or a record. Telemetry: which, when, by whom; never a word.

Firings wait in `firings.jsonl` until consolidating counts them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, cast, get_args

from memkit import clock
from memkit.model.ids import is_id
from memkit.model.jsontext import JsonDamage
from memkit.model.record import is_record_path

FiringOp = Literal["recall", "decided", "read"]
FIRING_OPS: Final[tuple[FiringOp, ...]] = get_args(FiringOp)
_MAX_MS: Final = 253_402_300_799_999


@dataclass(frozen=True, slots=True)
class Firing:
    """One line of `firings.jsonl`.

    Attributes:
        id: The entry's id; of a record its path in the store, such as `memory/use-utc.md`.
        at: When.
        op: `recall`, `decided` (asked what was decided), or `read`.
        rank: Its place among the hits, from 1; 1 for a read.
        actor: Who asked: `python`, `cli`, `notebook`, `mcp`.
        call: The same for all lines of one answer, and of no other.
    """

    id: str
    at: dt.datetime
    op: FiringOp
    rank: int
    actor: str
    call: str

    @property
    def kind(self) -> str:
        """`entry` or `record`."""
        return "record" if "/" in self.id else "entry"

    def to_dict(self) -> dict[str, Any]:
        """The line's JSON object."""
        return {
            "at": clock.to_ms(self.at),
            "kind": self.kind,
            "id": self.id,
            "op": self.op,
            "rank": self.rank,
            "actor": self.actor,
            "call": self.call,
        }


def read_firing(raw: Mapping[str, Any]) -> Firing:
    """A line's JSON object as a firing.

    Raises:
        JsonDamage: it is none.
    """
    at, name, op, rank = (raw.get(key) for key in ("at", "id", "op", "rank"))
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= _MAX_MS:
        raise JsonDamage("at is missing or not epoch milliseconds")
    if not isinstance(name, str) or not (is_id(name) or is_record_path(name)):
        raise JsonDamage("id is neither an id of a-z and 0-9 nor a record's path")
    if op not in FIRING_OPS:
        raise JsonDamage(f"op is none of {', '.join(FIRING_OPS)}")
    if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
        raise JsonDamage("rank is missing or no whole number from 1")
    actor, call = raw.get("actor", ""), raw.get("call", "")
    if not isinstance(actor, str) or not isinstance(call, str):
        raise JsonDamage("actor or call is no text")
    return Firing(name, clock.from_ms(at), cast("FiringOp", op), rank, actor, call)
