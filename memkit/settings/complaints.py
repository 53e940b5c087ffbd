"""Refusals of settings in plain words: which file, which key, what is wrong, what to write instead."""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from memkit.errors import SettingsError
from memkit.settings.schema import Settings, dotted

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands.

    Attributes:
        file: The file, if it stands in one.
        prefix: Tables above the settings in that file.
        variable: The variable, if it stands in one.
    """

    file: str | None
    prefix: Parts = ()
    variable: str | None = None


Locate = Callable[[Parts], Place]

_KINDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "finite": "a finite number",
    "string": "text in quotes",
    "tuple": "a list",
    "model": "a table",
    "mapping": "a table",
    "dict": "a table",
}


def explain(error: ValidationError, *, place: Locate) -> SettingsError:
    """The first of pydantic's findings (unknown keys before wrong values) as one `SettingsError`."""
    findings = error.errors(include_url=False)
    first = min(findings, key=lambda finding: (finding["type"] != "extra_forbidden", _parts(finding["loc"])))
    parts = _parts(first["loc"])
    where = place(parts)
    if first["type"] == "extra_forbidden":
        what, remedy = f"unknown key {dotted(*parts)}" if where.variable else "unknown key", _suggestion(parts)
    else:
        what, remedy = _what(first["type"], _toml(first["input"]), first), _example(parts, where)
    more = f" (and {len(findings) - 1} more)" if len(findings) > 1 else ""
    field = where.variable or dotted(*where.prefix, *parts)
    return SettingsError(what + more, file=where.file, field=field, remedy=remedy)


def _what(kind: str, shown: str, finding: Any) -> str:
    if kind == "missing":
        return "is missing"
    if kind == "value_error":
        return f"{shown} cannot be used: {finding['ctx']['error']}"
    if kind.startswith(("greater_than", "less_than")):
        return f"{shown} is out of range"
    words = _KINDS.get(kind.split("_", maxsplit=1)[0])
    return f"{shown} is not {words}" if words else f"{shown} cannot be used: {finding['msg']}"


def _parts(loc: tuple[int | str, ...]) -> Parts:
    """The key of a finding: positions in lists and pydantic's mark for "the key itself" are no part of it."""
    return tuple(part for part in loc if isinstance(part, str) and part != "[key]")


def _suggestion(parts: Parts) -> str:
    siblings = list(_tables().get(parts[:-1], ()))
    free = _table_in_free(parts[:-1])
    if free is not None:
        siblings = list(free.model_fields)
    near = difflib.get_close_matches(parts[-1].lower().replace("-", "_"), siblings, n=1, cutoff=0.6)
    elsewhere = [dotted(*known) for known, _ in known_keys() if known[-1] == parts[-1]]
    if near:
        return f"Did you mean {near[0]}?"
    if elsewhere:
        return f"Did you mean {elsewhere[0]}?"
    return f"Known here: {', '.join(siblings)}." if siblings else "Remove it."


def _example(parts: Parts, where: Place) -> str:
    """`Write limit = 20, for example.`, with the default as the example."""
    fields = dict(known_keys())
    field = fields.get(parts)
    if parts in _tables() and not where.variable:
        return f"Write [{dotted(*where.prefix, *parts)}] and its keys below."
    if parts[0] == "projects":
        return 'Write "/home/me/app" = { enabled = true } below [projects], for example.'
    free = _table_in_free(parts[:-1])
    if free is not None:
        return f"Write {parts[-1]} = 100, for example." if parts[-1] in free.model_fields else "See the settings page."
    if parts[:-1] in fields and _is_free(fields[parts[:-1]]):
        return "Write ticket = 'TICKET-[0-9]{6}', for example."
    if field is None or _is_free(field):
        return "See docs/reference/settings.md."
    default = _toml(field.get_default())
    bounds = " and ".join(
        f"{word} {getattr(rule, name):g}"
        for rule in field.metadata
        for name, word in (("ge", "at least"), ("le", "at most"))
        if getattr(rule, name, None) is not None
    )
    example = f"{where.variable}={default}" if where.variable else f"{parts[-1]} = {default}"
    return f"Write {example}, for example{f'; {bounds}' if bounds else ''}."


def known_keys() -> Iterator[tuple[Parts, FieldInfo]]:
    """Every setting with its key, in the order of the schema; keys a person makes up are not listed."""
    yield from _walk(Settings, ())


def _walk(table: type[BaseModel], above: Parts) -> Iterator[tuple[Parts, FieldInfo]]:
    for name, field in table.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _walk(kind, (*above, name))
        else:
            yield (*above, name), field


def _table_in_free(parts: Parts) -> type[BaseModel] | None:
    """The kind of table that stands under a name a person made up, such as `retention.panels.adr`."""
    field = dict(known_keys()).get(parts[:-1]) if parts else None
    kinds = get_args(field.annotation) if field is not None and _is_free(field) else ()
    kind = kinds[1] if len(kinds) > 1 else None
    return kind if isinstance(kind, type) and issubclass(kind, BaseModel) else None


def _tables() -> Mapping[Parts, list[str]]:
    """The keys of each table, by the table's own key."""
    tables: dict[Parts, list[str]] = {}
    for parts, _ in known_keys():
        for depth in range(len(parts)):
            names = tables.setdefault(parts[:depth], [])
            if parts[depth] not in names:
                names.append(parts[depth])
    return tables


def variable_names(prefix: str, delimiter: str) -> list[str]:
    """The variables that set a value or a whole table, in the order of the schema."""
    keys = [(*table, name) for table, names in _tables().items() for name in names]
    return [prefix + delimiter.join(parts).upper() for parts in keys if parts[0] != "projects"]


def require_known_variable(name: str, known: list[str], *, prefix: str, delimiter: str) -> None:
    """Refuse a variable with memkit's prefix that sets nothing.

    Raises:
        SettingsError: names the variable and the nearest known one.
    """
    upper = name.upper()
    free = (prefix + delimiter.join(parts).upper() + delimiter for parts, field in known_keys() if _is_free(field))
    projects = f"{prefix}PROJECTS"
    if upper == projects or upper.startswith(projects + delimiter):
        raise SettingsError(
            "consent stands in your own settings file only",
            field=name,
            remedy=f"Use `memkit enable`, or {prefix}MEMORY{delimiter}ENABLED for one call.",
        )
    if upper in known or any(upper.startswith(start) and delimiter not in upper[len(start) :] for start in free):
        return
    without = {each.removeprefix(prefix): each for each in known}  # what all share says nothing
    near = [
        without[each] for each in difflib.get_close_matches(upper.removeprefix(prefix), list(without), n=1, cutoff=0.6)
    ]
    raise SettingsError(
        "unknown variable",
        field=name,
        remedy=f"Did you mean {near[0]}?" if near else "Unset it; docs/reference/settings.md lists them.",
    )


def _is_free(field: FieldInfo) -> bool:
    origin = get_origin(field.annotation)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _toml(value: Any) -> str:
    """A value as TOML would write it, cut at 80 characters; only for showing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value[:80], ensure_ascii=False) + ("…" if len(value) > 80 else "")
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_toml(item) for item in value[:5])}{', …' if len(value) > 5 else ''}]"
    if isinstance(value, Mapping):
        return "{}" if not value else "a table"
    return f"{value!s:.80}"
