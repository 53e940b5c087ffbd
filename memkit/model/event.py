"""Events of the audit log: one line each, saying who did what, with which outcome.

Four kinds: `worker_lifecycle` (a memory worker began or ended), `record_operation` (a record was written, edited,
deleted, or refused), `record_usage` (somebody read or asked), `entry_operation` (what changed the store of entries).

`Event` is how memkit itself says that something happened: cheap to make, checked by tests. What is read from a log, or
built by others, goes through the models of `event_models`.

A line is one JSON object. Text that people wrote (queries, reasons in words, messages, paths they chose) stands in
`text`, last in the line, with a random salt; the line keeps a digest of it. The hash of a line leaves `text` out, so
that erasing text and salt later breaks no chain. Everything else is ids, codes, counts and hashes.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from uuid_utils import uuid7

from memkit import clock
from memkit.errors import InvalidInputError
from memkit.model import jsontext
from memkit.model.frozen import FrozenMapping

EVENT_SCHEMA_VERSION = 2
Kind = Literal["worker_lifecycle", "record_operation", "record_usage", "entry_operation"]
Worker = Literal["memory_extract", "memory_consolidation"]
WORKERS: tuple[Worker, ...] = get_args(Worker)
_SHORT = "memory_"  # what the full name of a worker begins with, and its short one leaves out
Trigger = Literal[
    "session_end",
    "turn_threshold",
    "token_threshold",
    "staging_backlog",
    "idle",
    "manual",
    "startup_recovery",
    "unknown",
]
# What memkit itself does, by kind of event; tools of others may name more.
OPERATIONS: Mapping[str, tuple[str, ...]] = FrozenMapping({
    "worker_lifecycle": (),
    "record_operation": ("write", "edit", "delete", "external_edit", "erase"),
    "record_usage": ("recall", "read", "query", "decided", "summary", "store", "call"),
    "entry_operation": (
        "store", "import", "prune", "restore", "erase", "wipe", "repair", "upgrade", "acknowledge", "pin", "unpin",
        "hold", "release", "compact_log", "forget_days",
    ),
})  # fmt: skip
# What takes something away is on disk before the call returns.
REMOVALS = frozenset({"prune", "erase", "wipe", "delete", "expire", "forget_days"})
GENESIS = "0" * 64
MAX_TEXT_CHARS = 2_000
TEXT_MARK = b',"text_digest":"'
_TEXT_OPENS = b'","text":'
_DIGEST_CHARS = 64
_CODE = re.compile(r"[a-z0-9][a-z0-9_.:-]{0,63}", re.ASCII)
# Fields that hold what somebody wrote, wherever a caller puts them.
_WRITTEN = frozenset({"query", "message", "note", "source_path"})
_GIVEN = ("id", "occurred_at", "schema_version", "actor", "seq", "prev", "healed", "text_digest")
RESERVED = frozenset({*_GIVEN, "event", "op", "status", "text"})
NOTHING: Mapping[str, Any] = FrozenMapping({})


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened.

    Attributes:
        event: The kind of event.
        op: What was done; empty for a worker.
        status: `done`, `failed`, `refused`; of a worker `started`, `completed`, `skipped`, `failed`, `cancelled`.
        detail: Fields of this operation: ids, counts, codes, hashes. A `query`, `message`, `note` or `source_path`, and
            a `reason` that is no code, are taken for text.
        text: What people wrote, by field; scrubbed, cut and salted when it is logged.
    """

    event: Kind
    op: str = ""
    status: str = "done"
    detail: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    text: Mapping[str, str] = field(default_factory=lambda: NOTHING)

    def parts(self) -> tuple[dict[str, Any], dict[str, str]]:
        """The fields that are kept for ever, and the text that can be forgotten."""
        kept: dict[str, Any] = {}
        text = {name: value for name, value in self.text.items() if value}
        for name, value in self.detail.items():
            if name in _WRITTEN or (name == "reason" and not is_code(value)):
                if value:
                    text.setdefault(name, str(value))
            elif name not in RESERVED:
                kept[name] = value
        return kept, text


def worker_of(name: object, field: str = "worker") -> Worker:
    """A worker by its full name or its short one: `memory_extract` or `extract`.

    Raises:
        InvalidInputError: there is no such worker.
    """
    for worker in WORKERS:
        if name in {worker, worker.removeprefix(_SHORT)}:
            return worker
    known = ", ".join(f"{worker.removeprefix(_SHORT)} ({worker})" for worker in WORKERS)
    raise InvalidInputError(f"{name!r:.60} is no worker", field=field, remedy=f"Known: {known}.")


def known_as(value: object, known: Sequence[str], field: str) -> str:
    """A word that must be one of some known ones.

    Raises:
        InvalidInputError: it is none of them; names them.
    """
    if not isinstance(value, str) or value not in known:
        raise InvalidInputError(f"{value!r:.60} is not known", field=field, remedy=f"Known: {', '.join(known)}.")
    return value


def is_code(value: object) -> bool:
    """Whether a reason is one of the short names reasons have, and not a sentence."""
    return isinstance(value, str) and _CODE.fullmatch(value) is not None


def event_id(at: dt.datetime) -> str:
    """A fresh UUIDv7 for an event of this moment."""
    return str(uuid7(nanoseconds=clock.to_ms(at) * 1_000_000))


def line_of(
    event: Event,
    text: Mapping[str, str],
    *,
    kept: Mapping[str, Any],
    at: dt.datetime,
    actor: str,
    seq: int,
    prev: str,
    healed: Sequence[Mapping[str, Any]] = (),
) -> tuple[bytes, str]:
    """The line of an event, without its newline, and the hash its successor will carry.

    Args:
        event: What happened.
        text: Its text, scrubbed; from `parts`.
        kept: Its other fields; from `parts`.
        at: When.
        actor: Who acted.
        seq: Its number in the log, from 1.
        prev: Hash of the line before, or `GENESIS`.
        healed: What crashes had left between the two, by `file`, with `bytes` and `sha256`.
    """
    fields: dict[str, Any] = {
        "id": event_id(at),
        "occurred_at": clock.iso(at),
        "schema_version": EVENT_SCHEMA_VERSION,
        "event": event.event,
    }
    if event.op:
        fields["op"] = event.op
    fields["status"] = event.status
    fields["actor"] = actor
    fields |= kept
    fields["seq"] = seq
    fields["prev"] = prev
    if healed:
        fields["healed"] = [dict(each) for each in healed]
    head = _encoded(fields)
    if not text:
        return head, hashlib.sha256(head).hexdigest()
    words = _encoded({"salt": secrets.token_hex(16), **text})
    covered = head[:-1] + TEXT_MARK + hashlib.sha256(words).hexdigest().encode() + b'"'
    return covered + b',"text":' + words + b"}", hashlib.sha256(covered + b"}").hexdigest()


def _encoded(value: Mapping[str, Any]) -> bytes:
    try:
        return jsontext.dumps(value)
    except UnicodeEncodeError:
        return jsontext.dumps(_whole(value))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return jsontext.whole_text(value)
    if isinstance(value, Mapping):
        return {jsontext.whole_text(str(key)): _whole(item) for key, item in value.items()}
    return [_whole(item) for item in value] if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True, slots=True)
class Seal:
    """What the chain knows of one line.

    Attributes:
        digest: Hash of the line without its text: what its successor carries.
        has_text: Whether its text is still there.
        is_text_whole: Whether the text is the one the line was written with; True where there is none.
    """

    digest: str
    has_text: bool
    is_text_whole: bool


def seal_of(line: bytes) -> Seal:
    """The seal of a line without its newline."""
    start, covered = _split(line)
    if covered is None:
        return Seal(hashlib.sha256(line).hexdigest(), has_text=False, is_text_whole=True)
    digest = hashlib.sha256(covered).hexdigest()
    rest = line[start:]
    if rest == b'"}':
        return Seal(digest, has_text=False, is_text_whole=True)
    words = rest[len(_TEXT_OPENS) : -1]
    said = line[start - _DIGEST_CHARS : start].decode("ascii", "replace")
    return Seal(digest, has_text=True, is_text_whole=hashlib.sha256(words).hexdigest() == said)


def _split(line: bytes) -> tuple[int, bytes | None]:
    """Where the text's digest ends, and the bytes that are covered; None where the whole line is."""
    mark = line.find(TEXT_MARK)
    start = mark + len(TEXT_MARK) + _DIGEST_CHARS
    rest = line[start:]
    if mark < 0 or not (rest == b'"}' or (rest.startswith(_TEXT_OPENS) and rest.endswith(b"}"))):
        return 0, None
    return start, line[:start] + b'"}'


def without_text(line: bytes) -> bytes:
    """The line with text and salt left out; its hash is the same. A line without text is returned as it is."""
    start, covered = _split(line)
    return line if covered is None or line[start:] == b'"}' else covered
