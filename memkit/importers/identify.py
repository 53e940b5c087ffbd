"""By which names the drafts of an import can be meant, and where their links lead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from memkit.importers.adr.naming import read_name
from memkit.importers.draft import Draft
from memkit.model.links import Identity, Link, LinkKind, Resolution, Unsettled, resolve
from memkit.model.result import as_text, as_texts, document_of

_KINDS: Final[tuple[tuple[LinkKind, tuple[str, ...]], ...]] = (
    ("supersedes", ("supersedes",)),
    ("superseded_by", ("supersededBy", "superseded_by")),
    ("amends", ("amends",)),
)


@dataclass(frozen=True, slots=True)
class LinkAccount:
    """What became of the links of an import, as lines for a report.

    Attributes:
        resolved: How many were settled.
        ambiguous: "path: text -> candidates".
        dangling: "path: text (why)", with candidates.
        own: "path: text".
    """

    resolved: int = 0
    ambiguous: tuple[str, ...] = ()
    dangling: tuple[str, ...] = ()
    own: tuple[str, ...] = ()


def identity_of(draft: Draft) -> Identity:
    """The names of a draft; its path stands for the entry it is not yet."""
    document = document_of(draft.result)
    return Identity(
        entry_id=draft.path,
        source_path=draft.path,
        slug=as_text(document.get("slug")),
        document_id=as_text(document.get("id")),
        number=as_text(document.get("number")),
        title=as_text(document.get("title")) or draft.question,
    )


def identity_of_path(path: str) -> Identity:
    """The names of a document known by its path only."""
    name = read_name(path)
    return Identity(entry_id=path, source_path=path, slug=name.slug, number=name.number, title="")


def links_of(entry_id: str, result: Mapping[str, Any]) -> list[Link]:
    """The links a result names, as its author wrote them."""
    holders = (document_of(result), result)
    found: list[Link] = []
    partly = as_texts(document_of(result).get("partly"))
    for kind, keys in _KINDS:
        texts = next((t for h in holders for key in keys if (t := as_texts(h.get(key)))), ())
        found.extend(Link(entry_id, kind, text, partly=text in partly) for text in texts)
    return found


def account_of_links(drafts: Iterable[Draft], others: Iterable[Identity]) -> LinkAccount:
    """Settle the links of drafts over themselves and the decisions stored before."""
    ready = [draft for draft in drafts if draft.fate == "ready"]
    names = {draft.path: identity_of(draft) for draft in ready}
    mine = list(names.values())
    known = [identity for identity in others if identity.source_path not in names]
    shown = {identity.entry_id: identity.source_path or identity.entry_id for identity in [*known, *mine]}
    links = [link for draft in ready for link in links_of(draft.path, draft.result)]
    return _lines(resolve(links, [*mine, *known]), shown)


def _lines(resolution: Resolution, shown: Mapping[str, str]) -> LinkAccount:
    def line(unsettled: Unsettled, why: str) -> str:
        link = unsettled.link
        candidates = ", ".join(shown[entry] for entry in unsettled.candidates if entry != link.from_id)
        tail = f" -> {candidates}" if candidates else ""
        return f"{link.from_id}: {link.kind.replace('_', ' ')} {link.text}{why}{tail}"

    return LinkAccount(
        resolved=len(resolution.edges),
        ambiguous=tuple(line(item, "") for item in resolution.ambiguous),
        dangling=tuple(line(item, f" ({item.reason})") for item in resolution.dangling),
        own=tuple(line(item, "") for item in resolution.own),
    )
