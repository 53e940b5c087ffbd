"""Whether every candidate that was ever seen is somewhere.

In = added + duplicate + superseding + merged + discarded + conflict + restaged + dead-lettered, and what waits to be
looked at for the first time.

In are the candidates of the ledger and those that extraction put down as staged. Each is accounted for by the ledger
(it has left staging for a record, a duplicate, a discard), by a staging file, or by a dead letter. One that is in and
nowhere is lost; there should never be one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memkit.consolidate.reconcile import name_of
from memkit.display import Displayable
from memkit.model.candidate import key_of
from memkit.model.frozen import FrozenMapping
from memkit.model.ledger import FATES, STAYING, Ledger
from memkit.store import deadletters, extraction, ledger, staging
from memkit.store.paths import StorePaths


@dataclass(frozen=True, slots=True)
class Balance(Displayable):
    """The account.

    Attributes:
        n_in: Candidates that were ever seen.
        fates: Of those the ledger knows, by fate.
        waiting: Those in staging that no run has looked at yet.
        unaccounted: Keys of those that are in and nowhere: lost.
        unexpected: Keys whose fate says one place and that stand in another; the next run sets them right.
    """

    n_in: int
    fates: Mapping[str, int] = field(default_factory=lambda: FrozenMapping({}))
    waiting: int = 0
    unaccounted: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Balance: {self.n_in} in, {len(self.unaccounted)} unaccounted for, {self.waiting} waiting>"

    @property
    def is_even(self) -> bool:
        """Whether the account adds up and nothing is missing."""
        return not self.unaccounted and self.n_in == sum(self.fates.values()) + self.waiting

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {
            "in": self.n_in,
            "fates": dict(self.fates),
            "waiting": self.waiting,
            "unaccounted": list(self.unaccounted),
            "unexpected": list(self.unexpected),
            "is_even": self.is_even,
        }


def balance(paths: StorePaths) -> Balance:
    """The account of a store; reads every staging file, dead letter and line of the ledger.

    Raises:
        StoreError: one of the files cannot be shown.
    """
    lives = Ledger.of(ledger.read(paths)[0]).lives
    files, _ = staging.read_all(paths)
    staged = {name_of(file.session_id, item)[0] for file in files for item in file.items}
    dead = {name_of(each.session_id, each.candidate)[0] for each in deadletters.read_letters(paths)[0]}
    extracted = {key_of(each.session_id, digest) for each in extraction.read(paths)[0] for digest in each.digests}
    known = {key: life for key, life in lives.items() if life.fate is not None}
    everyone = {**dict.fromkeys(known), **dict.fromkeys(sorted(extracted | staged | dead))}
    left = {key for key, life in known.items() if life.fate not in STAYING and life.fate != "dead_lettered"}
    fates = [life.fate for life in known.values()]
    return Balance(
        n_in=len(everyone),
        fates=FrozenMapping({fate: fates.count(fate) for fate in FATES}),
        waiting=len((staged | dead) - set(known)),
        unaccounted=tuple(key for key in everyone if key not in left and key not in staged and key not in dead),
        unexpected=tuple(key for key in known if (key in left and key in staged)),
    )
