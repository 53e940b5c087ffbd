"""Ids of entries: lower-case, sorted by time, safe as a file name on any system.

A new id is a UUIDv7 in hexadecimal without dashes (RFC 9562): 48 bits of epoch milliseconds, then randomness. Any
`[a-z0-9]{8,}` is accepted, so that ids of other tools (12 hex digits) remain what they are. The one pattern below is
the only gate through which a text becomes part of a path.
"""

from __future__ import annotations

import re

from uuid_utils import uuid7

from memkit.errors import InvalidInputError

ID_PATTERN = re.compile(r"[a-z0-9]{8,128}", re.ASCII)


def is_id(text: object) -> bool:
    """Whether `text` may name an entry."""
    return isinstance(text, str) and ID_PATTERN.fullmatch(text) is not None


def require_id(text: object, field: str = "id") -> str:
    """Return `text` if it may name an entry.

    Raises:
        InvalidInputError: anything else.
    """
    if not is_id(text):
        raise InvalidInputError(
            f"{text!r:.80} cannot name an entry",
            field=field,
            remedy="An id is 8 to 128 characters of a-z and 0-9.",
        )
    return str(text)


def new_ids(ms: int, n: int = 1) -> list[str]:
    """`n` fresh ids for the epoch millisecond `ms`, ascending."""
    return sorted(uuid7(nanoseconds=ms * 1_000_000).hex for _ in range(n))
