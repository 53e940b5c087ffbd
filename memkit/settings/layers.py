"""The layers, read one by one with pydantic-settings' own sources, each judged alone, then laid over each other.

This module loads pydantic_settings, so it is imported only when settings are read.
"""

from __future__ import annotations

import stat
import tomllib
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    InitSettingsSource,
    PyprojectTomlConfigSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import SettingsError as SourceError

from memkit.errors import SettingsError
from memkit.settings import complaints
from memkit.settings.environment import PREFIX, Environment
from memkit.settings.schema import Settings, dotted, leaves

DELIMITER = "__"
PYPROJECT_TABLE = ("tool", "memkit")
# What a file that came with a project may not say, however deep: a table, or one key of a table.
PERSONAL = (
    ("memory",),
    ("projects",),
    ("scrub", "enabled"),
    ("tripwires", "facts"),
    ("sessions",),
    ("consolidation", "model"),
)

Data = dict[str, Any]
Parts = tuple[str, ...]


class LayeredSettings(Settings, BaseSettings):
    """`Settings` as pydantic-settings' sources want to see them."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter=DELIMITER, pyproject_toml_table_header=PYPROJECT_TABLE
    )


class Layer(NamedTuple):
    """One layer, judged.

    Attributes:
        data: The values it sets, nested.
        sources: Where each of them came from, by the parts of its key.
    """

    data: Data
    sources: dict[Parts, str]


class _VariablesSource(EnvSettingsSource):
    """Reads the variables it is handed instead of the process's."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._given = {name.lower(): value for name, value in variables.items() if value}
        self.undecodable = ""
        super().__init__(LayeredSettings)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return self._given

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: Any) -> Any:
        try:
            return super().decode_complex_value(field_name, field, value)
        except (ValueError, RecursionError) as error:
            self.undecodable = next(
                (n for n, v in self._given.items() if v == value and n.endswith(field_name.lower())), field_name
            )
            raise ValueError(str(error)) from error


def combine(
    environment: Environment, *, project: Path | None, project_path: str | None, arguments: Mapping[str, object]
) -> tuple[Settings, dict[str, str], tuple[str, ...]]:
    """All layers in their order: the settings, the source of each by dotted key, and warnings.

    Raises:
        SettingsError: see `memkit.settings.load`.
    """
    user = _file_layer(environment.config_file)
    layers = [user]
    warnings: list[str] = []
    if project is not None:
        layers.append(_consent_layer(user, environment.config_file, project_path or fspath(project)))
        layers.append(_project_layer(project, warnings))
    layers += [_variables_layer(environment.env), _arguments_layer(arguments)]

    merged: Data = {}
    named: dict[Parts, str] = {}
    for layer in layers:
        _lay_over(merged, layer.data)
        named.update(layer.sources)
    try:
        settings = Settings.model_validate(merged, strict=True)
    except ValidationError as error:  # each layer was fine alone, together they are not
        raise complaints.explain(error, place=lambda _: complaints.Place(None)) from error
    sources = {dotted(*parts): named.get(parts, "default") for parts, _ in leaves(settings)}
    return settings, sources, tuple(warnings)


def _lay_over(below: Data, above: Mapping[str, Any]) -> None:
    for key, value in above.items():
        if isinstance(value, Mapping):
            held = below.get(key)
            below[key] = dict(held) if isinstance(held, Mapping) else {}
            _lay_over(below[key], value)
        else:
            below[key] = value


def _judged(data: Mapping[str, Any], *, place: complaints.Locate, strict: bool) -> Data:
    """The values of one layer as the schema types them, only those it sets."""
    try:
        return Settings.model_validate(data, strict=strict).model_dump(exclude_unset=True)
    except ValidationError as error:
        raise complaints.explain(error, place=place) from error


def _layer_of(data: Data, source: str) -> Layer:
    return Layer(data, {parts: source for parts, _ in leaves(data)})


def _exists(path: Path) -> bool:
    """Whether there is a file to read. Missing is the only state that counts as "nothing was said"."""
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error
    if not stat.S_ISREG(mode):
        raise SettingsError("is not a file", file=path, remedy="Put a TOML file there, or remove it.")
    return True


def _unreadable(path: Path, error: Exception) -> SettingsError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return SettingsError(
        f"cannot be read ({reason})", file=path, remedy="Make it readable for you; memkit does not guess settings."
    )


def _parsed(path: Path, kind: type[TomlConfigSettingsSource]) -> Data:
    try:
        return dict(kind(LayeredSettings, toml_file=path)())
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"is not TOML: {error}", file=path, remedy="Mend the file; it was not changed.") from error
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"is not TOML: not UTF-8 at byte {error.start}", file=path, remedy="Save the file as UTF-8."
        ) from error
    except RecursionError as error:
        raise SettingsError("is not TOML memkit can read: nested too deep", file=path) from error
    except OSError as error:
        raise _unreadable(path, error) from error
    except (AttributeError, TypeError) as error:  # [tool] or [tool.memkit] is no table
        raise SettingsError(
            "is not a table", file=path, field=".".join(PYPROJECT_TABLE), remedy="Write [tool.memkit] and keys below."
        ) from error
    except ValueError as error:  # a number of more digits than Python reads
        raise SettingsError(f"is not TOML memkit can read: {error}", file=path) from error


def _file_layer(path: Path) -> Layer:
    if not _exists(path):
        return Layer({}, {})
    raw = _parsed(path, TomlConfigSettingsSource)
    data = _judged(raw, place=lambda _: complaints.Place(str(path)), strict=True)
    return _layer_of(data, str(path))


def _consent_layer(user: Layer, config_file: Path, project_path: str) -> Layer:
    said = user.data.get("projects", {}).get(project_path)
    if said is None:
        return Layer({}, {})
    table = f"{config_file} [{dotted('projects', project_path)}]"
    return _layer_of({"memory": {"enabled": said["enabled"]}}, table)


def _project_layer(project: Path, warnings: list[str]) -> Layer:
    own, shared = project / "memkit.toml", project / "pyproject.toml"
    prefix: Parts = ()
    if _exists(own):
        path, source = own, str(own)
        raw = _parsed(own, TomlConfigSettingsSource)
        if _has_table(shared):
            warnings.append(f"{shared}: [tool.memkit] is ignored, because {own.name} is there. Keep one of the two.")
    elif _exists(shared):
        path, source, prefix = shared, f"{shared} [{dotted(*PYPROJECT_TABLE)}]", PYPROJECT_TABLE
        raw = _parsed(shared, PyprojectTomlConfigSettingsSource)
    else:
        return Layer({}, {})
    data = _judged(raw, place=lambda _: complaints.Place(str(path), prefix), strict=True)
    personal = [parts for parts, _ in leaves(data) if any(parts[: len(key)] == key for key in PERSONAL)]
    for parts in personal:
        _drop(data, parts)
    if personal:
        names = ", ".join(dotted(*prefix, *parts) for parts in personal)
        warnings.append(
            f"{path}: ignored {names}. That is yours to say, not the project's: "
            "use `memkit enable`, your own settings file, or an argument."
        )
    return _layer_of(data, source)


def _has_table(pyproject: Path) -> bool:
    """Whether a pyproject.toml that is not a source has a table for memkit; one that does not parse has none."""
    try:
        return _exists(pyproject) and bool(_parsed(pyproject, PyprojectTomlConfigSettingsSource))
    except SettingsError:
        return False


def _drop(data: Data, parts: Parts) -> None:
    *above, last = parts
    holders = [data]
    for part in above:
        holders.append(holders[-1][part])
    del holders[-1][last]
    for holder, part in reversed(list(zip(holders, above, strict=False))):
        if not holder[part]:
            del holder[part]


def _variables_layer(variables: Mapping[str, str]) -> Layer:
    given = {name: value for name, value in variables.items() if name.startswith(PREFIX) and value}
    known = complaints.variable_names(PREFIX, DELIMITER)
    for name in sorted(given):
        complaints.require_known_variable(name, known, prefix=PREFIX, delimiter=DELIMITER)
    source = _VariablesSource(given)

    def variable(parts: Parts) -> str:
        """The variable that set this key: its own, or the nearest table given as JSON."""
        names = (PREFIX + DELIMITER.join(parts[:n]).upper() for n in range(len(parts), 0, -1))
        upper = {name.upper(): name for name in given}
        return next((upper[name] for name in names if name in upper), PREFIX + DELIMITER.join(parts).upper())

    try:
        raw = source()
    except SourceError as error:
        name = source.undecodable.upper()
        raise SettingsError(
            f"{given.get(name, '')!r:.80} is not JSON ({error.__cause__})",
            field=name,
            remedy="""Write a list as '["a", "b"]' and a table as '{"name": "value"}'.""",
        ) from error
    data = _judged(raw, place=lambda parts: complaints.Place(None, variable=variable(parts)), strict=False)
    return Layer(data, {parts: f"environment {variable(parts)}" for parts, _ in leaves(data)})


def _arguments_layer(arguments: Mapping[str, object]) -> Layer:
    nested: Data = {}
    for key, value in arguments.items():
        if value is None:
            continue
        *above, last = key.split(".")
        holder = nested
        for part in above:
            holder = holder.setdefault(part, {})
        holder[last] = fspath(value) if isinstance(value, PathLike) else value
    raw = InitSettingsSource(LayeredSettings, nested)()
    return _layer_of(_judged(raw, place=lambda _: complaints.Place(None), strict=True), "argument")
