"""Blocks into HTML: the template environment, and the last hardening of every text.

Templates escape on their own, and `finalize` runs on every value they print, so that a template cannot forget it:

- `$` and `\\` each stand in a `<span>` of their own. Notebooks look for formulas (`$..$`, `\\(..\\)`) within one
  stretch of text and stop at an element, with or without stylesheets, trusted or not; so a price stays a price.
- A word longer than a line gets places where it may break.
- Line breaks become `<br>`.

The output has no blank lines and no indentation, so that it may also stand inside a Markdown document.
"""

from __future__ import annotations

import html
from functools import lru_cache
from typing import TYPE_CHECKING

import regex

from memkit.present.blocks import Sheet

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

LONG_RUN = 40
RUN_PIECE = 20
_SPECIAL = regex.compile(r"[$\\&<>\"'\n]")
_TOKEN = regex.compile(rf"\S{{{LONG_RUN + 1},}}|[$\\&<>\"'\n]")
_PIECES = regex.compile(rf"\X{{1,{RUN_PIECE - 1}}}[-_/.,:;]|\X{{1,{RUN_PIECE}}}")  # after punctuation if there is some


def harden(text: str) -> str:
    """`text` as HTML source: escaped, free of formulas, breakable."""
    return _TOKEN.sub(lambda m: "<wbr>".join(_SPECIAL.sub(_special, piece) for piece in _pieces(m.group())), text)


def _pieces(run: str) -> list[str]:
    return _PIECES.findall(run) if len(run) > LONG_RUN else [run]


def _special(match: regex.Match[str]) -> str:
    char = match.group()
    if char in "$\\":
        return f"<span>{char}</span>"
    return "<br>" if char == "\n" else html.escape(char)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: object) -> object:
        return value if isinstance(value, Markup) or not isinstance(value, str) else Markup(harden(value))  # noqa: S704

    environment = Environment(
        loader=PackageLoader("memkit.present"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=finalize,
        auto_reload=False,
    )
    environment.filters["attr"] = lambda value: Markup(html.escape(str(value)))  # noqa: S704
    return environment


def fill(template: str, **values: object) -> str:
    """A template of `templates/`, filled; white space between its lines is dropped."""
    source = _environment().get_template(template).render(**values)
    return "\n".join(line for raw in source.split("\n") if (line := raw.strip()))


def style() -> Markup:
    """The one stylesheet, scoped to the class `memkit`."""
    from markupsafe import Markup

    return Markup(_style())  # noqa: S704


@lru_cache(maxsize=1)
def _style() -> str:
    from importlib.resources import files

    source = (files("memkit.present") / "templates" / "style.css").read_text(encoding="utf-8")
    return "\n".join(line for raw in source.split("\n") if (line := raw.strip()) and not line.startswith("/*"))


def fragment(sheet: Sheet, *, level: int = 3) -> str:
    """A sheet as HTML without its stylesheet; its heading is `<h{level}>`."""
    return fill("sheet.html.j2", sheet=sheet, level=level, style=None)


def document(sheet: Sheet) -> str:
    """A sheet as the HTML a notebook shows, with its stylesheet."""
    return fill("sheet.html.j2", sheet=sheet, level=3, style=style())
