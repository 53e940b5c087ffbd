"""A finding of the linter of records, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One spot of a record that is not as it should be.

    Attributes:
        path: The record's file, relative to the project's folder in the store.
        code: Stable kebab-case name, listed in docs/reference/lint.md.
        severity: An `error` refuses a write, a `warning` is shown.
        field: The key or part concerned: `slug`, `body`, `sources`, ...
        detail: What was found, in words.
        remedy: What to do.
    """

    path: str
    code: str
    severity: Severity
    field: str
    detail: str
    remedy: str = ""

    @property
    def is_error(self) -> bool:
        """Whether it refuses a write."""
        return self.severity == "error"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return asdict(self)
