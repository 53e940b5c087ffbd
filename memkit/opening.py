"""Opening a project's memory, and saying whether it is on: `memkit.open`, `memkit.enable`, `memkit.disable`.

The one place, with the command line, that looks at the process it runs in: the home folder, the variables, the current
directory. From here down all of that is handed in.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from memkit.clock import Clock, SystemClock
from memkit.errors import DamagedError, MemkitWarning
from memkit.memory import Memory, Project, not_enabled
from memkit.settings import Environment, Loaded, load, storage_root
from memkit.store import consent, leftovers
from memkit.store.paths import StorePaths, absolute, path_text, resolve_project
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.store import Store

if TYPE_CHECKING:
    from memkit.model.checkup import Checkup


def open_memory(
    project: Project = ".",
    *,
    root: Project | None = None,
    enabled: bool | None = None,
    clock: Clock | None = None,
    actor: str = "python",
    environment: Environment | None = None,
    even_if_off: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Memory:
    """Open the memory of a project; `memkit.open` is this function.

    Args:
        project: The project's folder; it must exist. Links are resolved now and never again.
        root: Folder of all stores; by default `memory.storage_path` of your own settings.
        enabled: True or False instead of what the settings say; for notebooks and tests.
        clock: What time it is; the system's by default.
        actor: Who acts, for the audit log: `python`, `cli`, `notebook`.
        environment: The surroundings; those of this process by default.
        even_if_off: Open a project that is off, for the few verbs that work without consent.
        progress: Called with the number of entries taken into the snapshot since the last call, where many wait.

    Raises:
        NotEnabledError: memory is off for this project; says how to enable it.
        ProjectPathError: the folder does not exist.
        SettingsError: a settings file or variable is wrong.
        StoreError: what is there is not this project's store, or cannot be read.
    """
    around = environment or Environment.from_process()
    real = resolve_project(project)
    arguments: dict[str, object] = {
        "memory.enabled": enabled,
        "memory.storage_path": None if root is None else absolute(root),
    }
    loaded, scrubber = _settings_of(around, real, arguments)
    for line in loaded.warnings:
        warnings.warn(line, MemkitWarning, stacklevel=2)
    settings = loaded.settings
    paths = StorePaths.for_project(storage_root(settings, around), real)
    if not settings.memory.enabled and not even_if_off:
        raise not_enabled(paths.project_path)
    wait = settings.locks.wait_seconds
    store = Store(paths, clock=clock or SystemClock(), scrubber=scrubber, wait_seconds=wait, actor=actor)
    store.require_folders()
    if not even_if_off:
        _look_at(store)
    # A verb that works while memory is off looks and changes nothing, derived files included.
    memory = Memory(store, loaded=loaded, environment=around, temp_directory=_temp_directory(), absorbs=not even_if_off)
    memory._absorb(progress)  # noqa: SLF001
    return memory


def _temp_directory() -> Path | None:
    """This user's folder among the system's temporary ones; None where the process has nowhere to put such."""
    try:
        return Path(tempfile.gettempdir()) / f"memkit-{os.geteuid()}"
    except FileNotFoundError:
        return None


def settings_of(
    project: Project = ".", *, root: Project | None = None, environment: Environment | None = None
) -> Loaded:
    """The settings in force for a project, without opening its memory.

    Raises:
        ProjectPathError: the folder does not exist.
        SettingsError: a settings file or variable is wrong.
    """
    around = environment or Environment.from_process()
    real = resolve_project(project)
    arguments = {"memory.storage_path": None if root is None else absolute(root)}
    return load(around, project=real, project_path=path_text(real), arguments=arguments)


def check_up(project: Project = ".", *, root: Project | None = None, environment: Environment | None = None) -> Checkup:
    """Look for what could stand in the way of a project's memory; writes nothing, and works while memory is off.

    Raises:
        ProjectPathError: the folder does not exist.
    """
    from memkit.deciding import doctor

    return doctor.check_up(
        resolve_project(project),
        root=None if root is None else absolute(root),
        environment=environment or Environment.from_process(),
        temp_directory=_temp_directory(),
        clock=SystemClock(),
    )


def _look_at(store: Store) -> None:
    """Refuse a store that is not this project's; say what is damaged; clear away what crashes left lying."""
    try:
        store.info()
    except DamagedError as damage:  # reading goes on without it; storing is refused until it is mended
        warnings.warn(f"{damage}", MemkitWarning, stacklevel=3)
        return
    leftovers.sweep(store.paths)


def enable(project: Project = ".", *, environment: Environment | None = None) -> consent.ConsentReceipt:
    """Consent to memory for one project, in the user's own settings file.

    Raises:
        SettingsError: that file cannot be read; it was not changed.
    """
    return _consent(project, environment, enabled=True)


def disable(project: Project = ".", *, environment: Environment | None = None) -> consent.ConsentReceipt:
    """Withdraw consent for one project; what is stored stays until `wipe`."""
    return _consent(project, environment, enabled=False)


def _consent(project: Project, environment: Environment | None, *, enabled: bool) -> consent.ConsentReceipt:
    around = environment or Environment.from_process()
    real = resolve_project(project)
    path = path_text(real)
    if enabled:  # a person consents to what they can be shown: settings that cannot be read are said first
        _settings_of(around, real, {})
    return consent.record_consent(around, path, enabled)


def _settings_of(around: Environment, real: str, arguments: Mapping[str, object]) -> tuple[Loaded, Scrubber]:
    """The settings in force for a project, and the scrubber they describe.

    Raises:
        SettingsError: a file or variable is wrong.
    """
    loaded = load(around, project=real, project_path=path_text(real), arguments=arguments)
    scrub = loaded.settings.scrub
    return loaded, Scrubber(shipped_patterns(), enabled=scrub.enabled, extra=scrub.extra, exclude=scrub.exclude)
