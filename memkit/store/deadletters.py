"""`deadletter/<session_id>.<category>.<digest>.json`: one candidate that could not be reconciled, with its reason.

Truth. A dead letter is written once and removed once its candidate is safe in staging again; nothing else removes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from memkit.model import jsontext
from memkit.model.candidate import CATEGORIES, Candidate, Category, Malformed
from memkit.model.frozen import FrozenMapping
from memkit.model.problem import Problem
from memkit.store import look
from memkit.store.candidate_files import (
    ENDING,
    MAX_FILE_BYTES,
    Item,
    damaged,
    put,
    read_folder,
    read_item,
    read_object,
    remove,
    require_writer,
    stem,
)
from memkit.store.lock import HeldLock
from memkit.store.paths import StorePaths
from memkit.store.store import Store


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One candidate that could not be reconciled.

    Attributes:
        session_id: The session it came from.
        produced_at: When it was put here, as the file says it: memkit writes ISO 8601.
        attempts: How often a model or a person was asked about it.
        last_gate_reason: Why it is here.
        category: The list it stood in.
        candidate: The candidate, or what stood in its place.
        name: Of the file in `deadletter/`; "" for one that is not there yet.
        extra: Fields memkit does not know.
    """

    session_id: str
    produced_at: Any
    attempts: int
    last_gate_reason: str
    category: Category
    candidate: Item
    name: str = ""
    extra: Mapping[str, Any] = field(default_factory=lambda: FrozenMapping({}))

    def __repr__(self) -> str:
        return f"<DeadLetter {self.category} of session {self.session_id[:40]!r}: {self.last_gate_reason[:60]}>"

    def to_dict(self) -> dict[str, Any]:
        """The file's JSON object."""
        inner = self.candidate
        known: dict[str, Any] = {
            "session_id": self.session_id,
            "produced_at": self.produced_at,
            "attempts": self.attempts,
            "last_gate_reason": self.last_gate_reason,
            "category": self.category,
            "candidate": inner.to_dict() if isinstance(inner, Candidate) else inner.raw,
        }
        return {**known, **{k: v for k, v in self.extra.items() if k not in known}}


def letter_name(letter: DeadLetter) -> str:
    """The name of a dead letter's file: the same for the same candidate of the same session."""
    said = jsontext.dumps([letter.session_id, letter.category, letter.to_dict()["candidate"]])
    return f"{stem(letter.session_id)}.{letter.category}.{hashlib.sha256(said).hexdigest()[:12]}{ENDING}"


def read_letter(paths: StorePaths, name: str) -> DeadLetter | None:
    """One dead letter by its file's name, or None where there is none; a candidate in it may be `Malformed`.

    Raises:
        NewerFormatError: a newer memkit wrote it.
        DamagedError: it is empty, too large, or a field besides the candidate is missing or of the wrong kind.
        StoreError: the operating system refuses to show it.
    """
    file = paths.deadletter / name
    data = look.read_bytes(file, limit=MAX_FILE_BYTES + 1)
    if data is None:
        return None
    raw = read_object(data, file)
    session_id, reason, category = raw.get("session_id"), raw.get("last_gate_reason"), raw.get("category")
    attempts = raw.get("attempts")
    if not isinstance(session_id, str) or not session_id.strip():
        raise damaged("session_id is missing or no text", file)
    if not isinstance(category, str) or category not in CATEGORIES:
        raise damaged(f"category is none of {', '.join(CATEGORIES)}", file)
    if not isinstance(attempts, int) or isinstance(attempts, bool) or attempts < 0:
        raise damaged("attempts is missing or no count", file)
    if not isinstance(reason, str):
        raise damaged("last_gate_reason is missing or no text", file)
    if "candidate" not in raw:
        raise damaged("candidate is missing", file)
    known = {"session_id", "produced_at", "attempts", "last_gate_reason", "category", "candidate"}
    of = next(each for each in CATEGORIES if each == category)
    return DeadLetter(
        session_id=session_id,
        produced_at=raw.get("produced_at"),
        attempts=attempts,
        last_gate_reason=reason,
        category=of,
        candidate=read_item(of, raw["candidate"]),
        name=name,
        extra=FrozenMapping({k: v for k, v in raw.items() if k not in known}),
    )


def read_letters(paths: StorePaths) -> tuple[list[DeadLetter], list[Problem]]:
    """Every dead letter in the order of names, and what cannot be read among them.

    Raises:
        StoreError: the folder cannot be listed.
    """

    def malformed(letter: DeadLetter) -> list[Malformed]:
        return [letter.candidate] if isinstance(letter.candidate, Malformed) else []

    return read_folder(paths.deadletter, "dead-letter", lambda name: read_letter(paths, name), malformed)


def bury(store: Store, held: HeldLock, letter: DeadLetter) -> DeadLetter:
    """Write a dead letter durably, secrets in its reason masked; writing the same once more changes only its time.

    Returns:
        The letter with its file's name.

    Raises:
        StoreError: nothing was acknowledged.
    """
    require_writer(store, held)
    reason = store.scrubber.scrub_text(letter.last_gate_reason).text  # it may quote what a service answered
    named = replace(letter, last_gate_reason=reason, name=letter.name or letter_name(letter))
    put(store, store.paths.deadletter / named.name, jsontext.dumps(named.to_dict()) + b"\n", "bury")
    return named


def unbury(store: Store, held: HeldLock, letter: DeadLetter) -> bool:
    """Remove a dead letter durably, once its candidate is safe elsewhere; whether it was there."""
    require_writer(store, held)
    return remove(store, store.paths.deadletter / letter.name, "unbury")
