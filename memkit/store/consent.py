"""A person's consent to keep the memory of one project, written into the settings file that is theirs.

The change is made to the text, so comments and order stay; it goes to disk whole or not at all, under a lock beside the
file. A file that cannot be read or parsed is never written over. Where the file is a link, the file behind it changes.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memkit.display import Displayable
from memkit.errors import SettingsError
from memkit.settings import Environment
from memkit.settings.consent_text import read_consent, write_consent
from memkit.store import durable, look
from memkit.store.lock import DEFAULT_WAIT_SECONDS, Lock

LOCK_SUFFIX = ".lock"


@dataclass(frozen=True, slots=True)
class ConsentReceipt(Displayable):
    """What was written about one project.

    Attributes:
        project_path: The project's real path.
        enabled: What the file now says.
        before: What it said; None for nothing.
        config_file: The settings file, with links resolved.
    """

    project_path: str
    enabled: bool
    before: bool | None
    config_file: str

    @property
    def changed(self) -> bool:
        """Whether the file says something else than before."""
        return self.before is not self.enabled

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {**asdict(self), "changed": self.changed}


def record_consent(
    environment: Environment,
    project_path: str,
    enabled: bool,
    *,
    wait_seconds: float = DEFAULT_WAIT_SECONDS,
) -> ConsentReceipt:
    """Say in the user's settings file whether the memory of one project is on; durable when it returns.

    Args:
        environment: Names the settings file.
        project_path: The project's real path, as `StorePaths.project_path` spells it.
        enabled: On or off.
        wait_seconds: How long to wait for another process that is writing the file.

    Raises:
        SettingsError: the file is not TOML, or holds something else where consent belongs; it was not changed.
        LockedError: another process is writing it.
        StoreError: the disk or a permission stood in the way.
    """
    file = Path(os.path.realpath(environment.config_file))
    durable.make_folder(file.parent)
    with Lock(file.with_name(file.name + LOCK_SUFFIX), wait_seconds).held("enable" if enabled else "disable"):
        text = _read(file)
        before = read_consent(text, project_path, file=file)
        if before is not enabled:
            durable.replace(file, write_consent(text, project_path, enabled=enabled, file=file).encode("utf-8"))
    return ConsentReceipt(project_path=project_path, enabled=enabled, before=before, config_file=str(file))


def _read(file: Path) -> str:
    data = look.read_bytes(file)
    if data is None:
        return ""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"is not TOML: not UTF-8 at byte {error.start}", file=file, remedy="Save it as UTF-8; it was not changed."
        ) from error
