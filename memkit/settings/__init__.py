"""Settings: what can be set, where each value came from, and what is nobody's business but the user's.

Layers, each over the one before: the defaults, the user's own file, the project's file (`memkit.toml`, or
`[tool.memkit]` in `pyproject.toml`), variables `MEMKIT_*`, arguments. Every layer is read and judged apart, so a
complaint names the file and the key, and each value of the answer knows its source.

Consent is personal. Whether memory is on, where the store lies, and whether other projects may be searched is said
by the user's file, by variables and by arguments. A project's file that tries is not an error (someone else wrote
it) but has no effect, and a warning says so.

Nothing here looks at the process: the home folder, the variables and the place of the user's file come in an
`Environment`, built in one place by whoever enters (`memkit.open`, the command line, a test).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from memkit.settings.environment import Environment
from memkit.settings.schema import (
    DecisionSettings,
    FieldWeights,
    LimitSettings,
    LockSettings,
    McpSettings,
    MemorySettings,
    ProjectConsent,
    RecallSettings,
    RetentionSettings,
    ScrubSettings,
    Settings,
    TripwireSettings,
    dotted,
    facts_file,
    leaves,
    session_folders,
    storage_root,
)

__all__ = [
    "DecisionSettings",
    "Environment",
    "FieldWeights",
    "LimitSettings",
    "Loaded",
    "LockSettings",
    "McpSettings",
    "MemorySettings",
    "ProjectConsent",
    "RecallSettings",
    "RetentionSettings",
    "ScrubSettings",
    "Settings",
    "TripwireSettings",
    "facts_file",
    "load",
    "session_folders",
    "storage_root",
]


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings with their sources.

    Attributes:
        settings: The values in force.
        sources: Where each came from, by dotted key as TOML writes it (`recall.limit`): `default`, a file, a file
            and its table, `environment MEMKIT_...` or `argument`.
        warnings: One line each about values that were ignored.
    """

    settings: Settings
    sources: Mapping[str, str]
    warnings: tuple[str, ...] = ()

    def rows(self) -> tuple[tuple[str, object, str], ...]:
        """Every value as (dotted key, value, source), in the order of the schema."""
        return tuple((key := dotted(*parts), value, self.sources[key]) for parts, value in leaves(self.settings))

    def __repr__(self) -> str:
        n_set = sum(source != "default" for source in self.sources.values())
        return f"<Loaded {len(self.sources)} settings, {n_set} set, {len(self.warnings)} warnings>"


def load(
    environment: Environment,
    *,
    project: str | PathLike[str] | None = None,
    project_path: str | None = None,
    arguments: Mapping[str, object] | None = None,
) -> Loaded:
    """Read all layers.

    Args:
        environment: The home folder, the variables, and the user's file.
        project: The project's real folder; its file is read, and its consent looked up. None: neither.
        project_path: The project's real path as the store spells it, if that differs from `project`.
        arguments: Values given in the call, by dotted key (`{"recall.limit": 5}`); None values are left out.

    Raises:
        SettingsError: an unknown key, an impossible value, or a file that cannot be read or parsed; names the file
            and the key, and what to write instead.
    """
    from memkit.settings import layers  # loads pydantic_settings

    settings, sources, warnings = layers.combine(
        environment,
        project=None if project is None else Path(project),
        project_path=project_path,
        arguments=arguments or {},
    )
    return Loaded(settings=settings, sources=sources, warnings=warnings)
