"""SQL files: one whole select with a header that says what it is.

    -- name
    -- What it answers, in one or more lines.
    -- reads:  entries, base.places
    -- params: $as_of TIMESTAMPTZ, $limit INTEGER
    -- grain:  one row per entry

A query that also reads tables its caller hands in names them in a line `frames:` before `params:`.

The header is a promise: `load` refuses a file without one, and one test compares every header of the package with what
DuckDB finds in the query (parameters both ways, one statement, a select, an ordering that ends in a unique key).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

_PARAM = re.compile(r"\$(?P<name>[a-z_][a-z0-9_]*) (?P<type>[A-Z][A-Z0-9_]*(?:\[\])?)")
NONE = "none"


class QueryFileError(ValueError):
    """A .sql file of the package has no proper header."""


@dataclass(frozen=True, slots=True, eq=False)
class Query:
    """One SQL file.

    Attributes:
        package: The package it lies in.
        name: The file's stem.
        purpose: What it answers.
        reads: Relations it reads.
        params: Parameter names without the dollar, with their DuckDB types, in the header's order.
        grain: What one row is.
        sql: The whole text, header included.
        frames: Tables its caller hands in.
    """

    package: str
    name: str
    purpose: str
    reads: tuple[str, ...]
    params: Mapping[str, str]
    grain: str
    sql: str
    frames: tuple[str, ...] = ()


def parse(package: str, name: str, text: str) -> Query:
    """Read a file's header.

    Raises:
        QueryFileError: it has none, or an incomplete one.
    """
    header: list[str] = []
    for line in text.split("\n"):
        if not line.startswith("--"):
            break
        header.append(line.removeprefix("--").strip())
    where = f"{package}/{name}.sql"
    if not header or header[0] != name:
        raise QueryFileError(f"{where}: the first line is not '-- {name}'")
    fields = dict(_fields(header[1:]))
    missing = [key for key in ("purpose", "reads", "params", "grain") if not fields.get(key)]
    if missing:
        raise QueryFileError(f"{where}: the header does not say {', '.join(missing)}")
    return Query(
        package=package,
        name=name,
        purpose=fields["purpose"],
        reads=_names(fields["reads"]),
        params=_params(where, fields["params"]),
        grain=fields["grain"],
        sql=text,
        frames=_names(fields.get("frames", NONE)),
    )


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    """The header's fields; lines before the first key are the purpose, others continue their key."""
    key, value = "purpose", ""
    for line in lines:
        match = re.match(r"(reads|frames|params|grain):\s*(.*)", line)
        if match:
            yield key, value
            key, value = match.group(1), match.group(2)
        else:
            value = f"{value} {line}".strip()
    yield key, value


def _names(text: str) -> tuple[str, ...]:
    return () if text == NONE else tuple(name.strip() for name in text.split(","))


def _params(where: str, text: str) -> dict[str, str]:
    if text == NONE:
        return {}
    found: dict[str, str] = {}
    for part in text.split(","):
        match = _PARAM.fullmatch(part.strip())
        if not match or match["name"] in found:
            raise QueryFileError(f"{where}: {part.strip()!r} is not '$name TYPE', or stands twice")
        found[match["name"]] = match["type"]
    return found


@cache
def load(package: str, name: str) -> Query:
    """The query of the file `name`.sql in `package`."""
    text = resources.files(package).joinpath(f"{name}.sql").read_text("utf-8")
    return parse(package, name, text)


def names_in(package: str) -> list[str]:
    """Stems of the .sql files of a package, sorted."""
    return sorted(
        item.name.removesuffix(".sql") for item in resources.files(package).iterdir() if item.name.endswith(".sql")
    )
