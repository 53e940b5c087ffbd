"""Whether every candidate that was ever seen is somewhere.

In = added + duplicate + superseding + merged + discarded + conflict + restaged + dead-lettered + erased, and what waits
to be looked at for the first time.

In are the candidates of the ledger and those that extraction put down as staged. Each is accounted for by the ledger
(it has left staging for a record, a duplicate, a discard, or was erased with an entry), by a staging file, or by a dead
letter. One that is in and nowhere is lost; there should never be one. Of a session whose file nobody can read (a newer
memkit wrote it, or it is damaged) nothing is lost, but nobody can count it either: those are told apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memkit.display import Displayable
from memkit.model.candidate import key_of
from memkit.model.frozen import FrozenMapping
from memkit.model.ledger import FATES, STAYING, Ledger
from memkit.store import deadletters, extraction, ledger, staging
from memkit.store.candidate_files import ENDING, is_named_for, name_of
from memkit.store.paths import StorePaths


@dataclass(frozen=True, slots=True)
class Balance(Displayable):
    """The account.

    Attributes:
        n_in: Candidates that were ever seen.
        fates: Of those the ledger knows, by fate.
        waiting: Those in staging that no run has looked at yet.
        unaccounted: Keys of those that are in and nowhere: lost.
        unread: Keys of those that can only be in a file that cannot be read.
        unread_files: These files, relative to the project's folder in the store.
        unexpected: Keys whose fate says one place and that stand in another; the next run sets them right.
    """

    n_in: int
    fates: Mapping[str, int] = field(default_factory=lambda: FrozenMapping({}))
    waiting: int = 0
    unaccounted: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    unread_files: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Balance: {self.n_in} in, {len(self.unaccounted)} unaccounted for, {self.waiting} waiting>"

    @property
    def is_even(self) -> bool:
        """Whether the account adds up, nothing is missing, and nothing is where nobody can count it."""
        return not self.unaccounted and not self.unread and self.n_in == sum(self.fates.values()) + self.waiting

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "in": self.n_in,
            "fates": dict(self.fates),
            "waiting": self.waiting,
            "unaccounted": list(self.unaccounted),
            "unexpected": list(self.unexpected),
            "unread": list(self.unread),
            "unread_files": list(self.unread_files),
            "is_even": self.is_even,
        }


def balance(paths: StorePaths) -> Balance:
    """The account of a store; reads every staging file, dead letter and line of the ledger.

    Raises:
        StoreError: one of the files cannot be shown.
    """
    lives = Ledger.of(ledger.read(paths)[0]).lives
    files, staging_problems = staging.read_all(paths)
    letters, letter_problems = deadletters.read_letters(paths)
    staged = {name_of(file.session_id, item)[0] for file in files for item in file.items}
    dead = {name_of(each.session_id, each.candidate)[0] for each in letters}
    session_of = {key: life.session_id for key, life in lives.items()}
    extracted: dict[str, None] = {}
    for each in extraction.read(paths)[0]:
        for key in (key_of(each.session_id, digest) for digest in each.digests):
            extracted[key] = None
            session_of.setdefault(key, each.session_id)
    known = {key: life for key, life in lives.items() if life.fate is not None}
    everyone = {**dict.fromkeys(known), **dict.fromkeys(sorted(extracted.keys() | staged | dead))}
    left = {key for key, life in known.items() if life.fate not in STAYING and life.fate != "dead_lettered"}
    fates = [life.fate for life in known.values()]
    nowhere = [key for key in everyone if key not in left and key not in staged and key not in dead]
    odd = tuple(each.file for each in (*staging_problems, *letter_problems) if each.code != "malformed-candidate")
    unread = {key for key in nowhere if odd and _is_in_one_of(odd, session_of.get(key, ""))}
    return Balance(
        n_in=len(everyone),
        fates=FrozenMapping({fate: fates.count(fate) for fate in FATES}),
        waiting=len((staged | dead) - set(known)),
        unaccounted=tuple(key for key in nowhere if key not in unread),
        unexpected=tuple(key for key in known if (key in left and key in staged)),
        unread=tuple(key for key in nowhere if key in unread),
        unread_files=odd,
    )


def _is_in_one_of(files: Sequence[str], session_id: str) -> bool:
    """Whether one of these files is a session's by its name."""
    names = (file.partition("/")[2].removesuffix(ENDING) for file in files)
    return bool(session_id) and any(is_named_for(name, session_id) for name in names)
