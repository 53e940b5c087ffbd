"""The text of the user's settings file with one project's consent changed and nothing else."""

from __future__ import annotations

import copy
import tomllib
from collections.abc import MutableMapping
from os import PathLike
from typing import Any

from memkit.errors import SettingsError
from memkit.settings.schema import dotted

HEADER = "# Your own settings of memkit. A project's memory is on only if it is enabled here.\n\n"


def read_consent(text: str, project_path: str, *, file: str | PathLike[str] | None = None) -> bool | None:
    """What a settings text says about one project; None where it says nothing.

    Raises:
        SettingsError: the text is not TOML, or what stands there is not consent.
    """
    projects = _parse(text, file).get("projects", {})
    said = _table(projects, "projects", file).get(project_path)
    if said is None:
        return None
    enabled = _table(said, dotted("projects", project_path), file).get("enabled")
    if enabled is None or isinstance(enabled, bool):
        return enabled
    raise SettingsError(
        f"{enabled!r:.80} is not true or false",
        file=file,
        field=dotted("projects", project_path, "enabled"),
        remedy="Write enabled = true, for example.",
    )


def write_consent(text: str, project_path: str, *, enabled: bool, file: str | PathLike[str] | None = None) -> str:
    """The same settings text with `projects."<path>".enabled` set; comments, order and spacing stay.

    Args:
        text: The file as it is; empty for a new one.
        project_path: The project's real path.
        enabled: What to write.
        file: For errors.

    Raises:
        SettingsError: the text is not TOML, or cannot be changed without changing something else.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    before = _parse(text, file)
    read_consent(text, project_path, file=file)
    wanted = copy.deepcopy(before)
    wanted.setdefault("projects", {}).setdefault(project_path, {})["enabled"] = enabled
    try:
        document = tomlkit.parse(text or HEADER)
        if "projects" not in document:
            document["projects"] = tomlkit.table()
        projects: MutableMapping[str, Any] = document["projects"]
        if project_path not in projects:
            projects[project_path] = tomlkit.inline_table()
        projects[project_path]["enabled"] = enabled
        after = tomlkit.dumps(document)
    except (TOMLKitError, RecursionError, TypeError) as error:
        raise _unchangeable(project_path, file) from error
    try:
        if tomllib.loads(after) == wanted:
            return after
    except (tomllib.TOMLDecodeError, RecursionError):
        pass
    raise _unchangeable(project_path, file)


def _unchangeable(project_path: str, file: str | PathLike[str] | None) -> SettingsError:
    return SettingsError(
        "cannot be changed without touching other lines, so it was left as it is",
        file=file,
        field="projects",
        remedy=f"Add this line below [projects] by hand: {dotted(project_path)} = {{ enabled = true }} (or false).",
    )


def _parse(text: str, file: str | PathLike[str] | None) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"is not TOML: {error}", file=file, remedy="Mend the file; it was not changed.") from error
    except (RecursionError, ValueError) as error:
        reason = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise SettingsError(f"is not TOML memkit can read: {reason}", file=file) from error


def _table(value: object, field: str, file: str | PathLike[str] | None) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise SettingsError("is not a table", file=file, field=field, remedy="Write [projects] and one line per project.")
