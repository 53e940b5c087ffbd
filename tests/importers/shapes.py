"""Helpers: one invented record in, one draft out."""

from __future__ import annotations

from memkit.importers.adr import document as adr
from memkit.importers.draft import Draft


def draft_of(text: str | bytes, path: str = "docs/adr/0007-queues.md", order=None) -> Draft:
    data = text if isinstance(text, bytes) else text.encode()
    (item,) = adr.read(path, data)
    return item if isinstance(item, Draft) else adr.draft(item, order)


def document_of(text: str | bytes, path: str = "docs/adr/0007-queues.md", order=None) -> dict:
    draft = draft_of(text, path, order)
    assert draft.fate == "ready", draft.reason
    return dict(draft.result["document"])
