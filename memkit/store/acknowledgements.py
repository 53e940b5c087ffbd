"""`state/acknowledgements.jsonl`: who has seen which tripped tripwire, and why it may be silent.

Truth: lines are appended and fsynced under the index lock, never rewritten. A line speaks for one tripwire and one
evidence; later lines do not take earlier ones back. A damaged line is a problem of `verify`, and silences nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memkit import clock as clocks
from memkit.errors import InvalidInputError
from memkit.model import jsontext
from memkit.model.acknowledgement import MAX_REASON_CHARS, Acknowledgement
from memkit.model.event import Event
from memkit.model.ids import is_id
from memkit.model.problem import Problem
from memkit.model.record import is_record_path
from memkit.store import durable, leftovers
from memkit.store.paths import StorePaths
from memkit.store.state_lines import read_lines
from memkit.store.store import Store

_TEXTS = ("tripwireId", "entryId", "evidence", "reason")


def read(paths: StorePaths) -> tuple[list[Acknowledgement], list[Problem]]:
    """Every acknowledgement in order, and the damaged lines among them.

    Raises:
        StoreError: the operating system refuses to show the file.
    """
    return read_lines(
        paths,
        paths.acknowledgements,
        _parsed,
        code="damaged-acknowledgement",
        remedy="The tripwire speaks again; acknowledge it once more. The other lines are read.",
    )


def _parsed(raw: Mapping[str, Any]) -> Acknowledgement:
    at = raw.get("acknowledgedAt")
    if not all(isinstance(raw.get(name), str) for name in _TEXTS):
        raise jsontext.JsonDamage(f"one of {', '.join(_TEXTS)} is missing or no text")
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= 253_402_300_799_999:
        raise jsontext.JsonDamage("acknowledgedAt is missing or not epoch milliseconds")
    if not (is_id(raw["entryId"]) or is_record_path(raw["entryId"])):
        raise jsontext.JsonDamage("entryId is neither an id of a-z and 0-9 nor a record's path")
    actor = raw.get("actor", "python")
    return Acknowledgement(
        tripwire_id=str(raw["tripwireId"]),
        entry_id=str(raw["entryId"]),
        evidence=str(raw["evidence"]),
        at=clocks.from_ms(at),
        reason=str(raw["reason"]),
        actor=actor if isinstance(actor, str) else "python",
    )


def acknowledge(store: Store, *, tripwire_id: str, entry_id: str, evidence: str, reason: str) -> Acknowledgement:
    """Write down that a tripwire with this evidence was seen; on disk when this returns, and in the audit log.

    Raises:
        InvalidInputError: the reason is empty, too long, or no text.
        StoreError: the disk, a permission or another writer stood in the way; nothing was acknowledged.
    """
    text = jsontext.require_text(reason, "reason").strip()
    if not text or len(text) > MAX_REASON_CHARS:
        raise InvalidInputError(
            f"has {len(text):,} characters",
            field="reason",
            remedy=f"Say in 1 to {MAX_REASON_CHARS:,} characters why it may be silent.",
        )
    said = Acknowledgement(
        tripwire_id=tripwire_id,
        entry_id=entry_id,
        evidence=evidence,
        at=store.clock.now(),
        reason=store.scrubber.scrub_text(text).text,
        actor=store.audit.actor,
    )
    store.make_folders()
    with store.index_lock.held("acknowledge") as held:
        leftovers.finish(store.paths, held, wait_seconds=store.wait_seconds)
        durable.make_folder(store.paths.state)
        durable.append(store.paths.acknowledgements, jsontext.dumps(said.to_dict()) + b"\n", fsync=True)
    detail = {"entry_id": entry_id, "tripwire_id": tripwire_id, "reason": said.reason}
    store.audit.record(Event("entry_operation", "acknowledge", detail=detail))
    return said
