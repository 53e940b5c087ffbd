"""Events as models: what is read from a log, or built outside memkit, is checked here.

The models are tagged by `event`. Fields they do not know are kept, so that a log of a newer memkit can be read; codes
are texts, because a newer one may know more of them. What the known codes mean stands in docs/reference/events.md.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Discriminator, Field, TypeAdapter, ValidationError

from memkit.errors import InvalidInputError
from memkit.model.event import EVENT_SCHEMA_VERSION, RESERVED, Event, Trigger, Worker

Count = Annotated[int, Field(ge=0)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
WORKER_STATUSES = ("started", "completed", "skipped", "failed", "cancelled")


class _Common(BaseModel):
    model_config = ConfigDict(frozen=True, extra="allow")

    id: str = ""
    occurred_at: dt.datetime | None = None
    schema_version: int = EVENT_SCHEMA_VERSION
    actor: str = ""
    seq: Count = 0
    prev: str = ""
    text_digest: str = ""
    text: Mapping[str, str] = {}

    def to_event(self) -> Event:
        """The event to log: what it says, without what the log itself gives (id, time, actor, chain)."""
        raw = self.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
        text = {name: value for name, value in self.text.items() if name != "salt"}
        detail = {name: value for name, value in raw.items() if name not in RESERVED}
        said: dict[str, Any] = dict(self)
        return Event(said["event"], said.get("op") or "", said["status"], detail, text)


class Usage(BaseModel):
    """What a model call took."""

    model_config = ConfigDict(frozen=True, extra="allow")

    calls: Count = 0
    input_tokens: Count = 0
    output_tokens: Count = 0


class Counts(BaseModel):
    """What a worker did, in numbers."""

    model_config = ConfigDict(frozen=True, extra="allow")

    staged: Count = 0
    consumed: Count = 0
    write: Count = 0
    edit: Count = 0
    delete: Count = 0
    drop: Count = 0
    merge: Count = 0
    trim: Count = 0
    restaged: Count = 0
    dead_lettered: Count = 0


class WorkerLifecycle(_Common):
    """A memory worker began or ended."""

    event: Literal["worker_lifecycle"] = "worker_lifecycle"
    run_id: str
    worker: Worker
    status: Literal["started", "completed", "skipped", "failed", "cancelled"]
    trigger: Trigger = "unknown"
    reason: str | None = None
    model: str | None = None
    usage: Usage | None = None
    session_id: str | None = None
    range_start: int | None = None
    range_end: int | None = None
    staged_ids: tuple[str, ...] = ()
    staged_paths: tuple[str, ...] = ()
    consumed_ids: tuple[str, ...] = ()
    counts: Counts | None = None
    duration_ms: Count | None = None
    pid: int | None = None
    host: str | None = None


class RecordOperation(_Common):
    """A record was written, edited or deleted, or that was refused."""

    event: Literal["record_operation"] = "record_operation"
    op: str
    status: str = "done"
    kind: str | None = None
    slug: str
    path: str | None = None
    before_hash: Sha256 | None = None
    after_hash: Sha256 | None = None
    reason: str | None = None
    findings: tuple[str, ...] = ()


class RecordUsage(_Common):
    """Somebody read a record, or asked."""

    event: Literal["record_usage"] = "record_usage"
    op: str
    status: str = "done"
    kind: str | None = None
    slug: str | None = None
    result_count: Count | None = None


class EntryOperation(_Common):
    """Something changed the store of entries, or tried to."""

    event: Literal["entry_operation"] = "entry_operation"
    op: str
    status: str = "done"
    entry_id: str | None = None
    panel_id: str | None = None
    replaces: str | None = None
    reason: str | None = None


AuditEvent = WorkerLifecycle | RecordOperation | RecordUsage | EntryOperation
KINDS: tuple[type[BaseModel], ...] = get_args(AuditEvent)


@cache
def _adapter() -> TypeAdapter[AuditEvent]:
    return TypeAdapter(Annotated[AuditEvent, Discriminator("event")])


def event_of(raw: Mapping[str, Any]) -> AuditEvent:
    """One event from its JSON object.

    Raises:
        InvalidInputError: naming the field that is missing or wrong.
    """
    try:
        return _adapter().validate_python(dict(raw))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "event"
        raise InvalidInputError(
            f"this is no event: {first['msg']}",
            field=where,
            remedy="The fields are listed in docs/reference/events.md.",
        ) from error
