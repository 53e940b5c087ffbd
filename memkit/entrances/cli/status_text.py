"""Words for people about the state of a memory: no questions are asked and nothing is decided here."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import humanize

if TYPE_CHECKING:
    from memkit.model.status import Status
    from memkit.store.consent import ConsentReceipt


def _entries(status: Status) -> str:
    size = f" ({humanize.naturalsize(status.n_bytes, binary=True)})" if status.n_entries else ""
    return f"{status.n_entries:,}{size}"


def enabled(receipt: ConsentReceipt) -> str:
    """First line after consent."""
    return f"Memory is {'now' if receipt.changed else 'already'} on for {receipt.project_path}."


def disabled(receipt: ConsentReceipt) -> str:
    """First line after consent was taken back."""
    return f"Memory is {'now' if receipt.changed else 'already'} off for {receipt.project_path}."


def what_is_stored(status: Status) -> str:
    """What consent means: what is kept, where, for whom to read, and how to end it."""
    return f"""\
What is stored: questions, results, tags and times that you, your tools or your agents store with memkit,
the documents you import, and a log of who stored and asked what. Known shapes of secrets are masked first;
that is no security boundary.
Where: {status.folder}
As plain text, readable for your user only (0600 in 0700). Nothing leaves this machine. Keep the folder out of
git and of folders that are synchronised.

To stop: memkit disable. To remove everything: memkit wipe."""


def what_stays(status: Status) -> str:
    """What is left on disk after memory was turned off."""
    if not status.n_entries:
        return "Nothing is stored for this project."
    return f"Entries that stay: {_entries(status)}, in {status.folder}\nTo remove them: memkit wipe."


def settings_table(rows: Iterable[tuple[str, object, str]]) -> str:
    """`key = value  # source`, one line per setting."""
    written = [(f"{key} = {_toml(value)}", source) for key, value, source in rows]
    width = min(max(len(left) for left, _ in written), 60)
    return "\n".join(f"{left:<{width}}  # {source}" for left, source in written)


def _toml(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(item) for item in value)}]"
    if isinstance(value, Mapping):
        return "{}"
    return json.dumps(value, ensure_ascii=False)
