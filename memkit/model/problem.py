"""A problem: one finding of `verify`, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One spot of a store that is not as it should be.

    Attributes:
        code: Stable kebab-case name, listed in docs/reference/problems.md.
        file: The file, relative to the project's folder in the store.
        detail: What was found, in words.
        remedy: What to do; often `memkit repair`.
        entry_id: The entry concerned, where one is known.
        start: First byte concerned, where a range is known.
        end: One past the last byte concerned.
    """

    code: str
    file: str
    detail: str
    remedy: str = ""
    entry_id: str = ""
    start: int = -1
    end: int = -1

    def to_dict(self) -> dict[str, Any]:
        """Plain data; -1 and empty texts stand for "not applicable"."""
        return asdict(self)
