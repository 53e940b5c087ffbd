"""The ledger of consolidation: what became of each candidate that was ever seen, in keys, names and hashes, not words.

A line says that something happened to a candidate: it met a fate, a model or a person was asked about it, it came back
from the dead letters. The last fate of a key is its fate now. Two fates leave a candidate where it is, in staging:
`restaged` (nobody has decided yet) and `conflict` (its record was edited meanwhile). One that is `erased` went with the
entry or the record it quoted.

A line `written` is of no candidate: somebody wrote a record that changes others, and all of them change as one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal, cast, get_args

from memkit import clock
from memkit.model.jsontext import JsonDamage

SCHEMA_VERSION: Final = 1
Fate = Literal[
    "added", "duplicate", "superseding", "merged", "discarded", "conflict", "restaged", "dead_lettered",
    "erased",
]  # fmt: skip
Happened = Literal["fate", "attempt", "withdrawn", "recovered", "reinforced", "written"]
FATES: Final[tuple[Fate, ...]] = get_args(Fate)
STAYING: Final[frozenset[str]] = frozenset({"conflict", "restaged"})
_HAPPENED: Final = get_args(Happened)
_OF_NONE: Final = frozenset({"reinforced", "written"})
_MAX_MS: Final = 253_402_300_799_999
_TEXTS: Final = ("run", "key", "sessionId", "category", "digest", "reason", "record", "adjudicator", "usedSha256")
_COUNTS: Final = ("n", "usedBytes", "firstTurn", "lastTurn")


@dataclass(frozen=True, slots=True)
class FileChange:
    """New bytes of one file.

    Attributes:
        pending: The name, in the folder of `path`, under which they were written first.
        path: The file, relative to the project's folder in the store.
        before_hash: SHA-256 of the bytes they replace; None where there were none.
        after_hash: SHA-256 of the new bytes.
    """

    pending: str
    path: str
    before_hash: str | None
    after_hash: str

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"pending": self.pending, "path": self.path, "before": self.before_hash, "after": self.after_hash}


@dataclass(frozen=True, slots=True)
class Uses:
    """How often an entry or a record was used, as far as that was counted.

    Attributes:
        id: The entry's id; of a record its path in the store.
        n_recalled: How often it was among the hits of a recall, or of what was decided.
        n_read: How often it was read by itself.
        last_at: When last.
    """

    id: str
    n_recalled: int
    n_read: int
    last_at: dt.datetime

    @property
    def n(self) -> int:
        """How often in all."""
        return self.n_recalled + self.n_read

    def __add__(self, other: Uses) -> Uses:
        last = max(self.last_at, other.last_at)
        return Uses(self.id, self.n_recalled + other.n_recalled, self.n_read + other.n_read, last)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        last = clock.to_ms(self.last_at)
        return {"id": self.id, "recalled": self.n_recalled, "read": self.n_read, "last": last}


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """One line.

    Attributes:
        event: What happened: see `Happened`.
        at: When.
        run: The run that did it.
        key: The candidate's; "" where the line is of none.
        session_id: Its session.
        category: Its list.
        digest: Of its words.
        turns: First and last turn it was said in; (0, 0) where not known.
        fate: What became of it; None unless that is what the line says.
        reason: Why, as a code; "" where the fate says all.
        record: The record concerned, relative to the project's folder in the store.
        adjudicator: Who decided: `rules`, `person`, `model:<name>`; "" where nobody had to.
        n: How often a model or a person has been asked about it, this time included.
        used_bytes: Of the firings that were applied: their length from the file's beginning.
        used_sha256: And their SHA-256.
        uses: What they come to, for each entry and record that is there.
        files: The files that changed with it.
    """

    event: Happened
    at: dt.datetime
    run: str
    key: str = ""
    session_id: str = ""
    category: str = ""
    digest: str = ""
    turns: tuple[int, int] = (0, 0)
    fate: Fate | None = None
    reason: str = ""
    record: str = ""
    adjudicator: str = ""
    n: int = 0
    used_bytes: int = 0
    used_sha256: str = ""
    uses: tuple[Uses, ...] = ()
    files: tuple[FileChange, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The line's JSON object; what says nothing is left out."""
        said = {
            "key": self.key,
            "sessionId": self.session_id,
            "category": self.category,
            "digest": self.digest,
            "firstTurn": self.turns[0],
            "lastTurn": self.turns[1],
            "fate": self.fate,
            "reason": self.reason,
            "record": self.record,
            "adjudicator": self.adjudicator,
            "n": self.n,
            "usedBytes": self.used_bytes,
            "usedSha256": self.used_sha256,
            "uses": [each.to_dict() for each in self.uses],
            "files": [change.to_dict() for change in self.files],
        }
        head = {"schemaVersion": SCHEMA_VERSION, "event": self.event, "at": clock.to_ms(self.at), "run": self.run}
        return {**head, **{name: value for name, value in said.items() if value}}


def read_line(raw: Mapping[str, Any]) -> LedgerLine:
    """A line's JSON object as a line.

    Raises:
        JsonDamage: it is none.
    """
    event, at, fate = raw.get("event"), raw.get("at"), raw.get("fate")
    if event not in _HAPPENED:
        raise JsonDamage(f"event is none of {', '.join(_HAPPENED)}")
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= _MAX_MS:
        raise JsonDamage("at is missing or not epoch milliseconds")
    if (fate is not None) != (event == "fate") or (fate is not None and fate not in FATES):
        raise JsonDamage(f"fate is none of {', '.join(FATES)}")
    texts = {name: raw.get(name, "") for name in _TEXTS}
    if not all(isinstance(value, str) for value in texts.values()):
        raise JsonDamage(f"one of {', '.join(_TEXTS)} is no text")
    counts = {name: raw.get(name, 0) for name in _COUNTS}
    if not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in counts.values()):
        raise JsonDamage(f"one of {', '.join(_COUNTS)} is no count")
    if event not in _OF_NONE and not texts["key"]:
        raise JsonDamage("key is missing")
    files, uses = raw.get("files", []), raw.get("uses", [])
    if not isinstance(files, list) or not isinstance(uses, list):
        raise JsonDamage("files or uses is no list")
    return LedgerLine(
        event=cast("Happened", event),
        at=clock.from_ms(at),
        run=texts["run"],
        key=texts["key"],
        session_id=texts["sessionId"],
        category=texts["category"],
        digest=texts["digest"],
        turns=(counts["firstTurn"], counts["lastTurn"]),
        fate=fate,
        reason=texts["reason"],
        record=texts["record"],
        adjudicator=texts["adjudicator"],
        n=counts["n"],
        used_bytes=counts["usedBytes"],
        used_sha256=texts["usedSha256"],
        uses=tuple(_uses(each) for each in uses),
        files=tuple(_change(each) for each in files),
    )


def _uses(raw: object) -> Uses:
    if not isinstance(raw, dict) or not isinstance(raw.get("id"), str):
        raise JsonDamage("an element of uses is no object, or has no id")
    counts = [raw.get(name) for name in ("recalled", "read", "last")]
    if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= _MAX_MS for n in counts):
        raise JsonDamage("an element of uses lacks a count")
    recalled, read, last = (int(n) for n in counts if n is not None)
    return Uses(raw["id"], recalled, read, clock.from_ms(last))


def _change(raw: object) -> FileChange:
    if not isinstance(raw, dict):
        raise JsonDamage("an element of files is no object")
    pending, path, before, after = (raw.get(name) for name in ("pending", "path", "before", "after"))
    if not (isinstance(pending, str) and isinstance(path, str) and isinstance(after, str)):
        raise JsonDamage("an element of files lacks pending, path or after")
    if before is not None and not isinstance(before, str):
        raise JsonDamage("before is no hash")
    if "/" in pending or not _is_record_path(path):
        raise JsonDamage("an element of files names a place outside of the records")
    return FileChange(pending, path, before, after)


def _is_record_path(path: str) -> bool:
    folder, _, name = path.partition("/")
    return folder in {"memory", "knowledge"} and "/" not in name and name.endswith(".md") and not name.startswith(".")


@dataclass(frozen=True, slots=True)
class Life:
    """One candidate as the ledger knows it.

    Attributes:
        key: Names it.
        session_id: Its session.
        category: Its list.
        digest: Of its words.
        turns: First and last turn; (0, 0) where not known.
        fate: What became of it last; None while it was only asked about.
        reason: Why, as a code.
        record: The record concerned.
        adjudicator: Who decided.
        run: The run that did.
        at: When.
        attempts: How often a model or a person was asked since it was last recovered.
    """

    key: str
    session_id: str = ""
    category: str = ""
    digest: str = ""
    turns: tuple[int, int] = (0, 0)
    fate: Fate | None = None
    reason: str = ""
    record: str = ""
    adjudicator: str = ""
    run: str = ""
    at: dt.datetime | None = None
    attempts: int = 0

    @property
    def is_settled(self) -> bool:
        """Whether it has left staging for good, dead letters included."""
        return self.fate is not None and self.fate not in STAYING


@dataclass(slots=True)
class Ledger:
    """What all lines come to; grows by `take`.

    Attributes:
        lives: By key, in the order in which they were first seen.
        reinforced: The last line that applied firings, or None.
        uses: What all firings come to that were ever applied, by id of the entry or path of the record.
    """

    lives: dict[str, Life] = field(default_factory=dict)
    reinforced: LedgerLine | None = None
    uses: dict[str, Uses] = field(default_factory=dict)

    @classmethod
    def of(cls, lines: Iterable[LedgerLine]) -> Ledger:
        """The ledger after these lines."""
        ledger = cls()
        for line in lines:
            ledger.take(line)
        return ledger

    def take(self, line: LedgerLine) -> None:
        """One more line."""
        if line.event == "written":
            return
        if line.event == "reinforced":
            self.reinforced = line
            for use in line.uses:
                self.uses[use.id] = self.uses[use.id] + use if use.id in self.uses else use
            return
        life = self.lives.get(line.key) or Life(line.key)
        if line.session_id:
            life = replace(life, session_id=line.session_id, category=line.category, digest=line.digest)
        if line.turns != (0, 0):
            life = replace(life, turns=line.turns)
        if line.event == "attempt":
            life = replace(life, attempts=line.n)
        elif line.event == "withdrawn":
            life = replace(life, attempts=max(0, line.n - 1))
        else:
            fate: Fate = "restaged" if line.fate is None else line.fate
            life = replace(
                life, fate=fate, reason=line.reason, record=line.record, adjudicator=line.adjudicator, run=line.run,
                at=line.at, attempts=0 if line.event == "recovered" else life.attempts,
            )  # fmt: skip
        self.lives[line.key] = life

    def counts(self) -> dict[Fate, int]:
        """How many candidates met each fate."""
        fates = [life.fate for life in self.lives.values()]
        return {fate: fates.count(fate) for fate in FATES}
