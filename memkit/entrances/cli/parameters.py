"""Reading `--param NAME=VALUE` of `memkit sql`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memkit.errors import UsageError


def read_parameters(pairs: Sequence[str]) -> dict[str, Any]:
    """Values by name. A value that is JSON (a number, true, null, a quoted text, a list) is taken as such.

    Raises:
        UsageError: no name, or the same name twice.
    """
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"{pair!r:.80} is not NAME=VALUE", field="--param", remedy="Write --param days=30.")
        if name in values:
            raise UsageError(f"{name} is given twice", field="--param", remedy="Give each name once.")
        try:
            values[name] = json.loads(text)
        except (ValueError, RecursionError):
            values[name] = text
    return values
