"""Which entry a person means: its id, or the beginning of it where no other begins so."""

from __future__ import annotations

from collections.abc import Iterable

from memkit.errors import AmbiguousIdError, EntryNotFoundError
from memkit.store.store import Store

LEAST_PREFIX = 8
_MOST_SHOWN = 20


def find_entry(store: Store, text: str, *, trash: bool = False) -> str:
    """The id of the entry that `text` names; with `trash`, entries in the trash count too.

    Raises:
        EntryNotFoundError: nothing matches; a text shorter than 8 characters never does.
        AmbiguousIdError: several begin so; names them.
    """
    known = [line.id for line in store.read_index().lines]
    if trash:
        known += store.trash().entries
    return match_id(known, text)


def match_id(known: Iterable[str], text: str, *, lister: str = "memkit list") -> str:
    """The one of `known` that `text` is, or begins; `lister` is the command that shows them.

    Raises:
        EntryNotFoundError, AmbiguousIdError: see `find_entry`.
    """
    ids = set(known)
    if text in ids:
        return text
    found = sorted(each for each in ids if each.startswith(text)) if len(text) >= LEAST_PREFIX else []
    if not found:
        raise EntryNotFoundError(
            f"matched: 0; no entry has the id {text!r:.80}", field="id", remedy=f"`{lister}` shows ids."
        )
    if len(found) > 1:
        shown = ", ".join(found[:_MOST_SHOWN])
        raise AmbiguousIdError(
            f"matched: {len(found)}; {text!r:.80} begins {shown}",
            field="id",
            remedy="Write more of the id.",
            matches=tuple(found),
        )
    return found[0]
