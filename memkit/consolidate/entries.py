"""Stored entries as a session: decisions that were kept, and that nobody has proposed as records yet.

Each decision in force is a turn of the session `entries`, in the order of ids, and becomes one candidate with the
entry's title, conclusion and tripwires. Entries of other panels, without a conclusion, or not in force are passed over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from memkit.consolidate.rules import Extracted
from memkit.errors import MemkitError
from memkit.model.candidate import (
    MAX_BODY_CHARS,
    MAX_EXCERPT_CHARS,
    Candidate,
    Evidence,
    cut,
    repaired,
    title_of,
)
from memkit.model.decision import read_decision
from memkit.model.frozen import FrozenMapping
from memkit.model.session import Session, Turn
from memkit.store import entries
from memkit.store.store import Store

SESSION_ID: Final = "entries"
_NOT_IN_FORCE: Final = frozenset({"proposed", "rejected", "deprecated", "superseded"})


@dataclass(frozen=True, slots=True)
class EntryTurns:
    """See `memkit.model.session.Turns`; every entry is looked at each time, for one may be stored with an old time."""

    store: Store
    ids: tuple[str, ...]

    def __iter__(self) -> Iterator[Turn]:
        for number, entry_id in enumerate(self.ids, 1):
            try:
                entry = self.store.read_entry(entry_id)
            except MemkitError:  # verify names it
                continue
            yield Turn(number, "note", entry.question, entry.stored_at, entry_id)

    def shared_with(self, branches: Collection[str], n_bytes: int) -> int:  # noqa: ARG002 - see the class
        """None."""
        return 0

    def prefix_sha256(self, n_bytes: int) -> str:  # noqa: ARG002 - there is no file
        """Nothing, for there is no file."""
        return ""


def session_of_entries(store: Store) -> Session:
    """The entries of a store as a session.

    Raises:
        StoreError: they cannot be listed.
    """
    ids = tuple(entries.ids_on_disk(store.paths))
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()
    return Session(
        id=SESSION_ID,
        format="entries",
        path=str(store.paths.results),
        sha256=digest,
        n_bytes=len(ids),
        turns=EntryTurns(store, ids),
        project_path=store.paths.project_path,
    )


class EntryExtractor:
    """Decisions among entries as candidates.

    Args:
        store: Where they are.
        panels: Panels whose entries are decisions.
    """

    name = "entries"

    def __init__(self, store: Store, panels: Collection[str]) -> None:
        self._store = store
        self._panels = frozenset(panels)

    def extract(self, turns: Iterable[Turn]) -> Extracted:
        """One candidate for each decision in force."""
        out = Extracted()
        for turn in turns:
            out.n_turns += 1
            try:
                entry = self._store.read_entry(turn.ref)
            except MemkitError:
                continue
            decision = read_decision(entry)
            if entry.panel_id not in self._panels or not (decision.conclusion or "").strip():
                out.passed_over["nothing"] += 1
            elif decision.status in _NOT_IN_FORCE or decision.superseded_by:
                out.passed_over["not-in-force"] += 1
            else:
                conclusion = (decision.conclusion or "").strip()
                evidence = Evidence(
                    turn.number,
                    turn.number,
                    cut(conclusion, MAX_EXCERPT_CHARS),
                    extra=FrozenMapping({"entry_id": entry.id}),
                )
                candidate = Candidate(
                    category="decisions",
                    title=title_of(decision.title),
                    body=cut(conclusion, MAX_BODY_CHARS),
                    tags=entry.tags,
                    tripwires=decision.tripwires,
                    evidence=(evidence,),
                    supersedes=decision.supersedes,
                )
                out.candidates.append(repaired(candidate))
        return out
