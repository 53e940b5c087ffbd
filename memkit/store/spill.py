"""Where DuckDB puts what does not fit into memory: one folder per user, shared by all their processes.

DuckDB makes its files when it first needs them, readable by everybody, and removes them when it closes; those of a
process that was killed go when the next one spills into the same folder. So the folder is always the same, nobody else
may enter it, and one that somebody else made under its name is not used. Nothing in it is worth keeping.
"""

from __future__ import annotations

import warnings
from pathlib import Path

from memkit.errors import MemkitWarning
from memkit.store.durable import make_private


def spill_folder(base: Path | None) -> Path | None:
    """The folder to spill into, beneath `base`, made if missing; None where there is none only this user may enter.

    DuckDB would make a missing folder for everybody to read, but not a missing parent: hence one within the other, so
    that what a cleaner of old files removes costs an error, never a secret.
    """
    if base is None:
        return None
    folder = base / "spill"
    if make_private(base) and make_private(folder):
        return folder
    warnings.warn(
        f"{base} is not a folder only you may enter; what does not fit into memory fails instead of going there",
        MemkitWarning,
        stacklevel=2,
    )
    return None
