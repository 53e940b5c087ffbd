"""`trash/plans.jsonl`: what was moved to the trash, back from it, or erased in it, by which plan.

Truth, and the one place that says which entries are hidden: from the moment the last line of a plan is on disk, every
reader skips the ids it moves away, wherever their files and index lines still are. Lines hold no text: ids, times,
sizes, hashes of envelopes, names of rules. They are appended under the index lock in one write and flushed before
anything moves. A plan of many entries has several lines; it counts once all of them are there. Behind a plan that was
carried out stands a line `done`; a file that ends in anything else holds a plan that a crash cut off, and the next
holder of the index lock carries it to its end. A line `settled` says that the index no longer has lines of what is
hidden.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from memkit.model import jsontext
from memkit.model.frozen import FrozenMapping
from memkit.model.ids import is_id
from memkit.model.problem import Problem
from memkit.store import jsonl, look
from memkit.store.damage import DamagedSpots
from memkit.store.paths import StorePaths

Operation = Literal["prune", "restore"]
OPERATIONS: tuple[Operation, ...] = ("prune", "restore")
# The rule of an entry that a plan erases in the trash instead of moving it there.
EXPIRED = "expired"
ENTRIES_IN_A_LINE = 500
_DONE = b'{"op":"done"'
_SETTLED = b'{"op":"settled"'
_TAIL_BYTES = 256
_LATEST = 253_402_300_799_999


@dataclass(frozen=True, slots=True)
class TrashedEntry:
    """An entry in the trash, as its plan names it.

    Attributes:
        id: The entry.
        stored_at_ms: When it was stored, epoch milliseconds.
        n_bytes: Of its envelope.
        sha256: Of its envelope.
        rules: Names of the rules that made it due.
        plan_id: The plan that moved it.
        pruned_at_ms: When, epoch milliseconds.
        cause: `store` where storing pruned it, `apply` where somebody applied a review.
        actor: Who asked.
    """

    id: str
    stored_at_ms: int
    n_bytes: int
    sha256: str
    rules: tuple[str, ...] = ()
    plan_id: str = ""
    pruned_at_ms: int = 0
    cause: str = "apply"
    actor: str = "python"

    @property
    def is_expired(self) -> bool:
        """Whether the plan erases it."""
        return EXPIRED in self.rules


@dataclass(frozen=True, slots=True)
class Plan:
    """One plan as it was committed.

    Attributes:
        op: `prune` or `restore`.
        plan_id: Its name.
        at_ms: When it was committed, epoch milliseconds.
        entries: What is moved, or erased in the trash.
        cause: `store` or `apply`; `restore`; `repair` where a file without a plan was given one.
        actor: Who asked.
        policy: Fingerprint of the policy, or "".
    """

    op: Operation
    plan_id: str
    at_ms: int
    entries: tuple[TrashedEntry, ...]
    cause: str = "apply"
    actor: str = "python"
    policy: str = ""

    @property
    def moved(self) -> tuple[str, ...]:
        """Ids it moves."""
        return tuple(entry.id for entry in self.entries if not entry.is_expired)

    @property
    def erased(self) -> tuple[str, ...]:
        """Ids it erases in the trash."""
        return tuple(entry.id for entry in self.entries if entry.is_expired)

    def to_lines(self) -> bytes:
        """The lines that commit it."""
        parts = [self.entries[i : i + ENTRIES_IN_A_LINE] for i in range(0, len(self.entries), ENTRIES_IN_A_LINE)]
        return b"".join(self._line(number, len(parts), part) for number, part in enumerate(parts))

    def _line(self, number: int, n_parts: int, part: Sequence[TrashedEntry]) -> bytes:
        line = {
            "op": self.op,
            "schemaVersion": 1,
            "plan": self.plan_id,
            "at": self.at_ms,
            "cause": self.cause,
            "actor": self.actor,
            "policy": self.policy,
            "part": number,
            "parts": n_parts,
            "entries": [
                {
                    "id": entry.id,
                    "storedAt": entry.stored_at_ms,
                    "bytes": entry.n_bytes,
                    "sha256": entry.sha256,
                    "rules": list(entry.rules),
                }
                for entry in part
            ],
        }
        return jsontext.dumps(line) + b"\n"


def new_plan_id(at_ms: int) -> str:
    """A fresh name for a plan; sorts by time."""
    return f"{at_ms:012x}{secrets.token_hex(4)}"


def done_line(plan_id: str) -> bytes:
    """Says that a plan was carried out."""
    return jsontext.dumps({"op": "done", "plan": plan_id}) + b"\n"


def settled_line() -> bytes:
    """Says that the index holds no line of what is hidden, and none twice."""
    return jsontext.dumps({"op": "settled"}) + b"\n"


@dataclass(frozen=True)
class TrashState:
    """What the plans say together.

    Attributes:
        entries: What is in the trash, by id, in the order it came there.
        restored: When each entry was restored that has not been pruned again, epoch milliseconds, by id.
        erased: Ids erased in the trash that are still named here.
        hidden: Ids every reader skips: those in the trash, and those erased.
        unsettled: Ids pruned, restored or erased since the index was last settled.
        unfinished: Plans that were committed and not carried out, oldest first.
        plans: Every committed plan, oldest first.
        problems: Damaged lines.
    """

    entries: Mapping[str, TrashedEntry] = field(default_factory=lambda: FrozenMapping({}))
    restored: Mapping[str, int] = field(default_factory=lambda: FrozenMapping({}))
    erased: frozenset[str] = frozenset()
    hidden: frozenset[str] = frozenset()
    unsettled: frozenset[str] = frozenset()
    unfinished: tuple[Plan, ...] = ()
    plans: tuple[Plan, ...] = ()
    problems: tuple[Problem, ...] = ()


NOTHING = TrashState()


def is_unfinished(paths: StorePaths) -> bool:
    """Whether the file ends in anything but a plan that was carried out; looks at its last bytes only."""
    info = look.status_of(paths.trash_plans)
    if info is None or info.st_size == 0:
        return False
    tail = look.read_from(paths.trash_plans, max(0, info.st_size - _TAIL_BYTES)) or b""
    if not tail.endswith(b"\n"):
        return True
    last = tail[tail.rfind(b"\n", 0, -1) + 1 :]
    return not last.startswith((_DONE, _SETTLED))


def is_torn(paths: StorePaths) -> bool:
    """Whether the last line has no newline."""
    info = look.status_of(paths.trash_plans)
    return info is not None and info.st_size > 0 and look.read_from(paths.trash_plans, info.st_size - 1) != b"\n"


def read(paths: StorePaths) -> TrashState:
    """What is in the trash, with damage as data.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    data = look.read_bytes(paths.trash_plans)
    return parse(paths, data) if data else NOTHING


def parse(paths: StorePaths, data: bytes) -> TrashState:
    """Read the bytes of the file."""
    spots = DamagedSpots(
        data,
        code="damaged-plan",
        file=paths.relative(paths.trash_plans),
        remedy="Run `memkit verify` to see which files in the trash no plan names; nothing is erased.",
    )
    account = _Account()
    for line in jsonl.lines(data, skip=spots.skip_junk):
        try:
            account.take(jsonl.parse_object(line.data))
        except jsontext.JsonDamage as damage:
            spots.add(line, str(damage))
    return account.state(spots.problems())


class _Account:
    """Adds up lines in their order."""

    def __init__(self) -> None:
        self.plans: dict[str, Plan] = {}
        self.parts: dict[str, list[Plan]] = {}
        self.finished: set[str] = set()
        self.entries: dict[str, TrashedEntry] = {}
        self.restored: dict[str, int] = {}
        self.erased: set[str] = set()
        self.unsettled: set[str] = set()

    def take(self, raw: Mapping[str, Any]) -> None:
        """One line.

        Raises:
            JsonDamage: it is none of memkit's.
        """
        op = raw.get("op")
        if op == "done":
            self._finish(str(raw.get("plan")))
        elif op == "settled":
            self.unsettled.clear()
        else:
            part, number, n_parts = _part(raw)
            there = self.parts.setdefault(part.plan_id, [])
            if number != len(there):
                raise jsontext.JsonDamage(f"part {number} of a plan of which {len(there)} are there")
            there.append(part)
            if len(there) == n_parts:
                self._commit(replace(part, entries=tuple(_all(there))))

    def _commit(self, plan: Plan) -> None:
        self.plans[plan.plan_id] = plan
        self.unsettled |= {entry.id for entry in plan.entries}
        if plan.op == "restore":
            return
        for entry in plan.entries:
            self.restored.pop(entry.id, None)
            if entry.is_expired:
                self.entries.pop(entry.id, None)
                self.erased.add(entry.id)
            else:
                self.entries[entry.id] = entry

    def _finish(self, plan_id: str) -> None:
        self.finished.add(plan_id)
        plan = self.plans.get(plan_id)
        if plan is not None and plan.op == "restore":  # shown again only once it was put back whole
            for entry_id in plan.moved:
                self.entries.pop(entry_id, None)
                self.restored[entry_id] = plan.at_ms

    def state(self, problems: tuple[Problem, ...]) -> TrashState:
        """What the lines say together."""
        return TrashState(
            entries=FrozenMapping(self.entries),
            restored=FrozenMapping(self.restored),
            erased=frozenset(self.erased),
            hidden=frozenset(self.entries) | self.erased,
            unsettled=frozenset(self.unsettled),
            unfinished=tuple(plan for plan in self.plans.values() if plan.plan_id not in self.finished),
            plans=tuple(self.plans.values()),
            problems=problems,
        )


def _all(parts: Iterable[Plan]) -> Iterator[TrashedEntry]:
    for part in parts:
        yield from part.entries


def _part(raw: Mapping[str, Any]) -> tuple[Plan, int, int]:
    op, plan_id, at = raw.get("op"), raw.get("plan"), raw.get("at")
    number, n_parts, listed = raw.get("part", 0), raw.get("parts", 1), raw.get("entries")
    if op not in OPERATIONS or not isinstance(plan_id, str):
        raise jsontext.JsonDamage("op or plan is missing or unknown")
    at = _time(at, "at")
    if not (isinstance(number, int) and isinstance(n_parts, int) and n_parts > 0 and isinstance(listed, list)):
        raise jsontext.JsonDamage("part, parts or entries is missing or of another kind")
    cause, actor, policy = (str(raw.get(name, "")) for name in ("cause", "actor", "policy"))
    entries = tuple(_entry(item, plan_id, at, cause, actor) for item in listed)
    return Plan(op, plan_id, at, entries, cause, actor, policy), number, n_parts


def _entry(item: object, plan_id: str, at_ms: int, cause: str, actor: str) -> TrashedEntry:
    if not isinstance(item, dict) or not is_id(item.get("id")):
        raise jsontext.JsonDamage("an entry has no id")
    stored_at, n_bytes, sha256, rules = (item.get(name) for name in ("storedAt", "bytes", "sha256", "rules"))
    stored_at = _time(stored_at, f"storedAt of {item['id']}")
    if not isinstance(n_bytes, int) or not isinstance(sha256, str):
        raise jsontext.JsonDamage(f"bytes or sha256 of {item['id']} is missing or of another kind")
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        raise jsontext.JsonDamage(f"rules of {item['id']} is not a list of names")
    return TrashedEntry(item["id"], stored_at, n_bytes, sha256, tuple(rules), plan_id, at_ms, cause, actor)


def _time(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LATEST:
        raise jsontext.JsonDamage(f"{what} is missing or not epoch milliseconds")
    return value
